// Makes src/generated: the two Prisma clients, the Pothos types, the GraphQL documents of v1 and the tools, the pages' assets, the
// codecs of images and the console. The documents of packages go to their src/generated.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeAssets } from './assets.mjs';
import { run, script } from './command.mjs';
import { makeConsole } from './console.mjs';
import { hashOf, isFresh, root, writeStamp } from './stamp.mjs';

const STAMP = 'src/generated/.stamp';
const SOURCES = [
  'prisma/schema.prisma',
  'schema.graphql',
  'src/rest',
  'src/mcp',
  'examples/frontend/operations.graphql',
  'packages/client/src/documents',
  'packages/cli/src/documents',
  'web',
  'docs',
  'codegen.ts',
  'scripts',
  'package-lock.json',
];

/** The sources in TypeScript: the others of src and scripts make nothing here. */
const GENERATORS = ['codegen.ts', 'scripts/client-methods.ts'];

/** The models with PostgreSQL's provider, and only a client: Pothos' types come from the SQLite client. */
function postgresqlSchema(models) {
  return models
    .replace('provider = "sqlite"', 'provider = "postgresql"')
    .replace('"../src/generated/sqlite"', '"./postgresql"')
    .replace(/generator pothos \{[^}]*\}/, '');
}

/** The constant defaults of each model's columns, which Prisma's client does not tell. */
function defaultsIn(models) {
  const read = (body) =>
    [...body.matchAll(/^ +(\w+) .*@default\((true|false|-?[\d.]+|"(?:[^"\\]|\\.)*")\)/gm)].map(
      ([, column, value]) => [column, JSON.parse(value)],
    );
  const defaults = [...models.matchAll(/^model (\w+) \{([\s\S]*?)^\}/gm)].map(([, model, body]) => [
    model,
    Object.fromEntries(read(body)),
  ]);
  return `export const defaults = ${JSON.stringify(Object.fromEntries(defaults), null, 2)} as const;\n`;
}

/** The codecs of images, which a thread reads as files. */
const CODECS = [
  '@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm',
  '@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm',
  '@jsquash/png/codec/pkg/squoosh_png_bg.wasm',
  '@jsquash/webp/codec/dec/webp_dec.wasm',
];

function copyCodecs() {
  const folder = join(root, 'src/generated/codecs');
  mkdirSync(folder, { recursive: true });
  for (const path of CODECS) copyFileSync(join(root, 'node_modules', path), join(folder, basename(path)));
}

export async function generate() {
  await Promise.all([generateServer(), makeConsole()]);
}

/** Makes what belongs to the models: all that the schema needs, which documents are then checked against. */
async function generateModels() {
  mkdirSync(join(root, 'src/generated'), { recursive: true });
  const models = readFileSync(join(root, 'prisma/schema.prisma'), 'utf8');
  writeFileSync(join(root, 'src/generated/postgresql.prisma'), postgresqlSchema(models));
  writeFileSync(join(root, 'src/generated/defaults.ts'), defaultsIn(models));
  // Generation needs no engine, but looks for one and would download it: any existing file stops that.
  const env = {
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    CHECKPOINT_DISABLE: '1',
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
  };
  await Promise.all([
    run('prisma', ['generate', '--schema', 'prisma/schema.prisma'], env),
    run('prisma', ['generate', '--schema', 'src/generated/postgresql.prisma'], env),
  ]);
}

async function generateServer() {
  const hash = hashOf(SOURCES, (path) => !path.endsWith('.ts') || GENERATORS.includes(path));
  if (isFresh(STAMP, hash)) return;
  copyCodecs();
  await Promise.all([generateModels(), makeAssets(), run('tsx', ['codegen.ts'])]);
  writeStamp(STAMP, hash);
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await script(process.argv[2] === '--models' ? generateModels : generate);
