// Packs the client as `@linkspace/client`: modules for browsers and Node, with their types.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../stamp.mjs';

const SOURCE = join(root, 'packages/client');

/** Returns the package's manifest. Bundlers leave out the modules that a program does not import. */
function makeManifest() {
  const { version, license, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return {
    name: '@linkspace/client',
    version,
    description: 'A typed client of the GraphQL API of Linkspace, a self-hosted short-link service.',
    license,
    type: 'module',
    engines,
    sideEffects: false,
    files: ['dist'],
    exports: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './package.json': './package.json',
    },
    publishConfig: { access: 'public' },
  };
}

/** Compiles the sources, whose generated part must be there. */
function compile(folder) {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const options = ['--noEmit', 'false', '--declaration', '--sourceMap', 'false', '--outDir', folder];
  const { status, stdout, error } = spawnSync(process.execPath, [tsc, '-p', SOURCE, ...options], {
    encoding: 'utf8',
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`The client does not compile:\n${stdout}`);
  // The compiler renames what modules import, but not what their types import.
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.d.ts')) continue;
    const file = join(folder, name);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/(['"]\.\.?\/[^'"\n]+)\.ts(?=['"])/g, '$1.js'));
  }
}

/** Copies the files of the package to an empty folder. */
export function layOutClient(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  compile(join(folder, 'dist'));
  cpSync(join(SOURCE, 'README.md'), join(folder, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(makeManifest(), null, 2)}\n`);
}
