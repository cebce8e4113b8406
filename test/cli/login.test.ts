import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';
import { runCli } from './support.ts';

let server: TestServer;
let key: string;
let folder: string;
beforeAll(async () => {
  server = await startTestServer();
  ({ key } = await server.caller('owner'));
});
afterAll(async () => server.stop());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'linkspace-cli-'));
  return () => rmSync(folder, { recursive: true, force: true });
});

const env = () => ({ XDG_CONFIG_HOME: folder });
const file = () => join(folder, 'linkspace/config.json');

test('login stores the address and the key from standard input, for its user alone', async () => {
  const { code, stdout, stderr } = await runCli(['login', `${server.origin}/`], env(), { input: `${key}\n` });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toBe(`Logged in to ${server.origin} as the account "owner".\n`);
  expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({ url: server.origin, key });
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(file())).mode & 0o777).toBe(0o700);
  expect((await runCli(['links', 'list'], env())).stdout).toBe('There are no links.\n');
});

test('login replaces a file that others could read', async () => {
  mkdirSync(dirname(file()));
  writeFileSync(file(), '{}', { mode: 0o644 });
  expect((await runCli(['login', server.origin], env(), { input: key })).code).toBe(0);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
});

test('login asks at a terminal', async () => {
  const { code, asked, stdout, stderr } = await runCli(['login', server.origin], env(), { typed: [key] });
  expect([code, asked]).toEqual([0, ['API key: ']]);
  expect(stdout + stderr).not.toContain(key);
});

test('logout deletes the login', async () => {
  await runCli(['login', server.origin], env(), { input: key });
  expect((await runCli(['logout', '--json'], env())).stdout).toBe('{\n  "removed": true\n}\n');
  expect((await runCli(['logout'], env())).stdout).toBe('There was no login.\n');
  expect(await runCli(['links', 'list'], env())).toMatchObject({
    code: 5,
    stderr: 'lsp: You are not logged in. Run lsp login URL, or set LINKSPACE_URL and LINKSPACE_KEY.\n',
  });
});

test.each(['{', '{}', '{"url": "ftp://x", "key": "k"}', '\0'])(
  'logout deletes a damaged login: %j',
  async (text) => {
    mkdirSync(dirname(file()));
    writeFileSync(file(), text);
    expect((await runCli(['links', 'list'], env())).code).toBe(64);
    expect(await runCli(['logout'], env())).toMatchObject({ code: 0, stdout: 'Logged out.\n' });
    expect((await runCli(['links', 'list'], env())).code).toBe(5);
  },
);

test.each([
  ['http://links.example', 'The URL must begin with https://; plain http is only for localhost.'],
  ['http://localhost.example', 'The URL must begin with https://; plain http is only for localhost.'],
  ['ftp://localhost', 'The URL must begin with https://; plain http is only for localhost.'],
  ['links.example', 'The URL must be an address such as https://links.example.'],
  ['https://me:secret@links.example', 'The URL must have no user, password, query or fragment.'],
  ['https://links.example/?key=x', 'The URL must have no user, password, query or fragment.'],
])('login refuses %s before it reads the key', async (url, message) => {
  const ended = await runCli(['login', url], env(), { input: key });
  expect(ended).toMatchObject({ code: 64, stdout: '', stderr: `lsp: ${message}\n` });
});

test.each([
  ['', 'The key is empty.'],
  ['two words', 'The key is not an API key.'],
  ['k'.repeat(1_025), 'The key is not an API key.'],
  ['k'.repeat(64_001), 'The input is longer than 64000 bytes.'],
])('login refuses a key that is none', async (input, message) => {
  const ended = await runCli(['login', server.origin], env(), { input });
  expect(ended.code).toBeGreaterThan(0);
  expect(ended.stderr).toBe(`lsp: ${message}\n`);
});

test('login stores nothing if the service does not know the key', async () => {
  const { code, stderr } = await runCli(['login', server.origin], env(), { input: 'lsk_unknown' });
  expect(code).toBe(5);
  expect(stderr).toMatch(/^lsp: .+\n$/);
  expect(() => statSync(file())).toThrow();
});

test('a key has no place among the arguments', async () => {
  const { code, stderr } = await runCli(['login', server.origin, key], env());
  expect(code).toBe(64);
  expect(stderr).not.toContain(key);
});

test('variables win over the stored login', async () => {
  await runCli(['login', server.origin], env(), { input: key });
  const other = (await server.caller('other')).key;
  const keyFile = join(folder, 'key');
  writeFileSync(keyFile, `${other}\n`);
  const tags = async (variables: Record<string, string>) =>
    (await runCli(['tags', 'list', '--json'], { ...env(), ...variables })).stdout;
  await runCli(['tags', 'create', 'Of others'], { ...env(), LINKSPACE_KEY: other });
  expect(await tags({})).toBe('[]\n');
  expect(await tags({ LINKSPACE_KEY: other })).toContain('Of others');
  expect(await tags({ LINKSPACE_KEY_FILE: keyFile })).toContain('Of others');
  expect(await tags({ LINKSPACE_KEY: key, LINKSPACE_KEY_FILE: keyFile })).toBe('[]\n');
  const ended = await runCli(['tags', 'list'], { ...env(), LINKSPACE_KEY_FILE: join(folder, 'none') });
  expect(ended).toMatchObject({
    code: 64,
    stderr: 'lsp: LINKSPACE_KEY_FILE names a file that does not exist.\n',
  });
});

test.skipIf(process.platform === 'win32')('a file without an end is no key', async () => {
  const ended = await runCli(['tags', 'list'], {
    LINKSPACE_URL: server.origin,
    LINKSPACE_KEY_FILE: '/dev/zero',
  });
  expect([ended.code, ended.stderr]).toEqual([64, 'lsp: /dev/zero is longer than 65536 bytes.\n']);
});

test('a stored key is not sent to another service', async () => {
  await runCli(['login', server.origin], env(), { input: key });
  const url = 'https://other.example';
  expect(await runCli(['tags', 'list'], { ...env(), LINKSPACE_URL: url })).toMatchObject({
    code: 5,
    stderr: `lsp: There is no key for ${url}. Set LINKSPACE_KEY, or run lsp login ${url}.\n`,
  });
});

test('a damaged file is named', async () => {
  mkdirSync(dirname(file()));
  writeFileSync(file(), '{ "url": 1');
  expect(await runCli(['tags', 'list'], env())).toMatchObject({
    code: 64,
    stderr: `lsp: ${file()} is damaged. Run lsp login URL again.\n`,
  });
});
