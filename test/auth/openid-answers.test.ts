import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/app/config.ts';
import { readClaim } from '../../src/domain/access/identity.ts';
import { emailInput } from '../../src/domain/access/user.ts';
import { Person } from '../support/person.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../support/server.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' };
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** The least that a provider answers; tests change what it says. */
class Provider {
  /** The end of the issuer, after the origin. */
  path = '';
  claims: Record<string, unknown> = {};
  /** The issuer in tokens, if it is another one. */
  tokensIssuer: string | null = null;
  userinfo: object | null = {};
  nonce = '';
  readonly #server: Server = createServer((req, res) => {
    const { origin, issuer } = this;
    const [path = ''] = (req.url ?? '').split('?', 1);
    const json = (status: number, body: object) =>
      res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    if (path.endsWith('/.well-known/openid-configuration'))
      return json(200, {
        ...{ issuer, jwks_uri: `${origin}/jwks`, token_endpoint: `${origin}/token` },
        ...{ authorization_endpoint: `${origin}/authorize`, userinfo_endpoint: `${origin}/userinfo` },
        ...{ response_types_supported: ['code'], id_token_signing_alg_values_supported: ['RS256'] },
      });
    if (path === '/jwks') return json(200, { keys: [jwk] });
    if (path === '/userinfo')
      return this.userinfo
        ? json(200, { sub: 'ana', ...this.userinfo })
        : json(500, { error: 'server_error' });
    const now = Math.floor(Date.now() / 1000);
    const text = `${encode({ alg: 'RS256', kid: 'one' })}.${encode({
      ...{ iss: this.tokensIssuer ?? issuer, sub: 'ana', aud: 'client', iat: now, exp: now + 60 },
      ...{ nonce: this.nonce, ...this.claims },
    })}`;
    const id_token = `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`;
    json(200, { access_token: 'a', token_type: 'Bearer', id_token });
  });

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get issuer(): string {
    return `${this.origin}${this.path}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

let provider: Provider;
let server: TestServer;
beforeEach(async () => {
  provider = new Provider();
  await provider.start();
});
afterEach(async () => {
  await server?.stop();
  provider.stop();
});

/** A server whose setting is as the operator writes it. */
async function serve(issuer: string, env: Record<string, string> = {}, given: TestServerOptions = {}) {
  const { oidcIssuer, oidcRoles, oidcRolesClaim } = readConfig({
    ...{ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'client', OIDC_CLIENT_SECRET: 'secret' },
    ...{ OIDC_ROLES: 'readers=default:viewer', ...env },
  });
  const oidc = { oidcClientId: 'client', oidcClientSecret: 'secret', oidcRoles, oidcRolesClaim };
  server = await startTestServer({ oidcIssuer, ...oidc, ...given });
  await server.caller('default');
}

/** Where somebody gets who comes back from the provider. */
async function signIn(person = new Person(server)): Promise<string> {
  const { headers } = await person.fetch('/auth/oidc');
  const asked = new URL(headers.get('Location') ?? '', 'https://s.example');
  if (asked.pathname !== '/authorize') return asked.pathname + asked.search;
  provider.nonce = asked.searchParams.get('nonce') ?? '';
  const back = new URLSearchParams({ code: 'c', state: asked.searchParams.get('state') ?? '' });
  const come = await person.fetch(`/auth/oidc/callback?${back}`);
  return come.headers.get('Location') ?? '';
}

const ana = { email: 'ana@x.example', name: 'Ana', groups: ['readers'] };
const DOWN = '/console/sign-in?fault=PROVIDER_DOWN';
const FAILED = '/console/sign-in?fault=FAILED';
const DISCOVERY = '/.well-known/openid-configuration';

describe('an issuer', () => {
  test.each([
    // What is pasted, what the provider says, and whether this is its issuer.
    [`/app${DISCOVERY}`, '/app', '/console'],
    [`/app${DISCOVERY}`, '/app/', '/console'],
    ['/app', '/app/', '/console'],
    ['/app/', '/app', '/console'],
    [DISCOVERY, '', '/console'],
    [DISCOVERY, '/', '/console'],
    ['', '/', '/console'],
    [`/app${DISCOVERY}`, '/other', DOWN],
    [`/app${DISCOVERY}`, '/app//', DOWN],
    [`/app${DISCOVERY}`, '/App/', DOWN],
  ])('pasted as %j, where the provider says %j', async (pasted, path, expected) => {
    provider.path = path;
    provider.claims = ana;
    await serve(`${provider.origin}${pasted}`);
    expect(await signIn()).toBe(expected);
    const identities = await server.database.prisma.identity.findMany();
    expect(identities.map(({ issuer }) => issuer)).toEqual(expected === DOWN ? [] : [provider.issuer]);
  });

  test.each(['', '/', '/other/'])('ending in a slash is that of the token: %j is not', async (path) => {
    provider.path = '/app/';
    provider.claims = ana;
    provider.tokensIssuer = path === '' ? `${provider.origin}/app` : `${provider.origin}${path}`;
    await serve(`${provider.origin}/app${DISCOVERY}`);
    expect(await signIn()).toBe(FAILED);
  });

  test('may be pasted in the other form later: linked identities stay linked', async () => {
    provider.path = '/app/';
    provider.claims = ana;
    await serve(`${provider.origin}/app/`);
    const person = new Person(server);
    expect(await signIn(person)).toBe('/console');
    const { database, databaseUrl } = server;
    const { body } = await person.auth('session');
    expect(await database.prisma.identity.count()).toBe(1);
    const other = await startTestServer({
      ...{ url: databaseUrl, oidcIssuer: `${provider.origin}/app` },
      ...{ oidcClientId: 'client', oidcClientSecret: 'secret' },
      oidcRoles: [{ value: 'readers', account: 'default', role: 'VIEWER' }],
    });
    const before = server;
    server = other;
    try {
      const again = new Person(other);
      expect(await signIn(again)).toBe('/console');
      expect((await again.auth('session')).body).toEqual(body);
      // It is the user's only way in.
      const { identities } = (await again.auth('profile')).body as { identities: { id: string }[] };
      expect(identities).toHaveLength(1);
    } finally {
      server = before;
      await other.stop();
    }
  });
});

describe('userinfo that fails', () => {
  const role = { OIDC_ROLES: '' };
  test.each<[string, Record<string, unknown>, Record<string, string>, string]>([
    ['is not asked if nothing is missing', ana, {}, '/console'],
    ['does not matter if only the name is missing', { ...ana, name: undefined }, {}, '/console'],
    ['matters if the email is missing', { ...ana, email: undefined }, {}, FAILED],
    ['matters if the roles are missing', { ...ana, groups: undefined }, {}, FAILED],
    [
      'does not matter without rules for roles',
      { ...ana, groups: undefined },
      role,
      '/console/sign-in?fault=NO_ROLE',
    ],
  ])('%s', async (_what, claims, env, expected) => {
    provider.claims = claims;
    provider.userinfo = null;
    await serve(provider.origin, env);
    expect(await signIn()).toBe(expected);
  });

  test('is in the log', async () => {
    provider.claims = { ...ana, name: undefined };
    provider.userinfo = null;
    await serve(provider.origin);
    await signIn();
    expect(server.log.map(({ msg }) => msg)).toContainEqual(expect.stringContaining('userinfo failed'));
  });
});

test('somebody without a role: the log has the values of the claim', async () => {
  provider.claims = { ...ana, groups: ['staff', 'x'.repeat(300)] };
  await serve(provider.origin);
  expect(await signIn()).toBe('/console/sign-in?fault=NO_ROLE');
  expect(server.log).toContainEqual(
    expect.objectContaining({
      fault: 'NO_ROLE',
      claim: 'groups',
      values: ['staff', 'x'.repeat(200)],
      count: 2,
    }),
  );
});

describe('a claim by a path', () => {
  test.each([
    ['realm_access.roles', { realm_access: { roles: ['readers'] } }, {}],
    ['realm_access.roles', { 'realm_access.roles': ['readers'], realm_access: { roles: ['x'] } }, {}],
    ['https://x.example/roles', { 'https://x.example/roles': 'readers' }, {}],
    ['resource_access.my.app.roles', { resource_access: { 'my.app': { roles: ['readers'] } } }, {}],
    ['realm_access.roles', { realm_access: {} }, { realm_access: { roles: ['readers'] } }],
  ])('%s gives roles', async (claim, claims, userinfo) => {
    provider.claims = { email: ana.email, name: ana.name, ...claims };
    provider.userinfo = userinfo;
    await serve(provider.origin, { OIDC_ROLES_CLAIM: claim });
    expect(await signIn()).toBe('/console');
  });

  test.each([
    ['a.b', { a: { b: 1 } }, 1],
    ['a.b', { a: { b: 1 }, 'a.b': 2 }, 2],
    ['a.b.c', { a: { 'b.c': 3 } }, 3],
    ['a.b.c', { 'a.b': { c: 4 } }, 4],
    ['a.b.c', { a: { b: { c: 5 } } }, 5],
    ['a.b.c', { a: { b: 'text' }, 'a.b': { c: 6 } }, 6],
    ['a.b', { a: ['b'] }, undefined],
    ['a.length', { a: 'text' }, undefined],
    ['toString', {}, undefined],
    ['constructor.name', {}, undefined],
    ['__proto__.x', {}, undefined],
    ['a.', { a: { '': 7 } }, 7],
    ['', {}, undefined],
  ])('%j in %j', (path, claims, expected) => {
    expect(readClaim(claims, path)).toBe(expected);
  });
});

test.each([
  ['ana@x.example', true],
  ['ana@localhost', true],
  ['o’ana@x.example', false],
  ["o'ana@x.example", true],
  ['ana+links/2@x.example', true],
  ['ana..b@x.example', true],
  ['.ana@x.example', true],
  ['ana@-x.example', false],
  ['ana@x_y.example', false],
  ['ana@x..example', false],
  ['"ana b"@x.example', false],
  ['ana@x.example\nBcc: b@x.example', false],
  ['deleted:7', false],
  [`${'a'.repeat(64)}@${'x'.repeat(63)}.example`, true],
  [`a@${'x'.repeat(64)}.example`, false],
])('an address as browsers accept it: %j %s', (address, isOne) => {
  expect(emailInput.safeParse(address).success).toBe(isOne);
});
