import { afterEach, beforeEach, expect, test } from 'vitest';
import { Database } from '../../src/db/database.ts';
import { isUnavailable } from '../../src/engine/db/errors.ts';
import { type Sql, sql } from '../../src/engine/db/sql.ts';
import { HELD, keepOpen, newDatabase } from '../support/database.ts';
import { timed } from '../support/fair-time.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';

let database: Database;
let other: Database;
beforeEach(async () => {
  const url = await newDatabase({ migrated: false });
  database = await Database.open(url, { pool: { poolSize: 4, statementTimeout: 10_000 } });
  other = await Database.open(url);
});
afterEach(async () => {
  await database.close();
  await other.close();
});

const read = (statement: Sql) => database.read<{ value: number }>(statement);
const numberFrom = async (statement: Sql) => (await read(statement))[0]?.value;

const same = (value: number) => sql`SELECT ${value}::integer AS "value"`;
const inverse = (value: number) => sql`SELECT 1 / ${value}::integer AS "value"`;
const sleep = (seconds: number) => sql`SELECT 1 AS "value" FROM pg_sleep(${seconds})`;

/** Reads often enough that the statement gets a name. */
async function repeat(statement: Sql): Promise<void> {
  for (let time = 0; time < 5; time++) await read(statement);
}

test.each([
  ['', 'off'],
  ['options=-c%20jit%3Don', 'on'],
])('a URL with the query "%s" has the compiler of statements %s', async (query, value) => {
  const url = new URL(await newDatabase({ migrated: false }));
  url.search = query;
  const compiling = await Database.open(url.href, { pool: { poolSize: 1, statementTimeout: 0 } });
  const rows = await compiling.read(sql`SELECT current_setting('jit') AS "value"`);
  await compiling.close();
  expect(rows).toEqual([{ value }]);
});

test('each of many concurrent reads gets its own rows', async () => {
  await repeat(same(0));
  const numbers = Array.from({ length: 100 }, (_, number) => number);
  expect(await Promise.all(numbers.map((number) => numberFrom(same(number))))).toEqual(numbers);
});

test('a failed read does not affect others of the same batch', async () => {
  await repeat(inverse(1));
  const results = await Promise.allSettled([1, 0, 1].map((number) => numberFrom(inverse(number))));
  expect(results).toEqual([
    { status: 'fulfilled', value: 1 },
    { status: 'rejected', reason: expect.objectContaining({ message: expect.stringContaining('division') }) },
    { status: 'fulfilled', value: 1 },
  ]);
});

test('a value that cannot be sent fails only its own read', async () => {
  await repeat(same(0));
  const circular: { self?: object } = {};
  circular.self = circular;
  const wrong = sql`SELECT ${circular}::integer AS "value"`;
  const results = await Promise.allSettled([same(1), wrong, same(2)].map(numberFrom));
  expect(results).toEqual([
    { status: 'fulfilled', value: 1 },
    { status: 'rejected', reason: expect.objectContaining({ message: expect.stringContaining('circular') }) },
    { status: 'fulfilled', value: 2 },
  ]);
});

test('reads of one batch fail within one time limit if the server hangs after the first', async () => {
  const proxy = await startPostgresProxy(database.url);
  const hanging = await Database.open(proxy.url, { pool: { poolSize: 2, statementTimeout: 3_000 } });
  const readThere = (statement: Sql) => hanging.read<{ value: number }>(statement);
  await other.prisma.$executeRaw`CREATE TABLE "Held" ("id" integer)`;
  const held = sql`SELECT "id" AS "value" FROM "Held"`;
  for (let time = 0; time < 5; time++) for (const one of [held, same(1)]) await readThere(one);
  await other.transaction(async (tx) => {
    await keepOpen(tx.prisma);
    await tx.prisma.$executeRaw`LOCK TABLE "Held" IN ACCESS EXCLUSIVE MODE`;
    const [first, ...others] = [same(1), held, same(2), same(3)].map(readThere);
    const ended = timed(Promise.allSettled(others));
    expect(await first).toEqual([{ value: 1 }]);
    proxy.holdAll();
    const [results, took] = await ended;
    for (const result of results) expect('reason' in result && isUnavailable(result.reason)).toBe(true);
    // The server's limit plus a second, but not twice that.
    expect(took).toBeLessThan(6_500);
  }, HELD);
  proxy.release();
  expect(await readThere(same(5))).toEqual([{ value: 5 }]);
  await hanging.close();
  proxy.stop();
});

test('reads that wait for a lock do not use up the time limit of later reads', async () => {
  const impatient = await Database.open(database.url, { pool: { poolSize: 2, statementTimeout: 3_000 } });
  const readThere = (statement: Sql) => impatient.read<{ value: number }>(statement);
  await other.prisma.$executeRaw`CREATE TABLE "Note" ("id" integer)`;
  const notes = sql`SELECT "id" AS "value" FROM "Note"`;
  for (let time = 0; time < 5; time++) for (const one of [notes, same(1)]) await readThere(one);
  const locked = Promise.withResolvers<void>();
  const [done, lock] = [
    Promise.withResolvers<void>(),
    other.transaction(async (tx) => {
      await keepOpen(tx.prisma);
      await tx.prisma.$executeRaw`LOCK TABLE "Note" IN ACCESS EXCLUSIVE MODE`;
      locked.resolve();
      await done.promise;
    }, HELD),
  ];
  await locked.promise;
  const results = await Promise.allSettled([notes, notes, same(1)].map(readThere));
  done.resolve();
  await lock;
  await impatient.close();
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
});

test('repeated reads of one statement fail for the same reason on a new connection', async () => {
  await other.prisma.$executeRaw`CREATE TABLE "Note" ("id" integer)`;
  const notes = sql`SELECT "id" AS "value" FROM "Note"`;
  await repeat(notes);
  await other.prisma.$executeRaw`DROP TABLE "Note"`;
  await other.prisma
    .$queryRaw`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  await expect.poll(() => numberFrom(same(1)).catch(() => null)).toBe(1);
  const results = await Promise.allSettled([notes, notes, notes].map(read));
  const missing = expect.objectContaining({ message: expect.stringContaining('does not exist') });
  expect(results).toEqual(results.map(() => ({ status: 'rejected', reason: missing })));
});

test('a broken connection fails its read as unavailable, and later reads succeed', async () => {
  await repeat(sleep(0));
  await repeat(same(0));
  const broken = read(sleep(30)).catch((error: unknown) => isUnavailable(error));
  const end = () =>
    other.prisma.$queryRaw<
      unknown[]
    >`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query LIKE '%pg_sleep%' AND pid <> pg_backend_pid()`;
  await expect.poll(end).toHaveLength(1);
  expect(await broken).toBe(true);
  expect(await numberFrom(same(7))).toBe(7);
});

test('a read during the shutdown fails as unavailable', async () => {
  // Its client then closes the connections at once.
  await database.prisma.$connect();
  await repeat(same(0));
  const late = read(same(1)).catch((error: unknown) => isUnavailable(error));
  await database.close();
  expect(await late).toBe(true);
});

test('a database that Prisma has not used is closed, too', async () => {
  await repeat(same(0));
  await database.close();
  expect(await read(same(1)).catch((error: unknown) => isUnavailable(error))).toBe(true);
});

test('a read does not wait for one that was slow before', async () => {
  await repeat(same(0));
  await repeat(sleep(0.2));
  const order: string[] = [];
  await Promise.all([
    read(sleep(0.3)).then(() => order.push('slow')),
    read(same(1)).then(() => order.push('fast')),
  ]);
  expect(order).toEqual(['fast', 'slow']);
});

test('reads each column by its type', async () => {
  const statement = sql`SELECT 7::integer AS "number", 7::bigint AS "large", 'x'::text AS "text", TRUE AS "boolean",
    ${new Date('2026-01-02T03:04:05.678Z')}::timestamp AS "at", NULL AS "nothing"`;
  const row = {
    number: 7,
    large: 7,
    text: 'x',
    boolean: true,
    at: new Date('2026-01-02T03:04:05.678Z'),
    nothing: null,
  };
  // The first reads have no name, later ones are prepared.
  for (let time = 0; time < 7; time++) expect(await database.read(statement)).toEqual([row]);
});

test('reads a column whose type and name have changed', async () => {
  const notes = sql`SELECT * FROM "Note"`;
  await other.prisma.$executeRaw`CREATE TABLE "Note" ("value" integer)`;
  await other.prisma.$executeRaw`INSERT INTO "Note" VALUES (5)`;
  await repeat(notes);
  expect(await read(notes)).toEqual([{ value: 5 }]);
  await other.prisma.$executeRaw`ALTER TABLE "Note" ALTER COLUMN "value" TYPE text`;
  expect(await read(notes)).toEqual([{ value: '5' }]);
  await other.prisma.$executeRaw`ALTER TABLE "Note" RENAME COLUMN "value" TO "text"`;
  expect(await read(notes)).toEqual([{ text: '5' }]);
});
