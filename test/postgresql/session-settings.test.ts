import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applyMigrations } from '../../src/db/apply-migrations.ts';
import { connectTo } from '../../src/engine/db/postgresql/client.ts';
import { runCommand } from '../support/command.ts';
import { newDatabase, onServer, settled } from '../support/database.ts';
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { refusalOf } from '../support/service.ts';
import { visit } from '../support/visit.ts';

// Each of the settings needs a database, and most a service: 5 s of processor time.

/** Settings of a database that change what values look like or what statements find; each is the opposite of the usual one. */
const UNUSUAL: Readonly<Record<string, string>> = {
  DateStyle: 'German',
  TimeZone: 'Asia/Kolkata',
  IntervalStyle: 'sql_standard',
  array_nulls: 'off',
  bytea_output: 'escape',
  client_encoding: 'LATIN1',
  default_transaction_isolation: 'serializable',
  extra_float_digits: '-15',
  gin_fuzzy_search_limit: '1',
  lock_timeout: '1min',
  quote_all_identifiers: 'on',
  row_security: 'off',
  standard_conforming_strings: 'off',
  statement_timeout: '1min',
  transform_null_equals: 'on',
};

async function set(url: string, settings: Readonly<Record<string, string>>): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  for (const [setting, value] of Object.entries(settings))
    await onServer(url, `ALTER DATABASE "${name}" SET "${setting}" = '${value}'`);
}

const servers: TestServer[] = [];

/** @param migrated false to migrate with the settings, too */
async function start(
  settings: Readonly<Record<string, string>>,
  { migrated = true } = {},
): Promise<TestServer> {
  const url = await newDatabase({ migrated });
  await set(url, settings);
  if (!migrated) await applyMigrations(url);
  const server = await startTestServer({ url });
  servers.push(server);
  return server;
}

afterAll(() => Promise.all(servers.map((server) => server.stop())));

/** Collects the answers that clients and visitors get of a server, with all times, lists and counts in them. */
async function story(server: TestServer): Promise<unknown> {
  const owner = await server.caller();
  const ended = await owner.link({ alias: 'ended', expiration_date: '2026-11-01', expiration_time: '10:30' });
  for (const alias of ['one', 'two', 'three'])
    await owner.link({ alias, title: `A needle ${alias} \\ 'x' Łódź` });
  await owner.rest('PATCH', `/links/${ended.id}`, { title: 'A needle changed' });
  await visit(server.origin, '/two');
  await server.flush();
  const imported = await owner.data(
    `mutation ($text: String!) { importLinks(text: $text, format: CSV) { results { status reason } } }`,
    {
      text: 'url,alias,clicks,created at,expires at\nhttps://example.com/x,four,7,2026-01-02T03:04:05Z,2027-01-02T03:04:05Z',
    },
  );
  await settled(server.database);
  return {
    ended,
    imported,
    answers: [
      await owner.rest('GET', '/links?per_page=100'),
      await owner.rest('GET', '/links?search=needle'),
    ].map(({ body }) => (body as { data: unknown }).data),
    visits: await Promise.all(
      ['/ended', '/one', '/two', '/four'].map(async (path) => {
        const { status, location } = await visit(server.origin, path);
        return { path, status, location };
      }),
    ),
    data: await owner.data(`{
      links(first: 10, filter: { search: "needle" }) { totalCount edges { node { alias title createdAt updatedAt expiration { at } clicks lastClickedAt } } }
      changes(first: 10) { edges { node { at action kind fields } } }
    }`),
    expired: await owner.data(
      '{ links(filter: { status: EXPIRED }) { edges { node { alias expiration { at } } } } }',
    ),
  };
}

let usual: unknown;
beforeAll(async () => {
  usual = await story(await start({}));
});

test('answers and redirects are the same whatever settings the database has', async () => {
  expect(await story(await start(UNUSUAL, { migrated: false }))).toEqual(usual);
});

test('settings of the URL do not change them either', async () => {
  const url = new URL(await newDatabase());
  url.searchParams.set('options', '-c datestyle=SQL -c array_nulls=off');
  const server = await startTestServer({ url: url.href });
  servers.push(server);
  expect(await story(server)).toEqual(usual);
});

/** Runs a start on a database with these settings, through the pooler if there is one. Returns its refusal. */
async function refusalWith(settings: Readonly<Record<string, string>>, pooler?: PgBouncer) {
  const url = await newDatabase();
  await set(url, settings);
  const DATABASE_URL = pooler?.pooled(url) ?? url;
  const name = new URL(url).pathname.slice(1);
  const ran = await runCommand('keys', { DATABASE_URL }, ['list']);
  return { name, refusal: await refusalOf({ DATABASE_URL }), ran };
}

test('refuses to start where triggers are off, which no connection can change', async () => {
  const { name, refusal, ran } = await refusalWith({ session_replication_role: 'replica' });
  const line = `PostgreSQL's setting session_replication_role of the database of DATABASE_URL is "replica", with which data would go wrong: run ALTER ROLE "postgres" IN DATABASE "${name}" SET session_replication_role = 'origin'.`;
  expect(refusal).toBe(line);
  expect(ran).toEqual({ code: 1, stdout: '', stderr: `${line}\n` });
});

test('a read-only database is named at the start', async () => {
  const { name, refusal } = await refusalWith({ default_transaction_read_only: 'on' });
  expect(refusal).toMatch(
    new RegExp(`^The database "${name}" at \\S+, which DATABASE_URL names, is read-only: .*\\.$`),
  );
});

test('what waits longer for a lock than the role may gets 503', async () => {
  const server = await start({ lock_timeout: '20ms' });
  const owner = await server.caller();
  const { id } = await owner.link();
  const other = await connectTo(server.databaseUrl);
  await other.query(`BEGIN; SELECT 1 FROM "Link" FOR UPDATE`);
  const { status } = await owner.rest('PATCH', `/links/${id}`, { title: 'x' });
  await other.end();
  expect(status).toBe(503);
});

test('a migration waits longer than the role may', async () => {
  const url = await newDatabase({ migrated: false });
  await set(url, { lock_timeout: '20ms' });
  const other = await connectTo(url);
  await other.query('SELECT pg_advisory_lock(72707369)');
  const progress = {
    begins() {},
    // Longer than the limit of the role.
    waits: () => void setTimeout(100).then(() => other.end()),
  };
  expect(await applyMigrations(url, { progress })).not.toEqual([]);
});

describe.runIf(hasPgBouncer)('behind PgBouncer in transaction mode', () => {
  let pooler: PgBouncer;
  beforeAll(async () => {
    pooler = await startPgBouncer(await newDatabase({ migrated: false }));
  });
  afterAll(() => pooler.stop());

  test('answers and redirects are the same whatever the database has that the pooler passes on', async () => {
    const url = await newDatabase();
    const { DateStyle = '', TimeZone = '', standard_conforming_strings = '' } = UNUSUAL;
    await set(url, { DateStyle, TimeZone, standard_conforming_strings, client_encoding: 'LATIN1' });
    const server = await startTestServer({ url: pooler.pooled(url) });
    servers.push(server);
    expect(await story(server)).toEqual(usual);
  });

  test.each([
    ['array_nulls', 'off', 'on'],
    ['default_transaction_isolation', 'repeatable read', 'read committed'],
    ['gin_fuzzy_search_limit', '5', '0'],
    ['session_replication_role', 'local', 'origin'],
  ])('refuses to start with %s = %s, and says what to do', async (setting, value, needed) => {
    const { name, refusal, ran } = await refusalWith({ [setting]: value }, pooler);
    const line = `PostgreSQL's setting ${setting} behind the connection pooler of DATABASE_URL is "${value}", with which data would go wrong: run ALTER ROLE "postgres" IN DATABASE "${name}" SET ${setting} = '${needed}', and have the pooler open new connections.`;
    expect(refusal).toBe(line);
    expect(ran).toEqual({ code: 1, stdout: '', stderr: `${line}\n` });
  });
});
