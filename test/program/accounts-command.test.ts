import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applyMigrations } from '../../src/db/apply-migrations.ts';
import { nearestNames } from '../../src/engine/tools/did-you-mean.ts';
import { runCommand } from '../support/command.ts';

const folder = mkdtempSync(join(tmpdir(), 'linkspace-accounts-'));
const env = { DATABASE_URL: `file:${folder}/linkspace.db`, BASE_URL: 'https://s.example' };

const accounts = async (): Promise<Record<string, unknown>[]> =>
  JSON.parse((await runCommand('accounts', env, ['list', '--json'])).stdout);
const names = async () => (await accounts()).map(({ name }) => name);

beforeAll(async () => {
  await applyMigrations(env.DATABASE_URL);
  expect(await runCommand('accounts', env, ['list'])).toEqual({
    code: 0,
    stdout: 'There are no accounts.\n',
    stderr: '',
  });
  const { stdout } = await runCommand('keys', env, ['create', '--account', 'Zweite']);
  expect(stdout).toMatch(/^new account "Zweite"\n\nKey 1 of the account "Zweite"; .*\n/);
  for (const name of ['Marketing', 'Marketing DE', 'default'])
    await runCommand('keys', env, ['create', '--account', name]);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Commands that make an account if none has the name. */
const commands = {
  keys: ['create', '--account', 'Marketng'],
  users: ['create', '--email', 'ana@example.com', '--role', 'viewer', '--account', 'Marketng'],
} as const;
const notice = 'new account "Marketng"; the nearest existing names: "Marketing", "Marketing DE", "Zweite"';

const both = ['keys', 'users'] as const;

// Before any account is made that would be nearer.
describe.each(both)('npm run %s -- create refuses a new account', (command) => {
  const args = commands[command];

  test.each([
    ['no', `There is no account "Marketng"${notice.slice('new account "Marketng"'.length)}.\n`],
    ['maybe', '--new-account is "maybe"; it may be yes or no. See --help.\n'],
  ])('with --new-account=%s', async (option, stderr) => {
    const before = await names();
    const ran = await runCommand(command, env, [...args, `--new-account=${option}`]);
    expect(ran).toEqual({ code: 1, stdout: '', stderr });
    expect(await names()).toEqual(before);
  });

  test.each(['n\n', '\n', '', 'maybe\n'])('where a person types %j', async (typed) => {
    const before = await names();
    const stderr = `${notice}. Make it? (y/N) Nothing was made.\n`;
    expect(await runCommand(command, env, [...args], typed)).toEqual({ code: 1, stdout: '', stderr });
    expect(await names()).toEqual(before);
  });
});

describe.each(both)('npm run %s -- create makes a new account', (command) => {
  const options = commands[command].slice(0, -1);

  test('where a person agrees', async () => {
    const args = [...options, `Agreed ${command}`];
    const { code, stdout, stderr } = await runCommand(command, env, args, 'y\n');
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('new account')]);
    expect(stderr).toMatch(/^new account "Agreed \w+"; .*\. Make it\? \(y\/N\) $/);
    expect(await names()).toContain(`Agreed ${command}`);
    // It is there now: nobody is asked.
    const again = await runCommand(command, env, [...args, '--new-account=no'], '');
    expect([again.code, again.stderr]).toEqual([0, '']);
  });

  test('without a terminal, and says so', async () => {
    const args = [...options, `Marketng ${command}`];
    const text = await runCommand(command, env, args);
    expect([text.code, text.stderr]).toEqual([0, '']);
    expect(text.stdout.split('\n')[0]).toMatch(
      /^new account "Marketng \w+"; the nearest existing names: "Market/,
    );
    const other = [...options, `Other ${command}`, '--new-account=yes', '--json'];
    const json = await runCommand(command, env, other, '');
    expect(JSON.parse(json.stdout)).toMatchObject({ account: `Other ${command}`, created: true });
    expect(json.stderr).toMatch(/^new account "Other \w+"; .*\n$/);
    const again = await runCommand(command, env, [...args, '--json']);
    expect(JSON.parse(again.stdout)).toMatchObject({ created: false });
  });
});

test('accounts list shows every account, with or without keys', async () => {
  const keys = ['create', '--account', 'Zweite', '--scopes', 'read'];
  const { id } = JSON.parse((await runCommand('keys', env, [...keys, '--json'])).stdout);
  await runCommand('keys', env, ['revoke', String(id)]);
  const all = await accounts();
  expect(all[0]).toEqual({
    ...{ id: 1, name: 'Zweite', title: null, createdAt: expect.stringMatching(/^\d{4}-.*Z$/) },
    disabledAt: null,
    ...{ keys: 1, members: 0, links: 0 },
  });
  expect(all.find(({ name }) => name === 'Marketng users')).toMatchObject({ keys: 0, members: 0 });
  const { stdout } = await runCommand('accounts', env, ['list']);
  const [heads = '', first = ''] = stdout.split('\n');
  expect(heads.split(/ +/)).toEqual(['ID', 'NAME', 'TITLE', 'STATE', 'CREATED', 'KEYS', 'MEMBERS', 'LINKS']);
  expect(first).toMatch(/^1 +Zweite +Zweite +active +\d{4}-\d\d-\d\d +1 +0 +0$/);
  expect((await runCommand('accounts', env, ['show'])).stderr).toBe(
    '"show" is not a command; use list, create, disable, enable or delete. See --help.\n',
  );
});

test.each([
  ['Marketng', ['Sales', 'marketing', 'Market'], ['marketing', 'Market', 'Sales']],
  ['x', [], []],
  ['ä'.repeat(300), ['a', 'ä'.repeat(255)], ['ä'.repeat(255), 'a']],
])('the names nearest to %s', (name, others, expected) => {
  expect(nearestNames(name, others)).toEqual(expected);
});
