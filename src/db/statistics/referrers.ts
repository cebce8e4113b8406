import type { Tx } from '../connection/transaction.ts';
import { rowsAsTable } from '../many-rows.ts';
import { sql } from '../reading/list.ts';
import type { DayOfLink, Visits } from './batch.ts';
import { kinds, type Value } from './value.ts';

/** The values of a link's day, with their clicks. */
export type ValuesOf = (linkId: number, day: number, counted: DayOfLink) => ReadonlyMap<Value, number>;

/**
 * The values of visits, with `other` instead of referrers beyond the first `most` of a link's day. The caller has locked the
 * links, so this is exact over all processes.
 */
export async function referrersWithin(tx: Tx, visits: Visits, most: number, other: Value): Promise<ValuesOf> {
  const days = [...visits].flatMap(([id, link]) =>
    [...link.days].flatMap(([day, { referrers }]) => (referrers > 0 ? [[id, day]] : [])),
  );
  if (days.length === 0) return (_linkId, _day, { values }) => values;
  const rows = await tx.$queryRaw<{ linkId: number | bigint; day: number | bigint; hash: string }[]>(sql`
    SELECT "counted"."linkId", "counted"."day", "VisitValue"."hash"
    FROM ${rowsAsTable(tx, { id: 'integer', of: 'integer' }, days)} AS "given"
    JOIN "LinkDayValue" AS "counted"
      ON "counted"."linkId" = "given"."id" AND "counted"."kind" = ${kinds.REFERRER} AND "counted"."day" = "given"."of"
    JOIN "VisitValue" ON "VisitValue"."id" = "counted"."valueId"`);
  const known = new Map<string, Set<string>>();
  for (const { linkId, day, hash } of rows) {
    const key = `${linkId} ${day}`;
    known.set(key, (known.get(key) ?? new Set()).add(hash));
  }
  return (linkId, day, { values, referrers }) => {
    const before = known.get(`${linkId} ${day}`) ?? new Set();
    const taken = before.size - (before.has(other.hash) ? 1 : 0);
    if (taken + referrers <= most) return values;
    let left = most - taken;
    const within = new Map<Value, number>();
    for (const [value, count] of values) {
      const isHost = value.kind === kinds.REFERRER && value.hash !== other.hash;
      const fits = !isHost || before.has(value.hash) || left-- > 0;
      const counted = fits ? value : other;
      within.set(counted, (within.get(counted) ?? 0) + count);
    }
    return within;
  };
}
