import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let caller: Caller;
beforeAll(async () => {
  server = await startTestServer();
  caller = await server.caller();
});
afterAll(() => server.stop());

const audits = serverAudits({
  url: () => `${server.origin}/graphql`,
  fetchFn: (url: string, init: RequestInit = {}) =>
    fetch(url, { ...init, headers: { ...init.headers, Authorization: `Bearer ${caller.key}` } }),
});

test.each(audits.map((audit) => [audit.name, audit] as const))(
  'GraphQL over HTTP: %s',
  async (_name, audit) => {
    const result = await audit.fn();
    expect(result, 'reason' in result ? result.reason : '').toMatchObject({ status: 'ok' });
  },
);
