import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashToken } from '../../src/domain/access/actor.ts';
import { inviteByOperator } from '../../src/domain/access/invitation.ts';
import { createToken } from '../../src/domain/access/one-time-token.ts';
import { beginSession } from '../../src/domain/access/session.ts';
import { createWelcome } from '../../src/domain/access/sign-in.ts';
import { setDisabled } from '../../src/domain/access/user.ts';
import type { Mail } from '../../src/engine/outgoing/mail.ts';
import { nameFor } from '../../src/engine/tools/name-for.ts';
import { Person } from '../support/person.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Person;
const mails: Mail[] = [];
const ana = { email: 'Ana@Example.com', password: 'correct horse' };
let welcomed: Awaited<ReturnType<Person['auth']>>;
let token = '';
beforeAll(async () => {
  server = await startTestServer({ sendMail: (mail) => void mails.push(mail) });
  await server.caller('default');
  owner = new Person(server);
  token = (await createWelcome(server.database, server.clock.now)) ?? '';
  welcomed = await owner.auth('welcome', { token, name: 'Ana', ...ana });
});
afterAll(() => server.stop());

/** The network of a request, so that tests do not share guesses. */
let networks = 0;
const from = () => ({ 'X-Forwarded-For': `192.0.2.${++networks}` });
const signIn = (person: Person, email = ana.email, password = ana.password, headers = from()) =>
  person.auth('sign-in', { email, password }, headers);

/** A new user of the account, by an invitation. */
async function invited(
  email: string,
  role = 'EDITOR',
  inviter = owner,
): Promise<{ person: Person; token: string }> {
  const { inviteMember } = await inviter.data<{ inviteMember: { url: string } }>(
    'mutation($input: InviteMemberInput!) { inviteMember(input: $input) { ... on Invitation { url } } }',
    { input: { email, role } },
  );
  return { person: new Person(server), token: inviteMember.url.split('#')[1] ?? '' };
}

async function member(email: string, role = 'EDITOR'): Promise<Person> {
  const { person, token } = await invited(email, role);
  const { status } = await person.auth('accept', { token, name: email, email, password: 'a good password' });
  expect(status).toBe(201);
  return person;
}

describe('the first owner', () => {
  test('comes in by the link of the first start', () => {
    expect([welcomed.status, welcomed.body]).toEqual([
      201,
      {
        user: { id: '1', name: 'Ana', email: 'Ana@Example.com' },
        account: { id: '1', name: 'default' },
        role: 'OWNER',
        accounts: [{ id: '1', name: 'default', role: 'OWNER' }],
      },
    ]);
    expect(welcomed.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-linkspace=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
      ),
    ]);
  });

  test('comes in only once, and not by a link that is too old', async () => {
    const other = new Person(server);
    const input = { name: 'Eve', email: 'eve@example.com', password: 'another password' };
    const answers = [
      await other.auth('welcome', { token, ...input }),
      await other.auth('welcome', { token: 'x', ...input }),
    ];
    expect(answers.map(({ status, body }) => [status, body.error?.code])).toEqual([
      [410, 'GONE'],
      [410, 'GONE'],
    ]);
    expect(await createWelcome(server.database, server.clock.now)).toBeNull();
  });

  test.each([
    ['Lindenhof', { name: 'Lindenhof', title: 'Lindenhof' }, ['CREATED MEMBER', 'UPDATED ACCOUNT']],
    [' default ', { name: 'default', title: null }, ['CREATED MEMBER']],
    [undefined, { name: 'default', title: null }, ['CREATED MEMBER']],
    [null, { name: 'default', title: null }, ['CREATED MEMBER']],
  ])('may name the account: %j', async (accountName, { name, title }, changes) => {
    const fresh = await startTestServer();
    try {
      await fresh.caller('default');
      const made = (await createWelcome(fresh.database, fresh.clock.now)) ?? '';
      const person = { name: 'Ana', ...ana };
      const { status, body } = await new Person(fresh).auth('welcome', {
        token: made,
        ...person,
        accountName,
      });
      expect([status, body]).toMatchObject([201, { account: { name } }]);
      // The operator's name of the account stays.
      const account = await fresh.database.prisma.account.findUniqueOrThrow({ where: { name: 'default' } });
      expect(account.title).toBe(title);
      const logged = await fresh.database.prisma.change.findMany({ orderBy: { id: 'asc' } });
      expect(logged.map(({ action, kind }) => `${action} ${kind}`)).toEqual(changes);
      expect(logged.every(({ userId }) => userId !== null)).toBe(true);
    } finally {
      await fresh.stop();
    }
  });

  test.each(['', 'x'.repeat(101), 'a\nb', 7])('may not name the account %j', async (accountName) => {
    const fresh = await startTestServer();
    try {
      await fresh.caller('default');
      const made = (await createWelcome(fresh.database, fresh.clock.now)) ?? '';
      const person = new Person(fresh);
      const wrong = await person.auth('welcome', { token: made, name: 'Ana', ...ana, accountName });
      expect([wrong.status, wrong.body.error]).toMatchObject([
        422,
        { code: 'VALIDATION', field: 'accountName' },
      ]);
      // The link still works.
      expect((await person.auth('welcome', { token: made, name: 'Ana', ...ana })).status).toBe(201);
    } finally {
      await fresh.stop();
    }
  });

  test('is one of two who come at once', async () => {
    const fresh = await startTestServer();
    await fresh.caller('default');
    const now = fresh.clock.now;
    const tokens = [
      await createToken(fresh.database, 'WELCOME', {}, now),
      await createToken(fresh.database, 'WELCOME', {}, now),
    ];
    const answers = await Promise.all(
      tokens.map((token, i) =>
        new Person(fresh).auth('welcome', {
          token,
          name: 'x',
          email: `${i}@example.com`,
          password: 'a good password',
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 410]);
    await fresh.stop();
  });
});

describe('signing in', () => {
  test('works with the email in any case, and begins a new session', async () => {
    const person = new Person(server);
    person.cookie = '__Host-linkspace=chosen-by-somebody-else';
    expect((await signIn(person, 'ANA@example.COM')).status).toBe(200);
    expect(person.cookie).not.toContain('chosen');
    const [first] = [person.cookie];
    expect((await signIn(person)).status).toBe(200);
    expect(person.cookie).not.toBe(first);
    const before = new Person(server);
    before.cookie = first;
    expect((await before.auth('session')).status).toBe(401);
  });

  test('answers alike to a wrong password, an unknown email, and a disabled user', async () => {
    const disabled = await member('disabled@example.com');
    const { body } = await disabled.auth('session');
    await setDisabled(server.database, Number((body.user as { id: string }).id), server.clock.now);
    const answers = [
      await signIn(new Person(server), ana.email, 'wrong password'),
      await signIn(new Person(server), 'nobody@example.com'),
      await signIn(new Person(server), 'disabled@example.com', 'a good password'),
    ];
    const message = 'The email address or the password is wrong.';
    const why = { rule: 'WRONG_PASSWORD', values: [], reason: 'WRONG_PASSWORD', reasonValues: [] };
    const refused = { error: { code: 'UNAUTHENTICATED', message, ...why } };
    expect(answers.map(({ status, body }) => [status, body])).toEqual(Array(3).fill([401, refused]));
    await expect.poll(async () => (await disabled.auth('session')).status).toBe(401);
  });

  test('is limited for an email and network, and not for others', async () => {
    const network = from();
    const guess = () => signIn(new Person(server), 'guessed@example.com', 'wrong', network);
    for (let i = 0; i < 5; i++) expect((await guess()).status).toBe(401);
    const { status, headers, body } = await guess();
    expect([status, body.error?.code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(body.error?.message).toContain(`Try again in ${headers.get('retry-after')} s, `);
    expect((await signIn(new Person(server), ana.email, ana.password, network)).status).toBe(200);
  });

  test('is limited for an email over all networks, and a reset lets in at once', async () => {
    const person = await member('hunted@example.com');
    const { prisma } = server.database;
    await signIn(new Person(server), 'hunted@example.com', 'wrong');
    await prisma.signInGuesses.update({
      where: { emailHash: hashToken(nameFor('guess', 'hunted@example.com')) },
      data: { count: 100 },
    });
    const refused = await signIn(new Person(server), 'hunted@example.com', 'a good password');
    expect([refused.status, refused.body.error?.code]).toEqual([429, 'RATE_LIMITED']);
    expect(refused.body.error?.message).toContain('Try again in 60 minutes, ');
    const { body } = await person.auth('session');
    const userId = Number((body.user as { id: string }).id);
    const reset = await createToken(server.database, 'RESET', { userId }, server.clock.now);
    expect((await person.auth('reset', { token: reset, password: 'a newer password' })).status).toBe(200);
    expect((await signIn(new Person(server), 'hunted@example.com', 'a newer password')).status).toBe(200);
  });

  test.each([
    ['cross-site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['a neighbour site', { 'Sec-Fetch-Site': 'same-site' }],
    ['a foreign origin', { 'Sec-Fetch-Site': 'none', Origin: 'https://evil.example' }],
    ['no origin', { 'Sec-Fetch-Site': 'none', Origin: 'null' }],
  ])('is refused from %s', async (_name, headers) => {
    const person = new Person(server);
    const { status, body } = await person.auth('sign-in', ana, headers);
    expect([status, body.error?.code, person.cookie]).toEqual([403, 'FORBIDDEN', null]);
  });

  test.each([
    ['text/plain', JSON.stringify(ana)],
    ['application/x-www-form-urlencoded', new URLSearchParams(ana).toString()],
    ['application/json', '['],
    ['application/json', '"x"'],
    ['application/json', ''],
    ['application/json', `{"email":"${'x'.repeat(20_000)}"}`],
  ])('refuses a body of %s: %.9s', async (type, body) => {
    const response = await new Person(server).fetch('/auth/sign-in', {
      method: 'POST',
      body,
      headers: { 'Content-Type': type },
    });
    expect([response.status, ((await response.json()) as { error: { code: string } }).error.code]).toEqual([
      422,
      'VALIDATION',
    ]);
  });
});

describe('the token of a link', () => {
  const about = async (token: string) => {
    const { status, body } = await new Person(server).auth('token', { token });
    return status === 200 ? body : status;
  };

  test('says what an invitation is, without using it up, until it is accepted or its inviter has gone', async () => {
    const { person, token } = await invited('asked@example.com');
    const { expiresAt, ...rest } = (await about(token)) as Record<string, unknown>;
    expect(rest).toEqual({
      ...{ kind: 'INVITATION', account: 'default', inviter: 'Ana', role: 'EDITOR' },
      email: 'asked@example.com',
    });
    expect(expiresAt).toBe(new Date(server.clock.now.getTime() + 7 * 24 * 60 * 60_000).toISOString());
    const asked = { name: 'x', email: 'asked@example.com', password: 'a good password' };
    expect((await person.auth('accept', { token, ...asked })).status).toBe(201);
    expect(await about(token)).toBe(410);
  });

  test('says what an operator’s invitation and a reset are, and nothing of other tokens', async () => {
    const input = { email: 'new-owner@example.com', role: 'OWNER' };
    const { token } = await inviteByOperator(server.database, 1, input, server.clock.now);
    expect(await about(token)).toMatchObject({ kind: 'INVITATION', inviter: null, role: 'OWNER' });
    const reset = await createToken(server.database, 'RESET', { userId: 1 }, server.clock.now);
    expect(await about(reset)).toMatchObject({ kind: 'RESET', email: 'Ana@Example.com' });
    const others = [
      await createToken(server.database, 'WELCOME', {}, server.clock.now),
      await createToken(server.database, 'PASSKEY', {}, server.clock.now),
      await createToken(server.database, 'OPENID', {}, server.clock.now),
      'unknown',
      '',
    ];
    expect(await Promise.all(others.map(about))).toEqual(Array(5).fill(410));
  });

  test('is asked for at most 300 times a minute by a network', async () => {
    const headers = from();
    const asked = await Promise.all(
      Array.from({ length: 301 }, () => new Person(server).auth('token', { token: 'x' }, headers)),
    );
    expect(asked.filter(({ status }) => status === 429)).toHaveLength(1);
  });
});

test.each([
  ['GET', 'sign-in', 405, 'POST'],
  ['GET', 'token', 405, 'POST'],
  ['PUT', 'profile', 405, 'GET, POST'],
  ['POST', 'session', 405, 'GET'],
  ['GET', 'session/', 404, null],
  ['GET', 'nothing', 404, null],
  ['POST', 'nothing', 404, null],
])('%s /auth/%s gets %i', async (method, path, status, allow) => {
  const answer = await new Person(server).fetch(`/auth/${path}`, { method });
  expect([answer.status, answer.headers.get('Allow')]).toEqual([status, allow]);
  expect(await answer.json()).toMatchObject({ error: { code: 'NOT_FOUND' } });
});

test('a body that is no object is told', async () => {
  const headers = { 'Content-Type': 'application/json' };
  const answer = await new Person(server).fetch('/auth/sign-in', { method: 'POST', body: '[]', headers });
  expect(await answer.json()).toMatchObject({
    error: { code: 'VALIDATION', field: 'body', message: 'body must be a JSON object.' },
  });
});

describe('a session', () => {
  test.each([
    ['the page of the site itself', { 'Sec-Fetch-Site': 'same-origin' }, 200],
    ['an own origin, over plain http', { 'Sec-Fetch-Site': 'none', Origin: 'https://s.example' }, 200],
    [
      'an own origin, behind a proxy that adds the default port',
      {
        ...{ 'Sec-Fetch-Site': 'none', Origin: 'https://s.example' },
        'X-Forwarded-Host': 'S.example:443',
      },
      200,
    ],
    ['nothing that says where it comes from', { 'Sec-Fetch-Site': 'none' }, 401],
    ['another site', { 'Sec-Fetch-Site': 'cross-site' }, 403],
    ['another port', { 'Sec-Fetch-Site': 'none', Origin: 'https://s.example:8443' }, 403],
  ])('counts for GraphQL with %s', async (_name, headers, status) => {
    const answer = await owner.graphql('{ viewer { role } }', {}, headers);
    expect(answer.status).toBe(status);
  });

  test('does not count for GraphQL by GET from elsewhere, nor for v1', async () => {
    const query = encodeURIComponent('{ viewer { role } }');
    const get = (site: string) =>
      owner.fetch(`/graphql?query=${query}`, { headers: { 'Sec-Fetch-Site': site } });
    expect([(await get('same-origin')).status, (await get('cross-site')).status]).toEqual([200, 401]);
    expect((await owner.fetch('/api/v1/links')).status).toBe(401);
  });

  test('neither ends nor leaves the browser by a request that does not say where it comes from', async () => {
    const person = new Person(server);
    await signIn(person);
    const silent = { 'Sec-Fetch-Site': 'none' };
    const same = new Person(server);
    same.cookie = person.cookie;
    expect((await same.auth('sign-out', {}, silent)).status).toBe(401);
    expect(same.cookie).toBe(person.cookie);
    expect((await same.auth('sign-in', ana, { ...from(), ...silent })).status).toBe(200);
    expect((await person.auth('session')).status).toBe(200);
    expect((await new Person(server).auth('sign-out', {}, silent)).status).toBe(204);
  });

  test('counts for no account that is empty or another one', async () => {
    const person = await member('somewhere@example.com');
    const statuses: number[] = [];
    const sent: Record<string, string>[] = [
      { 'X-Account': '' },
      {},
      { 'X-Account': '' },
      { 'X-Account': '99' },
    ];
    for (const headers of sent)
      statuses.push((await person.graphql('{ viewer { role } }', {}, headers)).status);
    expect(statuses).toEqual([403, 200, 403, 403]);
    const foreign = await person.auth('session', undefined, { 'X-Account': '99' });
    expect([foreign.status, foreign.body]).toMatchObject([
      200,
      { account: null, role: null, accounts: [{ id: '1' }] },
    ]);
  });

  test('ends by signing out, on every process within a second', async () => {
    const other = await startTestServer({ url: server.databaseUrl, background: true });
    const person = new Person(server);
    await signIn(person);
    const elsewhere = new Person(other);
    elsewhere.cookie = person.cookie;
    const role = () => elsewhere.graphql('{ viewer { role } }').then(({ status }) => status);
    expect(await role()).toBe(200);
    expect((await person.auth('sign-out', {})).status).toBe(204);
    expect(person.cookie).toBeNull();
    await expect.poll(role).toBe(401);
    await other.stop();
  });

  test('that has expired is told for a day, and none that was ended', async () => {
    const { prisma } = server.database;
    const hour = 60 * 60 * 1000;
    const now = server.clock.now;
    const ruleAt = async (person: Person, hours: number) => {
      server.clock.now = new Date(now.getTime() + hours * hour);
      const { status, body } = await person.auth('session');
      server.clock.now = now;
      return [status, body.error && Object(body.error).rule];
    };
    const person = await member('expired@example.com');
    const { body } = await person.auth('session');
    const userId = Number((body.user as { id: string }).id);
    expect(await ruleAt(person, 12)).toEqual([401, 'SESSION_EXPIRED']);
    // Another sign-in of the same person leaves it.
    server.clock.now = new Date(now.getTime() + 35 * hour);
    const elsewhere = new Person(server);
    await signIn(elsewhere, 'expired@example.com', 'a good password');
    expect(await ruleAt(person, 35)).toEqual([401, 'SESSION_EXPIRED']);
    expect(await ruleAt(person, 36)).toEqual([401, undefined]);
    await prisma.session.updateMany({
      where: { userId },
      data: { signedInAt: new Date(now.getTime() - 30 * 24 * hour), lastUsedAt: now },
    });
    expect(await ruleAt(person, 1)).toEqual([401, 'SESSION_EXPIRED']);
    await setDisabled(server.database, userId, now);
    expect(await ruleAt(person, 1)).toEqual([401, undefined]);
    const ended = new Person(server);
    await signIn(ended);
    await prisma.session.deleteMany({ where: { hash: hashToken(String(ended.cookie?.split('=')[1])) } });
    expect(await ruleAt(ended, 0)).toEqual([401, undefined]);
    expect(await ruleAt(new Person(server), 0)).toEqual([401, undefined]);
  });

  test('ends after 12 hours without use, and 30 days after signing in', async () => {
    const fresh = await startTestServer();
    await fresh.caller('default');
    const begin = fresh.clock.now;
    const person = new Person(fresh);
    const made = (await createWelcome(fresh.database, begin)) ?? '';
    await person.auth('welcome', { token: made, name: 'Ana', ...ana });
    const statusAfter = async (hours: number) => {
      fresh.clock.now = new Date(begin.getTime() + hours * 3_600_000);
      return (await person.graphql('{ viewer { role } }')).status;
    };
    const used = [];
    const lastUse = async () => (await fresh.database.prisma.session.findFirst())?.lastUsedAt;
    for (let hours = 11; hours < 720; hours += 11) {
      used.push(await statusAfter(hours));
      // It is noted after the answer.
      await expect.poll(lastUse, { interval: 5 }).toEqual(fresh.clock.now);
    }
    expect(new Set(used)).toEqual(new Set([200]));
    expect(await statusAfter(721)).toBe(401);
    fresh.clock.now = begin;
    await person.auth('sign-in', ana);
    expect([await statusAfter(1), await statusAfter(13.1)]).toEqual([200, 401]);
    await fresh.stop();
  });

  test('is shown to its user, who can end others', async () => {
    const [one, two] = [new Person(server), new Person(server)];
    await signIn(one);
    await signIn(two);
    type Answer = { viewer: { sessions: { id: string; isCurrent: boolean }[] } };
    const { viewer } = await one.data<Answer>('{ viewer { sessions { id isCurrent } } }');
    const { viewer: ofTwo } = await two.data<Answer>('{ viewer { sessions { id isCurrent } } }');
    expect(viewer.sessions.filter(({ isCurrent }) => isCurrent)).toHaveLength(1);
    const current = ofTwo.sessions.find(({ isCurrent }) => isCurrent);
    await one.data('mutation($id: ID!) { revokeSession(id: $id) { __typename } }', { id: current?.id });
    await expect.poll(async () => (await two.auth('session')).status).toBe(401);
  });

  test('counts for nothing beside a second cookie of its name, which another host may have set', async () => {
    const person = await member('two-cookies@example.com');
    const own = person.cookie;
    const statuses = [];
    for (const cookie of [own, `${own}; ${own}x`, `${own}x; ${own}`]) {
      person.cookie = cookie;
      statuses.push((await person.auth('session')).status);
    }
    expect(statuses).toEqual([200, 401, 401]);
  });

  test('is shown to and ended by its user, also a member of no account', async () => {
    const user = { name: 'Lone', email: 'lone@example.com', emailKey: 'lone@example.com' };
    const data = { ...user, createdAt: server.clock.now };
    const made = await server.database.prisma.user.create({ data });
    const [one, two] = [new Person(server), new Person(server)];
    for (const person of [one, two]) {
      const { token } = await beginSession(server.database, made, 'a browser', server.clock.now);
      person.cookie = `__Host-linkspace=${token}`;
    }
    type Sessions = { id: string; device: string; isCurrent: boolean }[];
    const sessions = (await one.auth('profile')).body.sessions as Sessions;
    expect(sessions.map(({ device, isCurrent }) => [device, isCurrent])).toEqual([
      ['a browser', false],
      ['a browser', true],
    ]);
    const strangers = await member('stranger@example.com');
    const end = { id: sessions[0]?.id };
    expect((await strangers.auth('session/remove', end)).status).toBe(404);
    expect((await one.auth('session/remove', end)).status).toBe(204);
    await expect.poll(async () => (await two.auth('session')).status).toBe(401);
    expect((await one.auth('session')).status).toBe(200);
    for (let time = 0; time < 50; time++)
      await beginSession(server.database, made, 'another', new Date(server.clock.now.getTime() + 1));
    // There are never more than are shown.
    expect((await one.auth('session')).status).toBe(401);
    expect(await server.database.prisma.session.count({ where: { userId: made.id } })).toBe(50);
  });
});

describe('an invitation', () => {
  test('is accepted once, by a new user with its email', async () => {
    const { person, token } = await invited('bo@example.com', 'VIEWER');
    const input = { token, name: 'Bo', password: 'a good password' };
    const wrong = await person.auth('accept', { ...input, email: 'eve@example.com' });
    expect([wrong.status, wrong.body.error?.code]).toEqual([403, 'FORBIDDEN']);
    const short = await person.auth('accept', { ...input, email: 'bo@example.com', password: 'short' });
    expect([short.status, short.body.error?.field]).toEqual([422, 'password']);
    const { status, body } = await person.auth('accept', { ...input, email: 'BO@example.com' });
    expect([status, body]).toMatchObject([
      201,
      { user: { name: 'Bo', email: 'bo@example.com' }, role: 'VIEWER' },
    ]);
    expect((await new Person(server).auth('accept', { ...input, email: 'bo@example.com' })).status).toBe(410);
  });

  test('never sets the password of an existing user, who signs in and accepts', async () => {
    const person = await member('cy@example.com', 'VIEWER');
    const { token } = await invited('cy@example.com', 'ADMIN');
    const stranger = new Person(server);
    const set = { token, name: 'Eve', email: 'cy@example.com', password: 'chosen by Eve' };
    expect((await stranger.auth('accept', set)).status).toBe(409);
    expect((await signIn(stranger, 'cy@example.com', 'chosen by Eve')).status).toBe(401);
    expect((await owner.auth('accept', { token })).status).toBe(403);
    expect((await person.auth('accept', { token })).body).toMatchObject({ role: 'ADMIN' });
  });

  test('accepted in a session keeps it, and names the account that was joined', async () => {
    const person = await member('joins@example.com');
    const other = await server.database.prisma.account.create({
      data: { name: 'Joined', createdAt: server.clock.now },
    });
    const asked = { email: 'joins@example.com', role: 'VIEWER' };
    const { token } = await inviteByOperator(server.database, other.id, asked, server.clock.now);
    const { cookie } = person;
    expect(await person.auth('accept', { token })).toMatchObject({
      status: 201,
      body: { account: { id: String(other.id), name: 'Joined' }, role: 'VIEWER' },
    });
    expect(person.cookie).toBe(cookie);
  });

  test('is mailed, replaced by the next one, and ends with the membership of its inviter or after 7 days', async () => {
    const admin = await member('admin@example.com', 'ADMIN');
    const first = await invited('dee@example.com', 'VIEWER', admin);
    const second = await invited('dee@example.com', 'EDITOR', admin);
    expect(mails.at(-1)).toMatchObject({
      to: 'dee@example.com',
      text: expect.stringContaining(`https://s.example/console/accept#${second.token}`),
    });
    expect(mails.at(-1)?.text).toMatch(/^admin.* invites you to /);
    const accept = (token: string) =>
      new Person(server).auth('accept', {
        token,
        name: 'Dee',
        email: 'dee@example.com',
        password: 'a good password',
      });
    expect((await accept(first.token)).status).toBe(410);
    const { members } = await owner.data<{ members: { nodes: { id: string; user: { email: string } }[] } }>(
      '{ members(first: 50) { nodes { id user { email } } } }',
    );
    const id = members.nodes.find(({ user }) => user.email === 'admin@example.com')?.id;
    await owner.data('mutation($id: ID!) { removeMember(id: $id) { __typename } }', { id });
    expect((await accept(second.token)).status).toBe(410);
    const third = await invited('dee@example.com', 'EDITOR');
    const open = async () =>
      (
        await owner.data<{ invitations: { nodes: { email: string }[] } }>(
          '{ invitations { nodes { email } } }',
        )
      ).invitations.nodes;
    expect(await open()).toContainEqual({ email: 'dee@example.com' });
    server.clock.now = new Date(server.clock.now.getTime() + 7 * 86_400_000);
    await signIn(owner);
    expect((await accept(third.token)).status).toBe(410);
    expect(await open()).toEqual([]);
  });
});

describe('a new password', () => {
  test.each([
    ['too short', 'short', 'LENGTH_GIVEN', 'must have 10 to 256 characters, not 5'],
    ['too long', 'x'.repeat(257), 'LENGTH_GIVEN', 'must have 10 to 256 characters, not 257'],
    ['the email', 'PASS@example.com', 'EMAIL_AS_PASSWORD', 'may not be the email address'],
    [
      'one of the commonest',
      'Password123',
      'COMMON_PASSWORD',
      'is one of the commonest passwords: choose another',
    ],
    ['no text', 7, 'TEXT', 'must be a text'],
  ])('is not %s', async (_name, password, rule, message) => {
    const { person, token } = await invited('pass@example.com');
    const { status, body } = await person.auth('accept', {
      token,
      name: 'x',
      email: 'pass@example.com',
      password,
    });
    expect([status, body.error]).toMatchObject([
      422,
      { code: 'VALIDATION', field: 'password', message: `password ${message}.`, rule },
    ]);
  });

  test('is kept as it is typed, with spaces', async () => {
    const { person, token } = await invited('spaces@example.com');
    const password = '  spaces around  ';
    await person.auth('accept', { token, name: 'x', email: 'spaces@example.com', password });
    const email = 'spaces@example.com';
    expect((await signIn(new Person(server), email, password.trim())).status).toBe(401);
    expect((await signIn(new Person(server), email, password)).status).toBe(200);
  });

  test('is set by a link that is mailed to the user, three times an hour, and ends the other sessions', async () => {
    const person = await member('lost@example.com');
    mails.length = 0;
    const forgot = (email: string) => new Person(server).auth('forgot', { email });
    for (let i = 0; i < 4; i++) {
      expect((await forgot('Lost@example.com')).status).toBe(202);
      await expect.poll(() => mails.length).toBe(Math.min(i + 1, 3));
    }
    expect((await forgot('nobody@example.com')).status).toBe(202);
    const link = /https:\S+\/console\/reset#(\S+)/.exec(mails[0]?.text ?? '')?.[1];
    const other = new Person(server);
    expect((await other.auth('reset', { token: link, password: 'a newer password' })).status).toBe(200);
    expect((await other.auth('session')).status).toBe(200);
    expect((await person.auth('session')).status).toBe(401);
    expect((await other.auth('reset', { token: link, password: 'a newer password' })).status).toBe(410);
    expect(mails.map(({ to }) => to)).toEqual(Array(3).fill('lost@example.com'));
  });

  test('and email are changed by somebody who signed in within 15 minutes', async () => {
    const person = await member('old@example.com');
    const other = new Person(server);
    await signIn(other, 'old@example.com', 'a good password');
    expect((await person.auth('password', { password: 'a newer password' })).status).toBe(204);
    expect((await other.auth('session')).status).toBe(401);
    mails.length = 0;
    expect((await person.auth('email', { email: 'new@example.com' })).status).toBe(202);
    const [, confirm = ''] = /confirm#(\S+)/.exec(mails[0]?.text ?? '') ?? [];
    expect((await signIn(new Person(server), 'new@example.com', 'a newer password')).status).toBe(401);
    expect((await person.auth('confirm', { token: confirm })).status).toBe(204);
    expect((await signIn(person, 'new@example.com', 'a newer password')).status).toBe(200);
    server.clock.now = new Date(server.clock.now.getTime() + 15 * 60_000 + 1);
    for (const [path, body] of [
      ['password', { password: 'yet another one' }],
      ['email', { email: 'x@example.com' }],
    ] as const) {
      const { status, body: answer } = await person.auth(path, body);
      expect([status, answer.error?.message]).toEqual([
        403,
        'Sign in again: this needs a sign-in of the last 15 minutes.',
      ]);
    }
  });
});
