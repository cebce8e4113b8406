import { pino } from 'pino';
import { expect, inject, onTestFinished, test } from 'vitest';
import { diffToModels, readModels } from '../../scripts/migration-diff.ts';
import { readConfig } from '../../src/app/config.ts';
import { Service } from '../../src/app/service.ts';
import { applyMigrations } from '../../src/db/apply-migrations.ts';
import { Database } from '../../src/db/database.ts';
import { migrations } from '../../src/db/migrations.ts';
import { openFile } from '../../src/engine/db/sqlite/file.ts';
import { newDatabase, onServer } from '../support/database.ts';
import { startTestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

const { provider } = inject('database');

test('the migrations produce the tables of the models', async () => {
  expect(await diffToModels(provider, await newDatabase({ migrated: false }))).toBeNull();
});

test.runIf(provider === 'postgresql')('an added text sorts by code point', async () => {
  const models = readModels().replace(
    /^model Link \{\n/m,
    '$&  note String?\n  remark String @default("")\n',
  );
  const sql = await diffToModels(provider, await newDatabase({ migrated: false }), models);
  expect(sql?.match(/ADD COLUMN +"\w+" TEXT.*/g)).toEqual([
    expect.stringContaining('"note" TEXT COLLATE "C"'),
    expect.stringContaining(`"remark" TEXT COLLATE "C" NOT NULL DEFAULT ''`),
  ]);
});

test('an empty database is migrated only once', async () => {
  const url = await newDatabase({ migrated: false });
  expect((await migrations.stateAt(url)).pending).toEqual(migrations.known(provider));
  expect(await applyMigrations(url)).toEqual(migrations.known(provider));
  expect(await applyMigrations(url)).toEqual([]);
  expect((await migrations.stateAt(url)).pending).toEqual([]);
});

const time = `'2026-01-01T00:00:00.000Z'`;
const twoValues = (value: string) => `'${value}', '${value}'`;

/** Rows in each table, including some that a later version would refuse: two accounts on ports of one host. */
const CONTENTS = [
  `INSERT INTO "Account" ("name", "createdAt") VALUES ('old', ${time}), ('other', ${time})`,
  `INSERT INTO "ApiKey" ("accountId", "hash", "prefix", "scopes", "createdAt") VALUES (1, 'x', 'x', 'read', ${time})`,
  `INSERT INTO "Space" ("accountId", "name", "nameKey", "color", "createdAt", "updatedAt") VALUES (1, ${twoValues('s')}, 1, ${time}, ${time})`,
  ...(['localhost:3000', 'go.example', 'go.example:8080'] as const).map(
    (host, index) =>
      `INSERT INTO "Domain" ("accountId", "name", "createdAt", "updatedAt") VALUES (${index || 'NULL'}, '${host}', ${time}, ${time})`,
  ),
  `INSERT INTO "Pixel" ("accountId", "name", "type", "value", "createdAt", "updatedAt") VALUES (1, 'p', 'FACEBOOK', '1', ${time}, ${time})`,
  `INSERT INTO "Link" ("accountId", "domainId", "spaceId", "alias", "aliasKey", "url", "urlKey", "clicks", "createdAt", "updatedAt")
    VALUES (1, 1, 1, ${twoValues('hello')}, ${twoValues('https://example.com/')}, 7, ${time}, ${time})`,
  `INSERT INTO "LinkPixel" ("linkId", "pixelId") VALUES (1, 1)`,
  // Disabled; expired by time; expired by clicks; not expired, and on another domain.
  ...[
    `'a', 1, 0, true, ${time}, 1`,
    `'b', 1, 0, false, ${time}, NULL`,
    `'c', 1, 5, false, ${time}, 5`,
    `'d', 2, 4, false, NULL, 5`,
  ].map(
    (
      values,
    ) => `INSERT INTO "Link" ("alias", "domainId", "clicks", "disabled", "expiresAt", "expirationClicks",
      "accountId", "aliasKey", "url", "urlKey", "createdAt", "updatedAt")
      VALUES (${values}, 1, 'x', ${twoValues('https://example.com/')}, ${time}, ${time})`,
  ),
];

/** The last migration of version 0.1.0. */
const RELEASED = '20261121065000_key_use';

/** A database with the migrations up to that one, as Prisma records them, and contents. */
async function oldDatabase(last = RELEASED, contents: readonly string[] = CONTENTS): Promise<string> {
  const url = await newDatabase({ migrated: false });
  const released = migrations.known(provider).filter((name) => name <= last);
  const statements = [
    ...released.map((name) => migrations.scriptOf(provider, name)),
    `CREATE TABLE "_prisma_migrations" ("id" VARCHAR(36) PRIMARY KEY NOT NULL, "checksum" VARCHAR(64) NOT NULL,
      "finished_at" ${provider === 'sqlite' ? 'DATETIME' : 'TIMESTAMPTZ'}, "migration_name" VARCHAR(255) NOT NULL, "logs" TEXT,
      "rolled_back_at" ${provider === 'sqlite' ? 'DATETIME' : 'TIMESTAMPTZ'},
      "started_at" ${provider === 'sqlite' ? 'DATETIME' : 'TIMESTAMPTZ'} NOT NULL DEFAULT CURRENT_TIMESTAMP,
      "applied_steps_count" INTEGER NOT NULL DEFAULT 0)`,
    ...released.map(
      (name) =>
        `INSERT INTO "_prisma_migrations" VALUES ('${name.slice(0, 36)}', 'x', CURRENT_TIMESTAMP, '${name}', NULL, NULL, CURRENT_TIMESTAMP, 1)`,
    ),
    ...contents,
  ];
  if (provider === 'sqlite') {
    const file = openFile(url);
    for (const statement of statements) file.exec(statement);
    file.close();
  } else for (const statement of statements) await onServer(url, statement);
  return url;
}

test('a start names each migration that it applies to an old database', async () => {
  const url = await oldDatabase();
  const lines: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line) => lines.push(JSON.parse(line)) });
  const service = await Service.create(readConfig({ DATABASE_URL: url, PORT: '0' }), { log });
  await service.stop();
  const applied = migrations.known(provider).filter((name) => name > RELEASED);
  expect(lines.filter((line) => 'migration' in line || 'migrations' in line)).toMatchObject([
    ...applied.map((migration, index) => ({ migration, number: index + 1, of: applied.length })),
    { migrations: applied.length, msg: 'migrations applied' },
  ]);
});

test('a migration keeps the data of an old database', async () => {
  const url = await oldDatabase();
  expect(await applyMigrations(url)).toEqual(migrations.known(provider).filter((name) => name > RELEASED));
  const today = await Database.open(url);
  const domains = await today.prisma.domain.findMany({ orderBy: { id: 'asc' } });
  const links = await today.prisma.link.findMany({
    orderBy: { id: 'asc' },
    include: { counter: true, pixels: true },
  });
  const [account] = await today.prisma.accountTally.findMany({ where: { accountId: 1 } });
  await today.close();
  expect(domains).toMatchObject([
    { name: 'localhost:3000', hostKey: 'localhost', accountId: null, verifiedAt: expect.any(Date) },
    { name: 'go.example', hostKey: 'go.example', accountId: 1, verifiedAt: expect.any(Date) },
    { name: 'go.example:8080', hostKey: 'go.example', accountId: 2, verifiedAt: expect.any(Date) },
  ]);
  expect(links).toMatchObject([
    {
      alias: 'hello',
      counter: { clicks: 7, spaceId: 1 },
      pixels: [{ pixelId: 1 }],
    },
    { counter: { clickLimit: null, endsAt: null } },
    { counter: { clickLimit: null, endsAt: new Date('2026-01-01') } },
    { counter: { clickLimit: 5, endsAt: new Date(0) } },
    { counter: { clickLimit: 5, endsAt: null } },
  ]);
  expect(account).toMatchObject({ links: 5 });
});

test('webhooks continue after the migration with the events that they have not sent', async () => {
  const webhook = (events: string, disabled: boolean, listening: boolean) => [
    `INSERT INTO "Webhook" ("accountId", "url", "events", "secret", "disabled", "createdAt", "updatedAt")
      VALUES (1, 'x', '${events}', 'x', ${disabled}, ${time}, ${time})`,
    `INSERT INTO "WebhookQueue" ("webhookId", "listening") SELECT MAX("id"), ${listening} FROM "Webhook"`,
  ];
  const changes = ["'CREATED', 'WEBHOOK', 1", "'CREATED', 'WEBHOOK', 3", "'UPDATED', 'WEBHOOK', 3"].concat([
    ...["'CREATED', 'SPACE', 3", "'CREATED', 'WEBHOOK', 4"],
  ]);
  const url = await oldDatabase('20261122062128_pending_deliveries', [
    `INSERT INTO "Account" ("name", "createdAt") VALUES ('old', ${time})`,
    ...webhook('LINK_CREATED LINK_DELETED', false, true),
    ...webhook('LINK_CREATED', true, true),
    ...webhook('SPACE_CREATED', false, false),
    ...webhook('SPACE_CREATED', true, false),
    ...changes.map(
      (values) => `INSERT INTO "Change" ("tx", "accountId", "at", "action", "kind", "recordId", "fields")
        VALUES (1, 1, ${time}, ${values}, '[]')`,
    ),
  ]);
  await applyMigrations(url);
  const today = await Database.open(url);
  const queues = await today.prisma.webhookQueue.findMany({ orderBy: { webhookId: 'asc' } });
  const logged = await today.prisma.change.findMany({ orderBy: { id: 'asc' } });
  await today.close();
  expect(queues.map(({ events }) => events)).toEqual(['LINK_CREATED LINK_DELETED', '', '', '']);
  expect(logged.map(({ webhookEvents }) => webhookEvents)).toEqual([null, 'SPACE_CREATED', null, null, '']);
});

test('webhooks name who made and changed them after the migration, as far as the history tells', async () => {
  const change = (values: string) =>
    `INSERT INTO "Change" ("tx", "accountId", "at", "kind", "recordId", "action", "fields", "keyId", "userId")
      VALUES (1, 1, ${time}, 'WEBHOOK', ${values})`;
  const url = await oldDatabase('20261129031000_links_of_pixels', [
    `INSERT INTO "Account" ("name", "createdAt") VALUES ('old', ${time})`,
    `INSERT INTO "User" ("name", "email", "emailKey", "createdAt") VALUES ('a', 'a', 'a', ${time}), ('b', 'b', 'b', ${time})`,
    `INSERT INTO "Membership" ("accountId", "userId", "role", "createdAt") VALUES (1, 2, 'ADMIN', ${time})`,
    `INSERT INTO "ApiKey" ("accountId", "hash", "prefix", "scopes", "role", "makerId", "createdAt")
      VALUES (1, 'x', 'x', '', 'ADMIN', 1, ${time})`,
    ...Array(3).fill(
      `INSERT INTO "Webhook" ("accountId", "url", "events", "secret", "createdAt", "updatedAt")
        VALUES (1, 'x', '', 'x', ${time}, ${time})`,
    ),
    change(`1, 'CREATED', '["url","events"]', NULL, 1`),
    change(`1, 'UPDATED', '["url"]', 1, NULL`),
    change(`1, 'UPDATED', '["disabled"]', NULL, 1`),
    change(`2, 'UPDATED', '["secret"]', NULL, 1`),
  ]);
  await applyMigrations(url);
  const today = await Database.open(url);
  const webhooks = await today.prisma.webhook.findMany({ orderBy: { id: 'asc' } });
  await today.close();
  expect(
    webhooks.map((one) => [
      ...[one.createdByKeyId, one.createdByUserId, one.changedByKeyId, one.changedByUserId],
    ]),
  ).toEqual([
    [null, 1, 1, 2],
    [null, null, null, 1],
    [null, null, null, null],
  ]);
});

test('a domain that was made with the port of https serves its host after the migration, where the host is free', async () => {
  const domain = (account: number | null, name: string, isDefault: boolean | null = null) =>
    `INSERT INTO "Domain" ("accountId", "name", "hostKey", "isDefault", "verifiedAt", "createdAt", "updatedAt")
      VALUES (${account}, '${name}', '${name.replace(/:.*/, '')}', ${isDefault}, ${time}, ${time}, ${time})`;
  const url = await oldDatabase('20261129041301_address_changes', [
    `INSERT INTO "Account" ("name", "createdAt") VALUES ('old', ${time}), ('other', ${time})`,
    domain(null, 's.example:443', true),
    domain(1, 'go.example:443'),
    domain(1, 'both.example'),
    domain(1, 'both.example:443'),
    domain(2, 'ports.example:8443'),
    domain(2, 'ports.example:443'),
    domain(2, 'long.example:4430'),
    `INSERT INTO "Link" ("accountId", "domainId", "alias", "aliasKey", "url", "urlKey", "createdAt", "updatedAt")
      VALUES (1, 2, ${twoValues('a')}, ${twoValues('https://example.com/')}, ${time}, ${time})`,
  ]);
  await applyMigrations(url);
  const server = await startTestServer({ url, baseUrl: 'http://s.example:443' });
  onTestFinished(() => server.stop());
  const domains = await server.database.prisma.domain.findMany({ orderBy: { id: 'asc' } });
  expect(domains.map(({ name }) => name)).toEqual([
    ...['s.example:443', 'go.example', 'both.example', 'both.example:443'],
    ...['ports.example:8443', 'ports.example', 'long.example:4430'],
  ]);
  expect(await visit(server.origin, '/a', { headers: { Host: 'go.example' } })).toMatchObject({
    status: 302,
    location: 'https://example.com/',
  });
});

test('names and titles with a capital sharp s are found by each of its spellings', async () => {
  const url = await oldDatabase('20261123090328_counter_resets', [
    `INSERT INTO "Account" ("name", "createdAt") VALUES ('old', ${time})`,
    `INSERT INTO "Space" ("accountId", "name", "nameKey", "color", "createdAt", "updatedAt")
      VALUES (1, 'GROẞ', 'groß', 1, ${time}, ${time})`,
    `INSERT INTO "Domain" ("name", "hostKey", "createdAt", "updatedAt") VALUES (${twoValues('s.example')}, ${time}, ${time})`,
    `INSERT INTO "Link" ("accountId", "domainId", "title", "titleKey", "alias", "aliasKey", "url", "urlKey", "createdAt", "updatedAt")
      VALUES (1, 1, 'GROẞER TAG', 'großer tag', ${twoValues('a')}, ${twoValues('https://example.com/')}, ${time}, ${time})`,
  ]);
  await applyMigrations(url);
  const server = await startTestServer({ url });
  onTestFinished(() => server.stop());
  const caller = await server.caller('old');
  for (const search of ['groß', 'GROSS', 'GROẞ'])
    expect(
      await caller.data(
        `query ($search: String) { links(filter: { search: $search }) { totalCount } spaces(filter: { search: $search }) { totalCount } }`,
        { search },
      ),
    ).toEqual({ links: { totalCount: 1 }, spaces: { totalCount: 1 } });
});

test('of several processes that migrate at once, one migrates and the others wait', async () => {
  const url = await newDatabase({ migrated: false });
  const applied = await Promise.all(Array.from({ length: 4 }, () => applyMigrations(url)));
  expect(applied.flat().sort()).toEqual(migrations.known(provider));
});

test('a failed migration changes nothing and stays pending', async () => {
  const url = await oldDatabase();
  // A column that a migration adds exists already.
  const spoil = 'ALTER TABLE "Domain" ADD COLUMN "hostKey" INTEGER';
  if (provider === 'sqlite') {
    const file = openFile(url);
    file.exec(spoil);
    file.close();
  } else await onServer(url, spoil);
  await expect(applyMigrations(url)).rejects.toThrow(
    /20261121181000_domain_verification cannot be applied: .*hostKey/,
  );
  expect((await migrations.stateAt(url)).pending).toContain('20261121181000_domain_verification');
});

test('text sorts by code point, whatever the locale of the database', async () => {
  const database = await Database.open(await newDatabase());
  try {
    for (const name of ['b', 'Z', 'é', 'a'])
      await database.prisma.account.create({ data: { name, createdAt: new Date() } });
    const accounts = await database.prisma.account.findMany({ orderBy: { name: 'asc' } });
    expect(accounts.map(({ name }) => name)).toEqual(['Z', 'a', 'b', 'é']);
  } finally {
    await database.close();
  }
});
