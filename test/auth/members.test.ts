import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Actor } from '../../src/domain/access/actor.ts';
import { createApiKey, revokeKey } from '../../src/domain/access/api-key.ts';
import { inviteMember } from '../../src/domain/access/invitation.ts';
import { removeMember, updateMember } from '../../src/domain/access/member.ts';
import { permissionsOf } from '../../src/domain/access/role.ts';
import { setDisabled } from '../../src/domain/access/user.ts';
import { subscribe } from '../support/events.ts';
import { Person, signedIn } from '../support/person.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

type Member = Awaited<ReturnType<typeof signedIn>>;

let server: TestServer;
let account = 0;
let owner: Member;
beforeAll(async () => {
  server = await startTestServer({ background: true });
});
afterAll(() => server.stop());
beforeEach(async () => {
  await server.caller(`account ${++account}`);
  owner = await signedIn(server, account, 'OWNER');
});

type Result = {
  code?: string;
  message?: string;
  id?: string;
  key?: string;
  apiKey?: { id: string };
  fields?: unknown;
};

/** The result of a mutation, or its request error. */
async function run(
  person: Person,
  call: string,
  fields = '',
  headers: Record<string, string> = {},
): Promise<Result> {
  const [name = ''] = call.split('(', 1);
  const query = `mutation { ${call} { __typename ${fields} ... on Error { code message } ${call.startsWith('revoke') ? '' : '... on ValidationError { fields { path messages } }'} } }`;
  const { data, errors } = await person.graphql(query, {}, headers);
  if (errors) return { code: errors[0]?.extensions.code ?? '', message: errors[0]?.message ?? '' };
  return data?.[name] as Result;
}

const createKey = (person: Person, role: string, headers: Record<string, string> = {}) =>
  run(
    person,
    `createApiKey(input: { name: "Script", role: ${role} })`,
    '... on CreatedApiKey { key apiKey { id role } }',
    headers,
  );
const roleOf = async (id: number) =>
  (await server.database.prisma.membership.findUnique({ where: { id } }))?.role;

describe('a member', () => {
  test.each([
    ['ADMIN', 'EDITOR', 'ADMIN', undefined],
    ['ADMIN', 'EDITOR', 'OWNER', 'FORBIDDEN'],
    ['ADMIN', 'OWNER', 'VIEWER', 'FORBIDDEN'],
    ['EDITOR', 'VIEWER', 'EDITOR', 'FORBIDDEN'],
    ['OWNER', 'VIEWER', 'OWNER', undefined],
  ])('as %s makes %s to %s: %s', async (role, before, after, code) => {
    const caller = await signedIn(server, account, role);
    const other = await signedIn(server, account, before);
    const result = await run(caller, `updateMember(id: ${other.memberId}, input: { role: ${after} })`);
    expect(result.code).toBe(code);
    expect(await roleOf(other.memberId)).toBe(code === undefined ? after : before);
  });

  test.each(['VIEWER', 'EDITOR', 'ADMIN'])('%s cannot raise their own role', async (role) => {
    const person = await signedIn(server, account, role);
    const { code } = await run(person, `updateMember(id: ${person.memberId}, input: { role: OWNER })`);
    expect([code, await roleOf(person.memberId)]).toEqual(['FORBIDDEN', role]);
  });

  test.each([
    ['VIEWER', 'VIEWER', 'FORBIDDEN'],
    ['EDITOR', 'VIEWER', 'FORBIDDEN'],
    ['ADMIN', 'OWNER', 'FORBIDDEN'],
    ['ADMIN', 'ADMIN', undefined],
  ])('as %s removes %s: %s', async (role, whom, code) => {
    const caller = await signedIn(server, account, role);
    const other = await signedIn(server, account, whom);
    expect((await run(caller, `removeMember(id: ${other.memberId})`)).code).toBe(code);
    expect(await roleOf(other.memberId)).toBe(code && whom);
  });

  test('who is lowered or removed at that moment does no more than they may then', async () => {
    const lowered = await signedIn(server, account, 'ADMIN');
    const removed = await signedIn(server, account, 'ADMIN');
    const target = await signedIn(server, account, 'VIEWER');
    const { database, clock } = server;
    // As a request has authenticated them before.
    const asActor = async ({ userId, memberId }: Member): Promise<Actor> => {
      const { id } = await database.prisma.session.findFirstOrThrow({ where: { userId } });
      return {
        ...{ accountId: account, keyId: null, userId, memberId, session: { id, signedInAt: clock.now } },
        ...{ role: 'ADMIN', permissions: permissionsOf('ADMIN') },
      };
    };
    const actors = [await asActor(lowered), await asActor(removed)];
    await run(owner, `updateMember(id: ${lowered.memberId}, input: { role: VIEWER })`);
    await run(owner, `removeMember(id: ${removed.memberId})`);
    const id = String(target.memberId);
    const services = { pageUrl: () => '', sendMail: null };
    for (const actor of actors)
      for (const act of [
        () => updateMember(database, actor, id, { role: 'EDITOR' }, clock.now),
        () => removeMember(database, actor, id, clock.now),
        () => createApiKey(database, actor, { name: 'Late', role: 'VIEWER' }, clock.now),
        () =>
          inviteMember(database, actor, services, { email: 'l@example.com', role: 'VIEWER' }, clock.now, ''),
      ])
        await expect(act()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(await roleOf(target.memberId)).toBe('VIEWER');
  });

  test.each(['updateMember(id: ID, input: { role: ADMIN })', 'removeMember(id: ID)'])(
    'who is the last owner stays: %s',
    async (call) => {
      const own = call.replace('ID', String(owner.memberId));
      expect(await run(owner, own)).toMatchObject({
        code: 'VALIDATION',
        fields: [{ path: ['id'], messages: ['is the last owner: make another one first'] }],
      });
      await signedIn(server, account, 'OWNER');
      expect(await run(owner, own)).not.toHaveProperty('code');
    },
  );

  test('and another, both owners, cannot leave at once', async () => {
    const other = await signedIn(server, account, 'OWNER');
    await Promise.all([owner, other].map((one) => run(one, `removeMember(id: ${one.memberId})`)));
    expect(
      await server.database.prisma.membership.count({ where: { accountId: account, role: 'OWNER' } }),
    ).toBe(1);
  });

  test('is changed or removed by several at once, one after the other', async () => {
    const admins = [owner, ...(await Promise.all([1, 2, 3].map(() => signedIn(server, account, 'OWNER'))))];
    const member = await signedIn(server, account, 'VIEWER');
    const results = await Promise.all(
      admins.map((admin, at) =>
        run(
          admin,
          at < 2
            ? `removeMember(id: ${member.memberId})`
            : `updateMember(id: ${member.memberId}, input: { role: ADMIN })`,
        ),
      ),
    );
    const codes = results.map(({ code }) => code);
    expect(codes.slice(0, 2).toSorted()).toEqual(['NOT_FOUND', undefined]);
    for (const code of codes.slice(2)) expect([undefined, 'NOT_FOUND']).toContain(code);
  });

  test('who is removed loses sessions, subscriptions, keys and invitations within a second', async () => {
    const admin = await signedIn(server, account, 'ADMIN');
    const { key = '' } = await createKey(admin, 'EDITOR');
    const program = server.callerWith(key);
    expect((await program.graphql('{ viewer { role } }')).data).toEqual({ viewer: { role: 'EDITOR' } });
    const stream = await admin.fetch('/graphql', {
      method: 'POST',
      body: JSON.stringify({ query: 'subscription { changes { id } }' }),
      headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
    });
    expect(stream.status).toBe(200);
    const ended = stream.text();
    await run(owner, `removeMember(id: ${admin.memberId})`);
    expect(await ended).toContain('event: complete');
    await expect.poll(async () => (await admin.graphql('{ viewer { role } }')).status).toBe(401);
    expect((await program.graphql('{ viewer { role } }')).errors?.[0]?.extensions.code).toBe(
      'UNAUTHENTICATED',
    );
  });

  test('of another account, too, who is removed here stays signed in there', async () => {
    const here = account;
    await server.caller(`account ${++account}`);
    const admin = await signedIn(server, account, 'ADMIN');
    const { id } = await server.database.prisma.membership.create({
      data: { accountId: here, userId: admin.userId, role: 'EDITOR', createdAt: server.clock.now },
    });
    const inIt = { 'X-Account': String(here) };
    const stream = await admin.fetch('/graphql', {
      method: 'POST',
      body: JSON.stringify({ query: 'subscription { changes { id } }' }),
      headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream', ...inIt },
    });
    expect(stream.status).toBe(200);
    const ended = stream.text();
    await run(owner, `removeMember(id: ${id})`);
    expect(await ended).toContain('event: complete');
    const statusIn = async (headers: Record<string, string>) =>
      (await admin.graphql('{ viewer { role } }', {}, headers)).status;
    await expect.poll(() => statusIn(inIt)).toBe(403);
    expect(await statusIn({})).toBe(200);
  });

  test('who gets a higher role stays signed in, and may subscribe again with it', async () => {
    const member = await signedIn(server, account, 'VIEWER');
    const { status, ended } = await subscribe(
      member,
      'subscription { changes(filter: { kind: LINK }) { id } }',
    );
    expect(status).toBe(200);
    await run(owner, `updateMember(id: ${member.memberId}, input: { role: ADMIN })`);
    expect(await ended).toBe('');
    expect((await member.graphql('{ viewer { role } }')).data).toEqual({ viewer: { role: 'ADMIN' } });
  });

  test('who gets a lower role loses sessions, and has the new role at once', async () => {
    const admin = await signedIn(server, account, 'ADMIN');
    const { key = '' } = await createKey(admin, 'ADMIN');
    await run(owner, `updateMember(id: ${admin.memberId}, input: { role: VIEWER })`);
    await expect.poll(async () => (await admin.graphql('{ viewer { role } }')).status).toBe(401);
    const { data } = await server.callerWith(key).graphql('{ viewer { role permissions } }');
    expect(data).toEqual({ viewer: { role: 'VIEWER', permissions: ['READ', 'READ_PEOPLE'] } });
  });
});

describe('a key', () => {
  test.each([
    ['ADMIN', 'ADMIN', undefined],
    ['OWNER', 'OWNER', 'VALIDATION'],
    ['EDITOR', 'VIEWER', 'FORBIDDEN'],
  ])('of %s with the role %s: %s', async (role, given, code) => {
    expect((await createKey(await signedIn(server, account, role), given)).code).toBe(code);
  });

  test('with a role works in v1, and only as far as its role goes', async () => {
    const { key = '' } = await createKey(owner, 'VIEWER');
    const program = server.callerWith(key);
    const { status, body } = await program.rest('POST', '/links', { url: 'https://example.com/' });
    expect([status, body]).toMatchObject([
      403,
      { message: 'The role VIEWER may not do this: it needs EDITOR.' },
    ]);
    expect((await program.rest('GET', '/links')).status).toBe(200);
  });

  test.each(['VIEWER', 'ADMIN'])('with the role %s cannot end the membership of its maker', async (role) => {
    await signedIn(server, account, 'OWNER');
    const { key = '' } = await createKey(owner, role);
    const { errors } = await server
      .callerWith(key)
      .graphql(`mutation { removeMember(id: ${owner.memberId}) { __typename } }`);
    expect(errors?.[0]?.extensions.code).toBe('FORBIDDEN');
    expect(await roleOf(owner.memberId)).toBe('OWNER');
  });

  test('ends while its maker is disabled', async () => {
    const admin = await signedIn(server, account, 'ADMIN');
    const { key = '' } = await createKey(admin, 'ADMIN');
    const program = server.callerWith(key);
    const status = async () => (await program.rest('GET', '/links')).status;
    expect(await status()).toBe(200);
    await setDisabled(server.database, admin.userId, server.clock.now);
    await expect.poll(status).toBe(401);
    await setDisabled(server.database, admin.userId, null);
    await expect.poll(status).toBe(200);
  });

  test('makes no key that lasts longer than itself', async () => {
    const input = '{ name: "Script", role: ADMIN, expiresAt: "2026-12-01T00:00:00Z" }';
    const fields = '... on CreatedApiKey { key apiKey { expiresAt } }';
    const { key = '' } = await run(owner, `createApiKey(input: ${input})`, fields);
    const child = await server
      .callerWith(key)
      .data(`mutation { createApiKey(input: { name: "Child", role: ADMIN }) { ${fields} } }`);
    expect(child).toMatchObject({ createApiKey: { apiKey: { expiresAt: '2026-12-01T00:00:00.000Z' } } });
  });

  test('ends with the key that made it, however far from it, and no other does', async () => {
    const make = async (by: { data: Person['data'] }) => {
      const made = await by.data<{ createApiKey: { key: string; apiKey: { id: string } } }>(
        'mutation { createApiKey(input: { name: "Made", role: ADMIN }) { ... on CreatedApiKey { key apiKey { id } } } }',
      );
      return Object.assign(server.callerWith(made.createApiKey.key), { id: made.createApiKey.apiKey.id });
    };
    const [first, other] = [await make(owner), await make(owner)];
    const second = await make(first);
    const third = await make(second);
    await run(owner, `revokeApiKey(id: ${first.id})`);
    const statuses = () =>
      Promise.all([second, third, other].map(async (key) => (await key.rest('GET', '/links')).status));
    await expect.poll(statuses).toEqual([401, 401, 200]);
    await revokeKey(server.database, other.id, server.clock.now);
    await expect.poll(statuses).toEqual([401, 401, 401]);
  });

  test('takes its open invitations with it', async () => {
    const { key = '', apiKey } = await createKey(owner, 'ADMIN');
    const invited = await server
      .callerWith(key)
      .data<{ inviteMember: { url: string } }>(
        'mutation { inviteMember(input: { email: "ghost@example.com", role: ADMIN }) { ... on Invitation { url } } }',
      );
    const [, token] = invited.inviteMember.url.split('#');
    await run(owner, `revokeApiKey(id: ${apiKey?.id})`);
    const input = {
      token,
      name: 'Ghost',
      email: 'ghost@example.com',
      password: 'a long password of a ghost',
    };
    expect((await new Person(server).auth('accept', input)).status).toBe(410);
  });

  test('is revoked by an admin, also one that the operator made', async () => {
    const program = await server.caller(`account ${account}`);
    const { viewer } = await program.data<{ viewer: { key: { id: string } } }>('{ viewer { key { id } } }');
    expect(await run(owner, `revokeApiKey(id: ${viewer.key.id})`)).not.toHaveProperty('code');
    const refused = async () => (await program.graphql('{ __typename }')).errors?.[0]?.extensions.code;
    await expect.poll(refused).toBe('UNAUTHENTICATED');
    expect((await run(owner, `revokeApiKey(id: ${viewer.key.id})`)).code).toBe('NOT_FOUND');
  });

  test.each([
    ['createApiKey(input: { name: "x", role: VIEWER })'],
    ['revokeApiKey(id: 1)'],
    ['inviteMember(input: { email: "x@example.com", role: OWNER })'],
    ['inviteMember(input: { email: "x@example.com", role: ADMIN })'],
    ['inviteMember(input: { email: "owner@example.com", role: VIEWER })'],
    ['revokeInvitation(id: ITS)'],
    ['removeMember(id: OWN)'],
  ])('or an owner needs a sign-in of the last 15 minutes: %s', async (call) => {
    const { now } = server.clock;
    const invite = 'inviteMember(input: { email: "owner@example.com", role: OWNER })';
    const { id = '' } = await run(owner, invite, '... on Invitation { id }');
    server.clock.now = new Date(now.getTime() + 15 * 60_000 + 1);
    const result = await run(owner, call.replace('ITS', id).replace('OWN)', `${owner.memberId})`));
    server.clock.now = now;
    expect(result).toEqual({
      code: 'FORBIDDEN',
      message: 'Sign in again: this needs a sign-in of the last 15 minutes.',
    });
  });
});

describe('an Idempotency-Key', () => {
  const KEY = { 'Idempotency-Key': 'once' };

  test('of a user is their own, and hides the key that was shown once', async () => {
    const other = await signedIn(server, account, 'OWNER');
    const first = await createKey(owner, 'VIEWER', KEY);
    const again = await createKey(owner, 'VIEWER', KEY);
    const others = await createKey(other, 'VIEWER', KEY);
    expect(again).toEqual({ ...first, key: '[shown once]' });
    expect(others.apiKey?.id).not.toBe(first.apiKey?.id);
  });

  test.each(['VIEWER', 'OWNER'])(
    'gives its answer to the same role alone: not to an admin who is %s now',
    async (role) => {
      const admin = await signedIn(server, account, 'ADMIN');
      const { apiKey } = await createKey(admin, 'VIEWER', KEY);
      await server.database.prisma.membership.update({ where: { id: admin.memberId }, data: { role } });
      await expect.poll(async () => (await createKey(admin, 'VIEWER', KEY)).code).toBe('FORBIDDEN');
      expect(await server.database.prisma.apiKey.count({ where: { makerId: admin.memberId } })).toBe(
        apiKey ? 1 : 0,
      );
    },
  );
});

describe('the history', () => {
  const by =
    'changes(first: 50) { nodes { kind action by { __typename ... on User { name email } ... on ApiKey { name prefix } } } }';
  type Changes = { changes: { nodes: { kind: string; action: string; by: object | null }[] } };
  const changesFor = async (person: Person) => (await person.data<Changes>(`{ ${by} }`)).changes.nodes;

  test('says who did what, and calls those who left a former member', async () => {
    const editor = await signedIn(server, account, 'EDITOR');
    await run(editor, 'createSpace(input: { name: "S" })');
    const made = async () => (await changesFor(owner)).find(({ kind }) => kind === 'SPACE')?.by;
    await expect.poll(made).toMatchObject({ __typename: 'User', name: expect.stringMatching(/^Person/) });
    await run(owner, `removeMember(id: ${editor.memberId})`);
    expect(await made()).toEqual({ __typename: 'User', name: 'Former member', email: null });
  });

  test('shows changes of people and keys to members, and not to keys with scopes', async () => {
    const program = await server.caller(`account ${account}`);
    await createKey(owner, 'VIEWER');
    const kinds = async () => (await changesFor(owner)).map(({ kind }) => kind);
    await expect.poll(kinds).toContain('API_KEY');
    await program.space('S');
    const { changes } = await program.data<Changes>('{ changes(first: 50) { nodes { kind } } }');
    expect(new Set(changes.nodes.map(({ kind }) => kind))).not.toContain('API_KEY');
    const history = '{ changes(first: 50, filter: { kind: API_KEY }) { totalCount } }';
    expect(await program.data(history)).toEqual({ changes: { totalCount: 0 } });
  });

  test('hides people from keys with scopes', async () => {
    const program = await server.caller(`account ${account}`);
    await run(owner, 'createSpace(input: { name: "S" })');
    const { key = '' } = await createKey(owner, 'EDITOR');
    await server.callerWith(key).space('T');
    // As the contract of the API writes it.
    const asked =
      '{ changes(first: 50) { nodes { by { __typename ... on User { id name email } ... on ApiKey { id name prefix maker { id } } } } } }';
    const authors = async () => {
      const { changes } = await program.data<Changes>(asked);
      return changes.nodes.map(({ by }) => by);
    };
    await expect
      .poll(authors)
      .toEqual([
        { __typename: 'User', id: String(owner.userId), name: 'Member', email: null },
        expect.objectContaining({ __typename: 'ApiKey', name: 'Script', maker: null }),
      ]);
  });

  test('names records that are found by their global id, by members alone', async () => {
    const editor = await signedIn(server, account, 'EDITOR');
    await createKey(owner, 'VIEWER');
    await run(owner, 'inviteMember(input: { email: "n@example.com", role: VIEWER })');
    await run(owner, `updateMember(id: ${editor.memberId}, input: { role: ADMIN })`);
    await run(owner, 'updateAccount(input: { name: "N" })');
    type Ids = { changes: { nodes: { recordNodeId: string; kind: string }[] } };
    const idsOf = async () =>
      (await owner.data<Ids>('{ changes { nodes { kind recordNodeId } } }')).changes.nodes;
    await expect.poll(async () => (await idsOf()).length).toBe(4);
    const nodeIds = (await idsOf()).map(({ recordNodeId }) => recordNodeId);
    const query = 'query($nodeIds: [ID!]!) { nodes(nodeIds: $nodeIds) { __typename nodeId } }';
    const found = await owner.data<{ nodes: object[] }>(query, { nodeIds });
    expect(found.nodes).toEqual([
      { __typename: 'ApiKey', nodeId: nodeIds[0] },
      { __typename: 'Invitation', nodeId: nodeIds[1] },
      { __typename: 'Member', nodeId: nodeIds[2] },
      { __typename: 'Account', nodeId: nodeIds[3] },
    ]);
    const program = await server.caller(`account ${account}`);
    expect(await program.data(query, { nodeIds })).toEqual({ nodes: [null, null, null, found.nodes[3]] });
  });

  test('has the name of the account, which an owner changes', async () => {
    expect(await run(owner, 'updateAccount(input: { name: "Lindenhof" })')).not.toHaveProperty('code');
    expect(await owner.data('{ viewer { account { name } } }')).toEqual({
      viewer: { account: { name: 'Lindenhof' } },
    });
    const found = async () => (await changesFor(owner)).some(({ kind }) => kind === 'ACCOUNT');
    await expect.poll(found).toBe(true);
  });
});
