// Builds if needed, then runs one of dist's programs in the same process, so that signals reach it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { script } from './command.mjs';
import { root } from './stamp.mjs';

/** An older Node would fail later, with an unclear error. */
function requireNode() {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const [, major, minor] = /(\d+)\.(\d+)/.exec(engines.node).map(Number);
  const [currentMajor, currentMinor] = process.versions.node.split('.').map(Number);
  if (currentMajor > major || (currentMajor === major && currentMinor >= minor)) return;
  throw new Error(
    `Linkspace needs Node ${major}.${minor} or later, and this is ${process.version}: install one, or run "npm ci" without --omit=optional, which brings one.`,
  );
}

const [program] = process.argv.splice(2, 1);
await script(async () => {
  requireNode();
  const { build } = await import('./build.mjs');
  await build({ ifStale: true });
});
await import(pathToFileURL(join(root, 'dist', `${program}.js`)).href);
