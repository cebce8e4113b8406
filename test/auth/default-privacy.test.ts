import { afterAll, beforeAll, expect, test } from 'vitest';
import { Database } from '../../src/db/database.ts';
import { createFirstKey } from '../../src/domain/access/api-key.ts';
import { runCommand } from '../support/command.ts';
import { newDatabase } from '../support/database.ts';
import { type Person, signedIn } from '../support/person.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let program: Caller;
let owner: Person;
let accountId: number;
beforeAll(async () => {
  server = await startTestServer({ now: new Date(), background: true });
  program = await server.caller('owner');
  ({ id: accountId } = await server.database.prisma.account.findUniqueOrThrow({ where: { name: 'owner' } }));
  owner = await signedIn(server, accountId, 'OWNER');
});
afterAll(() => server.stop());

const privacyOf = async (name: string) =>
  (await server.database.prisma.account.findUniqueOrThrow({ where: { name } })).defaultPrivacy;
const UPDATE = `mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) {
  ... on Account { name defaultPrivacy } ... on ValidationError { fields { path messages } } } }`;
const update = async (input: object, by: Person = owner) => {
  const { data, errors } = await by.graphql(UPDATE, { input });
  return data?.updateAccount ?? errors?.[0]?.extensions.code;
};

test('is private in an account for people, and public in one that a key or an earlier version made', async () => {
  const env = { DATABASE_URL: server.databaseUrl, BASE_URL: 'https://s.example' };
  const person = ['create', '--email', 'ana@example.com', '--role', 'owner'];
  expect(await runCommand('users', env, [...person, '--account', 'People'])).toMatchObject({ code: 0 });
  await runCommand('keys', env, ['create', '--account', 'Programs']);
  await runCommand('accounts', env, ['create', '--account', 'Made']);
  expect(await privacyOf('Made')).toBe('PRIVATE');
  expect([await privacyOf('People'), await privacyOf('Programs')]).toEqual(['PRIVATE', 'PUBLIC']);
  // An existing account keeps what it has.
  await runCommand('users', env, [...person, '--account', 'Programs']);
  await runCommand('keys', env, ['create', '--account', 'People']);
  expect([await privacyOf('People'), await privacyOf('Programs')]).toEqual(['PRIVATE', 'PUBLIC']);
});

test.each([undefined, 'a-key-of-the-operator-with-32-chars'])(
  'is private after a first start: %s',
  async (key) => {
    const first = await Database.open(await newDatabase());
    try {
      await createFirstKey(first, NOON, key);
      expect(await first.prisma.account.findMany()).toMatchObject([
        { name: 'default', defaultPrivacy: 'PRIVATE' },
      ]);
    } finally {
      await first.close();
    }
  },
);

test('is changed by owners alone, which the history tells', async () => {
  const shown = '{ viewer { account { defaultPrivacy } } }';
  expect(await program.data(shown)).toEqual({ viewer: { account: { defaultPrivacy: 'PUBLIC' } } });
  expect(await update({ defaultPrivacy: 'PRIVATE' })).toMatchObject({ defaultPrivacy: 'PRIVATE' });
  expect(await update({ name: 'Lindenhof' })).toEqual({ name: 'Lindenhof', defaultPrivacy: 'PRIVATE' });
  expect(await update({ name: 'Lindenhof', defaultPrivacy: 'PRIVATE' })).toMatchObject({ name: 'Lindenhof' });
  expect(await update({})).toEqual({ name: 'Lindenhof', defaultPrivacy: 'PRIVATE' });
  expect(await program.data(shown)).toEqual({ viewer: { account: { defaultPrivacy: 'PRIVATE' } } });
  const where = { accountId, kind: 'ACCOUNT' };
  const changes = await server.database.prisma.change.findMany({ where, orderBy: { id: 'asc' } });
  expect(changes.map(({ fields }) => fields)).toEqual(['["defaultPrivacy"]', '["name"]']);
  const admin = await signedIn(server, accountId, 'ADMIN');
  expect(await update({ defaultPrivacy: 'PUBLIC' }, admin)).toBe('FORBIDDEN');
});

test.each([
  ['PASSWORD', 'must be one of PUBLIC, PRIVATE'],
  [null, expect.any(String)],
])('cannot be %s', async (defaultPrivacy, message) => {
  expect(await update({ defaultPrivacy })).toEqual({
    fields: [{ path: ['defaultPrivacy'], messages: [message] }],
  });
});

test('leaves links alone that programs make without a privacy', async () => {
  expect(await update({ defaultPrivacy: 'PRIVATE' })).toMatchObject({ defaultPrivacy: 'PRIVATE' });
  const { createLink } = await program.data<{ createLink: object }>(
    'mutation { createLink(input: { url: "https://example.com/" }) { ... on Link { privacy } } }',
  );
  expect(createLink).toEqual({ privacy: 'PUBLIC' });
  expect(await program.link()).toMatchObject({ privacy: 0 });
});

const IMPORT = `mutation ($text: String!, $format: ImportFormat!, $privacy: LinkPrivacy) {
  importLinks(text: $text, format: $format, privacy: $privacy) { results { link { privacy } } } }`;
const imported = async (text: string, privacy?: string | null, format = 'CSV') => {
  type Answer = { importLinks: { results: { link: { privacy: string } | null }[] } };
  const { importLinks } = await program.data<Answer>(IMPORT, { text, format, privacy });
  return importLinks.results.map(({ link }) => link?.privacy);
};

test.each([
  ['PRIVATE', 'PRIVATE'],
  ['PUBLIC', 'PUBLIC'],
  [null, 'PUBLIC'],
  [undefined, 'PUBLIC'],
])('of an import is %s: links without a privacy of their own are %s', async (privacy, expected) => {
  const path = `https://example.com/${privacy}`;
  expect(await imported(`${path}/1\n${path}/2`, privacy, 'LINES')).toEqual([expected, expected]);
  const file = `url,privacy\n${path}/3,\n${path}/4,PUBLIC\n${path}/5,PRIVATE`;
  expect(await imported(file, privacy)).toEqual([expected, 'PUBLIC', 'PRIVATE']);
});

test('of an import cannot ask for a password', async () => {
  const { data, errors } = await program.graphql(IMPORT, {
    ...{ text: 'https://example.com/none', format: 'LINES', privacy: 'PASSWORD' },
  });
  expect([data, errors?.[0]?.extensions?.code]).toEqual([null, 'VALIDATION']);
  expect(await server.database.prisma.link.count({ where: { url: 'https://example.com/none' } })).toBe(0);
});
