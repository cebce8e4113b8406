import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { setAccountDisabled } from '../../src/domain/access/account.ts';
import { newDatabase } from '../support/database.ts';
import { Person, signedIn } from '../support/person.ts';
import { TestReceiver } from '../support/receiver.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

// Two processes on one database: an account is disabled in one of them.
let here: TestServer;
let there: TestServer;
let receiver: TestReceiver;
beforeAll(async () => {
  const url = await newDatabase();
  const options = { url, background: true, webhookInterval: 20, webhookDelays: [20, 20] };
  here = await startTestServer(options);
  there = await startTestServer(options);
  receiver = await TestReceiver.start();
});
afterAll(async () => {
  await Promise.all([here.stop(), there.stop()]);
  receiver.stop();
});

const servers = () => [here, there];
let caller: Caller;
let accountId: number;
let made = 0;
beforeEach(async () => {
  const name = `disabled ${++made}`;
  caller = await here.caller(name);
  ({ id: accountId } = await here.database.prisma.account.findUniqueOrThrow({ where: { name } }));
});

const setDisabled = (disabled: boolean) =>
  setAccountDisabled(here.database, accountId, disabled ? here.clock.now : null, here.clock.now);

/** The status everywhere, once it is the same. */
async function everywhere(status: number, ask: (server: TestServer) => Promise<number>): Promise<void> {
  for (const server of servers()) await expect.poll(() => ask(server)).toBe(status);
}

const withKey = (server: TestServer) => server.callerWith(caller.key).rest('GET', '/links');

test('refuses keys, on every process', async () => {
  await everywhere(200, async (server) => (await withKey(server)).status);
  await setDisabled(true);
  await everywhere(401, async (server) => (await withKey(server)).status);
  expect((await caller.graphql('{ viewer { account { id } } }')).status).toBe(401);
  await setDisabled(false);
  await everywhere(200, async (server) => (await withKey(server)).status);
});

describe('members', () => {
  test('do not see it, and without another account have no session', async () => {
    const person = await signedIn(here, accountId, 'OWNER');
    const elsewhere = Object.assign(new Person(there), { cookie: person.cookie });
    expect((await elsewhere.auth('session')).status).toBe(200);
    await setDisabled(true);
    for (const one of [person, elsewhere]) {
      await expect.poll(async () => (await one.graphql('{ __typename }')).status).toBe(401);
      expect((await one.auth('session')).status).toBe(401);
    }
    await setDisabled(false);
    await expect.poll(async () => (await elsewhere.auth('session')).status).toBe(200);
  });

  test('go on in another account', async () => {
    const person = await signedIn(here, accountId, 'OWNER');
    await here.caller(`other ${made}`);
    const other = await here.database.prisma.account.findUniqueOrThrow({ where: { name: `other ${made}` } });
    await here.database.prisma.membership.create({
      data: { accountId: other.id, userId: person.userId, role: 'VIEWER', createdAt: here.clock.now },
    });
    await setDisabled(true);
    const ask = { 'X-Account': String(accountId) };
    await expect.poll(async () => (await person.graphql('{ __typename }', {}, ask)).status).toBe(403);
    const { status, body } = await person.auth('session');
    expect([status, body.account, body.accounts]).toEqual([
      200,
      { id: String(other.id), name: other.name },
      [{ id: String(other.id), name: other.name, role: 'VIEWER' }],
    ]);
  });

  test('cannot sign in while it is their only one', async () => {
    const { prisma } = here.database;
    const person = new Person(here);
    const email = `only-${made}@example.com`;
    const invite = await signedIn(here, accountId, 'OWNER');
    const { inviteMember } = await invite.data<{ inviteMember: { url: string } }>(
      `mutation { inviteMember(input: { email: "${email}", role: VIEWER }) { ... on Invitation { url } } }`,
    );
    const [, token = ''] = inviteMember.url.split('#');
    const password = 'correct horse';
    expect((await person.auth('accept', { token, name: 'O', email, password })).status).toBe(201);
    await setDisabled(true);
    const wrong = await new Person(here).auth('sign-in', { email, password: 'wrong horse' });
    const right = await new Person(here).auth('sign-in', { email, password });
    expect([right.status, right.body]).toEqual([wrong.status, wrong.body]);
    expect(right.status).toBe(401);
    await setDisabled(false);
    expect((await new Person(here).auth('sign-in', { email, password })).status).toBe(200);
    expect(await prisma.session.count()).toBeGreaterThan(0);
  });
});

test('ends invitations with 410', async () => {
  const owner = await signedIn(here, accountId, 'OWNER');
  const { inviteMember } = await owner.data<{ inviteMember: { url: string } }>(
    'mutation { inviteMember(input: { email: "new@example.com", role: VIEWER }) { ... on Invitation { url } } }',
  );
  const [, token = ''] = inviteMember.url.split('#');
  const person = new Person(there);
  await setDisabled(true);
  expect((await person.auth('token', { token })).status).toBe(410);
  const given = { token, name: 'New', email: 'new@example.com', password: 'correct horse' };
  expect((await person.auth('accept', given)).status).toBe(410);
  await setDisabled(false);
  expect((await person.auth('accept', given)).status).toBe(201);
});

test('ends subscriptions', async () => {
  const response = await caller.fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
    body: JSON.stringify({ query: 'subscription { changes { id } }' }),
  });
  expect(response.status).toBe(200);
  const whole = response.text();
  await setDisabled(true);
  await whole;
});

test('closes links, statistics pages and what its domains lead to, but keeps certificates', async () => {
  const host = `d${accountId}.example`;
  const domain = await caller.domain(host);
  await caller.data(
    `mutation { updateDomain(id: ${domain}, input: { rootUrl: "https://r.example/", notFoundUrl: "https://n.example/" }) { __typename } }`,
  );
  const { alias } = await caller.link({ domain_id: domain });
  const limited = await caller.link({ expiration_clicks: 1_000 });
  const statuses = async (server: TestServer) =>
    Promise.all(
      [
        [`/${alias}`, host],
        [`/${limited.alias}`, 's.example'],
        [`/${alias}+`, host],
        ['/', host],
        ['/unknown-alias', host],
        [`/tls/ask?domain=${host}`, 's.example'],
      ].map(
        async ([path = '', at = '']) =>
          (await visit(server.origin, path, { headers: { 'X-Forwarded-Host': at } })).status,
      ),
    );
  const [open, closed] = [
    [302, 302, 200, 302, 302, 200],
    [410, 410, 404, 200, 404, 200],
  ];
  for (const server of servers()) expect(await statuses(server)).toEqual(open);
  await setDisabled(true);
  for (const server of servers()) await expect.poll(() => statuses(server)).toEqual(closed);
  await setDisabled(false);
  for (const server of servers()) await expect.poll(() => statuses(server)).toEqual(open);
});

test('lets webhooks wait', async () => {
  const webhookOf = (one: Caller, path: string) =>
    one.data(
      `mutation { createWebhook(input: { url: "${receiver.url(path)}", events: [LINK_CREATED] }) { __typename } }`,
    );
  const path = `/${accountId}`;
  await webhookOf(caller, path);
  receiver.answer = (_received, res) => void res.writeHead(500).end();
  await caller.link();
  await expect.poll(() => receiver.at(path).length).toBeGreaterThan(0);
  await setDisabled(true);
  await everywhere(401, async (server) => (await withKey(server)).status);
  receiver.answer = (_received, res) => void res.writeHead(204).end();
  const statusOf = async () => {
    const [one] = await here.database.prisma.webhookDelivery.findMany({ orderBy: { id: 'asc' } });
    return one?.status;
  };
  const sent = receiver.at(path).length;
  // Its retry is due; those of others are sent.
  for (const server of servers()) server.clock.now = new Date(server.clock.now.getTime() + 1_000);
  const other = await here.caller(`other of ${accountId}`);
  await webhookOf(other, `${path}-other`);
  await other.link();
  await expect.poll(() => receiver.at(`${path}-other`).length).toBe(1);
  expect([receiver.at(path).length, await statusOf()]).toEqual([sent, 'PENDING']);
  await setDisabled(false);
  await expect.poll(statusOf).toBe('DELIVERED');
});
