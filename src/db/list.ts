import { Prisma } from '../generated/sqlite/client.ts';
import type { Db } from './client.ts';

export type Sql = Prisma.Sql;
export const { sql, join } = Prisma;

/** A column to order by. Where it may be null, nulls come last in either direction. */
export interface Column {
  readonly name: string;
  readonly type: 'number' | 'text';
  readonly nullable?: boolean;
}

/** A place in an ordered list: the value that the list is ordered by, and the id that breaks ties. */
export type Position = readonly [value: string | number | null, id: number];

/** Columns of other tables, to be joined to the rows of a list, which are called "page". */
export interface Joined {
  readonly columns: Sql;
  readonly tables: Sql;
}

export interface List {
  readonly table: string;
  readonly joined?: Joined;
  /** Conditions that every row meets; at least one. */
  readonly where: readonly Sql[];
  /** The id breaks ties, in the same direction. */
  readonly orderBy: Column;
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

/** The rows on one side of a position. Value and id are compared as a pair, so that one index range serves both. */
function beyond({ orderBy, descending }: List, position: Position, later: boolean, inclusive = false): Sql {
  const [value, id] = position;
  const operator = Prisma.raw(`${later === descending ? '<' : '>'}${inclusive ? '=' : ''}`);
  if (orderBy.name === 'id') return sql`"id" ${operator} ${id}`;
  const column = name(orderBy.name);
  if (value === null) {
    const amongNulls = sql`(${column} IS NULL AND "id" ${operator} ${id})`;
    return later ? amongNulls : sql`(${column} IS NOT NULL OR ${amongNulls})`;
  }
  const pair = sql`(${column}, "id") ${operator} (${value}, ${id})`;
  return orderBy.nullable && later ? sql`(${pair} OR ${column} IS NULL)` : pair;
}

function conditions(list: List, window: Window): Sql {
  const all = [...list.where];
  const { after, before, inclusive } = window;
  if (after) all.push(beyond(list, after, true, inclusive));
  if (before) all.push(beyond(list, before, false, inclusive));
  return join(all, ' AND ');
}

function ordering({ orderBy, descending }: List, reversed = false): Sql {
  const direction = Prisma.raw(descending === reversed ? 'ASC' : 'DESC');
  if (orderBy.name === 'id') return sql`"id" ${direction}`;
  const column = name(orderBy.name);
  const nulls = orderBy.nullable
    ? sql`(${column} IS NULL) ${Prisma.raw(reversed ? 'DESC' : 'ASC')}, `
    : Prisma.empty;
  return sql`${nulls}${column} ${direction}, "id" ${direction}`;
}

/** The rows of one table. */
function pageOf(list: List, window: Window): Sql {
  const skip = window.offset ? sql`OFFSET ${window.offset}` : Prisma.empty;
  return sql`SELECT * FROM ${name(list.table)} WHERE ${conditions(list, window)}
    ORDER BY ${ordering(list, window.fromEnd)} LIMIT ${window.limit} ${skip}`;
}

/** With what is joined to them: after the limit, so that no more rows than are asked for meet other tables. */
function joinedTo(rows: Sql, joined: Joined | undefined, order: Sql): Sql {
  return joined
    ? sql`SELECT "page".*, ${joined.columns} FROM (${rows}) AS "page" ${joined.tables} ORDER BY ${order}`
    : rows;
}

function select(list: List, window: Window): Sql {
  return joinedTo(pageOf(list, window), list.joined, ordering(list, window.fromEnd));
}

/** One stretch of a list. */
export interface Stretch {
  readonly list: List;
  readonly window: Window;
}

/** The rows of each stretch, in its list's order, by one statement. All lists are of one table, whose model is `Row`. */
export async function readRowsOfEach<Row>(db: Db, stretches: readonly Stretch[]): Promise<Row[][]> {
  const inOrder = (rows: Row[], { window }: Stretch) => (window.fromEnd ? rows.reverse() : rows);
  const [only] = stretches;
  if (only && stretches.length === 1) {
    return [inOrder(await db.$queryRaw<Row[]>(select(only.list, only.window)), only)];
  }
  const parts = stretches.map(
    ({ list, window }, part) => sql`SELECT CAST(${part} AS INTEGER) AS "part",
      ROW_NUMBER() OVER (ORDER BY ${ordering(list, window.fromEnd)}) AS "rank", "rows".*
      FROM (${pageOf(list, window)}) AS "rows"`,
  );
  const order = sql`"part", "rank"`;
  const union = sql`${join(parts, ' UNION ALL ')} ORDER BY ${order}`;
  const found = await db.$queryRaw<(Row & { part: number | bigint })[]>(
    joinedTo(union, only?.list.joined, order),
  );
  const rows: Row[][] = stretches.map(() => []);
  for (const row of found) rows[Number(row.part)]?.push(row);
  return stretches.map((stretch, part) => inOrder(rows[part] ?? [], stretch));
}

/** An expression for the number of the list's rows, by counting them. */
export function countOf(list: List): Sql {
  return sql`(SELECT COUNT(*) FROM ${name(list.table)} WHERE ${join([...list.where], ' AND ')})`;
}

/** An expression that is 1 where the window has any row, else 0. */
export function anyOf(list: List, window: Omit<Window, 'limit'>): Sql {
  return sql`(SELECT COUNT(*) FROM (SELECT 1 FROM ${name(list.table)}
    WHERE ${conditions(list, { ...window, limit: 1 })} LIMIT 1) AS "any")`;
}

/** What each of the expressions is, by one statement. */
export async function readNumbers(db: Db, expressions: readonly Sql[]): Promise<number[]> {
  const columns = expressions.map((expression, index) => sql`${expression} AS ${name(`number${index}`)}`);
  const [row] = await db.$queryRaw<Record<string, number | bigint>[]>(sql`SELECT ${join(columns)}`);
  return expressions.map((_, index) => Number(row?.[`number${index}`] ?? 0));
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
    ORDER BY ${ordering(list)}`);
  const rows = found.filter((row) => row.id !== null);
  return { rows, total: Number(found[0]?.total ?? 0) };
}

/** Rows whose column contains the text as it stands: `%`, `_` and `\` are themselves. */
export function contains(column: string, text: string): Sql {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return sql`${name(column)} LIKE ${pattern} ESCAPE '\\'`;
}
