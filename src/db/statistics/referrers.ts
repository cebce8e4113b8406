import type { Transaction } from '../database.ts';
import { sql } from '../sql.ts';
import { type DayOfLink, daysOf, type Visits } from './batch.ts';
import { kinds, type Value } from './value.ts';

/** The values of a link's day, with their clicks. */
export type ValuesOf = (linkId: number, day: number, counted: DayOfLink) => ReadonlyMap<Value, number>;

/**
 * The values of visits, with `other` instead of referrers beyond the first `max` of a link's day. The caller has locked the
 * links, so this is exact over all processes.
 */
export async function limitReferrers(
  tx: Transaction,
  visits: Visits,
  max: number,
  other: Value,
): Promise<ValuesOf> {
  const isReferrer = ({ kind }: Value) => kind === kinds.REFERRER;
  const days = [...daysOf(visits)].flatMap(([id, day, { values }]) =>
    [...values.keys()].some(isReferrer) ? [[id, day]] : [],
  );
  if (days.length === 0) return (_linkId, _day, { values }) => values;
  const rows = await tx.prisma.$queryRaw<
    { linkId: number | bigint; day: number | bigint; hash: string }[]
  >(sql`
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
    kept.delete(other.hash);
    if (kept.size + values.size <= max) return values;
    const limited = new Map<Value, number>();
    for (const [value, count] of values) {
      const isHost = isReferrer(value) && value.hash !== other.hash;
      if (isHost && kept.size < max) kept.add(value.hash);
      const counted = !isHost || kept.has(value.hash) ? value : other;
      limited.set(counted, (limited.get(counted) ?? 0) + count);
    }
    return limited;
  };
}
