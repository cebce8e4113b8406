// Checks whether built files are up to date, by a hash of the sources' contents (file times are not reliable after a
// checkout).
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** A hash of files and folders, relative to the project; missing ones count as empty. */
export function hashOf(paths, accept = () => true) {
  const hash = createHash('sha256');
  const visit = (path) => {
    const full = join(root, path);
    if (!existsSync(full) || path === 'src/generated') return;
    if (statSync(full).isDirectory()) {
      for (const name of readdirSync(full).sort()) visit(`${path}/${name}`);
    } else if (accept(path)) {
      hash.update(path).update(readFileSync(full));
    }
  };
  for (const path of paths) visit(path);
  return hash.digest('hex');
}

export function isFresh(stampFile, hash) {
  const file = join(root, stampFile);
  return existsSync(file) && readFileSync(file, 'utf8') === hash;
}

export function writeStamp(stampFile, hash) {
  const file = join(root, stampFile);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, hash);
}
