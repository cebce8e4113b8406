import type { Data } from '../../src/db/database.ts';
import { ValueIds } from '../../src/db/statistics/value-ids.ts';
import { Salts } from '../../src/db/statistics/visitors.ts';
import { type Receipt, writeVisits } from '../../src/db/statistics/write.ts';
import { PendingVisits } from '../../src/domain/visit/pending-visits.ts';
import { OTHER_REFERRER } from '../../src/domain/visit/visitor-attributes.ts';

/** Writes clicks of links, without statistics, with a receipt. */
export async function addClicks(
  db: Data,
  clicks: ReadonlyMap<number, { count: number; last: Date }>,
  receipt: Receipt,
): Promise<void> {
  const pending = new PendingVisits();
  for (const [id, { count, last }] of clicks) for (let i = 0; i < count; i++) pending.count(id, last);
  const memory = { ids: new ValueIds(), salts: new Salts(), other: OTHER_REFERRER };
  await writeVisits(db, pending.take(Number.POSITIVE_INFINITY), receipt, memory);
}
