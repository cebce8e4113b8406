import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyMigrations, pendingMigrationsOf } from '../../src/db/migrate.ts';
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
  [['create', '--account', 'a\u0007b'], 'account may have no control characters.'],
  [['create', '--account', 'x', '--scopes', 'admin'], 'scopes.0 may be read and write.'],
  [
    ['create', '--account', 'x', '--expires', '2100-02-30'],
    '--expires is "2100-02-30"; it may be a date such as',
  ],
  [['create', '--account', 'x', '--expires', '2000-01-01'], 'expires must lie in the future.'],
  [['revoke', '999'], 'No such key.'],
  [['revoke'], 'Name the key by its ID'],
  [['destroy'], '"destroy" is not a command'],
  [['list', '--nothing'], "Unknown option '--nothing'"],
])('keys %j fails in one line', async (args, message) => {
  const { code, stderr, stdout } = await runProgram('cli/keys', { DATABASE_URL }, args);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(message);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

test.each([
  ['cli/copy', ['--to postgresql://me:secret@db/x']],
  ['cli/copy', ['postgresql://me:secret@db/x']],
  ['cli/keys', ['postgresql://me:secret@db/x']],
  ['cli/domains', ['verify', 'postgresql://me:secret@db/x', 'x']],
  ['cli/copy', ['--from', 'postgresql:///me:secret@127.0.0.1:1/x', '--to', 'file:/tmp/x.db']],
  ['cli/copy', ['--from', 'file:postgresql://me:secret@db/x', '--to', 'file:/tmp/x.db']],
  ['cli/copy', ['--from', 'postgresql://me:sec/secret@db/x', '--to', 'file:/tmp/x.db']],
  ['cli/copy', ['--from', 'postgresql://me:secret@127.0.0.1:1/x', '--to', 'file:/tmp/x.db']],
])('%s %j fails without printing the password', async (program, args) => {
  const { code, stderr, stdout } = await runProgram(program, { DATABASE_URL }, args);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).not.toContain('secret');
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

test('copy says what to do about a database that it cannot use', async () => {
  const args = ['--from', 'postgresql://me:secret@127.0.0.1:1/x', '--to', 'file:/tmp/x.db'];
  expect((await runProgram('cli/copy', {}, args)).stderr).toBe(
    'No PostgreSQL server answers at 127.0.0.1:1, which --from names. Is it running, does it listen there, and may this machine reach it?\n',
  );
});

test('copy refuses one database by two names', async () => {
  const linked = join(folder, 'linked.db');
  symlinkSync(DATABASE_URL.slice(5), linked);
  for (const other of [`file:${linked}`, `file:${folder}/./linkspace.db`]) {
    const { stderr } = await runProgram('cli/copy', {}, ['--from', DATABASE_URL, '--to', other]);
    expect(stderr).toBe('--from and --to are the same database. See --help.\n');
  }
  rmSync(linked);
});

test.each([
  ['cli/migrate', ['--status'], /^Nothing is pending\.\n$/],
  ['cli/migrate', [], /^Nothing was pending\.\n$/],
  ['cli/keys', ['list'], /^There are no keys\.\n$/],
])('%s %j prints its result in words', async (program, args, said) => {
  const { code, stdout, stderr } = await runProgram(program, { DATABASE_URL }, args);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(said);
});

test('keys list shows a table without keys', async () => {
  const made = await runProgram('cli/keys', { DATABASE_URL }, ['create', '--account', 'Team', '--json']);
  const { key } = JSON.parse(made.stdout);
  const { stdout } = await runProgram('cli/keys', { DATABASE_URL }, ['list']);
  expect(stdout).toMatch(new RegExp(`^ID +ACCOUNT +PREFIX +SCOPES +STATE.*\n.* Team +${key.slice(0, 8)}`));
  expect(stdout).not.toContain(key);
});

test.each([
  ['cli/keys', ['list']],
  ['cli/keys', ['create', '--account', 'x']],
  ['cli/domains', ['list']],
])('%s %j does not create a missing database', async (program, args) => {
  const path = join(folder, 'nowhere', 'linkspace.db');
  const { code, stderr } = await runProgram(program, { DATABASE_URL: `file:${path}` }, args);
  expect([code, stderr]).toEqual([1, `There is no file ${path}.\n`]);
  expect(existsSync(join(folder, 'nowhere'))).toBe(false);
});

test('commands leave migrations to the start and to migrate', async () => {
  const path = join(folder, 'empty.db');
  writeFileSync(path, '');
  const { code, stderr } = await runProgram('cli/keys', { DATABASE_URL: `file:${path}` }, ['list']);
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /^The database lacks \d+ of this version's migrations: run "npm run migrate", or start the service, first\.\n$/,
    ),
  ]);
  expect(await pendingMigrationsOf(`file:${path}`)).not.toEqual([]);
});

test.each(['main', 'cli/keys', 'cli/migrate', 'cli/copy'])(
  '%s --version prints the version',
  async (program) => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(await runProgram(program, {}, ['--version'])).toEqual({
      code: 0,
      stdout: `${version}\n`,
      stderr: '',
    });
  },
);
