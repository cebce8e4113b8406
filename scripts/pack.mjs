// Writes a tarball of each package to dist-packages.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { script } from './command.mjs';
import { layOutCli } from './pack/cli.mjs';
import { layOutClient } from './pack/client.mjs';
import { layOutService } from './pack/service.mjs';
import { root } from './stamp.mjs';

const OUTPUT = join(root, 'dist-packages');

/** Functions that copy the files of a package to an empty folder. */
const packages = [layOutService, layOutClient, layOutCli];

/** Packs a folder by npm, and returns the name of the tarball. */
function pack(folder) {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', OUTPUT];
  const options = { cwd: folder, encoding: 'utf8', shell: process.platform === 'win32' };
  const { status, stdout, stderr, error } = spawnSync(npm, args, options);
  if (error) throw error;
  if (status !== 0) throw new Error(`npm pack failed:\n${stderr}`);
  return JSON.parse(stdout)[0];
}

await script(async () => {
  rmSync(OUTPUT, { recursive: true, force: true });
  mkdirSync(OUTPUT, { recursive: true });
  for (const layOut of packages) {
    const folder = mkdtempSync(join(tmpdir(), 'linkspace-pack-'));
    try {
      await layOut(folder);
      const { filename, size, unpackedSize, entryCount } = pack(folder);
      const megabytes = (bytes) => `${(bytes / 1e6).toFixed(bytes < 1e6 ? 2 : 1)} MB`;
      process.stdout.write(
        `dist-packages/${filename}: ${megabytes(size)}, ${megabytes(unpackedSize)} unpacked, ${entryCount} files\n`,
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
});
