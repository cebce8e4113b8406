import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { demoLinks } from '../../src/app/cli/demo/company.ts';
import { poisson, seededRandom } from '../../src/app/cli/demo/random.ts';
import { fillServer } from '../support/demo.ts';
import { unknownToPlanner } from '../support/plan.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

const servers: TestServer[] = [];
beforeAll(async () => {
  for (let i = 0; i < 3; i++) servers.push(await startTestServer());
});
afterAll(async () => {
  for (const server of servers) await server.stop();
});

const FEW = { scale: 0.2, days: 20 };

interface Told {
  viewer: {
    account: { statistics: { clicks: number; visitors: number; bots: number; series: { clicks: number }[] } };
  };
  links: {
    edges: { node: { alias: string; clicks: number; statistics: { clicks: number; visitors: number } } }[];
  };
}

const query = `{
  viewer { account { statistics(from: "2025-11-01", to: "2026-11-30") {
    clicks visitors bots series { clicks } top(by: COUNTRY) { rows { value clicks } }
  } } }
  links(first: 100) { edges { node { alias clicks statistics(from: "2025-11-01", to: "2026-11-30") { clicks visitors } } } }
}`;

test('the same seed creates the same demo', async () => {
  const [one, same, other] = servers as [TestServer, TestServer, TestServer];
  const told = [];
  for (const [server, seed] of [
    [one, 1],
    [same, 1],
    [other, 2],
  ] as const) {
    const { made: result, caller } = await fillServer(server, seed, FEW);
    const data = await caller.data<Told>(query);
    const { statistics } = data.viewer.account;
    expect(result).toEqual({ spaces: 6, links: demoLinks.length, clicks: statistics.clicks });
    const nodes = data.links.edges.map(({ node }) => node);
    for (const node of nodes) expect([node.alias, node.clicks]).toEqual([node.alias, node.statistics.clicks]);
    expect(nodes.reduce((sum, node) => sum + node.clicks, 0)).toBe(result.clicks);
    expect(result.clicks).toBeGreaterThan(1_000);
    expect(statistics.bots).toBeGreaterThan(20);
    // Nothing is before the filled days or after the end.
    expect(statistics.series.findLastIndex(({ clicks }) => clicks > 0)).toBe(384);
    expect(statistics.series.findIndex(({ clicks }) => clicks > 0)).toBe(365);
    // Some visit more than once a day, and visitors of past days are counted, too.
    expect(statistics.visitors).toBeLessThan(result.clicks);
    expect(statistics.visitors).toBeGreaterThan(result.clicks / 2);
    told.push(JSON.stringify(data));
  }
  expect(told[0]).toBe(told[1]);
  expect(told[0]).not.toBe(told[2]);

  expect((await visit(one.origin, '/shop+')).status).toBe(200);
  expect((await visit(one.origin, '/board+')).status).toBe(404);
  expect((await visit(one.origin, '/leasing+', { form: { password: 'demo' } })).status).toBe(303);
  // Hashes of past days are deleted.
  expect(await one.database.prisma.dayVisitor.count({ where: { day: { lt: 20261120 } } })).toBe(0);
  await expect(fillServer(one, 3, FEW)).rejects.toThrow('The database has links already');
});

test('random numbers are uniform, and random counts have the expected mean', () => {
  const random = seededRandom(5);
  const numbers = Array.from({ length: 10_000 }, random);
  expect(numbers.every((one) => one >= 0 && one < 1)).toBe(true);
  expect(numbers.reduce((sum, one) => sum + one) / numbers.length).toBeCloseTo(0.5, 1);
  for (const mean of [0.2, 3, 30, 500]) {
    const counts = Array.from({ length: 4_000 }, () => poisson(mean, random));
    expect(counts.every((one) => Number.isInteger(one) && one >= 0)).toBe(true);
    const average = counts.reduce((sum, one) => sum + one) / counts.length;
    expect(Math.abs(average - mean)).toBeLessThan(4 * Math.sqrt(mean / counts.length));
  }
});

test.runIf(inject('database').provider === 'postgresql')(
  'the planner knows the tables that it fills',
  async () => {
    const [server] = servers as [TestServer];
    const filled = ['Link', 'LinkCounter', 'LinkHour', 'LinkDayValue'];
    expect(await unknownToPlanner(server.database, filled)).toEqual([]);
  },
);
