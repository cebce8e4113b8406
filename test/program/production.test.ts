import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { halves, pngOf } from '../support/images.ts';
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
  // The codecs of images are in a thread of their own, with files beside the program.
  const image = `data:image/png;base64,${pngOf(halves()).toString('base64')}`;
  const query =
    'mutation ($input: CreateLinkInput!) { createLink(input: $input) { ... on Link { preview { imageUrl } } } }';
  const made = await fetch(`${program.origin}/graphql`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      query,
      variables: { input: { url: 'https://example.com/', preview: { image } } },
    }),
  });
  const { data } = (await made.json()) as { data: { createLink: { preview: { imageUrl: string } } } };
  const { pathname } = new URL(data.createLink.preview.imageUrl);
  const picture = await fetch(program.origin + pathname);
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
  expect((await program.end('SIGTERM')).code).toBe(0);
});
