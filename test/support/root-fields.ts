import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { schema } from '../../src/schema/index.ts';

/** Any value of a type, as text of GraphQL; ids are those of the other account's records. */
function sampleOf(given: GraphQLInputType, foreignId: number): string {
  const type = getNullableType(given);
  if (isListType(type)) return `[${sampleOf(type.ofType, foreignId)}]`;
  if (isEnumType(type)) return type.getValues()[0]?.name ?? '';
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter(
      (one) => isRequiredInputField(one) || one.name === 'id',
    );
    return `{ ${fields.map((field) => `${field.name}: ${sampleOf(field.type, foreignId)}`).join(', ')} }`;
  }
  switch (String(type)) {
    case 'Int':
      return '1';
    case 'Boolean':
      return 'true';
    case 'ID':
      return `"${foreignId}"`;
    case 'Date':
      return '"2026-01-01"';
    case 'DateTime':
      return '"2030-01-01T00:00:00Z"';
    default:
      return '"https://example.com/x"';
  }
}

/** A document with one root field, and what it answers by its `__typename` alone. */
export function documentOf(
  kind: string,
  { name, args, type }: GraphQLField<unknown, unknown>,
  foreignId: number,
): string {
  const given = args
    .filter(
      (arg: GraphQLArgument) => isRequiredArgument(arg) || (kind === 'mutation' && arg.name.startsWith('id')),
    )
    .map((arg) => `${arg.name}: ${sampleOf(arg.type, foreignId)}`);
  const below = isCompositeType(getNamedType(type)) ? ' { __typename }' : '';
  return `${kind} { ${name}${given.length > 0 ? `(${given.join(', ')})` : ''}${below} }`;
}

/** The queries and mutations of the schema. */
export const rootFields = [schema.getQueryType(), schema.getMutationType()].flatMap((type, index) =>
  Object.values(type?.getFields() ?? {}).map((field) => ({
    kind: ['query', 'mutation'][index] ?? '',
    field,
  })),
);
