import { expect, test } from 'vitest';
import { openDatabase } from '../../src/db/client.ts';
import { applyMigrations } from '../../src/db/migrate.ts';
import { newDatabase } from '../support/database.ts';
import { startTestServer } from '../support/server.ts';

test('a role that may not make extensions migrates all the same, and searches', async () => {
  const url = new URL(await newDatabase({ migrated: false }));
  const role = `guest_${url.pathname.slice(1)}`;
  const owner = await openDatabase(url.href);
  await owner.client.$executeRawUnsafe(`CREATE ROLE "${role}" LOGIN`);
  await owner.client.$executeRawUnsafe(`GRANT CREATE, USAGE ON SCHEMA public TO "${role}"`);
  await owner.close();
  url.username = role;
  url.password = '';
  await applyMigrations(url.href);
  const server = await startTestServer({ url: url.href });
  try {
    const caller = await server.caller();
    await caller.link({ title: 'A needle in hay' });
    expect(await caller.data('{ linkPage(filter: { search: "needle" }) { total } }')).toEqual({
      linkPage: { total: 1 },
    });
    expect(
      await server.database.client.$queryRawUnsafe(
        `SELECT indexname FROM pg_indexes WHERE indexname LIKE 'Link_%_text'`,
      ),
    ).toEqual([]);
  } finally {
    await server.stop();
  }
});
