import type { Cell, Dialect } from '../dialect.ts';
import { join, name, raw, sql } from '../sql.ts';

/** An array, as text. */
function makeArray(cells: readonly (Cell | undefined)[]): string {
  const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;
  return `{${cells.map((cell) => (typeof cell === 'string' ? quoted(cell) : (cell ?? 'NULL'))).join(',')}}`;
}

export const postgresql: Dialect = {
  name: 'postgresql',
  hasConcurrentWriters: true,
  runsInProcess: false,
  hasWritableCtes: true,
  choosesTrigramIndex: true,
  lock: raw,
  size: sql`pg_database_size(current_database())`,
  fromNow: (milliseconds) =>
    sql`(clock_timestamp() AT TIME ZONE 'UTC' + ${milliseconds}::int * INTERVAL '1 millisecond')`,
  time: (value) => sql`${value}::timestamp`,
  oneMillisecondAfter: (column) => sql`${column} + INTERVAL '1 millisecond'`,
  bytesOf: (text) => sql`octet_length(${text})`,
  greatest: (one, other) => sql`GREATEST(${one}, ${other})`,
  least: (one, other) => sql`LEAST(${one}, ${other})`,
  contains: (column, text) => sql`strpos(${column}, ${text}) > 0`,
  isIn: (column, type, values) => sql`${column} = ANY(${makeArray(values)}::${raw(type)}[])`,
  table(columns, rows) {
    const arrays = Object.values(columns).map(
      (type, index) => sql`${makeArray(rows.map((row) => row[index]))}::${raw(type)}[]`,
    );
    return sql`(SELECT * FROM unnest(${join(arrays)}) AS "one" (${join(Object.keys(columns).map(name))}))`;
  },
  concatenated: (text) => sql`string_agg(${text}, '')`,
  insertSource(table, columns, rows, also) {
    const records = rows.map((row) =>
      Object.fromEntries(columns.map((column, index) => [column, row[index]])),
    );
    return sql`SELECT ${join([...columns.map(name), ...also])}
      FROM jsonb_populate_recordset(NULL::${name(table)}, ${JSON.stringify(records)}::jsonb)`;
  },
  json: { list: 'json_agg', object: 'json_build_object' },
};
