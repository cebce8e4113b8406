import fc from 'fast-check';
import { pino } from 'pino';
import { expect, inject, onTestFinished, test } from 'vitest';
import { Database } from '../../../src/db/database.ts';
import { type Actor, actorFor } from '../../../src/domain/access/actor.ts';
import { recordingChanges } from '../../../src/domain/change/change.ts';
import { makeSubscriber } from '../../../src/domain/change/find-changes.ts';
import { ChangeFeed } from '../../../src/engine/changes/feed.ts';
import { changeRetention, readLogSnapshot } from '../../../src/engine/changes/log.ts';
import { ChangeSubscriptions, type SubscriptionLimits } from '../../../src/engine/changes/subscriptions.ts';
import { DomainError } from '../../../src/engine/rules/errors.ts';
import { settled as untilSettled } from '../../support/database.ts';
import { NOON, startTestServer } from '../../support/server.ts';

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ write: fc.integer({ min: 1, max: 400 }), reads: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ take: fc.integer({ min: 1, max: 700 }) }) },
  ),
  { minLength: 3, maxLength: 8 },
);

test('a subscriber gets every change once and in order, however fast it reads', async () => {
  const server = await startTestServer();
  const db = server.database;
  const [writer, other] = [await server.caller(), await server.caller('other')];
  const authorOf = async (name: string) => {
    const { id, accountId } = await db.prisma.apiKey.findFirstOrThrow({ where: { account: { name } } });
    return { keyId: id, accountId };
  };
  const accounts = await db.prisma.account.findMany({ select: { name: true }, orderBy: { id: 'asc' } });
  const [own, others] = await Promise.all(accounts.map(({ name }) => authorOf(name)));
  if (!own || !others) throw new Error('there are two accounts');
  await writer.space('A change, after whose position in the log the others come');
  await other.space('Another');
  let recordId = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const feed = new ChangeFeed(db);
      const follow = async () => feed.read(await readLogSnapshot(db));
      await follow();
      const subscriptions = new ChangeSubscriptions(db, feed, () => NOON);
      const actor: Actor = actorFor(own.accountId, own.keyId);
      const subscription = await subscriptions.subscribe(makeSubscriber(actor, {}), () => {});
      const [expected, taken]: [number[], number[]] = [[], []];
      let reading: Promise<void> = Promise.resolve();
      const take = async (count: number) => {
        for (let i = 0; i < count; i++) {
          const { value, done } = await subscription.next();
          if (done || value instanceof Error) return;
          taken.push(value.recordId);
        }
      };
      let asked = 0;
      const asks = (count: number) => {
        asked += count;
        reading = reading.then(() => take(count));
      };
      for (const step of all) {
        if ('take' in step) asks(step.take);
        else {
          const ids = Array.from({ length: step.write }, () => ++recordId);
          expected.push(...ids);
          const record = (author: typeof own, some: number[]) =>
            recordingChanges(db, author, NOON, ({ record }) => record('UPDATED', 'LINK', some, ['title']));
          await record(own, ids);
          await record(others, ids.slice(0, 5));
          if (step.reads) await follow();
        }
      }
      await follow();
      asks(Math.max(0, expected.length - asked));
      // On PostgreSQL, transactions of other tests may be open.
      const takenSoFar = async () => {
        await follow();
        return taken.length;
      };
      await expect.poll(takenSoFar).toBe(expected.length);
      expect(taken).toEqual(expected);
      subscriptions.stop();
      await reading;
    }),
    { numRuns: 15 },
  );
  await server.stop();
});

/** A server with two accounts, and subscriptions of its own, whose time the test sets. */
async function start(limits?: SubscriptionLimits) {
  const server = await startTestServer();
  onTestFinished(() => server.stop());
  const db = server.database;
  const accountIds: number[] = [];
  for (const name of ['owner', 'other']) {
    await server.caller(name);
    accountIds.push((await db.prisma.account.findFirstOrThrow({ where: { name } })).id);
  }
  const [own = 0, other = 0] = accountIds;
  const feed = new ChangeFeed(db);
  const follow = async () => feed.read(await readLogSnapshot(db));
  await follow();
  const subscriptions = new ChangeSubscriptions(db, feed, () => server.clock.now, limits);
  const subscribe = (accountId: number, keyId = 1) =>
    subscriptions.subscribe(makeSubscriber(actorFor(accountId, keyId), {}), () => {});
  return { server, db, follow, subscriptions, subscribe, own, other };
}

test('accounts take turns for their events, and other work runs between them', async () => {
  const { subscriptions, own, other } = await start();
  const done: string[] = [];
  let others = 0;
  const work = (name: string) => async () => {
    const until = performance.now() + 3;
    while (performance.now() < until) {
      // It blocks the thread.
    }
    done.push(name);
  };
  const all = [
    ...Array.from({ length: 20 }, (_, i) => subscriptions.inTurn(own, work(`own ${i}`))),
    subscriptions.inTurn(other, work('other')),
  ];
  const count = () => {
    others++;
    if (done.length < all.length) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all(all);
  expect(done.indexOf('other')).toBeLessThan(3);
  expect(done.filter((name) => name !== 'other')).toEqual(Array.from({ length: 20 }, (_, i) => `own ${i}`));
  expect(others).toBeGreaterThan(10);
});

test('limits the subscriptions of a key, of an account and of the process', async () => {
  const { subscribe, own, other } = await start({ ofKey: 2, ofProcess: 9 });
  const refusal = (accountId: number, keyId: number) =>
    subscribe(accountId, keyId).then(
      () => null,
      ({ code, message }: DomainError) => `${code}: ${message}`,
    );
  const third = other + 1;
  expect(await Promise.all([1, 1, 1, 2, 2].map((keyId) => refusal(own, keyId)))).toEqual([
    null,
    null,
    'RATE_LIMITED: The key may have 2 subscriptions at once.',
    null,
    'RATE_LIMITED: The account may have 3 subscriptions at once.',
  ]);
  for (const accountId of [other, third])
    expect(await Promise.all([3, 3, 4].map((keyId) => refusal(accountId, keyId)))).toEqual([
      null,
      null,
      null,
    ]);
  expect(await refusal(third + 1, 5)).toBe('RATE_LIMITED: There are too many subscriptions.');
});

test('ends a subscriber that takes nothing for ten seconds, but not one that waits for its turn', async () => {
  const { server, db, follow, subscribe, own } = await start();
  const author = { accountId: own, keyId: null };
  const subscription = await subscribe(own);
  const write = async (count: number) => {
    const ids = Array.from({ length: count }, (_, i) => i + 1);
    await recordingChanges(db, author, NOON, ({ record }) => record('UPDATED', 'LINK', ids, ['title']));
    // On PostgreSQL, transactions of other tests may be open.
    const last = await db.prisma.change.findFirstOrThrow({ orderBy: { id: 'desc' } });
    const isAnnounced = async () => {
      await follow();
      return settled;
    };
    await expect.poll(isAnnounced).toBe(last.id);
  };
  let settled = 0;
  db.changes.on('settled', ({ id }) => {
    settled = id;
  });
  const wait = () => {
    server.clock.now = new Date(server.clock.now.getTime() + 11_000);
  };
  await write(300);
  await subscription.next();
  wait();
  await write(300);
  const taken: unknown[] = [];
  const take = async (count: number) => {
    for (let i = 0; i < count; i++) taken.push((await subscription.next()).value);
  };
  await take(599);
  expect(taken.every((value) => !(value instanceof DomainError))).toBe(true);
  subscription.delivered();
  await write(300);
  wait();
  await write(1);
  await take(251);
  expect(taken.at(-1)).toMatchObject({ code: 'UNAVAILABLE' });
  expect((await subscription.next()).done).toBe(true);
});

/** Records changes of the links with these ids. */
async function write(db: Database, accountId: number, ids: readonly number[], at = NOON): Promise<void> {
  const author = { accountId, keyId: null };
  await recordingChanges(db, author, at, ({ record }) => record('UPDATED', 'LINK', ids, ['title']));
  await untilSettled(db);
}

/** Takes from a subscription: the ids of changed records, codes of errors, and `done` at the end. */
function taking(subscription: Awaited<ReturnType<ChangeSubscriptions['subscribe']>>) {
  const taken: unknown[] = [];
  const take = async (count: number) => {
    for (let i = 0; i < count; i++) {
      const { value, done } = await subscription.next();
      taken.push(done ? 'done' : value instanceof DomainError ? value.code : value.recordId);
    }
  };
  return { taken, take };
}

/** The position of the last change. */
async function lastPosition(db: Database) {
  const { tx, id } = await db.prisma.change.findFirstOrThrow({ orderBy: { id: 'desc' } });
  return { tx: Number(tx), id };
}

test('a subscriber that waits for its turn to read the log gets no change twice', async () => {
  const { db, follow, subscriptions, subscribe, own } = await start();
  const subscription = await subscribe(own);
  await write(db, own, numbers(1, 300));
  await follow();
  const { taken, take } = taking(subscription);
  await take(250);
  const { promise, resolve } = Promise.withResolvers<void>();
  const other = subscriptions.inTurn(own, () => promise);
  const rest = take(60);
  // Announced while the subscriber waits, and in the log when its turn comes.
  await write(db, own, numbers(301, 305));
  await follow();
  resolve();
  await other;
  await write(db, own, numbers(306, 310));
  await expect.poll(async () => follow().then(() => taken.length)).toBe(310);
  await rest;
  expect(taken).toEqual(numbers(1, 310));
});

test('a subscriber that starts at a position of which the process does not know yet gets no change before it', async () => {
  const { db, follow, subscriptions, own } = await start();
  await write(db, own, [1, 2]);
  const subscriber = makeSubscriber(actorFor(own, 1), {});
  // The feed has not read any of these changes.
  const subscription = await subscriptions.subscribe(subscriber, () => {}, await lastPosition(db));
  const taken: unknown[] = [];
  const next = subscription.next().then(({ value }) => taken.push(value));
  // The next turn comes after it has read the log.
  await subscriptions.inTurn(own, async () => {});
  await write(db, own, [3]);
  await expect.poll(async () => follow().then(() => taken.length)).toBe(1);
  await next;
  expect(taken).toMatchObject([{ recordId: 3 }]);
});

test('a subscriber that reads the log too slowly gets an error once changes are deleted that it has not read', async () => {
  const { server, db, follow, subscriptions, own } = await start();
  await write(db, own, [0]);
  const after = await lastPosition(db);
  await write(db, own, numbers(1, 450));
  await follow();
  const subscriber = makeSubscriber(actorFor(own, 1), {});
  const subscription = await subscriptions.subscribe(subscriber, () => {}, after);
  const { taken, take } = taking(subscription);
  await take(1);
  const later = new Date(NOON.getTime() + 3 * 86_400_000);
  await changeRetention(db, 1, () => later, pino({ level: 'silent' })).deleteOld();
  expect(await server.database.prisma.change.count()).toBe(0);
  await take(201);
  expect(taken).toEqual([...numbers(1, 200), 'HISTORY_GONE', 'done']);
});

test('reading the log for a subscriber takes a turn of its account for each page', async () => {
  const { db, follow, subscriptions, own } = await start();
  await write(db, own, [0]);
  const after = await lastPosition(db);
  await write(db, own, numbers(1, 450));
  await follow();
  const turns: string[] = [];
  const inTurn = subscriptions.inTurn.bind(subscriptions);
  subscriptions.inTurn = (accountId, work) => {
    turns.push(`page of ${accountId}`);
    return inTurn(accountId, work);
  };
  const filter = { kind: 'SPACE' } as const;
  const subscription = await subscriptions.subscribe(
    makeSubscriber(actorFor(own, 1), filter),
    () => {},
    after,
  );
  const next = subscription.next();
  // The last page is not full.
  await expect.poll(() => turns.length).toBe(3);
  subscriptions.stop();
  expect((await next).done).toBe(true);
  expect(turns).toEqual(Array(3).fill(`page of ${own}`));
});

test.runIf(inject('database').provider === 'postgresql')(
  'a subscriber that is behind gets an error if the log cannot be read',
  async () => {
    const server = await startTestServer();
    const database = await Database.open(server.databaseUrl);
    const db = database;
    await (await server.caller()).space('A change before the subscription');
    const { id, accountId } = await db.prisma.apiKey.findFirstOrThrow();
    const feed = new ChangeFeed(db);
    const follow = async () => feed.read(await readLogSnapshot(db));
    await follow();
    const subscriptions = new ChangeSubscriptions(db, feed, () => NOON);
    const actor: Actor = actorFor(accountId, id);
    const subscription = await subscriptions.subscribe(makeSubscriber(actor, {}), () => {});
    const ids = Array.from({ length: 300 }, (_, recordId) => recordId);
    await recordingChanges(db, actor, NOON, ({ record }) => record('UPDATED', 'LINK', ids, ['title']));
    const last = await db.prisma.change.findFirstOrThrow({ orderBy: { id: 'desc' } });
    const announced = async () => {
      await follow();
      return feed.position?.id;
    };
    await expect.poll(announced).toBe(last.id);
    await database.close();
    const taken: unknown[] = [];
    for await (const value of subscription)
      taken.push(value instanceof DomainError ? value.code : value.recordId);
    expect(taken).toEqual([...ids.slice(0, 250), 'UNAVAILABLE']);
    await server.stop();
  },
);
