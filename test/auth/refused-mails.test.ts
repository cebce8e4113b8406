import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWelcome } from '../../src/domain/access/sign-in.ts';
import { MailServer } from '../support/mail-server.ts';
import { Person } from '../support/person.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const email = 'ana@example.com';
let mailServer: MailServer;
let server: TestServer;
let owner: Person;
/** The token of the mail that was sent last. */
let token = '';
beforeAll(async () => {
  mailServer = await MailServer.start();
  server = await startTestServer({ smtpUrl: mailServer.url, smtpFrom: 'links@s.example' });
  await server.caller('default');
  owner = new Person(server);
  const welcome = (await createWelcome(server.database, server.clock.now)) ?? '';
  await owner.auth('welcome', { token: welcome, name: 'Ana', email, password: 'correct horse' });
});
afterAll(() => server.stop());

/** Has the mail server answer so, with the link of the mail in its words, as some do. */
function answerWith(code: string): void {
  token = '';
  mailServer.answer = (mail) => {
    // Long lines are broken.
    const link = /https:\S+#\S+/.exec(mail.replaceAll('=\r\n', '').replaceAll('=3D', '='))?.[0] ?? '';
    token = link.split('#')[1] ?? '';
    return `${code} your mail with ${link} is not wanted`;
  };
}

const said = () => server.log.filter(({ msg }) => msg === 'a mail was not sent');

/** Waits until a mail has not been sent, and gives the log's line of it. */
async function refused(ask: () => Promise<unknown>): Promise<Record<string, unknown> | undefined> {
  const before = said().length;
  await ask();
  await expect.poll(said).toHaveLength(before + 1);
  expect(token).not.toBe('');
  expect(JSON.stringify(server.log)).not.toContain(token);
  expect(JSON.stringify(server.log)).not.toContain('not wanted');
  return said().at(-1);
}

const forgot = () => new Person(server).auth('forgot', { email });
const reset = () => new Person(server).auth('reset', { token, password: 'a newer password' });
const change = (to: string) => () => owner.auth('email', { email: to });
const confirm = () => owner.auth('confirm', { token });
const tokens = () => server.database.prisma.oneTimeToken.count();

test('a mail that is refused for good ends the link of a new password', async () => {
  answerWith('550 5.7.1');
  expect(await refused(forgot)).toMatchObject({ reason: 'EMESSAGE 550 5.7.1 DATA' });
  await expect.poll(tokens).toBe(0);
  expect((await reset()).status).toBe(410);
});

test('a mail that is refused for good ends the link of a new address', async () => {
  answerWith('552');
  expect(await refused(change('new@example.com'))).toMatchObject({ reason: 'EMESSAGE 552 DATA' });
  await expect.poll(tokens).toBe(0);
  expect((await confirm()).status).toBe(410);
});

test('a mail server that lets nobody send anything ends no link', async () => {
  const before = [await tokens(), said().length];
  mailServer.welcome = '554 5.7.1 not for you';
  await mailServer.disconnect();
  await server.database.prisma.signInGuesses.deleteMany();
  await forgot();
  await expect.poll(() => said().length).toBe(Number(before[1]) + 1);
  mailServer.welcome = '250 OK';
  expect(said().at(-1)).toMatchObject({ reason: 'EPROTOCOL 554 5.7.1 HELO' });
  // Ending a link is what follows the line in the log.
  for (let times = 0; times < 5; times++) await tokens();
  expect(await tokens()).toBe(Number(before[0]) + 1);
});

test('the link of a mail that is refused for now stays good', async () => {
  answerWith('451 4.3.0');
  expect(await refused(change('later@example.com'))).toMatchObject({ reason: 'EMESSAGE 451 4.3.0 DATA' });
  let status = 0;
  // The old address is told, and the mail waits.
  await refused(async () => {
    ({ status } = await confirm());
  });
  expect(status).toBe(204);
  expect(await server.database.prisma.addressChange.count({ where: { token: { not: null } } })).toBe(1);
  answerWith('421');
  await refused(() => new Person(server).auth('forgot', { email: 'later@example.com' }));
  expect((await reset()).status).toBe(200);
});
