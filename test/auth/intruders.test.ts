import { afterAll, beforeAll, expect, test } from 'vitest';
import { createToken } from '../../src/domain/access/one-time-token.ts';
import { setDisabled } from '../../src/domain/access/user.ts';
import { Person, signedIn } from '../support/person.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ sendMail: () => {} });
  await server.caller('default');
});
afterAll(() => server.stop());

type User = Awaited<ReturnType<typeof signedIn>>;

const resetToken = (userId: number) => createToken(server.database, 'RESET', { userId }, server.clock.now);
const emailToken = (userId: number) => {
  const data = { email: `new-${userId}@x.example` };
  return createToken(server.database, 'EMAIL', { userId, data }, server.clock.now);
};
const reset = async ({ userId }: User) =>
  new Person(server).auth('reset', { token: await resetToken(userId), password: 'a newer password' });

test.each<[string, (user: User) => Promise<unknown>]>([
  ['a reset', reset],
  ['a new password', (user) => user.auth('password', { password: 'a newer password' })],
  ['a new email address', async (user) => user.auth('confirm', { token: await emailToken(user.userId) })],
  ['disabling the user', ({ userId }) => setDisabled(server.database, userId, server.clock.now)],
])('%s ends the links that were sent before', async (_what, act) => {
  const user = await signedIn(server, 1, 'EDITOR');
  const other = await signedIn(server, 1, 'EDITOR');
  for (const { userId } of [user, other]) {
    await resetToken(userId);
    await emailToken(userId);
  }
  await act(user);
  const countOf = ({ userId }: User) =>
    server.database.prisma.oneTimeToken.count({ where: { userId, kind: { in: ['RESET', 'EMAIL'] } } });
  expect([await countOf(user), await countOf(other)]).toEqual([0, 2]);
});

test('a new email address is confirmed by its user alone, signed in', async () => {
  const user = await signedIn(server, 1, 'EDITOR');
  const token = await emailToken(user.userId);
  const answers = [];
  for (const one of [new Person(server), await signedIn(server, 1, 'OWNER'), user])
    answers.push((await one.auth('confirm', { token })).status);
  expect(answers).toEqual([401, 410, 204]);
});
