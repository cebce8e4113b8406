import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { deleteAccount } from '../../src/domain/access/erasure.ts';
import { settled } from '../support/database.ts';
import { type Person, signedIn } from '../support/person.ts';
import { TestReceiver } from '../support/receiver.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

interface Change {
  action: string;
  fields: string[];
  isRevertable: boolean;
  values: object[];
}

let server: TestServer;
let receiver: TestReceiver;
let caller: Caller;
let owner: Person;
let account: string;
let accountId: number;
let accounts = 0;
beforeAll(async () => {
  receiver = await TestReceiver.start();
  server = await startTestServer({ background: true, allowPrivateWebhooks: true });
});
afterAll(async () => {
  await server.stop();
  await receiver.stop();
});
beforeEach(async () => {
  account = `forget ${accounts++}`;
  caller = await server.caller(account);
  ({ id: accountId } = await server.database.prisma.account.findUniqueOrThrow({ where: { name: account } }));
  owner = await signedIn(server, accountId, 'OWNER');
});

async function changes(): Promise<Change[]> {
  await settled(server.database);
  const { changes: found } = await caller.data<{ changes: { nodes: Change[] } }>(
    '{ changes(first: 100) { nodes { action fields isRevertable values { name before after } } } }',
  );
  return found.nodes;
}

const nodeIdOf = (type: string, id: number) => Buffer.from(`${type}:${id}`).toString('base64url');
const FORGET = `mutation ($nodeId: ID!) { forgetChanges(nodeId: $nodeId) {
  __typename ... on ForgottenChanges { count } ... on Error { code } } }`;
const forget = async (nodeId: string, who: Pick<Person, 'graphql'> = owner) => {
  const { data, errors } = await who.graphql(FORGET, { nodeId });
  return data?.forgetChanges ?? errors?.[0]?.extensions.code;
};
const missing = { __typename: 'NotFoundError', code: 'NOT_FOUND' };

test('the values of one record are deleted at once, which is a change without values', async () => {
  const [one, other] = [await caller.link({ title: 'A' }), await caller.link({ title: 'B' })];
  for (const { id } of [one, other])
    await caller.rest('PATCH', `/links/${id}`, { title: 'New', url: 'https://e.example/' });
  expect(await forget(nodeIdOf('Link', one.id))).toEqual({ __typename: 'ForgottenChanges', count: 1 });
  const [, , ofOne, ofOther, forgotten] = await changes();
  expect(ofOne).toMatchObject({ fields: ['url', 'title'], values: [], isRevertable: false });
  expect(ofOther?.values).toHaveLength(2);
  expect(forgotten).toEqual({ action: 'UPDATED', fields: ['history'], values: [], isRevertable: false });
  expect(await forget(nodeIdOf('Link', one.id))).toEqual({ __typename: 'ForgottenChanges', count: 0 });
  expect(await changes()).toHaveLength(5);
});

test('a record without values stays as it is, in the log as well', async () => {
  const { id } = await caller.link();
  const [created] = await changes();
  expect(created).toMatchObject({ action: 'CREATED', isRevertable: true });
  expect(await forget(nodeIdOf('Link', id))).toEqual({ __typename: 'ForgottenChanges', count: 0 });
  expect(await changes()).toEqual([created]);
});

test('that is no change of the record: its restoration can still be reverted', async () => {
  const { id } = await caller.link();
  await caller.rest('DELETE', `/links/${id}`);
  const revertLast = async (action: 'CREATED' | 'DELETED') => {
    const { prisma } = server.database;
    const { id: change } = await prisma.change.findFirstOrThrow({
      where: { accountId, action },
      orderBy: { id: 'desc' },
    });
    const revert = `mutation { revertChange(id: "${change}") { __typename } }`;
    return (await caller.data<{ revertChange: object }>(revert)).revertChange;
  };
  expect(await revertLast('DELETED')).toEqual({ __typename: 'RevertedChange' });
  expect(await forget(nodeIdOf('Link', id))).toMatchObject({ count: 1 });
  expect((await changes()).slice(2)).toMatchObject([
    { action: 'CREATED', isRevertable: true },
    { fields: ['history'] },
  ]);
  expect(await revertLast('CREATED')).toEqual({ __typename: 'RevertedChange' });
  expect(await server.database.prisma.link.count({ where: { id } })).toBe(0);
});

test('those of a deleted record are, too, with its hashes and links', async () => {
  const space = await caller.space('S');
  const { id } = await caller.link({ password: 'sesame', space_id: space });
  await caller.rest('DELETE', `/spaces/${space}`);
  await caller.rest('DELETE', `/links/${id}`);
  expect(await forget(nodeIdOf('Link', id))).toMatchObject({ count: 2 });
  expect(await forget(nodeIdOf('Space', space))).toMatchObject({ count: 1 });
  expect(await server.database.prisma.changeValues.count({ where: { change: { accountId } } })).toBe(0);
});

/** Sends a mutation of the owner with an Idempotency-Key. */
async function once(query: string, key: string) {
  const response = await owner.fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: JSON.stringify({ query }),
  });
  return { replayed: response.headers.get('Idempotency-Replayed'), ...Object(await response.json()) };
}

test('the stored answer to an Idempotency-Key has no values, which nobody could delete there', async () => {
  const { id } = await caller.link({ title: 'first-secret' });
  await caller.rest('PATCH', `/links/${id}`, { title: 'second-secret' });
  await caller.rest('PATCH', `/links/${id}`, { title: 'third-secret' });
  const { prisma } = server.database;
  const ids = await prisma.change.findMany({
    where: { accountId, action: 'UPDATED' },
    orderBy: { id: 'desc' },
  });
  const [last, before] = ids.map((one) => one.id);
  const values = 'values { name before after }';
  const query = `mutation {
    one: revertChange(id: "${last}") { ... on RevertedChange { change { recordId changed: ${values} } } }
    revertChanges(ids: ["${before}", "${last}"]) { __typename ... on RevertedChange { change { ${values} fields } } }
  }`;
  const title = (from: string, to: string) => [
    { name: 'title', before: `"${from}-secret"`, after: `"${to}-secret"` },
  ];
  const answer = (one: object[], other: object[]) => ({
    one: { change: { recordId: String(id), changed: one } },
    revertChanges: [
      { __typename: 'RevertedChange', change: { values: other, fields: ['title'] } },
      { __typename: 'ConflictError' },
    ],
  });
  const key = `values of ${account}`;
  const first = answer(title('third', 'second'), title('second', 'first'));
  expect(await once(query, key)).toEqual({ replayed: null, data: first });
  expect(await once(query, key)).toEqual({ replayed: 'true', data: answer([], []) });
  const kept = await prisma.keptAnswer.findMany({ where: { accountId } });
  expect(kept).toHaveLength(1);
  expect(JSON.stringify(kept)).not.toContain('-secret');
});

/** Gives the log many changes of a link, with values. */
async function manyChanges(recordId: number, count: number): Promise<void> {
  const { prisma } = server.database;
  const change = {
    tx: 1,
    accountId,
    at: new Date(),
    action: 'UPDATED',
    kind: 'LINK',
    recordId,
    fields: '[]',
  };
  await prisma.change.createMany({ data: Array.from({ length: count }, () => change) });
  const made = await prisma.change.findMany({ where: { accountId, action: 'UPDATED' } });
  await prisma.changeValues.createMany({
    data: made.map((one) => ({ id: one.id, values: '[["title",null,"x"]]', isRevertable: true })),
  });
}

test('many are deleted in slices', async () => {
  const { id } = await caller.link();
  await manyChanges(id, 1_100);
  expect(await forget(nodeIdOf('Link', id))).toMatchObject({ count: 1_100 });
});

test('with an Idempotency-Key, many are deleted once, by the first mutation of a document', async () => {
  const { id } = await caller.link();
  await manyChanges(id, 600);
  const forgetting = `forgetChanges(nodeId: "${nodeIdOf('Link', id)}") { ... on ForgottenChanges { count } }`;
  const space = 'createSpace(input: { name: "S" }) { __typename }';
  expect(await once(`mutation { ${space} ${forgetting} }`, `late ${account}`)).toMatchObject({
    errors: [
      {
        message:
          'With an Idempotency-Key, a mutation that changes so much must be the first of its document. Send it in a request of its own.',
        extensions: { code: 'BAD_REQUEST' },
      },
    ],
  });
  expect(await server.database.prisma.changeValues.count({ where: { change: { accountId } } })).toBe(600);
  const first = { data: { forgetChanges: { count: 600 } } };
  expect(await once(`mutation { ${forgetting} }`, `first ${account}`)).toEqual({ ...first, replayed: null });
  expect(await once(`mutation { ${forgetting} }`, `first ${account}`)).toEqual({
    ...first,
    replayed: 'true',
  });
});

test('only owners may, and only for records of the account', async () => {
  const { id } = await caller.link();
  const nodeId = nodeIdOf('Link', id);
  for (const role of ['VIEWER', 'EDITOR', 'ADMIN'] as const)
    expect(await forget(nodeId, await signedIn(server, accountId, role))).toBe('FORBIDDEN');
  const { id: elsewhere } = await server.database.prisma.account.create({
    data: { name: `elsewhere ${accounts}`, createdAt: new Date() },
  });
  expect(await forget(nodeId, await signedIn(server, elsewhere, 'OWNER'))).toEqual(missing);
  const pixel = await caller.pixel();
  for (const other of [nodeIdOf('Pixel', pixel), nodeIdOf('Link', 2_000_000_000), 'x', ''])
    expect(await forget(other)).toEqual(missing);
});

test('a viewer reads values and reverts nothing', async () => {
  const person = await signedIn(server, accountId, 'VIEWER');
  const { id } = await caller.link();
  await caller.rest('PATCH', `/links/${id}`, { title: 'T' });
  const { id: change } = await server.database.prisma.change.findFirstOrThrow({
    where: { accountId, action: 'UPDATED' },
  });
  const revert = `mutation { revertChange(id: "${change}") { __typename } }`;
  expect((await person.graphql(revert)).errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  const { data } = await person.graphql(`{ change(id: "${change}") { isRevertable values { after } } }`);
  expect(data).toEqual({ change: { isRevertable: true, values: [{ after: '"T"' }] } });
});

test('the deletion of an account deletes its values', async () => {
  const space = await caller.space('S');
  const { id } = await caller.link({ space_id: space });
  await caller.rest('PATCH', `/links/${id}`, { title: 'T' });
  const { prisma } = server.database;
  const taken = { accountId, kind: 'SPACE', recordId: space, linkIds: `[${id}]`, count: 1, at: new Date() };
  await prisma.takenLinks.create({ data: taken });
  const ids = (await prisma.change.findMany({ where: { accountId } })).map((one) => one.id);
  expect(await prisma.changeValues.count({ where: { id: { in: ids } } })).toBe(1);
  await deleteAccount(server.database, accountId, server.clock.now);
  expect(await prisma.changeValues.count({ where: { id: { in: ids } } })).toBe(0);
  expect(await prisma.takenLinks.count({ where: { accountId } })).toBe(0);
});

test('values are in no webhook and no log', async () => {
  const events = '[LINK_CREATED, LINK_UPDATED, LINK_DELETED]';
  await caller.data(
    `mutation { createWebhook(input: { url: "${receiver.url()}", events: ${events} }) { __typename } }`,
  );
  const { id } = await caller.link({ title: 'secret-before' });
  await expect.poll(() => receiver.received.length).toBe(1);
  receiver.received.length = 0;
  await caller.rest('PATCH', `/links/${id}`, { title: 'after' });
  await caller.rest('DELETE', `/links/${id}`);
  expect(await forget(nodeIdOf('Link', id))).toMatchObject({ count: 2 });
  await caller.rest('POST', '/links', { url: 'https://last.example/' });
  await expect.poll(() => receiver.received.at(-1)?.message.type).toBe('link.created');
  // The deletion of values is no update of the record.
  const types = receiver.received.map(({ message }) => message.type);
  expect(types.filter((type) => type !== 'link.updated')).toEqual(['link.deleted', 'link.created']);
  expect(JSON.stringify(receiver.received)).not.toContain('secret-before');
  expect(JSON.stringify(server.log)).not.toContain('secret-before');
});
