// The programs that the live benchmark measures, each on a database of its own, with an account that writes meanwhile.
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import pg from 'pg';
import { drawFrom, type Kind, liveMix } from './mix.ts';
import type { Request } from './scenarios.ts';
import { startProgram, type Target } from './target.ts';

/** Number of links visited while another account writes: few enough to be all cached. */
const KNOWN = 1_000;

/** A measured program, with its requests. */
export interface Subject {
  readonly name: string;
  readonly target: Target;
  readonly writer: ChildProcess;
  readonly kinds: readonly Kind[];
  /** Draws requests of all kinds, and visits of cached links. */
  readonly draw: () => Request;
  readonly visit: () => Request;
}

/** Starts the program of a checkout on a filled database, and the process that writes. */
export async function startSubject(
  name: string,
  url: string,
  checkout: string,
  flags: readonly string[],
  links: number,
): Promise<Subject> {
  const target = await startProgram(url, flags, checkout);
  const keys = [join(checkout, 'dist/cli/keys.js'), 'create', '--account', 'Writer'];
  const env = { ...process.env, DATABASE_URL: url };
  const [key = ''] =
    /ls_[\w-]{43}/.exec(execFileSync(process.execPath, keys, { env, encoding: 'utf8' })) ?? [];
  const writer = fork('bench/writer.ts', [target.origin, key], { execArgv: ['--import', 'tsx'] });
  const kinds = liveMix(links);
  const visits = liveMix(KNOWN).filter(({ name }) => name === 'visit');
  return { name, target, writer, kinds, draw: drawFrom(kinds), visit: drawFrom(visits) };
}

/** Runs `run` while the other process edits links, or creates links as well. @returns the number of writes, and the result */
export async function whileWriting<T>(
  { writer }: Subject,
  which: 'edits' | 'all',
  run: () => Promise<T>,
): Promise<[number, T]> {
  const failed = new AbortController();
  const fail = () => failed.abort(new Error('the process that writes has failed'));
  writer.once('exit', fail);
  writer.send(which);
  const done = await run();
  writer.send('stop');
  const [writes]: number[] = await once(writer, 'message', { signal: failed.signal });
  writer.off('exit', fail);
  return [writes ?? 0, done];
}

/** A second database on the server of the URL, filled by the code of an older checkout. */
export async function fillBeside(
  url: string,
  folder: string,
  checkout: string,
  links: number,
): Promise<string> {
  let beside = `file:${join(folder, 'against.db')}`;
  if (!url.startsWith('file:')) {
    const client = new pg.Client(url);
    await client.connect();
    await client.query('CREATE DATABASE against');
    await client.end();
    beside = Object.assign(new URL(url), { pathname: '/against' }).href;
  }
  const code = `const { fill } = await import('./bench/target.ts'); await fill(process.argv[1], ${links});`;
  execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code, beside], {
    cwd: checkout,
    stdio: 'inherit',
  });
  return beside;
}
