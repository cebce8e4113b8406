import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';
import { openSocket } from '../support/sockets.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ sockets: { maxUnknown: 1, initTimeout: 600_000 } });
});
afterAll(() => server.stop());

test('a WebSocket counts as unknown until its key is known', async () => {
  const { key } = await server.caller();
  const socket = await openSocket(server.origin);
  await server.database.prisma.$transaction(
    async (tx) => {
      await tx.$executeRawUnsafe('LOCK TABLE "ApiKey" IN ACCESS EXCLUSIVE MODE');
      socket.introduce(key);
      const waiting = `SELECT count(*)::int AS count FROM pg_locks WHERE NOT granted AND relation = '"ApiKey"'::regclass`;
      const waits = async () => (await tx.$queryRawUnsafe<{ count: number }[]>(waiting))[0]?.count;
      await expect.poll(waits).toBeGreaterThan(0);
      const other = await openSocket(server.origin);
      expect((await socket.closed)[0]).toBe(1013);
      other.ws.close();
    },
    { timeout: 600_000 },
  );
});
