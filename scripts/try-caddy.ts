// npm run try-caddy: starts the service behind a real Caddy with deploy/container/Caddyfile, and checks certificates and
// forwarded headers. Certificates come from Caddy's own authority instead of a public one. Needs Debian's package caddy.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { Caller } from '../src/testing/caller.ts';
import { runCommand } from '../test/support/command.ts';
import { freePort } from '../test/support/postgres-server.ts';
import { startService } from '../test/support/service.ts';
import { BROWSER } from '../test/support/visit.ts';

const { status, stdout: version } = spawnSync('caddy', ['version'], { encoding: 'utf8' });
if (status !== 0) {
  console.error('There is no Caddy: install it, on Debian by apt-get install caddy.');
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), 'linkspace-caddy-'));
const [http, https, metrics, nobody] = [
  await freePort(),
  await freePort(),
  await freePort(),
  await freePort(),
];
const env = {
  DATABASE_URL: `file:${join(folder, 'linkspace.db')}`,
  BASE_URL: `https://s.example:${https}`,
  TRUST_PROXY: 'loopback',
  INITIAL_API_KEY: 'the-first-key-of-an-empty-database',
  METRICS_PORT: String(metrics),
};
const service = await startService(env);
const owner = new Caller(service.origin, env.INITIAL_API_KEY);

/** Caddy with the documented configuration: only its ports, its authority and its folder are ours. */
const documented = readFileSync('deploy/container/Caddyfile', 'utf8');
const configuration = join(folder, 'Caddyfile');
const own = `admin off\n  local_certs\n  skip_install_trust\n  http_port ${http}\n  https_port ${https}`;
writeFileSync(configuration, documented.replace('{\n', `{\n  ${own}\n`));
// Of two processes, one is down all the time.
const upstreams = `127.0.0.1:${nobody} ${new URL(service.origin).host}`;
const caddy = spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', configuration], {
  env: { PATH: process.env.PATH, HOME: folder, LINKSPACE: upstreams },
  stdio: ['ignore', 'ignore', 'pipe'],
});
let log = '';
caddy.stderr.setEncoding('utf8').on('data', (text) => {
  log += text;
});
const data = join(folder, '.local/share/caddy');
const certificates = () => readdirSync(join(data, 'certificates/local')).sort();

interface Sent {
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** The answer to a request over TLS; the certificate must be of Caddy's authority, for this host. */
async function askCaddy(host: string, { path = '/', headers, body }: Sent = {}) {
  const sent = request({
    ...{ host: '127.0.0.1', port: https, servername: host, path, agent: false },
    ca: readFileSync(join(data, 'pki/authorities/local/root.crt')),
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      Host: `${host}:${https}`,
      'User-Agent': BROWSER,
      ...(body !== undefined && { 'Content-Type': 'application/x-www-form-urlencoded' }),
      ...headers,
    },
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode, location: response.headers.location, body: text };
}

/** Caddy's alert in place of a certificate. */
const NO_CERTIFICATE = /alert internal error/;

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const started = performance.now();
  while (!(await holds())) {
    if (performance.now() - started > 30_000) throw new Error(`It never came: ${what}.`);
    await setTimeout(50);
  }
}

async function check(what: string, work: () => Promise<unknown>): Promise<void> {
  const started = performance.now();
  await work();
  console.log(`ok  ${what} (${Math.round(performance.now() - started)} ms)`);
}

try {
  await until('Caddy', () => {
    if (caddy.exitCode !== null) throw new Error(`Caddy ended with exit code ${caddy.exitCode}.`);
    return log.includes('serving initial configuration');
  });
  console.log(`Caddy ${version.trim()}`);
  const domain = await owner.domain('go.example');
  await owner.link({ alias: 'who', url: 'https://example.com/default' });
  await owner.link({ alias: 'who', url: 'https://example.com/own', domain_id: domain });

  await check('the host of BASE_URL gets a certificate, and is served', async () => {
    assert.equal((await askCaddy('s.example', { path: '/who' })).location, 'https://example.com/default');
  });
  await check('aliases with letters, emoji and slashes are passed on', async () => {
    for (const alias of ['spring/sale', 'l\u00e4den', '\u2764/\u{1f389}']) {
      const { url, short_url: address } = await owner.link({ alias, url: 'https://example.com/alias' });
      const { pathname } = new URL(String(address));
      for (const path of [pathname, `${pathname}/`, `${pathname}.`])
        assert.equal((await askCaddy('s.example', { path })).location, url);
    }
    assert.equal((await askCaddy('s.example', { path: '/spring%2Fsale' })).status, 404);
  });
  await check('while one of two processes is down, every request is answered', async () => {
    for (let i = 0; i < 50; i++) assert.equal((await askCaddy('s.example', { path: '/who' })).status, 302);
  });
  await check('HTTP leads to HTTPS', async () => {
    const sent = httpRequest({ host: '127.0.0.1', port: http, path: '/who', headers: { Host: 's.example' } });
    const [answer] = (await once(sent.end(), 'response')) as [IncomingMessage];
    assert.deepEqual([answer.statusCode, answer.headers.location], [308, 'https://s.example/who']);
  });
  await check('unknown and unverified hosts get no certificate', async () => {
    await assert.rejects(askCaddy('unknown.example'), NO_CERTIFICATE);
    await assert.rejects(askCaddy('go.example'), NO_CERTIFICATE);
    assert.deepEqual(certificates(), ['s.example']);
  });
  await check('a host that has been verified is served at once', async () => {
    const { code, stderr } = await runCommand('domains', env, ['verify', 'go.example']);
    assert.equal(code, 0, stderr);
    await until('a certificate', () =>
      askCaddy('go.example', { path: '/who' }).then(
        ({ location }) => location === 'https://example.com/own',
        ({ message }) => assert.match(message, NO_CERTIFICATE) ?? false,
      ),
    );
    assert.deepEqual(certificates(), ['go.example', 's.example']);
  });
  await check('the host is that of the request, whatever headers the client sends', async () => {
    const headers = { 'X-Forwarded-Host': 'go.example', Forwarded: 'host=go.example' };
    const { location } = await askCaddy('s.example', { path: '/who', headers });
    assert.equal(location, 'https://example.com/default');
  });
  await check('WebSockets are passed on, for pages of the host alone', async () => {
    const open = (origin: string) =>
      new WebSocket(`wss://127.0.0.1:${https}/graphql`, 'graphql-transport-ws', {
        ...{ origin, servername: 's.example', headers: { Host: `s.example:${https}` } },
        ca: readFileSync(join(data, 'pki/authorities/local/root.crt')),
      });
    const socket = open(`https://s.example:${https}`);
    await once(socket, 'open');
    const authorization = `Bearer ${env.INITIAL_API_KEY}`;
    socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization } }));
    const [message] = await once(socket, 'message');
    assert.equal(String(message), '{"type":"connection_ack"}');
    socket.terminate();
    const foreign = open('https://evil.example');
    foreign.on('error', () => {});
    const [, { statusCode }] = (await once(foreign, 'unexpected-response')) as [unknown, IncomingMessage];
    assert.equal(statusCode, 403);
    foreign.terminate();
  });
  await check('links of pages have the scheme and the host of the request', async () => {
    const headers = {
      Authorization: `Bearer ${env.INITIAL_API_KEY}`,
      'X-Forwarded-Proto': 'javascript',
      'X-Forwarded-Host': 'evil.example',
    };
    const { body } = await askCaddy('s.example', { path: '/api/v1/links?per_page=10', headers });
    const first = `https://s.example:${https}/api/v1/links?per_page=10&page=1`;
    assert.equal(JSON.parse(body).links.first, first);
  });
  await check('the address is that of the client, whatever headers it sends', async () => {
    const { alias } = await owner.link({ password: 'right' });
    const guess = async (claimed: string) =>
      (
        await askCaddy('s.example', {
          path: `/${alias}`,
          body: 'password=wrong',
          headers: { 'X-Forwarded-For': claimed },
        })
      ).status;
    for (let i = 0; i < 5; i++) assert.equal(await guess(`192.0.2.${i}`), 401);
    assert.equal(await guess('192.0.2.99'), 429);
  });
  await check('the metrics port answers as well, for a proxy that asks it', async () => {
    const askStatus = async (host: string) =>
      (await fetch(`http://127.0.0.1:${metrics}/tls/ask?domain=${host}`)).status;
    assert.deepEqual([await askStatus('go.example'), await askStatus('unknown.example')], [200, 404]);
  });
} catch (error) {
  console.error(log);
  throw error;
} finally {
  caddy.kill('SIGTERM');
  if (caddy.exitCode === null) await once(caddy, 'close');
  await service.end();
  rmSync(folder, { recursive: true, force: true });
}
