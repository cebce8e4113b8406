import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { adapterFor, whenUnlocked } from '../../src/db/client.ts';

const folder = mkdtempSync(join(tmpdir(), 'linkspace-locked-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a statement that met the lock of a migration is run again', async () => {
  const adapter = await adapterFor(`file:${join(folder, 'linkspace.db')}`);
  const [migrating, waiting] = [await adapter.connect(), await adapter.connect()];
  await migrating.executeScript('BEGIN EXCLUSIVE');
  // Without this it would wait for five seconds first, and no other statement of this process would be run meanwhile.
  await waiting.executeScript('PRAGMA busy_timeout = 0');
  let attempts = 0;
  const { rows } = await whenUnlocked(async () => {
    attempts++;
    const answer = waiting.queryRaw({ sql: 'SELECT COUNT(*) FROM sqlite_master', args: [], argTypes: [] });
    return answer.finally(() => attempts === 1 && migrating.executeScript('COMMIT'));
  });
  expect([attempts, rows]).toEqual([2, [[0]]]);
  await Promise.all([migrating, waiting].map((connection) => connection.dispose()));
});
