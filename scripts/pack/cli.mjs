// Packs the command line as `@linkspace/cli`: one file with the packages that it contains, beside the client.
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { foldersIn } from '../packages.mjs';
import { root } from '../stamp.mjs';
import { collectLicences } from './licences.mjs';
import { PUBLISHING } from './publishing.mjs';

const SOURCE = join(root, 'packages/cli');
const CLIENT = '@linkspace/client';
const FILE = 'dist/lsp.js';

/** Returns the package's manifest. It needs the client of its own version. */
function makeManifest() {
  const { version, license, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return {
    name: '@linkspace/cli',
    version,
    description: 'The command line of Linkspace, a self-hosted short-link service.',
    license,
    type: 'module',
    engines,
    bin: { lsp: FILE },
    scripts: PUBLISHING,
    files: ['dist', 'THIRD-PARTY-LICENSES.txt'],
    dependencies: { [CLIENT]: version },
    publishConfig: { access: 'public' },
  };
}

/** Bundles the sources, whose generated part must be there, and returns the folders of the packages in the bundle. */
async function bundle(file, version) {
  const bundled = await rolldown({
    cwd: root,
    platform: 'node',
    input: join(SOURCE, 'src/bin.ts'),
    external: [CLIENT],
    transform: { define: { 'process.env.LSP_VERSION': JSON.stringify(version) } },
  });
  const { output } = await bundled.write({ file, codeSplitting: false });
  chmodSync(file, 0o755);
  return foldersIn(output.flatMap(({ moduleIds = [] }) => moduleIds));
}

/** Copies the files of the package to an empty folder. */
export async function layOutCli(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'dist'), { recursive: true });
  const manifest = makeManifest();
  const bundled = await bundle(join(folder, FILE), manifest.version);
  cpSync(join(SOURCE, 'README.md'), join(folder, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), collectLicences(bundled));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}
