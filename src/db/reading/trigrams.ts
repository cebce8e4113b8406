import type { Data } from '../database.ts';
import { name, sql } from '../sql.ts';

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
