import type { Db } from './connection/db.ts';
import { dialectOf } from './connection/dialect.ts';
import { join, name, sql } from './connection/sql.ts';

/**
 * Lets PostgreSQL's planner look at tables that were filled: until autovacuum does, it expects so few rows that it reads all
 * links of an account for a page of them. The plans of SQLite do not depend on the rows.
 */
export async function analyze(db: Db, tables: readonly string[]): Promise<void> {
  if (dialectOf(db).name === 'postgresql') await db.$executeRaw(sql`ANALYZE ${join(tables.map(name))}`);
}
