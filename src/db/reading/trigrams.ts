import { sql } from '../../engine/db/sql.ts';
import { nameFor } from '../../engine/tools/name-for.ts';
import type { Data } from '../database.ts';
import { type SearchedColumn, searchedTexts } from './search-text.ts';

/** Number of an account's texts that are examined, and of characters of each. */
const SAMPLE_SIZE = 64;
const SAMPLED_LENGTH = 300;
/** The minimum number of sampled texts that contain a common trigram. */
const COMMON_FROM = 2;
/** Number of rare trigrams that are enough. */
const ENOUGH_RARE = 3;

/** Splits a text into its trigrams: all parts of three characters, which overlap. */
export function splitTrigrams(text: string): string[] {
  const characters = [...text];
  return characters.slice(2).map((_, index) => characters.slice(index, index + 3).join(''));
}

/** Finds the trigrams that several texts of a sample contain, which is spread evenly over the account's links. */
async function sampleTrigrams(db: Data, { accountId, column }: SearchedColumn): Promise<ReadonlySet<string>> {
  const own = sql`FROM "Link" WHERE "accountId" = ${accountId}`;
  const parts = db.dialect.table(
    { part: 'bigint' },
    Array.from({ length: SAMPLE_SIZE }, (_, index) => [index]),
  );
  const rows = await db.read<{
    text: string | null;
  }>(sql`WITH "ends" AS (SELECT (SELECT MIN("id") ${own}) AS "first", (SELECT MAX("id") ${own}) AS "last")
      SELECT (SELECT substr(${searchedTexts[column]}, 1, ${SAMPLED_LENGTH}) ${own} AND "id" >= "first" + ("last" - "first") * "part" / ${SAMPLE_SIZE}
        ORDER BY "id" LIMIT 1) AS "text" FROM "ends", ${parts} AS "parts"`);
  const counts = new Map<string, number>();
  for (const { text } of rows)
    for (const one of new Set(splitTrigrams(text ?? ''))) counts.set(one, (counts.get(one) ?? 0) + 1);
  return new Set([...counts].flatMap(([one, count]) => (count >= COMMON_FROM ? one : [])));
}

/** Finds the trigrams that, by a sample, many of the account's links have in the column. The sample is kept for a while. */
export async function findCommonTrigrams(db: Data, searched: SearchedColumn): Promise<ReadonlySet<string>> {
  const { commonTrigrams: known } = db.database;
  const key = nameFor('trigrams', searched.accountId, searched.column);
  const common = known.get(key) ?? (await sampleTrigrams(db, searched));
  known.set(key, common);
  return common;
}

/** Finds the trigrams of the text that only few links have: up to three, far apart. */
export async function findRareTrigrams(db: Data, searched: SearchedColumn, text: string): Promise<string[]> {
  const common = await findCommonTrigrams(db, searched);
  const rare = splitTrigrams(text).filter((one) => !common.has(one));
  if (rare.length <= ENOUGH_RARE) return rare;
  return [0, Math.floor(rare.length / 2), rare.length - 1].map((index) => rare[index] ?? '');
}
