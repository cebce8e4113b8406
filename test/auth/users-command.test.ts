import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../support/command.ts';
import { Person } from '../support/person.ts';
import { SOON, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  // The command has the clock of the machine.
  server = await startTestServer({ now: new Date(), background: true });
});
afterAll(() => server.stop());

const users = (...args: string[]) =>
  runCommand('users', { DATABASE_URL: server.databaseUrl, BASE_URL: 'https://s.example' }, args);
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
  expect(code).toBe(0);
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
  await expect.poll(async () => (await person.auth('session')).status, { timeout: SOON }).toBe(401);
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
    ['create', '--email', 'x@example.com', '--account', 'x', '--role', 'king'],
    /viewer, editor, admin, owner/,
  ],
  [['create', '--email', 'x', '--account', 'x', '--role', 'owner'], /email must be an email address/],
  [['reset', '--email', 'nobody@example.com'], /no user "nobody@example.com"/],
])('refuses %j', async (args, message) => {
  const { code, stderr } = await users(...args);
  expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
});
