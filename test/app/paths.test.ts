import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Metrics } from '../../src/app/service/metrics.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

const APP = 'https://app.example';

const metrics = new Metrics();
let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer({ metrics, corsOrigins: [APP], rateLimit: 10_000 });
  owner = await server.caller();
});
afterAll(() => server.stop());

/** Requests per surface so far. */
async function counted(): Promise<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const [, surface = '', count] of (await metrics.text()).matchAll(
    /^linkspace_request_duration_seconds_count\{surface="(\w+)".*\} (\d+)$/gm,
  ))
    sums[surface] = (sums[surface] ?? 0) + Number(count);
  return sums;
}

/** Sends a target literally, and returns the answer with the surface that it is counted as. */
async function ask(target: string, headers: Record<string, string> = {}, method = 'GET') {
  const before = await counted();
  const answer = await visit(server.origin, target, {
    method,
    headers: { Authorization: `Bearer ${owner.key}`, ...headers },
  });
  const surfaceNow = async () => {
    const after = await counted();
    return Object.keys(after).filter((surface) => after[surface] !== before[surface]);
  };
  await expect.poll(surfaceNow).toHaveLength(1);
  const [surface] = await surfaceNow();
  const type = answer.headers['content-type']?.split(';')[0];
  return { ...answer, type, surface };
}

describe('the surface of a path', () => {
  test.each([
    ['/', 'other', 200, 'text/html'],
    ['/docs', 'other', 200, 'text/html'],
    ['/DOCS/', 'other', 200, 'text/html'],
    ['/console', 'other', 200, 'text/html'],
    ['/Console/links', 'other', 200, 'text/html'],
    ['/openapi.json', 'other', 200, 'application/json'],
    ['/OpenAPI.json/', 'other', 200, 'application/json'],
    ['/Schema.graphql', 'other', 200, 'text/plain'],
    ['/favicon.ICO', 'other', 200, 'image/svg+xml'],
    ['/inter.woff2?x', 'other', 200, 'font/woff2'],
    ['/Robots.txt', 'other', 200, 'text/plain'],
    ['/LIVEZ', 'other', 200, 'application/json'],
    ['/graphql?query={__typename}', 'graphql', 200, 'application/json'],
    ['/GraphQL?query={__typename}', 'graphql', 200, 'application/json'],
    ['/GRAPHQL/?query={__typename}', 'graphql', 200, 'application/json'],
    ['/graphql/x', 'other', 404, 'application/json'],
    ['/graphqlx', 'visit', 404, 'text/html'],
    ['/api/v1', 'v1', 404, 'application/json'],
    ['/API/v1/', 'v1', 404, 'application/json'],
    ['/api/v1?x', 'v1', 404, 'application/json'],
    ['/api/v1/links', 'v1', 200, 'application/json'],
    ['/api/v1/links/', 'v1', 200, 'application/json'],
    ['//Api/V1/links', 'v1', 200, 'application/json'],
    ['/api/v1/links#x', 'v1', 200, 'application/json'],
    ['/API/v1/links/%ff', 'v1', 404, 'application/json'],
    ['http://s.example/API/v1/links', 'v1', 200, 'application/json'],
    ['/api', 'other', 404, 'application/json'],
    ['/api//v1/links', 'other', 404, 'application/json'],
    ['/api/v1x', 'other', 404, 'application/json'],
    ['/api/v10/links', 'other', 404, 'application/json'],
    ['/api/v1%2flinks', 'other', 404, 'application/json'],
    ['/%61pi/v1/links', 'visit', 404, 'text/html'],
    ['/auth/session', 'other', 401, 'application/json'],
    ['/AUTH/session', 'visit', 404, 'text/html'],
    ['/auth/', 'visit', 404, 'text/html'],
    ['/auth', 'visit', 404, 'text/html'],
    ['/unknown', 'visit', 404, 'text/html'],
  ])('%s is %s', async (target, surface, status, type) => {
    const answer = await ask(target);
    expect([answer.surface, answer.status, answer.type]).toEqual([surface, status, type]);
  });
});

test.each(['/API/v1', '/Api/V1', '//api/v1'])('%s is v1 in every respect', async (base) => {
  const id = await owner.space('A space');
  const comparable = async (path: string, headers = {}, method = 'GET') => {
    const answer = await ask(path, headers, method);
    const {
      date: _,
      'x-request-id': __,
      'x-ratelimit-remaining': left,
      'x-ratelimit-reset': ___,
      ...rest
    } = answer.headers;
    return {
      status: answer.status,
      surface: answer.surface,
      body: answer.body,
      headers: rest,
      limited: left !== undefined,
    };
  };
  for (const [path, headers, method] of [
    [`/spaces/${id}`, {}],
    ['/spaces/0', {}],
    ['/spaces', { Authorization: 'Bearer wrong' }],
    ['/nothing', { Origin: APP }],
    [`/spaces/${id}`, { Origin: APP, 'Access-Control-Request-Method': 'PATCH' }, 'OPTIONS'],
    ['/spaces/%ff', {}],
    [`/spaces/${id}/`, {}, 'HEAD'],
  ] as const)
    expect(await comparable(base + path, headers, method)).toEqual(
      await comparable(`/api/v1${path}`, headers, method),
    );
  const deleted = await ask(`${base}/spaces/${id}`, { 'Idempotency-Key': base }, 'DELETE');
  const again = await ask(`/api/v1/spaces/${id}`, { 'Idempotency-Key': base }, 'DELETE');
  expect([again.body, again.headers['idempotency-replayed']]).toEqual([deleted.body, 'true']);
  await expect
    .poll(() => server.log.find(({ requestId }) => requestId === deleted.headers['x-request-id']))
    .toMatchObject({ operation: 'DELETE /spaces/:id', status: 200 });
});

describe('a path that cannot be decoded', () => {
  test.each([
    '/docs/assets/%ff',
    '/DOCS/assets/%',
    '/docs/assets/%c3%28',
    '/console/assets/%ff',
    '/console/assets/%e0%80%80',
    'http://s.example/docs/assets/%ff',
  ])('is answered like one where nothing is: %s', async (target) => {
    for (const method of ['GET', 'POST', 'OPTIONS', 'HEAD', 'PROPFIND']) {
      const lines = server.log.length;
      const { status, headers, body } = await ask(target, {}, method);
      const expected = method === 'HEAD' ? '' : '{"message":"Nothing is here.","status":404}';
      expect([status, headers['content-type'], body]).toEqual([
        404,
        'application/json; charset=utf-8',
        expected,
      ]);
      await expect
        .poll(() => server.log.slice(lines).map(({ msg, status: logged }) => [msg, logged]))
        .toEqual([['request', 404]]);
    }
    const page = await ask(target, { Accept: 'text/html,*/*;q=0.8' });
    expect((await ask(target)).headers['cache-control']).toBe('private, no-store');
    expect([page.status, page.type]).toEqual([404, 'text/html']);
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'/);
    expect(page.body).toContain('<h1>');
    expect(page.body).not.toMatch(/URIError|node_modules|<pre>/);
  });

  test.each([
    ['/api/v1/links/%ff', 404, '{"message":"Resource not found.","status":404}'],
    ['/api/v1/%ff', 404, '{"message":"Resource not found.","status":404}'],
    ['/graphql/%ff', 404, '{"message":"Nothing is here.","status":404}'],
    ['/schema.graphql/%ff', 404, '{"message":"Nothing is here.","status":404}'],
    ['/docs/%ff', 404, '{"message":"Nothing is here.","status":404}'],
  ])('has the form of its surface: %s', async (target, status, body) => {
    const answer = await ask(target);
    expect([answer.status, answer.body]).toEqual([status, body]);
  });

  test.each(['/%ff', '/%00', '/a%00b', '/%', '/..', '/.', '/a/../docs'])(
    'is an unknown link: %s',
    async (target) => {
      const { status, surface, body } = await ask(target);
      expect([status, surface]).toEqual([404, 'visit']);
      expect(body).not.toMatch(/Error|node_modules/);
    },
  );
});

test.each([
  '*',
  'ftp://s.example/docs',
  'foo:bar',
  'http:docs',
  'http:///docs',
  'javascript:a//[',
  'urn:%ff',
  'foo',
  '?x',
])('a target without a path is refused in one line of the log: %s', async (target) => {
  const { hostname, port } = new URL(server.origin);
  const lines = server.log.length;
  for (const method of target === '*' ? ['GET', 'POST'] : ['GET', 'OPTIONS']) {
    const socket = connect(Number(port), hostname).setEncoding('latin1');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.write(`${method} ${target} HTTP/1.1\r\nHost: s.example\r\nConnection: close\r\n\r\n`);
    await once(socket, 'close');
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).not.toMatch(/node_modules|<pre>/);
  }
  await expect.poll(() => server.log.length).toBe(lines + 2);
});

test.each<[string, Record<string, string>]>([
  ['a range', { Range: 'bytes=99999999-' }],
  ['a precondition', { 'If-Match': '"x"' }],
  ['an unreadable date', { 'If-Modified-Since': '%ff' }],
])('%s does not matter for pages', async (_what, headers) => {
  for (const target of ['/docs', '/openapi.json', '/favicon.ico', '/docs/assets/nothing.js']) {
    const { status, body } = await ask(target, headers);
    expect(status).toBe(target.includes('nothing') ? 404 : 200);
    expect(body).not.toMatch(/node_modules|<pre>/);
  }
});
