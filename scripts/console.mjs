// Makes src/generated/console: the console, built by Vite and compressed; and src/generated/console-documents.ts: its operations.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeCompressed } from './assets.mjs';
import { run } from './command.mjs';
import { hashOf, isFresh, root, writeStamp } from './stamp.mjs';

const STAMP = 'src/generated/.console-stamp';
const SOURCES = [
  'console',
  'web/look.css',
  'web/font.css',
  'web/inter.woff2',
  'schema.graphql',
  'codegen.ts',
  'scripts',
  'package-lock.json',
];
const OUTPUT = join(root, 'src/generated/console');

const DOCUMENTS = join(root, 'console/src/documents');

/** Writes the operations, which the service trusts where it executes only trusted documents. */
function writeDocuments() {
  const texts = readdirSync(DOCUMENTS).map((name) => readFileSync(join(DOCUMENTS, name), 'utf8'));
  const text = `export const consoleDocuments: string = ${JSON.stringify(texts.join('\n'))};\n`;
  writeFileSync(join(root, 'src/generated/console-documents.ts'), text);
}

export async function makeConsole() {
  const hash = hashOf(SOURCES, (path) => !path.startsWith('console/src/generated'));
  if (isFresh(STAMP, hash)) return;
  mkdirSync(join(root, 'console/src/generated'), { recursive: true });
  mkdirSync(join(root, 'src/generated'), { recursive: true });
  writeDocuments();
  await run('tsx', ['codegen.ts', 'console/src/documents', 'console/src/generated/documents.ts']);
  // The variable chooses React's build, whatever the program itself is started with.
  await run('vite', ['build', 'console', '--logLevel', 'warn'], { NODE_ENV: 'production' });
  const files = readdirSync(OUTPUT, { recursive: true }).filter((name) => /\.(css|html|js)$/.test(name));
  await Promise.all(files.map((name) => writeCompressed(OUTPUT, name, readFileSync(join(OUTPUT, name)))));
  writeStamp(STAMP, hash);
}
