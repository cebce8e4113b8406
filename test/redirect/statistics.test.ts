import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { removeDeletedStatistics } from '../../src/db/statistics/delete-statistics.ts';
import { StatisticsRetention } from '../../src/db/statistics/statistics-retention.ts';
import { newDatabase } from '../support/database.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

const DAY = 86_400_000;
const { provider } = inject('database');

let url: string;
/** Two processes on one database. */
let servers: TestServer[];
beforeAll(async () => {
  url = await newDatabase();
  servers = [await startTestServer({ url }), await startTestServer({ url })];
});
afterAll(async () => {
  for (const server of servers) await server.stop();
});

interface Counted {
  statistics: {
    clicks: number;
    hours: { clicks: number }[];
    days: { clicks: number }[];
    months: { clicks: number }[];
    top: { rows: { clicks: number }[]; others: number };
  };
}

async function deleteVisitorsBefore({ database }: TestServer, now: Date): Promise<void> {
  const shared = async () => now;
  await new StatisticsRetention(database, 0, () => now, pino({ level: 'silent' }), { shared }).deleteOld();
}

const from = new Date(NOON.getTime() - 20 * DAY).toISOString().slice(0, 10);
const to = new Date(NOON.getTime() + 10 * DAY).toISOString().slice(0, 10);
const fields = `statistics(from: "${from}", to: "${to}") { clicks hours: series(interval: HOUR) { clicks } days: series { clicks }
  months: series(interval: MONTH) { clicks } top(by: DESTINATION, first: 2) { rows { clicks } others } }`;

const sum = (counts: readonly { clicks: number }[]) =>
  counts.reduce((total, { clicks }) => total + clicks, 0);

/** The number of clicks, by every part of the statistics. */
function toldBy({ statistics: { clicks, hours, days, months, top } }: Counted): number[] {
  return [clicks, sum(hours), sum(days), sum(months), sum(top.rows) + top.others];
}

const at = fc.record({ server: fc.nat(1), day: fc.integer({ min: -20, max: 10 }), hour: fc.nat(23) });
const command = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('visit'),
      at,
      link: fc.nat(4),
      bot: fc.nat(9),
      dnt: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('flush'), at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart'), at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fail'), at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('move'), at, link: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reset'), at, link: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete'), at, link: fc.nat(4) }) },
);

/** An account with links of every kind, in two spaces, and their clicks from before statistics. */
async function links(owner: Caller, server: TestServer) {
  const spaces = [await owner.space('One'), await owner.space('Two')];
  const rotation = { 'rotation[0][value]': 'https://a.example/', 'rotation[1][value]': 'https://b.example/' };
  const forms: Record<string, string | number>[] = [
    {},
    { target_type: 4, ...rotation },
    { expiration_clicks: 8 },
    { target_type: 1, 'country[0][key]': 'DE', 'country[0][value]': 'https://de.example/' },
    {},
  ];
  const made = [];
  for (const [i, form] of forms.entries()) {
    const { id, alias } = await owner.link({ ...form, space_id: spaces[i % 2] ?? 0 });
    const before = i === 4 ? 7 : 0;
    await server.database.prisma.linkCounter.update({ where: { linkId: id }, data: { clicks: before } });
    made.push({ id, alias, space: i % 2, before, visits: 0, all: before, gone: false });
  }
  return { spaces, made };
}

test('clicks equal the earlier ones plus the sum over hours, days and destinations, at every level', async () => {
  let account = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 40, maxLength: 60 }), async (commands) => {
      const [server] = servers as [TestServer, TestServer];
      const owner = await server.caller(`account ${account++}`);
      const { spaces, made } = await links(owner, server);
      const { prisma } = server.database;
      let failing = false;
      const mend = async () => {
        if (failing) await prisma.$executeRawUnsafe('ALTER TABLE "AwayDay" RENAME TO "LinkDay"');
        failing = false;
      };
      const flushAll = async () => {
        for (const one of servers) await one.flush();
      };
      for (const one of commands) {
        const process = servers[one.at.server] ?? server;
        process.clock.now = new Date(NOON.getTime() + one.at.day * DAY + (one.at.hour - 12) * 3_600_000);
        const link = 'link' in one ? made[one.link] : undefined;
        if (one.do === 'visit' && 'bot' in one && link) {
          const { status } = await visit(process.origin, `/${link.alias}`, {
            headers: {
              'X-Country': one.dnt ? 'DE' : 'FR',
              ...(one.dnt && { DNT: '1' }),
              ...(one.bot === 0 && { 'User-Agent': 'Googlebot/2.1' }),
            },
          });
          if (status === 302 && one.bot !== 0 && !link.gone) {
            link.visits++;
            link.all++;
          }
        } else if (one.do === 'flush') await process.flush();
        else if (one.do === 'restart') {
          await mend();
          await process.stop();
          servers[one.at.server] = await startTestServer({ url });
        } else if (one.do === 'fail' && !failing && servers[0] === server) {
          await prisma.$executeRawUnsafe('ALTER TABLE "LinkDay" RENAME TO "AwayDay"');
          failing = true;
          for (const each of servers) await each.flush();
        } else if (servers[0] === server && link && !link.gone) {
          await mend();
          if (one.do === 'move') {
            link.space = 1 - link.space;
            await owner.rest('PATCH', `/links/${link.id}`, { space_id: spaces[link.space] ?? 0 });
          } else if (one.do === 'reset') {
            await flushAll();
            await owner.data('mutation ($id: ID!) { resetStatistics(linkId: $id) { __typename } }', {
              id: link.id,
            });
            link.visits = 0;
          } else if (one.do === 'delete') {
            await flushAll();
            await owner.rest('DELETE', `/links/${link.id}`);
            Object.assign(link, { gone: true, visits: 0 });
          }
        }
      }
      const last = servers[0] as TestServer;
      if (failing) await last.database.prisma.$executeRawUnsafe('ALTER TABLE "AwayDay" RENAME TO "LinkDay"');
      await flushAll();
      last.clock.now = NOON;
      const caller = last.callerWith(owner.key);
      for (const { id, visits, all, gone } of made) {
        const { link } = await caller.data<{ link: (Counted & { clicks: number }) | null }>(
          `{ link(id: ${id}) { clicks ${fields} } }`,
        );
        if (link === null) expect(gone).toBe(true);
        else expect([link.clicks, ...toldBy(link)]).toEqual([all, ...Array(5).fill(visits)]);
      }
      for (const [index, id] of spaces.entries()) {
        const { space } = await caller.data<{ space: Counted }>(`{ space(id: ${id}) { ${fields} } }`);
        const visits = made.reduce((total, link) => total + (link.space === index ? link.visits : 0), 0);
        expect(toldBy(space)).toEqual(Array(5).fill(visits));
      }
      const { viewer } = await caller.data<{ viewer: { account: Counted } }>(
        `{ viewer { account { ${fields} } } }`,
      );
      expect(toldBy(viewer.account)).toEqual(
        Array(5).fill(made.reduce((total, link) => total + link.visits, 0)),
      );
    }),
    { numRuns: 3, endOnFailure: true },
  );
});

test('counts a visitor once a day over all processes, and deletes visitors when the day is over', async () => {
  const [one, other] = servers as [TestServer, TestServer];
  const owner = await one.caller('visited');
  const { id, alias } = await owner.link();
  const come = async (server: TestServer, address: string, day: number) => {
    server.clock.now = new Date(NOON.getTime() + day * DAY);
    await visit(server.origin, `/${alias}`, { headers: { 'X-Forwarded-For': address } });
  };
  for (const day of [0, 1]) for (const address of ['192.0.2.1', '192.0.2.2']) await come(one, address, day);
  // Some proxies add the port.
  await come(other, '192.0.2.2:50123', 0);
  await come(other, '192.0.2.3', 0);
  await Promise.all([one.flush(), other.flush()]);
  await come(other, '192.0.2.3', 0);
  await other.flush();
  one.clock.now = NOON;
  const visitors = async () => {
    const { link } = await owner.data<{
      link: { statistics: { visitors: number; series: { visitors: number }[] } };
    }>(
      `{ link(id: ${id}) { statistics(from: "2026-11-20", to: "2026-11-21") { visitors series { visitors } } } }`,
    );
    return [link.statistics.visitors, ...link.statistics.series.map((point) => point.visitors)];
  };
  expect(await visitors()).toEqual([5, 3, 2]);
  const { prisma } = one.database;
  const stored = async () => [await prisma.daySalt.count(), await prisma.dayVisitor.count()];
  expect(await stored()).not.toContain(0);
  const later = new Date(NOON.getTime() + 60 * DAY);
  await deleteVisitorsBefore(one, later);
  expect(await stored()).toEqual([0, 0]);
  // The hashes of a past day are deleted, so its visitors are no longer counted.
  await come(one, '192.0.2.1', 0);
  await one.flush();
  one.clock.now = NOON;
  expect(await visitors()).toEqual([5, 3, 2]);
  expect(await stored()).toEqual([0, 0]);
});

test('does not count a visitor twice if a process writes after the day is over', async () => {
  const [one] = servers as [TestServer, TestServer];
  const owner = await one.caller('late');
  const { id, alias } = await owner.link();
  const day = NOON.getTime() + 100 * DAY;
  const come = async () => {
    one.clock.now = new Date(day);
    await visit(one.origin, `/${alias}`);
  };
  await come();
  await one.flush();
  await come();
  const later = new Date(day + 2 * DAY);
  await deleteVisitorsBefore(one, later);
  await one.flush();
  const { prisma } = one.database;
  expect(await prisma.linkDay.findMany({ where: { linkId: id } })).toMatchObject([
    { clicks: 2, visitors: 1 },
  ]);
  expect(await prisma.dayVisitor.count()).toBe(0);
});

test.runIf(provider === 'sqlite')(
  'no part of a salt or of a visitor’s hash remains in the files of SQLite',
  async () => {
    const server = await startTestServer();
    onTestFinished(() => server.stop());
    const owner = await server.caller();
    const { id, alias } = await owner.link();
    await visit(server.origin, `/${alias}`);
    await server.flush();
    const { prisma } = server.database;
    const { day, salt } = await prisma.daySalt.findFirstOrThrow();
    const hashes = Array.from({ length: 1_500 }, () => randomBytes(16).toString('base64url'));
    for (let i = 0; i < hashes.length; i += 10)
      await prisma.dayVisitor.createMany({
        data: hashes.slice(i, i + 10).map((hash) => ({ day, linkId: id, hash })),
      });
    const found = () => {
      const files = ['', '-wal'].map((end) => readFileSync(server.databaseUrl.slice(5) + end, 'latin1'));
      return [salt, ...hashes].filter((one) => files.some((file) => file.includes(one))).length;
    };
    expect(found()).toBe(1_501);
    const later = new Date(server.clock.now.getTime() + 2 * DAY);
    await deleteVisitorsBefore(server, later);
    expect(found()).toBe(0);
  },
);

test('keeps 200 referrers of a link and day, over all processes', async () => {
  const [one, other] = servers as [TestServer, TestServer];
  one.clock.now = other.clock.now = NOON;
  const owner = await one.caller('referred');
  const { id, alias } = await owner.link();
  const refer = async (server: TestServer, first: number, count: number) => {
    for (let i = first; i < first + count; i++)
      await visit(server.origin, `/${alias}`, { headers: { Referer: `https://site${i}.example/` } });
  };
  await Promise.all([refer(one, 0, 150), refer(other, 100, 150)]);
  await Promise.all([one.flush(), other.flush()]);
  await refer(one, 0, 1);
  await one.flush();
  const { body } = await owner.rest('GET', `/stats/${id}?name=referrer&sort_by=count`);
  const { data, meta } = body as { data: { value: string; count: number }[]; meta: { total: number } };
  expect(meta.total).toBe(201);
  expect(data[0]).toEqual({ value: 'other', count: 50 });
  const { link } = await owner.data<{
    link: { statistics: { top: { rows: { value: string; clicks: number }[] } } };
  }>(`{ link(id: ${id}) { statistics { top(by: REFERRER, first: 100) { rows { value clicks } } } } }`);
  expect(link.statistics.top.rows.find(({ value }) => value === 'site0.example')?.clicks).toBe(2);
});

test('counts a known referrer of the day under its name, however many others follow', async () => {
  const [server] = servers as [TestServer];
  server.clock.now = NOON;
  const owner = await server.caller('flooded');
  const { id, alias } = await owner.link();
  const refer = (host: string) =>
    visit(server.origin, `/${alias}`, { headers: { Referer: `https://${host}/` } });
  await refer('good.example');
  await server.flush();
  for (let i = 0; i < 210; i++) await refer(`site${i}.example`);
  for (let i = 0; i < 5; i++) await refer('good.example');
  await server.flush();
  const { body } = await owner.rest('GET', `/stats/${id}?name=referrer&sort_by=count`);
  expect((body as { data: object[] }).data.slice(0, 2)).toEqual([
    { value: 'other', count: 11 },
    { value: 'good.example', count: 6 },
  ]);
});

test('deletes statistics older than the given number of months, and keeps clicks', async () => {
  const [server] = servers as [TestServer];
  const owner = await server.caller('old');
  const { id, alias } = await owner.link();
  for (const timestamp of ['2024-10-31T12:00:00Z', '2024-11-01T12:00:00Z', '2026-11-20T12:00:00Z']) {
    server.clock.now = new Date(timestamp);
    await visit(server.origin, `/${alias}`);
  }
  await server.flush();
  server.clock.now = NOON;
  const { prisma } = server.database;
  await new StatisticsRetention(server.database, 24, () => NOON, pino({ level: 'silent' })).deleteOld();
  const period =
    'statistics(from: "2024-01-01", to: "2026-11-20") { clicks top(by: BROWSER) { rows { clicks } others } }';
  const counted = { clicks: 2, top: { rows: [{ clicks: 2 }], others: 0 } };
  const answer = await owner.data<{ link: object; viewer: object }>(
    `{ link(id: ${id}) { clicks ${period} } viewer { account { ${period} } } }`,
  );
  expect(answer).toEqual({
    link: { clicks: 3, statistics: counted },
    viewer: { account: { statistics: counted } },
  });
  const { accountId } = await prisma.linkCounter.findUniqueOrThrow({ where: { linkId: id } });
  expect(await prisma.linkMonthValue.count({ where: { linkId: id, month: { lt: 202411 } } })).toBe(0);
  expect(await prisma.accountHour.count({ where: { accountId, hour: { lt: 2024110100 } } })).toBe(0);
  await prisma.account.delete({ where: { id: accountId } });
  while (await removeDeletedStatistics(server.database));
  for (const left of [
    await prisma.linkHour.count({ where: { linkId: id } }),
    await prisma.linkDay.count({ where: { linkId: id } }),
    await prisma.linkDayValue.count({ where: { linkId: id } }),
    await prisma.accountDay.count({ where: { accountId } }),
    await prisma.accountDayValue.count({ where: { accountId } }),
  ])
    expect(left).toBe(0);
});

test('finds links without old statistics with one statement for hundreds, and deletes nothing from them', async () => {
  const [server] = servers as [TestServer];
  const owner = await server.caller('young');
  for (let i = 0; i < 25; i++) await owner.link();
  const retention = new StatisticsRetention(server.database, 24, () => NOON, pino({ level: 'silent' }));
  const statements = await server.statementsOf(() => retention.deleteOld());
  expect(statements.filter((one) => /"Link(Hour|Day|DayValue|MonthValue|Counter)"/.test(one))).toHaveLength(
    1,
  );
});
