import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startTestServer, type TestServer } from '../../src/testing/server.ts';
import { visit } from '../support/visit.ts';

const HOUR = 3_600_000;

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer({ rateLimit: 10 });
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await server.stop();
});

test.each<[string, () => Promise<(count: number) => Promise<Record<string, unknown>>>]>([
  [
    'requests of a key',
    async () => {
      const caller = await server.caller();
      return async () => Object.fromEntries((await caller.rest('GET', '/spaces')).headers);
    },
  ],
  [
    'wrong keys of an address',
    async () => async () =>
      (await visit(server.origin, '/api/v1/spaces', { headers: { Authorization: 'Bearer wrong' } })).headers,
  ],
  [
    'wrong passwords of a link',
    async () => {
      const { alias } = await (await server.caller()).link({ password: 'right' });
      return async () => (await visit(server.origin, `/${alias}`, { form: { password: 'wrong' } })).headers;
    },
  ],
  [
    'pages of statistics',
    async () => {
      const { alias } = await (await server.caller()).link({ privacy: 0 });
      const path = `/${alias}+?days=7`;
      return async (count) => {
        if (count === 1) for (let i = 0; i < 300; i++) await visit(server.origin, path);
        return (await visit(server.origin, path)).headers;
      };
    },
  ],
])('after the clock was set back, the limit of %s is over within a minute', async (_what, begin) => {
  const send = await begin();
  for (let count = 1; count <= 10; count++) await send(count);
  vi.setSystemTime(Date.now() - HOUR);
  const headers = await send(11);
  expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
  expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
  const reset = headers['x-ratelimit-reset'];
  if (reset !== undefined) expect(Number(reset) - server.clock.now.getTime() / 1000).toBeLessThanOrEqual(60);
});
