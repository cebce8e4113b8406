import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { ChangeFeed } from '../../src/db/change/feed.ts';
import { readLogSnapshot } from '../../src/db/change/log.ts';
import { Database } from '../../src/db/database.ts';
import type { Actor } from '../../src/domain/access/actor.ts';
import { recordingChanges } from '../../src/domain/change/change.ts';
import { ChangeSubscriptions } from '../../src/domain/change/subscriptions.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { NOON, startTestServer } from '../support/server.ts';

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
      const actor: Actor = { ...own, scopes: new Set(['read'] as const) };
      const subscription = await subscriptions.subscribe(actor, {}, () => {});
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
    const actor: Actor = { keyId: id, accountId, scopes: new Set(['read'] as const) };
    const subscription = await subscriptions.subscribe(actor, {}, () => {});
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
