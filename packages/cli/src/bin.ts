#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Io } from './io.ts';
import { main } from './main.ts';

const { stdin, stdout, stderr } = process;

const isUnread = (error: Error): boolean => 'code' in error && error.code === 'EPIPE';
// A closed output, as by `| head`, is no failure.
stdout.on('error', (error) => process.exit(isUnread(error) ? 0 : 1));

const stopped = new AbortController();
process.once('SIGINT', () => stopped.abort(new Error('Interrupted.')));
process.once('SIGTERM', () => stopped.abort(new Error('Stopped.')));

async function ask(question: string, isSecret: boolean): Promise<string> {
  stderr.write(question);
  // The terminal shows what this stream gets.
  const echo = new Writable({
    write(text, _encoding, done) {
      if (!isSecret) stderr.write(text);
      done();
    },
  });
  const lines = createInterface({ input: stdin, output: echo, terminal: true });
  lines.once('SIGINT', () => stopped.abort(new Error('Interrupted.')));
  try {
    return await lines.question('', { signal: stopped.signal });
  } finally {
    lines.close();
    if (isSecret) stderr.write('\n');
  }
}

/** The programs that open an address, by system. None of them is a shell, which would read the address as a command. */
const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

async function openUrl(url: string): Promise<void> {
  const [program, ...args] = openers[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', () => reject(new Error(`${program} cannot be run. Open the address yourself.`)));
  });
  child.unref();
}

const io: Io = {
  input: stdin,
  isTerminal: { input: stdin.isTTY, output: stdout.isTTY, errors: stderr.isTTY },
  async write(text) {
    if (!stdout.write(text)) await new Promise((resolve) => stdout.once('drain', resolve));
  },
  complain: (text) => void stderr.write(text),
  ask,
  openUrl,
  signal: stopped.signal,
};

process.exitCode = await main(process.argv.slice(2), process.env, io);
// Standard input would keep the process alive.
stdin.unref?.();
