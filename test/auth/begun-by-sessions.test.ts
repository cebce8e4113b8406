import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inviteByOperator } from '../../src/domain/access/invitation.ts';
import type { Mail } from '../../src/engine/outgoing/mail.ts';
import { Authenticator } from '../support/authenticator.ts';
import { Person } from '../support/person.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const password = 'correct horse';
let server: TestServer;
let people = 0;
let person: Person;
let email = '';
let other: Person;
let otherEmail = '';
const mails: Mail[] = [];
beforeAll(async () => {
  server = await startTestServer({ sendMail: (mail) => void mails.push(mail) });
  await server.caller('default');
});
afterAll(() => server.stop());

async function newUser() {
  const address = `person-${people++}@x.example`;
  const input = { email: address, role: 'EDITOR' };
  const { token } = await inviteByOperator(server.database, 1, input, server.clock.now);
  const made = new Person(server);
  await made.auth('accept', { token, email: address, name: 'A person', password });
  return { made, address };
}
beforeEach(async () => {
  ({ made: person, address: email } = await newUser());
  ({ made: other, address: otherEmail } = await newUser());
  mails.length = 0;
});

const signIn = async (browser: Person, address = email) => {
  expect((await browser.auth('sign-in', { email: address, password })).status).toBe(200);
  return browser;
};
/** Asks for a new address, and gives the token that is mailed there. */
async function askForEmail(by = person, address = `new-${email}`): Promise<string> {
  expect((await by.auth('email', { email: address })).status).toBe(202);
  return /confirm#(\S+)/.exec(mails.at(-1)?.text ?? '')?.[1] ?? '';
}
type Profile = { sessions: { id: string; isCurrent: boolean }[]; user: { email: string } };
const profileOf = async (of: Person) => (await of.auth('profile')).body as unknown as Profile;
async function currentOf(of: Person): Promise<string> {
  return (await profileOf(of)).sessions.find(({ isCurrent }) => isCurrent)?.id ?? '';
}

type End = [what: string, end: (begun: Person) => Promise<unknown>];
const ends: End[] = [
  ['its user signs out', (begun) => begun.auth('sign-out', {})],
  [
    'its user ends it from another one',
    async (begun) => {
      const id = await currentOf(begun);
      await (await signIn(new Person(server))).auth('session/remove', { id });
    },
  ],
  [
    'its user ends it by GraphQL',
    async (begun) => {
      const [id, another] = [await currentOf(begun), await signIn(new Person(server))];
      await another.data(`mutation { revokeSession(id: ${id}) { __typename } }`);
    },
  ],
  ['somebody else signs in in its browser', (begun) => signIn(begun, otherEmail)],
  [
    'it expires',
    async () => {
      const lastUsedAt = new Date(server.clock.now.getTime() - 12 * 3_600_000);
      await server.database.prisma.session.updateMany({ data: { lastUsedAt } });
    },
  ],
];

describe.each(ends)('if %s', (_what, end) => {
  test('a new address that a session asked for is not confirmed', async () => {
    const token = await askForEmail();
    await end(person);
    const again = await signIn(person);
    expect((await again.auth('token', { token })).status).toBe(410);
    expect((await again.auth('confirm', { token })).status).toBe(410);
    expect((await profileOf(again)).user.email).toBe(email);
  });

  test('a passkey that a session asked for is not registered', async () => {
    const { body } = await person.auth('passkey/registration-options', {});
    const response = new Authenticator().create(body as never);
    await end(person);
    const again = await signIn(person);
    expect((await again.auth('passkey/register', { name: 'Late', response })).status).toBe(422);
    expect((await again.auth('profile')).body.passkeys).toEqual([]);
  });
});

test('only the session that asked confirms an address and registers a passkey', async () => {
  const token = await askForEmail();
  const { body } = await person.auth('passkey/registration-options', {});
  const response = new Authenticator().create(body as never);
  for (const browser of [await signIn(new Person(server)), other]) {
    expect((await browser.auth('confirm', { token })).status).toBe(410);
    expect((await browser.auth('passkey/register', { name: 'x', response })).status).toBe(422);
  }
  expect((await person.auth('confirm', { token })).status).toBe(204);
});

test('a sign-in of the same user in the same browser takes over what the session began', async () => {
  const token = await askForEmail();
  const { body } = await person.auth('passkey/registration-options', {});
  const response = new Authenticator().create(body as never);
  await signIn(person);
  expect((await person.auth('passkey/register', { name: 'x', response })).status).toBe(201);
  expect((await person.auth('confirm', { token })).status).toBe(204);
  expect((await profileOf(person)).user.email).toBe(`new-${email}`);
});

test('the token of a new address tells that address to its user alone', async () => {
  const token = await askForEmail();
  const told = async (by: Person) => {
    const { status, body } = await by.auth('token', { token });
    return [status, body.kind, body.email];
  };
  const address = `new-${email}`;
  expect(await told(person)).toEqual([200, 'EMAIL', address]);
  expect(await told(await signIn(new Person(server)))).toEqual([200, 'EMAIL', address]);
  expect(await told(other)).toEqual([200, 'EMAIL', undefined]);
  expect(await told(new Person(server))).toEqual([200, 'EMAIL', undefined]);
});

test('a process of an earlier version began nothing that is finished here', async () => {
  const token = await askForEmail();
  await server.database.prisma.oneTimeToken.updateMany({ data: { sessionId: null } });
  expect((await person.auth('confirm', { token })).status).toBe(410);
});
