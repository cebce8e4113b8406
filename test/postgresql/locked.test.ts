import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { timed } from '../support/fair-time.ts';
import { type Caller, type RestLink, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

/** Less than two waits of 200 ms, in milliseconds; 300 are promised. */
const LIMIT = 380;

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer({ background: true });
  owner = await server.caller();
});
afterAll(() => server.stop());

// Real time: after a second, cached links are read again while the log of changes cannot be read.
test('a visit of a known link waits 300 ms at most while tables are locked', async () => {
  const domain = await owner.domain('own.example');
  const pixel = await owner.pixel();
  const plain = await owner.link();
  const own = await owner.link({ domain });
  const withPixel = await owner.link({ 'pixel_ids[]': pixel });
  const rotation = await owner.link({ target_type: 4, 'rotation[0][value]': 'https://example.com/1' });
  const known: [host: string, link: RestLink, status: number][] = [
    ['s.example', plain, 302],
    ['other.example', plain, 302],
    ['own.example', own, 302],
    ['s.example', withPixel, 200],
    // Whether this host has pages for people is not known.
    ['other.example', withPixel, 200],
    ['s.example', rotation, 302],
  ];
  const open = async (host: string, { alias }: RestLink) =>
    (await visit(server.origin, `/${alias}`, { headers: { Host: host } })).status;
  for (const [host, link, status] of known.filter(
    ([host, link]) => link !== withPixel || host === 's.example',
  ))
    expect(await open(host, link)).toBe(status);
  await server.database.prisma.$transaction(
    async (tx) => {
      await tx.$executeRaw`LOCK TABLE "Change", "Domain", "Link" IN ACCESS EXCLUSIVE MODE`;
      // After another transaction, there may be changes to read.
      await server.database.prisma.$executeRaw`UPDATE "LinkCounter" SET "turns" = "turns"`;
      await setTimeout(1_500);
      for (const [host, link, status] of known) {
        const [answered, took] = await timed(open(host, link));
        expect.soft([host, answered, took < LIMIT]).toEqual([host, status, true]);
      }
    },
    { timeout: 60_000 },
  );
});
