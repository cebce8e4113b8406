import fc from 'fast-check';
import { expect, inject, onTestFinished, test } from 'vitest';
import { Database } from '../../../src/db/database.ts';
import { type Actor, actorFor } from '../../../src/domain/access/actor.ts';
import { recordingChanges } from '../../../src/domain/change/change.ts';
import { makeSubscriber } from '../../../src/domain/change/find-changes.ts';
import { ChangeFeed } from '../../../src/engine/changes/feed.ts';
import { readLogSnapshot } from '../../../src/engine/changes/log.ts';
import { ChangeSubscriptions, type SubscriptionLimits } from '../../../src/engine/changes/subscriptions.ts';
import { DomainError } from '../../../src/engine/rules/errors.ts';
import { NOON, startTestServer } from '../../support/server.ts';

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
