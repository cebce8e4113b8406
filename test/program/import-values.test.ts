import { expect, test } from 'vitest';
import { type ImportFormat, importFormats, neededColumns } from '../../src/domain/transfer/formats.ts';
import { linkIn } from '../../src/domain/transfer/pasted.ts';
import { count, isSet, time, wholeNumber, yesOrNo } from '../../src/domain/transfer/values.ts';
import { refusalIn } from '../../src/engine/rules/refusal.ts';

/** Why the value is refused; undefined if it is not. */
function refusalOf(schema: typeof time | typeof yesOrNo | typeof count, value: unknown): string | undefined {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  return issue && refusalIn(issue.message).message;
}

test.each([
  ['2026-11-20', '2026-11-20T00:00:00Z'],
  ['2026-11-20 10:00', '2026-11-20T10:00:00Z'],
  ['2026-11-20T10:00:00.5+02', '2026-11-20T08:00:00.5Z'],
  ['2026-11-20T10:00:00-0730', '2026-11-20T17:30:00Z'],
  ['Nov 20, 2026 10:00 AM', '2026-11-20T10:00:00Z'],
  ['Nov 20, 2026, 10:00:05 PM', '2026-11-20T22:00:05Z'],
  ['20 November 2026 13:05', '2026-11-20T13:05:00Z'],
  ['Feb 29, 2024', '2024-02-29T00:00:00Z'],
  ['Fri, 20 Nov 2026 10:00:00 GMT', '2026-11-20T10:00:00Z'],
  ['Fri Nov 20 2026 10:00:00 GMT+0100 (Central European Standard Time)', '2026-11-20T09:00:00Z'],
  ['Nov 20, 2026 10:00 AM -07:00', '2026-11-20T17:00:00Z'],
  ['Nov 20, 2026 10:00 AM EST', '2026-11-20T15:00:00Z'],
  ['Nov 20, 2026 10:00\u202FAM', '2026-11-20T10:00:00Z'],
  ['Nov  2 2026 10:00:00.123', '2026-11-02T10:00:00.123Z'],
  ['Nov 20, 2026 10:00 GMT+1', '2026-11-20T09:00:00Z'],
  ['Nov 20, 2026 10:00 AM UTC+05:30', '2026-11-20T04:30:00Z'],
  ['2026/11/20 10:00', '2026-11-20T10:00:00Z'],
  ['Friday, November 20th, 2026 at 10:00 PM', '2026-11-20T22:00:00Z'],
  ['Nov 20, 2026 at 10:00', '2026-11-20T10:00:00Z'],
  ['2nd Sept. 2026', '2026-09-02T00:00:00Z'],
  ['1700000000', '2023-11-14T22:13:20Z'],
  ['1700000000500', '2023-11-14T22:13:20.5Z'],
])('reads %s as %s', (text, expected) => {
  expect(time.parse(text)).toEqual(new Date(expected));
});

test.each([
  '2026-02-30',
  '2026-13-01',
  'Feb 30, 2026 10:00 AM',
  '31 Apr 2026',
  'Feb 29, 2026',
  'Nov 20, 2026 25:00',
  'Nov 20, 2026 10:00 AM CET',
  'Nov 20, 2026 10:00 AM EST+1',
  'Nov 20, 2026 10:00 -99:99',
  'Nov 20, 2026 10:00 +15:00',
  'Nov 20, 0026',
  'Foo 20, 2026',
  'Novxyz 20, 2026',
  'Nov 20, 2026 10:60',
  'Nov 20, 2026 10:00:60',
  '2026-11-20T10:00:00+15:00',
  '2026/11-20',
  '11/20/2026',
  '20.11.2026',
])('refuses %s as a time', (text) => {
  expect(refusalOf(time, text)).toContain(
    'it must be a time, such as 2026-11-20T10:00:00Z, Nov 20, 2026 10:00 AM, or seconds since 1970',
  );
});

test.each([
  ['1', true],
  ['Yes', true],
  [true, true],
  ['2026-11-20T10:00:00Z', true],
  ['0', false],
  ['false', false],
  [false, false],
])('reads %s as %s, for yes or no', (value, expected) => {
  expect(yesOrNo.parse(value)).toBe(expected);
});

test.each(['FALSCH', 'nein', 'maybe', {}])('refuses %s as yes or no', (value) => {
  expect(refusalOf(yesOrNo, value)).toContain('it must be 1 or 0, true or false, yes or no, or a time');
});

test.each(['Never', 'n/a', '-', '0', false])('reads %s as no time', (value) => {
  expect(time.parse(value)).toBeUndefined();
});

const deep = JSON.parse('['.repeat(5_000) + ']'.repeat(5_000));
test.each(Object.entries({ time, count, yesOrNo, wholeNumber }))(
  'refuses a deeply nested list as %s',
  (_name, kind) => {
    expect(refusalOf(kind, deep)).toMatch(/^is "an object of very many levels"; it must be /);
  },
);

test('isSet treats a deeply nested list as set', () => {
  expect(isSet(deep)).toBe(true);
});

test.each(['a'.repeat(1_000_000), `a${' '.repeat(1_000_000)}b`, '('.repeat(1_000_000)])(
  'refuses a very long text as a time without spending long on it',
  (text) => {
    expect(refusalOf(time, text)).toContain('it must be a time');
  },
);

test.each([
  ['[One](https://a.example/1)', 'https://a.example/1', 'One'],
  ['- [a](b) and [c](https://a.example/1 "Tip, [x]")', 'https://a.example/1', 'a](b) and [c'],
  ['[One](https://a.example/1) more', '[One](https://a.example/1) more', ''],
  ['[](https://a.example/1)', 'https://a.example/1', ''],
  ['1.example.com/a', '1.example.com/a', ''],
  ['- nowhere', '- nowhere', ''],
  ['https://a.example/- https://b.example', 'https://a.example/- https://b.example', ''],
])('finds the address in %s', (text, url, title) => {
  expect(linkIn(text)).toEqual({ url, title });
});

test.each([
  '['.repeat(500_000),
  `[${']('.repeat(250_000)}`,
  `-${' '.repeat(500_000)}x`,
  '- '.repeat(250_000),
])('finds no address in a long text, in time that grows with its length', (text) => {
  expect(linkIn(text).url).toBe(text);
});

test.each(Object.keys(importFormats) as ImportFormat[])('names each column of %s once', (format) => {
  const names = neededColumns(format).match(/"[^"]*"/g) ?? [];
  expect(names.length).toBeGreaterThan(1);
  expect(names).toEqual([...new Set(names)]);
});
