import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'linkspace-env-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The output of an npm command in a folder with a file `.env`. */
function said(env: Record<string, string>, file = 'DATABASE_URL=file:./from-the-file.db\n'): string {
  writeFileSync(join(folder, '.env'), file);
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

test('the environment takes precedence over a secret in a file, or in the place of one, in .env', () => {
  const secret = join(folder, 'secret');
  writeFileSync(secret, 'file:./from-the-secret.db');
  expect(said({ DATABASE_URL: 'file:./from-outside.db' }, `DATABASE_URL_FILE=${secret}\n`)).toContain(
    'There is no file ./from-outside.db',
  );
  expect(said({ DATABASE_URL_FILE: secret })).toContain('There is no file ./from-the-secret.db');
  // Which one is meant cannot be known.
  expect(said({}, `DATABASE_URL=file:./x.db\nDATABASE_URL_FILE=${secret}\n`)).toContain('it may be unset');
});
