// Builds if needed, then runs one of dist's programs in the same process, so that signals reach it. The build has a process
// of its own: bundlers change their environment and need much memory.
import '../src/require-node.js';

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { script } from './command.mjs';
import { root } from './stamp.mjs';

const [program] = process.argv.splice(2, 1);
await script(async () => {
  // The environment wins over the file.
  if (existsSync('.env')) process.loadEnvFile('.env');
  const { isBuilt } = await import('./build.mjs');
  if (isBuilt()) return;
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
});
await import(pathToFileURL(join(root, 'dist', `${program}.js`)).href);
