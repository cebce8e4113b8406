import type { Db } from '../../src/db/connection/db.ts';
import { dialectOf } from '../../src/db/connection/dialect.ts';

/** The steps of the database's plan of a statement, for any values of its parameters. */
export async function planOf(client: Db, statement: string): Promise<string[]> {
  const asked =
    dialectOf(client).name === 'sqlite'
      ? `EXPLAIN QUERY PLAN ${statement.replaceAll('?', '1')}`
      : `EXPLAIN (GENERIC_PLAN) ${statement}`;
  const rows = await client.$queryRawUnsafe<Record<string, unknown>[]>(asked);
  return rows.map((row) => String(row.detail ?? row['QUERY PLAN']));
}
