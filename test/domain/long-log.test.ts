import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { Database } from '../../src/db/database.ts';
import { ChangeFeed } from '../../src/engine/changes/feed.ts';
import { readLogSnapshot } from '../../src/engine/changes/log.ts';
import { transactionOrder } from '../../src/engine/changes/transaction-order.ts';
import { sql } from '../../src/engine/db/sql.ts';
import { LinkCache } from '../../src/redirect/link-cache.ts';
import { VisitDatabases } from '../../src/redirect/visit-databases.ts';
import { HELD, keepOpen } from '../support/database.ts';
import { type Caller, NOON, type RestLink, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

const HOST = 's.example';
const NEW_URL = 'https://example.com/new';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
});
afterAll(() => server.stop());

/** Adds changes of links to the log, in one statement, and last those of the link, which gets another URL. */
async function addChanges(count: number, { id: linkId }: RestLink, changed = false): Promise<void> {
  const { database } = server;
  await database.transaction(async (tx) => {
    const { accountId } = await tx.prisma.link.findUniqueOrThrow({ where: { id: linkId } });
    const made = sql`${transactionOrder(tx).current}, ${accountId}, ${tx.dialect.time(NOON)}, 'UPDATED', 'LINK'`;
    const columns = sql`"tx", "accountId", "at", "action", "kind", "recordId", "fields"`;
    await tx.execute(sql`INSERT INTO "Change" (${columns})
      WITH RECURSIVE "numbers" ("i") AS (SELECT 1 UNION ALL SELECT "i" + 1 FROM "numbers" WHERE "i" < ${count})
      SELECT ${made}, 1000000 + "i", '["tags"]' FROM "numbers"`);
    if (!changed) return;
    await tx.prisma.link.update({ where: { id: linkId }, data: { url: NEW_URL } });
    await tx.execute(sql`INSERT INTO "Change" (${columns}) SELECT ${made}, ${linkId}, '["url"]'`);
  });
}

/** The database opened once more, as by another process, with a feed that has begun, and counts of its statements. */
async function follow() {
  const statements = { pages: 0, links: 0 };
  const db = await Database.open(server.databaseUrl, {
    onStatement(text) {
      if (/FROM "Change" WHERE/.test(text)) statements.pages++;
      if (/FROM "Link" JOIN/.test(text)) statements.links++;
    },
  });
  onTestFinished(() => db.close());
  const feed = new ChangeFeed(db);
  await feed.confirm();
  return { db, feed, statements, now: () => readLogSnapshot(db) };
}

/** Opens the database as `follow` does, with a cache of links. */
async function followLinks() {
  const followed = await follow();
  const { db, feed } = followed;
  const { id: defaultDomainId } = await db.prisma.domain.findFirstOrThrow({ where: { isDefault: true } });
  const services = { defaultDomainId, verifiesDomains: false, consoleHost: null };
  const links = new LinkCache(new VisitDatabases({ database: db, feed }, []), services, 1);
  return { ...followed, links };
}

test('answers the question of a request before the pages of the log are read', async () => {
  const link = await owner.link();
  const { feed, statements, now } = await follow();
  await addChanges(20_000, link);
  await feed.confirm();
  expect(statements.pages).toBeLessThan(10);
  await feed.read(await now());
  expect(statements.pages).toBeGreaterThanOrEqual(20);
});

test('goes on reading the log where it was, however often is asked meanwhile', async () => {
  const link = await owner.link();
  const { db, feed, statements, now } = await follow();
  await addChanges(9_000, link);
  const ids = new Set<number>();
  const asked: Promise<void>[] = [];
  let times = 0;
  db.changes.on('change', ({ id }) => {
    ids.add(id);
    if (++times % 1_500 === 0 && asked.length < 20) asked.push(feed.confirm());
  });
  await feed.read(await now());
  await Promise.all(asked);
  await feed.read(await now());
  expect([times, ids.size]).toEqual([9_000, 9_000]);
  expect(statements.pages).toBeLessThan(20);
});

test('reads a cached link again until the pages of the log are read', async () => {
  const link = await owner.link();
  const { feed, links } = await followLinks();
  const urlOf = async () => (await links.find(HOST, link.alias)).link?.url;
  expect(await urlOf()).toBe('https://example.com/');
  // From now on, it reads no pages.
  await feed.stop();
  await addChanges(1, link, true);
  // So long, changes of others need not be known.
  await setTimeout(1_000);
  await feed.confirm();
  expect(links.findNow(HOST, link.alias)).toBeUndefined();
  expect(await urlOf()).toBe(NEW_URL);
  // What was read after the snapshot has all of its changes.
  const cachedUrl = async () => {
    await feed.confirm();
    await urlOf();
    return links.findNow(HOST, link.alias)?.link?.url;
  };
  await expect.poll(cachedUrl).toBe(NEW_URL);
});

test('drops all cached links of an account with very many changes, and only these', async () => {
  const [own, others] = [await owner.link(), await (await server.caller('other')).link()];
  const { db, feed, links, now } = await followLinks();
  let times = 0;
  db.changes.on('change', () => times++);
  // What is cached counts only soon after an answer.
  const cached = async () => {
    await feed.read(await now());
    await feed.confirm();
    return [own, others].map(({ alias }) => links.findNow(HOST, alias) !== undefined);
  };
  const keep = async () => {
    for (const { alias } of [own, others]) await links.find(HOST, alias);
  };
  await keep();
  await addChanges(10_000, own);
  await addChanges(10, others);
  await expect.poll(cached).toEqual([true, true]);
  expect(times).toBe(10_010);
  await addChanges(10_500, own);
  await addChanges(10, others);
  await expect.poll(cached).toEqual([false, true]);
  expect(times).toBe(10_010 + 10_000 + 10);
});

// With 100,000 changes, as many as the links of a deleted tag, which takes a second or two.
test('answers everybody after very many changes, and redirects as they say', async () => {
  const other = await startTestServer({ url: server.databaseUrl, background: true });
  onTestFinished(() => other.stop());
  const caller = other.callerWith(owner.key);
  const link = await owner.link();
  const locationOf = async () => (await visit(other.origin, `/${link.alias}`)).location;
  expect(await locationOf()).toBe('https://example.com/');
  await addChanges(100_000, link, true);
  const statuses = new Set<number>();
  const location = async () => {
    for (const path of ['/readyz', `/api/v1/links/${link.id}`])
      statuses.add((await caller.fetch(path)).status);
    return locationOf();
  };
  await expect.poll(location).toBe(NEW_URL);
  expect(statuses).toEqual(new Set([200]));
});

test.runIf(inject('database').provider === 'postgresql')(
  'answers requests, and reads cached links again, while the log itself cannot be read',
  async () => {
    const other = await startTestServer({ url: server.databaseUrl, background: true });
    onTestFinished(() => other.stop());
    const caller = other.callerWith(owner.key);
    const link = await owner.link();
    const locationOf = async () => (await visit(other.origin, `/${link.alias}`)).location;
    expect(await locationOf()).toBe('https://example.com/');
    await server.database.transaction(async (tx) => {
      await keepOpen(tx.prisma);
      await tx.prisma.$executeRaw`LOCK TABLE "Change" IN ACCESS EXCLUSIVE MODE`;
      const where = { id: link.id };
      await server.database.prisma.link.update({ where, data: { url: NEW_URL } });
      await expect.poll(locationOf).toBe(NEW_URL);
      expect((await caller.rest('GET', `/links/${link.id}`)).status).toBe(200);
    }, HELD);
  },
);
