// npm run bench -- [--links 20000] [--database sqlite|postgresql|URL] [--rounds 5] [--seconds 2] [--only TEXT]
//   [--postgraphile FOLDER] [--profile]
// Seeds a database of its own, starts the program as it is shipped and the baselines beside it, and measures them in
// turns, so that what disturbs the machine disturbs both. Prints ratios with their spread, and writes bench/results.json.
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { type Baseline, type Request, scenarios } from './scenarios.ts';
import { fill, KEY, median, memoryOf, start, startProgram, type Target, withDatabase } from './target.ts';

const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36';

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

async function startBaseline(
  baseline: Baseline,
  { program, url, folder }: { program: Target; url: string; folder: string },
): Promise<Target> {
  if (baseline === 'itself') return program;
  if (baseline === 'small') {
    const small = `file:${join(folder, 'small.db')}`;
    await fill(small, 1_000);
    return startProgram(small);
  }
  if (baseline !== 'postgraphile') return start(['--import', 'tsx', 'bench/baseline.ts', baseline, url]);
  const { postgraphile = '' } = values;
  const node = join(postgraphile, 'node_modules/.bin/node');
  return start(['bench/postgraphile.mjs', postgraphile, url], {}, node);
}

await withDatabase(values.database, async (url, folder) => {
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
    const other = baselines.get(baseline) ?? (await startBaseline(baseline, { program, url, folder }));
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
});
