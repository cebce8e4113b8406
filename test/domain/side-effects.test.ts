import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { runCommand } from '../support/command.ts';
import { newDatabase } from '../support/database.ts';
import { Person, signedIn } from '../support/person.ts';
import { TestReceiver } from '../support/receiver.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

// A copy of a database, with what waits in it: the same service with SIDE_EFFECTS off.
let receiver: TestReceiver;
beforeAll(async () => {
  receiver = await TestReceiver.start();
});
afterAll(() => receiver.stop());

let url: string;
let copy: TestServer;
let mails: string[];
const hook = { webhookInterval: 20, webhookDelays: [20] };
const sendMail = async ({ to }: { to: string }) => {
  mails.push(to);
  return true;
};
beforeEach(async () => {
  url = await newDatabase();
  mails = [];
  receiver.received.length = 0;
});

/** The accepted messages, and the mails, after a service with side effects has done everything. */
async function afterwards(work: (server: TestServer) => Promise<unknown>): Promise<number> {
  const server = await startTestServer({ url, background: true, ...hook, sendMail });
  try {
    await work(server);
    return receiver.received.length;
  } finally {
    await server.stop();
  }
}

async function startCopy(): Promise<TestServer> {
  const openId = { oidcIssuer: receiver.url('/issuer'), oidcClientId: 'a', oidcClientSecret: 'b' };
  return startTestServer({
    ...{ url, background: true, sideEffects: false, ...hook, sendMail, ...openId },
    historyDays: 1,
    statisticsMonths: 1,
  });
}

test('nothing goes out and nothing old is deleted; what waits is sent once they are on', async () => {
  copy = await startCopy();
  const { prisma } = copy.database;
  const caller = await copy.caller();
  const account = await prisma.account.findFirstOrThrow();
  const old = { accountId: account.id, at: new Date('2020-01-01'), tx: 0, recordId: 1, fields: '[]' };
  const change = await prisma.change.create({ data: { ...old, action: 'CREATED', kind: 'SPACE' } });
  await caller.data(
    `mutation { createWebhook(input: { url: "${receiver.url('/hook')}", events: [LINK_CREATED] }) { __typename } }`,
  );
  await caller.link();

  const person = new Person(copy);
  expect((await person.auth('methods')).body).toMatchObject({ mail: true });
  const location = (await person.fetch('/auth/oidc')).headers.get('Location');
  expect(location).toBe('/console/sign-in?fault=PROVIDER_DOWN');
  const owner = await signedIn(copy, account.id, 'OWNER');
  const { email } = await prisma.user.findUniqueOrThrow({ where: { id: owner.userId } });
  expect((await person.auth('forgot', { email })).status).toBe(202);
  await prisma.addressChange.create({
    data: {
      ...{ userId: owner.userId, email: 'old@example.com', emailKey: 'old@example.com', at: copy.clock.now },
      ...{ undoUntil: new Date(copy.clock.now.getTime() + 1e9), hash: 'h', token: 't' },
    },
  });
  const domain = await caller.domain('d.example');
  await prisma.domain.update({ where: { id: domain }, data: { verifiedAt: null, verificationToken: 'x' } });
  await caller.data(`mutation { verifyDomain(id: ${domain}) { __typename } }`);

  const ready = await fetch(`${copy.origin}/readyz`);
  expect(await ready.json()).toEqual({ status: 'ok', sideEffects: 'off' });
  await expect
    .poll(() => copy.log.some(({ msg }) => msg === 'a mail was not sent: SIDE_EFFECTS is off'))
    .toBe(true);
  await copy.stop();
  expect([receiver.received, mails, copy.asked]).toEqual([[], [], []]);

  await afterwards(async ({ database }) => {
    await expect.poll(() => receiver.at('/hook').length).toBe(1);
    await expect.poll(() => mails).toEqual(['old@example.com']);
    expect(await database.prisma.change.findUnique({ where: { id: change.id } })).not.toBeNull();
  });
});

test('webhooks drop-pending removes what waits, also of changes that were not looked at', async () => {
  copy = await startCopy();
  const caller = await copy.caller();
  await caller.data(
    `mutation { createWebhook(input: { url: "${receiver.url('/hook')}", events: [LINK_CREATED] }) { __typename } }`,
  );
  for (let made = 0; made < 3; made++) await caller.link();
  const env = { DATABASE_URL: url, SIDE_EFFECTS: 'off' };
  expect(await runCommand('webhooks', env, ['drop-pending'])).toEqual({
    ...{ code: 0, stderr: '' },
    stdout: '3 waiting messages removed.\n',
  });
  expect((await runCommand('webhooks', env, ['drop-pending', '--json'])).stdout).toBe('{"dropped":0}\n');
  await copy.stop();
  await afterwards(async (server) => {
    await (await server.caller()).link({ title: 'Later' });
    await expect.poll(() => receiver.at('/hook').length).toBe(1);
  });
  expect(receiver.received.map(({ message }) => message.data.title)).toEqual(['Later']);
});

test('a scheduled backup does nothing', async () => {
  const env = { DATABASE_URL: 'file:./no-such-folder/linkspace.db', SIDE_EFFECTS: 'off' };
  expect(await runCommand('backup', env, ['--keep', '3'])).toEqual({
    ...{ code: 0, stderr: '' },
    stdout: 'No backup is made: SIDE_EFFECTS is off.\n',
  });
  // A person at a terminal may make one.
  expect((await runCommand('backup', env, [], '')).code).toBe(1);
});
