// tsx bench/flags.ts [--links 20000] [--database sqlite|postgresql|URL] [--rounds 3] [--seconds 2] [--only TEXT] [--flags="FLAGS"]…
// What V8's flags bring: starts the program once without any and once with each set of them, and measures all in turns.
// Prints how many requests each answers in a second of its own CPU time, against the one without flags, so that what else the
// machine does counts little; and what each process takes of the memory after each kind of request. Needs Linux.
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
    // Of a file each has its own copy: they would wait for each other's writes.
    const own = url.startsWith('file:') ? `file:${join(folder, `${index}.db`)}` : url;
    if (own !== url) copyFileSync(url.slice('file:'.length), own.slice('file:'.length));
    programs.push(await startProgram(own, set.split(' ').filter(Boolean)));
  }
  const results: Record<string, string | number>[] = sets.map((set) => ({ flags: set || 'none' }));
  const chosen = scenarios.filter(({ name }) => values.only.some((text) => name.includes(text)));
  // Some are there once for each baseline.
  const requests = new Map(chosen.map(({ name, program }) => [name, program]));
  for (const [name, request] of requests) {
    const rates: number[][] = sets.map(() => []);
    for (let round = -1; round < Number(values.rounds); round++)
      for (const [index, target] of programs.entries()) {
        const wanted = typeof request === 'function' ? await request(target.origin) : request;
        const before = cpuOf(target);
        const answered = (await rate(target.origin, wanted, Number(values.seconds))) * Number(values.seconds);
        const measured = answered / (cpuOf(target) - before);
        // The first round warms up.
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
