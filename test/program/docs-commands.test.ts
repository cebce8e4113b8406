import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../src/app/config.ts';
import { Caller } from '../../src/testing/caller.ts';
import { runCommand } from '../support/command.ts';
import { allBlocks, blocksOf, codeSpansOf, commandsOf, guides } from '../support/markdown.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { startProgram } from '../support/process.ts';
import { startService } from '../support/service.ts';
import { visit } from '../support/visit.ts';

const manifest: {
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
} = JSON.parse(readFileSync('package.json', 'utf8'));

/** Only these variables are passed on. Others in the environment of the tests could configure the program. */
const { PATH = '', HOME = '' } = process.env;
const KEY = 'the-first-key-of-an-empty-database';
const folder = mkdtempSync(join(tmpdir(), 'linkspace-guides-'));
const DATABASE_URL = `file:${join(folder, 'data/linkspace.db')}`;
/** A folder that is not there before the demo. */
const demo = join(folder, 'demo');

/** The results of a guide's earlier commands. */
const state: {
  origin: string;
  key: string;
  /** Stops the service that runs. */
  end?: () => Promise<unknown>;
  postgres?: PostgresServer;
  startedDemo?: boolean;
} = { origin: '', key: KEY };

async function stop(): Promise<void> {
  await state.end?.();
  delete state.end;
}
afterAll(async () => {
  await stop();
  await state.postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a shell command, by default in the project's folder, and returns its output. */
async function shell(command: string, env: Record<string, string> = {}, cwd = '.'): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd, env: { PATH, HOME, ...env } });
  return stdout;
}

/** The scripts that ran as programs. */
const started = new Set<string>();

/** Runs a command `npm run SCRIPT -- …`: as the shell does, or, if the script has run already, in this process. */
async function run(command: string, env: Record<string, string> = { DATABASE_URL }): Promise<string> {
  const [, script = '', args = ''] = /^npm run (\w+) -- (.*)$/.exec(command) ?? [];
  const name = CLI.find((one) => one === script);
  if (name === undefined || !started.has(script)) {
    started.add(script);
    return shell(command, env);
  }
  const { code, stdout, stderr } = await runCommand(name, env, args.split(' '));
  expect(code, `${command}\n${stdout}${stderr}`).toBe(0);
  return stdout;
}

async function isReady(): Promise<void> {
  expect((await fetch(`${state.origin}/readyz`)).status).toBe(200);
}

/** Starts the service by a command that ends with `npm start`, with the variables before it. */
async function startByNpm(command: string, env: Record<string, string>): Promise<{ stdout: string }> {
  await stop();
  const program = await startProgram(env, ['sh', '-c', `exec env ${command}`]);
  state.origin = program.origin;
  state.end = async () => expect((await program.end('SIGTERM')).code).toBe(0);
  await isReady();
  return program;
}

/** Starts it in this process, with the variables of the command. */
async function start(command: string, env: Record<string, string>): Promise<void> {
  await stop();
  const variables = [...command.matchAll(/([A-Z_]+)=(\S+) /g)].map(([, name, value]) => [name, value]);
  const service = await startService({ ...env, ...Object.fromEntries(variables) });
  state.origin = service.origin;
  state.end = service.stop;
  await isReady();
}

/** Replaces the guides' PostgreSQL URL by that of a server, which is started on demand. */
async function onPostgres(command: string): Promise<string> {
  state.postgres ??= await startPostgres();
  return command
    .replaceAll('postgresql://USER:PASSWORD@HOST:5432/NAME', state.postgres.url)
    .replace(/postgresql:\/\/ADMIN:PASSWORD@\w+:5432\/postgres/, state.postgres.url);
}

function majorOf(program: string): number | null {
  const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return status === 0 ? Number(/(\d+)(?:\.\d+)*\s*(?:\(|$)/m.exec(stdout)?.[1]) : null;
}

/** Checks that a program of PostgreSQL has the options of a command; returns its major version, null if it is not installed. */
function checkOptions(program: string, command: string): number | null {
  const major = majorOf(program);
  if (major === null) return null;
  const help = execFileSync(program, ['--help'], { encoding: 'utf8' });
  for (const [option] of command.matchAll(/--[a-z-]+/g)) expect(help).toContain(option);
  return major;
}

const CLI = [
  'accounts',
  'webhooks',
  'check',
  'keys',
  'users',
  'demo',
  'domains',
  'backup',
  'copy',
  'migrate',
  'import',
  'export',
] as const;
const helps = new Map<string, Promise<string>>();

/** The names of a program's options, from its help, or from its source if it has none. */
async function optionsOf(script: string): Promise<string[]> {
  const command = CLI.find((name) => name === script);
  if (command === undefined) {
    const [, file = ''] = /((?:bench|scripts)\/[\w-]+\.\w+)$/.exec(manifest.scripts[script] ?? '') ?? [];
    const source = readFileSync(file, 'utf8');
    return [...source.matchAll(/\b(\w+): \{ type: '\w+'/g)].map(([, name = '']) => name);
  }
  const help = helps.get(script) ?? runCommand(command, {}, ['--help']).then(({ stdout }) => stdout);
  helps.set(script, help);
  return ['help', ...[...(await help).matchAll(/--([a-z-]+)/g)].map(([, name = '']) => name)];
}

/** Checks that a script of package.json exists, and has the given options. */
async function isThere(script: string, args: string): Promise<void> {
  expect(Object.keys(manifest.scripts)).toContain(script);
  const named = [...args.matchAll(/--([a-z-]+)/g)].map(([, name]) => name);
  if (named.length > 0) expect(await optionsOf(script)).toEqual(expect.arrayContaining(named));
}

/** Checks that `.ci/run` also runs the command. */
function isRunBeforeMerge(command: string): void {
  expect(readFileSync('.ci/run', 'utf8')).toMatch(new RegExp(`^${command}\\b`, 'm'));
}

let installs: number | null | undefined;

/** Checks that package.json and the lockfile agree, since `npm ci` refuses to install otherwise; asks npm once. */
function canBeInstalled(): void {
  installs ??= spawnSync('npm', ['ci', '--dry-run', '--offline'], { stdio: 'ignore' }).status;
  expect(installs).toBe(0);
}

type Check = (command: string) => void | Promise<void>;

/** Checks of the commands in blocks; the first matching rule counts. */
const rules: readonly (readonly [RegExp, Check])[] = [
  [
    /^npm ci && npm start$/,
    async () => {
      canBeInstalled();
      const program = await startByNpm('npm start', { DATABASE_URL: `file:${join(folder, 'first.db')}` });
      await expect.poll(() => program.stdout).toMatch(/ls_[\w-]{43}/);
      [state.key = ''] = /ls_[\w-]{43}/.exec(program.stdout) ?? [];
    },
  ],
  [
    /^curl -i .*\/tls\/ask/,
    async (command) => {
      // The domain has been removed by then.
      expect(await shell(command.replace('http://127.0.0.1:3000', state.origin))).toMatch(/^HTTP\/1\.1 404 /);
    },
  ],
  [
    /^curl .*text\/csv/,
    async (command) => {
      const here = command.replaceAll('http://127.0.0.1:3000', state.origin);
      const answer = await shell(here.replace(/^curl/, 'curl -sS --fail-with-body'), { KEY: state.key });
      expect(answer).toMatch(/^id,url,alias,.*\r\n/);
    },
  ],
  [
    /^curl /,
    async (command) => {
      const here = command.replaceAll('http://127.0.0.1:3000', state.origin);
      expect(here).not.toBe(command);
      const answer = await shell(here.replace(/^curl/, 'curl -sS --fail-with-body'), { KEY: state.key });
      expect(JSON.parse(answer)).not.toHaveProperty('errors');
    },
  ],
  [
    /^npm ci && npm test$/,
    () => {
      isRunBeforeMerge('npm ci');
      isRunBeforeMerge('npm test');
    },
  ],
  [/^npm ci$/, canBeInstalled],
  [/^npm (test|run (test:rest|lint|typecheck))$/, isRunBeforeMerge],
  [
    /^npm run dev$/,
    async () => {
      // In a process group of its own, since npm does not end its children.
      const env = { PATH, HOME, PORT: '0', DATABASE_URL: `file:${join(folder, 'dev.db')}` };
      const child = spawn('npm', ['run', 'dev'], {
        env,
        detached: true,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let said = '';
      child.stdout.setEncoding('utf8').on('data', (text) => {
        said += text;
      });
      await expect.poll(() => said).toContain('"msg":"listening"');
      process.kill(-(child.pid ?? 0), 'SIGTERM');
      await once(child, 'close');
    },
  ],
  [
    // A usage line: its options exist, with the given defaults.
    /^npm run bench -- \w+ \[/,
    (command) => {
      const [, name = '', args = ''] = /^npm run bench -- (\w+) (.*)$/.exec(command) ?? [];
      expect(readFileSync('bench/main.ts', 'utf8')).toContain(`'${name}'`);
      const source = readFileSync(`bench/${name}.ts`, 'utf8');
      for (const [, option] of args.matchAll(/--([a-z]+)/g)) expect(source).toContain(`${option}: { type: '`);
      for (const [, option, value] of args.matchAll(/--(\w+) ([\d.]+)/g))
        expect(source).toContain(`${option}: { type: 'string', default: '${value}' }`);
    },
  ],
  [
    /^NODE_ENV=production .*npm start$/,
    async (command) => {
      await start(command, { DATABASE_URL, INITIAL_API_KEY: KEY });
      state.key = KEY;
      const owner = new Caller(state.origin, KEY);
      const link = await owner.link({ alias: 'kept' });
      expect(link.short_url).toBe('https://s.example/kept');
      // For the commands that follow.
      await owner.link({ domain_id: await owner.domain('go.example') });
    },
  ],
  [/^npm run keys -- create /, async (command) => expect(await run(command)).toMatch(/ls_[\w-]{43}/)],
  [/^npm run keys -- list$/, async (command) => expect(await run(command)).toContain('Marketing')],
  [/^npm run accounts -- list$/, async (command) => expect(await run(command)).toContain('Marketing')],
  [
    /^npm run accounts -- (create|disable|enable|delete) --account Sales$/,
    async (command) => {
      // A deletion asks.
      const [, verb = ''] = /-- (\w+)/.exec(command) ?? [];
      const said = await run(verb === 'delete' ? `${command} --yes` : command);
      expect(said).toContain(verb === 'create' ? 'is made' : `is ${verb}d`);
    },
  ],
  [
    /^npm run keys -- revoke --account Marketing --all$/,
    async (command) => expect(await run(command)).toContain('has no valid key any more'),
  ],
  [/^npm run webhooks -- drop-pending$/, async (command) => expect(await run(command)).toContain('removed')],
  [
    /^npm run keys -- revoke 2$/,
    async (command) => expect(await run(command)).toContain('Key 2 is revoked.'),
  ],
  [
    /^npm run backup -- --keep 14$/,
    async (command) => expect(await run(command)).toContain(join(folder, 'data/backups/')),
  ],
  [
    /^cp data\/backups\/linkspace-\d{8}T\d{6}Z\.db data\/linkspace\.db$/,
    async (command) => {
      await new Caller(state.origin, KEY).link({ alias: 'later' });
      await stop();
      const [backup = ''] = readdirSync(join(folder, 'data/backups'));
      await shell(command.replace(/linkspace-\d{8}T\d{6}Z\.db/, backup), {}, folder);
    },
  ],
  [
    /^rm -f data\/linkspace\.db-wal data\/linkspace\.db-shm$/,
    async (command) => {
      await shell(command, {}, folder);
      await start('npm start', { DATABASE_URL, BASE_URL: 'https://s.example' });
      const statuses = ['/kept', '/later'].map(async (path) => (await visit(state.origin, path)).status);
      expect(await Promise.all(statuses)).toEqual([302, 404]);
    },
  ],
  [
    /^npm run users -- create /,
    async (command) => {
      const [, token] = /console\/accept#(\S+)/.exec(await run(command)) ?? [];
      await start('npm start', { DATABASE_URL, BASE_URL: 'https://s.example' });
      const body = { token, name: 'Ana', email: 'ana@example.com', password: 'correct horse' };
      const accepted = await fetch(`${state.origin}/auth/accept`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(accepted.status).toBe(201);
    },
  ],
  [/^npm run users -- list$/, async (command) => expect(await run(command)).toContain('ana@example.com')],
  [/^npm run users -- reset /, async (command) => expect(await run(command)).toContain('/console/reset#')],
  [
    /^npm run users -- (disable|enable) /,
    async (command) => expect(await run(command)).toMatch(/ana@example\.com is (dis|en)abled\./),
  ],
  [/^npm run users -- sign-out /, async (command) => expect(await run(command)).toContain('signed out')],
  [/^npm run users -- export /, async (command) => expect(await run(command)).toContain('"memberships"')],
  [
    /^npm run users -- delete /,
    // The last owner stays.
    async (command) => {
      const [name, ...args] = command.replace('npm run users -- ', 'users ').split(' ');
      expect(name).toBe('users');
      const env = { DATABASE_URL, BASE_URL: 'https://s.example' };
      expect((await runCommand('users', env, [...args, '--yes'])).stderr).toContain('last owner');
    },
  ],
  [/^npm run domains -- list$/, async (command) => expect(await run(command)).toMatch(/go\.example .* no /)],
  [/^npm run domains -- verify /, async (command) => expect(await run(command)).toContain('is verified.')],
  [
    /^npm run domains -- remove /,
    async (command) => expect(await run(command)).toMatch(/with its (1 )?links?\./),
  ],
  [
    /^npm run copy -- --from file:\.\/data\/linkspace\.db --to postgresql:/,
    async (command) => {
      await stop();
      const there = (await onPostgres(command)).replace('file:./data/linkspace.db', DATABASE_URL);
      expect(await shell(there)).toContain('found the same on both sides');
    },
  ],
  [
    /^DATABASE_URL=file:\.\/data\/demo\.db npm run demo$/,
    async (command) => {
      // Once; the guides may show it again.
      if (existsSync(demo)) return;
      // A year takes twelve times as long.
      const said = await shell(`${command.replace('./data', demo)} -- --days 30`, { PORT: '4111' });
      const url = `file:${demo}/demo.db`;
      expect(said).toMatch(/^Made 6 spaces and 33 links/m);
      expect(said).toMatch(/ls_[\w-]{43}/);
      expect(said).toContain('open http://localhost:4111/shop+\n');
      expect(said).toContain(`\n  DATABASE_URL="${url}" PORT="4111" npm start\n`);
      expect(await runCommand('demo', { DATABASE_URL: url })).toEqual({
        code: 1,
        stdout: '',
        stderr: 'The database has links already: the demo is for an empty one.\n',
      });
      // Nobody reads their output.
      for (const program of ['export.js --account default', 'keys.js list']) {
        const unread = spawnSync('sh', ['-c', `"${process.execPath}" dist/cli/${program} | true`], {
          env: { PATH, DATABASE_URL: url },
          encoding: 'utf8',
        });
        expect(unread.stderr, program).toBe('');
      }
    },
  ],
  [
    /^DATABASE_URL=file:\.\/data\/demo\.db npm start$/,
    async () => {
      if (state.startedDemo) return;
      state.startedDemo = true;
      const { origin, stop } = await startService({ DATABASE_URL: `file:${demo}/demo.db` });
      expect((await fetch(`${origin}/shop+`)).status).toBe(200);
      await stop();
    },
  ],
  [
    /^ROLE=redirects /,
    async (command) => {
      await start(await onPostgres(command.replaceAll(/@(primary|replica):/g, '@HOST:')), {
        BASE_URL: 'https://s.example',
      });
      expect((await visit(state.origin, '/kept')).status).toBe(302);
    },
  ],
  [
    /^DATABASE_URL=postgresql:\S* (WORKERS=auto )?npm start$/,
    async (command) => {
      const how = command.includes('WORKERS') ? startByNpm : start;
      await how(await onPostgres(command), { BASE_URL: 'https://s.example' });
      expect((await visit(state.origin, '/kept')).status).toBe(302);
    },
  ],
  [
    /^DATABASE_URL='postgresql:\S*\?schema=links' npm run migrate -- --new-schema$/,
    async (command) => expect(await shell(await onPostgres(command))).toContain('Applied:'),
  ],
  [
    /^openssl /,
    async (command) => {
      if (spawnSync('openssl', ['version']).status === 0) await shell(command, {}, folder);
    },
  ],
  [
    // test/start/moving.test.ts runs them with the files of each service.
    /^npm run (import|export) -- /,
    (command) => {
      const [, script = '', args = ''] = /^npm run (\w+) -- (.*)$/.exec(command) ?? [];
      return isThere(script, args);
    },
  ],
  [
    // pg_dump must have the server's version or a later one.
    /^pg_(dump|restore) /,
    async (command) => {
      const [program = ''] = command.split(' ');
      const major = checkOptions(program, command);
      if (major === null || major < 18) return;
      const { url = '' } = state.postgres ?? {};
      const other = url.replace(/[^/]*$/, 'linkspace');
      await shell(command, { DATABASE_URL: program === 'pg_dump' ? url : other }, folder);
    },
  ],
  [
    /^(psql|dropdb|createdb) .*postgresql:\/\/ADMIN:/,
    async (command) => {
      const [program = ''] = command.split(' ');
      if (checkOptions(program, command) === null) return;
      // The server of this test is no standby.
      const here = (await onPostgres(command)).replace('pg_promote()', () => '$$pg_promote$$::regproc');
      await shell(here);
    },
  ],
  [/^pg_basebackup /, (command) => void checkOptions('pg_basebackup', command)],
  [
    /^DATABASE_URL=\$\(/,
    async (command) => {
      const there = mkdtempSync(join(folder, 'url-'));
      const found = (env: Record<string, string>) => shell(`${command}; echo "$DATABASE_URL"`, env, there);
      expect(await found({ DATABASE_URL: 'of the shell' })).toBe('of the shell\n');
      writeFileSync(join(there, 'url'), 'of the file\n');
      expect(await found({ DATABASE_URL_FILE: './url' })).toBe('of the file\n');
      writeFileSync(join(there, '.env'), 'DATABASE_URL=of .env\n');
      expect(await found({})).toBe('of .env\n');
    },
  ],
  [
    // There is no Docker: at least the services, names and paths are those of the files.
    /^docker compose /,
    (command) => {
      const [, file = 'compose.yaml'] = / -f (\S+)/.exec(command) ?? [];
      const { services } = parse(readFileSync(file, 'utf8'));
      const [, profile] = / --profile (\w+)/.exec(command) ?? [];
      if (profile) expect(services[profile].profiles).toEqual([profile]);
      const [, service, inside = ''] =
        / (?:stop|start|run --rm|exec(?: -T)?|cp) (\w+)(.*)$/.exec(command) ?? [];
      if (!service) return expect(command).toMatch(/ up( --build)? --detach$/);
      expect(Object.keys(services)).toContain(service);
      if (service === 'postgres') {
        const { POSTGRES_USER, POSTGRES_DB } = services.postgres.environment;
        expect(inside).toContain(` --username=${POSTGRES_USER} `);
        expect(inside).toMatch(new RegExp(`[ =]${POSTGRES_DB}( |$)`));
        const [, program = '', words = ''] = /^ (\w+) ([^<>]*)/.exec(inside) ?? [];
        return void checkOptions(program, words);
      }
      const [, script, args = ''] = /npm run (\w+) (.*)$/.exec(inside) ?? [];
      if (script) return isThere(script, args);
      const [, steps = ''] = /sh -c '(.*)'$/.exec(inside) ?? [];
      const all = commands.map(([, one]) => one);
      if (steps) expect(all).toEqual(expect.arrayContaining(steps.split(' && ')));
      const [, path] = /^:(\S+) \.\/backups$/.exec(inside) ?? [];
      if (path) expect(path).toBe(`${services.linkspace.volumes[0].split(':')[1]}/backups`);
    },
  ],
  [
    /^\{ printf .* \| kubectl apply --filename -$/,
    async (command) => {
      const rule = parse(await shell(command.replace(/ \| kubectl .*$/, '')));
      new PrometheusRule(rule).validate();
      expect(rule.spec).toEqual(parse(readFileSync('deploy/observability/rules.yml', 'utf8')));
    },
  ],
  // There is nothing to fetch, and no systemd.
  [/^sudo -u linkspace git (fetch|(diff HEAD|merge --ff-only) origin\/main( -- CHANGELOG\.md)?)$/, () => {}],
  [/^sudo -u linkspace (git clone REPOSITORY \.|touch \.env)$/, () => {}],
  [/^sudo -u linkspace npm ci$/, canBeInstalled],
  [/^sudo -u linkspace npm run keys -- list$/, async () => isThere('keys', '')],
  [/^sudo (useradd|install|chmod) .*(linkspace|\.env)$/, () => {}],
  [/^cd \/opt\/linkspace$/, () => {}],
  [/^sudo systemctl (start|stop|daemon-reload|enable --now)( linkspace)?$/, () => {}],
  [
    // There is no cluster: at least the files, names and keys are those of the manifests.
    /^kubectl /,
    (command) => {
      const manifests = ['deploy/kubernetes', 'deploy/kubernetes-redirects'].flatMap((folder) =>
        readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8')),
      );
      for (const [, path = ''] of command.matchAll(/ --(?:kustomize|filename) (\S+)/g))
        expect(existsSync(path)).toBe(true);
      for (const [, name] of command.matchAll(/(?: job |deployment\/)(\S+)/g))
        expect(manifests.join()).toContain(`name: ${name}\n`);
      for (const [, key] of command.matchAll(/--from-literal=([\w-]+)/g))
        expect(manifests.join()).toContain(`value: /run/secrets/linkspace/${key}\n`);
      for (const [, script = '', args = ''] of command.matchAll(/npm run (\w+) (.*)$/g))
        return isThere(script, args);
    },
  ],
  [
    // A test installs the files of the package, and runs its command.
    /^(npm install \.\/linkspace-client-\S+\.tgz \.\/linkspace-\d+\.\d+\.\d+\.tgz|npx linkspace)$/,
    (command) => {
      const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
      // npm would look for the client in a registry.
      if (command.startsWith('npm'))
        expect(command).toBe(`npm install ./linkspace-client-${version}.tgz ./linkspace-${version}.tgz`);
      expect(existsSync('test/start/package.test.ts')).toBe(true);
    },
  ],
  [
    // These tests run them, with these variables.
    /^(export LINKSPACE_URL=\S+ LINKSPACE_KEY=|(\w+=\S+ )?(npx tsx|sh|php|python3|node) (-S \S+ )?examples\/)/,
    (command) => {
      const tests = [
        ...['test/start/examples.test.ts', 'test/start/shlink-script.test.ts'],
        'test/program/webhook-examples.test.ts',
      ];
      const tested = tests.map((file) => readFileSync(file, 'utf8')).join();
      const named = command.match(/(LINKSPACE|WEBHOOK|SHLINK)_[A-Z_]+(?==)|examples\/\S+/g) ?? [];
      expect(named).not.toEqual([]);
      for (const name of named) expect(tested).toContain(name);
    },
  ],
];

function ruleOf(command: string): Check {
  const rule = rules.find(([pattern]) => pattern.test(command));
  if (!rule) throw new Error(`Nobody runs the command: ${command}`);
  return rule[1];
}

const commands = allBlocks
  .filter(({ language }) => language === 'sh')
  .flatMap((block) => commandsOf(block).map((command) => [block.place, command] as const));

describe('commands of the guides, in their order', () => {
  mkdirSync(join(folder, 'data'));
  test.each(commands)('%s: %s', (_place, command) => ruleOf(command)(command));
});

test('every command in the guides has a check, and every check a command', () => {
  for (const [pattern] of rules)
    expect(commands.map(([, command]) => command)).toContainEqual(expect.stringMatching(pattern));
  expect(() => ruleOf('rm -rf data')).toThrow('Nobody runs');
});

/** The packages of GraphQL Code Generator that its configuration in the guide needs. */
function generatorPackages(): string[] {
  const config = blocksOf('docs/graphql.md').find(({ text }) => text.startsWith('// codegen.ts'))?.text ?? '';
  const imports = [...config.matchAll(/from '(@graphql-codegen\/[\w-]+)'/g)].map(([, name = '']) => name);
  const plugins = [...config.matchAll(/plugins: \['([\w-]+)'\]/g)];
  const presets = [...config.matchAll(/preset: '([\w-]+)'/g)];
  return [
    ...imports,
    ...plugins.map(([, name]) => `@graphql-codegen/${name}`),
    ...presets.map(([, name]) => `@graphql-codegen/${name}-preset`),
  ];
}

/** Checks of the commands in the prose of a guide. */
const inText: readonly (readonly [RegExp, (...parts: string[]) => void | Promise<void>])[] = [
  [/^npm (?:ci|audit|outdated|login|publish)\b/, () => {}],
  // test/program/release.test.ts makes and publishes releases.
  [
    /^npm run release -- --publish$/,
    () => expect(readFileSync('scripts/release.mjs', 'utf8')).toContain('--publish'),
  ],
  [
    /^npx openapi-typescript (?:\S+\/)?openapi\.json (--output) (?:v1|operations)\.d\.ts$/,
    (option) =>
      expect(readFileSync('test/rest/typed-client.test.ts', 'utf8')).toMatch(
        new RegExp(`openapi.json.,\\s+'${option}'`),
      ),
  ],
  [
    /^npm install (?:--save-dev )?([^-].*)$/,
    (names = '') => {
      // The examples run with these packages. Relay's compiler and GraphQL's generator are too large to be installed for that.
      const known = [
        'relay-compiler',
        ...generatorPackages(),
        ...Object.keys(manifest.devDependencies),
        ...Object.keys(manifest.dependencies),
      ];
      expect(known).toEqual(expect.arrayContaining(names.split(' ')));
    },
  ],
  // A test of the guide runs it.
  [
    /^npx biome check --write$/,
    () =>
      expect(readFileSync('test/program/contributing.test.ts', 'utf8')).toContain('npx biome check --write'),
  ],
  [/^npx graphql-codegen$/, () => expect(generatorPackages()).toContain('@graphql-codegen/cli')],
  [/^npm (start|test)$/, (script = '') => isThere(script, '')],
  [/^npm test -- (test\/\S+)/, (file = '') => expect(existsSync(`${file}.test.ts`)).toBe(true)],
  [
    /^PG=(\w+) npm run ([\w:-]+)$/,
    async (value = '', script = '') => {
      expect(readFileSync('vitest.config.ts', 'utf8')).toContain(`process.env.PG === '${value}'`);
      await isThere(script, '');
    },
  ],
  [/^npm run (?:--silent )?([\w:-]+)(.*)$/, (script = '', args = '') => isThere(script, args)],
  [
    /^npm uninstall --no-save (.*)$/,
    (names = '') =>
      expect(Object.keys(manifest.optionalDependencies)).toEqual(expect.arrayContaining(names.split(' '))),
  ],
  [
    /^npm --prefix (\S+) run (\S+)$/,
    (place = '', script = '') =>
      expect(JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')).scripts).toHaveProperty(script),
  ],
  [
    /^npm i node@24 postgraphile@5$/,
    () => expect(readFileSync('bench/postgraphile.mjs', 'utf8')).toContain('postgraphile'),
  ],
  [
    /^(?:node )?dist\/cli\/(\w+)\.js(.*)$/,
    async (name = '', args = '') => {
      expect(existsSync(`src/app/cli/${name}.ts`)).toBe(true);
      await isThere(name, args);
    },
  ],
  [
    /^(node .*scripts\/run\.mjs main)$/,
    (command = '') => expect(manifest.scripts.start).toBe(`exec ${command}`),
  ],
  [
    /^npm start -- (--version)$/,
    (option = '') => expect(readFileSync('src/app/main.ts', 'utf8')).toContain(option),
  ],
  [
    /^docker compose exec linkspace npm run ([\w:-]+)(.*)$/,
    (script = '', args = '') => isThere(script, args),
  ],
  [
    /^docker buildx build --platform (\S+) \.$/,
    () => {
      // Whatever runs, runs on the builder's own architecture.
      const stages = readFileSync('Dockerfile', 'utf8')
        .split(/^FROM /m)
        .slice(1);
      for (const stage of stages)
        if (/^RUN /m.test(stage)) expect(stage).toMatch(/^--platform=\$BUILDPLATFORM /);
    },
  ],
  [/^npx linkspace$/, () => expect(existsSync('test/start/package.test.ts')).toBe(true)],
  [/^npx linkspace (\w+) (\w+)$/, (program = '', verb = '') => isThere(program, verb)],
  [/^docker compose(?: pull)?$/, () => expect(existsSync('compose.yaml')).toBe(true)],
  [
    /^(FUZZ_RUNS|KILL_ROUNDS)=\d+$/,
    (name = '') => {
      const files = ['test/rest/fuzz.test.ts', 'test/start/kill.test.ts'];
      expect(files.map((file) => readFileSync(file, 'utf8')).join()).toContain(`process.env.${name}`);
    },
  ],
  [
    /^([A-Z]+(?:_[A-Z]+)*)=(\S+)$/,
    (name = '', value = '') => expect(() => readConfig({ [name]: value })).not.toThrow(),
  ],
];

const spans = guides.flatMap((file) =>
  codeSpansOf(file)
    .flatMap((code) => code.split(' && '))
    .filter((code) => /^(npm|npx|node|docker|sh|curl|pg_dump|pg_restore) |^dist\/|^[A-Z_]+=/.test(code))
    .map((code) => [file, code] as const),
);

test.each(spans)('%s: what it says about %s is true', async (_file, code) => {
  for (const [pattern, check] of inText) {
    const match = pattern.exec(code);
    if (match) return check(...match.slice(1));
  }
  throw new Error(`Nobody checks: ${code}`);
});
