import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cpuTimeOf } from '../support/cpu-time.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
});
afterAll(() => server.stop());

const FORM = 'application/x-www-form-urlencoded';

async function post(contentType: string | undefined, body: BodyInit, headers: Record<string, string> = {}) {
  const given: Record<string, string> = contentType === undefined ? {} : { 'Content-Type': contentType };
  const response = await owner.fetch('/api/v1/spaces', {
    method: 'POST',
    headers: { ...given, ...headers },
    body,
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

test('answers compact JSON in UTF-8, with a request id that is also in the log', async () => {
  const response = await owner.fetch('/api/v1/spaces/999999');
  expect(response.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
  expect(await response.text()).toBe('{"message":"Resource not found.","status":404}');
  const requestId = response.headers.get('X-Request-Id');
  await expect
    .poll(() => server.log)
    .toContainEqual(
      expect.objectContaining({ requestId, method: 'GET', path: '/api/v1/spaces/999999', status: 404 }),
    );
  expect(JSON.stringify(server.log)).not.toContain(owner.key);
});

describe('returns 401 before any other check', () => {
  test.each([
    ['no header', {}],
    ['another scheme', { Authorization: 'Basic eDp5' }],
    ['a scheme without a key', { Authorization: 'Bearer' }],
    ['two words for a key', { Authorization: 'Bearer a b' }],
    ['an unknown key', { Authorization: `Bearer ls_${'x'.repeat(43)}` }],
    ['a page asked for', { Accept: 'text/html' }],
  ])('%s', async (_what, headers) => {
    for (const path of ['/spaces', '/spaces/1', '/nothing', '']) {
      const response = await fetch(`${server.origin}/api/v1${path}`, {
        method: 'PATCH',
        headers: { ...headers },
      });
      expect([response.status, await response.text(), response.headers.get('WWW-Authenticate')]).toEqual([
        401,
        '{"message":"Unauthenticated.","status":401}',
        'Bearer',
      ]);
    }
  });
});

test.each(['bearer', 'BEARER', 'Bearer '])('returns 200 for the scheme written as "%s"', async (scheme) => {
  const headers = { Authorization: `${scheme} ${owner.key}` };
  expect((await fetch(`${server.origin}/api/v1/spaces`, { headers })).status).toBe(200);
});

test('returns 403 for a call outside the scopes of the key', async () => {
  const reader = await server.caller('owner', ['read']);
  const writer = await server.caller('owner', ['write']);
  const refusal = (scope: string) => [
    403,
    { message: `This API key lacks the scope "${scope}".`, status: 403 },
  ];
  for (const [caller, method, path, scope] of [
    [reader, 'POST', '/spaces', 'write'],
    [reader, 'PUT', '/spaces/1', 'write'],
    [reader, 'PATCH', '/spaces/1', 'write'],
    [reader, 'DELETE', '/spaces/1', 'write'],
    [writer, 'GET', '/spaces', 'read'],
    [writer, 'GET', '/spaces/1', 'read'],
  ] as const) {
    const { status, body } = await caller.rest(method, path);
    expect([status, body]).toEqual(refusal(scope));
  }
  expect((await writer.rest('POST', '/spaces', { name: 'Written' })).status).toBe(201);
});

test.each(['/nothing', '', '/spaces/1/links', '/SPACES'])(
  'returns 404 for the unknown path "%s"',
  async (path) => {
    const { status, body } = await owner.rest('GET', path);
    expect([status, body]).toEqual([404, { message: 'Resource not found.', status: 404 }]);
  },
);

test.each([
  ['DELETE', '/spaces', 'GET, HEAD, POST'],
  ['OPTIONS', '/spaces', 'GET, HEAD, POST'],
  ['POST', '/spaces/1', 'GET, HEAD, PUT, PATCH, DELETE'],
])('returns 405 for %s %s, and lists the allowed methods', async (method, path, allowed) => {
  const { status, body, headers } = await owner.rest(method, path);
  expect([status, headers.get('Allow')]).toEqual([405, allowed]);
  expect(body).toEqual({ message: expect.stringContaining(method), status: 405 });
});

test('answers HEAD like GET, without the body', async () => {
  const response = await owner.fetch('/api/v1/spaces', { method: 'HEAD' });
  expect([response.status, await response.text()]).toEqual([200, '']);
});

test.each([
  ['multipart/mixed; boundary=x', '--x--'],
  ['text/plain', 'name=x'],
  [`${FORM}; charset=iso-8859-1`, 'name=x'],
  [undefined, new Uint8Array([1])],
])('returns 415 for a body of type %s', async (type, body) => {
  const answer = await post(type, body);
  expect(answer).toEqual({
    status: 415,
    body: { message: expect.stringContaining('application/x-www-form-urlencoded'), status: 415 },
  });
});

test.each(['text/xml', FORM, `${FORM}; charset=iso-8859-1`])(
  'accepts an empty body of type %s',
  async (type) => {
    const { status, body } = await post(type, '');
    expect([status, body.errors]).toEqual([422, { name: ['The name field is required.'] }]);
  },
);

test.each([
  ['application/json', '\ufeff{"name":"Marked"}'],
  [FORM, '\ufeffname=Marked'],
  [
    'multipart/form-data; boundary=x',
    '\ufeff--x\r\nContent-Disposition: form-data; name="name"\r\n\r\nMarked\r\n--x--\r\n',
  ],
])('returns 201 for a body of type %s after a byte order mark', async (type, body) => {
  expect(await post(type, body)).toMatchObject({ status: 201, body: { data: { name: 'Marked' } } });
});

test.each([
  ['broken JSON', 'application/json', '{"name":'],
  ['JSON that is not an object', 'application/json', '["name"]'],
  ['JSON nested without end', 'application/json', `{"name":${'['.repeat(40_000)}${']'.repeat(40_000)}}`],
  [
    'JSON that is not in UTF-8',
    'application/json',
    new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
  ],
  ['a form that is not in UTF-8', FORM, 'name=%ff'],
])('returns 400 for %s', async (_what, type, body) => {
  expect(await post(type, body)).toEqual({ status: 400, body: { message: expect.any(String), status: 400 } });
});

test.each([
  [415, 'text/plain', 'x'],
  [400, 'application/json', '{bad'],
  [400, FORM, 'a=%ff'],
])('%s for a DELETE with an invalid body of type %s, which deletes nothing', async (status, type, body) => {
  const id = await owner.space('Kept');
  const headers = { 'Content-Type': type };
  const response = await owner.fetch(`/api/v1/spaces/${id}`, { method: 'DELETE', headers, body });
  expect([response.status, (await owner.rest('GET', `/spaces/${id}`)).status]).toEqual([status, 200]);
});

test('accepts an empty chunked body without a type', async () => {
  const id = await owner.space('Chunked');
  const sent = request(new URL(`/api/v1/spaces/${id}`, server.origin), {
    method: 'DELETE',
    headers: { Authorization: `Bearer ${owner.key}`, 'Transfer-Encoding': 'chunked' },
  });
  sent.end();
  const [response]: IncomingMessage[] = await once(sent, 'response');
  response?.resume();
  expect(response?.statusCode).toBe(200);
});

test('returns 413 above 1 MB, and accepts exactly 1 MB', async () => {
  const padded = (size: number) => `name=Padded&x=${'y'.repeat(size - 'name=Padded&x='.length)}`;
  expect(await post(FORM, padded(1_048_577))).toEqual({
    status: 413,
    body: { message: 'The body is larger than 1 MB.', status: 413 },
  });
  expect((await post(FORM, padded(1_048_576))).status).toBe(201);
});

test('returns 413 for a compressed body that expands above 1 MB', async () => {
  const body = gzipSync(`name=${'x'.repeat(2_000_000)}`);
  expect((await post(FORM, new Uint8Array(body), { 'Content-Encoding': 'gzip' })).status).toBe(413);
});

test('returns 201 for a percent sign that is not an escape', async () => {
  expect((await post(FORM, 'name=100%+sure')).body).toMatchObject({ data: { name: '100% sure' } });
});

test('builds links with the requested host, or with the base URL if that is invalid', async () => {
  const pathFor = (headers: Record<string, string>) =>
    new Promise((resolve, reject) => {
      const url = new URL('/api/v1/spaces', server.origin);
      const sent = request(
        url,
        { headers: { Authorization: `Bearer ${owner.key}`, ...headers } },
        async (response) => {
          const body = JSON.parse((await response.setEncoding('utf8').toArray()).join(''));
          resolve(body.meta.path);
        },
      );
      sent.on('error', reject).end();
    });
  expect(await pathFor({ Host: 'links.example:8080' })).toBe('http://links.example:8080/api/v1/spaces');
  expect(await pathFor({ Host: 'a"b' })).toBe('https://s.example/api/v1/spaces');
  // A proxy that ends https may not say so: on the host of BASE_URL, its scheme counts.
  for (const host of ['s.example', 'S.Example', 's.example.', 's.example:443', 's.example:80'])
    expect(await pathFor({ Host: host })).toBe('https://s.example/api/v1/spaces');
  const forwarded = { 'X-Forwarded-Proto': 'http', 'X-Forwarded-Host': 's.example' };
  expect(await pathFor(forwarded)).toBe('https://s.example/api/v1/spaces');
  for (const host of ['s.example:8080', 'www.s.example'])
    expect(await pathFor({ Host: host })).toBe(`http://${host}/api/v1/spaces`);
  const proxied = { 'X-Forwarded-Proto': 'HTTPS', 'X-Forwarded-Host': 'go.example' };
  expect(await pathFor(proxied)).toBe('https://go.example/api/v1/spaces');
});

test.each(['password', 'privacy_password'])(
  'a %s of half a million accents takes little time',
  async (name) => {
    const accents = `a${'\u0301'.repeat(200_000)}${'\u0316'.repeat(200_000)}`;
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ url: 'https://example.com/', [name]: accents });
    const time = await cpuTimeOf(async () => {
      const { status } = await owner.fetch('/api/v1/links', { method: 'POST', headers, body });
      expect(status).toBe(422);
    });
    // Composing them would take minutes.
    expect(time).toBeLessThan(5_000);
  },
);

test('refuses a page of links with too many targets for one answer, and accepts ten', async () => {
  const url = `https://example.com/${'x'.repeat(2_000)}`;
  const rotation = JSON.stringify(Array(250).fill(url));
  const languages = JSON.stringify(Array(183).fill({ language: 'de', url }));
  for (let i = 0; i < 25; i++) {
    const { id } = await owner.link();
    await server.database.prisma.link.update({ where: { id }, data: { rotation, languages } });
  }
  const page = (size: number) => owner.rest('GET', `/links?per_page=${size}`);
  expect((await page(10)).status).toBe(200);
  expect(await page(25)).toMatchObject({
    status: 422,
    body: {
      errors: {
        per_page: ['The per_page field asks for links with more than 16 MB of targets: ask for fewer.'],
      },
    },
  });
});

test('reports a hundred of thousands of invalid values', async () => {
  const form = Array.from({ length: 4_900 }, (): [string, string] => ['rotation[]', 'x']);
  const { status, body } = await owner.rest('POST', '/links', [['url', 'https://example.com/'], ...form]);
  expect(status).toBe(422);
  expect(Object.keys((body as { errors: object }).errors).length).toBeLessThanOrEqual(100);
});
