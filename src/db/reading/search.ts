import { join, name, raw, type Sql, sql } from '../../engine/db/sql.ts';
import { beginsWith } from '../../engine/lists/conditions.ts';
import type { Data } from '../database.ts';
import { lacksPlainKey } from '../plain-keys.ts';
import { postgresqlSearch } from './search-postgresql.ts';
import { sqliteSearch } from './search-sqlite.ts';
import { type ExternalIdSearch, isLong, type LinkSearch, type TextIndex } from './search-text.ts';

/**
 * The condition of a search; `isSelective` if the index found few candidates, `indexed` if all hits can be counted by an index:
 * not anywhere, and not for short texts.
 */
export interface SearchCondition {
  readonly condition: Sql;
  readonly isSelective: boolean;
  readonly indexed: boolean;
}

function indexIn({ dialect }: Data): TextIndex {
  return dialect.choosesTrigramIndex ? postgresqlSearch : sqliteSearch;
}

/** Makes the result of a condition, and of the candidates for it: null if they were not looked up, or are many. */
function resultFor(
  db: Data,
  condition: Sql,
  ids: readonly number[] | null,
  indexed: boolean,
): SearchCondition {
  if (ids === null) return { condition, isSelective: false, indexed };
  if (ids.length === 0) return { condition: sql`1 = 0`, isSelective: true, indexed };
  // One parameter, since the number of parameters is limited.
  const among = db.dialect.isIn(sql`"id"`, 'integer', ids);
  const isSelective = ids.length <= indexIn(db).maxSelective;
  return { condition: sql`${among} AND ${condition}`, isSelective, indexed };
}

/**
 * Makes the condition for the account's links that a search finds. `search-sqlite.ts` and `search-postgresql.ts` look up
 * candidates where that is cheaper, by the trigrams of `trigrams.ts`. Null for a search anywhere while some link, space or tag
 * of the account has no plain key yet.
 */
export async function makeSearchCondition(
  db: Data,
  search: LinkSearch | ExternalIdSearch,
): Promise<SearchCondition | null> {
  if (search.column === 'externalId') return searchExternalIds(db, search);
  if (search.column === 'anywhere') return searchAnywhere(db, search.accountId, search.text.split(' '));
  const index = indexIn(db);
  const condition = index.contains(db, search.column, search.text);
  if (!isLong(search.text)) return resultFor(db, condition, null, false);
  return resultFor(db, condition, await index.findCandidates(db, search), true);
}

/** A planner cannot tell how many external ids begin with a text, and might read all of the account's links for a page of them. */
async function searchExternalIds(db: Data, { accountId, text }: ExternalIdSearch): Promise<SearchCondition> {
  const condition = beginsWith('externalId', text);
  const most = indexIn(db).maxSelective;
  const found = await db.read<{ id: number }>(
    sql`SELECT "id" FROM "Link" WHERE "accountId" = ${accountId} AND ${condition} LIMIT ${most + 1}`,
  );
  const ids = found.length > most ? null : found.map(({ id }) => id);
  return resultFor(db, condition, ids, true);
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

/** Finds, for each word, the conditions for links of the account that belong to a record whose name contains it; null as above. */
async function findNamed(
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
      const records = rows.filter((row) => row.table === table);
      if (records.length > MAX_NAMED)
        return links(sql`SELECT "id" FROM ${name(table)} WHERE ${own} AND ${has(word)}`);
      const ids = records.filter(({ key }) => key.includes(word)).map(({ id }) => id);
      return ids.length > 0 ? links(join(ids)) : [];
    }),
  );
}

/** Searches for links that have each of the words in one of their texts or in a name. */
async function searchAnywhere(
  db: Data,
  accountId: number,
  texts: readonly string[],
): Promise<SearchCondition | null> {
  const named = await findNamed(db, accountId, texts);
  if (named === null) return null;
  const index = indexIn(db);
  const words = texts.map((word, place) => ({ word, named: named[place] ?? [] }));
  const conditions = words.map(({ word, named }) => {
    const condition = index.contains(db, 'anywhere', word);
    return named.length > 0 ? sql`(${join([sql`(${condition})`, ...named], ' OR ')})` : condition;
  });
  const condition = join(conditions, ' AND ');
  const ids = await index.findCandidatesAnywhere(db, accountId, words, condition);
  return resultFor(db, condition, ids, false);
}
