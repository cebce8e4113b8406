import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/app/config.ts';
import { hashToken } from '../../src/domain/access/actor.ts';
import { inviteByOperator } from '../../src/domain/access/invitation.ts';
import { createToken } from '../../src/domain/access/one-time-token.ts';
import type { RoleRule } from '../../src/domain/access/role.ts';
import { createWelcome } from '../../src/domain/access/sign-in.ts';
import { newDatabase } from '../support/database.ts';
import { CLIENT, startProvider } from '../support/openid-provider.ts';
import { Person } from '../support/person.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const ORIGIN = 'https://s.example';
/** The provider sends browsers back from another site. */
const ELSEWHERE = { headers: { 'Sec-Fetch-Site': 'cross-site' } };

const rules: RoleRule[] = [
  { value: 'readers', account: 'default', role: 'VIEWER' },
  { value: 'writers', account: '1', role: 'EDITOR' },
  { value: 'bosses', account: 'default', role: 'OWNER' },
  { value: 'readers of another', account: 'Another', role: 'VIEWER' },
];

let provider: Awaited<ReturnType<typeof startProvider>>;
let server: TestServer;
const settings = () => ({
  oidcIssuer: provider.issuer,
  oidcClientId: CLIENT.id,
  oidcClientSecret: CLIENT.secret,
  oidcName: 'Company',
  oidcRoles: rules,
});
beforeAll(async () => {
  provider = await startProvider();
  const url = await newDatabase();
  const before = await startTestServer({ url });
  await before.caller('default');
  await before.caller('Another');
  await before.stop();
  server = await startTestServer({ ...settings(), url });
});
afterAll(async () => {
  await server.stop();
  await provider.stop();
});
beforeEach(() => {
  provider.attack = {};
});

/** Opens the page that begins a sign-in, and gives the provider's address. */
async function begin(person: Person, path = '/auth/oidc'): Promise<string> {
  const { status, headers } = await person.fetch(path);
  expect(status).toBe(303);
  return headers.get('Location') ?? '';
}

/** Comes back from the provider, and gives the page that the person then sees. */
async function comeBack(person: Person, address: string): Promise<string> {
  const { status, headers } = await person.fetch(address.slice(ORIGIN.length), ELSEWHERE);
  expect(status).toBe(303);
  return headers.get('Location') ?? '';
}

/** Signs a person of the provider in, and gives the page that they then see. */
async function signIn(person: Person, subject: string, path?: string): Promise<string> {
  return comeBack(person, await provider.visit(await begin(person, path), subject));
}

/** Signs a person of the provider in from a page that asks for the provider's address. */
async function signInWith(person: Person, subject: string, body: Record<string, unknown>): Promise<string> {
  const { status, body: told } = await person.auth('oidc', body);
  expect([status, told]).toEqual([200, { url: expect.any(String) }]);
  return comeBack(person, await provider.visit(String(told.url), subject));
}

const fault = (code: string) => `/console/sign-in?fault=${code}`;

/** The accounts and roles of who is signed in; null for nobody. */
async function accountsOf(person: Person): Promise<string[] | null> {
  const { status, body } = await person.auth('session');
  if (status === 401) return null;
  return (body.accounts as { name: string; role: string }[]).map(({ name, role }) => `${name} ${role}`);
}

/** A user with a password, who is signed in. */
async function userWith(email: string, on = server): Promise<Person> {
  const { token } = await inviteByOperator(on.database, 1, { email, role: 'ADMIN' }, on.clock.now);
  const person = new Person(on);
  const input = { token, email, name: 'With a password', password: 'correct horse' };
  expect((await person.auth('accept', input)).status).toBe(201);
  return person;
}

test('makes a user of somebody unknown who has a role', async () => {
  provider.people.set('ana', {
    email: 'Ana@x.example',
    name: 'Ana',
    groups: ['readers', 'writers', 'others'],
  });
  const ana = new Person(server);
  expect(await signIn(ana, 'ana', '/auth/oidc?to=/console/1/links%3Fq%3Da')).toBe('/console/1/links?q=a');
  expect((await ana.auth('session')).body).toMatchObject({
    user: { name: 'Ana', email: 'Ana@x.example' },
    accounts: [{ name: 'default', role: 'EDITOR' }],
  });
  expect((await ana.auth('profile')).body).toEqual({
    user: { id: expect.any(String), name: 'Ana', email: 'Ana@x.example' },
    hasPassword: false,
    passkeys: [],
    identities: [
      { id: expect.any(String), issuer: provider.issuer, createdAt: server.clock.now.toISOString() },
    ],
    signedInAt: server.clock.now.toISOString(),
    sessions: [expect.objectContaining({ isCurrent: true })],
  });
});

test('knows a user again by issuer and subject, whatever the email is', async () => {
  provider.people.set('moving', { email: 'before@x.example', groups: ['readers'] });
  const person = new Person(server);
  await signIn(person, 'moving');
  const before = await person.auth('session');
  provider.people.set('moving', { email: 'after@x.example', groups: ['readers'] });
  const again = new Person(server);
  expect(await signIn(again, 'moving')).toBe('/console');
  expect(await again.auth('session')).toMatchObject({ body: { user: before.body.user } });
});

test('believes what the ID token says, and else asks for it', async () => {
  provider.people.set('short', { email: 'short@x.example', name: 'Short', groups: ['others'] });
  const claims = { email: 'short@x.example', name: 'Shorty', groups: 'readers' };
  provider.attack = { change: (token) => Object.assign(token.claims, claims) };
  const person = new Person(server);
  expect(await signIn(person, 'short')).toBe('/console');
  expect((await person.auth('session')).body).toMatchObject({ user: { name: 'Shorty' }, role: 'VIEWER' });
});

test('makes no user of somebody without a role, or without an email', async () => {
  provider.people.set('nobody', { email: 'nobody@x.example', groups: ['others'] });
  provider.people.set('nameless', { groups: ['readers'] });
  const users = await server.database.prisma.user.count();
  const person = new Person(server);
  expect(await signIn(person, 'nobody')).toBe(fault('NO_ROLE'));
  expect(await signIn(person, 'nameless')).toBe(fault('NO_EMAIL'));
  expect([await server.database.prisma.user.count(), person.cookie]).toEqual([users, null]);
});

test('tells somebody whom the provider refuses', async () => {
  expect(await signIn(new Person(server), 'a stranger')).toBe(fault('REFUSED'));
  expect(server.log).toContainEqual(
    expect.objectContaining({ reason: expect.stringContaining('access_denied') }),
  );
});

test.each([
  ['Nobody told 5ecret', 'access_denied', 'access_denied'],
  ['Nobody told 5ecret', 'Nobody told 5ecret', ''],
  ['Nobody told 5ecret', '5ecret', ''],
])('logs the code of a refusal, and no words: %j, %j', async (error_description, error, code) => {
  const person = new Person(server);
  const state = new URL(await begin(person)).searchParams.get('state') ?? '';
  const told = new URLSearchParams({ error, error_description, state, iss: provider.issuer });
  const logged = server.log.length;
  expect(await comeBack(person, `${ORIGIN}/auth/oidc/callback?${told}`)).toBe(fault('REFUSED'));
  const log = JSON.stringify(server.log.slice(logged));
  expect(log).toContain(code);
  expect(log).not.toMatch(/5ecret|Nobody/);
});

test.each([
  ['an error', '{"error":"invalid_grant","error_description":"Nobody told 5ecret"}', 'invalid_grant'],
  ['a text', 'Nobody told 5ecret', 'SyntaxError'],
])('logs no words of %s in place of tokens', async (_what, instead, code) => {
  provider.people.set('attacked', { email: 'attacked@x.example', groups: ['readers'] });
  provider.attack = { instead };
  const logged = server.log.length;
  expect(await signIn(new Person(server), 'attacked')).toBe(fault('FAILED'));
  const log = JSON.stringify(server.log.slice(logged));
  expect(log).toContain(code);
  expect(log).not.toMatch(/5ecret|Nobody/);
});

test.each<
  [string, (token: { header: Record<string, unknown>; claims: Record<string, unknown> }) => void, string]
>([
  ['another nonce', ({ claims }) => Object.assign(claims, { nonce: 'other' }), 'nonce'],
  ['no nonce', ({ claims }) => delete claims.nonce, 'nonce'],
  ['another issuer', ({ claims }) => Object.assign(claims, { iss: 'https://other.example' }), 'iss'],
  ['another audience', ({ claims }) => Object.assign(claims, { aud: 'other' }), 'aud'],
  [
    'many audiences and none authorized',
    ({ claims }) => Object.assign(claims, { aud: [CLIENT.id, 'x'] }),
    'aud',
  ],
  ['a time that is over', ({ claims }) => Object.assign(claims, { exp: 1 }), 'exp'],
  [
    'its roles in another place',
    ({ claims }) => Object.assign(claims, { _claim_names: { groups: 'source' } }),
    'another place',
  ],
  ['no algorithm', ({ header }) => Object.assign(header, { alg: 'none' }), 'alg'],
  ['a symmetric algorithm', ({ header }) => Object.assign(header, { alg: 'HS256' }), 'alg'],
])('refuses an ID token with %s', async (_what, change, reason) => {
  provider.people.set('attacked', { email: 'attacked@x.example', groups: ['readers'] });
  provider.attack = { change };
  const person = new Person(server);
  const logged = server.log.length;
  expect([await signIn(person, 'attacked'), person.cookie]).toEqual([fault('FAILED'), null]);
  const reasons = server.log.slice(logged).flatMap((line) => line.reason ?? []);
  expect(reasons).toEqual([expect.stringContaining(reason)]);
});

test('refuses an ID token that another key signed', async () => {
  provider.attack = { isForged: true };
  expect(await signIn(new Person(server), 'attacked')).toBe(fault('FAILED'));
});

test('refuses an answer with another state, without the cookie, or twice', async () => {
  provider.people.set('bob', { email: 'bob@x.example', groups: ['readers'] });
  const bob = new Person(server);
  const back = await provider.visit(await begin(bob), 'bob');
  const other = back.replace(/state=[^&]+/, 'state=other');
  expect(await comeBack(new Person(server), back)).toBe(fault('EXPIRED'));
  expect(await comeBack(bob, other)).toBe(fault('EXPIRED'));
  const { cookies } = bob;
  const copy = new Map(cookies);
  expect(await comeBack(bob, back)).toBe('/console');
  expect([...cookies]).toEqual([]);
  const thief = new Person(server);
  for (const [name, pair] of copy) thief.cookies.set(name, pair);
  expect([await comeBack(thief, back), thief.cookie]).toEqual([fault('EXPIRED'), null]);
});

test('refuses a code that was used, in the answer to another sign-in', async () => {
  const first = new URL(await provider.visit(await begin(new Person(server)), 'bob'));
  const thief = new Person(server);
  const second = new URL(await provider.visit(await begin(thief), 'bob'));
  second.searchParams.set('code', first.searchParams.get('code') ?? '');
  expect([await comeBack(thief, second.href), thief.cookie]).toEqual([fault('FAILED'), null]);
});

test('refuses an answer that takes longer than ten minutes', async () => {
  const late = new Person(server);
  const back = await provider.visit(await begin(late), 'bob');
  const { now } = server.clock;
  server.clock.now = new Date(now.getTime() + 600_000);
  expect(await comeBack(late, back)).toBe(fault('EXPIRED'));
  server.clock.now = now;
});

test.each([
  ['//evil.example/console', '/console'],
  ['https://evil.example/console/', '/console'],
  ['https:evil.example', '/console'],
  ['\\\\evil.example', '/console'],
  ['/console/../auth/sign-out', '/console'],
  ['/console/%2e%2e/graphql', '/console'],
  ['/consoles', '/console'],
  ['/', '/console'],
  ['javascript:alert(1)', '/console'],
  ['/console/\r\nX-Other: 1', '/console/X-Other:%201'],
  ['/console\\..\\..\\x', '/console'],
  ['/console/1/links?q=ü#a', '/console/1/links?q=%C3%BC#a'],
])('asked for %j, leads to %j', async (to, expected) => {
  expect(await signIn(new Person(server), 'bob', `/auth/oidc?to=${encodeURIComponent(to)}`)).toBe(expected);
});

test('begins no sign-in for a page of another site', async () => {
  const { status } = await new Person(server).fetch('/auth/oidc', ELSEWHERE);
  expect(status).toBe(403);
});

describe('roles that change', () => {
  const subject = 'changing';
  const give = (...groups: string[]) =>
    provider.people.set(subject, { email: 'changing@x.example', name: 'Changing', groups });

  test('follow the provider, and end what the lower role may not', async () => {
    const person = new Person(server);
    give('writers', 'readers of another');
    await signIn(person, subject);
    expect(await accountsOf(person)).toEqual(['default EDITOR', 'Another VIEWER']);
    give('readers');
    const later = new Person(server);
    await signIn(later, subject);
    expect(await accountsOf(later)).toEqual(['default VIEWER']);
    // The session stays while there is another account.
    expect(await accountsOf(person)).toEqual(['default VIEWER']);
    give('others');
    await signIn(person, subject);
    expect(await accountsOf(person)).toEqual([]);
    expect(await accountsOf(later)).toBe(null);
  });

  test('end the keys that a former member made', async () => {
    const { prisma } = server.database;
    const person = new Person(server);
    await userWith('an-owner@x.example');
    await prisma.membership.updateMany({
      where: { user: { email: 'an-owner@x.example' } },
      data: { role: 'OWNER' },
    });
    give('bosses');
    await signIn(person, subject);
    const { createApiKey } = await person.data<{ createApiKey: { key: string } }>(
      'mutation { createApiKey(input: { name: "a", role: VIEWER }) { ... on CreatedApiKey { key } } }',
    );
    const caller = server.callerWith(createApiKey.key);
    expect((await caller.graphql('{ viewer { role } }')).status).toBe(200);
    give();
    await signIn(person, subject);
    await expect.poll(async () => (await caller.graphql('{ viewer { role } }')).status).toBe(401);
  });

  test('leave the last owner, who keeps the role', async () => {
    const { prisma } = server.database;
    give('bosses');
    const person = new Person(server);
    await signIn(person, subject);
    await prisma.membership.updateMany({
      where: { role: 'OWNER', user: { email: { not: 'changing@x.example' } } },
      data: { role: 'ADMIN' },
    });
    for (const groups of [['readers'], []]) {
      give(...groups);
      await signIn(person, subject);
      expect(await accountsOf(person)).toEqual(['default OWNER']);
    }
  });

  test('leave memberships that people gave', async () => {
    const { prisma } = server.database;
    give('bosses');
    const person = new Person(server);
    await signIn(person, subject);
    const { user } = (await person.auth('session')).body as { user: { id: string } };
    await prisma.membership.create({
      data: { accountId: 2, userId: Number(user.id), role: 'ADMIN', createdAt: server.clock.now },
    });
    for (const groups of [['bosses', 'readers of another'], ['bosses']]) {
      give(...groups);
      await signIn(person, subject);
      expect(await accountsOf(person)).toEqual(['default OWNER', 'Another ADMIN']);
    }
  });
});

describe('an email that is taken', () => {
  const email = 'taken@x.example';
  let owner: Person;
  beforeAll(async () => {
    owner = await userWith(email);
    provider.people.set('taker', { email: 'TAKEN@x.example', groups: ['readers'] });
    provider.people.set('linker', { email: 'linker@x.example', groups: ['others'] });
  });

  test('is refused, until its user links the provider', async () => {
    expect(await signIn(new Person(server), 'taker')).toBe(fault('EMAIL_TAKEN'));
    expect(await server.database.prisma.identity.count({ where: { subject: 'taker' } })).toBe(0);
    const elsewhere = new Person(server);
    await elsewhere.auth('sign-in', { email, password: 'correct horse' });
    expect(await signIn(owner, 'taker', '/auth/oidc?link=1&to=/console/1/profile')).toBe(
      '/console/1/profile',
    );
    expect(await accountsOf(elsewhere)).toBe(null);
    const again = new Person(server);
    expect(await signIn(again, 'taker')).toBe('/console');
    expect((await again.auth('session')).body).toMatchObject({ user: { email } });
  });

  test('links only for who began it, while they are signed in', async () => {
    expect(await begin(new Person(server), '/auth/oidc?link=1')).toBe(fault('SIGN_IN_FIRST'));
    expect((await new Person(server).auth('oidc', { link: true })).status).toBe(401);
    const somebody = await userWith('somebody@x.example');
    const back = await provider.visit(await begin(somebody, '/auth/oidc?link=1'), 'linker');
    const other = await userWith('other@x.example');
    for (const [name, pair] of somebody.cookies) other.cookies.set(name, pair);
    expect(await comeBack(other, back)).toBe(fault('SIGN_IN_FIRST'));
    expect(await server.database.prisma.identity.count({ where: { subject: 'linker' } })).toBe(0);
    // What a session began ends with it.
    const begun = await provider.visit(await begin(somebody, '/auth/oidc?link=1'), 'linker');
    await somebody.auth('sign-out', {});
    await somebody.auth('sign-in', { email: 'somebody@x.example', password: 'correct horse' });
    expect(await comeBack(somebody, begun)).toBe(fault('EXPIRED'));
    // A sign-in of the same user in its place takes it over.
    const again = await provider.visit(await begin(somebody, '/auth/oidc?link=1'), 'second');
    await somebody.auth('sign-in', { email: 'somebody@x.example', password: 'correct horse' });
    expect(await comeBack(somebody, again)).toMatch(/^\/console/);
    expect(await signInWith(somebody, 'linker', { link: true, to: '/console/1' })).toBe('/console/1');
    expect(await signInWith(other, 'linker', { link: true })).toBe(fault('LINKED_ELSEWHERE'));
  });

  test('is asked nothing more for somebody whose session ends meanwhile', async () => {
    const somebody = await userWith('ending@x.example');
    provider.people.set('ending', { email: 'ending@x.example' });
    const back = await provider.visit(await begin(somebody, '/auth/oidc?link=1'), 'ending');
    const code = async () => (await somebody.graphql('{ viewer { role } }')).errors?.[0]?.extensions.code;
    expect(await code()).toBeUndefined();
    provider.attack = {
      async before() {
        await server.database.prisma.session.deleteMany({ where: { user: { email: 'ending@x.example' } } });
        await expect.poll(code).toBe('UNAUTHENTICATED');
        provider.asked.length = 0;
      },
    };
    expect(await comeBack(somebody, back)).toBe(fault('SIGN_IN_FIRST'));
    expect(provider.asked).toEqual([]);
  });

  test('wants a sign-in of the last 15 minutes to link and to remove', async () => {
    const { now } = server.clock;
    const late = await userWith('late@x.example');
    const { body } = await owner.auth('profile');
    const [identity] = body.identities as { id: string }[];
    server.clock.now = new Date(now.getTime() + 15 * 60_000 + 1);
    expect(await begin(late, '/auth/oidc?link=1')).toBe(fault('SIGN_IN_AGAIN'));
    expect((await late.auth('oidc', { link: true })).status).toBe(403);
    server.clock.now = new Date(now.getTime() + 10 * 60_000);
    const begun = await provider.visit(await begin(late, '/auth/oidc?link=1'), 'comes back late');
    server.clock.now = new Date(now.getTime() + 15 * 60_000 + 1);
    expect(await comeBack(late, begun)).toBe(fault('SIGN_IN_AGAIN'));
    expect((await owner.auth('identity/remove', { id: identity?.id })).status).toBe(403);
    server.clock.now = now;
    expect((await late.auth('identity/remove', { id: identity?.id })).status).toBe(404);
    expect((await owner.auth('identity/remove', { id: identity?.id })).status).toBe(204);
    expect(await signIn(new Person(server), 'taker')).toBe(fault('EMAIL_TAKEN'));
  });

  test('keeps the last way to sign in', async () => {
    const ana = new Person(server);
    await signIn(ana, 'ana');
    const { body } = await ana.auth('profile');
    const [identity] = body.identities as { id: string }[];
    const { status, body: refusal } = await ana.auth('identity/remove', { id: identity?.id });
    expect([status, refusal.error?.field]).toEqual([422, 'id']);
  });
});

test('lets no disabled user in', async () => {
  const { prisma } = server.database;
  const user = { email: 'bob@x.example' };
  await prisma.user.updateMany({ where: user, data: { disabledAt: server.clock.now } });
  expect(await signIn(new Person(server), 'bob')).toBe(fault('DISABLED'));
  await prisma.user.updateMany({ where: user, data: { disabledAt: null } });
});

test('leads from a sign-out to that of the provider, for whom the provider knows', async () => {
  const ana = new Person(server);
  await signIn(ana, 'ana');
  const { status, body } = await ana.auth('sign-out', {});
  const url = new URL(String(body.url));
  expect([status, url.origin, url.searchParams.get('post_logout_redirect_uri'), ana.cookie]).toEqual([
    200,
    provider.issuer,
    `${ORIGIN}/console/sign-in`,
    null,
  ]);
  const other = await userWith('with-password@x.example');
  expect((await other.auth('sign-out', {})).status).toBe(204);
});

test('lets one person sign in several times at once, also while roles change', async () => {
  const people = Array.from({ length: 8 }, () => new Person(server));
  const person = { email: 'twice@x.example' };
  for (const groups of [['readers'], ['writers', 'readers of another'], ['others']]) {
    provider.people.set('twice', { ...person, groups });
    const addresses: string[] = [];
    for (const one of people) addresses.push(await provider.visit(await begin(one), 'twice'));
    const pages = await Promise.all(people.map((one, at) => comeBack(one, addresses[at] ?? '')));
    expect(pages).toEqual(people.map(() => '/console'));
  }
  expect(await server.database.prisma.user.count({ where: person })).toBe(1);
  expect(await server.database.prisma.membership.count({ where: { user: person } })).toBe(0);
});

test('tells which ways there are', async () => {
  expect((await new Person(server).auth('methods')).body).toMatchObject({
    password: true,
    passkeys: true,
    consoleUrl: ORIGIN,
    openid: { name: 'Company' },
  });
});

test('starts while the provider is down, says so to people and in the log, and works when it is up', async () => {
  const first = await startProvider();
  const { issuer: oidcIssuer, port } = first;
  await first.stop();
  const own = await startTestServer({
    ...settings(),
    oidcIssuer,
    oidcRoles: [{ value: 'a', account: '1', role: 'OWNER' }],
  });
  await own.caller('default');
  const person = new Person(own);
  expect((await person.auth('oidc', {})).body.error).toMatchObject({ code: 'UNAVAILABLE' });
  expect(await begin(person)).toBe(fault('PROVIDER_DOWN'));
  const reasons = own.log.filter(({ issuer }) => issuer === oidcIssuer).flatMap(({ reason }) => reason ?? []);
  expect(reasons.length).toBeGreaterThan(2);
  expect(reasons[0]).toContain('ECONNREFUSED');
  const second = await startProvider({ port });
  second.people.set('eve', { email: 'eve@x.example', groups: ['a'] });
  const back = await second.visit(await begin(person), 'eve');
  expect(await comeBack(person, back)).toBe('/console');
  const late = await second.visit(await begin(person), 'eve');
  await second.stop();
  expect(await comeBack(person, late)).toBe(fault('PROVIDER_DOWN'));
  expect(await begin(person)).toBe(fault('PROVIDER_DOWN'));
  await own.stop();
});

test('asks for the metadata once a minute, and lets few people wait for a provider that hangs', async () => {
  let asked = 0;
  let hangs = false;
  const hanging = createServer((_req, res) => {
    asked++;
    if (!hangs) res.setHeader('Content-Type', 'application/json').end(JSON.stringify(metadata));
  });
  await new Promise<void>((done) => hanging.listen(0, '127.0.0.1', done));
  const oidcIssuer = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`;
  const metadata = { issuer: oidcIssuer, authorization_endpoint: `${oidcIssuer}/auth` };
  const known = await startTestServer({ ...settings(), oidcIssuer, oidcRoles: [] });
  await begin(new Person(known));
  const before = asked;
  for (let i = 0; i < 3; i++) expect(await begin(new Person(known))).toContain(`${oidcIssuer}/auth`);
  expect(asked).toBe(before);
  await known.stop();
  hangs = true;
  const own = await startTestServer({ ...settings(), oidcIssuer, oidcRoles: [] });
  const pages: string[] = [];
  const all = Promise.all(
    Array.from({ length: 110 }, async () => void pages.push(await begin(new Person(own)))),
  );
  await expect.poll(() => pages).toEqual(Array(10).fill(fault('PROVIDER_DOWN')));
  hanging.closeAllConnections();
  hanging.close();
  await all;
  await own.stop();
});

test('sends the secret in the body to a provider that wants it there', async () => {
  const other = await startProvider({ client: { token_endpoint_auth_method: 'client_secret_post' } });
  const { issuer: oidcIssuer } = other;
  other.people.set('eve', { email: 'eve@x.example', groups: ['a'] });
  const oidcRoles: RoleRule[] = [{ value: 'a', account: '1', role: 'OWNER' }];
  const own = await startTestServer({ ...settings(), oidcIssuer, oidcRoles });
  await own.caller('default');
  for (const _ of [1, 2]) {
    const eve = new Person(own);
    expect(await comeBack(eve, await other.visit(await begin(eve), 'eve'))).toBe('/console');
  }
  await own.stop();
  const wrong = await startTestServer({ ...settings(), oidcIssuer, oidcRoles, oidcClientSecret: 'wrong' });
  const eve = new Person(wrong);
  expect(await comeBack(eve, await other.visit(await begin(eve), 'eve'))).toBe(fault('FAILED'));
  expect(wrong.log).toContainEqual(
    expect.objectContaining({ reason: expect.stringContaining('WWW-Authenticate') }),
  );
  await wrong.stop();
  await other.stop();
});

test.each(['passkey/register', 'passkey/sign-in', 'passkey/remove', 'identity/remove', 'oidc'])(
  'answers /auth/%s without fields in words',
  async (path) => {
    const person = await userWith(`fields-${path}@x.example`.replace('/', '-'));
    for (const init of [{ body: '' }, { body: '[]' }, { body: '{"id":{},"to":3}' }]) {
      const headers = { 'Content-Type': 'application/json' };
      const { status } = await person.fetch(`/auth/${path}`, { method: 'POST', headers, ...init });
      expect(status).toBeLessThan(500);
    }
  },
);

describe('with OIDC_ONLY', () => {
  let only: TestServer;
  let token: string;
  beforeAll(async () => {
    only = await startTestServer({ ...settings(), oidcOnly: true, oidcRoles: [] });
    await only.caller('default');
    token = (await createWelcome(only.database, only.clock.now)) ?? '';
    provider.people.set('first', { email: 'first@x.example', name: 'First' });
    provider.people.set('invited', { email: 'Invited@x.example', name: 'Invited' });
  });
  afterAll(() => only.stop());

  test('the first owner comes in through the provider', async () => {
    const first = new Person(only);
    const input = { token, name: 'First', email: 'first@x.example', password: 'correct horse' };
    expect(await first.auth('welcome', input)).toMatchObject({
      status: 403,
      body: { error: { code: 'FORBIDDEN', message: expect.stringContaining('Company') } },
    });
    expect(await signInWith(first, 'first', { token: 'unknown' })).toBe(fault('LINK_ENDED'));
    expect(await signIn(first, 'first')).toBe(fault('NO_ROLE'));
    expect(await signInWith(first, 'first', { token, to: '/console/1' })).toBe('/console/1');
    expect(await accountsOf(first)).toEqual(['default OWNER']);
    expect(await signInWith(new Person(only), 'invited', { token })).toBe(fault('LINK_ENDED'));
    expect(await signIn(first, 'first')).toBe('/console');
    expect(await accountsOf(first)).toEqual(['default OWNER']);
  });

  test('an invitation is accepted through the provider, by its email alone', async () => {
    const invitation = { email: 'invited@x.example', role: 'EDITOR' };
    const invited = await inviteByOperator(only.database, 1, invitation, only.clock.now);
    const person = new Person(only);
    const input = { token: invited.token, ...invitation, name: 'Invited', password: 'correct horse' };
    expect((await person.auth('accept', input)).status).toBe(403);
    provider.people.set('other', { email: 'other@x.example', name: 'Other' });
    expect(await signInWith(person, 'other', { token: invited.token })).toBe(fault('OTHER_EMAIL'));
    expect(await signInWith(person, 'first', { token: invited.token })).toBe(fault('OTHER_EMAIL'));
    expect(await signInWith(person, 'invited', { token: invited.token })).toBe('/console');
    expect(await accountsOf(person)).toEqual(['default EDITOR']);
    expect(await signIn(person, 'invited')).toBe('/console');
    expect(await accountsOf(person)).toEqual(['default EDITOR']);
  });

  test('the operator’s link signs in once, sets no password, and leaves the identity', async () => {
    const { prisma } = only.database;
    const { id: userId } = await prisma.user.findFirstOrThrow();
    const reset = await createToken(only.database, 'RESET', { userId }, only.clock.now);
    const person = new Person(only);
    const answer = await person.auth('reset', { token: reset, password: 'correct horse' });
    expect([answer.status, await accountsOf(person)]).toEqual([200, ['default OWNER']]);
    expect(await prisma.user.findMany({ where: { password: { not: null } } })).toEqual([]);
    expect(await prisma.identity.count({ where: { userId } })).toBe(1);
    expect((await person.auth('reset', { token: reset })).status).toBe(410);
  });

  test.each([
    'sign-in',
    'password',
    'passkey/registration-options',
    'passkey/register',
    'passkey/sign-in-options',
    'passkey/sign-in',
    'passkey/remove',
  ])('there is no /auth/%s', async (path) => {
    const person = new Person(only);
    await signIn(person, 'first');
    const { status, body } = await person.auth(path, {
      email: 'a@b.example',
      password: 'correct horse',
      token: '',
    });
    expect([status, body.error?.code]).toEqual([403, 'FORBIDDEN']);
  });

  test('no link for a new password is made', async () => {
    const { status } = await new Person(only).auth('forgot', { email: 'first@x.example' });
    expect([status, await only.database.prisma.oneTimeToken.count({ where: { kind: 'RESET' } })]).toEqual([
      202, 0,
    ]);
  });

  test('pages are told', async () => {
    const { body } = await new Person(only).auth('methods');
    expect(body).toMatchObject({ password: false, passkeys: false, openid: { name: 'Company' } });
  });
});

test('404s without a provider', async () => {
  const plain = await startTestServer();
  for (const path of ['/auth/oidc', '/auth/oidc/callback'])
    expect((await new Person(plain).fetch(path)).status).toBe(404);
  expect((await new Person(plain).auth('oidc', {})).status).toBe(404);
  expect((await new Person(plain).auth('methods')).body.openid).toBe(null);
  await plain.stop();
});

test('keeps of the tokens of a sign-in and of the link of an invitation only the hash', async () => {
  const person = new Person(server);
  const link = 'a'.repeat(43);
  await person.auth('oidc', { token: link });
  const [pair = ''] = person.cookies.values();
  const [token = '', ...rest] = pair.slice(pair.indexOf('=') + 1).split('.');
  const row = await server.database.prisma.oneTimeToken.findFirst({ where: { hash: hashToken(token) } });
  expect([row?.kind, rest]).toEqual(['OPENID', [link]]);
  expect(JSON.stringify(row)).not.toMatch(new RegExp(`${token}|${link}`));
});

test('an unknown account in OIDC_ROLES stops the start', async () => {
  const start = startTestServer({
    ...settings(),
    oidcRoles: [{ value: 'a', account: 'Nobodys', role: 'ADMIN' }],
  });
  await expect(start).rejects.toThrow(/^OIDC_ROLES gives roles in "Nobodys", which is no account/);
});

const needed = { OIDC_CLIENT_ID: 'a', OIDC_CLIENT_SECRET: 'a secret' };

test.each([
  ['admins=Marketing:admin', [{ value: 'admins', account: 'Marketing', role: 'ADMIN' }]],
  [
    'a=b=1:owner, urn:x:y = A: B :VIEWER',
    [
      { value: 'a=b', account: '1', role: 'OWNER' },
      { value: 'urn:x:y', account: 'A: B', role: 'VIEWER' },
    ],
  ],
])('reads OIDC_ROLES=%s', (OIDC_ROLES, expected) => {
  const config = readConfig({ OIDC_ISSUER: 'https://id.example', ...needed, OIDC_ROLES });
  expect([config.oidcRoles, config.oidcRolesClaim]).toEqual([expected, 'groups']);
});

test.each<[Record<string, string>, string]>([
  [{ OIDC_ISSUER: 'http://id.example', ...needed }, 'OIDC_ISSUER'],
  [{ OIDC_ISSUER: 'https://id.example?a=b', ...needed }, 'OIDC_ISSUER'],
  [{ OIDC_ISSUER: 'id.example', ...needed, OIDC_ONLY: 'on' }, 'OIDC_ISSUER'],
  [{ OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_SECRET: 'a secret' }, 'OIDC_CLIENT_ID'],
  [{ OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'a' }, 'OIDC_CLIENT_SECRET'],
  [{ OIDC_CLIENT_ID: 'a' }, 'OIDC_ISSUER'],
  [{ OIDC_ONLY: 'on' }, 'OIDC_ONLY'],
  [{ OIDC_ROLES: 'a=b' }, 'OIDC_ROLES'],
  [{ OIDC_ROLES: 'a=b:king' }, 'OIDC_ROLES'],
  [{ OIDC_ROLES: 'a=b:admin,' }, 'OIDC_ROLES'],
])('refuses %j', (env, variable) => {
  expect(() => readConfig(env)).toThrow(new RegExp(`^${variable} is [^\\n]*$`));
});

test.each([
  'http://localhost:4000',
  'http://127.0.0.1:4000/realm',
  'http://[::1]:4000',
  'https://id.example/a/',
])('accepts the issuer %s', (issuer) => {
  expect(readConfig({ OIDC_ISSUER: issuer, ...needed }).oidcIssuer).toBe(issuer);
});
