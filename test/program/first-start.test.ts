import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { copyProject } from '../../scripts/project-files.mjs';
import { type Program, startProgram } from '../support/process.ts';

// A clone with its packages installed, and nothing built, in a folder whose name needs quoting everywhere.
const temporary = mkdtempSync(join(tmpdir(), 'linkspace first start ü '));
const clone = join(temporary, 'a clone');

let program: Program & { origin: string };

const npmStart = (): Promise<Program & { origin: string }> =>
  startProgram({}, ['sh', '-c', 'cd "$0" && exec npm start', clone]);

beforeAll(async () => {
  copyProject(clone);
  symlinkSync(resolve('node_modules'), join(clone, 'node_modules'), 'junction');
  program = await npmStart();
});
afterAll(async () => {
  await program?.end('SIGTERM');
  rmSync(temporary, { recursive: true, force: true });
});

const page = (path: string) => fetch(program.origin + path, { headers: { Accept: 'text/html' } });
const keyOf = ({ stdout }: Program) => /\bls_[\w-]{43}\b/.exec(stdout)?.[0];

test('prints a key that works, once', async () => {
  const answer = await fetch(`${program.origin}/graphql`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${keyOf(program)}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: '{ viewer { account { name } } __schema { queryType { name } } }' }),
  });
  expect(await answer.json()).toEqual({
    data: { viewer: { account: { name: 'default' } }, __schema: { queryType: { name: 'Query' } } },
  });
  expect(existsSync(join(clone, 'data/linkspace.db'))).toBe(true);
});

test('lets the first owner in, by a link that works once', async () => {
  const [, token = ''] =
    /^To become the owner, open http:\S+\/console\/welcome#(\S+)$/m.exec(program.stdout) ?? [];
  const welcome = () =>
    fetch(`${program.origin}/auth/welcome`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token, name: 'Ana', email: 'ana@example.com', password: 'correct horse' }),
    });
  expect([(await welcome()).status, (await welcome()).status]).toEqual([201, 410]);
});

test('greets with pages that all open, and says nothing else but that it builds', async () => {
  const addresses = program.stdout.matchAll(/^ {2}(http:\S+) {2}/gm);
  const pages = [...addresses].map(([, address = '']) => new URL(address));
  expect(pages.map(({ pathname }) => pathname)).toEqual([
    ...['/console', '/graphql', '/docs/guides', '/docs', '/first+'],
  ]);
  await fetch(`${program.origin}/api/v1/links`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${keyOf(program)}` },
    body: new URLSearchParams({ url: 'https://example.com/', alias: 'first' }),
  });
  for (const { pathname } of pages) {
    const answer = await page(pathname);
    expect([pathname, answer.status, answer.headers.get('content-type')]).toEqual([
      pathname,
      200,
      'text/html; charset=utf-8',
    ]);
  }
  expect(program.stderr).toBe('Building…\n');
});

test.each([
  ['/', ['/console']],
  ['/console', []],
  ['/graphql', []],
  [
    '/docs/guides',
    [
      ...['/graphql', '/docs', '/openapi.json', '/schema.graphql'],
      ...['/docs/guides/graphql', '/docs/guides/stability'],
    ],
  ],
  ['/docs', []],
])('serves all that the page %s loads and links to', async (path, links) => {
  const html = await (await page(path)).text();
  const used = [...html.matchAll(/(?:href|src)="(\/[^"#]*)"/g)].map(([, one = '']) => one);
  expect(used).toEqual(expect.arrayContaining(links));
  expect(used.length).toBeGreaterThan(0);
  for (const one of used) expect([one, (await page(one)).status]).toEqual([one, 200]);
});

test('starts again without a build, without a greeting, and with the same data', async () => {
  expect((await program.end('SIGTERM')).code).toBe(0);
  program = await npmStart();
  expect(program.stderr).toBe('');
  expect(program.stdout.split('\n').filter((line) => line !== '' && !line.startsWith('{'))).toEqual([
    expect.stringMatching(/^> linkspace@/),
    expect.stringMatching(/^> exec node /),
  ]);
  expect((await fetch(`${program.origin}/first`, { redirect: 'manual' })).status).toBe(302);
});
