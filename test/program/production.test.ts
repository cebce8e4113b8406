import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startProgram } from '../support/process.ts';
import { makeProductionTree } from '../support/production-tree.ts';

const folder = mkdtempSync(join(tmpdir(), 'linkspace-production-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('starts and serves with production dependencies only', async () => {
  const command = makeProductionTree(folder);
  const key = 'the-first-key-of-an-empty-database';
  const DATABASE_URL = `file:${join(folder, 'data.db')}`;
  const env = { DATABASE_URL, INITIAL_API_KEY: key, NODE_ENV: 'production' };
  const program = await startProgram(env, command('main'));
  const headers = { Authorization: `Bearer ${key}` };
  const [ready, list, schema] = await Promise.all(
    ['/readyz', '/api/v1/links', '/schema.graphql'].map((path) => fetch(program.origin + path, { headers })),
  );
  expect([ready?.status, list?.status, schema?.status]).toEqual([200, 200, 200]);
  expect((await program.end('SIGTERM')).code).toBe(0);
});
