import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyHost } from '../../src/domain/short-domain/admin.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
  await owner.domain('other.example');
});
afterAll(() => server.stop());

const fields = '{ __typename ... on Domain { rootUrl } ... on ValidationError { fields { path messages } } }';
const create = `mutation ($input: CreateDomainInput!) { createDomain(input: $input) ${fields} }`;
const update = `mutation ($id: ID!, $input: UpdateDomainInput!) { updateDomain(id: $id, input: $input) ${fields} }`;
const setRoot = (id: number, rootUrl: string | null) =>
  owner.data<{ updateDomain: object }>(update, { id: String(id), input: { rootUrl } });
const root = (host: string, method = 'GET', { origin } = server) =>
  visit(origin, '/?a=1', { method, headers: { Host: host } });

test('leads where its owner says, and the answer is not cacheable', async () => {
  const input = { name: 'go.example', rootUrl: 'https://bücher.example/ä' };
  expect(await owner.data(create, { input })).toEqual({
    createDomain: { __typename: 'Domain', rootUrl: input.rootUrl },
  });
  for (const method of ['GET', 'HEAD']) {
    const { status, location, headers, body } = await root('go.example', method);
    expect([status, location, body]).toEqual([302, 'https://xn--bcher-kva.example/%C3%A4', '']);
    expect(headers['cache-control']).toBe('private, no-store');
  }
  expect((await root('go.example:8443')).location).toBeDefined();
});

test('is the service’s page by default, after a change to null, and on every other host', async () => {
  const id = await owner.domain('back.example');
  const statuses = async () => [(await root('back.example')).status, (await root('s.example')).status];
  expect(await statuses()).toEqual([200, 200]);
  await setRoot(id, 'https://example.com/');
  expect(await statuses()).toEqual([302, 200]);
  await setRoot(id, null);
  expect(await statuses()).toEqual([200, 200]);
});

test.each([
  ['plain.example', 'plain.example'],
  ['PLAIN.example.:8443', 'plain.example'],
])('is a plain page with the name of the host on an account’s domain: %s', async (host, name) => {
  if (host === name) await owner.domain(name);
  for (const method of ['GET', 'HEAD']) {
    const { status, headers, body } = await root(host, method);
    expect(status).toBe(200);
    expect([headers['cache-control'], headers['x-robots-tag']]).toEqual(['private, no-store', 'noindex']);
    if (method === 'HEAD') continue;
    expect(body).toContain(`<title>${name}</title>`);
    expect(body).toContain(`<h1><bdi>${name}</bdi></h1>`);
    expect(body).not.toMatch(/<a[ >]|graphql|openapi|console|livez/i);
  }
  expect(
    (await visit(server.origin, '/', { headers: { Host: host, 'Accept-Language': 'de' } })).body,
  ).toContain('<html lang="de">');
  expect((await root('s.example')).body).toContain('/console');
});

test('is the start page on the host of the console alone, if that is set', async () => {
  const apart = await startTestServer({ consoleUrl: 'https://console.example' });
  try {
    const caller = await apart.caller();
    await caller.domain('own.example');
    for (const host of ['s.example', 'own.example', 'unknown.example', '127.0.0.1:3000']) {
      const { status, body } = await root(host, 'GET', apart);
      expect([
        status,
        body.includes(`<title>${host.replace(/:.*/, '')}</title>`),
        /<a[ >]/.test(body),
      ]).toEqual([...[200, true, false]]);
    }
    const start = await root('console.example', 'GET', apart);
    expect([start.status, start.body.includes('href="/console"')]).toEqual([200, true]);
    // A host that cannot be read is not repeated.
    expect((await root('"<b>', 'GET', apart)).body).not.toContain('<b>');
  } finally {
    await apart.stop();
  }
});

test('is in the history', async () => {
  const id = await owner.domain('history.example');
  await setRoot(id, 'https://example.com/');
  const changes = await server.database.prisma.change.findMany({ where: { kind: 'DOMAIN', recordId: id } });
  expect(changes.map(({ fields }) => fields)).toEqual(['["name"]', '["rootUrl"]']);
});

test.each([
  'https://other.example/x',
  'https://self.example:8443/',
  'https://s.example/',
  'https://localhost/',
  'ftp://example.com/',
])('may not be %s', async (rootUrl) => {
  const { prisma } = server.database;
  await prisma.domain.deleteMany({ where: { name: 'self.example' } });
  const refused = { __typename: 'ValidationError', fields: [{ path: ['rootUrl'] }] };
  const input = { name: 'self.example', rootUrl };
  expect(await owner.data(create, { input })).toMatchObject({ createDomain: refused });
  const id = await owner.domain('self.example');
  expect(await setRoot(id, rootUrl)).toMatchObject({ updateDomain: refused });
});

test('that became the address itself shows the service’s page', async () => {
  const id = await owner.domain('early.example');
  await setRoot(id, 'https://late.example/?x=1');
  expect((await root('early.example')).status).toBe(302);
  const input = { name: 'late.example', rootUrl: 'https://late.example/?x=1' };
  expect(await owner.data(update, { id: String(id), input: { name: input.name } })).toMatchObject({
    updateDomain: { __typename: 'Domain' },
  });
  expect((await root('late.example')).status).toBe(200);
  // A client may send back what the domain has.
  expect(await owner.data(update, { id: String(id), input })).toMatchObject({
    updateDomain: { __typename: 'Domain' },
  });
});

test('applies on another process within a second', async () => {
  const other = await startTestServer({ url: server.databaseUrl, background: true });
  try {
    const id = await owner.domain('two.example');
    expect((await root('two.example', 'GET', other)).status).toBe(200);
    await setRoot(id, 'https://example.com/two');
    await expect
      .poll(async () => (await root('two.example', 'GET', other)).location)
      .toBe('https://example.com/two');
  } finally {
    await other.stop();
  }
});

test('counts only once the domain is verified', async () => {
  const verifying = await startTestServer({ verifiesDomains: true });
  try {
    const caller = await verifying.caller();
    const input = { name: 'proven.example', rootUrl: 'https://example.com/' };
    await caller.data(create, { input });
    expect((await root('proven.example', 'GET', verifying)).status).toBe(200);
    await verifyHost(verifying.database, 'proven.example', NOON);
    expect((await root('proven.example', 'GET', verifying)).status).toBe(302);
  } finally {
    await verifying.stop();
  }
});
