import { type ClientRequest, request } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { name, sql } from '../../../src/engine/db/sql.ts';
import { Place } from '../../../src/engine/http/limits/room.ts';
import { HELD, keepOpen } from '../../support/database.ts';
import { subscribe } from '../../support/events.ts';
import { signedIn } from '../../support/person.ts';
import { type Caller, startTestServer, type TestServer } from '../../support/server.ts';
import { BROWSER, visit } from '../../support/visit.ts';

const MAX = 20;

let server: TestServer;
let owner: Caller;
let others: Caller[];
beforeAll(async () => {
  server = await startTestServer({ maxInFlight: MAX });
  owner = await server.caller();
  others = await Promise.all(['b', 'c', 'd', 'e', 'f', 'g'].map((name) => server.caller(name)));
  await owner.link({ alias: 'here' });
});
afterAll(() => server.stop());

const held: ClientRequest[] = [];

/** Sends so many requests whose bodies do not arrive: each has its place while the server waits. Returns the statuses of refusals. */
async function hold(caller: Caller, count: number): Promise<number[]> {
  const refusals: number[] = [];
  const claim = vi.spyOn(Place.prototype, 'claim');
  onTestFinished(() => claim.mockRestore());
  const begun = claim.mock.results.length;
  const admitted = () => claim.mock.results.slice(begun).filter(({ type }) => type === 'return').length;
  const headers = { Authorization: `Bearer ${caller.key}`, 'Content-Type': 'application/json' };
  for (let index = 0; index < count; index++) {
    const sent = request(`${server.origin}/api/v1/spaces`, { method: 'POST', headers });
    sent.on('error', () => {}).on('response', (answer) => refusals.push(answer.resume().statusCode ?? 0));
    sent.write('{');
    held.push(sent);
    // One after another, so that it is known which ones get a place.
    await expect.poll(() => admitted() + refusals.length, { interval: 1 }).toBe(index + 1);
  }
  return refusals;
}
const statusOf = async (caller: Caller) => (await caller.rest('GET', '/spaces')).status;
const isFree = () => expect.poll(() => hasRoomForHalf()).toBe(true);
async function hasRoomForHalf(): Promise<boolean> {
  const statuses = await Promise.all(Array.from({ length: MAX / 2 }, () => statusOf(owner)));
  return statuses.every((status) => status === 200);
}

afterEach(async () => {
  for (const sent of held.splice(0)) sent.destroy();
  await isFree();
});

test('visits, health checks, pages and those who sign in have their own places', async () => {
  await hold(owner, MAX / 2);
  for (const other of others) await hold(other, 2);
  const answer = await fetch(`${server.origin}/api/v1/spaces`);
  expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '1']);
  const person = await signedIn(server, 1, 'OWNER');
  expect((await visit(server.origin, '/here')).status).toBe(302);
  const paths = ['/livez', '/readyz', '/', '/console', '/openapi.json', '/robots.txt'];
  const statuses = await Promise.all(paths.map((path) => fetch(`${server.origin}${path}`)));
  expect(statuses.map(({ status }) => status)).toEqual(paths.map(() => 200));
  expect((await person.auth('session')).status).toBe(200);
  expect((await person.auth('sign-in', { email: 'a@example.com', password: 'b' })).status).toBe(401);
  // It reads what the APIs read.
  expect((await person.auth('download', { kind: 'links' })).status).toBe(503);
});

test('while more than half of the places are taken, an account has at most a tenth of them', async () => {
  expect(await hold(owner, MAX / 2 + 3)).toEqual([503, 503, 503]);
  const [other, another] = others as [Caller, Caller];
  expect(await hold(other, 3)).toEqual([503]);
  expect(await statusOf(another)).toBe(200);
  const refused = await owner.fetch('/api/v1/spaces');
  const message = 'Too much of this account is done at once. Try again shortly.';
  expect([refused.status, refused.headers.get('Retry-After'), await refused.json()]).toEqual([
    503,
    '1',
    { message, status: 503 },
  ]);
  const { status, errors, headers } = await owner.graphql('{ __typename }');
  expect([status, headers.get('Retry-After'), errors]).toEqual([
    503,
    '1',
    [{ message, extensions: { code: 'UNAVAILABLE' } }],
  ]);
  const person = await signedIn(server, 1, 'OWNER');
  const file = await person.auth('download', { kind: 'links' });
  expect([file.status, file.headers.get('Retry-After'), file.body.error?.code]).toEqual([
    503,
    '1',
    'UNAVAILABLE',
  ]);
});

test('a subscription leaves its place when it begins', async () => {
  const streams = [];
  for (const caller of await Promise.all([1, 2, 3].map(() => server.caller())))
    for (let count = 0; count < 8; count++)
      streams.push(await subscribe(caller, 'subscription { changes { id } }'));
  expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
  await isFree();
  for (const stream of streams) stream.close();
});

describe('what a client that has left has begun', () => {
  type Asked = Parameters<typeof fetch>[1];

  /** Sends a request as often as there are places, which waits for a lock on the table, and disconnects all of them. */
  async function leave(table: string, path: string, init: Asked, status: () => Promise<number>) {
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = server.database.transaction(async (tx) => {
      await keepOpen(tx.prisma);
      if (tx.dialect.hasConcurrentWriters) await tx.execute(sql`LOCK TABLE ${name(table)}`);
      begun.resolve();
      await ended.promise;
    }, HELD);
    await begun.promise;
    const left = new AbortController();
    const before = server.log.length;
    for (let sent = 0; sent < MAX; sent++)
      fetch(`${server.origin}${path}`, { ...init, signal: left.signal }).catch(() => {});
    await expect.poll(status).toBe(503);
    left.abort();
    const gone = () => server.log.slice(before).filter((line) => line.status === 499).length;
    await expect.poll(gone).toBeGreaterThan(MAX / 2);
    expect(await status()).toBe(503);
    expect((await fetch(`${server.origin}/livez`)).status).toBe(200);
    ended.resolve();
    await holding;
    await expect.poll(status).toBeLessThan(400);
  }

  test('keeps the place of a visit', async () => {
    const { alias } = await owner.link({ expiration_clicks: '100' });
    const init = { headers: { 'User-Agent': BROWSER }, redirect: 'manual' } as const;
    await leave('LinkCounter', `/${alias}`, init, async () => (await visit(server.origin, '/here')).status);
  });

  test('keeps the place of somebody who signs in', async () => {
    const headers = { 'Content-Type': 'application/json', 'X-Forwarded-Host': 's.example' };
    const init = { method: 'POST', headers, body: '{}' };
    const methods = async () => (await fetch(`${server.origin}/auth/methods`, { headers })).status;
    await leave('OneTimeToken', '/auth/passkey/sign-in-options', init, methods);
  });
});

describe('a file', () => {
  /** Asks for a file, of which the client reads the beginning only. */
  const ask = (caller: Caller) =>
    new Promise<number>((resolve, reject) => {
      const headers = { Authorization: `Bearer ${caller.key}`, Accept: 'text/csv' };
      const sent = request(`${server.origin}/api/v1/links`, { headers }, (answer) => {
        answer.pause().on('error', () => {});
        resolve(answer.statusCode ?? 0);
      });
      sent.on('error', reject).end();
      held.push(sent);
    });

  test('leaves its place when it is sent, and has one among those that are sent', async () => {
    const [reader] = others as [Caller];
    const { id } = await reader.link();
    const { prisma } = server.database;
    const { id: _, aliasKey: _key, ...like } = await prisma.link.findUniqueOrThrow({ where: { id } });
    const url = `https://example.com/${'a'.repeat(1_900)}`;
    // Three times as much as the sockets of Linux keep of what nobody reads.
    const data = Array.from({ length: 6_000 }, (_, index) => ({
      ...{ ...like, url, urlKey: 'x', alias: `file${index}`, aliasKey: `file${index}` },
    }));
    await prisma.link.createMany({ data });
    const statuses: number[] = [];
    for (let index = 0; index < 4; index++) statuses.push(await ask(reader));
    // There are two places, of which one account gets both while no other sends a file.
    expect(statuses).toEqual([200, 200, 503, 503]);
    await isFree();
    expect(await statusOf(reader)).toBe(200);
    for (const sent of held.splice(0)) sent.destroy();
    await expect.poll(() => ask(reader)).toBe(200);
  });
});
