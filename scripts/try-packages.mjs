// npm run try-packages: installs all packages with one `npm install` into an empty folder with an empty cache, on the oldest and
// the newest promised Node, and uses them as their guides say. It prints times and sizes.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { script } from './command.mjs';
import { nodePackage } from './node-package.mjs';
import { root } from './stamp.mjs';

/** The most that installation and start may take in seconds, and the installed files in megabytes. */
const LIMITS = { seconds: 60, megabytes: 150 };

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const [oldest] = /\d+\.\d+/.exec(manifest.engines.node);
const NODES = [`~${oldest}.0`, '26'];

const isWindows = process.platform === 'win32';

/** A program with the client and the test kit. */
const OWN_PROGRAM = `
import { createClient } from '@linkspace/client';
import { startLinkspace } from 'linkspace/testing';
const client = createClient({ url: process.env.LINKSPACE_URL, key: process.env.LINKSPACE_KEY });
await client.createLink({ url: 'https://example.com/sale', alias: 'sale' });
const aliases = [];
for await (const { alias } of client.links()) aliases.push(alias);
const service = await startLinkspace();
await service.client.createLink({ url: 'https://example.com/' });
await service.close();
console.log(aliases.join());
`;

/** The versions of what the examples of tests need, from the project's own. */
const TEST_TOOLS = [
  ...['vitest', '@graphql-typed-document-node/core'],
  ...['@urql/core', '@urql/exchange-graphcache', 'wonka', 'graphql-sse'],
].map((name) => `${name}@${{ ...manifest.dependencies, ...manifest.devDependencies }[name]}`);
/** The project does not have Jest, and has an older graphql than `npm install graphql` gets. */
const OTHER_TEST_TOOLS = ['jest@30.5.2', 'graphql@17.1.0'];

/** The files of the guide to tests, and those that they import. */
const EXAMPLES = [
  ...['resolvers.test.ts', 'screen.test.ts', 'v1.test.ts', 'node-test.mjs', 'jest.mjs'].map(
    (name) => `testing/${name}`,
  ),
  ...['screen/start-urql.ts', 'screen/start.ts'],
];

/** Runs a command to its end, and returns its output. */
function run(cwd, env, command, ...words) {
  const options = { cwd, env, encoding: 'utf8', shell: isWindows };
  const { status, stdout, stderr, error } = spawnSync(command, words, options);
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${words.join(' ')} failed:\n${stdout}${stderr}`);
  return stdout;
}

/** Returns the bytes of a folder's files. */
function sizeIn(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

/** Starts the service in a folder; resolves with the greeting, its origin, and a function that stops it. */
function start(cwd, env) {
  // Not by npx, which ends by a signal without passing it on.
  const command = join(cwd, 'node_modules/.bin', isWindows ? 'linkspace.cmd' : 'linkspace');
  const child = spawn(command, [], {
    cwd,
    env,
    shell: isWindows,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((done) => child.on('exit', (code, signal) => done(code ?? signal)));
  let output = '';
  return new Promise((resolve, reject) => {
    const heard = (text) => {
      output += text;
      const origin = /(http:\/\/localhost:\d+)\/api\/v1\/links\n\nGraphQL/.exec(output)?.[1];
      const key = /^ {2}(ls_[\w-]+)$/m.exec(output)?.[1];
      if (origin === undefined || key === undefined) return;
      const stop = () => {
        child.kill('SIGTERM');
        return ended;
      };
      resolve({ origin, key, stop });
    };
    child.stdout.setEncoding('utf8').on('data', heard);
    child.stderr.setEncoding('utf8').on('data', heard);
    ended.then((code) => reject(new Error(`linkspace ended with ${code}:\n${output}`)));
  });
}

/** Runs the examples of the guide to tests by Vitest, Jest and Node's own test runner, with the installed packages. */
function tryTests(folder, env) {
  run(folder, env, 'npm', 'install', '--no-audit', '--no-fund', ...TEST_TOOLS, ...OTHER_TEST_TOOLS);
  for (const name of EXAMPLES) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    const text = readFileSync(join(root, 'examples', name), 'utf8');
    const installed = text
      .replace("'../../src/testing/linkspace.ts'", "'linkspace/testing'")
      .replace(/'\.\.\/\.\.\/packages\/client\/src\/(\w+)\.ts'/g, "'@linkspace/client/$1'");
    writeFileSync(join(folder, name), installed);
  }
  // The machine may be slow.
  const patience = ['--testTimeout=120000', '--hookTimeout=120000', '--expect.poll.timeout=60000'];
  run(folder, env, 'npx', 'vitest', 'run', ...patience, 'resolvers', 'screen', 'v1');
  run(folder, env, 'node', '--test', 'testing/node-test.mjs');
  const modules = { ...env, NODE_OPTIONS: '--experimental-vm-modules' };
  run(folder, modules, 'npx', 'jest', '--testTimeout=120000', '--testMatch', '**/jest.mjs');
}

/** Installs and uses the packages on one Node, and returns a line of figures. */
async function tryOn(wanted, tarballs, temporary) {
  const nodeFolder = join(temporary, 'node');
  mkdirSync(nodeFolder, { recursive: true });
  run(nodeFolder, process.env, 'npm', 'install', '--no-save', '--no-audit', `${nodePackage()}@${wanted}`);
  const folder = join(temporary, 'own');
  mkdirSync(folder);
  const path = `${join(nodeFolder, 'node_modules/.bin')}${delimiter}${process.env.PATH}`;
  const env = { ...process.env, PATH: path, PORT: '0', npm_config_cache: join(temporary, 'cache') };
  const version = run(folder, env, 'node', '--version').trim();
  const began = performance.now();
  run(folder, env, 'npm', 'install', '--no-audit', '--no-fund', ...tarballs);
  const installed = performance.now();
  const commands = readdirSync(join(folder, 'node_modules/.bin')).filter((name) => !name.includes('.'));
  if (commands.sort().join() !== 'linkspace,lsp')
    throw new Error(`node_modules/.bin has ${commands.join(', ')}.`);
  const service = await start(folder, env);
  const greeted = performance.now();
  const headers = { Authorization: `Bearer ${service.key}` };
  const body = new URLSearchParams({ url: 'https://example.com/', alias: 'hello' });
  const made = await fetch(`${service.origin}/api/v1/links`, { method: 'POST', headers, body });
  if (made.status !== 201) throw new Error(`A new link was answered by ${made.status}: ${await made.text()}`);
  const visited = await fetch(`${service.origin}/hello`, { redirect: 'manual' });
  if (visited.status !== 302) throw new Error(`A visit was answered by ${visited.status}.`);
  const listed = run(folder, env, 'npx', 'linkspace', 'keys', 'list');
  if (!listed.includes('default')) throw new Error(`The list of keys lacks the first one:\n${listed}`);
  run(folder, env, 'npx', 'linkspace', 'backup');
  const own = { ...env, LINKSPACE_URL: service.origin, LINKSPACE_KEY: service.key };
  const shown = run(folder, own, 'npx', 'lsp', 'links', 'list');
  if (!shown.includes('/hello')) throw new Error(`lsp does not list the link:\n${shown}`);
  writeFileSync(join(folder, 'own.mjs'), OWN_PROGRAM);
  const found = run(folder, own, 'node', 'own.mjs').trim();
  if (found !== 'sale,hello') throw new Error(`The client found other links: ${found}`);
  const code = await service.stop();
  if (code !== 0) throw new Error(`The service ended with ${code} after a signal.`);
  const seconds = (greeted - began) / 1_000;
  const megabytes = sizeIn(join(folder, 'node_modules')) / 1e6;
  tryTests(folder, env);
  const line =
    `Node ${version}: installed in ${((installed - began) / 1_000).toFixed(1)} s, greeted after ` +
    `${seconds.toFixed(1)} s, ${megabytes.toFixed(0)} MB installed`;
  if (seconds > LIMITS.seconds || megabytes > LIMITS.megabytes)
    throw new Error(`${line}; at most ${LIMITS.seconds} s and ${LIMITS.megabytes} MB are promised.`);
  return line;
}

await script(async () => {
  const output = join(root, 'dist-packages');
  const tarballs = readdirSync(output).map((name) => join(output, name));
  for (const wanted of NODES) {
    const temporary = mkdtempSync(join(tmpdir(), 'linkspace-packages-'));
    try {
      console.log(await tryOn(wanted, tarballs, temporary));
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  }
});
