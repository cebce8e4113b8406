import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SignInLog } from '../../src/auth/sign-in-log.ts';
import { inviteByOperator } from '../../src/domain/access/invitation.ts';
import { setDisabled } from '../../src/domain/access/user.ts';
import { Person } from '../support/person.ts';
import { NOON, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  await server.caller('default');
});
afterAll(() => server.stop());

const email = 'ana@example.com';
const password = 'correct horse';

/** The lines about sign-ins that the work writes. */
async function linesOf(work: () => Promise<unknown>) {
  const before = server.log.length;
  await work();
  return server.log
    .slice(before)
    .filter(({ msg }) => String(msg).startsWith('sign-in'))
    .map(({ level: _, time: __, pid: ___, hostname: ____, ...line }) => line);
}

const from = (address: string) => ({ 'X-Forwarded-For': address });
const signIn = (given: { email: string; password: string }, address = '203.0.113.77') =>
  new Person(server).auth('sign-in', given, from(address));

test('there is one line for each attempt, without what was typed', async () => {
  const { token } = await inviteByOperator(server.database, 1, { email, role: 'ADMIN' }, NOON);
  const common = { msg: 'sign-in', network: '203.0.113.0/24' };
  const accept = { token, name: 'Ana', email, password };
  const accepted = await linesOf(() => new Person(server).auth('accept', accept, from('203.0.113.5')));
  const { id: user } = await server.database.prisma.user.findUniqueOrThrow({ where: { emailKey: email } });
  expect(accepted).toEqual([{ ...common, outcome: 'ok', way: 'link', user }]);
  const again = () => new Person(server).auth('accept', accept, from('203.0.113.5'));
  expect(await linesOf(again)).toEqual([{ ...common, outcome: 'refused', way: 'link', user: null }]);

  expect(await linesOf(() => signIn({ email, password }))).toEqual([
    { ...common, outcome: 'ok', way: 'password', user },
  ]);
  expect(await linesOf(() => signIn({ email, password: 'wrong horse' }))).toEqual([
    { ...common, outcome: 'refused', way: 'password', user },
  ]);
  const typed = 'a password typed as the email';
  const unknown = await linesOf(() => signIn({ email: typed, password }, '2001:db8:1:2:3::4'));
  expect(unknown).toEqual([
    { ...common, network: '2001:db8:1:2::/64', outcome: 'refused', way: 'password', user: null },
  ]);
  expect(JSON.stringify(server.log)).not.toContain(typed);
  await setDisabled(server.database, user, NOON);
  expect(await linesOf(() => signIn({ email, password }))).toEqual([
    { ...common, outcome: 'refused', way: 'password', user },
  ]);
  await setDisabled(server.database, user, null, NOON);
  const passkey = await linesOf(() => new Person(server).auth('passkey/sign-in', {}, from('203.0.113.5')));
  expect(passkey).toEqual([]);
});

test('too many guesses are limited ones, and a body that is no attempt has no line', async () => {
  const guess = () => signIn({ email: 'bob@example.com', password: 'wrong horse' }, '198.51.100.7');
  const lines = await linesOf(async () => {
    for (let times = 0; times < 6; times++) await guess();
    await new Person(server).auth('sign-in', { email }, from('198.51.100.7'));
  });
  expect(lines.map(({ outcome }) => outcome)).toEqual([...Array(5).fill('refused'), 'limited']);
});

/** A log on its own, with the lines that it writes and a clock. */
function logged() {
  const lines: Record<string, unknown>[] = [];
  const clock = { now: NOON.getTime() };
  const sink = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const log = new SignInLog(pino({ base: null, timestamp: false }, sink), () => new Date(clock.now));
  const attempt = (address: string) =>
    log.attempt({ outcome: 'refused', way: 'password', user: null, address });
  return { log, lines, clock, attempt };
}

const left = (lines: readonly Record<string, unknown>[]) =>
  lines.flatMap(({ count, network }) => (count === undefined ? [] : [[count, network]]));

test('a network has 10 lines a minute, and then one with the count', () => {
  const { log, lines, clock, attempt } = logged();
  for (let times = 0; times < 25; times++) attempt(`203.0.113.${times}`);
  attempt('203.0.114.1');
  expect([lines.length, left(lines)]).toEqual([11, []]);
  clock.now += 60_000;
  attempt('203.0.113.1');
  expect([lines.length, left(lines)]).toEqual([13, [[15, '203.0.113.0/24']]]);
  // A clock that is set back ends the minute, too.
  for (let times = 0; times < 10; times++) attempt('203.0.113.1');
  clock.now -= 120_000;
  attempt('203.0.113.1');
  expect(left(lines)).toEqual([
    [15, '203.0.113.0/24'],
    [1, '203.0.113.0/24'],
  ]);
  for (let times = 0; times < 10; times++) attempt('203.0.113.1');
  log.stop();
  expect(left(lines)).toHaveLength(3);
});

test('all networks together have 300 lines a minute', () => {
  const { lines, clock, attempt } = logged();
  for (let network = 0; network < 400; network++) attempt(`10.${network >> 8}.${network & 255}.1`);
  // A network that had a line.
  attempt('10.0.0.9');
  attempt('not an address');
  expect([lines.length, left(lines)]).toEqual([300, []]);
  clock.now += 60_000;
  attempt('10.0.0.1');
  expect(left(lines)).toEqual([
    [1, '10.0.0.0/24'],
    [101, undefined],
  ]);
});
