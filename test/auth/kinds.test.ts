import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createUser } from '../../src/domain/access/user.ts';
import { UserPasswords } from '../../src/domain/password.ts';
import type { Mail } from '../../src/engine/outgoing/mail.ts';
import { Person, signedIn } from '../support/person.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

const hashCost = { N: 2, r: 1, p: 1 } as const;
const RATE_LIMIT = 20;
let server: TestServer;
let program: Caller;
const mails: Mail[] = [];
beforeAll(async () => {
  server = await startTestServer({ sendMail: (mail) => void mails.push(mail), hashCost });
  program = await server.caller('default');
});
afterAll(() => server.stop());
beforeEach(() => {
  mails.length = 0;
});

const tokenOf = ({ cookie }: Person) => String(cookie?.split('=')[1]);
const byKey = { query: '{ viewer { role } }' };

describe('a session and a key', () => {
  const surfaces: [string, (caller: Caller) => Promise<number>][] = [
    ['v1', async (caller) => (await caller.rest('GET', '/spaces')).status],
    [
      'GraphQL',
      async (caller) => {
        const headers = { 'Content-Type': 'application/json' };
        const init = { method: 'POST', body: JSON.stringify(byKey), headers };
        return (await caller.fetch('/graphql', init)).status;
      },
    ],
  ];

  test.each(surfaces)(
    'are told apart: a token of a session is no key of %s, also while it is used',
    async (_, status) => {
      const person = await signedIn(server, 1, 'OWNER');
      const caller = server.callerWith(tokenOf(person));
      expect(await status(caller)).toBe(401);
      await person.data('{ viewer { role } }');
      await person.data('{ viewer { role } }', {}, { 'X-Account': '1' });
      expect(await status(caller)).toBe(401);
      expect(await person.data('{ viewer { role } }')).toEqual({ viewer: { role: 'OWNER' } });
    },
  );

  test('are told apart: a key is no token of a session, also while it is used', async () => {
    const person = new Person(server);
    person.cookie = `__Host-linkspace=${program.key}`;
    for (let time = 0; time < 2; time++) {
      const { status } = await person.fetch('/graphql', {
        method: 'POST',
        body: JSON.stringify(byKey),
        headers: { 'Content-Type': 'application/json' },
      });
      expect(status).toBe(401);
      expect((await person.auth('session')).status).toBe(401);
      expect((await program.rest('GET', '/spaces')).status).toBe(200);
    }
  });

  test('are told apart where a network has sent too many wrong ones: each is listed as what it is', async () => {
    const limited = await startTestServer({ url: server.databaseUrl, rateLimit: RATE_LIMIT });
    const person = await signedIn(limited, 1, 'OWNER');
    const headers = { 'X-Forwarded-For': '192.0.2.77' };
    const ask = (key: string) =>
      limited
        .callerWith(key)
        .fetch('/api/v1/spaces', { headers })
        .then(({ status }) => status);
    for (let i = 0; i < RATE_LIMIT / 2; i++) expect(await ask(`wrong-${i}`)).toBe(401);
    expect(await ask('wrong')).toBe(429);
    // A listed key is looked up, and anything else is refused before.
    expect(await ask(tokenOf(person))).toBe(429);
    expect(await ask(program.key)).toBe(200);
    await limited.stop();
  });
});

describe('a sign-in with something that is no email address', () => {
  let addresses = 0;
  const from = () => ({ 'X-Forwarded-For': `198.51.100.${++addresses}` });
  const signIn = (email: string, headers: Record<string, string>) =>
    new Person(server).auth('sign-in', { email, password: 'a wrong password' }, headers);
  const hashes = async () => {
    const found = await server.database.prisma.signInGuesses.findMany({ orderBy: { since: 'asc' } });
    return new Set(found.map(({ emailHash }) => emailHash));
  };

  const notOne = [
    ...['', ' ', 'x', 'a@b', '@example.com', 'a b@example.com', 'a@example.com, b@example.com'],
    ...['mail victim@example.com', 'mail reset victim@example.com', 'mail of 1', 'mail invitations of 1'],
    ...[
      'mail 5:reset 18:victim@example.com',
      'guess 18:victim@example.com',
      `${'x'.repeat(250)}@example.com`,
    ],
  ];

  test.each(notOne)('%j gets the 401 of a wrong password, after as much work', async (email) => {
    const headers = from();
    const [known, other] = [
      await signIn(`nobody-${addresses}@example.com`, headers),
      await signIn(email, headers),
    ];
    expect([other.status, other.body]).toEqual([known.status, known.body]);
    expect(known.status).toBe(401);
    const work = async (one: string) => {
      let answer: number | undefined;
      const statements = await server.statementsOf(async () => {
        answer = (await signIn(one, headers)).status;
      });
      return [answer, ...statements.map((sql) => sql.replace(/\s+/g, ' '))];
    };
    expect(await work(email)).toEqual(await work(`nobody-${addresses}@example.com`));
  });

  test('counts as a guess of its network, and of no address', async () => {
    const headers = from();
    const before = await hashes();
    for (let i = 0; i < 30; i++) expect((await signIn(`mail of ${i}`, headers)).status).toBe(401);
    expect((await hashes()).size - before.size).toBe(1);
    expect((await signIn('mail of 99', headers)).status).toBe(429);
    // All sign-ins of the network are limited together, and those of others are not.
    expect((await signIn('somebody@example.com', headers)).status).toBe(429);
    expect((await signIn('mail of 99', from())).status).toBe(401);
  });

  test('signs in nobody whose address only becomes one in lower case', async () => {
    const passwords = new UserPasswords(hashCost);
    const password = 'a good password';
    const email = 'kelvin@example.com';
    await createUser(server.database, { name: 'K', email }, await passwords.hash(password), server.clock.now);
    const attempt = (given: string) => new Person(server).auth('sign-in', { email: given, password }, from());
    expect((await attempt('KELVIN@example.com')).status).toBe(200);
    expect((await attempt('\u212Aelvin@example.com')).status).toBe(401);
  });

  test('uses up no mails: of an address, for a new password, of a user, and of an account', async () => {
    const owner = await signedIn(server, 1, 'OWNER');
    const { email: own } = await server.database.prisma.user.findUniqueOrThrow({
      where: { id: owner.userId },
    });
    const names = (address: string) => [
      ...[`mail ${address}`, `mail reset ${address}`, `mail of ${owner.userId}`, 'mail invitations of 1'],
      ...[`mail 7:address ${address.length}:${address}`, `mail 5:reset ${address.length}:${address}`],
      `mail 4:user ${String(owner.userId).length}:${owner.userId}`,
    ];
    for (const name of [...names('victim@example.com'), ...names(own)])
      for (let time = 0; time < 4; time++) await signIn(name, from());
    const invite = `mutation { inviteMember(input: { email: "victim@example.com", role: VIEWER }) { __typename } }`;
    expect(await owner.data(invite)).toEqual({ inviteMember: { __typename: 'Invitation' } });
    expect((await owner.auth('email', { email: 'changed@example.com' }, from())).status).toBe(202);
    await new Person(server).auth('forgot', { email: own }, from());
    await expect
      .poll(() => mails.map(({ to }) => to))
      .toEqual(['victim@example.com', 'changed@example.com', own]);
  });
});

/** Sends a request as it is, in bytes of Latin-1, and returns the answer's status. */
function raw(lines: readonly string[], body = ''): Promise<number> {
  const { port } = new URL(server.origin);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('close', () => resolve(Number(text.slice(9, 12)))).on('error', reject);
    socket.write(Buffer.from(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n${body}`, 'latin1'));
  });
}

// What `trim` removes besides spaces and tabs, in bytes that a header may have.
const NO_BLANK = '\u00a0';

describe('around a value of a header', () => {
  const session = (cookie: string) =>
    raw([
      'GET /auth/session HTTP/1.1',
      'Host: s.example',
      'Sec-Fetch-Site: same-origin',
      `Cookie: ${cookie}`,
    ]);

  test('only spaces and tabs are not a part of a cookie’s name', async () => {
    const person = await signedIn(server, 1, 'VIEWER');
    const other = await signedIn(server, 1, 'OWNER');
    const name = '__Host-linkspace';
    for (const blank of ['', ' ', '\t', ' \t '])
      expect(await session(`a=b;${blank}${name}${blank}=${blank}${tokenOf(person)}${blank}`)).toBe(200);
    for (const cookie of [
      `${NO_BLANK}${name}=${tokenOf(other)}`,
      `${name}${NO_BLANK}=${tokenOf(other)}`,
      `a=b; ${NO_BLANK}${name}=${tokenOf(other)}`,
      `${name}=${NO_BLANK}${tokenOf(other)}`,
      `${name}=${tokenOf(other)}${NO_BLANK}`,
    ])
      expect(await session(cookie)).toBe(401);
    // It does not sign anybody out either.
    expect(await session(`${name}=${tokenOf(person)}; ${NO_BLANK}${name}=x`)).toBe(200);
  });

  test.each([
    ['', 401],
    [' ', 401],
    ['\t', 401],
    [NO_BLANK, 422],
  ])('%j is a blank or part of a Content-Type', async (around, status) => {
    const body = JSON.stringify({ email: 'nobody@example.com', password: 'x' });
    const lines = [
      ...['POST /auth/sign-in HTTP/1.1', 'Host: s.example', 'X-Forwarded-For: 198.51.100.250'],
      ...[`Content-Type: application/json${around}; charset=utf-8`, `Content-Length: ${body.length}`],
    ];
    expect(await raw(lines, body)).toBe(status);
  });
});
