import type { Db } from '../../db/connection/client.ts';
import { dayOf, daysAfter } from '../../db/statistics/calendar.ts';
import { StatisticsReader } from '../../db/statistics/reader.ts';
import type { ShownLink } from '../../db/statistics/shown-link.ts';
import type { Link } from '../../generated/sqlite/client.ts';
import type { StatisticsDimension } from './dimension.ts';
import { dayText } from './period.ts';
import { Statistics, type StatisticsPoint, type StatisticsRow, type StatisticsTop } from './statistics.ts';

/** How many days the page may show. */
export const pageLengths = [7, 30, 90, 365] as const;
export type PageLength = (typeof pageLengths)[number];

const DEFAULT_LENGTH: PageLength = 30;
/** How many values of each dimension it shows. */
const ROWS = 10;
/** Fewer clicks than these are not shown under a value of their own: who looks is a stranger. */
const FEWEST = 5;

/** How many days are asked for; what is not offered counts as the default. */
export function pageLength(asked: string | null): PageLength {
  return pageLengths.find((length) => String(length) === asked) ?? DEFAULT_LENGTH;
}

/** Values with too few clicks, as part of the others; so is what the list of referrers had no place for. */
export function withoutFew({ rows, others }: StatisticsTop, by: StatisticsDimension): StatisticsTop {
  const isShown = ({ value, clicks }: StatisticsRow) =>
    clicks >= FEWEST && !(by === 'REFERRER' && value === 'other');
  const folded = rows.filter((row) => !isShown(row)).reduce((sum, { clicks }) => sum + clicks, 0);
  return { rows: rows.filter(isShown), others: others + folded };
}

/** Whether the page says where the link leads: not where a visitor would have to know a password, or to come in time. */
export function showsDestinations({
  password,
  expirationClicks,
}: Pick<Link, 'password' | 'expirationClicks'>): boolean {
  return password === null && expirationClicks === null;
}

/** The dimensions in the order in which the page shows them: those side by side have about as many values. */
const shownDimensions: readonly StatisticsDimension[] = [
  ...(['COUNTRY', 'LANGUAGE', 'BROWSER', 'OS', 'DEVICE', 'REFERRER', 'DESTINATION'] as const),
];

/** What the page shows of a link. */
export interface PublicStatistics {
  readonly length: PageLength;
  readonly clicks: number;
  readonly visitors: number;
  readonly bots: number;
  readonly days: readonly StatisticsPoint[];
  readonly tops: readonly { readonly by: StatisticsDimension; readonly top: StatisticsTop }[];
  /** How many destinations there are, where it is not shown which. */
  readonly destinations: number | null;
}

/** How many different destinations visitors were led to. */
async function countDestinations(statistics: Statistics): Promise<number> {
  const order = { by: 'VALUE', descending: false } as const;
  const { total } = await statistics.values('DESTINATION', order, 0, 1);
  // What is not known comes last, and is none.
  const { rows } = await statistics.values('DESTINATION', order, Math.max(0, total - 1), 1);
  return rows[0]?.value === null ? total - 1 : total;
}

/** Reads what others may see of a link's statistics. */
export async function readPublicStatistics(
  db: Db,
  link: ShownLink,
  length: PageLength,
  now: Date,
): Promise<PublicStatistics> {
  const period = { from: dayText(daysAfter(dayOf(now), 1 - length)), to: dayText(dayOf(now)) };
  const statistics = new Statistics(new StatisticsReader(db), 'link', link.id, period, now);
  const [{ clicks, visitors, bots }, days] = await Promise.all([
    statistics.totals(),
    statistics.series('DAY'),
  ]);
  const shown = shownDimensions.filter((by) => by !== 'DESTINATION' || showsDestinations(link));
  const tops = await Promise.all(
    shown.map(async (by) => ({ by, top: withoutFew(await statistics.top({ by, first: ROWS }), by) })),
  );
  const destinations = showsDestinations(link) ? null : await countDestinations(statistics);
  return { length, clicks, visitors, bots, days, tops, destinations };
}
