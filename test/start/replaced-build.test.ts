import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MailServer } from '../support/mail-server.ts';
import { Person } from '../support/person.ts';
import { freePort } from '../support/postgres-server.ts';
import { type Program, startProgram } from '../support/process.ts';
import { makeProductionTree } from '../support/production-tree.ts';
import { Caller } from '../support/server.ts';
import { openAs } from '../support/sockets.ts';
import { visit } from '../support/visit.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'linkspace-replaced-'));
});
const running: Program[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((program) => program.end('SIGKILL')));
  rmSync(folder, { recursive: true, force: true });
});

const LIMIT = { timeout: 60_000 };

/** The paths of built files, without the compressed ones beside them. */
const pathsOf = (built: string, path: string) =>
  readdirSync(join(folder, 'dist/generated', built))
    .filter((name) => /\.(js|css|woff2)$/.test(name))
    .map((name) => path + name);

test('needs no file of its build once everything is loaded', { timeout: 300_000 }, async () => {
  const key = 'the-first-key-of-an-empty-database';
  const command = makeProductionTree(folder);
  const assets = [...pathsOf('assets', '/docs/assets/'), ...pathsOf('console/assets', '/console/assets/')];
  const mails = await MailServer.start();
  const METRICS_PORT = String(await freePort());
  const env = {
    ...{ DATABASE_URL: `file:${join(folder, 'data.db')}`, INITIAL_API_KEY: key, METRICS_PORT },
    ...{ SMTP_URL: mails.url, SMTP_FROM: 'links@s.example', LOG_LEVEL: 'debug' },
    ...{ BASE_URL: 'https://s.example', TRUST_PROXY: 'loopback' },
  };
  const program = await startProgram(env, command('main'));
  running.push(program);
  // No request is sent before the files are gone.
  await expect.poll(() => program.log.map(({ msg }) => msg), LIMIT).toContain('everything is loaded');
  rmSync(join(folder, 'dist'), { recursive: true });

  const { origin } = program;
  const caller = new Caller(origin, key);
  const statusOf = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await caller.fetch(path, { headers });
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(0);
    return `${answer.status} ${path}`;
  };
  const asPerson = { Accept: 'text/html' };
  for (const path of ['/', '/console', '/console/links', '/docs', '/graphql'])
    expect(await statusOf(path, asPerson)).toBe(`200 ${path}`);
  for (const path of assets)
    for (const encoding of ['br', 'gzip', 'identity'])
      expect(await statusOf(path, { 'Accept-Encoding': encoding })).toBe(`200 ${path}`);
  for (const path of [
    ...['/openapi.json', '/schema.graphql', '/robots.txt', '/favicon.ico', '/inter.woff2'],
    ...['/livez', '/livez/serving', '/readyz', '/auth/methods', '/api/v1/links'],
  ])
    expect(await statusOf(path)).toBe(`200 ${path}`);
  expect((await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).status).toBe(200);

  // Both APIs, and a search, which a thread does.
  const { createLink } = await caller.data<{ createLink: unknown }>(`mutation {
    createLink(input: { url: "https://example.com/a", alias: "first", title: "Spring" }) {
      ... on Link { qrCode }
    }
  }`);
  await caller.data(`mutation {
    importLinks(format: CSV, text: "url,alias\\nhttps://example.com/b,second") { __typename }
  }`);
  expect(JSON.stringify(createLink)).toContain('<svg');
  expect((await caller.rest('POST', '/links', { url: 'https://example.com/c' })).status).toBe(201);
  expect(await caller.data('{ links(filter: { search: "spring" }) { totalCount } }')).toEqual({
    links: { totalCount: 1 },
  });

  // A WebSocket.
  const socket = await openAs(origin, key);
  socket.ask('who', '{ viewer { account { name } } }');
  await expect.poll(() => socket.about('who').length, LIMIT).toBe(2);

  // A visit, which another thread writes.
  expect((await visit(origin, '/first')).status).toBe(302);
  await expect
    .poll(async () => JSON.stringify((await caller.rest('GET', '/links')).body), LIMIT)
    .toMatch(/"clicks":"?1/);
  expect(await statusOf('/first+', asPerson)).toBe('200 /first+');

  // People, who have the libraries of passkeys and of mails.
  const [, token] = /welcome#(\S+)/.exec(program.stdout) ?? [];
  const person = new Person(program);
  const owner = { name: 'Owner', email: 'owner@s.example', password: 'correct horse battery' };
  expect((await person.auth('welcome', { token, ...owner })).status).toBe(201);
  expect((await person.auth('about')).status).toBe(200);
  expect((await person.auth('passkey/registration-options', {})).body).toHaveProperty('challenge');
  await person.auth('forgot', { email: owner.email });
  await expect.poll(() => mails.received.join(''), LIMIT).toContain(`RCPT TO:<${owner.email}>`);

  expect((await program.end('SIGTERM')).code).toBe(0);
  expect(program.log.filter(({ level }) => Number(level) >= 40)).toEqual([]);
});

// Prisma's compiler of queries takes a fifth of a start.
test('answers before it has a compiler of queries', { timeout: 300_000 }, async () => {
  const env = {
    ...{ DATABASE_URL: `file:${join(folder, 'data.db')}`, BASE_URL: 'https://s.example' },
    INITIAL_API_KEY: 'the-first-key-of-a-known-database',
  };
  const command = makeProductionTree(folder);
  const first = await startProgram(env, command('main'));
  running.push(first);
  await first.end('SIGTERM');
  const dist = join(folder, 'dist');
  const compilers = readdirSync(dist).filter((name) => /^query_compiler_.*\.sqlite\..*js$/.test(name));
  expect(compilers).not.toEqual([]);
  for (const name of compilers) rmSync(join(dist, name));

  const again = await startProgram(env, command('main'));
  running.push(again);
  // It answers; the first to ask for what is missing is the part that is loaded later.
  await expect
    .poll(() => again.log.map(({ msg }) => msg), LIMIT)
    .toContain('a part of the program could not be loaded');
  const failed = again.log.findIndex(({ level }) => Number(level) >= 50);
  expect(again.log.findIndex(({ msg }) => msg === 'listening')).toBeLessThan(failed);
});
