import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, inject, onTestFinished, test, vi } from 'vitest';
import { Metrics } from '../../src/app/service/metrics.ts';
import { ClickBuffer } from '../../src/clicks/click-buffer.ts';
import type { Receipt } from '../../src/clicks/visit-writer.ts';
import type { Data } from '../../src/db/database.ts';
import { join, sql } from '../../src/engine/db/sql.ts';
import { parseFilePath } from '../../src/engine/db/sqlite/file.ts';
import { addClicks, clickOn } from '../support/clicks.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
let db: Data;
let ids: number[];
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
  db = server.database;
});
afterAll(() => server.stop());
beforeEach(async () => {
  ids = [(await owner.link()).id, (await owner.link()).id];
});

const clicks = async () =>
  (await db.prisma.linkCounter.findMany({ where: { linkId: { in: ids } }, orderBy: { linkId: 'asc' } })).map(
    (counter) => counter.clicks,
  );

function bufferOf(client: Data, log = pino({ level: 'silent' })): ClickBuffer {
  return new ClickBuffer(client, log, undefined, false);
}

test('skips deleted links', async () => {
  const [first = 0] = ids;
  const counts = new Map([
    [first, { count: 2, last: NOON }],
    [999_999, { count: 5, last: NOON }],
  ]);
  await addClicks(db, counts, { processId: crypto.randomUUID(), number: 1 });
  expect(await clicks()).toEqual([2, 0]);
});

test('writes visits counted during a write before it stops', async () => {
  const buffer = bufferOf(db);
  const [first = 0, second = 0] = ids;
  for (let round = 0; round < 50; round++) {
    buffer.add(clickOn(first, NOON));
    const written = buffer.flush();
    buffer.add(clickOn(second, NOON));
    if (round % 7 === 0) await written;
  }
  await buffer.stop();
  expect(await clicks()).toEqual([50, 50]);
});

test('a write ends even while visits keep arriving', async ({ signal }) => {
  const buffer = bufferOf(db);
  const [first = 0] = ids;
  let [arriving, arrived] = [true, 0];
  const arrive = () => {
    if (!arriving || signal.aborted) return;
    buffer.add(clickOn(first, NOON));
    arrived++;
    setImmediate(arrive);
  };
  arrive();
  await buffer.flush();
  arriving = false;
  await buffer.stop();
  expect(await clicks()).toEqual([arrived, 0]);
});

/** The numbers of the receipts with which the thread of SQLite is asked to write, from now on. */
function listReceipts(): readonly number[] {
  const numbers: number[] = [];
  const write = db.database.writeOnThread;
  vi.spyOn(db.database, 'writeOnThread', 'get').mockReturnValue(async (module, question) => {
    numbers.push((question as { receipt: Receipt }).receipt.number); // As `Batches` asks.
    return write?.(module, question);
  });
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  return numbers;
}

// The next write starts some ticks after the end of the transaction of the previous one.
test.runIf(inject('database').provider === 'sqlite').each(Array.from({ length: 25 }, (_, ticks) => ticks))(
  'settling a link %i ticks after a write counts each click once',
  async (ticks) => {
    const receipts = listReceipts();
    const buffer = bufferOf(db);
    const [first = 0, second = 0] = ids;
    buffer.add(clickOn(first, NOON));
    let writing = true;
    const written = buffer.flush().then(() => {
      writing = false;
    });
    buffer.add(clickOn(second, NOON));
    const settled = [buffer.flush()];
    for (let turn = 0; turn < 400 && writing; turn++) {
      const read = db.read(sql`SELECT 1 AS "value"`);
      settled.push(
        read.then(async () => {
          for (let tick = 0; tick < ticks; tick++) await null;
          await buffer.settle(second);
        }),
      );
      for (let tick = 0; tick < 7; tick++) await null;
    }
    await Promise.all([written, ...settled]);
    await buffer.stop();
    expect(await clicks()).toEqual([1, 1]);
    // A receipt would hide a second write.
    expect(receipts).toEqual([...new Set(receipts)]);
  },
);

/** Visits of each link by so many visitors. */
function addVisitors(buffer: ClickBuffer, links: readonly number[], visitors: number): void {
  for (const id of links)
    for (let visitor = 0; visitor < visitors; visitor++)
      buffer.add({ ...clickOn(id, NOON), address: `10.0.${visitor >> 8}.${visitor & 255}` });
}

const onSqlite = test.runIf(inject('database').provider === 'sqlite');

onSqlite('others read and write between the links of a write, each written whole', async () => {
  const links = await Promise.all(Array.from({ length: 8 }, () => owner.link()));
  const buffer = new ClickBuffer(db, pino({ level: 'silent' }));
  addVisitors(
    buffer,
    links.map(({ id }) => id),
    1_000,
  );
  const seen = new Set<string>();
  let [writing, stored] = [true, 0];
  const written = buffer.flush().finally(() => {
    writing = false;
  });
  const store = async () => {
    for (; writing; stored++) await owner.link();
  };
  const read = async () => {
    while (writing) {
      const rows = await db.read<{ clicks: number; visitors: number }>(sql`
        SELECT "clicks", (SELECT COUNT(*) FROM "DayVisitor" WHERE "DayVisitor"."linkId" = "LinkCounter"."linkId") AS "visitors"
        FROM "LinkCounter" WHERE "linkId" IN (${join(links.map(({ id }) => id))})`);
      seen.add([...new Set(rows.map(({ clicks, visitors }) => `${clicks} ${visitors}`))].sort().join());
      await nextTurn();
    }
  };
  await Promise.all([written, store(), read()]);
  expect([...seen].filter((states) => !/^(0 0,?)?(1000 1000)?$/.test(states))).toEqual([]);
  expect(seen).toContain('0 0,1000 1000');
  expect(stored).toBeGreaterThan(1);
});

onSqlite('needs few turns of a busy process', async () => {
  const links = await Promise.all(Array.from({ length: 16 }, () => owner.link()));
  let [isWriting, isAsking, turns] = [true, false, 0];
  const write = db.database.writeOnThread;
  vi.spyOn(db.database, 'writeOnThread', 'get').mockReturnValue(async (module, question) => {
    isAsking = true;
    return write?.(module, question).finally(() => {
      isAsking = false;
    });
  });
  const messages = vi.spyOn(Worker.prototype, 'postMessage');
  const buffer = new ClickBuffer(db, pino({ level: 'silent' }));
  addVisitors(
    buffer,
    links.map(({ id }) => id),
    400,
  );
  await nextTurn();
  const work = () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    // A message to a thread counts as one turn, however long its answer takes.
    if (!isAsking) turns++;
    if (isWriting) setImmediate(work);
  };
  setImmediate(work);
  try {
    await buffer.flush();
    // Nobody waits for the log to be copied into the file.
    const sent = messages.mock.calls.filter((call) => !/wal_checkpoint/.test(JSON.stringify(call))).length;
    expect(sent).toBeGreaterThan(0);
    expect(turns + sent).toBeLessThan(12);
  } finally {
    isWriting = false;
    vi.restoreAllMocks();
  }
  const counted = await db.prisma.linkCounter.aggregate({
    where: { linkId: { in: links.map(({ id }) => id) } },
    _sum: { clicks: true },
  });
  expect(counted._sum.clicks).toBe(16 * 400);
});

/** As many visits as are written in about a second, of links that do not exist. */
function addMany(buffer: ClickBuffer): void {
  for (let id = 1_000_001; id <= 1_005_000; id++) buffer.add(clickOn(id, NOON));
}

test('visits wait while more are counted than can be written in time', async () => {
  const buffer = bufferOf(db);
  expect(buffer.isBusy).toBe(false);
  addMany(buffer);
  expect(buffer.isBusy).toBe(true);
  await buffer.caughtUp();
  expect(buffer.unwritten).toBeGreaterThan(0);
  expect(buffer.unwritten).toBeLessThan(5_000);
  await buffer.stop();
});

test('a visit of a link that has waiting visits makes nobody wait', async () => {
  const buffer = bufferOf(db);
  for (let id = 1_000_001; id <= 1_001_000; id++) buffer.add(clickOn(id, NOON));
  await nextTurn();
  buffer.add(clickOn(1_000_001, NOON));
  expect(buffer.isBusy).toBe(false);
  await buffer.stop();
});

onSqlite('nobody waits for a database that is locked', async () => {
  const other = new Sqlite(parseFilePath(server.database.url));
  const buffer = bufferOf(db);
  addMany(buffer);
  other.exec('BEGIN IMMEDIATE');
  try {
    await buffer.caughtUp();
    expect(buffer.unwritten).toBe(5_000);
  } finally {
    other.exec('ROLLBACK');
    other.close();
  }
  await buffer.stop();
});

test('nobody waits for what could not be written', async () => {
  const buffer = bufferOf(db);
  addMany(buffer);
  await db.prisma.$executeRawUnsafe('ALTER TABLE "LinkCounter" RENAME TO "AwayCounter"');
  try {
    await buffer.flush();
    let isWriting = true;
    const again = buffer.flush().finally(() => {
      isWriting = false;
    });
    const seen = new Set<boolean>();
    for (; isWriting; await nextTurn()) seen.add(buffer.isBusy);
    await again;
    expect([[...seen], buffer.unwritten]).toEqual([[false], 5_000]);
  } finally {
    await db.prisma.$executeRawUnsafe('ALTER TABLE "AwayCounter" RENAME TO "LinkCounter"');
  }
  await buffer.stop();
});

onSqlite('rotations take their turns as soon as a write of visits has ended', async () => {
  const [first = 0] = ids;
  const buffer = new ClickBuffer(db, pino({ level: 'silent' }));
  addVisitors(buffer, [first], 20_000);
  let waiting = 0;
  const timer = setInterval(() => {
    waiting++;
    buffer.takeTurn({ id: first, accountId: 1 }, NOON).then(() => waiting--);
  }, 2);
  await buffer.flush();
  clearInterval(timer);
  // On a slow machine, each may take a slice of the thread.
  for (let turns = waiting + 2; turns > 0; turns--) await nextTurn();
  expect(waiting).toBe(0);
});

test('tells for how long counting stands still, and loses nothing', async () => {
  const lines: { msg: string; clicks?: number; seconds?: number }[] = [];
  const buffer = bufferOf(db, pino({}, { write: (line) => lines.push(JSON.parse(line)) }));
  const [first = 0] = ids;
  expect(buffer.behind).toBe(0);
  await db.prisma.$executeRawUnsafe('ALTER TABLE "LinkDay" RENAME TO "AwayDay"');
  try {
    for (let round = 1; round <= 3; round++) {
      buffer.add(clickOn(first, NOON));
      await buffer.flush();
    }
    expect(buffer.behind).toBeGreaterThan(0);
    expect(await clicks()).toEqual([0, 0]);
  } finally {
    await db.prisma.$executeRawUnsafe('ALTER TABLE "AwayDay" RENAME TO "LinkDay"');
  }
  await buffer.flush();
  expect([buffer.behind, await clicks()]).toEqual([0, [3, 0]]);
  expect(lines).toMatchObject([
    { msg: 'clicks cannot be written', clicks: 1, seconds: expect.any(Number) },
    { msg: 'no longer: clicks cannot be written' },
  ]);
});

test('drops visits of further links if those of too many wait, says so, and goes on afterwards', async () => {
  const metrics = new Metrics();
  const lines: { msg: string }[] = [];
  const log = pino({}, { write: (line) => lines.push(JSON.parse(line)) });
  const buffer = new ClickBuffer(db, log, metrics, false, { links: 1 });
  const [first = 0, second = 0] = ids;
  for (const id of [first, second, second, first]) buffer.add(clickOn(id, NOON));
  await buffer.flush();
  expect(await clicks()).toEqual([2, 0]);
  expect(await metrics.text()).toMatch(/^linkspace_clicks_dropped_total 2$/m);
  buffer.add(clickOn(second, NOON));
  await buffer.flush();
  expect(await clicks()).toEqual([2, 1]);
  const message = 'clicks are dropped, since those of too many links wait';
  expect(lines.map(({ msg }) => msg)).toEqual([message, `no longer: ${message}`]);
});
