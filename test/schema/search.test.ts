import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** What the databases or their indexes could take for more than itself, letters of two cases, and some of several bytes. */
const text = (minLength: number) =>
  fc.string({ unit: fc.constantFrom(...'aAbB %_\\"\'*:^-()[]ÄäЖж漢🎈'), minLength, maxLength: 8 });

async function create(caller: Caller, titles: string[]): Promise<string[]> {
  const { createLinks } = await caller.data<{ createLinks: { id: string }[] }>(
    'mutation ($inputs: [CreateLinkInput!]!) { createLinks(inputs: $inputs) { ... on Link { id } } }',
    { inputs: titles.map((title) => ({ url: 'https://example.com/', title })) },
  );
  return createLinks.map(({ id }) => id);
}

async function found(caller: Caller, search: string, searchBy = 'TITLE'): Promise<string[]> {
  const { linkPage } = await caller.data<{ linkPage: { total: number; items: { id: string }[] } }>(
    `query ($filter: LinkFilter) {
      linkPage(filter: $filter, perPage: 100, orderBy: { field: ID, direction: ASC }) { total items { id } }
    }`,
    { filter: { search, searchBy } },
  );
  const ids = linkPage.items.map(({ id }) => id);
  expect(linkPage.total).toBe(ids.length);
  return ids;
}

test('finds just the links whose title contains the text, whatever it is of', async () => {
  const caller = await server.caller();
  const titles = fc.sample(text(3), { numRuns: 100, seed: 7 });
  const ids = await create(caller, titles);
  await fc.assert(
    fc.asyncProperty(text(1), fc.nat(titles.length - 1), fc.nat(5), async (random, index, start) => {
      const part = [...(titles[index] ?? '')].slice(start).join('');
      for (const search of [random, part].filter((search) => search.trim() === search && search !== '')) {
        const holds = (title: string) => title.trim().toLowerCase().includes(search.toLowerCase());
        expect(await found(caller, search)).toEqual(ids.filter((_, i) => holds(titles[i] ?? '')));
      }
    }),
    { numRuns: 60 },
  );
});

test.each([
  ['TITLE', 'summer sale', 'mer sa', { title: 'winter sale' }],
  ['ALIAS', 'summer-sale', 'mer-sa', { alias: 'winter-sale' }],
  ['URL', 'https://summer.example/', 'mer.exa', { url: 'https://winter.example/' }],
])('a search by %s follows changes and deletions', async (searchBy, value, part, change) => {
  const caller = await server.caller();
  const { id } = await caller.link({ url: 'https://example.com/', [searchBy.toLowerCase()]: value });
  expect(await found(caller, part, searchBy)).toEqual([String(id)]);
  await caller.rest('PATCH', `/links/${id}`, change);
  expect(await found(caller, part, searchBy)).toEqual([]);
  expect(await found(caller, 'winter', searchBy)).toEqual([String(id)]);
  await caller.rest('DELETE', `/links/${id}`);
  expect(await found(caller, 'winter', searchBy)).toEqual([]);
});

test('finds all of more links than it would look up one by one', async () => {
  const caller = await server.caller();
  const { domain_id: domainId } = await caller.link();
  const { id: accountId } = await server.database.client.account.findUniqueOrThrow({
    where: { name: 'owner' },
  });
  const times = { createdAt: server.clock.now, updatedAt: server.clock.now };
  const url = 'https://example.com/';
  await server.database.client.link.createMany({
    data: Array.from({ length: 1100 }, (_, i) => {
      const [title, alias] = [`Common ${i}`, `many${i}`];
      const keys = { titleKey: title.toLowerCase(), aliasKey: alias, urlKey: url };
      return { accountId, domainId: Number(domainId), url, title, alias, ...keys, ...times };
    }),
  });
  const { linkPage } = await caller.data<{ linkPage: object }>(
    '{ linkPage(filter: { search: "common" }, perPage: 10, page: 110) { total items { title } } }',
  );
  const last = Array.from({ length: 10 }, (_, i) => ({ title: `Common ${9 - i}` }));
  expect(linkPage).toEqual({ total: 1100, items: last });
});

test.runIf(inject('database').provider === 'sqlite')('reads the few links that the index names', async () => {
  const caller = await server.caller();
  const [id] = await create(caller, ['A needle']);
  const [, page] = await server.statementsOf(async () => expect(await found(caller, 'needle')).toEqual([id]));
  expect(page).toContain('"id" IN (?)');
});

test.runIf(inject('database').provider === 'postgresql').each(['titleKey', 'aliasKey', 'urlKey'])(
  'has an index for the texts in %s',
  async (column) => {
    const plan = await server.database.client.$transaction(async (db) => {
      await db.$executeRawUnsafe('SET LOCAL enable_seqscan = off');
      return db.$queryRawUnsafe(`EXPLAIN SELECT * FROM "Link" WHERE "${column}" LIKE '%abc%' ESCAPE '\\'`);
    });
    expect(JSON.stringify(plan)).toContain(`Link_${column}_text`);
  },
);
