// Packs the client as `@linkspace/client`: modules for browsers and Node, with their types.
import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../stamp.mjs';
import { PUBLISHING } from './publishing.mjs';

const SOURCE = join(root, 'packages/client');
/** The packages that need TypeScript 5. */
const TYPED_CLIENT = join(root, 'test/typed-client/node_modules');

/** The modules that programs may import, beside the client itself. */
const ENTRIES = ['apollo', 'relay', 'urql', 'v1'];
/** The packages that some of these modules need, in the versions that tests run with. */
const PEERS = [
  ...['@apollo/client', 'rxjs', '@urql/core', '@urql/exchange-graphcache', 'wonka', 'relay-runtime'],
  ...['graphql', 'graphql-sse'],
];
/** The version of graphql that `npm install graphql` gets. With a range that excludes it, npm searches for another one for minutes. */
const LATEST_GRAPHQL = '^17.0.0';

const exported = (name) => ({ types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` });

/** Returns the package's manifest. Bundlers leave out the modules that a program does not import. */
function makeManifest() {
  const { version, license, engines, dependencies, devDependencies } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  const installed = { ...dependencies, ...devDependencies };
  return {
    name: '@linkspace/client',
    version,
    description: 'A typed client of the GraphQL API of Linkspace, a self-hosted short-link service.',
    license,
    type: 'module',
    engines,
    sideEffects: false,
    scripts: PUBLISHING,
    files: ['dist'],
    exports: {
      '.': exported('index'),
      ...Object.fromEntries(ENTRIES.map((name) => [`./${name}`, exported(name)])),
      './package.json': './package.json',
    },
    peerDependencies: {
      ...Object.fromEntries(PEERS.map((name) => [name, `^${installed[name]}`])),
      graphql: `^${installed.graphql} || ${LATEST_GRAPHQL}`,
    },
    peerDependenciesMeta: Object.fromEntries(PEERS.map((name) => [name, { optional: true }])),
    publishConfig: { access: 'public' },
  };
}

/** Runs a program of the tree, and throws what it prints if it fails. */
function run(args) {
  const { status, stdout, stderr, error } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${args.join(' ')} failed:\n${stdout}${stderr}`);
}

/** Compiles the sources, whose generated part must be there. */
function compile(folder) {
  const options = ['--noEmit', 'false', '--declaration', '--sourceMap', 'false', '--outDir', folder];
  run(['node_modules/typescript/bin/tsc', '-p', SOURCE, ...options]);
  // The compiler renames what modules import, but not what their types import.
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.d.ts')) continue;
    const file = join(folder, name);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/(['"]\.\.?\/[^'"\n]+)\.ts(?=['"])/g, '$1.js'));
  }
}

/** Adds the types of v1, from the OpenAPI document that the service serves. */
function addTypesOfV1(folder) {
  const document = join(folder, 'openapi.json');
  run(['--import', 'tsx', 'scripts/openapi.ts', document]);
  const types = join(folder, 'generated/v1.d.ts');
  run([join(TYPED_CLIENT, 'openapi-typescript/bin/cli.js'), document, '--output', types]);
  rmSync(document);
  appendFileSync(
    join(folder, 'v1.d.ts'),
    "export type { components, operations, paths, webhooks } from './generated/v1.js';\n",
  );
}

/** Copies the files of the package to an empty folder. */
export function layOutClient(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  compile(join(folder, 'dist'));
  addTypesOfV1(join(folder, 'dist'));
  cpSync(join(SOURCE, 'README.md'), join(folder, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(makeManifest(), null, 2)}\n`);
}
