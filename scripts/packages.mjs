import { relative, sep } from 'node:path';
import { root } from './stamp.mjs';

/** Returns the folders of the packages that modules belong to, from the project's root, each once. */
export function foldersIn(moduleIds) {
  const found = moduleIds.map(
    (id) => /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(id.replace(/^\0/, ''))?.[1],
  );
  const folders = found.filter((path) => path !== undefined).map((path) => relative(root, path));
  return [...new Set(folders.map((path) => path.split(sep).join('/')))].sort();
}
