import { chownSync, copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { runCommand } from '../support/command.ts';

const folder = mkdtempSync(join(tmpdir(), 'linkspace-owner-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Only root can give a file to somebody else. */
describe.runIf(process.getuid?.() === 0)('a command of another user than that of the SQLite file', () => {
  const own = join(folder, 'own.db');
  const named = join(folder, 'named.db');
  const numbered = join(folder, 'numbered.db');

  test('is refused with the line to run, and touches nothing', async () => {
    expect((await runCommand('migrate', { DATABASE_URL: `file:${own}` })).code).toBe(0);
    for (const [path, uid] of [
      [named, 65534],
      [numbered, 54321],
    ] as const) {
      copyFileSync(own, path);
      chownSync(path, uid, uid);
    }
    const before = statSync(named);
    for (const [script, args, line] of [
      ['migrate', [], 'npm run migrate'],
      ['migrate', ['--status'], 'npm run migrate -- --status'],
      ['keys', ['create', '--account', "Ana's"], "npm run keys -- create --account 'Ana'\\''s'"],
      ['keys', ['list', '--json'], 'npm run keys -- list --json'],
      ['accounts', ['list'], 'npm run accounts -- list'],
      ['users', ['list'], 'npm run users -- list'],
      ['domains', ['list'], 'npm run domains -- list'],
      ['backup', ['--keep', '14'], 'npm run backup -- --keep 14'],
      ['demo', [], 'npm run demo'],
      ['export', ['--account', 'x'], 'npm run export -- --account x'],
      [
        'import',
        ['--account', 'x', '--format', 'csv', '--file', 'links.csv'],
        'npm run import -- --account x --format csv --file links.csv',
      ],
    ] as const)
      expect(await runCommand(script, { DATABASE_URL: `file:${named}` }, [...args])).toEqual({
        code: 1,
        stdout: '',
        stderr: `The SQLite file ${named} belongs to the user nobody. Run this as that user: sudo -u nobody ${line}\n`,
      });
    expect(statSync(named)).toMatchObject({ mtimeMs: before.mtimeMs, uid: 65534 });
  });

  test('has the number of a user without a name', async () => {
    const { stderr } = await runCommand('accounts', { DATABASE_URL: `file:${numbered}` }, ['list']);
    expect(stderr).toContain("sudo -u '#54321' npm run accounts -- list");
  });

  test.each(['from', 'to'])('copies no file of another user: --%s', async (option) => {
    const other = option === 'from' ? 'to' : 'from';
    const args = [`--${option}`, `file:${named}`, `--${other}`, `file:${own}`];
    const { stderr } = await runCommand('copy', { DATABASE_URL: `file:${own}` }, args);
    expect(stderr).toContain(`sudo -u nobody npm run copy -- ${args.join(' ')}\n`);
  });

  test('goes on for help, for the own file, for a file that is not there, and for a copy of other files', async () => {
    expect((await runCommand('keys', { DATABASE_URL: `file:${named}` }, ['--help'])).code).toBe(0);
    expect((await runCommand('keys', { DATABASE_URL: `file:${own}` }, ['list'])).code).toBe(0);
    const { stderr } = await runCommand('keys', { DATABASE_URL: `file:${folder}/none.db` }, ['list']);
    expect(stderr).toContain('There is no file');
    const args = ['--from', `file:${own}`, '--to', `file:${folder}/copy.db`];
    expect((await runCommand('copy', { DATABASE_URL: `file:${named}` }, args)).stderr).toBe('');
  });
});
