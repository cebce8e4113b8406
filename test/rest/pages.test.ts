import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeHost, verifyHost } from '../../src/domain/short-domain/admin.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

test.each([
  ['/', 'text/html'],
  ['/docs', 'text/html'],
  ['/docs/', 'text/html'],
  ['/docs/guides', 'text/html'],
  ['/docs/guides/graphql', 'text/html'],
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
  expect(response.headers.get('Content-Security-Policy')).toMatch(/^default-src 'none'; /);
  const html = await response.text();
  return Array.from(html.matchAll(/(?:href|src|data-graphiql)="(?!data:|#)([^"]+)"/g), ([, address]) =>
    String(address),
  );
}

test.each(['/', '/docs', '/docs/guides', '/graphql', '/console'])(
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

test.each(['/docs', '/docs/guides', '/graphql', '/console'])(
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

test.each(['/docs/nothing', '/docs/guides/unknown', '/docs/guides/a/b', '/docs/guides/..%2fguides'])(
  'shows the list of guides with the status 404 at %s, and JSON to programs',
  async (path) => {
    const page = await fetch(server.origin + path, { headers: { Accept: 'text/html' } });
    const html = await page.text();
    expect([page.status, html]).toEqual([404, expect.stringContaining('<h1>There is no such page</h1>')]);
    expect(html).toContain('href="/docs/guides/graphql"');
    expect(html.replace('There is no such page · ', 'Guides and APIs · ')).toBe(
      (await (await fetch(`${server.origin}/docs/guides`)).text()).replace(
        '<h1>Guides and APIs</h1>',
        '<h1>There is no such page</h1>',
      ),
    );
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'cache-control': 'private, no-store',
      vary: expect.stringMatching(/Accept\b.*Accept-Encoding/),
      'content-security-policy': expect.stringMatching(/^default-src 'none'/),
    });
    const json = await fetch(server.origin + path, { headers: { Accept: 'application/json' } });
    expect([json.status, await json.json()]).toEqual([404, { message: 'Nothing is here.', status: 404 }]);
  },
);

test.each([
  [true, ['Explore', 'GraphiQL', 'REST API v1', 'schema.graphql', 'openapi.json', 'Guides']],
  [false, ['Explore', 'REST API v1', 'schema.graphql', 'openapi.json', 'Guides']],
])('the guides begin with all that developers explore; with GraphiQL: %s', async (graphiql, texts) => {
  const other = await startTestServer({ graphiql });
  const headers = { Accept: 'text/html' };
  const pages = await Promise.all(
    ['/docs/guides', '/docs/nothing'].map(async (path) =>
      (await fetch(other.origin + path, { headers })).text(),
    ),
  );
  await other.stop();
  for (const html of pages) {
    expect(Array.from(html.matchAll(/<(?:h2|b)>([^<]+)</g), ([, text]) => text)).toEqual(texts);
    expect(html.includes('href="/graphql"')).toBe(graphiql);
  }
});

test.each(['/docs', '/docs/guides', '/docs/guides/graphql', '/graphql'])(
  'the mark on %s leads to the guides',
  async (path) => {
    const html = await (await fetch(server.origin + path, { headers: { Accept: 'text/html' } })).text();
    expect(html).toContain('<a class="brand" href="/docs/guides">');
  },
);

test('without the console, the start page does not link to it, and an old link with its alias works', async () => {
  const closed = await startTestServer({ console: false });
  const home = await (await fetch(`${closed.origin}/`)).text();
  const missing = await fetch(`${closed.origin}/console/links/1`);
  const caller = await closed.caller();
  const { id } = await caller.link({ url: 'https://example.com/before' });
  await closed.database.prisma.link.update({
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

describe('pages for people', () => {
  const PATHS = ['/console', '/console/', '/Console/links/7', '/docs', '/docs/', '/graphql', '/graphql/'];
  let verifying: TestServer;
  let owner: Caller;
  let paths: string[];
  beforeAll(async () => {
    verifying = await startTestServer({ verifiesDomains: true });
    owner = await verifying.caller();
    for (const host of ['own.example', 'ported.example:8080', 'away.example']) {
      await owner.domain(host);
      await verifyHost(verifying.database, host, NOON);
    }
    await owner.domain('claimed.example');
    const assets = await Promise.all(['/docs', '/console'].map(addressesIn));
    paths = [...PATHS, ...assets.flat().filter((address) => address.includes('/assets/'))];
  });
  afterAll(() => verifying.stop());

  const open = async (host: string, path: string, method = 'GET') => {
    const headers = { Host: host, Accept: 'text/html,*/*;q=0.8' };
    const answer = await visit(verifying.origin, path, { method, headers });
    return {
      ...answer,
      /** All of it but what each has of its own: a nonce, an id and a time. */
      text() {
        const { 'x-request-id': _id, date: _date, ...others } = answer.headers;
        return JSON.stringify({ ...answer, headers: others }).replaceAll(/\b[\da-f]{32}\b/g, 'nonce');
      },
    };
  };

  test.each([
    's.example',
    's.example:8443',
    '127.0.0.1',
    'unknown.example',
    'claimed.example',
    '[::1]:3000',
    '-',
  ])('are served on %s, which is no account’s verified domain', async (host) => {
    for (const path of paths) expect([path, (await open(host, path)).status]).toEqual([path, 200]);
  });

  test.each(['own.example', 'OWN.example', 'own.example.', 'own.example:8443', 'ported.example'])(
    'are unknown paths on %s, which is an account’s verified domain',
    async (host) => {
      for (const method of ['GET', 'POST', 'PUT']) {
        const unknown = await open(host, '/nowhere/at/all', method);
        // GraphQL is no page.
        for (const path of paths.filter((one) => method === 'GET' || !one.startsWith('/graphql')))
          expect([path, (await open(host, path, method)).text()]).toEqual([path, unknown.text()]);
      }
    },
  );

  test('lead to the not-found URL of such a domain, or to a link that is older than the console', async () => {
    const { id, domain_id } = await owner.link({ url: 'https://example.com/old', domain_id: 2 });
    const { prisma } = verifying.database;
    await prisma.link.update({ where: { id }, data: { alias: 'console', aliasKey: 'console' } });
    await owner.data(
      'mutation ($id: ID!) { updateDomain(id: $id, input: { notFoundUrl: "https://example.com/away" }) { __typename } }',
      { id: domain_id },
    );
    expect((await open('own.example', '/docs')).location).toBe('https://example.com/away');
    expect((await open('own.example', '/console')).location).toBe('https://example.com/old');
  });

  test.each(['own.example:99999', 'own.example,s.example', 's.example, own.example'])(
    'are not served on %s, which cannot be read',
    async (host) => {
      for (const path of PATHS) expect([path, (await open(host, path)).status]).toEqual([path, 404]);
    },
  );

  test('appear and disappear with the verification of a domain', async () => {
    const db = verifying.database;
    expect((await open('claimed.example', '/docs')).status).toBe(200);
    await verifyHost(db, 'claimed.example', NOON);
    expect((await open('claimed.example', '/docs')).status).toBe(404);
    await removeHost(db, 'claimed.example', true, NOON);
    expect((await open('claimed.example', '/docs')).status).toBe(200);
  });

  test('are on no claimed host where domains need no verification', async () => {
    await (await server.caller()).domain('trusted.example');
    const headers = { Host: 'trusted.example' };
    expect((await visit(server.origin, '/docs', { headers })).status).toBe(404);
  });

  test('are not on the page at the root of such a domain, where both APIs still answer', async () => {
    const home = await open('own.example', '/');
    expect([home.status, Array.from(home.body.matchAll(/href="([^"]+)"/g), ([, to]) => to)]).toEqual([
      200,
      ['/favicon.ico'],
    ]);
    const headers = { 'X-Forwarded-Host': 'own.example', 'Content-Type': 'application/json' };
    const body = JSON.stringify({ query: '{ __typename }' });
    const answers = await Promise.all([
      owner.fetch('/graphql', { method: 'POST', headers, body }),
      owner.fetch('/graphql?query={__typename}', { headers: { ...headers, Accept: 'application/json' } }),
      ...['/api/v1/links', '/openapi.json', '/schema.graphql'].map((path) => owner.fetch(path, { headers })),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  });

  test('and their errors leave no other page a hold on their windows, and are in no frame', async () => {
    const errors = ['/docs/nothing', '/docs/assets/nothing.js', '/console/assets/nothing.js'];
    for (const path of [...paths, ...errors]) {
      const { headers } = await open('s.example', path);
      expect([path, headers['cross-origin-opener-policy']]).toEqual([path, 'same-origin']);
      if (!path.includes('/assets/'))
        expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    }
  });
});
