import {
  type GraphQLInputType,
  type GraphQLLeafType,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  typeFromAST,
} from 'graphql';
import type { Operation } from '../../graphql/document.ts';
import type { Place } from '../../graphql/outcome.ts';
import { type FormFields, type FormRules, type FormValue, isEmptyList, parsePosition } from '../form/form.ts';

/** The rules of forms with variables. Texts stay as they are, since a variable may begin with a space. */
export const VARIABLE_FORM: FormRules = { depth: 5, values: 1_000, trims: false };
/** The rules of query strings with variables. */
export const VARIABLE_QUERY: FormRules = { ...VARIABLE_FORM, place: 'The query string' };

/** Variables as a client has sent them, in the form that the pipeline takes. */
export interface SentVariables {
  readonly variables: Readonly<Record<string, unknown>>;
  /** The names that are no variables of the operation. */
  readonly unknown: readonly string[];
  /** The name that was sent for a place in the variables: `input.targets.7.url`. */
  nameOf(place: Place): string;
}

const known = new WeakMap<Operation, ReadonlyMap<string, GraphQLInputType>>();

/** The types of an operation's variables, by name. */
function typesOf(operation: Operation): ReadonlyMap<string, GraphQLInputType> {
  const types = known.get(operation) ?? readTypes(operation);
  known.set(operation, types);
  return types;
}

function readTypes({ schema, node }: Operation): ReadonlyMap<string, GraphQLInputType> {
  const types = (node.variableDefinitions ?? []).flatMap(({ variable, type: written }) => {
    const type = typeFromAST(schema, written);
    return isInputType(type) ? [[variable.name.value, type] as const] : [];
  });
  return new Map(types);
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false],
]);

const WHOLE = /^-?\d{1,15}$/;
const DECIMAL = /^-?\d{1,300}(\.\d{1,300})?(e[+-]?\d{1,3})?$/i;

/** The value of a text; one that its type does not know stays as it is, and is refused with the other variables. */
function decodeText(text: string, type: GraphQLLeafType): unknown {
  if (type.name === 'String') return text;
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  if (type.name === 'Int') return WHOLE.test(trimmed) ? Number(trimmed) : trimmed;
  if (type.name === 'Float') return DECIMAL.test(trimmed) ? Number(trimmed) : trimmed;
  if (type.name === 'Boolean') return BOOLEANS.get(trimmed.toLowerCase()) ?? trimmed;
  if (!isEnumType(type)) return trimmed;
  const same = type.getValues().find(({ name }) => name.toLowerCase() === trimmed.toLowerCase());
  return same?.name ?? trimmed;
}

/** The names of the items of lists, as their positions were sent. */
type Positions = WeakMap<object, readonly string[]>;

class Decoder {
  readonly positions: Positions = new WeakMap();

  /** The value of a type; undefined for an empty one, which counts as absent. */
  decode(value: FormValue, type: GraphQLInputType): unknown {
    if (isNonNullType(type)) return this.decode(value, type.ofType);
    if (isListType(type)) return this.#decodeList(value, type.ofType);
    if (isInputObjectType(type)) {
      if (!(value instanceof Map)) return value === '' ? undefined : value;
      const fields = type.getFields();
      return this.#decodeFields(value, (name) => fields[name]?.type);
    }
    return value instanceof Map ? this.#plain(value) : decodeText(String(value), type);
  }

  #decodeFields(form: FormFields, typeOf: (name: string) => GraphQLInputType | undefined): object {
    const entries = [...form].flatMap(([name, value]) => {
      const type = typeOf(name);
      const decoded = type === undefined ? this.#plain(value) : this.decode(value, type);
      return decoded === undefined ? [] : [[name, decoded] as const];
    });
    return Object.fromEntries(entries);
  }

  #decodeList(value: FormValue, item: GraphQLInputType): unknown {
    if (!(value instanceof Map)) return value === '' ? undefined : this.decode(value, item);
    if (isEmptyList(value)) return [];
    const items = [...value].map(([name, one]) => ({ name, one, position: parsePosition(name) }));
    // A single item stands for a list of it.
    if (items.some(({ position }) => position === null)) return this.decode(value, item);
    const decoded = items
      .sort((a, b) => ((a.position ?? 0n) < (b.position ?? 0n) ? -1 : 1))
      .flatMap(({ name, one }) => {
        const made = this.decode(one, item);
        return made === undefined ? [] : [{ name, made }];
      });
    const list = decoded.map(({ made }) => made);
    this.positions.set(
      list,
      decoded.map(({ name }) => name),
    );
    return list;
  }

  /** A value that has no type. */
  #plain(value: FormValue): unknown {
    if (!(value instanceof Map)) return value;
    return Object.fromEntries([...value].map(([name, one]) => [name, this.#plain(one)]));
  }
}

/** The maximum length of a name that is repeated to its sender, in characters. */
const MAX_NAME = 100;

/** The name, cut if it is long. */
export const cutName = (name: string): string =>
  name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function makeNames(variables: Readonly<Record<string, unknown>>, positions: Positions) {
  return (place: Place): string => {
    let value: unknown = variables;
    const names = place.map((part) => {
      const name = isList(value) ? (positions.get(value)?.[Number(part)] ?? String(part)) : String(part);
      value =
        typeof value === 'object' && value !== null
          ? Object.entries(value).find(([one]) => one === String(part))?.[1]
          : undefined;
      return cutName(name);
    });
    return names.join('.');
  };
}

/** Reads variables from a form or a query string. */
export function readFormVariables(operation: Operation, form: FormFields): SentVariables {
  const types = typesOf(operation);
  const decoder = new Decoder();
  const unknown = [...form.keys()].filter((name) => !types.has(name));
  const entries = [...form].flatMap(([name, value]) => {
    const type = types.get(name);
    const decoded = type && decoder.decode(value, type);
    return decoded === undefined ? [] : [[name, decoded] as const];
  });
  const variables = Object.fromEntries(entries);
  return { variables, unknown, nameOf: makeNames(variables, decoder.positions) };
}

/** The variables of a query string and of a body, which counts where both have a name. */
export function joinVariables(query: SentVariables, body: SentVariables): SentVariables {
  return {
    variables: { ...query.variables, ...body.variables },
    unknown: [...new Set([...query.unknown, ...body.unknown])],
    nameOf: (place) =>
      Object.hasOwn(body.variables, String(place[0])) ? body.nameOf(place) : query.nameOf(place),
  };
}

/** Reads variables from an object in JSON. */
export function readJsonVariables(
  operation: Operation,
  variables: Readonly<Record<string, unknown>>,
): SentVariables {
  const types = typesOf(operation);
  const unknown = Object.keys(variables).filter((name) => !types.has(name));
  return { variables, unknown, nameOf: makeNames(variables, new WeakMap()) };
}
