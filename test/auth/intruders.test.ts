import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { operatorsName } from '../../src/domain/access/account.ts';
import { hashToken } from '../../src/domain/access/actor.ts';
import { linkIdentity } from '../../src/domain/access/identity.ts';
import { acceptInvitation } from '../../src/domain/access/invitation.ts';
import { createToken } from '../../src/domain/access/one-time-token.ts';
import { createPasskey } from '../../src/domain/access/passkey.ts';
import { beginSession, findSessions } from '../../src/domain/access/session.ts';
import { changePassword, checkPassword, confirmEmail, mailReset } from '../../src/domain/access/sign-in.ts';
import { createUser, findUserByEmail, setDisabled } from '../../src/domain/access/user.ts';
import { UserPasswords } from '../../src/domain/password.ts';
import type { Mail } from '../../src/engine/outgoing/mail.ts';
import { parseInput } from '../../src/engine/rules/input.ts';
import { nameFor } from '../../src/engine/tools/name-for.ts';
import { HELD, keepOpen } from '../support/database.ts';
import { Person, signedIn } from '../support/person.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ sendMail: () => {} });
  await server.caller('default');
});
afterAll(() => server.stop());

type User = Awaited<ReturnType<typeof signedIn>>;

const resetToken = (userId: number) => createToken(server.database, 'RESET', { userId }, server.clock.now);
const emailToken = async (userId: number) => {
  const { id: sessionId } = await server.database.prisma.session.findFirstOrThrow({ where: { userId } });
  const data = { email: `new-${userId}@x.example` };
  return createToken(server.database, 'EMAIL', { userId, sessionId, data }, server.clock.now);
};
const reset = async ({ userId }: User) =>
  new Person(server).auth('reset', { token: await resetToken(userId), password: 'a newer password' });

const remove = async ({ memberId }: User) =>
  (await signedIn(server, 1, 'OWNER')).graphql(`mutation { removeMember(id: ${memberId}) { __typename } }`);

test.each<[string, string[], (user: User) => Promise<unknown>]>([
  ['a reset', [], reset],
  ['disabling the user', [], ({ userId }) => setDisabled(server.database, userId, server.clock.now)],
  // By these, an intruder could keep the user out.
  [
    'a new password',
    ['RESET', 'RESET mailed'],
    (user) => user.auth('password', { password: 'a newer password' }),
  ],
  [
    'a new email address',
    ['RESET'],
    async (user) => user.auth('confirm', { token: await emailToken(user.userId) }),
  ],
  ['an admin of an account', ['RESET', 'RESET mailed'], remove],
])('%s leaves of the links that were sent before: %j', async (_what, left, act) => {
  const user = await signedIn(server, 1, 'EDITOR');
  const other = await signedIn(server, 1, 'EDITOR');
  const { email } = await server.database.prisma.user.findUniqueOrThrow({ where: { id: user.userId } });
  for (const { userId } of [user, other]) {
    await resetToken(userId);
    await emailToken(userId);
  }
  await new Person(server).auth('forgot', { email });
  const linksOf = async ({ userId }: User) => {
    const where = { userId, kind: { in: ['RESET', 'EMAIL'] } };
    const found = await server.database.prisma.oneTimeToken.findMany({ where });
    return found.map(({ kind, data }) => (data.includes('mailed') ? `${kind} mailed` : kind)).sort();
  };
  await expect.poll(() => linksOf(user)).toContain('RESET mailed');
  await act(user);
  expect([await linksOf(user), await linksOf(other)]).toEqual([left, ['EMAIL', 'RESET']]);
});

test('a new email address is confirmed by its user alone, signed in', async () => {
  const user = await signedIn(server, 1, 'EDITOR');
  const token = await emailToken(user.userId);
  const answers = [];
  for (const one of [new Person(server), await signedIn(server, 1, 'OWNER'), user])
    answers.push((await one.auth('confirm', { token })).status);
  expect(answers).toEqual([401, 410, 204]);
});

test('a reset removes the passkeys and identities of the user alone', async () => {
  const users = [await signedIn(server, 1, 'EDITOR'), await signedIn(server, 1, 'EDITOR')] as const;
  const { prisma } = server.database;
  const createdAt = server.clock.now;
  for (const { userId } of users) {
    const passkey = { userId, name: 'x', publicKey: 'x', counter: 0, transports: '', createdAt };
    await prisma.passkey.create({ data: { ...passkey, credentialId: `of ${userId}` } });
    const issuer = 'https://id.example';
    await prisma.identity.create({ data: { userId, issuer, subject: `of ${userId}`, createdAt } });
  }
  expect((await reset(users[0])).status).toBe(200);
  const left = async ({ userId }: User) => [
    await prisma.passkey.count({ where: { userId } }),
    await prisma.identity.count({ where: { userId } }),
  ];
  expect([await left(users[0]), await left(users[1])]).toEqual([
    [0, 0],
    [1, 1],
  ]);
});

const hashing = new UserPasswords({ N: 2, r: 1, p: 1 });
const context = () => ({ passwords: hashing, now: server.clock.now });
/** Reads a user's session, as a request does at its start. */
const sessionOf = async ({ userId }: User) =>
  server.database.prisma.session.findFirstOrThrow({ where: { userId }, include: { user: true } });

test.each<[string, (user: User) => Promise<unknown>]>([
  ['a reset', reset],
  ['a new password', (user) => user.auth('password', { password: 'a newer password' })],
  ['disabling the user', ({ userId }) => setDisabled(server.database, userId, server.clock.now)],
])('%s throws out who signs in at the same time by the password that was right', async (_what, act) => {
  const { database, clock } = server;
  const user = await signedIn(server, 1, 'EDITOR');
  const password = await hashing.hash('an old password');
  const { email } = await database.prisma.user.update({ where: { id: user.userId }, data: { password } });
  const found = await checkPassword(database, { email, password: 'an old password' }, context());
  await act(user);
  const late = found && beginSession(database, found, 'an intruder', clock.now);
  await expect(late).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  await setDisabled(database, user.userId, null);
  const devices = await findSessions(database, user.userId, clock.now);
  expect(devices.map(({ device }) => device)).not.toContain('an intruder');
});

test.each<[string, (user: User) => Promise<unknown>]>([
  ['the way is removed', (user) => user.auth('passkey/remove', { id: String(user.userId) })],
  ['the address is taken back', ({ userId }) => takeBack(userId)],
])('nobody comes in by a passkey or an identity that was right before %s', async (what, act) => {
  const { database, clock } = server;
  const user = await signedIn(server, 1, 'EDITOR');
  const { userId } = user;
  const [issuer, subject, createdAt] = ['https://id.example', `of ${what}`, clock.now];
  const { prisma } = database;
  const found = await prisma.user.update({ where: { id: userId }, data: { password: 'x' } });
  const made = { userId, name: 'x', publicKey: 'x', counter: 0, transports: '', createdAt };
  await prisma.passkey.create({ data: { ...made, id: userId, credentialId: `of ${what}` } });
  await prisma.identity.create({ data: { userId, issuer, subject, createdAt } });
  await act(user);
  const isLeft = { passkey: 0, identity: await prisma.identity.count({ where: { userId } }) };
  const begin = (way: object) => beginSession(database, { ...found, ...way }, 'an intruder', clock.now);
  await expect(begin({ way: { passkeyId: userId } })).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  const byIdentity = begin({ way: { issuer, subject } });
  if (isLeft.identity === 0) await expect(byIdentity).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  else await byIdentity;
});

/** Changes the address of a user, who then takes it back, as before any passkey. */
async function takeBack(userId: number): Promise<void> {
  const user = await server.database.prisma.user.findUniqueOrThrow({ where: { id: userId } });
  const token = `undo of ${userId}`;
  const now = server.clock.now;
  const { email, emailKey, password } = user;
  const undoUntil = new Date(now.getTime() + 1_000);
  const data = { userId, email, emailKey, password, at: now, hash: hashToken(token), undoUntil };
  await server.database.prisma.addressChange.create({
    data: { ...data, lastPasskeyId: 0, lastIdentityId: 0 },
  });
  expect((await new Person(server).auth('email/undo', { token })).status).toBe(204);
}

test('no link for a new password goes to an address that is taken back while somebody asks for it', async () => {
  const { database, clock } = server;
  const user = await signedIn(server, 1, 'EDITOR');
  const email = `of-an-intruder-${user.userId}@x.example`;
  await database.prisma.user.update({ where: { id: user.userId }, data: { email, emailKey: email } });
  const mails: Mail[] = [];
  const mailing = {
    sendMail: (mail: Mail) => void mails.push(mail),
    pageUrl: (...link: string[]) => link.join('#'),
  };
  const [locked, asked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ending = database.transaction(async (tx) => {
    await keepOpen(tx.prisma);
    await tx.lockRow('User', user.userId);
    await tx.prisma.user.update({
      where: { id: user.userId },
      data: { email: 'x', emailKey: `own ${user.userId}` },
    });
    await tx.prisma.oneTimeToken.deleteMany({ where: { userId: user.userId } });
    locked.resolve();
    await asked.promise;
  }, HELD);
  await locked.promise;
  const asking = mailReset(database, mailing, email, clock.now, '');
  // On PostgreSQL, it has found the user when others see its count, or soon after.
  const isPostgres = database.provider === 'postgresql';
  const counted = () =>
    database.prisma.signInGuesses.count({ where: { emailHash: hashToken(nameFor('mail', 'reset', email)) } });
  if (isPostgres) await expect.poll(counted).toBe(1);
  for (let times = 0; times < 20; times++) await database.prisma.user.count();
  asked.resolve();
  await ending;
  await asking;
  expect(mails).toEqual([]);
  expect(await database.prisma.oneTimeToken.count({ where: { userId: user.userId } })).toBe(0);
});

const services = { pageUrl: () => '', sendMail: null };
const passkey = { credentialId: 'late', publicKey: 'x', counter: 0, transports: [] };
const provided = { issuer: 'https://id.example', subject: 'late', email: null, name: null, values: [] };
type Late = (session: Awaited<ReturnType<typeof sessionOf>>, token: string) => Promise<unknown>;
test.each<[string, Late]>([
  ['password', (session) => changePassword(server.database, session, 'of an intruder', context())],
  ['passkey', (session) => createPasskey(server.database, session, 'x', passkey, server.clock.now)],
  ['link to the provider', (session) => linkIdentity(server.database, provided, session, server.clock.now)],
  [
    'email address',
    (session, token) => confirmEmail(server.database, services, session, token, server.clock.now, ''),
  ],
])('after a reset, a new %s that was asked for before does not come', async (_what, late) => {
  const user = await signedIn(server, 1, 'EDITOR');
  const session = await sessionOf(user);
  const token = await emailToken(user.userId);
  await reset(user);
  const read = () =>
    server.database.prisma.user.findUnique({
      where: { id: user.userId },
      include: { passkeys: true, identities: true },
    });
  const before = await read();
  await expect(late(session, token)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(await read()).toEqual(before);
});

const invite = (person: Person, email: string, role: string, headers: Record<string, string> = {}) =>
  person.graphql(
    `mutation { inviteMember(input: { email: "${email}", role: ${role} }) { ... on Invitation { id url } } }`,
    {},
    headers,
  );
type Invited = { inviteMember: { id: string; url: string } };
const tokenOf = ({ data }: Awaited<ReturnType<typeof invite>>) =>
  (data as Invited).inviteMember.url.split('#')[1] ?? '';

test('an admin does not replace the invitation of an owner', async () => {
  const admin = await signedIn(server, 1, 'ADMIN');
  const token = tokenOf(await invite(await signedIn(server, 1, 'OWNER'), 'kim@x.example', 'OWNER'));
  const replace = async () =>
    (await invite(admin, 'kim@x.example', 'VIEWER')).errors?.map(({ extensions }) => extensions.code);
  expect(await replace()).toEqual(['FORBIDDEN']);
  const input = { token, name: 'Kim', email: 'kim@x.example', password: 'a good password' };
  expect((await new Person(server).auth('accept', input)).body).toMatchObject({ role: 'OWNER' });
});

test('an invitation ends if its inviter is lowered while the new password is hashed', async () => {
  const admin = await signedIn(server, 1, 'ADMIN');
  const email = 'late@x.example';
  const token = tokenOf(await invite(admin, email, 'ADMIN'));
  const { prisma } = server.database;
  class Slow extends UserPasswords {
    override async hash(password: string): Promise<string> {
      await prisma.membership.update({ where: { id: admin.memberId }, data: { role: 'VIEWER' } });
      return super.hash(password);
    }
  }
  const input = { token, name: 'Late', email, password: 'a good password' };
  const context = { passwords: new Slow({ N: 2, r: 1, p: 1 }), now: server.clock.now };
  await expect(acceptInvitation(server.database, input, null, context)).rejects.toThrow('This link is');
  expect(await findUserByEmail(server.database, email)).toBeNull();
});

test.each([
  ['password', { name: 'x', password: 'x' }],
  ['name', { name: ' ', password: 'a good password' }],
])('an invitation with a wrong %s does not tell whether the email has a user', async (field, wrong) => {
  const owner = await signedIn(server, 1, 'OWNER');
  const known = `person-known-${field}@x.example`;
  await createUser(server.database, { name: 'x', email: known }, null, server.clock.now);
  const answers = [];
  for (const email of [known, `nobody-${field}@x.example`]) {
    const token = tokenOf(await invite(owner, email, 'VIEWER'));
    const { status, body } = await new Person(server).auth('accept', { token, email, ...wrong });
    answers.push([status, body.error?.field]);
  }
  expect(answers).toEqual([
    [422, field],
    [422, field],
  ]);
});

test('a stored answer is given to the same role alone, and its write is not done again', async () => {
  const [admin, owner] = [await signedIn(server, 1, 'ADMIN'), await signedIn(server, 1, 'OWNER')];
  const send = async (person: Person, role: string) => {
    const { data, errors } = await invite(person, `${role}@once.example`, role, { 'Idempotency-Key': role });
    return errors?.[0]?.extensions.code ?? (data as Invited).inviteMember.id;
  };
  const [byAdmin, byOwner] = [await send(admin, 'ADMIN'), await send(owner, 'OWNER')];
  const setRole = ({ memberId: id }: User, role: string) =>
    server.database.prisma.membership.update({ where: { id }, data: { role } });
  await setRole(admin, 'OWNER');
  await setRole(owner, 'ADMIN');
  for (const [person, role] of [
    [owner, 'OWNER'],
    [admin, 'ADMIN'],
  ] as const)
    await expect.poll(() => send(person, role)).toBe('FORBIDDEN');
  await setRole(admin, 'ADMIN');
  await expect.poll(() => send(admin, 'ADMIN')).toBe(byAdmin);
  expect(byOwner).toMatch(/^\d+$/);
});

test('a stored answer is not given to somebody who was lowered before the body came', async () => {
  const admin = await signedIn(server, 1, 'ADMIN');
  const query = 'mutation { createTag(input: { name: "late" }) { __typename } }';
  const body = JSON.stringify({ query, variables: {} });
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': 'late' };
  const first = await admin.graphql(query, {}, headers);
  expect(first.data).toEqual({ createTag: { __typename: 'Tag' } });
  const sent = httpRequest(`${server.origin}/graphql`, {
    ...{ method: 'POST', agent: false },
    headers: {
      ...{ ...headers, Cookie: admin.cookie ?? '', 'Sec-Fetch-Site': 'same-origin', Expect: '100-continue' },
      ...{ 'X-Forwarded-Host': 's.example', 'Content-Length': body.length },
    },
  });
  const answered = once(sent, 'response');
  sent.flushHeaders();
  await once(sent, 'continue');
  const role = async () =>
    (await admin.data<{ viewer: { role: string } }>('{ viewer { role } }')).viewer.role;
  expect(await role()).toBe('ADMIN');
  await server.database.prisma.membership.update({ where: { id: admin.memberId }, data: { role: 'EDITOR' } });
  await expect.poll(role).toBe('EDITOR');
  sent.end(body);
  const [answer] = (await answered) as [IncomingMessage]; // The event's argument.
  expect(JSON.parse(await textOf(answer)).errors?.[0].extensions.code).toBe('FORBIDDEN');
});

test.each(['Ana\nBo', 'Ana\u001b[31m', 'Ana\u202eoB', 'Ana\u2028Bo', 'Ana\u200f'])(
  'names have no characters that change what is around them: %j',
  async (name) => {
    const owner = await signedIn(server, 1, 'OWNER');
    const mutation = `mutation($name: String!) {
      createApiKey(input: { name: $name, role: VIEWER }) { ... on Error { message } }
      updateAccount(input: { name: $name }) { ... on Error { message } }
    }`;
    const message = 'name may have no control characters and no line breaks.';
    expect(await owner.data(mutation, { name })).toEqual({
      createApiKey: { message },
      updateAccount: { message },
    });
    const answers = [
      await owner.auth('profile', { name }),
      await owner.auth('passkey/register', { name, response: {} }),
    ];
    for (const { body } of answers) expect(body.error?.message).toContain(message);
    expect(() => parseInput(z.object({ account: operatorsName }), { account: name })).toThrow('control');
  },
);
