import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { type Database, openDatabase } from '../../src/db/client.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

/** PostgreSQL is asked each time whether anything changed. SQLite tells it without a statement. */
const question = inject('database').provider === 'sqlite' ? 0 : 1;

let server: TestServer;
let caller: Caller;
let elsewhere: Database;
let id: number;
let alias: string;
beforeAll(async () => {
  server = await startTestServer();
  elsewhere = await openDatabase(server.databaseUrl);
  caller = await server.caller();
});
afterAll(async () => {
  await elsewhere.close();
  await server.stop();
});
beforeEach(async () => {
  server.clock.now = NOON;
  ({ id, alias } = await caller.link({ title: 'Old' }));
});

const QUERY = 'query Shown($id: ID!) { link(id: $id) { title clicks status domain { notFoundUrl } } }';
type Shown = { link: { title: string; clicks: number; status: string } };
const overGraphQL = async (as = caller) => (await as.data<Shown>(QUERY, { id })).link;
const overV1 = async (as = caller) =>
  (await as.rest('GET', `/links/${id}`)).body as { data: { title: string; clicks: number; state: number } };

const surfaces = [
  ['GraphQL', overGraphQL],
  ['v1', async (as?: Caller) => (await overV1(as)).data],
] as const;

describe.each(surfaces)('over %s', (surface, show) => {
  test('what is asked again is not read again while nothing changes', async () => {
    const read = await show();
    const again = async () => {
      const statements = await server.statementsOf(async () => expect(await show()).toEqual(read));
      return statements.length;
    };
    // On PostgreSQL the databases of other tests, on the same server, change what a snapshot is called.
    await expect.poll(again).toBe(question);
  });

  test('a kept answer is logged and named like any other', async () => {
    for (let asked = 0; asked < 3; asked++) await show();
    const operation = surface === 'v1' ? 'GET /links/:id' : 'Shown';
    const named = () => server.log.filter((line) => line.operation === operation).slice(-3);
    await expect.poll(() => named().length).toBe(3);
    expect(new Set(named().map(({ requestId }) => requestId)).size).toBe(3);
  });

  const data = { title: 'New' };
  test.each([
    [
      'over GraphQL',
      () => caller.data(`mutation { updateLink(id: ${id}, input: {title: "New"}) { __typename } }`),
    ],
    ['over v1', () => caller.rest('PATCH', `/links/${id}`, data)],
    ['by another process', () => elsewhere.client.link.update({ where: { id }, data })],
    [
      'by many statements of another process',
      () =>
        elsewhere.client.$transaction([
          elsewhere.client.link.update({ where: { id }, data: { title: 'Middle' } }),
          elsewhere.client.link.update({ where: { id }, data }),
        ]),
    ],
  ])('a change %s is seen at once', async (_how, change) => {
    for (let asked = 0; asked < 3; asked++) expect(await show()).toMatchObject({ title: 'Old' });
    await change();
    for (let asked = 0; asked < 3; asked++) expect(await show()).toMatchObject({ title: 'New' });
  });

  test('clicks are seen as soon as they are written', async () => {
    for (let asked = 0; asked < 3; asked++) await show();
    await visit(server.origin, `/${alias}`);
    await server.flush();
    expect(await show()).toMatchObject({ clicks: 1 });
  });

  test('a link ends while its answer is kept', async () => {
    await caller.rest('PATCH', `/links/${id}`, { expiration_date: '2026-11-20', expiration_time: '12:30' });
    const [active, expired] =
      surface === 'v1' ? [{ state: 1 }, { state: 2 }] : [{ status: 'ACTIVE' }, { status: 'EXPIRED' }];
    for (let asked = 0; asked < 3; asked++) expect(await show()).toMatchObject(active);
    server.clock.now = new Date('2026-11-20T12:30:00Z');
    expect(await show()).toMatchObject(expired);
  });

  test('no other key gets a kept answer', async () => {
    for (let asked = 0; asked < 3; asked++) await show();
    const stranger = await server.caller('stranger');
    if (surface === 'v1') expect((await stranger.rest('GET', `/links/${id}`)).status).toBe(404);
    else expect(await stranger.data(QUERY, { id })).toEqual({ link: null });
  });
});

test('what is written to either of two servers is read from both, whoever asked before', async () => {
  const other = await startTestServer({ url: server.databaseUrl });
  try {
    const there = other.callerWith(caller.key);
    for (let round = 0; round < 25; round++) {
      const title = `Round ${round}`;
      const writer = round % 2 ? caller : there;
      const early = [overGraphQL(caller), overGraphQL(there), overV1(there)];
      await writer.rest('PATCH', `/links/${id}`, { title });
      const late = await Promise.all([overGraphQL(caller), overGraphQL(there), overGraphQL(caller)]);
      expect(late.map((link) => link.title)).toEqual([title, title, title]);
      expect((await overV1(writer)).data.title).toBe(title);
      await Promise.all(early);
    }
  } finally {
    await other.stop();
  }
});

test('what failed is asked again', async () => {
  const space = await caller.space('Space');
  await caller.rest('PATCH', `/links/${id}`, { space_id: space });
  const query = `{ link(id: "${id}") { space { links(first: 1000) { totalCount } } } }`;
  const ask = async () => expect((await caller.graphql(query)).errors).toHaveLength(1);
  for (let asked = 0; asked < 3; asked++) await ask();
  expect(await server.statementsOf(ask)).toHaveLength(1 + question);
});
