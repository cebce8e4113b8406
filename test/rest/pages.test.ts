import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

test.each([
  ['/', 'text/html'],
  ['/docs', 'text/html'],
  ['/docs/', 'text/html'],
  ['/docs/start.js', 'text/javascript'],
  ['/docs/swagger-ui.css', 'text/css'],
  ['/docs/swagger-ui-bundle.js', 'text/javascript'],
  ['/openapi.json', 'application/json'],
  ['/schema.graphql', 'text/plain'],
])('200s without a key: %s', async (path, type) => {
  const response = await fetch(server.origin + path);
  expect([response.status, response.headers.get('Content-Type')]).toEqual([
    200,
    expect.stringContaining(type),
  ]);
  expect((await response.text()).length).toBeGreaterThan(100);
});

test.each(['/', '/docs'])('%s may load nothing from elsewhere, and has doors that open', async (path) => {
  const response = await fetch(server.origin + path);
  expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'self'");
  const html = await response.text();
  const addresses = Array.from(html.matchAll(/(?:href|src)="([^"]+)"/g), ([, address]) => String(address));
  expect(addresses.length).toBeGreaterThan(1);
  for (const address of addresses) {
    const found = await fetch(server.origin + address, { headers: { Accept: 'text/html' } });
    expect([address, found.status]).toEqual([expect.stringMatching(/^\//), 200]);
    await found.arrayBuffer();
  }
});

test('the way in shows no door to GraphiQL where it is off', async () => {
  const closed = await startTestServer({ graphiql: false });
  const html = await (await fetch(`${closed.origin}/`)).text();
  await closed.stop();
  expect(html).not.toContain('GraphiQL');
});
