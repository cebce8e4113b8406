import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { permissions, type Role, roles } from '../../src/domain/access/role.ts';
import { schema } from '../../src/schema/index.ts';
import { permissionFor } from '../../src/schema/permission.ts';
import { type Person, signedIn } from '../support/person.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

const roleNames = Object.keys(roles) as Role[];

/** Any value of a type, as text of GraphQL; ids are those of the other account's records. */
function sampleOf(given: GraphQLInputType, foreignId: number): string {
  const type = getNullableType(given);
  if (isListType(type)) return `[${sampleOf(type.ofType, foreignId)}]`;
  if (isEnumType(type)) return type.getValues()[0]?.name ?? '';
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter(
      (one) => isRequiredInputField(one) || one.name === 'id',
    );
    return `{ ${fields.map((field) => `${field.name}: ${sampleOf(field.type, foreignId)}`).join(', ')} }`;
  }
  switch (String(type)) {
    case 'Int':
      return '1';
    case 'Boolean':
      return 'true';
    case 'ID':
      return `"${foreignId}"`;
    case 'Date':
      return '"2026-01-01"';
    case 'DateTime':
      return '"2030-01-01T00:00:00Z"';
    default:
      return '"https://example.com/x"';
  }
}

/** A document with one root field, and what it answers by its `__typename` alone. */
function documentOf(
  kind: string,
  { name, args, type }: GraphQLField<unknown, unknown>,
  foreignId: number,
): string {
  const given = args
    .filter(
      (arg: GraphQLArgument) => isRequiredArgument(arg) || (kind === 'mutation' && arg.name.startsWith('id')),
    )
    .map((arg) => `${arg.name}: ${sampleOf(arg.type, foreignId)}`);
  const below = isCompositeType(getNamedType(type)) ? ' { __typename }' : '';
  return `${kind} { ${name}${given.length > 0 ? `(${given.join(', ')})` : ''}${below} }`;
}

const rootFields = [schema.getQueryType(), schema.getMutationType()].flatMap((type, index) =>
  Object.values(type?.getFields() ?? {}).map((field) => ({
    kind: ['query', 'mutation'][index] ?? '',
    field,
  })),
);

let server: TestServer;
let foreign: Caller;
const people = new Map<Role, Person>();
beforeAll(async () => {
  server = await startTestServer();
  await server.caller('own');
  foreign = await server.caller('foreign');
  for (const role of roleNames) people.set(role, await signedIn(server, 1, role));
});
afterAll(() => server.stop());

describe.each(rootFields)('$kind $field.name', ({ kind, field }) => {
  const needed = permissions[permissionFor(kind as never, field.name)];

  test.each(roleNames)('%s may if the table of roles says so', async (role) => {
    const { errors } = (await people.get(role)?.graphql(documentOf(kind, field, 999))) ?? {};
    const refused = errors?.find(({ message }) => message.startsWith('The role'));
    if (roleNames.indexOf(role) >= roleNames.indexOf(needed.role)) return expect(refused).toBeUndefined();
    expect(refused).toMatchObject({
      message: `The role ${role} may not do this: it needs ${needed.role}.`,
      extensions: { code: 'FORBIDDEN' },
    });
  });

  test('nobody may in an account of others', async () => {
    const answer = await people.get('OWNER')?.graphql(documentOf(kind, field, 1), {}, { 'X-Account': '2' });
    expect(answer).toMatchObject({
      status: 403,
      errors: [{ message: 'You are not a member of this account.', extensions: { code: 'FORBIDDEN' } }],
    });
  });
});

test.each(['read', 'write'] as const)(
  'a key with the scope %s reaches neither people nor keys',
  async (scope) => {
    const caller = await server.caller('own', [scope]);
    for (const { kind, field } of rootFields) {
      const permission = permissionFor(kind as never, field.name);
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
  for (const { kind, field } of rootFields) {
    for (const foreignId of new Set([id, space, 1, 2, 3, 4, 5]))
      expect(
        JSON.stringify(await people.get('OWNER')?.graphql(documentOf(kind, field, Number(foreignId)))),
      ).not.toContain(marker);
  }
  expect(await changesOf()).toBe(before);
});
