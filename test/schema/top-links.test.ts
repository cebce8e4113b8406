import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Day } from '../../src/db/statistics/calendar.ts';
import { readTopLinks } from '../../src/db/statistics/read-top-links.ts';
import { dimensionValues } from '../../src/domain/statistics/dimension.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';
import { BROWSER, visit } from '../support/visit.ts';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller('top');
});
afterAll(() => server.stop());

interface TopLinks {
  nodes: { link: { id: string }; clicks: number }[];
}

interface Counted {
  id: string;
  statistics: { clicks: number; top: { rows: { value: string | null; clicks: number }[] } };
}

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const TODAY = NOON.toISOString().slice(0, 10);

/** Visits of a link, each on a day before noon of the service's clock. */
async function visited(
  alias: string,
  times: number,
  headers: Record<string, string> = {},
  daysAgo = 0,
): Promise<void> {
  server.clock.now = new Date(NOON.getTime() - daysAgo * 86_400_000);
  for (let i = 0; i < times; i++) await visit(server.origin, `/${alias}`, { headers });
  server.clock.now = NOON;
}

/** The ids and clicks of an owner's top links. */
async function topOf(caller: Caller, args: string, parent = 'viewer { account'): Promise<string[]> {
  const close = '}'.repeat(parent.split('{').length);
  const data = await caller.data<Record<string, { topLinks?: TopLinks; account?: { topLinks: TopLinks } }>>(
    `{ ${parent} { topLinks${args} { nodes { link { id } clicks } } } ${close}`,
  );
  const [found] = Object.values(data);
  return ((found?.account ?? found)?.topLinks?.nodes ?? []).map(({ link, clicks }) => `${link.id} ${clicks}`);
}

test('returns the links with the most clicks, of equal ones the newest first, of a space and of the account', async () => {
  const caller = await server.caller('first');
  const space = await caller.space('Launch');
  const tag = await caller.tag('Spring');
  const grouped = { space_id: space, 'tag_ids[]': tag };
  const a = await caller.link(grouped);
  const b = await caller.link();
  const c = await caller.link(grouped);
  await caller.link({ space_id: space });
  await visited(a.alias, 2);
  await visited(b.alias, 3);
  await visited(c.alias, 2);
  await visited(c.alias, 9, {}, 40);
  await server.flush();
  expect(await topOf(caller, '')).toEqual([`${b.id} 3`, `${c.id} 2`, `${a.id} 2`]);
  expect(await topOf(caller, '(first: 1)')).toEqual([`${b.id} 3`]);
  expect(await topOf(caller, '(first: 0)')).toEqual([]);
  expect(await topOf(caller, '(from: "2026-01-01")')).toEqual([`${c.id} 11`, `${b.id} 3`, `${a.id} 2`]);
  for (const group of [`space(id: ${space})`, `tag(id: ${tag})`])
    expect(await topOf(caller, '', group)).toEqual([`${c.id} 2`, `${a.id} 2`]);
});

test('counts only clicks with one value, or whose value is unknown', async () => {
  const caller = await server.caller('values');
  const space = await caller.space('Values');
  const a = await caller.link({ space_id: space, url: 'https://example.com/a' });
  const b = await caller.link({ space_id: space, url: 'https://example.com/b' });
  await visited(a.alias, 2, {
    'X-Country': 'DE',
    'Accept-Language': 'de',
    Referer: 'https://news.example/x',
  });
  await visited(a.alias, 1, { 'X-Country': 'DE', 'Accept-Language': 'en', 'User-Agent': FIREFOX });
  await visited(b.alias, 4, { 'Accept-Language': 'en', 'User-Agent': BROWSER });
  await visited(b.alias, 1, { 'X-Country': 'DE' });
  await visited(b.alias, 2, { DNT: '1', 'X-Country': 'DE' });
  await server.flush();
  for (const [dimension, value, expected] of [
    ['COUNTRY', '"DE"', [`${a.id} 3`, `${b.id} 1`]],
    ['COUNTRY', 'null', [`${b.id} 4`]],
    ['LANGUAGE', '"en"', [`${b.id} 4`, `${a.id} 1`]],
    ['BROWSER', '"Firefox"', [`${a.id} 1`]],
    ['REFERRER', '"news.example"', [`${a.id} 2`]],
    ['REFERRER', 'null', [`${b.id} 5`, `${a.id} 1`]],
    ['DESTINATION', '"https://example.com/b"', [`${b.id} 7`]],
    ['DESTINATION', 'null', []],
    ['OS', '"OS/2"', []],
  ] as const) {
    const args = `(by: { dimension: ${dimension}, value: ${value} })`;
    expect(await topOf(caller, args), args).toEqual(expected);
    expect(await topOf(caller, args, `space(id: ${space})`), args).toEqual(expected);
  }
});

test('finds the same links however few it counts one by one', async () => {
  const links = [];
  for (let i = 0; i < 12; i++) links.push(await owner.link());
  // Many had their clicks long ago, and none is first in both periods.
  for (const [i, { alias }] of links.entries())
    for (const [daysAgo, times] of [
      [200, 12 - i],
      [70, i % 5],
      [20, (i * 7) % 4],
      [3, i % 3],
    ] as const)
      await visited(alias, times, { 'X-Country': ['DE', 'FR', ''][(i + daysAgo) % 3] ?? '' }, daysAgo);
  const stranger = await server.caller('stranger');
  const other = await stranger.link();
  await visited(other.alias, 9, { 'X-Country': 'FR' }, 3);
  await server.flush();
  const accountId = Number(
    (await owner.data<{ viewer: { account: { id: string } } }>('{ viewer { account { id } } }')).viewer
      .account.id,
  );
  for (const from of [20260401, 20260915, 20261101, 20261117]) {
    const text = `${from}`.replace(/(....)(..)(..)/, '$1-$2-$3');
    const all = await owner.data<{ links: { nodes: Counted[] } }>(
      `{ links(first: 100) { nodes { id statistics(from: "${text}") { clicks top(by: COUNTRY) { rows { value clicks } } } } } }`,
    );
    for (const by of [undefined, 'DE', 'FR', null]) {
      const clicksOf = ({ statistics: { clicks, top } }: Counted) =>
        by === undefined ? clicks : (top.rows.find(({ value }) => value === by)?.clicks ?? 0);
      const counted = all.links.nodes.flatMap((link) => {
        const clicks = clicksOf(link);
        return clicks > 0 ? [{ id: accountId, linkId: Number(link.id), clicks }] : [];
      });
      counted.sort((a, b) => b.clicks - a.clicks || b.linkId - a.linkId);
      const value = by === undefined ? null : { ...dimensionValues.COUNTRY, value: by };
      for (const limit of [1, 3, 20])
        for (const limits of [
          { first: 1_000, most: 1_000 },
          { first: 2, most: 12 },
          { first: 2, most: 6 },
          { first: 1, most: 1 },
        ]) {
          const days = { from: from as Day, to: 20261120 as Day };
          const asked = { accountId, by: value, limit };
          expect(
            await readTopLinks(server.database, 'account', days, [accountId], asked, limits),
            JSON.stringify({ from, by, limit, limits }),
          ).toEqual(counted.slice(0, limit));
        }
    }
  }
});

test('clicksIn is the number of clicks of a period', async () => {
  const { id, alias } = await owner.link();
  await visited(alias, 2);
  await visited(alias, 1, {}, 40);
  await server.flush();
  const { link } = await owner.data<{ link: object }>(
    `{ link(id: ${id}) { clicks clicksIn today: clicksIn(from: "${TODAY}") both: clicksIn(from: "2026-10-01", to: "${TODAY}") } }`,
  );
  expect(link).toEqual({ clicks: 3, clicksIn: 2, today: 2, both: 3 });
});

test('a list of spaces or links takes as many statements as one of them', async () => {
  const many = await server.caller('many-top');
  for (let i = 0; i < 20; i++) {
    const { alias } = await many.link({ space_id: await many.space(`Space ${i}`) });
    await visited(alias, 1, { 'X-Country': 'DE' });
  }
  await server.flush();
  for (const [list, fields] of [
    ['links', 'clicksIn'],
    ['spaces', 'topLinks { nodes { link { id title } clicks } }'],
    ['spaces', 'topLinks(by: { dimension: COUNTRY, value: "DE" }) { nodes { link { id title } clicks } }'],
  ] as const) {
    const cost = async (first: number) =>
      (await server.statementsOf(() => many.data(`{ ${list}(first: ${first}) { nodes { id ${fields} } } }`)))
        .length;
    const two = await cost(2);
    expect(two, fields).toBeLessThanOrEqual(5);
    expect(await cost(20), fields).toBe(two);
  }
});

test('a wrong period, number or value is an error that names the argument', async () => {
  const space = await owner.space('Wrong');
  for (const [args, field] of [
    ['(from: "2026-11-20", to: "2026-11-01")', 'from'],
    ['(first: 101)', 'first'],
    [`(by: { dimension: REFERRER, value: "${'x'.repeat(9_000)}" })`, 'value'],
  ] as const) {
    const response = await owner.fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: `{ space(id: ${space}) { topLinks${args} { nodes { clicks } } } }` }),
    });
    const body = (await response.json()) as { data: unknown; errors: { extensions: { code: string } }[] };
    expect(body.data, args).toEqual({ space: null });
    expect(body.errors[0]?.extensions.code, args).toBe('VALIDATION');
    expect(JSON.stringify(body.errors), args).toContain(field);
  }
});

test('forgets the clicks of deleted and reset links', async () => {
  const caller = await server.caller('deleted');
  const [a, b, c] = [await caller.link(), await caller.link(), await caller.link()];
  for (const { alias } of [a, b, c]) await visited(alias, 1, { 'X-Country': 'DE' });
  await server.flush();
  await caller.data(
    `mutation { deleteLink(id: ${a.id}) { __typename } resetStatistics(linkId: ${b.id}) { __typename } }`,
  );
  for (const args of ['', '(by: { dimension: COUNTRY, value: "DE" })'])
    expect(await topOf(caller, args)).toEqual([`${c.id} 1`]);
});
