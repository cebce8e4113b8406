import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sendAddressMails } from '../../src/domain/access/address-change.ts';
import { inviteByOperator } from '../../src/domain/access/invitation.ts';
import type { Services } from '../../src/domain/services.ts';
import type { Mail, SendMail } from '../../src/engine/outgoing/mail.ts';
import { runCommand } from '../support/command.ts';
import { Person } from '../support/person.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const password = 'correct horse';
const A_DAY = 86_400_000;
let server: TestServer;
let people = 0;
let person: Person;
let email = '';
let began: Date;
const mails: Mail[] = [];
let send: SendMail = (mail) => void mails.push(mail);
beforeAll(async () => {
  // The commands have the clock of the machine.
  server = await startTestServer({ now: new Date(), sendMail: (...given) => send(...given) });
  await server.caller('default');
  began = server.clock.now;
});
afterAll(() => server.stop());

async function accept(address: string) {
  const { token } = await inviteByOperator(
    ...([server.database, 1, { email: address, role: 'EDITOR' }, server.clock.now] as const),
  );
  const made = new Person(server);
  const { status } = await made.auth('accept', { token, email: address, name: 'A person', password });
  return { made, status };
}
beforeEach(async () => {
  server.clock.now = began;
  send = (mail) => void mails.push(mail);
  email = `person-${people++}@x.example`;
  ({ made: person } = await accept(email));
  mails.length = 0;
});

const linkIn = (page: string, mail = mails.at(-1)) =>
  new RegExp(`/console/${page}#(\\S+)`).exec(mail?.text ?? '')?.[1] ?? '';

/** Changes the address, and gives the token that the old one gets. */
async function change(by: Person, to: string): Promise<string> {
  await server.database.prisma.signInGuesses.deleteMany();
  expect((await by.auth('email', { email: to })).status).toBe(202);
  expect((await by.auth('confirm', { token: linkIn('confirm') })).status).toBe(204);
  return linkIn('undo');
}
const undo = async (token: string, by = new Person(server)) =>
  (await by.auth('email/undo', { token })).status;
const signIn = async (address: string, given = password) => {
  const browser = new Person(server);
  return { browser, status: (await browser.auth('sign-in', { email: address, password: given })).status };
};
const addressOf = async (of: Person) => {
  const { body } = await of.auth('session');
  return (body.user as { email: string } | undefined)?.email;
};
const tokensOf = (address: string) =>
  server.database.prisma.oneTimeToken.count({ where: { user: { emailKey: address } } });

describe('the old address', () => {
  test('is told of a change, in the language of the request, beyond all limits', async () => {
    await server.database.prisma.signInGuesses.deleteMany();
    const { status } = await person.auth('email', { email: `new-${email}` });
    expect(status).toBe(202);
    const token = linkIn('confirm');
    // Nothing is left of any limit.
    await server.database.prisma.signInGuesses.updateMany({ data: { count: 1_000 } });
    const confirmed = await person.auth('confirm', { token }, { 'Accept-Language': 'de' });
    expect(confirmed.status).toBe(204);
    expect(mails.at(-1)).toMatchObject({
      to: email,
      subject: 'Ihre E-Mail-Adresse wurde geändert',
      text: expect.stringMatching(/https:\/\/s\.example\/console\/undo#[\w-]{43}\n/),
    });
    expect(
      (await server.database.prisma.signInGuesses.findMany()).every(({ count }) => count === 1_000),
    ).toBe(true);
  });

  test('is told what its link is', async () => {
    const token = await change(person, `new-${email}`);
    const { body } = await new Person(server).auth('token', { token });
    const expiresAt = new Date(server.clock.now.getTime() + 7 * A_DAY).toISOString();
    expect(body).toEqual({ kind: 'UNDO', email, expiresAt });
  });

  test('comes back by the link, for seven days, once, and gets a link for a new password', async () => {
    const token = await change(person, `new-${email}`);
    const other = await signIn(`new-${email}`);
    server.clock.now = new Date(began.getTime() + 7 * A_DAY - 1);
    const still = await signIn(`new-${email}`);
    expect([other.status, still.status]).toEqual([200, 200]);
    await still.browser.auth('email', { email: `third-${email}` });
    mails.length = 0;
    expect(await undo(token)).toBe(204);
    expect(await addressOf(still.browser)).toBeUndefined();
    expect(mails.map(({ to }) => to)).toEqual([email]);
    expect(await tokensOf(email)).toBe(1);
    expect(await undo(token)).toBe(410);
    const browser = new Person(server);
    const reset = await browser.auth('reset', { token: linkIn('reset'), password: 'a newer password' });
    expect([reset.status, await addressOf(browser)]).toEqual([200, email]);
    expect((await signIn(`new-${email}`)).status).toBe(401);
  });

  test('does not come back after seven days', async () => {
    const token = await change(person, `new-${email}`);
    server.clock.now = new Date(began.getTime() + 7 * A_DAY);
    expect(await undo(token)).toBe(410);
    // Then others can have it.
    expect((await accept(email)).status).toBe(201);
  });

  test('gets no link if only the case changes', async () => {
    expect(await change(person, email.toUpperCase())).toBe('');
    expect(mails).toHaveLength(1);
  });
});

describe('the link', () => {
  test('outlives further changes, new passwords and resets, and ends the links of later changes alone', async () => {
    const first = await change(person, `b-${email}`);
    const second = await change(person, `c-${email}`);
    await person.auth('password', { password: 'of an intruder' });
    const third = await change(person, `d-${email}`);
    await new Person(server).auth('forgot', { email: `d-${email}` });
    await expect.poll(() => linkIn('reset')).not.toBe('');
    const reset = { token: linkIn('reset'), password: 'of an intruder, too' };
    expect((await person.auth('reset', reset)).status).toBe(200);
    expect(await undo(second)).toBe(204);
    expect(await undo(third)).toBe(410);
    // A password that was set since is gone.
    expect((await signIn(`b-${email}`, reset.password)).status).toBe(401);
    expect(await undo(first)).toBe(204);
    expect((await signIn(email, reset.password)).status).toBe(401);
  });

  test('leaves the password that was there before', async () => {
    const token = await change(person, `new-${email}`);
    expect(await undo(token)).toBe(204);
    expect((await signIn(email)).status).toBe(200);
  });

  test('removes the passkeys and identities that were added since, and no others', async () => {
    const { prisma } = server.database;
    const { id: userId } = await prisma.user.findUniqueOrThrow({ where: { emailKey: email } });
    const add = async (name: string) => {
      const about = { userId, createdAt: server.clock.now };
      const passkey = { name, publicKey: 'x', counter: 0, transports: '', credentialId: `${name} ${userId}` };
      await prisma.passkey.create({ data: { ...about, ...passkey } });
      await prisma.identity.create({
        data: { ...about, issuer: 'https://id.example', subject: `${name} ${userId}` },
      });
    };
    await add('before');
    const token = await change(person, `new-${email}`);
    await add('since');
    expect(await undo(token)).toBe(204);
    const left = await prisma.user.findUniqueOrThrow({
      where: { id: userId },
      include: { passkeys: true, identities: true },
    });
    expect([left.passkeys, left.identities]).toMatchObject([
      [{ name: 'before' }],
      [{ subject: `before ${userId}` }],
    ]);
  });

  test.each([
    ['reset', ['reset']],
    ['disable and enable', ['disable', 'enable']],
  ])('ends with the operator’s %s', async (_what, verbs) => {
    const tokens = [await change(person, `b-${email}`), await change(person, `c-${email}`)];
    for (const verb of verbs) {
      const env = { DATABASE_URL: server.databaseUrl, BASE_URL: 'https://s.example' };
      const { code } = await runCommand('users', env, [verb, '--email', `c-${email}`]);
      expect(code).toBe(0);
    }
    expect([await undo(tokens[0] ?? ''), await undo(tokens[1] ?? '')]).toEqual([410, 410]);
  });

  test('of two requests with it, one succeeds', async () => {
    const token = await change(person, `new-${email}`);
    expect((await Promise.all([undo(token), undo(token)])).toSorted()).toEqual([204, 410]);
  });
});

describe('while a link is open', () => {
  test('nobody else can have the address', async () => {
    const token = await change(person, `new-${email}`);
    expect((await accept(email)).status).toBe(409);
    const { made: other } = await accept(`other-${email}`);
    mails.length = 0;
    await server.database.prisma.signInGuesses.deleteMany();
    expect((await other.auth('email', { email })).status).toBe(202);
    expect((await other.auth('confirm', { token: linkIn('confirm') })).status).toBe(409);
    expect(await server.database.prisma.user.count({ where: { emailKey: email } })).toBe(0);
    // The user can.
    await change(person, email);
    expect(await undo(token)).toBe(204);
  });

  test('a change that fails leaves nothing', async () => {
    const { made: other } = await accept(`other-${email}`);
    mails.length = 0;
    await other.auth('email', { email });
    expect((await other.auth('confirm', { token: linkIn('confirm') })).status).toBe(409);
    const row = { where: { emailKey: `other-${email}` } };
    expect(await server.database.prisma.addressChange.count(row)).toBe(0);
    expect(mails).toHaveLength(1);
  });
});

describe('the mail', () => {
  const services = () =>
    ({ sendMail: send, pageUrl: (page: string, token: string) => `/console/${page}#${token}` }) as Services;

  test('that no mail server took is sent once more, with the same link, by one process', async () => {
    const tried: Mail[] = [];
    send = (mail) => {
      tried.push(mail);
      if (mail.to === email) return Promise.resolve(tried.length > 2);
      mails.push(mail);
    };
    await change(person, `new-${email}`);
    const later = new Date(began.getTime() + 10 * 60_000);
    await sendAddressMails(server.database, services(), began);
    expect(tried.filter(({ to }) => to === email)).toHaveLength(1);
    await Promise.all([1, 2, 3].map(() => sendAddressMails(server.database, services(), later)));
    const told = tried.filter(({ to }) => to === email).map((mail) => linkIn('undo', mail));
    expect(told).toEqual([told[0], told[0]]);
    const unsent = { where: { token: { not: null }, emailKey: email } };
    await expect.poll(() => server.database.prisma.addressChange.count(unsent)).toBe(0);
    expect(await undo(told[0] ?? '')).toBe(204);
  });

  test('that is refused for good ends its link', async () => {
    send = (mail, onRefused) => {
      mails.push(mail);
      if (mail.to === email) return onRefused?.().then(() => false);
    };
    const token = await change(person, `new-${email}`);
    await expect.poll(() => undo(token)).toBe(410);
  });
});

describe('the operator', () => {
  const env = () => ({ DATABASE_URL: server.databaseUrl, BASE_URL: 'https://s.example' });
  const users = (...args: string[]) => runCommand('users', env(), args);
  const idOf = async (address: string) =>
    String((await server.database.prisma.user.findUniqueOrThrow({ where: { emailKey: address } })).id);

  test('finds people by id, and sets the address in the same command, without a link for the other one', async () => {
    const stolen = `intruder-${email}`;
    const token = await change(person, stolen);
    const id = await idOf(stolen);
    const list = JSON.parse((await users('list', '--json')).stdout) as { id: number }[];
    expect(list.find((one) => String(one.id) === id)).toMatchObject({
      email: stolen,
      formerEmails: [{ email }],
    });
    expect((await users('list')).stdout).toMatch(new RegExp(`^${id} .*${email} \\(until `, 'm'));
    mails.length = 0;
    const { code, stdout } = await users('reset', '--id', id, '--new-email', email);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${email} sets a new password`)]);
    expect(await addressOf(person)).toBeUndefined();
    expect(await undo(token)).toBe(410);
    const [, reset] = /reset#(\S+)/.exec(stdout) ?? [];
    const browser = new Person(server);
    expect((await browser.auth('reset', { token: reset, password: 'a newer password' })).status).toBe(200);
    expect([await addressOf(browser), mails]).toEqual([email, []]);
    const rows = { where: { emailKey: stolen, undoUntil: { not: null } } };
    expect(await server.database.prisma.addressChange.count(rows)).toBe(0);
  });

  test.each([
    [['reset'], 'Name the user: --email EMAIL or --id ID.'],
    [['reset', '--email', 'x@x.example', '--id', '1'], 'Name the user: --email EMAIL or --id ID.'],
    [['disable', '--id', '99999'], 'There is no user "99999"'],
    [['disable', '--id', 'x'], 'There is no user "x"'],
    [['list', '--new-email', 'x@x.example'], '--new-email is an option of reset'],
    [['reset', '--id', '1', '--new-email', 'x'], 'email must be an address such as'],
  ])('is told what is wrong with %j', async (args, message) => {
    const { code, stderr } = await users(...args);
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  });

  test('cannot give an address that another user has, or can take back', async () => {
    const { made: other } = await accept(`other-${email}`);
    const id = await idOf(`other-${email}`);
    await change(person, `new-${email}`);
    for (const taken of [email, `new-${email}`]) {
      const { code, stderr } = await users('reset', '--id', id, '--new-email', taken);
      expect([code, stderr]).toEqual([1, expect.stringContaining(`${taken} has a user, or was taken`)]);
    }
    expect(await addressOf(other)).toBe(`other-${email}`);
  });
});
