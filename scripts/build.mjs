// Bundles src, with its packages, to dist, after generating src/generated. A program of one file for each use starts in two
// thirds of the time that the files of src and of node_modules take.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { script } from './command.mjs';
import { generate } from './generate.mjs';
import { foldersIn } from './packages.mjs';
import { hashOf, isFresh, root, writeStamp } from './stamp.mjs';

const STAMP = 'dist/.stamp';
const SOURCES = [
  'src',
  'prisma/schema.prisma',
  'schema.graphql',
  'web',
  'docs',
  'console',
  'packages',
  'codegen.ts',
  'scripts',
  'package.json',
  'package-lock.json',
];

/** Modules that run in threads of their own. */
const THREADS = ['engine/db/sqlite/reader-thread', 'engine/images/codec-thread', 'clicks/writer-thread'];
const COMMAND = 'command:';
/** Packages that stay outside the bundle, since they have binaries: one, and some that others would use if they were there. */
const BINARIES = /^(better-sqlite3|pg-native|bufferutil|utf-8-validate)(\/|$)/;

const hashOfSources = () =>
  hashOf(SOURCES, (path) => !/^(console|packages\/\w+)\/src\/generated\//.test(path));

/** True if dist is up to date. A production tree has dist but no sources, so there is nothing to build. */
export function isBuilt() {
  return !existsSync(join(root, 'src')) || isFresh(STAMP, hashOfSources());
}

/** Returns the programs that the scripts of a manifest run, by the scripts' names, with the flags of Node. */
export function commandsIn({ scripts }) {
  const parsed = Object.entries(scripts).flatMap(([name, line]) => {
    const [, flags = '', program] = /\bnode (.*)scripts\/run\.mjs (\S+)/.exec(line) ?? [];
    return program === undefined ? [] : [[name, { flags: flags.split(' ').filter(Boolean), program }]];
  });
  return Object.fromEntries(parsed);
}

const manifest = () => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The folders of the packages with code in dist. */
export const BUNDLED = 'dist/packages.json';
/** The folders of those in the console, as its own build writes them. */
const BUNDLED_IN_CONSOLE = 'src/generated/console-packages.json';
/** Packages whose files the pages load as they are. */
const ASSETS = ['node_modules/@graphql-yoga/render-graphiql', 'node_modules/swagger-ui-dist'];

/** The programs of commands, which only export `main`, so that tests can call them: each calls it with the process's own. */
const commands = {
  name: 'commands',
  resolveId: (id) => (id.startsWith(COMMAND) ? id : null),
  load: (id) =>
    id.startsWith(COMMAND)
      ? `import { runAsProcess } from ${JSON.stringify(join(root, 'src/app/cli/command.ts'))};
         import { main } from ${JSON.stringify(join(root, `src/app/${id.slice(COMMAND.length)}.ts`))};
         await runAsProcess(main);`
      : null,
};

/** Empties the check of Node's version in the bundle, since each program imports it first, by its banner. */
const nodeCheck = {
  name: 'node-check',
  load: (id) => (id.endsWith('/require-node.js') ? '' : null),
};

/** Gives all packages the same files of graphql: its classes must be there once, and it has each module twice. */
const oneGraphql = {
  name: 'one-graphql',
  resolveId(id) {
    if (!/^graphql(\/|$)/.test(id)) return null;
    const path = join(root, 'node_modules', id);
    const files = [`${path.replace(/\.js$/, '')}.mjs`, join(path, 'index.mjs')];
    return files.find((file) => existsSync(file)) ?? null;
  },
};

/** Properties of node:http that load the client behind `fetch` when they are read. */
const OF_FETCH = new Set(['WebSocket', 'CloseEvent', 'MessageEvent']);
const HTTP = '\0node:http';

/** Imports node:http without the client behind `fetch`: importing a module of Node reads all of its properties. */
const httpWithoutFetch = {
  name: 'http-without-fetch',
  resolveId: (id, _importer, { kind }) =>
    /^(node:)?http$/.test(id) && kind === 'import-statement' ? HTTP : null,
  load(id) {
    if (id !== HTTP) return null;
    const names = Object.keys(process.getBuiltinModule('node:http')).filter((name) => !OF_FETCH.has(name));
    return `const http = process.getBuiltinModule('node:http');
            export default http;
            export const { ${names.join(', ')} } = http;`;
  },
};

async function bundle() {
  const { rolldown } = await import('rolldown');
  const bundled = await rolldown({
    cwd: root,
    platform: 'node',
    input: Object.fromEntries([
      ...Object.values(commandsIn(manifest())).map(({ program: name }) => [
        name,
        name.startsWith('cli/') ? COMMAND + name : `src/app/${name}.ts`,
      ]),
      ['testing', 'src/testing/linkspace.ts'],
      ...THREADS.map((name) => [name, `src/${name}.ts`]),
    ]),
    plugins: [commands, nodeCheck, oneGraphql, httpWithoutFetch],
    external: BINARIES,
  });
  const { output } = await bundled.write({
    dir: join(root, 'dist'),
    cleanDir: true,
    chunkFileNames: '[name].js',
    // Before anything that an older Node cannot load.
    banner: ({ isEntry, name }) =>
      isEntry
        ? `import '${name.includes('/') ? '../'.repeat(name.split('/').length - 1) : './'}app/require-node.js';`
        : '',
    sourcemap: true,
  });
  return foldersIn(output.flatMap(({ moduleIds = [] }) => moduleIds));
}

/** A commit in a form that is fit for a label. */
const COMMIT = /^[\w.-]{1,64}$/;

/** The commit of the sources: git's if this is its repository, or else the one that SOURCE_COMMIT names. */
export function findCommit(folder, env = process.env) {
  const git = (...args) =>
    spawnSync('git', args, {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).stdout?.trim();
  // Sources that were unpacked inside another repository are not of that one.
  const top = git('rev-parse', '--show-toplevel');
  const own =
    top && existsSync(top) && realpathSync(top) === realpathSync(folder) ? git('rev-parse', 'HEAD') : '';
  return [own?.slice(0, 12), env.SOURCE_COMMIT].find((one) => one && COMMIT.test(one)) ?? 'unknown';
}

async function build() {
  const hash = hashOfSources();
  process.stderr.write('Building…\n');
  await generate();
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  const folders = await bundle();
  for (const folder of ['assets', 'codecs', 'console'])
    cpSync(join(root, 'src/generated', folder), join(root, 'dist/generated', folder), { recursive: true });
  for (const file of [
    'app/require-node.js',
    'app/load-env.js',
    'app/decode-text.js',
    'rest/openapi/examples.json',
    'app/cli/demo/company.json',
  ])
    cpSync(join(root, 'src', file), join(root, 'dist', file));
  // No part of the stamp: a commit that changes no source needs no build.
  const { version } = manifest();
  writeFileSync(join(root, 'dist/build.json'), JSON.stringify({ version, commit: findCommit(root) }));
  const inConsole = JSON.parse(readFileSync(join(root, BUNDLED_IN_CONSOLE), 'utf8'));
  const bundled = [...new Set([...folders, ...inConsole, ...ASSETS])].sort();
  writeFileSync(join(root, BUNDLED), JSON.stringify(bundled));
  writeStamp(STAMP, hash);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await script(async () => {
    if (!process.argv.includes('--if-stale') || !isBuilt()) await build();
  });
}
