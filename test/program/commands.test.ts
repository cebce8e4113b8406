import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyMigrations } from '../../src/db/migrate.ts';
import { runProgram } from '../support/process.ts';

let folder: string;
let DATABASE_URL: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'linkspace-commands-'));
  DATABASE_URL = `file:${join(folder, 'linkspace.db')}`;
  await applyMigrations(DATABASE_URL);
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  [['create'], 'Name the account: --account NAME. See --help.'],
  [['create', '--account', ' '], 'account is required.'],
  [['create', '--account', 'x', '--scopes', 'admin'], 'scopes.0 may be read and write.'],
  [
    ['create', '--account', 'x', '--expires', '2100-02-30'],
    '--expires is "2100-02-30"; it may be a date such as',
  ],
  [['create', '--account', 'x', '--expires', '2000-01-01'], 'expires must lie in the future.'],
  [['revoke', '999'], 'No such key.'],
  [['revoke'], 'Name the key by its ID'],
  [['destroy'], '"destroy" is no command'],
  [['list', '--nothing'], "Unknown option '--nothing'"],
])('keys %j fails in one line', async (args, message) => {
  const { code, stderr, stdout } = await runProgram('cli/keys', { DATABASE_URL }, args);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(message);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});
