import type { Data } from '../db/database.ts';
import { empty, join, name, raw, type Sql, sql } from '../db/sql.ts';

/**
 * Columns of a joined record, as an object of its own in a row (see `decodeRows` of the driver). The id is always included, since it says
 * whether the record exists.
 * @param table the table's name in the statement
 * @param of the object's name
 */
export function nestedColumns(table: string, of: string, columns: readonly string[]): Sql {
  const all = ['id', ...columns.filter((column) => column !== 'id')];
  return raw(all.map((column) => `"${table}"."${column}" AS "${of}.${column}"`).join(', '));
}

/** A column to order by. Nulls come last in either direction. */
export interface Column {
  readonly name: string;
  readonly type: 'number' | 'text' | 'timestamp';
  readonly nullable?: boolean;
  /** True if its numbers may need more than 32 bits. */
  readonly large?: boolean;
  /** Conditions that divide the rows into parts, if there are indexes for each part but none for all rows. */
  readonly parts?: readonly { readonly where: Sql; readonly prefix?: Sql }[];
  /** The column with the ids, if the index of this order does not call it "id". */
  readonly tieBreaker?: string;
}

/** A position in an ordered list: the value of the order's column (times in ISO 8601), and the id as tie-break. */
export type Position = readonly [value: string | number | null, id: number];

/** Columns and their tables. Joins refer to the rows of the list as "page". */
export interface Joined {
  readonly columns: Sql;
  readonly tables: Sql;
}

export interface List {
  readonly table: string;
  /** The source of its rows and their columns; by default the table with all columns that the database knows of it. */
  readonly source?: Joined;
  readonly joined?: Joined;
  /** Identifies the columns of its rows, if lists of the table have different ones. */
  readonly columnsKey?: string;
  /** Conditions that every row meets; at least one. */
  readonly where: readonly Sql[];
  /** Ties are broken by id, in the same direction. */
  readonly orderBy: Column;
  readonly descending: boolean;
  /** True if a read may scan or sort many rows that it does not return. */
  readonly needsScan?: boolean;
}

export interface Window {
  readonly limit: number;
  readonly offset?: number;
  /** Only rows after this position, in the list's order. */
  readonly after?: Position;
  readonly before?: Position;
  /** True if a row at `after` or `before` itself is included. */
  readonly inclusive?: boolean;
  /** Read from the list's end; the rows are still returned in the list's order. */
  readonly fromEnd?: boolean;
}

/** A whole number in a statement's text. PostgreSQL plans a statement with a literal limit once, with a parameter each time. */
function constant(number: number): Sql {
  return raw(String(Math.trunc(number)));
}

/** The rows on one side of a position. Value and id are compared as a pair, so that one index range serves both. */
function rangeCondition(
  { orderBy, descending }: List,
  position: Position,
  later: boolean,
  inclusive = false,
): Sql {
  const [value, id] = position;
  const operator = raw(`${later === descending ? '<' : '>'}${inclusive ? '=' : ''}`);
  const { tieBreaker = 'id' } = orderBy;
  if (orderBy.name === 'id' || value === null) return sql`${name(tieBreaker)} ${operator} ${id}`;
  const bound = orderBy.type === 'timestamp' ? new Date(value) : value;
  return sql`(${name(orderBy.name)}, ${name(tieBreaker)}) ${operator} (${bound}, ${id})`;
}

/** Rows of a list that an index has in order. Rows with null are a part of their own. */
interface Part {
  readonly where: Sql | null;
  /** The prefix of the value, if the index has only that. */
  readonly prefix?: Sql;
  readonly nulls: boolean;
}

function orderParts({ orderBy: { name: column, nullable, parts } }: List): readonly Part[] {
  if (!nullable) return (parts ?? [{ where: null }]).map((part) => ({ ...part, nulls: false }));
  return [
    { where: sql`${name(column)} IS NOT NULL`, nulls: false },
    { where: sql`${name(column)} IS NULL`, nulls: true },
  ];
}

/** The condition of a bound for a part of the rows; null if the whole part is on that side. */
function partRange(list: List, position: Position, later: boolean, { nulls }: Part, inclusive?: boolean) {
  const positionIsNull = position[0] === null;
  if (positionIsNull === nulls) return rangeCondition(list, position, later, inclusive);
  return later === nulls ? null : sql`1 = 0`;
}

/** The conditions for rows of the part that are in the window. */
function conditions(list: List, window: Omit<Window, 'limit'>, part: Part): Sql {
  const { after, before, inclusive } = window;
  const all = [
    ...list.where,
    part.where,
    after && partRange(list, after, true, part, inclusive),
    before && partRange(list, before, false, part, inclusive),
  ];
  return join(
    all.filter((one) => one != null),
    ' AND ',
  );
}

function ordering({ orderBy, descending }: List, reversed = false, prefix?: Sql): Sql {
  const direction = raw(descending === reversed ? 'ASC' : 'DESC');
  if (orderBy.name === 'id') return sql`${name(orderBy.tieBreaker ?? 'id')} ${direction}`;
  const before = prefix ? sql`${prefix} ${direction}, ` : empty;
  return sql`${before}${name(orderBy.name)} ${direction}, ${name(orderBy.tieBreaker ?? 'id')} ${direction}`;
}

/** The ordering of all rows of a list, whose column may be null. */
export function orderingOfAll(list: List, reversed = false): Sql {
  const order = ordering(list, reversed);
  const { nullable, name: column } = list.orderBy;
  return nullable ? sql`(${name(column)} IS NULL) ${raw(reversed ? 'DESC' : 'ASC')}, ${order}` : order;
}

function tablesSql({ table, source }: List): Sql {
  return source?.tables ?? name(table);
}

function columnsFor({ database }: Data, { table, source }: List): Sql {
  return source?.columns ?? database.columnsOf(table);
}

function rowsWhere(tables: Sql, columns: Sql, where: Sql, order: Sql, limit: number): Sql {
  return sql`SELECT ${columns} FROM ${tables} WHERE ${where} ORDER BY ${order} LIMIT ${constant(limit)}`;
}

/** A SELECT of the window's rows, without what is joined to them. */
function windowSql(db: Data, list: List, window: Window): Sql {
  const columns = columnsFor(db, list);
  const tables = tablesSql(list);
  const { limit, offset = 0, fromEnd } = window;
  const order = orderingOfAll(list, fromEnd);
  const skip = offset > 0 ? sql`OFFSET ${offset}` : empty;
  const parts = orderParts(list);
  const partRows = (part: Part, most: number) =>
    rowsWhere(tables, columns, conditions(list, window, part), ordering(list, fromEnd, part.prefix), most);
  const [only] = parts;
  if (only && parts.length === 1) return sql`${partRows(only, limit)} ${skip}`;
  // No index has nulls last in both directions, or long texts; but each part has an index with its order.
  const all = parts.map((part) => sql`SELECT * FROM (${partRows(part, limit + offset)}) AS "part"`);
  return sql`SELECT * FROM (${join(all, ' UNION ALL ')}) AS "parts" ORDER BY ${order} LIMIT ${constant(limit)} ${skip}`;
}

/** Adds joins after the limit, so that only the returned rows are joined. */
function joinedTo(rows: Sql, joined: Joined | undefined, order: Sql): Sql {
  return joined
    ? sql`SELECT "page".*, ${joined.columns} FROM (${rows}) AS "page" ${joined.tables} ORDER BY ${order}`
    : rows;
}

function joinedWindowSql(db: Data, list: List, window: Window): Sql {
  return joinedTo(windowSql(db, list, window), list.joined, orderingOfAll(list, window.fromEnd));
}

/** An expression that counts the list's rows, up to `most`. */
export function countSql(list: List, most?: number, tables = name(list.table)): Sql {
  const rows = sql`FROM ${tables} WHERE ${join([...list.where], ' AND ')}`;
  if (most === undefined) return sql`(SELECT COUNT(*) ${rows})`;
  return sql`(SELECT COUNT(*) FROM (SELECT 1 ${rows} LIMIT ${constant(most)}) AS "counted")`;
}

/** An expression that is above 0 if the window has any row, else 0. */
export function anySql(list: List, window: Omit<Window, 'limit'>): Sql {
  const parts = orderParts(list).map(
    (part) => sql`(SELECT COUNT(*) FROM (SELECT 1 FROM ${tablesSql(list)}
      WHERE ${conditions(list, window, part)} LIMIT 1) AS "any")`,
  );
  return join(parts, ' + ');
}

export interface ListRange {
  readonly list: List;
  readonly window: Window;
}

/**
 * The rows of each range, in its list's order, in one statement. All lists are of one table, whose model is `Row`, but times
 * are ISO text.
 */
export async function readRowsOfEach<Row>(db: Data, ranges: readonly ListRange[]): Promise<Row[][]> {
  const inOrder = (rows: Row[], { window }: ListRange) => (window.fromEnd ? rows.reverse() : rows);
  const [only] = ranges;
  if (only && ranges.length === 1) {
    return [inOrder(await db.read<Row>(joinedWindowSql(db, only.list, only.window), 'text'), only)];
  }
  const parts = ranges.map(
    ({ list, window }, part) => sql`SELECT CAST(${part} AS INTEGER) AS "part",
      ROW_NUMBER() OVER (ORDER BY ${orderingOfAll(list, window.fromEnd)}) AS "rank", "rows".*
      FROM (${windowSql(db, list, window)}) AS "rows"`,
  );
  const order = sql`"part", "rank"`;
  const union = sql`${join(parts, ' UNION ALL ')} ORDER BY ${order}`;
  const found = await db.read<Row & { part: number | bigint }>(
    joinedTo(union, only?.list.joined, order),
    'text',
  );
  const rows: Row[][] = ranges.map(() => []);
  for (const row of found) rows[Number(row.part)]?.push(row);
  return ranges.map((range, part) => inOrder(rows[part] ?? [], range));
}

/** The values of the expressions, in one statement, which calculates those that are alike once. */
export async function readNumbers(db: Data, expressions: readonly Sql[]): Promise<number[]> {
  const keys = expressions.map(({ sql: text, values }) => JSON.stringify([text, values]));
  const distinct = new Map(expressions.map((expression, index) => [keys[index], expression]));
  const columns = Array.from(distinct.values(), (one, index) => sql`${one} AS ${name(`number${index}`)}`);
  const [row] = await db.read<Record<string, number | bigint>>(sql`SELECT ${join(columns)}`);
  const numbers = new Map(
    Array.from(distinct.keys(), (key, index) => [key, Number(row?.[`number${index}`] ?? 0)]),
  );
  return keys.map((key) => numbers.get(key) ?? 0);
}

/**
 * The rows of the window and the list's total, in one statement and so of one snapshot. The total is there even if the
 * window is empty.
 */
export async function readRowsAndTotal<Row extends { id: number }>(
  db: Data,
  list: List,
  window: Window,
  total: Sql,
): Promise<{ rows: Row[]; total: number }> {
  const found = await db.read<Row & { total: number | bigint }>(
    sql`
    SELECT * FROM (SELECT ${total} AS "total") AS "t" LEFT JOIN (${joinedWindowSql(db, list, window)}) AS "rows" ON 1 = 1
    ORDER BY ${orderingOfAll(list)}`,
    'text',
  );
  const rows = found.filter((row) => row.id !== null);
  return { rows, total: Number(found[0]?.total ?? 0) };
}
