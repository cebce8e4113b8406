// It takes long: 50 clients make 300 requests, twice.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { Database } from '../../src/db/database.ts';
import { connectTo } from '../../src/engine/db/postgresql/client.ts';
import { sql } from '../../src/engine/db/sql.ts';
import { limitedTo } from '../support/database.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';
import { refusalOf } from '../support/service.ts';
import { visit } from '../support/visit.ts';

let server: TestServer | undefined;
const databases: Database[] = [];
afterEach(async () => {
  await server?.stop();
  server = undefined;
  await Promise.all(databases.splice(0).map((database) => database.close()));
});

/** Sends the requests of one of many clients in turn; returns the statuses. */
async function round(caller: Caller, origin: string, number: number): Promise<number[]> {
  const alias = `r${randomUUID().slice(0, 8)}`;
  const form = { url: 'https://example.com/', alias, expiration_clicks: '9' };
  const statuses = [(await caller.rest('POST', '/links', form)).status];
  for (const ask of [
    () => caller.rest('GET', '/links'),
    () => caller.graphql('{ links(first: 5) { totalCount nodes { alias } } }'),
    () => caller.rest('POST', '/spaces', { name: `s${number} ${alias}` }),
    () => fetch(`${origin}/readyz`),
    () => visit(origin, `/${alias}`),
  ])
    statuses.push((await ask()).status);
  return statuses;
}

/** The statuses of 50 clients of two accounts at once. */
async function statusesOf50({ origin, caller }: TestServer): Promise<Set<number>> {
  const callers = [await caller('one'), await caller('two')];
  const statuses = new Set<number>();
  const client = async (one: Caller, number: number) => {
    for (const status of await round(one, origin, number)) statuses.add(status);
  };
  await Promise.all(Array.from({ length: 50 }, (_, i) => client(callers[i % 2] as Caller, i)));
  return statuses;
}

const sizes = ({ log }: TestServer) =>
  log.flatMap(({ msg, connections }) => (/^PostgreSQL grants fewer/.test(String(msg)) ? [connections] : []));

for (const [connections, limitOf] of [
  [5, 'ROLE'],
  [2, 'DATABASE'],
] as const)
  test(`answers 50 clients at once with ${connections} connections by the limit of a ${limitOf}`, async () => {
    const { url } = await limitedTo(connections, limitOf);
    server = await startTestServer({ url, background: true });
    expect(await statusesOf50(server)).toEqual(new Set([200, 201, 302]));
    expect(sizes(server)).toHaveLength(1);
  });

/** A database of which the pool has all connections that it gets, and a function that ends them. */
async function limitedDatabase(connections: number, growthInterval: number) {
  const limited = await limitedTo(connections);
  const sizes: number[] = [];
  const pool = { poolSize: 8, statementTimeout: 0 };
  const onPoolSize = (size: number) => void sizes.push(size);
  const database = await Database.open(limited.url, { pool, growthInterval, onPoolSize });
  databases.push(database);
  return { ...limited, database, sizes };
}

/** Transactions that each hold a connection until they are told to end. */
function hold(database: Database, count: number) {
  let begun = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = Array.from({ length: count }, () =>
    database.transaction(async (tx) => {
      await tx.read(sql`SELECT 1 AS "one"`);
      begun++;
      await promise;
    }),
  );
  const end = async () => {
    resolve();
    await Promise.all(done);
  };
  return { begun: () => begun, end };
}

test('takes up connections that are granted later, one at a time', async () => {
  const { database, limit, sizes } = await limitedDatabase(3, 20);
  const first = hold(database, 8);
  await expect.poll(first.begun).toBe(3);
  expect(sizes.at(-1)).toBe(3);
  await limit(8);
  await first.end();
  expect(first.begun()).toBe(8);
  const second = hold(database, 8);
  await expect.poll(second.begun).toBe(8);
  await second.end();
  expect(sizes.at(-1)).toBe(8);
});

test('asks for no more than what it got until the time has come', async () => {
  const { database, limit, sizes } = await limitedDatabase(3, 3_600_000);
  const first = hold(database, 8);
  await expect.poll(first.begun).toBe(3);
  await limit(8);
  await first.end();
  const second = hold(database, 8);
  await expect.poll(second.begun).toBe(3);
  await second.end();
  expect(new Set(sizes)).toEqual(new Set([3]));
});

test('waits while others have all connections', async () => {
  const { url, database, limit } = await limitedDatabase(3, 10_000);
  await limit(0);
  const superuser = await connectTo(Object.assign(new URL(url), { username: 'postgres' }).href);
  await superuser.query('SELECT pg_terminate_backend("pid") FROM pg_stat_activity WHERE "usename" = $1', [
    new URL(url).username,
  ]);
  const asked = Array.from({ length: 20 }, () => database.readAlone<{ one: number }>(sql`SELECT 1 AS "one"`));
  const early = await Promise.race([...asked, delay(300)]);
  expect(early).toBeUndefined();
  await limit(1);
  for (const rows of await Promise.all(asked)) expect(rows).toEqual([{ one: 1 }]);
  await superuser.end();
});

test('a start says that the server grants no connection', async () => {
  const { url } = await limitedTo(0);
  const { host, username } = new URL(url);
  expect(await refusalOf({ DATABASE_URL: url })).toBe(
    `The PostgreSQL server at ${host}, which DATABASE_URL names, grants the user "${username}" no further connection: ` +
      `too many connections for role "${username}".`,
  );
});
