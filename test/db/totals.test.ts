import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { linkStatus, linkStatuses } from '../../src/domain/link/status.ts';
import { addClicks } from '../support/clicks.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';

const DAY = 24 * 60 * 60 * 1000;
let server: TestServer;
let caller: Caller;
let domains: number[];
let spaces: number[];

beforeAll(async () => {
  server = await startTestServer();
  caller = await server.caller();
  domains = [1, await caller.domain('a.example'), await caller.domain('b.example')];
  spaces = [await caller.space('A'), await caller.space('B')];
});
afterAll(() => server.stop());

const fields = fc.record({
  domain: fc.nat(2),
  space: fc.option(fc.nat(1)),
  disabled: fc.boolean(),
  /** Some are exactly the queried times or the ends of periods. */
  days: fc.option(fc.constantFrom(-400, -20, -1, 0, 1, 5, 12, 13, 400)),
  limit: fc.option(fc.nat(3)),
});
/** The links whose id has this remainder. */
const which = fc.record({ by: fc.integer({ min: 1, max: 4 }), rest: fc.nat(3) });
const write = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const), count: fc.integer({ min: 1, max: 4 }), fields }),
  fc.record({ kind: fc.constant('update' as const), which, fields }),
  fc.record({ kind: fc.constant('delete' as const), which }),
  fc.record({ kind: fc.constant('clicks' as const), which, count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('reset' as const), which }),
);
type Write = typeof write extends fc.Arbitrary<infer One> ? One : never;

let made = 0;
let writes = 0;

function columnsOf({
  domain,
  space,
  disabled,
  days,
  limit,
}: typeof fields extends fc.Arbitrary<infer One> ? One : never) {
  return {
    domainId: domains[domain] ?? 1,
    spaceId: space === null ? null : (spaces[space] ?? null),
    disabled,
    expiresAt: days === null ? null : new Date(NOON.getTime() + days * DAY),
    expirationClicks: limit,
  };
}

/** Runs one statement on all matching rows. */
async function carryOut(one: Write): Promise<void> {
  const db = server.database;
  if (one.kind === 'insert') {
    const data = Array.from({ length: one.count }, () => {
      const alias = `x${made++}`;
      const url = 'https://example.com/';
      const times = { createdAt: NOON, updatedAt: NOON };
      return { accountId: 1, alias, aliasKey: alias, url, urlKey: url, ...times, ...columnsOf(one.fields) };
    });
    await db.prisma.link.createMany({ data });
    return;
  }
  const ids = (await db.prisma.link.findMany({ select: { id: true } }))
    .map(({ id }) => id)
    .filter((id) => id % one.which.by === one.which.rest);
  const where = { id: { in: ids } };
  if (one.kind === 'update') await db.prisma.link.updateMany({ where, data: columnsOf(one.fields) });
  else if (one.kind === 'delete') await db.prisma.link.deleteMany({ where });
  else if (one.kind === 'reset')
    await db.prisma.linkCounter.updateMany({ where: { linkId: { in: ids } }, data: { clicks: 0 } });
  else
    await addClicks(db, new Map(ids.map((id) => [id, { count: one.count, last: NOON }])), {
      processId: '6ba7b810-9dad-11d1-80b4-00c04fd430c8',
      number: ++writes,
    });
}

/** The stored totals, and the counted ones. */
async function totals() {
  const filters = [
    ...Object.keys(linkStatuses).map((status) => `status: ${status}`),
    ...domains.map((id) => `domainId: "${id}"`),
    ...spaces.map((id) => `spaceId: "${id}"`),
  ];
  const asked = filters.map(
    (filter, index) => `n${index}: links(first: 0, filter: { ${filter} }) { totalCount }`,
  );
  const kept = await caller.data<Record<string, { totalCount: number }>>(`{ ${asked.join(' ')} }`);
  const links = await server.database.prisma.link.findMany({ include: { counter: true } });
  const numberOf = (meets: (link: (typeof links)[number]) => boolean) => links.filter(meets).length;
  const counted = [
    ...Object.keys(linkStatuses).map((status) =>
      numberOf(
        (link) =>
          linkStatus({ ...link, clicks: link.counter?.clicks ?? 0 }, () => server.clock.now) === status,
      ),
    ),
    ...domains.map((id) => numberOf(({ domainId }) => domainId === id)),
    ...spaces.map((id) => numberOf(({ spaceId }) => spaceId === id)),
  ];
  return { kept: filters.map((_, index) => kept[`n${index}`]?.totalCount), counted };
}

test('totals by status, domain and space are correct after any sequence of writes, at any time', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(write, { minLength: 1, maxLength: 8 }),
      fc.constantFrom(-30, 0, 1, 12.5, 500),
      async (all, days) => {
        server.clock.now = new Date(NOON.getTime() + days * DAY);
        for (const one of all) await carryOut(one);
        const { kept, counted } = await totals();
        expect(kept).toEqual(counted);
      },
    ),
    { numRuns: inject('database').provider === 'sqlite' ? 40 : 25 },
  );
});

test('totals stay correct after a space and an account are deleted', async () => {
  const other = await server.caller('other');
  await other.link({ domain_id: 1 });
  await server.database.prisma.linkCounter.updateMany({ data: { clicks: 2 } });
  await server.database.prisma.account.delete({ where: { name: 'other' } });
  await caller.rest('DELETE', `/spaces/${spaces.pop()}`);
  const { kept, counted } = await totals();
  expect(kept).toEqual(counted);
});
