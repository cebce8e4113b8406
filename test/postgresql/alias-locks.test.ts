import { expect, test } from 'vitest';
import { startTestServer } from '../support/server.ts';

test('a transaction that takes thousands of aliases of a shared domain has few locks', async () => {
  const server = await startTestServer();
  try {
    const owner = await server.caller();
    await owner.link({ alias: 'first' });
    const count = async (tx: Pick<typeof server.database.prisma, '$executeRaw' | '$queryRaw'>) => {
      await tx.$executeRaw`INSERT INTO "Link" SELECT (jsonb_populate_record("Link", jsonb_build_object(
          'id', 1000000 + "n", 'alias', 'a' || "n" || CASE "n" % 2 WHEN 0 THEN '/x' ELSE '' END))).*
        FROM "Link", generate_series(1, 5000) AS "n"`;
      return tx.$queryRaw<{ count: bigint }[]>`SELECT COUNT(*) AS "count" FROM "pg_locks"
        WHERE "locktype" = 'advisory' AND "pid" = pg_backend_pid()`;
    };
    // Prisma ends transactions after five seconds, which a busy machine needs for this one.
    const locks = await server.database.prisma.$transaction(count, { timeout: 600_000 });
    expect(Number(locks[0]?.count)).toBeLessThan(150);
  } finally {
    await server.stop();
  }
});
