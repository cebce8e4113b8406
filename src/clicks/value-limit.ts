import type { Day } from '../db/statistics/calendar.ts';
import { kinds, OTHER_REFERRER, OTHER_VARIANT, type Value, variantText } from '../db/statistics/value.ts';
import { readStoredRules } from '../domain/rule/parse.ts';
import type { Statements } from '../engine/db/database.ts';
import { sql } from '../engine/db/sql.ts';
import type { Link } from '../generated/sqlite/client.ts';
import { type DayOfLink, listDays, type Visits } from './visit-counts.ts';

/** Maximum number of referrers of a link per day, and of targets that its rules no longer have; the rest count as one. */
const MAX_VALUES = 200;

/** The values of a link's day, with their clicks. */
export type ListValues = (linkId: number, day: Day, counted: DayOfLink) => ReadonlyMap<Value, number>;

/** The kinds of values that are limited, each with the value for those beyond the limit. */
const limited = new Map<number, Value>([
  [kinds.REFERRER, OTHER_REFERRER],
  [kinds.VARIANT, OTHER_VARIANT],
]);

/** The targets that the rules of these links have now, as values of VARIANT name them. */
async function presentVariants(tx: Statements, ids: readonly number[]): Promise<ReadonlySet<string>> {
  const present = new Set<string>();
  if (ids.length === 0) return present;
  const rows = await tx.read<Pick<Link, 'id' | 'rules'>>(
    sql`SELECT "id", "rules" FROM "Link" WHERE ${tx.dialect.isIn(sql`"id"`, 'integer', ids)}`,
  );
  for (const { id, rules } of rows)
    for (const rule of readStoredRules(rules).rules)
      for (const target of rule.to) present.add(variantText(id, rule.id, target.id));
  return present;
}

/**
 * The values of visits, with `other` instead of referrers and former targets beyond the limit of a link's day. The caller has
 * locked the links, so this is exact over all processes.
 */
export async function limitValues(tx: Statements, visits: Visits): Promise<ListValues> {
  const days = [...listDays(visits)].flatMap(([id, day, { values }]) => {
    const found = new Set([...values.keys()].map(({ kind }) => kind).filter((kind) => limited.has(kind)));
    return [...found].map((kind) => [id, day, kind] as const);
  });
  if (days.length === 0) return (_linkId, _day, { values }) => values;
  const withVariants = new Set(days.flatMap(([id, , kind]) => (kind === kinds.VARIANT ? id : [])));
  const present = await presentVariants(tx, [...withVariants]);
  const rows = await tx.read<{
    linkId: number;
    day: Day;
    kind: number;
    hash: string;
    variant: string | null;
  }>(sql`
    SELECT "counted"."linkId", "counted"."day", "counted"."kind", "VisitValue"."hash", "VisitValue"."variant"
    FROM ${tx.dialect.table({ id: 'integer', of: 'integer', kind: 'integer' }, days)} AS "given"
    JOIN "LinkDayValue" AS "counted"
      ON "counted"."linkId" = "given"."id" AND "counted"."kind" = "given"."kind" AND "counted"."day" = "given"."of"
    JOIN "VisitValue" ON "VisitValue"."id" = "counted"."valueId"`);
  const known = new Map<string, Set<string>>();
  for (const { linkId, day, kind, hash, variant } of rows) {
    if (hash === limited.get(kind)?.hash || (variant !== null && present.has(variant))) continue;
    const key = `${linkId} ${day} ${kind}`;
    known.set(key, (known.get(key) ?? new Set()).add(hash));
  }
  return (linkId, day, { values }) =>
    limitDay(values, present, (kind) => known.get(`${linkId} ${day} ${kind}`));
}

/** The values of a day within the limit. @param knownOf the hashes of limited values that the day has already */
function limitDay(
  values: DayOfLink['values'],
  present: ReadonlySet<string>,
  knownOf: (kind: number) => Set<string> | undefined,
): ReadonlyMap<Value, number> {
  const all = [...limited.keys()].map((kind) => [kind, knownOf(kind) ?? new Set<string>()] as const);
  if (all.every(([, { size }]) => size + values.size <= MAX_VALUES)) return values;
  const kept = new Map(all);
  const counted = new Map<Value, number>();
  for (const [value, count] of values) {
    const other = limited.get(value.kind);
    const hashes = kept.get(value.kind);
    const isFree = present.has(value.columns.variant ?? '') || value.hash === other?.hash;
    if (!isFree && hashes !== undefined && hashes.size < MAX_VALUES) hashes.add(value.hash);
    const isKept = isFree || hashes === undefined || hashes.has(value.hash);
    const shown = isKept || other === undefined ? value : other;
    counted.set(shown, (counted.get(shown) ?? 0) + count);
  }
  return counted;
}
