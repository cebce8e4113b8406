// Builds if needed, then runs one of dist's programs in the same process, so that signals reach it.
import '../src/require-node.js';

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { script } from './command.mjs';
import { root } from './stamp.mjs';

const [program] = process.argv.splice(2, 1);
await script(async () => {
  // The environment wins over the file.
  if (existsSync('.env')) process.loadEnvFile('.env');
  const { build } = await import('./build.mjs');
  await build({ ifStale: true });
});
await import(pathToFileURL(join(root, 'dist', `${program}.js`)).href);
