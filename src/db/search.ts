import { type Db, isSqlite } from './client.ts';
import { join, name, type Sql, sql } from './list.ts';

/** The columns of "Link" that have an index of the texts in them, on either database. */
export type SearchedColumn = 'titleKey' | 'aliasKey' | 'urlKey';

/** The shortest text that SQLite's index knows, in characters. */
const SHORTEST = 3;
/** From how many candidates on it costs less to read all of the account's links in order than to look each up. */
const MANY = 1_000;

/** Rows whose column contains the text as it stands: `%`, `_` and `\` are themselves. */
export function contains(column: string, text: string): Sql {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return sql`${name(column)} LIKE ${pattern} ESCAPE '\\'`;
}

/** The links of any account that contain the text, by SQLite's index; null where they are many. */
async function candidates(db: Db, column: SearchedColumn, text: string): Promise<number[] | null> {
  const phrase = `${column} : "${text.replaceAll('"', '""')}"`;
  const found = await db.$queryRaw<{ id: number | bigint }[]>(
    sql`SELECT "rowid" AS "id" FROM "LinkText" WHERE "LinkText" MATCH ${phrase} LIMIT ${MANY}`,
  );
  return found.length < MANY ? found.map(({ id }) => Number(id)) : null;
}

/**
 * What links meet whose column contains the text. PostgreSQL sees by itself that an index serves it; SQLite is asked for
 * candidates first, which the condition then checks like any other row.
 */
export async function linksContaining(db: Db, column: SearchedColumn, text: string): Promise<Sql> {
  const condition = contains(column, text);
  if (!isSqlite(db) || [...text].length < SHORTEST) return condition;
  const ids = await candidates(db, column, text);
  if (ids === null) return condition;
  // By value, so that SQLite sees that they are few.
  return ids.length > 0 ? sql`"id" IN (${join(ids)}) AND ${condition}` : sql`1 = 0`;
}
