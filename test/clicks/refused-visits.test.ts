import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { Metrics } from '../../src/app/service/metrics.ts';
import { ClickBuffer } from '../../src/clicks/click-buffer.ts';
import type { Visit } from '../../src/clicks/pending-visits.ts';
import type { Data } from '../../src/db/database.ts';
import { clickOn } from '../support/clicks.ts';
import { type Caller, NOON, type RestLink, startTestServer, type TestServer } from '../support/server.ts';
import { BROWSER, VISITOR, visit } from '../support/visit.ts';

const { provider } = inject('database');

let server: TestServer;
let metrics: Metrics;
let owner: Caller;
let db: Data;
let links: RestLink[];
beforeAll(async () => {
  metrics = new Metrics();
  server = await startTestServer({ metrics });
  db = server.database;
});
afterAll(() => server.stop());

let accounts = 0;
let accountId: number;
beforeEach(async () => {
  owner = await server.caller(`account ${accounts++}`);
  links = [];
  for (let i = 0; i < 5; i++) links.push(await owner.link());
  accountId = (await db.prisma.account.findFirstOrThrow({ orderBy: { id: 'desc' } })).id;
  server.log.length = 0;
});

let mend: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const one of mend) await one();
  mend = [];
});

/** Has the database refuse rows of a table, by a constraint that names a column. */
async function refuse(table: string, column: string, value: number | string): Promise<void> {
  const literal = typeof value === 'string' ? `'${value}'` : value;
  if (provider === 'sqlite') {
    for (const event of ['INSERT', 'UPDATE'])
      await db.prisma.$executeRawUnsafe(`CREATE TRIGGER "refuses${event}" BEFORE ${event} ON "${table}"
        WHEN NEW."${column}" = ${literal} BEGIN SELECT RAISE(ABORT, 'it is refused'); END`);
    for (const event of ['INSERT', 'UPDATE'])
      mend.push(() => db.prisma.$executeRawUnsafe(`DROP TRIGGER "refuses${event}"`));
    return;
  }
  await db.prisma.$executeRawUnsafe(
    `ALTER TABLE "${table}" ADD CONSTRAINT "refuses" CHECK ("${column}" IS DISTINCT FROM ${literal}) NOT VALID`,
  );
  mend.push(() => db.prisma.$executeRawUnsafe(`ALTER TABLE "${table}" DROP CONSTRAINT "refuses"`));
}

const refusals = () => server.log.filter(({ msg }) => msg === 'the database refuses visits of a link');

async function refusedTotal(what: string): Promise<number> {
  const all = await metrics.values();
  const found = all.find(({ name }) => name === 'linkspace_visits_refused_total');
  return found?.values.find(({ labels }) => labels.what === what)?.value ?? 0;
}

/** A visit of each link, with the referrer; the clicks of each link and of the account. */
async function countAll(referrer?: string): Promise<{ clicks: number[]; account: number }> {
  await visitAll(referrer);
  return counted();
}

async function visitAll(referrer = 'https://good.example/'): Promise<void> {
  for (const { alias } of links) await visit(server.origin, `/${alias}`, { headers: { Referer: referrer } });
  await server.flush();
}

async function counted(): Promise<{ clicks: number[]; account: number }> {
  const counters = await db.prisma.linkCounter.findMany({ where: { accountId }, orderBy: { linkId: 'asc' } });
  const days = await db.prisma.accountDay.findMany({ where: { accountId } });
  return {
    clicks: counters.map(({ clicks }) => clicks),
    account: days.reduce((sum, { clicks }) => sum + clicks, 0),
  };
}

test.each(['LinkHour', 'LinkDay'])('a refused row of %s loses the click of its link only', async (table) => {
  const before = await refusedTotal('clicks');
  const id = links[2]?.id ?? 0;
  await refuse(table, 'linkId', id);
  expect(await countAll()).toEqual({ clicks: [1, 1, 0, 1, 1], account: 4 });
  expect(refusals()).toMatchObject([{ link: id, clicks: 1, reason: expect.stringMatching(/refuse/) }]);
  expect(await refusedTotal('clicks')).toBe(before + 1);
  // Nothing is left of it.
  const ofLink = { where: { linkId: id } };
  expect(await Promise.all([db.prisma.linkHour.count(ofLink), db.prisma.linkDayValue.count(ofLink)])).toEqual(
    [0, 0],
  );
  await mend.pop()?.();
  if (provider === 'sqlite') await mend.pop()?.();
  expect(await countAll()).toEqual({ clicks: [2, 2, 1, 2, 2], account: 9 });
});

test('one of many hours that waited is refused alone', async () => {
  await refuse('LinkHour', 'hour', 2026112010);
  const log = pino({ level: 'silent' });
  const buffer = new ClickBuffer(db, log, undefined, false);
  const [{ id } = { id: 0 }] = links;
  for (const hour of ['19T22', '19T23', '20T09', '20T10', '20T11', '21T00'])
    buffer.add(clickOn(id, new Date(`2026-11-${hour}:00:00Z`)));
  await buffer.flush();
  expect(await counted()).toEqual({ clicks: [5, 0, 0, 0, 0], account: 5 });
  const days = await db.prisma.linkDay.findMany({ where: { linkId: id }, orderBy: { day: 'asc' } });
  expect(days.map(({ day, clicks, described }) => [day, clicks, described])).toEqual([
    [20261119, 2, 2],
    [20261120, 2, 2],
    [20261121, 1, 1],
  ]);
});

test('a refused value loses nothing else', async () => {
  await refuse('VisitValue', 'referrer', 'bad.example');
  expect(await countAll('https://bad.example/x')).toEqual({ clicks: [1, 1, 1, 1, 1], account: 5 });
  const answer = await owner.data(`{ link(id: ${links[0]?.id}) { statistics {
    visitors top(by: BROWSER) { rows { value clicks } others } referrers: top(by: REFERRER) { rows { value clicks } } } } }`);
  expect(answer).toEqual({
    link: {
      statistics: {
        visitors: 1,
        top: { rows: [{ value: 'Chrome', clicks: 1 }], others: 0 },
        referrers: { rows: [{ value: null, clicks: 1 }] },
      },
    },
  });
  expect(refusals()).toMatchObject(links.map(({ id }) => ({ link: id, clicks: 0, values: 1, visitors: 0 })));
});

test('refused visitors lose nothing else', async () => {
  await refuse('DayVisitor', 'linkId', links[1]?.id ?? 0);
  expect(await countAll()).toEqual({ clicks: [1, 1, 1, 1, 1], account: 5 });
  expect(await db.prisma.accountDay.findMany({ where: { accountId } })).toMatchObject([
    { described: 5, visitors: 4 },
  ]);
  expect(refusals()).toMatchObject([{ link: links[1]?.id, clicks: 0, values: 0, visitors: 1 }]);
});

/** Visits that no request can make. */
const strange: [string, Partial<Visit>][] = [
  ['a NUL byte', { destination: 'https://example.com/\0' }],
  ['half of a surrogate pair', { destination: 'https://example.com/\ud800' }],
  ['a million characters', { destination: `https://example.com/${'x'.repeat(1_000_000)}` }],
  ['quotes and backslashes', { destination: 'https://example.com/"\\{},\'' }],
];

test.each(strange)('%s in a value does not lose the click, nor those of others', async (_what, given) => {
  const log = pino({ level: 'silent' });
  const buffer = new ClickBuffer(db, log);
  const made = links.map(({ id }) => ({ ...VISITOR, id }));
  for (const [index, { id }] of made.entries())
    buffer.add({
      link: { id },
      at: NOON,
      visitor: { ...VISITOR, userAgent: BROWSER },
      address: '192.0.2.1',
      referrer: '',
      destination: 'https://example.com/',
      alreadyCounted: null,
      ...(index === 2 ? given : {}),
    } as Visit);
  await buffer.flush();
  expect(await counted()).toEqual({ clicks: [1, 1, 1, 1, 1], account: 5 });
});

test('a day far in the future is refused alone', async () => {
  const log = pino({ level: 'silent' });
  const buffer = new ClickBuffer(db, log, undefined, false);
  const [first, second] = links;
  buffer.add(clickOn(first?.id ?? 0, new Date('2999-01-01')));
  buffer.add(clickOn(second?.id ?? 0, NOON));
  await buffer.flush();
  expect(buffer.unwritten).toBe(0);
  expect((await counted()).clicks[1]).toBe(1);
});

test.runIf(provider === 'postgresql')('a sum that is full loses the clicks of its account only', async () => {
  const { alias } = await (await server.caller('other')).link();
  await countAll();
  await db.prisma.$executeRawUnsafe(
    `UPDATE "AccountDay" SET "clicks" = 9223372036854775807 WHERE "accountId" = ${accountId}`,
  );
  await visit(server.origin, `/${alias}`);
  await visitAll();
  const counters = await db.prisma.linkCounter.findMany({ where: { accountId } });
  expect(counters.map(({ clicks }) => clicks)).toEqual([1, 1, 1, 1, 1]);
  const other = await db.prisma.linkCounter.findFirstOrThrow({ where: { link: { alias } } });
  expect(other.clicks).toBe(1);
  expect(refusals()).toMatchObject(
    links.map(({ id }) => ({ link: id, clicks: 1, reason: expect.stringContaining('out of range') })),
  );
});

test('a link with many refusals does not keep others from being named', async () => {
  const [noisy, other] = links;
  await refuse('LinkHour', 'hour', 2026112010);
  const lines: { link?: number }[] = [];
  const log = pino({}, { write: (line) => lines.push(JSON.parse(line)) });
  const buffer = new ClickBuffer(db, log, undefined, false);
  for (let i = 0; i < 25; i++) {
    buffer.add(clickOn(noisy?.id ?? 0, new Date('2026-11-20T10:00:00Z')));
    await buffer.flush();
  }
  buffer.add(clickOn(other?.id ?? 0, new Date('2026-11-20T10:00:00Z')));
  await buffer.flush();
  expect(lines.map(({ link }) => link)).toEqual([noisy?.id, other?.id]);
});

test('of many refused links, few are logged and all are counted', async () => {
  const before = await refusedTotal('clicks');
  const many = Array.from({ length: 20 }, (_, i) => ({ url: 'https://example.com/', title: String(i) }));
  await owner.data('mutation ($many: [CreateLinkInput!]!) { createLinks(inputs: $many) { __typename } }', {
    many,
  });
  const all = await db.prisma.linkCounter.findMany({ where: { accountId } });
  await refuse('AccountHour', 'accountId', accountId);
  const lines: object[] = [];
  const log = pino({}, { write: (line) => lines.push(JSON.parse(line)) });
  const buffer = new ClickBuffer(db, log, metrics, false);
  for (const { linkId } of all) buffer.add(clickOn(linkId, NOON));
  await buffer.flush();
  expect([lines.length, buffer.unwritten, await refusedTotal('clicks')]).toEqual([21, 0, before + 25]);
});

test.runIf(provider === 'postgresql')(
  'a part that fails for another reason is tried again, and every part counts once',
  async () => {
    await refuse('LinkHour', 'linkId', links[0]?.id ?? 0);
    await db.prisma.$executeRawUnsafe(`CREATE FUNCTION "fails"() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'no space' USING ERRCODE = '53100'; END $$`);
    mend.push(() => db.prisma.$executeRawUnsafe('DROP FUNCTION "fails" CASCADE'));
    // After the refusal of the whole, so that it fails while the parts are written.
    await db.prisma.$executeRawUnsafe(`CREATE TRIGGER "fails" AFTER INSERT ON "LinkDay" FOR EACH ROW
      WHEN (NEW."linkId" = ${links[3]?.id}) EXECUTE FUNCTION "fails"()`);
    await countAll();
    for (let i = 0; i < 3; i++) await server.flush();
    expect(await counted()).toEqual({ clicks: [0, 1, 1, 0, 0], account: 2 });
    await db.prisma.$executeRawUnsafe('DROP TRIGGER "fails" ON "LinkDay"');
    expect(await countAll()).toEqual({ clicks: [0, 2, 2, 2, 2], account: 8 });
    expect(refusals()).toMatchObject([{ link: links[0]?.id, clicks: 1 }]);
  },
);

/** Errors of PostgreSQL, and whether the database refuses the data. */
const codes: [string, boolean][] = [
  ['22003', true],
  ['23503', true],
  ['40P01', false],
  ['42501', false],
  ['57014', false],
];

test.runIf(provider === 'postgresql').each(codes)(
  'after an error %s, a visit is given up: %s',
  async (code, isGivenUp) => {
    const [first, second] = links;
    await db.prisma.$executeRawUnsafe(`CREATE FUNCTION "fails"() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'it fails' USING ERRCODE = '${code}'; END $$`);
    mend.push(() => db.prisma.$executeRawUnsafe('DROP FUNCTION "fails" CASCADE'));
    await db.prisma.$executeRawUnsafe(`CREATE TRIGGER "fails" BEFORE INSERT ON "LinkHour" FOR EACH ROW
    WHEN (NEW."linkId" = ${first?.id}) EXECUTE FUNCTION "fails"()`);
    const log = pino({ level: 'silent' });
    const buffer = new ClickBuffer(db, log, undefined, false);
    for (const link of [first, second]) buffer.add(clickOn(link?.id ?? 0, NOON));
    await buffer.flush();
    expect([buffer.unwritten, (await counted()).clicks.slice(0, 2)]).toEqual(
      isGivenUp ? [0, [0, 1]] : [2, [0, 0]],
    );
    await db.prisma.$executeRawUnsafe('DROP TRIGGER "fails" ON "LinkHour"');
    await buffer.flush();
    expect((await counted()).clicks.slice(0, 2)).toEqual([isGivenUp ? 0 : 1, 1]);
  },
);

test.each(['LinkDay', 'AccountHour'])(
  'a link with a click limit counts and ends, also if its row of %s is refused',
  async (table) => {
    const { id, alias } = await owner.link({
      expiration_clicks: 2,
      target_type: 4,
      'rotation[0][value]': 'https://example.com/1',
      'rotation[1][value]': 'https://example.com/2',
    });
    await (table === 'LinkDay' ? refuse(table, 'linkId', id) : refuse(table, 'accountId', accountId));
    const seen = [];
    for (let i = 0; i < 3; i++) {
      const { status, location } = await visit(server.origin, `/${alias}`);
      seen.push(location ?? status);
    }
    expect(seen).toEqual(['https://example.com/1', 'https://example.com/2', 410]);
    await server.flush();
    expect(await db.prisma.linkCounter.findUnique({ where: { linkId: id } })).toMatchObject({
      clicks: 2,
      turns: 2,
    });
    expect(await db.prisma.linkHour.count({ where: { linkId: id } })).toBe(0);
    expect(await db.prisma.linkDayValue.count({ where: { linkId: id } })).toBe(0);
    expect(refusals()).toMatchObject([{ link: id, statistics: 1 }]);
  },
);
