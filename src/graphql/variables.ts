import {
  coerceInputValue,
  type GraphQLInputType,
  type GraphQLNamedInputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInputType,
  isNonNullType,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
} from 'graphql';
import { isNearName } from '../shared/did-you-mean.ts';
import { badRequest } from './errors.ts';

/** How much of an unknown name is compared with those of fields. */
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

/** The type of a part of a variable, without its lists. */
function typeAt(type: GraphQLInputType, path: readonly (string | number)[]): GraphQLNamedInputType {
  return path.reduce<GraphQLNamedInputType>((outer, key) => {
    const field = isInputObjectType(outer) ? outer.getFields()[key] : undefined;
    return field ? getNamedType(field.type) : outer;
  }, getNamedType(type));
}

/** What is wrong with a value, in words that do not repeat it, as the library's do for scalars and enums. */
function describeFault(type: GraphQLNamedInputType, value: unknown, message: string): string {
  if (value == null) return message;
  if (isInputObjectType(type)) {
    const names = Object.keys(type.getFields());
    const unknown = Object.keys(value).find((name) => !names.includes(name)) ?? '';
    const near = names.find((name) => isNearName(unknown.slice(0, MAX_NAME), name));
    return near === undefined ? message : `${message} Did you mean "${near}"?`;
  }
  if (!isEnumType(type)) return `It must be ${values[type.name] ?? `a ${type.name}`}.`;
  const names = type.getValues().map(({ name }) => name);
  return `It must be a value of "${type.name}". Did you mean ${names.join(', ')}?`;
}

/**
 * The variables of an operation with the values that their types give them. Only the first fault is reported: each costs time.
 * @throws GraphQLError for a variable that does not fit its type; its message repeats no value, which may be long or secret
 */
export function coerceVariables(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const coerced: Record<string, unknown> = {};
  for (const node of definitions) {
    const { value: name } = node.variable.name;
    const type = typeFromAST(schema, node.type);
    if (!isInputType(type)) continue; // The validation refuses it.
    const refuse = (fault: string) => {
      throw badRequest(`Variable "$${name}" ${fault}`, { nodes: node });
    };
    if (Object.hasOwn(given, name)) {
      coerced[name] = coerceInputValue(
        given[name],
        type,
        (path, value, error) => {
          const inner = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
          const where = inner === '' ? '' : ` at "${name}${inner}"`;
          refuse(`got an invalid value${where}. ${describeFault(typeAt(type, path), value, error.message)}`);
        },
        true,
      );
    } else if (node.defaultValue) coerced[name] = valueFromAST(node.defaultValue, type);
    else if (isNonNullType(type)) refuse(`of required type "${type}" was not provided.`);
  }
  return coerced;
}
