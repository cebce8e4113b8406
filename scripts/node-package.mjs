import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './stamp.mjs';

/** Returns the name of the npm package that has Node for this machine. */
export function nodePackage() {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const names = Object.keys(optionalDependencies);
  const found = names.find((name) => /^node-/.test(name) && name.endsWith(`-${system}-${process.arch}`));
  if (!found) throw new Error(`npm has no Node for ${process.platform} on ${process.arch}.`);
  return found;
}
