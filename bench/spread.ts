// npm run bench -- spread [--links 60000] [--rate 3500] [--rounds 3] [--seconds 10] [--against FOLDER]
// Visits of random links on SQLite, each at its own time whether or not the last one is answered, beside v1 stores and
// questions for /livez: how long each waits, of this program and of another built checkout in alternating rounds. Fails above
// the limits, or if a click is lost, but for those of the last second before a SIGKILL.
import type { ChildProcess } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Database } from '../src/db/database.ts';
import { cpuOf, FLAGS, fill, flagsOf, KEY, memoryOf, startProgram, withDatabase } from './target.ts';

const { values } = parseArgs({
  options: {
    links: { type: 'string', default: '60000' },
    rate: { type: 'string', default: '3500' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '10' },
    against: { type: 'string' },
  },
});
const [links, rate, rounds, seconds] = [values.links, values.rate, values.rounds, values.seconds].map(
  Number,
) as [number, number, number, number];
/** The longest waits that are accepted, in milliseconds. */
const LIMITS = { livez: 100, redirect: 60, store: 150 };
/** Requests per second of each kind. */
const RATES = { livez: 100, redirect: rate, store: 20 };
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

type What = keyof typeof LIMITS;

function ask(origin: string, agent: Agent, what: What): Promise<number> {
  const path = {
    livez: '/livez',
    redirect: `/a${Math.floor(Math.random() * links)}`,
    store: '/api/v1/links',
  };
  const headers = {
    livez: {},
    redirect: { 'user-agent': BROWSER },
    store: { authorization: `Bearer ${KEY}`, 'content-type': 'application/x-www-form-urlencoded' },
  };
  return new Promise((resolve, reject) => {
    const method = what === 'store' ? 'POST' : 'GET';
    const sent = request(origin + path[what], { agent, method, headers: headers[what] }, (response) => {
      const { statusCode = 0 } = response.resume();
      response.on('end', () => resolve(statusCode)).on('error', reject);
    });
    sent.on('error', reject);
    sent.end(what === 'store' ? 'url=https://example.com/stored' : undefined);
  });
}

/**
 * Asks for a while; returns the waits, counted from when each was due, in ascending order, and how many redirects were answered in
 * the last second.
 * @param killed the process, if it is killed at the end
 */
async function waits(origin: string, seconds: number, killed?: ChildProcess) {
  const times: Record<What, number[]> = { livez: [], redirect: [], store: [] };
  const answered: number[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: 128 });
  const own = new Agent({ keepAlive: true });
  const started = performance.now();
  const open = new Set<Promise<void>>();
  const asked: Record<What, number> = { livez: 0, redirect: 0, store: 0 };
  for (let now = started; now - started < seconds * 1000; now = performance.now()) {
    for (const what of ['livez', 'redirect', 'store'] as const)
      for (; asked[what] < ((now - started) / 1000) * RATES[what]; asked[what]++) {
        const due = started + (asked[what] / RATES[what]) * 1000;
        const answer = ask(origin, what === 'redirect' ? agent : own, what).then((status) => {
          if (status >= 400) throw new Error(`${what} was answered ${status}`);
          const now = performance.now();
          times[what].push(now - due);
          if (what === 'redirect') answered.push(now);
          open.delete(answer);
        });
        open.add(answer);
      }
    await setTimeout(1);
  }
  const ended = performance.now();
  if (killed?.kill('SIGKILL')) await Promise.allSettled(open);
  else await Promise.all(open);
  for (const which of [agent, own]) which.destroy();
  for (const list of Object.values(times)) list.sort((a, b) => a - b);
  return { ...times, last: answered.filter((at) => at > ended - 1000).length };
}

async function clicksIn(file: string): Promise<number> {
  const database = await Database.open(`file:${file}`);
  const [row] = await database.prisma.$queryRaw<{ clicks: bigint }[]>`
    SELECT SUM("clicks") AS "clicks" FROM "LinkCounter"`;
  await database.close();
  return Number(row?.clicks);
}

const at = (share: number, list: readonly number[]) =>
  Math.round(list[Math.min(list.length - 1, Math.floor(share * list.length))] ?? 0);

await withDatabase('sqlite', async (url, folder) => {
  await fill(url, links);
  const programs = [];
  for (const [name, checkout] of Object.entries({ against: values.against, this: '.' })) {
    if (checkout === undefined) continue;
    const file = `${join(folder, name)}.db`;
    copyFileSync(url.slice('file:'.length), file);
    const flags = checkout === '.' ? FLAGS : flagsOf(checkout);
    programs.push({ name, file, visits: 0, target: await startProgram(`file:${file}`, flags, checkout) });
  }
  // A process that has just started has compiled nothing.
  for (const program of programs) program.visits += (await waits(program.target.origin, 2)).redirect.length;
  for (let round = 0; round < rounds; round++)
    for (const program of programs) {
      const before = cpuOf(program.target);
      const { livez, redirect, store } = await waits(program.target.origin, seconds);
      program.visits += redirect.length;
      const found = { livez: at(1, livez), redirect: at(0.99, redirect), store: at(0.99, store) };
      const isOwn = program.name === 'this';
      if (isOwn && (Object.keys(LIMITS) as What[]).some((what) => found[what] > LIMITS[what]))
        process.exitCode = 1;
      console.log(
        JSON.stringify({
          program: program.name,
          'livez, longest (ms)': found.livez,
          'redirects, 50 %; 99 %': [at(0.5, redirect), found.redirect],
          'stores, 50 %; 99 %': [at(0.5, store), found.store],
          'CPU (s)': Number((cpuOf(program.target) - before).toFixed(1)),
          'memory (MB)': memoryOf(program.target),
          load: loadavg()[0]?.toFixed(1),
        }),
      );
      await setTimeout(3_000);
    }
  for (const { name, file, visits, target } of programs) {
    const lost = visits - (await clicksIn(file));
    const { redirect, last } = await waits(target.origin, seconds / 2, target.child);
    const killed = visits + redirect.length - (await clicksIn(file));
    console.log(
      JSON.stringify({ program: name, visits, lost, 'lost by SIGKILL': killed, 'of the last second': last }),
    );
    if (name === 'this' && (lost !== 0 || killed > last)) process.exitCode = 1;
  }
});
