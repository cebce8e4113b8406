import { Readable } from 'node:stream';
import type { Io } from '../../packages/cli/src/io.ts';
import { main } from '../../packages/cli/src/main.ts';
import type { TestServer } from '../support/server.ts';

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The questions that were asked at the terminal. */
  readonly asked: readonly string[];
  /** The addresses that were opened. */
  readonly opened: readonly string[];
}

export interface RunOptions {
  /** The text that is piped to standard input. */
  readonly input?: string;
  /** The answers that a person types; without them, there is no terminal. */
  readonly typed?: readonly string[];
  readonly signal?: AbortSignal;
  /** Called with each part of the output. */
  readonly onOutput?: (text: string) => void;
  /** Called with each part of what goes to standard error. */
  readonly onNote?: (text: string) => void;
}

/** Runs the command line in this process, with these variables alone. */
export async function runCli(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
  { input = '', typed, signal = new AbortController().signal, onOutput, onNote }: RunOptions = {},
): Promise<Ended> {
  let [stdout, stderr] = ['', ''];
  const asked: string[] = [];
  const opened: string[] = [];
  const answers = [...(typed ?? [])];
  const isTerminal = typed !== undefined;
  const io: Io = {
    input: Readable.from(input === '' ? [] : [Buffer.from(input)]),
    isTerminal: { input: isTerminal, output: isTerminal, errors: isTerminal },
    async write(text) {
      stdout += text;
      onOutput?.(text);
    },
    complain: (text) => {
      stderr += text;
      onNote?.(text);
    },
    async ask(question) {
      asked.push(question);
      return answers.shift() ?? '';
    },
    openUrl: async (url) => void opened.push(url),
    signal,
  };
  const code = await main(args, { HOME: '/nonexistent', ...env }, io);
  return { code, stdout, stderr, asked, opened };
}

/** Returns a function that runs the command line with a new key of an account. */
export async function cliFor(
  server: TestServer,
  account = 'owner',
  scopes: ('read' | 'write')[] = ['read', 'write'],
) {
  const { key } = await server.caller(account, scopes);
  const env = { LINKSPACE_URL: server.origin, LINKSPACE_KEY: key };
  return Object.assign((args: readonly string[], options?: RunOptions) => runCli(args, env, options), {
    env,
    key,
  });
}
