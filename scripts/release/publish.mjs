// Publishes the packages of a release to npm.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { git, requireClean, requireMain, tryGit } from './git.mjs';

/** Packages with the beginning of their tarballs' names, in an order in which each comes after the ones that it needs. */
const PACKAGES = [
  ['@linkspace/client', 'linkspace-client'],
  ['@linkspace/cli', 'linkspace-cli'],
  ['linkspace', 'linkspace'],
];

/** Runs a command to its end; resolves with its exit code, and with its output if that is not shown. */
async function run({ folder, env }, [program, ...args], isShown) {
  const stdio = isShown ? 'inherit' : ['ignore', 'pipe', 'ignore'];
  const child = spawn(program, args, { cwd: folder, env, stdio, shell: process.platform === 'win32' });
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => (output += text));
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  return { code, output: output.trim() };
}

/** Returns the released version of a folder. @throws Error if its commit is no release, or its files are not the commit's */
function findRelease(folder) {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  requireMain(folder);
  requireClean(folder);
  const tagged = tryGit(folder, 'rev-parse', '--verify', '--quiet', `refs/tags/v${version}^{commit}`);
  if (tagged === null)
    throw new Error(`${version} has no tag: make a release first, by npm run release -- X.Y.Z.`);
  if (tagged !== git(folder, 'rev-parse', 'HEAD'))
    throw new Error(
      `main is not at the tag v${version}: packages are published from the commit of a release.`,
    );
  return version;
}

/** Returns the names of the packages with the paths of their tarballs. @throws Error if one is missing */
function findTarballs(folder, version) {
  const output = join(folder, 'dist-packages');
  const tarballs = PACKAGES.map(([name, prefix]) => [name, `${prefix}-${version}.tgz`]);
  const found = readdirSync(output);
  const missing = tarballs.map(([, file]) => file).filter((file) => !found.includes(file));
  if (missing.length > 0) throw new Error(`dist-packages lacks ${missing.join(', ')}.`);
  return tarballs.map(([name, file]) => [name, join(output, file)]);
}

/**
 * Packs and publishes the packages of the release at main. A package that the registry has already is left out, so that a
 * publication that broke off can be repeated.
 * @param pack the command that writes the tarballs to dist-packages
 * @throws Error if main is no release, or npm refuses
 */
export async function publishRelease({
  folder,
  pack = ['npm', 'run', 'pack'],
  env = process.env,
  report = () => {},
}) {
  const version = findRelease(folder);
  const place = { folder, env: { ...env, LINKSPACE_RELEASE: version } };
  if ((await run(place, pack, true)).code !== 0) throw new Error('The packages were not packed.');
  for (const [name, tarball] of findTarballs(folder, version)) {
    const known = await run(place, ['npm', 'view', `${name}@${version}`, 'version'], false);
    if (known.output === version) {
      report(`${name} ${version} is published already.`);
      continue;
    }
    const { code } = await run(place, ['npm', 'publish', tarball], true);
    if (code !== 0) throw new Error(`${name} was not published. Run the command again to go on.`);
    report(`${name} ${version} is published.`);
  }
}
