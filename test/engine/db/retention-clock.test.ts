import { Writable } from 'node:stream';
import { pino } from 'pino';
import { beforeEach, expect, inject, onTestFinished, test } from 'vitest';
import { LASTING } from '../../../src/db/records-clock.ts';
import { dayOf } from '../../../src/db/statistics/calendar.ts';
import { deletePastVisitors, StatisticsRetention } from '../../../src/db/statistics/statistics-retention.ts';
import { changeRetention } from '../../../src/engine/changes/log.ts';
import { RetentionClock } from '../../../src/engine/db/retention-clock.ts';
import { NOON, startTestServer, type TestServer } from '../../support/server.ts';
import { visit } from '../../support/visit.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;
const after = (milliseconds: number) => new Date(NOON.getTime() + milliseconds);

let server: TestServer;
let wall: Date;
let uptime: number;
let logged: string[];
const log = pino(
  new Writable({
    write(line, _encoding, done) {
      logged.push(JSON.parse(String(line)).msg);
      done();
    },
  }),
);

beforeEach(async () => {
  server = await startTestServer();
  onTestFinished(() => server.stop());
  [wall, uptime, logged] = [NOON, 0, []];
});

/** A process that begins now. */
function begin(): RetentionClock {
  return new RetentionClock(
    server.database,
    LASTING,
    () => wall,
    log,
    () => uptime,
  );
}

/** Lets time pass, for the clock on the wall and for running processes. */
function pass(milliseconds: number): void {
  wall = new Date(wall.getTime() + milliseconds);
  uptime += milliseconds;
}

const leap = (milliseconds: number) => {
  wall = new Date(wall.getTime() + milliseconds);
};

const held = /^old records are not deleted for a day/;

test('a new database is trusted at once, without a word', async () => {
  expect(await begin().read()).toEqual(NOON);
  expect(logged).toEqual([]);
});

test.each([
  ['an hour', HOUR],
  ['47 hours', 47 * HOUR],
])('a rest of %s between two processes is no leap', async (_what, rest) => {
  await begin().read();
  leap(rest);
  expect(await begin().read()).toEqual(wall);
  expect(logged).toEqual([]);
});

test('time that a process has lived through is no leap, however long no run succeeded', async () => {
  const clock = begin();
  await clock.read();
  pass(9 * DAY);
  expect(await clock.read()).toEqual(wall);
  expect(logged).toEqual([]);
});

test.each([
  ['forward at a start', 3 * YEAR, true],
  ['forward in a process', 3 * YEAR, false],
  ['by a rest of three days', 3 * DAY, true],
  ['backward', -YEAR, false],
])('a leap %s holds deletions for a day', async (_what, by, restarts) => {
  const first = begin();
  await first.read();
  pass(MINUTE);
  leap(by);
  const clock = restarts ? begin() : first;
  expect(await clock.read()).toBeNull();
  pass(23 * HOUR);
  expect(await clock.read()).toBeNull();
  expect(logged).toEqual([expect.stringMatching(held)]);
  pass(HOUR);
  expect(await clock.read()).toEqual(wall);
  expect(logged.slice(1)).toEqual(['old records are deleted again']);
});

test('the day continues over restarts, and each process says so once', async () => {
  await begin().read();
  leap(3 * YEAR);
  for (let hours = 0; hours < 24; hours += 8) {
    const clock = begin();
    expect(await clock.read()).toBeNull();
    expect(await clock.read()).toBeNull();
    pass(8 * HOUR);
  }
  expect(logged).toEqual(Array(3).fill(expect.stringMatching(held)));
  expect(await begin().read()).toEqual(wall);
});

test('another leap begins the day anew', async () => {
  await begin().read();
  leap(YEAR);
  const clock = begin();
  expect(await clock.read()).toBeNull();
  pass(23 * HOUR);
  leap(-YEAR);
  expect(await clock.read()).toBeNull();
  pass(23 * HOUR);
  expect(await clock.read()).toBeNull();
  pass(HOUR);
  expect(await clock.read()).toEqual(wall);
});

test.each([
  ['is trusted if the service ran on the day before', -1, true],
  ['is not trusted if the service ran last a year ago', -365, false],
])('a database of an earlier version %s', async (_what, days, isTrusted) => {
  await deletePastVisitors(server.database, dayOf(after(days * DAY)));
  expect((await begin().read()) !== null).toBe(isTrusted);
});

const dayText = (at: Date) => at.toISOString().slice(0, 10).replaceAll('-', '');

test('a start three years ahead deletes neither statistics nor history, and a shorter setting deletes at once', async () => {
  const db = server.database;
  const owner = await server.caller();
  const { alias } = await owner.link();
  for (const days of [0, 60]) {
    server.clock.now = after(days * DAY);
    await visit(server.origin, `/${alias}`);
    await owner.space(`${days}`);
  }
  await server.flush();
  const left = async (months: number, historyDays: number) => {
    const { read } = begin();
    const clocks = { retention: read, shared: async () => wall };
    await new StatisticsRetention(server.database, months, () => wall, log, clocks).deleteOld();
    await changeRetention(db, historyDays, read, log).deleteOld();
    return [await db.prisma.linkDay.count(), await db.prisma.change.count({ where: { kind: 'SPACE' } })];
  };
  wall = after(61 * DAY);
  expect(await left(24, 90)).toEqual([2, 2]);
  leap(3 * YEAR);
  expect(await left(24, 90)).toEqual([2, 2]);
  leap(-3 * YEAR);
  expect(await left(24, 90)).toEqual([2, 2]);
  pass(DAY);
  expect(await left(24, 90)).toEqual([2, 2]);
  expect(await left(1, 30)).toEqual([1, 1]);
});

test('visitors are counted again after a clock that was days ahead, and the log says so', async () => {
  const owner = await server.caller();
  const { id, alias } = await owner.link();
  const retention = (shared: Date) =>
    new StatisticsRetention(server.database, 0, () => shared, log, { shared: async () => shared });
  const come = async (at: Date, address: string) => {
    server.clock.now = at;
    await visit(server.origin, `/${alias}`, { headers: { 'X-Forwarded-For': address } });
    await server.flush();
  };
  await retention(NOON).deleteOld();
  await come(NOON, '192.0.2.1');
  await come(after(2 * DAY), '192.0.2.1');
  await retention(after(2 * DAY)).deleteOld();
  await come(after(MINUTE), '192.0.2.2');
  expect(logged).toEqual([]);
  await retention(after(MINUTE)).deleteOld();
  expect(logged).toEqual([expect.stringMatching(/^visitors were not counted/)]);
  await come(after(2 * MINUTE), '192.0.2.3');
  await retention(after(2 * MINUTE)).deleteOld();
  await come(after(DAY), '192.0.2.3');
  const days = await server.database.prisma.linkDay.findMany({
    where: { linkId: id },
    orderBy: { day: 'asc' },
  });
  expect(days.map(({ visitors }) => visitors)).toEqual([2, 1, 1]);
  expect(logged).toHaveLength(1);
});

test('on the first day of a month, the month before ends with its last day, and no clock is called wrong', async () => {
  const first = new Date(Date.UTC(2026, 11, 1, 4));
  const retention = new StatisticsRetention(server.database, 0, () => first, log, {
    shared: async () => first,
  });
  await retention.deleteOld();
  await retention.deleteOld();
  const { number } = await server.database.prisma.revision.findUniqueOrThrow({
    where: { topic: 'visitors' },
  });
  expect(Number(number)).toBe(20261130);
  expect(logged).toEqual([]);
});

test('keys and hashes of visitors that a clock ahead made are deleted once it is right', async () => {
  const owner = await server.caller();
  const { alias } = await owner.link();
  const { prisma } = server.database;
  const days = async () => [
    (await prisma.daySalt.findMany({ orderBy: { day: 'asc' } })).map(({ day }) => day),
    (await prisma.dayVisitor.findMany({ orderBy: { day: 'asc' } })).map(({ day }) => day),
  ];
  for (const at of [after(3 * YEAR), NOON]) {
    server.clock.now = at;
    await visit(server.origin, `/${alias}`);
    await server.flush();
  }
  const today = Number(dayText(NOON));
  expect(await days()).toEqual([
    [today, expect.any(Number)],
    [today, expect.any(Number)],
  ]);
  await new StatisticsRetention(server.database, 0, () => NOON, log, {
    shared: async () => NOON,
  }).deleteOld();
  expect(await days()).toEqual([[today], [today]]);
});

test('a process whose clock is ahead of the shared one ends no day', async () => {
  const owner = await server.caller();
  const { alias } = await owner.link();
  await visit(server.origin, `/${alias}`);
  await server.flush();
  const clocks = { shared: async () => NOON };
  await new StatisticsRetention(server.database, 0, () => after(3 * DAY), log, clocks).deleteOld();
  expect(await server.database.prisma.dayVisitor.count()).toBe(1);
  expect(logged).toEqual([]);
});

test.runIf(inject('database').provider === 'postgresql')(
  'on PostgreSQL, the time of the server says which days are in the future',
  async () => {
    const { prisma } = server.database;
    const close = (number: number) =>
      prisma.revision.update({ where: { topic: 'visitors' }, data: { number } });
    const future = Number(dayText(new Date(Date.now() + 3 * DAY)));
    await close(future);
    await new StatisticsRetention(server.database, 0, () => new Date(Date.now() + 5 * DAY), log).deleteOld();
    const { number } = await prisma.revision.findUniqueOrThrow({ where: { topic: 'visitors' } });
    expect(Number(number)).toBeLessThan(Number(dayText(new Date())));
    expect(logged).toEqual([expect.stringMatching(/^visitors were not counted/)]);
  },
);
