import { expect, test } from 'vitest';
import { newDatabase } from '../support/database.ts';
import { startTestServer } from '../support/server.ts';

test('processes that share the database share the rate limit of a key', async () => {
  const url = await newDatabase();
  const options = { url, rateLimit: 20, background: true };
  const [one, other] = [await startTestServer(options), await startTestServer(options)];
  try {
    const caller = await one.caller();
    const there = other.callerWith(caller.key);
    const left = async (asker: typeof caller) =>
      Number((await asker.rest('GET', '/spaces')).headers.get('X-RateLimit-Remaining'));
    // Once both have seen the key, each gets the counts of the other.
    await left(caller);
    await left(there);
    const told = () => one.database.prisma.$queryRaw<{ requests: bigint }[]>`SELECT "requests" FROM "KeyUse"`;
    await expect.poll(told).toEqual([{ requests: 2n }]);
    for (let i = 0; i < 12; i++) await left(caller);
    let remaining = 20;
    await expect.poll(async () => (remaining = await left(there)), { interval: 600 }).toBeLessThan(8);
    while (remaining > 0) remaining = await left(there);
    expect((await there.rest('GET', '/spaces')).status).toBe(429);
    await expect.poll(async () => (await caller.rest('GET', '/spaces')).status).toBe(429);
  } finally {
    await one.stop();
    await other.stop();
  }
});
