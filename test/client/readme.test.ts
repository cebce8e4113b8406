import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { blocksOf } from '../support/markdown.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ background: true });
});
afterAll(() => server.stop());

test('the lines of the README run, one after the other', async () => {
  const { key } = await server.caller();
  vi.stubEnv('LINKSPACE_URL', server.origin);
  vi.stubEnv('LINKSPACE_KEY', key);
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  const lines = blocksOf('packages/client/README.md').filter(({ language }) => language === 'ts');
  const text = lines.map((block) => block.text).join('\n');
  const folder = mkdtempSync(join('test', '.docs-client-'));
  try {
    const file = join(folder, 'readme.ts');
    writeFileSync(file, text.replaceAll("'@linkspace/client'", "'../../packages/client/src/index.ts'"));
    await import(/* @vite-ignore */ resolve(file));
  } finally {
    vi.unstubAllEnvs();
    log.mockRestore();
    rmSync(folder, { recursive: true });
  }
  expect(lines.length).toBeGreaterThan(5);
  expect(
    (await server.database.prisma.link.findMany({ orderBy: { id: 'asc' } })).map(({ url }) => url),
  ).toEqual([
    'https://example.com/',
    'https://example.com/1',
    'https://example.com/2',
    'https://example.com/3',
  ]);
});
