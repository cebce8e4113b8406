import type { Data } from '../../src/db/database.ts';
import { join, sql } from '../../src/engine/db/sql.ts';

/** The steps of the database's plan of a statement, for any values of its parameters. */
export async function planOf(client: Data, statement: string): Promise<string[]> {
  const asked =
    client.dialect.name === 'sqlite'
      ? `EXPLAIN QUERY PLAN ${statement.replaceAll('?', '1')}`
      : `EXPLAIN (GENERIC_PLAN) ${statement}`;
  const rows = await client.prisma.$queryRawUnsafe<Record<string, unknown>[]>(asked);
  return rows.map((row) => String(row.detail ?? row['QUERY PLAN']));
}

/** Those of PostgreSQL's tables whose rows the planner has not looked at. */
export async function unknownToPlanner(db: Data, tables: readonly string[]): Promise<string[]> {
  const rows = await db.prisma.$queryRaw<{ name: string }[]>(
    sql`SELECT "relname"::text AS "name" FROM pg_class WHERE "reltuples" < 0 AND "relname" IN (${join([...tables])})`,
  );
  return rows.map(({ name }) => name);
}
