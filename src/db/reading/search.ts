import { empty, join, name, raw, type Sql, sql } from '../../engine/db/sql.ts';
import { nameFor } from '../../engine/tools/name-for.ts';
import type { Data } from '../database.ts';
import { lacksPlainKey } from '../plain-keys.ts';

/** The columns of "Link" with a trigram index on PostgreSQL; SQLite's has the plain key with the URL. */
const columns = ['titleKey', 'aliasKey', 'urlKey', 'plainKey'] as const;

/** Searchable texts: a column, or all of them and names. */
const searched = {
  ...{ titleKey: name('titleKey'), aliasKey: name('aliasKey'), urlKey: name('urlKey') },
  anywhere: sql`concat_ws(' ', ${join(columns.map(name))})`,
};

/** A search for a text within a column of an account's links; or anywhere for words with spaces between, of which no text has any. */
export interface LinkSearch {
  readonly accountId: number;
  readonly column: keyof typeof searched;
  readonly text: string;
}

/** The shortest text that the indexes can find, in characters. */
const MIN_INDEXED = 3;
/**
 * Maximum number of a text's characters that are looked up in the index. Each trigram is looked up with all
 * occurrences.
 */
const MAX_INDEXED = 32;
/**
 * Rare trigrams are looked up first, and may find so many candidates: those of common words are in many links, and take most of the
 * time of a search.
 */
const MAX_CANDIDATES = 500;
/**
 * From how many candidates on it is cheaper to read all of the account's links in order than to look each one up. Of a search
 * anywhere, whose total is bounded, fewer links are read in order.
 */
const maxCandidatesOf = (accountId: number, column: LinkSearch['column']) => {
  const [part, most] = column === 'anywhere' ? [50, 8_000] : [20, 20_000];
  return sql`(SELECT MIN(MAX(COALESCE(SUM("links"), 0) / ${raw(`${part}`)}, 1000), ${raw(`${most}`)})
    FROM "AccountTally" WHERE "accountId" = ${accountId})`;
};

function searchStart(text: string): string {
  return [...text].slice(0, MAX_INDEXED).join('');
}

/** A text as SQLite's index stores it for an account: the view "ShiftedLinkText" does the same. */
function shifted(text: string, accountId: number): string {
  const shift = (character: string) =>
    65_536 + ((Number(character.codePointAt(0)) + accountId * 128) % 983_040);
  return Array.from(text, (character) => String.fromCodePoint(shift(character))).join('');
}

/**
 * The account's links that may contain all of the texts, by SQLite's index; null if there are many.
 * @param named conditions for further links, each with an index
 */
async function candidates(
  db: Data,
  search: Omit<LinkSearch, 'text'>,
  texts: readonly string[],
  named: readonly Sql[] = [],
): Promise<number[] | null> {
  const { accountId, column } = search;
  const matching = async (parts: readonly string[], limit: Sql) => {
    const query = parts.map((part) => `"${shifted(part, accountId)}"`).join(' AND ');
    const match = column === 'anywhere' ? query : `${column} : (${query})`;
    const others = named.map(
      (one) => sql` UNION ALL SELECT "id", ${limit} FROM "Link" WHERE "accountId" = ${accountId} AND ${one}`,
    );
    return db.read<{
      id: number | bigint;
      limit: number | bigint;
    }>(sql`SELECT "rowid" & 4294967295 AS "id", ${limit} AS "limit" FROM "LinkText" WHERE "LinkText" MATCH ${match}
        AND "rowid" >= (${accountId} << 32) AND "rowid" < ((${accountId} + 1) << 32)${join([...others, empty], '')} LIMIT ${limit}`);
  };
  const listIds = (rows: Awaited<ReturnType<typeof matching>>) =>
    rows.length < Number(rows[0]?.limit ?? 1) ? rows.map(({ id }) => Number(id)) : null;
  const rare = (await Promise.all(texts.map((text) => rareTrigrams(db, search, text)))).flat();
  // Anywhere, words without rare parts have so many hits that links are read in order: to intersect their entries takes longer.
  if (column === 'anywhere')
    return rare.length > 0 ? listIds(await matching(rare, maxCandidatesOf(accountId, column))) : null;
  const found = rare.length > 0 ? listIds(await matching(rare, sql`${MAX_CANDIDATES}`)) : null;
  return found ?? listIds(await matching(texts.map(searchStart), maxCandidatesOf(accountId, column)));
}

/** The condition of a search; `isSelective` if the index found few candidates, `indexed` if an index covers such a text at all. */
export interface SearchResult {
  readonly condition: Sql;
  readonly isSelective: boolean;
  readonly indexed: boolean;
}

const isLong = (text: string): boolean => [...text].length >= MIN_INDEXED;

/** The condition for links whose text contains this one. PostgreSQL's planner chooses the index by itself. */
function textCondition({ dialect }: Data, column: LinkSearch['column'], text: string): Sql {
  const condition = dialect.contains(searched[column], text);
  // LIKE is not used for a short pattern, with which a generic plan would read the whole index.
  if (!dialect.choosesTrigramIndex || !isLong(text)) return condition;
  const pattern = `%${searchStart(text).replace(/[\\%_]/g, '\\$&')}%`;
  const all = column === 'anywhere' ? columns : [column];
  const like = join(
    all.map((one) => sql`${name(one)} LIKE ${pattern}`),
    ' OR ',
  );
  return sql`(${like}) AND ${condition}`;
}

/** A condition, and the candidates for it that were found, if it was looked for them, and if they are few. */
function found(
  { dialect }: Data,
  condition: Sql,
  ids: readonly number[] | null,
  indexed: boolean,
): SearchResult {
  if (ids === null) return { condition, isSelective: false, indexed };
  if (ids.length === 0) return { condition: sql`1 = 0`, isSelective: true, indexed };
  // One parameter, since the number of parameters is limited.
  const among = dialect.isIn(sql`"id"`, 'integer', ids);
  return {
    condition: sql`${among} AND ${condition}`,
    isSelective: ids.length <= (dialect.choosesTrigramIndex ? MAX_FEW : MAX_CANDIDATES),
    indexed,
  };
}

/**
 * The condition for links of the account that the search finds, which on SQLite checks the candidates of its index. Null if some
 * links cannot be searched anywhere yet.
 */
export async function linksContaining(db: Data, search: LinkSearch): Promise<SearchResult | null> {
  if (search.column === 'anywhere') return linksWithWords(db, search);
  const { column, text } = search;
  const condition = textCondition(db, column, text);
  if (!isLong(text)) return found(db, condition, null, false);
  return found(
    db,
    condition,
    db.dialect.choosesTrigramIndex ? null : await candidates(db, search, [text]),
    true,
  );
}

/** Maximum number of records with matching names that a condition lists; with more, the condition searches itself. */
const MAX_NAMED = 100;

/** The records whose names are searched, with the condition for their links. */
const namedRecords = [
  { table: 'Space', links: (ids: Sql) => sql`"spaceId" IN (${ids})` },
  {
    table: 'Tag',
    links: (ids: Sql) => sql`"Link"."id" IN (SELECT "linkId" FROM "LinkTag" WHERE "tagId" IN (${ids}))`,
  },
] as const;

/** For each word, the conditions for links of the account that belong to a record whose name contains it; null as above. */
async function namedConditions(
  db: Data,
  accountId: number,
  words: readonly string[],
): Promise<(readonly Sql[])[] | null> {
  const key = sql`concat_ws(' ', "nameKey", "plainKey")`;
  const has = (word: string) => db.dialect.contains(key, word);
  const own = sql`"accountId" = ${accountId}`;
  const some = namedRecords.flatMap(({ table }) => [
    sql`SELECT * FROM (SELECT '${raw(table)}' AS "table", "id", ${key} AS "key" FROM ${name(table)}
      WHERE ${own} AND (${join(words.map(has), ' OR ')}) LIMIT ${MAX_NAMED + 1}) AS ${name(table)}`,
    sql`SELECT * FROM (SELECT '', "id", '' FROM ${name(table)} WHERE ${own} AND ${lacksPlainKey(db.dialect, table)} LIMIT 1) AS "some"`,
  ]);
  const unready = sql`SELECT * FROM (SELECT '', "id", '' FROM "Link" WHERE ${own} AND ${lacksPlainKey(db.dialect, 'Link')} LIMIT 1) AS "links"`;
  const rows = await db.read<{ table: string; id: number | bigint; key: string }>(
    join([...some, unready], ' UNION ALL '),
  );
  if (rows.some(({ table }) => table === '')) return null;
  return words.map((word) =>
    namedRecords.flatMap(({ table, links }) => {
      const of = rows.filter((row) => row.table === table);
      if (of.length > MAX_NAMED)
        return links(sql`SELECT "id" FROM ${name(table)} WHERE ${own} AND ${has(word)}`);
      const ids = of.filter(({ key }) => key.includes(word)).map(({ id }) => id);
      return ids.length > 0 ? links(join(ids)) : [];
    }),
  );
}

/**
 * Maximum number of links that PostgreSQL finds in any order first. In order, its planner may read most of the others.
 */
const MAX_FEW = 1_000;

/** The account's links that meet the condition; null if there are many. */
async function few(db: Data, accountId: number, condition: Sql): Promise<number[] | null> {
  const rows = await db.read<{ id: number }>(
    sql`SELECT "id" FROM "Link" WHERE "accountId" = ${accountId} AND ${condition} LIMIT ${raw(String(MAX_FEW + 1))}`,
  );
  return rows.length > MAX_FEW ? null : rows.map(({ id }) => id);
}

/** The condition for links that have each of the words in one of their texts or in a name. */
async function linksWithWords(
  db: Data,
  { accountId, column, text }: LinkSearch,
): Promise<SearchResult | null> {
  const words = text.split(' ');
  const named = await namedConditions(db, accountId, words);
  if (named === null) return null;
  const ofWord = words.map((word, index) => ({ word, named: named[index] ?? [] }));
  const conditions = ofWord.map(({ word, named }) => {
    const condition = textCondition(db, column, word);
    return named.length > 0 ? sql`(${join([sql`(${condition})`, ...named], ' OR ')})` : condition;
  });
  const condition = join(conditions, ' AND ');
  const long = ofWord.filter(({ word }) => isLong(word));
  const unnamed = long.flatMap(({ word, named }) => (named.length > 0 ? [] : word));
  if (db.dialect.choosesTrigramIndex) {
    const common = await commonTrigrams(db, { accountId, column });
    const isCommon = (word: string) =>
      isLong(word)
        ? splitTrigrams(word).every((one) => common.has(one))
        : [...common].some((one) => one.includes(word));
    // Of words that are all common, a page in order soon has enough: the index has too many entries of each.
    return found(db, condition, words.every(isCommon) ? null : await few(db, accountId, condition), false);
  }
  let ids = unnamed.length > 0 ? await candidates(db, { accountId, column }, unnamed) : null;
  for (const { word, named } of long)
    if (ids === null && named.length > 0) ids = await candidates(db, { accountId, column }, [word], named);
  return found(db, condition, ids, false);
}

/** Number of an account's texts that are examined, and of characters of each. */
const SAMPLE_SIZE = 64;
const SAMPLED_LENGTH = 300;
/** The minimum number of sampled texts that contain a common trigram. */
const COMMON_FROM = 2;
/** Number of rare trigrams that are enough. */
const ENOUGH_RARE = 3;

/** A column of an account's links. */
type Sampled = Omit<LinkSearch, 'text'>;

function splitTrigrams(text: string): string[] {
  const characters = [...text];
  return characters.slice(2).map((_, index) => characters.slice(index, index + 3).join(''));
}

async function readSample(db: Data, { accountId, column }: Sampled): Promise<ReadonlySet<string>> {
  const own = sql`FROM "Link" WHERE "accountId" = ${accountId}`;
  const parts = db.dialect.table(
    { part: 'bigint' },
    Array.from({ length: SAMPLE_SIZE }, (_, index) => [index]),
  );
  const rows = await db.read<{
    text: string | null;
  }>(sql`WITH "ends" AS (SELECT (SELECT MIN("id") ${own}) AS "first", (SELECT MAX("id") ${own}) AS "last")
      SELECT (SELECT substr(${searched[column]}, 1, ${SAMPLED_LENGTH}) ${own} AND "id" >= "first" + ("last" - "first") * "part" / ${SAMPLE_SIZE}
        ORDER BY "id" LIMIT 1) AS "text" FROM "ends", ${parts} AS "parts"`);
  const counts = new Map<string, number>();
  for (const { text } of rows)
    for (const one of new Set(splitTrigrams(text ?? ''))) counts.set(one, (counts.get(one) ?? 0) + 1);
  return new Set([...counts].flatMap(([one, count]) => (count >= COMMON_FROM ? one : [])));
}

/** Trigrams that, by a sample, many of the account's links have in the column. */
async function commonTrigrams(db: Data, searched: Sampled): Promise<ReadonlySet<string>> {
  const { commonTrigrams: known } = db.database;
  const key = nameFor('trigrams', searched.accountId, searched.column);
  const common = known.get(key) ?? (await readSample(db, searched));
  known.set(key, common);
  return common;
}

/** Those of the text that only few links have: up to three, far apart. */
export async function rareTrigrams(db: Data, searched: Sampled, text: string): Promise<string[]> {
  const common = await commonTrigrams(db, searched);
  const rare = splitTrigrams(text).filter((one) => !common.has(one));
  if (rare.length <= ENOUGH_RARE) return rare;
  return [0, Math.floor(rare.length / 2), rare.length - 1].map((index) => rare[index] ?? '');
}
