import { empty, join, raw, type Sql, sql } from '../../engine/db/sql.ts';
import type { Data } from '../database.ts';
import {
  cutToIndexed,
  isLong,
  type LinkSearch,
  type NamedWord,
  type SearchedColumn,
  searchedTexts,
  type TextIndex,
} from './search-text.ts';
import { findRareTrigrams } from './trigrams.ts';

/**
 * Rare trigrams are looked up first, and may find so many candidates: those of common words are in many links, and take most of the
 * time of a search.
 */
const MAX_CANDIDATES = 500;

/**
 * Returns the number of candidates from which on it is cheaper to read all of the account's links in order than to look each one
 * up. Of a search anywhere, whose total is bounded, fewer links are read in order.
 */
function limitCandidates({ accountId, column }: SearchedColumn): Sql {
  const [part, most] = column === 'anywhere' ? [50, 8_000] : [20, 20_000];
  return sql`(SELECT MIN(MAX(COALESCE(SUM("links"), 0) / ${raw(`${part}`)}, 1000), ${raw(`${most}`)})
    FROM "AccountTally" WHERE "accountId" = ${accountId})`;
}

/** Shifts a text as SQLite's index stores it for an account: the view "ShiftedLinkText" does the same. */
function shiftText(text: string, accountId: number): string {
  const shift = (character: string) =>
    65_536 + ((Number(character.codePointAt(0)) + accountId * 128) % 983_040);
  return Array.from(text, (character) => String.fromCodePoint(shift(character))).join('');
}

/**
 * Looks up the account's links with all of the parts in the index; null if there are as many as the limit.
 * @param named conditions for further links, each with an index
 */
async function lookUp(
  db: Data,
  { accountId, column }: SearchedColumn,
  parts: readonly string[],
  limit: Sql,
  named: readonly Sql[],
): Promise<number[] | null> {
  const query = parts.map((part) => `"${shiftText(part, accountId)}"`).join(' AND ');
  const match = column === 'anywhere' ? query : `${column} : (${query})`;
  const others = named.map(
    (one) => sql` UNION ALL SELECT "id", ${limit} FROM "Link" WHERE "accountId" = ${accountId} AND ${one}`,
  );
  const rows = await db.read<{
    id: number | bigint;
    limit: number | bigint;
  }>(sql`SELECT "rowid" & 4294967295 AS "id", ${limit} AS "limit" FROM "LinkText" WHERE "LinkText" MATCH ${match}
        AND "rowid" >= (${accountId} << 32) AND "rowid" < ((${accountId} + 1) << 32)${join([...others, empty], '')} LIMIT ${limit}`);
  return rows.length < Number(rows[0]?.limit ?? 1) ? rows.map(({ id }) => Number(id)) : null;
}

/**
 * Finds the account's links that may contain all of the texts; null if there are many.
 * @param named conditions for further links, each with an index
 */
async function findCandidates(
  db: Data,
  searched: SearchedColumn,
  texts: readonly string[],
  named: readonly Sql[] = [],
): Promise<number[] | null> {
  const find = (parts: readonly string[], limit: Sql) => lookUp(db, searched, parts, limit, named);
  const rare = (await Promise.all(texts.map((text) => findRareTrigrams(db, searched, text)))).flat();
  // Anywhere, words without rare parts have so many hits that links are read in order: to intersect their entries takes longer.
  if (searched.column === 'anywhere') return rare.length > 0 ? find(rare, limitCandidates(searched)) : null;
  const found = rare.length > 0 ? await find(rare, sql`${MAX_CANDIDATES}`) : null;
  return found ?? find(texts.map(cutToIndexed), limitCandidates(searched));
}

/** Finds candidates by the words that are in no name; without any, or if these have many, by one of the others. */
async function findCandidatesAnywhere(
  db: Data,
  accountId: number,
  words: readonly NamedWord[],
): Promise<number[] | null> {
  const searched = { accountId, column: 'anywhere' } as const;
  const long = words.filter(({ word }) => isLong(word));
  const unnamed = long.flatMap(({ word, named }) => (named.length > 0 ? [] : word));
  let ids = unnamed.length > 0 ? await findCandidates(db, searched, unnamed) : null;
  for (const { word, named } of long)
    if (ids === null && named.length > 0) ids = await findCandidates(db, searched, [word], named);
  return ids;
}

/**
 * Search on SQLite, by the virtual table "LinkText", which indexes trigrams. Its planner cannot combine this index with
 * others, so candidates are looked up first: by rare trigrams, or in a single column, by all of the text's first characters.
 * An account's texts are stored shifted by its number, so that a look-up meets few entries of others. The range of "rowid"
 * leaves those out.
 */
export const sqliteSearch: TextIndex = {
  maxSelective: MAX_CANDIDATES,
  contains: ({ dialect }, column, text) => dialect.contains(searchedTexts[column], text),
  findCandidates: (db, { text, ...searched }: LinkSearch) => findCandidates(db, searched, [text]),
  findCandidatesAnywhere,
};
