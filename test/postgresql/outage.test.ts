import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { Caller } from '../support/server.ts';
import { type StartedService, startService } from '../support/service.ts';
import { visit } from '../support/visit.ts';

const KEY = 'the-first-key-of-an-empty-database';

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

/** A service on the database. */
function start(env: Record<string, string> = {}): Promise<StartedService> {
  return startService({
    DATABASE_URL: postgres.url,
    BASE_URL: 'https://s.example',
    INITIAL_API_KEY: KEY,
    ...env,
  });
}

/** A service that ends with the test, and its first account. */
async function startForTest(env: Record<string, string> = {}): Promise<Caller> {
  const service = await start(env);
  onTestFinished(() => service.stop());
  return new Caller(service.origin, KEY);
}

async function onServer(statement: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  return client
    .query(statement)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}

test('returns 503 for a statement that exceeds the time limit', async () => {
  const owner = await startForTest({ DATABASE_STATEMENT_TIMEOUT: '200' });
  const blocker = new Client({ connectionString: postgres.url });
  await blocker.connect();
  await blocker.query('BEGIN; LOCK TABLE "Link"');
  const { status, headers } = await owner.rest('GET', '/links');
  await blocker.end();
  expect([status, headers.get('Retry-After')]).toEqual([503, '1']);
  expect((await owner.rest('GET', '/links')).status).toBe(200);
});

test('a process opens at most the connections of its pool, plus one for notifications', async () => {
  const owner = await startForTest({ DATABASE_POOL_SIZE: '2' });
  await Promise.all(Array.from({ length: 30 }, () => owner.rest('GET', '/links')));
  const rows = await onServer(`SELECT query FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`);
  const listening = rows.filter(({ query }) => String(query).includes('notify'));
  expect([rows.length, listening.length]).toEqual([3, 1]);
});

describe('a running service during an outage of PostgreSQL', () => {
  let service: StartedService;
  let owner: Caller;
  beforeAll(async () => {
    service = await start();
    owner = new Caller(service.origin, KEY);
  });
  afterAll(() => service.stop());

  test('loses or doubles no acknowledged write when the server is killed and restarted under load', async () => {
    const acknowledged: string[] = [];
    const refused = new Set<number>();
    let sent = 0;
    let recoveredAt = 0;
    let backAt = Number.POSITIVE_INFINITY;
    let going = true;
    const writer = async () => {
      while (going) {
        const title = `Write ${sent++}`;
        const { status, headers } = await owner.rest('POST', '/links', {
          url: 'https://example.com/',
          title,
        });
        if (status === 201) {
          acknowledged.push(title);
          if (performance.now() > backAt) recoveredAt ||= performance.now();
        } else {
          refused.add(status);
          expect(headers.get('Retry-After')).toBe('1');
          await setTimeout(20);
        }
      }
    };
    const writers = Promise.all(Array.from({ length: 8 }, writer));
    await expect.poll(() => acknowledged.length).toBeGreaterThan(10);
    await postgres.kill();
    await expect.poll(() => refused.size).toBeGreaterThan(0);
    const [readyz, rest, graphql] = await Promise.all([
      owner.fetch('/readyz'),
      owner.rest('GET', '/links'),
      owner.graphql('{ links { totalCount } }'),
    ]);
    await postgres.start();
    backAt = performance.now();
    await expect.poll(() => recoveredAt).toBeGreaterThan(0);
    const recovered = acknowledged.length;
    await expect.poll(() => acknowledged.length).toBeGreaterThan(recovered + 20);
    going = false;
    await writers;

    expect(refused).toEqual(new Set([503]));
    expect([readyz.status, rest.status, rest.headers.get('Retry-After')]).toEqual([503, 503, '1']);
    expect(rest.body).toEqual({ message: 'The database is not available. Try again shortly.', status: 503 });
    expect([graphql.status, graphql.headers.get('Retry-After')]).toEqual([503, '1']);
    expect(graphql.errors).toMatchObject([{ extensions: { code: 'UNAVAILABLE' } }]);
    const rows = await onServer(`SELECT title, COUNT(*)::int AS times FROM "Link" GROUP BY title`);
    const times = new Map(rows.map((row) => [row.title, row.times]));
    expect(acknowledged.length).toBeGreaterThan(10);
    expect(acknowledged.filter((title) => times.get(title) !== 1)).toEqual([]);
    expect([...times.values()].every((count) => count === 1)).toBe(true);
    expect((await owner.fetch('/readyz')).status).toBe(200);
  });

  test('says why it is not ready', async () => {
    const readiness = async () => (await owner.fetch('/readyz')).status;
    const told = () => service.log.filter(({ msg }) => String(msg).includes('not ready'));
    const before = told().length;
    const said = async (count: number) => {
      await expect.poll(() => told().length).toBe(before + count);
      return told().slice(before);
    };
    await onServer('ALTER TABLE "_prisma_migrations" RENAME TO "away"');
    expect([await readiness(), await readiness()]).toEqual([503, 503]);
    await onServer('ALTER TABLE "away" RENAME TO "_prisma_migrations"');
    expect(await readiness()).toBe(200);
    await postgres.kill();
    expect(await readiness()).toBe(503);
    await postgres.start();
    await expect.poll(readiness).toBe(200);
    expect(await said(4)).toMatchObject([
      {
        level: 40,
        err: { message: expect.stringMatching(/^The database lacks \d+ .*migrations/) },
        msg: 'not ready',
      },
      { level: 30, times: 2, msg: 'no longer: not ready' },
      { level: 40, err: { code: expect.any(String), message: expect.any(String) }, msg: 'not ready' },
      { level: 30, msg: 'no longer: not ready' },
    ]);
  });

  test('redirects visitors of known links while the server is down, and writes their clicks afterwards', async () => {
    const { id, alias } = await owner.link();
    expect((await visit(service.origin, `/${alias}`)).status).toBe(302);
    await postgres.kill();
    const away = await Promise.all(Array.from({ length: 20 }, () => visit(service.origin, `/${alias}`)));
    const unknown = await visit(service.origin, '/unknown');
    const open = (path: string, Accept: string, Host = 's.example') =>
      visit(service.origin, path, { headers: { Accept, Host } });
    const pages = await Promise.all(
      ['/', '/console', '/docs', '/graphql'].map((path) => open(path, 'text/html')),
    );
    const nothing = await open('/docs/assets/%ff', 'application/json');
    const elsewhere = await open('/docs', 'text/html', 'never-seen.example');
    const lines = () => service.stdout.split('\n').filter((line) => /"level":[45]0/.test(line));
    await expect.poll(() => lines().join()).toContain('clicks cannot be written');
    await postgres.start();
    expect(new Set(away.map(({ status }) => status))).toEqual(new Set([302]));
    expect([unknown.status, unknown.headers['retry-after']]).toEqual([503, '1']);
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(pages[0]?.body).toContain('href="/console"');
    expect([nothing.status, nothing.body]).toEqual([404, '{"message":"Nothing is here.","status":404}']);
    expect(elsewhere.status).toBe(503);
    const clicks = async () => {
      const { body } = await owner.rest('GET', `/links/${id}`);
      return (body as { data?: { clicks: number } }).data?.clicks;
    };
    await expect.poll(clicks).toBe(21);
    expect(lines().filter((line) => line.length > 400 || /stack|prisma/.test(line))).toEqual([]);
  });

  test('gives an alias to one of twenty requests over two processes', async () => {
    const callers = [owner, await startForTest()];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        callers[index % 2]?.rest('POST', '/links', { url: 'https://example.com/', alias: 'wanted' }),
      ),
    );
    const statuses = answers.map((answer) => answer?.status).sort();
    expect(statuses).toEqual([201, ...Array(19).fill(422)]);
  });

  test('announces a revoked key by notification', async () => {
    const listener = new Client({ connectionString: postgres.url });
    await listener.connect();
    const heard = new Promise((resolve) => listener.on('notification', ({ payload }) => resolve(payload)));
    await listener.query('LISTEN linkspace');
    await onServer(`UPDATE "ApiKey" SET "revokedAt" = now() WHERE "revokedAt" IS NULL`);
    expect(await heard).toBe('keys');
    await listener.end();
    await expect.poll(async () => (await owner.rest('GET', '/links')).status).toBe(401);
  });
});
