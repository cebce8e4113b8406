import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { listKeys, revokeKey } from '../../src/domain/access/api-key.ts';
import { sql } from '../../src/engine/db/sql.ts';
import { type Person, signedIn } from '../support/person.ts';
import { Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let other: TestServer;
beforeAll(async () => {
  server = await startTestServer({ background: true });
  other = await startTestServer({ background: true, url: server.databaseUrl });
});
afterAll(async () => {
  await other.stop();
  await server.stop();
});

const MINUTE = 60_000;
const status = async (caller: Caller) => (await caller.rest('GET', '/spaces')).status;

async function keyOf({ key }: Caller) {
  const found = (await listKeys(server.database)).find(({ prefix }) => key.startsWith(prefix));
  if (!found) throw new Error('the key is not listed');
  return found;
}

test('stores only a hash and a short prefix of a key', async () => {
  const { key } = await server.caller('kept');
  const rows = await server.database.prisma.apiKey.findMany();
  expect(JSON.stringify(rows)).not.toContain(key);
  expect(rows.at(-1)).toMatchObject({
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    prefix: key.slice(0, 8),
  });
});

test('verifies a known key without a query', async () => {
  const caller = await server.caller();
  expect(await status(caller)).toBe(200);
  const statements = await server.statementsOf(async () => {
    for (let i = 0; i < 20; i++) await caller.rest('GET', '/spaces/0');
  });
  expect(statements.filter((sql) => sql.includes('ApiKey'))).toEqual([]);
});

test('a change of one key has no other one looked up', async () => {
  const [changed, kept] = [await server.caller('changed'), await server.caller('kept')];
  const person = await signedIn(server, 1, 'EDITOR');
  const read = async () => [(await person.graphql('{ __typename }')).status, await status(kept)];
  expect([await status(changed), ...(await read())]).toEqual([200, 200, 200]);
  const seen: string[] = [];
  await revokeKey(other.database, String((await keyOf(changed)).id), NOON);
  await expect.poll(() => status(changed)).toBe(401);
  seen.push(...(await server.statementsOf(async () => expect(await read()).toEqual([200, 200]))));
  expect(seen.filter((sql) => /ApiKey|Session|Membership/.test(sql))).toEqual([]);
});

test('reads the rights of those alone whom a change concerns', async () => {
  const callers = [
    await server.caller('changed'),
    await server.caller('kept'),
    await server.caller('disabled'),
  ] as const;
  const newPerson = () => signedIn(server, 1, 'EDITOR');
  const people = [await newPerson(), await newPerson(), await newPerson(), await newPerson()] as const;
  const [, signedOut, lowered, disabled] = people;
  const { id: keyId } = await keyOf(callers[0]);
  const codeOf = async (person: Person) => {
    const answer = await person.graphql('mutation { deleteTag(id: 0) { __typename } }');
    return answer.errors?.[0]?.extensions.code ?? 'OK';
  };
  const states = async () => [
    ...(await Promise.all(callers.map(status))),
    ...(await Promise.all(people.map(codeOf))),
  ];
  const expected: (string | number)[] = [200, 200, 200, 'OK', 'OK', 'OK', 'OK'];
  expect(await states()).toEqual(expected);
  const { prisma } = other.database;
  const changes: [at: number, state: string | number, change: () => Promise<unknown>][] = [
    [0, 401, () => revokeKey(other.database, String(keyId), NOON)],
    [4, 'UNAUTHENTICATED', () => prisma.session.deleteMany({ where: { userId: signedOut.userId } })],
    [
      5,
      'FORBIDDEN',
      () => prisma.membership.update({ where: { id: lowered.memberId }, data: { role: 'VIEWER' } }),
    ],
    [
      6,
      'UNAUTHENTICATED',
      () => prisma.user.update({ where: { id: disabled.userId }, data: { disabledAt: NOON } }),
    ],
    [2, 401, () => prisma.account.updateMany({ where: { name: 'disabled' }, data: { disabledAt: NOON } })],
  ];
  for (const [at, state, change] of changes) {
    expected[at] = state;
    const statements = await server.statementsOf(async () => {
      await change();
      await expect.poll(states).toEqual(expected);
    });
    // Of two callers, two ids are asked for.
    const ofMany = statements.filter(
      (sql) => /FROM \S*(ApiKey|Session|Membership)/.test(sql) && /IN \([^)]+,/.test(sql),
    );
    expect([at, ofMany]).toEqual([at, []]);
  }
});

test('reads all rights where the log of changes does not say whom they concern', async () => {
  const [caller, kept] = [await server.caller('unnoted'), await server.caller('noted')];
  expect([await status(caller), await status(kept)]).toEqual([200, 200]);
  const { id } = await keyOf(caller);
  await other.database.transaction(async (tx) => {
    await revokeKey(tx, String(id), NOON);
    await tx.prisma.accessChange.deleteMany();
  });
  await expect.poll(() => status(caller)).toBe(401);
  expect(await status(kept)).toBe(200);
});

test('each change that is told has a row that says whom it concerns', async () => {
  const { database } = server;
  const revise =
    database.provider === 'postgresql'
      ? sql`SELECT tgname AS "name" FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid WHERE proname = 'revise_keys'`
      : sql`SELECT "name" FROM sqlite_master WHERE "type" = 'trigger' AND "sql" LIKE '%''keys''%'`;
  const noting = await database
    .read<{ name: string }>(sql`
    SELECT "name" FROM sqlite_master WHERE "type" = 'trigger' AND "sql" LIKE '%INSERT INTO "AccessChange"%'`)
    .catch(() => null);
  const triggers = (await database.read<{ name: string }>(revise)).map(({ name }) => name).sort();
  expect(triggers).toEqual([
    ...['Account_disabled', 'ApiKey_changed', 'ApiKey_deleted', 'Membership_changed', 'Membership_deleted'],
    ...['Session_deleted', 'User_disabled'],
  ]);
  if (noting) expect(noting.map(({ name }) => name).sort()).toEqual(triggers);
});

test('keeps the latest 10,000 changes of rights', async () => {
  // Such a leap has all rights read again, a while later: tests that count statements must not meet that.
  const apart = await startTestServer();
  onTestFinished(() => apart.stop());
  await apart.caller();
  const { prisma } = apart.database;
  const { id } = await prisma.apiKey.findFirstOrThrow();
  const change = () => prisma.apiKey.update({ where: { id }, data: { scopes: 'read' } });
  const numbers = async () =>
    (await prisma.accessChange.findMany({ orderBy: { number: 'asc' } })).map(({ number }) => number);
  await change();
  const [first = 0] = await numbers();
  await prisma.revision.update({ where: { topic: 'keys' }, data: { number: first + 9_999 } });
  await change();
  expect(await numbers()).not.toContain(first);
  expect(await numbers()).toContain(first + 10_000);
});

test('looks up an expired key in the database, like an unknown one', async () => {
  const caller = await server.caller('expiring', ['read'], new Date(NOON.getTime() + MINUTE));
  expect(await status(caller)).toBe(200);
  server.clock.now = new Date(NOON.getTime() + MINUTE);
  const cost = (one: Caller) => server.statementsOf(async () => expect(await status(one)).toBe(401));
  const never = await cost(server.callerWith('unknown'));
  expect(never).toHaveLength(1);
  expect(await cost(caller)).toEqual(never);
  server.clock.now = NOON;
});

test('refuses a revoked key within a second on every process', async () => {
  const caller = await server.caller();
  const elsewhere = new Caller(other.origin, caller.key);
  expect([await status(caller), await status(elsewhere)]).toEqual([200, 200]);
  const { id } = await keyOf(caller);
  await revokeKey(server.database, String(id), NOON);
  await expect.poll(() => Promise.all([status(caller), status(elsewhere)])).toEqual([401, 401]);
});

test('accepts both keys of an account with two keys', async () => {
  const before = await server.caller('rotating');
  const after = await server.caller('rotating');
  await before.space('Shared');
  expect(await after.data('{ spaces { totalCount } }')).toEqual({ spaces: { totalCount: 1 } });
});

test('refuses a key from its expiry time on', async () => {
  const caller = await server.caller('owner', ['read'], new Date(NOON.getTime() + MINUTE));
  server.clock.now = new Date(NOON.getTime() + MINUTE - 1);
  expect(await status(caller)).toBe(200);
  server.clock.now = new Date(NOON.getTime() + MINUTE);
  expect(await status(caller)).toBe(401);
  server.clock.now = NOON;
});

test('stores the last use of a key at most once a minute', async () => {
  const caller = await server.caller('used');
  const used = async () => (await keyOf(caller)).lastUsedAt;
  expect(await used()).toBeNull();
  await status(caller);
  await expect.poll(used).toEqual(NOON);
  server.clock.now = new Date(NOON.getTime() + MINUTE - 1);
  const statements = await server.statementsOf(() => status(caller));
  expect(statements.filter((sql) => sql.startsWith('UPDATE'))).toEqual([]);
  server.clock.now = new Date(NOON.getTime() + MINUTE);
  await status(caller);
  await expect.poll(used).toEqual(server.clock.now);
  server.clock.now = NOON;
});
