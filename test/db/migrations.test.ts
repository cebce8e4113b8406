import { expect, inject, test } from 'vitest';
import { diffToModels } from '../../scripts/migration-diff.ts';
import { openDatabase } from '../../src/db/client.ts';
import { applyMigrations, knownMigrations, pendingMigrationsOf } from '../../src/db/migrate.ts';
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
