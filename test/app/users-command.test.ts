import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUser, setDisabled } from '../../src/domain/access/user.ts';
import { runCommand } from '../support/command.ts';
import { Person, signedIn } from '../support/person.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  // The command has the clock of the machine.
  server = await startTestServer({ now: new Date(), background: true });
});
afterAll(() => server.stop());

const env = () => ({ DATABASE_URL: server.databaseUrl, BASE_URL: 'https://s.example' });
const users = (...args: string[]) => runCommand('users', env(), args);
const tokenIn = (text: string) => /https:\/\/s\.example\/console\/\w+#(\S+)/.exec(text)?.[1];

test('lets the operator invite the first owner of an existing database, and manage users', async () => {
  const ana = { email: 'ana@example.com', password: 'correct horse' };
  const { stdout, code } = await users(
    'create',
    '--email',
    ana.email,
    '--account',
    'Lindenhof',
    '--role',
    'owner',
  );
  expect([code, stdout]).toEqual([0, expect.stringContaining('new account "Lindenhof"')]);
  const person = new Person(server);
  const accepted = await person.auth('accept', { token: tokenIn(stdout), name: 'Ana', ...ana });
  expect([accepted.status, accepted.body]).toMatchObject([
    201,
    { role: 'OWNER', account: { name: 'Lindenhof' } },
  ]);

  expect(JSON.parse((await users('list', '--json')).stdout)).toMatchObject([
    { name: 'Ana', email: ana.email, disabledAt: null, accounts: [{ account: 'Lindenhof', role: 'OWNER' }] },
  ]);

  await users('disable', '--email', 'ANA@example.com');
  await expect.poll(async () => (await person.auth('session')).status).toBe(401);
  expect((await person.auth('sign-in', ana)).status).toBe(401);
  await users('enable', '--email', ana.email);
  expect((await person.auth('sign-in', ana)).status).toBe(200);

  const reset = await users('reset', '--email', ana.email);
  const answer = await person.auth('reset', { token: tokenIn(reset.stdout), password: 'a newer password' });
  expect(answer.status).toBe(200);
});

test.each([
  [['create', '--account', 'x', '--role', 'owner'], /--email/],
  [['create', '--email', 'x@example.com', '--role', 'owner'], /--account/],
  [
    ['create', '--email', 'x@example.com', '--account', 'x'],
    /Name the role: --role viewer, editor, admin, owner/,
  ],
  [
    ['create', '--email', 'x@example.com', '--account', 'x', '--role', 'king'],
    /viewer, editor, admin, owner/,
  ],
  [['create', '--email', 'x', '--account', 'x', '--role', 'owner'], /email must be an address such as/],
  [['reset', '--email', 'nobody@example.com'], /no user "nobody@example.com"/],
])('refuses %j', async (args, message) => {
  const { code, stderr } = await users(...args);
  expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
});

test('makes no account for a wrong email address', async () => {
  const { prisma } = server.database;
  const before = await prisma.account.count();
  await users('create', '--email', 'x', '--account', 'mistyped', '--role', 'owner');
  expect(await prisma.account.count()).toBe(before);
});

test('says what a reset does: it signs in where there is only the OpenID provider, and opens for no disabled user', async () => {
  const now = server.clock.now;
  const email = 'kim@example.com';
  const { id } = await createUser(server.database, { name: 'Kim', email }, null, now);
  const openId = { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'x', OIDC_CLIENT_SECRET: 'x' };
  const reset = () =>
    runCommand('users', { ...env(), ...openId, OIDC_ONLY: 'on' }, ['reset', '--email', email]);
  expect((await reset()).stdout).toContain('kim@example.com signs in by this link, once');
  await setDisabled(server.database, id, now);
  expect(await reset()).toMatchObject({ code: 1, stderr: expect.stringContaining('is disabled') });
});

test('lists each user in one row', async () => {
  const user = { name: 'Eve\nx  root@example.com', email: 'eve@example.com', emailKey: 'eve@example.com' };
  await server.database.prisma.user.create({ data: { ...user, createdAt: server.clock.now } });
  expect((await users('list')).stdout).toMatch(
    /^\d+ +eve@example\.com +Eve x {2}root@example\.com +active$/m,
  );
});

test('lists the keys of members with their role, name and maker', async () => {
  const admin = await signedIn(server, 1, 'ADMIN');
  await admin.data('mutation { createApiKey(input: { name: "Nightly", role: EDITOR }) { __typename } }');
  const { stdout } = await runCommand('keys', env(), ['list']);
  expect(stdout).toMatch(/ROLE +NAME +MAKER\n(.*\n)*.* editor +Nightly +person-\d+@example\.com$/m);
});
