import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertLinksIn } from '../../../src/db/links.ts';
import { listKeys, revokeKey } from '../../../src/domain/access/api-key.ts';
import { NOON, startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ background: true });
});
afterAll(() => server.stop());

test('a download ends when its key is revoked, however slowly it is read', async () => {
  const caller = await server.caller();
  const { accountId, domainId, ...link } = await server.database.prisma.link.findUniqueOrThrow({
    where: { id: (await caller.link()).id },
    omit: { id: true },
  });
  // Much more than the buffers of a connection hold.
  const url = `https://example.com/${'x'.repeat(1_800)}`;
  const links = Array.from({ length: 6_000 }, (_, number) => ({
    row: { ...link, accountId, domainId, url, urlKey: 'x', alias: `many${number}` },
    pixelIds: [],
    tagIds: [],
  }));
  await server.database.transaction((tx) => insertLinksIn(tx, links), {
    maxWait: 60_000,
    timeout: 120_000,
  });
  const headers = { Authorization: `Bearer ${caller.key}`, Accept: 'text/csv' };
  const ended = Promise.withResolvers<string>();
  const asked = request(`${server.origin}/api/v1/links`, { headers }, (answer) => {
    answer.once('error', () => ended.resolve('broken off')).once('end', () => ended.resolve('complete'));
    answer.once('data', () => {
      answer.pause();
      void listKeys(server.database)
        .then(([key]) => revokeKey(server.database, String(key?.id), NOON))
        // The request is over before its client reads on.
        .then(() =>
          expect.poll(() => server.log.some(({ operation }) => operation === 'GET /links')).toBe(true),
        )
        .then(() => answer.resume());
    });
  });
  asked.on('error', () => ended.resolve('broken off')).end();
  expect(await ended.promise).toBe('broken off');
});
