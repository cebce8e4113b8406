import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Program } from '../support/process.ts';
import { makeProductionTree } from '../support/production-tree.ts';

const folder = mkdtempSync(join(tmpdir(), 'linkspace-native-'));
const driver = join(folder, 'node_modules/better-sqlite3');
const binaries = join(driver, 'prebuilds');
const installed = 'node_modules/better-sqlite3/prebuilds';
let command: (program: string) => [string, ...string[]];
beforeAll(() => {
  command = makeProductionTree(folder);
  rmSync(driver);
  for (const part of ['lib', 'package.json'])
    cpSync(join('node_modules/better-sqlite3', part), join(driver, part), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(program: string, args: string[] = []) {
  const [node, ...words] = command(program);
  const env = { DATABASE_URL: `file:${join(folder, 'data.db')}`, PORT: '0', LOG_LEVEL: 'silent' };
  return new Program(node, [...words, ...args], env).end();
}

/** Replaces the binary of every system by that of another one. */
function exchanged(): void {
  const names = readdirSync(installed);
  const other = (name: string) => names.find((one) => one.slice(0, 3) !== name.slice(0, 3)) ?? '';
  for (const name of names) cpSync(join(installed, other(name)), join(binaries, name));
}

/** All of them load the driver in one way. */
const programs: Record<string, string[]> = { main: [], 'cli/keys': ['list'], 'cli/backup': [] };

test.each([
  ['is missing', Object.keys(programs), () => {}, /Cannot find module '.*better_sqlite3\.node'/],
  [
    'is damaged',
    ['main'],
    () => {
      for (const name of readdirSync(installed)) writeFileSync(join(binaries, name), 'x');
    },
    /.+/,
  ],
  ['is for another system', ['cli/keys'], exchanged, /.+/],
])(
  'reports in one line that the binary of the SQLite driver %s, in %j',
  async (_how, names, damage, cause) => {
    rmSync(binaries, { recursive: true, force: true });
    mkdirSync(binaries);
    damage();
    const told = new RegExp(
      `^better-sqlite3, the SQLite driver, does not load on ${process.platform}-${process.arch}: ${cause.source}\\. If .*"npm ci".*\\n$`,
    );
    for (const name of names) {
      const { code, stdout, stderr } = await run(name, programs[name]);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(told);
    }
  },
);

test('the start and commands run with an intact binary', async () => {
  rmSync(binaries, { recursive: true, force: true });
  cpSync(installed, binaries, { recursive: true });
  expect(await run('cli/migrate')).toMatchObject({ code: 0, stderr: '' });
  expect(await run('cli/keys', ['list'])).toMatchObject({ code: 0, stderr: '' });
});
