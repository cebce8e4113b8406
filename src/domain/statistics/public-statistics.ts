import { createHmac } from 'node:crypto';
import type { Data } from '../../db/database.ts';
import { type Day, dayOf, daysAfter } from '../../db/statistics/calendar.ts';
import type { ShownLink } from '../../db/statistics/link-for-page.ts';
import { StatisticsReader } from '../../db/statistics/reader.ts';
import { OTHER } from '../../db/statistics/value.ts';
import type { Link } from '../../generated/sqlite/client.ts';
import type { OperatorLists } from '../link/blocklists.ts';
import type { StatisticsDimension } from './dimension.ts';
import { dayText } from './period.ts';
import { MAX_TOP, Statistics, type StatisticsPoint, type StatisticsTop } from './statistics.ts';

/** The possible numbers of days on the page. */
export const pageLengths = [7, 30, 90, 365] as const;
export type PageLength = (typeof pageLengths)[number];

const DEFAULT_LENGTH: PageLength = 30;
/** How many values of each dimension the page shows. */
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
export function secretStarts(secret: string, linkId: number, by: StatisticsDimension): StepStarts {
  return (value, step) => {
    const hmac = createHmac('sha256', secret).update(JSON.stringify(['statistics', linkId, by, value, step]));
    return hmac.digest().readUInt32BE() % STEP;
  };
}

/**
 * The values with the most clicks, in steps. All other clicks join the others, also referrers beyond the limit, and destinations
 * on blocked hosts. The order does not reveal exact counts.
 */
export function publicTop(
  { rows, others }: StatisticsTop,
  by: StatisticsDimension,
  lists: OperatorLists,
  startOf: StepStarts,
): StatisticsTop {
  const stepsOf = (value: string | null, clicks: number): number => {
    if (by === 'REFERRER' && value === OTHER) return 0;
    if (by === 'DESTINATION' && value !== null && lists.blocksAddress(value)) return 0;
    const step = Math.floor(clicks / STEP);
    return clicks % STEP < startOf(value, step) ? step - 1 : step;
  };
  const shown = rows
    .map(({ value, clicks }) => ({ value, clicks: STEP * Math.max(0, stepsOf(value, clicks)) }))
    .filter(({ clicks }) => clicks > 0)
    .sort((a, b) => b.clicks - a.clicks || ((a.value ?? '') < (b.value ?? '') ? -1 : 1))
    .slice(0, MAX_VALUES);
  const sumOf = (all: StatisticsTop['rows']) => all.reduce((sum, { clicks }) => sum + clicks, 0);
  return { rows: shown, others: others + sumOf(rows) - sumOf(shown) };
}

/** Whether the page shows destinations: not if the link has a password or a click limit. */
export function showsDestinations(link: Pick<Link, 'password' | 'expirationClicks'>): boolean {
  return link.password === null && link.expirationClicks === null;
}

/** The dimensions in the order of the page: neighbours have a similar number of values. */
const dimensions = ['COUNTRY', 'LANGUAGE', 'BROWSER', 'OS', 'DEVICE', 'REFERRER', 'DESTINATION'] as const;

/** The content of the page. */
export interface PublicStatistics {
  readonly length: PageLength;
  readonly clicks: number;
  readonly visitors: number;
  readonly bots: number;
  readonly days: readonly StatisticsPoint[];
  readonly tops: readonly { readonly by: StatisticsDimension; readonly top: StatisticsTop }[];
  /** The number of destinations, if they are not shown; else null. */
  readonly destinations: number | null;
}

/** How many different destinations visitors were redirected to. */
async function countDestinations(statistics: Statistics): Promise<number> {
  const order = { by: 'VALUE', descending: false } as const;
  const { total } = await statistics.values('DESTINATION', order, 0, 1);
  // The unknown value comes last, and is not counted.
  const { rows } = await statistics.values('DESTINATION', order, Math.max(0, total - 1), 1);
  return rows[0]?.value === null ? total - 1 : total;
}

/**
 * Reads the public statistics of a link. Values are those of the days before this one, so that nobody can make a visit, look at
 * the page, and repeat that until a step begins.
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
  const [{ clicks, visitors, bots }, days, { steps }] = await Promise.all([
    statistics.totals(),
    statistics.series('DAY'),
    db.prisma.accountSecret.findUniqueOrThrow({ where: { accountId: link.accountId } }),
  ]);
  const shown = dimensions.filter((by) => by !== 'DESTINATION' || showsDestinations(link));
  const tops = await Promise.all(
    shown.map(async (by) => ({
      by,
      top: publicTop(await ended.top({ by, first: MAX_TOP }), by, lists, secretStarts(steps, link.id, by)),
    })),
  );
  const destinations = showsDestinations(link) ? null : await countDestinations(ended);
  return { length, clicks, visitors, bots, days, tops, destinations };
}
