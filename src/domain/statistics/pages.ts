import { z } from 'zod';
import { orderInput, type Page, pageInput, pageWith } from '../../engine/lists/pagination.ts';
import {
  choiceSchema,
  integerSchema,
  MAX_INT,
  parseInput,
  shownCount,
  withDefault,
} from '../../engine/rules/input.ts';
import { type StatisticsDimension, type StatisticsList, statisticsLists } from './dimension.ts';
import { periodInput } from './period.ts';
import type { Statistics, StatisticsPoint, StatisticsRow } from './statistics.ts';

/** The fields by which rows can be ordered. */
export const statisticsOrderFields = {
  CLICKS: 'The clicks; ties are broken by the value.',
  VALUE: 'The value.',
} as const;

export const MAX_ROWS = 10_000;

const orderBy = orderInput(statisticsOrderFields, 'CLICKS', 'DESC');
const asked = { of: withDefault(choiceSchema(statisticsLists), 'DAYS'), orderBy };
const rowsInput = z.object({
  ...asked,
  page: withDefault(integerSchema(1, MAX_INT), 1),
  perPage: withDefault(integerSchema(1, MAX_ROWS), 10),
});

/** The input of v1, with the page sizes of its other lists. */
export const statisticsPageInput = pageInput.extend({ ...periodInput.shape, ...asked });

export type RowsInput = z.input<typeof rowsInput>;

function timeText({ start }: StatisticsPoint, list: StatisticsList): string {
  const text = start.toISOString();
  return list === 'DAYS' ? text.slice(0, 10) : `${text.slice(0, 10)} ${text.slice(11, 13)}:00`;
}

/**
 * A page of days, hours or values; days and hours without clicks are included.
 * @throws DomainError VALIDATION
 */
export async function pageOfStatistics(
  statistics: Statistics,
  input: RowsInput,
): Promise<Page<StatisticsRow>> {
  const { of, orderBy, page, perPage } = parseInput(rowsInput, input);
  const { rows, total } = await readPageRows(statistics, of, orderBy, (page - 1) * perPage, perPage);
  const items = rows.map((row) => ({ ...row, clicks: shownCount(row.clicks) }));
  return pageWith(items, total, { page, perPage });
}

async function readPageRows(
  statistics: Statistics,
  list: StatisticsList,
  { field, direction }: z.output<typeof orderBy>,
  offset: number,
  limit: number,
): Promise<{ rows: StatisticsRow[]; total: number }> {
  const descending = direction === 'DESC';
  if (list !== 'DAYS' && list !== 'HOURS') {
    const by: StatisticsDimension = list;
    return statistics.values(by, { by: field, descending }, offset, limit);
  }
  const points = await statistics.series(list === 'DAYS' ? 'DAY' : 'HOUR', 'of');
  // In order of time; a stable sort by clicks keeps it for ties.
  const inOrder = descending ? points.toReversed() : [...points];
  if (field === 'CLICKS') inOrder.sort((a, b) => (descending ? b.clicks - a.clicks : a.clicks - b.clicks));
  const rows = inOrder
    .slice(offset, offset + limit)
    .map((point) => ({ value: timeText(point, list), clicks: point.clicks }));
  return { rows, total: points.length };
}
