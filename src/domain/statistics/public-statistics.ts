import { createHmac } from 'node:crypto';
import type { Data } from '../../db/database.ts';
import { type Day, dayOf, daysAfter } from '../../db/statistics/calendar.ts';
import type { ShownLink } from '../../db/statistics/link-for-page.ts';
import { StatisticsReader } from '../../db/statistics/reader.ts';
import { OTHER } from '../../db/statistics/value.ts';
import type { OperatorLists } from '../link/blocklists.ts';
import { linkStatus } from '../link/status.ts';
import { listDestinations } from '../link/targeting.ts';
import type { StatisticsDimension } from './dimension.ts';
import { dayText } from './period.ts';
import { MAX_TOP, Statistics, type StatisticsPoint, type StatisticsTop } from './statistics.ts';

/** The possible numbers of days on the page. */
export const pageLengths = [7, 30, 90, 365] as const;
export type PageLength = (typeof pageLengths)[number];

const DEFAULT_LENGTH: PageLength = 30;
/** Maximum number of values of each dimension on the page. */
const MAX_VALUES = 10;
/** The clicks of a value are shown in steps of this size, since the page is public. */
const STEP = 5;

/** The requested number of days; the default for any other value. */
export function pageLength(asked: string | null): PageLength {
  return pageLengths.find((length) => String(length) === asked) ?? DEFAULT_LENGTH;
}

/**
 * By how many clicks a step of a value begins late, from 0 to below the size of a step. It is secret: anybody can make visits
 * up to a known threshold, and see whether one other visit crosses it.
 */
export type StepStarts = (value: string | null, step: number) => number;

/** The starts of a link's steps, from a secret. */
export function secretStarts(
  secret: string,
  linkId: number,
  by: StatisticsDimension | 'VISITORS',
): StepStarts {
  return (value, step) => {
    const hmac = createHmac('sha256', secret).update(JSON.stringify(['statistics', linkId, by, value, step]));
    return hmac.digest().readUInt32BE() % STEP;
  };
}

/** A count as the page shows it: rounded down to a step, which may begin late. */
export function inSteps(count: number, value: string | null, startOf: StepStarts): number {
  const step = Math.floor(count / STEP);
  return STEP * Math.max(0, count % STEP < startOf(value, step) ? step - 1 : step);
}

/**
 * The values with the most clicks, in steps. All other clicks join the others, also referrers beyond the limit. The order does
 * not reveal exact counts.
 */
export function publicTop(
  { rows, others }: StatisticsTop,
  by: StatisticsDimension,
  startOf: StepStarts,
): StatisticsTop {
  const shown = rows
    .filter(({ value }) => by !== 'REFERRER' || value !== OTHER)
    .map(({ value, clicks }) => ({ value, clicks: inSteps(clicks, value, startOf) }))
    .filter(({ clicks }) => clicks > 0)
    .sort((a, b) => b.clicks - a.clicks || ((a.value ?? '') < (b.value ?? '') ? -1 : 1))
    .slice(0, MAX_VALUES);
  const sumClicks = (all: StatisticsTop['rows']) => all.reduce((sum, { clicks }) => sum + clicks, 0);
  return { rows: shown, others: others + sumClicks(rows) - sumClicks(shown) };
}

/** The destinations that the page shows: those to which the link leads everybody now, without a password or a click limit. */
export function shownDestinations(link: ShownLink, lists: OperatorLists, now: Date): string[] {
  const isOpen = link.password === null && link.expirationClicks === null;
  // Clicks matter only to a link with a limit.
  const isActive = linkStatus({ ...link, clicks: 0 }, () => now) === 'ACTIVE' && !lists.blocks(link);
  return isOpen && isActive ? listDestinations(link, now) : [];
}

/** The dimensions in the order of the page: neighbours have a similar number of values. */
const dimensions = ['COUNTRY', 'LANGUAGE', 'BROWSER', 'OS', 'DEVICE', 'REFERRER', 'DESTINATION'] as const;

/** A dimension that strangers may see: the names of rules and targets are its owner's. */
export type PublicDimension = (typeof dimensions)[number];

/** The content of the page. */
export interface PublicStatistics {
  readonly length: PageLength;
  readonly clicks: number;
  /** Those before the running day, of which the values are parts. */
  readonly endedClicks: number;
  /** In steps, like those of each day. */
  readonly visitors: number;
  readonly bots: number;
  /** Visitors of the running day are null. */
  readonly days: readonly StatisticsPoint[];
  /** A destination without a value is all former ones. */
  readonly tops: readonly { readonly by: PublicDimension; readonly top: StatisticsTop }[];
}

/**
 * Reads the public statistics of a link. Values and visitors are those of the days before this one, so that nobody can make a
 * visit, look at the page, and repeat that until a step begins.
 */
export async function readPublicStatistics(
  db: Data,
  lists: OperatorLists,
  link: ShownLink,
  length: PageLength,
  now: Date,
): Promise<PublicStatistics> {
  const reader = new StatisticsReader(db);
  const until = (to: Day) => {
    const period = { from: dayText(daysAfter(dayOf(now), 1 - length)), to: dayText(to) };
    return new Statistics(reader, 'link', link.id, period, now);
  };
  const [statistics, ended] = [until(dayOf(now)), until(daysAfter(dayOf(now), -1))];
  const [{ clicks, bots }, before, days, { steps }] = await Promise.all([
    statistics.totals(),
    ended.totals(),
    statistics.series('DAY'),
    db.prisma.accountSecret.findUniqueOrThrow({ where: { accountId: link.accountId } }),
  ]);
  const visitorsIn = (count: number | null, day: string | null) =>
    inSteps(count ?? 0, day, secretStarts(steps, link.id, 'VISITORS'));
  const destinations = shownDestinations(link, lists, now);
  const readTop = async (by: StatisticsDimension): Promise<StatisticsTop> => {
    // The page has the sum of clicks anyway.
    if (by === 'DESTINATION' && destinations.length === 0)
      return { rows: before.clicks > 0 ? [{ value: null, clicks: before.clicks }] : [], others: 0 };
    const top =
      by === 'DESTINATION'
        ? { rows: await ended.clicksTo(destinations), others: 0 }
        : await ended.top({ by, first: MAX_TOP });
    return publicTop(top, by, secretStarts(steps, link.id, by));
  };
  return {
    length,
    clicks,
    endedClicks: before.clicks,
    visitors: visitorsIn(before.visitors, null),
    bots,
    days: days.map((day, index) => ({
      ...day,
      visitors: index === days.length - 1 ? null : visitorsIn(day.visitors, String(day.time)),
    })),
    tops: await Promise.all(dimensions.map(async (by) => ({ by, top: await readTop(by) }))),
  };
}
