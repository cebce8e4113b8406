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
  ['/console', 'text/html'],
  ['/console/', 'text/html'],
  ['/console/links/7/statistics?search=a', 'text/html'],
  ['/openapi.json', 'application/json'],
  ['/schema.graphql', 'text/plain'],
])('returns 200 without a key: %s', async (path, type) => {
  const response = await fetch(server.origin + path);
  expect([response.status, response.headers.get('Content-Type')]).toEqual([
    200,
    expect.stringContaining(type),
  ]);
  expect((await response.text()).length).toBeGreaterThan(100);
});

/** The addresses of a page's assets and links. */
async function addressesIn(path: string): Promise<string[]> {
  const response = await fetch(server.origin + path, { headers: { Accept: 'text/html' } });
  expect(response.headers.get('Content-Security-Policy')).toMatch(/^default-src 'none'; script-src 'self';/);
  const html = await response.text();
  return Array.from(html.matchAll(/(?:href|src|data-graphiql)="(?!data:)([^"]+)"/g), ([, address]) =>
    String(address),
  );
}

test.each(['/', '/docs', '/graphql', '/console'])(
  '%s loads nothing from other hosts, and its links work',
  async (path) => {
    const addresses = await addressesIn(path);
    expect(addresses.length).toBeGreaterThan(1);
    for (const address of addresses) {
      const found = await fetch(server.origin + address, { headers: { Accept: 'text/html' } });
      expect([address, found.status]).toEqual([expect.stringMatching(/^\//), 200]);
      await found.arrayBuffer();
    }
  },
);

test.each(['/docs', '/graphql', '/console'])(
  'serves the assets of %s compressed and cacheable',
  async (path) => {
    const assets = (await addressesIn(path)).filter((address) => address.includes('/assets/'));
    expect(assets.length).toBeGreaterThan(1);
    let total = 0;
    for (const address of assets) {
      for (const encoding of ['br', 'gzip', 'identity']) {
        const response = await fetch(server.origin + address, { headers: { 'Accept-Encoding': encoding } });
        const { headers } = response;
        expect(headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
        expect([headers.get('Content-Encoding') ?? 'identity', headers.get('Vary')]).toEqual([
          encoding,
          expect.stringContaining('Accept-Encoding'),
        ]);
        if (encoding === 'br') total += Number(headers.get('Content-Length'));
        expect((await response.text()).length).toBeGreaterThan(50);
      }
    }
    expect(total).toBeLessThan(2_000_000);
  },
);

test.each([
  '/docs/assets/nothing.js',
  '/docs/assets/..%2f..%2fapp.js',
  '/docs/assets/docs.html.br',
  '/console/assets/nothing.js',
  '/console/assets/..%2findex.html',
])('returns 404 for %s', async (path) => {
  expect((await fetch(server.origin + path)).status).toBe(404);
});

/** The headings and the texts of the cards on the start page, in their order. */
async function cardsOf({ origin }: TestServer): Promise<string[]> {
  const html = await (await fetch(`${origin}/`)).text();
  return Array.from(html.matchAll(/<(?:h1|h2|b)>([^<]+)</g), ([, text]) => String(text));
}

test('the start page shows what everybody can do before the APIs', async () => {
  expect(await cardsOf(server)).toEqual([
    'Short links',
    'Open the console',
    'See the statistics of a link',
    'For developers',
    ...['GraphiQL', 'REST API v1', 'schema.graphql', 'openapi.json'],
  ]);
});

test('the start page does not mention GraphiQL and statistics if they are off', async () => {
  const closed = await startTestServer({ graphiql: false, publicStatistics: false });
  const cards = await cardsOf(closed);
  await closed.stop();
  expect(cards).toEqual([
    'Short links',
    'Open the console',
    'For developers',
    ...['REST API v1', 'schema.graphql', 'openapi.json'],
  ]);
});

test('without the console, the start page does not link to it, and an old link with its alias works', async () => {
  const closed = await startTestServer({ console: false });
  const home = await (await fetch(`${closed.origin}/`)).text();
  const missing = await fetch(`${closed.origin}/console/links/1`);
  const caller = await closed.caller();
  const { id } = await caller.link({ url: 'https://example.com/before' });
  await closed.database.client.link.update({
    where: { id },
    data: { alias: 'console', aliasKey: 'console' },
  });
  const visit = await fetch(`${closed.origin}/console`, { redirect: 'manual' });
  const refused = await caller.rest('POST', '/links', { url: 'https://example.com/', alias: 'Console' });
  await closed.stop();
  expect([home.includes('/console'), missing.status]).toEqual([false, 404]);
  expect([visit.status, visit.headers.get('Location')]).toEqual([302, 'https://example.com/before']);
  expect(refused).toMatchObject({ status: 422, body: { errors: { alias: expect.anything() } } });
});
