import type { Scope } from '../db/statistics/read.ts';
import {
  statisticsDimensions,
  statisticsIntervals,
  statisticsLists,
} from '../domain/statistics/dimension.ts';
import { dayText, requestedLength } from '../domain/statistics/period.ts';
import { resetStatistics } from '../domain/statistics/reset.ts';
import { MAX_ROWS, pageOfStatistics, statisticsOrderFields } from '../domain/statistics/rows.ts';
import {
  MAX_DAYS_OF_HOURS,
  MAX_TOP,
  Statistics,
  type StatisticsPoint,
  type StatisticsRow,
  type StatisticsTop,
  shownCount,
} from '../domain/statistics/statistics.ts';
import { builder } from './builder.ts';
import { describedValues } from './described-values.ts';
import { NotFoundError } from './error.ts';
import { Link } from './link/link.ts';
import { Direction, pageOf } from './list.ts';
import { asResult, resultType } from './result.ts';
import { selectFor } from './select.ts';
import { type ArgumentValues, changeCost, costs, countOf } from './server/cost.ts';
import { Space } from './space.ts';
import { Account } from './viewer.ts';

const Interval = builder.enumType('StatisticsInterval', {
  description: 'The intervals of a series.',
  values: describedValues(statisticsIntervals),
});

const Dimension = builder.enumType('StatisticsDimension', {
  description: 'The dimensions that clicks are counted by.',
  values: describedValues(statisticsDimensions),
});

const List = builder.enumType('StatisticsList', {
  description: 'The lists that can be paginated.',
  values: describedValues(statisticsLists),
});

const visitorsOf = 'Over several days, this is the sum of the days.';

const Point = builder.objectRef<StatisticsPoint>('StatisticsPoint').implement({
  description: 'The visits of one hour, day or month.',
  fields: (t) => ({
    start: t.expose('start', { type: 'DateTime', description: 'The beginning of the interval.' }),
    clicks: t.int({
      description: 'The number of counted visits.',
      resolve: ({ clicks }) => shownCount(clicks),
    }),
    visitors: t.int({
      nullable: true,
      description: `The number of unique visitors; null for hours. ${visitorsOf}`,
      resolve: ({ visitors }) => (visitors === null ? null : shownCount(visitors)),
    }),
    bots: t.int({
      description: 'The number of visits by programs, which are not counted as clicks.',
      resolve: ({ bots }) => shownCount(bots),
    }),
  }),
});

const Row = builder.objectRef<StatisticsRow>('StatisticsRow').implement({
  description: 'The clicks with one value.',
  fields: (t) => ({
    value: t.exposeString('value', { nullable: true, description: 'The value; null if it is unknown.' }),
    clicks: t.int({ description: 'The number of clicks.', resolve: ({ clicks }) => shownCount(clicks) }),
  }),
});

const Top = builder.objectRef<StatisticsTop>('StatisticsTop').implement({
  description: 'The values with the most clicks.',
  fields: (t) => ({
    rows: t.field({
      type: [Row],
      description: 'The values, the most clicks first; ties are broken by the value.',
      extensions: costs({ size: (_args, { rows }) => Number(rows) }),
      resolve: ({ rows }) => rows,
    }),
    others: t.int({
      description: 'The clicks with all other values.',
      resolve: ({ others }) => shownCount(others),
    }),
  }),
});

const RowPage = pageOf('StatisticsRow', 'rows', Row);

const RowOrderField = builder.enumType('StatisticsRowOrderField', {
  description: 'The fields by which rows can be ordered.',
  values: describedValues(statisticsOrderFields),
});

const RowOrder = builder.inputType('StatisticsRowOrder', {
  description: 'The order of rows.',
  fields: (t) => ({
    field: t.field({
      type: RowOrderField,
      required: true,
      defaultValue: 'CLICKS',
      description: 'The field to order by.',
    }),
    direction: t.field({
      type: Direction,
      required: true,
      defaultValue: 'DESC',
      description: 'The direction.',
    }),
  }),
});

/** The cost of reading the statistics of an owner; it doubles for a year. */
const READ_COSTS: Record<Scope, number> = { link: 10, space: 500, account: 50 };
const YEAR_DAYS = 365;
/** How many rows are shown by default. */
const DEFAULT_ROWS = 10;

/** The cost of reading a period. */
const readWork = (_args: ArgumentValues, { scope, days }: ArgumentValues): number =>
  READ_COSTS[scope as Scope] * (1 + Number(days) / YEAR_DAYS); // The values of `passesDown` below.

function bucketsOf({ interval }: ArgumentValues, { days }: ArgumentValues): number {
  const length = Number(days);
  // More days of hours are refused.
  if (interval === 'HOUR') return 24 * Math.min(length, MAX_DAYS_OF_HOURS);
  return interval === 'MONTH' ? Math.ceil(length / 28) + 1 : length;
}

/** How many days or hours of a list cost 1: all of them are made and sorted for each page. */
const TIMES_PER_COST = 2;

/** The number of days or hours that a list is made of. */
function listedTimes({ of }: ArgumentValues, inherited: ArgumentValues): number {
  if (of === 'HOURS') return bucketsOf({ interval: 'HOUR' }, inherited);
  return of === 'DAYS' ? bucketsOf({ interval: 'DAY' }, inherited) : 0;
}

const StatisticsType = builder.objectRef<Statistics>('Statistics').implement({
  description: 'The visits of a link, or of the links of a space or an account, on some days (UTC).',
  fields: (t) => ({
    from: t.field({ type: 'Date', description: 'The first day.', resolve: ({ days }) => dayText(days.from) }),
    to: t.field({ type: 'Date', description: 'The last day.', resolve: ({ days }) => dayText(days.to) }),
    clicks: t.int({
      description: 'The number of counted visits.',
      extensions: costs({ work: readWork }),
      resolve: async (statistics) => shownCount((await statistics.totals()).clicks),
    }),
    visitors: t.int({
      description: `The number of unique visitors, for each link and day. ${visitorsOf}`,
      extensions: costs({ work: readWork }),
      resolve: async (statistics) => shownCount((await statistics.totals()).visitors),
    }),
    bots: t.int({
      description:
        'The number of visits by programs, link previews and prefetches, which are not counted as clicks.',
      extensions: costs({ work: readWork }),
      resolve: async (statistics) => shownCount((await statistics.totals()).bots),
    }),
    series: t.field({
      type: [Point],
      description: 'Every interval of the period, in order, including those without visits.',
      extensions: costs({ size: bucketsOf, work: readWork }),
      args: {
        interval: t.arg({
          type: Interval,
          required: true,
          defaultValue: 'DAY',
          description: 'The interval.',
        }),
      },
      resolve: (statistics, { interval }) => statistics.series(interval),
    }),
    top: t.field({
      type: Top,
      description:
        'The values with the most clicks. Visitors who decline tracking count by destination only.',
      extensions: costs({
        work: (args, inherited) => 3 * readWork(args, inherited),
        passesDown: ({ first }) => ({ rows: countOf(first, MAX_TOP) ?? DEFAULT_ROWS }),
      }),
      args: {
        by: t.arg({ type: Dimension, required: true, description: 'The dimension.' }),
        first: t.arg.int({
          required: true,
          defaultValue: DEFAULT_ROWS,
          description: `The number of values: 0 to ${MAX_TOP}.`,
        }),
      },
      resolve: (statistics, args) => statistics.top(args),
    }),
    rowPage: t.field({
      type: RowPage,
      description: 'All days, hours or values with their clicks, paginated by page number.',
      extensions: costs({
        size: ({ perPage }) => countOf(perPage, MAX_ROWS) ?? DEFAULT_ROWS,
        work: (args, inherited) =>
          3 * readWork(args, inherited) + listedTimes(args, inherited) / TIMES_PER_COST,
      }),
      args: {
        of: t.arg({ type: List, required: true, defaultValue: 'DAYS', description: 'The list.' }),
        orderBy: t.arg({ type: RowOrder, description: 'The order; the most clicks first by default.' }),
        page: t.arg.int({
          defaultValue: 1,
          description: 'The page number, from 1. Pages after the last one are empty.',
        }),
        perPage: t.arg.int({ defaultValue: DEFAULT_ROWS, description: `The page size: 1 to ${MAX_ROWS}.` }),
      },
      resolve: (statistics, args) => pageOfStatistics(statistics, args),
    }),
  }),
});

const periodArgs = builder.args((t) => ({
  from: t.field({
    type: 'Date',
    description: 'The first day; by default 29 days before the last one.',
  }),
  to: t.field({
    type: 'Date',
    description: 'The last day; today by default. At most ten years after the first one.',
  }),
}));

/** Tells the fields of statistics, for their cost, the kind of owner and the number of days. */
const tellsOf = (scope: Scope) =>
  costs({ passesDown: ({ from, to }) => ({ scope, days: requestedLength(from, to) }) });

builder.objectField(Link, 'statistics', (t) =>
  t.field({
    type: StatisticsType,
    description: 'The statistics of the link. Its owner can read them whatever its privacy is.',
    extensions: tellsOf('link'),
    args: periodArgs,
    resolve: ({ id }, period, { lists, now }) => new Statistics(lists.statistics, 'link', id, period, now()),
  }),
);

builder.objectField(Space, 'statistics', (t) =>
  t.field({
    type: StatisticsType,
    description: 'The statistics of the links that are in the space now.',
    extensions: tellsOf('space'),
    args: periodArgs,
    resolve: ({ id }, period, { lists, now }) => new Statistics(lists.statistics, 'space', id, period, now()),
  }),
);

builder.prismaObjectField(Account, 'statistics', (t) =>
  t.field({
    type: StatisticsType,
    description: 'The statistics of all links of the account.',
    extensions: tellsOf('account'),
    args: periodArgs,
    resolve: ({ id }, period, { lists, now }) =>
      new Statistics(lists.statistics, 'account', id, period, now()),
  }),
);

const ResetResult = builder.unionType('ResetStatisticsResult', {
  description: 'The link, or an error.',
  types: [Link, NotFoundError],
  resolveType: resultType('Link'),
});

builder.mutationField('resetStatistics', (t) =>
  t.field({
    type: ResetResult,
    description:
      'Deletes the statistics of a link; its clicks remain. If there were any, the history of the link has it as a change of `statistics`.',
    extensions: changeCost,
    args: { linkId: t.arg.id({ required: true, description: 'The id of the link.' }) },
    resolve: (_root, { linkId }, context, info) => {
      const { db, actor, now } = context;
      return asResult(resetStatistics(db, actor, linkId, now(), selectFor(context, info, 'Link')));
    },
  }),
);
