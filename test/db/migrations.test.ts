import { expect, inject, test } from 'vitest';
import { diffToModels } from '../../scripts/migration-diff.ts';
import { openDatabase } from '../../src/db/client.ts';
import { applyMigrations, knownMigrations, pendingMigrationsOf, scriptOf } from '../../src/db/migrate.ts';
import { openFile } from '../../src/db/sqlite-file.ts';
import { newDatabase, onServer } from '../support/database.ts';

const { provider } = inject('database');

test('the migrations make just what the models say', async () => {
  expect(await diffToModels(provider, await newDatabase({ migrated: false }))).toBeNull();
});

test('an empty database is brought to today, once', async () => {
  const url = await newDatabase({ migrated: false });
  expect(await pendingMigrationsOf(url)).toEqual(knownMigrations(provider));
  expect(await applyMigrations(url)).toEqual(knownMigrations(provider));
  expect(await applyMigrations(url)).toEqual([]);
  expect(await pendingMigrationsOf(url)).toEqual([]);
});

/** A database as the first version of the program left it, with Prisma's own record of the migration. */
async function oldDatabase(): Promise<string> {
  const url = await newDatabase({ migrated: false });
  const [first = ''] = knownMigrations(provider);
  const statements = [
    scriptOf(provider, first),
    `CREATE TABLE "_prisma_migrations" ("id" VARCHAR(36) PRIMARY KEY NOT NULL, "checksum" VARCHAR(64) NOT NULL,
      "finished_at" ${provider === 'sqlite' ? 'DATETIME' : 'TIMESTAMPTZ'}, "migration_name" VARCHAR(255) NOT NULL, "logs" TEXT,
      "rolled_back_at" ${provider === 'sqlite' ? 'DATETIME' : 'TIMESTAMPTZ'},
      "started_at" ${provider === 'sqlite' ? 'DATETIME' : 'TIMESTAMPTZ'} NOT NULL DEFAULT CURRENT_TIMESTAMP,
      "applied_steps_count" INTEGER NOT NULL DEFAULT 0)`,
    `INSERT INTO "_prisma_migrations" VALUES ('1', 'x', CURRENT_TIMESTAMP, '${first}', NULL, NULL, CURRENT_TIMESTAMP, 1)`,
    `INSERT INTO "Account" ("name", "createdAt") VALUES ('old', '2026-01-01T00:00:00.000Z')`,
  ];
  if (provider === 'sqlite') {
    const file = openFile(url);
    for (const statement of statements) file.exec(statement);
    file.close();
  } else for (const statement of statements) await onServer(url, statement);
  return url;
}

test('an old database is brought to today, with what is in it', async () => {
  const url = await oldDatabase();
  expect(await applyMigrations(url)).toEqual(knownMigrations(provider).slice(1));
  const today = await openDatabase(url);
  const found = await today.client.account.findMany({ include: { domains: true } });
  await today.close();
  expect(found).toMatchObject([{ name: 'old', domains: [] }]);
});

test('of several that migrate at once, one does, and the others wait for it', async () => {
  const url = await newDatabase({ migrated: false });
  const applied = await Promise.all(Array.from({ length: 4 }, () => applyMigrations(url)));
  expect(applied.flat().sort()).toEqual(knownMigrations(provider));
});

test('a migration that fails leaves nothing, and is pending still', async () => {
  const url = await oldDatabase();
  // What the second migration makes is there already.
  const spoil = 'CREATE TABLE "Domain" ("id" INTEGER)';
  if (provider === 'sqlite') {
    const file = openFile(url);
    file.exec(spoil);
    file.close();
  } else await onServer(url, spoil);
  await expect(applyMigrations(url)).rejects.toThrow(/Domain/);
  expect(await pendingMigrationsOf(url)).toEqual(knownMigrations(provider).slice(1));
});

test('text sorts by code point, whatever the locale of the database', async () => {
  const database = await openDatabase(await newDatabase());
  try {
    for (const name of ['b', 'Z', 'é', 'a'])
      await database.client.account.create({ data: { name, createdAt: new Date() } });
    const accounts = await database.client.account.findMany({ orderBy: { name: 'asc' } });
    expect(accounts.map(({ name }) => name)).toEqual(['Z', 'a', 'b', 'é']);
  } finally {
    await database.close();
  }
});
