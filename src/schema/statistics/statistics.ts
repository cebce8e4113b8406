import type { Scope } from '../../db/statistics/scope.ts';
import { shownCount, shownCountLimit } from '../../domain/input.ts';
import { resetStatistics } from '../../domain/link/link.ts';
import { MAX_ROWS, pageOfStatistics } from '../../domain/statistics/pages.ts';
import { dayText, lengthOfPeriod, type PeriodInput } from '../../domain/statistics/period.ts';
import { MAX_TOP, Statistics } from '../../domain/statistics/statistics.ts';
import type { Context } from '../../graphql/context.ts';
import { builder } from '../builder.ts';
import { changeCost, costs, countOf } from '../cost/field-cost.ts';
import { bucketsOf, DEFAULT_ROWS, listWork, readWork } from '../cost/statistics-cost.ts';
import { NotFoundError } from '../error.ts';
import { Link } from '../link/link.ts';
import { asResult, resultOf } from '../result.ts';
import { selectFor } from '../select.ts';
import { Space } from '../space.ts';
import { Account } from '../viewer.ts';
import { Dimension, Interval, List, Point, RowOrder, RowPage, Top, visitorsOf } from './rows.ts';

const StatisticsType = builder.objectRef<Statistics>('Statistics').implement({
  description: 'The visits of a link, or of the links of a space or an account, on some days (UTC).',
  fields: (t) => ({
    from: t.field({ type: 'Date', description: 'The first day.', resolve: ({ days }) => dayText(days.from) }),
    to: t.field({ type: 'Date', description: 'The last day.', resolve: ({ days }) => dayText(days.to) }),
    clicks: t.int({
      description: `The number of counted visits. ${shownCountLimit}`,
      extensions: costs({ work: readWork }),
      resolve: async (statistics) => shownCount((await statistics.totals()).clicks),
    }),
    visitors: t.int({
      description: `The number of unique visitors, for each link and day. ${visitorsOf} ${shownCountLimit}`,
      extensions: costs({ work: readWork }),
      resolve: async (statistics) => shownCount((await statistics.totals()).visitors),
    }),
    bots: t.int({
      description: `The number of visits by programs, link previews and prefetches, which are not counted as clicks. ${shownCountLimit}`,
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
        work: (args, fromParent) => 3 * readWork(args, fromParent),
        toChildren: ({ first }) => ({ rows: countOf(first, MAX_TOP) ?? DEFAULT_ROWS }),
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
        work: (args, fromParent) => 3 * readWork(args, fromParent) + listWork(args, fromParent),
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

/** The field with the statistics of an owner of links. The costs of the fields below depend on the owner and the period. */
const statisticsOf = (scope: Scope, description: string) => ({
  type: StatisticsType,
  description: `${description} A wrong period is an error that makes the parent null.`,
  extensions: costs({ toChildren: ({ from, to }) => ({ scope, days: lengthOfPeriod(from, to) }) }),
  args: periodArgs,
  resolve: ({ id }: { id: number }, period: PeriodInput, { lists, now }: Context) =>
    new Statistics(lists.statistics, scope, id, period, now()),
});

builder.objectField(Link, 'statistics', (t) =>
  t.field(
    statisticsOf('link', 'The statistics of the link. Its owner can read them whatever its privacy is.'),
  ),
);
builder.objectField(Space, 'statistics', (t) =>
  t.field(statisticsOf('space', 'The statistics of the links that are in the space now.')),
);
builder.objectField(Account, 'statistics', (t) =>
  t.field(statisticsOf('account', 'The statistics of all links of the account.')),
);

const ResetResult = resultOf('ResetStatistics', 'The link', Link, [NotFoundError]);

builder.mutationField('resetStatistics', (t) =>
  t.field({
    type: ResetResult,
    description:
      'Deletes the statistics of a link; its clicks remain. If there were any, the history of the link has it as a change of `statistics`.',
    extensions: changeCost,
    args: { linkId: t.arg.id({ required: true, description: 'The id of the link.' }) },
    resolve: (_root, { linkId }, context, info) => {
      const { db, actor, now } = context;
      return asResult(resetStatistics(db, actor, linkId, now(), selectFor(context, info)));
    },
  }),
);
