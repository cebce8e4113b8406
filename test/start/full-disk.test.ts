import { chownSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { onServer, postgresqlUrl } from '../support/database.ts';
import { NOBODY, type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { type Program, startProgram } from '../support/process.ts';
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
  // A server of its own: while the disk is full, no checkpoint of the server succeeds, on which other tests would wait.
  postgres = await startPostgres();
  await onServer(postgres.url, `CREATE TABLESPACE ${TABLESPACE} LOCATION '${folder}'`);
  await onServer(postgres.url, `CREATE DATABASE ${TABLESPACE} TEMPLATE template0 TABLESPACE ${TABLESPACE}`);
  return postgresqlUrl(postgres.url, TABLESPACE);
}

const disk = mountSmallDisk(24);

describe.skipIf(disk === null)('when the disk is full', () => {
  const small = disk as SmallDisk; // Without a disk, tests and hooks are skipped, but this line runs.
  let program: Program & { origin: string };
  let owner: Caller;
  beforeAll(async () => {
    const DATABASE_URL = await databaseOn(small.folder);
    program = await startProgram({ DATABASE_URL, BASE_URL: 'https://s.example', INITIAL_API_KEY: KEY });
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

  test('writes fail with a clear 503, reads and visits work, and everything works again when there is space', async () => {
    const { id, alias } = await owner.link();
    small.fill();
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

    small.free();
    const stored = () => owner.rest('POST', '/links', { url: 'https://example.com/again' });
    await expect.poll(async () => (await stored()).status).toBe(201);
    const clicks = async () => (await owner.rest('GET', `/links/${id}`)).body;
    await expect.poll(clicks).toMatchObject({ data: { clicks: 1 } });
  });
});
