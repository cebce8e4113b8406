import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { findRareTrigrams } from '../../src/db/reading/trigrams.ts';
import { cpuTimeOf } from '../support/cpu-time.ts';
import { type Caller, type RestLink, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** Characters with a special meaning in the databases or their indexes, letters in both cases, and multi-byte ones. */
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

test('finds exactly the links whose title contains the text, whatever its characters', async () => {
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
    { numRuns: 40 },
  );
});

test.each([
  ['TITLE', 'summer sale', 'mer sa', { title: 'winter sale' }],
  ['ALIAS', 'summer-sale', 'mer-sa', { alias: 'winter-sale' }],
  ['URL', 'https://summer.example/', 'mer.exa', { url: 'https://winter.example/' }],
])('a search by %s sees changes and deletions', async (searchBy, value, part, change) => {
  const caller = await server.caller();
  const { id } = await caller.link({ url: 'https://example.com/', [searchBy.toLowerCase()]: value });
  expect(await found(caller, part, searchBy)).toEqual([String(id)]);
  await caller.rest('PATCH', `/links/${id}`, change);
  expect(await found(caller, part, searchBy)).toEqual([]);
  expect(await found(caller, 'winter', searchBy)).toEqual([String(id)]);
  await caller.rest('DELETE', `/links/${id}`);
  expect(await found(caller, 'winter', searchBy)).toEqual([]);
});

/** Creates that many links of the account, with titles such as "Common 12". */
async function fill(caller: Caller, name: string, word: string, length: number): Promise<number> {
  const { domain_id: domainId } = await caller.link({ url: 'https://example.com/' });
  const { id: accountId } = await server.database.prisma.account.findUniqueOrThrow({ where: { name } });
  const times = { createdAt: server.clock.now, updatedAt: server.clock.now };
  const url = 'https://example.com/';
  await server.database.prisma.link.createMany({
    data: Array.from({ length }, (_, i) => {
      const [title, alias] = [`${word} ${i}`, `${name}${word}${i}`];
      const keys = { titleKey: title.toLowerCase(), aliasKey: alias.toLowerCase(), urlKey: url };
      return { accountId, domainId: Number(domainId), url, title, alias, ...keys, ...times };
    }),
  });
  return accountId;
}

test('finds the same when most of the text is in most links, and after many new links', async () => {
  const caller = await server.caller('similar');
  const total = async (search: string) =>
    (
      await caller.data<{ linkPage: { total: number } }>(
        'query ($filter: LinkFilter) { linkPage(filter: $filter) { total } }',
        { filter: { search } },
      )
    ).linkPage.total;
  await fill(caller, 'similar', 'Number', 400);
  expect(await total('number 39')).toBe(11);
  expect(await total('number 399')).toBe(1);
  expect(await total('number 400')).toBe(0);
  expect(await total('number')).toBe(400);
  await fill(caller, 'similar', 'Zebra', 600);
  expect(await total('zebra')).toBe(600);
  expect(await total('zebra 59')).toBe(11);
  expect(await total('number 39')).toBe(11);
});

test.runIf(inject('database').provider === 'sqlite')('looks up the rare parts of a text', async () => {
  const caller = await server.caller('rare');
  const accountId = await fill(caller, 'rare', 'Number', 400);
  const rareOf = (text: string) => findRareTrigrams(server.database, { accountId, column: 'titleKey' }, text);
  expect(await rareOf('number')).toEqual([]);
  expect(await rareOf('my number')).toEqual(['my ', 'y n', ' nu']);
  expect(await rareOf('the number')).toEqual(['the', 'e n', ' nu']);
  expect(await rareOf('xy')).toEqual([]);
});

test('finds all links above the limit of single lookups', async () => {
  const caller = await server.caller();
  await fill(caller, 'owner', 'Common', 1100);
  const { linkPage } = await caller.data<{ linkPage: object }>(
    '{ linkPage(filter: { search: "common" }, perPage: 10, page: 110) { total items { title } } }',
  );
  const last = Array.from({ length: 10 }, (_, i) => ({ title: `Common ${9 - i}` }));
  expect(linkPage).toEqual({ total: 1100, items: last });
});

test.runIf(inject('database').provider === 'sqlite')('reads only the few matching links', async () => {
  const caller = await server.caller();
  const [id] = await create(caller, ['A needle']);
  const [, page] = await server.statementsOf(async () => expect(await found(caller, 'needle')).toEqual([id]));
  expect(page).toContain('"id" IN (SELECT "value" FROM json_each(?))');
});

test('does not read links of other accounts, however many there are', async () => {
  await fill(await server.caller('elsewhere'), 'elsewhere', 'foreign', 700);
  const caller = await server.caller('narrow');
  const [id] = await create(caller, ['My foreign link']);
  const searches = Array.from(
    { length: 20 },
    (_, i) => `s${i}: links(filter: { search: "foreign" }) { totalCount edges { node { id } } }`,
  );
  const data = await caller.data<Record<string, unknown>>(`{ ${searches.join(' ')} }`);
  for (const list of Object.values(data))
    expect(list).toEqual({ totalCount: 1, edges: [{ node: { id: String(id) } }] });
});

test.runIf(inject('database').provider === 'sqlite')('accounts share no entries of the index', async () => {
  for (const name of ['one', 'two'])
    await server
      .caller(name)
      .then((caller) => caller.link({ title: 'The same — Ⅷ 𝔸 words', alias: `same-${name}` }));
  const { prisma } = server.database;
  await prisma.$executeRawUnsafe(`CREATE VIRTUAL TABLE "Entry" USING fts5vocab('LinkText', 'instance')`);
  const [entries] = await prisma.$queryRawUnsafe<{ all: unknown; shared: unknown }[]>(
    `SELECT COUNT(*) AS "all", SUM("accounts" > 1) AS "shared"
        FROM (SELECT COUNT(DISTINCT "doc" >> 32) AS "accounts" FROM "Entry" GROUP BY "term")`,
  );
  await prisma.$executeRawUnsafe('DROP TABLE "Entry"');
  expect(Number(entries?.all)).toBeGreaterThan(100);
  expect(Number(entries?.shared)).toBe(0);
});

test.runIf(inject('database').provider === 'postgresql').each(['titleKey', 'aliasKey', 'urlKey'])(
  'has an index for the text of %s per account',
  async (column) => {
    const [plan] = await server.database.prisma.$queryRawUnsafe<{ indexdef: string }[]>(
      `SELECT indexdef FROM pg_indexes WHERE indexname = 'Link_${column}_text'`,
    );
    expect(plan?.indexdef).toMatch(new RegExp(`gin \\("accountId", "${column}" gin_trgm_ops\\)`));
  },
);

test('finds a text as long as the longest URL, at any position', async () => {
  const caller = await server.caller('long');
  const text = `${'ab'.repeat(249)}ac`;
  const start = `https://example.com/${'ab'.repeat(100)}${text}`;
  const whole = `${start}${'x'.repeat(2_048 - start.length)}`;
  const { id } = await caller.link({ url: whole });
  await caller.link({ url: `https://example.com/${'ab'.repeat(600)}` });
  const search = async (wanted: string) => {
    const { body } = await caller.rest('GET', `/links?search_by=url&search=${wanted}`);
    return (body as { data?: RestLink[] }).data?.map((link) => link.id);
  };
  expect(await search(text)).toEqual([id]);
  expect(await search('ab'.repeat(250))).toHaveLength(2);
  expect(await search(whole)).toEqual([id]);
  expect(await search(`${whole.slice(0, -1)}y`)).toEqual([]);
  const { status, body } = await caller.rest('GET', `/links?search_by=url&search=${whole}x`);
  expect([status, body]).toMatchObject([
    422,
    { errors: { search: ['The search field may have at most 2048 characters, not 2049.'] } },
  ]);
  const { links } = await caller.data<{ links: object }>(
    'query ($search: String!) { links(filter: { search: $search, searchBy: URL }) { totalCount } }',
    { search: whole },
  );
  expect(links).toEqual({ totalCount: 1 });
});

test('searches texts with long common parts in little time', async () => {
  const caller = await server.caller('hostile');
  const url = `https://example.com/${'a'.repeat(1_000)}${'b'.repeat(1_000)}`;
  for (let i = 0; i < 40; i++) await caller.link({ url });
  const long = (i: number) => `${'a'.repeat(1_000 + i)}c`;
  const searches = Array.from(
    { length: 8 },
    (_, i) => `s${i}: links(filter: { search: "${long(i)}", searchBy: URL }) { totalCount }`,
  );
  expect(await cpuTimeOf(() => caller.data(`{ ${searches.join(' ')} }`))).toBeLessThan(2_000);
});
