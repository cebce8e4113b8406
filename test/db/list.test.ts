import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/engine/db/sql.ts';
import {
  type Column,
  type List,
  type Position,
  readRowsOfEach,
  type Window,
} from '../../src/engine/lists/list-statements.ts';
import { NOON, startTestServer, type TestServer } from '../support/server.ts';

/** The state of a random generator with equal numbers in each run. */
let state = 7;
function below(limit: number): number {
  state = (state * 48_271) % 2_147_483_647;
  return state % limit;
}

interface Row {
  readonly id: number;
  readonly titleKey: string | null;
  readonly aliasKey: string;
  readonly updatedAt: Date;
}

const columns: readonly Column[] = [
  { name: 'id', type: 'number' },
  { name: 'titleKey', type: 'text', nullable: true },
  { name: 'aliasKey', type: 'text' },
  { name: 'updatedAt', type: 'timestamp' },
];

function placeValue(row: Row, { name }: Column): Position[0] {
  if (name === 'titleKey' || name === 'aliasKey') return row[name];
  return name === 'id' ? row.id : row.updatedAt.toISOString();
}

const byCodePoints = (one: string | number, other: string | number) => {
  if (typeof one === 'number' || typeof other === 'number') return Number(one) - Number(other);
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
};

/** The order of a list: its value, nulls last in either direction, then the id. */
function compare([value, id]: Position, [other, otherId]: Position, descending: boolean): number {
  if (value === null || other === null) {
    if (value !== other) return value === null ? 1 : -1;
    return descending ? otherId - id : id - otherId;
  }
  const order = byCodePoints(value, other) || id - otherId;
  return descending ? -order : order;
}

/** The expected rows of a window. */
function expected(rows: readonly Row[], { orderBy, descending }: List, window: Window): number[] {
  const { limit, offset = 0, after, before, inclusive = false, fromEnd = false } = window;
  const positions = rows
    .map((row): Position => [placeValue(row, orderBy), row.id])
    .sort((one, other) => compare(one, other, descending))
    .filter((one) => {
      const past = after === undefined ? 1 : compare(one, after, descending);
      const ahead = before === undefined ? -1 : compare(one, before, descending);
      return (past > 0 || (inclusive && past === 0)) && (ahead < 0 || (inclusive && ahead === 0));
    });
  const from = fromEnd ? Math.max(0, positions.length - offset - limit) : offset;
  const to = fromEnd ? Math.max(0, positions.length - offset) : offset + limit;
  return positions.slice(from, to).map(([, id]) => id);
}

let server: TestServer;
let rows: Row[];
let accountId: number;
beforeAll(async () => {
  server = await startTestServer();
  const { prisma } = server.database;
  ({ id: accountId } = await prisma.account.create({ data: { name: 'Acme', createdAt: NOON } }));
  const titles = ['a', 'ab', 'b', 'é', 'z', '中', '\u{1F600}', null];
  rows = [];
  for (let i = 0; i < 40; i++) {
    const alias = `${'abc'.charAt(below(3))}${i}`;
    const updatedAt = new Date(NOON.getTime() + below(5));
    const titleKey = titles[below(titles.length)] ?? null;
    const names = { alias, aliasKey: alias, url: 'https://a.example/', urlKey: '', titleKey };
    const { id } = await prisma.link.create({
      data: { accountId, domainId: 1, ...names, createdAt: NOON, updatedAt },
    });
    rows.push({ id, titleKey, aliasKey: alias, updatedAt });
  }
});
afterAll(() => server.stop());

/** Any position: that of a row, or one between rows. */
function anyPosition(orderBy: Column): Position {
  const row = rows[below(rows.length)];
  const other = rows[below(rows.length)];
  if (row === undefined || other === undefined) throw new Error('there are no rows');
  const id = below(3) === 0 ? other.id : row.id;
  return [orderBy.name === 'id' ? id : placeValue(row, orderBy), id];
}

function anyRange(): { list: List; window: Window } {
  const orderBy = columns[below(columns.length)];
  if (orderBy === undefined) throw new Error('there are no columns');
  const list: List = {
    table: 'Link',
    where: [sql`"accountId" = ${accountId}`],
    orderBy,
    descending: below(2) === 0,
  };
  const window: Window = {
    limit: 1 + below(12),
    ...(below(3) === 0 && { offset: below(10) }),
    ...(below(2) === 0 && { after: anyPosition(orderBy) }),
    ...(below(2) === 0 && { before: anyPosition(orderBy) }),
    ...(below(3) === 0 && { inclusive: true }),
    ...(below(2) === 0 && { fromEnd: true }),
  };
  return { list, window };
}

test.each([1, 20])(
  'any window of any order returns its rows in order (%i windows in one statement)',
  async (together) => {
    for (let round = 0; round < 200 / together; round++) {
      const ranges = Array.from({ length: together }, anyRange);
      const found = await readRowsOfEach<Row>(server.database, ranges);
      for (const [index, { list, window }] of ranges.entries())
        expect(
          found[index]?.map(({ id }) => id),
          JSON.stringify({ order: list.orderBy.name, descending: list.descending, window }),
        ).toEqual(expected(rows, list, window));
    }
  },
);
