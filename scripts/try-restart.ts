// npm run try-restart: restarts two processes in turn, ten times, behind a real nginx and a real Caddy, under a load of writes and
// visits, and counts what fails. It begins with one process of the last version without draining, behind the proxy's file of that
// version, and upgrades as the guide says. Takes about eight minutes. Needs Git, and Debian's packages nginx and caddy.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { blocksOf } from '../test/support/markdown.ts';
import { freePort, startPostgres } from '../test/support/postgres-server.ts';
import { type Program, startProgram } from '../test/support/process.ts';

/** The last version without draining. */
const BEFORE = '46787b587a67b6d5fac1bc6797d334ed38ed6876';
const KEY = 'the-first-key-of-an-empty-database';
const RESTARTS = 10;
const [POSTS, REDIRECTS] = [5_000, 50_000];
/** Numbers of clients that write and visit at once, and milliseconds of their pause after an answer. */
const [WRITERS, VISITORS, PAUSE] = [12, 60, 120];
/** Milliseconds of rest for a process that is back: longer than the proxies need to notice it. */
const SETTLE = 10_000;

const isInstalled = (name: string, option: string) => spawnSync(name, [option]).status === 0;
const missing = [
  ['nginx', '-v'],
  ['caddy', 'version'],
].flatMap(([name = '', option = '']) => (isInstalled(name, option) ? [] : [name]));
if (missing.length > 0) {
  console.error(`Install what is missing, on Debian by: apt-get install ${missing.join(' ')}`);
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), 'linkspace-restart-'));
const children = new Set<ChildProcess>();
const database = await startPostgres();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

/** A file of the last version without draining. */
const fileBefore = (path: string) =>
  execFileSync('git', ['show', `${BEFORE}:${path}`], { encoding: 'utf8', maxBuffer: 100_000_000 });

/** Builds that version in a folder of its own, with the packages that are installed here. */
function buildBefore(): string {
  const tree = join(folder, 'before');
  execFileSync('git', ['worktree', 'add', '--detach', '--force', tree, BEFORE], { stdio: 'ignore' });
  symlinkSync(join(process.cwd(), 'node_modules'), join(tree, 'node_modules'));
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: tree, stdio: 'inherit' });
  return join(tree, 'dist/main.js');
}

/** Copies what a process of this version needs, so that a build beside it changes nothing. */
function copyNow(): string {
  const tree = join(folder, 'now');
  for (const path of ['dist', 'prisma', 'package.json']) cpSync(path, join(tree, path), { recursive: true });
  symlinkSync(join(process.cwd(), 'node_modules'), join(tree, 'node_modules'));
  return join(tree, 'dist/main.js');
}

/** Starts a proxy with its documented file for two processes on a port; returns what stops it. */
type StartProxy = (documented: string, port: number, upstreams: readonly string[]) => ChildProcess;

const startNginx: StartProxy = (guide, port, [one = '', other = '']) => {
  const file = join(folder, 'guide.md');
  writeFileSync(file, guide);
  const [, forSeveral = ''] = blocksOf(file)
    .filter(({ language }) => language === 'nginx')
    .map(({ text }) => text);
  const documented = forSeveral
    .replace('server_name', `listen 127.0.0.1:${port};\n  server_name`)
    .replace('127.0.0.1:3000', one)
    .replace('127.0.0.1:3001', other)
    .replace('http://visitors', 'http://everything');
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/pid; error_log ${folder}/nginx.log; events {}
    http { access_log off; ${paths.join(' ')} ${documented} }`,
  );
  return spawn('nginx', ['-c', join(folder, 'nginx.conf'), '-p', folder], { stdio: 'ignore' });
};

const startCaddy: StartProxy = (documented, port, upstreams) => {
  // Without TLS and its authority, which npm run try-caddy tries.
  const [, part = ''] = /(\(linkspace\) \{\n[\s\S]*?\n\}\n)/.exec(documented) ?? [];
  const file = join(folder, 'Caddyfile');
  writeFileSync(
    file,
    `{\n\tadmin off\n\tauto_https off\n}\n${part}\nhttp://:${port} {\n\timport linkspace\n}\n`,
  );
  return spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', file], {
    env: { PATH: process.env.PATH, HOME: folder, LINKSPACE: upstreams.join(' ') },
    stdio: 'ignore',
  });
};

/** Clients that ask all the time, with counts of the answers: those of the right status, and every other outcome. */
class Load {
  readonly outcomes = new Map<string, number>();
  posts = 0;
  redirects = 0;
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: true });
  #isOver = false;
  readonly #done: Promise<unknown>;

  constructor(port: number, alias: string) {
    this.#port = port;
    const post = () => this.#ask('POST', '/api/v1/links', 201);
    const visit = () => this.#ask('GET', `/${alias}`, 302);
    this.#done = Promise.all([
      ...Array.from({ length: WRITERS }, () => this.#repeat(post, () => this.posts++)),
      ...Array.from({ length: VISITORS }, () => this.#repeat(visit, () => this.redirects++)),
    ]);
  }

  async #repeat(ask: () => Promise<boolean>, count: () => void): Promise<void> {
    while (!this.#isOver) {
      if (await ask()) count();
      await setTimeout(PAUSE);
    }
  }

  async #ask(method: string, path: string, expected: number): Promise<boolean> {
    const body = method === 'POST' ? `url=https://example.com/${randomUUID()}` : undefined;
    const sent = request({
      ...{ host: '127.0.0.1', port: this.#port, method, path, agent: this.#agent, timeout: 30_000 },
      headers: {
        Host: `s.example:${this.#port}`,
        ...(body && {
          Authorization: `Bearer ${KEY}`,
          'Content-Type': 'application/x-www-form-urlencoded',
          'Content-Length': String(body.length),
        }),
      },
    });
    sent.on('timeout', () => sent.destroy(new Error('no answer')));
    const outcome = once(sent, 'response').then(async ([response]: IncomingMessage[]) => {
      let text = '';
      for await (const chunk of response?.setEncoding('utf8') ?? []) text += chunk;
      return { status: response?.statusCode, text };
    });
    sent.end(body);
    const { status, text } = await outcome.catch(({ message }: Error) => ({ status: 0, text: message }));
    if (status === expected) return true;
    // The message of the service, or the page of the proxy.
    const failed = `${method} ${status} (${text
      .replaceAll(/<[^>]*>|\s+/g, ' ')
      .trim()
      .slice(0, 80)})`;
    this.outcomes.set(failed, (this.outcomes.get(failed) ?? 0) + 1);
    return false;
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#done;
    this.#agent.destroy();
  }
}

/** Prints what a load got. @returns how many requests failed */
function report(what: string, { posts, redirects, outcomes }: Load): number {
  const failed = [...outcomes].map(([outcome, times]) => `${times} × ${outcome}`);
  console.log(`${what}: ${posts} POSTs and ${redirects} redirects, ${failed.join(', ') || 'none'} failed`);
  return [...outcomes.values()].reduce((sum, times) => sum + times, 0);
}

async function answers(port: number, path: string): Promise<void> {
  const isThere = () =>
    fetch(`http://127.0.0.1:${port}${path}`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isThere())) await setTimeout(50);
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  children.delete(child);
}

/** Tries a proxy; returns how many requests failed over the restarts. */
async function tryProxy(
  name: string,
  startProxy: StartProxy,
  files: Record<'before' | 'now', string>,
  mains: Record<'before' | 'now', string>,
): Promise<number> {
  const url = new URL(database.url);
  url.pathname = `/${name}`;
  const setUp = new pg.Client(database.url);
  await setUp.connect();
  await setUp.query(`CREATE DATABASE ${name}`);
  await setUp.end();
  const [port, one, other] = [await freePort(), await freePort(), await freePort()];
  const upstreams = [`127.0.0.1:${one}`, `127.0.0.1:${other}`];
  const env = {
    ...{ DATABASE_URL: url.href, BASE_URL: `http://s.example:${port}`, INITIAL_API_KEY: KEY },
    ...{ TRUST_PROXY: 'loopback', NODE_ENV: 'production', DRAIN_SECONDS: '5' },
  };
  const start = async (own: number, main = mains.now): Promise<Program> => {
    const settings = { ...env, PORT: String(own) };
    const program = await startProgram(settings, [process.execPath, main]);
    program.child.stdout?.removeAllListeners('data').resume();
    children.add(program.child);
    return program;
  };
  const programs = [await start(one, mains.before)];
  let proxy = startProxy(files.before, port, upstreams);
  children.add(proxy);
  await answers(port, '/livez');
  const stored = await fetch(`http://127.0.0.1:${one}/api/v1/links`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${KEY}` },
    body: new URLSearchParams({ url: 'https://example.com/', alias: 'visited' }),
  });
  if (stored.status !== 201) throw new Error(`the link was not stored: ${await stored.text()}`);

  const upgrade = new Load(port, 'visited');
  programs.push(await start(other));
  await setTimeout(SETTLE);
  await end((programs[0] as Program).child);
  programs[0] = await start(one);
  await setTimeout(SETTLE);
  await upgrade.end();
  report(`${name}, the upgrade`, upgrade);
  await end(proxy);
  proxy = startProxy(files.now, port, upstreams);
  children.add(proxy);
  await answers(port, '/livez');
  await setTimeout(SETTLE);

  const load = new Load(port, 'visited');
  for (let restart = 0; restart < RESTARTS; restart++) {
    const at = restart % 2;
    await end((programs[at] as Program).child);
    programs[at] = await start(at === 0 ? one : other);
    await setTimeout(SETTLE);
  }
  while (load.posts < POSTS || load.redirects < REDIRECTS) await setTimeout(100);
  await load.end();
  const failed = report(`${name}, ${RESTARTS} restarts`, load);

  const client = new pg.Client(url.href);
  await client.connect();
  const log = join(folder, `${name}.log`);
  if (existsSync(log)) {
    const reasons = readFileSync(log, 'utf8').match(/\d+: \*\d+ .*?(?=, client)/g) ?? [];
    const counts = Map.groupBy(reasons, (reason) => reason.replace(/^.*\*\d+ /, ''));
    for (const [reason, all] of counts) console.log(`  ${all.length} × ${reason}`);
  }
  const { rows } = await client.query(
    `SELECT COUNT(*)::int AS "links" FROM "Link" WHERE "alias" <> 'visited'`,
  );
  await client.end();
  console.log(`${name}: ${upgrade.posts + load.posts} acknowledged links, ${rows[0].links} in the database`);
  await end(proxy);
  for (const { child } of programs) await end(child);
  return failed;
}

try {
  const mains = { now: copyNow(), before: buildBefore() };
  const files = (path: string) => ({ before: fileBefore(path), now: readFileSync(path, 'utf8') });
  const failed =
    (await tryProxy('nginx', startNginx, files('docs/operations.md'), mains)) +
    (await tryProxy('caddy', startCaddy, files('deploy/container/Caddyfile'), mains));
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  for (const child of children) child.kill('SIGKILL');
  await database.stop();
  spawnSync('git', ['worktree', 'remove', '--force', join(folder, 'before')]);
  rmSync(folder, { recursive: true, force: true });
}
