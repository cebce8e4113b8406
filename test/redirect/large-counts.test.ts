import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countTables } from '../../src/db/statistics/scope.ts';
import { name, sql } from '../../src/engine/db/sql.ts';
import { exportOf, importInto } from '../support/moving.ts';
import { type Caller, type RestLink, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

interface LinkSlice {
  edges: { cursor: string; node: { id: string } }[];
  pageInfo: { hasNextPage: boolean };
}

/** GraphQL's largest Int. */
const MOST = 2_147_483_647;

describe('sums beyond 32 bits', () => {
  let server: TestServer;
  let owner: Caller;
  let space: number;
  let links: RestLink[];
  let visited: number;
  beforeAll(async () => {
    server = await startTestServer();
    owner = await server.caller();
    space = await owner.space('Large');
    links = [];
    const rotation = { target_type: 4, 'rotation[0][value]': 'https://example.com/' };
    for (const form of [{}, {}, {}, rotation]) links.push(await owner.link({ ...form, space_id: space }));
    const visitAll = async () => {
      for (const { alias } of links) visited = (await visit(server.origin, `/${alias}`)).status;
      await visit(server.origin, `/${links[0]?.alias}`, { headers: { 'User-Agent': 'Googlebot/2.1' } });
      await server.flush();
    };
    await visitAll();
    const { prisma } = server.database;
    for (const owner of ['Link', 'Account'])
      for (const { what, sums } of countTables)
        for (const sum of sums)
          await prisma.$executeRaw(sql`UPDATE ${name(`${owner}${what}`)} SET ${name(sum)} = ${MOST}`);
    await prisma.linkCounter.updateMany({ data: { clicks: MOST, turns: MOST, resets: MOST } });
    // Another visitor.
    for (const { alias } of links)
      await visit(server.origin, `/${alias}`, { headers: { 'X-Forwarded-For': '192.0.2.9' } });
    await visitAll();
    await prisma.linkCounter.update({ where: { linkId: links[1]?.id ?? 0 }, data: { clicks: MOST + 9 } });
  });
  afterAll(() => server.stop());

  test('count every visit', async () => {
    const { prisma } = server.database;
    expect(visited).toBe(302);
    const counters = await prisma.linkCounter.findMany({ orderBy: { linkId: 'asc' } });
    expect(counters.map(({ clicks, turns }) => [clicks, turns])).toEqual([
      [MOST + 2, MOST],
      [MOST + 9, MOST],
      [MOST + 2, MOST],
      [MOST + 2, MOST + 2],
    ]);
    expect(await prisma.linkHour.findMany({ where: { linkId: links[0]?.id ?? 0 } })).toMatchObject([
      { clicks: MOST + 2, bots: MOST + 1 },
    ]);
    expect(await prisma.accountDay.findMany()).toMatchObject([
      { clicks: MOST + 8, described: MOST + 8, visitors: MOST + 4, bots: MOST + 1 },
    ]);
    const destinations = { where: { kind: 4 } };
    expect(await prisma.accountMonthValue.findMany(destinations)).toMatchObject([{ clicks: MOST + 8 }]);
    expect(await prisma.linkDayValue.findMany(destinations)).toMatchObject(
      links.map(() => ({ clicks: MOST + 2 })),
    );
  });

  const counts = `clicks visitors bots series(interval: MONTH) { clicks visitors bots } hours: series(interval: HOUR) { clicks bots }
    top(by: DESTINATION) { rows { clicks } others } none: top(by: BROWSER, first: 0) { others }`;

  /** The largest of all numbers in an answer. */
  const largestOf = (answer: unknown): number => {
    if (typeof answer === 'number') return answer;
    return typeof answer === 'object' && answer !== null
      ? Math.max(0, ...Object.values(answer).map(largestOf))
      : 0;
  };

  test.each([
    ['a link', () => `link(id: ${links[0]?.id}) { clicks statistics(from: "2026-11-01") { ${counts} } }`],
    ['a space', () => `space(id: ${space}) { statistics(from: "2026-11-01") { ${counts} } }`],
    ['an account', () => `viewer { account { statistics(from: "2026-11-01") { ${counts} } } }`],
  ])('are at most GraphQL’s largest Int, for %s', async (_owner, query) => {
    const answer = await owner.data<Record<string, unknown>>(`{ ${query()} }`);
    expect(largestOf(answer)).toBe(MOST);
  });

  test.each([
    ['/links', 4],
    ['/links?sort_by=clicks', 4],
    ['/stats/1', 30],
    ['/stats/1?name=destination', 1],
  ])('are at most the same number in v1: %s', async (path, total) => {
    const { status, body } = await owner.rest('GET', path);
    expect([status, (body as { meta: { total: number } }).meta.total]).toEqual([200, total]);
    expect(largestOf(body)).toBe(MOST);
  });

  test('order links, page by page', async () => {
    const seen: string[] = [];
    for (let after: string | null = null; ; ) {
      const { links: page }: { links: LinkSlice } = await owner.data(
        `query ($after: String) { links(first: 1, after: $after, orderBy: { field: CLICKS, direction: DESC }) {
          edges { cursor node { id } } pageInfo { hasNextPage } } }`,
        { after },
      );
      seen.push(...page.edges.map(({ node }) => node.id));
      after = page.edges.at(-1)?.cursor ?? null;
      if (!page.pageInfo.hasNextPage) break;
    }
    expect(seen).toEqual([1, 3, 2, 0].map((index) => String(links[index]?.id)));
  });

  test('are explained and exported as they are, and imported again', async () => {
    expect(await owner.data(`{ explainRedirect(input: { linkId: ${links[0]?.id} }) { outcome } }`)).toEqual({
      explainRedirect: { outcome: 'REDIRECT' },
    });
    const text = await exportOf(server);
    expect(text).toContain(String(MOST + 9));
    const other = await startTestServer();
    await other.caller();
    try {
      await importInto(other, { text });
      expect(await exportOf(other)).toBe(text);
    } finally {
      await other.stop();
    }
  });

  test('show on the page of statistics', async () => {
    const { body } = await visit(server.origin, `/${links[0]?.alias}+`);
    expect(body).toContain((MOST + 2).toLocaleString('en-US'));
  });

  test('are subtracted by a reset', async () => {
    await owner.data(`mutation { resetStatistics(linkId: ${links[0]?.id}) { __typename } }`);
    const { prisma } = server.database;
    expect(await prisma.linkCounter.findFirst({ where: { linkId: links[0]?.id ?? 0 } })).toMatchObject({
      resets: MOST + 1,
    });
    expect(await prisma.accountDay.findMany()).toMatchObject([{ clicks: 6 }]);
  });
});
