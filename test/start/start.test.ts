import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, rename } from 'node:fs/promises';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, expect, inject, test } from 'vitest';
import { ConfigError } from '../../src/engine/tools/operator-error.ts';
import { runCommand } from '../support/command.ts';
import { newDatabase } from '../support/database.ts';
import { freePort } from '../support/postgres-server.ts';
import { type Program, startProgram } from '../support/process.ts';
import { Caller, startTestServer } from '../support/server.ts';
import { startService } from '../support/service.ts';
import { visit } from '../support/visit.ts';

const running: { end(signal: 'SIGKILL'): Promise<unknown> }[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((program) => program.end('SIGKILL')));
});

/** Starts the service in this process. */
async function start(env: Record<string, string>) {
  const service = await startService(env);
  running.push(service);
  return service;
}

/** Starts it as a process of its own. */
async function startProcess(env: Record<string, string>, command?: [string, ...string[]]) {
  const program = await startProgram(env, command);
  running.push(program);
  return program;
}

const emptyDatabase = () => newDatabase({ migrated: false });

test('the first start prints a key once, with commands to paste, and later starts print none', async () => {
  const DATABASE_URL = await emptyDatabase();
  const first = await start({ DATABASE_URL });
  await expect.poll(() => first.stdout).toContain('/graphql\n');
  const keys = new Set(first.stdout.match(/ls_[\w-]{43}/g));
  expect(keys.size).toBe(1);
  // After the log lines, so that nobody has to look for it.
  expect(first.stdout).toMatch(/"msg":"migrations applied"\}\n(.*\n)*.*ls_/);
  const answers = [];
  for (const [command] of first.stdout.matchAll(/^ {2}curl .*$/gm)) {
    const { stdout } = await promisify(execFile)('sh', ['-c', command.replace('curl', 'curl -s')]);
    answers.push(JSON.parse(stdout));
  }
  expect(answers).toMatchObject([
    { data: { name: 'Launch', color: 3 }, status: 201 },
    {
      data: {
        title: 'Example',
        domain: { name: new URL(first.origin).host.replace('127.0.0.1', 'localhost') },
      },
    },
    { meta: { total: 1 }, status: 200 },
    { data: { viewer: { account: { name: 'default' } }, links: { totalCount: 1 } } },
  ]);
  const pages = Array.from(first.stdout.matchAll(/^ {2}(http\S+) {2}/gm), ([, page = '']) => page);
  expect(pages.map((page) => new URL(page).pathname)).toEqual([
    '/console',
    '/graphql',
    '/docs/guides',
    '/docs',
    '/first+',
  ]);
  for (const page of pages)
    expect((await fetch(page, { headers: { Accept: 'text/html' } })).status).toBe(200);
  await first.end();
  const second = await start({ DATABASE_URL });
  expect(second.stdout).not.toContain('ls_');
  const [key] = keys;
  const answer = await fetch(`${second.origin}/api/v1/spaces`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  expect(await answer.json()).toMatchObject({ meta: { total: 1 } });
  expect(`${JSON.stringify(second.log)}${JSON.stringify(first.log)}`).not.toContain(key);
});

test('says what pixels cannot do on hosts that accounts share, once there are pixels', async () => {
  const url = await newDatabase();
  const server = await startTestServer({ url });
  const owner = await server.caller();
  await server.stop();
  const note = 'set no cookies';
  const before = await start({ DATABASE_URL: url });
  await new Caller(before.origin, owner.key).pixel();
  const { stdout } = before;
  await before.end();
  const after = await start({ DATABASE_URL: url });
  await after.end();
  const apart = await start({ DATABASE_URL: url, CONSOLE_URL: 'http://console.example' });
  expect([stdout, after.stdout, apart.stdout].map((text) => text.includes(note))).toEqual([
    false,
    true,
    true,
  ]);
});

test('accepts the first key that was set', async () => {
  const INITIAL_API_KEY = 'k'.repeat(32);
  const program = await start({ DATABASE_URL: await emptyDatabase(), INITIAL_API_KEY });
  const headers = { Authorization: `Bearer ${INITIAL_API_KEY}` };
  expect((await fetch(`${program.origin}/api/v1/spaces`, { headers })).status).toBe(200);
  await expect.poll(() => program.stdout).toContain('/graphql\n');
  expect(program.stdout).not.toContain(INITIAL_API_KEY);
  expect(program.stdout).toContain('-H "Authorization: Bearer $KEY"');
});

test('opens the port only when it is ready: answers every connection', async () => {
  const DATABASE_URL = await emptyDatabase();
  const port = await freePort();
  const starting = start({ DATABASE_URL, PORT: String(port) });
  const outcomes = new Map<string, number>();
  let going = true;
  const probe = async () => {
    while (going) {
      const outcome = await fetch(`http://127.0.0.1:${port}/livez`, {
        signal: AbortSignal.timeout(60_000),
      }).then(
        ({ status }) => String(status),
        (error: Error) => (error.name === 'TimeoutError' ? 'no answer' : 'not open'),
      );
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      await setTimeout(1);
    }
  };
  const probes = Promise.all([probe(), probe(), probe()]);
  await starting;
  await expect.poll(() => outcomes.has('200')).toBe(true);
  going = false;
  await probes;
  expect([...outcomes.keys()].sort()).toEqual(['200', 'not open']);
});

test('a failed start does not change the default domain of the running service', async () => {
  const DATABASE_URL = await emptyDatabase();
  const [PORT, METRICS_PORT] = [String(await freePort()), String(await freePort())];
  const first = { DATABASE_URL, PORT, METRICS_PORT, BASE_URL: 'https://s.example' };
  await start({ ...first, NOT_FOUND_URL: 'https://example.com/lost' });
  const wrong: Record<string, string>[] = [
    { PORT },
    { PORT: '0', METRICS_PORT },
    { PORT: '0', HOST: '203.0.113.7' },
  ];
  for (const env of wrong)
    await expect(startService({ DATABASE_URL, BASE_URL: 'https://evil.example', ...env })).rejects.toThrow(
      ConfigError,
    );
  const { stdout } = await runCommand('domains', { DATABASE_URL }, ['list', '--json']);
  expect(JSON.parse(stdout)).toMatchObject([{ host: 's.example' }]);
  expect(await visit(`http://127.0.0.1:${PORT}`, '/nowhere')).toMatchObject({
    location: 'https://example.com/lost',
  });
});

test('a base URL whose host belongs to an account stops the start until the operator removes the domain', async () => {
  const DATABASE_URL = await newDatabase();
  const server = await startTestServer({ url: DATABASE_URL });
  const holder = await server.caller('holder');
  await holder.link({ domain_id: await holder.domain('go.example:8080') });
  await server.stop();
  const BASE_URL = 'https://go.example';
  await expect(startService({ DATABASE_URL, BASE_URL })).rejects.toThrow(
    new ConfigError(
      'BASE_URL is "https://go.example", but the account "holder" has that host as a domain: use another URL, or remove the domain from the account: npm run domains -- remove go.example:8080',
    ),
  );
  const domains = (...args: string[]) => runCommand('domains', { DATABASE_URL }, args);
  expect((await domains('list')).stdout).toMatch(
    /^ID {2}HOST +ACCOUNT +VERIFIED {2}LINKS\n1 +s.example +\(shared\) +yes +0\n2 +go.example:8080 +holder +yes +1\n$/,
  );
  expect((await domains('remove', 'go.example:8080')).stderr).toBe(
    'The domain go.example:8080 has 1 link: use --with-links to remove it too.\n',
  );
  expect((await domains('remove', 'go.example:8080', '--with-links')).stdout).toBe(
    'go.example:8080 is removed, with its link.\n',
  );
  expect((await domains('remove', 'go.example:8080')).stderr).toBe('No such domain.\n');
  expect((await domains('remove', 's.example.', '--with-links')).stderr).toBe(
    'The domain s.example is the service’s own, from BASE_URL: it can be renamed, but not removed.\n',
  );
  expect((await start({ DATABASE_URL, BASE_URL })).origin).toBeDefined();
});

test('links work under the new and the old host after a change of the base URL, and NOT_FOUND_URL applies', async () => {
  const DATABASE_URL = await emptyDatabase();
  const INITIAL_API_KEY = 'k'.repeat(32);
  const first = await start({ DATABASE_URL, INITIAL_API_KEY });
  const { id, alias, domain_id } = await new Caller(first.origin, INITIAL_API_KEY).link();
  const old = new URL(first.origin).host.replace('127.0.0.1', 'localhost');
  await first.end();
  const env = { DATABASE_URL, BASE_URL: 'https://s.example' };
  const second = await start({ ...env, NOT_FOUND_URL: 'https://example.com/lost' });
  const unknown = (origin: string) => visit(origin, '/nowhere');
  expect(await unknown(second.origin)).toMatchObject({ status: 302, location: 'https://example.com/lost' });
  const renamed = second.log.filter(({ from }) => from !== undefined);
  expect(renamed).toMatchObject([{ from: old, to: 's.example', links: 1 }]);
  const { body } = await new Caller(second.origin, INITIAL_API_KEY).rest('GET', `/links/${id}`);
  expect(body).toMatchObject({
    data: { domain_id, domain: { name: 's.example' }, short_url: `https://s.example/${alias}` },
  });
  for (const Host of ['s.example', old])
    expect((await visit(second.origin, `/${alias}`, { headers: { Host } })).status).toBe(302);
  await second.end();
  const again = await start(env);
  expect(await unknown(again.origin)).toMatchObject({ status: 404 });
  expect(again.log.filter(({ from }) => from !== undefined)).toEqual([]);
  const { stdout } = await runCommand('domains', { DATABASE_URL }, ['list', '--json']);
  expect(JSON.parse(stdout)).toMatchObject([{ host: 's.example', account: null, links: 1 }]);
});

test('SIGTERM finishes requests in flight, and exits with 0', async () => {
  const program = await startProcess({ DATABASE_URL: await newDatabase(), INITIAL_API_KEY: 'k'.repeat(32) });
  const headers = { Authorization: `Bearer ${'k'.repeat(32)}` };
  const inFlight = Array.from({ length: 20 }, (_, index) =>
    fetch(`${program.origin}/api/v1/spaces`, {
      method: 'POST',
      headers,
      body: new URLSearchParams({ name: `S${index}` }),
    }),
  );
  await Promise.race(inFlight);
  const { code } = await program.end('SIGTERM');
  const answers = await Promise.allSettled(inFlight);
  const refused = answers.filter((answer) => answer.status === 'rejected');
  expect(code).toBe(0);
  // Connections that were not accepted may be refused; all answers are complete.
  expect(answers.length - refused.length).toBeGreaterThan(0);
  for (const answer of answers) if (answer.status === 'fulfilled') expect(answer.value.status).toBe(201);
});

/** A connection that has sent the text, and everything that it receives until the server ends it. */
async function connection(origin: string, text: string) {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.setEncoding('utf8').write(text);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  const ended = once(socket, 'close').then(() => received);
  return { send: (more: string) => socket.write(more), received: () => received, ended };
}

// A client that stands still for half a second loses its connection.
test('a stop answers requests in flight and those pipelined, and one more on a connection in use, and ends idle connections', {
  retry: 2,
}, async () => {
  const program = await start({ DATABASE_URL: await newDatabase(), INITIAL_API_KEY: 'k'.repeat(32) });
  const head = `POST /api/v1/spaces HTTP/1.1\r\nHost: s.example\r\nAuthorization: Bearer ${'k'.repeat(32)}\r\n`;
  const form = (name: string) =>
    `${head}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 6\r\n\r\nname=${name}`;
  const live = 'GET /livez HTTP/1.1\r\nHost: s.example\r\n\r\n';
  const open = (text: string) => connection(program.origin, text);
  const [silent, half, later] = [await open(''), await open(head), await open(live + head)];
  const [inFlight, followed] = [await open(form('')), await open(form(''))];
  // The one before it is accepted by then.
  const used = await open(live);
  for (const one of [later, used]) await expect.poll(one.received).toContain('HTTP/1.1 200');
  const stopping = program.stop();
  used.send(live);
  const again = await used.ended;
  expect(again.match(/HTTP\/1.1 200/g)).toHaveLength(2);
  // Else the client might send its next request on a connection that ends.
  expect(again).toContain('Connection: close');
  await Promise.all([silent.ended, half.ended, later.ended]);
  inFlight.send('x');
  followed.send(`A${form('B')}${form('C')}`);
  expect(await inFlight.ended).toMatch(/HTTP\/1.1 201[\s\S]*Connection: close/);
  const answers = await followed.ended;
  expect(answers.match(/HTTP\/1.1 201/g)).toHaveLength(3);
  expect(answers.match(/Connection: close/g)).toHaveLength(1);
  await stopping;
});

// A client that stands still for half a second loses its connection.
test('a process that stops is not ready', { retry: 2 }, async () => {
  const program = await start({ DATABASE_URL: await newDatabase(), INITIAL_API_KEY: 'k'.repeat(32) });
  const ready = 'GET /readyz HTTP/1.1\r\nHost: s.example\r\n\r\n';
  const used = await connection(program.origin, ready);
  await expect.poll(used.received).toContain('HTTP/1.1 200');
  const stopping = program.stop();
  used.send(ready);
  expect(await used.ended).toContain('HTTP/1.1 503');
  await stopping;
});

test.runIf(inject('database').provider === 'sqlite').each(['all', 'redirects'])(
  'ROLE=%s is not ready when SQLite’s file was moved away or replaced',
  async (role) => {
    const DATABASE_URL = await newDatabase();
    const path = DATABASE_URL.replace(/^file:/, '');
    await (await start({ DATABASE_URL })).stop();
    const program = await start({ DATABASE_URL, ROLE: role });
    const status = async () => (await fetch(`${program.origin}/readyz`)).status;
    expect(await status()).toBe(200);
    await rename(path, `${path}.away`);
    expect(await status()).toBe(503);
    await copyFile(`${path}.away`, path);
    expect(await status()).toBe(503);
    await rename(`${path}.away`, path);
    expect(await status()).toBe(200);
    await program.stop();
  },
);

test('a first start serves and ends by SIGTERM even if nobody reads its output', async () => {
  const port = await freePort();
  const child = spawn(process.execPath, ['dist/main.js'], {
    env: { DATABASE_URL: await emptyDatabase(), PORT: String(port), HOST: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.destroy();
  const ended = once(child, 'exit');
  const status = () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      (answer) => answer.status,
      () => 0,
    );
  await expect.poll(status).toBe(200);
  child.kill('SIGTERM');
  await ended;
});

test.each([
  ['has gone', ({ child }: Program) => child.stdout?.destroy()],
  ['hangs', ({ child }: Program) => child.stdout?.pause()],
])('SIGTERM ends a server when the reader of its log %s', async (_what, leave) => {
  const program = await startProcess({ DATABASE_URL: await newDatabase() });
  leave(program);
  // More than the system buffers for a reader.
  const visits = Array.from({ length: 500 }, () => fetch(`${program.origin}/${'x'.repeat(600)}`));
  await Promise.all(visits.map(async (visit) => (await visit).arrayBuffer()));
  const ended = once(program.child, 'exit');
  program.child.kill('SIGTERM');
  await ended;
});

test('SIGTERM to npm start reaches the server, and npm exits with 0', async () => {
  const program = await startProcess({ DATABASE_URL: await newDatabase() }, ['npm', 'start']);
  expect((await program.end('SIGTERM')).code).toBe(0);
  await expect(fetch(`${program.origin}/livez`)).rejects.toThrow();
});
