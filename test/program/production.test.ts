import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startProgram } from '../support/process.ts';

interface Lock {
  packages: Record<string, { dev?: true; devOptional?: true; optional?: true; peer?: true }>;
}

const folder = mkdtempSync(join(tmpdir(), 'linkspace-production-'));

/**
 * What `npm ci --omit=dev --omit=optional --omit=peer` would install, out of what is installed here. Packages are linked to,
 * and Node is told to take the links for the places: what a package needs is then looked for beside the links.
 */
beforeAll(() => {
  const lock: Lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  for (const [path, { dev, devOptional, optional, peer }] of Object.entries(lock.packages)) {
    if (dev || devOptional || optional || peer || !/^node_modules\/(@[^/]+\/)?[^/]+$/.test(path)) continue;
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    symlinkSync(resolve(path), join(folder, path), 'junction');
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
    '--preserve-symlinks',
    '--preserve-symlinks-main',
    join(folder, 'dist', 'main.js'),
  ]);
  const headers = { Authorization: `Bearer ${key}` };
  const [ready, list, schema] = await Promise.all(
    ['/readyz', '/api/v1/links', '/schema.graphql'].map((path) => fetch(program.origin + path, { headers })),
  );
  expect([ready?.status, list?.status, schema?.status]).toEqual([200, 200, 200]);
  expect((await program.end('SIGTERM')).code).toBe(0);
});
