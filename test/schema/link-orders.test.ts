import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { planOf } from '../support/plan.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';

const MANY = 4_000;
const { provider } = inject('database');
let server: TestServer;
let caller: Caller;

const long = `https://example.com/${'é'.repeat(1_300)}`;
/** URLs below and above the size of an index entry, some equal, some with an equal indexed prefix. */
const urls = [
  'b',
  'a',
  'b',
  long,
  `${long}2`,
  `${long}1`,
  long,
  `${long.slice(0, -1)}e`,
  'https://example.com/é',
  'zz',
];

/** Inserts links in one statement: one in forty in a space, one in fifty disabled, and one in fifty expired. */
async function fill(count: number): Promise<void> {
  const { prisma } = server.database;
  const [domain, space] = [await caller.domain('many.example'), await caller.space('Space')];
  const series =
    provider === 'sqlite'
      ? `(WITH RECURSIVE "n"("i") AS (VALUES (1) UNION ALL SELECT "i" + 1 FROM "n" WHERE "i" < ${count}) SELECT "i" FROM "n")`
      : `(SELECT "i" FROM generate_series(1, ${count}) AS "i")`;
  const time = `'2026-01-01T00:00:00.000+00:00'`;
  const number = 'CAST("i" AS text)';
  const timestamp = provider === 'sqlite' ? time : `${time}::timestamp`;
  await prisma.$executeRawUnsafe(`
    INSERT INTO "Link" ("accountId", "domainId", "spaceId", "alias", "aliasKey", "url", "urlKey", "title", "titleKey", "disabled",
      "expiresAt", "createdAt", "updatedAt")
    SELECT 1, ${domain}, CASE WHEN "i" % 40 = 0 THEN ${space} END, ${number}, ${number}, ${number}, ${number}, ${number}, ${number},
      "i" % 50 = 1, CASE WHEN "i" % 50 = 2 THEN ${timestamp} END, ${timestamp}, ${timestamp}
    FROM ${series} AS "numbers"`);
  await prisma.$executeRawUnsafe('ANALYZE');
}

beforeAll(async () => {
  server = await startTestServer();
  caller = await server.caller();
  await fill(MANY);
});
afterAll(() => server.stop());

interface Links {
  links: {
    totalCount: number;
    edges: { cursor: string; node: { id: string; url: string } }[];
  };
}

test.each(['ASC', 'DESC'])('orders links by URL, however long: %s', async (direction) => {
  const other = await server.caller(`long ${direction}`);
  const { id: domainId } = await server.database.prisma.domain.findFirstOrThrow();
  const account = await server.database.prisma.account.findFirstOrThrow({
    where: { name: `long ${direction}` },
  });
  const data = urls.map((url, index) => ({
    accountId: account.id,
    domainId,
    alias: `${direction}${index}`,
    aliasKey: `${direction}${index}`.toLowerCase(),
    url,
    urlKey: url,
    createdAt: NOON,
    updatedAt: NOON,
  }));
  await server.database.prisma.link.createMany({ data });
  const walk = async (size: string, cursor: string) => {
    const found: { id: string; url: string }[] = [];
    for (let from = ''; ; ) {
      const { links } = await other.data<Links>(
        `{ links(${size}: 3${from}, orderBy: { field: URL, direction: ${direction} }) { totalCount edges { cursor node { id url } } } }`,
      );
      const nodes = links.edges.map(({ node }) => node);
      if (size === 'first') found.push(...nodes);
      else found.unshift(...nodes);
      const end = size === 'first' ? links.edges.at(-1) : links.edges.at(0);
      if (!end) return found;
      from = `, ${cursor}: "${end.cursor}"`;
    }
  };
  const forward = await walk('first', 'after');
  const sign = direction === 'ASC' ? 1 : -1;
  const sorted = [...forward].sort(
    (a, b) => sign * (Buffer.compare(Buffer.from(a.url), Buffer.from(b.url)) || Number(a.id) - Number(b.id)),
  );
  expect(forward).toHaveLength(urls.length);
  expect(forward).toEqual(sorted);
  expect(await walk('last', 'before')).toEqual(forward);
});

test('filters links by when they were created, imported ones, too', async () => {
  const other = await server.caller('of a time');
  const lines = [3, 1, 4, 2].map((day) => `https://example.com/,day-${day},2026-03-0${day}T12:00:00Z`);
  await other.data(
    'mutation ($text: String!) { importLinks(text: $text, format: CSV) { results { status } } }',
    { text: ['url,alias,created_at', ...lines].join('\n') },
  );
  const filter = '{ createdFrom: "2026-03-02T12:00:00Z", createdUntil: "2026-03-04T13:00:00+01:00" }';
  const read = (after = '') =>
    other.data<{ links: { totalCount: number; edges: { cursor: string; node: { alias: string } }[] } }>(
      `{ links(first: 1, filter: ${filter}${after}) { totalCount edges { cursor node { alias } } } }`,
    );
  const { links: first } = await read();
  const { links: second } = await read(`, after: "${first.edges[0]?.cursor}"`);
  const found = [first, second].flatMap(({ edges }) => edges.map(({ node }) => node.alias));
  expect([first.totalCount, found]).toEqual([2, ['day-2', 'day-3']]);
});

const plansOf = async (of: string, fields: string) => {
  const statements = await server.statementsOf(() => caller.data(`{ links(first: 5${of}) { ${fields} } }`));
  const plans = await Promise.all(statements.map((one) => planOf(server.database, one)));
  return plans.flat().join('\n');
};

test.each([
  ['by URL', 'orderBy: { field: URL }', ['Link_short_urls', 'Link_long_urls']],
  [
    'by clicks in a space',
    'filter: { spaceId: "1" }, orderBy: { field: CLICKS }',
    ['LinkCounter_accountId_spaceId_clicks_linkId_idx'],
  ],
  ['that are disabled', 'filter: { status: DISABLED }', ['Link_disabled']],
  ['that are expired', 'filter: { status: EXPIRED }', ['Link_ending']],
])('reads a page of links %s from an index in that order', async (_what, of, indexes) => {
  const plan = await plansOf(`, ${of}`, 'edges { node { id title } }');
  for (const index of indexes) expect(plan).toContain(index);
  // Only the pages of the two parts of the list are sorted.
  for (const [, rows] of plan.matchAll(/(?<!Incremental )Sort {2}\(.*rows=(\d+)/g))
    expect(Number(rows)).toBeLessThan(20);
  expect(plan).not.toMatch(/Seq Scan on "(Link|LinkCounter)"|SCAN "?Link/);
});

test.each([
  ['active', ['Link_disabled', 'LinkCounter_ends']],
  ['expired', ['LinkCounter_ends']],
  ['disabled', ['Link_disabled']],
])('reads the total of %s links by indexes', async (status, indexes) => {
  const plan = await plansOf(`, filter: { status: ${status.toUpperCase()} }`, 'totalCount');
  for (const index of indexes) expect(plan).toContain(index);
  expect(plan).not.toMatch(/Seq Scan on "(Link|LinkCounter)"|SCAN "?Link/);
});

test('v1 counts all matches of a search of one or two characters, and a connection up to a limit', async () => {
  const numbers = Array.from({ length: MANY }, (_, index) => String(index + 1));
  const totals = async (search: string) => {
    const { links } = await caller.data<Links>(`{ links(filter: { search: "${search}" }) { totalCount } }`);
    const { body } = await caller.rest('GET', `/links?search=${search}`);
    return [links.totalCount, (body as { meta: { total: number } }).meta.total];
  };
  for (const search of ['1', '99', '111']) {
    const hits = numbers.filter((number) => number.includes(search)).length;
    expect(await totals(search)).toEqual([Math.min(hits, 1_000), hits]);
  }
  expect(numbers.filter((number) => number.includes('1')).length).toBeGreaterThan(1_000);
});
