import { pino } from 'pino';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { Database } from '../../src/db/database.ts';
import { claimQueues, releaseQueue } from '../../src/db/webhook/queues.ts';
import { OPERATOR, recordingChanges } from '../../src/domain/change/change.ts';
import { type WebhookDependencies, WebhookSender } from '../../src/domain/webhook/sender.ts';
import { ChangeFeed } from '../../src/engine/changes/feed.ts';
import { readLogSnapshot } from '../../src/engine/changes/log.ts';
import type { Answer } from '../../src/engine/outgoing/post.ts';
import { NOON, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let running: WebhookSender[];
beforeEach(async () => {
  server = await startTestServer();
  running = [];
});
afterEach(async () => {
  for (const one of running) await one.stop();
  await server.stop();
});

const SECRET = `whsec_${Buffer.alloc(32).toString('base64')}`;
/** A claim that no test outlasts; longer ones than an hour count as mistakes. */
const HALF_AN_HOUR = 30 * 60 * 1_000;
const later = (seconds: number) => new Date(NOON.getTime() + seconds * 1_000);

/** Webhooks of an account, with deliveries for as many records each. Returns their ids. */
async function addWebhooks(
  name: string,
  count: number,
  records: number,
  createdAt = NOON,
): Promise<number[]> {
  const { prisma } = server.database;
  await server.caller(name);
  const { id: accountId } = await prisma.account.findFirstOrThrow({ where: { name } });
  const common = { accountId, events: '[]', secret: SECRET, createdAt, updatedAt: createdAt };
  const made = await prisma.webhook.createManyAndReturn({
    data: Array.from({ length: count }, (_, index) => ({
      ...common,
      url: `http://${name}.example/${index}`,
    })),
  });
  const ids = made.map(({ id }) => id);
  await prisma.webhookQueue.createMany({ data: ids.map((webhookId) => ({ webhookId, dueAt: createdAt })) });
  await prisma.webhookDelivery.createMany({
    data: ids.flatMap((webhookId) =>
      Array.from({ length: records }, (_, record) => ({
        webhookId,
        messageId: `msg_${webhookId}_${record}`,
        event: 'SPACE_DELETED',
        kind: 'SPACE',
        recordId: record,
        createdAt,
        nextAttemptAt: createdAt,
      })),
    ),
  });
  return ids;
}

/** Starts a process that delivers, with a function instead of the network. */
function deliver(
  post: (url: string, body: string) => Promise<Answer>,
  given: Partial<WebhookDependencies> = {},
): void {
  const db = server.database;
  const webhooks = new WebhookSender({
    db,
    feed: new ChangeFeed(given.db ?? db),
    log: pino({ level: 'silent' }),
    interval: 100,
    post: (url, _headers, body) => post(url, body),
    snapshot: async () => null,
    random: () => 0,
    now: () => later(60),
    retentionTime: () => later(60),
    waitUntilIdle: async () => {},
    ...given,
  });
  running.push(webhooks);
  webhooks.start();
}

const answered: Answer = { status: 204, error: null };
const hung: Answer = { status: null, error: 'no answer in time' };

const LEFT_AFTER = 50;

/**
 * Starts a process with two places of each kind, whose receivers are answered one after another. Each answer takes too long to keep
 * the place, by the clock of the process. Returns how many came before the message to `prompt`.
 * @param isFull whether all places for receivers that do not fail are taken
 */
async function answersBeforePrompt(
  answer: Answer,
  isFull: (waiting: ReadonlySet<string>, tried: ReadonlySet<string>) => boolean,
): Promise<number> {
  const waiting: { url: string; end: (answer: Answer) => void }[] = [];
  const tried = new Set<string>();
  let [time, answers] = [0, 0];
  deliver((url) => new Promise((end) => void waiting.push({ url, end })), {
    capacity: { failing: 2, others: 2, leftAfter: LEFT_AFTER },
    elapsed: () => time,
  });
  const urls = () => new Set(waiting.map(({ url }) => url));
  for (;;) {
    await expect.poll(() => isFull(urls(), tried)).toBe(true);
    if ([...urls()].some((url) => url.includes('prompt'))) break;
    const first = waiting.shift();
    if (first === undefined) throw new Error('nothing waits');
    time += LEFT_AFTER + 1;
    answers++;
    tried.add(first.url);
    first.end(answer);
  }
  for (const { end } of waiting) end(answered);
  return answers;
}

test('receivers that hang do not use up the capacity of others', async () => {
  await addWebhooks('hanging', 8, 10);
  await addWebhooks('prompt', 1, 1, later(1));
  const answers = await answersBeforePrompt(
    hung,
    (waiting, tried) => [...waiting].filter((url) => !tried.has(url)).length === 2,
  );
  // Each of the eight was tried once before. Failing ones have their own capacity. All attempts would be 80.
  expect(answers).toBeLessThanOrEqual(30);
});

test('slow receivers that answer leave capacity to others', async () => {
  await addWebhooks('slow', 6, 10);
  await addWebhooks('prompt', 1, 1, later(1));
  // The sixth is waited for meanwhile.
  expect(await answersBeforePrompt(answered, (waiting) => waiting.size === 2)).toBe(5);
});

test('many receivers that do not answer delay no others', async () => {
  for (const account of ['one', 'two', 'three', 'four', 'five', 'six']) await addWebhooks(account, 20, 1);
  const ended = Promise.withResolvers<Answer>();
  let [held, isPrompt] = [0, false];
  // At once: each frees its slot while it waits.
  deliver(
    async (url) => {
      if (url.includes('prompt')) {
        isPrompt = true;
        return answered;
      }
      held++;
      return ended.promise;
    },
    { overdueAfter: 1 },
  );
  // More than may wait for answers before they count as late.
  await expect.poll(() => held).toBe(120);
  await addWebhooks('prompt', 1, 1, later(1));
  await expect.poll(() => isPrompt).toBe(true);
  ended.resolve(answered);
});

test('claims queues of failing receivers separately from others, longest waiting first', async () => {
  const db = server.database;
  const ids = await addWebhooks('some', 4, 1);
  const [first = 0, second = 0, third = 0, fourth = 0] = ids;
  await db.prisma.webhookQueue.updateMany({
    where: { webhookId: { in: [second, fourth] } },
    data: { failingSince: NOON },
  });
  await db.prisma.webhookQueue.update({ where: { webhookId: fourth }, data: { dueAt: later(1) } });
  const claim = async (failing: number, others: number) => {
    const claimed = await claimQueues(db, { by: 'one', duration: 60_000 }, later(60), {
      failing,
      others,
    });
    return claimed.map(({ webhookId }) => webhookId).sort((a, b) => a - b);
  };
  expect(await claim(0, 0)).toEqual([]);
  expect(await claim(1, 0)).toEqual([second]);
  expect(await claim(0, 9)).toEqual([first, third]);
  // It is due, and now waits behind the others.
  await releaseQueue(db, second, 'one', later(30));
  expect(await claim(1, 1)).toEqual([fourth]);
  expect(await claim(1, 1)).toEqual([second]);
});

test('a claim that its process does not know of expires', async () => {
  const { prisma } = server.database;
  const [, unknown = 0] = await addWebhooks('receiver', 2, 1);
  await prisma.webhookQueue.update({ where: { webhookId: unknown }, data: { dueAt: later(3_600) } });
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<Answer>();
  let posts = 0;
  deliver(async () => {
    begun.resolve();
    return ++posts === 1 ? ended.promise : answered;
  });
  await begun.promise;
  const { claimedBy } = await prisma.webhookQueue.findFirstOrThrow({ where: { claimedBy: { not: null } } });
  // The claim of this process, whose answer was lost, and which has expired.
  const claimedUntil = new Date(0);
  await prisma.webhookQueue.update({
    where: { webhookId: unknown },
    data: { claimedBy, claimedUntil, dueAt: NOON },
  });
  const delivered = expect.poll(() => posts).toBe(2);
  await delivered.finally(() => ended.resolve(answered));
});

test('a process that was suspended and lost its claim sends nothing more', async () => {
  await addWebhooks('receiver', 1, 20);
  const { prisma } = server.database;
  const sent: string[] = [];
  const statements: string[] = [];
  const own = await Database.open(server.databaseUrl, { onStatement: (sql) => statements.push(sql) });
  onTestFinished(() => own.close());
  const renewals = () => statements.filter((sql) => sql.includes('SET "claimedUntil"')).length;
  const isRelease = (sql: string) => /UPDATE .*WebhookQueue\W+ SET \W?claimedBy/.test(sql);
  const resumed = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  deliver(
    async (_url, body) => {
      sent.push(`first ${body}`);
      begun.resolve();
      await resumed.promise;
      return answered;
    },
    { db: own },
  );
  await begun.promise;
  await prisma.webhookQueue.updateMany({ data: { claimedUntil: new Date(0) } });
  // Another process takes it over.
  await prisma.webhookQueue.updateMany({
    data: { claimedBy: 'another', claimedUntil: new Date(Date.now() + HALF_AN_HOUR) },
  });
  // The first one finds that when it renews its claims.
  const before = renewals();
  await expect.poll(renewals).toBeGreaterThan(before + 1);
  const at = statements.length;
  resumed.resolve();
  await expect.poll(() => statements.slice(at).some(isRelease)).toBe(true);
  expect(sent).toHaveLength(1);
});

test('stores since when a receiver fails, although its webhook is changed during the attempt', async () => {
  const db = server.database;
  const [id = 0] = await addWebhooks('receiver', 1, 1);
  const feed = new ChangeFeed(db);
  await feed.read(await readLogSnapshot(db));
  deliver(
    async () => {
      await recordingChanges(db, OPERATOR, NOON, ({ record }) => record('UPDATED', 'WEBHOOK', [id]));
      await feed.read(await readLogSnapshot(db));
      return hung;
    },
    { feed },
  );
  const queue = () => db.prisma.webhookQueue.findUniqueOrThrow({ where: { webhookId: id } });
  await expect.poll(queue).toMatchObject({ failingSince: later(60), claimedBy: null });
});

test('delivers at once what a clock that was years ahead has claimed and scheduled', async () => {
  const [webhookId] = await addWebhooks('late', 1, 2);
  const { prisma } = server.database;
  const years = 3 * 365 * 86_400;
  await prisma.webhookDelivery.updateMany({ data: { nextAttemptAt: later(years) } });
  const claimedUntil = new Date(Date.now() + years * 1_000);
  await prisma.webhookQueue.update({
    where: { webhookId: webhookId ?? 0 },
    data: { dueAt: later(years), claimedBy: 'ended', claimedUntil },
  });
  let posts = 0;
  deliver(async () => {
    posts++;
    return answered;
  });
  await expect.poll(() => posts).toBe(2);
});

test('leaves a retry that is due in hours, and a claim of another process', async () => {
  const [waiting, claimed] = await addWebhooks('busy', 2, 1);
  await addWebhooks('prompt', 1, 1, later(1));
  const { prisma } = server.database;
  const at = later(10 * 3_600);
  await prisma.webhookDelivery.updateMany({
    where: { webhookId: waiting ?? 0 },
    data: { nextAttemptAt: at },
  });
  await prisma.webhookQueue.update({ where: { webhookId: waiting ?? 0 }, data: { dueAt: at } });
  await prisma.webhookQueue.update({
    where: { webhookId: claimed ?? 0 },
    data: { claimedBy: 'other', claimedUntil: new Date(Date.now() + HALF_AN_HOUR) },
  });
  const urls: string[] = [];
  deliver(async (url) => {
    urls.push(url);
    return answered;
  });
  await expect.poll(() => urls).toEqual(['http://prompt.example/0']);
  const pending = await prisma.webhookDelivery.findMany({
    where: { status: 'PENDING' },
    orderBy: { webhookId: 'asc' },
  });
  expect(pending.map(({ webhookId, nextAttemptAt }) => [webhookId, nextAttemptAt])).toEqual([
    [waiting, at],
    [claimed, NOON],
  ]);
});
