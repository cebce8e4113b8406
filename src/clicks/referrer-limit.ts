import type { Day } from '../db/statistics/calendar.ts';
import { kinds, OTHER_REFERRER, type Value } from '../db/statistics/value.ts';
import type { Statements } from '../engine/db/database.ts';
import { sql } from '../engine/db/sql.ts';
import { type DayOfLink, listDays, type Visits } from './visit-counts.ts';

/** Maximum number of referrers of a link per day; the rest count as one. */
const MAX_REFERRERS = 200;

/** The values of a link's day, with their clicks. */
export type ListValues = (linkId: number, day: Day, counted: DayOfLink) => ReadonlyMap<Value, number>;

/**
 * The values of visits, with `other` instead of referrers beyond the limit of a link's day. The caller has locked the
 * links, so this is exact over all processes.
 */
export async function limitReferrers(tx: Statements, visits: Visits): Promise<ListValues> {
  const isReferrer = ({ kind }: Value) => kind === kinds.REFERRER;
  const days = [...listDays(visits)].flatMap(([id, day, { values }]) =>
    [...values.keys()].some(isReferrer) ? [[id, day]] : [],
  );
  if (days.length === 0) return (_linkId, _day, { values }) => values;
  const rows = await tx.read<{ linkId: number; day: Day; hash: string }>(sql`
    SELECT "counted"."linkId", "counted"."day", "VisitValue"."hash"
    FROM ${tx.dialect.table({ id: 'integer', of: 'integer' }, days)} AS "given"
    JOIN "LinkDayValue" AS "counted"
      ON "counted"."linkId" = "given"."id" AND "counted"."kind" = ${kinds.REFERRER} AND "counted"."day" = "given"."of"
    JOIN "VisitValue" ON "VisitValue"."id" = "counted"."valueId"`);
  const known = new Map<string, Set<string>>();
  for (const { linkId, day, hash } of rows) {
    const key = `${linkId} ${day}`;
    known.set(key, (known.get(key) ?? new Set()).add(hash));
  }
  return (linkId, day, { values }) => {
    const kept = known.get(`${linkId} ${day}`) ?? new Set();
    kept.delete(OTHER_REFERRER.hash);
    if (kept.size + values.size <= MAX_REFERRERS) return values;
    const limited = new Map<Value, number>();
    for (const [value, count] of values) {
      const isHost = isReferrer(value) && value.hash !== OTHER_REFERRER.hash;
      if (isHost && kept.size < MAX_REFERRERS) kept.add(value.hash);
      const counted = !isHost || kept.has(value.hash) ? value : OTHER_REFERRER;
      limited.set(counted, (limited.get(counted) ?? 0) + count);
    }
    return limited;
  };
}
