// The files that say the version. The test of releases finds the ones that are missing here.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const inJson = (change) => (text, version) => {
  const parsed = JSON.parse(text);
  change(parsed, version);
  return `${JSON.stringify(parsed, null, 2)}\n`;
};

/** Replaces the version after some words, once. */
const after = (words) => {
  const pattern = new RegExp(`(?<=${words})\\d+\\.\\d+\\.\\d+`, 'g');
  return (text, version) => {
    const found = text.match(pattern)?.length ?? 0;
    if (found !== 1) throw new Error(`it has no single version after "${words}"`);
    return text.replace(pattern, version);
  };
};

/** Replaces the first two numbers of the version. */
const minorAfter = (words) => {
  const pattern = new RegExp(`(?<=${words})\\d+\\.\\d+(?!\\.?\\d)`, 'g');
  return (text, version) => {
    const found = text.match(pattern)?.length ?? 0;
    if (found !== 1) throw new Error(`it has no single version after "${words}"`);
    return text.replace(pattern, version.split('.').slice(0, 2).join('.'));
  };
};

/** Each file with the functions that write a version into its text. */
const PLACES = {
  'package.json': [inJson((manifest, version) => Object.assign(manifest, { version }))],
  'package-lock.json': [
    inJson((lock, version) => {
      lock.version = version;
      lock.packages[''].version = version;
    }),
  ],
  'README.md': [minorAfter('this is version ')],
  'deploy/kubernetes/kustomization.yaml': [after('newTag: ')],
  'docs/operations.md': [
    after('npm install \\./linkspace-client-'),
    after('\\.tgz \\./linkspace-'),
    after('A tag such as `v'),
  ],
};

/** Returns the new texts of the files that say the version, by their paths. @throws Error if one does not say it */
export function writeVersion(folder, version) {
  return new Map(
    Object.entries(PLACES).map(([file, changes]) => {
      try {
        const text = readFileSync(join(folder, file), 'utf8');
        return [file, changes.reduce((changed, change) => change(changed, version), text)];
      } catch (error) {
        throw new Error(`${file} cannot get the version: ${error.message}.`);
      }
    }),
  );
}
