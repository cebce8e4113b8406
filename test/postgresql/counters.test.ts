import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { addClicks } from '../support/clicks.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
});
afterAll(() => server.stop());

/** PostgreSQL's statistics of changes of the table "Link" and its indexes. */
async function changesOfLinks() {
  const { prisma } = server.database;
  await prisma.$executeRaw`SELECT pg_stat_force_next_flush()`;
  return prisma.$queryRaw`
    SELECT n_tup_ins::int AS "made", n_tup_upd::int AS "changed", n_dead_tup::int AS "dead" FROM pg_stat_user_tables
    WHERE relname = 'Link'`;
}

test('clicks, claims and rotations do not write to the row of the link', async () => {
  const links = [
    await owner.link(),
    await owner.link({ expiration_clicks: 9 }),
    await owner.link({ target_type: 4, 'rotation[0][value]': 'https://example.com/1' }),
  ];
  const before = await changesOfLinks();
  for (const { alias } of links) expect((await visit(server.origin, `/${alias}`)).status).toBe(302);
  await server.flush();
  expect(await changesOfLinks()).toEqual(before);
  const { prisma } = server.database;
  expect(await prisma.linkCounter.findMany({ orderBy: { linkId: 'asc' } })).toMatchObject(
    links.map(() => ({ clicks: 1 })),
  );
  await owner.rest('PATCH', `/links/${links[0]?.id}`, { title: 'x' });
  expect(await changesOfLinks()).not.toEqual(before);
});

test.each([
  ['LinkHour', 'LinkDay'],
  ['LinkDay', 'AccountHour'],
  ['AccountHour', 'AccountDay'],
])(
  'a visit of a link with a click limit locks rows of %s before those of %s, like other writes',
  async (first, second) => {
    const { alias } = await owner.link({ expiration_clicks: 9 });
    const visited = () => visit(server.origin, `/${alias}`);
    await visited();
    const visiting = () => visited().then(({ status }) => expect(status).toBe(302));
    expect(await isFreeWhileWaiting(`"${first}"`, `"${second}"`, visiting)).toBe(true);
  },
);

/** Locks a row; returns whether the other row is free while the work waits for the first. */
async function isFreeWhileWaiting(
  locked: string,
  other: string,
  work: () => Promise<unknown>,
): Promise<boolean> {
  const holder = new pg.Client(server.databaseUrl);
  await holder.connect();
  onTestFinished(() => holder.end());
  await holder.query('BEGIN');
  await holder.query(`SELECT 1 FROM ${locked} FOR UPDATE`);
  const done = work();
  const waiting = 'SELECT 1 FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids("pid"))';
  await expect.poll(async () => (await holder.query(waiting)).rows).toHaveLength(1);
  const isFree = await holder.query(`SELECT 1 FROM ${other} FOR UPDATE NOWAIT`).then(
    () => true,
    () => false,
  );
  await holder.query('ROLLBACK');
  await done;
  return isFree;
}

test('a deletion locks the link before its counter, like a change', async () => {
  const { id, alias } = await owner.link();
  await visit(server.origin, `/${alias}`);
  await server.flush();
  const [link, counter] = [`"Link" WHERE "id" = ${id}`, `"LinkCounter" WHERE "linkId" = ${id}`];
  expect(await isFreeWhileWaiting(link, counter, () => owner.rest('DELETE', `/links/${id}`))).toBe(true);
});

/** The stored and the counted totals of each account. */
async function totals() {
  return server.database.prisma.$queryRaw<{ said: number; there: number }[]>`
    SELECT COALESCE(SUM("links"), 0)::int AS "said", (SELECT COUNT(*)::int FROM "Link" WHERE "accountId" = "a"."id") AS "there"
      FROM "Account" AS "a" LEFT JOIN "AccountTally" ON "accountId" = "a"."id" GROUP BY "a"."id"`;
}

test('totals stay correct after statements on many rows, and after the deletion of an account', async () => {
  const { prisma } = server.database;
  const [first, second] = [await owner.space('First'), await owner.space('Second')];
  const insert = (from: number, space: number) => prisma.$executeRaw`
    INSERT INTO "Link" ("accountId", "domainId", "spaceId", "alias", "aliasKey", "url", "urlKey", "createdAt", "updatedAt")
    SELECT 1, 1, NULLIF(${space}::int, 0), 'bulk' || "n", 'bulk' || "n", 'https://example.com/', 'https://example.com/', now(), now()
    FROM generate_series(${from}::int, ${from}::int + 999) AS "n"`;
  await Promise.all([insert(0, first), insert(1000, second), insert(2000, 0)]);
  await prisma.$executeRaw`UPDATE "Link" SET "spaceId" = CASE WHEN "id" % 2 = 0 THEN ${first}::int WHEN "id" % 3 = 0 THEN ${second}::int END`;
  await prisma.$executeRaw`UPDATE "Link" SET "disabled" = "id" % 7 = 0, "expiresAt" = CASE WHEN "id" % 4 = 0 THEN now() + "id" * interval '1 day' END`;
  await prisma.$executeRaw`DELETE FROM "Link" WHERE "id" % 5 = 0`;
  await prisma.$executeRaw`UPDATE "Link" SET "disabled" = false WHERE "id" % 14 = 0`;
  await owner.rest('DELETE', `/spaces/${second}`);
  const stranger = await server.caller('stranger');
  await stranger.link({ space_id: await stranger.space('Theirs') });
  await prisma.account.delete({ where: { name: 'stranger' } });
  const counted = await totals();
  expect(counted.filter(({ said, there }) => said !== there)).toEqual([]);
  expect(counted.some(({ there }) => there > 1_000)).toBe(true);
  expect(await prisma.linkCounter.count()).toBe(await prisma.link.count());
});

test('keeps the later time of the last click, whatever the order of writes', async () => {
  const { id } = await owner.link();
  const at = (minutes: number) => new Date(NOON.getTime() + minutes * 60_000);
  const db = server.database;
  for (const [number, minutes] of [
    [1, 5],
    [2, 3],
  ] as const)
    await addClicks(db, new Map([[id, { count: 1, last: at(minutes) }]]), {
      processId: '6ba7b810-9dad-11d1-80b4-00c04fd430c8',
      number,
    });
  expect(await db.prisma.linkCounter.findUnique({ where: { linkId: id } })).toMatchObject({
    clicks: 2,
    lastClickedAt: at(5),
  });
});
