import type { Data } from './database.ts';
import { join, name, sql } from './sql.ts';

/**
 * Lets PostgreSQL's planner look at tables that were filled: until autovacuum does, it expects so few rows that it reads all
 * links of an account for a page of them. The plans of SQLite do not depend on the rows.
 */
export async function analyze(db: Data, tables: readonly string[]): Promise<void> {
  if (db.dialect.name === 'postgresql') await db.prisma.$executeRaw(sql`ANALYZE ${join(tables.map(name))}`);
}
