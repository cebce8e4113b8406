import { z } from 'zod';
import { foldMarks } from '../domain/input.ts';
import { MAX_ROWS, statisticsPageInput } from '../domain/statistics/pages.ts';
import {
  StatisticsFileDocument,
  type StatisticsFileQuery,
  type StatisticsFileQueryVariables,
} from '../generated/documents.ts';
import type { Csv } from './csv-answer.ts';
import { text } from './form/field.ts';
import { statisticsFields } from './statistics.ts';

const { name, from, to } = statisticsFields;
export const fileFields = {
  ...{ name, from, to },
  ...{ link_id: text('link'), space_id: text('space'), tag_id: text('tag') },
};

const id = z.string().nullish();
export const fileSchema = statisticsPageInput.extend({ link: id, space: id, tag: id });

/** What a file is of, in letters that every system takes: a name, or else an id. */
function partOfName(kind: string, id: string, name: string): string {
  const plain = foldMarks(name).replaceAll(/[^a-z0-9]+/g, '-');
  return plain.replaceAll(/^-|-$/g, '').slice(0, 60) || `${kind}-${id}`;
}

/** The statistics of one link, space or tag, or of the account: days or hours in order, or the values of a dimension. */
export function statisticsFile(input: unknown): Csv<StatisticsFileQuery, StatisticsFileQueryVariables> {
  const { of, from, to, link, space, tag } = fileSchema.parse(input);
  const isValues = of !== 'DAYS' && of !== 'HOURS';
  const id = link ?? space ?? tag;
  const owner = {
    ...{ id: id ?? '', isLink: link != null, isSpace: link == null && space != null },
    ...{ isTag: link == null && space == null && tag != null, isAccount: id == null },
  };
  const asked = { from, to, of, isValues, interval: of === 'HOURS' ? 'HOUR' : 'DAY' } as const;
  return {
    columns: isValues ? [of.toLowerCase(), 'clicks'] : ['date', 'clicks', 'visitors', 'bots'],
    document: StatisticsFileDocument,
    variables: (_input, _id, page) => ({ ...owner, ...asked, page: Number(page ?? 1), perPage: MAX_ROWS }),
    partOf({ link, space, tag, viewer }) {
      const found = link ?? space ?? tag ?? viewer?.account;
      if (!found) return null;
      const { from, to, series, rowPage } = found.statistics;
      const kind = link ? 'link' : space ? 'space' : 'tag';
      const named = link ?? space ?? tag;
      const what = [
        ...(named ? [partOfName(kind, owner.id, named.name)] : []),
        ...(of === 'DAYS' ? [] : [of.toLowerCase()]),
      ];
      const days = series?.map(({ start, clicks, visitors, bots }) => {
        const time = new Date(start).toISOString().replace('T', ' ');
        return [time.slice(0, of === 'DAYS' ? 10 : 16), clicks, visitors, bots];
      });
      return {
        rows: days ?? rowPage?.items.map(({ value, clicks }) => [value, clicks]) ?? [],
        next: rowPage && rowPage.page < rowPage.pageCount ? String(rowPage.page + 1) : null,
        name: ['statistics', ...what, from, 'to', to].join('-'),
      };
    },
  };
}
