import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyMigrations } from '../../src/db/apply-migrations.ts';
import { insertLinksIn } from '../../src/db/links.ts';
import type { MigrationProgress } from '../../src/engine/db/migrate.ts';
import { newDatabase } from '../support/database.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const MANY = 40_000;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  const caller = await server.caller();
  const { prisma } = server.database;
  const { id } = await caller.link();
  const link = await prisma.link.findUniqueOrThrow({ where: { id }, omit: { id: true } });
  const links = Array.from({ length: MANY }, (_, number) => ({
    row: { ...link, alias: `many${number}` },
    pixelIds: [],
    tagIds: [],
  }));
  for (let first = 0; first < MANY; first += 5_000)
    await server.database.transaction((tx) => insertLinksIn(tx, links.slice(first, first + 5_000)), {
      maxWait: 60_000,
      timeout: 120_000,
    });
  await prisma.$executeRaw`ANALYZE "Link"`;
});
afterAll(() => server.stop());

/** Measures one statement that changes so many links: the processor's time of the connection, or else the time that it took. */
async function changing(count: number): Promise<number> {
  return server.database.prisma.$transaction(
    async (tx) => {
      const time = async () => {
        // On Linux: nanoseconds on the processor, those of waiting for it, and slices.
        const [row] = await tx.$queryRaw<
          { stat: string | null }[]
        >`SELECT pg_read_file('/proc/self/schedstat', 0, 100, true) AS "stat"`;
        return row?.stat ? Number(row.stat.split(' ')[0]) / 1e6 : performance.now();
      };
      const before = await time();
      await tx.$executeRaw`UPDATE "Link" SET "title" = 'x', "titleKey" = 'x' WHERE "id" <= ${count}`;
      return (await time()) - before;
    },
    { maxWait: 60_000, timeout: 120_000 },
  );
}

test('a statement that changes many links takes time in proportion to their number', async () => {
  // The connection keeps a plan for few rows.
  for (let i = 0; i < 8; i++) await changing(1);
  const [few, all] = [await changing(MANY / 20), await changing(MANY)];
  // Twenty times the links take about twenty times as long. If each link were compared with each, it would be about four
  // hundred times.
  expect(all).toBeLessThan(60 * few);
});

test('a migration reports what it applies, and that it waits for another process', async () => {
  const url = await newDatabase({ migrated: false });
  const told: string[] = [];
  const progress = (who: string): MigrationProgress => ({
    begins: (_migration, number, of) => void (number === of && told.push(`${who} ends`)),
    waits: () => void told.push(`${who} waits`),
  });
  await Promise.all(['one', 'other'].map((who) => applyMigrations(url, { progress: progress(who) })));
  expect(told.map((text) => text.replace(/\w+ /, '')).sort()).toEqual(['ends', 'waits']);
});
