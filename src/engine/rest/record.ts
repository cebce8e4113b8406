import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { type GraphQLSchema, getNamedType, isNonNullType, isObjectType } from 'graphql';
import type { Csv, CsvRow } from './csv-answer.ts';
import type { JsonSchema } from './form/field.ts';

export const integerType: JsonSchema = { type: 'integer' };
export const textType: JsonSchema = { type: 'string' };
const flag: JsonSchema = { type: 'boolean' };
export const timestamp: JsonSchema = { type: 'string', format: 'date-time' };

export const orNull = (one: JsonSchema): JsonSchema => ({ anyOf: [one, { type: 'null' }] });
export const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items });

/** An object that always has these properties, except the optional ones. Later versions may add some. */
export function object(properties: Record<string, JsonSchema>, optional: readonly string[] = []): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required };
}

/** The JSON schema in v1 of each GraphQL type that v1 shows unchanged. */
const values: Readonly<Record<string, JsonSchema>> = {
  String: textType,
  Int: integerType,
  Boolean: flag,
  DateTime: timestamp,
  URL: textType,
};

/** The JSON schema of a GraphQL field that v1 shows unchanged, or leaves out instead of null. */
function asInGraphQL(schema: GraphQLSchema, typeName: string, name: string, isOptional = false): JsonSchema {
  const type = schema.getType(typeName);
  const field = isObjectType(type) ? type.getFields()[name] : undefined;
  const value = field && values[getNamedType(field.type).name];
  if (value === undefined) throw new Error(`v1 has no value for ${typeName}.${name}`);
  const described = { ...value, description: field?.description };
  return isOptional || isNonNullType(field?.type) ? described : orNull(described);
}

/** A field of v1's answers: its schema, and its value from the GraphQL result. */
interface Part<Data> {
  readonly schema: JsonSchema;
  /** True if an answer lacks the field where it is null. */
  readonly isOptional?: true;
  value(data: Data): unknown;
}

/** A field that is neither a list nor a record: CSV has it too. */
interface Cell<Data> extends Part<Data> {
  readonly isCell: true;
}

/** Declares fields of a GraphQL type; `Row` is the GraphQL result for CSV, `Whole` that for everything else. */
export function describeFields<Row, Whole extends Row = Row>(schema: GraphQLSchema, typeName: string) {
  const cell = (shape: JsonSchema, value: (row: Row) => unknown): Cell<Row> => ({
    schema: shape,
    value,
    isCell: true,
  });
  return {
    cell,
    /** The value of a CSV cell, from the GraphQL result. */
    plain: (name: keyof Row & string) => cell(asInGraphQL(schema, typeName, name), (row) => row[name]),
    part: (shape: JsonSchema, value: (whole: Whole) => unknown): Part<Whole> => ({ schema: shape, value }),
    /** A field that only answers have in which it is not null. */
    optional: (name: keyof Whole & string): Part<Whole> => ({
      schema: asInGraphQL(schema, typeName, name, true),
      isOptional: true,
      value: (whole) => whole[name],
    }),
  };
}

/** A part of a list, as GraphQL has it. */
interface Rows<Row> {
  readonly edges: readonly { readonly node: Row }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** Defines v1's form of a record: the fields of its answers, in order. */
export function recordAnswer<Row, Whole extends Row>(fields: Record<string, Cell<Row> | Part<Whole>>) {
  const entries = Object.entries(fields);
  const cells = entries.filter((entry): entry is [string, Cell<Row>] => 'isCell' in entry[1]);
  const optional = entries.flatMap(([name, field]) => ('isOptional' in field ? name : []));
  return {
    schema: object(Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])), optional),
    encode(whole: Whole): object {
      const encoded: Record<string, unknown> = {};
      for (const [name, field] of entries) {
        const value = field.value(whole);
        if (value !== null || !('isOptional' in field)) encoded[name] = value;
      }
      return encoded;
    },
    /** A list of records as CSV; `rowsIn` finds it in the data of the document. */
    csv: <Data>(
      document: TypedDocumentNode<Data, Record<string, unknown>>,
      rowsIn: (data: Data) => Rows<Row>,
    ): Csv<Data, Record<string, unknown>> => ({
      columns: cells.map(([name]) => name),
      document,
      variables: ({ filter, orderBy }, _id, after) => ({ filter, orderBy, after }),
      partOf(data) {
        const { edges, pageInfo } = rowsIn(data);
        const rows = edges.map(({ node }): CsvRow => cells.map(([, cell]) => cell.value(node)));
        return { rows, next: pageInfo.hasNextPage ? pageInfo.endCursor : null };
      },
    }),
  };
}

/** The record in a mutation's result: errors are thrown, since v1 runs its documents with `runOwn`. */
export function defineRecord<Result extends { __typename: string }>(
  result: Result,
): Exclude<Result, { __typename: `${string}Error` }> {
  return result as Exclude<Result, { __typename: `${string}Error` }>; // See above.
}
