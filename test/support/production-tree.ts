import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

interface Lock {
  packages: Record<string, { dev?: true; devOptional?: true; optional?: true; peer?: true }>;
}

/**
 * Creates in `folder` the result of `npm ci --omit=dev --omit=optional --omit=peer` and a build, from the installed packages
 * and the build here. Packages are symbolic links, which Node is told to preserve, so that dependencies are looked up next to
 * the links.
 * @returns the command that runs one of its programs
 */
export function makeProductionTree(folder: string): (program: string) => [string, ...string[]] {
  const lock: Lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  for (const [path, { dev, devOptional, optional, peer }] of Object.entries(lock.packages)) {
    if (dev || devOptional || optional || peer || !/^node_modules\/(@[^/]+\/)?[^/]+$/.test(path)) continue;
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    symlinkSync(resolve(path), join(folder, path), 'junction');
  }
  for (const path of ['dist', 'package.json', 'prisma/migrations'])
    cpSync(path, join(folder, path), { recursive: true });
  const flags = ['--preserve-symlinks', '--preserve-symlinks-main'];
  return (program) => [process.execPath, ...flags, join(folder, 'dist', `${program}.js`)];
}
