import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { migrations } from '../../src/db/migrations.ts';
import { connectTo } from '../../src/engine/db/postgresql/client.ts';
import { OperatorError } from '../../src/engine/tools/operator-error.ts';
import { runCommand } from '../support/command.ts';
import { newDatabase } from '../support/database.ts';
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { Caller } from '../support/server.ts';
import { type StartedService, startService } from '../support/service.ts';
import { visit } from '../support/visit.ts';

const KEY = 'the-first-key-of-an-empty-database';
describe.runIf(hasPgBouncer)('behind PgBouncer in transaction mode', () => {
  let pooler: PgBouncer;
  const services: StartedService[] = [];

  beforeAll(async () => {
    pooler = await startPgBouncer(await newDatabase({ migrated: false }));
  });
  afterEach(async () => {
    await Promise.all(services.splice(0).map((service) => service.stop()));
  });
  afterAll(() => pooler.stop());

  async function start(env: Record<string, string>): Promise<StartedService> {
    const service = await startService({ BASE_URL: 'https://s.example', INITIAL_API_KEY: KEY, ...env });
    services.push(service);
    return service;
  }

  test('the service and the command refuse to migrate through it, and say what to do', async () => {
    const url = await newDatabase({ migrated: false });
    const env = { DATABASE_URL: pooler.pooled(url) };
    const message =
      'DATABASE_URL is that of a connection pooler, through which migrations cannot be made. Name the PostgreSQL server itself in DATABASE_DIRECT_URL, and try again; nothing was changed.';
    await expect(start(env)).rejects.toThrow(new OperatorError(message));
    expect(await runCommand('migrate', env)).toMatchObject({ code: 1, stderr: `${message}\n` });
    const client = await connectTo(url);
    const { rows } = await client.query("SELECT * FROM pg_tables WHERE schemaname = 'public'");
    await client.end();
    expect(rows).toEqual([]);
  });

  test('migrate connects to the server directly if that is configured', async () => {
    const url = await newDatabase({ migrated: false });
    const { code } = await runCommand('migrate', {
      DATABASE_URL: pooler.pooled(url),
      DATABASE_DIRECT_URL: url,
    });
    expect([code, (await migrations.stateAt(url)).pending]).toEqual([0, []]);
  });

  test('two simultaneous first starts succeed, and see each other’s changes', async () => {
    const url = await newDatabase({ migrated: false });
    const env = { DATABASE_URL: pooler.pooled(url), DATABASE_DIRECT_URL: url };
    const [one, two] = await Promise.all([start(env), start(env)]);
    const owner = new Caller(one.origin, KEY);
    const links = await Promise.all(
      Array.from({ length: 30 }, (_, i) => new Caller([one, two][i % 2]?.origin ?? '', KEY).link()),
    );
    for (const { alias } of links) expect((await visit(two.origin, `/${alias}`)).status).toBe(302);
    const [{ id, alias } = { id: 0, alias: '' }] = links;
    await owner.rest('PATCH', `/links/${id}`, { url: 'https://example.com/changed' });
    await expect
      .poll(async () => (await visit(two.origin, `/${alias}`)).location)
      .toBe('https://example.com/changed');
    const lists = await Promise.all(
      Array.from({ length: 50 }, () => owner.rest('GET', '/links?per_page=100')),
    );
    expect(new Set(lists.map(({ status }) => status))).toEqual(new Set([200]));
    expect(one.log.filter(({ level }) => Number(level) > 30)).toEqual([]);
  });

  test('serves a migrated database without a direct connection, and logs what is missing', async () => {
    const env = { DATABASE_URL: pooler.pooled(await newDatabase()) };
    const [one, two] = [await start(env), await start(env)];
    const owner = new Caller(one.origin, KEY);
    const { id, alias } = await owner.link();
    expect((await visit(two.origin, `/${alias}`)).status).toBe(302);
    await owner.rest('PATCH', `/links/${id}`, { disabled: 1 });
    await expect.poll(async () => (await visit(two.origin, `/${alias}`)).status).toBe(410);
    expect(one.log).toContainEqual(
      expect.objectContaining({ msg: expect.stringContaining('without DATABASE_DIRECT_URL') }),
    );
  });
});
