import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import Sqlite from 'better-sqlite3';
import { afterAll, expect, test } from 'vitest';
import { applyMigrations } from '../../src/db/apply-migrations.ts';
import { whenUnlocked } from '../../src/engine/db/sqlite/connection.ts';
import { startTestServer } from '../../src/testing/server.ts';
import { visit } from '../support/visit.ts';

const folder = mkdtempSync(join(tmpdir(), 'linkspace-locked-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('retries a statement that met the lock of a migration', async () => {
  const adapter = new PrismaBetterSqlite3({ url: `file:${join(folder, 'linkspace.db')}`, timeout: 0 });
  const [migrating, waiting] = [await adapter.connect(), await adapter.connect()];
  await migrating.executeScript('BEGIN EXCLUSIVE');
  let attempts = 0;
  const { rows } = await whenUnlocked(async () => {
    attempts++;
    const answer = waiting.queryRaw({ sql: 'SELECT COUNT(*) FROM sqlite_master', args: [], argTypes: [] });
    return answer.finally(() => attempts === 1 && migrating.executeScript('COMMIT'));
  });
  expect([attempts, rows]).toEqual([2, [[0]]]);
  await Promise.all([migrating, waiting].map((connection) => connection.dispose()));
});

test('keeps running while another process locks the file, and writes afterwards', async () => {
  const url = `file:${join(folder, 'shared.db')}`;
  await applyMigrations(url);
  const server = await startTestServer({ url });
  const owner = await server.caller();
  const { alias } = await owner.link();
  await visit(server.origin, `/${alias}`);
  const other = new Sqlite(join(folder, 'shared.db'));
  other.exec('BEGIN IMMEDIATE');
  const writes = [server.flush(), owner.rest('POST', '/spaces', { name: 'Later' })] as const;
  // Its own event loop goes on; SQLite's own busy timeout would block it until the lock is given back.
  expect((await visit(server.origin, `/${alias}`)).status).toBe(302);
  expect((await owner.rest('GET', '/links')).status).toBe(200);
  other.exec('COMMIT');
  other.close();
  expect((await Promise.all(writes))[1].status).toBe(201);
  await server.flush();
  expect(await server.database.prisma.linkCounter.findFirst()).toMatchObject({ clicks: 2 });
  await server.stop();
});
