import type { CsvRow } from './csv-answer.ts';
import type { JsonSchema } from './form/field.ts';
import { asInGraphQL, object } from './json-schema.ts';

/** A field of v1's answers: its schema, and its value from the GraphQL result. */
interface Part<Data> {
  readonly schema: JsonSchema;
  value(data: Data): unknown;
}

/** A field that is neither a list nor a record: CSV has it too. */
interface Cell<Data> extends Part<Data> {
  readonly isCell: true;
}

/** Declares fields; `Row` is the GraphQL result for CSV, `Whole` that for everything else. */
export function fieldsOf<Row, Whole extends Row = Row>(typeName: string) {
  const cell = (schema: JsonSchema, value: (row: Row) => unknown): Cell<Row> => ({
    schema,
    value,
    isCell: true,
  });
  return {
    cell,
    /** The value of a CSV cell, from the GraphQL result. */
    plain: (name: keyof Row & string) => cell(asInGraphQL(typeName, name), (row) => row[name]),
    part: (schema: JsonSchema, value: (whole: Whole) => unknown): Part<Whole> => ({ schema, value }),
  };
}

/** How v1 shows a record: the fields of its answers, in order. */
export function recordAnswer<Row, Whole extends Row>(fields: Record<string, Cell<Row> | Part<Whole>>) {
  const entries = Object.entries(fields);
  const cells = entries.filter((entry): entry is [string, Cell<Row>] => 'isCell' in entry[1]);
  return {
    schema: object(Object.fromEntries(entries.map(([name, { schema }]) => [name, schema]))),
    encode(whole: Whole): object {
      const encoded: Record<string, unknown> = {};
      for (const [name, field] of entries) encoded[name] = field.value(whole);
      return encoded;
    },
    columns: cells.map(([name]) => name),
    encodeRow: (row: Row): CsvRow => cells.map(([, cell]) => cell.value(row)),
  };
}
