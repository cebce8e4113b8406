import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { newDatabase } from '../support/database.ts';
import { timed } from '../support/fair-time.ts';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy.ts';
import { freePort } from '../support/postgres-server.ts';
import { Caller } from '../support/server.ts';
import { type StartedService, startService } from '../support/service.ts';
import { visit } from '../support/visit.ts';

const KEY = 'the-first-key-of-an-empty-database';
/** Maximum number of requests that the service answers at once. */
const MAX_IN_FLIGHT = 50;

let proxy: PostgresProxy;
let service: StartedService;
let owner: Caller;
let metrics: string;
/** The stop of another service while its database hangs, with its duration. It begins first, as it takes the longest. */
let stopped: Promise<[unknown, time: number]>;

/** Milliseconds: a statement before the database hangs takes less on a busy machine, too. */
const STATEMENT_TIMEOUT = 4_000;
/** After another second, a statement fails also if the server does not say so. */
const WAIT = STATEMENT_TIMEOUT + 1_000;

const environment = (url: string) => ({
  DATABASE_URL: url,
  DATABASE_STATEMENT_TIMEOUT: String(STATEMENT_TIMEOUT),
  BASE_URL: 'https://s.example',
  INITIAL_API_KEY: KEY,
});

beforeAll(async () => {
  const hanging = await startPostgresProxy(await newDatabase());
  const other = await startService(environment(hanging.url));
  const { alias } = await new Caller(other.origin, KEY).link();
  hanging.holdAll();
  // A click to write.
  await visit(other.origin, `/${alias}`);
  stopped = timed(other.stop()).finally(hanging.stop);

  proxy = await startPostgresProxy(await newDatabase());
  const port = await freePort();
  metrics = `http://127.0.0.1:${port}/metrics`;
  service = await startService(
    { ...environment(proxy.url), METRICS_PORT: String(port) },
    { maxInFlight: MAX_IN_FLIGHT },
  );
  owner = new Caller(service.origin, KEY);
  // The metrics count waiting deliveries.
  const webhook = '{ url: "https://hook.example/", events: [SPACE_CREATED] }';
  await owner.data(`mutation { createWebhook(input: ${webhook}) { ... on CreatedWebhook { secret } } }`);
});
afterEach(() => proxy.release());
afterAll(async () => {
  await service.stop();
  proxy.stop();
});

async function isAway(): Promise<boolean> {
  const text = await (await fetch(metrics)).text();
  return text.includes('\nlinkspace_database_away 1\n');
}

test('redirects cached links while the database hangs, refuses the rest, and recovers', async () => {
  const { id, alias } = await owner.link();
  const open = (path: string) => timed(visit(service.origin, path));
  expect((await open(`/${alias}`))[0].status).toBe(302);
  await expect.poll(isAway).toBe(false);
  proxy.holdAll();
  const times: number[] = [];
  const openKnown = async () => {
    const [{ status }, took] = await open(`/${alias}`);
    expect(status).toBe(302);
    times.push(took);
    await setTimeout(20);
  };
  await openKnown();
  while (!(await isAway())) await openKnown();
  for (let i = 0; i < 10; i++) await openKnown();
  // A busy machine makes some of them late, too.
  expect(Math.min(...times.slice(-10))).toBeLessThan(300);
  const answers = await Promise.all([
    open('/unknown'),
    timed(owner.rest('GET', '/links')),
    timed(owner.rest('POST', '/links', { url: 'https://example.com/' })),
    timed(owner.graphql('{ links { totalCount } }')),
    timed(new Caller(service.origin, 'a-key-that-nobody-has-seen-before-now').rest('GET', '/links')),
    timed(owner.fetch('/readyz')),
  ]);
  expect(answers.map(([{ status }]) => status)).toEqual(answers.map(() => 503));
  for (const [, took] of answers) expect(took).toBeLessThan(2 * WAIT);
  expect(await isAway()).toBe(true);
  proxy.release();
  const clicks = async () => {
    const { body } = await owner.rest('GET', `/links/${id}`);
    return (body as { data?: { clicks: number } }).data?.clicks;
  };
  await expect.poll(clicks, { interval: 200 }).toBe(times.length + 1);
  await expect.poll(isAway).toBe(false);
});

test('many visits of one link leave room for cached links while the database hangs', async () => {
  const { alias } = await owner.link();
  const limited = await owner.link({ expiration_clicks: '9' });
  const open = async (path: string) => (await visit(service.origin, path)).status;
  expect(await open(`/${alias}`)).toBe(302);
  proxy.holdAll();
  await expect.poll(isAway).toBe(true);
  // Links with a click limit are never cached.
  const crowd = Array.from({ length: MAX_IN_FLIGHT + 10 }, () => open(`/${limited.alias}`));
  // Some are refused at once; the others still wait.
  await Promise.race(crowd);
  expect(await open(`/${alias}`)).toBe(302);
  expect(new Set(await Promise.all(crowd))).toEqual(new Set([503]));
  proxy.release();
  await expect.poll(isAway).toBe(false);
});

test('a compiled query and a v1 query wait only once for a database that begins to hang', async () => {
  const { id } = await owner.link();
  const query = `{ link(id: ${id}) { title } }`;
  for (let i = 0; i < 4; i++) expect((await owner.graphql(query)).data).toEqual({ link: { title: null } });
  await owner.rest('GET', `/links/${id}`);
  const search =
    '{ a: links(filter: { search: "abc" }) { totalCount } b: links(filter: { search: "b" }) { totalCount } }';
  expect((await owner.graphql(search)).status).toBe(200);
  // The last poll is still fresh, so the query is sent at once.
  proxy.holdAll();
  try {
    const begun = performance.now();
    const waited = async (answer: Promise<{ status: number }>) => {
      const [{ status }, took] = await timed(answer);
      // A machine that stood still meanwhile has waited, too.
      return { status, took, elapsed: performance.now() - begun };
    };
    const answers = await Promise.all([
      waited(owner.graphql(query)),
      waited(owner.rest('GET', `/links/${id}`)),
      // Long reads of an account wait for each other.
      waited(owner.graphql(search)),
      waited(owner.graphql(search)),
    ]);
    for (const { status, took, elapsed } of answers) {
      expect(status).toBe(503);
      expect(elapsed).toBeGreaterThan(1_000);
      expect(took).toBeLessThan(1.7 * WAIT);
    }
  } finally {
    proxy.release();
  }
});

test('stops in time while the database hangs', async () => {
  // A service manager's timeout.
  expect((await stopped)[1]).toBeLessThan(15_000);
});
