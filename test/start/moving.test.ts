import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../support/command.ts';
import { exportsFolder } from '../support/moving.ts';
import { dist, Program, runProgram } from '../support/process.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'linkspace-moving-'));
let server: TestServer;
let owner: Caller;
let env: Record<string, string>;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
  env = { DATABASE_URL: server.databaseUrl, BASE_URL: 'https://s.example' };
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const importing = (...args: string[]) => runCommand('import', env, args);
const exporting = (...args: string[]) => runCommand('export', env, ['--account', 'owner', ...args]);
const count = async () => server.database.prisma.link.count();

test('the summary counts lines without links', async () => {
  const file = join(folder, 'spaces.csv');
  writeFileSync(file, 'kind,alias,url,space\nspace,,,Later\nlink,in-later,https://a.example/,Later\n');
  const { stdout } = await importing('--format', 'csv', '--file', file, '--account', 'owner', '--dry-run');
  expect(stdout).toContain(
    '2 read: 1 link would be made, 0 there already, 0 not imported, 1 only of spaces, tags, pixels, domains, saved operations or saved views.\nNew with them: 1 space, 0 tags, 0 pixels, 0 domains.',
  );
});

test('an export to standard output refuses --json', async () => {
  const { code, stdout, stderr } = await exporting('--json');
  expect([code, stdout, stderr]).toEqual([
    1,
    '',
    expect.stringContaining('choose --format json. See --help.'),
  ]);
});

test('a message names the column of the file', async () => {
  const file = join(folder, 'clicks.csv');
  writeFileSync(file, 'keyword,url,Clicks\na,https://a.example/,many\n');
  const { stdout } = await importing('--format', 'yourls', '--file', file, '--account', 'owner');
  expect(stdout).toContain('line 2: "Clicks" is "many"; it must be a whole number');
});

test('the summary names the columns that were not imported', async () => {
  const args = [
    '--format',
    'dub',
    '--file',
    join(exportsFolder, 'dub.csv'),
    '--account',
    'owner',
    '--dry-run',
  ];
  expect((await importing(...args)).stdout).toContain('Columns that were left out: "Link ID".');
});

test('escapes control characters of a file in the terminal', async () => {
  const path = join(folder, 'escapes.csv');
  const text = 'long_url,link,\u001b[31mred\u001b[0m,\u009b2J\nhttps://example.com/,bit.ly/escaped,a,b\n';
  writeFileSync(path, text);
  const args = ['--format', 'bitly', '--file', path, '--account', 'owner', '--dry-run'];
  for (const { stdout, stderr } of [await importing(...args), await importing(...args, '--json')]) {
    expect(stdout).toContain('\\u001b[31mred');
    expect(stdout + stderr).not.toMatch(/[^\P{Cc}\n]/u);
  }
});

describe('characters that control a terminal', () => {
  const controls = /[^\P{Cc}\r\n]|\p{Bidi_Control}/u;
  const hasScript = spawnSync('script', ['--version']).stdout?.includes('util-linux') ?? false;
  /** Runs a program on a terminal of its own. */
  const onTerminal = (program: string, variables: Record<string, string>, ...args: string[]) =>
    new Program('script', ['-qec', [process.execPath, dist(program), ...args].join(' '), '/dev/null'], {
      ...{ ...env, ...variables },
    }).end();

  test.skipIf(!hasScript)('are escaped in an export on a terminal, and stay in pipes', async () => {
    const title = '\u001b[31mred\u0085\u009b\u007f\u202e\u2066\u200f\u061c';
    const { id } = await owner.link({ alias: 'controls', title });
    expect((await exporting()).stdout).toContain(title);
    expect((await exporting('--format', 'json')).stdout).toContain(JSON.stringify(title));
    const shown = '\\u001b[31mred\\u0085\\u009b\\u007f\\u202e\\u2066\\u200f\\u061c';
    // Each starts a program on a terminal.
    for (const args of [[], ['--format', 'json', '--file', '/dev/tty']]) {
      const { stdout } = await onTerminal('cli/export', {}, '--account', 'owner', ...args);
      expect(stdout).not.toMatch(controls);
      expect(stdout).toContain(shown);
      expect(stdout).not.toContain('\\u000d');
    }
    await owner.rest('DELETE', `/links/${id}`);
  });

  test.skipIf(!hasScript)('are escaped in the log of a start, and in why it failed', async () => {
    const hosts = join(folder, 'hosts.txt');
    writeFileSync(hosts, 'bad \u009b\u202e\n');
    // Nobody can listen at this address.
    const { stdout } = await onTerminal('main', { ...env, HOST: '203.0.113.1', BLOCKED_HOSTS: hosts });
    expect(stdout).toContain('"text":"bad \\u009b\\u202e"');
    expect(stdout).not.toMatch(controls);
    const { stderr } = await runProgram('main', { ...env, LOG_LEVEL: 'x\u009b\u202e' });
    expect(stderr).toContain('x\\u009b\\u202e');
    expect(stderr).not.toMatch(controls);
  });
});

test('refuses a deeply nested record before it uses memory', async () => {
  const path = join(folder, 'nested.json');
  const nested = '['.repeat(3_000_000);
  writeFileSync(path, `[{"link":"https://bit.ly/a","long_url":"https://example.com/","x":${nested}`);
  const args = ['--format', 'bitly', '--file', path, '--account', 'owner', '--dry-run'];
  const { stdout, stderr } = await importing(...args);
  expect(stdout + stderr).toContain('The record 1 is nested more than 10000 levels deep');
});

test('imports and exports by command, and prints a summary', async () => {
  const args = ['--format', 'bitly', '--file', join(exportsFolder, 'bitly.csv'), '--account', 'owner'];
  const { code, stdout, stderr } = await importing(...args);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('2 read: 2 links made, 0 there already, 0 not imported.');
  expect(stdout).toContain('bit.ly is no domain of this account: 2 new links of it are on s.example.');
  const again = await importing(...args, '--json');
  expect(JSON.parse(again.stdout)).toMatchObject({ told: [], created: 0, existing: 2, refused: 0 });
  const file = join(folder, 'links.csv');
  // Through a symbolic link, whose target exists only later.
  symlinkSync('real.csv', file);
  const exported = await exporting('--file', file, '--json');
  expect(JSON.parse(exported.stdout)).toEqual({ file, links: 2, domains: 0, spaces: 0, tags: 2, pixels: 0 });
  const printed = await runProgram('cli/export', env, ['--account', 'owner', '--format', 'csv']);
  expect(printed.stdout).toBe(readFileSync(file, 'utf8'));
  expect([lstatSync(file).isSymbolicLink(), statSync(file).mode & 0o777]).toEqual([true, 0o600]);
  writeFileSync(file, 'An earlier export');
  chmodSync(file, 0o644);
  const written = await exporting('--file', file);
  expect(written.stdout).toBe(`Exported to ${file}: 2 links, 0 domains, 0 spaces, 2 tags, 0 pixels.\n`);
  expect(readFileSync(join(folder, 'real.csv'), 'utf8')).toBe(printed.stdout);
  expect([lstatSync(file).isSymbolicLink(), statSync(file).mode & 0o777]).toEqual([true, 0o600]);
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const piped = readFile(pipe, 'utf8');
  await exporting('--file', pipe);
  expect(await piped).toBe(printed.stdout);
  expect(printed.stdout).toContain('https://s.example/spring-26');
  const json = await exporting('--format', 'json');
  expect(JSON.parse(json.stdout).data).toMatchObject([
    { alias: 'spring-26', clicks: 1204 },
    { alias: '3xAbCd' },
  ]);
  // The running service finds them.
  const { body } = await owner.rest('GET', '/links?sort=asc');
  expect(body).toMatchObject({ data: [{ alias: 'spring-26', clicks: 1204 }, { alias: '3xAbCd' }] });
});

test('an import stopped by Ctrl-C leaves complete links, and continues when it is repeated', async () => {
  const file = join(folder, 'many.csv');
  const rows = Array.from(
    { length: 8_000 },
    (_, index) => `many${index},https://a.example/${index},${index}`,
  );
  writeFileSync(file, `keyword,url,clicks\n${rows.join('\n')}\n`);
  const args = ['--format', 'yourls', '--file', file, '--account', 'owner', '--json'];
  const before = await count();
  const program = new Program(process.execPath, ['dist/cli/import.js', ...args], env);
  await expect.poll(count, { interval: 5 }).toBeGreaterThan(before);
  const { code, stdout } = await program.end('SIGINT');
  const report = JSON.parse(stdout);
  expect([code, report.stopped]).toEqual([130, true]);
  expect(report.created).toBeLessThan(8_000);
  expect(await count()).toBe(before + report.created);
  const again = JSON.parse((await importing(...args)).stdout);
  expect(again).toMatchObject({ stopped: false, existing: report.created, created: 8_000 - report.created });
  const { prisma } = server.database;
  const [, last] = [
    before,
    await prisma.link.findFirst({ orderBy: { id: 'desc' }, include: { counter: true } }),
  ];
  expect(last).toMatchObject({ alias: 'many7999', counter: { clicks: 7_999 } });
});

test('imports a truncated file up to its end, with exit code 1', async () => {
  const file = join(folder, 'half.json');
  writeFileSync(file, '[{"address":"half","target":"https://a.example/"},{"addr');
  const args = ['--format', 'kutt', '--file', file, '--account', 'owner'];
  const message = 'The file is no JSON after record 1: it ends too early';
  const trial = await importing(...args, '--dry-run');
  expect([trial.code, trial.stderr]).toEqual([1, `${message}; nothing is written.\n`]);
  const { code, stdout, stderr } = await importing(...args);
  expect([code, stderr]).toEqual([1, `${message}; what stands before it is imported.\n`]);
  expect(stdout).toContain('1 read: 1 link made');
  const again = await importing(...args, '--json');
  expect([again.code, JSON.parse(again.stdout)]).toMatchObject([1, { existing: 1, error: message }]);
});

const none = ['--file', '/nowhere/x.csv'];
test.each([
  [['--file', 'x', '--account', 'owner'], /^--format is missing; it may be csv, bitly, dub/],
  [['--format', 'x', '--file', 'x', '--account', 'owner'], /^--format is "x"; it may be csv, bitly/],
  [['--format', 'csv', '--account', 'owner'], /^Name the file/],
  [['--format', 'csv', ...none], /^Name the account/],
  [
    ['--format', 'csv', ...none, '--account', 'owenr'],
    /^There is no account "owenr"\. These exist: ("[\w ]+", )*"owner"(, "[\w ]+")*\.\n$/,
  ],
  [['--format', 'csv', ...none, '--account', 'owner'], /^There is no file \/nowhere\/x.csv/],
  [
    ['--format', 'csv', '--file', '/dev', '--account', 'owner'],
    /^\/dev is no file, but a folder, device or pipe/,
  ],
  [['--format', 'csv', ...none, '--account', 'owner', '--on-taken', 'x'], /may be skip, suffix, fail/],
  [['--format', 'csv', ...none, '--account', 'owner', '--privacy', 'PUBLIC'], /may be public, private/],
  [['--format', 'csv', ...none, '--account', 'owner', '--map-domain', 'a'], /may be FROM=TO/],
  [
    ['--format', 'csv', ...none, '--account', 'owner', '--map-domain', 'a=b'],
    /may not use the domain b|no file/,
  ],
])('refuses the wrong command %j', async (args, message) => {
  const { code, stderr } = await importing(...args);
  expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
});

test('imports links with the privacy that is asked for, unless the file says another', async () => {
  const file = join(folder, 'privacy.csv');
  writeFileSync(file, 'url,title,privacy\nhttps://a.example/,pv1,\nhttps://a.example/,pv2,PUBLIC\n');
  const args = ['--format', 'csv', '--file', file, '--account', 'owner'];
  expect((await importing(...args, '--privacy', 'private')).code).toBe(0);
  const { body } = await owner.rest('GET', '/links?search=pv');
  expect(body).toMatchObject({
    data: [
      { title: 'pv2', privacy: 0 },
      { title: 'pv1', privacy: 1 },
    ],
  });
});
