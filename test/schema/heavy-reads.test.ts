import { afterAll, beforeAll, expect, test } from 'vitest';
import { LongReads } from '../../src/engine/lists/long-reads.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let caller: Caller;
beforeAll(async () => {
  server = await startTestServer();
  caller = await server.caller();
  const { prisma } = server.database;
  const { accountId, domainId } = await prisma.link.findFirstOrThrow({
    where: { id: (await caller.link()).id },
  });
  const times = { createdAt: server.clock.now, updatedAt: server.clock.now };
  const data = Array.from({ length: 500 }, (_, i) => {
    const [alias, url] = [`a${i}`, `https://example.com/${i}/${'x'.repeat(1_900)}`];
    return { accountId, domainId, alias, aliasKey: alias, url, urlKey: url, ...times };
  });
  await prisma.link.createMany({ data });
});
afterAll(() => server.stop());

const many = (count: number, field: string) =>
  `{ ${Array.from({ length: count }, (_, i) => `a${i}: ${field}`).join(' ')} }`;

const since = 'updatedSince: "2020-01-01T00:00:00Z"';

test.each([
  [
    '190 late pages with a filter',
    many(190, `linkPage(page: 990, filter: { ${since} }, orderBy: { field: URL }) { items { id } }`),
  ],
  [
    '190 totals with two filters',
    many(190, `links(first: 1, filter: { status: EXPIRED, ${since} }) { totalCount }`),
  ],
  [
    '190 looks beyond a page with a filter',
    many(190, `links(last: 1, filter: { ${since} }) { pageInfo { hasPreviousPage } }`),
  ],
  ['40 searches', many(40, 'links(first: 1, filter: { search: "abc" }) { nodes { id } }')],
])('refuses %s in one operation', async (_what, query) => {
  const { data, errors } = await caller.graphql(query);
  expect([data, errors?.[0]?.extensions.code]).toEqual([undefined, 'TOO_COSTLY']);
});

test.each([
  [
    'a page after the last one',
    '{ linkPage(page: 2147483647, perPage: 100) { items { id url title } total } }',
  ],
  [
    'the last full page of a large account, with a filter and an order',
    `{ linkPage(page: 990, perPage: 100, filter: { search: "a", status: ACTIVE }, orderBy: { field: URL }) { total items {
      id url title shortUrl status domain { name } space { name } pixels { id name } targeting { rotation countries { country url } } } } }`,
  ],
  [
    'a search in each of twenty spaces, with totals',
    '{ spaces { nodes { links(filter: { search: "abc" }) { totalCount nodes { id url title } } } } }',
  ],
  [
    'expired links of a hundred spaces, with totals',
    '{ spaces(first: 100) { nodes { links(filter: { status: EXPIRED }) { totalCount nodes { id } } } } }',
  ],
])('accepts %s', async (_what, query) => {
  expect((await caller.graphql(query)).errors).toBeUndefined();
});

test('serves others while one operation reads a lot', async () => {
  const query = many(
    40,
    `linkPage(page: 90, filter: { ${since} }, orderBy: { field: URL }) { items { id } }`,
  );
  let ended = false;
  const heavy = caller.graphql(query).finally(() => {
    ended = true;
  });
  let served = 0;
  while (!ended) {
    await caller.fetch('/livez');
    served++;
  }
  expect((await heavy).errors).toBeUndefined();
  // One request before it and one after it are served in any case.
  expect(served).toBeGreaterThan(5);
});

test('refuses long reads of one account above its limit of waiting ones, and serves other accounts', async () => {
  const db = server.database;
  const { accountId } = await db.prisma.link.findFirstOrThrow();
  const read = Promise.withResolvers<void>();
  // A read that lasts, and counts for as many requests as it has reads.
  const reading = new LongReads(db, accountId, new AbortController().signal).take(() => read.promise);
  const query = '{ links(first: 1, filter: { search: "abc" }) { totalCount } }';
  let refused = 0;
  const all = Array.from({ length: 60 }, async () => {
    const { status, errors } = await caller.graphql(query);
    if (errors) refused++;
    return [status, errors?.[0]?.extensions.code];
  });
  await expect.poll(() => refused).toBe(11);
  const other = await server.caller('another account');
  expect(await other.data(query)).toEqual({ links: { totalCount: 0 } });
  read.resolve();
  await reading;
  const answers = await Promise.all(all);
  expect(answers.filter(([status]) => status === 429)).toEqual(Array(11).fill([429, 'RATE_LIMITED']));
  expect(answers.filter(([status]) => status === 200)).toHaveLength(49);
});
