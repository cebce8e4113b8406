import fc from 'fast-check';
import { expect, test } from 'vitest';
import { filledParameters, withParameters } from '../../src/domain/link/utm.ts';

const values = { alias: 'sale', space: '{date} & more', date: '2026-11-26' };
const none = { source: null, medium: null, campaign: null, term: null, content: null };

test.each<[string, object, [string, string][]]>([
  [
    'all, in their order',
    { content: 'c', term: 't', campaign: 'x', medium: 'm', source: 's' },
    [
      ['utm_source', 's'],
      ['utm_medium', 'm'],
      ['utm_campaign', 'x'],
      ['utm_term', 't'],
      ['utm_content', 'c'],
    ],
  ],
  [
    'each placeholder, any number of times',
    { campaign: '{alias}-{date}-{alias}' },
    [['utm_campaign', 'sale-2026-11-26-sale']],
  ],
  ['nothing in what was filled in', { campaign: '{space}' }, [['utm_campaign', '{date} & more']]],
  ['no other braces', { campaign: '{ALIAS} {keyword} {' }, [['utm_campaign', '{ALIAS} {keyword} {']]],
])('fills %s', (_what, template, expected) => {
  expect(filledParameters({ ...none, ...template }, values)).toEqual(expected);
});

test('leaves out a parameter that stays empty', () => {
  expect(filledParameters({ ...none, source: 's', term: '{space}' }, { ...values, space: '' })).toEqual([
    ['utm_source', 's'],
  ]);
});

test.each([
  ['https://example.com', 'https://example.com?utm_source=a%20b&utm_medium=m'],
  ['https://example.com/', 'https://example.com/?utm_source=a%20b&utm_medium=m'],
  ['https://example.com/?', 'https://example.com/?utm_source=a%20b&utm_medium=m'],
  ['https://example.com/?x=%7e+&y', 'https://example.com/?x=%7e+&y&utm_source=a%20b&utm_medium=m'],
  ['https://example.com/?x=1&', 'https://example.com/?x=1&utm_source=a%20b&utm_medium=m'],
  ['https://example.com/ä?ö=ü#/?a=b', 'https://example.com/ä?ö=ü&utm_source=a%20b&utm_medium=m#/?a=b'],
  ['https://example.com#utm_source=x', 'https://example.com?utm_source=a%20b&utm_medium=m#utm_source=x'],
  ['https://example.com/#', 'https://example.com/?utm_source=a%20b&utm_medium=m#'],
  ['https://example.com/?utm_source=x', 'https://example.com/?utm_source=x&utm_medium=m'],
  ['https://example.com/?utm_source', 'https://example.com/?utm_source&utm_medium=m'],
  ['https://example.com/?utm%5Fsource=&utm_medium=', 'https://example.com/?utm%5Fsource=&utm_medium='],
  ['https://example.com/?UTM_SOURCE=x', 'https://example.com/?UTM_SOURCE=x&utm_source=a%20b&utm_medium=m'],
  [
    'https://example.com/?a=?utm_source=x',
    'https://example.com/?a=?utm_source=x&utm_source=a%20b&utm_medium=m',
  ],
])('%s becomes %s', (address, expected) => {
  expect(
    withParameters(address, [
      ['utm_source', 'a b'],
      ['utm_medium', 'm'],
    ]),
  ).toBe(expected);
});

const anyText = fc.string({ unit: 'grapheme', maxLength: 30 });
const part = fc.stringMatching(/^[a-z0-9%=&+;:@/ü?-]{0,30}$/);

test('any text arrives as it is, and nothing else changes', () => {
  fc.assert(
    fc.property(
      part,
      fc.option(part),
      fc.option(part),
      anyText,
      anyText,
      (path, query, fragment, source, medium) => {
        const [before, after] = [
          `https://example.com/${path.replaceAll('?', '')}${query === null ? '' : `?${query}`}`,
          fragment === null ? '' : `#${fragment}`,
        ];
        const added: [string, string][] = [
          ['utm_source', source],
          ['utm_medium', medium],
        ];
        const made = withParameters(before + after, added);
        expect(made.startsWith(before)).toBe(true);
        expect(made.endsWith(after)).toBe(true);
        expect(withParameters(made, added)).toBe(made);
        const { searchParams } = new URL(made);
        expect([searchParams.get('utm_source'), searchParams.get('utm_medium')]).toEqual([source, medium]);
        const own = [...new URL(before + after).searchParams];
        expect([...searchParams].slice(0, own.length)).toEqual(own);
      },
    ),
  );
});
