import { statSync } from 'node:fs';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { Database } from '../../../src/db/database.ts';
import { sql } from '../../../src/engine/db/sql.ts';
import { parseFilePath } from '../../../src/engine/db/sqlite/file.ts';
import { LongReads } from '../../../src/engine/lists/long-reads.ts';
import { TooMuchWaiting } from '../../../src/engine/tools/turns.ts';
import { newDatabase } from '../../support/database.ts';
import { NOON } from '../../support/server.ts';

let database: Database;
beforeAll(async () => {
  database = await Database.open(await newDatabase());
});
afterAll(() => database.close());

const createAccount = (name: string) => database.prisma.account.create({ data: { name, createdAt: NOON } });
const countAccounts = sql`SELECT COUNT(*) AS "count" FROM "Account"`;
const counting = sql`WITH RECURSIVE "n"("i") AS (SELECT 1 UNION ALL SELECT "i" + 1 FROM "n" WHERE "i" < 2000000)
  SELECT MAX("i") AS "most" FROM "n"`;

test('a long read does not block other work', async () => {
  let [turns, ended] = [0, false];
  const turn = () => {
    turns++;
    if (!ended) setImmediate(turn);
  };
  setImmediate(turn);
  const [row] = await database.long.read<{ most: number }>(counting);
  ended = true;
  expect(row?.most).toBe(2_000_000);
  expect(turns).toBeGreaterThan(20);
});

test('a long read sees earlier writes', async () => {
  const long = database.long;
  for (let i = 0; i < 50; i++) {
    const [before] = await long.read<{ count: number | bigint }>(countAccounts);
    await createAccount(`account ${i}`);
    const [after] = await long.read<{ count: number | bigint }>(countAccounts);
    expect(Number(after?.count)).toBe(Number(before?.count) + 1);
  }
});

test('a long read does not wait for an open transaction', async () => {
  const ended = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  const writing = database.transaction(async (tx) => {
    await tx.prisma.account.create({ data: { name: 'uncommitted', createdAt: NOON } });
    open.resolve();
    await ended.promise;
  });
  await open.promise;
  const named = sql`SELECT "id" FROM "Account" WHERE "name" = ${'uncommitted'}`;
  expect(await database.long.read(named)).toEqual([]);
  ended.resolve();
  await writing;
  expect(await database.long.read(named)).toHaveLength(1);
});

test('a long read reports the error of the database, and later reads work', async () => {
  const long = database.long;
  await expect(long.read(sql`SELECT * FROM "Nothing"`)).rejects.toThrow(/Nothing|TableDoesNotExist/);
  await expect(long.read(countAccounts)).resolves.toHaveLength(1);
});

test('an account does one long read at a time', async () => {
  const { signal } = new AbortController();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const read = (accountId: number, name: string) =>
    new LongReads(database, accountId, signal).take(() => {
      begun.push(name);
      return new Promise<void>((resolve) => void ends.push(resolve));
    });
  const all = [read(1, 'first'), read(1, 'second'), read(2, 'of another')];
  await new Promise(setImmediate);
  expect(begun).toEqual(['first', 'of another']);
  ends[0]?.();
  await all[0];
  await new Promise(setImmediate);
  expect(begun).toEqual(['first', 'of another', 'second']);
  for (const end of ends) end();
  await Promise.all(all);
});

test('a queued long read never starts if its signal is aborted first', async () => {
  const controller = new AbortController();
  const long = new LongReads(database, 1, controller.signal);
  const first = long.take(async () => controller.abort(new Error('gone')));
  await expect(long.take(async () => 'read')).rejects.toThrow('gone');
  await first;
});

test('a request begins no long read after its time, and waits no longer for its turn', async () => {
  const { signal } = new AbortController();
  const ended = Promise.withResolvers<void>();
  const first = new LongReads(database, 1, signal).take(() => ended.promise);
  const short = new LongReads(database, 1, signal, 20);
  await expect(short.take(async () => 'read')).rejects.toThrow(TooMuchWaiting);
  ended.resolve();
  await first;
  await expect(short.take(async () => 'read')).rejects.toThrow(TooMuchWaiting);
});

test('a read whose client leaves waits no longer for its turn', async () => {
  const ended = Promise.withResolvers<void>();
  const first = new LongReads(database, 1, new AbortController().signal).take(() => ended.promise);
  const controller = new AbortController();
  const second = new LongReads(database, 1, controller.signal).take(async () => 'read');
  controller.abort(new Error('gone'));
  await expect(second).rejects.toThrow('gone');
  ended.resolve();
  await first;
});

test.runIf(inject('database').provider === 'sqlite')(
  'the thread copies what was written from the log into the file',
  async () => {
    const size = () => statSync(parseFilePath(database.url)).size;
    const before = size();
    const rows = Array.from({ length: 1_000 }, (_, i) => ({ name: `written ${i}`, createdAt: NOON }));
    await database.transaction((tx) => tx.insertMany('Account', rows));
    await expect.poll(size).toBeGreaterThan(before);
  },
);
