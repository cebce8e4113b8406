// npm run bench -- [--links 20000] [--database sqlite|postgresql|URL] [--rounds 5] [--seconds 2] [--only TEXT] [--profile]
// Seeds a database of its own, starts the program as it is shipped and the baselines beside it, and measures them in
// turns, so that what disturbs the machine disturbs both. Prints ratios with their spread, and writes bench/results.json.
import { type ChildProcess, spawn } from 'node:child_process';
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
import { seed } from './seed.ts';

const KEY = 'the-key-of-the-benchmark-0123456789';
const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36';

interface Target {
  origin: string;
  child: ChildProcess;
}

type Request = { path: string; method?: 'GET' | 'POST'; body?: string; type?: string };

interface Scenario {
  name: string;
  program: Request;
  baseline: 'map' | 'prisma' | 'floor';
  against: Request;
  least: number | null;
}

const graphql = (query: string): Request => ({
  path: '/graphql',
  method: 'POST',
  type: 'application/json',
  body: JSON.stringify({ query }),
});
const store: Request = {
  path: '/api/v1/links',
  method: 'POST',
  type: 'application/x-www-form-urlencoded',
  body: 'url=https://example.com/some/longer/path',
};
const edges = (count: number) =>
  graphql(
    `{ links(first: ${count}) { edges { node { id title alias url clicks createdAt space { id name color } } } } }`,
  );
const one = graphql('{ link(id: "500") { id title alias url clicks createdAt space { id name color } } }');

const scenarios: Scenario[] = [
  { name: 'redirect', program: { path: '/a7' }, baseline: 'map', against: { path: '/a7' }, least: 0.4 },
  ...(['prisma', 'floor'] as const).flatMap((baseline): Scenario[] => {
    const least = (ratio: number) => (baseline === 'prisma' ? ratio : null);
    const against = (path: string): { baseline: typeof baseline; against: Request } => ({
      baseline,
      against: { path },
    });
    return [
      {
        name: 'REST show',
        program: { path: '/api/v1/links/500' },
        ...against('/links/500'),
        least: least(0.7),
      },
      {
        name: 'REST list of 10',
        program: { path: '/api/v1/links' },
        ...against('/links'),
        least: least(0.7),
      },
      { name: 'GraphQL list of 10', program: edges(10), ...against('/links'), least: null },
      { name: 'GraphQL list of 100', program: edges(100), ...against('/links?per_page=100'), least: null },
      { name: 'GraphQL one', program: one, ...against('/links/500'), least: null },
    ];
  }),
  { name: 'REST store', program: store, baseline: 'prisma', against: store, least: 0.7 },
];

async function start(command: string[], env: Record<string, string> = {}): Promise<Target> {
  const child = spawn(process.execPath, command, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${command.join(' ')} ended with ${code}`)));
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const said = text.split('\n').find((line) => line.includes('"listening"'));
      if (said) resolve(JSON.parse(said).port);
    });
  });
  return { origin: `http://127.0.0.1:${port}`, child };
}

async function rate(
  origin: string,
  { path, method = 'GET', body, type }: Request,
  seconds: number,
): Promise<number> {
  const headers = {
    authorization: `Bearer ${KEY}`,
    'user-agent': BROWSER,
    ...(type && { 'content-type': type }),
  };
  const result = await autocannon({
    url: origin + path,
    method,
    body,
    headers,
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
    profile: { type: 'boolean', default: false },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'linkspace-bench-'));
const postgres = values.database === 'postgresql' ? await startPostgres() : null;
const url =
  values.database === 'sqlite' ? `file:${join(folder, 'bench.db')}` : (postgres?.url ?? values.database);
const targets: Target[] = [];
try {
  await applyMigrations(url);
  const database = await openDatabase(url);
  await createFirstKey(database.client, new Date(), KEY);
  await shareDefaultDomain(database.client, 's.example', new Date());
  await seed(database, Number(values.links));
  await database.close();

  const profile = values.profile ? ['--cpu-prof', '--cpu-prof-dir=bench/profiles'] : [];
  const program = await start([...profile, 'dist/main.js'], {
    DATABASE_URL: url,
    PORT: '0',
    BASE_URL: 'https://s.example',
  });
  targets.push(program);
  const baselines = new Map<string, Target>();
  const chosen = scenarios.filter(({ name, baseline }) =>
    `${name} against ${baseline}`.includes(values.only),
  );
  for (const { baseline } of chosen) {
    if (baselines.has(baseline)) continue;
    const target = await start(['--import', 'tsx', 'bench/baseline.ts', baseline, url]);
    baselines.set(baseline, target);
    targets.push(target);
  }
  const seconds = Number(values.seconds);
  const results = [];
  for (const { name, program: ours, baseline, against, least } of chosen) {
    const other = baselines.get(baseline)?.origin ?? '';
    await rate(program.origin, ours, 1);
    await rate(other, against, 1);
    const rounds: { ours: number; other: number }[] = [];
    for (let round = 0; round < Number(values.rounds); round++)
      rounds.push({
        ours: await rate(program.origin, ours, seconds),
        other: await rate(other, against, seconds),
      });
    const ratios = rounds.map((round) => round.ours / round.other);
    results.push({
      scenario: name,
      against: baseline,
      ratio: median(ratios).toFixed(2),
      spread: `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
      least: least ?? '',
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
  console.log(machine);
  console.table(results);
  writeFileSync('bench/results.json', `${JSON.stringify({ machine, results }, null, 2)}\n`);
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
