import type { Data } from '../database.ts';
import { name, type Sql, sql } from '../sql.ts';

/** The columns of "Link" with a trigram index, on either database. */
export type SearchedColumn = 'titleKey' | 'aliasKey' | 'urlKey';

/** A search for a text within a column of an account's links. */
export interface LinkSearch {
  readonly accountId: number;
  readonly column: SearchedColumn;
  readonly text: string;
}

/** The shortest text that the indexes can find, in characters. */
const MIN_INDEXED = 3;
/** How much of a text is looked up in the index, in characters: each trigram is looked up, with all of its occurrences. */
const MAX_INDEXED = 32;
/**
 * Rare trigrams are looked up first, and may find so many candidates: those of common words are in many links, and take most of the
 * time of a search.
 */
const MAX_CANDIDATES = 500;
/** From how many candidates on it is cheaper to read all of the account's links in order than to look each one up. */
const maxCandidatesOf = (
  accountId: number,
) => sql`(SELECT MIN(MAX(COALESCE(SUM("links"), 0) / 20, 1000), 20000)
  FROM "AccountTally" WHERE "accountId" = ${accountId})`;

function startOf(text: string): string {
  return [...text].slice(0, MAX_INDEXED).join('');
}

/** A text as SQLite's index stores it for an account: the view "ShiftedLinkText" does the same. */
function shifted(text: string, accountId: number): string {
  const shift = (character: string) =>
    65_536 + ((Number(character.codePointAt(0)) + accountId * 128) % 983_040);
  return Array.from(text, (character) => String.fromCodePoint(shift(character))).join('');
}

/** The account's links that may contain the text, by SQLite's index; null if there are many. */
async function candidates(db: Data, search: LinkSearch): Promise<number[] | null> {
  const { accountId, column, text } = search;
  const matching = async (parts: readonly string[], limit: Sql) => {
    const query = parts.map((part) => `"${shifted(part, accountId)}"`).join(' AND ');
    return db.read<{
      id: number | bigint;
      limit: number | bigint;
    }>(sql`SELECT "rowid" & 4294967295 AS "id", ${limit} AS "limit" FROM "LinkText" WHERE "LinkText" MATCH ${`${column} : (${query})`}
        AND "rowid" >= (${accountId} << 32) AND "rowid" < ((${accountId} + 1) << 32) LIMIT ${limit}`);
  };
  const idsOf = (rows: Awaited<ReturnType<typeof matching>>) =>
    rows.length < Number(rows[0]?.limit ?? 1) ? rows.map(({ id }) => Number(id)) : null;
  const rare = await rareTrigrams(db, search, text);
  const found = rare.length > 0 ? idsOf(await matching(rare, sql`${MAX_CANDIDATES}`)) : null;
  return found ?? idsOf(await matching([startOf(text)], maxCandidatesOf(accountId)));
}

/** The condition of a search; `isSelective` if the index found few candidates, `indexed` if an index covers such a text at all. */
export interface SearchResult {
  readonly condition: Sql;
  readonly isSelective: boolean;
  readonly indexed: boolean;
}

/**
 * The condition for links of the account whose column contains the text. PostgreSQL's planner chooses the index by itself;
 * SQLite's index is asked for candidates first, which the condition then checks.
 */
export async function linksContaining(db: Data, search: LinkSearch): Promise<SearchResult> {
  const { column, text } = search;
  const { contains, choosesTrigramIndex } = db.dialect;
  const condition = contains(name(column), text);
  // LIKE is not used here: for a short pattern, a generic plan would read the whole index.
  if ([...text].length < MIN_INDEXED) return { condition, isSelective: false, indexed: false };
  if (choosesTrigramIndex) {
    const pattern = `%${startOf(text).replace(/[\\%_]/g, '\\$&')}%`;
    return {
      condition: sql`${name(column)} LIKE ${pattern} AND ${condition}`,
      isSelective: false,
      indexed: true,
    };
  }
  const ids = await candidates(db, search);
  if (ids === null) return { condition, isSelective: false, indexed: true };
  if (ids.length === 0) return { condition: sql`1 = 0`, isSelective: true, indexed: true };
  // One parameter, since the number of parameters is limited.
  const among = sql`"id" IN (SELECT "value" FROM json_each(${JSON.stringify(ids)}))`;
  return {
    condition: sql`${among} AND ${condition}`,
    isSelective: ids.length <= MAX_CANDIDATES,
    indexed: true,
  };
}

/** How many texts of an account are examined, and how much of each, in characters. */
const SAMPLE_SIZE = 64;
const SAMPLED_LENGTH = 100;
/** The minimum number of sampled texts that contain a common trigram. */
const COMMON_FROM = 2;
/** How many rare trigrams are enough. */
const ENOUGH_RARE = 3;

/** A column of an account's links. */
interface Sampled {
  readonly accountId: number;
  readonly column: string;
}

function trigramsOf(text: string): string[] {
  const characters = [...text];
  return characters.slice(2).map((_, index) => characters.slice(index, index + 3).join(''));
}

async function sampleOf(db: Data, { accountId, column }: Sampled): Promise<ReadonlySet<string>> {
  const own = sql`FROM "Link" WHERE "accountId" = ${accountId}`;
  const parts = JSON.stringify(Array.from({ length: SAMPLE_SIZE }, (_, index) => index / SAMPLE_SIZE));
  const rows = await db.read<{
    text: string | null;
  }>(sql`WITH "ends" AS (SELECT (SELECT MIN("id") ${own}) AS "first", (SELECT MAX("id") ${own}) AS "last")
      SELECT (SELECT substr(${name(column)}, 1, ${SAMPLED_LENGTH}) ${own} AND "id" >= "first" + ("last" - "first") * "value"
        ORDER BY "id" LIMIT 1) AS "text" FROM "ends", json_each(${parts})`);
  const counts = new Map<string, number>();
  for (const { text } of rows)
    for (const one of new Set(trigramsOf(text ?? ''))) counts.set(one, (counts.get(one) ?? 0) + 1);
  return new Set([...counts].flatMap(([one, count]) => (count >= COMMON_FROM ? one : [])));
}

/** Trigrams of the text that, by a sample, only few of the account's links have in the column: up to three, far apart. */
export async function rareTrigrams(db: Data, searched: Sampled, text: string): Promise<string[]> {
  const { commonTrigrams: known } = db.database;
  const key = `${searched.accountId} ${searched.column}`;
  let common = known.get(key);
  if (common === undefined) {
    common = await sampleOf(db, searched);
    known.set(key, common);
  }
  const rare = trigramsOf(text).filter((one) => !common.has(one));
  if (rare.length <= ENOUGH_RARE) return rare;
  return [0, Math.floor(rare.length / 2), rare.length - 1].map((index) => rare[index] ?? '');
}
