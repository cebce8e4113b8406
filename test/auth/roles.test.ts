import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { permissions, type Role, roles } from '../../src/domain/access/role.ts';
import { permissionFor } from '../../src/schema/permission.ts';
import { type Person, signedIn } from '../support/person.ts';
import { documentOf, rootFields } from '../support/root-fields.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

const roleNames = Object.keys(roles) as Role[];

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
