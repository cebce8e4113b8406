import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { layOutClient } from '../../scripts/pack/client.mjs';
import { PUBLISHING } from '../../scripts/pack/publishing.mjs';
import { blocksOf } from '../support/markdown.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

// The package as it is installed, in a folder without the tree's packages.
const folder = mkdtempSync(join(tmpdir(), 'linkspace-client-'));
const installed = join(folder, 'node_modules/@linkspace/client');
mkdirSync(installed, { recursive: true });
layOutClient(installed);
/** The packages that its parts for caches need. */
const peers = [
  ...['@apollo/client', 'rxjs', '@urql/core', '@urql/exchange-graphcache', 'wonka', 'relay-runtime'],
  ...['graphql', 'graphql-sse'],
];
// What the README and the guide have people install beside it.
for (const folderOfScope of ['@apollo', '@urql']) mkdirSync(join(folder, 'node_modules', folderOfScope));
for (const name of [...peers, 'openapi-fetch', 'openapi-typescript-helpers'])
  symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name), 'junction');
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ background: true });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a Node program in the folder, and returns its output, also that of a failure. */
async function run(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const options = { cwd: folder, env: { ...process.env, ...env } };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...args], options).catch(
    (error) => error,
  );
  return `${stdout}${stderr}`;
}

test('has a manifest of its own, without scripts, and with optional dependencies only', () => {
  const root = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))).toEqual({
    name: '@linkspace/client',
    version: root.version,
    description: 'A typed client of the GraphQL API of Linkspace, a self-hosted short-link service.',
    license: 'MIT',
    type: 'module',
    engines: root.engines,
    sideEffects: false,
    scripts: PUBLISHING,
    files: ['dist'],
    exports: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './apollo': { types: './dist/apollo.d.ts', default: './dist/apollo.js' },
      './relay': { types: './dist/relay.d.ts', default: './dist/relay.js' },
      './urql': { types: './dist/urql.d.ts', default: './dist/urql.js' },
      './v1': { types: './dist/v1.d.ts', default: './dist/v1.js' },
      './package.json': './package.json',
    },
    peerDependencies: {
      ...Object.fromEntries(
        peers.map((name) => [name, `^${root.dependencies[name] ?? root.devDependencies[name]}`]),
      ),
      // `npm install graphql` gets 17. A range without it has npm search for other versions for minutes.
      graphql: `^${root.dependencies.graphql} || ^17.0.0`,
    },
    peerDependenciesMeta: Object.fromEntries(peers.map((name) => [name, { optional: true }])),
    publishConfig: { access: 'public' },
  });
});

test('contains a module with types for each source, the README and the licence', () => {
  const sources = readdirSync('packages/client/src', { recursive: true, encoding: 'utf8' });
  const modules = sources.filter((name) => name.endsWith('.ts')).map((name) => `dist/${name.slice(0, -3)}`);
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(installed, name)).isFile())
    .map((name) => name.replaceAll('\\', '/'));
  expect(files.sort()).toEqual(
    [
      ...['LICENSE', 'README.md', 'package.json'],
      ...modules.flatMap((name) => [`${name}.js`, `${name}.d.ts`]),
      'dist/generated/v1.d.ts',
    ].sort(),
  );
  expect(modules).toContain('dist/generated/documents');
  const text = files.map((name) => readFileSync(join(installed, name), 'utf8')).join('\n');
  expect(text).not.toMatch(/from '[^']*\.ts'|sourceMappingURL/);
});

test('publint finds no fault', async () => {
  const { messages } = await publint({ pkgDir: installed, strict: true, level: 'suggestion' });
  expect(messages).toEqual([]);
});

test('Are the types wrong? finds none that are', async () => {
  const cli = resolve('node_modules/@arethetypeswrong/cli/dist/index.js');
  const output = await run([cli, '--pack', installed, '--profile', 'esm-only', '--format', 'json']);
  const { analysis } = JSON.parse(output);
  // It lists what the profile leaves out, such as CommonJS, too.
  const wrong = analysis.problems.filter(({ resolutionKind }: { resolutionKind: string }) =>
    ['node16-esm', 'bundler'].includes(resolutionKind),
  );
  expect(wrong).toEqual([]);
  expect(analysis.types).toEqual({ kind: 'included' });
});

test('the parts for caches are imported by Node, and compile with the packed types', async () => {
  const entries = ['apollo', 'relay', 'urql'];
  const imports = entries.map((name) => `import * as ${name} from '@linkspace/client/${name}';`);
  const calls = [
    "apollo.newClient({ url: 'http://a.example/graphql' }).stop();",
    "relay.newEnvironment({ url: 'http://a.example/graphql' }).getStore();",
    "urql.newClient({ url: 'http://a.example/graphql' }).executeQuery;",
    'const maybe = (): undefined => undefined;',
    "createClient({ url: '', key: maybe(), fetch: maybe(), headers: maybe(), timing: maybe() }).close();",
    "apollo.newClient({ url: 'http://a.example', headers: maybe(), pause: maybe() }, { links: maybe(), send: maybe() }).stop();",
    "urql.newClient({ url: 'http://a.example', headers: maybe(), heard: maybe() }, { cache: maybe(), exchanges: maybe() });",
    "relay.newEnvironment({ url: 'http://a.example', headers: maybe(), timing: maybe() });",
    "console.log('imported');",
    '// @ts-expect-error it is no address',
    'const never = () => urql.newClient({ url: 7 });',
  ];
  imports.push("import { createClient } from '@linkspace/client';");
  writeFileSync(join(folder, 'caches.ts'), [...imports, ...calls].join('\n'));
  const compilerOptions = {
    ...{ target: 'es2022', module: 'nodenext', lib: ['es2023', 'dom'], types: [], strict: true },
    exactOptionalPropertyTypes: true,
    // The types of other packages are not ours to check.
    skipLibCheck: true,
  };
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['caches.ts'] }));
  expect(await run([resolve('node_modules/typescript/bin/tsc')])).toBe('');
  expect(await run(['caches.js'])).toBe('imported\n');
});

test('the lines of the README compile with the packed types, by TypeScript 5 and 7, and run', async () => {
  const lines = blocksOf('packages/client/README.md').filter(({ language }) => language === 'ts');
  // Each error would say what is wrong with the types: none of them is any.
  const typed = [
    '// @ts-expect-error a link has no such field',
    'link.nothing;',
    '// @ts-expect-error a link of v1 has a URL',
    "await v1.POST('/links', { body: { title: 'Nowhere' } });",
  ].join('\n');
  writeFileSync(join(folder, 'readme.ts'), [...lines.map(({ text }) => text), typed].join('\n'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    lib: ['es2023', 'dom', 'esnext.disposable'],
    typeRoots: [resolve('node_modules/@types')],
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['readme.ts'] }));
  for (const compiler of ['node_modules', 'test/typed-client/node_modules'])
    expect(await run([resolve(compiler, 'typescript/bin/tsc')])).toBe('');
  const { key } = await server.caller();
  const env = { LINKSPACE_URL: server.origin, LINKSPACE_KEY: key };
  const output = await run(['readme.js'], env);
  expect(output).toMatch(/^https:\/\/s\.example\/\w+\n/);
  expect(output).toContain('it is now');
  expect(output).toContain('CREATED');
  const links = await server.database.prisma.link.findMany({ orderBy: { id: 'asc' } });
  expect(links.map(({ url, title }) => [url, title])).toEqual([
    ['https://example.com/', null],
    ['https://example.com/1', null],
    ['https://example.com/2', null],
    ['https://example.com/3', null],
    ['https://example.com/4', 'As a form'],
  ]);
});
