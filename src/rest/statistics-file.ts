import { z } from 'zod';
import { refusal } from '../domain/rules.ts';
import type { StatisticsList } from '../domain/statistics/dimension.ts';
import { MAX_ROWS, statisticsPageInput } from '../domain/statistics/pages.ts';
import type { Csv, CsvRow } from '../engine/rest/csv-answer.ts';
import { choice, flag, textField } from '../engine/rest/form/field.ts';
import { foldMarks, withDefault } from '../engine/rules/input.ts';
import {
  StatisticsFileDocument,
  type StatisticsFileQuery,
  type StatisticsFileQueryVariables,
} from '../generated/documents.ts';
import { statisticsFields, statisticsNames } from './statistics.ts';

const names = { ...statisticsNames, variant: 'VARIANT', links: 'LINKS' } as const;

export const fileFields = {
  ...{ name: choice('of', names), from: statisticsFields.from, to: statisticsFields.to },
  ...{ link_id: textField('link'), space_id: textField('space'), tag_id: textField('tag') },
  ...{ before_from: textField('beforeFrom'), before_to: textField('beforeTo'), labels: flag('labels') },
};

const id = z.string().nullish();
const of = withDefault(z.enum(Object.values(names)), 'DAYS');
export const fileSchema = statisticsPageInput
  .extend({
    of,
    link: id,
    space: id,
    tag: id,
    beforeFrom: id,
    beforeTo: id,
    labels: z.boolean().default(false),
  })
  .refine(({ beforeFrom, beforeTo }) => beforeFrom != null || beforeTo == null, {
    path: ['beforeFrom'],
    ...refusal('REQUIRED'),
  })
  .refine(({ beforeFrom, beforeTo }) => beforeTo != null || beforeFrom == null, {
    path: ['beforeTo'],
    ...refusal('REQUIRED'),
  });

/** Returns the part of a file's name for its subject: a name, or else an id, in letters that every system takes. */
function partOfName(kind: string, id: string, name: string): string {
  const plain = foldMarks(name).replaceAll(/[^a-z0-9]+/g, '-');
  return plain.replaceAll(/^-|-$/g, '').slice(0, 60) || `${kind}-${id}`;
}

/** Headings of the first column, for people. */
const headings: Readonly<Record<StatisticsList, string>> = {
  ...{ DAYS: 'Day', HOURS: 'Hour (UTC)', COUNTRY: 'Country', LANGUAGE: 'Language' },
  ...{ BROWSER: 'Browser', OS: 'Operating system', DEVICE: 'Device' },
  ...{ REFERRER: 'Referring site', DESTINATION: 'Destination', VARIANT: 'Rule and target' },
};

const makeDisplayNames = (type: 'region' | 'language') =>
  new Intl.DisplayNames('en', { type, fallback: 'code' });
const countries = makeDisplayNames('region');
const languages = makeDisplayNames('language');

/** A value as people read it. */
function findLabel(of: string, value: string | null): string {
  if (value === null) return of === 'REFERRER' ? 'Direct or unknown' : 'Unknown';
  if (of === 'COUNTRY') return countries.of(value) ?? value;
  if (of === 'LANGUAGE') return languages.of(value) ?? value;
  return of === 'DEVICE' ? value.charAt(0).toUpperCase() + value.slice(1) : value;
}

/**
 * The statistics of one link, space or tag, or of the account: days or hours in order, the values of a dimension, or the links
 * with the most clicks, their visitors and, if days before are given, what changed. With labels, the columns are for people, and
 * each row says in which period; else they are v1's.
 */
export function statisticsFile(input: unknown): Csv<StatisticsFileQuery, StatisticsFileQueryVariables> {
  const { of, from, to, link, space, tag, labels, beforeFrom, beforeTo } = fileSchema.parse(input);
  const [kind, id = ''] = Object.entries({ link, space, tag }).find(([, one]) => one != null) ?? ['account'];
  const isLinks = of === 'LINKS';
  const owner = {
    ...{ id: id ?? '', isLink: kind === 'link', isSpace: kind === 'space' },
    ...{ isTag: kind === 'tag', isAccount: kind === 'account' },
  };
  const isCompared = beforeFrom != null && beforeTo != null;
  const comparison = isCompared ? ['Clicks before', 'Change in %'] : [];
  const labelled =
    of === 'LINKS'
      ? ['Short URL', 'Title', 'Clicks', 'Visitors', ...comparison, 'From', 'To']
      : [headings[of], 'Clicks', 'From', 'To'];
  return {
    columns: labels || isLinks ? labelled : ['value', 'count'],
    document: StatisticsFileDocument,
    variables: (_input, _id, page) => ({
      ...(isCompared && { beforeFrom, beforeTo, isCompared }),
      ...{ ...owner, from, to, isLinks, isValues: !isLinks, ...(!isLinks && { of }) },
      ...((of === 'DAYS' || of === 'HOURS') && { orderBy: { field: 'VALUE', direction: 'ASC' } }),
      ...{ page: Number(page ?? 1), perPage: MAX_ROWS },
    }),
    partOf({ link, space, tag, viewer }) {
      const found = link ?? space ?? tag ?? viewer?.account;
      if (!found) return null;
      const { from, to, rowPage } = found.statistics;
      const named = link ?? space ?? tag;
      const what = [...(named ? [partOfName(kind, owner.id, named.name)] : []), of.toLowerCase()];
      const values = rowPage?.items.map(
        ({ value, clicks }): CsvRow => (labels ? [findLabel(of, value), clicks, from, to] : [value, clicks]),
      );
      const top = (space ?? tag ?? viewer?.account)?.topLinks?.nodes;
      const links = top?.map(({ link, clicks }): CsvRow => {
        const { shortUrl, title, statistics, before } = link;
        const change = before && before.clicks > 0 ? Math.round((clicks / before.clicks - 1) * 100) : null;
        const compared = before ? [before.clicks, change] : [];
        return [shortUrl, title, clicks, statistics.visitors, ...compared, from, to];
      });
      return {
        rows: values ?? links ?? [],
        next: rowPage && rowPage.page < rowPage.pageCount ? String(rowPage.page + 1) : null,
        name: ['statistics', ...what, from, 'to', to].join('-'),
      };
    },
  };
}
