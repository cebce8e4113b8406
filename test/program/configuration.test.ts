import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { misspelt, readConfig, secrets, unusualEnvironment } from '../../src/app/config.ts';
import { makeFolder } from '../../src/engine/tools/make-folder.ts';
import { ConfigError } from '../../src/engine/tools/operator-error.ts';
import { sendsTraces } from '../../src/engine/tools/otel-variables.ts';
import { runCommand } from '../support/command.ts';
import { Program, runProgram } from '../support/process.ts';
import { refusalOf } from '../support/service.ts';

test.each([
  ['PORT', 'http', 'PORT is "http"; it may be a whole number from 0 to 65535.'],
  ['PORT', '65536', 'PORT is "65536"; it may be a whole number from 0 to 65535.'],
  ['HOST', 'a b', 'HOST is "a b"; it may be a host name or an IP address, without a port.'],
  ['HOST', '127.0.0.1:80', 'HOST is "127.0.0.1:80"; it may be a host name or an IP address, without a port.'],
  ...['http://*.x', 'http:x', 'http://1', 'http://a..b', 'http://a.b:0'].map((url) => [
    'BASE_URL',
    url,
    `BASE_URL is "${url}"; it may be an http or https URL without a path, such as https://s.example.`,
  ]),
  ['HOST', '-', 'HOST is "-"; it may be a host name or an IP address, without a port.'],
  ['METRICS_PORT', '3000', 'METRICS_PORT is "3000"; it may be another port than PORT.'],
  ...['file::memory:', 'file: ', 'file:./x.db?mode=ro'].map((url) => [
    'DATABASE_URL',
    url,
    `DATABASE_URL is "${url}"; it may be file:PATH for SQLite, without parameters, or postgresql://USER:PASSWORD@HOST:PORT/NAME, with special characters percent-encoded.`,
  ]),
  [
    'DATABASE_URL',
    'postgresql://db/my#x',
    'DATABASE_URL is "postgresql:***"; it may be file:PATH for SQLite, without parameters, or postgresql://USER:PASSWORD@HOST:PORT/NAME, with special characters percent-encoded.',
  ],
  ...['10.0.0.0/0', '::/0'].map((range) => [
    'TRUST_PROXY',
    range,
    `TRUST_PROXY is "${range}"; it may be off, how many proxies stand in front, or a list of addresses such as 10.0.0.0/8,loopback.`,
  ]),
  [
    'DATABASE_URL',
    'mysql://me:secret@db/x',
    'DATABASE_URL is "mysql://me:***@db/x"; it may be file:PATH for SQLite, without parameters, or postgresql://USER:PASSWORD@HOST:PORT/NAME, with special characters percent-encoded.',
  ],
  [
    'DATABASE_URL',
    './data/x.db',
    'DATABASE_URL is "./data/x.db"; it may be file:PATH for SQLite, without parameters, or postgresql://USER:PASSWORD@HOST:PORT/NAME, with special characters percent-encoded.',
  ],
  ['DOMAIN_VERIFICATION', 'maybe', 'DOMAIN_VERIFICATION is "maybe"; it may be on or off.'],
  [
    'NOT_FOUND_URL',
    'javascript:alert(1)',
    'NOT_FOUND_URL is "javascript:alert(1)"; it may be an absolute http or https URL of 2048 characters at most.',
  ],
  [
    'BASE_URL',
    'https://s.example/path',
    'BASE_URL is "https://s.example/path"; it may be an http or https URL without a path, such as https://s.example.',
  ],
  [
    'INITIAL_API_KEY',
    'too-short',
    'INITIAL_API_KEY is a text of 9 characters; it may be 32 to 255 letters, digits and - . _ ~ + /.',
  ],
  [
    'INITIAL_API_KEY',
    'k'.repeat(256),
    'INITIAL_API_KEY is a text of 256 characters; it may be 32 to 255 letters, digits and - . _ ~ + /.',
  ],
  [
    'TRUST_PROXY',
    '10.0.0.0/99',
    'TRUST_PROXY is "10.0.0.0/99"; it may be off, how many proxies stand in front, or a list of addresses such as 10.0.0.0/8,loopback.',
  ],
  ['GRAPHIQL', 'maybe', 'GRAPHIQL is "maybe"; it may be on or off.'],
  ['RATE_LIMIT', '-1', 'RATE_LIMIT is "-1"; it may be a whole number from 0 to 1000000000.'],
  [
    'MAX_SUBSCRIPTIONS_PER_KEY',
    '0',
    'MAX_SUBSCRIPTIONS_PER_KEY is "0"; it may be a whole number from 1 to 2000.',
  ],
  ['METRICS_PORT', '0', 'METRICS_PORT is "0"; it may be a whole number from 1 to 65535.'],
  ['ROLE', 'visitors', 'ROLE is "visitors"; it may be all or redirects.'],
  ['LINK_CACHE_MB', '0', 'LINK_CACHE_MB is "0"; it may be a whole number from 1 to 100000.'],
  ['WORKERS', '0', 'WORKERS is "0"; it may be auto, or a whole number from 1 to 64.'],
  ['WORKERS', '65', 'WORKERS is "65"; it may be auto, or a whole number from 1 to 64.'],
  ['WORKERS', 'many', 'WORKERS is "many"; it may be auto, or a whole number from 1 to 64.'],
  ['WORKERS', '1.5', 'WORKERS is "1.5"; it may be auto, or a whole number from 1 to 64.'],
  [
    'WORKERS',
    '2',
    'WORKERS is "2"; it may be 1 where DATABASE_URL is not PostgreSQL, since SQLite is for one process.',
  ],
  [
    'LOG_LEVEL',
    'loud',
    'LOG_LEVEL is "loud"; it may be one of trace, debug, info, warn, error, fatal, silent.',
  ],
  [
    'CORS_ORIGINS',
    'https://app.example/',
    'CORS_ORIGINS is "https://app.example/"; it may be a list of origins such as https://app.example, separated by commas.',
  ],
])('refuses %s=%s', (name = '', value, line) => {
  expect(() => readConfig({ [name]: value })).toThrow(new ConfigError(line));
});

test.each([
  ['DATABASE_URL', 'postgresql://me:sec/ret@db/x'],
  // The host would be a part of the password.
  ['DATABASE_URL', 'postgresql://me:pass@sec/ret@db/x'],
  ['DATABASE_URL', 'postgresql://me:pass@sec#ret@db/x'],
  ['DATABASE_URL', 'postgresql://me:pass@sec?ret@db/x'],
  ['DATABASE_URL', 'postgresql://me:pass@sec?re=t@db/x'],
  ['DATABASE_URL', 'postgresql://me:12/sec@db/x'],
  ['DATABASE_URL', 'postgresql://me:12#sec@db/x'],
  ['DATABASE_URL', 'postgresql://me:12?sec@db/x'],
  ['DATABASE_DIRECT_URL', 'postgresql://me:pass@sec#ret@db/x'],
  ['DATABASE_READ_URLS', 'postgresql://db/y,postgresql://me:pass@sec/ret@db/x'],
  ['SMTP_URL', 'smtps://me:pass@sec/ret@mail.example:465'],
  ['SMTP_URL', 'smtps://me:pass@sec#ret@mail.example:465'],
  ['DATABASE_URL', 'postgresql://me:sec%zzret@db/x'],
  ['DATABASE_URL', 'postgresql://me:secret@db:99999/x'],
  ['DATABASE_DIRECT_URL', 'postgresql://me:sec%zzret@db/x'],
  ['DATABASE_READ_URLS', 'postgresql://db/y,postgresql://me:sec/ret@db/x'],
  ['DATABASE_URL', 'mysql://db/x?user=me&sslpassword=sec,ret" sec'],
  ['DATABASE_URL', 'mysql://db/x?pwd=secret&pass=secret'],
  ['DATABASE_URL', 'postgres:/me:secret@db/x'],
  ['DATABASE_URL', 'postgres//me:sec@ret@db/x'],
  ['DATABASE_URL', 'mysql://me:se cret/@,db"/x@host'],
  ['DATABASE_URL', 'postgresq://me:secret'],
  ['DATABASE_URL', 'secret'],
  ['DATABASE_URL', 'mysql://db/x?user=me&password=secret'],
  ['DATABASE_READ_URLS', 'postgres://me:secret@db/x,http://me:secret@db/y'],
  ['BASE_URL', 'https://me:secret@s.example'],
  ['CORS_ORIGINS', 'https://me:secret@app.example'],
])('refuses %s=%s without showing the password', (name, value) => {
  let message = '';
  try {
    readConfig({ DATABASE_URL: 'postgresql://db/x', [name]: value });
  } catch (error) {
    ({ message } = error as Error);
  }
  expect(message).toContain(`${name} is "`);
  expect(message).not.toMatch(/sec|ret/);
});

test.each(['~/x.db', '~me/x.db', '$HOME/x.db', `/data/\${NAME}.db`, '%USERPROFILE%\\x.db'])(
  'refuses the path %s, in which only a shell would replace something',
  async (path) => {
    const url = `file:${path}`;
    const allowed = 'nothing replaces ~ and variables in it';
    expect(() => readConfig({ DATABASE_URL: url })).toThrow(
      new ConfigError(
        `DATABASE_URL is ${JSON.stringify(url)}; it may be file:PATH of a file that is there, or with the whole path: ${allowed}.`,
      ),
    );
    const copied = await runCommand('copy', {}, ['--from', 'file:./x.db', '--to', url]);
    expect(copied.stderr).toBe(
      `--to may be file:PATH of a file that is there, or with the whole path: ${allowed}. See --help.\n`,
    );
    const saved = await runCommand('backup', {}, ['--to', path]);
    expect(saved.stderr).toBe(`--to is "${path}"; it may be the whole path: ${allowed}. See --help.\n`);
    expect(existsSync('~')).toBe(false);
  },
);

test('such a file that is there goes on working', () => {
  const folder = mkdtempSync(join(tmpdir(), 'linkspace-~'));
  writeFileSync(join(folder, '$x.db'), '');
  const databaseUrl = `file:${join(folder, '$x.db')}`;
  expect(readConfig({ DATABASE_URL: databaseUrl })).toMatchObject({ databaseUrl });
  rmSync(folder, { recursive: true });
});

test.each([
  'postgresql://me:p@ss@db/x',
  'postgresql://me:p%40ss%2Fw%23d@db/x%40y?application_name=a@b&options=-c%20x',
  'postgresql://db/x?user=me@tenant&password=p@ss&host=/run',
  'postgresql://me@tenant:p:a,s@db:5432/x',
])('accepts %s, whose parts are clear', (databaseUrl) => {
  expect(readConfig({ DATABASE_URL: databaseUrl })).toMatchObject({ databaseUrl });
});

test('refuses a PostgreSQL URL that cannot be parsed, and says what to do', () => {
  expect(() => readConfig({ DATABASE_URL: 'postgresql://me:a/b@db/x' })).toThrow(
    new ConfigError(
      'DATABASE_URL is "postgresql://me:***@db/x"; it may be file:PATH for SQLite, without parameters, or postgresql://USER:PASSWORD@HOST:PORT/NAME, with special characters percent-encoded.',
    ),
  );
});

test.each([
  ['https://s.example.', 'https://s.example'],
  ['https://s.example.:8443', 'https://s.example:8443'],
  ['HTTP://S.EXAMPLE:80/', 'http://s.example'],
  ['http://bücher.example', 'http://xn--bcher-kva.example'],
  ['http://localhost:3000', 'http://localhost:3000'],
  ['http://go.localhost:3000', 'http://go.localhost:3000'],
  ['http://192.0.2.1:3000', 'http://192.0.2.1:3000'],
  ['http://[::1]:3000', 'http://[::1]:3000'],
])('the base URL %s is normalized to %s', (given, baseUrl) => {
  expect(readConfig({ BASE_URL: given }).baseUrl).toBe(baseUrl);
});

/** The variables that the lines of a refusal name. */
const variablesOf = (refusal = '') => refusal.split('\n').map((line) => line.split(' ')[0]);

test('an invalid variable stops the start with one line', async () => {
  const stderr = 'PORT is "http"; it may be a whole number from 0 to 65535.\n';
  expect(await runProgram('main', { PORT: 'http' })).toEqual({ code: 78, stdout: '', stderr });
});

test.each<[what: string, env: Record<string, string>, code: number]>([
  ['a value', { WORKERS: '0' }, 78],
  ['two values that exclude each other', { WORKERS: '2' }, 78],
  ['two ways to one secret', { SMTP_URL: 'smtp://mail.example', SMTP_URL_FILE: '/etc/hostname' }, 78],
  ['a secret in a file', { INITIAL_API_KEY_FILE: '/etc/hostname' }, 78],
  [
    'a variable of OpenTelemetry',
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_BSP_SCHEDULE_DELAY: 'x' },
    78,
  ],
  ['a value beside a file that is not there', { PORT: 'x', SMTP_URL_FILE: '/no' }, 78],
  ['a file of a secret that is not there', { DATABASE_URL_FILE: '/no' }, 1],
  ['a file of a secret that is empty', { DATABASE_URL_FILE: '/dev/null' }, 1],
  ['a list that is not there', { BLOCKED_HOSTS: '/no' }, 1],
  ['a server that is away', { DATABASE_URL: 'postgresql://me@127.0.0.1:1/x' }, 1],
])('%s ends the start with its exit code', async (_what, env, code) => {
  expect(await runProgram('main', env)).toMatchObject({ code, stderr: expect.stringMatching(/\S/) });
});

test('npm start passes the exit code on', async () => {
  const program = new Program('npm', ['start'], { PORT: 'http' });
  expect((await program.end()).code).toBe(78);
});

test('reports all invalid variables at once', async () => {
  const refusal = await refusalOf({ PORT: 'x', LOG_LEVEL: 'x', BASE_URL: 'x' });
  expect(variablesOf(refusal)).toEqual(['PORT', 'BASE_URL', 'LOG_LEVEL']);
});

test('reports invalid combinations of variables even if other values are invalid', () => {
  const env = { GRAPHIQL: 'toString', LOG_LEVEL: 'loud', WORKERS: '3', PORT: '3000', METRICS_PORT: '3000' };
  const lines = () => readConfig(env);
  for (const name of ['GRAPHIQL', 'LOG_LEVEL', 'WORKERS', 'METRICS_PORT'])
    expect(lines).toThrow(new RegExp(`^${name} is `, 'm'));
});

test('masks only secrets in the lines about invalid variables', async () => {
  const refusal = await refusalOf({
    DATABASE_URL: 'mysql://a:b/@?#"c@d/e',
    LOG_LEVEL: 'loud?key=x',
    CORS_ORIGINS: 'me@s.example',
  });
  expect(refusal?.split('\n')).toEqual([
    'DATABASE_URL is "mysql://a:***@d/e"; it may be file:PATH for SQLite, without parameters, or postgresql://USER:PASSWORD@HOST:PORT/NAME, with special characters percent-encoded.',
    'CORS_ORIGINS is "me@s.example"; it may be a list of origins such as https://app.example, separated by commas.',
    'LOG_LEVEL is "loud?key=***"; it may be one of trace, debug, info, warn, error, fatal, silent.',
  ]);
});

test('refuses an argument with a password without showing it', async () => {
  const { stderr } = await runCommand('domains', { DATABASE_URL: 'file:/nowhere' }, [
    'verify',
    'a',
    '--x=postgresql://me:secret@db/x',
  ]);
  expect(stderr).not.toContain('secret');
});

test('URLs of one database have one schema', () => {
  const [url, other] = ['postgresql://db/x', 'postgresql://replica/x'];
  const named = `${url}?schema=a%26b`;
  expect(
    readConfig({
      DATABASE_URL: url,
      DATABASE_DIRECT_URL: named,
      DATABASE_READ_URLS: `${other}?sslmode=disable`,
    }),
  ).toMatchObject({
    databaseUrl: named,
    databaseDirectUrl: named,
    databaseReadUrls: [`${other}?sslmode=disable&schema=a%26b`],
  });
  for (const name of ['DATABASE_DIRECT_URL', 'DATABASE_READ_URLS'])
    expect(() => readConfig({ DATABASE_URL: named, [name]: `${other}?schema=b` })).toThrow(
      new ConfigError(
        `${name} is "postgresql:***"; it may be without ?schema=, or with that of DATABASE_URL.`,
      ),
    );
  expect(() => readConfig({ DATABASE_URL: `${url}?schema=${'x'.repeat(64)}` })).toThrow(ConfigError);
});

test.each([
  ...[
    'schema=$user',
    'schema=%24USER',
    'schema=links%2Cpublic',
    'schema=pg_catalog',
    'schema=information_schema',
  ],
  ...[
    'schema=%22links%22',
    'search_path=links',
    'currentSchema=links',
    'Schema=links',
    'schema=a&searchpath=a',
  ],
])('refuses a URL with ?%s, which names no schema', async (query) => {
  const [file, url] = ['file:./a.db', `postgresql://db/x?${query}`];
  const told = `with one schema as ?schema=NAME, neither a list nor PostgreSQL's own.`;
  const refused = (name: string) => new ConfigError(`${name} is "postgresql:***"; it may be ${told}`);
  expect(() => readConfig({ DATABASE_URL: url })).toThrow(refused('DATABASE_URL'));
  for (const name of ['DATABASE_DIRECT_URL', 'DATABASE_READ_URLS'])
    expect(() => readConfig({ DATABASE_URL: 'postgresql://db/x', [name]: url })).toThrow(refused(name));
  const { stderr } = await runCommand('copy', {}, ['--from', file, '--to', url]);
  expect(stderr).toContain(`--to may be ${told}`);
});

test('treats an empty variable as unset', () => {
  const empty = Object.fromEntries(
    ['PORT', 'DATABASE_URL', 'BASE_URL', 'GRAPHIQL', 'LOG_LEVEL'].map((name) => [name, '']),
  );
  expect(readConfig(empty)).toEqual(readConfig({}));
  expect(readConfig({})).toMatchObject({ port: 3000, host: '127.0.0.1', graphiql: true, logLevel: 'info' });
});

test.each([
  [{ NODE_ENV: 'production' }, false],
  [{ NODE_ENV: 'production', GRAPHIQL: 'on' }, true],
  [{ NODE_ENV: 'Production' }, false],
  [{ NODE_ENV: 'prod' }, false],
  [{ NODE_ENV: 'staging' }, false],
  [{ NODE_ENV: 'production ' }, false],
  [{ NODE_ENV: '' }, true],
  [{ NODE_ENV: 'development' }, true],
  [{ NODE_ENV: 'Test' }, true],
  [{ GRAPHIQL: 'off' }, false],
])('GraphiQL is on by default, except in production: %j', (env, expected) => {
  expect(readConfig(env).graphiql).toBe(expected);
});

test('warns of a value of NODE_ENV that counts as production', async () => {
  const { stdout } = await runProgram('main', { NODE_ENV: 'staging', DATABASE_URL: 'file:/dev/null/x.db' });
  expect(stdout.split('\n').map((line) => (line ? JSON.parse(line) : null))).toContainEqual(
    expect.objectContaining({
      level: 40,
      variable: 'NODE_ENV',
      value: 'staging',
      msg: 'it counts as production',
    }),
  );
  for (const NODE_ENV of ['production', 'PRODUCTION', 'development', 'test', '', undefined])
    expect(unusualEnvironment({ NODE_ENV })).toBeNull();
});

test.each([
  [{}, true],
  [{ CONSOLE: 'off' }, false],
  [{ TRUSTED_DOCUMENTS: 'documents.json' }, false],
  [{ TRUSTED_DOCUMENTS: 'documents.json', CONSOLE: 'on' }, true],
])('with %j, the console is enabled: %s', (env, expected) => {
  expect(readConfig(env).console).toBe(expected);
});

test.each([
  ['off', false],
  ['2', 2],
  ['10.0.0.0/8, loopback, ::1', '10.0.0.0/8, loopback, ::1'],
])('accepts TRUST_PROXY=%s', (value, expected) => {
  expect(readConfig({ TRUST_PROXY: value }).trustProxy).toEqual(expected);
});

test.each([
  [{}, 1, 10],
  [{ WORKERS: '1' }, 1, 10],
  [{ WORKERS: '8' }, 8, 10],
  [{ WORKERS: '16' }, 16, 5],
  [{ WORKERS: '64' }, 64, 1],
  [{ WORKERS: '64', DATABASE_POOL_SIZE: '20' }, 64, 20],
  [{ WORKERS: 'auto' }, Math.min(availableParallelism(), 64), undefined],
])('calculates the connections of each process: %j', (env, workers, poolSize) => {
  const config = readConfig({ DATABASE_URL: 'postgresql://db/x', ...env });
  expect(config.workers).toBe(workers);
  if (poolSize !== undefined) expect(config.pool.poolSize).toBe(poolSize);
});

describe('a problem that only the start can find stops it with one line for each variable', () => {
  const folder = mkdtempSync(join(tmpdir(), 'linkspace-test-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const DATABASE_URL = `file:${folder}/x.db`;

  test('ports in use', async () => {
    const servers = [createServer().listen(0, '127.0.0.1'), createServer().listen(0, '127.0.0.1')];
    await Promise.all(servers.map((server) => once(server, 'listening')));
    const [PORT = '', METRICS_PORT = ''] = servers.map((server) =>
      String((server.address() as AddressInfo).port),
    );
    const refusal = await refusalOf({ DATABASE_URL, PORT, METRICS_PORT });
    for (const server of servers) server.close();
    expect(refusal).toBe(
      `Port ${PORT} is in use: another program listens on it at 127.0.0.1. Stop that program, or set PORT to another port.\nPort ${METRICS_PORT} is in use: another program listens on it at 127.0.0.1. Stop that program, or set METRICS_PORT to another port.`,
    );
  });

  test.each(['nosuch.invalid', '203.0.113.7'])('the host %s', async (HOST) => {
    expect(await refusalOf({ DATABASE_URL, HOST, METRICS_PORT: '9464' })).toMatch(
      new RegExp(`^HOST is "${HOST}"; it may be a name or an address of this machine \\(E\\w+\\)\\.$`),
    );
  });

  test('a file that ROLE=redirects would have to make', async () => {
    const missing = `${folder}/missing.db`;
    const refusal = await refusalOf({ ROLE: 'redirects', DATABASE_URL: `file:${missing}` });
    expect([refusal, existsSync(missing)]).toEqual([
      expect.stringContaining('start a process with ROLE=all first'),
      false,
    ]);
  });

  test('databases that cannot be opened', async () => {
    writeFileSync(`${folder}/junk.db`, 'no database'.repeat(100));
    const refused = (url: string) =>
      new RegExp(`^DATABASE_URL is "${url}"; it may be file:PATH of a SQLite database, or .*\\.\n?$`);
    for (const url of [`file:${folder}`, `file:${folder}/junk.db`, `file:${folder}/junk.db/x.db`]) {
      expect(await refusalOf({ DATABASE_URL: url })).toMatch(refused(url));
      expect((await runCommand('migrate', { DATABASE_URL: url })).stderr).toMatch(refused(url));
    }
    const url = `file:${folder}/junk.db`;
    expect(await runProgram('main', { DATABASE_URL: url })).toEqual({
      code: 1,
      stdout: expect.stringMatching(/^\{.*"Linkspace starts"\}\n$/),
      stderr: expect.stringMatching(refused(url)),
    });
    expect(await refusalOf({ DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' })).toMatch(
      /^No PostgreSQL server answers at 127\.0\.0\.1:1, which DATABASE_URL names\..*$/,
    );
  });

  test('missing files', async () => {
    const refusal = await refusalOf({
      DATABASE_URL,
      GEOIP_DATABASE: '/no/such.mmdb',
      BLOCKED_HOSTS: '/no/x',
      RESERVED_ALIASES: '/no/y',
    });
    expect(variablesOf(refusal)).toEqual(['GEOIP_DATABASE', 'BLOCKED_HOSTS', 'RESERVED_ALIASES']);
  });
});

describe('secrets in files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'linkspace-test-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const POSTGRESQL = 'postgresql://me:secret@db/x';
  const fileOf = (content: string) => {
    const path = join(folder, `secret-${content.length}`);
    writeFileSync(path, content);
    return path;
  };
  const values: Record<string, string> = {
    DATABASE_URL: POSTGRESQL,
    DATABASE_DIRECT_URL: 'postgresql://me:secret@direct/x',
    DATABASE_READ_URLS: 'postgresql://a/x,postgresql://b/x',
    INITIAL_API_KEY: 'the-first-key-of-an-empty-database',
    OIDC_CLIENT_SECRET: 'of=the provider',
    SMTP_URL: 'smtps://me:secret@mail.example:465',
  };
  const others = {
    DATABASE_URL: POSTGRESQL,
    OIDC_ISSUER: 'https://id.example',
    OIDC_CLIENT_ID: 'x',
    OIDC_CLIENT_SECRET: 'x',
    SMTP_URL: 'smtp://mail.example',
    SMTP_FROM: 'a@s.example',
  };

  test.each(secrets)('%s counts as if it were in the environment', (name) => {
    const value = values[name] ?? '';
    const env = { ...others, [name]: '', [`${name}_FILE`]: fileOf(`${value}\n`) };
    expect(readConfig(env)).toEqual(readConfig({ ...others, [name]: value }));
  });

  test.each(secrets)('%s must not be in both', (name) => {
    const path = fileOf('x');
    expect(() => readConfig({ ...others, [name]: values[name], [`${name}_FILE`]: path })).toThrow(
      new ConfigError(`${name}_FILE is "${path}"; it may be unset where ${name} is set.`),
    );
  });

  test.each([
    ['SMTP_URL', '/no/file', '"/no/file"', 'ENOENT'],
    ['DATABASE_URL', folder, `"${folder}"`, 'EISDIR'],
    ['INITIAL_API_KEY', fileOf(' \n'), `"${fileOf(' \n')}"`, 'empty'],
    ['INITIAL_API_KEY', 'the-key-itself', 'a text of 14 characters', 'ENOENT'],
    ['OIDC_CLIENT_SECRET', 'secret', 'a text of 6 characters', 'ENOENT'],
    ['DATABASE_URL', POSTGRESQL, '"postgresql://me:***@db/x"', 'ENOENT'],
    ['DATABASE_READ_URLS', 'secret', '"***"', 'ENOENT'],
  ])('refuses %s_FILE=%s without showing a secret', (name, path, shown, reason) => {
    const { [name]: _, ...rest }: Record<string, string> = others;
    expect(() => readConfig({ ...rest, [`${name}_FILE`]: path })).toThrow(
      new ConfigError(
        `${name}_FILE is ${shown}; it may be the path of a file with the value of ${name} (${reason}).`,
      ),
    );
  });

  test('a wrong value is named by its variable, beside other faults', () => {
    const env = { PORT: 'x', INITIAL_API_KEY_FILE: fileOf('too-short'), SMTP_URL_FILE: '/no' };
    expect(() => readConfig(env)).toThrow(
      /^SMTP_URL_FILE is .*\nPORT is .*\nINITIAL_API_KEY is a text of 9 characters; .*$/,
    );
  });

  test('commands read them, too', async () => {
    const env = { DATABASE_URL_FILE: fileOf(`file:${folder}/of-command.db\n`) };
    expect(await runCommand('migrate', env)).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(`${folder}/of-command.db`)).toBe(true);
  });
});

test.each(['BLOCKED_HOSTS', 'RESERVED_ALIASES'])('a missing file of %s stops the start', async (name) => {
  const refusal = await refusalOf({ [name]: '/nowhere/list', DATABASE_URL: 'file:/nowhere/x.db' });
  expect(refusal).toMatch(
    new RegExp(`^${name} is "/nowhere/list"; it must be the path of a readable file of .*: ENOENT.*\\.$`),
  );
});

test.each([
  ['BASE_ULR', 'BASE_URL'],
  ['BASEURL', 'BASE_URL'],
  ['RATE_LIMITS', 'RATE_LIMIT'],
  ['RATE_LIMT', 'RATE_LIMIT'],
  ['RATE_LIMID', 'RATE_LIMIT'],
  ['trust_proxy', 'TRUST_PROXY'],
  ['DATABASE_URL_FIEL', 'DATABASE_URL_FILE'],
  ['SMTPURL_FILE', 'SMTP_URL_FILE'],
])('reports %s as a misspelt %s', (name, meant) => {
  expect(misspelt({ [name]: 'x' })).toEqual([{ name, meant }]);
});

describe('where traces are sent', () => {
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:4318';

  test.each([
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'http/protobuf'],
    ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'http/json', 'http/protobuf'],
    ['OTEL_TRACES_EXPORTER', 'zipkin', 'otlp or none'],
    [
      'OTEL_TRACES_SAMPLER',
      'bogus',
      'always_on, always_off or traceidratio, also with parentbased_ before it',
    ],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5', 'a number from 0 to 1'],
    ['OTEL_BSP_MAX_QUEUE_SIZE', '-5', 'a whole number from 1 to 999999999'],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', '5s', 'a whole number from 1 to 999999999'],
    ['OTEL_SPAN_EVENT_COUNT_LIMIT', 'x', 'a whole number from 0 to 999999999'],
  ])('%s may not be %s', (name, value, allowed) => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT, [name]: value };
    expect(() => readConfig(env)).toThrow(`${name} is "${value}"; it may be ${allowed}.`);
    expect(() => readConfig({ [name]: value })).not.toThrow();
  });

  test.each([
    [{}, true],
    [{ OTEL_SDK_DISABLED: 'false', OTEL_TRACES_EXPORTER: 'otlp', OTEL_TRACES_SAMPLER_ARG: '0.1' }, true],
    [{ OTEL_SDK_DISABLED: 'True', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, false],
    [{ OTEL_TRACES_EXPORTER: 'none' }, false],
  ])('with %j: %j', (more, expected) => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT, ...more };
    expect([readConfig(env).tracesUrl, sendsTraces(env)]).toEqual([OTEL_EXPORTER_OTLP_ENDPOINT, expected]);
  });
});

test('ignores variables that are not those of the program', () => {
  const names = [
    'BASE_URL',
    'SMTP_URL_FILE',
    'PATH',
    'HOSTNAME',
    'PORTS',
    'BASE_URL_OLD',
    'LOG_FORMAT',
    'DATABASE',
  ];
  expect(misspelt(Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual([]);
});

test.runIf(existsSync('/proc/self'))('refuses at once a folder that cannot be created', () => {
  expect(() => makeFolder('/proc/nowhere/data')).toThrow(/^Cannot create the folder \/proc\/nowhere: ENOENT/);
});
