import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { root } from './stamp.mjs';

/** Runs a command of node_modules/.bin without printing its output, which is added to the error if it fails. */
export function run(name, args, env = {}) {
  const folder = join(root, 'node_modules', '.bin');
  const bin = join(folder, process.platform === 'win32' ? `${name}.cmd` : name);
  if (!existsSync(bin)) {
    throw new Error(
      `${name} is not installed, and something must be built: run "npm ci" first (without --omit=dev).`,
    );
  }
  return new Promise((resolve, reject) => {
    const child = spawn(bin, args, {
      cwd: root,
      // Prisma finds its generators by their names.
      env: { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}`, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`${name} ${args.join(' ')} failed:\n${output}`)),
    );
  });
}

/** Runs a script's main function; prints the message of a failure, without a stack trace. */
export async function script(main) {
  try {
    await main();
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exit(error.exitCode ?? 1);
  }
}
