import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'linkspace-env-'));
beforeAll(() => writeFileSync(join(folder, '.env'), 'DATABASE_URL=file:./from-the-file.db\n'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The output of an npm command in a folder with a file `.env`. */
function said(env: Record<string, string>): string {
  const { PATH = '' } = process.env;
  const args = [resolve('scripts/run.mjs'), 'cli/keys', 'list'];
  return spawnSync(process.execPath, args, { cwd: folder, env: { PATH, ...env }, encoding: 'utf8' }).stderr;
}

test('a command reads .env', () => {
  expect(said({})).toContain('There is no file ./from-the-file.db');
});

test('the environment takes precedence over .env', () => {
  expect(said({ DATABASE_URL: 'file:./from-outside.db' })).toContain('There is no file ./from-outside.db');
});
