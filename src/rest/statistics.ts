import { MAX_ROWS, statisticsPageInput } from '../domain/statistics/pages.ts';
import { encodePage, notFound } from '../engine/rest/answer.ts';
import { choice, integerField, textField } from '../engine/rest/form/field.ts';
import { route } from '../engine/rest/route.ts';
import { RestStatisticsDocument, type RestStatisticsQuery } from '../generated/documents.ts';

/** v1's names of the lists of statistics. */
export const statisticsNames = {
  clicks: 'DAYS',
  clicks_hours: 'HOURS',
  browser: 'BROWSER',
  platform: 'OS',
  device: 'DEVICE',
  country: 'COUNTRY',
  language: 'LANGUAGE',
  referrer: 'REFERRER',
  destination: 'DESTINATION',
} as const;

export const statisticsFields = {
  name: {
    ...choice('of', statisticsNames),
    about:
      'What is counted: clicks by day (YYYY-MM-DD), by hour (YYYY-MM-DD HH:00, for at most 31 days), or by what is known of the visitor.',
  },
  from: {
    ...textField('from'),
    about: 'The first day, as YYYY-MM-DD, in UTC; 30 days to the last one if absent.',
  },
  to: { ...textField('to'), about: 'The last day, as YYYY-MM-DD, in UTC; today if absent.' },
  sort_by: { ...choice('orderBy.field', { count: 'CLICKS', value: 'VALUE' }), about: 'The order.' },
  sort: {
    ...choice('orderBy.direction', { desc: 'DESC', asc: 'ASC' }),
    about: 'The direction of the order.',
  },
  per_page: { ...integerField('perPage'), about: 'The page size.' },
  page: { ...integerField('page'), about: 'The page number, from 1.' },
};

type RowPage = NonNullable<RestStatisticsQuery['link']>['statistics']['rowPage'];

const encodeRow = ({ value, clicks }: RowPage['items'][number]) => ({ value: value ?? '', count: clicks });

export const statisticsRoutes = [
  route({
    methods: ['GET'],
    path: '/stats/:id',
    fields: statisticsFields,
    schema: statisticsPageInput,
    lists: {
      record: 'Count',
      summary: 'Statistics of a link',
      description:
        'Counts the clicks of a link, by time or by what is known of the visitors. With `Accept: text/csv`, all rows are one file.',
    },
    document: RestStatisticsDocument,
    variables: (input, id) => ({ ...input, id }),
    encode: ({ link }, url) => (link ? encodePage(link.statistics.rowPage, encodeRow, url) : notFound),
    csv: {
      columns: ['value', 'count'],
      document: RestStatisticsDocument,
      variables: (input, id, from) => ({ ...input, id, page: Number(from ?? 1), perPage: MAX_ROWS }),
      partOf({ link }) {
        if (!link) return null;
        const { items, page, pageCount } = link.statistics.rowPage;
        return {
          rows: items.map((row) => Object.values(encodeRow(row))),
          next: page < pageCount ? String(page + 1) : null,
        };
      },
    },
  }),
];
