import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { StrangersRetention } from '../../src/db/stranger-rows.ts';
import { checkPassword } from '../../src/domain/access/sign-in.ts';
import { UserPasswords } from '../../src/domain/password.ts';
import { sql } from '../../src/engine/db/sql.ts';
import { Person, signedIn } from '../support/person.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const HOUR = 60 * 60 * 1000;
const from = (network: string) => ({ 'X-Forwarded-For': network });

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  await server.caller('default');
});
afterAll(() => server.stop());
beforeEach(async () => {
  const { prisma } = server.database;
  await Promise.all([prisma.oneTimeToken.deleteMany(), prisma.signInGuesses.deleteMany()]);
});

const options = (network: string) =>
  new Person(server).auth('passkey/sign-in-options', {}, from(network)).then(({ status }) => status);
const signIn = (email: string, network: string) =>
  new Person(server).auth('sign-in', { email, password: 'wrong' }, from(network));

/** Copies a row, with other keys, so often. */
async function multiply(table: 'OneTimeToken' | 'SignInGuesses', count: number): Promise<void> {
  const numbers = sql`WITH RECURSIVE "n"("i") AS (SELECT 1 UNION ALL SELECT "i" + 1 FROM "n" WHERE "i" < ${count})`;
  const statement = {
    OneTimeToken: sql`INSERT INTO "OneTimeToken" ("hash", "kind", "network", "expiresAt")
      ${numbers} SELECT "hash" || "i", "kind", "network", "expiresAt" FROM (SELECT * FROM "OneTimeToken" LIMIT 1) AS "one", "n"`,
    SignInGuesses: sql`INSERT INTO "SignInGuesses" ("emailHash", "since", "count", "network")
      ${numbers} SELECT "emailHash" || "i", "since", 1, "network" FROM (SELECT * FROM "SignInGuesses" LIMIT 1) AS "one", "n"`,
  };
  await server.database.execute(statement[table]);
}

describe('a network', () => {
  test('has 1,000 tokens at most, also asked for at once, and others go on', async () => {
    expect(await options('192.0.2.1')).toBe(200);
    await multiply('OneTimeToken', 996);
    const asked = await Promise.all(Array.from({ length: 8 }, () => options('192.0.2.1')));
    expect(asked.sort()).toEqual([200, 200, 200, 429, 429, 429, 429, 429]);
    expect(await options('192.0.2.2')).toBe(200);
    // Rows that have ended do not count, deleted or not.
    server.clock.now = new Date(server.clock.now.getTime() + HOUR);
    expect(await options('192.0.2.1')).toBe(200);
  });

  test('has guesses for 1,000 addresses at most, and for these more', async () => {
    expect((await signIn('first@example.com', '2001:db8::1')).status).toBe(401);
    await multiply('SignInGuesses', 999);
    const refused = await signIn('second@example.com', '2001:db8::2');
    expect([refused.status, refused.headers.get('Retry-After'), refused.body.error?.code]).toEqual([
      429,
      '60',
      'RATE_LIMITED',
    ]);
    expect((await signIn('first@example.com', '2001:db8::3')).status).toBe(401);
    expect((await signIn('third@example.com', '2001:db8:0:1::1')).status).toBe(401);
    server.clock.now = new Date(server.clock.now.getTime() + HOUR);
    expect((await signIn('second@example.com', '2001:db8::2')).status).toBe(401);
  });
});

test('at 100,000 rows strangers get 429, and whoever is signed in goes on', async () => {
  expect(await options('192.0.2.3')).toBe(200);
  expect((await signIn('first@example.com', '192.0.2.3')).status).toBe(401);
  await multiply('OneTimeToken', 99_999);
  await multiply('SignInGuesses', 99_999);
  expect(await options('192.0.2.4')).toBe(429);
  expect((await signIn('second@example.com', '192.0.2.4')).status).toBe(429);
  const person = await signedIn(server, 1, 'VIEWER');
  expect((await person.auth('passkey/registration-options', {}, from('192.0.2.4'))).status).toBe(200);
  server.clock.now = new Date(server.clock.now.getTime() + HOUR);
  // What has ended does not count; many rows are counted once a second.
  await expect.poll(() => options('192.0.2.4')).toBe(200);
});

test('a right password leaves no row, and the hour of wrong ones begins anew', async () => {
  const { database, clock } = server;
  const passwords = new UserPasswords({ N: 2 ** 10, r: 8, p: 1 });
  const context = () => ({ passwords, now: clock.now, asker: { network: '192.0.2.5', isStranger: true } });
  const password = await passwords.hash('right');
  const email = 'somebody@example.com';
  await database.prisma.user.create({
    data: { name: 'Somebody', email, emailKey: email, password, createdAt: clock.now },
  });
  const rows = () => database.prisma.signInGuesses.findMany({ select: { count: true, since: true } });
  expect(await checkPassword(database, { email, password: 'right' }, context())).toMatchObject({ email });
  expect(await rows()).toEqual([]);
  const begun = clock.now;
  for (const tried of ['wrong', 'wrong', 'right'])
    await checkPassword(database, { email, password: tried }, context());
  expect(await rows()).toEqual([{ count: 2, since: begun }]);
  clock.now = new Date(begun.getTime() + HOUR);
  await checkPassword(database, { email, password: 'wrong' }, context());
  expect(await rows()).toEqual([{ count: 1, since: clock.now }]);
});

test('a job deletes what has ended, a thousand rows at a time', async () => {
  const { database, clock } = server;
  await options('192.0.2.6');
  await signIn('first@example.com', '192.0.2.6');
  await multiply('OneTimeToken', 2_500);
  await multiply('SignInGuesses', 2_500);
  const job = new StrangersRetention(database, () => clock.now, pino({ level: 'silent' }));
  const counts = () =>
    Promise.all([database.prisma.oneTimeToken.count(), database.prisma.signInGuesses.count()]);
  await job.deleteOld();
  expect(await counts()).toEqual([2_501, 2_501]);
  clock.now = new Date(clock.now.getTime() + HOUR);
  const statements = await server.statementsOf(() => job.deleteOld());
  expect(await counts()).toEqual([0, 0]);
  expect(statements.filter((text) => text.startsWith('DELETE'))).toHaveLength(6);
});
