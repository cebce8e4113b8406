import type { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Database, type Transaction } from '../../src/db/database.ts';
import { currentAccount } from '../../src/engine/db/current-account.ts';
import { connectTo } from '../../src/engine/db/postgresql/client.ts';
import { raw, sql } from '../../src/engine/db/sql.ts';
import { newDatabase } from '../support/database.ts';
import { type Caller, type RestLink, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

let server: TestServer;
let owner: Caller;
let other: Caller;
/** A connection of its own, which locks rows. */
let locker: Client;
beforeAll(async () => {
  server = await startTestServer({ url: await newDatabase() });
  [owner, other] = [await server.caller('owner'), await server.caller('other')];
  await other.rest('GET', '/links');
  locker = await connectTo(server.databaseUrl);
});
afterAll(async () => {
  await locker.end();
  await server.stop();
});

/** Counts the service's statements that wait for a lock. */
async function waiting(): Promise<number> {
  const { rows } = await locker.query(
    `SELECT FROM pg_stat_activity WHERE "datname" = current_database() AND "wait_event_type" = 'Lock'`,
  );
  return rows.length;
}

/** Does work while rows are locked, and nobody else's statements hold them. */
async function whileLocked(statement: string, work: () => Promise<void>): Promise<void> {
  await locker.query('BEGIN');
  await locker.query(statement);
  try {
    await work();
  } finally {
    await locker.query('ROLLBACK');
  }
}

const limited = (links = 1): Promise<RestLink[]> =>
  Promise.all(Array.from({ length: links }, () => owner.link({ expiration_clicks: '99' })));

const open = async ({ alias }: RestLink) => (await visit(server.origin, `/${alias}`)).status;

/** The statuses of what others ask meanwhile. */
async function others(): Promise<number[]> {
  const answers = await Promise.all([
    other.rest('GET', '/links'),
    other.link().then(() => ({ status: 200 })),
    other.graphql('{ links(filter: { search: "abc" }) { totalCount } }'),
    (await server.caller('newcomer')).rest('GET', '/spaces'),
    fetch(`${server.origin}/readyz`),
    visit(server.origin, '/unknown').then(({ status }) => ({ status: status === 404 ? 200 : status })),
  ]);
  return answers.map(({ status }) => status);
}
const fine = [200, 200, 200, 200, 200, 200];

// The third visit waits for its second.
test('two visits of a link are counted at once, and others wait for at most a second', async () => {
  const [link] = await limited();
  if (link === undefined) throw new Error('no link');
  await open(link);
  let refused: number[] = [];
  let counted: Promise<number>[] = [];
  await whileLocked(`SELECT FROM "LinkCounter" WHERE "linkId" = ${link.id} FOR UPDATE`, async () => {
    const visits = Array.from({ length: 20 }, () => open(link));
    const ended = new Set<Promise<number>>();
    for (const one of visits) one.then(() => ended.add(one));
    await expect.poll(waiting).toBe(2);
    expect(await others()).toEqual(fine);
    await expect.poll(() => ended.size).toBe(18);
    expect(await waiting()).toBe(2);
    refused = await Promise.all(ended);
    counted = visits.filter((one) => !ended.has(one));
  });
  expect(new Set(refused)).toEqual(new Set([503]));
  expect(await Promise.all(counted)).toEqual([302, 302]);
  const where = { linkId: link.id };
  expect((await server.database.prisma.linkCounter.findUniqueOrThrow({ where })).clicks).toBe(3);
});

test('the turns of a rotation wait for the database likewise, and visits go on without it', async () => {
  const link = await owner.link({ target_type: '4', 'rotation[0][value]': 'https://example.com/a' });
  await whileLocked(`SELECT FROM "LinkCounter" WHERE "linkId" = ${link.id} FOR UPDATE`, async () => {
    const visits = Array.from({ length: 20 }, () => open(link));
    await expect.poll(waiting).toBe(2);
    expect(new Set(await Promise.all(visits))).toEqual(new Set([302]));
  });
});

test('visits of many links of one account leave connections to others', async () => {
  const links = await limited(12);
  for (const link of links) await open(link);
  let visits: Promise<number>[] = [];
  await whileLocked('SELECT FROM "LinkCounter" FOR UPDATE', async () => {
    visits = links.flatMap((link) => [open(link), open(link)]);
    await expect.poll(waiting).toBeGreaterThan(1);
    expect(await others()).toEqual(fine);
  });
  for (const status of await Promise.all(visits)) expect([302, 503]).toContain(status);
});

test('writes of one account that wait leave connections to others', async () => {
  const { id } = await owner.link();
  let writes: Promise<{ status: number }>[] = [];
  await whileLocked(`SELECT FROM "Link" WHERE "id" = ${id} FOR UPDATE`, async () => {
    writes = Array.from({ length: 30 }, (_, i) =>
      owner.rest('PATCH', `/links/${id}`, { title: `Title ${i}` }),
    );
    await expect.poll(waiting).toBeGreaterThan(1);
    expect(await others()).toEqual(fine);
  });
  for (const { status } of await Promise.all(writes)) expect(status).toBe(200);
});

describe('of the connections of a pool', () => {
  let database: Database;
  let locks = 0;
  beforeAll(async () => {
    const pool = { poolSize: 8, statementTimeout: 0 };
    database = await Database.open(server.databaseUrl, { pool });
  });
  afterAll(() => database.close());
  beforeEach(() => locker.query('SELECT pg_advisory_unlock_all()'));

  /** A statement of an account that waits until it is told to end. */
  const hold = (accountId: number, begun: number[]) => {
    const number = ++locks;
    const locked = locker.query(`SELECT pg_advisory_lock(${number})`);
    const done = locked.then(() =>
      database.onBehalfOf(accountId, () =>
        database.transaction(async (tx) => {
          begun.push(accountId);
          await tx.read(sql`SELECT pg_advisory_xact_lock(${raw(String(number))})::text`);
        }),
      ),
    );
    return { done, end: () => locker.query(`SELECT pg_advisory_unlock(${number})`).then(() => done) };
  };
  const holdMany = (count: number, accountId: number, begun: number[]) =>
    Array.from({ length: count }, () => hold(accountId, begun));
  const endAll = async (held: readonly { end(): Promise<void> }[]) => {
    await Promise.all(held.map(({ end }) => end()));
  };
  const now = () => database.read<{ one: number }>(sql`SELECT 1 AS "one", ${raw(String(Math.random()))}`);

  const frequent = () => database.read(sql`SELECT 1 AS "frequent"`);

  test('a transaction is that of its account, and what follows its commit is not', async () => {
    const seen: unknown[] = [];
    const work = async (tx: Transaction) => {
      seen.push(currentAccount());
      tx.afterCommit(() => seen.push(currentAccount()));
    };
    await database.onBehalfOf(7, () => database.transaction(work));
    expect(seen).toEqual([7, undefined]);
  });

  test('an account leaves a quarter to others, and all accounts one to the service', async () => {
    for (let i = 0; i < 10; i++) await frequent();
    const begun: number[] = [];
    const first = holdMany(10, 1, begun);
    await expect.poll(() => begun.length).toBe(4);
    const others = [hold(2, begun), hold(2, begun), hold(3, begun)];
    await expect.poll(() => begun.length).toBe(7);
    expect(await now()).toHaveLength(1);
    // Frequent reads share connections.
    expect(await database.onBehalfOf(1, frequent)).toEqual([{ frequent: 1 }]);
    expect(begun.toSorted()).toEqual([1, 1, 1, 1, 2, 2, 3]);
    // Those with less than their share come first.
    const next = hold(4, begun);
    await first[0]?.end();
    await expect.poll(() => begun.length).toBe(8);
    expect(begun.at(-1)).toBe(4);
    await endAll([...first, ...others, next]);
    expect(begun).toHaveLength(14);
  });

  // The fourth account waits for more than a second.
  test('an account gets no more than a quarter after others have waited for long', async () => {
    const begun: number[] = [];
    const first = [...holdMany(4, 1, begun), ...holdMany(2, 2, begun), hold(3, begun)];
    await expect.poll(() => begun.length).toBe(7);
    const waiting = hold(4, begun);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(begun).toHaveLength(7);
    await endAll(first);
    await waiting.end();
    const again = [...holdMany(6, 1, begun), ...holdMany(3, 4, begun)];
    await expect.poll(() => begun.filter((one) => one === 4).length).toBe(3);
    expect(begun.slice(8).toSorted()).toEqual([1, 1, 4, 4]);
    await endAll(again);
  });
});
