import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, expect, test } from 'vitest';
import { applyMigrations } from '../../src/db/apply-migrations.ts';
import { FileConnection } from '../../src/engine/db/sqlite/file-connection.ts';
import { whenUnlocked } from '../../src/engine/db/sqlite/locked.ts';
import { startTestServer } from '../../src/testing/server.ts';
import { visit } from '../support/visit.ts';

const folder = mkdtempSync(join(tmpdir(), 'linkspace-locked-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('retries a statement that met the lock of a migration', async () => {
  const url = `file:${join(folder, 'linkspace.db')}`;
  const [migrating, waiting] = [await FileConnection.open(url, []), await FileConnection.open(url, [])];
  migrating.script('BEGIN EXCLUSIVE');
  let attempts = 0;
  const { rows } = await whenUnlocked(() => {
    attempts++;
    try {
      return waiting.query({ sql: 'SELECT COUNT(*) FROM sqlite_master', args: [], argTypes: [] });
    } finally {
      if (attempts === 1) migrating.script('COMMIT');
    }
  });
  expect([attempts, rows]).toEqual([2, [[0]]]);
  for (const connection of [migrating, waiting]) connection.close();
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
