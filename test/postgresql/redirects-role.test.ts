import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { Metrics } from '../../src/app/service/metrics.ts';
import { applyMigrations } from '../../src/db/apply-migrations.ts';
import { timed } from '../support/fair-time.ts';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { type Caller, startTestServer, type TestServer, type TestServerOptions } from '../support/server.ts';
import { refusalOf } from '../support/service.ts';
import { visit } from '../support/visit.ts';

let primary: PostgresServer;
let proxy: PostgresProxy;
let replica: PostgresServer;
let everything: TestServer;
let redirects: TestServer;
let owner: Caller;
const metrics = new Metrics();
const readStatements: string[] = [];

async function onServer(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  return client
    .query(statement)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}

/** A process for visitors only, which reaches the primary through the proxy. */
function startRedirects(url: string, options: TestServerOptions = {}): Promise<TestServer> {
  return startTestServer({
    url,
    role: 'redirects',
    databaseReadUrls: [replica.url],
    background: true,
    onStatement: (sql, _seconds, from) => from === replica.url && readStatements.push(sql),
    ...options,
  });
}

beforeAll(async () => {
  primary = await startPostgres();
  await applyMigrations(primary.url);
  await primary.kill('SIGINT');
  // At first, it finds the primary down, and would ask again after five seconds.
  replica = await startPostgres(['wal_retrieve_retry_interval=100ms'], primary);
  await primary.start();
  proxy = await startPostgresProxy(primary.url);
  everything = await startTestServer({ url: primary.url, background: true });
  owner = await everything.caller();
  redirects = await startRedirects(proxy.url, { metrics });
});
afterAll(async () => {
  await Promise.all([everything.stop(), redirects.stop()]);
  proxy.stop();
  await replica.stop();
  await primary.stop();
});

const open = ({ alias }: { alias: string }, on = redirects) => visit(on.origin, `/${alias}`);
/** A link that visitors get once the replica has it. */
async function link(form: Record<string, string | number> = {}) {
  const made = await owner.link(form);
  await expect.poll(async () => (await onReplica(made.id)).length).toBe(1);
  return made;
}
const onReplica = (id: number) => onServer(replica.url, `SELECT 1 FROM "Link" WHERE "id" = ${id}`);
/** True if a link is read from the replica alone. */
async function isReadFromReplica(one: { alias: string }): Promise<boolean> {
  const before = [redirects.statements.length, readStatements.length];
  await open(one);
  const [onPrimary, onReplica] = [redirects.statements, readStatements].map(
    (all, i) => all.slice(before[i]).filter((sql) => sql.includes('FROM "Link"')).length,
  );
  return onPrimary === 0 && onReplica === 1;
}
const rotation = {
  target_type: 4,
  'rotation[0][value]': 'https://example.com/1',
  'rotation[1][value]': 'https://example.com/2',
};

test('serves visitors, and nothing else', async () => {
  const made = await link();
  const statuses = async (paths: string[]) =>
    Promise.all(paths.map(async (path) => (await visit(redirects.origin, path)).status));
  expect(await statuses([`/${made.alias}`, `/${made.alias}+`])).toEqual([302, 200]);
  expect(await statuses(['/livez', '/readyz', '/tls/ask?domain=s.example'])).toEqual([200, 200, 200]);
  const others = ['/', '/graphql', '/api/v1/links', '/console', '/docs', '/auth/session', '/openapi.json'];
  expect(new Set(await statuses([...others, '/schema.graphql']))).toEqual(new Set([404]));
});

test('reads from the replica what it has, and from the primary what has changed since', async () => {
  await expect.poll(async () => isReadFromReplica(await link())).toBe(true);
  const [known, ...unchanged] = [await link(), await link(), await link(), await link()];
  expect((await open(known)).location).toBe('https://example.com/');
  await onServer(replica.url, 'SELECT pg_wal_replay_pause()');
  try {
    await owner.rest('PATCH', `/links/${known.id}`, { url: 'https://example.com/new' });
    const locationOf = async (one: { alias: string }) => (await open(one)).location;
    await expect.poll(() => locationOf(known)).toBe('https://example.com/new');
    const fresh = await owner.link();
    await expect.poll(() => locationOf(fresh)).toBe('https://example.com/');
    // Each is in memory afterwards; the process may have stood still before the first.
    const next = () => isReadFromReplica(unchanged.pop() ?? { alias: '' });
    await expect.poll(next, { interval: 500 }).toBe(true);
    // Until the process hears of it, a new link is unknown.
    const newest = async () => isReadFromReplica(await owner.link());
    await expect.poll(newest, { interval: 500 }).toBe(false);
  } finally {
    await onServer(replica.url, 'SELECT pg_wal_replay_resume()');
  }
});

test('does not keep what a replica had before a change', async () => {
  const [known, other] = [await link(), await link()];
  await onServer(replica.url, 'SELECT pg_wal_replay_pause()');
  const locationOf = async (one: { alias: string }) => (await open(one)).location;
  try {
    // Once it is no longer in memory, the process has heard of both changes.
    expect(await locationOf(other)).toBe('https://example.com/');
    for (const { id } of [known, other])
      await owner.rest('PATCH', `/links/${id}`, { url: 'https://example.com/new' });
    await expect.poll(() => locationOf(other)).toBe('https://example.com/new');
    proxy.holdAll();
    expect(await locationOf(known)).toBe('https://example.com/');
    proxy.release();
    await expect.poll(() => locationOf(known)).toBe('https://example.com/new');
  } finally {
    proxy.release();
    await onServer(replica.url, 'SELECT pg_wal_replay_resume()');
  }
});

test('finds aliases of any form, and forwards paths, with a new longer alias within a second', async () => {
  const { createDomain } = await owner.data<{ createDomain: { id: string } }>(
    'mutation { createDomain(input: { name: "paths.example", forwardsPath: true }) { ... on Domain { id } } }',
  );
  const domain_id = createDomain.id;
  const at = async (path: string) =>
    (await visit(redirects.origin, path, { headers: { Host: 'paths.example' } })).location;
  await link({ domain_id, alias: 'läden/🎉', url: 'https://example.com/any' });
  await link({ domain_id, alias: 'guide', url: 'https://example.com/guide' });
  const any = `/l%C3%A4den/${encodeURIComponent('🎉')}`;
  await expect.poll(() => at(any)).toBe('https://example.com/any');
  expect(await at(`${any}/more`)).toBe('https://example.com/any/more');
  await expect.poll(() => at('/guide/a/b')).toBe('https://example.com/guide/a/b');
  expect(await at('/guide/a/c')).toBe('https://example.com/guide/a/c');
  await link({ domain_id, alias: 'guide/a', url: 'https://example.com/new' });
  await expect.poll(() => at('/guide/a/b')).toBe('https://example.com/new/b');
  expect(await at('/guide/b')).toBe('https://example.com/guide/b');
});

test('waits for servers that are all slow', async () => {
  const slow = await startPostgresProxy(replica.url);
  const own = await startRedirects(proxy.url, { databaseReadUrls: [slow.url] });
  onTestFinished(async () => {
    await own.stop();
    slow.stop();
  });
  const [first, second] = [await link(), await link()];
  await expect.poll(async () => (await open(first, own)).status).toBe(302);
  for (const one of [slow, proxy]) one.delay(600);
  try {
    expect((await open(second, own)).status).toBe(302);
    expect((await visit(own.origin, '/readyz')).status).toBe(200);
  } finally {
    proxy.delay(0);
  }
});

test('without the primary, hears of changes by the replica, also while a transaction is open for long', async () => {
  const [known, other] = [await link(), await link()];
  expect((await open(known)).location).toBe('https://example.com/');
  const long = new pg.Client(primary.url);
  await long.connect();
  await long.query('BEGIN; SELECT pg_current_xact_id()');
  proxy.holdAll();
  try {
    const urlOf = async ({ id }: { id: number }) =>
      (await onServer(replica.url, `SELECT "url" FROM "Link" WHERE "id" = ${id}`))[0]?.url;
    for (const one of [other, known]) {
      const before = readStatements.length;
      await owner.rest('PATCH', `/links/${one.id}`, { url: 'https://example.com/new' });
      await expect.poll(() => urlOf(one)).toBe('https://example.com/new');
      // The process has asked for changes since.
      const asked = () =>
        readStatements.slice(before).filter((sql) => sql.startsWith('SELECT "topic"')).length;
      await expect.poll(asked).toBeGreaterThan(2);
    }
    const location = async () => (await open(known)).location;
    await expect.poll(location).toBe('https://example.com/new');
  } finally {
    proxy.release();
    await long.end();
  }
});

/** Waits until the links have that many clicks in the database, and have no more when all are written. */
async function expectClicks(
  expected: ReadonlyMap<{ id: number }, number>,
  ...servers: TestServer[]
): Promise<void> {
  const ids = [...expected.keys()].map(({ id }) => id).join();
  const clicks = async () => {
    await Promise.all(servers.map((server) => server.flush()));
    const rows = await onServer(
      primary.url,
      `SELECT "linkId", "clicks" FROM "LinkCounter" WHERE "linkId" IN (${ids})`,
    );
    return Object.fromEntries(rows.map(({ linkId, clicks }) => [linkId, Number(clicks)]));
  };
  const all = Object.fromEntries([...expected].map(([{ id }, clicks]) => [id, clicks]));
  await expect.poll(clicks).toEqual(all);
  expect(await clicks()).toEqual(all);
}

test('without the primary, goes on by itself, also after a start, and counts each click once afterwards', async () => {
  const [known, unknown, turning] = [await link(), await link(), await link(rotation)];
  const limited = await link({ expiration_clicks: 9 });
  expect((await open(known)).status).toBe(302);
  await primary.kill();
  let late: TestServer | undefined;
  try {
    late = await startRedirects(primary.url);
    for (const one of [known, unknown, known]) expect((await open(one)).status).toBe(302);
    expect((await open(unknown, late)).status).toBe(302);
    const turns = [];
    for (let i = 0; i < 4; i++) turns.push((await open(turning)).location);
    expect(turns.map((url) => url?.at(-1)).sort()).toEqual(['1', '1', '2', '2']);
    const { status, headers } = await open(limited);
    expect([status, headers['retry-after']]).toEqual([503, '1']);
    expect((await visit(redirects.origin, '/readyz')).status).toBe(200);
    expect(JSON.stringify(late.log)).not.toMatch(/prisma|stack/);
  } finally {
    await primary.start();
  }
  const server = late;
  await expect.poll(async () => (await open(limited)).status).toBe(302);
  await expectClicks(
    new Map([
      [known, 3],
      [unknown, 2],
      [turning, 4],
      [limited, 1],
    ]),
    redirects,
    server,
  );
  await server.stop();
});

test('without the primary, splits visitors over midnight as before, on each process, and counts them afterwards', async () => {
  const to = ['a', 'b'].map((name) => ({ name, url: `https://example.com/${name}` }));
  const split = async () => {
    const { createLink: made } = await owner.data<{ createLink: { id: number; alias: string } }>(
      'mutation ($input: CreateLinkInput!) { createLink(input: $input) { ... on Link { id alias } } }',
      { input: { url: 'https://example.com/', rules: [{ name: 'Split', when: [], to }] } },
    );
    await expect.poll(async () => (await onReplica(made.id)).length).toBe(1);
    return made;
  };
  const [other, counted] = [await split(), await split()];
  const setClocks = (time: string) => {
    for (const { clock } of [everything, redirects]) clock.now = new Date(time);
  };
  const before = everything.clock.now.toISOString();
  onTestFinished(() => setClocks(before));
  const shares = async (on: TestServer, one = counted) => {
    const all: unknown[] = [];
    for (let index = 1; index <= 20; index++) {
      const headers = { 'X-Forwarded-For': `192.0.2.${index}` };
      all.push((await visit(on.origin, `/${one.alias}`, { headers })).location);
    }
    return all;
  };
  /** Waits until two processes have the salt of the day, which a visit does not wait for long. */
  const agree = (one: TestServer, two: TestServer) =>
    expect
      .poll(async () => (await shares(one, other)).join() === (await shares(two, other)).join())
      .toBe(true);

  await agree(redirects, everything);
  const today = await shares(redirects);
  expect(new Set(today).size).toBe(2);
  // An hour before midnight, a visit has the salt of tomorrow made, which the replica gets.
  setClocks('2026-11-20T23:30:00Z');
  expect(await shares(redirects)).toEqual(today);
  const saltOfTomorrow = () => onServer(replica.url, 'SELECT 1 FROM "DaySalt" WHERE "day" = 20261121');
  await expect.poll(async () => (await saltOfTomorrow()).length).toBe(1);
  await primary.kill();
  let late: TestServer | undefined;
  let tomorrow: unknown[];
  try {
    setClocks('2026-11-21T00:10:00Z');
    late = await startRedirects(primary.url, { now: redirects.clock.now });
    await agree(redirects, late);
    tomorrow = await shares(redirects);
    expect(new Set(tomorrow).size).toBe(2);
    expect(tomorrow).not.toEqual(today);
    expect(await shares(late)).toEqual(tomorrow);
  } finally {
    await primary.start();
  }
  const [server, written] = [late, [redirects, late, everything]];
  await agree(everything, redirects);
  expect(await shares(everything)).toEqual(tomorrow);
  const variants = async () => {
    await Promise.all(written.map((one) => one.flush()));
    const rows = await onServer(
      primary.url,
      `SELECT "day", SUM("clicks") AS "clicks" FROM "LinkDayValue" WHERE "linkId" = ${counted.id} AND "kind" = 5 GROUP BY "day"`,
    );
    return Object.fromEntries(rows.map(({ day, clicks }) => [day, Number(clicks)]));
  };
  await expect.poll(variants).toEqual({ 20261120: 40, 20261121: 60 });
  await server.stop();
});

test('a primary that hangs delays no visitor for long, and counts each click once', async () => {
  const [known, unknown, turning] = [await link(), await link(), await link(rotation)];
  await open(known);
  proxy.holdAll();
  onTestFinished(() => proxy.release());
  for (const one of [known, turning, unknown, turning, known]) {
    const [{ status }, took] = await timed(open(one));
    expect([status, took < 2_000]).toEqual([302, true]);
  }
  await expect.poll(async () => (await metrics.text()).includes('linkspace_database_away 1')).toBe(true);
  expect((await visit(redirects.origin, '/readyz')).status).toBe(200);
  proxy.release();
  await expectClicks(
    new Map([
      [known, 3],
      [unknown, 1],
      [turning, 2],
    ]),
    redirects,
  );
});

/** The lines of the log about the replica. */
const linesOfReplica = () =>
  redirects.log.filter(({ replica: number, server }) => number === 1 && server === new URL(replica.url).host);

test('without the replica, reads from the primary and says so, and without both, is not ready', async () => {
  const readyz = async () => (await visit(redirects.origin, '/readyz')).status;
  const made = await owner.link();
  expect(linesOfReplica()).toEqual([]);
  await replica.kill();
  try {
    expect((await open(made)).status).toBe(302);
    const msg = 'a replica does not answer: it is not read from';
    await expect.poll(linesOfReplica).toMatchObject([{ level: 40, msg, err: expect.any(Object) }]);
    expect(await metrics.text()).toContain('linkspace_replica_away{replica="1"} 1');
    await primary.kill();
    await expect.poll(readyz).toBe(503);
    expect((await open(made)).status).toBe(302);
  } finally {
    await primary.start();
    await replica.start();
  }
  await expect.poll(readyz).toBe(200);
  await expect
    .poll(async () => (await metrics.text()).includes('linkspace_replica_away{replica="1"} 0'))
    .toBe(true);
});

test('a start while the replica stands still reads what has changed before it', async () => {
  const changed = await link();
  await onServer(replica.url, 'SELECT pg_wal_replay_pause()');
  await owner.rest('PATCH', `/links/${changed.id}`, { url: 'https://example.com/before' });
  const late = await startRedirects(primary.url);
  try {
    await expect.poll(async () => (await open(changed, late)).location).toBe('https://example.com/before');
  } finally {
    await onServer(replica.url, 'SELECT pg_wal_replay_resume()');
    await late.stop();
  }
});

// The replica is no replica afterwards.
test('serves a schema of its own from the replica, also while the primary is away at the start', async () => {
  await onServer(primary.url, 'CREATE DATABASE "shared"');
  const urlOf = ({ url }: { readonly url: string }) =>
    Object.assign(new URL(url), { pathname: '/shared' }).href;
  // The installation in public has a link with the same alias.
  const urls = [urlOf(primary), `${urlOf(primary)}?schema=links`];
  for (const [index, url] of urls.entries()) {
    await applyMigrations(url, { newSchema: true });
    const server = await startTestServer({ url });
    await (await server.caller()).link({ alias: 'same', url: `https://example.com/${index}` });
    await server.stop();
  }
  await onServer(urlOf(primary), 'ALTER DATABASE "shared" SET search_path = links, public');
  const has = () => onServer(urlOf(replica), 'SELECT 1 FROM links."Link"').catch(() => []);
  await expect.poll(has).toHaveLength(1);
  const [unnamed = '', named = ''] = urls.map((url) =>
    url.replace(new URL(url).host, new URL(proxy.url).host),
  );
  const open = async (url: string, databaseReadUrls: string[]) => {
    const server = await startRedirects(url, { databaseReadUrls });
    onTestFinished(() => server.stop());
    return (await visit(server.origin, '/same')).location;
  };
  const destination = 'https://example.com/1';
  expect(await open(named, [`${urlOf(replica)}?schema=links`])).toBe(destination);
  // The proxy stands for a primary that is away.
  proxy.leadTo('postgresql://127.0.0.1:1/');
  try {
    expect(await open(unnamed, [urlOf(replica)])).toBe(destination);
  } finally {
    proxy.leadTo(primary.url);
  }
});

test('reads no outdated link from a server that was promoted, or is a former primary', async () => {
  const [changed, known] = [await link(), await link()];
  await onServer(replica.url, 'SELECT pg_promote()');
  await expect
    .poll(linesOfReplica)
    .toContainEqual(expect.objectContaining({ level: 40, msg: expect.stringContaining('is no standby') }));
  // It counts transactions of its own, beyond those of the primary.
  await onServer(
    replica.url,
    'DO $$ BEGIN FOR i IN 1..300 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$',
  );
  await owner.rest('PATCH', `/links/${changed.id}`, { url: 'https://example.com/newer' });
  await expect.poll(async () => (await open(changed)).location).toBe('https://example.com/newer');
  // Nothing else answers then.
  await primary.kill();
  try {
    expect((await open(known)).status).toBe(302);
  } finally {
    await primary.start();
  }
});

test('does not start on a database that was never served', async () => {
  await onServer(primary.url, 'CREATE DATABASE "fresh"');
  const DATABASE_URL = Object.assign(new URL(primary.url), { pathname: '/fresh' }).href;
  expect(await refusalOf({ ROLE: 'redirects', DATABASE_URL })).toContain(
    'start a process with ROLE=all first',
  );
});
