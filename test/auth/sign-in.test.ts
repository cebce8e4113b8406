import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWelcome } from '../../src/domain/access/sign-in.ts';
import { Person } from '../support/person.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Person;
const ana = { email: 'Ana@Example.com', password: 'correct horse' };
beforeAll(async () => {
  server = await startTestServer();
  await server.caller('default');
  owner = new Person(server);
  const token = await createWelcome(server.database, server.clock.now);
  const { status, headers, body } = await owner.auth('welcome', { token, name: 'Ana', ...ana });
  expect([status, body]).toEqual([
    201,
    {
      user: { id: '1', name: 'Ana', email: 'Ana@Example.com' },
      account: { id: '1', name: 'default' },
      role: 'OWNER',
      accounts: [{ id: '1', name: 'default', role: 'OWNER' }],
    },
  ]);
  expect(headers.getSetCookie()).toEqual([
    expect.stringMatching(
      /^__Host-linkspace=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    ),
  ]);
});
afterAll(() => server.stop());

test('shows who is signed in, and what they may do', async () => {
  const { status, body } = await owner.auth('session');
  expect([status, body]).toMatchObject([200, { role: 'OWNER', user: { email: ana.email } }]);
  const viewer =
    '{ viewer { user { name email } role key { id } sessions { isCurrent device } account { name } } }';
  expect(await owner.data(viewer)).toEqual({
    viewer: {
      user: { name: 'Ana', email: ana.email },
      role: 'OWNER',
      key: null,
      sessions: [{ isCurrent: true, device: 'node' }],
      account: { name: 'default' },
    },
  });
});
