// npm run bench -- speed [--links 20000] [--database sqlite|postgresql|URL] [--rounds 5] [--seconds 2] [--only TEXT]
//   [--postgraphile FOLDER] [--against FOLDER] [--profile]
// Seeds a database of its own, starts the program as in production and the baselines, and measures them in alternating
// rounds, so that other load affects both. Prints ratios with their spread, and writes bench/results.json.
// With --against it is also measured against the checkout of an earlier version, built by its own `npm run build`.
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { GENERATOR, rate } from './load.ts';
import { type Baseline, scenarios } from './scenarios.ts';
import { fillBeside } from './subject.ts';
import {
  FLAGS,
  fill,
  flagsOf,
  median,
  memoryOf,
  start,
  startProgram,
  type Target,
  withDatabase,
} from './target.ts';

const { values } = parseArgs({
  options: {
    links: { type: 'string', default: '20000' },
    database: { type: 'string', default: 'sqlite' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    only: { type: 'string', default: '' },
    postgraphile: { type: 'string' },
    profile: { type: 'boolean', default: false },
    against: { type: 'string' },
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
  const { postgraphile = '', against = '' } = values;
  if (baseline === 'before') {
    const own = await fillBeside(url, folder, against, Number(values.links));
    return startProgram(own, flagsOf(against), against);
  }
  if (baseline !== 'postgraphile') return start(['--import', 'tsx', 'bench/baseline.ts', baseline, url]);
  const node = join(postgraphile, 'node_modules/.bin/node');
  return start(['bench/postgraphile.mjs', postgraphile, url], {}, node);
}

const flags = values.profile ? [...FLAGS, '--cpu-prof', '--cpu-prof-dir=bench/profiles'] : FLAGS;

await withDatabase(values.database, async (url, folder) => {
  await fill(url, Number(values.links));
  const started = performance.now();
  const program = await startProgram(url, flags);
  await fetch(`${program.origin}/readyz`);
  const readyAfter = Math.round(performance.now() - started);
  const memoryAtStart = memoryOf(program);
  const chosen = scenarios.filter(
    ({ name, baseline }) =>
      `${name} against ${baseline}`.includes(values.only) &&
      (baseline !== 'postgraphile' || values.postgraphile !== undefined) &&
      (baseline !== 'before' || values.against !== undefined),
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
    generator: GENERATOR,
    links: Number(values.links),
    database: values.database,
  };
  const measured = { readyAfter, memoryAtStart, memoryAfterAll: memoryOf(program) };
  console.log(machine, measured);
  console.table(results);
  writeFileSync('bench/results.json', `${JSON.stringify({ machine, measured, results }, null, 2)}\n`);
});
