import { Prisma } from '../generated/sqlite/client.ts';
import type { Db } from './client.ts';

export type Sql = Prisma.Sql;
export const { sql } = Prisma;

/** A place in an ordered list: the value that the list is ordered by, and the id that breaks ties. */
export type Position = readonly [value: string | number, id: number];

export interface List {
  readonly table: string;
  /** Conditions that every row meets; at least one. */
  readonly where: readonly Sql[];
  /** The column to order by; the id breaks ties, in the same direction. */
  readonly orderBy: string;
  readonly descending: boolean;
}

export interface Window {
  readonly limit: number;
  readonly offset?: number;
  /** Only rows that come after this position, in the list's order. */
  readonly after?: Position;
  /** Only rows that come before it. */
  readonly before?: Position;
  /** Whether a row at `after` or `before` itself counts too. */
  readonly inclusive?: boolean;
  /** Read from the list's end; the rows still come in the list's order. */
  readonly fromEnd?: boolean;
}

function name(identifier: string): Sql {
  return Prisma.raw(`"${identifier}"`);
}

/** Compared as a pair, so that one index range serves sort and tie-break. */
function beyond({ orderBy }: List, [value, id]: Position, greater: boolean, inclusive = false): Sql {
  const operator = Prisma.raw(`${greater ? '>' : '<'}${inclusive ? '=' : ''}`);
  if (orderBy === 'id') return sql`"id" ${operator} ${id}`;
  return sql`(${name(orderBy)}, "id") ${operator} (${value}, ${id})`;
}

function conditions(list: List, window: Window): Sql {
  const all = [...list.where];
  const { after, before, inclusive } = window;
  if (after) all.push(beyond(list, after, !list.descending, inclusive));
  if (before) all.push(beyond(list, before, list.descending, inclusive));
  return Prisma.join(all, ' AND ');
}

function ordering({ orderBy }: List, descending: boolean): Sql {
  const direction = Prisma.raw(descending ? 'DESC' : 'ASC');
  if (orderBy === 'id') return sql`"id" ${direction}`;
  return sql`${name(orderBy)} ${direction}, "id" ${direction}`;
}

function select(list: List, window: Window): Sql {
  const skip = window.offset ? sql`OFFSET ${window.offset}` : Prisma.empty;
  return sql`SELECT * FROM ${name(list.table)} WHERE ${conditions(list, window)}
    ORDER BY ${ordering(list, list.descending !== (window.fromEnd ?? false))} LIMIT ${window.limit} ${skip}`;
}

/** The rows of the window, in the list's order. `Row` is the model of the list's table. */
export async function readRows<Row>(db: Db, list: List, window: Window): Promise<Row[]> {
  const rows = await db.$queryRaw<Row[]>(select(list, window));
  return window.fromEnd ? rows.reverse() : rows;
}

/** Whether the window has any row. */
export async function hasRows(db: Db, list: List, window: Omit<Window, 'limit'>): Promise<boolean> {
  const rows = await db.$queryRaw<unknown[]>(
    sql`SELECT 1 FROM ${name(list.table)} WHERE ${conditions(list, { ...window, limit: 1 })} LIMIT 1`,
  );
  return rows.length > 0;
}

/** An expression for the number of the list's rows, by counting them. */
export function countOf(list: List): Sql {
  return sql`(SELECT COUNT(*) FROM ${name(list.table)} WHERE ${Prisma.join([...list.where], ' AND ')})`;
}

export async function readNumber(db: Db, expression: Sql): Promise<number> {
  const [row] = await db.$queryRaw<{ number: number | bigint }[]>(sql`SELECT ${expression} AS "number"`);
  return Number(row?.number ?? 0);
}

/**
 * The rows of the window and the list's total, in one statement and so of one moment. The total is there even where the
 * window is empty.
 */
export async function readRowsAndTotal<Row extends { id: number }>(
  db: Db,
  list: List,
  window: Window,
  total: Sql,
): Promise<{ rows: Row[]; total: number }> {
  const found = await db.$queryRaw<(Row & { total: number | bigint })[]>(sql`
    SELECT * FROM (SELECT ${total} AS "total") AS "t" LEFT JOIN (${select(list, window)}) AS "rows" ON 1 = 1
    ORDER BY ${ordering(list, list.descending)}`);
  const rows = found.filter((row) => row.id !== null);
  return { rows, total: Number(found[0]?.total ?? 0) };
}

/** Rows whose column contains the text as it stands: `%`, `_` and `\` are themselves. */
export function contains(column: string, text: string): Sql {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return sql`${name(column)} LIKE ${pattern} ESCAPE '\\'`;
}
