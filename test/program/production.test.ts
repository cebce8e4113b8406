import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startProgram } from '../support/process.ts';

interface Lock {
  packages: Record<string, { dev?: true; devOptional?: true; optional?: true; peer?: true }>;
}

const folder = mkdtempSync(join(tmpdir(), 'linkspace-production-'));

/** What `npm ci --omit=dev --omit=optional --omit=peer` would install, out of what is installed here. */
beforeAll(() => {
  const lock: Lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  for (const [path, { dev, devOptional, optional, peer }] of Object.entries(lock.packages)) {
    if (path === '' || dev || devOptional || optional || peer || !existsSync(path)) continue;
    // What is nested in a package is told of by a path of its own.
    const nested = join(path, 'node_modules');
    cpSync(path, join(folder, path), { recursive: true, filter: (source) => source !== nested });
  }
  for (const path of ['dist', 'package.json', 'prisma/migrations'])
    cpSync(path, join(folder, path), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('starts and serves from the production tree alone', async () => {
  const key = 'the-first-key-of-an-empty-database';
  const DATABASE_URL = `file:${join(folder, 'data.db')}`;
  const program = await startProgram({ DATABASE_URL, INITIAL_API_KEY: key, NODE_ENV: 'production' }, [
    process.execPath,
    join(folder, 'dist', 'main.js'),
  ]);
  const headers = { Authorization: `Bearer ${key}` };
  const [ready, list, schema] = await Promise.all(
    ['/readyz', '/api/v1/links', '/schema.graphql'].map((path) => fetch(program.origin + path, { headers })),
  );
  expect([ready?.status, list?.status, schema?.status]).toEqual([200, 200, 200]);
  expect((await program.end('SIGTERM')).code).toBe(0);
});
