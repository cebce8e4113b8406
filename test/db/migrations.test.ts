import { expect, inject, test } from 'vitest';
import { diffToModels } from '../../scripts/migration-diff.ts';
import { openDatabase } from '../../src/db/client.ts';
import {
  applyMigrations,
  knownMigrations,
  migrationList,
  pendingMigrationsOf,
} from '../../src/db/migrate.ts';
import { noFilters, withSchemaEngine } from '../../src/db/schema-engine.ts';
import { newDatabase } from '../support/database.ts';

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

test('an old database is brought to today, with what is in it', async () => {
  const url = await newDatabase({ migrated: false });
  const list = migrationList(provider);
  const first = { ...list, migrationDirectories: list.migrationDirectories.slice(0, 1) };
  await withSchemaEngine(url, (engine) =>
    engine.applyMigrations({ migrationsList: first, filters: noFilters }),
  );
  const insert = `INSERT INTO "Account" ("name", "createdAt") VALUES ('old', '2026-01-01T00:00:00.000Z')`;
  const old = await openDatabase(url);
  await old.client.$executeRawUnsafe(insert);
  await old.close();
  expect(await applyMigrations(url)).toEqual(knownMigrations(provider).slice(1));
  const today = await openDatabase(url);
  const found = await today.client.account.findMany({ include: { domains: true } });
  await today.close();
  expect(found).toMatchObject([{ name: 'old', domains: [] }]);
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
