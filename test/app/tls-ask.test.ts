import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

const options = {
  verifiesDomains: true,
  baseUrl: 'https://s.example',
  consoleUrl: 'https://links.corp.example:8443',
} as const;

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer(options);
  owner = await server.caller();
  await add('bücher.example');
  await add('go.example:8080');
  await add('pending.example');
  // The operator verifies them, as npm run domains -- verify does.
  await server.database.prisma.domain.updateMany({
    where: { name: { not: 'pending.example' } },
    data: { verifiedAt: server.clock.now },
  });
});
afterAll(() => server.stop());

async function add(name: string): Promise<string> {
  const { createDomain } = await owner.data<{ createDomain: { id: string } }>(
    'mutation ($name: String!) { createDomain(input: { name: $name }) { ... on Domain { id } } }',
    { name },
  );
  return createDomain.id;
}

const ask = async (query: string, init: RequestInit = {}) =>
  (await fetch(`${server.origin}/tls/ask${query}`, init)).status;
const askFor = (host: string) => ask(`?domain=${encodeURIComponent(host)}`);

test.each([
  's.example',
  'links.corp.example',
  'xn--bcher-kva.example',
  'bücher.example',
  'BÜCHER.Example.',
  'xn--bcher-kva.example:443',
  'go.example',
  'go.example:8080',
  'go.example:9090',
])('serves %s', async (host) => {
  expect(await askFor(host)).toBe(200);
});

test.each([
  'pending.example',
  'unknown.example',
  'a.s.example',
  'example',
  '',
  '.',
  '*.example',
  's.example/',
  'u@s.example',
  's.example,go.example',
  '127.0.0.1',
  'a'.repeat(300),
  '\u0000',
  's.example\u0000',
  'go.example..',
])('does not serve %j', async (host) => {
  expect(await askFor(host)).toBe(404);
});

test.each(['', '?', '?domain', '?domains=s.example', '?domain=s.example&domain=go.example', '?domain=%zz'])(
  'refuses the query %j',
  async (query) => {
    expect(await ask(query)).toBe(404);
  },
);

test('answers HEAD, on every host, and without a body', async () => {
  expect(await ask('?domain=s.example', { method: 'HEAD' })).toBe(200);
  expect(await ask('?domain=no.example', { method: 'HEAD' })).toBe(404);
  for (const host of ['links.corp.example:8443', 'go.example:8080', 'any.example']) {
    const { status, body, headers } = await visit(server.origin, '/tls/ask?domain=s.example', {
      headers: { Host: host },
    });
    expect([status, body, headers['cache-control']]).toEqual([200, '', 'no-store']);
  }
});

test('knows a domain that has just been verified', async () => {
  const id = await add('soon.example');
  expect(await askFor('soon.example')).toBe(404);
  await server.database.prisma.domain.update({
    where: { id: Number(id) },
    data: { verifiedAt: server.clock.now },
  });
  await expect.poll(() => askFor('soon.example')).toBe(200);
});

test('hosts that are not served share queries', async () => {
  const before = server.statements.length;
  for (let i = 0; i < 200; i++) expect(await askFor(`host-${i}.example`)).toBe(404);
  expect(server.statements.length - before).toBeLessThan(50);
});

test('links named tls go on working', async () => {
  // No new link can have this alias.
  const { id } = await owner.link({ url: 'https://example.com/tls' });
  await server.database.prisma.link.update({ where: { id }, data: { alias: 'tls' } });
  const paths = ['/tls', '/tls/', '/tls?domain=s.example'];
  const found = await Promise.all(paths.map((path) => visit(server.origin, path)));
  expect(found.map(({ location }) => location?.split('?')[0])).toEqual(
    paths.map(() => 'https://example.com/tls'),
  );
});

test('serves unverified domains while no domain needs to be verified, and no more than those', async () => {
  const other = await startTestServer({ ...options, verifiesDomains: false, url: server.databaseUrl });
  const statusOf = async (host: string) => (await fetch(`${other.origin}/tls/ask?domain=${host}`)).status;
  expect([await statusOf('pending.example'), await statusOf('no.example')]).toEqual([200, 404]);
  await other.stop();
});

test('hosts share queries also with many domains, verified or not', async () => {
  const { accountId } = await server.database.prisma.domain.findUniqueOrThrow({
    where: { name: 'pending.example' },
  });
  const domains = Array.from({ length: 4_200 }, (_, index) => ({
    name: `many-${index}.example`,
    hostKey: `many-${index}.example`,
    accountId,
    verifiedAt: index % 2 ? server.clock.now : null,
    createdAt: server.clock.now,
    updatedAt: server.clock.now,
  }));
  await server.database.prisma.domain.createMany({ data: domains });
  await expect.poll(() => askFor('many-2001.example')).toBe(200);
  expect([await askFor('go.example'), await askFor('many-2000.example')]).toEqual([200, 404]);
  const before = server.statements.length;
  for (let i = 0; i < 200; i++) expect(await askFor(`host-${i}.example`)).toBe(404);
  expect(server.statements.length - before).toBeLessThan(50);
});
