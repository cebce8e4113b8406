import { afterAll, beforeAll, expect, test } from 'vitest';
import { OperationLookup } from '../../src/domain/operation/lookup.ts';
import { sql } from '../../src/engine/db/sql.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let accountId: number;
beforeAll(async () => {
  server = await startTestServer();
  const caller = await server.caller('operations');
  const saved = await caller.data(
    'mutation { createSavedOperation(input: { name: "roles", document: "{ viewer { role } }" }) { __typename } }',
  );
  expect(saved).toEqual({ createSavedOperation: { __typename: 'SavedOperation' } });
  accountId = (await server.database.prisma.savedOperation.findFirstOrThrow()).accountId;
});
afterAll(() => server.stop());

/** A feed that hears of nothing: what was read before `staleBefore` may lack changes. */
const silent = () => ({ fresh: async () => {}, staleBefore: Number.NEGATIVE_INFINITY });
const namesIn = async (lookup: OperationLookup) => (await lookup.of(accountId)).all.map(({ name }) => name);

test('operations are read once, and again when changes may be missing', async () => {
  const feed = silent();
  const lookup = new OperationLookup(server.database, feed);
  const read = async () => (await server.statementsOf(() => namesIn(lookup))).length;
  expect(await read()).toBeGreaterThan(0);
  expect(await read()).toBe(0);
  feed.staleBefore = performance.now();
  expect(await read()).toBeGreaterThan(0);
  expect(await read()).toBe(0);
});

test('a read that fails is not remembered', async () => {
  const lookup = new OperationLookup(server.database, silent());
  await server.database.execute(sql`ALTER TABLE "SavedOperation" RENAME TO "Elsewhere"`);
  await expect(namesIn(lookup)).rejects.toThrow();
  await server.database.execute(sql`ALTER TABLE "Elsewhere" RENAME TO "SavedOperation"`);
  expect(await namesIn(lookup)).toEqual(['roles']);
});
