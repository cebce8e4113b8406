import { chownSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { onServer, postgresqlUrl } from '../support/database.ts';
import { freePort, NOBODY, type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { type Program, runProgram, startProgram } from '../support/process.ts';
import { Caller } from '../support/server.ts';
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { visit } from '../support/visit.ts';

const KEY = 'the-first-key-of-an-empty-database';
const given = inject('database');
/** The tablespace of one database; PostgreSQL's own files are on another disk. */
const TABLESPACE = 'linkspace_test_small_disk';

let postgres: PostgresServer | undefined;

async function databaseOn(folder: string): Promise<string> {
  if (given.provider === 'sqlite') return `file:${join(folder, 'linkspace.db')}`;
  chownSync(folder, NOBODY.uid, NOBODY.gid); // The server's user: only root may mount, and root may not run it.
  // Its own server: while the disk is full, no checkpoint succeeds, and other tests would wait for that.
  postgres = await startPostgres();
  await onServer(postgres.url, `CREATE TABLESPACE ${TABLESPACE} LOCATION '${folder}'`);
  await onServer(postgres.url, `CREATE DATABASE ${TABLESPACE} TEMPLATE template0 TABLESPACE ${TABLESPACE}`);
  return postgresqlUrl(postgres.url, TABLESPACE);
}

const disk = mountSmallDisk(24);

describe.skipIf(disk === null)('on a full disk', () => {
  const small = disk as SmallDisk; // Without a disk, tests and hooks are skipped, but this line runs.
  let program: Program & { origin: string };
  let owner: Caller;
  let env: Record<string, string>;
  beforeAll(async () => {
    env = {
      DATABASE_URL: await databaseOn(small.folder),
      BASE_URL: 'https://s.example',
      INITIAL_API_KEY: KEY,
      METRICS_PORT: String(await freePort()),
    };
    program = await startProgram(env);
    owner = new Caller(program.origin, KEY);
  });
  afterAll(async () => {
    await program.end('SIGTERM');
    await postgres?.stop();
    small.remove();
  });

  /** Creates links with long URLs, until one is not answered with 201. */
  async function storeUntilRefused() {
    const url = `https://example.com/${'x'.repeat(2000)}`;
    for (let made = 0; ; made++) {
      const answer = await owner.rest('POST', '/links', { url });
      if (answer.status !== 201) return { answer, made };
    }
  }

  const readiness = async () => (await fetch(`${program.origin}/readyz`)).status;

  async function metric(name: string): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${env.METRICS_PORT}/metrics`)).text();
    return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
  }
  const waitingClicks = () => metric('linkspace_clicks_waiting');

  test('writes return a clear 503, reads and visits work, and everything works again when there is space', async () => {
    const { id, alias } = await owner.link();
    expect(await readiness()).toBe(200);
    small.fill();
    await expect.poll(readiness).toBe(503);
    const { answer, made } = await storeUntilRefused();
    expect(answer).toMatchObject({
      status: 503,
      body: { message: 'The database is not available. Try again shortly.', status: 503 },
    });
    expect(answer.headers.get('Retry-After')).toBe('1');
    const mutation = `mutation { createLink(input: { url: "https://example.com/${'y'.repeat(2000)}" }) { __typename } }`;
    const refused = await owner.graphql(mutation);
    expect(refused.errors?.[0]?.extensions.code).toBe('UNAVAILABLE');

    expect(await owner.rest('GET', '/links?per_page=100')).toMatchObject({
      body: { meta: { total: made + 1 } },
    });
    expect((await owner.rest('GET', `/links/${id}`)).status).toBe(200);
    expect((await visit(program.origin, `/${alias}`)).status).toBe(302);
    await expect.poll(waitingClicks).toBe(1);
    // The write is tried again each second.
    await expect.poll(() => metric('linkspace_clicks_behind_seconds')).toBeGreaterThan(2);
    const told = () => program.log.filter(({ msg }) => String(msg).includes('clicks cannot be written'));
    await expect.poll(told).toMatchObject([{ level: 40, clicks: 1, times: 1 }]);
    expect(await readiness()).toBe(503);

    small.free();
    await expect.poll(readiness).toBe(200);
    const stored = () => owner.rest('POST', '/links', { url: 'https://example.com/again' });
    await expect.poll(async () => (await stored()).status).toBe(201);
    const clicks = async () => (await owner.rest('GET', `/links/${id}`)).body;
    await expect.poll(clicks).toMatchObject({ data: { clicks: 1 } });
    expect(await waitingClicks()).toBe(0);
    // The log of the process may arrive after its answers.
    await expect
      .poll(() => told().slice(1))
      .toMatchObject([{ level: 30, msg: 'no longer: clicks cannot be written' }]);
  });

  test('a server that was killed is not ready again until there is space', async () => {
    small.fill();
    await program.end('SIGKILL');
    program = await startProgram(env);
    owner = new Caller(program.origin, KEY);
    // SQLite removes its write-ahead log at the start, which makes space.
    if (given.provider === 'sqlite') small.fill();
    // The start has asked before the disk was full, and an answer counts for a second.
    await expect.poll(readiness).toBe(503);
    for (let i = 0; i < 3; i++) expect(await readiness()).toBe(503);
    expect((await owner.rest('GET', '/links')).status).toBe(200);
    const told = () => program.log.filter(({ msg }) => String(msg).startsWith('not ready'));
    await expect.poll(told).toMatchObject([{ level: 40 }]);
    small.free();
    await expect.poll(readiness).toBe(200);
  });

  test.runIf(given.provider === 'sqlite')('a start that needs space says so', async () => {
    await program.end('SIGTERM');
    small.fill();
    const { code, stderr } = await runProgram('main', env);
    expect(code).toBe(1);
    expect(stderr).toBe(
      `The SQLite file "${small.folder}/linkspace.db", which DATABASE_URL names, cannot be read or written: disk I/O error. Is its disk full?\n`,
    );
    small.free();
  });

  test.runIf(given.provider === 'sqlite')(
    'a start that writes to a full disk names the file and the remedy',
    async () => {
      await program.end('SIGTERM');
      // Enough for SQLite's -shm file, but not for its write-ahead log.
      small.fill(40_960);
      const { code, stderr } = await runProgram('main', { ...env, BASE_URL: 'https://other.example' });
      expect([code, stderr]).toEqual([
        1,
        `The disk of the SQLite file "${small.folder}/linkspace.db", which DATABASE_URL names, is full: make room, and try again.\n`,
      ]);
      small.free();
    },
  );

  // Over a second, since two processes start, and a copy is tried each second.
  test.runIf(given.provider === 'sqlite')(
    'a long reader cannot make the log fill it, and writes work again after the reader and a restart',
    async () => {
      program = await startProgram(env);
      owner = new Caller(program.origin, KEY);
      small.fill(11_000_000);
      const reader = new Sqlite(join(small.folder, 'linkspace.db'));
      reader.exec('BEGIN');
      reader.prepare('SELECT COUNT(*) FROM "Link"').get();
      const { answer, made } = await storeUntilRefused();
      expect([answer.status, made > 10]).toEqual([503, true]);
      expect(statfsSync(small.folder).bavail).toBeGreaterThan(0);
      // An answer counts for a second, also that from before the refusal.
      await expect.poll(readiness).toBe(503);
      await program.end('SIGKILL');
      program = await startProgram(env);
      owner = new Caller(program.origin, KEY);
      const store = async () =>
        (await owner.rest('POST', '/links', { url: 'https://example.com/again' })).status;
      expect(await store()).toBe(503);
      reader.close();
      await expect.poll(store).toBe(201);
      small.free();
    },
  );
});
