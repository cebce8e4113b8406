import { expect, test } from 'vitest';
import { startTestServer } from '../../src/testing/server.ts';

test('a link is expired from its expiry date on', async () => {
  const server = await startTestServer();
  const caller = await server.caller();
  const { id } = await caller.link({ expiration_date: '2026-11-21' });
  server.clock.now = new Date('2026-11-21T00:00:00Z');
  const data = await caller.data('query ($id: ID!) { link(id: $id) { status } }', { id });
  expect(data).toEqual({ link: { status: 'EXPIRED' } });
  await server.stop();
});
