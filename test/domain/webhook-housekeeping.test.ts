import { pino } from 'pino';
import { expect, inject, test, vi } from 'vitest';
import {
  deleteOldDeliveries,
  dueDeliveries,
  nextDue,
  removeDeliveries,
} from '../../src/db/webhook/deliveries.ts';
import { Beginnings, endJoining, joinable } from '../../src/db/webhook/joining.ts';
import { writeOutcomes } from '../../src/db/webhook/outcomes.ts';
import { claimQueues, readBacklog, releaseQueue, renewClaims } from '../../src/db/webhook/queues.ts';
import {
  failWaiting,
  overfullWebhooks,
  waitingByWebhook,
  waitsMoreThan,
} from '../../src/db/webhook/waiting.ts';
import { dispatchChanges } from '../../src/domain/webhook/dispatch.ts';
import { retryAt } from '../../src/domain/webhook/retry-schedule.ts';
import { changeRetention } from '../../src/engine/changes/log.ts';
import { settled } from '../support/database.ts';
import { planOf } from '../support/plan.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';

const ROOM = { failing: 10, others: 10 };
const DAY = 24 * 60 * 60 * 1000;
const after = (milliseconds: number) => new Date(NOON.getTime() + milliseconds);

async function addWebhook(caller: Caller): Promise<void> {
  await caller.data(
    'mutation { createWebhook(input: { url: "https://crm.example/", events: [SPACE_CREATED] }) { __typename } }',
  );
}

/** Adds finished deliveries of the first webhook. */
async function addDelivered({ database: { prisma } }: TestServer, count: number): Promise<void> {
  const like = { event: 'SPACE_CREATED', kind: 'SPACE', createdAt: NOON, nextAttemptAt: NOON };
  await prisma.webhookDelivery.create({
    data: { ...like, webhookId: 1, messageId: 'msg_1', recordId: 2, status: 'DELIVERED' },
  });
  await prisma.$executeRawUnsafe(`
    INSERT INTO "WebhookDelivery" ("webhookId", "messageId", "event", "kind", "recordId", "createdAt", "nextAttemptAt", "status")
    WITH RECURSIVE "number" AS (SELECT 2 AS "n" UNION ALL SELECT "n" + 1 FROM "number" WHERE "n" < ${count})
    SELECT "webhookId", 'msg_' || "n", "event", "kind", "n" + 1, "createdAt", "nextAttemptAt", "status"
    FROM "WebhookDelivery" CROSS JOIN "number" WHERE "messageId" = 'msg_1'`);
}

/** Dispatches all changes; on PostgreSQL this waits for transactions of other tests. */
async function dispatchAll({ database, clock }: TestServer, deliveries: number): Promise<void> {
  const db = database;
  const dispatched = async () => {
    while (
      await dispatchChanges(
        db,
        () => 0,
        () => clock.now,
      )
    );
    return db.prisma.webhookDelivery.count();
  };
  await expect.poll(dispatched).toBe(deliveries);
}

test('retries after 5 s, 5 min, 30 min, 2 h, 5 h and 10 h, plus up to a tenth', () => {
  const seconds = (failures: number, random: number) => {
    const at = retryAt(failures, NOON, (below) => Math.floor(random * below));
    return at && (at.getTime() - NOON.getTime()) / 1000;
  };
  expect([1, 2, 3, 4, 5, 6, 7].map((failures) => seconds(failures, 0))).toEqual([
    ...[5, 300, 1_800, 7_200, 18_000, 36_000, null],
  ]);
  expect(seconds(2, 0.5)).toBe(315);
  expect(seconds(2, 0.999)).toBeLessThan(330);
});

test('keeps undispatched changes of any age while a webhook exists', async () => {
  const server = await startTestServer();
  const db = server.database;
  const caller = await server.caller();
  const retention = changeRetention(db, 30, () => server.clock.now, pino({ level: 'silent' }));
  const left = async () => {
    // Only changes whose order is final are deleted.
    await settled(db);
    await retention.deleteOld();
    return db.prisma.change.count();
  };
  await addWebhook(caller);
  await caller.space('Not told of yet');
  server.clock.now = after(40 * DAY);
  expect(await left()).toBe(2);
  await dispatchAll(server, 1);
  expect(await left()).toBe(0);
  await caller.space('Not told of either');
  server.clock.now = after(80 * DAY);
  expect(await left()).toBe(1);
  await db.prisma.webhook.deleteMany();
  expect(await left()).toBe(0);
  await server.stop();
});

test('deletes old deliveries, except those that wait', async () => {
  const server = await startTestServer();
  const db = server.database;
  const caller = await server.caller();
  await addWebhook(caller);
  for (const name of ['Waits', 'Delivered', 'Failed']) await caller.space(name);
  server.clock.now = after(DAY);
  await caller.space('New');
  await dispatchAll(server, 4);
  const deliveries = await db.prisma.webhookDelivery.findMany({ orderBy: { id: 'asc' } });
  for (const [index, status] of ['PENDING', 'DELIVERED', 'FAILED', 'DELIVERED'].entries())
    await db.prisma.webhookDelivery.update({ where: { id: deliveries[index]?.id ?? 0 }, data: { status } });
  const last = await deleteOldDeliveries(db, after(DAY / 2));
  expect([last, await deleteOldDeliveries(db, after(DAY / 2), last ?? 0)]).toEqual([deliveries[3]?.id, null]);
  const left = await db.prisma.webhookDelivery.findMany({ orderBy: { id: 'asc' } });
  expect(left.map(({ createdAt, status }) => [createdAt, status])).toEqual([
    [NOON, 'PENDING'],
    [after(DAY), 'DELIVERED'],
  ]);
  await server.stop();
});

test('looks for old deliveries behind many that wait, some at once', async () => {
  const server = await startTestServer();
  const db = server.database;
  await addWebhook(await server.caller());
  const { id: webhookId } = await db.prisma.webhook.findFirstOrThrow();
  const like = { webhookId, event: 'LINK_CREATED', kind: 'LINK', createdAt: NOON, nextAttemptAt: NOON };
  const made = Array.from({ length: 4_500 }, (_, recordId) => ({
    ...{ ...like, recordId, messageId: `m${recordId}` },
    status: recordId < 4_400 ? 'PENDING' : 'DELIVERED',
  }));
  const ids = await db.transaction((tx) => tx.insertMany('WebhookDelivery', made));
  const looked: (number | null)[] = [0];
  while (looked.at(-1) !== null)
    looked.push(await deleteOldDeliveries(db, after(DAY), looked.at(-1) ?? undefined));
  expect(looked).toEqual([0, ids[1_999], ids[3_999], ids[4_499], null]);
  expect(await db.prisma.webhookDelivery.count()).toBe(4_400);
  await server.stop();
});

test('a queue belongs to one process until it is released or the claim expires', async () => {
  const server = await startTestServer();
  const db = server.database;
  const caller = await server.caller();
  await addWebhook(caller);
  const claim = (by: string, duration = 5_000, now = NOON) => claimQueues(db, { by, duration }, now, ROOM);
  expect(await claim('one')).toEqual([]);
  await caller.space('Told of');
  await dispatchAll(server, 1);
  const [short, long] = [vi.spyOn(db, 'read'), vi.spyOn(db.long, 'read')];
  expect(await readBacklog(db)).toEqual({ pending: 1, dueAt: NOON });
  // An account may have a million: on SQLite, another thread counts them.
  expect(long).toHaveBeenCalledTimes(1);
  if (db.long !== db) expect(short).not.toHaveBeenCalled();
  vi.restoreAllMocks();
  const together = await Promise.all(['one', 'two', 'three'].map((by) => claim(by)));
  expect(together.flat()).toEqual([{ webhookId: expect.any(Number), failingSince: null }]);
  const webhookId = together.flat()[0]?.webhookId ?? 0;
  const by = ['one', 'two', 'three'][together.findIndex((claimed) => claimed.length > 0)] ?? '';
  expect(await claim('four')).toEqual([]);
  // A process cannot release or end the claim of another one.
  await releaseQueue(db, webhookId, 'four', NOON);
  expect(await claim('four')).toEqual([]);
  expect(await renewClaims(db, { by: 'four', duration: 0 }, [webhookId])).toEqual(new Set());
  expect(await renewClaims(db, { by, duration: 0 }, [webhookId])).toEqual(new Set([webhookId]));
  // PostgreSQL rounds the end to a millisecond, which may be the next one.
  await expect.poll(() => claim('four')).toHaveLength(1);
  await releaseQueue(db, webhookId, 'four', NOON);
  expect(await claim('five')).toHaveLength(1);
  await db.prisma.webhookDelivery.updateMany({ data: { status: 'DELIVERED' } });
  await releaseQueue(db, webhookId, 'five', NOON);
  expect(await claim('six', 5_000, after(DAY))).toEqual([]);
  expect(await readBacklog(db)).toEqual({ pending: 0, dueAt: null });
  await server.stop();
});

test('processes that read the log at the same time add each delivery once, in the order of the log', async () => {
  const server = await startTestServer();
  const { prisma } = server.database;
  const caller = await server.caller();
  await addWebhook(caller);
  const ids: number[] = [];
  for (let i = 0; i < 20; i++) ids.push(await caller.space(`${i}`));
  await Promise.all(Array.from({ length: 5 }, () => dispatchAll(server, 20)));
  const made = await prisma.webhookDelivery.findMany({ orderBy: { id: 'asc' } });
  expect(made.map(({ recordId }) => recordId)).toEqual(ids);
  await server.stop();
});

test('work on pending deliveries does not read finished ones', async () => {
  const server = await startTestServer();
  const db = server.database;
  const caller = await server.caller();
  await addWebhook(caller);
  await caller.space('Told of');
  await addDelivered(server, 3_000);
  if (inject('database').provider === 'postgresql') await db.prisma.$executeRawUnsafe('ANALYZE');
  const statements = await server.statementsOf(async () => {
    await dispatchAll(server, 3_001);
    const [due] = await dueDeliveries(db, 1, NOON, 10);
    const outcome = { webhookId: 1, at: NOON, responseStatus: 500, error: 'status 500', body: '{}' };
    if (due) await writeOutcomes(db, [{ ...outcome, delivery: due, retryAt: after(5_000) }]);
    await db.transaction((tx) => nextDue(tx, 1));
    await readBacklog(db);
    await caller.data('mutation { redeliver(deliveryId: "3001") { __typename } }');
    const about = [{ webhookId: 1, kind: 'SPACE', recordId: 1 }];
    await db.transaction((tx) => joinable(tx, about));
    await db.transaction((tx) => endJoining(tx, about));
    await new Beginnings(db).note(3_001);
    await waitsMoreThan(db, 1, 10);
    await waitingByWebhook(db, 1);
    await overfullWebhooks(db);
    await failWaiting(db, 1, 'too many');
  });
  const concerned = statements.filter(
    (sql) => sql.includes('"WebhookDelivery"') && !/^\s*INSERT|COUNT\(\*\) AS "_count/.test(sql),
  );
  const plans = await Promise.all(concerned.map((sql) => planOf(db, sql)));
  const steps = plans.flat().join('\n');
  expect(concerned.length).toBeGreaterThan(5);
  for (const index of ['due', 'joined']) expect(steps).toContain(`WebhookDelivery_${index}`);
  expect(steps).not.toMatch(
    /WebhookDelivery_webhookId|Seq Scan on "WebhookDelivery"|SCAN (WebhookDelivery|one|earlier|same)/,
  );
  await server.stop();
});

test('leaves no rows after a webhook or an account is deleted', async () => {
  const server = await startTestServer();
  const { prisma } = server.database;
  const caller = await server.caller();
  await addWebhook(caller);
  await caller.space('Told of');
  await dispatchAll(server, 1);
  await prisma.account.deleteMany();
  expect([await prisma.webhook.count(), await prisma.webhookQueue.count()]).toEqual([0, 0]);
  while (await removeDeliveries(server.database));
  expect(await prisma.webhookDelivery.count()).toBe(0);
  await server.stop();
});

test('leaves the deliveries of a deleted webhook to a job, which nobody sees meanwhile', async () => {
  const server = await startTestServer();
  const db = server.database;
  const caller = await server.caller();
  await addWebhook(caller);
  await caller.space('Told of');
  await dispatchAll(server, 1);
  const ofKept = await db.prisma.webhookDelivery.count();
  await addWebhook(caller);
  const { id: webhookId } = await db.prisma.webhook.findFirstOrThrow({ orderBy: { id: 'desc' } });
  const [like] = await db.prisma.webhookDelivery.findMany();
  const { id: _, ...row } = like ?? { id: 0 };
  const rows = Array.from({ length: 2_001 }, () => ({ ...row, webhookId }));
  await db.transaction((tx) => tx.insertMany('WebhookDelivery', rows));
  const last = await db.prisma.webhookDelivery.findFirstOrThrow({ orderBy: { id: 'desc' } });
  const statements = await server.statementsOf(() =>
    caller.data(`mutation { deleteWebhook(id: ${webhookId}) { __typename } }`),
  );
  expect(statements.filter((sql) => /DELETE FROM \S*\bWebhookDelivery/.test(sql))).toEqual([]);
  expect(await db.prisma.webhookDelivery.count()).toBe(ofKept + 2_001);
  const missing = { redeliver: { __typename: 'NotFoundError' } };
  expect(await caller.data(`mutation { redeliver(deliveryId: ${last.id}) { __typename } }`)).toEqual(missing);
  let slices = 0;
  while (await removeDeliveries(db)) slices++;
  expect(slices).toBe(3);
  expect(await db.prisma.webhookDelivery.count()).toBe(ofKept);
  await server.stop();
});

test.runIf(inject('database').provider === 'sqlite')(
  'sends no background queries without webhooks',
  async () => {
    const server = await startTestServer({ background: true, webhookInterval: 50 });
    const caller = await server.caller();
    const polls = () => server.statements.filter((sql) => sql.startsWith('SELECT "topic"')).length;
    const pollTwice = async () => {
      const before = polls();
      await expect.poll(polls).toBeGreaterThan(before + 1);
    };
    // It looks for webhooks from its start until the first poll for changes.
    await pollTwice();
    const statements = await server.statementsOf(async () => {
      await caller.space('Nobody is told');
      await pollTwice();
    });
    expect(statements.filter((sql) => /Webhook|LogReader/.test(sql))).toEqual([]);
    await server.stop();
  },
);
