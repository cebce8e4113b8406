import type { ServerResponse } from 'node:http';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Received, TestReceiver } from '../support/receiver.ts';
import { type Caller, NOON, startTestServer, type TestServer, timeAfter } from '../support/server.ts';

/** Retries without delay. */
const AT_ONCE = [0, 0, 0, 0, 0, 0];

let receiver: TestReceiver;
/** Two processes on one database. */
let servers: TestServer[];
let server: TestServer;
beforeAll(async () => {
  receiver = await TestReceiver.start();
  const options = { background: true, webhookDelays: AT_ONCE, webhookInterval: 100 };
  const first = await startTestServer(options);
  const second = await startTestServer({ ...options, url: first.databaseUrl });
  [servers, server] = [[first, second], first];
});
afterAll(async () => {
  for (const one of servers) await one.stop();
  receiver.stop();
});

interface Delivery {
  id: string;
  event: string;
  status: string;
  attempts: number;
  responseStatus: number | null;
  error: string | null;
  lastAttemptAt: string | null;
}

const LINKS = ['LINK_CREATED', 'LINK_UPDATED', 'LINK_DELETED'];
const SPACES = ['SPACE_CREATED', 'SPACE_UPDATED', 'SPACE_DELETED'];

/** A webhook of a new account, or of `of`, and its messages. */
async function hook(path: string, events = [...LINKS, ...SPACES], of?: Caller) {
  const url = receiver.url(path);
  const caller = of ?? (await server.caller(`account of ${path}`));
  const { createWebhook } = await caller.data<{
    createWebhook: { webhook: { id: string }; secret: string };
  }>(
    `mutation ($input: CreateWebhookInput!) {
      createWebhook(input: $input) { ... on CreatedWebhook { webhook { id } secret } }
    }`,
    { input: { url, events } },
  );
  const { id } = createWebhook.webhook;
  const list = `query ($id: ID!) { webhook(id: $id) { disabled
    deliveries { edges { node { id event status attempts responseStatus error lastAttemptAt } } } } }`;
  const read = () =>
    caller.data<{ webhook: { disabled: boolean; deliveries: { edges: { node: Delivery }[] } } }>(list, {
      id,
    });
  return {
    caller,
    id,
    secret: createWebhook.secret,
    /** The oldest first. */
    deliveries: async () => (await read()).webhook.deliveries.edges.map(({ node }) => node).reverse(),
    disabled: async () => (await read()).webhook.disabled,
    change: (input: object) =>
      caller.data(
        'mutation ($id: ID!, $input: UpdateWebhookInput!) { updateWebhook(id: $id, input: $input) { __typename } }',
        { id, input },
      ),
    types: () => receiver.at(path).map(({ message }) => message.type),
    received: () => receiver.at(path),
  };
}

test('logs once that a webhook fails, with its id, and once that it works again', async () => {
  const { caller, id, deliveries } = await hook('/failing', SPACES);
  const lines = () =>
    servers
      .flatMap(({ log }) => log.filter((line) => line.webhook === Number(id)))
      .sort((one, other) => Number(one.time) - Number(other.time));
  receiver.answer = (_received, res) => void res.writeHead(500).end();
  for (let i = 0; i < 3; i++) await caller.space(`Failing ${i}`);
  await expect
    .poll(async () => (await deliveries()).map(({ status }) => status))
    .toEqual(['FAILED', 'FAILED', 'FAILED']);
  expect(lines()).toMatchObject([{ level: 40, status: 500, error: 'status 500', msg: 'a webhook fails' }]);
  receiver.answer = (_received, res) => void res.writeHead(204).end();
  await caller.space('Works');
  await expect.poll(() => lines().slice(1)).toMatchObject([{ level: 30, msg: 'a webhook works again' }]);
  await caller.space('Works still');
  await expect.poll(async () => (await deliveries()).at(-1)?.status).toBe('DELIVERED');
  expect(lines()).toHaveLength(2);
});

const redeliver = `mutation ($id: ID!) { redeliver(deliveryId: $id) {
  __typename ... on ValidationError { fields { path messages } } } }`;

test('sends tags in the form of spaces', async () => {
  const { caller, received } = await hook('/tags', ['TAG_CREATED', 'TAG_DELETED']);
  const id = await caller.tag('Sale', 4);
  const times = { created_at: NOON.toISOString(), updated_at: NOON.toISOString() };
  await expect
    .poll(() => received().map(({ message }) => message))
    .toEqual([
      { type: 'tag.created', timestamp: NOON.toISOString(), data: { id, name: 'Sale', color: 4, ...times } },
    ]);
  await caller.data(`mutation { deleteTag(id: ${id}) { __typename } }`);
  await expect
    .poll(() => received().at(-1)?.message)
    .toEqual({ type: 'tag.deleted', timestamp: NOON.toISOString(), data: { id } });
});

test('sends links in v1’s form, signed by Standard Webhooks', async () => {
  const { caller, secret, types, received, deliveries } = await hook('/links', LINKS);
  const space = await caller.space('Not told of');
  const link = await caller.link({ title: 'Ünï', space_id: space, pixel_ids: await caller.pixel() });
  await expect.poll(types).toEqual(['link.created']);
  const [first] = received();
  expect(first?.message).toEqual({ type: 'link.created', timestamp: NOON.toISOString(), data: link });
  expect(first?.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'webhook-id': expect.stringMatching(/^msg_[\w-]{22}$/),
    'webhook-timestamp': String(NOON.getTime() / 1000),
    'webhook-signature': new Verifier(secret).sign(
      first?.headers['webhook-id'] as string,
      NOON,
      first?.body ?? '',
    ),
  });
  await caller.rest('PATCH', `/links/${link.id}`, { title: 'Changed' });
  await caller.rest('PATCH', `/links/${link.id}`, { title: 'Changed' });
  await expect.poll(types).toEqual(['link.created', 'link.updated']);
  const changed = { title: 'Changed', updated_at: timeAfter(link.updated_at, { title: 'Changed' }) };
  expect(received()[1]?.message.data).toEqual({ ...link, ...changed });
  await caller.rest('DELETE', `/links/${link.id}`);
  await expect.poll(types).toEqual(['link.created', 'link.updated', 'link.deleted']);
  expect(received()[2]?.message.data).toEqual({ id: link.id });
  const delivered = { status: 'DELIVERED', attempts: 1, responseStatus: 204, error: null };
  await expect
    .poll(deliveries)
    .toEqual(
      LINKS.map((event) =>
        expect.objectContaining({ ...delivered, event, lastAttemptAt: NOON.toISOString() }),
      ),
    );
});

test('sends changes of spaces, and of their links when they are deleted', async () => {
  const { caller, types, received } = await hook('/spaces');
  const id = await caller.space('One', { color: 2 });
  const link = await caller.link({ space_id: id });
  await expect.poll(() => types().sort()).toEqual(['link.created', 'space.created']);
  const { body } = await caller.rest('GET', `/spaces/${id}`);
  const created = received().find(({ message }) => message.type === 'space.created');
  expect(created?.message.data).toEqual((body as { data: object }).data);
  await caller.rest('DELETE', `/spaces/${id}`);
  await expect.poll(() => types().slice(2).sort()).toEqual(['link.updated', 'space.deleted']);
  const updated = received().find(({ message }) => message.type === 'link.updated');
  expect(updated?.message.data).toMatchObject({ id: link.id, space_id: null });
});

test('sends each account only its own changes, and only those after the webhook was created', async () => {
  const early = await server.caller('account of /own');
  await early.space('Before');
  const { caller, types } = await hook('/own');
  await (await server.caller('another')).space('Theirs');
  await caller.space('After');
  await caller.rest('PATCH', '/spaces/0', { name: 'x' });
  await expect.poll(types).toEqual(['space.created']);
});

test('repeats a failed message unchanged; only later messages about the same record wait', async () => {
  const { caller, types, received, deliveries } = await hook('/again', SPACES);
  const answers = [500, 302, 410];
  receiver.answer = ({ path, message }, res) => {
    const isFirst = path === '/again' && message.data.name === 'First';
    const status = (isFirst ? answers.shift() : undefined) ?? 200;
    res.writeHead(status, status === 302 ? { Location: receiver.url('/elsewhere') } : {}).end('x');
  };
  const id = await caller.space('First');
  await expect.poll(() => types().length).toBeGreaterThan(0);
  await caller.rest('PATCH', `/spaces/${id}`, { name: 'Second' });
  await caller.space('Other');
  await expect
    .poll(async () => (await deliveries()).map(({ status }) => status))
    .toEqual([...['DELIVERED', 'DELIVERED', 'DELIVERED']]);
  const ofRecord = received().filter(({ message }) => message.data.id === id);
  expect(ofRecord.map(({ message }) => message.type)).toEqual([
    ...['space.created', 'space.created', 'space.created', 'space.created', 'space.updated'],
  ]);
  const tries = ofRecord.slice(0, 4);
  expect(new Set(tries.map(({ body, headers }) => `${headers['webhook-id']} ${body}`)).size).toBe(1);
  expect(tries[0]?.body).toContain('"name":"First"');
  expect((await deliveries())[0]).toMatchObject({ attempts: 4, responseStatus: 200, error: null });
  expect(receiver.at('/elsewhere')).toEqual([]);
});

test('sends a test, whatever the events, and again instead of another while it waits', async () => {
  const { caller, id, secret, received, deliveries, change } = await hook('/tested', SPACES);
  receiver.answer = (_received, res) => void res.writeHead(204).end();
  const ping = (by = caller) =>
    by.data<{ testWebhook: object }>(`mutation { testWebhook(id: ${id}) {
      __typename ... on WebhookDelivery { event } ... on ValidationError { fields { path messages } } } }`);
  expect(await ping()).toEqual({ testWebhook: { __typename: 'WebhookDelivery', event: 'PING' } });
  await expect
    .poll(() => received().map(({ message }) => message))
    .toEqual([{ type: 'ping', timestamp: NOON.toISOString(), data: { id: Number(id) } }]);
  const [first] = received();
  const messageId = first?.headers['webhook-id'] as string;
  expect(first?.headers['webhook-signature']).toBe(
    new Verifier(secret).sign(messageId, NOON, first?.body ?? ''),
  );
  await expect.poll(deliveries).toMatchObject([{ event: 'PING', status: 'DELIVERED', responseStatus: 204 }]);
  // The answer is held back, so that one waits.
  const held = Promise.withResolvers<ServerResponse>();
  receiver.answer = (_received, res) => held.resolve(res);
  await ping();
  const answer = await held.promise;
  await ping();
  expect(await deliveries()).toHaveLength(2);
  receiver.answer = (_received, res) => void res.writeHead(204).end();
  answer.writeHead(204).end();
  await change({ disabled: true });
  expect(await ping()).toEqual({
    testWebhook: {
      __typename: 'ValidationError',
      fields: [{ path: ['id'], messages: ['belongs to a disabled webhook: enable the webhook first'] }],
    },
  });
  expect(await ping(await server.caller('somebody else'))).toEqual({
    testWebhook: { __typename: 'NotFoundError' },
  });
});

test('no webhook is registered for tests', async () => {
  const { caller } = await hook('/registered', SPACES);
  const made =
    await caller.data(`mutation { createWebhook(input: { url: "https://example.com/", events: [PING] }) {
    ... on ValidationError { fields { path rule } } } }`);
  expect(made).toEqual({ createWebhook: { fields: [{ path: ['events', '0'], rule: 'CHOICE' }] } });
});

test('gives up after seven attempts with the reason, and redelivers on request', async () => {
  const { caller, received, deliveries, change } = await hook('/fails', SPACES);
  const witness = await hook('/witness', SPACES, caller);
  receiver.answer = ({ path }, res) => void res.writeHead(path === '/fails' ? 503 : 204).end();
  await caller.space('Doomed');
  const failed = { status: 'FAILED', attempts: 7, responseStatus: 503, error: 'status 503' };
  await expect.poll(deliveries).toEqual([expect.objectContaining(failed)]);
  expect(received()).toHaveLength(7);
  receiver.answer = (_received, res) => void res.writeHead(204).end();
  const [delivery] = await deliveries();
  await change({ disabled: true });
  expect(await caller.data(redeliver, { id: delivery?.id })).toEqual({
    redeliver: {
      __typename: 'ValidationError',
      fields: [
        { path: ['deliveryId'], messages: ['belongs to a disabled webhook: enable the webhook first'] },
      ],
    },
  });
  await caller.space('Never told of');
  await expect.poll(() => witness.received().some(({ body }) => body.includes('Never told of'))).toBe(true);
  await change({ disabled: false });
  expect(await caller.data(redeliver, { id: delivery?.id })).toEqual({
    redeliver: { __typename: 'WebhookDelivery' },
  });
  await expect
    .poll(deliveries)
    .toEqual([
      expect.objectContaining({ status: 'DELIVERED', attempts: 8, responseStatus: 204, error: null }),
    ]);
  expect(new Set(received().map(({ headers }) => headers['webhook-id'])).size).toBe(1);
});

test('redelivers a message that is at its last attempt', async () => {
  const { caller, received, deliveries } = await hook('/last', SPACES);
  let last: ServerResponse | undefined;
  receiver.answer = ({ path }, res) => {
    const times = path === '/last' ? receiver.at(path).length : 8;
    if (times === 7) last = res;
    else res.writeHead(times < 7 ? 500 : 204).end();
  };
  await caller.space('Last');
  await expect.poll(() => last).toBeDefined();
  await caller.data(redeliver, { id: (await deliveries())[0]?.id });
  last?.writeHead(500).end();
  await expect
    .poll(deliveries)
    .toEqual([expect.objectContaining({ status: 'DELIVERED', attempts: 8, responseStatus: 204 })]);
  expect(received()).toHaveLength(8);
});

test('redelivers a waiting message after the earlier ones about the same record', async () => {
  const { caller, id, types, deliveries } = await hook('/waiting', SPACES);
  const recordId = await caller.space('Waiting');
  await expect.poll(types).toEqual(['space.created']);
  const later = new Date(NOON.getTime() + 3_600_000);
  const waiting = { webhookId: Number(id), kind: 'SPACE', recordId, createdAt: NOON, nextAttemptAt: later };
  // The first one is at its last attempt, which fails. It then gets all of its retries again.
  await server.database.prisma.webhookDelivery.createMany({
    data: ['SPACE_UPDATED', 'SPACE_DELETED'].map((event) => ({
      ...waiting,
      event,
      messageId: event,
      failures: 6,
    })),
  });
  const answers = [500];
  receiver.answer = (_received, res) => void res.writeHead(answers.shift() ?? 204).end();
  await caller.data(redeliver, { id: (await deliveries())[2]?.id });
  await expect.poll(types).toEqual(['space.created', 'space.updated', 'space.updated', 'space.deleted']);
});

test('sends changes made before it was disabled, and none made while it was disabled', async () => {
  const { caller, change, received } = await hook('/switched', SPACES);
  await caller.space('Before');
  await change({ disabled: true });
  await caller.space('Meanwhile');
  await change({ disabled: false });
  await caller.space('After');
  await expect
    .poll(() =>
      received()
        .map(({ message }) => message.data.name)
        .sort(),
    )
    .toEqual(['After', 'Before']);
});

test('disables a webhook that has failed for five days, recorded as the operator', async () => {
  const { caller, id, disabled, deliveries } = await hook('/dead', SPACES);
  receiver.answer = (_received, res) => void res.writeHead(500).end();
  await caller.space('Day one');
  await expect.poll(async () => (await deliveries())[0]?.status).toBe('FAILED');
  const set = (now: Date) => {
    for (const one of servers) one.clock.now = now;
  };
  set(new Date(NOON.getTime() + 5 * 24 * 60 * 60 * 1000 - 1));
  await caller.space('Just before');
  await expect.poll(async () => (await deliveries())[1]?.status).toBe('FAILED');
  expect(await disabled()).toBe(false);
  set(new Date(NOON.getTime() + 5 * 24 * 60 * 60 * 1000));
  await caller.space('Day six');
  await expect.poll(disabled).toBe(true);
  // One failure after days without messages does not disable it.
  expect((await deliveries())[2]).toMatchObject({ status: 'FAILED', attempts: 7 });
  const query = `query ($id: ID!) { changes(filter: { kind: WEBHOOK, recordId: $id }) {
    edges { node { action fields key { id } } } } }`;
  await expect
    .poll(async () => {
      const { changes } = await caller.data<{ changes: { edges: { node: object }[] } }>(query, { id });
      return changes.edges.at(-1)?.node;
    })
    .toEqual({ action: 'UPDATED', fields: ['disabled', 'disabledReason'], key: null });
  set(NOON);
  receiver.answer = (_received, res) => void res.writeHead(204).end();
});

test('signs with the previous secret too for a day after a rotation, and with no older one', async () => {
  const { caller, id, secret, received } = await hook('/rotated', SPACES);
  const rotate = async () => {
    const { rotateWebhookSecret } = await caller.data<{ rotateWebhookSecret: { secret: string } }>(
      'mutation ($id: ID!) { rotateWebhookSecret(id: $id) { ... on CreatedWebhook { secret } } }',
      { id },
    );
    return rotateWebhookSecret.secret;
  };
  const secrets = [secret];
  for (const times of [1, 2]) {
    secrets.unshift(await rotate());
    await caller.space('Signed twice');
    await expect.poll(() => received().length).toBe(times);
    const { headers, body } = received().at(-1) as Received;
    const signatures = secrets
      .slice(0, 2)
      .map((one) => new Verifier(one).sign(String(headers['webhook-id']), NOON, body));
    expect(headers['webhook-signature']).toBe(signatures.join(' '));
  }
});

test('a receiver that never answers does not delay others, and a long answer is not read to the end', async () => {
  const [slow, quick, loud] = [await hook('/slow'), await hook('/quick'), await hook('/loud')];
  let written = 0;
  const held: ServerResponse[] = [];
  receiver.answer = ({ path }, res) => {
    if (path === '/slow') return void held.push(res);
    res.writeHead(200);
    const more = () => {
      for (let room = true; room && !res.destroyed; ) {
        written += 65_536;
        room = res.write('x'.repeat(65_536));
      }
    };
    if (path === '/loud') more();
    else res.end();
    res.on('drain', more);
  };
  for (const { caller } of [slow, loud, quick]) await caller.space('Told of');
  await expect.poll(async () => (await quick.deliveries())[0]?.status).toBe('DELIVERED');
  await expect.poll(async () => (await loud.deliveries())[0]?.status).toBe('DELIVERED');
  expect(written).toBeLessThan(32 * 1024 * 1024);
  expect((await slow.deliveries())[0]?.status).toBe('PENDING');
  for (const res of held) res.end();
  receiver.answer = (_received, res) => void res.writeHead(204).end();
});

test('a process delivers for a webhook that another process created while it started', async () => {
  const maker = await startTestServer();
  const started = await startTestServer({ background: true, url: maker.databaseUrl });
  const sends = (text: string) => expect.poll(() => started.statements.join('\n')).toContain(text);
  await sends('Webhook');
  const { types, caller } = await hook('/while-starting', SPACES, await maker.caller());
  // Its first poll for changes.
  await sends('SELECT "topic"');
  await caller.space('New');
  await expect.poll(types).toEqual(['space.created']);
  await started.stop();
  await maker.stop();
});

test('two processes deliver each of many changes once, and those of a record in order', async () => {
  const { caller, received } = await hook('/many', LINKS);
  const other = servers[1]?.callerWith(caller.key) as Caller;
  receiver.answer = (_received, res) => void res.writeHead(Math.random() < 0.33 ? 500 : 200).end();
  const ids = await Promise.all(
    Array.from({ length: 8 }, async (_, writer) => {
      const one = writer % 2 ? caller : other;
      const { id } = await one.link();
      for (let i = 0; i < 5; i++) await one.rest('PATCH', `/links/${id}`, { title: `${i}` });
      await one.rest('DELETE', `/links/${id}`);
      return id;
    }),
  );
  const { prisma } = server.database;
  const pending = () => prisma.webhookDelivery.count({ where: { status: 'PENDING', recordId: { in: ids } } });
  await expect
    .poll(async () => (await prisma.webhookDelivery.count({ where: { recordId: { in: ids } } })) > 0)
    .toBe(true);
  await expect
    .poll(() => received().filter(({ message }) => message.type === 'link.deleted').length)
    .toBeGreaterThan(7);
  await expect.poll(pending).toBe(0);
  for (const id of ids) {
    const ofRecord = received().filter(({ message }) => message.data.id === id);
    const order = [...new Set(ofRecord.map(({ headers }) => headers['webhook-id']))];
    // No message is repeated after a later one about the record.
    expect(ofRecord.map(({ headers }) => order.indexOf(headers['webhook-id'] as string))).toEqual(
      ofRecord.map(({ headers }) => order.indexOf(headers['webhook-id'] as string)).sort((a, b) => a - b),
    );
    // Updates join one that nobody has begun to send.
    const types = order.map(
      (one) => ofRecord.find(({ headers }) => headers['webhook-id'] === one)?.message.type,
    );
    expect(types.join(' ')).toMatch(/^link\.created( link\.updated){1,5} link\.deleted$/);
  }
  receiver.answer = (_received, res) => void res.writeHead(204).end();
});
