import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/app/config.ts';
import { consoleUrl as consolePage, greeting } from '../../src/app/greeting.ts';
import { createWelcome } from '../../src/domain/access/sign-in.ts';
import { Person, signedIn } from '../support/person.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

const console = 'console.example';
let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer({ consoleUrl: `https://${console}` });
  owner = await server.caller('default');
  const here = { alias: 'here', url: 'https://example.com/', pixel_ids: await owner.pixel() };
  await owner.link(here);
  await owner.link({ ...here, domain_id: await owner.domain('own.example') });
  await owner.link({ alias: 'there', url: 'https://example.com/' });
});
afterAll(() => server.stop());

const statusAt = async (host: string, path: string, headers: Record<string, string> = {}) =>
  (await visit(server.origin, path, { headers: { Host: host, ...headers } })).status;

test.each([
  ['/console', 200, 404],
  ['/docs', 200, 404],
  ['/auth/session', 401, 404],
  ['/there', 404, 302],
  ['/api/v1/links', 401, 401],
])('%s answers %i on the host of the console, and %i on another', async (path, own, other) => {
  expect([await statusAt(console, path), await statusAt('s.example', path)]).toEqual([own, other]);
});

test('GraphiQL opens on the host of the console alone', async () => {
  const html = { Accept: 'text/html' };
  expect([await statusAt(console, '/graphql', html), await statusAt('s.example', '/graphql', html)]).toEqual([
    200, 404,
  ]);
});

describe.each(['all', 'redirects'] as const)('pixels, with ROLE=%s', (role) => {
  test('run in a frame on hosts that accounts share, and in full on a verified domain of the account', async () => {
    const at = await startTestServer({ url: server.databaseUrl, consoleUrl: `https://${console}`, role });
    const framed = async (host: string) => {
      const { status, body } = await visit(at.origin, '/here', { headers: { Host: host } });
      return [status, body.includes('<iframe'), body.includes('<script')];
    };
    expect(await framed('s.example')).toEqual([200, true, true]);
    expect(await framed('elsewhere.example')).toEqual([200, true, true]);
    expect(await framed('own.example')).toEqual([200, false, true]);
    await at.stop();
  });
});

test('links to pages begin with it, and no account can claim its name', async () => {
  const token = await createWelcome(server.database, server.clock.now);
  const person = new Person(server);
  const headers = { 'X-Forwarded-Host': console };
  const input = { token, name: 'Ana', email: 'ana@example.com', password: 'correct horse' };
  expect((await person.auth('welcome', input, headers)).status).toBe(201);
  const invite =
    'mutation { inviteMember(input: { email: "x@example.com", role: VIEWER }) { ... on Invitation { url } } }';
  expect(await person.data(invite, {}, headers)).toEqual({
    inviteMember: { url: expect.stringMatching(/^https:\/\/console\.example\/console\/accept#/) },
  });
  const claim = `mutation { createDomain(input: { name: "${console}:8080" }) { ... on Error { message } } }`;
  expect(await owner.data(claim)).toEqual({ createDomain: { message: 'name is the host of the console.' } });
});

test('a cookie counts on its host alone', async () => {
  const person = await signedIn(server, 1, 'VIEWER');
  const statusOn = async (host: string) =>
    (await person.graphql('{ viewer { role } }', {}, { 'X-Forwarded-Host': host })).status;
  expect([await statusOn(console), await statusOn('s.example')]).toEqual([200, 401]);
});

test('an account that has its name stops the start', async () => {
  const other = await startTestServer();
  await (await other.caller()).domain(console);
  const start = startTestServer({ url: other.databaseUrl, consoleUrl: `https://${console}` });
  await expect(start).rejects.toThrow(
    `CONSOLE_URL is "https://${console}", but the account "owner" has that host as a domain`,
  );
  await other.stop();
});

test('shows the start page at its root, wherever a domain with its name leads', async () => {
  const data = { name: console, rootUrl: 'https://example.com/', createdAt: NOON, updatedAt: NOON };
  await server.database.prisma.domain.create({ data });
  expect(await statusAt(console, '/')).toBe(200);
});

test.each(['https://s.example:8443', 'http://s.example'])('cannot be %s beside https://s.example', (url) => {
  expect(() => readConfig({ BASE_URL: 'https://s.example', CONSOLE_URL: url })).toThrow(
    /another host name than BASE_URL/,
  );
});

test('has its pages in the greeting', () => {
  const shown = { graphiql: true, console: true, publicStatistics: false };
  const text = greeting('key', { host: '0.0.0.0', ...shown, consoleUrl: `https://${console}` }, 3000);
  expect(text.match(/https?:\S+(console|graphql|guides|docs)(?= {2})/g)).toEqual([
    `https://${console}/console`,
    `https://${console}/graphql`,
    `https://${console}/docs/guides`,
    `https://${console}/docs`,
  ]);
});

test.each([
  ['127.0.0.1', 'http://localhost:3000/console'],
  ['0.0.0.0', 'http://localhost:3000/console'],
  ['192.0.2.1', 'http://192.0.2.1:3000/console'],
])('without an address of its own, on %s, is where passkeys work, if that opens: %s', (host, url) => {
  expect(consolePage({ host, baseUrl: 'http://localhost:3000', consoleUrl: undefined }, 3000)).toBe(url);
});
