import { shownCount, shownCountLimit } from '../../domain/input.ts';
import {
  statisticsDimensions,
  statisticsIntervals,
  statisticsLists,
} from '../../domain/statistics/dimension.ts';
import { statisticsOrderFields } from '../../domain/statistics/pages.ts';
import type { StatisticsPoint, StatisticsRow, StatisticsTop } from '../../domain/statistics/statistics.ts';
import { builder } from '../builder.ts';
import { costs } from '../cost/field-cost.ts';
import { enumType } from '../enum-type.ts';
import { Direction, pageOf } from '../list.ts';

export const Interval = enumType('StatisticsInterval', 'The intervals of a series.', statisticsIntervals);

export const Dimension = enumType(
  'StatisticsDimension',
  'The dimensions that clicks are counted by.',
  statisticsDimensions,
);

export const List = enumType('StatisticsList', 'The lists that can be paginated.', statisticsLists);

export const visitorsOf = 'Over several days, this is the sum of the days.';

export const Point = builder.objectRef<StatisticsPoint>('StatisticsPoint').implement({
  description: 'The visits of one hour, day or month.',
  fields: (t) => ({
    start: t.expose('start', { type: 'DateTime', description: 'The beginning of the interval.' }),
    clicks: t.int({
      description: `The number of counted visits. ${shownCountLimit}`,
      resolve: ({ clicks }) => shownCount(clicks),
    }),
    visitors: t.int({
      nullable: true,
      description: `The number of unique visitors; null for hours. ${visitorsOf} ${shownCountLimit}`,
      resolve: ({ visitors }) => (visitors === null ? null : shownCount(visitors)),
    }),
    bots: t.int({
      description: `The number of visits by programs, which are not counted as clicks. ${shownCountLimit}`,
      resolve: ({ bots }) => shownCount(bots),
    }),
  }),
});

const Row = builder.objectRef<StatisticsRow>('StatisticsRow').implement({
  description: 'The clicks with one value.',
  fields: (t) => ({
    value: t.exposeString('value', { nullable: true, description: 'The value; null if it is unknown.' }),
    clicks: t.int({
      description: `The number of clicks. ${shownCountLimit}`,
      resolve: ({ clicks }) => shownCount(clicks),
    }),
  }),
});

export const Top = builder.objectRef<StatisticsTop>('StatisticsTop').implement({
  description: 'The values with the most clicks.',
  fields: (t) => ({
    rows: t.field({
      type: [Row],
      description: 'The values, the most clicks first; ties are broken by the value.',
      extensions: costs({ size: (_args, { rows }) => Number(rows) }),
      resolve: ({ rows }) => rows,
    }),
    others: t.int({
      description: `The clicks with all other values. ${shownCountLimit}`,
      resolve: ({ others }) => shownCount(others),
    }),
  }),
});

export const RowPage = pageOf('StatisticsRow', 'rows', Row);

const RowOrderField = enumType(
  'StatisticsRowOrderField',
  'The fields by which rows can be ordered.',
  statisticsOrderFields,
);

export const RowOrder = builder.inputType('StatisticsRowOrder', {
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
