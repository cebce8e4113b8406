import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ corsOrigins: ['https://app.example'] });
});
afterAll(() => server.stop());

/** Asks which methods a target has; returns the status and those methods. */
async function optionsOf(target: string, headers = ''): Promise<[status: number, allow: string | undefined]> {
  const { hostname, port } = new URL(server.origin);
  const socket = connect(Number(port), hostname).setEncoding('latin1');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.write(`OPTIONS ${target} HTTP/1.1\r\nHost: s.example\r\nConnection: close\r\n${headers}\r\n`);
  await once(socket, 'close');
  const [, status] = /^HTTP\/1\.1 (\d+)/.exec(text) ?? [];
  const [, allow] = /\r\nAllow: ([^\r]*)/i.exec(text) ?? [];
  return [Number(status), allow];
}

const VISITS = 'GET, HEAD, POST';

test.each<[target: string, status: number, allow: string | undefined]>([
  ['*', 204, 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'],
  ['/', 204, 'GET, HEAD'],
  ['/?x', 204, 'GET, HEAD'],
  ['http://s.example/', 204, 'GET, HEAD'],
  ['/livez', 204, 'GET, HEAD'],
  ['/livez/serving', 204, 'GET, HEAD'],
  ['/readyz', 204, 'GET, HEAD'],
  ['/console', 204, 'GET, HEAD'],
  ['/console/links', 204, 'GET, HEAD'],
  ['/docs', 204, 'GET, HEAD'],
  ['/docs/nothing', 204, 'GET, HEAD'],
  ['/favicon.ico', 204, 'GET, HEAD'],
  ['/robots.txt', 204, 'GET, HEAD'],
  ['/openapi.json', 204, 'GET, HEAD'],
  ['/schema.graphql', 204, 'GET, HEAD'],
  ['/tls/ask?domain=s.example', 204, 'GET, HEAD'],
  ['/auth/session', 405, 'GET'],
  ['/auth/sign-in', 405, 'POST'],
  ['/alias', 405, VISITS],
  ['/alias+', 405, VISITS],
  ['/auth', 405, VISITS],
  ['/a/b', 405, VISITS],
  ['/%ff', 405, VISITS],
  ['//alias', 405, VISITS],
  ['http://go.example/alias', 405, VISITS],
  ['foo', 400, undefined],
  ['**', 400, undefined],
])('OPTIONS %s gets %i', async (target, status, allow) => {
  const statements = await server.statementsOf(async () => {
    expect(await optionsOf(target)).toEqual([status, allow]);
  });
  expect(statements).toEqual([]);
});

test('a preflight of an allowed site is answered as before', async () => {
  const headers = 'Origin: https://app.example\r\nAccess-Control-Request-Method: PATCH\r\n';
  for (const target of ['/api/v1/spaces/1', '/graphql', '/openapi.json'])
    expect((await optionsOf(target, headers))[0]).toBe(204);
});
