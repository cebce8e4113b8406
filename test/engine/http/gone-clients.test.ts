import { setTimeout } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { AccountReader } from '../../../src/db/reading/account-reader.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let caller: Caller;
beforeEach(async () => {
  server = await startTestServer({ maxInFlight: 1 });
  caller = await server.caller();
});
afterEach(() => server.stop());

async function addLongLinks(count: number): Promise<void> {
  const { id } = await caller.link();
  const { prisma } = server.database;
  const { id: _, aliasKey: _key, ...like } = await prisma.link.findUniqueOrThrow({ where: { id } });
  const url = `https://example.com/${'a'.repeat(1_900)}`;
  const data = Array.from({ length: count }, (_, index) => {
    const alias = `long${index}`;
    return { ...like, url, urlKey: url, alias, aliasKey: alias, createdAt: NOON };
  });
  await prisma.link.createMany({ data });
}

/** Sends an operation and disconnects when `leave` resolves; resolves when the server has noticed. */
async function leaving(query: string, leave: () => Promise<unknown>): Promise<void> {
  const controller = new AbortController();
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ query });
  const sent = caller.fetch('/graphql', { method: 'POST', headers, body, signal: controller.signal });
  sent.catch(() => {});
  await leave();
  controller.abort();
  await expect.poll(() => server.log.some(({ status }) => status === 499)).toBe(true);
}

/** 401 while there is a place for a request to the APIs. */
const withoutKey = () => fetch(`${server.origin}/api/v1/links`).then(({ status }) => status);

// PostgreSQL reads all of them at once, and has no lock for a whole database.
const onSqlite = test.runIf(inject('database').provider === 'sqlite');

onSqlite('a query stops soon after its client disconnects, also a compiled one', async () => {
  await addLongLinks(300);
  const searches = Array.from(
    { length: 24 },
    (_, index) =>
      `a${index}: links(filter: { search: "${index % 10}z", searchBy: URL }) { nodes { id } totalCount }`,
  );
  const query = `{ ${searches.join(' ')} }`;
  for (const _ of ['first', 'second', 'compiled']) {
    server.log.length = 0;
    const statements = await server.statementsOf(async () => {
      const before = server.statements.length;
      const hasBegun = () => server.statements.slice(before).some((sql) => sql.includes('FROM "Link"'));
      await leaving(query, () => expect.poll(hasBegun, { interval: 1 }).toBe(true));
      await expect.poll(withoutKey).toBe(401);
      await setTimeout(100);
    });
    expect(statements.length).toBeLessThan(36);
    expect(server.log.filter(({ level }) => Number(level) > 30)).toEqual([]);
  }
  // A whole one sends more.
  expect((await server.statementsOf(() => caller.data(query))).length).toBeGreaterThan(40);
});

onSqlite('a mutation completes after its client disconnects, and occupies its slot until then', async () => {
  const other = new Sqlite(server.databaseUrl.slice('file:'.length));
  other.exec('BEGIN IMMEDIATE');
  const spaces = ['One', 'Two'].map(
    (name) => `${name}: createSpace(input: { name: "${name}" }) { __typename }`,
  );
  await leaving(`mutation { ${spaces.join(' ')} }`, () => expect.poll(withoutKey).toBe(503));
  expect(await withoutKey()).toBe(503);
  other.exec('COMMIT');
  other.close();
  await expect.poll(withoutKey).toBe(401);
  expect(await caller.data('{ spaces { totalCount } }')).toEqual({ spaces: { totalCount: 2 } });
});

test('a reader starts no further statement after its signal is aborted', async () => {
  const controller = new AbortController();
  const lists = new AccountReader(server.database, 1, controller.signal);
  const statements = await server.statementsOf(async () => {
    const read = lists.makeSearchCondition({ accountId: 1, column: 'urlKey', text: 'abc' });
    controller.abort(new Error('gone'));
    await expect(read).rejects.toThrow('gone');
  });
  expect(statements).toEqual([]);
});
