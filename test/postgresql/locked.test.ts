import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { VisitWait } from '../../src/redirect/visit-wait.ts';
import { HELD, keepOpen } from '../support/database.ts';
import { timed } from '../support/fair-time.ts';
import { type Caller, type RestLink, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

/** Milliseconds, by far less than a statement waits for a lock: each visit has one limit of 300 for all of its waits. */
const LIMIT = 5_000;

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
  const upTo = vi.spyOn(VisitWait.prototype, 'upTo');
  onTestFinished(() => upTo.mockRestore());
  await server.database.prisma.$transaction(async (tx) => {
    await keepOpen(tx);
    await tx.$executeRaw`LOCK TABLE "Change", "Domain", "Link" IN ACCESS EXCLUSIVE MODE`;
    // After another transaction, there may be changes to read.
    await server.database.prisma.$executeRaw`UPDATE "LinkCounter" SET "turns" = "turns"`;
    await setTimeout(1_500);
    for (const [host, link, status] of known) {
      upTo.mockClear();
      const [answered, took] = await timed(open(host, link));
      expect
        .soft([host, answered, new Set(upTo.mock.contexts).size, took < LIMIT])
        .toEqual([host, status, 1, true]);
    }
  }, HELD);
});
