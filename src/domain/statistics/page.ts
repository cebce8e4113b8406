import type { Db } from '../../db/connection/db.ts';
import { dayOf, daysAfter } from '../../db/statistics/calendar.ts';
import { StatisticsReader } from '../../db/statistics/reader.ts';
import type { ShownLink } from '../../db/statistics/shown-link.ts';
import type { Link } from '../../generated/sqlite/client.ts';
import type { OperatorLists } from '../link/operator-lists.ts';
import { OTHER } from '../visit/facts.ts';
import type { StatisticsDimension } from './dimension.ts';
import { dayText } from './period.ts';
import { Statistics, type StatisticsPoint, type StatisticsRow, type StatisticsTop } from './statistics.ts';

/** The possible numbers of days on the page. */
export const pageLengths = [7, 30, 90, 365] as const;
export type PageLength = (typeof pageLengths)[number];

const DEFAULT_LENGTH: PageLength = 30;
/** How many values of each dimension the page shows. */
const MAX_VALUES = 10;
/** Values with fewer clicks are not shown on their own, since the page is public. */
const MIN_CLICKS = 5;

/** The requested number of days; the default for any other value. */
export function pageLength(asked: string | null): PageLength {
  return pageLengths.find((length) => String(length) === asked) ?? DEFAULT_LENGTH;
}

/** Moves values with too few clicks, referrers beyond the limit, and destinations on blocked hosts to the others. */
export function mergeHiddenValues(
  { rows, others }: StatisticsTop,
  by: StatisticsDimension,
  lists: OperatorLists,
): StatisticsTop {
  const isShown = ({ value, clicks }: StatisticsRow) =>
    clicks >= MIN_CLICKS &&
    !(by === 'REFERRER' && value === OTHER) &&
    !(by === 'DESTINATION' && value !== null && lists.blocksAddress(value));
  const folded = rows.filter((row) => !isShown(row)).reduce((sum, { clicks }) => sum + clicks, 0);
  return { rows: rows.filter(isShown), others: others + folded };
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

/** Reads the public statistics of a link. */
export async function readPublicStatistics(
  db: Db,
  lists: OperatorLists,
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
  const shown = dimensions.filter((by) => by !== 'DESTINATION' || showsDestinations(link));
  const tops = await Promise.all(
    shown.map(async (by) => ({
      by,
      top: mergeHiddenValues(await statistics.top({ by, first: MAX_VALUES }), by, lists),
    })),
  );
  const destinations = showsDestinations(link) ? null : await countDestinations(statistics);
  return { length, clicks, visitors, bots, days, tops, destinations };
}
