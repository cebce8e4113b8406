import {
  GraphQLError,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
} from 'graphql';
import { isNearName } from '../tools/did-you-mean.ts';
import { isObject } from '../tools/is-object.ts';
import { badRequest } from './errors.ts';
import { getMaxItems, NO_LIMIT } from './input-limits.ts';

/** Maximum number of an unknown name's characters that are compared with those of fields. */
const MAX_NAME = 100;

/** The values of scalars, for messages. */
const values: Readonly<Record<string, string>> = {
  Int: 'an integer from -2147483648 to 2147483647',
  Float: 'a number',
  Boolean: 'true or false',
  String: 'text',
  ID: 'text or an integer',
  DateTime: 'text in ISO 8601',
};

/** A value that does not fit its type. */
class Fault extends Error {
  /** Where it is in the variable, the outermost key first. */
  readonly path: (string | number)[] = [];
  /** The field of an object that is missing or not known, if that is the fault. */
  readonly field: string | null;

  constructor(message: string, field: string | null = null) {
    super(message);
    this.field = field;
  }
}

/** The result of the work; a fault in it is at this key. */
function at<T>(key: string | number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Fault) error.path.unshift(key);
    throw error;
  }
}

/**
 * The value as its type has it.
 * @param maxItems how many items a list may have: those of a longer one are not looked at, since whoever gets it refuses it
 * @throws Fault for the first part that does not fit
 */
function coerce(value: unknown, type: GraphQLInputType, maxItems: number): unknown {
  if (isNonNullType(type)) {
    if (value == null) throw new Fault(`Expected non-nullable type "${type}" not to be null.`);
    return coerce(value, type.ofType, maxItems);
  }
  if (value == null) return null;
  if (isListType(type)) {
    const item: GraphQLInputType = type.ofType;
    if (!Array.isArray(value)) return [coerce(value, item, maxItems)];
    if (value.length > maxItems) return new Array<unknown>(value.length);
    return value.map((one: unknown, index) => at(index, () => coerce(one, item, maxItems)));
  }
  return isInputObjectType(type) ? coerceObject(value, type) : coerceLeaf(value, type);
}

function coerceObject(value: unknown, type: GraphQLInputObjectType): Record<string, unknown> {
  if (!isObject(value)) throw new Fault(`Expected type "${type.name}" to be an object.`);
  const fields = type.getFields();
  const coerced: Record<string, unknown> = {};
  for (const field of Object.values(fields)) {
    const { name } = field;
    const one = value[name];
    if (one !== undefined) coerced[name] = at(name, () => coerce(one, field.type, getMaxItems(field)));
    else if (field.defaultValue !== undefined) coerced[name] = field.defaultValue;
    else if (isNonNullType(field.type))
      throw new Fault(`Field "${name}" of required type "${field.type}" was not provided.`, name);
  }
  requireKnown(Object.keys(value), Object.keys(fields), type);
  return type.isOneOf ? theOneOf(coerced, type) : coerced;
}

function requireKnown(
  given: readonly string[],
  known: readonly string[],
  type: GraphQLInputObjectType,
): void {
  const unknown = given.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const near = known.find((name) => isNearName(unknown.slice(0, MAX_NAME), name));
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
  throw new Fault(`Field "${unknown}" is not defined by type "${type.name}".${hint}`, unknown);
}

/**
 * The object with its one field. Nulls beside it count as absent, unlike in a document: what was read has all fields, and is sent
 * back as it is.
 */
function theOneOf(
  coerced: Readonly<Record<string, unknown>>,
  type: GraphQLInputObjectType,
): Record<string, unknown> {
  const all = Object.entries(coerced);
  const given = all.filter(([, value]) => value !== null);
  const [only, ...others] = given.length > 0 ? given : all;
  if (only === undefined || others.length > 0)
    throw new Fault(`Exactly one key must be specified for OneOf type "${type.name}".`);
  const [name, value] = only;
  if (value !== null) return { [name]: value };
  const fault = new Fault(`Field "${name}" must be non-null.`);
  fault.path.push(name);
  throw fault;
}

/**
 * Coerces a scalar or enum. Unlike the library's, its error does not repeat the value.
 * @throws Fault if the value does not fit the type
 */
function coerceLeaf(value: unknown, type: GraphQLLeafType): unknown {
  let coerced: unknown;
  try {
    coerced = type.parseValue(value);
  } catch {
    // Told below.
  }
  if (coerced !== undefined) return coerced;
  if (!isEnumType(type)) throw new Fault(`It must be ${values[type.name] ?? `a ${type.name}`}.`);
  const names = type.getValues().map(({ name }) => name);
  throw new Fault(`It must be a value of "${type.name}". Did you mean ${names.join(', ')}?`);
}

/** A variable that does not fit its type. */
export class VariableError extends GraphQLError {
  /** Where the fault is, beginning with the variable. */
  readonly at: readonly (string | number)[];
  /** A sentence; null for a variable that is missing. */
  readonly fault: string | null;

  constructor(
    message: string,
    nodes: VariableDefinitionNode,
    at: readonly (string | number)[],
    fault: string | null,
  ) {
    super(message, { nodes, extensions: badRequest(message).extensions });
    this.at = at;
    this.fault = fault;
  }
}

/** Returns the maximum number of items of the list in a variable, where it is used. */
export type ListLimits = (variable: string) => number;

const UNLIMITED: ListLimits = () => NO_LIMIT;

/**
 * The variables of an operation with the values that their types give them. Only the first fault is reported: each costs time.
 * @throws VariableError for a variable that does not fit its type; its message repeats no value, which may be long or secret
 */
export function coerceVariables(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
  given: Readonly<Record<string, unknown>>,
  limitOf = UNLIMITED,
): Record<string, unknown> {
  const coerced: Record<string, unknown> = {};
  for (const node of definitions) {
    const { value: name } = node.variable.name;
    const type = typeFromAST(schema, node.type);
    if (!isInputType(type)) continue; // The validation refuses it.
    const refuse = (told: string, at: readonly (string | number)[], fault: string | null) => {
      throw new VariableError(`Variable "$${name}" ${told}`, node, [name, ...at], fault);
    };
    if (Object.hasOwn(given, name)) {
      try {
        const value = given[name];
        coerced[name] = coerce(value, type, Array.isArray(value) ? limitOf(name) : NO_LIMIT);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        const inner = error.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
        const where = inner === '' ? '' : ` at "${name}${inner}"`;
        const at = error.field === null ? error.path : [...error.path, error.field];
        refuse(`got an invalid value${where}. ${error.message}`, at, error.message);
      }
    } else if (node.defaultValue) coerced[name] = valueFromAST(node.defaultValue, type);
    else if (isNonNullType(type)) refuse(`of required type "${type}" was not provided.`, [], null);
  }
  return coerced;
}
