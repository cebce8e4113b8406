import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Metrics } from '../../src/app/service/metrics.ts';
import { applyMigrations } from '../../src/db/apply-migrations.ts';
import { runCommand } from '../support/command.ts';
import { onServer } from '../support/database.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { freePort, type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { type Caller, startTestServer, type TestServer, type TestServerOptions } from '../support/server.ts';

let primary: PostgresServer;
let replica: PostgresServer;
let servers: [TestServer, TestServer];
let owner: Caller;
let elsewhere: Caller;

const readStatements: string[] = [];

/** Starts a server that reads from the replica at that URL, also if that is paused for long. */
function startOn(replicaUrl: string, options: TestServerOptions = {}): Promise<TestServer> {
  return startTestServer({
    url: primary.url,
    databaseReadUrls: [replicaUrl],
    background: true,
    maxReplicaLag: 600_000,
    onStatement: (sql, _seconds, url) => url !== primary.url && readStatements.push(sql),
    ...options,
  });
}

beforeAll(async () => {
  primary = await startPostgres();
  await applyMigrations(primary.url);
  await primary.kill('SIGINT');
  // At first, it finds the primary down, and would ask again after five seconds.
  const settings = ['recovery_min_apply_delay=100ms', 'wal_retrieve_retry_interval=100ms'];
  replica = await startPostgres(settings, primary);
  await primary.start();
  const start = () => startOn(replica.url);
  servers = [await start(), await start()];
  owner = await servers[0].caller();
  elsewhere = servers[1].callerWith(owner.key);
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await replica.stop();
  await primary.stop();
});

/** Runs the work while the replica gets nothing. */
async function paused<T>(work: () => Promise<T>): Promise<T> {
  await onServer(replica.url, 'SELECT pg_wal_replay_pause()');
  return work().finally(() => onServer(replica.url, 'SELECT pg_wal_replay_resume()'));
}

/** True if a list of the caller is read from the replica. */
async function readsFromReplica(caller: Caller, path = '/links'): Promise<boolean> {
  const table = path === '/links' ? '"Link"' : '"Space"';
  const before = readStatements.length;
  expect((await caller.rest('GET', path)).status).toBe(200);
  return readStatements.slice(before).some((sql) => sql.includes(table));
}

/** The lines of a log about the first replica. */
const linesOf = ({ log }: TestServer) => log.filter(({ replica: number }) => number === 1);
/** A metric of the first replica; undefined if it has none. */
const metricOf = async (metrics: Metrics, name: string) =>
  new RegExp(`^linkspace_replica_${name}\\{replica="1"\\} (.*)$`, 'm').exec(await metrics.text())?.[1];

test('reads lists and single records from the replica', async () => {
  await expect.poll(() => readsFromReplica(owner)).toBe(true);
  const { id } = await owner.link();
  await expect.poll(() => readsFromReplica(owner)).toBe(true);
  const before = readStatements.length;
  await owner.data('query ($id: ID!) { link(id: $id) { alias space { name } } }', { id });
  expect(readStatements.length).toBeGreaterThan(before);
});

test('a caller reads its own writes at once, also on another process before the replica has them', async () => {
  await paused(async () => {
    for (let i = 0; i < 20; i++) {
      const { id, title } = await owner.link({ title: `Own ${i}` });
      const shown = async (one: Caller) => (await one.rest('GET', `/links/${id}`)).body;
      expect(await shown(owner)).toMatchObject({ data: { title } });
      // The notification may come after the answer.
      await expect.poll(() => shown(elsewhere), { interval: 5 }).toMatchObject({ data: { title } });
    }
  });
});

test('a process that starts or restarts to listen sees earlier writes', async () => {
  await expect.poll(() => readsFromReplica(elsewhere)).toBe(true);
  const totalFor = async (caller: Caller) => {
    const { body } = await caller.rest('GET', '/links?per_page=100');
    return (body as { meta: { total: number } }).meta.total;
  };
  let late = owner;
  let total = 0;
  const fresh = await paused(async () => {
    await owner.link({ title: 'Before' });
    total = await totalFor(owner);
    // A new process without earlier notifications.
    const server = await startOn(replica.url);
    late = server.callerWith(owner.key);
    for (let i = 0; i < 10; i++) expect(await totalFor(late)).toBe(total);
    return server;
  });
  await expect
    .poll(async () => {
      expect(await totalFor(late)).toBe(total);
      return readsFromReplica(late);
    })
    .toBe(true);
  expect(await totalFor(late)).toBe(total);
  await fresh.stop();
});

test('another account’s reads stay on the replica, and the writer’s return to it', async () => {
  const other = await servers[0].caller('other');
  // Reading the key is not a read of the account.
  await expect.poll(() => readsFromReplica(other)).toBe(true);
  await paused(async () => {
    await owner.link();
    expect(await readsFromReplica(other)).toBe(true);
    expect(await readsFromReplica(owner)).toBe(false);
  });
  await expect.poll(() => readsFromReplica(owner)).toBe(true);
});

test('a write that cannot be announced succeeds, and is read from the primary until it is announced', async () => {
  // As behind a pooler, no statement is prepared: a prepared one calls the function by whatever name it has.
  const server = await startOn(replica.url, { databaseDirectUrl: primary.url });
  const caller = server.callerWith(owner.key);
  await expect.poll(() => readsFromReplica(caller)).toBe(true);
  const admin = new pg.Client(primary.url);
  await admin.connect();
  await admin.query('ALTER FUNCTION pg_notify(text, text) RENAME TO away');
  let id: number;
  try {
    ({ id } = await caller.link({ title: 'Unannounced' }));
    expect(server.log.map(({ msg }) => msg)).toContain(
      'a write could not be announced to replicas: its account reads from the primary',
    );
    for (let i = 0; i < 3; i++) {
      expect(await readsFromReplica(caller)).toBe(false);
      expect((await caller.rest('GET', `/links/${id}`)).status).toBe(200);
    }
  } finally {
    await admin.query('ALTER FUNCTION away(text, text) RENAME TO pg_notify');
    await admin.end();
  }
  await expect.poll(() => readsFromReplica(caller)).toBe(true);
  expect((await caller.rest('GET', `/links/${id}`)).status).toBe(200);
  await server.stop();
});

test('writes of a command are read before the replica has them, like those of a process', async () => {
  await owner.data('mutation { createDomain(input: { name: "go.example" }) { __typename } }');
  await expect.poll(() => readsFromReplica(owner)).toBe(true);
  await paused(async () => {
    const { code } = await runCommand('domains', { DATABASE_URL: primary.url }, ['remove', 'go.example']);
    expect(code).toBe(0);
    const shown = (one: Caller) => one.data('{ domains { edges { node { name } } } }');
    // The notification may come after the command's end.
    for (const one of [owner, elsewhere])
      await expect
        .poll(() => shown(one), { interval: 5 })
        .toEqual({ domains: { edges: [{ node: { name: 's.example' } }] } });
  });
});

test('stops using a replica that lags too long, uses it again later, and reports both in log and metrics', async () => {
  const metrics = new Metrics();
  const maxReplicaLag = 1_500;
  const server = await startOn(replica.url, { maxReplicaLag, metrics });
  const lines = () => linesOf(server);
  const lag = async () => Number(await metricOf(metrics, 'lag_seconds'));
  const other = await server.caller('left');
  await expect.poll(() => readsFromReplica(other)).toBe(true);
  expect(lines()).toEqual([]);
  await paused(async () => {
    // The write of another account.
    await owner.link();
    await expect.poll(() => readsFromReplica(other)).toBe(false);
    await expect.poll(lag).toBeGreaterThan(maxReplicaLag / 1_000);
    expect(lines()).toMatchObject([
      { level: 40, lagSeconds: expect.any(Number), msg: 'a replica is too far behind: it is not read from' },
    ]);
  });
  await expect.poll(() => readsFromReplica(other)).toBe(true);
  expect(await lag()).toBeLessThan(maxReplicaLag / 1_000);
  await expect
    .poll(() => lines().slice(1))
    .toMatchObject([{ level: 30, msg: 'no longer: a replica is too far behind: it is not read from' }]);
  await server.stop();
});

test('sends no statement of a mutation to the replica', async () => {
  await expect.poll(() => readsFromReplica(owner)).toBe(true);
  const space = await owner.space('Written');
  const before = readStatements.length;
  await owner.link({ space_id: space });
  expect(readStatements.slice(before).filter((sql) => !sql.includes('pg_last_wal'))).toEqual([]);
});

test('switches to the primary soon while the replica hangs', async () => {
  const proxy = await startPostgresProxy(replica.url);
  const server = await startOn(proxy.url);
  const caller = server.callerWith(owner.key);
  await expect.poll(() => readsFromReplica(caller)).toBe(true);
  proxy.holdAll();
  // Those that were sent before hang until the end. Others take long only on a busy machine.
  const soon = () => Promise.race([readsFromReplica(caller), setTimeout(5_000, 'hangs')]);
  await expect.poll(soon).toBe(false);
  proxy.release();
  await expect.poll(() => readsFromReplica(caller)).toBe(true);
  await server.stop();
  proxy.stop();
});

test('starts without the replica, says so in log and metrics, and takes it up when it answers', async () => {
  const proxy = await startPostgresProxy(`postgresql://127.0.0.1:${await freePort()}`);
  const address = Object.assign(new URL(proxy.url), { username: 'postgres', pathname: '/postgres' });
  const metrics = new Metrics();
  const server = await startOn(address.href, { metrics });
  const caller = server.callerWith(owner.key);
  expect(await readsFromReplica(caller)).toBe(false);
  await expect
    .poll(() => linesOf(server))
    .toMatchObject([
      {
        level: 40,
        server: address.host,
        err: { message: expect.stringMatching(/terminated|ECONNRESET/) },
        msg: 'a replica does not answer: it is not read from',
      },
    ]);
  expect(server.log.find(({ msg }) => msg === 'listening')).toMatchObject({ replicas: 1 });
  expect(await Promise.all(['away', 'lag_seconds'].map((name) => metricOf(metrics, name)))).toEqual([
    '1',
    undefined,
  ]);
  proxy.leadTo(replica.url);
  await expect.poll(() => readsFromReplica(caller)).toBe(true);
  expect(linesOf(server).at(-1)).toMatchObject({
    level: 30,
    msg: 'no longer: a replica does not answer: it is not read from',
  });
  expect(await metricOf(metrics, 'away')).toBe('0');
  await server.stop();
  proxy.stop();
});

test('reads from a listed server only while that is a standby, and says when it is none', async () => {
  const proxy = await startPostgresProxy(primary.url);
  const metrics = new Metrics();
  const server = await startOn(proxy.url, { metrics });
  const caller = server.callerWith(owner.key);
  const { host } = new URL(proxy.url);
  const msg = 'a server of DATABASE_READ_URLS is no standby: it is not used as a replica';
  await expect.poll(() => linesOf(server)).toMatchObject([{ level: 40, server: host, msg }]);
  await caller.link();
  // Longer than its position is asked for.
  await setTimeout(500);
  expect(await readsFromReplica(caller)).toBe(false);
  expect(linesOf(server)).toHaveLength(1);
  expect(await Promise.all(['away', 'lag_seconds'].map((name) => metricOf(metrics, name)))).toEqual([
    '0',
    undefined,
  ]);
  proxy.leadTo(replica.url);
  await expect.poll(() => readsFromReplica(caller)).toBe(true);
  expect(linesOf(server).at(-1)).toMatchObject({ level: 30, msg: `no longer: ${msg}` });
  await server.stop();
  proxy.stop();
});

test('switches to the primary while the replica is down, and back afterwards', async () => {
  await replica.kill();
  const path = '/spaces';
  await expect.poll(async () => (await owner.rest('GET', path)).status).toBe(200);
  for (let i = 0; i < 5; i++) expect(await readsFromReplica(owner, path)).toBe(false);
  await replica.start();
  await expect.poll(() => readsFromReplica(owner, path)).toBe(true);
});
