import { readFileSync } from 'node:fs';
import { extname } from 'node:path';

/** The folder of the code: src, or dist, into which the build puts this module directly. */
const CODE = import.meta.url.replace(/(.*\/(?:src|dist)\/).*/, '$1');

/** A file of the project, by its path from package.json. */
export const projectFile = (path: string): URL => new URL(`../${path}`, CODE);

/** A file beside the code: of src, or its copy in dist. */
export const builtFile = (path: string): URL => new URL(path, CODE);

/** A module that runs on its own, such as a thread's, by its path without the extension. */
export const entryFile = (path: string): URL => builtFile(path + extname(import.meta.url));

/** The commit in the file that the build writes; `unknown` for the sources themselves. */
function builtCommit(): string {
  try {
    const { commit } = JSON.parse(readFileSync(builtFile('build.json'), 'utf8'));
    return String(commit);
  } catch {
    return 'unknown';
  }
}

const manifest = JSON.parse(readFileSync(projectFile('package.json'), 'utf8'));

/** The version in package.json. */
export const VERSION: string = manifest.version;

/** True in an installed package, whose program has a command of its own; false in a clone or an image. */
export const IS_PACKAGE: boolean = manifest.private !== true;

/** The version, and the commit that it was built from. */
export const BUILD = { version: VERSION, commit: builtCommit() } as const;

/** The version and commit in one line, for people. */
export const BUILD_NAME = `${BUILD.version} (${BUILD.commit})`;
