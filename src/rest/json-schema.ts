import { getNamedType, isNonNullType, isObjectType } from 'graphql';
import { schema } from '../schema/index.ts';
import type { JsonSchema } from './form/field.ts';

export const integer: JsonSchema = { type: 'integer' };
export const text: JsonSchema = { type: 'string' };
const flag: JsonSchema = { type: 'boolean' };
export const timestamp: JsonSchema = { type: 'string', format: 'date-time' };

export const orNull = (one: JsonSchema): JsonSchema => ({ anyOf: [one, { type: 'null' }] });
export const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items });

/** An object with exactly these properties. */
export function object(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** The JSON schema in v1 of each GraphQL type that v1 shows unchanged. */
const values: Readonly<Record<string, JsonSchema>> = {
  String: text,
  Int: integer,
  Boolean: flag,
  DateTime: timestamp,
  URL: text,
};

/** The JSON schema of a GraphQL field that v1 shows unchanged. */
export function asInGraphQL(typeName: string, name: string): JsonSchema {
  const type = schema.getType(typeName);
  const field = isObjectType(type) ? type.getFields()[name] : undefined;
  const value = field && values[getNamedType(field.type).name];
  if (value === undefined) throw new Error(`v1 has no value for ${typeName}.${name}`);
  const described = { ...value, description: field?.description };
  return isNonNullType(field?.type) ? described : orNull(described);
}
