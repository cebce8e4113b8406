import {
  chmodSync,
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
import { join } from 'node:path';
import { publint } from 'publint';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { layOutCli } from '../../scripts/pack/cli.mjs';
import { layOutClient } from '../../scripts/pack/client.mjs';
import { PUBLISHING } from '../../scripts/pack/publishing.mjs';
import { blocksOf } from '../support/markdown.ts';
import { type Finished, Program } from '../support/process.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

// The package as it is installed, beside the client and nothing else.
const folder = mkdtempSync(join(tmpdir(), 'linkspace-lsp-'));
const installed = join(folder, 'node_modules/@linkspace/cli');
const own = join(folder, 'own');
const version: string = JSON.parse(readFileSync('package.json', 'utf8')).version;
let server: TestServer;
let env: Record<string, string>;
beforeAll(async () => {
  mkdirSync(own, { recursive: true });
  await layOutCli(installed);
  layOutClient(join(folder, 'node_modules/@linkspace/client'));
  server = await startTestServer({ background: true });
  const { key } = await server.caller();
  env = { XDG_CONFIG_HOME: join(folder, 'config'), LINKSPACE_URL: server.origin, LINKSPACE_KEY: key };
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const launch = (args: string[], variables = env): Program =>
  new Program(process.execPath, [join(installed, 'dist/lsp.js'), ...args], variables, own);
const run = (...args: string[]): Promise<Finished> => launch(args).end();

test('has a manifest of its own, which needs only the client of its version', () => {
  const root = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))).toEqual({
    name: '@linkspace/cli',
    version,
    description: 'The command line of Linkspace, a self-hosted short-link service.',
    license: 'MIT',
    type: 'module',
    engines: root.engines,
    bin: { lsp: 'dist/lsp.js' },
    scripts: PUBLISHING,
    files: ['dist', 'THIRD-PARTY-LICENSES.txt'],
    dependencies: { '@linkspace/client': version },
    publishConfig: { access: 'public' },
  });
});

test('contains one executable file, the README and the licences', () => {
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(installed, name)).isFile(),
  );
  expect(files.sort()).toEqual(
    ['LICENSE', 'README.md', 'THIRD-PARTY-LICENSES.txt', join('dist', 'lsp.js'), 'package.json'].sort(),
  );
  const program = readFileSync(join(installed, 'dist/lsp.js'), 'utf8');
  expect(program).toMatch(/^#!\/usr\/bin\/env node\n/);
  expect(statSync(join(installed, 'dist/lsp.js')).mode & 0o111).toBe(0o111);
  const imported = [...program.matchAll(/^import .*?from "([^"]+)"/gm)].map(([, name = '']) => name);
  expect(imported.filter((name) => !name.startsWith('node:'))).toEqual(['@linkspace/client']);
  const licences = readFileSync(join(installed, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
  expect([...licences.matchAll(/^([\w@/-]+) \d+\.\d+\.\d+: /gm)].map(([, name]) => name)).toEqual([
    'commander',
    'graphql',
    'yaml',
  ]);
});

test('publint finds no fault', async () => {
  const { messages } = await publint({ pkgDir: installed, strict: true, level: 'suggestion' });
  expect(messages).toEqual([]);
});

test('runs, and passes its output and exit codes on', async () => {
  expect(await run('--version')).toMatchObject({ code: 0, stdout: `${version}\n` });
  expect(await run('tags', 'create', 'Made')).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse((await run('tags', 'list', '--json')).stdout)).toMatchObject([{ name: 'Made' }]);
  expect(await run('tags', 'show', 'None')).toMatchObject({
    code: 4,
    stdout: '',
    stderr: 'lsp: There is no tag called "None".\n',
  });
});

test('applies the file of its README, and ends a watch by a signal', async () => {
  await run('spaces', 'create', 'Marketing');
  for (const tag of ['Print', '2026']) await run('tags', 'create', tag);
  await server.database.prisma.domain.create({
    data: {
      name: 'go.example',
      accountId: null,
      verifiedAt: new Date(0),
      createdAt: new Date(0),
      updatedAt: new Date(0),
    },
  });
  const [example] = blocksOf('packages/cli/README.md').filter(({ language }) => language === 'yaml');
  writeFileSync(join(own, 'links.yaml'), example?.text ?? '');
  expect((await run('apply', 'links.yaml', '--dry-run')).code).toBe(2);
  expect((await run('apply', 'links.yaml')).stdout).toContain('Created 2,');
  expect((await run('apply', 'links.yaml', '--dry-run')).code).toBe(0);

  const watch = launch(['watch']);
  await expect.poll(() => watch.stderr).toContain('Watching.');
  expect((await watch.end('SIGINT')).code).toBe(130);
});

test.skipIf(process.platform === 'win32')('is a command by its name alone', async () => {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  chmodSync(join(installed, 'dist/lsp.js'), 0o755);
  symlinkSync(join(installed, 'dist/lsp.js'), join(bin, 'lsp'));
  expect(await new Program(join(bin, 'lsp'), ['--version'], env, own).end()).toMatchObject({
    code: 0,
    stdout: `${version}\n`,
  });
});
