// npm run bench -- live [--links 20000] [--database sqlite|postgresql] [--rounds 5] [--seconds 2]
//   [--only mix|kinds|redirects] [--against FOLDER]
// Measures mixed load, and redirects while another account writes: of this program alone, or together with an older built
// checkout, which has a database of its own that its own code fills.
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { drawFrom, type Kind } from './mix.ts';
import { measure, percentile, type Round, summary } from './round.ts';
import { fillBeside, type Subject, startSubject, whileWriting } from './subject.ts';
import { FLAGS, fill, flagsOf, memoryOf, withDatabase } from './target.ts';

const { values } = parseArgs({
  options: {
    links: { type: 'string', default: '20000' },
    database: { type: 'string', default: 'sqlite' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    only: { type: 'string', default: '' },
    against: { type: 'string' },
  },
});

/** Measures all kinds of request at once, of each program in alternating rounds. */
async function mix(subjects: readonly Subject[], rounds: number, seconds: number) {
  for (const { target, draw } of subjects) await measure(target, draw, 2);
  const measured = subjects.map((): Round[] => []);
  for (let round = 0; round < rounds; round++)
    for (const [index, { target, draw }] of subjects.entries())
      measured[index]?.push(await measure(target, draw, seconds));
  return measured.map((own, index) => ({
    program: subjects[index]?.name,
    'requests/s': summary(own, ({ rate }) => rate, 0),
    'this against it': summary(own, ({ rate }, round) => (measured[0]?.[round]?.rate ?? 0) / rate),
    'p50 (ms)': summary(own, (round) => percentile(0.5, round), 1),
    'p99 (ms)': summary(own, (round) => percentile(0.99, round), 1),
    'CPU (µs)': summary(own, ({ cpu }) => cpu, 0),
  }));
}

/** The CPU time of each kind of request alone, and its share of the mix. */
async function costs(subjects: readonly Subject[]) {
  const rows = [];
  for (const [index, { name, often }] of (subjects[0]?.kinds ?? []).entries()) {
    const measured = [];
    for (const { target, kinds, draw } of subjects)
      measured.push(await measure(target, kinds[index]?.draw ?? draw, 1));
    rows.push({ name, often, measured });
  }
  const all = rows.reduce((sum, { often, measured: [own] }) => sum + often * (own?.cpu ?? 0), 0);
  return rows.map(({ name, often, measured: [own, other] }) => ({
    kind: name,
    'of 100': often,
    'this/s': Math.round(own?.rate ?? 0),
    'this, CPU (µs)': Math.round(own?.cpu ?? 0),
    'of the CPU time': `${((100 * often * (own?.cpu ?? 0)) / all).toFixed(0)} %`,
    ...(other && { 'against/s': Math.round(other.rate), 'against, CPU (µs)': Math.round(other.cpu) }),
  }));
}

/**
 * Measures redirects of cached links in quiet, while another account edits links, and while it creates links as well, in
 * alternating rounds.
 */
async function redirectsOf(subject: Subject, rounds: number, seconds: number) {
  const visits = () => measure(subject.target, subject.visit, seconds);
  const isWrite = ({ name }: Kind) => /create|update/.test(name);
  // A program that has just started has not compiled what writes.
  await measure(subject.target, drawFrom(subject.kinds.filter(isWrite)), 3);
  await visits();
  const measured: Record<'edits' | 'all', { quiet: Round; busy: Round; writes: number }[]> = {
    edits: [],
    all: [],
  };
  for (let round = 0; round < rounds; round++) {
    const quiet = await visits();
    for (const which of ['edits', 'all'] as const) {
      const [writes, busy] = await whileWriting(subject, which, visits);
      measured[which].push({ quiet, busy, writes: writes / seconds });
    }
  }
  return Object.entries(measured).map(([writes, own]) => ({
    program: subject.name,
    writes,
    'in quiet/s': summary(own, ({ quiet }) => quiet.rate, 0),
    'under writes/s': summary(own, ({ busy }) => busy.rate, 0),
    ratio: summary(own, ({ quiet, busy }) => busy.rate / quiet.rate),
    // The effect of writes on the program's own CPU time, independent of other load.
    'ratio by CPU': summary(own, ({ quiet, busy }) => quiet.cpu / busy.cpu),
    'writes/s': summary(own, (round) => round.writes, 0),
    'p99 in quiet (ms)': summary(own, ({ quiet }) => percentile(0.99, quiet), 1),
    'p99 under writes (ms)': summary(own, ({ busy }) => percentile(0.99, busy), 1),
  }));
}

async function redirects(subjects: readonly Subject[], rounds: number, seconds: number) {
  const rows = [];
  for (const subject of subjects) rows.push(...(await redirectsOf(subject, rounds, seconds)));
  return rows;
}

/** The parts of the benchmark, in this order. */
const parts = { mix, kinds: costs, redirects };

await withDatabase(values.database, async (url, folder) => {
  const { database, against, only, ...counts } = values;
  const links = Number(counts.links);
  if (against !== undefined && !['sqlite', 'postgresql'].includes(database))
    throw new Error('--against makes databases of its own: --database may be sqlite or postgresql');
  await fill(url, links);
  const subjects = [await startSubject('this', url, '.', FLAGS, links)];
  try {
    if (against !== undefined) {
      const beside = await fillBeside(url, folder, against, links);
      subjects.push(await startSubject('against', beside, against, flagsOf(against), links));
    }
    const results: Record<string, object> = {};
    for (const [name, part] of Object.entries(parts))
      if (name.includes(only))
        results[name] = await part(subjects, Number(counts.rounds), Number(counts.seconds));
    const machine = { node: process.version, cores: cpus().length, links, database };
    const memory = Object.fromEntries(subjects.map(({ name, target }) => [name, memoryOf(target)]));
    console.log(machine, { memoryAfterAll: memory });
    for (const table of Object.values(results)) console.table(table);
    const all = { machine, memoryAfterAll: memory, ...results };
    writeFileSync('bench/results.json', `${JSON.stringify(all, null, 2)}\n`);
  } finally {
    for (const { writer } of subjects) writer.kill();
  }
});
