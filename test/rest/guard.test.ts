import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

const APP = 'https://app.example';

let server: TestServer;
let caller: Caller;
beforeAll(async () => {
  server = await startTestServer({ corsOrigins: [APP] });
  caller = await server.caller();
});
afterAll(() => server.stop());

describe('requests of other sites', () => {
  const preflight = (origin: string, path: string) =>
    fetch(server.origin + path, {
      method: 'OPTIONS',
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': 'PATCH',
        'Access-Control-Request-Headers': 'authorization,content-type',
      },
    });

  test.each(['/graphql', '/api/v1/links/1'])(
    'from a listed origin may call %s, and read useful headers',
    async (path) => {
      const asked = await preflight(APP, path);
      expect(asked.status).toBe(204);
      expect(asked.headers.get('Access-Control-Allow-Origin')).toBe(APP);
      expect(asked.headers.get('Access-Control-Allow-Headers')).toBe('authorization,content-type');
      expect(asked.headers.get('Access-Control-Allow-Methods')).toContain('PATCH');
      const { headers } = await caller.fetch('/api/v1/spaces', { headers: { Origin: APP } });
      expect(headers.get('Access-Control-Allow-Origin')).toBe(APP);
      expect(headers.get('Access-Control-Expose-Headers')).toContain('X-Request-Id');
      expect(headers.get('Access-Control-Allow-Credentials')).toBeNull();
      expect(headers.get('Vary')).toContain('Origin');
    },
  );

  test.each(['https://other.example', 'null', `${APP}.evil.example`])(
    'from %s are refused',
    async (origin) => {
      for (const response of [
        await preflight(origin, '/graphql'),
        await caller.fetch('/api/v1/spaces', { headers: { Origin: origin } }),
      ])
        expect(response.headers.get('Access-Control-Allow-Origin')).toBeNull();
    },
  );
});

test.each(['/api/v1/spaces', '/graphql?query={__typename}', '/', '/docs', '/livez', '/openapi.json'])(
  'the headers of %s forbid framing, sniffing and referrers',
  async (path) => {
    const { headers } = await caller.fetch(path);
    expect(headers.get('Content-Security-Policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(headers.get('Referrer-Policy')).toBe('no-referrer');
    expect(headers.get('X-Powered-By')).toBeNull();
  },
);

test('only the host of the base URL requires https for a year', async () => {
  const policyOf = async (host: string, path: string) =>
    (await caller.fetch(path, { headers: { 'X-Forwarded-Host': host } })).headers.get(
      'Strict-Transport-Security',
    );
  for (const path of ['/', '/favicon.ico', '/robots.txt', '/api/v1/spaces']) {
    expect(await policyOf('S.example.', path)).toBe('max-age=31536000');
    for (const host of ['customer.example', 'a.s.example', '']) expect(await policyOf(host, path)).toBeNull();
  }
});

test('returns 503 with Retry-After at the maximum of requests in flight, and recovers', async () => {
  const full = await startTestServer({ maxInFlight: 1 });
  try {
    const { key } = await full.caller();
    const headers = {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      'Content-Length': '13',
    };
    const slow = request(`${full.origin}/api/v1/spaces`, { method: 'POST', headers });
    const answered = new Promise<number | undefined>((resolve) => {
      slow.on('response', (response) => resolve(response.resume().statusCode));
    });
    slow.write('{"name":');
    const status = () => fetch(`${full.origin}/api/v1/links`).then((response) => response.status);
    await expect.poll(status).toBe(503);
    const refused = await fetch(`${full.origin}/api/v1/links`);
    expect([refused.headers.get('Retry-After'), await refused.json()]).toEqual([
      '1',
      { message: 'The server is busy. Try again shortly.', status: 503 },
    ]);
    expect(refused.headers.get('Cache-Control')).toBe('private, no-store');
    const requestId = refused.headers.get('X-Request-Id');
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
    await expect
      .poll(() => full.log.find((line) => line.requestId === requestId))
      .toMatchObject({ path: '/api/v1/links', status: 503 });
    slow.end('"ab"}');
    expect(await answered).toBe(201);
    await expect.poll(status).toBe(401);
  } finally {
    await full.stop();
  }
});
