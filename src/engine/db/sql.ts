// Not from the generated client, which threads that only run statements do not need.
import { raw, type Sql } from '@prisma/client/runtime/client';

export { empty, join, raw, type Sql, sqltag as sql } from '@prisma/client/runtime/client';

export function name(identifier: string): Sql {
  return raw(`"${identifier}"`);
}

/** Columns of a table, by name: with `*`, a prepared statement would get additional columns when a new version adds some. */
export function columnsIn(table: string, columns: readonly string[]): Sql {
  return raw(columns.map((column) => `"${table}"."${column}"`).join(', '));
}

/** The prefix of statements whose best plan depends on their values: PostgreSQL plans them each time. */
export const PLANNED_EACH_TIME = '/* planned each time */';
