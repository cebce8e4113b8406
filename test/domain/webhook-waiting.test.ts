import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Metrics } from '../../src/app/service/metrics.ts';
import { pauseForWebhooks, type WaitingLimits } from '../../src/domain/webhook/waiting-limits.ts';
import { sql } from '../../src/engine/db/sql.ts';
import { settled } from '../support/database.ts';
import { type Received, TestReceiver } from '../support/receiver.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';

/** Milliseconds that a pause of long work takes by the clock of the process; 0 for real ones of a millisecond. */
let pauseBy = 0;
let [pauses, ahead] = [0, 0];
const LIMITS: WaitingLimits = {
  max: 20,
  slowingFrom: 5,
  get pause() {
    pauses++;
    ahead += pauseBy;
    return 1;
  },
};
/** Far more than a mutation takes on a busy machine. */
const MUTATION_TIME = 120_000;
const delivered = (_received: Received, res: ServerResponse) => void res.writeHead(204).end();
const refusing = (_received: Received, res: ServerResponse) => void res.writeHead(500).end();

let receiver: TestReceiver;
let server: TestServer;
let accounts = 0;
let owner: Caller;
let accountId: number;
const metrics = new Metrics();
beforeAll(async () => {
  receiver = await TestReceiver.start();
  server = await startTestServer({
    ...{ background: true, webhookInterval: 50, waitingLimits: LIMITS, metrics },
    timeouts: { mutation: MUTATION_TIME, nameServers: MUTATION_TIME },
  });
});
afterAll(async () => {
  await server.stop();
  receiver.stop();
});
beforeEach(async () => {
  receiver.answer = delivered;
  owner = await server.caller(`account ${accounts++}`);
  ({ accountId } = await server.database.prisma.apiKey.findFirstOrThrow({ orderBy: { id: 'desc' } }));
});

async function hook(path: string, events: readonly string[], caller = owner): Promise<string> {
  const { createWebhook } = await caller.data<{ createWebhook: { webhook: { id: string } } }>(
    `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { ... on CreatedWebhook { webhook { id } } } }`,
    { input: { url: receiver.url(path), events } },
  );
  return createWebhook.webhook.id;
}

const change = (id: string, input: object) =>
  owner.data(
    'mutation ($id: ID!, $input: UpdateWebhookInput!) { updateWebhook(id: $id, input: $input) { __typename } }',
    { id, input },
  );
const rename = (id: number, name: string) => owner.rest('PATCH', `/spaces/${id}`, { name });
const messages = (webhookId: string, status?: string) =>
  server.database.prisma.webhookDelivery.count({
    where: { webhookId: Number(webhookId), ...(status && { status }) },
  });
const isDispatched = async () => {
  const { prisma } = server.database;
  const last = await prisma.change.findFirst({ orderBy: [{ tx: 'desc' }, { id: 'desc' }] });
  await expect.poll(() => prisma.logReader.findFirst()).toMatchObject({ tx: last?.tx, changeId: last?.id });
};

describe('an update', () => {
  test('joins the one about its record that waits, for each webhook', async () => {
    receiver.answer = refusing;
    const hooks = [await hook('/a', ['SPACE_UPDATED']), await hook('/b', ['SPACE_UPDATED'])];
    const [one, other] = [await owner.space('One'), await owner.space('Other')];
    // The first message fails, and the next ones wait for it.
    for (const id of [one, other]) await rename(id, 'First');
    await expect.poll(async () => Promise.all(hooks.map((id) => messages(id, 'PENDING')))).toEqual([2, 2]);
    await expect
      .poll(() =>
        server.database.prisma.webhookDelivery.count({
          where: { attempts: 1, webhookId: { in: hooks.map(Number) } },
        }),
      )
      .toBe(4);
    for (let round = 0; round < 3; round++) {
      for (const id of [one, other])
        for (const name of ['More', 'Most']) await rename(id, `${name} ${round}`);
      await isDispatched();
      expect(await Promise.all(hooks.map((id) => messages(id)))).toEqual([4, 4]);
    }
    receiver.answer = delivered;
    server.clock.now = new Date(server.clock.now.getTime() + 60_000);
    await expect.poll(async () => Promise.all(hooks.map((id) => messages(id, 'DELIVERED')))).toEqual([4, 4]);
    for (const path of ['/a', '/b'])
      for (const id of [one, other])
        expect(
          receiver.at(path).findLast(({ message }) => message.data.id === id)?.message.data,
        ).toMatchObject({
          name: 'Most 2',
        });
    server.clock.now = NOON;
  });

  test('makes a message of its own while one about the record is being sent', async () => {
    const hung = Promise.withResolvers<ServerResponse>();
    receiver.answer = (_received, res) => hung.resolve(res);
    const id = await hook('/hung', ['SPACE_UPDATED']);
    const space = await owner.space('Space');
    await rename(space, 'First');
    const answer = await hung.promise;
    receiver.answer = delivered;
    for (const name of ['Second', 'Third']) await rename(space, name);
    await isDispatched();
    expect(await messages(id)).toBe(2);
    answer.writeHead(204).end();
    await expect
      .poll(() => receiver.at('/hung').map(({ message }) => message.data.name))
      .toEqual(['First', 'Third']);
  });

  test('does not join over another message about the record, nor where an earlier version delivers', async () => {
    const { prisma } = server.database;
    const id = await hook('/other', ['LINK_UPDATED', 'LINK_DELETED']);
    await prisma.webhookQueue.update({
      where: { webhookId: Number(id) },
      data: { claimedBy: 'noting-another', claimedUntil: new Date(Date.now() + 600_000) },
    });
    const link = await owner.link();
    const update = (title: string) => owner.rest('PATCH', `/links/${link.id}`, { title });
    for (const title of ['One', 'Two']) await update(title);
    await isDispatched();
    expect(await messages(id)).toBe(1);
    await prisma.webhookQueue.update({ where: { webhookId: Number(id) }, data: { claimedBy: 'a-uuid' } });
    for (const title of ['Three', 'Four']) await update(title);
    await isDispatched();
    expect(await messages(id)).toBe(3);
    await owner.rest('DELETE', `/links/${link.id}`);
    await isDispatched();
    expect(await prisma.webhookDelivery.count({ where: { webhookId: Number(id), mayJoin: true } })).toBe(0);
  });
});

describe('beyond the maximum of waiting messages of an account', () => {
  test('its webhook with the most is disabled, says why, and its messages fail', async () => {
    receiver.answer = refusing;
    const [many, few] = [
      await hook('/many', ['SPACE_CREATED', 'SPACE_DELETED']),
      await hook('/few', ['SPACE_CREATED']),
    ];
    const byHand = await hook('/by-hand', ['SPACE_CREATED']);
    const create = async (count: number) => {
      for (let index = 0; index < count; index++) await owner.space(`${index}`);
    };
    const of = async (id: string) =>
      (
        await owner.data<{ webhook: object }>(
          `{ webhook(id: ${id}) { disabled disabledReason deliveries(first: 1) { nodes { status error } } } }`,
        )
      ).webhook;
    await create(5);
    await isDispatched();
    await change(byHand, { disabled: true });
    expect(await of(byHand)).toMatchObject({ disabled: true, disabledReason: 'BY_HAND' });
    // Those of a disabled webhook do not count.
    await create(4);
    for (const { id } of await server.database.prisma.space.findMany({ where: { accountId }, take: 2 }))
      await owner.rest('DELETE', `/spaces/${id}`);
    await isDispatched();
    expect(await of(many)).toMatchObject({ disabled: false, disabledReason: null });
    await create(1);
    const failed = [{ status: 'FAILED', error: 'too many messages waited' }];
    await expect
      .poll(() => of(many))
      .toMatchObject({ disabled: true, disabledReason: 'TOO_MANY_WAITING', deliveries: { nodes: failed } });
    await expect.poll(() => messages(many, 'PENDING')).toBe(0);
    expect(await of(few)).toMatchObject({ disabled: false, disabledReason: null });
    expect([await messages(few, 'PENDING'), await messages(byHand, 'PENDING')]).toEqual([10, 5]);
    const history = `{ changes(filter: { kind: WEBHOOK, recordId: ${many} }, last: 1) { nodes { action fields by { __typename } } } }`;
    await settled(server.database);
    expect(await owner.data(history)).toEqual({
      changes: { nodes: [{ action: 'UPDATED', fields: ['disabled', 'disabledReason'], by: null }] },
    });
    expect(
      server.log.filter((line) => line.webhook === Number(many) && line.account === accountId),
    ).toMatchObject([
      { level: 40, waiting: 22, msg: 'a webhook is disabled, since too many messages of its account wait' },
    ]);
    expect(await metrics.text()).toContain('linkspace_webhooks_disabled_total{reason="too_many_waiting"} 1');
    receiver.answer = delivered;
    await change(many, { disabled: false });
    expect(await of(many)).toMatchObject({ disabled: false, disabledReason: null });
  });

  test('messages fail in slices, also after a restart', async () => {
    const { database } = server;
    const id = Number(await hook('/slices', ['SPACE_CREATED']));
    await database.prisma.webhookQueue.update({ where: { webhookId: id }, data: { dueAt: null } });
    await database.execute(sql`
      INSERT INTO "WebhookDelivery" ("webhookId", "messageId", "event", "kind", "recordId", "createdAt", "nextAttemptAt")
      WITH RECURSIVE "n"("i") AS (SELECT 1 UNION ALL SELECT "i" + 1 FROM "n" WHERE "i" < 2500)
      SELECT ${id}, 'msg_' || "i", 'SPACE_CREATED', 'SPACE', "i", ${NOON}, ${NOON} FROM "n"`);
    // As a process that was killed leaves it.
    await database.prisma.webhook.update({
      where: { id },
      data: { disabled: true, disabledReason: 'TOO_MANY_WAITING' },
    });
    const slices: string[] = [];
    const before = server.statements.length;
    const isSlice = (text: string) => /UPDATE "WebhookDelivery" SET "status"/.test(text);
    const again = await startTestServer({
      url: server.databaseUrl,
      background: true,
      onStatement: (text) => void (isSlice(text) && slices.push(text)),
    });
    await expect.poll(() => messages(String(id), 'PENDING')).toBe(0);
    await again.stop();
    // The first process may have seen it, too.
    slices.push(...server.statements.slice(before).filter(isSlice));
    expect(slices.length).toBeGreaterThanOrEqual(3);
    expect(await messages(String(id), 'FAILED')).toBe(2_500);
  });
});

describe('while many messages wait for the webhooks of an account', () => {
  test('each slice of long work pauses, and goes on in the time of its mutation', async () => {
    receiver.answer = refusing;
    const id = await hook('/slow', ['SPACE_CREATED']);
    for (let index = 0; index < 6; index++) await owner.space(`${index}`);
    await isDispatched();
    const begunAt = performance.now();
    await pauseForWebhooks(server.database, accountId, { ...LIMITS, pause: 50 });
    expect(performance.now() - begunAt).toBeGreaterThan(48);
    // Six batches of 25 lines, with pauses between them.
    const text = Array.from({ length: 150 }, (_, index) => `https://example.com/${index}`).join('\n');
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
    [pauses, ahead, pauseBy] = [0, 0, MUTATION_TIME / 4];
    onTestFinished(() => {
      pauseBy = 0;
      clock.mockRestore();
    });
    const { importLinks } = await owner.data<{ importLinks: { results: unknown[] } }>(
      'mutation ($text: String!) { importLinks(text: $text, format: LINES) { results { status } } }',
      { text },
    );
    expect(importLinks.results).toHaveLength(150);
    expect(pauses).toBe(5);
    expect(ahead).toBeGreaterThan(MUTATION_TIME);
    await change(id, { disabled: true });
    // With a pause, this test would not end.
    await pauseForWebhooks(server.database, accountId, { ...LIMITS, pause: 3_600_000 });
  });
});
