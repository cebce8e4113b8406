import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inviteByOperator } from '../../src/domain/access/invitation.ts';
import type { Mail } from '../../src/engine/outgoing/mail.ts';
import { Person, signedIn } from '../support/person.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const MAX_IN_FLIGHT = 250;
const LIMIT = 20;

let server: TestServer;
const mails: Mail[] = [];
beforeAll(async () => {
  server = await startTestServer({
    sendMail: (mail) => void mails.push(mail),
    maxInFlight: MAX_IN_FLIGHT,
    formTimeout: 500,
    rateLimit: LIMIT,
    hashCost: { N: 2 ** 12, r: 8, p: 1 },
  });
  await server.caller('default');
});
afterAll(() => server.stop());

const isAlive = async () => (await fetch(`${server.origin}/livez`)).status === 200;

/** Sends the beginning of a request, and gives the status of the answer; the server ends the connection. */
function sendPart(headers: string, body: string, network = '192.0.2.1', isEndless = false): Promise<string> {
  const { hostname, port } = new URL(server.origin);
  return new Promise((resolve) => {
    let text = '';
    const head = `POST /auth/sign-in HTTP/1.1\r\nHost: s.example\r\nContent-Type: application/json\r\nX-Forwarded-For: ${network}`;
    const socket = connect(Number(port), hostname, () =>
      socket.write(`${head}\r\n${headers}\r\n\r\n${body}`),
    );
    const more = isEndless ? setInterval(() => socket.write('4\r\n    \r\n'), 20) : undefined;
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket
      .on('error', () => {})
      .on('close', () => {
        clearInterval(more);
        resolve(text.slice(9, 12));
      });
  });
}

describe('bodies that come slowly', () => {
  test.each([
    ['one network', () => '192.0.2.1'],
    ['many networks', (i: number) => `198.51.${i >> 8}.${i & 255}`],
  ])('from %s leave room for others, and end soon', async (_name, networkOf) => {
    const answers = Promise.all(
      Array.from({ length: MAX_IN_FLIGHT + 50 }, (_, i) =>
        sendPart('Content-Length: 100', '{', networkOf(i)),
      ),
    );
    const first = sendPart('Content-Length: 100', '{', '192.0.2.1');
    expect(await isAlive()).toBe(true);
    expect((await new Person(server).auth('sign-in', { email: 'a', password: 'b' })).status).not.toBe(503);
    await first;
    const statuses = await answers;
    expect(statuses.filter((status) => status !== '422' && status !== '429')).toEqual([]);
  });

  test('end also without an end', async () => {
    expect(await sendPart('Transfer-Encoding: chunked', '', '192.0.2.2', true)).toBe('422');
  });

  test.each([
    ['says that it is', 'Content-Length: 100000000', '{'],
    ['is', 'Transfer-Encoding: chunked', `4e20\r\n${' '.repeat(20_000)}`],
  ])('are refused at once if one %s too large', async (_name, headers, body) => {
    const status = sendPart(headers, body, '192.0.2.3');
    expect(await status).toBe('422');
  });
});

describe('a flood of sign-ins', () => {
  const wrong = (i: number, network: string, signal?: AbortSignal) =>
    new Person(server).fetch('/auth/sign-in', {
      method: 'POST',
      body: JSON.stringify({ email: `flood-${network}-${i}@example.com`, password: 'wrong password' }),
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': network },
      ...(signal && { signal }),
    });

  test('leaves room for others, and ends soon', async () => {
    const flood = Promise.all(
      Array.from({ length: MAX_IN_FLIGHT + 50 }, (_, i) => wrong(i, `192.0.2.${i % 12}`)),
    );
    const alive: boolean[] = [];
    for (let i = 0; i < 5; i++) alive.push(await isAlive());
    expect(alive).toEqual(Array(5).fill(true));
    const statuses = (await flood).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 401 && status !== 429)).toEqual([]);
  });

  test('from some networks does not keep another one out', async () => {
    const flood = Array.from({ length: 240 }, (_, i) => wrong(i, `198.18.0.${i % 8}`));
    const refused = flood.map(async (answer) => {
      if ((await answer).status !== 429) throw new Error('it is answered');
    });
    await Promise.any(refused);
    const others = Array.from({ length: 5 }, (_, i) => wrong(i, `198.19.0.${i}`));
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual(Array(5).fill(401));
    await Promise.all(flood);
  });

  test('of clients that have left calculates nothing more', async () => {
    const { signInGuesses } = server.database.prisma;
    const network = '203.0.113.1';
    const before = await signInGuesses.count();
    const left = new AbortController();
    const sent = Array.from({ length: 30 }, (_, i) => wrong(i, network, left.signal));
    await Promise.race(sent);
    left.abort();
    await Promise.allSettled(sent);
    await wrong(99, network);
    expect((await signInGuesses.count()) - before).toBeLessThan(20);
  });
});

describe('mails', () => {
  test('with a link for a new password are three an hour, also if asked for at once', async () => {
    const { userId } = await signedIn(server, 1, 'VIEWER');
    const { email } = await server.database.prisma.user.findUniqueOrThrow({ where: { id: userId } });
    mails.length = 0;
    await Promise.all(Array.from({ length: 12 }, () => new Person(server).auth('forgot', { email })));
    await expect.poll(() => mails.length).toBe(3);
    expect(await server.database.prisma.oneTimeToken.count({ where: { userId } })).toBe(3);
  });

  test('to one address that others cause are three an hour from all ways, beside its own links', async () => {
    const [owner, other] = [await signedIn(server, 1, 'OWNER'), await signedIn(server, 1, 'VIEWER')];
    const { email } = await server.database.prisma.user.findUniqueOrThrow({ where: { id: other.userId } });
    mails.length = 0;
    const invite = `mutation { inviteMember(input: { email: "${email}", role: VIEWER }) { ... on Invitation { url } } }`;
    expect(await owner.data(invite)).toEqual({ inviteMember: { url: expect.any(String) } });
    for (const person of [owner, other]) expect((await person.auth('email', { email })).status).toBe(202);
    expect((await other.auth('password', { password: 'a newer password' })).status).toBe(204);
    expect(await owner.data(invite)).toEqual({ inviteMember: { url: expect.any(String) } });
    expect((await owner.auth('email', { email })).status).toBe(429);
    await new Person(server).auth('forgot', { email });
    await expect.poll(() => mails.length).toBe(4);
    const kinds = mails.map(({ subject }) => subject.split(' ')[0]);
    expect(kinds).toEqual(['Invitation', 'Confirm', 'Confirm', 'A']);
  });

  test('that are asked for in a flood are counted one after another, and the rest forgotten', async () => {
    const before = await server.database.prisma.signInGuesses.count();
    const ask = (i: number) => new Person(server).auth('forgot', { email: `nobody-${i}@example.com` });
    const answers = await Promise.all(Array.from({ length: 150 }, (_, i) => ask(i)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    const made = async () => (await server.database.prisma.signInGuesses.count()) - before;
    await expect.poll(made).toBeGreaterThan(10);
    expect(await made()).toBeLessThanOrEqual(150);
  });

  test('that confirm an address are three an hour', async () => {
    const person = await signedIn(server, 1, 'VIEWER');
    mails.length = 0;
    const change = (i: number) => person.auth('email', { email: `stranger-${i}@example.com` });
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => change(i)));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 202, 202, 429, 429, 429, 429, 429]);
    const refused = answers.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get('Retry-After'))).toBeGreaterThan(3_500);
    expect(mails).toHaveLength(3);
    server.clock.now = new Date(server.clock.now.getTime() + 3_600_000);
    const again = await signedIn(server, 1, 'VIEWER');
    expect((await again.auth('email', { email: 'stranger@example.com' })).status).toBe(202);
  });

  test('have the name of the account as plain words', async () => {
    const owner = await signedIn(server, 1, 'OWNER');
    const name = 'Win at https://evil.example/a?b or www.evil.example';
    await owner.data('mutation($name: String!) { updateAccount(input: { name: $name }) { __typename } }', {
      name,
    });
    mails.length = 0;
    await owner.data(
      'mutation { inviteMember(input: { email: "new@example.com", role: VIEWER }) { __typename } }',
    );
    const [mail] = mails;
    expect(mail?.subject).not.toMatch(/https?:|\/\/|evil\.example|[\p{C}]/u);
    expect(mail?.text).not.toMatch(/evil\.example/);
    expect(mail?.subject).toContain('Win at');
  });

  test.each([
    ['de-AT,en;q=0.8', ['Einladung zu', 'Neues Passwort', 'E-Mail-Adresse bestätigen']],
    ['fr', ['Invitation à', 'Nouveau mot', 'Confirmez votre']],
    ['es-MX', ['Invitación a', 'Nueva contraseña', 'Confirme su']],
    ['nl,en;q=0.5', ['Invitation to', 'A new password', 'Confirm your']],
  ])('are in the language of the request that causes them: %s', async (language, subjects) => {
    const owner = await signedIn(server, 1, 'OWNER');
    const { email } = await server.database.prisma.user.findUniqueOrThrow({ where: { id: owner.userId } });
    const headers = { 'Accept-Language': language };
    mails.length = 0;
    const invite = `mutation { inviteMember(input: { email: "${language.slice(0, 2)}@example.com", role: VIEWER }) { __typename } }`;
    await owner.data(invite, {}, headers);
    await owner.auth('forgot', { email }, headers);
    await expect.poll(() => mails.length).toBe(2);
    await owner.auth('email', { email: `new-${language.slice(0, 2)}@example.com` }, headers);
    expect(mails.map(({ subject }, index) => subject.startsWith(subjects[index] ?? '?'))).toEqual([
      true,
      true,
      true,
    ]);
  });
});

test.each([
  'inviteMember(input: { email: "late@example.com", role: VIEWER }) { __typename }',
  'createApiKey(input: { name: "late", role: VIEWER }) { __typename }',
])('who has left the account in the same document writes nothing by %.12s', async (late) => {
  const person = await signedIn(server, 1, 'ADMIN');
  const { data, errors } = await person.graphql(
    `mutation($id: ID!) { removeMember(id: $id) { __typename } late: ${late} }`,
    { id: String(person.memberId) },
  );
  expect(errors?.map(({ extensions }) => extensions.code) ?? []).not.toContain('INTERNAL');
  expect(data?.late).not.toMatchObject({ __typename: expect.stringMatching(/^(Invitation|CreatedApiKey)$/) });
});

test('what somebody who is signed in writes is limited', async () => {
  const person = await signedIn(server, 1, 'VIEWER');
  const { prisma } = server.database;
  const statuses = await Promise.all(
    Array.from({ length: LIMIT + 5 }, (_, i) => person.auth('profile', { name: `Name ${i}` })),
  );
  expect(statuses.filter(({ status }) => status === 204)).toHaveLength(LIMIT);
  expect(statuses.filter(({ status }) => status === 429)).toHaveLength(5);
  expect(await prisma.user.count({ where: { id: person.userId } })).toBe(1);
});

test('what somebody who is signed in reads of themselves is limited, too', async () => {
  const person = await signedIn(server, 1, 'VIEWER');
  for (let sent = 0; sent < LIMIT / 2; sent++)
    for (const path of ['session', 'profile']) expect((await person.auth(path)).status).toBe(200);
  const refused = [await person.auth('session'), await person.auth('profile')];
  expect(refused.map(({ status, body }) => [status, body.error?.code])).toEqual([
    [429, 'RATE_LIMITED'],
    [429, 'RATE_LIMITED'],
  ]);
  expect(Number(refused[0]?.headers.get('Retry-After'))).toBeGreaterThan(0);
  expect((await person.graphql('{ __typename }')).status).toBe(429);
});

test('wrong cookies cost no statement each above the limit, while valid ones work', async () => {
  const from = { 'X-Forwarded-For': '192.0.2.77' };
  const known = await signedIn(server, 1, 'VIEWER');
  const wrong = new Person(server);
  const ask = async (i: number) => {
    wrong.cookie = `__Host-linkspace=${String(i).padStart(43, 'x')}`;
    return [
      (await wrong.graphql('{ viewer { role } }', {}, from)).status,
      (await wrong.auth('session', undefined, from)).status,
      (await wrong.auth('profile', { name: 'x' }, from)).status,
    ];
  };
  for (let i = 0; i < LIMIT; i++) await ask(i);
  const statements = await server.statementsOf(async () => {
    for (let i = 0; i < 5; i++) expect(await ask(100 + i)).toEqual([429, 429, 429]);
  });
  // The list of valid ones is read once a second.
  // The lists of all keys and sessions are read once a second, however long that takes here.
  const ofLists = /hash[\s\S]* ORDER BY /;
  expect(statements.filter((sql) => !ofLists.test(sql))).toEqual([]);
  expect((await known.graphql('{ viewer { role } }', {}, from)).status).toBe(200);
  expect((await known.auth('session', undefined, from)).status).toBe(200);
});

describe('odd bodies', () => {
  const invited = { email: 'invited@example.com', role: 'VIEWER' };
  let free: TestServer;
  let token: string;
  beforeAll(async () => {
    free = await startTestServer();
    await free.caller('default');
    ({ token } = await inviteByOperator(free.database, 1, invited, free.clock.now));
  });
  afterAll(() => free.stop());
  const texts: unknown[] = ['a\0b', '\ud800', 'x'.repeat(5_000), '', 7, null, [], {}, { toString: 1 }, true];
  const fields = ['token', 'email', 'name', 'password', 'id', 'response', 'to', 'link', 'kind', 'link_id'];
  const credential = (id: unknown) => ({
    ...{ id, rawId: id, type: 'public-key' },
    response: {
      clientDataJSON: id,
      authenticatorData: id,
      signature: id,
      userHandle: id,
      attestationObject: id,
    },
  });
  const bodies = [
    ...texts.map((odd) => Object.fromEntries(fields.map((field) => [field, odd]))),
    ...texts.map((odd) => ({ name: 'a', response: credential(odd) })),
    ...texts.map((odd) => ({ email: odd, password: 'a good password', name: odd })),
    ...['links', 'statistics'].flatMap((kind) => texts.map((odd) => ({ kind, link_id: odd, query: odd }))),
    ...[[], [1], null, 7, 'x'],
  ];

  test.each([
    ...['welcome', 'sign-in', 'accept', 'reset', 'forgot', 'sign-out', 'confirm', 'nothing', 'oidc'],
    ...['passkey/sign-in-options', 'passkey/sign-in', 'passkey/registration-options', 'passkey/register'],
    ...['passkey/remove', 'identity/remove', 'profile', 'password', 'email', 'download'],
  ])('get an answer in words from /auth/%s', async (path) => {
    const person = await signedIn(free, 1, 'VIEWER');
    const send = async (who: Person, body: string, headers: Record<string, string> = {}) => {
      const init = { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } };
      const { status } = await who.fetch(`/auth/${path}`, init);
      if (status >= 500) expect([body.slice(0, 200), headers, status]).toEqual([]);
    };
    for (const body of bodies) {
      const text = JSON.stringify(body);
      await send(new Person(free), text);
      await send(person, text);
      if (path === 'accept' && typeof body === 'object' && !Array.isArray(body)) {
        await send(new Person(free), JSON.stringify({ ...body, token }));
        await send(new Person(free), JSON.stringify({ ...body, token, email: invited.email }));
      }
      if (path === 'sign-out') break;
    }
    const odd: Record<string, string>[] = [
      { 'Content-Type': 'application/json; charset=foo' },
      { 'Content-Type': 'application/json; charset=utf-16' },
      { 'Content-Encoding': 'foo' },
      { 'Content-Encoding': 'gzip' },
      { 'X-Account': '99999999999999999999' },
      { Authorization: 'Basic eDp5' },
    ];
    for (const headers of odd)
      await send(person, '{"email":"a@example.com","password":"a good password"}', headers);
  });
});
