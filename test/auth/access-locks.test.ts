import { OperationTypeNode } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Transaction } from '../../src/db/database.ts';
import { revokeKey } from '../../src/domain/access/api-key.ts';
import { createToken } from '../../src/domain/access/one-time-token.ts';
import { endSession } from '../../src/domain/access/session.ts';
import { takeReset } from '../../src/domain/access/sign-in.ts';
import { setDisabled } from '../../src/domain/access/user.ts';
import { permissionFor } from '../../src/schema/permission.ts';
import { callsOf, mutations } from '../support/mutations.ts';
import { type Person, signedIn } from '../support/person.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';

/** It polls for no changes: what ends access is found by locks alone. */
let server: TestServer;
/** Another process on the same database. */
let other: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer({ verifiesDomains: true });
  other = await startTestServer({ url: server.databaseUrl });
  owner = await server.caller('own');
  await server.caller('second');
  await signedIn(server, 1, 'OWNER');
});
afterAll(async () => {
  await other.stop();
  await server.stop();
});

const GIVING = new Set<string>(['KEYS', 'PEOPLE', 'WEBHOOKS', 'DOMAINS']);

/** The mutations that give access, or make what lasts. */
const giving = mutations.filter(
  ({ name }) =>
    /^(create|invite|update|rotate|verify)/.test(name) &&
    GIVING.has(permissionFor(OperationTypeNode.MUTATION, name)),
);

type Member = Awaited<ReturnType<typeof signedIn>>;

/** A member of two accounts. */
async function newMember(): Promise<Member> {
  const person = await signedIn(server, 1, 'OWNER');
  const data = { accountId: 2, userId: person.userId, role: 'VIEWER', createdAt: NOON };
  await server.database.prisma.membership.create({ data });
  return person;
}

const tokenIn = ({ cookie }: Person) => cookie?.split('=')[1] ?? '';

/** Ways to end a session, each as part of a transaction. */
const ends: Record<string, (tx: Transaction, person: Member) => Promise<unknown>> = {
  'is signed out': (tx, person) => endSession(tx, tokenIn(person)),
  'is disabled': (tx, { userId }) => setDisabled(tx, userId, NOON),
  'is reset': async (tx, { userId }) => {
    await takeReset(tx, await createToken(tx, 'RESET', { userId }, NOON), { password: 'x' }, NOON);
  },
  'is lowered': (tx, { memberId: id }) =>
    tx.prisma.membership.update({ where: { id }, data: { role: 'EDITOR' } }),
  'is removed': (tx, { memberId: id }) => tx.prisma.membership.delete({ where: { id } }),
};

/** Runs work at the service while another process has ended access, but not committed that yet. */
async function beforeCommit<T>(
  end: (tx: Transaction) => Promise<unknown>,
  work: () => Promise<T>[],
): Promise<T[]> {
  const begun = Promise.withResolvers<Promise<T>[]>();
  const ending = other.database.transaction(async (tx) => {
    await end(tx);
    const running = work();
    for (const one of running) one.catch(() => {});
    begun.resolve(running);
    // Reads are answered, by when the work has begun.
    await owner.data('{ viewer { account { id } } }');
    await owner.data('{ viewer { account { id } } }');
  });
  ending.catch(begun.reject);
  const results = await Promise.all(await begun.promise);
  await ending;
  return results;
}

const inOrder = { orderBy: { id: 'asc' } } as const;
const rowsOfAccess = (prisma: Transaction['prisma'] = server.database.prisma) =>
  Promise.all([
    prisma.apiKey.findMany({ ...inOrder, omit: { lastUsedAt: true } }),
    prisma.invitation.findMany(inOrder),
    prisma.membership.findMany(inOrder),
    prisma.webhook.findMany(inOrder),
    prisma.domain.findMany(inOrder),
    prisma.passkey.findMany(inOrder),
    prisma.user.findMany({ ...inOrder, select: { id: true, password: true, email: true, name: true } }),
  ]);

const codesOf = (body: unknown): unknown[] =>
  ((body as { errors?: { extensions: { code: string } }[] }).errors ?? []).map(
    ({ extensions }) => extensions.code,
  );

test.each(giving.map((mutation) => [mutation.name, mutation] as const))(
  '%s waits for what ends the session, and is refused then',
  async (_name, mutation) => {
    for (const [what, end] of Object.entries(ends)) {
      const person = await newMember();
      const call = await callsOf(server, 1, owner, person.userId)(mutation);
      const headers = { 'X-Account': '1' };
      expect((await person.graphql('{ viewer { role } }', {}, headers)).data).toEqual({
        viewer: { role: 'OWNER' },
      });
      let before: unknown;
      const [answer] = await beforeCommit(
        async (tx) => {
          await end(tx, person);
          before = await rowsOfAccess(tx.prisma);
        },
        () => [person.graphql(`mutation { x: ${call} }`, {}, headers)],
      );
      const code = /removed|lowered/.test(what) ? 'FORBIDDEN' : 'UNAUTHENTICATED';
      expect([what, codesOf(answer)]).toEqual([what, [code]]);
      expect(JSON.stringify(await rowsOfAccess())).toBe(JSON.stringify(before));
    }
    await server.database.prisma.webhook.deleteMany();
  },
);

test('a webhook is refused to a key that is revoked at the same time', async () => {
  const caller = await server.caller('own');
  const { id } = await server.database.prisma.apiKey.findFirstOrThrow({ orderBy: { id: 'desc' } });
  const create =
    'mutation { createWebhook(input: { url: "https://x.example/", events: [LINK_CREATED] }) { __typename } }';
  await caller.data('{ viewer { account { id } } }');
  const [answer] = await beforeCommit(
    (tx) => revokeKey(tx, String(id), NOON),
    () => [caller.graphql(create)],
  );
  expect(codesOf(answer)).toEqual(['UNAUTHENTICATED']);
  expect(await server.database.prisma.webhook.count()).toBe(0);
});

test.each(Object.entries(ends).filter(([what]) => !/removed|lowered/.test(what)))(
  'whose session %s at the same time, accepts no invitation and gets no new password',
  async (_what, end) => {
    for (const path of ['accept', 'password']) {
      const person = await newMember();
      const { email } = await server.database.prisma.user.findUniqueOrThrow({ where: { id: person.userId } });
      await server.database.prisma.membership.delete({ where: { id: person.memberId } });
      const invite = `mutation { inviteMember(input: { email: "${email}", role: VIEWER }) { ... on Invitation { url } } }`;
      const boss = await signedIn(server, 1, 'OWNER');
      const { inviteMember } = await boss.data<{ inviteMember: { url: string } }>(invite);
      const token = inviteMember.url.split('#')[1] ?? '';
      const passwords = async () =>
        (await server.database.prisma.user.findUniqueOrThrow({ where: { id: person.userId } })).password;
      const [answer] = await beforeCommit(
        (tx) => end(tx, person),
        () => [person.auth(path, path === 'accept' ? { token } : { password: 'of an intruder' })],
      );
      // On a busy machine, the session may have ended before it is looked up: then nobody is signed in.
      expect([path, ...(path === 'accept' ? [401, 403] : [401])]).toContain(answer?.status);
      expect(
        await server.database.prisma.membership.count({ where: { userId: person.userId, accountId: 1 } }),
      ).toBe(0);
      expect([null, 'x']).toContain(await passwords());
    }
  },
);
