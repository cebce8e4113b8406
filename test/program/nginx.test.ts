import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blocksOf } from '../support/markdown.ts';
import { freePort } from '../support/postgres-server.ts';
import { Caller } from '../support/server.ts';
import { type StartedService, startService } from '../support/service.ts';
import { openAs, refusalAt } from '../support/sockets.ts';
import { visit } from '../support/visit.ts';

const run = promisify(execFile);

const KEY = 'the-first-key-of-an-empty-database';
const isInstalled = spawnSync('nginx', ['-v']).status === 0;

/** The configurations of the guide: for one process, and for several. */
const [forOne = '', forSeveral = ''] = blocksOf('docs/operations.md')
  .filter(({ language }) => language === 'nginx')
  .map(({ text }) => text);

/** A port that no test opens. */
const NOBODY = '127.0.0.1:1';

/** Starts nginx with a configuration of the guide, on a port; returns what stops it. */
async function startNginx(folder: string, port: number, documented: string): Promise<() => Promise<void>> {
  // Of root's nginx, the workers may write to none of these folders.
  const configuration = `
    daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {}
    http { access_log off; client_body_buffer_size 4m; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
      fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
      ${documented.replace('server_name', `listen 127.0.0.1:${port};\n  server_name`)} }`;
  writeFileSync(join(folder, 'nginx.conf'), configuration);
  const nginx = spawn('nginx', ['-c', join(folder, 'nginx.conf'), '-p', folder], { stdio: 'inherit' });
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}/livez`).then(
      () => true,
      () => false,
    );
  while (nginx.exitCode === null && !(await isUp())) await setTimeout(20);
  return async () => {
    nginx.kill('SIGTERM');
    if (nginx.exitCode === null) await once(nginx, 'close');
  };
}

/** The largest body of GraphQL, in bytes; the statuses of requests with one, and with one byte more. */
const MAX_BODY = 2 * 1024 * 1024;
async function statusesOfLargest(origin: string): Promise<(number | string | null)[]> {
  const answers = [MAX_BODY, MAX_BODY + 1].map(async (size) => {
    const query = '{ __typename }';
    const empty = JSON.stringify({ query, extensions: { pad: '' } }).length;
    const body = JSON.stringify({ query, extensions: { pad: 'x'.repeat(size - empty) } });
    const headers = { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json' };
    const answer = await fetch(`${origin}/graphql`, { method: 'POST', headers, body });
    await answer.text();
    return [answer.status, answer.headers.get('Content-Type')?.split(';')[0] ?? null];
  });
  return (await Promise.all(answers)).flat();
}
/** The service answers both itself. */
const OWN_ANSWERS = [200, 'application/json', 413, 'application/json'];

describe.runIf(isInstalled)('behind nginx, configured as in the guide to operations', () => {
  let folder: string;
  let stopNginx: () => Promise<void>;
  let service: StartedService;
  let port: number;
  let origin: string;
  let owner: Caller;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'linkspace-nginx-'));
    port = await freePort();
    origin = `http://127.0.0.1:${port}`;
    service = await startService({
      DATABASE_URL: `file:${join(folder, 'linkspace.db')}`,
      INITIAL_API_KEY: KEY,
      BASE_URL: `http://s.example:${port}`,
      TRUST_PROXY: 'loopback',
      DOMAIN_VERIFICATION: 'off',
    });
    stopNginx = await startNginx(folder, port, forOne.replace('http://127.0.0.1:3000', service.origin));
    owner = new Caller(origin, KEY);
  });
  afterAll(async () => {
    await stopNginx();
    await service.end();
    rmSync(folder, { recursive: true, force: true });
  });

  test('uses the requested host with its port, whatever headers the client sends', async () => {
    const domain = await owner.domain('go.example');
    await owner.link({ alias: 'who', url: 'https://example.com/default' });
    await owner.link({ alias: 'who', url: 'https://example.com/own', domain_id: domain });
    const at = async (headers: Record<string, string>) => (await visit(origin, '/who', { headers })).location;
    expect(await at({ Host: `s.example:${port}` })).toBe('https://example.com/default');
    expect(await at({ Host: `go.example:${port}` })).toBe('https://example.com/own');
    expect(await at({ Host: `s.example:${port}`, 'X-Forwarded-Host': 'go.example' })).toBe(
      'https://example.com/default',
    );
  });

  test('passes paths of aliases on as they are, percent-encoded or not', async () => {
    const at = `s.example:${port}`;
    const { body } = await owner.rest('GET', '/links?search_by=alias&search=who');
    expect(body).toMatchObject({ status: 200 });
    for (const alias of ['spring/sale', 'läden', '❤/🎉']) {
      const made = await owner.link({ alias, url: `https://example.com/${encodeURIComponent(alias)}` });
      const { pathname } = new URL(String(made.short_url));
      for (const path of [pathname, `${pathname}/`, pathname.replace('/', '//'), `${pathname}.`])
        expect((await visit(origin, path, { headers: { Host: at } })).location).toBe(made.url);
      expect((await visit(origin, `${pathname}+`, { headers: { Host: at } })).status).toBe(200);
      const curl = await run('curl', ['-si', '-H', `Host: ${at}`, `${origin}/${alias}`]);
      // Some versions of curl send letters as they are, and get them back percent-encoded.
      const [, location = curl.stdout] = /^location: (.*)\r$/im.exec(curl.stdout) ?? [];
      expect([made.url, pathname]).toContain(location);
    }
    expect((await visit(origin, '/spring%2Fsale', { headers: { Host: at } })).status).toBe(404);
  });

  test('writes page links with the requested host and scheme', async () => {
    const { body } = await visit(origin, '/api/v1/links?per_page=10', {
      headers: {
        Host: `s.example:${port}`,
        Authorization: `Bearer ${KEY}`,
        'X-Forwarded-Proto': 'javascript',
        'X-Forwarded-Host': 'evil.example',
      },
    });
    expect(JSON.parse(body).links.first).toBe(`http://s.example:${port}/api/v1/links?per_page=10&page=1`);
  });

  test('passes on all bodies that the service takes', async () => {
    expect(await statusesOfLargest(origin)).toEqual(OWN_ANSWERS);
  });

  test('passes WebSockets on, of pages of the requested host alone', async () => {
    const headers = { Host: `s.example:${port}` };
    const socket = await openAs(origin, KEY, { headers: { ...headers, Origin: `http://s.example:${port}` } });
    socket.ask('events', 'subscription { changes { kind } }');
    await expect
      .poll(async () => {
        await owner.space('S');
        return socket.about('events')[0]?.payload;
      })
      .toEqual({ data: { changes: { kind: 'SPACE' } } });
    const foreign = {
      headers: { ...headers, Origin: 'http://evil.example', 'X-Forwarded-Host': 'evil.example' },
    };
    expect((await refusalAt(origin, foreign)).status).toBe(403);
  });

  test('uses the address of the client, whatever headers it sends', async () => {
    const { alias } = await owner.link({ password: 'right' });
    const guess = (claimed: string) =>
      visit(origin, `/${alias}`, {
        form: { password: 'wrong' },
        headers: { Host: `s.example:${port}`, 'X-Forwarded-For': claimed },
      });
    for (let i = 0; i < 5; i++) expect((await guess(`192.0.2.${i}`)).status).toBe(401);
    expect((await guess('192.0.2.99')).status).toBe(429);
  });
});

test.runIf(isInstalled)(
  'before several processes, nginx sends visitors to theirs, and finds those that run',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'linkspace-nginx-'));
    const env = {
      DATABASE_URL: `file:${join(folder, 'linkspace.db')}`,
      INITIAL_API_KEY: KEY,
      BASE_URL: 'http://s.example',
    };
    const everything = await startService(env);
    const visitors = await startService({ ...env, ROLE: 'redirects' });
    const port = await freePort();
    const hosts = [everything, undefined, undefined, visitors].map((one) =>
      one ? new URL(one.origin).host : NOBODY,
    );
    const configuration = forSeveral.replace(/127\.0\.0\.1:300([0-3])/g, (_, number) => hosts[number] ?? '');
    const stop = await startNginx(folder, port, configuration);
    try {
      const owner = new Caller(`http://127.0.0.1:${port}`, KEY);
      await owner.link({ alias: 'docs-of-us' });
      const paths = [
        '/docs',
        '/openapi.json',
        '/schema.graphql',
        '/console/',
        '/',
        '/docs-of-us',
        '/docs-of-us+',
      ];
      for (const path of [...paths, ...paths])
        expect([path, (await visit(`http://127.0.0.1:${port}`, path)).status]).toEqual([
          path,
          path === '/docs-of-us' ? 302 : 200,
        ]);
      expect(await statusesOfLargest(`http://127.0.0.1:${port}`)).toEqual(OWN_ANSWERS);
      const socket = await openAs(`http://127.0.0.1:${port}`, KEY);
      expect(socket.messages).toEqual([{ type: 'connection_ack' }]);
      const answered = visitors.log.filter(({ msg }) => msg === 'request').map(({ path }) => path);
      expect(new Set(answered)).toEqual(new Set(['/livez', '/docs-of-us', '/docs-of-us+']));
    } finally {
      await stop();
      await visitors.end();
      await everything.end();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
