import type { Scope } from '../db/statistics/scope.ts';
import { resetStatistics } from '../domain/link/link.ts';
import { type ClickSums, MAX_WATCHED_LINKS } from '../domain/statistics/click-watch.ts';
import {
  statisticsDimensions,
  statisticsIntervals,
  statisticsLists,
  valueInput,
} from '../domain/statistics/dimension.ts';
import { MAX_ROWS, pageOfStatistics, statisticsOrderFields } from '../domain/statistics/pages.ts';
import { dayText, lengthOfPeriod, type PeriodInput } from '../domain/statistics/period.ts';
import {
  MAX_DAYS_OF_HOURS,
  MAX_TOP,
  SPARKLINE_DAYS,
  Statistics,
  type StatisticsPoint,
  type StatisticsRow,
  type StatisticsTop,
  sparkline,
  type ValueSeriesPoint,
} from '../domain/statistics/statistics.ts';
import { type TopLink, topLinks, topLinksBy } from '../domain/statistics/top-links.ts';
import type { StatisticsVariant } from '../domain/statistics/variants.ts';
import { type ArgumentValues, costs, countItems, STATEMENT_COST } from '../engine/graphql/cost/costs.ts';
import { limitedTo } from '../engine/graphql/input-limits.ts';
import { shownCount, shownCountLimit } from '../engine/rules/input.ts';
import { Account } from './access.ts';
import { builder } from './builder.ts';
import type { Context } from './context.ts';
import { changeCost } from './cost/field-cost.ts';
import { enumType, inputType } from './domain-types.ts';
import { Link, selectFor } from './link/link.ts';
import { defineOrder, definePage } from './list.ts';
import { defineResult, NotFoundError, withFailures } from './result.ts';
import { Space } from './space.ts';
import { Tag } from './tag.ts';

/** The cost of reading the statistics of an owner; it doubles for a year. */
const READ_COSTS: Record<Scope, number> = { link: 10, space: 500, tag: 500, account: 50 };
const YEAR_DAYS = 365;
/** Default number of rows. */
const DEFAULT_ROWS = 10;

/** The cost of reading a period. */
const readWork = (_args: ArgumentValues, { scope, days }: ArgumentValues): number =>
  READ_COSTS[scope as Scope] * (1 + Number(days) / YEAR_DAYS); // The values of `toChildren` of `statisticsOf`.

/** The maximum number of intervals of a series. */
function countBuckets({ interval }: ArgumentValues, { days }: ArgumentValues): number {
  const length = Number(days);
  // More days of hours are refused.
  if (interval === 'HOUR') return 24 * Math.min(length, MAX_DAYS_OF_HOURS);
  return interval === 'MONTH' ? Math.ceil(length / 28) + 1 : length;
}

/** Number of days or hours of a list that cost 1. All of them are made and sorted for each page. */
const TIMES_PER_COST = 2;

/** The cost of making a list of days or hours; other lists need none. */
function listWork({ of }: ArgumentValues, fromParent: ArgumentValues): number {
  if (of !== 'HOURS' && of !== 'DAYS') return 0;
  return countBuckets({ interval: of === 'HOURS' ? 'HOUR' : 'DAY' }, fromParent) / TIMES_PER_COST;
}

const Interval = enumType('StatisticsInterval', 'The intervals of a series.', statisticsIntervals);

const Dimension = enumType(
  'StatisticsDimension',
  'The dimensions that clicks are counted by.',
  statisticsDimensions,
);

const List = enumType('StatisticsList', 'The lists that can be paginated.', statisticsLists);

const visitorsNote = 'Over several days, this is the sum of the days.';

/** A field with a count. */
const count = <Counted>(description: string, of: (counted: Counted) => number) => ({
  description: `${description} ${shownCountLimit}`,
  resolve: (counted: Counted) => shownCount(of(counted)),
});

/** A field with a total of a period. */
const total = (name: keyof Awaited<ReturnType<Statistics['totals']>>, description: string) => ({
  description: `${description} ${shownCountLimit}`,
  extensions: costs({ work: readWork }),
  resolve: async (statistics: Statistics) => shownCount((await statistics.totals())[name]),
});

const Point = builder.objectRef<StatisticsPoint>('StatisticsPoint').implement({
  description: 'The visits of one hour, day or month.',
  fields: (t) => ({
    start: t.expose('start', { type: 'DateTime', description: 'The beginning of the interval.' }),
    clicks: t.int(count('The number of counted visits.', ({ clicks }: StatisticsPoint) => clicks)),
    visitors: t.int({
      nullable: true,
      description: `The number of unique visitors; null for hours. ${visitorsNote} ${shownCountLimit}`,
      resolve: ({ visitors }) => (visitors === null ? null : shownCount(visitors)),
    }),
    bots: t.int(
      count(
        'The number of visits by programs, which are not counted as clicks.',
        ({ bots }: StatisticsPoint) => bots,
      ),
    ),
  }),
});

const ValuePoint = builder.objectRef<ValueSeriesPoint>('ValuePoint').implement({
  description: 'The clicks with one value of one day or month.',
  fields: (t) => ({
    start: t.expose('start', { type: 'DateTime', description: 'The beginning of the interval.' }),
    clicks: t.int(count('The number of clicks.', ({ clicks }: ValueSeriesPoint) => clicks)),
  }),
});

const Variant = builder.objectRef<StatisticsVariant>('StatisticsVariant').implement({
  description: 'A target of a rule of a link.',
  fields: (t) => ({
    linkId: t.exposeID('linkId', { description: 'The id of the link.' }),
    ruleId: t.exposeID('ruleId', { description: 'The id of the rule.' }),
    targetId: t.exposeID('targetId', { description: 'The id of the target.' }),
    value: t.exposeString('value', {
      description: 'The ids as `topLinks` takes them for a value of `VARIANT`, such as `1.2.3`.',
    }),
  }),
});

const Row = builder.objectRef<StatisticsRow>('StatisticsRow').implement({
  description: 'The clicks with one value.',
  fields: (t) => ({
    value: t.exposeString('value', { nullable: true, description: 'The value; null if it is unknown.' }),
    clicks: t.int(count('The number of clicks.', ({ clicks }: StatisticsRow) => clicks)),
    variant: t.field({
      type: Variant,
      nullable: true,
      description: 'The ids of a value of `VARIANT`; null for other dimensions.',
      resolve: ({ variant = null }) => variant,
    }),
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
    others: t.int(count('The clicks with all other values.', ({ others }: StatisticsTop) => others)),
  }),
});

const rowPage = definePage('StatisticsRow', 'rows', Row);

const RowOrder = defineOrder('StatisticsRow', 'rows', statisticsOrderFields, {
  field: 'CLICKS',
  direction: 'DESC',
});

const StatisticsType = builder.objectRef<Statistics>('Statistics').implement({
  description: 'The visits of a link, or of the links of a space, a tag or an account, on some days (UTC).',
  fields: (t) => ({
    from: t.field({ type: 'Date', description: 'The first day.', resolve: ({ days }) => dayText(days.from) }),
    to: t.field({ type: 'Date', description: 'The last day.', resolve: ({ days }) => dayText(days.to) }),
    clicks: t.int(total('clicks', 'The number of counted visits.')),
    visitors: t.int(
      total('visitors', `The number of unique visitors, for each link and day. ${visitorsNote}`),
    ),
    bots: t.int(
      total(
        'bots',
        'The number of visits by programs, link previews and prefetches, which are not counted as clicks.',
      ),
    ),
    series: t.field({
      type: [Point],
      description: 'Every interval of the period, in order, including those without visits.',
      extensions: costs({ size: countBuckets, work: readWork }),
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
    valueSeries: t.field({
      type: [ValuePoint],
      description:
        'The clicks with one value in every day or month of the period, in order. Hours are refused. Visitors who decline tracking count by destination only.',
      extensions: costs({
        size: ({ interval }, fromParent) =>
          countBuckets({ interval: interval === 'MONTH' ? interval : 'DAY' }, fromParent),
        work: (args, fromParent) => 3 * readWork(args, fromParent),
      }),
      args: {
        by: t.arg({ type: Dimension, required: true, description: 'The dimension.' }),
        value: t.arg.string({ description: valueInput.description ?? '' }),
        interval: t.arg({
          type: Interval,
          required: true,
          defaultValue: 'DAY',
          description: 'The interval: days or months.',
        }),
      },
      resolve: (statistics, args) => statistics.valueSeries(args),
    }),
    top: t.field({
      type: Top,
      description:
        'The values with the most clicks. Visitors who decline tracking count by destination only.',
      extensions: costs({
        work: (args, fromParent) => 3 * readWork(args, fromParent),
        toChildren: ({ first }) => ({ rows: countItems(first, MAX_TOP) ?? DEFAULT_ROWS }),
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
      type: rowPage.type,
      description: 'All days, hours or values with their clicks, paginated by page number.',
      extensions: costs({
        size: ({ perPage }) => countItems(perPage, MAX_ROWS) ?? DEFAULT_ROWS,
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
const defineStatistics = (scope: Scope, description: string) => ({
  type: StatisticsType,
  description: `${description} A wrong period is an error that makes the parent null.`,
  extensions: costs({ toChildren: ({ from, to }) => ({ scope, days: lengthOfPeriod(from, to) }) }),
  args: periodArgs,
  resolve: ({ id }: { id: number }, period: PeriodInput, { lists, now }: Context) =>
    new Statistics(lists.statistics, scope, id, period, now()),
});

const TopLinkType = builder.objectRef<TopLink>('TopLink').implement({
  description: 'A link with its clicks in a period.',
  fields: (t) => ({
    link: t.field({ type: Link, description: 'The link.', resolve: ({ link }) => link }),
    clicks: t.int(count('The number of clicks.', ({ clicks }: TopLink) => clicks)),
  }),
});

const TopLinks = builder.objectRef<{ nodes: TopLink[] }>('TopLinks').implement({
  description: 'The links with the most clicks.',
  fields: (t) => ({
    nodes: t.field({
      type: [TopLinkType],
      description: 'The links, the most clicks first; of those with equal clicks, the newest first.',
      extensions: costs({ size: (_args, { rows }) => Number(rows) }),
      resolve: ({ nodes }) => nodes,
    }),
  }),
});

const TopLinksBy = inputType('TopLinksBy', 'One value of a dimension.', topLinksBy);

/** The cost of finding the first links of an owner: up to 20,000 of an account are counted one by one. */
const TOP_LINKS_COSTS = { space: 3 * READ_COSTS.space, tag: 3 * READ_COSTS.tag, account: READ_COSTS.space };

/** The field with the links of an owner that have the most clicks. */
const defineTopLinks = (scope: Exclude<Scope, 'link'>, of: string) =>
  builder.objectField({ space: Space, tag: Tag, account: Account }[scope], 'topLinks', (t) =>
    t.field({
      type: TopLinks,
      description: `The links ${of} with the most clicks of a period, or of those with one value. A wrong argument is an error that makes the parent null.`,
      extensions: costs({
        work: ({ from, to }) => TOP_LINKS_COSTS[scope] * (1 + lengthOfPeriod(from, to) / YEAR_DAYS),
        toChildren: ({ first }) => ({ rows: countItems(first, MAX_TOP) ?? DEFAULT_ROWS }),
      }),
      args: {
        ...periodArgs,
        first: t.arg.int({
          required: true,
          defaultValue: DEFAULT_ROWS,
          description: `The number of links: 0 to ${MAX_TOP}.`,
        }),
        by: t.arg({ type: TopLinksBy, description: 'Only clicks with this value count.' }),
      },
      resolve: async ({ id }, args, context, info) => {
        const { lists, actor, now } = context;
        const select = selectFor(context, info, [['nodes', 'link']]);
        return { nodes: await topLinks(lists, actor, { scope, id }, args, now(), select) };
      },
    }),
  );

defineTopLinks('space', 'that are in the space now');
defineTopLinks('tag', 'that have the tag now');
defineTopLinks('account', 'of the account');

builder.objectField(Link, 'clicksIn', (t) =>
  t.int({
    description: `The number of counted visits in a period. ${shownCountLimit} A wrong period is an error that makes the parent null.`,
    extensions: costs({
      work: ({ from, to }) => readWork({}, { scope: 'link', days: lengthOfPeriod(from, to) }),
    }),
    args: periodArgs,
    resolve: async ({ id }, period, { lists, now }) =>
      shownCount((await new Statistics(lists.statistics, 'link', id, period, now()).totals()).clicks),
  }),
);

builder.objectField(Link, 'sparkline', (t) =>
  t.intList({
    description: `The clicks of each of the last days, in UTC, oldest first; the last one is today. A wrong number of days is an error that makes the parent null. ${shownCountLimit}`,
    extensions: costs({
      size: ({ days }) => countItems(days, SPARKLINE_DAYS.max) ?? SPARKLINE_DAYS.default,
      work: READ_COSTS.link,
    }),
    args: {
      days: t.arg.int({
        defaultValue: SPARKLINE_DAYS.default,
        description: `The number of days: 1 to ${SPARKLINE_DAYS.max}.`,
      }),
    },
    resolve: async ({ id }, args, { lists, now }) =>
      (await sparkline(lists.statistics, id, args, now())).map(shownCount),
  }),
);

builder.objectField(Link, 'statistics', (t) =>
  t.field(
    defineStatistics('link', 'The statistics of the link. Its owner can read them whatever its privacy is.'),
  ),
);
builder.objectField(Space, 'statistics', (t) =>
  t.field(defineStatistics('space', 'The statistics of the links that are in the space now.')),
);
builder.objectField(Tag, 'statistics', (t) =>
  t.field(defineStatistics('tag', 'The statistics of the links that have the tag now.')),
);
builder.objectField(Account, 'statistics', (t) =>
  t.field(defineStatistics('account', 'The statistics of all links of the account.')),
);

const ClickSumsType = builder.objectRef<ClickSums>('ClickSums').implement({
  description: 'The visits of the present day, in UTC, of a link or of all links of the account.',
  fields: (t) => ({
    linkId: t.id({
      nullable: true,
      description: 'The id of the link; null for the sums of the account.',
      resolve: ({ linkId }) => linkId,
    }),
    clicks: t.int(count('The number of counted visits.', ({ clicks }: ClickSums) => clicks)),
    bots: t.int(
      count(
        'The number of visits by programs, which are not counted as clicks.',
        ({ bots }: ClickSums) => bots,
      ),
    ),
    at: t.expose('at', { type: 'DateTime', description: 'When they were read.' }),
  }),
});

builder.subscriptionField('clicks', (t) =>
  t.field({
    type: ClickSumsType,
    description:
      'The clicks of today: the present ones at once, then those that change, at most once in two seconds for each link.',
    extensions: costs({ work: STATEMENT_COST }),
    args: {
      linkIds: t.arg.idList({
        description: `The ids of 1 to ${MAX_WATCHED_LINKS} links of the account; by default, the sums of all of its links.`,
        ...limitedTo({ maxItems: MAX_WATCHED_LINKS }),
      }),
    },
    subscribe: (_root, args, { clickWatch, actor, onClosed }) => clickWatch.subscribe(actor, args, onClosed),
    resolve: (sums: ClickSums) => sums,
  }),
);

const ResetResult = defineResult('ResetStatistics', 'The link', Link, [NotFoundError]);

builder.mutationField('resetStatistics', (t) =>
  t.field({
    type: ResetResult,
    description:
      'Deletes the statistics of a link; its clicks remain. If there were any, the history of the link has it as a change of `statistics`. ' +
      'Many are deleted in slices, which others see before the answer comes. After a failure the same request goes on.',
    extensions: changeCost,
    args: { linkId: t.arg.id({ required: true, description: 'The id of the link.' }) },
    resolve: withFailures((_root, { linkId }, context, info) => {
      const { db, longWork, actor, now } = context;
      return resetStatistics(db, longWork, actor, linkId, now(), selectFor(context, info));
    }),
  }),
);
