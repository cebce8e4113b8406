// Builds if needed, then runs one of dist's programs in the same process, so that signals reach it. The build has a process
// of its own: bundlers change their environment and need much memory.
import '../src/app/require-node.js';

import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { script } from './command.mjs';
import { root } from './stamp.mjs';

const [program] = process.argv.splice(2, 1);
await script(async () => {
  if (existsSync('.env')) {
    // Later than the check of Node's version: an old one lacks what it imports.
    const { loadEnv } = await import('../src/app/load-env.js');
    loadEnv('.env', program);
  }
  const { isBuilt } = await import('./build.mjs');
  if (isBuilt()) return;
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
});
// Later starts, and forked workers, use the code that an earlier start has compiled. Another user, such as root, would leave
// folders in dist that its owner cannot replace.
if (process.getuid === undefined || statSync(join(root, 'dist')).uid === process.getuid()) {
  process.env.NODE_COMPILE_CACHE ??= join(root, 'dist/.compiled');
  enableCompileCache();
}
await import(pathToFileURL(join(root, 'dist', `${program}.js`)).href);
