import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applyMigrations } from '../../src/db/apply-migrations.ts';
import { Database } from '../../src/db/database.ts';
import { countTables } from '../../src/db/statistics/scope.ts';
import { name, sql } from '../../src/engine/db/sql.ts';
import { runCommand } from '../support/command.ts';
import { newDatabase } from '../support/database.ts';
import { unknownToPlanner } from '../support/plan.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

const folder = mkdtempSync(join(tmpdir(), 'linkspace-copy-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const newFile = () => `file:${join(folder, `${files++}.db`)}`;
const copy = (from: string, to: string) => runCommand('copy', {}, ['--from', from, '--to', to]);

/** Everything that a caller can read. */
async function answersOf(caller: Caller) {
  const rest = [
    '/spaces',
    '/links?per_page=100',
    '/links?status=2',
    '/links?sort_by=title',
    '/links?space_id=1',
  ];
  const lists = [];
  for (const path of rest) {
    const { body } = await caller.rest('GET', path);
    const { data, meta } = body as { data: unknown; meta: { total: number } };
    lists.push([data, meta.total]);
  }
  const graphql = await caller.data(`{
    domains { edges { node { id name notFoundUrl shared verified verification { name value } createdAt } } }
    pixels { edges { node { id name type value createdAt updatedAt } } }
    tags { nodes { id name color createdAt updatedAt links { totalCount nodes { id } } } }
    spaces { totalCount edges { node { name links { totalCount edges { node { id clicks lastClickedAt } } } } } }
    webhooks { edges { node { id url events disabled deliveries { edges { node { id event status createdAt } } } } } }
    viewer { account { id name createdAt statistics { clicks visitors top(by: BROWSER) { rows { value clicks } } } } key { id prefix scopes createdAt } }
  }`);
  return { lists, graphql };
}

/** Spaces, links of every kind, domains, pixels and keys. */
async function fill(server: TestServer): Promise<{ owner: Caller; revoked: Caller; expired: Caller }> {
  const owner = await server.caller('owner');
  const [space, domain, pixel] = [
    await owner.space('Ünïcode'),
    await owner.domain('go.example'),
    await owner.pixel(),
  ];
  await owner.space('Empty');
  await owner.link({
    title: '50% "quoted" \\ back',
    space_id: space,
    pixel_ids: pixel,
    password: 'secret',
    tag_ids: await owner.tag('Ünïcode', 3),
  });
  await owner.link({ domain_id: domain, disabled: 1, privacy: 2, privacy_password: 'x' });
  await owner.link({
    expiration_date: '2026-01-01',
    expiration_url: 'https://example.com/over',
    expiration_clicks: 5,
  });
  await owner.link({
    target_type: 1,
    'country[0][key]': 'DE',
    'country[0][value]': 'https://example.com/de',
    'rotation[0][value]': 'https://example.com/1',
  });
  for (let i = 0; i < 600; i += 100) {
    const inputs = Array.from({ length: 100 }, (_, index) => ({
      url: 'https://example.com/',
      title: `Link ${i + index}`,
      spaceId: String(space),
    }));
    await owner.data(
      'mutation ($inputs: [CreateLinkInput!]!) { createLinks(inputs: $inputs) { __typename } }',
      { inputs },
    );
  }
  const { alias } = await server.database.prisma.link.findFirstOrThrow({ where: { title: 'Link 5' } });
  await visit(server.origin, `/${alias}`);
  await server.flush();
  await owner.data(
    'mutation { createWebhook(input: { url: "https://crm.example/", events: [LINK_CREATED] }) { __typename } }',
  );
  await server.database.prisma.webhookDelivery.create({
    data: {
      webhookId: 1,
      messageId: 'msg_1',
      event: 'LINK_CREATED',
      kind: 'LINK',
      recordId: 1,
      body: '{}',
      createdAt: server.clock.now,
      nextAttemptAt: server.clock.now,
    },
  });
  const last = await owner.link();
  await owner.rest('DELETE', `/links/${last.id}`);
  await server.database.prisma.linkCounter.updateMany({
    where: { link: { title: 'Link 3' } },
    data: { clicks: 1234, lastClickedAt: server.clock.now },
  });
  await (await server.caller('stranger')).space('Theirs');
  const revoked = await server.caller('owner');
  await server.database.prisma.apiKey.updateMany({
    where: { id: { gt: 2 } },
    data: { revokedAt: server.clock.now },
  });
  const expired = await server.caller('owner', ['read']);
  const expiresAt = new Date('2020-01-01');
  await server.database.prisma.apiKey.updateMany({ where: { id: { gt: 3 } }, data: { expiresAt } });
  return { owner, revoked, expired };
}

describe.each([
  ['SQLite', 'PostgreSQL', () => newFile(), () => newDatabase({ migrated: false })],
  ['PostgreSQL', 'SQLite', () => newDatabase(), () => newFile()],
])('a copy from %s to %s', (_from, toName, source, target) => {
  let from: string;
  let to: string;
  let before: Awaited<ReturnType<typeof answersOf>>;
  let callers: Awaited<ReturnType<typeof fill>>;
  let nextId: number;
  let copied: Awaited<ReturnType<typeof copy>>;
  let server: TestServer;
  beforeAll(async () => {
    [from, to] = [await source(), await target()];
    await applyMigrations(from);
    const old = await startTestServer({ url: from });
    callers = await fill(old);
    before = await answersOf(callers.owner);
    nextId = Math.max(...(await old.database.prisma.link.findMany()).map(({ id }) => id)) + 2;
    await old.stop();
    copied = await copy(from, to);
    server = await startTestServer({ url: to });
  });
  afterAll(() => server.stop());

  test('reports what it copied', () => {
    expect(copied).toMatchObject({ code: 0, stderr: '' });
    expect(copied.stdout).toMatch(/^Copied, and found the same on both sides:\n(.*\n)*.*Link: 604\n/);
  });

  test.runIf(toName === 'PostgreSQL')('lets the planner know what it copied', async () => {
    expect(await unknownToPlanner(server.database, ['Link', 'LinkCounter', 'LinkDay'])).toEqual([]);
  });

  test('accepts the same keys, with the same answers', async () => {
    const owner = server.callerWith(callers.owner.key);
    expect(await answersOf(owner)).toEqual(before);
    const refused = [callers.revoked, callers.expired].map(({ key }) =>
      server.callerWith(key).rest('GET', '/links'),
    );
    expect((await Promise.all(refused)).map(({ status }) => status)).toEqual([401, 401]);
  });

  test('continues with unused ids, and continues the counts', async () => {
    const owner = server.callerWith(callers.owner.key);
    const space = await owner.space('New');
    const { id } = await owner.link({ space_id: space });
    expect(id).toBe(nextId);
    const total = async (query: string) =>
      ((await owner.rest('GET', `/links${query}`)).body as { meta: { total: number } }).meta.total;
    expect([await total(''), await total(`?space_id=${space}`)]).toEqual([605, 1]);
  });

  test('can restore what was deleted before', async () => {
    const owner = server.callerWith(callers.owner.key);
    const { id, recordId } = await server.database.prisma.change.findFirstOrThrow({
      where: { kind: 'LINK', action: 'DELETED' },
    });
    const restored = await owner.data(
      `mutation { revertChange(id: "${id}") { ... on RevertedChange { record { ... on Link { id } } } } }`,
    );
    expect(restored).toEqual({ revertChange: { record: { id: String(recordId) } } });
  });

  test('refuses a second copy and changes nothing', async () => {
    const rows = await server.database.prisma.link.count();
    const again = await copy(from, to);
    expect(again).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The target is not empty: its table Account has rows. Empty it, or name another.\n',
    });
    expect(await server.database.prisma.link.count()).toBe(rows);
  });
});

test.each([
  ['SQLite', async () => newFile()],
  ['PostgreSQL', () => newDatabase({ migrated: false })],
])(
  'copies to %s the domains of two accounts that share a host, as earlier versions allowed',
  async (_to, target) => {
    const [from, to] = [newFile(), await target()];
    await applyMigrations(from);
    const old = await startTestServer({ url: from });
    await (await old.caller('one')).domain('shared.example');
    const other = await (await old.caller('two')).domain('other.example');
    const { prisma } = old.database;
    const before = await prisma.$queryRaw<
      { sql: string }[]
    >`SELECT sql FROM sqlite_master WHERE type = 'trigger' ORDER BY 1`;
    await prisma.$executeRaw`DROP TRIGGER "Domain_host_changed"`;
    await prisma.domain.update({
      where: { id: other },
      data: { name: 'shared.example:81', hostKey: 'shared.example' },
    });
    await old.stop();
    expect(await copy(from, to)).toMatchObject({ code: 0, stderr: '' });
    if (!to.startsWith('file:')) return;
    const target_ = await Database.open(to);
    expect(
      await target_.prisma.$queryRaw`SELECT sql FROM sqlite_master WHERE type = 'trigger' ORDER BY 1`,
    ).toEqual(before);
    await target_.close();
  },
);

test.each([
  ['SQLite', async () => newFile()],
  ['PostgreSQL', () => newDatabase({ migrated: false })],
])('warns if the source on %s is served', async (_from, source) => {
  const [from, to] = [await source(), newFile()];
  await applyMigrations(from);
  const server = await startTestServer({ url: from, background: true });
  const warning =
    'The source is in use, probably by the service. Stop it first: what it writes from now on is not copied.\n';
  await expect.poll(async () => (await copy(from, newFile())).stderr).toBe(warning);
  await server.stop();
  expect(await copy(from, to)).toMatchObject({ code: 0, stderr: '' });
});

test('leaves nothing behind if it fails, and can be repeated', async () => {
  const [from, to] = [newFile(), newFile()];
  await applyMigrations(from);
  const old = await startTestServer({ url: from });
  await (await old.caller()).link();
  // A row with a dangling reference, which the target refuses.
  await old.database.prisma.$executeRawUnsafe('PRAGMA foreign_keys = OFF');
  await old.database.prisma.$executeRawUnsafe('INSERT INTO "LinkPixel" VALUES (1, 99)');
  const failed = await copy(from, to);
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringMatching(/\nFailed: .*\n$/)]);
  await old.database.prisma.$executeRawUnsafe('DELETE FROM "LinkPixel"');
  await old.stop();
  const second = await runCommand('copy', {}, ['--from', from, '--to', to, '--json']);
  expect([second.code, JSON.parse(second.stdout)]).toEqual([
    0,
    { copied: expect.objectContaining({ Account: expect.any(Number) }) },
  ]);
});

test('names a row that the other database cannot store', async () => {
  const [from, to] = [newFile(), await newDatabase({ migrated: false })];
  await applyMigrations(from);
  const old = await startTestServer({ url: from });
  const { id } = await (await old.caller()).link();
  await old.database.prisma.$executeRawUnsafe(
    `UPDATE "Link" SET "expirationClicks" = 3000000000 WHERE "id" = ${id}`,
  );
  await old.stop();
  const failed = await copy(from, to);
  expect([failed.code, failed.stderr]).toEqual([
    1,
    `The table Link has a row that cannot be copied (id ${id}): expirationClicks is 3000000000, and the most is 2147483647.\n`,
  ]);
});

test('copies sums and counters beyond 32 bits, there and back', async () => {
  const [from, to, back] = [newFile(), await newDatabase({ migrated: false }), newFile()];
  await applyMigrations(from);
  const old = await startTestServer({ url: from });
  const { alias } = await (await old.caller()).link();
  await visit(old.origin, `/${alias}`);
  await old.flush();
  const { prisma } = old.database;
  const large = 3_000_000_000;
  await prisma.linkCounter.updateMany({ data: { clicks: large, turns: large, resets: large } });
  await prisma.accountTally.updateMany({ data: { links: large } });
  for (const owner of ['Link', 'Account'])
    for (const { what, sums } of countTables)
      for (const sum of sums)
        await prisma.$executeRaw(sql`UPDATE ${name(`${owner}${what}`)} SET ${name(sum)} = ${large}`);
  await old.stop();
  // It compares checksums itself.
  expect(await copy(from, to)).toMatchObject({ code: 0, stderr: '' });
  expect(await copy(to, back)).toMatchObject({ code: 0, stderr: '' });
});

test.each([
  [['--to', 'file:/tmp/x.db'], 'Name the databases: --from URL is missing. See --help.\n'],
  [
    ['--from', 'mysql://x', '--to', 'file:/tmp/x.db'],
    '--from may be file:PATH for SQLite, without parameters, or postgresql://USER:PASSWORD@HOST:PORT/NAME, with special characters percent-encoded. See --help.\n',
  ],
  [
    ['--from', 'file:/nowhere/x.db', '--to', 'file:/tmp/x.db'],
    'There is no file /nowhere/x.db. See --help.\n',
  ],
])('explains why %j is refused', async (args, stderr) => {
  expect(await runCommand('copy', {}, args)).toEqual({ code: 1, stdout: '', stderr });
});
