// npm run bench -- [--links 20000] [--database sqlite|postgresql|URL] [--rounds 5] [--seconds 2] [--only TEXT]
//   [--postgraphile FOLDER] [--profile]
// Seeds a database of its own, starts the program as it is shipped and the baselines beside it, and measures them in
// turns, so that what disturbs the machine disturbs both. Prints ratios with their spread, and writes bench/results.json.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { openDatabase } from '../src/db/client.ts';
import { applyMigrations } from '../src/db/migrate.ts';
import { createFirstKey } from '../src/domain/api-key.ts';
import { shareDefaultDomain } from '../src/domain/domain.ts';
import { startPostgres } from '../test/support/postgres-server.ts';
import { type Baseline, KEY, type Request, scenarios } from './scenarios.ts';
import { seed } from './seed.ts';

const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36';

interface Target {
  origin: string;
  child: ChildProcess;
}

async function start(
  command: string[],
  env: Record<string, string> = {},
  node = process.execPath,
): Promise<Target> {
  const child = spawn(node, command, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${command.join(' ')} ended with ${code}`)));
    child.stdout?.setEncoding('utf8').on('data', function listen(text: string) {
      const said = text.split('\n').find((line) => line.includes('"listening"'));
      if (!said) return;
      // The rest of its log is taken and dropped, as cheaply as can be: the load is made in this process.
      child.stdout?.off('data', listen).resume();
      resolve(JSON.parse(said).port);
    });
  });
  return { origin: `http://127.0.0.1:${port}`, child };
}

let asked = 0;

/** The request as it is sent next: with a number of its own where each is to be a new question. */
function next({ path, body, anew }: Request): { path: string; body: string | undefined } {
  if (!anew) return { path, body };
  const number = asked++;
  if (body === undefined) return { path: `${path}${path.includes('?') ? '&' : '?'}number=${number}`, body };
  return { path, body: body.replace('{', `{"extensions":{"number":${number}},`) };
}

async function rate(origin: string, request: Request, seconds: number): Promise<number> {
  const { path, method = 'GET', type } = request;
  const headers = {
    authorization: `Bearer ${KEY}`,
    'user-agent': BROWSER,
    ...(type && { 'content-type': type }),
  };
  const result = await autocannon({
    url: origin,
    requests: [{ method, headers, setupRequest: (sent) => ({ ...sent, ...next(request) }) }],
    connections: 16,
    duration: seconds,
  });
  const wrong = result.non2xx - (result['3xx'] ?? 0) + result.errors;
  if (wrong > 0) throw new Error(`${method} ${path}: ${wrong} requests failed`);
  return result.requests.total / result.duration;
}

const median = (numbers: number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;

const { values } = parseArgs({
  options: {
    links: { type: 'string', default: '20000' },
    database: { type: 'string', default: 'sqlite' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    only: { type: 'string', default: '' },
    postgraphile: { type: 'string' },
    profile: { type: 'boolean', default: false },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'linkspace-bench-'));
const postgres = values.database === 'postgresql' ? await startPostgres() : null;
const url =
  values.database === 'sqlite' ? `file:${join(folder, 'bench.db')}` : (postgres?.url ?? values.database);
const targets: Target[] = [];

async function fill(url: string, links: number): Promise<void> {
  await applyMigrations(url);
  const database = await openDatabase(url);
  await createFirstKey(database.client, new Date(), KEY);
  await shareDefaultDomain(database.client, 's.example', new Date());
  await seed(database, links);
  await database.close();
}

/** The program as it is shipped, with a limit of requests that is kept and not met. */
async function startProgram(url: string, flags: string[] = []): Promise<Target> {
  const env = { DATABASE_URL: url, PORT: '0', BASE_URL: 'https://s.example', RATE_LIMIT: '1000000000' };
  const target = await start([...flags, 'dist/main.js'], env);
  targets.push(target);
  return target;
}

async function startBaseline(baseline: Baseline, program: Target): Promise<Target> {
  if (baseline === 'itself') return program;
  if (baseline === 'small') {
    const small = `file:${join(folder, 'small.db')}`;
    await fill(small, 1_000);
    return startProgram(small);
  }
  const { postgraphile = '' } = values;
  const target =
    baseline === 'postgraphile'
      ? await start(
          ['bench/postgraphile.mjs', postgraphile, url],
          {},
          join(postgraphile, 'node_modules/.bin/node'),
        )
      : await start(['--import', 'tsx', 'bench/baseline.ts', baseline, url]);
  targets.push(target);
  return target;
}

/** What the process takes of the memory, in MB. */
function memoryOf({ child }: Target): number {
  return Math.round(Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)])) / 1024);
}

try {
  await fill(url, Number(values.links));
  const started = performance.now();
  const program = await startProgram(
    url,
    values.profile ? ['--cpu-prof', '--cpu-prof-dir=bench/profiles'] : [],
  );
  await fetch(`${program.origin}/readyz`);
  const readyAfter = Math.round(performance.now() - started);
  const memoryAtStart = memoryOf(program);
  const chosen = scenarios.filter(
    ({ name, baseline }) =>
      `${name} against ${baseline}`.includes(values.only) &&
      (baseline !== 'postgraphile' || values.postgraphile !== undefined),
  );
  const baselines = new Map<Baseline, Target>();
  const seconds = Number(values.seconds);
  const results = [];
  for (const { name, program: request, baseline, against, least } of chosen) {
    const other = baselines.get(baseline) ?? (await startBaseline(baseline, program));
    baselines.set(baseline, other);
    const ours = typeof request === 'function' ? await request(program.origin) : request;
    await rate(program.origin, ours, 1);
    await rate(other.origin, against, 1);
    const rounds: { ours: number; other: number }[] = [];
    for (let round = 0; round < Number(values.rounds); round++)
      rounds.push({
        ours: await rate(program.origin, ours, seconds),
        other: await rate(other.origin, against, seconds),
      });
    const ratios = rounds.map((round) => round.ours / round.other);
    results.push({
      scenario: name,
      against: baseline,
      ratio: median(ratios).toFixed(2),
      spread: `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
      least: least?.toFixed(2) ?? '',
      'program/s': Math.round(median(rounds.map((round) => round.ours))),
      'baseline/s': Math.round(median(rounds.map((round) => round.other))),
    });
  }
  const machine = {
    node: process.version,
    cores: cpus().length,
    links: Number(values.links),
    database: values.database,
  };
  const measured = { readyAfter, memoryAtStart, memoryAfterAll: memoryOf(program) };
  console.log(machine, measured);
  console.table(results);
  writeFileSync('bench/results.json', `${JSON.stringify({ machine, measured, results }, null, 2)}\n`);
} finally {
  for (const { child } of targets) child.kill('SIGTERM');
  await Promise.all(
    targets.map(
      ({ child }) =>
        new Promise((resolve) => (child.exitCode === null ? child.once('exit', resolve) : resolve(0))),
    ),
  );
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
}
