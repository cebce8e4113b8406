// Reads settings from a file for the programs. It is JavaScript, since it runs before anything is built.
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { decodeText } from './decode-text.js';

/** A line with a setting, an empty one, or a comment. */
const SETTING = /^[ \t]*(?:(?:export[ \t]+)?[\w.-]+[ \t]*=|#|$)/;
/** A value without quotes that ends at a # right behind a character: it may be a comment, or part of a password. */
const CUT_VALUE = /^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*=[ \t]*([^\s"'`#](?:[^\n#]*[^\s#])?)#/gm;

/** A value that begins with a quote, and what stands behind that in its line. */
const QUOTED_VALUE = /^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*=[ \t]*(["'`])([^\n]*)$/gm;

/** Returns what a value in quotes loses or takes in; undefined for nothing. */
function findSlip(value, [, , quote, rest] = []) {
  if (quote === undefined) return undefined;
  const taken = value.split('\n').slice(1).join('\n');
  const names = [...taken.matchAll(/^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*=/gm)].map(([, name]) => name);
  if (names.length > 0 && !rest.includes(quote))
    return `has ${names.join(', ')} in it: close its quote in its own line.`;
  if (value.startsWith(quote) && !rest.includes(quote)) return 'begins with a quote that is not closed.';
  const behind = rest.slice(rest.indexOf(quote) + 1).trim();
  return taken !== '' || behind === '' || behind.startsWith('#')
    ? undefined
    : 'ends at its second quote: put a value with quotes in other ones.';
}

/**
 * Sets the environment's variables from a file of lines NAME=value, and names lines without effect on stderr. The environment
 * wins over the file, also where one has a secret and the other the path of its file.
 * @param program the program that is about to run, such as `main`
 * @throws Error if a value is not in UTF-8
 */
export function loadEnv(file, program) {
  const given = { ...process.env };
  const text = decodeText(readFileSync(file));
  const values = parseEnv(text);
  const longer = Object.values(values).filter((value) => value.includes('\n'));
  for (const [index, line] of text.split('\n').entries()) {
    const bare = line.replace(/["'`][ \t]*(?:#.*)?$/, '');
    if (!SETTING.test(line) && !longer.some((value) => value.includes(bare)))
      process.stderr.write(`Line ${index + 1} of ${file} has no effect: it may be NAME=value.\n`);
  }
  const cut = new Map([...text.matchAll(CUT_VALUE)].map(([, name, value]) => [name, value]));
  const quoted = new Map([...text.matchAll(QUOTED_VALUE)].map((found) => [found[1], found]));
  for (const [name, value] of Object.entries(values)) {
    const other = name.endsWith('_FILE') ? name.slice(0, -'_FILE'.length) : `${name}_FILE`;
    if (name in given || given[other]) continue;
    if (value.includes('\ufffd'))
      throw Object.assign(
        new Error(`${name} in ${file} has bytes that are not UTF-8: save the file in UTF-8.`),
        // That of wrong settings: a service manager need not try again.
        program === 'main' ? { exitCode: 78 } : {},
      );
    if (cut.get(name) === value)
      process.stderr.write(
        `${name} in ${file} ends before its #: put the value in quotes if the # is part of it.\n`,
      );
    const slip = findSlip(value, quoted.get(name));
    if (slip !== undefined) process.stderr.write(`${name} in ${file} ${slip}\n`);
    process.env[name] = value;
  }
}
