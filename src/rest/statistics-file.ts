import { z } from 'zod';
import { foldMarks, withDefault } from '../domain/input.ts';
import { MAX_ROWS, statisticsPageInput } from '../domain/statistics/pages.ts';
import {
  StatisticsFileDocument,
  type StatisticsFileQuery,
  type StatisticsFileQueryVariables,
} from '../generated/documents.ts';
import type { Csv, CsvRow } from './csv-answer.ts';
import { choice, text } from './form/field.ts';
import { statisticsFields, statisticsNames } from './statistics.ts';

const names = { ...statisticsNames, links: 'LINKS' } as const;

export const fileFields = {
  ...{ name: choice('of', names), from: statisticsFields.from, to: statisticsFields.to },
  ...{ link_id: text('link'), space_id: text('space'), tag_id: text('tag') },
};

const id = z.string().nullish();
const of = withDefault(z.enum(Object.values(names)), 'DAYS');
export const fileSchema = statisticsPageInput.extend({ of, link: id, space: id, tag: id });

/** What a file is of, in letters that every system takes: a name, or else an id. */
function partOfName(kind: string, id: string, name: string): string {
  const plain = foldMarks(name).replaceAll(/[^a-z0-9]+/g, '-');
  return plain.replaceAll(/^-|-$/g, '').slice(0, 60) || `${kind}-${id}`;
}

/** What of a list is asked for, and the columns of its file. */
function partsOf(of: z.output<typeof fileSchema>['of']) {
  const times = ['date', 'clicks', 'visitors', 'bots'];
  if (of === 'LINKS') return { asked: { isLinks: true }, columns: ['short_url', 'title', 'clicks'] };
  if (of === 'HOURS') return { asked: { isTimes: true, interval: 'HOUR' }, columns: times } as const;
  if (of === 'DAYS') return { asked: { isTimes: true }, columns: times };
  return { asked: { isValues: true, of }, columns: [of.toLowerCase(), 'clicks'] };
}

/**
 * The statistics of one link, space or tag, or of the account: days or hours in order, the values of a dimension, or the links
 * with the most clicks.
 */
export function statisticsFile(input: unknown): Csv<StatisticsFileQuery, StatisticsFileQueryVariables> {
  const { of, from, to, link, space, tag } = fileSchema.parse(input);
  const [kind, id = ''] = Object.entries({ link, space, tag }).find(([, one]) => one != null) ?? ['account'];
  const { asked, columns } = partsOf(of);
  const owner = {
    ...{ id: id ?? '', isLink: kind === 'link', isSpace: kind === 'space' },
    ...{ isTag: kind === 'tag', isAccount: kind === 'account' },
  };
  return {
    columns,
    document: StatisticsFileDocument,
    variables: (_input, _id, page) => ({
      ...{ ...owner, from, to, ...asked },
      ...{ page: Number(page ?? 1), perPage: MAX_ROWS },
    }),
    partOf({ link, space, tag, viewer }) {
      const found = link ?? space ?? tag ?? viewer?.account;
      if (!found) return null;
      const { from, to, series, rowPage } = found.statistics;
      const named = link ?? space ?? tag;
      const what = [
        ...(named ? [partOfName(kind, owner.id, named.name)] : []),
        ...(of === 'DAYS' ? [] : [of.toLowerCase()]),
      ];
      const times = series?.map(({ start, clicks, visitors, bots }): CsvRow => {
        const time = new Date(start).toISOString().replace('T', ' ');
        return [time.slice(0, of === 'DAYS' ? 10 : 16), clicks, visitors, bots];
      });
      const values = rowPage?.items.map(({ value, clicks }): CsvRow => [value, clicks]);
      const top = (space ?? tag ?? viewer?.account)?.topLinks?.nodes;
      const links = top?.map(({ link, clicks }): CsvRow => [link.shortUrl, link.title, clicks]);
      return {
        rows: times ?? values ?? links ?? [],
        next: rowPage && rowPage.page < rowPage.pageCount ? String(rowPage.page + 1) : null,
        name: ['statistics', ...what, from, 'to', to].join('-'),
      };
    },
  };
}
