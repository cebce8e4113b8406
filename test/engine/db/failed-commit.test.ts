import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { recordingChanges } from '../../../src/domain/change/change.ts';
import { NOON, startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer();
});
afterEach(() => server.stop());

/** The names of the spaces that another connection sees. */
function stored(): unknown[] {
  const other = new Sqlite(server.databaseUrl.slice('file:'.length), { readonly: true });
  const names = other.prepare('SELECT "name" FROM "Space" ORDER BY "id"').pluck().all();
  other.close();
  return names;
}

test.runIf(inject('database').provider === 'sqlite')(
  'a failed commit fails the write and leaves no transaction open',
  async () => {
    const caller = await server.caller();
    const { accountId } = await server.database.prisma.apiKey.findFirstOrThrow();
    const row = { accountId, nameKey: '', createdAt: NOON, updatedAt: NOON };
    const actor = { accountId, keyId: 1, scopes: new Set() } as never;
    const failing = recordingChanges(server.database, actor, NOON, async ({ tx }) => {
      // The foreign key is checked by COMMIT.
      await tx.prisma.$executeRaw`PRAGMA defer_foreign_keys = ON`;
      await tx.prisma.space.create({ data: { ...row, name: 'Lost', color: 1 } });
      await tx.prisma.space.create({ data: { ...row, accountId: 999, name: 'Wrong', color: 1 } });
    });
    await expect(failing).rejects.toThrow();
    await caller.space('Next');
    expect(stored()).toEqual(['Next']);
    expect(await caller.data('{ spaces { totalCount } }')).toEqual({ spaces: { totalCount: 1 } });
  },
);
