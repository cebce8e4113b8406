import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { operationNamed, operations, whoSignsInAgain } from '../../src/domain/access/recent-sign-in.ts';
import { type Person, signedIn } from '../support/person.ts';
import { documentOf, rootFields } from '../support/root-fields.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const mutations = rootFields.filter(({ kind }) => kind === 'mutation').map(({ field }) => field);
const AGAIN = 'Sign in again: this needs a sign-in of the last 15 minutes.';
const LATER = 15 * 60_000 + 1;

let server: TestServer;
let account = 0;
beforeAll(async () => {
  server = await startTestServer();
  await server.caller('account');
  account = 1;
  began = server.clock.now;
});
afterAll(() => server.stop());

let owner: Awaited<ReturnType<typeof signedIn>>;
let began: Date;
/** Signs an owner in, and lets a time go by. */
async function ownerSince(milliseconds: number) {
  owner = await signedIn(server, account, 'OWNER');
  await signedIn(server, account, 'OWNER');
  began = server.clock.now;
  server.clock.now = new Date(began.getTime() + milliseconds);
  return owner;
}
afterEach(() => {
  server.clock.now = began;
});

const isRefused = async (
  person: { graphql(document: string): Promise<{ errors?: { message: string }[] | undefined }> },
  document: string,
) => ((await person.graphql(document)).errors ?? []).some(({ message }) => message === AGAIN);

test('the table has the mutations of the schema, and no others', () => {
  const named = operations.filter((name) => !name.includes(' '));
  expect(named.toSorted()).toEqual(mutations.map(({ name }) => name).toSorted());
});

test('an operation without an entry is an error', () => {
  expect(() => operationNamed('createEverything')).toThrow('has no entry for createEverything');
  expect(() => operationNamed('toString')).toThrow('has no entry');
});

test.each(
  mutations.flatMap((field) => {
    const who = whoSignsInAgain(operationNamed(field.name));
    return who === 'SOME' ? [] : [{ name: field.name, refused: who === 'ALL', field }];
  }),
)('a session of more than 15 minutes: $name is refused: $refused', async ({ field, refused }) => {
  const document = documentOf('mutation', field, 999);
  expect(await isRefused(await ownerSince(LATER), document)).toBe(refused);
  expect(await isRefused(await ownerSince(LATER - 1), document)).toBe(false);
});

describe('with a session of more than 15 minutes', () => {
  const invite = (role: string, email = 'new@example.com') =>
    `inviteMember(input: { email: "${email}", role: ${role} })`;
  type Call = [call: string, isRefused: boolean];
  const calls: Call[] = [
    [invite('VIEWER'), false],
    [invite('EDITOR'), false],
    [invite('ADMIN'), true],
    [invite('OWNER'), true],
    [invite('VIEWER', 'editor@example.com'), false],
    [invite('VIEWER', 'admin@example.com'), true],
    [invite('VIEWER', 'owner@example.com'), true],
    ['revokeInvitation(id: EDITOR_INVITATION)', false],
    ['revokeInvitation(id: ADMIN_INVITATION)', true],
    ['revokeInvitation(id: OWNER_INVITATION)', true],
    ['updateMember(id: VIEWER_MEMBER, input: { role: EDITOR })', false],
    ['updateMember(id: EDITOR_MEMBER, input: { role: VIEWER })', false],
    ['updateMember(id: VIEWER_MEMBER, input: { role: ADMIN })', true],
    ['updateMember(id: EDITOR_MEMBER, input: { role: OWNER })', true],
    ['updateMember(id: ADMIN_MEMBER, input: { role: VIEWER })', true],
    ['updateMember(id: ADMIN_MEMBER, input: { role: ADMIN })', true],
    ['updateMember(id: OWNER_MEMBER, input: { role: EDITOR })', true],
    ['removeMember(id: VIEWER_MEMBER)', false],
    ['removeMember(id: EDITOR_MEMBER)', false],
    ['removeMember(id: ADMIN_MEMBER)', true],
    ['removeMember(id: OWNER_MEMBER)', true],
    ['updateWebhook(id: WEBHOOK, input: { url: "https://new.example/" })', true],
    ['updateWebhook(id: WEBHOOK, input: { url: "https://new.example/", disabled: true })', true],
    ['updateWebhook(id: WEBHOOK, input: { events: [LINK_DELETED] })', false],
    ['updateWebhook(id: WEBHOOK, input: { disabled: true })', false],
  ];

  /** The ids that calls name. */
  async function idsFor(by: Person): Promise<Map<string, string>> {
    const ids = new Map<string, string>();
    for (const role of ['VIEWER', 'EDITOR', 'ADMIN', 'OWNER']) {
      ids.set(`${role}_MEMBER`, String((await signedIn(server, account, role)).memberId));
      const email = `${role.toLowerCase()}@example.com`;
      const { inviteMember } = await by.data<{ inviteMember: { id: string } }>(
        `mutation { ${invite(role, email)} { ... on Invitation { id } } }`,
      );
      ids.set(`${role}_INVITATION`, inviteMember.id);
    }
    const { createWebhook } = await by.data<{ createWebhook: { webhook: { id: string } } }>(
      'mutation { createWebhook(input: { url: "https://hook.example/", events: [LINK_CREATED] }) { ... on CreatedWebhook { webhook { id } } } }',
    );
    ids.set('WEBHOOK', createWebhook.webhook.id);
    return ids;
  }
  const filled = (call: string, ids: ReadonlyMap<string, string>) =>
    `mutation { ${call.replace(/[A-Z]+_(MEMBER|INVITATION)|WEBHOOK/g, (name) => ids.get(name) ?? '')} { __typename } }`;

  test.each(calls)('%s is refused: %s', async (call, refused) => {
    await server.caller(`account ${++account}`);
    const person = await ownerSince(0);
    const document = filled(call, await idsFor(person));
    server.clock.now = new Date(began.getTime() + LATER);
    expect(await isRefused(person, document)).toBe(refused);
  });

  test('a key of that person has its role instead', async () => {
    await server.caller(`account ${++account}`);
    const person = await ownerSince(0);
    const { createApiKey } = await person.data<{ createApiKey: { key: string } }>(
      'mutation { createApiKey(input: { name: "K", role: ADMIN }) { ... on CreatedApiKey { key } } }',
    );
    const ids = await idsFor(person);
    server.clock.now = new Date(began.getTime() + LATER);
    const program = server.callerWith(createApiKey.key);
    for (const call of [...calls.map(([one]) => one), 'createApiKey(input: { name: "L", role: ADMIN })'])
      expect(await isRefused(program, filled(call, ids)), call).toBe(false);
  });
});

describe('below /auth', () => {
  const paths = operations.flatMap((name) => {
    const [method = '', path = ''] = name.split(' /auth/');
    return method === 'POST' && whoSignsInAgain(operationNamed(name)) === 'ALL' ? [path] : [];
  });

  test('the ways to sign in need a recent sign-in', () => {
    expect(paths.toSorted()).toEqual([
      ...['confirm', 'email', 'identity/remove', 'lasting-access/end', 'passkey/register'],
      ...['passkey/registration-options', 'passkey/remove', 'password'],
    ]);
  });

  test.each(paths)('%s is refused to a session that began more than 15 minutes ago', async (path) => {
    const late = await (await ownerSince(LATER)).auth(path, {});
    expect([late.status, late.body.error?.message]).toEqual([403, AGAIN]);
    const inTime = await (await ownerSince(LATER - 1)).auth(path, {});
    expect(inTime.body.error?.message).not.toBe(AGAIN);
  });

  test.each([
    ['GET', 'profile'],
    ['GET', 'session'],
    ['POST', 'profile'],
    ['POST', 'session/remove'],
    ['POST', 'accept'],
    ['POST', 'token'],
  ])('%s %s is not', async (method, path) => {
    const person = await ownerSince(LATER);
    const { body } = await person.auth(
      path,
      method === 'POST' ? { id: '0', name: 'x', token: 'x' } : undefined,
    );
    expect(body.error?.message).not.toBe(AGAIN);
  });
});
