import { z } from 'zod';
import { fieldError, invalid, invalidField } from '../rules/errors.ts';
import {
  choiceSchema,
  fieldErrors,
  integerSchema,
  isStorable,
  MAX_INT,
  numberSchema,
  textSchema,
  timestamp,
  trimPasted,
  withDefault,
} from '../rules/input.ts';
import { refusal } from '../rules/refusal.ts';
import { MAX_URL } from '../rules/url.ts';
import type { Expression } from './conditions.ts';
import type { ListReader } from './list-reader.ts';
import { countSql, type List, type Position } from './list-statements.ts';

export const PAGE_SIZES = [10, 25, 50, 100] as const;
export const MAX_EDGES = 100;
export const DEFAULT_EDGES = 20;

/** The search of every list: a substring, case-insensitive, of at most the length of a URL. */
export const searchInput = textSchema(0, MAX_URL, trimPasted)
  .transform((text) => text || null)
  .nullish();

/** A condition for records that were changed since. */
export const updatedSince = timestamp
  .meta({
    format: 'date-time',
    description:
      'Only records that were changed at this time or later: ISO 8601 with an offset from UTC. Deletions are in `changes`.',
  })
  .nullish();

/** The order of a list; `fields` have the fields by which it can be ordered. */
export function orderInput<Field extends string>(
  fields: Readonly<Record<Field, string>>,
  field: NoInfer<Field>,
  direction: 'ASC' | 'DESC',
) {
  const order = z.object({
    field: choiceSchema(fields)
      .default(field as never)
      .describe('The field to order by.'),
    direction: z.enum(['ASC', 'DESC']).default(direction).describe('The direction.'),
  });
  return withDefault(order, order.parse({}));
}

/** A numbered page. Offsets beyond the databases' range are allowed, since they are past the end of every list. */
export const pageInput = z.object({
  page: withDefault(integerSchema(1, MAX_INT), 1).describe(
    'The page number, from 1. Pages after the last one are empty.',
  ),
  perPage: withDefault(
    numberSchema(
      (size) => PAGE_SIZES.some((known) => known === size),
      refusal('CHOICE', { choices: PAGE_SIZES.join(', ') }),
    ).meta({
      type: 'integer',
      enum: [...PAGE_SIZES],
    }),
    PAGE_SIZES[0],
  ).describe(`The page size: ${PAGE_SIZES.join(', ')}.`),
});

export interface Page<Row> {
  items: Row[];
  total: number;
  page: number;
  perPage: number;
  /** At least 1. */
  pageCount: number;
}

export function pageWith<Row>(
  items: Row[],
  total: number,
  { page, perPage }: z.output<typeof pageInput>,
): Page<Row> {
  return { items, total, page, perPage, pageCount: Math.max(1, Math.ceil(total / perPage)) };
}

/**
 * One numbered page of a list, with its total, in one statement.
 * @param total an expression for the number of the list's rows
 */
export async function readPage<Row extends { id: number }>(
  lists: ListReader,
  list: List,
  { page, perPage }: z.output<typeof pageInput>,
  total: Expression,
): Promise<Page<Row>> {
  const window = { limit: perPage, offset: (page - 1) * perPage };
  const found = await lists.page<Row>(list, window, total);
  return pageWith(found.rows, found.total, { page, perPage });
}

const wrongCursor = refusal('CURSOR');
const MAX_CURSOR = 16_384;
const cursorInput = z.string().max(MAX_CURSOR, wrongCursor).nullish();

const edgesInput = z
  .object({
    first: integerSchema(0, MAX_EDGES).nullish(),
    after: cursorInput,
    last: integerSchema(0, MAX_EDGES).nullish(),
    before: cursorInput,
  })
  .refine(({ first, last }) => first == null || last == null, {
    path: ['last'],
    ...refusal('EXCLUSIVE', { other: 'first' }),
  });

export type EdgesInput = z.input<typeof edgesInput>;

const cursorContent = z.tuple([z.string(), z.string(), z.union([z.string(), z.number(), z.null()]), z.int()]);

/** The part of a list that its cursors depend on. */
export type CursorList = Pick<List, 'table' | 'orderBy'>;

/** A cursor is a position in an order, not a row: it stays valid when its row is changed or deleted. */
export function encodeCursor({ table, orderBy }: CursorList, [value, id]: Position): string {
  return Buffer.from(JSON.stringify([table, orderBy.name, value, id])).toString('base64url');
}

/** A time in a cursor, with a year of four digits. */
const TIMESTAMP = /^\d{4}-/;

function isTimestamp(text: string): boolean {
  const timestamp = new Date(text);
  return !Number.isNaN(timestamp.getTime()) && timestamp.toISOString() === text;
}

/** True if the column could hold the value. */
function fitsColumn({ type, nullable, large }: List['orderBy'], value: Position[0]): boolean {
  if (value === null) return nullable === true;
  if (type === 'number')
    return Number.isSafeInteger(value) && (large === true || Math.abs(Number(value)) <= MAX_INT);
  if (type === 'timestamp') return typeof value === 'string' && TIMESTAMP.test(value) && isTimestamp(value);
  return typeof value === 'string' && isStorable(value);
}

/** The position in a cursor of the list; null if it is not one of its cursors. */
function parseCursor(cursor: string, { table, orderBy }: CursorList): Position | null {
  try {
    const content: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const [ofTable, order, value, id] = cursorContent.parse(content);
    const isOwn = ofTable === table && order === orderBy.name;
    return isOwn && fitsColumn(orderBy, value) && Math.abs(id) <= MAX_INT ? [value, id] : null;
  } catch {
    return null;
  }
}

/** The position in a cursor of the list, in the argument with a name. @throws DomainError VALIDATION */
export function readCursor(name: string, cursor: string, list: CursorList): Position {
  const position = cursor.length > MAX_CURSOR ? null : parseCursor(cursor, list);
  if (position === null) throw invalidField(name, wrongCursor);
  return position;
}

/** Parses the arguments of a connection. @throws DomainError VALIDATION */
function parseEdges(input: EdgesInput, list: List) {
  const parsed = edgesInput.safeParse(input);
  const wrong = parsed.success ? [] : fieldErrors(parsed.error);
  const cursor = (name: 'after' | 'before'): Position | undefined => {
    const given = input[name];
    if (given == null || wrong.some(({ path }) => path[0] === name)) return undefined;
    const position = parseCursor(given, list);
    if (position === null) wrong.push(fieldError([name], wrongCursor));
    return position ?? undefined;
  };
  const cursors = { after: cursor('after'), before: cursor('before') };
  if (wrong.length > 0) throw invalid(wrong);
  const { first, last } = input;
  return { fromEnd: last != null, size: last ?? first ?? DEFAULT_EDGES, ...cursors };
}

/** The position of a row in a list. */
function positionIn(list: List, row: { readonly id: number }): Position {
  // Every row has the column of the list's order; times are texts.
  const value = (row as Record<string, Position[0] | bigint>)[list.orderBy.name] ?? null;
  return [typeof value === 'bigint' ? Number(value) : value, row.id];
}

/** A row of a list, with its cursor, which is made when it is asked for. */
class Edge<Row extends { readonly id: number }> {
  readonly node: Row;
  readonly #list: List;

  constructor(node: Row, list: List) {
    this.node = node;
    this.#list = list;
  }

  get cursor(): string {
    return encodeCursor(this.#list, positionIn(this.#list, this.node));
  }
}

export interface Connection<Row> {
  edges: { readonly cursor: string; readonly node: Row }[];
  /** Needs a statement only if reading the edges did not show it. */
  hasNextPage(): Promise<boolean>;
  hasPreviousPage(): Promise<boolean>;
  /** Counts the whole list. */
  total(): Promise<number>;
}

/**
 * A slice of a list by keyset: `first` rows after `after`, or `last` rows before `before`; the first 20 by default.
 * @param total an expression for the number of the list's rows
 * @param needsScan whether the database reads many rows to count them
 * @throws DomainError VALIDATION
 */
export async function readConnection<Row extends { id: number }>(
  lists: ListReader,
  list: List,
  input: EdgesInput,
  {
    total = countSql(list),
    needsScan = list.needsScan,
  }: { total?: Expression; needsScan?: boolean | undefined } = {},
): Promise<Connection<Row>> {
  const { fromEnd, size, after, before } = parseEdges(input, list);
  const rows = await lists.rows<Row>(list, { limit: size + 1, after, before, fromEnd });
  const more = rows.length > size;
  if (more) rows.splice(fromEnd ? 0 : size, 1);
  // Look beyond the first and last row; without rows, from the cursor on, including the cursor's own row.
  const firstRow = rows.at(0);
  const lastRow = rows.at(-1);
  const beforePage = () =>
    firstRow ? { before: positionIn(list, firstRow) } : { before: after, inclusive: true };
  const afterPage = () =>
    lastRow ? { after: positionIn(list, lastRow) } : { after: before, inclusive: true };
  return {
    edges: rows.map((node) => new Edge(node, list)),
    hasNextPage: async () => (fromEnd ? before !== undefined && lists.any(list, afterPage()) : more),
    hasPreviousPage: async () => (fromEnd ? more : after !== undefined && lists.any(list, beforePage())),
    total: () => lists.number(total, needsScan),
  };
}

/** The rows that meet the condition, in the order of their creation. */
export function byCreation(table: List['table'], condition: Expression, { descending = false } = {}): List {
  return { table, where: [condition], orderBy: { name: 'id', type: 'number' }, descending };
}
