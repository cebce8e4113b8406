import { hash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { connectTo } from '../../src/engine/db/postgresql/client.ts';
import { runCommand } from '../support/command.ts';
import { newDatabase, onServer } from '../support/database.ts';
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { Caller } from '../support/server.ts';
import { refusalOf, type StartedService, startService } from '../support/service.ts';
import { visit } from '../support/visit.ts';

// All migrations run in several schemas, and services on them: 7 s of processor time.

const KEY = 'the-first-key-of-an-empty-database';
const services: StartedService[] = [];

afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.end()));
});

async function start(env: Record<string, string>): Promise<StartedService> {
  const service = await startService({ BASE_URL: 'https://s.example', INITIAL_API_KEY: KEY, ...env });
  services.push(service);
  return service;
}

const withSchema = (url: string, schema: string) => `${url}?schema=${encodeURIComponent(schema)}`;
const databaseName = (url: string) => new URL(url).pathname.slice(1);

/** Rows of a statement on a database. */
async function readRows(url: string, statement: string): Promise<unknown[][]> {
  const client = await connectTo(url);
  const { rows } = await client.query({ text: statement, rowMode: 'array' }).finally(() => client.end());
  return rows;
}

/** Counts each schema's own tables, indexes and functions. */
function contentsOf(url: string): Promise<unknown[][]> {
  return readRows(
    url,
    `SELECT "nspname"::text, (SELECT COUNT(*)::int FROM pg_tables WHERE "schemaname" = "nspname"),
      (SELECT COUNT(*)::int FROM pg_indexes WHERE "schemaname" = "nspname"),
      (SELECT COUNT(*)::int FROM pg_proc WHERE "pronamespace" = pg_namespace."oid" AND NOT EXISTS
        (SELECT 1 FROM pg_depend WHERE "objid" = pg_proc."oid" AND "deptype" = 'e'))
    FROM pg_namespace WHERE "nspname" !~ '^(pg_|information_schema)' ORDER BY 1`,
  );
}

let usual: unknown[] = [];
beforeAll(async () => {
  [[, ...usual] = []] = await contentsOf(await newDatabase());
});
const nothing = [0, 0, 0];

/** Creates, changes, visits and finds links, and runs commands, which use all tables and triggers. */
async function useAll(env: Record<string, string>, first = 1): Promise<void> {
  const { origin } = await start(env);
  const owner = new Caller(origin, KEY);
  const { id } = await owner.link({ alias: 'here', title: 'A needle', expiration_clicks: 5 });
  expect(id).toBe(first);
  expect((await visit(origin, '/here')).status).toBe(302);
  await owner.rest('PATCH', `/links/${id}`, { title: 'A changed needle' });
  const tag = await owner.tag('Blue');
  await owner.rest('PATCH', `/links/${id}`, { tag_ids: tag });
  expect(
    await owner.data(`{
      links(first: 5, filter: { search: "needle" }, orderBy: { field: CLICKS }) {
        totalCount nodes { alias clicks tags { name } statistics { clicks } }
      }
      anywhere: links(filter: { search: "needle", searchBy: ANYWHERE }) { totalCount }
      viewer { account { topLinks { nodes { clicks } } } }
    }`),
  ).toMatchObject({
    links: { totalCount: 1, nodes: [{ alias: 'here', clicks: 1, tags: [{ name: 'Blue' }] }] },
    anywhere: { totalCount: 1 },
  });
  // An open transaction of any database of the server keeps changes back.
  await expect
    .poll(() => owner.data('{ changes(first: 10) { nodes { kind action } } }'))
    .toEqual({ changes: { nodes: expect.arrayContaining([{ kind: 'TAG', action: 'CREATED' }]) } });
  const imported = await owner.data(
    'mutation ($text: String!) { importLinks(text: $text, format: CSV) { results { status } } }',
    { text: 'url,alias,clicks\nhttps://example.com/x,four,7' },
  );
  expect(imported).toEqual({ importLinks: { results: [{ status: 'CREATED' }] } });
  expect(await owner.data('mutation { deleteLinks(ids: [2]) { __typename } }')).toBeDefined();
  for (const [name, ...args] of [
    ['keys', 'list'],
    ['users', 'list'],
    ['domains', 'list'],
    ['migrate'],
  ] as const)
    expect(await runCommand(name, env, [...args])).toMatchObject({ code: 0, stderr: '' });
  const made = await runCommand('keys', env, ['create', '--account', 'Other']);
  expect(made.code).toBe(0);
}

test('a URL can name a schema, which is made', async () => {
  const url = await newDatabase({ migrated: false });
  const schema = 'Link "Kette" ü';
  await useAll({ DATABASE_URL: withSchema(url, schema) });
  expect(await contentsOf(url)).toEqual([
    [schema, ...usual],
    ['public', ...nothing],
  ]);
});

test.each([
  ['search_path of the role', ' SET search_path = links, public', ''],
  ['options of the URL', '', '?options=-c%20search_path%3Dlinks'],
])('%s can name it', async (_name, setting, query) => {
  const url = await newDatabase({ migrated: false });
  await onServer(url, 'CREATE SCHEMA links');
  if (setting) await onServer(url, `ALTER DATABASE "${databaseName(url)}" ${setting}`);
  const DATABASE_URL = url + query;
  const { origin } = await start({ DATABASE_URL });
  await new Caller(origin, KEY).link({ alias: 'here' });
  expect((await visit(origin, '/here')).status).toBe(302);
  expect((await runCommand('keys', { DATABASE_URL }, ['list'])).code).toBe(0);
  expect(await contentsOf(url)).toEqual([
    ['links', ...usual],
    ['public', ...nothing],
  ]);
});

test('refuses a search_path without a schema that exists', async () => {
  const url = await newDatabase({ migrated: false });
  await onServer(url, `ALTER DATABASE "${databaseName(url)}" SET search_path = links`);
  expect(await refusalOf({ DATABASE_URL: url })).toBe(
    `The database "${databaseName(url)}" of DATABASE_URL has no schema of its search_path, links. Make one, or name one in the URL: ?schema=NAME`,
  );
});

test('refuses a direct connection to another schema', async () => {
  const url = await newDatabase({ migrated: false });
  await onServer(url, 'CREATE SCHEMA links');
  const env = { DATABASE_URL: url, DATABASE_DIRECT_URL: `${url}?options=-c%20search_path%3Dlinks` };
  expect(await refusalOf(env)).toMatch(
    /^The schema "public" of DATABASE_URL lacks \d+ migrations, which DATABASE_DIRECT_URL has: both must name one database, and one \?schema=\.$/,
  );
});

test('says what a role needs that may not make the schema, or tables in it', async () => {
  const url = new URL(await newDatabase({ migrated: false }));
  const database = url.pathname.slice(1);
  const role = `guest_${database}`;
  await onServer(url.href, `CREATE ROLE "${role}" LOGIN`);
  url.username = role;
  expect(await refusalOf({ DATABASE_URL: withSchema(url.href, 'links') })).toBe(
    `The user "${role}" of DATABASE_URL may not create the schema "links" in the database "${database}". As a superuser, run in that database CREATE SCHEMA "links" AUTHORIZATION "${role}".`,
  );
  url.username = 'postgres';
  await onServer(url.href, 'CREATE SCHEMA links');
  url.username = role;
  expect(await refusalOf({ DATABASE_URL: withSchema(url.href, 'links') })).toBe(
    `The user "${role}" of DATABASE_URL may not create tables in the schema links of the database "${database}". As a superuser, run in that database GRANT CREATE, USAGE ON SCHEMA "links" TO "${role}".`,
  );
});

describe('beside an installation in public', () => {
  let url: string;
  let own: string;
  const refusal = (schema: string, variable = 'DATABASE_URL') =>
    `The schema "${schema}" of ${variable} has no tables of this program, but the schema "public" of the database "${databaseName(url)}" has. To use those, name it in the URL: ?schema=public. For another installation in "${schema}", run "npm run migrate -- --new-schema" once.`;

  beforeAll(async () => {
    url = await newDatabase();
    own = withSchema(url, 'links');
  });

  test('refuses a schema without tables at every door, until it is wanted', async () => {
    const env = { DATABASE_URL: own };
    const stderr = `${refusal('links')}\n`;
    expect(await refusalOf(env)).toBe(refusal('links'));
    expect(await refusalOf({ ...env, ROLE: 'redirects' })).toBe(refusal('links'));
    expect(await runCommand('keys', env, ['list'])).toEqual({ code: 1, stdout: '', stderr });
    for (const args of [[], ['--status']])
      expect(await runCommand('migrate', env, args)).toEqual({ code: 1, stdout: '', stderr });
    const direct = { DATABASE_URL: url, DATABASE_DIRECT_URL: own };
    expect(await refusalOf(direct)).toBe(refusal('links', 'DATABASE_DIRECT_URL'));
    const empty = await newDatabase({ migrated: false });
    for (const [args, option] of [
      [['--from', own, '--to', empty], '--from'],
      [['--from', url, '--to', own], '--to'],
    ] as const)
      expect((await runCommand('copy', {}, [...args])).stderr).toContain(refusal('links', option));
    const named = `${url}?options=-c%20search_path%3Dlinks%2Cpublic`;
    await onServer(url, 'CREATE SCHEMA IF NOT EXISTS links');
    expect(await refusalOf({ DATABASE_URL: named })).toBe(refusal('links'));
    expect(await contentsOf(url)).toEqual([
      ['links', ...nothing],
      ['public', ...usual],
    ]);
    expect((await runCommand('migrate', env, ['--new-schema'])).stdout).toContain('Applied:');
    expect((await runCommand('migrate', env, ['--new-schema'])).stdout).toBe('Nothing was pending.\n');
    expect(await contentsOf(url)).toEqual([
      ['links', ...usual],
      ['public', ...usual],
    ]);
    expect(await refusalOf({ DATABASE_URL: named, INITIAL_API_KEY: KEY })).toBeUndefined();
  });

  test('two installations share nothing', async () => {
    const client = await connectTo(url);
    const heard: string[] = [];
    client.on('notification', ({ channel }) => heard.push(channel));
    const suffix = hash('md5', 'links');
    await client.query(`LISTEN linkspace; LISTEN linkspace_${suffix}`);
    await start({ DATABASE_URL: url });
    // Of its own, it announces the day that it begins, once it is ready.
    await expect.poll(() => heard).toContain('linkspace');
    heard.length = 0;
    // A migration of the other installation is under way, and holds its lock.
    await client.query('SELECT pg_advisory_lock(72707369)');
    await runCommand('migrate', { DATABASE_URL: withSchema(url, 'more') }, ['--new-schema']);
    await useAll({ DATABASE_URL: own });
    const made = await runCommand('keys', { DATABASE_URL: own }, ['revoke', '2']);
    expect(made.stderr).toBe('');
    await expect.poll(() => heard).toContain(`linkspace_${suffix}`);
    expect(heard).not.toContain('linkspace');
    await client.end();
    expect(await readRows(url, 'SELECT COUNT(*)::int FROM public."Link"')).toEqual([[0]]);
    expect(await readRows(url, 'SELECT "name" FROM public."Account"')).toEqual([['default']]);
  });

  test('copy moves an installation from one schema to another', async () => {
    const to = withSchema(url, 'moved');
    await runCommand('migrate', { DATABASE_URL: to }, ['--new-schema']);
    const { code, stderr } = await runCommand('copy', {}, ['--from', own, '--to', to]);
    expect([code, stderr]).toEqual([0, '']);
    expect(await readRows(url, `SELECT "alias" FROM "moved"."Link"`)).toEqual([['here']]);
    const made = `SELECT nextval('moved."Link_id_seq"')::int`;
    expect(await readRows(url, made)).toEqual([[3]]);
  });
});

test('SQLite has no schemas', async () => {
  expect(await runCommand('migrate', { DATABASE_URL: 'file:/nowhere' }, ['--new-schema'])).toEqual({
    code: 1,
    stdout: '',
    stderr: '--new-schema is for PostgreSQL: a SQLite file has one installation. See --help.\n',
  });
});

describe.runIf(hasPgBouncer)('behind PgBouncer in transaction mode', () => {
  let pooler: PgBouncer;
  beforeAll(async () => {
    pooler = await startPgBouncer(await newDatabase({ migrated: false }));
  });
  afterAll(() => pooler.stop());

  test('the schema is used whatever the role searches', async () => {
    const url = await newDatabase({ migrated: false });
    // With those of another installation, everything without a schema would be found there.
    await start({ DATABASE_URL: url });
    const DATABASE_URL = withSchema(pooler.pooled(url), 'links');
    const env = { DATABASE_URL, DATABASE_DIRECT_URL: url };
    await runCommand('migrate', env, ['--new-schema']);
    await useAll(env);
    expect(await readRows(url, 'SELECT COUNT(*)::int FROM public."Link"')).toEqual([[0]]);
    expect(await readRows(url, 'SELECT COUNT(*)::int FROM public."Change"')).toEqual([[0]]);
    const visitors = await start({ ...env, ROLE: 'redirects' });
    expect((await visit(visitors.origin, '/here')).status).toBe(302);
  });

  test('refuses tables in public whose triggers the role would not find', async () => {
    const url = await newDatabase();
    const name = databaseName(url);
    await onServer(url, 'CREATE SCHEMA other');
    await onServer(url, `ALTER DATABASE "${name}" SET search_path = other`);
    expect(await refusalOf({ DATABASE_URL: withSchema(pooler.pooled(url), 'public') })).toBe(
      `PostgreSQL's setting search_path behind the connection pooler of DATABASE_URL is "other", with which data would go wrong: run ALTER ROLE "postgres" IN DATABASE "${name}" SET search_path = 'public', and have the pooler open new connections.`,
    );
    // Without a pooler, each connection says what it searches.
    expect(await refusalOf({ DATABASE_URL: withSchema(url, 'public') })).toBeUndefined();
  });
});
