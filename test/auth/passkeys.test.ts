import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inviteByOperator } from '../../src/domain/access/invitation.ts';
import { Authenticator } from '../support/authenticator.ts';
import { Person } from '../support/person.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let people = 0;
/** A user with a password, who is signed in. */
async function newUser(on = server): Promise<{ person: Person; email: string }> {
  const email = `person-${people++}@x.example`;
  const { token } = await inviteByOperator(on.database, 1, { email, role: 'EDITOR' }, on.clock.now);
  const person = new Person(on);
  const input = { token, email, name: 'A person', password: 'correct horse' };
  expect((await person.auth('accept', input)).status).toBe(201);
  return { person, email };
}

// The answers of options, as far as the authenticator needs them.
const creation = async (person: Person) =>
  (await person.auth('passkey/registration-options', {})).body as unknown as Parameters<
    Authenticator['create']
  >[0];
const request = async (person: Person) =>
  (await person.auth('passkey/sign-in-options', {})).body as unknown as Parameters<Authenticator['get']>[0];

async function register(person: Person, authenticator: Authenticator, name = 'Phone') {
  const response = authenticator.create(await creation(person));
  return person.auth('passkey/register', { name, response });
}

async function signIn(authenticator: Authenticator, person = new Person(server)) {
  return person.auth('passkey/sign-in', { response: authenticator.get(await request(person)) });
}

let authenticator: Authenticator;
beforeAll(async () => {
  server = await startTestServer();
  await server.caller('default');
});
afterAll(() => server.stop());
beforeEach(() => {
  authenticator = new Authenticator();
});

test('asks for discoverable passkeys of a verified user, for the host of the console', async () => {
  const { person, email } = await newUser();
  const challenge = expect.stringMatching(/^[\w-]{43}$/);
  expect((await person.auth('passkey/registration-options', {})).body).toMatchObject({
    challenge,
    rp: { id: 's.example' },
    user: { name: email, displayName: 'A person' },
    attestation: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  expect((await person.auth('passkey/sign-in-options', {})).body).toMatchObject({
    challenge,
    rpId: 's.example',
    userVerification: 'required',
    allowCredentials: [],
  });
});

test('registers passkeys, and signs in with each', async () => {
  const { person, email } = await newUser();
  expect(await register(person, authenticator, ' Phone ')).toMatchObject({
    status: 201,
    body: { id: expect.any(String), name: 'Phone' },
  });
  const key = new Authenticator();
  key.counter = null;
  await register(person, key, 'Key');
  const { body } = await person.auth('profile');
  expect(body.passkeys).toMatchObject([
    { name: 'Phone', createdAt: server.clock.now.toISOString(), lastUsedAt: null },
    { name: 'Key' },
  ]);
  for (const one of [authenticator, key, key]) {
    const other = new Person(server);
    expect(await signIn(one, other)).toMatchObject({
      status: 200,
      body: { user: { email }, role: 'EDITOR' },
    });
    expect((await other.auth('session')).status).toBe(200);
  }
  const { body: after } = await person.auth('profile');
  expect(after.passkeys).toMatchObject([
    { lastUsedAt: server.clock.now.toISOString() },
    { lastUsedAt: server.clock.now.toISOString() },
  ]);
});

test('begins a new session in place of the one that the browser has', async () => {
  const { person } = await newUser();
  await register(person, authenticator);
  const before = person.cookie;
  await signIn(authenticator, person);
  const old = new Person(server);
  old.cookie = before;
  expect([(await person.auth('session')).status, (await old.auth('session')).status]).toEqual([200, 401]);
});

test('names the user’s passkeys, so that an authenticator makes no second one', async () => {
  const { person } = await newUser();
  await register(person, authenticator);
  const [made] = authenticator.credentials;
  const options = await person.auth('passkey/registration-options', {});
  expect(options.body.excludeCredentials).toEqual([
    { id: made?.id, type: 'public-key', transports: ['internal'] },
  ]);
});

describe('refuses a registration', () => {
  test.each<[string, (authenticator: Authenticator) => void]>([
    ['of another origin', (one) => Object.assign(one, { origin: 'https://evil.example' })],
    ['of another port', (one) => Object.assign(one, { origin: 'https://s.example:8443' })],
    ['for another host', (one) => Object.assign(one, { rpId: 'example' })],
    ['of an unverified user', (one) => Object.assign(one, { verifies: false })],
  ])('%s', async (_what, change) => {
    const { person } = await newUser();
    change(authenticator);
    const { status, body } = await register(person, authenticator);
    expect([status, body.error?.field]).toEqual([422, 'response']);
    expect((await person.auth('profile')).body.passkeys).toEqual([]);
  });

  test('with the challenge of another user, of a sign-in, or a second time', async () => {
    const [one, other] = [await newUser(), await newUser()];
    const options = await creation(one.person);
    const send = (person: Person, response: object) =>
      person.auth('passkey/register', { name: 'a', response });
    expect((await send(other.person, authenticator.create(options))).status).toBe(422);
    const { challenge } = await request(one.person);
    expect(await send(one.person, authenticator.create({ ...options, challenge }))).toMatchObject({
      ...{ status: 422, body: { error: { field: 'response', reason: 'PASSKEY_REFUSED', reasonValues: [] } } },
    });
    const response = authenticator.create(await creation(one.person));
    expect((await send(one.person, response)).status).toBe(201);
    expect((await send(one.person, response)).status).toBe(422);
  });

  test('that takes longer than five minutes', async () => {
    const { person } = await newUser();
    const response = authenticator.create(await creation(person));
    const { now } = server.clock;
    server.clock.now = new Date(now.getTime() + 5 * 60_000);
    expect((await person.auth('passkey/register', { name: 'a', response })).status).toBe(422);
    server.clock.now = now;
  });

  test('of a passkey that somebody has', async () => {
    const [one, other] = [await newUser(), await newUser()];
    await register(one.person, authenticator);
    const [first] = authenticator.credentials;
    const made = authenticator.create(await creation(other.person));
    const [fresh] = authenticator.credentials.slice(-1);
    const attestationObject = Buffer.from(made.response.attestationObject, 'base64url');
    const at = attestationObject.indexOf(Buffer.from(fresh?.id ?? '', 'base64url'));
    Buffer.from(first?.id ?? '', 'base64url').copy(attestationObject, at);
    const response = {
      ...made,
      id: first?.id,
      rawId: first?.id,
      response: { ...made.response, attestationObject: attestationObject.toString('base64url') },
    };
    expect((await other.person.auth('passkey/register', { name: 'a', response })).status).toBe(409);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['without a name', { name: ' ' }, 'name'],
    ['without a response', { name: 'a' }, 'response'],
    ['with a response that is none', { name: 'a', response: 'x' }, 'response'],
    ['with a long id', { name: 'a', response: { id: 'x'.repeat(13_000) } }, 'response.id'],
    [
      'that cannot be read',
      {
        name: 'a',
        response: {
          ...{ id: 'x', rawId: 'x', type: 'public-key' },
          response: { clientDataJSON: '!', attestationObject: '!' },
        },
      },
      'response',
    ],
  ])('%s', async (_what, body, field) => {
    const { person } = await newUser();
    const answer = await person.auth('passkey/register', body);
    expect([answer.status, answer.body.error?.field]).toEqual([422, field]);
  });

  test('of nobody, and of a sign-in before the last 15 minutes', async () => {
    const { person } = await newUser();
    await register(person, authenticator);
    const { body } = await person.auth('profile');
    const [made] = body.passkeys as { id: string }[];
    const { now } = server.clock;
    server.clock.now = new Date(now.getTime() + 15 * 60_000 + 1);
    for (const [who, status] of [
      [person, 403],
      [new Person(server), 401],
    ] as const)
      for (const path of ['registration-options', 'register', 'remove'])
        expect((await who.auth(`passkey/${path}`, { id: made?.id })).status).toBe(status);
    server.clock.now = now;
  });

  test('of more than 20', async () => {
    const { person } = await newUser();
    const options = await creation(person);
    for (let at = 0; at < 19; at++) expect((await register(person, authenticator)).status).toBe(201);
    const late = authenticator.create(options);
    expect((await register(person, authenticator)).status).toBe(201);
    expect((await person.auth('passkey/registration-options', {})).status).toBe(422);
    expect((await person.auth('passkey/register', { name: 'a', response: late })).status).toBe(422);
  });
});

test('refuses what is no answer of an authenticator, without words of the parser', async () => {
  const { body } = await new Person(server).auth('passkey/sign-in', { response: { type: 'key' } });
  expect(body.error).toMatchObject({
    ...{ code: 'VALIDATION', field: 'response.id', message: 'response.id is not valid.', reason: 'INVALID' },
  });
});

describe('refuses a sign-in', () => {
  let owner: Person;
  let email: string;
  beforeEach(async () => {
    ({ person: owner, email } = await newUser());
    await register(owner, authenticator);
  });

  test.each<[string, (authenticator: Authenticator) => void]>([
    ['of another origin', (one) => Object.assign(one, { origin: 'https://evil.example' })],
    ['for another host', (one) => Object.assign(one, { rpId: 'example' })],
    ['of an unverified user', (one) => Object.assign(one, { verifies: false })],
    ['with a counter that stands still', (one) => Object.assign(one, { counter: 1 })],
    ['with a counter that went back', (one) => Object.assign(one, { counter: 0 })],
    ['without its counter', (one) => Object.assign(one, { counter: null })],
    [
      'with another key',
      (one) => {
        one.create({ challenge: '', rp: { id: 's.example' }, user: { id: '' } });
        const [made, other] = one.credentials;
        if (made && other) one.credentials.push({ ...made, key: other.key });
      },
    ],
    [
      'with the handle of another user',
      (one) => {
        const [made] = one.credentials;
        if (made) one.credentials.push({ ...made, userHandle: Buffer.from('1').toString('base64url') });
      },
    ],
    [
      'with an unknown passkey',
      (one) => void one.create({ challenge: '', rp: { id: 's.example' }, user: { id: 'MQ' } }),
    ],
  ])('%s', async (_what, change) => {
    change(authenticator);
    const person = new Person(server);
    const { status, body } = await signIn(authenticator, person);
    expect([status, body.error?.code, person.cookie]).toEqual([401, 'UNAUTHENTICATED', null]);
  });

  test('with a challenge of a registration, a second time, or late', async () => {
    const person = new Person(server);
    const send = (response: object) => person.auth('passkey/sign-in', { response });
    const { challenge } = await creation(owner);
    expect((await send(authenticator.get({ challenge, rpId: 's.example' }))).status).toBe(401);
    const response = authenticator.get(await request(person));
    expect((await send(response)).status).toBe(200);
    expect((await send(response)).status).toBe(401);
    const late = authenticator.get(await request(person));
    const { now } = server.clock;
    server.clock.now = new Date(now.getTime() + 5 * 60_000);
    expect((await send(late)).status).toBe(401);
    server.clock.now = now;
  });

  test('of a disabled user', async () => {
    await server.database.prisma.user.updateMany({
      where: { email },
      data: { disabledAt: server.clock.now },
    });
    expect((await signIn(authenticator)).status).toBe(401);
  });

  test('with a removed passkey, whose removal ends the other sessions', async () => {
    const other = new Person(server);
    await signIn(authenticator, other);
    const { body } = await owner.auth('profile');
    const [{ id }] = body.passkeys as [{ id: string }];
    const stranger = await newUser();
    expect((await stranger.person.auth('passkey/remove', { id })).status).toBe(404);
    expect((await owner.auth('passkey/remove', { id })).status).toBe(204);
    expect([(await other.auth('session')).status, (await owner.auth('session')).status]).toEqual([401, 200]);
    expect((await signIn(authenticator)).status).toBe(401);
    expect((await owner.auth('passkey/remove', { id })).status).toBe(404);
  });
});

test('keeps the last way to sign in', async () => {
  const { person, email } = await newUser();
  await register(person, authenticator);
  await register(person, new Authenticator());
  await server.database.prisma.user.updateMany({ where: { email }, data: { password: null } });
  const { body } = await person.auth('profile');
  const [first, last] = body.passkeys as [{ id: string }, { id: string }];
  expect((await person.auth('passkey/remove', { id: first.id })).status).toBe(204);
  const refused = await person.auth('passkey/remove', { id: last.id });
  expect([refused.status, refused.body.error?.field]).toEqual([422, 'id']);
});

test('lets one of two sign-ins with the same counter in', async () => {
  const { person } = await newUser();
  await register(person, authenticator);
  const responses: object[] = [];
  for (const _ of [1, 2]) {
    authenticator.counter = 5;
    responses.push(authenticator.get(await request(person)));
  }
  const answers = await Promise.all(
    responses.map((response) => new Person(server).auth('passkey/sign-in', { response })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
});

test('begins at most 300 sign-ins a minute for a network', async () => {
  const crowd = new Person(server);
  const from = { 'X-Forwarded-For': '192.0.2.99' };
  const answers = await Promise.all(
    Array.from({ length: 301 }, () => crowd.auth('passkey/sign-in-options', {}, from)),
  );
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.map(({ status }) => status)).toEqual([429]);
  expect(Number(refused[0]?.headers.get('Retry-After'))).toBeGreaterThan(0);
});

const hostOf = (url: string) => new URL(url).host;

test.each<[baseUrl: string, asked: string, scheme: string, isOffered: boolean]>([
  ['https://s.example', 's.example', 'https', true],
  ['https://s.example', 'S.example:443', 'https', true],
  ['https://s.example', 's.example', 'http', false],
  ['https://s.example', 'other.example', 'https', false],
  ['https://s.example:8443', 's.example', 'https', false],
  ['http://links.lan', 'links.lan', 'http', false],
  ['http://localhost:3000', 'localhost:3000', 'http', true],
  ['http://localhost:3000', '127.0.0.1:3000', 'http', false],
  ['http://127.0.0.1:3000', '127.0.0.1:3000', 'http', false],
  ['https://192.0.2.1', '192.0.2.1', 'https', false],
  ['https://[2001:db8::1]', '[2001:db8::1]', 'https', false],
])(
  'with the console at %s, a page on %s by %s has passkeys: %s',
  async (baseUrl, asked, scheme, isOffered) => {
    const own = await startTestServer({ baseUrl });
    const headers = { 'X-Forwarded-Host': asked, 'X-Forwarded-Proto': scheme };
    const person = new Person(own);
    const { body } = await person.auth('methods', undefined, headers);
    expect(body).toMatchObject({ passkeys: isOffered, consoleUrl: baseUrl });
    const options = await person.auth('passkey/sign-in-options', {}, headers);
    expect(options.status).toBe(isOffered ? 200 : 403);
    if (!isOffered) expect(options.body.error?.message).toContain(hostOf(baseUrl));
    await own.stop();
  },
);
