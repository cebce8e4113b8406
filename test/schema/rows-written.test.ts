import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { accessRetention } from '../../src/db/ended-access.ts';
import { insertLinksIn } from '../../src/db/links.ts';
import { RUNS_KEPT } from '../../src/db/operations.ts';
import { removeDeletedStatistics } from '../../src/db/statistics/delete-statistics.ts';
import { StatisticsRetention } from '../../src/db/statistics/statistics-retention.ts';
import { StrangersRetention } from '../../src/db/stranger-rows.ts';
import { deleteOldDeliveries, removeDeliveries } from '../../src/db/webhook/deliveries.ts';
import { mendSchedule } from '../../src/db/webhook/queues.ts';
import { failWaiting } from '../../src/db/webhook/waiting.ts';
import { revokeAllKeys } from '../../src/domain/access/api-key.ts';
import { deleteAccount, deleteUser } from '../../src/domain/access/erasure.ts';
import { signOutAll } from '../../src/domain/access/user.ts';
import { PlainKeys } from '../../src/domain/fill-plain-keys.ts';
import { removeHost } from '../../src/domain/short-domain/admin.ts';
import { dispatchChanges } from '../../src/domain/webhook/dispatch.ts';
import { changeRetention } from '../../src/engine/changes/log.ts';
import { deleteOldAnswers } from '../../src/engine/db/idempotency-answers.ts';
import { name, sql } from '../../src/engine/db/sql.ts';
import type { Prisma } from '../../src/generated/sqlite/client.ts';
import { schema } from '../../src/schema/index.ts';
import { newDatabase, settled } from '../support/database.ts';
import { manyLinks } from '../support/many-links.ts';
import { importInto } from '../support/moving.ts';
import { signedIn } from '../support/person.ts';
import { type RowsWritten, type Written, watchRows } from '../support/rows-written.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

// Some of these tests take over a second, since they store more than one transaction may write.

/** Limits of one transaction. */
const MAX: Written = { links: 500, others: 10_000 };
const isSqlite = inject('database').provider === 'sqlite';

let server: TestServer;
let rows: RowsWritten;
let caller: Caller;
let person: Awaited<ReturnType<typeof signedIn>>;
let accountId: number;
let accounts = 0;
beforeAll(async () => {
  server = await startTestServer({ url: await newDatabase() });
  rows = await watchRows(server.database);
});
afterAll(async () => {
  rows.close();
  await server.stop();
});
beforeEach(async () => {
  const account = `account ${accounts++}`;
  caller = await server.caller(account);
  ({ id: accountId } = await server.database.prisma.account.findUniqueOrThrow({ where: { name: account } }));
  person = await signedIn(server, accountId, 'OWNER');
});

/** The most rows that one transaction of the work has written. */
async function mostOf(work: () => Promise<unknown>): Promise<Written> {
  await rows.take();
  await work();
  const written = await rows.take();
  return {
    links: Math.max(0, ...written.map(({ links }) => links)),
    others: Math.max(0, ...written.map(({ others }) => others)),
  };
}

async function expectFew(work: () => Promise<unknown>): Promise<void> {
  const { links, others } = await mostOf(work);
  expect(links + others).toBeGreaterThan(0);
  expect(links).toBeLessThanOrEqual(MAX.links);
  expect(others).toBeLessThanOrEqual(MAX.others);
}

const times = (count: number) => Array.from({ length: count }, (_, index) => index);
const inTurn = async <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> => {
  const made: T[] = [];
  for (const index of times(count)) made.push(await make(index));
  return made;
};
const tags = (count: number) => inTurn(count, (index) => caller.tag(`Tag ${index}`));
const pixels = (count: number) => inTurn(count, () => caller.pixel());
const quoted = (text: string) => JSON.stringify(text);

/** Stores rows of statistics of a link, and of its account: days, and values of a day. */
async function addStatistics(linkId: number, days: number, values: number, year = 2026): Promise<void> {
  const { database } = server;
  for (const [owner, id] of [
    ['Link', linkId],
    ['Account', accountId],
  ] as const) {
    const column = name(`${owner.toLowerCase()}Id`);
    const numbers = (count: number) =>
      database.dialect.table(
        { n: 'integer' },
        times(count).map((n) => [n]),
      );
    const whole = sql`CAST(${id} AS INTEGER)`;
    await database.execute(sql`INSERT INTO ${name(`${owner}Day`)} (${column}, "day", "clicks")
      SELECT ${whole}, ${year * 10_000 + 101} + "n", 1 FROM ${numbers(days)} AS "given" WHERE 1 = 1 ON CONFLICT DO NOTHING`);
    await database.execute(sql`INSERT INTO ${name(`${owner}DayValue`)} (${column}, "kind", "day", "valueId", "clicks")
      SELECT ${whole}, 1, ${year * 10_000 + 101}, 1000000 + "n", 1 FROM ${numbers(values)} AS "given" WHERE 1 = 1 ON CONFLICT DO NOTHING`);
  }
}

async function webhook(event = 'LINK_CREATED'): Promise<number> {
  const { createWebhook } = await caller.data<{ createWebhook: { webhook: { id: string } } }>(
    `mutation { createWebhook(input: { url: "https://crm.example/", events: [${event}] }) { ... on CreatedWebhook { webhook { id } } } }`,
  );
  return Number(createWebhook.webhook.id);
}

async function deliveries(webhookId: number, count: number): Promise<number> {
  const like = {
    event: 'LINK_CREATED',
    kind: 'LINK',
    createdAt: NOON,
    nextAttemptAt: NOON,
    status: 'DELIVERED',
  };
  const given = times(count).map((index) => ({
    ...like,
    webhookId,
    messageId: `m${index}`,
    recordId: index,
  }));
  const ids = await server.database.transaction((tx) => tx.insertMany('WebhookDelivery', given));
  return ids.at(-1) ?? 0;
}

/** A key of the person with as many keys of its own, and the person's invitations. */
async function withKeys(of: { memberId: number }, count: number): Promise<number> {
  const { prisma } = server.database;
  const like = { accountId, makerId: of.memberId, prefix: 'p', scopes: '', role: 'VIEWER', createdAt: NOON };
  const { id: parentId } = await prisma.apiKey.create({ data: { ...like, hash: `${accountId} parent` } });
  const children = times(count).map((index) => ({ ...like, parentId, hash: `${accountId} ${index}` }));
  await prisma.apiKey.createMany({ data: children });
  await prisma.invitation.createMany({
    data: times(count).map((index) => {
      const email = `${accountId}-${index}@example.com`;
      const invitation = { accountId, email, emailKey: email, role: 'VIEWER', hash: email };
      return { ...invitation, inviterId: of.memberId, keyId: parentId, createdAt: NOON, expiresAt: NOON };
    }),
  });
  return parentId;
}

const MANY = 1_200;
const link = async () => (await caller.link()).id;

/** For each mutation of the schema a call that writes as much as any. */
const calls: Record<string, () => Promise<string>> = {
  createLink: async () =>
    `createLink(input: { url: "https://example.com/", tagIds: [${await tags(50)}] }) { __typename }`,
  createLinks: async () => {
    const input = `{ url: "https://example.com/", tagIds: [${await tags(50)}] }`;
    return `createLinks(inputs: [${times(100).map(() => input)}]) { __typename }`;
  },
  upsertLink: async () => {
    await caller.link({ external_id: 'one', tag_ids: (await tags(50)).join() });
    return 'upsertLink(externalId: "one", input: { url: "https://example.com/", tagIds: [] }) { __typename }';
  },
  duplicateLink: async () => {
    const { id } = await caller.link({ tag_ids: (await tags(50)).join() });
    return `duplicateLink(id: ${id}) { __typename }`;
  },
  updateLink: async () =>
    `updateLink(id: ${await link()}, input: { tagIds: [${await tags(50)}] }) { __typename }`,
  updateLinks: async () => {
    const tagIds = await tags(50);
    const ids = await manyLinks(server, 100, { accountId, tagIds });
    return `updateLinks(inputs: [${ids.map((id) => `{ id: ${id}, input: { tagIds: [] } }`)}]) { __typename }`;
  },
  deleteLink: async () => {
    const id = await link();
    await addStatistics(id, 3_000, 8_000);
    return `deleteLink(id: ${id}) { __typename }`;
  },
  deleteLinks: async () => {
    const ids = await manyLinks(server, 100, { accountId, tagIds: await tags(50) });
    for (const id of ids) await addStatistics(id, 100, 100);
    return `deleteLinks(ids: [${ids}]) { __typename }`;
  },
  importLinks: async () => {
    const text = times(500)
      .map((index) => `https://example.com/${index}`)
      .join('\n');
    return `importLinks(text: ${quoted(text)}, format: LINES) { __typename }`;
  },
  resetStatistics: async () => {
    const id = await link();
    await addStatistics(id, 5_000, 12_000);
    return `resetStatistics(linkId: ${id}) { __typename }`;
  },
  createSpace: async () => 'createSpace(input: { name: "Space" }) { __typename }',
  updateSpace: async () => {
    const spaceId = await caller.space('Space');
    await manyLinks(server, MANY, { accountId, spaceId });
    return `updateSpace(id: ${spaceId}, input: { name: "Other" }) { __typename }`;
  },
  deleteSpace: async () => {
    const spaceId = await caller.space('Space');
    await manyLinks(server, MANY, { accountId, spaceId });
    return `deleteSpace(id: ${spaceId}) { __typename }`;
  },
  createTag: async () => 'createTag(input: { name: "Tag" }) { __typename }',
  updateTag: async () => {
    const [id = 0] = await tags(1);
    await manyLinks(server, MANY, { accountId, tagIds: [id] });
    return `updateTag(id: ${id}, input: { name: "Other" }) { __typename }`;
  },
  deleteTag: async () => {
    const [id = 0] = await tags(1);
    await manyLinks(server, MANY, { accountId, tagIds: [id] });
    return `deleteTag(id: ${id}) { __typename }`;
  },
  mergeTags: async () => {
    const [into, ...ids] = await tags(51);
    await manyLinks(server, 500, { accountId, tagIds: ids });
    return `mergeTags(ids: [${ids}], into: ${into}) { __typename }`;
  },
  revertChange: async () => {
    const spaceId = await caller.space('Space');
    await manyLinks(server, MANY, { accountId, spaceId });
    await caller.rest('DELETE', `/spaces/${spaceId}`);
    const [id] = await changesOf('SPACE', 'DELETED');
    return `revertChange(id: ${id}) { __typename }`;
  },
  revertChanges: async () => {
    const tagIds = await tags(50);
    const ids = await manyLinks(server, 100, { accountId, tagIds });
    await caller.data(`mutation { deleteLinks(ids: [${ids}]) { __typename } }`);
    return `revertChanges(ids: [${await changesOf('LINK', 'DELETED')}]) { __typename }`;
  },
  forgetChanges: async () => {
    const id = await link();
    const { prisma } = server.database;
    const change = {
      tx: 1,
      accountId,
      at: NOON,
      action: 'UPDATED',
      kind: 'LINK',
      recordId: id,
      fields: '[]',
    };
    const values = { create: { values: '[]', isRevertable: false } };
    for (let index = 0; index < 1_200; index++) await prisma.change.create({ data: { ...change, values } });
    return `forgetChanges(nodeId: "${Buffer.from(`Link:${id}`).toString('base64url')}") { __typename }`;
  },
  createPixel: async () => 'createPixel(input: { name: "Ads", type: BING, value: "1" }) { __typename }',
  updatePixel: async () => {
    const id = await caller.pixel();
    await manyLinks(server, MANY, { accountId, pixelIds: [id] });
    return `updatePixel(id: ${id}, input: { name: "Other" }) { __typename }`;
  },
  deletePixel: async () => {
    const id = await caller.pixel();
    await manyLinks(server, MANY, { accountId, pixelIds: [id] });
    return `deletePixel(id: ${id}) { __typename }`;
  },
  createSavedOperation: async () =>
    `createSavedOperation(input: { name: "a", document: "{ __typename }" }) { __typename }`,
  updateSavedOperation: async () =>
    `updateSavedOperation(id: ${await operation()}, input: { isTool: true }) { __typename }`,
  deleteSavedOperation: async () => `deleteSavedOperation(id: ${await operation()}) { __typename }`,
  createSavedView: async () =>
    'createSavedView(input: { name: "V", view: LINKS, query: "a=b" }) { __typename }',
  updateSavedView: async () => `updateSavedView(id: ${await view()}, input: { name: "W" }) { __typename }`,
  deleteSavedView: async () => `deleteSavedView(id: ${await view()}) { __typename }`,
  createUtmTemplate: async () => 'createUtmTemplate(input: { name: "U" }) { __typename }',
  updateUtmTemplate: async () =>
    `updateUtmTemplate(id: ${await template()}, input: { name: "V" }) { __typename }`,
  deleteUtmTemplate: async () => `deleteUtmTemplate(id: ${await template()}) { __typename }`,
  createDomain: async () => `createDomain(input: { name: "d${accountId}.example" }) { __typename }`,
  updateDomain: async () =>
    `updateDomain(id: ${await caller.domain(`d${accountId}.example`)}, input: { rootUrl: "https://example.com/" }) { __typename }`,
  verifyDomain: async () => {
    const id = await caller.domain(`d${accountId}.example`);
    await server.database.prisma.domain.update({
      where: { id },
      data: { verifiedAt: null, verificationToken: 'x' },
    });
    server.dns.set(`_linkspace.d${accountId}.example`, ['x', 'linkspace=x', 'linkspace-verification=x']);
    return `verifyDomain(id: ${id}) { __typename }`;
  },
  deleteDomain: async () =>
    `deleteDomain(id: ${await caller.domain(`d${accountId}.example`)}) { __typename }`,
  createWebhook: async () =>
    'createWebhook(input: { url: "https://crm.example/", events: [LINK_CREATED] }) { __typename }',
  updateWebhook: async () => {
    const id = await webhook();
    await deliveries(id, 12_000);
    return `updateWebhook(id: ${id}, input: { disabled: true }) { __typename }`;
  },
  deleteWebhook: async () => {
    const id = await webhook();
    await deliveries(id, 12_000);
    return `deleteWebhook(id: ${id}) { __typename }`;
  },
  rotateWebhookSecret: async () => `rotateWebhookSecret(id: ${await webhook()}) { __typename }`,
  testWebhook: async () => `testWebhook(id: ${await webhook()}) { __typename }`,
  redeliver: async () => `redeliver(deliveryId: ${await deliveries(await webhook(), 3)}) { __typename }`,
  inviteMember: async () => 'inviteMember(input: { email: "new@example.com", role: VIEWER }) { __typename }',
  revokeInvitation: async () => {
    await withKeys(person, 1);
    const { id } = await server.database.prisma.invitation.findFirstOrThrow({ where: { accountId } });
    return `revokeInvitation(id: ${id}) { __typename }`;
  },
  updateMember: async () => {
    const other = await signedIn(server, accountId, 'ADMIN');
    await withKeys(other, 900);
    return `updateMember(id: ${other.memberId}, input: { role: VIEWER }) { __typename }`;
  },
  removeMember: async () => {
    const other = await signedIn(server, accountId, 'ADMIN');
    await withKeys(other, 900);
    return `removeMember(id: ${other.memberId}) { __typename }`;
  },
  createApiKey: async () => 'createApiKey(input: { name: "Key", role: VIEWER }) { __typename }',
  revokeApiKey: async () => `revokeApiKey(id: ${await withKeys(person, 900)}) { __typename }`,
  revokeSession: async () => {
    const { id } = await server.database.prisma.session.findFirstOrThrow({
      where: { userId: person.userId },
    });
    return `revokeSession(id: ${id}) { __typename }`;
  },
  updateAccount: async () => 'updateAccount(input: { name: "Other" }) { __typename }',
};

/** The ids of the account's changes of a kind. */
async function changesOf(kind: string, action: string): Promise<number[]> {
  const found = await server.database.prisma.change.findMany({ where: { accountId, kind, action } });
  return found.map(({ id }) => id);
}

async function operation(): Promise<string> {
  const { createSavedOperation } = await caller.data<{ createSavedOperation: { id: string } }>(
    'mutation { createSavedOperation(input: { name: "b", document: "{ __typename }" }) { ... on SavedOperation { id } } }',
  );
  const operationId = Number(createSavedOperation.id);
  await server.database.prisma.operationDay.createMany({
    data: Array.from({ length: RUNS_KEPT + 1 }, (_, day) => ({ operationId, day: 20_260_101 + day })),
  });
  return createSavedOperation.id;
}

async function template(): Promise<string> {
  const { createUtmTemplate } = await caller.data<{ createUtmTemplate: { id: string } }>(
    'mutation { createUtmTemplate(input: { name: "U" }) { ... on UtmTemplate { id } } }',
  );
  return createUtmTemplate.id;
}

async function view(): Promise<string> {
  const { createSavedView } = await caller.data<{ createSavedView: { id: string } }>(
    'mutation { createSavedView(input: { name: "V", view: OVERVIEW, query: "" }) { ... on SavedView { id } } }',
  );
  return createSavedView.id;
}

const mutations = Object.keys(schema.getMutationType()?.getFields() ?? {});

test.each(mutations)(
  '%s writes at most 500 links and 10,000 other rows in a transaction',
  async (mutation) => {
    const call = calls[mutation];
    if (call === undefined) throw new Error(`say how ${mutation} writes as much as it can`);
    const query = `mutation { ${await call()} }`;
    await expectFew(async () => {
      const { data, errors } = await person.graphql(query);
      expect(errors).toBeUndefined();
      expect(JSON.stringify(data)).not.toContain('Error"');
    });
  },
);

interface Keyed {
  readonly fields: string;
  readonly inputs?: readonly object[];
}

/** Sends mutations with an Idempotency-Key. */
async function sendKeyed({ fields, inputs }: Keyed) {
  const query = `mutation${inputs ? '($inputs: [CreateLinkInput!]!)' : ''} { ${fields} }`;
  const sent = await caller.fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': `${accountId}` },
    body: JSON.stringify({ query, variables: { inputs } }),
  });
  return { status: sent.status, ...Object(await sent.json()) };
}

const updates = (ids: readonly number[], input: string): Keyed => ({
  fields: `updateLinks(inputs: [${ids.map((id) => `{ id: ${id}, input: { ${input} } }`)}]) { __typename }`,
});
const full = async () => ({ tagIds: await tags(50), pixelIds: await pixels(50) });
const fullLinks = async (count: number) => manyLinks(server, count, { accountId, ...(await full()) });
const inFields = (ids: readonly number[], field: (id: number) => string): Keyed => ({
  fields: ids.map((id) => `f${id}: ${field(id)} { __typename }`).join(' '),
});

/** Requests with an Idempotency-Key that would write more than one transaction may. */
const keyedTooMany: Record<string, () => Promise<Keyed>> = {
  'updates of 100 links with 50 tags and 50 pixels': async () =>
    updates(await fullLinks(100), 'tagIds: [], pixelIds: null'),
  'tags that are added to 100 links with 49': async () => {
    const [added, ...tagIds] = await tags(50);
    return updates(await manyLinks(server, 100, { accountId, tagIds }), `addTagIds: [${added}]`);
  },
  'updates of one link, again and again': async () => {
    const id = await link();
    const { tagIds, pixelIds } = await full();
    const inputs = times(100).map((index) =>
      index % 2 ? 'tagIds: [], pixelIds: []' : `tagIds: [${tagIds}], pixelIds: [${pixelIds}]`,
    );
    return {
      fields: `updateLinks(inputs: [${inputs.map((input) => `{ id: ${id}, input: { ${input} } }`)}]) { __typename }`,
    };
  },
  'updates in fields of their own': async () =>
    inFields(await fullLinks(100), (id) => `updateLink(id: ${id}, input: { tagIds: [], pixelIds: [] })`),
  'new links with 50 tags and 50 pixels': async () => {
    const input = { url: 'https://example.com/', ...(await full()) };
    return { fields: 'createLinks(inputs: $inputs) { __typename }', inputs: times(100).map(() => input) };
  },
  'deletions of links with 50 tags and 50 pixels': async () => ({
    fields: `deleteLinks(ids: [${await fullLinks(100)}]) { __typename }`,
  }),
  'deletions of two tags with 300 links each': async () => {
    const ids = await tags(2);
    for (const id of ids) await manyLinks(server, 300, { accountId, tagIds: [id] });
    return inFields(ids, (id) => `deleteTag(id: ${id})`);
  },
  'resets of statistics in fields of their own': async () => {
    const ids = await manyLinks(server, 6, { accountId });
    for (const id of ids) await addStatistics(id, 500, 500);
    return inFields(ids, (id) => `resetStatistics(linkId: ${id})`);
  },
  'an import of records with several short URLs': async () => {
    const links = times(50).map((record) => ({
      long_url: `https://example.com/${record}`,
      custom_bitlinks: times(11).map((index) => `${server.origin}/i${accountId}-${record}-${index}`),
    }));
    return {
      fields: `importLinks(text: ${quoted(JSON.stringify({ links }))}, format: BITLY) { __typename }`,
    };
  },
};

test.each(Object.keys(keyedTooMany))(
  'with a key, what would write more is refused, and nothing is written: %s',
  async (what) => {
    const keyed = await keyedTooMany[what]?.();
    if (keyed === undefined) throw new Error('no such case');
    const changes = () => server.database.prisma.change.count({ where: { accountId } });
    const before = await changes();
    const error = expect.objectContaining({
      message: expect.stringContaining('in several requests'),
      extensions: expect.objectContaining({ code: 'TOO_COSTLY' }),
    });
    expect(await sendKeyed(keyed)).toEqual({ status: 400, data: null, errors: [error] });
    expect(await changes()).toBe(before);
  },
);

/** Requests with an Idempotency-Key that write as much as they may. */
const keyedMost: Record<string, () => Promise<Keyed>> = {
  updates: async () => updates(await fullLinks(97), 'tagIds: [], pixelIds: []'),
  'new links': async () => {
    const input = { url: 'https://example.com/', ...(await full()) };
    return { fields: 'createLinks(inputs: $inputs) { __typename }', inputs: times(97).map(() => input) };
  },
  deletions: async () => ({ fields: `deleteLinks(ids: [${await fullLinks(96)}]) { __typename }` }),
  'resets of statistics': async () => {
    const ids = await manyLinks(server, 4, { accountId });
    for (const id of ids) await addStatistics(id, 600, 600);
    return inFields(ids, (id) => `resetStatistics(linkId: ${id})`);
  },
};

test.each(Object.keys(keyedMost))('with a key, %s below the limits write few rows at once', async (what) => {
  const keyed = await keyedMost[what]?.();
  if (keyed === undefined) throw new Error('no such case');
  await expectFew(async () => {
    const { status, errors } = await sendKeyed(keyed);
    expect([status, errors]).toEqual([200, undefined]);
  });
});

/** Records of a file with so many short URLs and tags each; each record has tags of its own. */
const bitly = (records: number, urls: number, tagsOfEach: number) =>
  JSON.stringify({
    links: times(records).map((record) => ({
      long_url: `https://example.com/${record}`,
      custom_bitlinks: times(urls).map((index) => `${server.origin}/b${accountId}-${record}-${index}`),
      tags: times(tagsOfEach).map((index) => `Tag ${record} ${index}`),
    })),
  });

test.each([
  ['records with several short URLs', 0, () => bitly(50, 11, 0)],
  [
    'a record with many short URLs and tags behind others',
    2_450,
    () => {
      const { links } = JSON.parse(bitly(48, 1, 50));
      return JSON.stringify({ links: [...links, ...JSON.parse(bitly(49, 99, 50)).links.slice(-1)] });
    },
  ],
])('the command to import writes few rows in a transaction: %s', async (_what, newTags, text) => {
  const account = `account ${accounts - 1}`;
  await expectFew(async () => {
    const { refused, tags: made } = await importInto(server, { text: text() }, { account, format: 'bitly' });
    expect([refused, made]).toEqual([0, newTags]);
  });
});

test('a removed domain with links deletes few in a transaction', async () => {
  const host = `r${accountId}.example`;
  const domainId = await caller.domain(host);
  const tagIds = await tags(50);
  const ids = await manyLinks(server, 300, { accountId, tagIds });
  await server.database.prisma.link.updateMany({ where: { id: { in: ids } }, data: { domainId } });
  await expectFew(() => removeHost(server.database, host, true, NOON));
  expect(await server.database.prisma.link.count({ where: { accountId } })).toBe(0);
});

// On SQLite, it is not known which statements are a transaction of their own.
test.skipIf(isSqlite)('jobs delete few rows in a transaction', async () => {
  const id = await link();
  await addStatistics(id, 3_000, 12_000);
  const old = await link();
  await addStatistics(old, 300, 12_000, 2020);
  const hook = await webhook();
  await deliveries(hook, 12_000);
  await caller.data(
    `mutation { deleteLink(id: ${id}) { __typename } deleteWebhook(id: ${hook}) { __typename } }`,
  );
  await expectFew(async () => {
    while (await removeDeletedStatistics(server.database));
    while (await removeDeliveries(server.database));
    await new StatisticsRetention(server.database, 12, () => NOON, pino({ level: 'silent' })).deleteOld();
  });
  const { prisma } = server.database;
  expect(await prisma.linkDayValue.count({ where: { linkId: { in: [id, old] } } })).toBe(0);
  expect(await prisma.webhookDelivery.count({ where: { webhookId: hook } })).toBe(0);
});

/** For each job what it deletes or changes, and how it is done; how many rows are left then. */
const jobs: Record<string, () => Promise<{ run(): Promise<unknown>; left(): Promise<number> }>> = {
  'ended keys and invitations': async () => {
    const key = { accountId, prefix: 'p', scopes: '', createdAt: OLD, expiresAt: OLD };
    await fill('ApiKey', (index) => ({ ...key, hash: `${accountId} old ${index}` }));
    await fill('Invitation', (index) => {
      const email = `old${index}@example.com`;
      return {
        accountId,
        email,
        emailKey: email,
        role: 'VIEWER',
        hash: `${accountId} ${index}`,
        createdAt: OLD,
        expiresAt: OLD,
      };
    });
    const { prisma } = server.database;
    const where = { accountId, expiresAt: OLD };
    const left = async () =>
      (await prisma.apiKey.count({ where })) + (await prisma.invitation.count({ where }));
    return { run: () => accessRetention(server.database, async () => NOON, silent).deleteOld(), left };
  },
  'old answers': async () => {
    const row = {
      accountId,
      requestHash: 'r',
      status: 200,
      contentType: 'x',
      body: '',
      size: 0,
      createdAt: OLD,
    };
    await fill('KeptAnswer', (index) => ({ ...row, keyHash: `${index}` }));
    const left = () => server.database.prisma.keptAnswer.count({ where: { accountId } });
    const run = async () => {
      while (await deleteOldAnswers(server.database, NOON));
    };
    return { run, left };
  },
  'ended tokens': async () => {
    await fill('OneTimeToken', (index) => ({ hash: `${accountId} ${index}`, kind: 'x', expiresAt: OLD }));
    const left = () => server.database.prisma.oneTimeToken.count({ where: { expiresAt: OLD } });
    return { run: () => new StrangersRetention(server.database, () => NOON, silent).deleteOld(), left };
  },
  'messages of a webhook with too many': async () => {
    const id = await webhook();
    await deliveries(id, FILLED);
    const { prisma } = server.database;
    await prisma.webhookDelivery.updateMany({ where: { webhookId: id }, data: { status: 'PENDING' } });
    const data = { disabled: true, disabledReason: 'TOO_MANY_WAITING' };
    await prisma.webhook.update({ where: { id }, data });
    const run = async () => {
      while (await failWaiting(server.database, id, 'full'));
    };
    return { run, left: () => prisma.webhookDelivery.count({ where: { webhookId: id, status: 'PENDING' } }) };
  },
  'messages for as many webhooks as there may be': async () => {
    const ids = await inTurn(20, () => webhook());
    await manyChanges();
    const { prisma } = server.database;
    const run = dispatchAll;
    const left = async () => {
      const made = await prisma.webhookDelivery.count({ where: { kind: 'LINK', webhookId: { in: ids } } });
      return ids.length * 500 - made;
    };
    return { run, left };
  },
  'messages that follow updates which others may join, and wait for them': async () => {
    const webhookIds = await inTurn(20, () => webhook('LINK_DELETED'));
    const ids = await manyLinks(server, 200, { accountId });
    await dispatchAll();
    const update = { event: 'LINK_UPDATED', kind: 'LINK', createdAt: NOON, mayJoin: true };
    const waiting = webhookIds.flatMap((webhookId) =>
      ids.map((recordId) => ({ ...update, webhookId, recordId, messageId: 'm', nextAttemptAt: LATER })),
    );
    await server.database.transaction((tx) => tx.insertMany('WebhookDelivery', waiting));
    for (const some of [ids.slice(0, 100), ids.slice(100)])
      await caller.data(`mutation { deleteLinks(ids: [${some}]) { __typename } }`);
    const ended = { webhookId: { in: webhookIds }, event: 'LINK_DELETED', nextAttemptAt: LATER };
    const left = async () =>
      webhookIds.length * ids.length - (await server.database.prisma.webhookDelivery.count({ where: ended }));
    return { run: dispatchAll, left };
  },
  'a schedule that a clock wrote which was ahead': async () => {
    const webhookId = await webhook();
    await deliveries(webhookId, FILLED);
    const { prisma } = server.database;
    const data = { status: 'PENDING', nextAttemptAt: LATER };
    await prisma.webhookDelivery.updateMany({ where: { webhookId }, data });
    await prisma.webhookQueue.update({ where: { webhookId }, data: { dueAt: LATER } });
    const run = async () => {
      while (await mendSchedule(server.database, NOON, 0));
    };
    return { run, left: () => prisma.webhookDelivery.count({ where: { webhookId, nextAttemptAt: LATER } }) };
  },
  'old changes': async () => {
    const like = { tx: 0, accountId, at: OLD, action: 'UPDATED', kind: 'LINK', fields: '[]' };
    await fill('Change', (recordId) => ({ ...like, recordId }));
    await dispatchAll();
    const now = async () => new Date(NOON.getTime() + 2 * 86_400_000);
    const run = () => changeRetention(server.database, 1, now, silent).deleteOld();
    return { run, left: () => server.database.prisma.change.count() };
  },
  'old deliveries': async () => {
    const id = await webhook();
    await deliveries(id, FILLED);
    const run = async () => {
      const before = new Date(NOON.getTime() + 1);
      let last: number | null = 0;
      while (last !== null) last = await deleteOldDeliveries(server.database, before, last);
    };
    return { run, left: () => server.database.prisma.webhookDelivery.count({ where: { webhookId: id } }) };
  },
  'an account with all that it has': async () => {
    const { prisma } = server.database;
    const tagIds = await tags(50);
    for (const id of (await manyLinks(server, MANY, { accountId, tagIds })).slice(0, 2))
      await addStatistics(id, 1_000, 6_000);
    await deliveries(await webhook(), 3_000);
    await withKeys(person, 900);
    const change = { tx: 1, accountId, at: OLD, action: 'CREATED', kind: 'LINK', recordId: 1, fields: '[]' };
    await fill('Change', () => change);
    const left = () => prisma.account.count({ where: { id: accountId } });
    return { run: () => deleteAccount(server.database, accountId, NOON), left };
  },
  'a user with keys and invitations': async () => {
    await withKeys(person, 900);
    const other = await signedIn(server, accountId, 'OWNER');
    expect(other.userId).not.toBe(person.userId);
    const left = () => server.database.prisma.membership.count({ where: { userId: person.userId } });
    return { run: () => deleteUser(server.database, person.userId, NOON), left };
  },
  'all sessions': async () => {
    const { userId } = person;
    const times = { signedInAt: NOON, lastUsedAt: NOON };
    await fill('Session', (index) => ({ hash: `${accountId} ${index}`, userId, device: '', ...times }));
    return {
      run: () => signOutAll(server.database, NOON),
      left: () => server.database.prisma.session.count(),
    };
  },
  'all keys of an account': async () => {
    await withKeys(person, 900);
    const key = { accountId, prefix: 'p', scopes: 'read', createdAt: NOON };
    await fill('ApiKey', (index) => ({ ...key, hash: `${accountId} all ${index}` }));
    const left = () => server.database.prisma.apiKey.count({ where: { accountId, revokedAt: null } });
    return { run: () => revokeAllKeys(server.database, accountId, NOON), left };
  },
  'plain keys of links of earlier versions': async () => {
    await manyLinks(server, MANY, { accountId });
    const where = { accountId, plainKey: null };
    await server.database.prisma.link.updateMany({ where, data: { title: 'Über', titleKey: 'über' } });
    const left = () => server.database.prisma.link.count({ where });
    return { run: () => new PlainKeys(server.database, silent).work(), left };
  },
};

async function dispatchAll(): Promise<void> {
  await settled(server.database);
  const random = (below: number) => below - 1;
  while (await dispatchChanges(server.database, random, () => NOON));
}

/** Creates 500 links, each with a change. */
async function manyChanges(): Promise<void> {
  const inputs = times(100).map(() => ({ url: 'https://example.com/' }));
  for (const _ of times(5))
    await caller.data(
      'mutation($inputs: [CreateLinkInput!]!) { createLinks(inputs: $inputs) { __typename } }',
      {
        inputs,
      },
    );
}

/** More rows of a table than a transaction may write, in several. */
const FILLED = 12_000;
const OLD = new Date('2020-01-01T00:00:00Z');
const LATER = new Date('2040-01-01T00:00:00Z');
const silent = pino({ level: 'silent' });

async function fill(table: Prisma.ModelName, row: (index: number) => Record<string, unknown>): Promise<void> {
  await server.database.transaction((tx) => tx.insertMany(table, times(FILLED).map(row)));
}

test.skipIf(isSqlite).each(Object.keys(jobs))('a job writes few rows in a transaction: %s', async (what) => {
  const job = await jobs[what]?.();
  if (job === undefined) throw new Error('no such job');
  expect(await job.left()).toBeGreaterThan(0);
  await expectFew(job.run);
  expect(await job.left()).toBe(0);
});

test.skipIf(isSqlite)('visits of many links, and of many visitors, are written in parts', async () => {
  const ids = await manyLinks(server, 600, { accountId });
  const aliases = await server.database.prisma.link.findMany({
    where: { id: { in: ids } },
    select: { alias: true },
  });
  const [first] = aliases;
  for (const { alias } of aliases) await visit(server.origin, `/${alias}`);
  for (const index of times(2_000))
    await visit(server.origin, `/${first?.alias}`, {
      headers: { 'X-Forwarded-For': `10.0.${index >> 8}.${index & 255}` },
    });
  await expectFew(() => server.flush());
});

test.skipIf(isSqlite)('visits of 500 links of one account take one transaction', async () => {
  const ids = await manyLinks(server, 500, { accountId });
  const links = await server.database.prisma.link.findMany({ where: { id: { in: ids } } });
  for (const { alias } of links) await visit(server.origin, `/${alias}`);
  const written = await server.statementsOf(() => expectFew(() => server.flush()));
  expect(written.filter((sql) => sql.includes('INSERT INTO "LinkDayValue"'))).toHaveLength(1);
});

test('the counter of rows counts those of triggers and cascades', async () => {
  const { database } = server;
  const { id: domainId } = await database.prisma.domain.findFirstOrThrow({ where: { isDefault: true } });
  const row = {
    accountId,
    domainId,
    alias: 'counted',
    aliasKey: 'counted',
    url: 'https://x.example/',
    urlKey: 'x',
    createdAt: NOON,
    updatedAt: NOON,
  };
  const tagIds = await tags(3);
  const made = await mostOf(() =>
    database.transaction((tx) => insertLinksIn(tx, [{ row, pixelIds: [], tagIds }])),
  );
  expect(made.links).toBe(1);
  // A counter and three tags, at least.
  expect(made.others).toBeGreaterThanOrEqual(4);
  const { id } = await database.prisma.link.findFirstOrThrow({ where: { accountId } });
  const deleted = await mostOf(() => database.transaction((tx) => tx.prisma.link.delete({ where: { id } })));
  expect(deleted.links).toBe(1);
  expect(deleted.others).toBeGreaterThanOrEqual(4);
});
