import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
let stranger: Caller;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller('owner');
  stranger = await server.caller('stranger');
});
afterAll(() => server.stop());

const noon = NOON.toISOString();
const all = 'id url events disabled createdAt updatedAt';
const failure = '... on Error { code message } ... on ValidationError { fields { path messages } }';
const create = `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) {
  __typename ... on CreatedWebhook { webhook { ${all} } secret } ${failure} } }`;
const update = `mutation ($id: ID!, $input: UpdateWebhookInput!) { updateWebhook(id: $id, input: $input) {
  __typename ... on Webhook { ${all} } ${failure} } }`;
const remove = `mutation ($id: ID!) { deleteWebhook(id: $id) {
  __typename ... on DeletedRecord { id } ... on Error { code message } } }`;
const rotate = `mutation ($id: ID!) { rotateWebhookSecret(id: $id) {
  __typename ... on CreatedWebhook { webhook { ${all} } secret } ... on Error { code message } } }`;
const redeliver = `mutation ($id: ID!) { redeliver(deliveryId: $id) {
  __typename ... on WebhookDelivery { id status } ${failure} } }`;
const show = `query ($id: ID!) { webhook(id: $id) { ${all} deliveries { totalCount edges { node { id } } } } }`;
const missing = { __typename: 'NotFoundError', code: 'NOT_FOUND', message: 'No such webhook.' };
const input = { url: 'https://crm.example/hook', events: ['LINK_CREATED', 'LINK_DELETED'] };

interface Created {
  createWebhook: { webhook: { id: string }; secret: string };
}

async function make(fields: Partial<typeof input> = {}, caller = owner): Promise<string> {
  const { createWebhook } = await caller.data<Created>(create, { input: { ...input, ...fields } });
  return createWebhook.webhook.id;
}

test('creates a webhook, and shows its secret once', async () => {
  const { createWebhook } = await owner.data<Created>(create, { input });
  const { id } = createWebhook.webhook;
  const webhook = { ...input, id, disabled: false, createdAt: noon, updatedAt: noon };
  const secret = expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(createWebhook).toEqual({ __typename: 'CreatedWebhook', webhook, secret });
  const deliveries = { totalCount: 0, edges: [] };
  expect(await owner.data(show, { id })).toEqual({ webhook: { ...webhook, deliveries } });
  expect(await owner.data('{ __type(name: "Webhook") { fields { name } } }')).not.toMatchObject({
    __type: { fields: expect.arrayContaining([{ name: 'secret' }]) },
  });
});

test.each([
  ['http://127.0.0.1:8080/hook', '127.0.0.1'],
  ['http://127.1/hook', '127.0.0.1'],
  ['http://[::1]/hook', '[::1]'],
  ['http://10.0.0.7/hook', '10.0.0.7'],
  ['http://localhost:8080/hook', 'localhost'],
  ['https://crm/hook', 'crm'],
  ['https://crm.internal/hook', 'crm.internal'],
  ['https://crm.example/hook', null],
  ['https://1.1.1.1/hook', null],
])('warns about a new webhook of %s if its address is private', async (url, host) => {
  const careful = await startTestServer({ url: server.databaseUrl, allowPrivateWebhooks: false });
  const text = `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) {
    ... on CreatedWebhook { webhook { warning } } } }`;
  const newcomer = await careful.caller(`caller of ${url}`);
  const { createWebhook } = await newcomer.data<{ createWebhook: { webhook: { warning: string | null } } }>(
    text,
    {
      input: { ...input, url },
    },
  );
  expect(createWebhook.webhook.warning).toBe(
    host &&
      `${host} is not a public address: nothing is delivered to it, unless the operator sets WEBHOOK_ALLOW_PRIVATE=on.`,
  );
  await careful.stop();
});

test('does not warn about a private address where those are allowed', async () => {
  const id = await make({ url: 'http://127.0.0.1:8080/hook' });
  expect(await owner.data('query ($id: ID!) { webhook(id: $id) { warning } }', { id })).toEqual({
    webhook: { warning: null },
  });
});

test.each([
  ['', 'may not be empty'],
  ['ftp://crm.example/', 'must be an absolute http or https URL, such as https://example.com/page'],
  ['crm.example', 'must be an absolute http or https URL, such as https://example.com/page'],
  ['https://user:secret@crm.example/', 'may not have a user or a password'],
  ['https://user@crm.example/', 'may not have a user or a password'],
  [`https://crm.example/${'x'.repeat(2048)}`, 'must have 1 to 2048 characters, not 2068'],
])('refuses the URL %s', async (url, message) => {
  expect(await owner.data(create, { input: { ...input, url } })).toMatchObject({
    createWebhook: { __typename: 'ValidationError', fields: [{ path: ['url'], messages: [message] }] },
  });
});

test('reports all invalid fields at once, and a webhook without events', async () => {
  expect(await owner.data(create, { input: { url: 'x', events: [] } })).toMatchObject({
    createWebhook: {
      __typename: 'ValidationError',
      fields: [{ path: ['url'] }, { path: ['events'], messages: ['must have at least one event'] }],
    },
  });
});

test('stores a duplicate event once', async () => {
  const id = await make({ events: ['SPACE_UPDATED', 'LINK_CREATED', 'SPACE_UPDATED'] });
  expect(await owner.data(show, { id })).toMatchObject({
    webhook: { events: ['LINK_CREATED', 'SPACE_UPDATED'] },
  });
});

test('changes the given fields, and clears nothing', async () => {
  const id = await make();
  const change = (fields: object) => owner.data(update, { id, input: fields });
  expect(await change({ disabled: true, events: ['SPACE_DELETED'] })).toMatchObject({
    updateWebhook: { url: input.url, events: ['SPACE_DELETED'], disabled: true },
  });
  expect(await change({ url: 'https://other.example/', disabled: false })).toMatchObject({
    updateWebhook: { url: 'https://other.example/', events: ['SPACE_DELETED'], disabled: false },
  });
  for (const field of ['url', 'events', 'disabled'])
    expect(await change({ [field]: null })).toMatchObject({
      updateWebhook: {
        __typename: 'ValidationError',
        fields: [{ path: [field], messages: [expect.stringMatching(/^cannot be cleared: it must /)] }],
      },
    });
});

test('rotates the secret', async () => {
  const { createWebhook } = await owner.data<Created>(create, { input });
  const { id } = createWebhook.webhook;
  const { rotateWebhookSecret } = await owner.data<{ rotateWebhookSecret: { secret: string } }>(rotate, {
    id,
  });
  expect(rotateWebhookSecret).toMatchObject({ __typename: 'CreatedWebhook', webhook: { id, ...input } });
  expect(rotateWebhookSecret.secret).toMatch(/^whsec_/);
  expect(rotateWebhookSecret.secret).not.toBe(createWebhook.secret);
});

test('records its changes with the names of the fields', async () => {
  const writer = await server.caller('writer');
  const id = await make({}, writer);
  await writer.data(update, { id, input: { url: 'https://other.example/', events: input.events } });
  await writer.data(rotate, { id });
  await writer.data(remove, { id });
  const query = `{ changes(filter: { kind: WEBHOOK }) { edges { node { action recordId fields } } } }`;
  const list = async () => {
    const { changes } = await writer.data<{ changes: { edges: { node: object }[] } }>(query);
    return changes.edges.map(({ node }) => node);
  };
  await expect.poll(list).toEqual([
    { action: 'CREATED', recordId: id, fields: ['url', 'events'] },
    { action: 'UPDATED', recordId: id, fields: ['url'] },
    { action: 'UPDATED', recordId: id, fields: ['secret'] },
    { action: 'DELETED', recordId: id, fields: [] },
  ]);
});

test('deletes a webhook only once', async () => {
  const id = await make();
  expect(await owner.data(remove, { id })).toEqual({ deleteWebhook: { __typename: 'DeletedRecord', id } });
  expect(await owner.data(remove, { id })).toEqual({ deleteWebhook: missing });
});

test('never shows or changes a webhook of another account, nor its deliveries', async () => {
  const id = await make();
  const { prisma } = server.database;
  const delivery = await prisma.webhookDelivery.create({
    data: {
      webhookId: Number(id),
      messageId: 'msg_1',
      event: 'LINK_CREATED',
      kind: 'LINK',
      recordId: 1,
      createdAt: NOON,
      nextAttemptAt: NOON,
      status: 'FAILED',
    },
  });
  const deliveryId = String(delivery.id);
  expect(await stranger.data(show, { id })).toEqual({ webhook: null });
  expect(await stranger.data('{ webhooks { edges { node { id } } } }')).toEqual({ webhooks: { edges: [] } });
  expect(await stranger.data(update, { id, input: { disabled: true } })).toEqual({ updateWebhook: missing });
  expect(await stranger.data(rotate, { id })).toEqual({ rotateWebhookSecret: missing });
  expect(await stranger.data(remove, { id })).toEqual({ deleteWebhook: missing });
  const noDelivery = { __typename: 'NotFoundError', code: 'NOT_FOUND', message: 'No such delivery.' };
  for (const unknown of [deliveryId, '999999', 'x'])
    expect(await stranger.data(redeliver, { id: unknown })).toEqual({ redeliver: noDelivery });
  expect(await owner.data(show, { id })).toMatchObject({
    webhook: { disabled: false, deliveries: { totalCount: 1, edges: [{ node: { id: deliveryId } }] } },
  });
  expect(await owner.data(redeliver, { id: deliveryId })).toEqual({
    redeliver: { __typename: 'WebhookDelivery', id: deliveryId, status: 'PENDING' },
  });
});

test('a read-only key changes nothing', async () => {
  const reader = await server.caller('owner', ['read']);
  const { errors } = await reader.graphql(create, { input });
  expect(errors?.[0]?.extensions.code).toBe('FORBIDDEN');
});

test('limits an account to twenty webhooks, also with simultaneous requests', async () => {
  const many = await server.caller('many');
  const made = await Promise.all(
    Array.from({ length: 23 }, () => many.data<{ createWebhook: object }>(create, { input })),
  );
  const refused = made.filter(({ createWebhook }) => !('secret' in createWebhook));
  expect(refused).toEqual(
    Array.from({ length: 3 }, () => ({
      createWebhook: expect.objectContaining({
        fields: [{ path: ['url'], messages: ['cannot be added: an account may have at most 20 webhooks'] }],
      }),
    })),
  );
  const { webhooks } = await many.data<{ webhooks: { totalCount: number } }>('{ webhooks { totalCount } }');
  expect(webhooks.totalCount).toBe(20);
});

test('lists webhooks oldest first, with as many statements for the deliveries of all as of one', async () => {
  const lister = await server.caller('lister');
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.push(await make({}, lister));
  const query = (first: number) =>
    lister.data<{ webhooks: { edges: { node: { id: string } }[] } }>(
      `{ webhooks(first: ${first}) { edges { node { id deliveries(first: 2) { edges { node { id } } } } } } }`,
    );
  expect((await query(20)).webhooks.edges.map(({ node }) => node.id)).toEqual(ids);
  const statements = (first: number) => server.statementsOf(() => query(first));
  expect((await statements(5)).length).toBe((await statements(2)).length);
});
