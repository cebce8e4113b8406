import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applyMigrations } from '../../src/db/apply-migrations.ts';
import { migrations } from '../../src/db/migrations.ts';
import { openFile } from '../../src/engine/db/sqlite/file.ts';
import { runCommand } from '../support/command.ts';
import { runProgram } from '../support/process.ts';
import { startService } from '../support/service.ts';

const folder = mkdtempSync(join(tmpdir(), 'linkspace-commands-'));
const DATABASE_URL = `file:${join(folder, 'linkspace.db')}`;
beforeAll(() => applyMigrations(DATABASE_URL));
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  [['create'], 'Name the account: --account NAME. See --help.'],
  [['create', '--account', ' '], 'account may not be empty.'],
  [['create', '--account', 'a\u0007b'], 'account may have no control characters and no line breaks.'],
  [['create', '--account', 'x', '--scopes', 'read,admin'], '--scopes is "read,admin"; it may be read, write'],
  [['list', '--account', 'x'], '--account is an option of create and revoke, not of list.'],
  [['revoke', '1', '--scopes', 'read'], '--scopes is an option of create, not of revoke.'],
  [
    ['create', '--account', 'x', '--expires', '2100-02-30'],
    '--expires is "2100-02-30"; it may be a date such as',
  ],
  [['create', '--account', 'x', '--expires', '2000-01-01'], 'expires must lie in the future.'],
  [['revoke', '999'], '"999" is not the id of a key; this lists them: npm run keys -- list'],
  [['revoke', 'abc'], '"abc" is not the id of a key; this lists them: npm run keys -- list'],
  [['revoke'], 'Name the key by its ID'],
  [['destroy'], '"destroy" is not a command'],
  [['list', '--nothing'], '"--nothing". See --help.'],
])('keys %j fails with one line', async (args, message) => {
  const { code, stderr, stdout } = await runCommand('keys', { DATABASE_URL }, args);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(message);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

test.each([
  ['import', ['bitly', 'links.csv'], { npm_config_dry_run: 'true' }, 'npm has taken the option --dry-run.'],
  ['import', ['bitly', 'links.csv'], {}, "Unexpected argument 'bitly'"],
  ['keys', ['create', 'Foo'], { npm_config_account: 'true' }, 'npm has taken the option --account.'],
  ['keys', ['create', 'Foo'], {}, 'There are too many arguments.'],
] as const)(
  '%s refuses %j if npm has consumed the options, and says how to pass them',
  async (command, args, taken, message) => {
    const env = { DATABASE_URL, npm_lifecycle_event: command, ...taken };
    const { code, stderr, stdout } = await runCommand(command, env, [...args]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(message);
    expect(stderr).toContain(`Put "--" before the options: npm run ${command} -- --option value.`);
  },
);

test.each(['keys', 'migrate', 'demo'] as const)(
  'the help of %s names the database that it would use, without the password',
  async (command) => {
    const url = 'postgresql://someone:hidden@db.example:5432/links';
    const { code, stdout } = await runCommand(command, { DATABASE_URL: url }, ['--help']);
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('names, now postgresql://someone:***@db.example'),
    ]);
    expect(stdout).not.toContain('hidden');
  },
);

test('warns of a misspelt variable', async () => {
  const { code, stderr } = await runCommand('keys', { DATABASE_URL, DATABSE_URL: 'file:/tmp/other.db' }, [
    'list',
  ]);
  expect([code, stderr]).toEqual([0, 'Unknown variable DATABSE_URL: did you mean DATABASE_URL?\n']);
});

test('domains list refuses an option of domains remove', async () => {
  const { code, stderr } = await runCommand('domains', { DATABASE_URL }, ['list', '--with-links']);
  expect([code, stderr]).toEqual([1, '--with-links is an option of remove, not of list. See --help.\n']);
});

test.each([
  ['copy', ['--to postgresql://me:secret@db/x']],
  ['copy', ['postgresql://me:secret@db/x']],
  ['keys', ['postgresql://me:secret@db/x']],
  ['domains', ['verify', 'postgresql://me:secret@db/x', 'x']],
  ['copy', ['--from', 'postgresql:///me:secret@127.0.0.1:1/x', '--to', 'file:/tmp/x.db']],
  ['copy', ['--from', 'file:postgresql://me:secret@db/x', '--to', 'file:/tmp/x.db']],
  ['copy', ['--from', 'postgresql://me:sec/secret@db/x', '--to', 'file:/tmp/x.db']],
  ['copy', ['--from', 'postgresql://me:secret@127.0.0.1:1/x', '--to', 'file:/tmp/x.db']],
] as const)('%s %j fails without printing the password', async (command, args) => {
  const { code, stderr, stdout } = await runCommand(command, { DATABASE_URL }, [...args]);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).not.toContain('secret');
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

test('copy says what to do about an unusable database', async () => {
  const args = ['--from', 'postgresql://me:secret@127.0.0.1:1/x', '--to', 'file:/tmp/x.db'];
  expect((await runCommand('copy', {}, args)).stderr).toBe(
    'No PostgreSQL server answers at 127.0.0.1:1, which --from names. Is it running, does it listen there, and may this machine reach it?\n',
  );
});

test('copy refuses the same database under two names', async () => {
  const linked = join(folder, 'linked.db');
  symlinkSync(DATABASE_URL.slice(5), linked);
  for (const other of [`file:${linked}`, `file:${folder}/./linkspace.db`]) {
    const { stderr } = await runCommand('copy', {}, ['--from', DATABASE_URL, '--to', other]);
    expect(stderr).toBe('--from and --to are the same database. See --help.\n');
  }
  rmSync(linked);
});

test.each([
  ['migrate', ['--status'], /^Nothing is pending\.\n$/],
  ['migrate', [], /^Nothing was pending\.\n$/],
  ['keys', ['list'], /^There are no keys\.\n$/],
] as const)('%s %j prints its result as text', async (command, args, said) => {
  const { code, stdout, stderr } = await runCommand(command, { DATABASE_URL }, [...args]);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(said);
});

test('keys list shows a table without keys', async () => {
  const made = await runCommand('keys', { DATABASE_URL }, ['create', '--account', 'Team', '--json']);
  const { key } = JSON.parse(made.stdout);
  const { stdout } = await runCommand('keys', { DATABASE_URL }, ['list']);
  expect(stdout).toMatch(new RegExp(`^ID +ACCOUNT +PREFIX +SCOPES +STATE.*\n.* Team +${key.slice(0, 8)}`));
  expect(stdout).not.toContain(key);
});

test.each([
  ['keys', ['list']],
  ['keys', ['create', '--account', 'x']],
  ['domains', ['list']],
] as const)('%s %j does not create a missing database file', async (command, args) => {
  const path = join(folder, 'nowhere', 'linkspace.db');
  const { code, stderr } = await runCommand(command, { DATABASE_URL: `file:${path}` }, [...args]);
  const message = `There is no file ${path}: run "npm run migrate", or start the service, first.\n`;
  expect([code, stderr]).toEqual([1, message]);
  expect(existsSync(join(folder, 'nowhere'))).toBe(false);
});

describe('a database migrated by a newer version', () => {
  const url = `file:${join(folder, 'newer.db')}`;
  beforeAll(async () => {
    await applyMigrations(url);
    const file = openFile(url);
    file.exec(`INSERT INTO "_prisma_migrations" ("id", "checksum", "migration_name", "finished_at")
      VALUES ('x', 'x', '29990101000000_later', '2999-01-01')`);
    file.close();
  });

  test.each([
    [[], 'Nothing is pending.\nOf a newer version:\n  29990101000000_later\n'],
    [['--json'], '{"pending":[],"unknown":["29990101000000_later"]}\n'],
  ])('is reported by migrate --status %j', async (more, said) => {
    const { stdout } = await runCommand('migrate', { DATABASE_URL: url }, ['--status', ...more]);
    expect(stdout).toBe(said);
  });

  test('is reported by the start', async () => {
    const service = await startService({ DATABASE_URL: url });
    await service.end();
    expect(service.log).toContainEqual(expect.objectContaining({ migrations: ['29990101000000_later'] }));
  });
});

test('names a damaged SQLite file', async () => {
  const path = join(folder, 'damaged.db');
  const file = openFile(`file:${path}`);
  file.exec('CREATE TABLE "x" ("y")');
  file.close();
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xff, 100));
  const { code, stderr } = await runCommand('keys', { DATABASE_URL: `file:${path}` }, ['list']);
  expect([code, stderr]).toEqual([
    1,
    `The SQLite file "${path}", which DATABASE_URL names, is damaged: database disk image is malformed. Restore a backup.\n`,
  ]);
});

test('commands do not migrate, except migrate itself', async () => {
  const path = join(folder, 'empty.db');
  writeFileSync(path, '');
  const { code, stderr } = await runCommand('keys', { DATABASE_URL: `file:${path}` }, ['list']);
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /^The database lacks \d+ of this version's migrations: run "npm run migrate", or start the service, first\.\n$/,
    ),
  ]);
  expect((await migrations.stateAt(`file:${path}`)).pending).not.toEqual([]);
});

test('the program prints its help with --help, and refuses other arguments', async () => {
  expect(await runProgram('main', {}, ['--help'])).toEqual({
    code: 0,
    stdout: expect.stringContaining('Usage: npm start'),
    stderr: '',
  });
  for (const argument of ['--port', '--worker'])
    expect(await runProgram('main', {}, [argument])).toEqual({
      code: 1,
      stdout: '',
      stderr: `npm start takes no arguments, but got "${argument}". See --help.\n`,
    });
});

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
// These run the sources, which know no commit.
const versioned = { code: 0, stdout: `${version} (unknown)\n`, stderr: '' };

test.each(['keys', 'migrate', 'copy'] as const)('%s --version prints the version', async (command) => {
  expect(await runCommand(command, {}, ['--version'])).toEqual(versioned);
});

test('the program --version prints version and commit, and the date of the countries of addresses', async () => {
  const { commit } = JSON.parse(readFileSync('dist/build.json', 'utf8'));
  const built = { ...versioned, stdout: `${version} (${commit})\n` };
  expect(await runProgram('main', {}, ['--version'])).toEqual({
    ...built,
    stdout: `${built.stdout}countries of addresses: 2026-06-17\n`,
  });
  expect(await runProgram('main', { GEOIP_DATABASE: 'off' }, ['--version'])).toEqual(built);
});

test('a command as a process ends with its exit code, and writes to its outputs', async () => {
  expect(await runProgram('cli/keys', { DATABASE_URL }, ['destroy'])).toEqual({
    code: 1,
    stdout: '',
    stderr: '"destroy" is not a command; use create, list or revoke. See --help.\n',
  });
  expect(await runProgram('cli/keys', { DATABASE_URL }, ['list', '--json'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\[/),
  });
});
