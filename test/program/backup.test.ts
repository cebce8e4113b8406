import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { applyMigrations } from '../../src/db/apply-migrations.ts';
import { backups } from '../../src/db/backups.ts';
import { openFile } from '../../src/engine/db/sqlite/file.ts';
import { Caller } from '../../src/testing/caller.ts';
import { runCommand } from '../support/command.ts';
import { dist, Program, runProgram } from '../support/process.ts';
import { type StartedService, startService } from '../support/service.ts';

const KEY = 'the-first-key-of-an-empty-database';
const folder = mkdtempSync(join(tmpdir(), 'linkspace-backup-'));
const DATABASE_URL = `file:${join(folder, 'data', 'linkspace.db')}`;

let service: StartedService;
let owner: Caller;
beforeAll(async () => {
  service = await startService({ DATABASE_URL, INITIAL_API_KEY: KEY });
  owner = new Caller(service.origin, KEY);
});
afterAll(async () => {
  await service.end();
  rmSync(folder, { recursive: true });
});

const backup = (...args: string[]) => runCommand('backup', { DATABASE_URL }, args);

test('a backup made during writes is complete and usable', async () => {
  let going = true;
  let written = 0;
  const writers = Array.from({ length: 4 }, async () => {
    // No more than it takes: a backup may take long on a busy machine.
    while (going && written < 1_000) {
      await owner.link();
      written++;
    }
  });
  while (written < 50) await new Promise((resolve) => setTimeout(resolve, 10));
  const before = written;
  const { code, stdout } = await runProgram('cli/backup', { DATABASE_URL });
  going = false;
  await Promise.all(writers);
  const [, path = ''] =
    /^Backed up to (.*\/data\/backups\/linkspace-\d{8}T\d{6}Z\.db)\.\n$/.exec(stdout) ?? [];
  expect(code).toBe(0);
  expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
  const restored = await startService({ DATABASE_URL: `file:${path}` });
  const { body } = await new Caller(restored.origin, KEY).rest('GET', '/links');
  const { total } = (body as { meta: { total: number } }).meta;
  expect(total).toBeGreaterThanOrEqual(before);
  expect(total).toBeLessThanOrEqual(written);
  await restored.end();
});

test('a backup replaces an earlier backup, but no other file', async () => {
  const path = join(folder, 'nightly.db');
  expect((await backup('--to', path)).code).toBe(0);
  const first = readFileSync(path);
  await owner.link();
  expect((await backup('--to', path)).code).toBe(0);
  expect(readFileSync(path).equals(first)).toBe(false);

  const mine = join(folder, 'mine.txt');
  writeFileSync(mine, 'not a backup');
  expect((await backup('--to', mine)).stderr).toBe(
    `${mine} already exists, and is not a backup of Linkspace.\n`,
  );
  expect(readFileSync(mine, 'utf8')).toBe('not a backup');
  const database = DATABASE_URL.replace('file:', '');
  expect((await backup('--to', database)).stderr).toBe(`${database} is the database itself.\n`);
});

test('keeps the given number of dated backups', () => {
  const dated = join(folder, 'dated');
  mkdirSync(dated);
  writeFileSync(join(dated, 'linkspace-20200101T000000Z.db'), 'somebody else’s');
  const names = [1, 2, 3, 4].map((day) => backups.datedName(new Date(Date.UTC(2026, 0, day))));
  for (const name of names) backups.backUp(DATABASE_URL, join(dated, name));
  expect(backups.keepNewest(dated, 2, DATABASE_URL)).toEqual(names.slice(0, 2));
  expect(readdirSync(dated).sort()).toEqual(['linkspace-20200101T000000Z.db', ...names.slice(2)]);
});

test('first removes copies that no process of this host writes any more', async () => {
  const nightly = join(folder, 'nightly');
  mkdirSync(nightly);
  const large = openFile(DATABASE_URL);
  large.exec('CREATE TABLE "Large" AS SELECT randomblob(30000000) AS "bytes"');
  large.close();
  const [host, dead] = [encodeURIComponent(hostname()), 2 ** 22 + 1];
  const own = `partial.${host}`;
  const dated = backups.datedName(new Date(0));
  const parent = `${process.ppid}`;
  const others = [
    `.${dated}.partial.another-host.${dead}.1`,
    `.${dated}.${parent}`,
    `.${dated}.${own}.${parent}.`,
    `.notes.${dead}`,
  ];
  const abandoned = [
    `.${dated}.${dead}`,
    `.${dated}.${dead}-journal`,
    `.${dated}.${own}.${dead}.1`,
    // Its number belongs to another process now.
    `.${dated}.${own}.${parent}.1`,
    `.other.db.${own}.${dead}.1-journal`,
    `.one.db.${dead}`,
  ];
  for (const name of [...others, ...abandoned]) writeFileSync(join(nightly, name), 'a part');
  const args = ['--to', join(nightly, 'one.db')];
  const killed = new Program(process.execPath, [dist('cli/backup'), ...args], { DATABASE_URL });
  onTestFinished(() => void killed.child.kill('SIGKILL'));
  const begun = () =>
    readdirSync(nightly).filter(
      (name) => name.startsWith('.one.db.') && name.includes(`.${killed.child.pid}`),
    );
  while (begun().length === 0) await setImmediate();
  // It stands still, but runs.
  killed.child.kill('SIGSTOP');
  expect((await backup(...args)).code).toBe(0);
  expect(readdirSync(nightly).sort()).toEqual([...others, ...begun(), 'one.db'].sort());
  expect(begun()).not.toEqual([]);
  await killed.end('SIGKILL');
  expect((await backup(...args)).code).toBe(0);
  expect(readdirSync(nightly).sort()).toEqual([...others, 'one.db'].sort());
});

test('does not treat a database that was restored from a backup as a backup', async () => {
  const live = join(folder, backups.datedName(new Date(0)));
  backups.backUp(DATABASE_URL, live);
  // Until the service opens it, only DATABASE_URL shows that it must not be deleted.
  const url = `file:${live}`;
  for (const day of [1, 2])
    backups.backUp(url, join(folder, backups.datedName(new Date(Date.UTC(2026, 1, day)))));
  expect(backups.keepNewest(folder, 1, url)).toEqual([backups.datedName(new Date(Date.UTC(2026, 1, 1)))]);
  const linked = join(folder, 'linked.db');
  linkSync(live, linked);
  expect(() => backups.backUp(url, linked)).toThrow('is the database itself');
  rmSync(linked);
  await applyMigrations(url);
  expect(() => backups.backUp(DATABASE_URL, live)).toThrow(
    'already exists, and is not a backup of Linkspace',
  );
  expect(backups.keepNewest(folder, 1, DATABASE_URL)).toEqual([]);
});

test.each([
  [['--to', ''], '--to is ""; it may be a file, or an existing folder. See --help.\n'],
  [
    ['--to', join(folder, 'new/')],
    `--to is "${join(folder, 'new/')}"; it may be a file, or an existing folder. See --help.\n`,
  ],
  [['--keep', '0'], '--keep is "0"; it may be a whole number from 1 to 999999. See --help.\n'],
  [
    ['--to', join(folder, 'x.db'), '--keep', '2'],
    '--keep is for dated backups: name a folder with --to, or leave --to out. See --help.\n',
  ],
])('refuses %j', async (args, stderr) => {
  expect(await backup(...args)).toEqual({ code: 1, stdout: '', stderr });
  expect(existsSync(join(folder, 'x.db'))).toBe(false);
});

test('refuses PostgreSQL, and refers to pg_dump', async () => {
  const { stderr } = await runCommand('backup', { DATABASE_URL: 'postgresql://db/x' });
  expect(stderr).toContain('use pg_dump');
});
