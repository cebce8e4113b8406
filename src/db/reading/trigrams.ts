import { LRUCache } from 'lru-cache';
import type { Db } from '../connection/db.ts';
import { readRows } from '../connection/raw-reads.ts';
import { name, sql } from '../connection/sql.ts';

/** How many texts of an account are examined, and how much of each, in characters. */
const SAMPLE_SIZE = 64;
const SAMPLED_LENGTH = 100;
/** The minimum number of sampled texts that contain a common trigram. */
const COMMON_FROM = 2;
/** How many rare trigrams are enough. */
const ENOUGH_RARE = 3;
/** How many samples a process keeps, and for how long, in milliseconds: an outdated one only costs time. */
const MAX_SAMPLES = 200;
const SAMPLE_LIFETIME = 600_000;

/** A column of an account's links. */
interface Sampled {
  readonly accountId: number;
  readonly column: string;
}

type Samples = LRUCache<string, ReadonlySet<string>>;
const samples = new WeakMap<Db, Samples>();

function trigramsOf(text: string): string[] {
  const characters = [...text];
  return characters.slice(2).map((_, index) => characters.slice(index, index + 3).join(''));
}

async function sampleOf(db: Db, { accountId, column }: Sampled): Promise<ReadonlySet<string>> {
  const own = sql`FROM "Link" WHERE "accountId" = ${accountId}`;
  const parts = JSON.stringify(Array.from({ length: SAMPLE_SIZE }, (_, index) => index / SAMPLE_SIZE));
  const rows = await readRows<{ text: string | null }>(
    db,
    sql`WITH "ends" AS (SELECT (SELECT MIN("id") ${own}) AS "first", (SELECT MAX("id") ${own}) AS "last")
      SELECT (SELECT substr(${name(column)}, 1, ${SAMPLED_LENGTH}) ${own} AND "id" >= "first" + ("last" - "first") * "value"
        ORDER BY "id" LIMIT 1) AS "text" FROM "ends", json_each(${parts})`,
  );
  const counts = new Map<string, number>();
  for (const { text } of rows)
    for (const one of new Set(trigramsOf(text ?? ''))) counts.set(one, (counts.get(one) ?? 0) + 1);
  return new Set([...counts].flatMap(([one, count]) => (count >= COMMON_FROM ? one : [])));
}

/** Trigrams of the text that, by a sample, only few of the account's links have in the column: up to three, far apart. */
export async function rareTrigrams(db: Db, searched: Sampled, text: string): Promise<string[]> {
  const known: Samples = samples.get(db) ?? new LRUCache({ max: MAX_SAMPLES, ttl: SAMPLE_LIFETIME });
  samples.set(db, known);
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
