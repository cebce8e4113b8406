import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
});
afterAll(() => server.stop());

const DAY = 86_400_000;
const dayBefore = (days: number) => new Date(NOON.getTime() - days * DAY).toISOString().slice(0, 10);

/** Visits a link on a day before the present one. */
async function visited(alias: string, daysAgo: number, headers: Record<string, string> = {}): Promise<void> {
  server.clock.now = new Date(NOON.getTime() - daysAgo * DAY);
  await visit(server.origin, `/${alias}`, { headers });
  server.clock.now = NOON;
}

interface Shown {
  statistics: { valueSeries: { start: string; clicks: number }[] };
}

/** The clicks of an owner's series, as `day clicks` without zeros, and the number of its points. */
async function seriesOf(parent: string, period: string, args: string, caller = owner) {
  await server.flush();
  const close = '}'.repeat(parent.split('{').length);
  const data = await caller.data<Record<string, Shown & { account: Shown }>>(
    `{ ${parent} { statistics${period} { valueSeries(${args}) { start clicks } } } ${close}`,
  );
  const [found] = Object.values(data);
  const { valueSeries } = (found?.account ?? found)?.statistics ?? { valueSeries: [] };
  const told = valueSeries.filter(({ clicks }) => clicks > 0);
  return [valueSeries.length, ...told.map(({ start, clicks }) => `${start.slice(0, 10)} ${clicks}`)];
}

describe('valueSeries', () => {
  test('has the clicks of one value, and those of an unknown one, of each owner', async () => {
    const caller = await server.caller('each');
    const space = await caller.space('Launch');
    const tag = await caller.tag('Spring');
    const { id, alias } = await caller.link({ space_id: space, 'tag_ids[]': tag });
    const other = await caller.link();
    await visited(alias, 0, { 'X-Country': 'DE', Referer: 'https://news.example/' });
    await visited(alias, 0, { 'X-Country': 'DE' });
    await visited(alias, 1, { 'X-Country': 'FR', 'Accept-Language': 'fr' });
    await visited(alias, 2, { 'Accept-Language': 'fr' });
    await visited(alias, 2, { DNT: '1' });
    await visited(other.alias, 1, { 'X-Country': 'DE' });
    const [today, yesterday, before] = [dayBefore(0), dayBefore(1), dayBefore(2)];
    const period = `(from: "${before}")`;
    for (const parent of [`link(id: ${id})`, `space(id: ${space})`, `tag(id: ${tag})`]) {
      const of = (args: string) => seriesOf(parent, period, args, caller);
      expect(await of('by: COUNTRY, value: "DE"'), parent).toEqual([3, `${today} 2`]);
      expect(await of('by: COUNTRY, value: "FR"')).toEqual([3, `${yesterday} 1`]);
      // Who declines tracking is none of unknown country, but of no country.
      expect(await of('by: COUNTRY')).toEqual([3, `${before} 1`]);
      expect(await of('by: LANGUAGE, value: "fr"')).toEqual([3, `${before} 1`, `${yesterday} 1`]);
      expect(await of('by: REFERRER, value: "news.example"')).toEqual([3, `${today} 1`]);
      expect(await of('by: REFERRER')).toEqual([3, `${before} 1`, `${yesterday} 1`, `${today} 1`]);
      expect(await of('by: BROWSER, value: "Chrome"')).toEqual([
        3,
        `${before} 1`,
        `${yesterday} 1`,
        `${today} 2`,
      ]);
      expect(await of('by: DESTINATION, value: "https://example.com/"')).toEqual([
        3,
        `${before} 2`,
        `${yesterday} 1`,
        `${today} 2`,
      ]);
      expect(await of('by: DESTINATION')).toEqual([3]);
      expect(await of('by: COUNTRY, value: "XK"')).toEqual([3]);
    }
    expect(await seriesOf('viewer { account', period, 'by: COUNTRY, value: "DE"', caller)).toEqual([
      3,
      `${yesterday} 1`,
      `${today} 2`,
    ]);
  });

  test('sums whole months and parts of months', async () => {
    const caller = await server.caller('months');
    const { id, alias } = await caller.link();
    for (const daysAgo of [0, 1, 2, 21, 22, 50, 51, 52, 80, 81, 112])
      await visited(alias, daysAgo, { 'X-Country': daysAgo % 2 === 0 ? 'DE' : 'FR' });
    for (const [from, to] of [
      [112, 0],
      [110, 1],
      [81, 20],
      [22, 21],
      [52, 50],
      [3, 0],
    ] as const) {
      const period = `(from: "${dayBefore(from)}", to: "${dayBefore(to)}")`;
      for (const parent of [`link(id: ${id})`, 'viewer { account']) {
        const days = await seriesOf(parent, period, 'by: COUNTRY, value: "DE"', caller);
        const months = new Map<string, number>();
        for (const one of days.slice(1)) {
          const [day = '', clicks] = String(one).split(' ');
          const month = `${day.slice(0, 7)}-01`;
          months.set(month, (months.get(month) ?? 0) + Number(clicks));
        }
        const expected = [...months].map(([month, clicks]) => `${month} ${clicks}`);
        const found = await seriesOf(parent, period, 'by: COUNTRY, value: "DE", interval: MONTH', caller);
        expect(found.slice(1), period).toEqual(expected);
      }
    }
    const unknown = await seriesOf(
      `link(id: ${id})`,
      `(from: "${dayBefore(112)}")`,
      'by: COUNTRY, interval: MONTH',
      caller,
    );
    expect(unknown).toEqual([5]);
  });

  test('of a rule is that of its ids', async () => {
    const { createLink } = await owner.data<{
      createLink: { id: string; alias: string; rules: { id: string; to: { id: string }[] }[] };
    }>(
      `mutation { createLink(input: { url: "https://example.com/", rules: [{ when: [], to: [{ url: "https://example.com/x" }] }] }) {
        ... on Link { id alias rules { id to { id } } } } }`,
    );
    const [rule] = createLink.rules;
    await visited(createLink.alias, 0);
    const value = `${createLink.id}.${rule?.id}.${rule?.to[0]?.id}`;
    const parent = `link(id: ${createLink.id})`;
    const period = `(from: "${dayBefore(1)}")`;
    expect(await seriesOf(parent, period, `by: VARIANT, value: "${value}"`)).toEqual([
      2,
      `${dayBefore(0)} 1`,
    ]);
    expect(await seriesOf(parent, period, 'by: VARIANT')).toEqual([2]);
  });

  test('of many owners takes as many statements as of one', async () => {
    const many = await server.caller('many');
    for (let i = 0; i < 20; i++) {
      const { alias } = await many.link({ space_id: await many.space(`Space ${i}`) });
      await visited(alias, i % 3, { 'X-Country': 'DE' });
    }
    await server.flush();
    for (const list of ['links', 'spaces'])
      for (const args of [
        'by: COUNTRY, value: "DE"',
        'by: OS',
        'by: REFERRER, value: "a.example", interval: MONTH',
      ]) {
        const count = async (first: number) =>
          (
            await server.statementsOf(() =>
              many.data(
                `query ($first: Int) { ${list}(first: $first) { nodes { id statistics { valueSeries(${args}) { clicks } } } } }`,
                { first },
              ),
            )
          ).length;
        const two = await count(2);
        expect(two, `${list} ${args}`).toBeLessThanOrEqual(3);
        expect(await count(20)).toBe(two);
      }
  });

  test.each([
    ['by: COUNTRY, interval: HOUR', /DAY, MONTH/],
    ['by: COUNTRY, value: ""', /may not be empty/],
  ])('is refused with %s', async (args, message) => {
    const { errors } = await owner.graphql(
      `{ viewer { account { statistics { valueSeries(${args}) { clicks } } } } }`,
    );
    expect(errors?.[0]).toMatchObject({ extensions: { code: 'VALIDATION' } });
    expect(JSON.stringify(errors)).toMatch(message);
  });
});

describe('sparkline', () => {
  const sparkline = async (args: string, caller: Caller) => {
    await server.flush();
    const { links } = await caller.data<{ links: { nodes: { sparkline: number[] }[] } }>(
      `{ links { nodes { sparkline${args} } } }`,
    );
    return links.nodes.map((link) => link.sparkline);
  };

  test('has the clicks of each of the last days, oldest first', async () => {
    const caller = await server.caller('sparks');
    const { alias } = await caller.link();
    for (const daysAgo of [0, 0, 2, 29, 30, 89]) await visited(alias, daysAgo);
    await caller.link();
    const month = Array(30).fill(0);
    expect(await sparkline('', caller)).toEqual([[1, ...month.slice(4), 1, 0, 2], month].toReversed());
    expect(await sparkline('(days: null)', caller)).toEqual(await sparkline('', caller));
    expect((await sparkline('(days: 3)', caller)).at(-1)).toEqual([1, 0, 2]);
    expect((await sparkline('(days: 1)', caller)).at(-1)).toEqual([2]);
    const quarter = (await sparkline('(days: 90)', caller)).at(-1) ?? [];
    expect([quarter.length, quarter[0], quarter[59], quarter[60]]).toEqual([90, 1, 1, 1]);
  });

  test('of a page takes one statement', async () => {
    const caller = await server.caller('sparks of a page');
    for (let i = 0; i < 30; i++) await caller.link();
    const count = async (fields: string, first: number) =>
      (await server.statementsOf(() => caller.data(`{ links(first: ${first}) { nodes { id ${fields} } } }`)))
        .length;
    const without = await count('', 30);
    for (const first of [2, 30]) expect(await count('sparkline(days: 90)', first)).toBe(without + 1);
  });

  test.each([0, 91, -1])('refuses %s days', async (days) => {
    const { id } = await owner.link();
    const { errors } = await owner.graphql(`{ link(id: ${id}) { sparkline(days: ${days}) } }`);
    expect(errors?.[0]).toMatchObject({ extensions: { code: 'VALIDATION', fields: [{ path: ['days'] }] } });
  });

  test('costs as much as the days of the links', async () => {
    const cost = async (query: string) => {
      const answer = await owner.fetch('/graphql', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ query, extensions: { cost: 'only' } }),
      });
      return ((await answer.json()) as { extensions: { cost: { cost: number } } }).extensions.cost.cost;
    };
    const of = (first: number, days: number) =>
      cost(`{ links(first: ${first}) { nodes { sparkline(days: ${days}) } } }`);
    expect((await of(10, 90)) - (await of(10, 30))).toBeGreaterThanOrEqual(600);
    // The console's first page has them.
    expect(await of(100, 90)).toBeLessThan(30_000);
  });
});
