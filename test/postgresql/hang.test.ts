import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { timed } from '../support/fair-time.ts';
import { freePort, type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { type Program, startProgram } from '../support/process.ts';
import { Caller } from '../support/server.ts';
import { visit } from '../support/visit.ts';

const KEY = 'the-first-key-of-an-empty-database';

let postgres: PostgresServer;
let program: Program & { origin: string };
let owner: Caller;
let metrics: string;
beforeAll(async () => {
  postgres = await startPostgres();
  const port = await freePort();
  metrics = `http://127.0.0.1:${port}/metrics`;
  program = await startProgram({
    DATABASE_URL: postgres.url,
    DATABASE_STATEMENT_TIMEOUT: '1000',
    BASE_URL: 'https://s.example',
    INITIAL_API_KEY: KEY,
    METRICS_PORT: String(port),
  });
  owner = new Caller(program.origin, KEY);
  // The metrics count waiting deliveries.
  const webhook = '{ url: "https://hook.example/", events: [SPACE_CREATED] }';
  await owner.data(`mutation { createWebhook(input: ${webhook}) { ... on CreatedWebhook { secret } } }`);
});
afterAll(async () => {
  postgres.freeze(false);
  await program.end('SIGTERM');
  await postgres.stop();
});

const awayBy = async (url: string) => {
  const text = await (await fetch(url)).text();
  return /^linkspace_database_away (\d)$/m.exec(text)?.[1] ?? text;
};

const isAway = () => awayBy(metrics);

test('redirects cached links while the database hangs, refuses the rest and stops in time, and recovers', async () => {
  const other = await startProgram({ DATABASE_URL: postgres.url, BASE_URL: 'https://s.example' });
  const { id, alias } = await owner.link();
  const open = (path: string) => timed(visit(program.origin, path));
  expect((await open(`/${alias}`))[0].status).toBe(302);
  expect((await visit(other.origin, `/${alias}`)).status).toBe(302);
  expect(await isAway()).toBe('0');
  postgres.freeze(true);
  const hungAt = performance.now();
  const ending = setTimeout(1_500).then(() => timed(other.end('SIGTERM')));
  let known = 0;
  while (known < 10 || performance.now() - hungAt < 2_500) {
    const [{ status }, took] = await open(`/${alias}`);
    expect(status).toBe(302);
    expect(took).toBeLessThan(300);
    known++;
    await setTimeout(50);
  }
  expect(await isAway()).toBe('1');
  const answers = await Promise.all([
    open('/unknown'),
    timed(owner.rest('GET', '/links')),
    timed(owner.rest('POST', '/links', { url: 'https://example.com/' })),
    timed(owner.graphql('{ links { totalCount } }')),
    timed(new Caller(program.origin, 'a-key-that-nobody-has-seen-before-now').rest('GET', '/links')),
    timed(owner.fetch('/readyz')),
  ]);
  expect(answers.map(([{ status }]) => status)).toEqual(answers.map(() => 503));
  for (const [, took] of answers) expect(took).toBeLessThan(4_000);
  // A service manager's timeout.
  expect((await ending)[1]).toBeLessThan(15_000);
  postgres.freeze(false);
  const clicks = async () => {
    const { body } = await owner.rest('GET', `/links/${id}`);
    return (body as { data?: { clicks: number } }).data?.clicks;
  };
  await expect.poll(clicks, { interval: 200 }).toBe(known + 1);
  expect(await isAway()).toBe('0');
});

test('many visits of one link leave room for cached links while the database hangs', async () => {
  const { alias } = await owner.link();
  const limited = await owner.link({ expiration_clicks: '9' });
  const open = async (path: string) => (await visit(program.origin, path)).status;
  expect(await open(`/${alias}`)).toBe(302);
  postgres.freeze(true);
  await expect.poll(isAway).toBe('1');
  // More visits than the service answers at once. Links with a click limit are never cached.
  const crowd = Promise.all(Array.from({ length: 1_100 }, () => open(`/${limited.alias}`)));
  await setTimeout(500);
  expect(await open(`/${alias}`)).toBe(302);
  expect(new Set(await crowd)).toEqual(new Set([503]));
  postgres.freeze(false);
  await expect.poll(isAway).toBe('0');
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
  postgres.freeze(true);
  try {
    const answers = await Promise.all([
      timed(owner.graphql(query)),
      timed(owner.rest('GET', `/links/${id}`)),
      // Long reads of an account wait for each other.
      timed(owner.graphql(search)),
      timed(owner.graphql(search)),
    ]);
    for (const [{ status }, took] of answers) {
      expect(status).toBe(503);
      expect(took).toBeGreaterThan(1_000);
      expect(took).toBeLessThan(3_500);
    }
  } finally {
    postgres.freeze(false);
  }
});

test('metrics of workers report a database that hangs', async () => {
  const port = await freePort();
  const shared = await startProgram({
    DATABASE_URL: postgres.url,
    DATABASE_STATEMENT_TIMEOUT: '1000',
    BASE_URL: 'https://s.example',
    METRICS_PORT: String(port),
    WORKERS: '2',
  });
  const url = `http://127.0.0.1:${port}/metrics`;
  await expect.poll(() => awayBy(url)).toBe('0');
  postgres.freeze(true);
  await expect.poll(() => awayBy(url)).toBe('1');
  postgres.freeze(false);
  await shared.end('SIGTERM');
});
