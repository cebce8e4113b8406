import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { Database } from '../../src/db/database.ts';
import { ChangeFeed } from '../../src/engine/changes/feed.ts';
import { changing } from '../../src/engine/changes/log.ts';
import { sql } from '../../src/engine/db/sql.ts';
import { Room } from '../../src/engine/http/limits/room.ts';
import { subscribe } from '../support/events.ts';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

let direct: TestServer;
let proxy: PostgresProxy;
let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  direct = await startTestServer();
  proxy = await startPostgresProxy(direct.databaseUrl);
  server = await startTestServer({ url: proxy.url, background: true });
  owner = await server.caller();
});
afterAll(async () => {
  await server.stop();
  proxy.stop();
  await direct.stop();
});

afterEach(() => proxy.release());

const open = (path: string, host = 's.example') => visit(server.origin, path, { headers: { Host: host } });
const many = (path: string, host?: string) => Array.from({ length: 20 }, () => open(path, host));

test.each([
  ['link', 'held-alias', 's.example'],
  ['host', 'another-alias', 'held-host.example'],
])('visits do not wait for a read of a %s on a connection that hangs', async (_what, alias, host) => {
  await open(`/${(await owner.link()).alias}`, 'other.example');
  await owner.link({ alias });
  proxy.holdNext(host === 's.example' ? alias : host);
  const first = open(`/${alias}`, host);
  await expect.poll(() => proxy.held).toBe(1);
  // While it hangs.
  const others = await Promise.all(many(`/${alias}`, host));
  expect(new Set(others.map(({ status }) => status))).toEqual(new Set([302]));
  proxy.release();
  expect((await first).status).toBe(302);
});

test.each([
  ['is slow', () => setTimeout(300).then(() => proxy.release())],
  ['fails', async () => proxy.cut()],
])('few visits repeat the read that they share if it %s', async (_what, end) => {
  const { alias } = await owner.link();
  proxy.holdNext(alias);
  const sent = await server.statementsOf(async () => {
    const visits = many(`/${alias}`);
    await expect.poll(() => proxy.held).toBe(1);
    await end();
    await Promise.all(visits);
  });
  expect(sent.filter((sql) => /FROM .*\bLink\b/.test(sql)).length).toBeLessThan(5);
});

test('visits do not wait for two hanging connections once another one has answered', async () => {
  const { alias } = await owner.link({ alias: 'twice-held' });
  proxy.holdNext(alias);
  const first = open(`/${alias}`);
  await expect.poll(() => proxy.held).toBe(1);
  proxy.holdNext(alias);
  const others = many(`/${alias}`);
  await expect.poll(() => proxy.held).toBe(2);
  let answered = 0;
  for (const one of others) void one.then(() => answered++);
  // One of them keeps the second connection until the end.
  await expect.poll(() => answered).toBe(19);
  proxy.release();
  await Promise.all([first, ...others]);
});

test('successive visits repeat the read of a link at most once if its first read hangs', async () => {
  const { alias } = await owner.link({ alias: 'held-spread' });
  proxy.holdNext(alias);
  const first = open(`/${alias}`);
  await expect.poll(() => proxy.held).toBe(1);
  const sent = await server.statementsOf(async () => {
    const others: Promise<unknown>[] = [];
    for (let i = 0; i < 30; i++) {
      others.push(open(`/${alias}`));
      await setTimeout(5);
    }
    await Promise.all(others);
  });
  expect(sent.filter((sql) => /FROM .*\bLink\b/.test(sql)).length).toBeLessThanOrEqual(2);
  proxy.release();
  await first;
});

test('visits of a link that is never cached are answered from slow reads', async () => {
  const { alias } = await owner.link({ alias: 'held-limited', expiration_clicks: 1_000 });
  const hold = setInterval(() => proxy.holdNext(alias), 5);
  const release = setInterval(() => proxy.release(), 600);
  proxy.holdNext(alias);
  const found = await Promise.all(many(`/${alias}`));
  clearInterval(hold);
  clearInterval(release);
  expect(new Set(found.map(({ status }) => status))).toEqual(new Set([302]));
});

test('visits that wait for a database that fails do not get 404', async () => {
  const { id } = await owner.link();
  expect((await open('/by-hand')).status).toBe(404);
  // A change made directly in the database is in no log.
  await direct.database.prisma.$executeRaw`UPDATE "Link" SET "alias" = 'by-hand' WHERE "id" = ${id}`;
  // By then, the cached entry of the unknown alias is too old.
  await setTimeout(1_000);
  proxy.holdAll();
  const visits = many('/by-hand');
  await setTimeout(1_000);
  // This one notices that the database is down.
  void open('/by-hand');
  await setTimeout(1_000);
  proxy.release();
  const states = await Promise.all(visits.map(async (one) => (await one).status));
  expect([302, 503]).toEqual(expect.arrayContaining([...new Set(states)]));
  await expect.poll(async () => (await owner.rest('GET', '/spaces')).status).toBe(200);
});

test('creates a link anew if the one found for reuse is deleted meanwhile', async () => {
  const url = 'https://example.com/held-reuse';
  const { id } = await owner.link({ url });
  proxy.holdNext('held-reuse');
  const made = owner.data<{ createLink: { id: string } }>(
    'mutation ($url: String!) { createLink(input: { url: $url, reuse: true }) { __typename ... on Link { id url } } }',
    { url },
  );
  await expect.poll(() => proxy.held).toBe(1);
  await setTimeout(100);
  await direct.database.prisma.link.delete({ where: { id: Number(id) } });
  proxy.release();
  const { createLink } = await made;
  expect(createLink).toEqual({ __typename: 'Link', id: expect.any(String), url });
  expect(createLink.id).not.toBe(String(id));
});

test('at most one of the visits that wait for a connection fails when it breaks', async () => {
  const { alias } = await owner.link({ alias: 'broken-alias' });
  proxy.holdNext(alias);
  const visits = many(`/${alias}`);
  await expect.poll(() => proxy.held).toBe(1);
  proxy.cut();
  const failed = (await Promise.all(visits)).filter(({ status }) => status !== 302);
  expect(failed.length).toBeLessThanOrEqual(1);
});

const query = 'subscription { changes { id } }';

test('clients that disconnect before their subscription starts occupy no slot', async () => {
  const headers = { 'Content-Type': 'application/json', Accept: 'text/event-stream' };
  const request = { method: 'POST', headers, body: JSON.stringify({ query }) };
  proxy.holdAll();
  const enter = vi.spyOn(Room.prototype, 'enter');
  onTestFinished(() => enter.mockRestore());
  const gone = new AbortController();
  const left = Promise.allSettled(
    Array.from({ length: 10 }, () => owner.fetch('/graphql', { ...request, signal: gone.signal })),
  );
  await expect.poll(() => enter.mock.calls.length).toBe(10);
  gone.abort();
  // The server notices it later than the client.
  const noticed = () => server.log.filter(({ path, status }) => path === '/graphql' && status === 499).length;
  await expect.poll(noticed).toBe(10);
  expect((await left).map(({ status }) => status)).toEqual(Array(10).fill('rejected'));
  proxy.release();
  const events = await subscribe(owner, query);
  await owner.space('Told');
  await expect.poll(() => events.seen).toEqual([{ data: { changes: { id: expect.any(String) } } }]);
  events.close();
});

test('refuses a subscription while the database does not answer', async () => {
  proxy.holdAll();
  const response = await owner.fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
    body: JSON.stringify({ query }),
  });
  expect(await response.text()).toContain('"code":"UNAVAILABLE"');
});

test('a poll that is answered late announces nothing twice', async () => {
  // The server polls over the other connection.
  const own = await startPostgresProxy(direct.databaseUrl);
  onTestFinished(() => own.stop());
  const database = await Database.open(own.url);
  const feed = new ChangeFeed(database);
  const found: number[] = [];
  database.changes.on('change', ({ recordId }) => found.push(recordId));
  await feed.confirm();
  own.holdNext('"Revision"');
  await expect(feed.confirm()).rejects.toThrow('in time');
  const db = direct.database;
  const { id: accountId } = await db.prisma.account.findFirstOrThrow();
  const row = { accountId, keyId: null, at: NOON, action: 'UPDATED', kind: 'SPACE', fields: [] };
  await changing(db, (_tx, record) => record([1, 2, 3].map((recordId) => ({ ...row, recordId }))));
  await feed.confirm();
  await expect.poll(() => found).toEqual([1, 2, 3]);
  own.release();
  await setTimeout(100);
  await feed.confirm();
  expect(found).toEqual([1, 2, 3]);
  await database.close();
});

test('no request joins a question for changes that is older than a second, and its answer serves earlier ones', async () => {
  const own = await startPostgresProxy(direct.databaseUrl);
  onTestFinished(() => own.stop());
  const database = await Database.open(own.url);
  const feed = new ChangeFeed(database);
  // Both connections are open before time counts.
  await Promise.all([feed.confirm(), database.read(sql`SELECT pg_sleep(0.1)`)]);
  own.holdNext('"Revision"');
  const first = feed.confirm();
  await expect.poll(() => own.held).toBe(1);
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 1_001);
  onTestFinished(() => clock.mockRestore());
  await Promise.all([feed.confirm(), first]);
  expect(own.held).toBe(1);
  own.release();
  await database.close();
});
