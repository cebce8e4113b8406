import type { CsvRow } from './csv.ts';
import type { JsonSchema } from './form/field.ts';
import { asInGraphQL, object } from './json-schema.ts';

/** A field of v1's answers: what it may hold, and its value by what GraphQL gives. */
interface Part<Data> {
  readonly schema: JsonSchema;
  value(data: Data): unknown;
}

/** One that is neither a list nor a record, and so is in a row of CSV too. */
interface Cell<Data> extends Part<Data> {
  readonly isCell: true;
}

/** What fields are declared with; `Row` is what GraphQL gives for CSV, `Whole` what it gives everywhere else. */
export function fieldsOf<Row, Whole extends Row = Row>(typeName: string) {
  const cell = (schema: JsonSchema, value: (row: Row) => unknown): Cell<Row> => ({
    ...{ schema, value, isCell: true },
  });
  return {
    cell,
    /** A cell as GraphQL has it. */
    plain: (name: keyof Row & string) => cell(asInGraphQL(typeName, name), (row) => row[name]),
    part: (schema: JsonSchema, value: (whole: Whole) => unknown): Part<Whole> => ({ schema, value }),
  };
}

/** How v1 gives a record, by the fields of its answers, in their order. */
export function recordAnswer<Row, Whole extends Row>(fields: Record<string, Cell<Row> | Part<Whole>>) {
  const entries = Object.entries(fields);
  const cells = entries.filter((entry): entry is [string, Cell<Row>] => 'isCell' in entry[1]);
  // Parsed, as its copies then are like literals: V8 takes twice as long to write objects that are put together name by name.
  const blank: Record<string, unknown> = JSON.parse(
    JSON.stringify(Object.fromEntries(entries.map(([name]) => [name, null]))),
  );
  return {
    schema: object(Object.fromEntries(entries.map(([name, { schema }]) => [name, schema]))),
    encode(whole: Whole): object {
      const encoded = { ...blank };
      for (const [name, field] of entries) encoded[name] = field.value(whole);
      return encoded;
    },
    columns: cells.map(([name]) => name),
    encodeRow: (row: Row): CsvRow => cells.map(([, cell]) => cell.value(row)),
  };
}
