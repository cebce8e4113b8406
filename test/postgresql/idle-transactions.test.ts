import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Database } from '../../src/db/database.ts';
import { isUnavailable } from '../../src/engine/db/errors.ts';
import { connectTo } from '../../src/engine/db/postgresql/client.ts';
import { type Sql, sql } from '../../src/engine/db/sql.ts';
import { newDatabase } from '../support/database.ts';
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

const LIMITS = sql`SELECT current_setting('idle_in_transaction_session_timeout') AS "idle", current_setting('tcp_user_timeout') AS "tcp"`;
const limitsOf = async (db: { read<Row>(statement: Sql): Promise<Row[]> }) =>
  (await db.read<{ idle: string; tcp: string }>(LIMITS))[0];
// The server shows it in milliseconds.
const LIMITED = { idle: '15s', tcp: '15000' };

/** Begins a write, locks a link's row in it, and hangs for longer than a limit allows that is set for this test. */
async function hang(database: Database, id: number): Promise<unknown> {
  return database.transaction(async (tx) => {
    await tx.execute(sql`SET LOCAL idle_in_transaction_session_timeout = '200ms'`);
    await tx.execute(sql`UPDATE "Link" SET "title" = 'Never' WHERE "id" = ${id}`);
    // Another write waits for the row until the server has ended the connection.
    await database.execute(sql`UPDATE "Link" SET "title" = 'Other' WHERE "id" = ${id}`);
    await tx.execute(sql`UPDATE "Link" SET "title" = 'Too late' WHERE "id" = ${id}`);
  });
}

async function expectFreed(server: TestServer, owner: Caller): Promise<void> {
  const { id } = await owner.link();
  const { database } = server;
  const failed = await hang(database, id).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(Error);
  expect(isUnavailable(failed)).toBe(true);
  expect((await owner.rest('GET', `/links/${id}`)).body).toMatchObject({ data: { title: 'Other' } });
  // No broken connection is used again.
  const statuses = await Promise.all(
    Array.from(
      { length: 20 },
      async (_, i) => (await owner.rest('PATCH', `/links/${id}`, { title: `${i}` })).status,
    ),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
}

describe('a process that hangs in a transaction', () => {
  let url: string;
  let server: TestServer;
  let owner: Caller;
  beforeAll(async () => {
    url = await newDatabase();
    server = await startTestServer({ url });
    owner = await server.caller();
  });
  afterAll(() => server.stop());

  test('is limited on every connection, whatever the URL says', async () => {
    const { database } = server;
    expect(await limitsOf(database)).toEqual(LIMITED);
    expect(await database.transaction(limitsOf)).toEqual(LIMITED);
    const other = new URL(url);
    other.searchParams.set('options', '-c idle_in_transaction_session_timeout=0 -c tcp_user_timeout=0');
    for (const one of [url, other.href]) {
      const opened = await Database.open(one);
      expect(await limitsOf(opened)).toEqual(LIMITED);
      await opened.close();
      const client = await connectTo(one);
      const { rows } = await client.query(LIMITS.text);
      await client.end();
      expect(rows).toEqual([LIMITED]);
    }
  });

  test('loses its connection, so that others go on', () => expectFreed(server, owner));
});

describe.runIf(hasPgBouncer)(
  'behind PgBouncer in transaction mode, a process that hangs in a transaction',
  () => {
    let url: string;
    let pooler: PgBouncer;
    let server: TestServer;
    let owner: Caller;
    beforeAll(async () => {
      url = await newDatabase();
      pooler = await startPgBouncer(url);
      server = await startTestServer({ url: pooler.pooled(url) });
      owner = await server.caller();
    });
    afterAll(async () => {
      await server.stop();
      pooler.stop();
    });

    test('is limited in every transaction, which takes no further message', async () => {
      const { database } = server;
      expect(database.pooled).toBe(true);
      const inAll = Array.from({ length: 10 }, () => database.transaction(limitsOf));
      expect(await Promise.all(inAll)).toEqual(Array(10).fill(LIMITED));
      const isolated = database.transaction(limitsOf, { isolationLevel: 'Serializable' });
      expect(await isolated).toEqual(LIMITED);
      // Other programs may share the pooler's connections.
      const client = await connectTo(pooler.pooled(url));
      for (let i = 0; i < 10; i++)
        expect((await client.query(LIMITS.text)).rows).toEqual([{ idle: '0', tcp: '0' }]);
      await client.end();
    });

    test('loses its connection, so that others go on', () => expectFreed(server, owner));
  },
);
