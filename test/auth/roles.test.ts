import type { OperationTypeNode } from 'graphql';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Actor } from '../../src/domain/access/actor.ts';
import { isAtLeast, permissions, permissionsOf, type Role, roleNames } from '../../src/domain/access/role.ts';
import { permissionFor } from '../../src/schema/permission.ts';
import { createPipeline } from '../support/in-process.ts';
import { type Person, signedIn } from '../support/person.ts';
import { documentOf, rootFields } from '../support/root-fields.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

interface Member {
  /** Over HTTP. */
  readonly person: Person;
  /** As the pipeline knows them. */
  readonly actor: Actor;
}

let server: TestServer;
let foreign: Caller;
let run: Awaited<ReturnType<typeof createPipeline>>;
const members = new Map<Role, Member>();

async function newMember(role: Role): Promise<Member> {
  const person = await signedIn(server, 1, role);
  const { userId, memberId } = person;
  const session = await server.database.prisma.session.findFirstOrThrow({ where: { userId } });
  const rights = { role, permissions: permissionsOf(role) };
  return { person, actor: { accountId: 1, keyId: null, userId, session, memberId, ...rights } };
}

function memberWith(role: Role): Member {
  const member = members.get(role);
  if (member === undefined) throw new Error(`nobody has the role ${role}`);
  return member;
}

beforeAll(async () => {
  server = await startTestServer();
  await server.caller('own');
  foreign = await server.caller('foreign');
  run = await createPipeline(server);
  for (const role of roleNames) members.set(role, await newMember(role));
});
afterAll(() => server.stop());

/** The lowest role that may use a root field, by what it is about. */
function lowestRole(kind: string, name: string): Role {
  // Everybody may leave, and end sessions of their own.
  if (kind === 'query' || name === 'removeMember' || name === 'revokeSession') return 'VIEWER';
  if (/Account$|^forgetChanges$/.test(name)) return 'OWNER';
  return /Domain|Webhook|SavedOperation|Member|Invitation|ApiKey|redeliver/.test(name) ? 'ADMIN' : 'EDITOR';
}

/** Expects the answer to be refused if a role is lower than a root field needs, and only then. */
function expectPermitted(
  errors: readonly { readonly message: string }[] | undefined,
  role: Role,
  lowest: Role,
): void {
  const refused = errors?.find(({ message }) => message.startsWith('The role'));
  if (isAtLeast(role, lowest)) expect(refused).toBeUndefined();
  else
    expect(refused).toMatchObject({
      message: `The role ${role} may not do this: it needs ${lowest}.`,
      extensions: { code: 'FORBIDDEN' },
    });
  expect(JSON.stringify(errors ?? [])).not.toContain('INTERNAL');
}

const permissionOf = ({ kind, field }: (typeof rootFields)[number]) =>
  `${kind} ${permissionFor(kind as OperationTypeNode, field.name)}`;
/** One root field of each kind and permission, which is a tenth of them. */
const sample = [...Map.groupBy(rootFields, permissionOf).values()].flatMap(([first]) => first ?? []);

describe.each(rootFields)('$kind $field.name', ({ kind, field }) => {
  // Permissions do not depend on the database.
  test.runIf(inject('database').provider === 'sqlite').each(roleNames)(
    '%s may if the role is high enough',
    async (role) => {
      const { errors } = await run(memberWith(role).actor, documentOf(kind, field, 999));
      expectPermitted(errors, role, lowestRole(kind, field.name));
    },
  );
});

describe.each(sample)('over HTTP, $kind $field.name', ({ kind, field }) => {
  test.each(roleNames)('%s may if the role is high enough', async (role) => {
    const { errors } = await memberWith(role).person.graphql(documentOf(kind, field, 999));
    expectPermitted(errors, role, lowestRole(kind, field.name));
  });

  test('nobody may in an account of others', async () => {
    const { person } = memberWith('OWNER');
    const answer = await person.graphql(documentOf(kind, field, 1), {}, { 'X-Account': '2' });
    expect(answer).toMatchObject({
      status: 403,
      errors: [{ message: 'You are not a member of this account.', extensions: { code: 'FORBIDDEN' } }],
    });
  });
});

test.each(['read', 'write'] as const)(
  'a key with the scope %s cannot manage people or keys',
  async (scope) => {
    const caller = await server.caller('own', [scope]);
    for (const { kind, field } of rootFields) {
      const permission = permissionFor(kind as OperationTypeNode, field.name);
      if (permissions[permission].scope !== null) continue;
      const { errors } = await caller.graphql(documentOf(kind, field, 1));
      expect(errors?.[0], field.name).toMatchObject({ extensions: { code: 'FORBIDDEN' } });
    }
  },
);

test('the records of another account are neither shown nor changed', async () => {
  const marker = 'of-the-others';
  const space = await foreign.space(marker);
  const { id } = await foreign.link({ title: marker, space_id: space, url: `https://${marker}.example/` });
  await signedIn(server, 2, 'OWNER');
  const changesOf = () => server.database.prisma.change.count({ where: { accountId: 2 } });
  const before = await changesOf();
  const { person, actor } = memberWith('OWNER');
  for (const one of rootFields)
    for (const foreignId of new Set([id, space, 1, 2, 3, 4, 5])) {
      const document = documentOf(one.kind, one.field, Number(foreignId));
      expect(JSON.stringify(await run(actor, document))).not.toContain(marker);
      if (sample.includes(one)) expect(JSON.stringify(await person.graphql(document))).not.toContain(marker);
    }
  expect(await changesOf()).toBe(before);
});
