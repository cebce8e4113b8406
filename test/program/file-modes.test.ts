import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { applyMigrations } from '../../src/db/apply-migrations.ts';
import { Database } from '../../src/db/database.ts';
import { keepPrivate, openFile } from '../../src/engine/db/sqlite/file.ts';
import { runCommand } from '../support/command.ts';
import { runProgram } from '../support/process.ts';
import { startService } from '../support/service.ts';

const folder = mkdtempSync(join(tmpdir(), 'linkspace-modes-'));
afterAll(() => rmSync(folder, { recursive: true }));

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const modesIn = (path: string) =>
  Object.fromEntries(readdirSync(path).map((name) => [name, modeOf(join(path, name))]));

test.runIf(platform() !== 'win32')('only the user of the program can read its SQLite file', async () => {
  const data = join(folder, 'data');
  const DATABASE_URL = `file:${join(data, 'linkspace.db')}`;
  const service = await startService({ DATABASE_URL });
  expect(modeOf(data)).toBe('700');
  expect(modesIn(data)).toEqual({
    'linkspace.db': '600',
    'linkspace.db-shm': '600',
    'linkspace.db-wal': '600',
  });
  const copies = join(folder, 'copies');
  const copy = ['--from', DATABASE_URL, '--to', `file:${join(copies, 'copy.db')}`];
  expect((await runCommand('copy', {}, copy)).code).toBe(0);
  expect([modeOf(copies), modesIn(copies)['copy.db']]).toEqual(['700', '600']);
  await service.end();
});

const device = join(folder, 'device');
const madeDevice = spawnSync('mknod', [device, 'c', '1', '3']).status === 0;

test.runIf(madeDevice)('keeps the permissions of a device', () => {
  chmodSync(device, 0o666);
  keepPrivate(device);
  expect(modeOf(device)).toBe('666');
});

test.runIf(platform() !== 'win32').each([0o644, 0o640, 0o660])(
  'removes access of others to an existing file: %o',
  async (mode) => {
    const path = join(folder, `old-${mode}.db`);
    writeFileSync(path, '');
    chmodSync(path, mode);
    const database = await Database.open(`file:${path}`);
    expect(modeOf(path)).toBe('600');
    await database.close();
  },
);

test.runIf(platform() !== 'win32')(
  'only the user of the program can read a backup, also while it is written',
  async () => {
    const url = `file:${join(folder, 'large.db')}`;
    await applyMigrations(url);
    const large = openFile(url);
    large.exec('CREATE TABLE "Large" AS SELECT randomblob(30000000) AS "bytes"');
    large.close();
    const backups = join(folder, 'backups');
    let running = true;
    const modes = new Set<string>();
    const ended = runProgram('cli/backup', { DATABASE_URL: url }, ['--to', join(backups, 'one.db')]).finally(
      () => {
        running = false;
      },
    );
    while (running) {
      if (existsSync(backups))
        for (const name of readdirSync(backups)) {
          const found = statSync(join(backups, name), { throwIfNoEntry: false });
          if (found) modes.add((found.mode & 0o777).toString(8));
        }
      await setImmediate();
    }
    expect((await ended).code).toBe(0);
    expect([...modes]).toEqual(['600']);
  },
);
