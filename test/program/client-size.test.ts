import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';

const ENTRY = 'entry.ts';

/** The sizes of the bundle's files, minified and compressed, in bytes: what a page loads first, and all. */
async function measure(code: string): Promise<{ first: number; all: number }> {
  const own = {
    name: 'own',
    resolveId: (id: string) => (id === ENTRY ? id : null),
    load: (id: string) => (id === ENTRY ? code : null),
  };
  const bundle = await rolldown({ input: ENTRY, plugins: [own], platform: 'browser' });
  const { output } = await bundle.generate({ minify: true, format: 'es' });
  await bundle.close();
  const sizes = output.map((file) => ({
    isEntry: file.type === 'chunk' && file.isEntry,
    size: gzipSync(file.type === 'chunk' ? file.code : file.source).length,
  }));
  const sum = (all: typeof sizes) => all.reduce((bytes, { size }) => bytes + size, 0);
  return { first: sum(sizes.filter(({ isEntry }) => isEntry)), all: sum(sizes) };
}

test('a program with the client loads 7 kB, and with everything that it loads later 10 kB', async () => {
  const { first, all } = await measure(
    `import { createClient } from '${process.cwd()}/packages/client/src/index.ts'; globalThis.client = createClient({ url: '' });`,
  );
  expect(first).toBeLessThanOrEqual(7_000);
  expect(all).toBeLessThanOrEqual(10_000);
  // The documents are in it.
  expect(first).toBeGreaterThan(3_000);
});
