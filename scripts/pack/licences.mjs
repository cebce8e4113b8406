// Collects the licences of the packages whose code a bundle contains.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../stamp.mjs';

/** Licences under which code may be given away with the program. */
const ALLOWED = new Set([
  ...[
    'MIT',
    'MIT-0',
    'ISC',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'Apache-2.0',
    '0BSD',
    'BlueOak-1.0.0',
    'CC0-1.0',
  ],
  ...['PDDL-1.0', 'Unlicense', 'OFL-1.1'],
]);

const isText = (name) => /^(licen[sc]e|copying|notice)(\.|-|$)/i.test(name);

/** Returns true if one of the alternatives of an SPDX expression is allowed, with all of its parts. */
export function isAllowed(expression) {
  const alternatives = expression.replace(/[()]/g, ' ').split(/\sOR\s/);
  return alternatives.some((one) => one.split(/\sAND\s/).every((part) => ALLOWED.has(part.trim())));
}

/**
 * Returns a text with the name, version and licence of each package, and the files in which it has them.
 * @param folders their folders, from the project's root
 * @param others the licences of what is in no package
 * @throws Error if a package has another licence, or none
 */
export function collectLicences(folders, others = []) {
  const refused = [];
  const parts = folders.map((folder) => {
    const path = join(root, folder);
    const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    if (typeof license !== 'string' || !isAllowed(license)) refused.push(`${name} (${license ?? 'none'})`);
    // A package of codecs has the licences of what was compiled in a folder of its own.
    const places = [path, join(path, 'codec')].filter((place) => existsSync(place));
    const texts = places.flatMap((place) =>
      readdirSync(place)
        .filter(isText)
        .sort()
        .map((file) => join(place, file)),
    );
    const bodies = texts.map((file) => readFileSync(file, 'utf8').trim());
    return [`${name} ${version}: ${license}`, ...bodies].join('\n\n');
  });
  if (refused.length > 0) throw new Error(`These licences are not allowed: ${refused.join(', ')}.`);
  return `Linkspace contains code of these packages.\n\n${[...parts, ...others].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
