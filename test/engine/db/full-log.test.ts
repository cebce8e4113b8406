import { statSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { newDatabase } from '../../support/database.ts';
import { type Caller, startTestServer, type TestServer } from '../../support/server.ts';
import { visit } from '../../support/visit.ts';

const RESERVE = 8_388_608;

describe.runIf(inject('database').provider === 'sqlite')('a log of SQLite that a long reader holds', () => {
  let url: string;
  let path: string;
  let server: TestServer;
  let owner: Caller;
  let other: Sqlite.Database;
  /** The apparent free space of the disk, in bytes. */
  let free = 10 * RESERVE;
  beforeAll(async () => {
    url = await newDatabase();
    path = url.slice('file:'.length);
    server = await startTestServer({ url, freeBytes: () => free });
    owner = await server.caller();
    other = new Sqlite(path);
  });
  afterAll(async () => {
    other.close();
    await server.stop();
  });

  const logSize = () => statSync(`${path}-wal`).size;
  const beginReading = () => {
    other.exec('BEGIN');
    other.prepare('SELECT COUNT(*) FROM "Link"').get();
  };
  const endReading = () => other.exec('COMMIT');
  /** Bytes of the log that are not in the file. */
  const uncopied = () => {
    const third = new Sqlite(path);
    const [row] = third.pragma('wal_checkpoint(PASSIVE)') as { log: number; checkpointed: number }[];
    third.close();
    return row ? (row.log - row.checkpointed) * 4_120 : Number.NaN;
  };
  const write = async () => (await owner.rest('POST', '/links', { url: 'https://example.com/' })).status;
  const growLog = async () => {
    for (let i = 0; i < 30; i++) await owner.link({ url: `https://example.com/${'x'.repeat(2000)}` });
  };
  const writesAgain = () => expect.poll(write).toBe(201);

  test('stops writes while less is free than it holds uncopied, and 8 MB', async () => {
    const { alias, id } = await owner.link();
    beginReading();
    await growLog();
    const held = uncopied();
    expect(held).toBeGreaterThan(500_000);
    free = held + RESERVE;
    expect(await write()).toBe(201);
    free = held + RESERVE - 1;
    const { status, headers, body } = await owner.rest('POST', '/spaces', { name: 'Refused' });
    expect([status, headers.get('Retry-After'), body]).toEqual([
      503,
      '1',
      { message: 'The database is not available. Try again shortly.', status: 503 },
    ]);
    const { errors } = await owner.graphql('mutation { deleteLink(id: 999999) { __typename } }');
    expect(errors?.[0]?.extensions.code).toBe('UNAVAILABLE');
    expect((await fetch(`${server.origin}/readyz`)).status).toBe(503);
    expect((await owner.rest('GET', `/links/${id}`)).status).toBe(200);
    expect((await visit(server.origin, `/${alias}`)).status).toBe(302);
    await server.flush();
    expect((await owner.rest('GET', `/links/${id}`)).body).toMatchObject({ data: { clicks: 0 } });
    expect(server.log.map(({ err }) => (err as Error | undefined)?.message).join()).toContain(
      `writes are stopped: ${free} bytes are free on the disk of ${path}`,
    );
    expect(logSize()).toBeGreaterThan(500_000);
  });

  // Over a second, since a copy is tried each second.
  test('is copied and cut once the reader has ended, and writes work again', async () => {
    free = RESERVE + 100_000;
    endReading();
    await writesAgain();
    expect(logSize()).toBeLessThan(500_000);
    await server.flush();
    expect((await owner.rest('GET', '/spaces')).body).toMatchObject({ meta: { total: 0 } });
  });

  test('stops no write if it is only large', async () => {
    free = 10 * RESERVE;
    beginReading();
    await growLog();
    endReading();
    expect(logSize()).toBeGreaterThan(500_000);
    free = RESERVE + 100_000;
    expect(await write()).toBe(201);
  });

  test('stops no write that needs little beside a reader of its end', async () => {
    free = 10 * RESERVE;
    await growLog();
    beginReading();
    free = RESERVE + 100_000;
    expect(await write()).toBe(201);
    endReading();
  });

  test('stops writes of a restarted process, too, until the reader has ended', async () => {
    free = 10 * RESERVE;
    beginReading();
    await growLog();
    free = RESERVE + 100_000;
    await server.stop();
    server = await startTestServer({ url, freeBytes: () => free });
    owner = server.callerWith(owner.key);
    expect(await write()).toBe(503);
    expect((await owner.rest('GET', '/links')).status).toBe(200);
    endReading();
    await writesAgain();
    expect((await fetch(`${server.origin}/readyz`)).status).toBe(200);
  });
});
