import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, inject, test } from 'vitest';
import { openFile } from '../../../src/engine/db/sqlite/file.ts';
import { HELD, keepOpen } from '../../support/database.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

/** The database may leave questions unanswered for so long, in milliseconds; the tests wait for it together. */
const LIMIT = 5_000;

/** Locks something of the server, until the returned function is called. */
type Lock = (server: TestServer) => Promise<() => Promise<unknown>>;

/** Has a transaction of its own lock something on PostgreSQL. */
const locking =
  (statement: string): Lock =>
  async ({ database }) => {
    const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const transaction = database.prisma.$transaction(async (tx) => {
      await keepOpen(tx);
      await tx.$executeRawUnsafe(statement);
      locked.resolve();
      await released.promise;
    }, HELD);
    await locked.promise;
    // After another transaction, there may be changes to read.
    await database.prisma.$executeRaw`UPDATE "LinkCounter" SET "turns" = "turns"`;
    return () => {
      released.resolve();
      return transaction;
    };
  };

/** Has another connection, as of another process, occupy SQLite's writer. */
const lockFile: Lock = async ({ databaseUrl }) => {
  const other = openFile(databaseUrl);
  other.exec('BEGIN IMMEDIATE');
  return async () => other.close();
};

const cases: Readonly<Record<string, { lock: Lock; roles: readonly number[] }>> =
  inject('database').provider === 'sqlite'
    ? { 'another process writes': { lock: lockFile, roles: [503, 200] } }
    : {
        'the numbers of changes are locked': {
          lock: locking('LOCK TABLE "Revision" IN ACCESS EXCLUSIVE MODE'),
          roles: [503, 503],
        },
        'the log of changes is locked': {
          lock: locking('LOCK TABLE "Change" IN ACCESS EXCLUSIVE MODE'),
          roles: [503, 503],
        },
        'nothing can be added to the log of changes': {
          lock: locking('LOCK TABLE "Change" IN SHARE MODE'),
          roles: [503, 200],
        },
        'one link is locked': { lock: locking('SELECT 1 FROM "Link" FOR UPDATE'), roles: [200, 200] },
      };

const names = Object.keys(cases);
/** For each case a server of all, and one for visitors, on a database of its own. */
let servers: Map<string, readonly [TestServer, TestServer]>;
beforeAll(async () => {
  servers = new Map(
    await Promise.all(
      names.map(async (name) => {
        const all = await startTestServer({ background: true });
        const redirects = await startTestServer({
          url: all.databaseUrl,
          role: 'redirects',
          background: true,
        });
        return [name, [all, redirects]] as const;
      }),
    ),
  );
});
afterAll(async () => {
  for (const [all, redirects] of servers.values()) {
    await redirects.stop();
    await all.stop();
  }
});

// Real time: the limit.
describe.concurrent('/readyz, with ROLE=all and ROLE=redirects', () => {
  test.for(names)('if %s', async (name, { expect }) => {
    const own = servers.get(name);
    const given = cases[name];
    if (!own || !given) throw new Error('there is such a case');
    const [all] = own;
    const statuses = (path: string) =>
      Promise.all(own.map(async ({ origin }) => (await fetch(`${origin}${path}`)).status));
    const owner = await all.caller();
    const { id } = await owner.link();
    expect(await statuses('/readyz')).toEqual([200, 200]);
    const release = await given.lock(all);
    const writes: Promise<unknown>[] = [];
    try {
      for (let i = 0; i < 6; i++) {
        // They wait for the lock.
        writes.push(owner.rest('PATCH', `/links/${id}`, { title: 'New' }));
        await setTimeout(LIMIT / 6);
      }
      await expect.poll(() => statuses('/readyz')).toEqual(given.roles);
      for (const path of ['/livez', '/livez/serving']) expect(await statuses(path)).toEqual([200, 200]);
    } finally {
      await release();
    }
    await expect.poll(() => statuses('/readyz')).toEqual([200, 200]);
    await Promise.all(writes);
  });
});
