import { AsyncResource } from 'node:async_hooks';
import { renameSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { Database } from '../../../src/db/database.ts';
import { sql } from '../../../src/engine/db/sql.ts';
import { parseFilePath } from '../../../src/engine/db/sqlite/file.ts';
import { newDatabase } from '../../support/database.ts';
import { NOON } from '../../support/server.ts';

const isSqlite = inject('database').provider === 'sqlite';

let database: Database;
let accountId: number;
let domainId: number;
let spaceId: number;
beforeAll(async () => {
  database = await Database.open(await newDatabase());
  const { prisma } = database;
  const times = { createdAt: NOON, updatedAt: NOON };
  ({ id: accountId } = await prisma.account.create({ data: { name: 'Acme', createdAt: NOON } }));
  ({ id: domainId } = await prisma.domain.create({ data: { name: 's.example', ...times } }));
  const space = { accountId, name: 'News', nameKey: 'news', color: 1, ...times };
  ({ id: spaceId } = await prisma.space.create({ data: space }));
});
afterAll(() => database.close());

/** Runs work outside of any transaction, also if it is called inside one. */
const outside = <T>(work: () => Promise<T>): Promise<T> => runOutside(work) as Promise<T>;
const runOutside = AsyncResource.bind((work: () => Promise<unknown>) => work());

/** Many ticks of the event loop, in which other work can run. */
async function steps(count: number): Promise<void> {
  for (let step = 0; step < count; step++) await null;
}

/** Writes a link and an unknown pixel in one transaction, which is rolled back. */
function failingWrite(alias: string): Promise<unknown> {
  const url = 'https://example.com/';
  const link = { accountId, domainId, alias, aliasKey: alias, url, urlKey: url };
  const data = { ...link, createdAt: NOON, updatedAt: NOON, pixels: { create: { pixelId: 999 } } };
  return expect(database.prisma.link.create({ data })).rejects.toThrow('Foreign key');
}

const after = Array.from({ length: 40 }, (_, count) => count);

test('a write outside an open transaction survives its rollback', async () => {
  const { prisma } = database;
  const kept: number[] = [];
  for (const color of after) {
    const write = steps(color).then(() => prisma.space.update({ where: { id: spaceId }, data: { color } }));
    await Promise.all([failingWrite(`w${color}`), write]);
    kept.push((await prisma.space.findUniqueOrThrow({ where: { id: spaceId } })).color);
  }
  expect(kept).toEqual(after);
});

test('a read outside an open transaction does not see its changes', async () => {
  const seen: number[] = [];
  for (const count of after) {
    const read = steps(count).then(async () => seen.push(await database.prisma.link.count()));
    await Promise.all([failingWrite(`r${count}`), read]);
  }
  expect(seen).toEqual(after.map(() => 0));
});

/** Runs `work` while a transaction has created the space, and then commits it. */
async function besideTransaction<T>(of: Database, name: string, work: () => Promise<T>): Promise<T> {
  const [open, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const data = { accountId, name, nameKey: name, color: 1, createdAt: NOON, updatedAt: NOON };
  const writing = of.transaction(async (tx) => {
    await tx.prisma.space.create({ data });
    open.resolve();
    await done.promise;
  });
  await open.promise;
  try {
    return await work();
  } finally {
    done.resolve();
    await writing;
  }
}

describe('a read outside an open transaction', () => {
  const name = 'Uncommitted';
  const reads: Record<string, (of: Database) => PromiseLike<readonly unknown[]>> = {
    'of our own': (of) => of.read(sql`SELECT "id" FROM "Space" WHERE "name" = ${name}`),
    'with a table expression': (of) =>
      of.read(sql`WITH "n" AS (SELECT * FROM "Space") SELECT "id" FROM "n" WHERE "name" = ${name}`),
    "by Prisma's client": ({ prisma }) => prisma.space.findMany({ where: { name } }),
    'of a raw statement by it': ({ prisma }) =>
      prisma.$queryRaw`SELECT "id" FROM "Space" WHERE "name" = ${name}`,
    'that is long': ({ long }) => long.read(sql`SELECT "id" FROM "Space" WHERE "name" = ${name}`),
  };

  test.each(Object.keys(reads))('%s does not wait for it, and sees the state before', async (kind) => {
    const read = async () => (await reads[kind]?.(database))?.length;
    expect(await besideTransaction(database, name, read)).toBe(0);
    expect(await read()).toBe(1);
    await database.prisma.space.deleteMany({ where: { name } });
    expect(await besideTransaction(database, 'Other', read)).toBe(0);
    await database.prisma.space.deleteMany({ where: { name: 'Other' } });
  });

  test('sees each commit at once', async () => {
    const counted: number[] = [];
    for (const _ of after.slice(0, 5))
      await besideTransaction(database, name, async () => {
        counted.push(await database.prisma.space.count({ where: { name } }));
      });
    await database.prisma.space.deleteMany({ where: { name } });
    expect(counted).toEqual([0, 1, 2, 3, 4]);
  });

  test.runIf(isSqlite)('reads the opened file, also after another has its name', async () => {
    const [url, another] = [await newDatabase(), await newDatabase()];
    const opened = await Database.open(url);
    onTestFinished(() => opened.close());
    await opened.prisma.account.create({ data: { name: 'Old', createdAt: NOON } });
    for (const end of ['', '-wal', '-shm'])
      renameSync(`${parseFilePath(url)}${end}`, `${parseFilePath(another)}.old${end}`);
    renameSync(parseFilePath(another), parseFilePath(url));
    const read = () => opened.read(sql`SELECT "name" FROM "Account"`);
    const reading = opened.transaction(async () => {
      expect(await outside(read)).toEqual([{ name: 'Old' }]);
    });
    await expect(reading).rejects.toThrow('restart the service');
  });
});

test.runIf(isSqlite)('a read of a database in memory waits for an open transaction', async () => {
  const memory = await Database.open('file::memory:');
  onTestFinished(() => memory.close());
  await memory.prisma.$executeRaw`CREATE TABLE "Row" ("id" integer)`;
  const read = () => memory.read(sql`SELECT "id" FROM "Row"`);
  const reading = await memory.transaction(async (tx) => {
    await tx.prisma.$executeRaw`INSERT INTO "Row" VALUES (1)`;
    return { rows: outside(read) };
  });
  expect(await reading.rows).toEqual([{ id: 1 }]);
});

test('concurrent transactions run one after the other', async () => {
  const { prisma } = database;
  const url = 'https://example.com/';
  const pixel = {
    accountId,
    name: 'Ads',
    type: 'GOOGLE_ADS',
    value: 'AW-1',
    createdAt: NOON,
    updatedAt: NOON,
  };
  const { id: pixelId } = await prisma.pixel.create({ data: pixel });
  const made = after.map((count) => {
    const link = { accountId, domainId, alias: `t${count}`, aliasKey: `t${count}`, url, urlKey: url };
    return prisma.link.create({
      data: { ...link, createdAt: NOON, updatedAt: NOON, pixels: { create: { pixelId } } },
    });
  });
  await Promise.all(made);
  expect(await prisma.linkPixel.count({ where: { pixelId } })).toBe(after.length);
});

test('a lookup that Prisma batches with one in a transaction waits until the transaction ends', async () => {
  const { prisma } = database;
  const where = { id: accountId };
  const { others } = await database.transaction(async (tx) => {
    const own = tx.prisma.account.findUnique({ where }).then((row) => row);
    const found = outside(() => prisma.account.findUnique({ where }).then((row) => row));
    await own;
    return { others: found };
  });
  expect(await others).toMatchObject(where);
});

// On PostgreSQL, the query has a connection of its own.
test.runIf(isSqlite)('a query outside the open transaction fails instead of causing a deadlock', async () => {
  const other = await Database.open(await newDatabase(), { deadlockTimeout: 100 });
  onTestFinished(() => other.close());
  const past = other.transaction(async () => other.prisma.space.count());
  await expect(past).rejects.toThrow('did not use the client of the transaction');
  const directly = other.transaction(async () => other.read(sql`SELECT 1`));
  await expect(directly).rejects.toThrow('did not use the client of the transaction');
  expect(await other.prisma.space.count()).toBe(0);
});
