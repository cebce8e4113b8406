import { afterAll, beforeAll, expect, test } from 'vitest';
import { StatisticsReader } from '../../src/db/statistics/reader.ts';
import { removeHost } from '../../src/domain/short-domain/admin.ts';
import { pageOfStatistics } from '../../src/domain/statistics/pages.ts';
import { Statistics } from '../../src/domain/statistics/statistics.ts';
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

interface Shown {
  hours: { clicks: number }[];
  top: { rows: { value: string }[] };
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

test('returns counts, visitors and bots of a link, its space and its account', async () => {
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
    from: day,
    to: day,
    clicks: 6,
    visitors: 3,
    bots: 1,
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

test('a list of links or spaces takes as many statements as one of them', async () => {
  const many = await server.caller('many');
  for (let i = 0; i < 20; i++) await many.link({ space_id: await many.space(`Space ${i}`) });
  const fields = `statistics(from: "2025-11-21", to: "2026-11-20") { clicks visitors bots series { clicks } months: series(interval: MONTH) { clicks }
    top(by: BROWSER) { rows { value clicks } others } destinations: top(by: DESTINATION) { others } }`;
  for (const list of ['links', 'spaces']) {
    const cost = async (first: number) =>
      (
        await server.statementsOf(() =>
          many.data(
            `query ($first: Int) { ${list}(first: $first) { edges { node { id ${list === 'links' ? fields : fields.replace('series { clicks }', '')} } } } }`,
            { first },
          ),
        )
      ).length;
    const two = await cost(2);
    expect(two, list).toBeLessThanOrEqual(6);
    expect(await cost(20), list).toBe(two);
  }
});

test('reads only selected statistics', async () => {
  const { id } = await owner.link();
  const read = (fields: string) =>
    server.statementsOf(() => owner.data(`{ link(id: ${id}) { statistics { ${fields} } } }`));
  expect(await read('from to')).toHaveLength(1);
  expect(await read('clicks visitors bots')).toHaveLength(2);
  expect(await read('series { start }')).toHaveLength(2);
  expect(await read(tops)).toHaveLength(3);
});

test('answers the same question several times, and many at once', async () => {
  const { id, alias } = await owner.link();
  for (let i = 0; i < 3; i++) await visit(server.origin, `/${alias}`, { headers: { 'X-Country': 'DE' } });
  await server.flush();
  const sizes = Array.from({ length: 30 }, (_, i) => i + 1);
  const fields = sizes.map((first) => `top${first}: top(by: COUNTRY, first: ${first}) { ...Top }`).join(' ');
  const { link } = await owner.data<{ link: { statistics: Record<string, Top> } }>(`
    { link(id: ${id}) { statistics { ${fields} again: top(by: COUNTRY, first: 1) { ...Top } } } }
    fragment Top on StatisticsTop { rows { value clicks } others }`);
  for (const top of Object.values(link.statistics))
    expect(top).toEqual({ rows: [{ value: 'DE', clicks: 3 }], others: 0 });
});

test('answers questions about more links than one statement can have', async () => {
  const many = await server.caller('pages');
  const { id } = await many.link({ alias: 'first-of-many' });
  await visit(server.origin, '/first-of-many');
  await server.flush();
  const { prisma } = server.database;
  const { id: _, ...like } = await prisma.link.findUniqueOrThrow({ where: { id } });
  const names = Array.from({ length: 550 }, (_, i) => `many-${i}`);
  await prisma.link.createMany({ data: names.map((alias) => ({ ...like, alias, aliasKey: alias })) });
  const pages = [1, 2, 3, 4, 5, 6].map(
    (page) =>
      `p${page}: linkPage(page: ${page}, perPage: 100, orderBy: { field: ID, direction: ASC }) { items { statistics { top(by: BROWSER, first: 1) { rows { clicks } } } } }`,
  );
  const found = await many.data<Record<string, { items: { statistics: { top: Top } }[] }>>(
    `{ ${pages.join(' ')} }`,
  );
  const all = Object.values(found).flatMap(({ items }) => items.map(({ statistics }) => statistics.top.rows));
  expect(all).toHaveLength(551);
  expect(all.flat()).toEqual([{ clicks: 1 }]);
});

test.each([
  ['(from: "tomorrow")', 'clicks', 'from'],
  ['(from: 5)', 'clicks', 'from'],
  ['(from: {a: 1})', 'clicks', 'from'],
  ['(from: ["2026-11-20"])', 'clicks', 'from'],
  ['(to: "")', 'clicks', 'to'],
  ['(to: "2026-02-29")', 'clicks', 'to'],
  ['(from: "2026-11-21", to: "2026-11-20")', 'clicks', 'from'],
  ['(from: "2016-11-19", to: "2026-11-20")', 'clicks', 'from'],
  ['(from: "2026-10-01", to: "2026-11-20")', 'series(interval: HOUR) { clicks }', 'interval'],
  ['', 'top(by: BROWSER, first: 101) { others }', 'first'],
  ['', 'top(by: BROWSER, first: -1) { others }', 'first'],
  ['', 'rowPage(of: BROWSER, perPage: 0) { total }', 'perPage'],
  ['', 'rowPage(of: BROWSER, perPage: 10001) { total }', 'perPage'],
])('refuses statistics%s { %s } and names %s', async (period, fields, argument) => {
  const { id } = await owner.link();
  const { data, errors } = await owner.graphql(`{ link(id: ${id}) { statistics${period} { ${fields} } } }`);
  expect(data).toEqual({ link: null });
  expect(errors?.[0]?.extensions).toMatchObject({
    code: 'VALIDATION',
    fields: [{ path: [argument] }],
  });
});

test('a wrong period makes the parent null, or the next one above that can be null', async () => {
  const { id } = await owner.link({ space_id: await owner.space('Measured') });
  const wrong = 'statistics(from: "2026-13-01") { clicks }';
  for (const [query, expected] of [
    [`{ link(id: ${id}) { title ${wrong} } __typename }`, { link: null, __typename: 'Query' }],
    [`{ link(id: ${id}) { space { ${wrong} } } }`, { link: { space: null } }],
    [`{ links { nodes { ${wrong} } } }`, null],
    [`{ viewer { account { ${wrong} } } }`, null],
  ] as const)
    expect((await owner.graphql(query)).data).toEqual(expected);
});

test.each([{ toString: 1 }, [{ toString: null }], ['2026-11-20'], 20261120, true])(
  'refuses a day given as the variable %j',
  async (from) => {
    const { id } = await owner.link();
    const { errors } = await owner.graphql(
      'query ($id: ID!, $from: Date) { link(id: $id) { statistics(from: $from) { clicks } } }',
      { id, from },
    );
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION', fields: [{ path: ['from'] }] });
  },
);

test.each([
  ['', 30],
  ['(from: "2026-11-20")', 1],
  ['(to: "2026-03-01")', 30],
  ['(from: "2024-02-28", to: "2024-03-01")', 3],
  ['(from: "2016-11-20", to: "2026-11-20")', 3653],
])('statistics%s has a point for each of %i days', async (period, days) => {
  server.clock.now = NOON;
  const { id } = await owner.link();
  const { link } = await owner.data<{
    link: { statistics: { from: string; to: string; series: { start: string }[] } };
  }>(`{ link(id: ${id}) { statistics${period} { from to series { start } } } }`);
  const { series, from, to } = link.statistics;
  expect(series).toHaveLength(days);
  expect([series.at(0)?.start.slice(0, 10), series.at(-1)?.start.slice(0, 10)]).toEqual([from, to]);
});

test('the cost grows with the buckets, the rows and the links', async () => {
  const cost = async (query: string) => {
    const response = await owner.fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query, extensions: { cost: true } }),
    });
    const body = (await response.json()) as {
      extensions?: { cost: { cost: number } };
      errors?: { extensions: object }[];
    };
    return body.extensions?.cost.cost ?? body.errors?.[0]?.extensions;
  };
  const ofLinks = (first: number, period: string, fields: string) =>
    `{ links(first: ${first}) { edges { node { statistics${period} { ${fields} } } } } }`;
  const series = 'series { clicks }';
  const month = await cost(ofLinks(1, '(from: "2026-11-01", to: "2026-11-30")', series));
  const year = await cost(ofLinks(1, '(from: "2025-12-01", to: "2026-11-30")', series));
  expect(Number(year) - Number(month)).toBeGreaterThanOrEqual(335 * 2);
  const ten = await cost(ofLinks(10, '(from: "2025-12-01", to: "2026-11-30")', series));
  expect(Number(ten)).toBeGreaterThan(9 * Number(year));
  const [few, many] = [
    await cost(ofLinks(1, '', 'top(by: OS, first: 1) { rows { value } }')),
    await cost(ofLinks(1, '', 'top(by: OS, first: 100) { rows { value } }')),
  ];
  expect(Number(many) - Number(few)).toBeGreaterThan(99 * 5);
  expect(await cost(ofLinks(100, '(from: "2016-12-01", to: "2026-11-30")', series))).toMatchObject({
    code: 'TOO_COSTLY',
  });
  const decade = '(from: "2016-12-01", to: "2026-11-30")';
  const rowPage = (times: number) =>
    ofLinks(
      33,
      decade,
      Array.from({ length: times }, (_, i) => `a${i}: rowPage(of: DAYS) { total }`).join(' '),
    );
  expect(await cost(rowPage(2))).toBeLessThan(300_000);
  expect(await cost(rowPage(25))).toMatchObject({ code: 'TOO_COSTLY' });
  const fragment = `fragment S on Statistics { ${series} } query { links(first: 100) { edges { node { a: statistics(from: "2026-11-20") { ...S } b: statistics(from: "2016-12-01", to: "2026-11-30") { ...S } } } } }`;
  expect(await cost(fragment)).toMatchObject({ code: 'TOO_COSTLY' });
});

test('computes the days of a period once, however many fields show them', async () => {
  const { id } = await owner.link();
  const reader = new StatisticsReader(server.database);
  const statistics = new Statistics(reader, 'link', id, { from: '2026-11-01', to: '2026-11-03' }, NOON);
  const before = await statistics.series('DAY');
  await pageOfStatistics(statistics, { of: 'DAYS' });
  const after = await statistics.series('DAY');
  expect(after).toBe(before);
  expect(after.map(({ time }) => time)).toEqual([20261101, 20261102, 20261103]);
});

test('shows the statistics to the owner whatever the privacy, and to nobody else', async () => {
  const { id } = await owner.link({ privacy: 1 });
  const query = `{ link(id: ${id}) { statistics { clicks } } }`;
  expect(await owner.data(query)).toEqual({ link: { statistics: { clicks: 0 } } });
  const stranger = await server.caller('stranger');
  expect(await stranger.data(query)).toEqual({ link: null });
});

test('resetStatistics deletes the statistics, but not the clicks', async () => {
  const resetting = await server.caller('resetting');
  const links = [await resetting.link(), await resetting.link()];
  for (const { alias } of links) for (let i = 0; i < 3; i++) await visit(server.origin, `/${alias}`);
  await server.flush();
  const id = links[0]?.id ?? 0;
  const reset = `mutation ($id: ID!) { resetStatistics(linkId: $id) {
    __typename ... on Link { clicks statistics { clicks visitors top(by: BROWSER) { rows { value } } } } ... on NotFoundError { code } } }`;
  expect(await owner.data(reset, { id })).toEqual({
    resetStatistics: { __typename: 'NotFoundError', code: 'NOT_FOUND' },
  });
  expect(await resetting.data(reset, { id })).toEqual({
    resetStatistics: {
      __typename: 'Link',
      clicks: 3,
      statistics: { clicks: 0, visitors: 0, top: { rows: [] } },
    },
  });
  await visit(server.origin, `/${links[0]?.alias}`);
  await server.flush();
  const { viewer, link } = await resetting.data<{ viewer: object; link: object }>(
    `{ link(id: ${id}) { clicks statistics { clicks visitors } }
      viewer { account { statistics { clicks visitors top(by: BROWSER) { rows { value clicks } } } } } }`,
  );
  expect(link).toEqual({ clicks: 4, statistics: { clicks: 1, visitors: 1 } });
  // On PostgreSQL, it is visible after all open transactions of the server have ended.
  const last = `{ link(id: ${id}) { history(first: 1) { nodes { action fields } } } }`;
  await expect
    .poll(() => resetting.data(last))
    .toEqual({ link: { history: { nodes: [{ action: 'UPDATED', fields: ['statistics'] }] } } });
  expect(viewer).toEqual({
    account: { statistics: { clicks: 4, visitors: 2, top: { rows: [{ value: 'Chrome', clicks: 4 }] } } },
  });
});

test('a reset without statistics records no change', async () => {
  const resetting = await server.caller('resetting nothing');
  const { id, alias } = await resetting.link();
  const reset = () => resetting.data(`mutation { resetStatistics(linkId: ${id}) { __typename } }`);
  const changes = async () => {
    const where = { kind: 'LINK', recordId: id };
    const rows = await server.database.prisma.change.findMany({ where, orderBy: { id: 'asc' } });
    return rows.map(({ action, fields }) => `${action} ${fields}`);
  };
  const created = await changes();
  expect(await reset()).toEqual({ resetStatistics: { __typename: 'Link' } });
  await visit(server.origin, `/${alias}`);
  // The visit is not written yet: it counts as one after the reset.
  await reset();
  expect(await changes()).toEqual(created);
  await server.flush();
  await reset();
  await reset();
  expect(await changes()).toEqual([...created, 'UPDATED ["statistics"]']);
});

test('the values of any period are the sum over its days', async () => {
  const whole = await server.caller('periods');
  const { id, alias } = await whole.link();
  const days: string[] = [];
  for (let i = 0; i < 100; i += 3) {
    server.clock.now = new Date(Date.parse('2026-08-13T12:00:00Z') + i * 86_400_000);
    days.push(server.clock.now.toISOString().slice(0, 10));
    await visit(server.origin, `/${alias}`, { headers: { 'X-Country': i % 2 ? 'DE' : 'FR' } });
  }
  await server.flush();
  server.clock.now = NOON;
  for (const [from, to] of [
    ['2026-08-01', '2026-11-30'],
    ['2026-08-20', '2026-11-10'],
    ['2026-08-10', '2026-11-20'],
    ['2026-09-01', '2026-09-30'],
    ['2026-09-02', '2026-09-30'],
    ['2026-08-31', '2026-09-01'],
    ['2026-08-17', '2026-10-15'],
    ['2026-09-10', '2026-09-20'],
  ] as const) {
    const fields = `statistics(from: "${from}", to: "${to}") { clicks top(by: COUNTRY) { rows { value clicks } others } }`;
    const within = days
      .map((day, i) => ({ day, country: (i * 3) % 2 ? 'DE' : 'FR' }))
      .filter(({ day }) => day >= from && day <= to);
    const count = (country: string) => within.filter((one) => one.country === country).length;
    const rows = ['DE', 'FR']
      .map((value) => ({ value, clicks: count(value) }))
      .filter(({ clicks }) => clicks > 0);
    rows.sort((a, b) => b.clicks - a.clicks);
    const expected = { clicks: within.length, top: { rows, others: 0 } };
    const { link, viewer } = await whole.data<{ link: object; viewer: object }>(
      `{ link(id: ${id}) { ${fields} } viewer { account { ${fields} } } }`,
    );
    expect([link, viewer], `${from} to ${to}`).toEqual([
      { statistics: expected },
      { account: { statistics: expected } },
    ]);
  }
});

test('subtracts a claimed click if its link is deleted before the rest is written', async () => {
  const capped = await server.caller('capped');
  const [link, kept] = [await capped.link({ expiration_clicks: 50 }), await capped.link()];
  for (let i = 0; i < 3; i++) await visit(server.origin, `/${link.alias}`);
  await visit(server.origin, `/${kept.alias}`);
  await capped.rest('DELETE', `/links/${link.id}`);
  await server.flush();
  const query =
    '{ viewer { account { statistics { clicks series { clicks } top(by: DESTINATION) { rows { clicks } } } } } }';
  const { viewer } = await capped.data<{
    viewer: {
      account: { statistics: { clicks: number; series: { clicks: number }[]; top: { rows: object[] } } };
    };
  }>(query);
  const { clicks, series, top } = viewer.account.statistics;
  expect([clicks, series.reduce((sum, point) => sum + point.clicks, 0), top.rows]).toEqual([
    1,
    1,
    [{ clicks: 1 }],
  ]);
});

test('keeps the values of clicks claimed after a reset, next to those from before it', async () => {
  const capped = await server.caller('capped around a reset');
  const { id, alias } = await capped.link({ expiration_clicks: 50 });
  const reset = `mutation { resetStatistics(linkId: ${id}) { __typename } }`;
  const query = `{ link(id: ${id}) { statistics(to: "2026-11-22") { clicks visitors top(by: DESTINATION) { rows { clicks } } } } }`;
  const shown = async () => (await capped.data<{ link: { statistics: object } }>(query)).link.statistics;
  const midnight = Date.parse('2026-11-22T00:00:00Z');
  try {
    server.clock.now = new Date(midnight - 200);
    await visit(server.origin, `/${alias}`);
    await capped.data(reset);
    server.clock.now = new Date(midnight + 100);
    for (let i = 0; i < 3; i++) await visit(server.origin, `/${alias}`);
    await server.flush();
    expect(await shown()).toEqual({ clicks: 3, visitors: 1, top: { rows: [{ clicks: 3 }] } });
    await visit(server.origin, `/${alias}`);
    await capped.data(reset);
    for (let i = 0; i < 2; i++) await visit(server.origin, `/${alias}`);
    await server.flush();
    expect(await shown()).toEqual({ clicks: 2, visitors: 1, top: { rows: [{ clicks: 2 }] } });
  } finally {
    server.clock.now = NOON;
  }
});

test('drops the values of clicks claimed before a reset, whoever claims others after it', async () => {
  const capped = await server.caller('capped and reset');
  const { id, alias } = await capped.link({ expiration_clicks: 50 });
  const other = await startTestServer({ url: server.databaseUrl });
  try {
    for (let i = 0; i < 2; i++) await visit(server.origin, `/${alias}`);
    await capped.data(`mutation { resetStatistics(linkId: ${id}) { __typename } }`);
    for (let i = 0; i < 3; i++) await visit(other.origin, `/${alias}`);
    await server.flush();
    await other.flush();
    const query = `{ link(id: ${id}) { statistics { clicks visitors top(by: DESTINATION) { rows { clicks } } } } }`;
    expect(await capped.data(query)).toEqual({
      link: { statistics: { clicks: 3, visitors: 1, top: { rows: [{ clicks: 3 }] } } },
    });
  } finally {
    await other.stop();
  }
});

test.each([
  ['0000-12-31', undefined],
  ['0001-01-05', '0001-01-01'],
  ['1970-01-05', '1969-12-07'],
  ['9999-12-31', '9999-12-02'],
])('a period to %s starts at %s by default, which can be given as a day', async (to, from) => {
  const caller = await server.caller('early');
  const { id } = await caller.link();
  const between = (days: string) =>
    caller.graphql(`{ link(id: ${id}) { statistics(${days}) {
      from clicks series(interval: MONTH) { clicks } hours: series(interval: HOUR) { clicks } top(by: BROWSER) { others }
    } } }`);
  const { data, errors } = await between(`to: "${to}"`);
  if (from === undefined)
    return expect(errors?.[0]).toMatchObject({
      extensions: { code: 'VALIDATION', fields: [{ path: ['to'] }] },
    });
  expect(data).toMatchObject({ link: { statistics: { from, clicks: 0 } } });
  expect((await between(`from: "${from}", to: "${to}"`)).data).toEqual(data);
});

test('a reset before the rest of a visit is written removes all of it', async () => {
  const caller = await server.caller('reset at once');
  const { id, alias } = await caller.link({ expiration_clicks: 50 });
  for (let i = 0; i < 3; i++) await visit(server.origin, `/${alias}`);
  await caller.data(`mutation { resetStatistics(linkId: ${id}) { __typename } }`);
  await server.flush();
  const query = `{ link(id: ${id}) { clicks statistics { clicks visitors top(by: DESTINATION) { rows { clicks } } } } }`;
  expect(await caller.data(query)).toEqual({
    link: { clicks: 3, statistics: { clicks: 0, visitors: 0, top: { rows: [] } } },
  });
  await visit(server.origin, `/${alias}`);
  await server.flush();
  expect(await caller.data(query)).toEqual({
    link: { clicks: 4, statistics: { clicks: 1, visitors: 1, top: { rows: [{ clicks: 1 }] } } },
  });
});

test('removes an account’s statistics of links that the operator removes with their domain', async () => {
  const removed = { name: 'removed.example', hostKey: 'removed.example', verifiedAt: NOON };
  const db = server.database;
  const { id: domain_id } = await db.prisma.domain.create({
    data: { ...removed, createdAt: NOON, updatedAt: NOON },
  });
  const callers = [await server.caller('one of two'), await server.caller('two of two')];
  for (const caller of callers) {
    const { alias: kept } = await caller.link();
    await visit(server.origin, `/${kept}`);
    for (let i = 0; i < 2; i++) {
      const { alias } = await caller.link({ domain_id });
      await visit(server.origin, `/${alias}`, { headers: { Host: 'removed.example', 'User-Agent': IPHONE } });
    }
  }
  await server.flush();
  const counted = async (clicks: number, browsers: string[]) => {
    const query =
      '{ viewer { account { statistics { clicks visitors hours: series(interval: HOUR) { clicks } top(by: BROWSER) { rows { value } } } } } }';
    for (const caller of callers) {
      const { viewer } = await caller.data<{ viewer: { account: { statistics: Shown } } }>(query);
      const { hours, top, ...sums } = viewer.account.statistics;
      const sum = hours.reduce((total, hour) => total + hour.clicks, 0);
      expect([sums, sum, top.rows.map(({ value }) => value)]).toEqual([
        { clicks, visitors: clicks },
        clicks,
        browsers,
      ]);
    }
  };
  await counted(3, ['Safari', 'Chrome']);
  await removeHost(db, 'removed.example', true, NOON);
  await counted(1, ['Chrome']);
});
