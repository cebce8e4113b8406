// Compiles src to dist, after generating src/generated.
import { copyFileSync, cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run, script } from './command.mjs';
import { generate } from './generate.mjs';
import { hashOf, isFresh, root, writeStamp } from './stamp.mjs';

const STAMP = 'dist/.stamp';
const SOURCES = [
  'src',
  'prisma/schema.prisma',
  'schema.graphql',
  'web',
  'console',
  'codegen.ts',
  'scripts',
  'tsconfig.json',
  'tsconfig.build.json',
  'package-lock.json',
];

const hashOfSources = () => hashOf(SOURCES, (path) => !path.startsWith('console/src/generated'));

/** Whether dist is up to date. A production tree has dist but no sources, so there is nothing to build. */
export function isBuilt() {
  return !existsSync(join(root, 'src')) || isFresh(STAMP, hashOfSources());
}

async function build() {
  const hash = hashOfSources();
  process.stderr.write('Building…\n');
  await generate();
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  await run('tsc', ['-p', 'tsconfig.build.json']);
  copyFileSync(join(root, 'src/rest/openapi/examples.json'), join(root, 'dist/rest/openapi/examples.json'));
  for (const folder of ['assets', 'console'])
    cpSync(join(root, 'src/generated', folder), join(root, 'dist/generated', folder), { recursive: true });
  writeStamp(STAMP, hash);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await script(async () => {
    if (!process.argv.includes('--if-stale') || !isBuilt()) await build();
  });
}
