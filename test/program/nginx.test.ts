import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/postgres-server.ts';
import { Caller } from '../support/server.ts';
import { type StartedService, startService } from '../support/service.ts';
import { visit } from '../support/visit.ts';

const KEY = 'the-first-key-of-an-empty-database';
const isInstalled = spawnSync('nginx', ['-v']).status === 0;

describe.runIf(isInstalled)('behind nginx, configured as in the guide to operations', () => {
  let folder: string;
  let nginx: ChildProcess;
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
    const [, documented = ''] = /```nginx\n(.*?)```/s.exec(readFileSync('docs/operations.md', 'utf8')) ?? [];
    const server = documented
      .replace('server {', `server {\n  listen 127.0.0.1:${port};`)
      .replace('http://127.0.0.1:3000', service.origin);
    const configuration = `
      daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {}
      http { access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
        fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
        ${server} }`;
    writeFileSync(join(folder, 'nginx.conf'), configuration);
    nginx = spawn('nginx', ['-c', join(folder, 'nginx.conf'), '-p', folder], { stdio: 'inherit' });
    owner = new Caller(origin, KEY);
    const isUp = () =>
      fetch(`${origin}/livez`).then(
        () => true,
        () => false,
      );
    while (nginx.exitCode === null && !(await isUp())) await setTimeout(20);
  });
  afterAll(async () => {
    nginx.kill('SIGTERM');
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
