#!/usr/bin/env node
// The command `linkspace`: starts the service in the current folder, or runs one of its commands, with the flags of Node that
// `npm run` gives them in a clone.
import '../dist/app/require-node.js';

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

/** The programs by their commands, as `{ flags, program }`; made from the scripts of the repository's package.json. */
const programs = JSON.parse(readFileSync(new URL('programs.json', import.meta.url), 'utf8'));

const others = Object.keys(programs).filter((name) => name !== 'start');
const HELP = `Usage: linkspace [start]         starts the service in the current folder
       linkspace COMMAND --help  tells the options of a command
       linkspace --version       prints the version and its commit

Commands: ${others.join(', ')}

Environment variables configure it; a file .env in the current folder can set them. Without any, the data is in ./data.
`;

/** Replaces this process by a program where the system can, so that signals and exit codes need no detour. */
function run({ flags, program }, args) {
  const all = [...flags, fileURLToPath(new URL('run.js', import.meta.url)), program, ...args];
  if (process.execve !== undefined && process.platform !== 'win32') {
    process.emitWarning = () => {}; // Node warns that the function is new.
    process.execve(process.execPath, [process.execPath, ...all], process.env);
  }
  const child = spawn(process.execPath, all, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2', 'SIGBREAK'])
    if (signal in constants.signals) process.on(signal, () => child.kill(signal));
  child.on('error', ({ message }) => {
    process.stderr.write(`${message}\n`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

const [first = 'start', ...rest] = process.argv.slice(2);
if (first === '--help' || first === '-h') process.stdout.write(HELP);
else if (first.startsWith('-')) run(programs.start, [first, ...rest]);
else if (Object.hasOwn(programs, first)) run(programs[first], rest);
else {
  process.stderr.write(`"${first.slice(0, 100)}" is not a command of linkspace. See linkspace --help.\n`);
  process.exitCode = 1;
}
