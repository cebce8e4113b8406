// Runs a program of the service by its name in `dist`, with the settings of the current folder's `.env`.
import '../dist/app/require-node.js';

import { existsSync, statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { loadEnv } from '../dist/app/load-env.js';

const dist = new URL('../dist/', import.meta.url);
const [program] = process.argv.splice(2, 1);
try {
  if (existsSync('.env')) loadEnv('.env', program);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(error.exitCode ?? 1);
}
// Later starts use the code that an earlier one has compiled. Files of another user could not be replaced by the owner.
if (process.getuid === undefined || statSync(dist).uid === process.getuid()) {
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('.compiled', dist));
  enableCompileCache();
}
await import(new URL(`${program}.js`, dist).href);
