import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { removeDeletedStatistics } from '../../src/db/statistics/delete-statistics.ts';
import { name, sql } from '../../src/engine/db/sql.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

let server: TestServer;
let owner: Caller;
let accountId: number;
let accounts = 0;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  while (await removeDeletedStatistics(server.database));
  const account = `account ${accounts++}`;
  owner = await server.caller(account);
  ({ id: accountId } = await server.database.prisma.account.findUniqueOrThrow({ where: { name: account } }));
});

/** Counts the rows of links' statistics; without an id, those of all links, deleted ones included. */
async function countRows(linkId?: number): Promise<number> {
  const { prisma } = server.database;
  const where = linkId === undefined ? {} : { linkId };
  const counts = await Promise.all([
    prisma.linkHour.count({ where }),
    prisma.linkDay.count({ where }),
    prisma.linkDayValue.count({ where }),
    prisma.linkMonthValue.count({ where }),
  ]);
  return counts.reduce((sum, one) => sum + one, 0);
}

const shown = `statistics {
  clicks visitors bots
  hours: series(interval: HOUR) { start clicks } days: series(interval: DAY) { start clicks visitors }
  months: series(interval: MONTH) { start clicks visitors }
  browsers: top(by: BROWSER) { rows { value clicks } others }
  destinations: top(by: DESTINATION) { rows { value clicks } others }
}`;
const ofAccount = () => owner.data(`{ viewer { account { ${shown} } } }`);
const ofLink = (id: number) => owner.data(`{ link(id: ${id}) { clicks ${shown} } }`);

async function visited(): Promise<number> {
  const { id, alias } = await owner.link();
  for (let times = 0; times < 2; times++) await visit(server.origin, `/${alias}`);
  await server.flush();
  return id;
}

/** Gives a link the clicks of many values: as many as rows, in its account too. */
async function addValues(linkId: number, count: number, account = accountId): Promise<void> {
  const { database } = server;
  const rows = Array.from({ length: count }, (_, index) => index + 1_000_000);
  const given = database.dialect.table(
    { valueId: 'integer' },
    rows.map((id) => [id]),
  );
  for (const [table, owned, id] of [
    ['LinkDayValue', 'linkId', linkId],
    ['AccountDayValue', 'accountId', account],
  ] as const)
    await database.execute(sql`INSERT INTO ${name(table)} (${name(owned)}, "kind", "day", "valueId", "clicks")
      SELECT CAST(${id} AS INTEGER), 1, 20261120, "valueId", 1 FROM ${given} AS "given" WHERE 1 = 1
      ON CONFLICT DO NOTHING`);
}

const remove = (id: number) => owner.data(`mutation { deleteLink(id: ${id}) { __typename } }`);

test('those of a deleted link are in no sum, before and after a job has removed them', async () => {
  const kept = await visited();
  const before = await ofAccount();
  const id = await visited();
  expect(await ofAccount()).not.toEqual(before);
  const rows = await countRows(id);
  await remove(id);
  expect(await countRows(id)).toBe(rows);
  expect(await ofAccount()).toEqual(before);
  while (await removeDeletedStatistics(server.database));
  expect(await countRows(id)).toBe(0);
  expect(await countRows(kept)).toBe(rows);
  expect(await ofAccount()).toEqual(before);
  expect(await server.database.prisma.deletedStatistics.count()).toBe(0);
});

test('a job removes those of a deleted link in slices, between which no sum has them', async () => {
  await visited();
  const before = await ofAccount();
  const id = await visited();
  await addValues(id, 2_500);
  await remove(id);
  let slices = 0;
  for (; await removeDeletedStatistics(server.database); slices++) expect(await ofAccount()).toEqual(before);
  expect(slices).toBeGreaterThan(2);
  expect(
    await server.database.prisma.accountDayValue.count({ where: { accountId, valueId: { gte: 1_000_000 } } }),
  ).toBe(0);
});

test('a link that comes back under its id has none of them, and counts new visits', async () => {
  const id = await visited();
  const { prisma } = server.database;
  for (let times = 1; times <= 2; times++) {
    const { plainKey, ...row } = await prisma.link.findUniqueOrThrow({ where: { id } });
    await remove(id);
    await prisma.link.create({ data: { ...row, plainKey } });
    expect(await ofLink(id)).toMatchObject({
      link: { clicks: 0, statistics: { clicks: 0, visitors: 0 } },
    });
    expect(await ofAccount()).toMatchObject({
      viewer: { account: { statistics: { clicks: 0, visitors: 0 } } },
    });
    await visit(server.origin, `/${row.alias}`);
    await expect
      .poll(async () => {
        await server.flush();
        return ofLink(id);
      })
      .toMatchObject({ link: { clicks: 1, statistics: { clicks: 1, visitors: 1 } } });
  }
  expect(await prisma.deletedStatistics.count()).toBe(2);
  while (await removeDeletedStatistics(server.database));
  expect(await ofLink(id)).toMatchObject({ link: { clicks: 1, statistics: { clicks: 1, visitors: 1 } } });
  expect(await ofAccount()).toMatchObject({
    viewer: { account: { statistics: { clicks: 1, visitors: 1 } } },
  });
});

test('a reset deletes many in slices, records one change, and a repeated request goes on', async () => {
  const id = await visited();
  await addValues(id, 2_500);
  const { prisma } = server.database;
  const counter = () => prisma.linkCounter.findUniqueOrThrow({ where: { linkId: id } });
  const { resets } = await counter();
  const key = await prisma.apiKey.findFirstOrThrow({ where: { accountId } });
  const setKey = (revokedAt: Date | null) =>
    prisma.apiKey.update({ where: { id: key.id }, data: { revokedAt } });
  const reset = () => owner.graphql(`mutation { resetStatistics(linkId: ${id}) { __typename } }`);
  const first = reset();
  await expect.poll(async () => (await counter()).resets).toBeGreaterThan(resets);
  await setKey(server.clock.now);
  const answer = await first;
  await setKey(null);
  // It is refused if the key ended before the last slice.
  if (answer.errors) expect(answer).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
  expect(await reset()).toMatchObject({
    errors: undefined,
    data: { resetStatistics: { __typename: 'Link' } },
  });
  expect((await counter()).resets - resets).toBeGreaterThanOrEqual(3);
  expect(await countRows(id)).toBe(0);
  expect(await prisma.accountDayValue.count({ where: { accountId } })).toBe(0);
  expect(await prisma.change.count({ where: { accountId, kind: 'LINK', fields: '["statistics"]' } })).toBe(1);
});

test.each([800, 2_500])(
  'a reset of a link forgets its %i visitors of the day: they count anew',
  async (count) => {
    const id = await visited();
    const { prisma } = server.database;
    const { day } = await prisma.dayVisitor.findFirstOrThrow({ where: { linkId: id } });
    const visitors = Array.from({ length: count }, (_, index) => ({
      day,
      linkId: id,
      hash: `visitor ${index}`,
    }));
    await prisma.dayVisitor.createMany({ data: visitors });
    const reset = `mutation { resetStatistics(linkId: ${id}) { __typename } }`;
    expect(await owner.data(reset)).toEqual({ resetStatistics: { __typename: 'Link' } });
    expect(await prisma.dayVisitor.count({ where: { linkId: id } })).toBe(0);
  },
);
