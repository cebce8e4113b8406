import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Actor, actorFor } from '../../src/domain/access/actor.ts';
import { type ClickSums, ClickWatch, type WatchLimits } from '../../src/domain/statistics/click-watch.ts';
import { ChangeFeed } from '../../src/engine/changes/feed.ts';
import { ChangeSubscriptions } from '../../src/engine/changes/subscriptions.ts';
import { sql } from '../../src/engine/db/sql.ts';
import type { End, EventSource } from '../../src/engine/tools/event-source.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

let server: TestServer;
let caller: Caller;
let actor: Actor;
let now = NOON;
let accounts = 0;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  now = NOON;
  server.clock.now = NOON;
  const name = `watcher ${accounts++}`;
  caller = await server.caller(name);
  const { id, accountId } = await server.database.prisma.apiKey.findFirstOrThrow({
    where: { account: { name } },
  });
  actor = actorFor(accountId, id);
});

/** An interval that never passes in a test. */
const NEVER = 2_000_000;

/** A watch that reads only when it is told to. */
function watchFor({ limits, ofKey = 100 }: { limits?: Partial<WatchLimits>; ofKey?: number } = {}) {
  const { database } = server;
  const subscriptions = new ChangeSubscriptions(database, new ChangeFeed(database), () => now, { ofKey });
  const faults: unknown[] = [];
  const onFault = (error: unknown) => faults.push(error);
  const watch = new ClickWatch(database, subscriptions, { now: () => now, interval: NEVER, limits, onFault });
  return { watch, subscriptions, faults };
}

const begin = (watch: ClickWatch, linkIds?: readonly (string | number)[], as = actor) =>
  watch.subscribe(as, { linkIds: linkIds?.map(String) }, () => {});

/** The next events that were asked for already, by their sources. */
const asked = new WeakMap<EventSource<ClickSums>, Promise<IteratorResult<ClickSums, End>>>();

/** The events that are there, as `link clicks bots`. */
async function taken(source: EventSource<ClickSums>): Promise<string[]> {
  const found: string[] = [];
  for (;;) {
    const next = asked.get(source) ?? source.next();
    asked.set(source, next);
    const given = await Promise.race([
      next,
      new Promise<null>((resolve) => setImmediate(() => resolve(null))),
    ]);
    if (given === null) return found;
    asked.delete(source);
    if (given.done) return [...found, `ended ${given.value}`];
    const { linkId, clicks, bots } = given.value;
    found.push(`${linkId} ${clicks} ${bots}`);
  }
}

const visited = async (alias: string, headers = {}) => {
  await visit(server.origin, `/${alias}`, { headers });
  await server.flush();
};

test('tells the present sums at once, and then those that change', async () => {
  const [a, b] = [await caller.link(), await caller.link()];
  await visited(a.alias);
  await visited(a.alias, { 'User-Agent': 'Googlebot/2.1' });
  const { watch } = watchFor();
  const source = await begin(watch, [a.id, b.id, a.id]);
  const whole = await begin(watch);
  expect((await taken(source)).toSorted()).toEqual([`${a.id} 1 1`, `${b.id} 0 0`].toSorted());
  expect(await taken(whole)).toEqual(['null 1 1']);
  await watch.read();
  expect(await taken(source)).toEqual([]);
  await visited(b.alias);
  await watch.read();
  expect(await taken(source)).toEqual([`${b.id} 1 0`]);
  expect(await taken(whole)).toEqual(['null 2 1']);
  // The day in UTC is over.
  now = new Date('2026-11-21T00:00:00Z');
  await watch.read();
  expect((await taken(source)).toSorted()).toEqual([`${a.id} 0 0`, `${b.id} 0 0`].toSorted());
  expect(await asked.get(whole)).toMatchObject({ value: { linkId: null, clicks: 0, bots: 0, at: now } });
});

test('tells a link at most once between two reads, and one that reads slowly only the latest', async () => {
  const { id, alias } = await caller.link();
  const { watch } = watchFor();
  const early = await begin(watch, [id]);
  expect(await taken(early)).toEqual([`${id} 0 0`]);
  // The next read is due already when this one begins.
  const late = await begin(watch, [id]);
  expect(await taken(late)).toEqual([`${id} 0 0`]);
  await visited(alias);
  await watch.read();
  expect(await taken(early)).toEqual([`${id} 1 0`]);
  expect(await taken(late)).toEqual([]);
  await watch.read();
  expect(await taken(late)).toEqual([`${id} 1 0`]);
  const slow = await begin(watch, [id]);
  await slow.next();
  for (let i = 0; i < 3; i++) {
    await visited(alias);
    await watch.read();
  }
  expect(await taken(slow)).toEqual([`${id} 4 0`]);
});

test('reads all that is watched by one statement, and nothing while nobody watches', async () => {
  const ids = [];
  for (let i = 0; i < 5; i++) ids.push((await caller.link()).id);
  const other = await server.caller('another watcher');
  const { id: there } = await other.link();
  const { accountId } = await server.database.prisma.link.findUniqueOrThrow({ where: { id: there } });
  const { watch } = watchFor();
  const statements = async () => (await server.statementsOf(() => watch.read())).length;
  expect(await statements()).toBe(0);
  const sources = [
    await begin(watch, ids),
    await begin(watch, ids.slice(0, 2)),
    await begin(watch),
    await begin(watch, [there], actorFor(accountId, null)),
    await begin(watch, undefined, actorFor(accountId, null)),
  ];
  expect(await statements()).toBe(1);
  for (const source of sources) await source.return?.();
  expect(await statements()).toBe(0);
});

test('leaves out links that are deleted, and goes on after a fault', async () => {
  const [a, b] = [await caller.link(), await caller.link()];
  const { watch, faults } = watchFor();
  const source = await begin(watch, [a.id, b.id]);
  await taken(source);
  await visited(a.alias);
  await caller.rest('DELETE', `/links/${a.id}`);
  await visited(b.alias);
  const { database } = server;
  await database.execute(sql`ALTER TABLE "LinkDay" RENAME TO "Elsewhere"`);
  await watch.read();
  await database.execute(sql`ALTER TABLE "Elsewhere" RENAME TO "LinkDay"`);
  expect([faults.length, await taken(source)]).toEqual([1, []]);
  await watch.read();
  expect(await taken(source)).toEqual([`${b.id} 1 0`]);
});

test('refuses links that the account does not have, each by its place', async () => {
  const { id } = await caller.link();
  const other = await server.caller('whose links they are');
  const { id: foreign } = await other.link();
  const { watch } = watchFor();
  await expect(begin(watch, [id, foreign, 2_000_000_000])).rejects.toMatchObject({
    code: 'VALIDATION',
    fields: [{ path: ['linkIds', '1'] }, { path: ['linkIds', '2'] }],
  });
  await expect(begin(watch, [])).rejects.toMatchObject({
    fields: [{ path: ['linkIds'], reason: 'NO_ENTRIES' }],
  });
  await expect(begin(watch, ['x'])).rejects.toMatchObject({ fields: [{ path: ['linkIds', '0'] }] });
  const many = Array.from({ length: 101 }, (_, index) => index + 1);
  await expect(begin(watch, many)).rejects.toMatchObject({ fields: [{ reason: 'TOO_MANY_ENTRIES' }] });
  // What was refused takes no room.
  expect(await server.statementsOf(() => watch.read())).toEqual([]);
});

test('is bounded by links, and counts among the other subscriptions of its caller', async () => {
  const ids = [];
  for (let i = 0; i < 4; i++) ids.push((await caller.link()).id);
  const { watch } = watchFor({ limits: { ofCaller: 5, ofAccount: 7, ofProcess: 8 } });
  const limited = { code: 'RATE_LIMITED' };
  const first = await begin(watch, ids);
  await begin(watch);
  await expect(begin(watch, [ids[0] ?? 0])).rejects.toMatchObject(limited);
  const colleague = actorFor(actor.accountId, 2_000_000_000);
  await begin(watch, ids.slice(0, 2), colleague);
  await expect(begin(watch, undefined, colleague)).rejects.toMatchObject(limited);
  const other = await server.caller('a stranger who watches');
  const { id } = await other.link();
  const { accountId } = await server.database.prisma.link.findUniqueOrThrow({ where: { id } });
  const stranger = actorFor(accountId, null);
  await begin(watch, [id], stranger);
  await expect(begin(watch, undefined, stranger)).rejects.toMatchObject(limited);
  await first.return?.();
  await begin(watch, undefined, stranger);

  const few = watchFor({ ofKey: 2 });
  await begin(few.watch);
  await begin(few.watch);
  await expect(begin(few.watch)).rejects.toMatchObject(limited);
});

test('ends with the service, with its client, and over with its rights', async () => {
  const { watch, subscriptions } = watchFor();
  const listeners: ((isOver: boolean) => void)[] = [];
  const listening = () => watch.subscribe(actor, {}, (listener) => void listeners.push(listener));
  const [left, lost, stopped] = [await listening(), await listening(), await begin(watch)];
  for (const source of [left, lost, stopped]) await taken(source);
  listeners[0]?.(false);
  listeners[1]?.(true);
  expect([await taken(left), await taken(lost)]).toEqual([['ended undefined'], ['ended over']]);
  subscriptions.stop();
  expect(await taken(stopped)).toEqual(['ended undefined']);
  await expect(begin(watch)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  // A client that has left before it began.
  const { watch: again } = watchFor();
  const gone = await again.subscribe(actor, {}, (listener) => listener(false));
  expect(await taken(gone)).toEqual(['ended undefined']);
  expect(await server.statementsOf(() => again.read())).toEqual([]);
});
