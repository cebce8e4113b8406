import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Lock {
  packages: Record<string, { gypfile?: boolean; hasInstallScript?: true }>;
}

/**
 * npm runs node-gyp, which needs Python, in each package with a binding.gyp, unless its entry in the lockfile has
 * "gypfile": false (npm ignores that of the package itself: npm/cli#3341). Each `npm install` removes the line: add it again.
 */
test('npm ci compiles no package, and does not look for Python', () => {
  const { packages }: Lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const compiled = Object.entries(packages).filter(
    ([path, { gypfile }]) => existsSync(join(path, 'binding.gyp')) && gypfile !== false,
  );
  expect(compiled.map(([path]) => `${path}: add "gypfile": false to package-lock.json`)).toEqual([]);
});
