// Makes src/generated/console: the console, built by Vite and compressed.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { writeCompressed } from './assets.mjs';
import { run } from './command.mjs';
import { hashOf, isFresh, root, writeStamp } from './stamp.mjs';

const STAMP = 'src/generated/.console-stamp';
const SOURCES = ['console', 'web/look.css', 'schema.graphql', 'codegen.ts', 'scripts', 'package-lock.json'];
const OUTPUT = join(root, 'src/generated/console');
/** The most JavaScript that the first view may load, in bytes, compressed by gzip. */
const MOST = 150_000;

/** The chunks that the browser loads at once: the entry, and what it imports statically. */
function firstChunks(chunks) {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const first = new Set(chunks.filter(({ isEntry }) => isEntry));
  for (const chunk of first) for (const name of chunk.imports) first.add(byName.get(name));
  return [...first];
}

function checkSize(chunks) {
  const bytes = firstChunks(chunks).reduce((sum, { code }) => sum + gzipSync(code, { level: 9 }).length, 0);
  if (bytes > MOST)
    throw new Error(`The console's first view loads ${bytes} bytes of JavaScript; at most are ${MOST}.`);
}

export async function makeConsole() {
  const hash = hashOf(SOURCES, (path) => !path.startsWith('console/src/generated'));
  if (isFresh(STAMP, hash)) return;
  mkdirSync(join(root, 'console/src/generated'), { recursive: true });
  await run('tsx', ['codegen.ts', 'console/src/documents', 'console/src/generated/documents.ts']);
  const { build } = await import('vite');
  const { output } = await build({ root: join(root, 'console'), logLevel: 'warn' });
  checkSize(output.filter(({ type }) => type === 'chunk'));
  const files = readdirSync(OUTPUT, { recursive: true }).filter((name) => /\.(css|html|js)$/.test(name));
  await Promise.all(files.map((name) => writeCompressed(OUTPUT, name, readFileSync(join(OUTPUT, name)))));
  writeStamp(STAMP, hash);
}
