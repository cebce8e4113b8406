import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The file of a program. */
export const dist = (program: string) => fileURLToPath(new URL(`../../dist/${program}.js`, import.meta.url));

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Node's compile cache, which saves a tenth of each start. */
const NODE_COMPILE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url));

/** A program in its own process, configured by its environment alone, as operators run it. */
export class Program {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';

  constructor(command: string, args: string[], env: Record<string, string>, cwd?: string) {
    const { PATH = '', HOME = '' } = process.env;
    const all = { PATH, HOME, NODE_COMPILE_CACHE, RATE_LIMIT: '0', ...env };
    this.child = spawn(command, args, { env: all, ...(cwd !== undefined && { cwd }) });
    this.child.stdout?.setEncoding('utf8').on('data', (text) => {
      this.stdout += text;
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text) => {
      this.stderr += text;
    });
  }

  /** Waits for the end, after sending the signal, if given. */
  async end(signal?: NodeJS.Signals): Promise<Finished> {
    if (signal) this.child.kill(signal);
    const { exitCode, signalCode } = this.child;
    const [code] = exitCode === null && signalCode === null ? await once(this.child, 'close') : [exitCode];
    return { code, stdout: this.stdout, stderr: this.stderr };
  }

  /** The log lines so far. */
  get log(): Record<string, unknown>[] {
    return this.stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
  }
}

/** The statuses of the first answers to eight callers that begin before the server does. */
export function firstAnswers(port: number, key: string): Promise<number[]> {
  const headers = { Authorization: `Bearer ${key}` };
  const first = async (): Promise<number> => {
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/spaces`, { headers }).catch(() => null);
      if (answer) return answer.status;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  return Promise.all(Array.from({ length: 8 }, first));
}

export async function runProgram(
  program: string,
  env: Record<string, string>,
  args: string[] = [],
): Promise<Finished> {
  return new Program(process.execPath, [dist(program), ...args], env).end();
}

/**
 * Sends signals while a draining server accepts: one after two seconds ends the draining. npm, which ends last, may get none at its
 * end.
 */
export async function signalUntilClosed(origin: string, signal: () => void): Promise<void> {
  const accepts = () =>
    fetch(`${origin}/livez`).then(
      () => true,
      () => false,
    );
  for (; await accepts(); await new Promise((resolve) => setTimeout(resolve, 300))) signal();
}

/** Starts the server by the given command on a port that the system chooses, and waits until it listens. */
export async function startProgram(
  env: Record<string, string>,
  [command, ...args]: [string, ...string[]] = [process.execPath, dist('main')],
): Promise<Program & { origin: string }> {
  const program = new Program(command, args, { PORT: '0', ...env });
  for (;;) {
    const listening = program.log.find(({ msg }) => msg === 'listening');
    if (listening) return Object.assign(program, { origin: `http://127.0.0.1:${listening.port}` });
    if (program.child.exitCode !== null) throw new Error(`the server ended:\n${program.stderr}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
