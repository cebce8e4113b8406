import { join, name, raw, type Sql, sql } from '../../engine/db/sql.ts';
import type { Data } from '../database.ts';
import {
  cutToIndexed,
  indexedColumns,
  isLong,
  type NamedWord,
  type SearchedColumn,
  searchedTexts,
  type TextIndex,
} from './search-text.ts';
import { findCommonTrigrams, splitTrigrams } from './trigrams.ts';

/**
 * Maximum number of links that PostgreSQL finds in any order first. In order, its planner may read most of the others.
 */
const MAX_FEW = 1_000;

/** The condition for links whose text contains this one. PostgreSQL's planner chooses the index by itself. */
function contains({ dialect }: Data, column: SearchedColumn['column'], text: string): Sql {
  const condition = dialect.contains(searchedTexts[column], text);
  // LIKE is not used for a short pattern, with which a generic plan would read the whole index.
  if (!isLong(text)) return condition;
  const pattern = `%${cutToIndexed(text).replace(/[\\%_]/g, '\\$&')}%`;
  const all = column === 'anywhere' ? indexedColumns : [column];
  const like = join(
    all.map((one) => sql`${name(one)} LIKE ${pattern}`),
    ' OR ',
  );
  return sql`(${like}) AND ${condition}`;
}

/** Finds the account's links that meet the condition; null if there are many. */
async function findFew(db: Data, accountId: number, condition: Sql): Promise<number[] | null> {
  const rows = await db.read<{ id: number }>(
    sql`SELECT "id" FROM "Link" WHERE "accountId" = ${accountId} AND ${condition} LIMIT ${raw(String(MAX_FEW + 1))}`,
  );
  return rows.length > MAX_FEW ? null : rows.map(({ id }) => id);
}

/** Finds candidates, unless all words are common: then a page in order soon has enough, and the index has too many entries. */
async function findCandidatesAnywhere(
  db: Data,
  accountId: number,
  words: readonly NamedWord[],
  condition: Sql,
): Promise<number[] | null> {
  const common = await findCommonTrigrams(db, { accountId, column: 'anywhere' });
  const isCommon = ({ word }: NamedWord) =>
    isLong(word)
      ? splitTrigrams(word).every((one) => common.has(one))
      : [...common].some((one) => one.includes(word));
  return words.every(isCommon) ? null : findFew(db, accountId, condition);
}

/**
 * Search on PostgreSQL, by indexes of trigrams on the columns themselves. Its planner chooses one for LIKE, so the search of a
 * single column looks up nothing first. For a search anywhere, it is asked for all links in any order, unless all words
 * are common or it finds more than MAX_FEW.
 */
export const postgresqlSearch: TextIndex = {
  maxSelective: MAX_FEW,
  contains,
  findCandidates: async () => null,
  findCandidatesAnywhere,
};
