import { expect, test } from 'vitest';
import { isAllowed } from '../../scripts/pack/licences.mjs';
import { withOwnCommands } from '../../src/app/own-commands.ts';

const texts = [
  ['Usage: npm run keys -- create --account NAME', 'Usage: npx linkspace keys create --account NAME'],
  ['Usage: npm run --silent export -- --account NAME', 'Usage: npx linkspace export --account NAME'],
  ['this lists them: npm run keys -- list', 'this lists them: npx linkspace keys list'],
  ['run "npm run migrate", or start the service', 'run "npx linkspace migrate", or start the service'],
  ['Usage: npm start', 'Usage: npx linkspace'],
];

test.each(texts)('%s', (text = '', ofPackage = '') => {
  expect(withOwnCommands(text, true)).toBe(ofPackage);
  expect(withOwnCommands(text, false)).toBe(text);
});

const licences = [
  ['MIT', true],
  ['(MIT OR GPL-3.0)', true],
  ['MIT AND ISC', true],
  ['MIT AND GPL-3.0', false],
  ['GPL-3.0', false],
  ['SEE LICENSE IN LICENSE', false],
] as const;

test.each(licences)('the licence %s may be in the package: %s', (licence, allowed) => {
  expect(isAllowed(licence)).toBe(allowed);
});
