// npm run bench -- flags [--links 20000] [--database sqlite|postgresql|URL] [--rounds 3] [--seconds 2] [--only TEXT] [--flags="FLAGS"]…
// The effect of V8's flags: starts the program once without flags and once with each set, and measures them in alternating
// rounds. Prints the requests per second of the process's own CPU time, relative to the one without flags, so that other work
// on the machine matters little; and the memory of each process after each kind of request. Needs Linux.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { rate } from './load.ts';
import { scenarios } from './scenarios.ts';
import { cpuOf, fill, median, memoryOf, startProgram, withDatabase } from './target.ts';

const { values } = parseArgs({
  options: {
    links: { type: 'string', default: '20000' },
    database: { type: 'string', default: 'sqlite' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '2' },
    only: { type: 'string', multiple: true, default: ['redirect', 'REST show', 'GraphQL list of 100'] },
    flags: { type: 'string', multiple: true, default: [] },
  },
});

await withDatabase(values.database, async (url, folder) => {
  await fill(url, Number(values.links));
  const sets = ['', ...values.flags];
  const programs = [];
  for (const [index, set] of sets.entries()) {
    // Each has its own copy of a file; otherwise they would wait for each other's writes.
    const own = url.startsWith('file:') ? `file:${join(folder, `${index}.db`)}` : url;
    if (own !== url) copyFileSync(url.slice('file:'.length), own.slice('file:'.length));
    programs.push(await startProgram(own, set.split(' ').filter(Boolean)));
  }
  const results: Record<string, string | number>[] = sets.map((set) => ({ flags: set || 'none' }));
  const chosen = scenarios.filter(({ name }) => values.only.some((text) => name.includes(text)));
  // Some scenarios exist once for each baseline.
  const requests = new Map(chosen.map(({ name, program }) => [name, program]));
  for (const [name, request] of requests) {
    const rates: number[][] = sets.map(() => []);
    for (let round = -1; round < Number(values.rounds); round++)
      for (const [index, target] of programs.entries()) {
        const wanted = typeof request === 'function' ? await request(target.origin) : request;
        const before = cpuOf(target);
        const answered = (await rate(target.origin, wanted, Number(values.seconds))) * Number(values.seconds);
        const measured = answered / (cpuOf(target) - before);
        // The first round is a warm-up.
        if (round >= 0) rates[index]?.push(measured);
      }
    for (const [index, measured] of rates.entries()) {
      const ratios = measured.map((one, round) => one / (rates[0]?.[round] ?? Number.NaN));
      const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
      Object.assign(results[index] ?? {}, {
        [name]: `${median(ratios).toFixed(2)} (${least.toFixed(2)}–${most.toFixed(2)})`,
        [`MB after ${name}`]: programs[index] ? memoryOf(programs[index]) : 0,
      });
    }
  }
  console.table(results);
});
