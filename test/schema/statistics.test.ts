import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
});
afterAll(() => server.stop());

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';

interface Top {
  rows: { value: string | null; clicks: number }[];
  others: number;
}

interface Owner {
  statistics: { hours: object[] };
}

const DIMENSIONS = ['BROWSER', 'OS', 'DEVICE', 'COUNTRY', 'LANGUAGE', 'REFERRER', 'DESTINATION'] as const;
const tops = DIMENSIONS.map((by) => `${by}: top(by: ${by}) { rows { value clicks } others }`).join(' ');

/** The tops of a link as `value clicks`. */
async function topsOf(id: number): Promise<Record<string, string[]>> {
  await server.flush();
  const { link } = await owner.data<{ link: { statistics: Record<string, Top> } }>(
    `query ($id: ID!) { link(id: $id) { statistics { ${tops} } } }`,
    { id },
  );
  return Object.fromEntries(
    Object.entries(link.statistics).map(([by, { rows }]) => [
      by,
      rows.map(({ value, clicks }) => `${value} ${clicks}`),
    ]),
  );
}

test('a visit counts under one value of each dimension', async () => {
  const { id, alias } = await owner.link({ url: 'https://example.com/page?own=1' });
  await visit(server.origin, `/${alias}?utm=x`, {
    headers: {
      'X-Country': 'DE',
      'Accept-Language': 'de-DE,de;q=0.9,en;q=0.8',
      Referer: 'https://www.News.Example:8080/path?secret=1',
    },
  });
  await visit(server.origin, `/${alias}`, { headers: { 'User-Agent': IPHONE } });
  expect(await topsOf(id)).toEqual({
    BROWSER: ['Chrome 1', 'Safari 1'],
    OS: ['Windows 1', 'iOS 1'],
    DEVICE: ['desktop 1', 'mobile 1'],
    COUNTRY: ['DE 1', 'null 1'],
    LANGUAGE: ['de 1', 'null 1'],
    REFERRER: ['news.example 1', 'null 1'],
    DESTINATION: ['https://example.com/page?own=1 2'],
  });
});

test('counts, visitors and bots of a link, its space and its account', async () => {
  const stranger = await server.caller('counted');
  const space = await stranger.space('Launch');
  const { id, alias } = await stranger.link({ space_id: space });
  const day = NOON.toISOString().slice(0, 10);
  for (const address of ['192.0.2.1', '192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8::2'])
    await visit(server.origin, `/${alias}`, { headers: { 'X-Forwarded-For': address } });
  await visit(server.origin, `/${alias}`, { headers: { 'User-Agent': 'Googlebot/2.1' } });
  await visit(server.origin, `/${alias}`, { headers: { DNT: '1', 'X-Forwarded-For': '192.0.2.9' } });
  await visit(server.origin, `/${alias}`, { method: 'HEAD' });
  await server.flush();
  const fields = `statistics(from: "${day}", to: "${day}") { from to clicks visitors bots
    series { start clicks visitors bots } hours: series(interval: HOUR) { clicks visitors bots }
    months: series(interval: MONTH) { start clicks visitors bots }
    browsers: top(by: BROWSER) { rows { value clicks } others } destinations: top(by: DESTINATION, first: 0) { rows { value } others } }`;
  const {
    link,
    space: its,
    viewer,
  } = await stranger.data<Record<'link' | 'space', Owner> & { viewer: { account: Owner } }>(
    `query ($id: ID!, $space: ID!) { link(id: $id) { ${fields} } space(id: $space) { ${fields} } viewer { account { ${fields} } } }`,
    { id, space },
  );
  expect(link.statistics).toMatchObject({
    ...{ from: day, to: day, clicks: 6, visitors: 3, bots: 1 },
    series: [{ start: `${day}T00:00:00.000Z`, clicks: 6, visitors: 3, bots: 1 }],
    months: [{ start: `${day.slice(0, 7)}-01T00:00:00.000Z`, clicks: 6, visitors: 3, bots: 1 }],
    browsers: { rows: [{ value: 'Chrome', clicks: 5 }], others: 0 },
    destinations: { rows: [], others: 6 },
  });
  const hours = link.statistics.hours;
  expect(hours).toHaveLength(24);
  expect(hours[NOON.getUTCHours()]).toEqual({ clicks: 6, visitors: null, bots: 1 });
  expect(its.statistics).toEqual(link.statistics);
  expect(viewer.account.statistics).toEqual(link.statistics);
});
