import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ALIAS_FORM,
  type AliasFault,
  encodeAlias,
  findAliasFault,
  hasOtherLetters,
  isAlias,
  isPlainAlias,
  listAbove,
  MAX_ALIAS,
  mayBeAlias,
  normalizeAlias,
  withSuffix,
} from '../../src/domain/link/alias-grammar.ts';
import { cpuTimeOf } from '../support/cpu-time.ts';

/** Typed texts, their stored form, and their form in a URL. */
test.each<[given: string, stored: string, sent: string]>([
  ['launch', 'launch', 'launch'],
  ['-', '-', '-'],
  ['end-_', 'end-_', 'end-_'],
  ['spring/sale', 'spring/sale', 'spring/sale'],
  ['v1.2.0/notes', 'v1.2.0/notes', 'v1.2.0/notes'],
  ['a..b', 'a..b', 'a..b'],
  ['1/2/3/4/5/6/7/8', '1/2/3/4/5/6/7/8', '1/2/3/4/5/6/7/8'],
  ['läden', 'läden', 'l%C3%A4den'],
  ['la\u0308den', 'läden', 'l%C3%A4den'],
  ['LÄDEN', 'LÄDEN', 'L%C3%84DEN'],
  ['лето', 'лето', '%D0%BB%D0%B5%D1%82%D0%BE'],
  ['лето/sale', 'лето/sale', '%D0%BB%D0%B5%D1%82%D0%BE/sale'],
  ['καλοκαίρι', 'καλοκαίρι', encodeURIComponent('καλοκαίρι')],
  ['שלום', 'שלום', encodeURIComponent('שלום')],
  ['سلام٤', 'سلام٤', encodeURIComponent('سلام٤')],
  ['हिन्दी', 'हिन्दी', encodeURIComponent('हिन्दी')],
  ['ประเทศไทย', 'ประเทศไทย', encodeURIComponent('ประเทศไทย')],
  ['한국어', '한국어', encodeURIComponent('한국어')],
  ['日本のリンク', '日本のリンク', encodeURIComponent('日本のリンク')],
  ['nihon日本', 'nihon日本', encodeURIComponent('nihon日本')],
  ['スーパーsale', 'スーパーsale', encodeURIComponent('スーパーsale')],
  ['👍', '👍', '%F0%9F%91%8D'],
  ['👍🏽', '👍🏽', encodeURIComponent('👍🏽')],
  ['❤️', '❤', '%E2%9D%A4'],
  ['❤\uFE0E', '❤', '%E2%9D%A4'],
  ['🇩🇪', '🇩🇪', encodeURIComponent('🇩🇪')],
  ['🏴󠁧󠁢󠁥󠁮󠁧󠁿', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', encodeURIComponent('🏴󠁧󠁢󠁥󠁮󠁧󠁿')],
  ['👩‍👩‍👧‍👦', '👩‍👩‍👧‍👦', encodeURIComponent('👩‍👩‍👧‍👦')],
  ['🏳️‍🌈', '🏳‍🌈', encodeURIComponent('🏳‍🌈')],
  ['🕵🏽‍♂️', '🕵🏽‍♂', encodeURIComponent('🕵🏽‍♂')],
  ['👁️‍🗨️', '👁‍🗨', encodeURIComponent('👁‍🗨')],
  ['1️⃣', '1⃣', '1%E2%83%A3'],
  ['#️⃣', '#⃣', '%23%E2%83%A3'],
  ['☺️sommer/🌞', '☺sommer/🌞', `${encodeURIComponent('☺sommer')}/${encodeURIComponent('🌞')}`],
])('%s is an alias, stored as %s and sent as %s', (given, stored, sent) => {
  expect(normalizeAlias(given)).toBe(stored);
  expect([findAliasFault(stored), isAlias(stored), mayBeAlias(stored.split('/'))]).toEqual([
    null,
    true,
    true,
  ]);
  expect(encodeAlias(stored)).toBe(sent);
  expect(stored).toMatch(new RegExp(ALIAS_FORM));
});

test.each<[text: string, fault: AliasFault]>([
  ['a b', 'ALIAS_CHARACTERS'],
  ['a+', 'ALIAS_CHARACTERS'],
  ['a%41', 'ALIAS_CHARACTERS'],
  ['a\\b', 'ALIAS_CHARACTERS'],
  ['a?b', 'ALIAS_CHARACTERS'],
  ['a#b', 'ALIAS_CHARACTERS'],
  ['a½', 'ALIAS_CHARACTERS'],
  ['a×b', 'ALIAS_CHARACTERS'],
  ['\u202Eabc', 'ALIAS_CHARACTERS'],
  ['a\u200Bb', 'ALIAS_CHARACTERS'],
  ['می\u200Cخواهم', 'ALIAS_CHARACTERS'],
  ['a\u3164', 'ALIAS_CHARACTERS'],
  ['a\u034F', 'ALIAS_CHARACTERS'],
  ['a\u{E0041}', 'ALIAS_CHARACTERS'],
  // Halves and compositions that are no emoji.
  ['🇩', 'ALIAS_CHARACTERS'],
  ['🇩🇩', 'ALIAS_CHARACTERS'],
  ['👍‍👍', 'ALIAS_CHARACTERS'],
  ['👩‍', 'ALIAS_CHARACTERS'],
  ['', 'ALIAS_SEGMENTS'],
  ['/a', 'ALIAS_SEGMENTS'],
  ['a/', 'ALIAS_SEGMENTS'],
  ['a//b', 'ALIAS_SEGMENTS'],
  ['1/2/3/4/5/6/7/8/9', 'ALIAS_SEGMENTS'],
  ['.', 'ALIAS_DOTS'],
  ['..', 'ALIAS_DOTS'],
  ['a/../b', 'ALIAS_DOTS'],
  ['.a', 'ALIAS_DOTS'],
  ['a.', 'ALIAS_DOTS'],
  ['a/b.', 'ALIAS_DOTS'],
  ['pаypal', 'ALIAS_SCRIPTS'],
  ['αlpha', 'ALIAS_SCRIPTS'],
  ['летоlatin', 'ALIAS_SCRIPTS'],
  ['日本лето', 'ALIAS_SCRIPTS'],
  ['a/שלוםsale', 'ALIAS_SCRIPTS'],
  ['👩‍👩‍👧‍👦'.repeat(63), 'ALIAS_BYTES'],
])('%j is no alias: %s', (text, fault) => {
  expect([findAliasFault(normalizeAlias(text)), isAlias(text)]).toEqual([fault, false]);
});

test('an alias has at most 255 characters and 1,000 bytes', () => {
  expect(isAlias('x'.repeat(MAX_ALIAS))).toBe(true);
  expect(isAlias('x'.repeat(MAX_ALIAS + 1))).toBe(false);
  expect(isAlias('ä'.repeat(MAX_ALIAS))).toBe(true);
  expect(isAlias('👍'.repeat(250))).toBe(true);
  expect(isAlias('👍'.repeat(251))).toBe(false);
  expect(isAlias('la\u0308den')).toBe(false);
  expect(isAlias('\ud83d')).toBe(false);
});

test('knows other letters than Latin ones, and what is above an alias', () => {
  expect(['abc', 'läden/1', '👍', '1/2'].filter(hasOtherLetters)).toEqual([]);
  const others = ['лето', 'sale/日本', 'ａbc', 'xα', '𝐚𝐛', '𝖻𝗋𝖺𝗇𝖽', 'ℯ', 'aー', 'a１'];
  expect(others.filter(hasOtherLetters)).toEqual(others);
  expect([listAbove('a'), listAbove('a/b'), listAbove('a/b/c')]).toEqual([[], ['a'], ['a/b', 'a']]);
});

test.each([
  ['sale', 'sale-2'],
  ['x'.repeat(255), `${'x'.repeat(253)}-2`],
  ['👩‍👩‍👧‍👦'.repeat(36), `${'👩‍👩‍👧‍👦'.repeat(36)}-2`],
  [`${'ä'.repeat(252)}👍🏽`, `${'ä'.repeat(252)}👍-2`],
  [`${'x'.repeat(249)}/🇩🇪🇩🇪`, `${'x'.repeat(249)}/🇩🇪-2`],
])('an alias with a suffix is one, and no half of an emoji stays: %s', (alias, expected) => {
  expect([withSuffix(alias, '-2'), isAlias(expected)]).toEqual([expected, true]);
});

const sets: string = 'v';
const emoji = new RegExp(String.raw`^\p{RGI_Emoji}$`, sets);

test('every emoji of one character is an alias without its selector', () => {
  const single = Array.from({ length: 0x20_000 }, (_, code) => String.fromCodePoint(code)).filter(
    (one) => /\P{ASCII}/u.test(one) && (emoji.test(one) || emoji.test(`${one}\uFE0F`)),
  );
  expect(single.length).toBeGreaterThan(1_300);
  expect(single.filter((one) => !isAlias(normalizeAlias(`${one}\uFE0F`)))).toEqual([]);
});

const part = fc.oneof(
  fc.constantFrom(
    'a',
    'Z',
    '0',
    '-',
    '_',
    '.',
    '/',
    'ä',
    'a\u0308',
    'л',
    '日',
    '👍🏽',
    '❤️',
    '🏳️‍🌈',
    '\u200D',
    '+',
    '%',
  ),
  fc.string({ unit: 'grapheme', maxLength: 2 }),
  fc.string({ unit: 'binary', maxLength: 2 }),
);
const text = fc.array(part, { maxLength: 20 }).map((parts) => parts.join(''));

test('an alias stays itself in a URL, and parts of it are what they were', () => {
  fc.assert(
    fc.property(text, (given) => {
      const alias = normalizeAlias(given);
      expect(normalizeAlias(alias)).toBe(alias);
      if (isPlainAlias(given))
        expect([alias, encodeAlias(alias), isAlias(alias)]).toEqual([given, given, true]);
      if (!isAlias(alias)) return;
      const { pathname } = new URL(`https://s.example/${encodeAlias(alias)}`);
      expect(pathname).toBe(`/${encodeAlias(alias)}`);
      expect(decodeURIComponent(pathname)).toBe(`/${alias}`);
      expect(mayBeAlias(alias.split('/'))).toBe(true);
      for (const above of listAbove(alias)) expect(isAlias(above)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test('a text of any form is read in little time', async () => {
  const texts = ['👍🏽', '🏳️‍🌈', '1️⃣', 'a\u0308', '.', 'é/', '\u200D'].map((one) => `${one.repeat(1_000)}+`);
  expect(await cpuTimeOf(() => texts.map((one) => findAliasFault(normalizeAlias(one))))).toBeLessThan(200);
});
