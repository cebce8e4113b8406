import type { Dialect } from '../dialect.ts';
import { empty, join, name, raw, sql } from '../sql.ts';

const cell = (index: number) => sql`"value" ->> ${raw(String(index))}`;

export const sqlite: Dialect = {
  name: 'sqlite',
  hasConcurrentWriters: false,
  runsInProcess: true,
  hasWritableCtes: false,
  choosesTrigramIndex: false,
  lock: () => empty,
  size: sql`(SELECT "page_count" * "page_size" FROM pragma_page_count(), pragma_page_size())`,
  fromNow: (milliseconds) => sql`${new Date(Date.now() + milliseconds)}`,
  time: (value) => sql`${value}`,
  // In the form that Prisma writes.
  oneMillisecondAfter: (column) => sql`strftime('%Y-%m-%dT%H:%M:%f+00:00', ${column}, '+0.001 seconds')`,
  // Not octet_length, which sqlite3 before 3.43 does not know: it could not work with tables whose indexes have it.
  bytesOf: (text) => sql`length(CAST(${text} AS BLOB))`,
  greatest: (one, other) => sql`MAX(${one}, ${other})`,
  least: (one, other) => sql`MIN(${one}, ${other})`,
  contains: (column, text) => sql`instr(${column}, ${text}) > 0`,
  isIn: (column, _type, values) =>
    sql`${column} IN (SELECT "value" FROM json_each(${JSON.stringify(values)}))`,
  table(columns, rows) {
    const values = Object.keys(columns).map((column, index) => sql`${cell(index)} AS ${name(column)}`);
    return sql`(SELECT ${join(values)} FROM json_each(${JSON.stringify(rows)}))`;
  },
  concatenated: (text) => sql`group_concat(${text}, '')`,
  insertSource(_table, columns, rows, also) {
    const cells = columns.map((column, index) => sql`${cell(index)} AS ${name(column)}`);
    const given = sql`(SELECT ${join(cells)} FROM json_each(${JSON.stringify(rows)}))`;
    return sql`SELECT ${join([...columns.map(name), ...also])} FROM ${given}`;
  },
  json: { list: 'json_group_array', object: 'json_object' },
};
