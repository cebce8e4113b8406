import {
  type GraphQLEnumType,
  GraphQLError,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLScalarType,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import { schema } from '../schema/index.ts';
import { isNearName } from '../shared/did-you-mean.ts';

/** How many unknown fields an error names, and how much of each name it shows. */
const MAX_NAMED = 3;
const MAX_SHOWN = 100;
/** The longest text for a number, a flag or a value of an enum, of which none is longer. */
const MAX_VALUE_LENGTH = 100;
const SHORT = new Set(['Int', 'Float', 'Boolean']);

interface Fault {
  /** Where it is in the variable. */
  readonly path: (string | number)[];
  readonly message: string;
}

function fault(message: string): Fault {
  return { path: [], message };
}

/** The fault, which is below a field or an item. */
function below(key: string | number, found: Fault | null): Fault | null {
  found?.path.unshift(key);
  return found;
}

function unknownFields(names: readonly string[], type: GraphQLInputObjectType): Fault {
  const shown = names.slice(0, MAX_NAMED).map((one) => JSON.stringify(one.slice(0, MAX_SHOWN)));
  const [only = ''] = names;
  if (names.length > 1) {
    const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
    return fault(`Fields ${shown.join(', ')}${more} are not defined by type "${type.name}".`);
  }
  const near = Object.keys(type.getFields()).find((one) => isNearName(only.slice(0, MAX_SHOWN), one));
  const meant = near === undefined ? '' : ` Did you mean "${near}"?`;
  return fault(`Field ${shown[0]} is not defined by type "${type.name}".${meant}`);
}

function faultOfObject(value: object, type: GraphQLInputObjectType): Fault | null {
  const fields = type.getFields();
  const unknown = Object.keys(value).filter((name) => fields[name] === undefined);
  if (unknown.length > 0) return unknownFields(unknown, type);
  const given = new Map(Object.entries(value));
  for (const field of Object.values(fields)) {
    const one: unknown = given.get(field.name);
    if (one === undefined && isRequiredInputField(field))
      return fault(`Field "${field.name}" of required type "${field.type}" was not provided.`);
    const found = one === undefined ? null : below(field.name, faultOf(one, field.type));
    if (found) return found;
  }
  return null;
}

function faultOfLeaf(value: unknown, type: GraphQLScalarType | GraphQLEnumType): Fault | null {
  // The domain refuses wrong days, and does not repeat them.
  if (typeof value === 'object' && type.name !== 'Date')
    return fault(`Type "${type.name}" has no lists or objects.`);
  const isLong = typeof value === 'string' && value.length > MAX_VALUE_LENGTH;
  return isLong && (isEnumType(type) || SHORT.has(type.name))
    ? fault(`Type "${type.name}" has no text of ${value.length} characters.`)
    : null;
}

/** The first fault whose description could be long, since it would repeat the value. */
function faultOf(value: unknown, type: GraphQLInputType): Fault | null {
  if (isNonNullType(type))
    return value === null ? fault('It must not be null.') : faultOf(value, type.ofType);
  if (value === null) return null;
  if (isListType(type)) {
    if (!Array.isArray(value)) return faultOf(value, type.ofType);
    for (const [index, item] of value.entries()) {
      const found = below(index, faultOf(item, type.ofType));
      if (found) return found;
    }
    return null;
  }
  if (!isInputObjectType(type)) return faultOfLeaf(value, type);
  if (typeof value !== 'object' || Array.isArray(value))
    return fault(`Expected type "${type.name}" to be an object.`);
  return faultOfObject(value ?? {}, type);
}

/**
 * Checks that the variables fit their types, before anything is calculated from them.
 * @throws GraphQLError a short error. The executor, which refuses wrong short values, would report up to fifty errors, each with
 * the whole value: a large one would block the thread for seconds.
 */
export function checkVariables(
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>>,
): void {
  for (const node of variableDefinitions) {
    const { value: name } = node.variable.name;
    const type = typeFromAST(schema, node.type);
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    const found = value === undefined || !isInputType(type) ? null : faultOf(value, type);
    if (found === null) continue;
    const path = found.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
    const where = path === '' ? '' : ` at "${name}${path}"`;
    const message = `Variable "$${name}" got an invalid value${where}. ${found.message}`;
    throw new GraphQLError(message, {
      nodes: node,
      extensions: { code: 'BAD_REQUEST', http: { status: 400 } },
    });
  }
}
