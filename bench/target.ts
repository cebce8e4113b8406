// Starts the processes of the benchmarks, on a filled database.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyMigrations } from '../src/db/apply-migrations.ts';
import { Database } from '../src/db/database.ts';
import { createFirstKey } from '../src/domain/access/api-key.ts';
import { shareDefaultDomain } from '../src/domain/short-domain/default-domain.ts';
import { startPostgres } from '../test/support/postgres-server.ts';
import { seed } from './seed.ts';

export const KEY = 'the-key-of-the-benchmark-0123456789';

export interface Target {
  origin: string;
  child: ChildProcess;
}

const targets: Target[] = [];

/** Starts a process, and waits until its log has the port. */
export async function start(
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
    child.stdout?.on('data', function listen(chunk: Buffer) {
      const said = `${chunk}`.split('\n').find((line) => line.includes('"listening"'));
      if (!said) return;
      // The rest of its log is dropped without decoding, to save this process's time: it also generates the load.
      child.stdout?.off('data', listen).resume();
      resolve(JSON.parse(said).port);
    });
  });
  const target = { origin: `http://127.0.0.1:${port}`, child };
  targets.push(target);
  return target;
}

/** The V8 flags of `npm start` in a checkout. */
export function flagsOf(checkout: string): readonly string[] {
  const manifest = readFileSync(join(checkout, 'package.json'), 'utf8');
  const { scripts }: { scripts: { start: string } } = JSON.parse(manifest);
  return scripts.start.match(/--\S+/g) ?? [];
}

export const FLAGS = flagsOf('.');

/** Starts the program of a checkout as in production, with a rate limit that is too high to be reached. */
export function startProgram(url: string, flags = FLAGS, checkout = '.', more = {}): Promise<Target> {
  const own = { DATABASE_URL: url, PORT: '0', BASE_URL: 'https://s.example', RATE_LIMIT: '1000000000' };
  const env = { ...own, ...more };
  return start([...flags, join(checkout, 'dist/main.js')], env);
}

/** Creates the tables, a key, a domain and links. */
export async function fill(url: string, links: number): Promise<void> {
  await applyMigrations(url);
  const database = await Database.open(url);
  await createFirstKey(database, new Date(), KEY);
  await shareDefaultDomain(database, 's.example', null, new Date());
  await seed(database, links);
  await database.close();
}

/** The resident memory of the process, in MB. */
export function memoryOf({ child }: Target): number {
  return Math.round(Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)])) / 1024);
}

/** The CPU time of the process, in seconds. Needs Linux. */
export function cpuOf({ child }: Target): number {
  const [, fields = ''] = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  return ((user ?? 0) + (system ?? 0)) / 100;
}

export const median = (numbers: number[]): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;

/**
 * Runs the work with a database of its own (`sqlite`, `postgresql`), or that of a URL, and a folder; afterwards ends all
 * processes, and removes everything.
 */
export async function withDatabase(
  which: string,
  run: (url: string, folder: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'linkspace-bench-'));
  const postgres = which === 'postgresql' ? await startPostgres() : null;
  const url = which === 'sqlite' ? `file:${join(folder, 'bench.db')}` : (postgres?.url ?? which);
  try {
    await run(url, folder);
  } finally {
    for (const { child } of targets) child.kill('SIGTERM');
    await Promise.all(
      targets.map(
        ({ child }) =>
          new Promise((resolve) =>
            child.exitCode === null && child.signalCode === null ? child.once('exit', resolve) : resolve(0),
          ),
      ),
    );
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
