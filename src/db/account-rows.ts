import { join, name, type Sql, sql } from '../engine/db/sql.ts';
import type { Data } from './database.ts';
import { MAX_WRITTEN_LINKS } from './written-limits.ts';

/** The most rows of a table, or links, that one transaction deletes with an account. */
export const ACCOUNT_BATCH = MAX_WRITTEN_LINKS;

/** The tables with rows of accounts that are deleted in batches, after members and links, with their key columns. */
export const ACCOUNT_TABLES = {
  Webhook: ['id'],
  Change: ['id'],
  TakenLinks: ['id'],
  Image: ['id'],
  KeptAnswer: ['id'],
  Invitation: ['id'],
  ApiKey: ['id'],
  Tag: ['id'],
  Pixel: ['id'],
  UtmTemplate: ['id'],
  SavedOperation: ['id'],
  SavedView: ['id'],
  Space: ['id'],
  AccountHour: ['hour'],
  AccountDay: ['day'],
  AccountDayValue: ['kind', 'day', 'valueId'],
  AccountMonthValue: ['kind', 'month', 'valueId'],
} as const satisfies Record<string, readonly string[]>;

function deleteBatch(db: Data, table: string, columns: readonly string[], which: Sql): Promise<number> {
  const key = join(columns.map(name));
  return db.execute(sql`DELETE FROM ${name(table)} WHERE ${which} AND (${key}) IN (
    SELECT ${key} FROM ${name(table)} WHERE ${which} LIMIT ${ACCOUNT_BATCH})`);
}

/** Deletes some rows of an account; returns how many. */
export function deleteAccountRows(
  db: Data,
  table: keyof typeof ACCOUNT_TABLES,
  accountId: number,
): Promise<number> {
  return deleteBatch(db, table, ACCOUNT_TABLES[table], sql`"accountId" = ${accountId}`);
}

/** Deletes some pixels or tags from links; returns how many. */
export function deleteParts(db: Data, part: 'pixel' | 'tag', linkIds: readonly number[]): Promise<number> {
  const table = part === 'tag' ? 'LinkTag' : 'LinkPixel';
  return deleteBatch(db, table, ['linkId', `${part}Id`], sql`"linkId" IN (${join([...linkIds])})`);
}
