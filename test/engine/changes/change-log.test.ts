import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { Database } from '../../../src/db/database.ts';
import type { LoggedChange } from '../../../src/engine/changes/events.ts';
import { ChangeFeed } from '../../../src/engine/changes/feed.ts';
import { changeRetention, changing, readLogSnapshot, settleEpoch } from '../../../src/engine/changes/log.ts';
import { settled as untilSettled } from '../../support/database.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../../support/server.ts';

const DAY = 86_400_000;

let servers: TestServer[];
let owner: Caller;
beforeAll(async () => {
  const first = await startTestServer({ background: true });
  servers = [first, await startTestServer({ url: first.databaseUrl, background: true })];
  owner = await first.caller();
});
afterAll(async () => {
  for (const server of servers.reverse()) await server.stop();
});

/** The first server's database, opened once more, and a feed of its own. */
async function follow() {
  const db = await Database.open((servers[0] as TestServer).databaseUrl);
  onTestFinished(() => db.close());
  return { db, feed: new ChangeFeed(db) };
}

const page = async (after: string | null, caller = owner) => {
  const query = `query ($after: String) { changes(first: 7, after: $after) { edges { node { id recordId } } pageInfo { endCursor } } }`;
  const { changes } = await caller.data<{
    changes: { edges: { node: { id: string; recordId: string } }[]; pageInfo: { endCursor: string | null } };
  }>(query, { after });
  return { nodes: changes.edges.map(({ node }) => node), cursor: changes.pageInfo.endCursor };
};

test('a reader with a cursor gets every change once while twelve clients write on two processes', async () => {
  const callers = servers.map((server) => server.callerWith(owner.key));
  let writing = true;
  const made: string[] = [];
  const writers = Array.from({ length: 12 }, async (_, writer) => {
    const caller = callers[writer % 2] as Caller;
    for (let i = 0; i < 10; i++) {
      made.push(String(await caller.space(`${writer}-${i}`)));
      await setTimeout(Math.random() * 5);
    }
  });
  const seen: { id: string; recordId: string }[] = [];
  const read = async () => {
    let cursor: string | null = null;
    for (;;) {
      const wasWriting = writing;
      const next = await page(cursor, callers[seen.length % 2]);
      seen.push(...next.nodes);
      cursor = next.cursor ?? cursor;
      // The last changes may wait for transactions of other tests.
      if (next.nodes.length === 0 && !wasWriting && seen.length >= made.length) return;
    }
  };
  const reading = read();
  await Promise.all(writers);
  writing = false;
  await reading;
  expect(seen.map(({ recordId }) => recordId).sort()).toEqual(made.sort());
  expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
});

test.runIf(inject('database').provider === 'postgresql')(
  'a reader does not miss changes that are committed late',
  async () => {
    const [first] = servers;
    const db = (first as TestServer).database;
    const { id: accountId } = await db.prisma.account.findFirstOrThrow({ where: { name: 'owner' } });
    let cursor: string | null = null;
    for (let next = await page(null); next.nodes.length > 0; next = await page(cursor)) cursor = next.cursor;
    let commit = () => {};
    const mayCommit = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let hasId = () => {};
    const idIsTaken = new Promise<void>((resolve) => {
      hasId = resolve;
    });
    const late = changing(db, async (_tx, record) => {
      await record([
        { accountId, keyId: null, at: NOON, action: 'UPDATED', kind: 'LINK', recordId: 777, fields: [] },
      ]);
      hasId();
      await mayCommit;
    });
    await idIsTaken;
    const early = await owner.space('Committed before');
    // The change with the larger id is committed, and an earlier one is not yet.
    expect((await page(cursor)).nodes).toEqual([]);
    commit();
    await late;
    const told = async () => (await page(cursor)).nodes.map(({ recordId }) => recordId);
    await expect.poll(told).toEqual(['777', String(early)]);
  },
);

test('keeps the order and cursors of a database that is restored on another server', async () => {
  const old = await startTestServer();
  const caller = await old.caller();
  const db = old.database;
  await caller.space('Before');
  // As on a server with many more transactions.
  await db.prisma.$executeRawUnsafe('UPDATE "Change" SET "tx" = "tx" + 5000000');
  await db.prisma.$executeRawUnsafe(`UPDATE "Revision" SET "number" = 0 WHERE "topic" = 'changes'`);
  await settleEpoch(db);
  await expect.poll(async () => (await page(null, caller)).nodes.length).toBe(1);
  const { cursor } = await page(null, caller);
  const after = await caller.space('After');
  const told = async () => (await page(cursor, caller)).nodes.map(({ recordId }) => recordId);
  await expect.poll(told).toEqual([String(after)]);
  await settleEpoch(db);
  const [row] = await db.prisma.$queryRaw<
    { number: number }[]
  >`SELECT "number" FROM "Revision" WHERE "topic" = 'changes'`;
  expect(Number(row?.number)).toBe(1);
  await old.stop();
});

test('the feed announces each change once when found and once when settled, in order', async () => {
  const { db, feed } = await follow();
  const [found, settled]: [{ recordId: number }[], LoggedChange[]] = [[], []];
  db.changes.on('change', (change) => found.push(change)).on('settled', (change) => settled.push(change));
  await feed.read(await readLogSnapshot(db));
  const ids = [await owner.space('1'), await owner.space('2')];
  await feed.read(await readLogSnapshot(db));
  expect(found.map(({ recordId }) => recordId)).toEqual(ids);
  const all = async () => {
    await feed.read(await readLogSnapshot(db));
    return settled.length;
  };
  await expect.poll(all).toBe(2);
  expect(found.map(({ recordId }) => recordId)).toEqual(ids);
  expect(settled.map(({ recordId }) => recordId)).toEqual(ids);
});

test('reads settled changes only while a listener needs them', async () => {
  const { db, feed } = await follow();
  const settled: number[] = [];
  const read = async () => {
    await feed.read(await readLogSnapshot(db));
    return settled;
  };
  await read();
  await owner.space('1');
  // Transactions of other tests on the server may be open, so that nothing after them is settled.
  let now = await readLogSnapshot(db);
  while (now.settled < now.next) {
    await setTimeout(20);
    now = await readLogSnapshot(db);
  }
  await feed.read(now);
  db.changes.on('settled', ({ recordId }) => settled.push(recordId));
  const second = await owner.space('2');
  await expect.poll(read).toEqual([second]);
});

test('a process does not poll early after its own changes if no listener needs them', async () => {
  let polls = 0;
  const database = await Database.open((servers[0] as TestServer).databaseUrl, {
    onStatement: (sql) => {
      if (sql.startsWith('SELECT "topic"')) polls++;
    },
  });
  const { id: accountId } = await database.prisma.account.findFirstOrThrow({ where: { name: 'owner' } });
  const row = { accountId, keyId: null, at: NOON, action: 'UPDATED', kind: 'LINK', fields: [], recordId: 1 };
  const feed = new ChangeFeed(database);
  const startedAt = performance.now();
  feed.start();
  for (let i = 0; i < 20; i++) {
    await changing(database, (_tx, record) => record([row]));
    await setTimeout(100);
  }
  await feed.stop();
  const byItself = (performance.now() - startedAt) / 400;
  expect(polls).toBeGreaterThan(0);
  expect(polls).toBeLessThanOrEqual(byItself + 1);
  await database.close();
});

test('keeps changes for HISTORY_DAYS', async () => {
  const server = await startTestServer();
  const caller = await server.caller();
  for (let i = 0; i < 3; i++) {
    server.clock.now = new Date(NOON.getTime() + i * 40 * 24 * 60 * 60 * 1000);
    await caller.space(`${i}`);
  }
  const db = server.database;
  await untilSettled(db);
  const days = async (count: number) => {
    await changeRetention(db, count, () => server.clock.now, pino({ level: 'silent' })).deleteOld();
    return db.prisma.change.count();
  };
  expect(await days(90)).toBe(3);
  expect(await days(50)).toBe(2);
  expect(await days(30)).toBe(1);
  await server.stop();
});

test('deletes the oldest changes up to the first newer one, also those of a clock that was ahead', async () => {
  const server = await startTestServer();
  onTestFinished(() => server.stop());
  const db = server.database;
  const caller = await server.caller();
  // The day of each change.
  for (const day of [0, 900, 1, 5, 2, 901]) {
    server.clock.now = new Date(NOON.getTime() + day * DAY);
    await caller.space(`${day}`);
  }
  await untilSettled(db);
  const left = async (today: number) => {
    const now = new Date(NOON.getTime() + today * DAY);
    await changeRetention(db, 3, () => now, pino({ level: 'silent' })).deleteOld();
    const changes = await db.prisma.change.findMany({ orderBy: { id: 'asc' } });
    return changes.map(({ at }) => (at.getTime() - NOON.getTime()) / DAY);
  };
  expect(await left(3)).toEqual([0, 900, 1, 5, 2, 901]);
  expect(await left(4)).toEqual([900, 1, 5, 2, 901]);
  expect(await left(7)).toEqual([5, 2, 901]);
  expect(await left(8)).toEqual([5, 2, 901]);
  expect(await left(9)).toEqual([901]);
  expect(await left(20)).toEqual([901]);
});

test.runIf(inject('database').provider === 'postgresql')(
  'the feed announces a change that is committed after many others, in order',
  async () => {
    const { db: other } = await follow();
    const { db, feed } = await follow();
    const { id: accountId } = await db.prisma.account.findFirstOrThrow({ where: { name: 'owner' } });
    const row = { accountId, keyId: null, at: NOON, action: 'UPDATED', kind: 'LINK', fields: [] };
    const [found, settled]: [number[], number[]] = [[], []];
    db.changes
      .on('change', ({ recordId }) => void (recordId >= 900_000 && found.push(recordId)))
      .on('settled', ({ recordId }) => void (recordId >= 900_000 && settled.push(recordId)));
    await feed.read(await readLogSnapshot(db));
    let commit = () => {};
    const mayCommit = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let begun = () => {};
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const late = changing(other, async (_tx, record) => {
      await record([{ ...row, recordId: 999_999 }]);
      begun();
      await mayCommit;
    });
    await hasBegun;
    const others = Array.from({ length: 1_000 }, (_, i) => 900_000 + i);
    for (let from = 0; from < others.length; from += 250)
      await changing(other, (_tx, record) =>
        record(others.slice(from, from + 250).map((recordId) => ({ ...row, recordId }))),
      );
    const reading = readLogSnapshot(db).then((now) => feed.read(now));
    commit();
    await Promise.all([reading, late]);
    const all = async () => {
      await feed.read(await readLogSnapshot(db));
      return settled.length;
    };
    await expect.poll(all).toBe(1_001);
    expect(settled).toEqual([999_999, ...others]);
    expect([...found].sort()).toEqual([...others, 999_999]);
  },
);
