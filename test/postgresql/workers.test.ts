import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { limitedTo, newDatabase } from '../support/database.ts';
import { countryDatabase } from '../support/mmdb.ts';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy.ts';
import { freePort } from '../support/postgres-server.ts';
import {
  firstAnswers,
  type Program,
  runProgram,
  signalUntilClosed,
  startProgram,
} from '../support/process.ts';
import { Caller } from '../support/server.ts';
import { openAs } from '../support/sockets.ts';
import { visit } from '../support/visit.ts';

const KEY = 'the-first-key-of-an-empty-database';
const MAIN = 'dist/main.js';
/** A V8 flag that the workers must get, too. */
const FLAG = '--max-semi-space-size=16';
const folder = mkdtempSync(join(tmpdir(), 'linkspace-workers-'));
const GEOIP_DATABASE = join(folder, 'country.mmdb');
writeFileSync(GEOIP_DATABASE, countryDatabase([203, 0, 113], 'DE'));

/** The database of the program that was started last. */
let url: string;
let program: Program & { origin: string };
let owner: Caller;
afterAll(() => rmSync(folder, { recursive: true }));

/** The process ids of serving workers, by their numbers. */
function serving(): Map<unknown, number> {
  const lines = program.log.filter(({ msg }) => msg === 'worker serves');
  return new Map(lines.map(({ worker, pid }) => [worker, Number(pid)]));
}

/** Starts the program in a process group of its own, and waits until that many workers serve. */
async function start(
  env: Record<string, string>,
  awaited = 2,
  command: readonly string[] = [process.execPath, FLAG, MAIN],
): Promise<void> {
  program = await startProgram(
    {
      DATABASE_URL: url,
      BASE_URL: 'https://s.example',
      INITIAL_API_KEY: KEY,
      WORKERS: '2',
      ...env,
    },
    ['setsid', ...command],
  );
  owner = new Caller(program.origin, KEY);
  await vi.waitFor(() => expect(serving().size).toBeGreaterThanOrEqual(awaited), 180_000);
}

/** Starts it on a database of its own, until the test ends. */
async function startForTest(env: Record<string, string> = {}, awaited = 2): Promise<void> {
  url = await newDatabase();
  await start(env, awaited);
  onTestFinished(async () => void (await program.end('SIGTERM')));
}

/** Makes a visit over its own connection. */
const visitAnew = (path: string) => visit(program.origin, path, { headers: { Connection: 'close' } });

async function visitTimes(path: string, times: number): Promise<void> {
  for (let i = 0; i < times; i++) expect((await visitAnew(path)).status).toBe(302);
}

async function onDatabase(statement: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return client
    .query(statement)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}

/** The number of written clicks. */
async function clicks(): Promise<number> {
  const [row] = await onDatabase(`SELECT COALESCE(SUM("clicks"), 0)::int AS "clicks" FROM "LinkCounter"`);
  return Number(row?.clicks);
}

/** True if a process is running; an ended one may remain as a zombie. */
function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

/** Makes each worker answer a request that waits for a lock, sends SIGTERM, and expects a graceful stop. */
async function endInOrder(pid: number): Promise<void> {
  const { alias } = await owner.link();
  const before = await clicks();
  const linesBefore = program.log.length;
  const withMessage = (text: string) => program.log.slice(linesBefore).filter(({ msg }) => msg === text);
  await visitTimes(`/${alias}`, 6);
  const blocker = new Client({ connectionString: url });
  await blocker.connect();
  await blocker.query('BEGIN; LOCK TABLE "Space"');
  const slow = ['A', 'B'].map((name) => owner.rest('POST', '/spaces', { name, color: 1 }));
  const waiting = `SELECT COUNT(*)::int AS "waiting" FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await expect.poll(() => onDatabase(waiting)).toEqual([{ waiting: 2 }]);
  process.kill(pid, 'SIGTERM');
  const stopping = () => withMessage('stopping').filter(({ worker }) => worker !== undefined);
  await expect.poll(() => stopping().length).toBe(2);
  await blocker.query('COMMIT');
  await blocker.end();
  expect((await Promise.all(slow)).map(({ status }) => status)).toEqual([201, 201]);
  expect(await program.end()).toMatchObject({ code: 0, stderr: '' });
  expect(await clicks()).toBeGreaterThanOrEqual(before + 6);
  expect([...serving().values()].filter(isRunning)).toEqual([]);
  expect(withMessage('stopped')).toHaveLength(3);
}

describe('two workers', () => {
  let proxy: PostgresProxy;
  let metrics: string;
  let statuses: number[];
  beforeAll(async () => {
    url = await newDatabase({ migrated: false });
    proxy = await startPostgresProxy(url);
    const [port, metricsPort] = [await freePort(), await freePort()];
    metrics = `http://127.0.0.1:${metricsPort}/metrics`;
    const env = { DATABASE_URL: proxy.url, PORT: String(port), METRICS_PORT: String(metricsPort) };
    [statuses] = await Promise.all([firstAnswers(port, KEY), start(env)]);
  });
  afterAll(async () => {
    await program.end('SIGTERM');
    proxy.stop();
  });

  const withMessage = (text: string) => program.log.filter(({ msg }) => msg === text);
  const metric = async (name: string) => {
    const text = await (await fetch(metrics)).text();
    return Number(new RegExp(`^${name}(?:{.*})? (\\S+)$`, 'm').exec(text)?.[1]);
  };

  test('answer the first requests only once the first key exists', () => {
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  test('tell a proxy on the port of the metrics which hosts are served', async () => {
    const statusOf = async (host: string) =>
      (await fetch(new URL(`/tls/ask?domain=${host}`, metrics))).status;
    expect([await statusOf('s.example'), await statusOf('no.example')]).toEqual([200, 404]);
    // One worker that hangs does not keep the other from answering.
    await expect.poll(() => serving().size).toBe(2);
    const [pid = 0] = serving().values();
    process.kill(pid, 'SIGSTOP');
    try {
      expect(await statusOf('s.example')).toBe(200);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });

  test('share one port, migration and first key, sum their metrics, report a database that hangs, and are replaced when they die', async () => {
    const { alias } = await owner.link();
    // Private addresses are refused: the attempt fails, and waits for a retry.
    await owner.data(
      'mutation { createWebhook(input: { url: "http://127.0.0.1:1/", events: [SPACE_CREATED] }) { __typename } }',
    );
    await owner.space('Told of');
    await visitTimes(`/${alias}`, 20);

    expect(new Set(withMessage('migrations applied').map(({ worker }) => worker))).toEqual(
      new Set([undefined]),
    );
    expect(program.stdout.match(/Welcome to Linkspace/g)).toHaveLength(1);
    expect(withMessage('listening').map(({ worker, port }) => [worker, `http://127.0.0.1:${port}`])).toEqual([
      [1, program.origin],
      [2, program.origin],
    ]);
    await expect
      .poll(() => new Set(withMessage('request').map(({ worker }) => worker)))
      .toEqual(new Set([1, 2]));
    for (const pid of serving().values())
      expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')).toContain(FLAG);
    expect([await metric('linkspace_workers'), await metric('linkspace_clicks_total')]).toEqual([2, 20]);
    await expect.poll(() => metric('linkspace_webhook_pending')).toBe(1);
    expect(await metric('process_start_time_seconds')).toBeGreaterThan(Date.now() / 1000 - 600);

    expect(await metric('linkspace_database_away')).toBe(0);
    proxy.holdAll();
    await expect.poll(() => metric('linkspace_database_away')).toBe(1);
    proxy.release();
    await expect.poll(() => metric('linkspace_database_away')).toBe(0);
    // By now, each worker knows of the webhook, and reports the same number.
    await expect.poll(() => metric('linkspace_webhook_pending')).toBe(1);

    process.kill(serving().get(2) ?? 0, 'SIGKILL');
    await expect.poll(() => serving().size).toBe(3);
    await visitTimes(`/${alias}`, 10);
    expect([await metric('linkspace_workers'), await metric('linkspace_clicks_total')]).toEqual([2, 30]);
    process.kill(serving().get(3) ?? 0, 'SIGTERM');
    await expect.poll(() => serving().size).toBe(4);
    expect(withMessage('worker ended')).toMatchObject([
      { worker: 2, how: 'SIGKILL', level: 50 },
      { worker: 3, how: 0, level: 30 },
    ]);
    await endInOrder(program.child.pid ?? 0);
  });
});

test('SIGTERM to all processes at once answers requests in flight and writes all clicks', async () => {
  await startForTest();
  await endInOrder(-(program.child.pid ?? 0));
});

/** The statuses of a path over ten connections, which the primary gives to the workers in turn. */
const statusesOf = (path: string) =>
  Promise.all(Array.from({ length: 10 }, async () => (await visitAnew(path)).status));

// Over two seconds: a second signal is the same one before that.
test('npm start with two workers drains after signals to all processes, and stops by a later one', async () => {
  url = await newDatabase();
  await start({ DRAIN_SECONDS: '20' }, 2, ['npm', 'start']);
  const { alias } = await owner.link();
  const group = -(program.child.pid ?? 0);
  // Twice at once: two seconds later, the second one would end the draining.
  for (let i = 0; i < 2; i++) process.kill(group, 'SIGTERM');
  await expect.poll(() => statusesOf('/livez/serving')).toEqual(Array(10).fill(503));
  expect(await statusesOf('/livez')).toEqual(Array(10).fill(200));
  await visitTimes(`/${alias}`, 10);
  expect((await owner.rest('POST', '/spaces', { name: 'Stored', color: 1 })).status).toBe(201);
  const stopping = () => program.log.filter(({ msg }) => msg === 'stopping');
  await expect.poll(() => stopping().map(({ drainSeconds }) => drainSeconds)).toEqual([20, 20, 20]);
  await signalUntilClosed(program.origin, () => process.kill(group, 'SIGTERM'));
  expect(await program.end()).toMatchObject({ code: 0, stderr: '' });
  expect(program.log.filter(({ msg }) => msg === 'stopped')).toHaveLength(3);
  expect(await clicks()).toBe(10);
});

test('one of two workers stops by a signal without draining, and the port serves on', async () => {
  await startForTest();
  program.child.kill('SIGTERM');
  await program.end();
  await start({ DRAIN_SECONDS: '1', LOG_LEVEL: 'debug' });
  const { alias } = await owner.link();
  process.kill(serving().get(1) ?? 0, 'SIGTERM');
  // Also what the worker has accepted is answered; only at /livez/serving it says that it stops.
  const seen = new Set<number>();
  const look = async () => {
    for (const status of await statusesOf(`/${alias}`)) seen.add(status);
    return serving().size;
  };
  await expect.poll(look).toBe(3);
  expect(seen).toEqual(new Set([302]));
  expect(program.log.find(({ msg }) => msg === 'stopping')).not.toHaveProperty('drainSeconds');
});

// Over a second: a worker gives a sign of life each second, and has to be late on a busy machine, too.
test('a worker that hangs is killed and replaced, and others go on counting', async () => {
  url = await newDatabase();
  const primary = join('test', 'support', 'impatient-primary.ts');
  await start({ LOG_LEVEL: 'info' }, 2, [process.execPath, '--import', 'tsx', primary]);
  onTestFinished(async () => void (await program.end('SIGTERM')));
  const { alias } = await owner.link({ expiration_clicks: 1_000 });
  const hanging = serving().get(2) ?? 0;
  process.kill(hanging, 'SIGSTOP');
  await expect.poll(() => isRunning(hanging)).toBe(false);
  await expect.poll(() => serving().size).toBeGreaterThan(2);
  const lines = program.log.filter(({ pid, worker }) => pid === hanging && worker === 2);
  expect(lines).toMatchObject([
    { msg: 'worker serves' },
    { msg: 'worker is killed: it gives no sign of life', level: 50 },
    { msg: 'worker ended', how: 'SIGKILL' },
  ]);
  await visitTimes(`/${alias}`, 4);
  expect(await clicks()).toBe(4);
});

test('workers stop and write their clicks after their primary is killed', async () => {
  await startForTest();
  const { alias } = await owner.link();
  await visitTimes(`/${alias}`, 6);
  await program.end('SIGKILL');
  await expect.poll(() => [...serving().values()].filter(isRunning)).toEqual([]);
  expect(await clicks()).toBe(6);
});

test('the program ends with the reason if workers repeatedly die at their start', async () => {
  await startForTest({ GEOIP_DATABASE }, 1);
  renameSync(GEOIP_DATABASE, `${GEOIP_DATABASE}.away`);
  process.kill(serving().get(1) ?? 0, 'SIGKILL');
  const { code, stderr } = await program.end();
  renameSync(`${GEOIP_DATABASE}.away`, GEOIP_DATABASE);
  expect(code).toBe(1);
  expect(stderr.trim().split('\n').at(-1)).toMatch(
    /^Linkspace ends: 5 workers in a row ended within 5 seconds \(1\)/,
  );
  expect([...serving().values()].filter(isRunning)).toEqual([]);
});

test('a worker waits while others have all connections, and these serve on', async () => {
  const { url: limited, limit } = await limitedTo(-1);
  url = limited;
  await start({});
  onTestFinished(async () => void (await program.end('SIGTERM')));
  const { alias } = await owner.link();
  await limit(0);
  process.kill(serving().get(2) ?? 0, 'SIGKILL');
  const waiting = () => program.log.filter(({ msg }) => /^PostgreSQL grants this worker/.test(String(msg)));
  await expect.poll(() => waiting().length).toBe(1);
  await visitTimes(`/${alias}`, 4);
  await limit(-1);
  await expect.poll(() => serving().size).toBe(3);
  expect(program.log.filter(({ msg }) => msg === 'worker ended')).toMatchObject([{ worker: 2 }]);
});

test('passes on that a worker has wrong settings', async () => {
  const passwords = join(folder, 'url');
  url = await newDatabase();
  writeFileSync(passwords, url);
  await start({ DATABASE_URL: '', DATABASE_URL_FILE: passwords }, 2);
  writeFileSync(passwords, 'mysql://s.example');
  for (const pid of serving().values()) process.kill(pid, 'SIGKILL');
  expect((await program.end()).code).toBe(78);
});

test('prints one line for an error that prevents the start of every worker, and changes no domain', async () => {
  url = await newDatabase();
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const { code, stderr } = await runProgram('main', { DATABASE_URL: url, PORT: String(port), WORKERS: '2' });
  taken.close();
  expect([code, stderr]).toEqual([
    1,
    `Port ${port} is in use: another program listens on it at 127.0.0.1. Stop that program, or set PORT to another port.\n`,
  ]);
  expect(await onDatabase('SELECT "name" FROM "Domain"')).toEqual([]);
});

test('WebSockets are on all workers, hear of the changes of all, and end with 1001', async () => {
  await startForTest();
  const sockets = await Promise.all(Array.from({ length: 4 }, () => openAs(program.origin, KEY)));
  for (const socket of sockets) socket.ask('events', 'subscription { changes { kind } }');
  await expect
    .poll(async () => {
      await owner.space('S');
      return sockets.map((socket) => socket.about('events')[0]?.type);
    })
    .toEqual(Array(4).fill('next'));
  const opened = program.log.filter(({ status }) => status === 101);
  expect(new Set(opened.map(({ worker }) => worker)).size).toBe(2);
  const ended = program.end('SIGTERM');
  expect((await Promise.all(sockets.map(({ closed }) => closed))).map(([code]) => code)).toEqual(
    Array(4).fill(1001),
  );
  expect((await ended).code).toBe(0);
});
