import { PendingVisits, type Visit } from '../../src/clicks/pending-visits.ts';
import { type Receipt, VisitWriter } from '../../src/clicks/visit-writer.ts';
import type { Data } from '../../src/db/database.ts';
import { VISITOR } from './visit.ts';

/** A click on a link without a known destination, address and referrer. */
export function clickOn(id: number, at: Date): Visit {
  const unknown = { address: '', referrer: '', destination: null, alreadyCounted: null };
  return { link: { id }, at, visitor: VISITOR, ...unknown };
}

/** Writes clicks of links, without values and visitors, with a receipt. */
export async function addClicks(
  db: Data,
  clicks: ReadonlyMap<number, { count: number; last: Date }>,
  receipt: Receipt,
): Promise<void> {
  const pending = new PendingVisits(false);
  for (const [id, { count, last }] of clicks) for (let i = 0; i < count; i++) pending.add(clickOn(id, last));
  await new VisitWriter(db).write(pending.take(Number.POSITIVE_INFINITY), receipt);
}
