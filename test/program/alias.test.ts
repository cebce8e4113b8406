import { expect, test } from 'vitest';
import { aliasOfPath, statisticsAliasOfPath } from '../../src/domain/link/alias.ts';

/** Ends that texts and programs put behind a short URL. */
const added =
  '. , ) ! ; : ? " ” “ ’ \' » › > < ] } … 。 ） * ` | ~ = $ ^ — %EF%B8%8F %20 %09 %0A %C2%A0 %E2%80%8B %EF%BB%BF';
/** Further text: the alias ends before the first character that no alias has. */
const more = '👍 👍🏽 👩‍👩‍👧 请 ™ é ½ ² 请看https://example.com/ .html ,und @x &x';

test.each([
  '/abc',
  '/%61bc',
  '/abc/',
  ...added.split(' ').map((text) => `/abc${text.startsWith('%') ? text : encodeURIComponent(text)}`),
  ...['/abc,', '/abc)', '/abc!', '/abc;', '/abc%', '/abc%.', '/abc%25', '/abc%2', '/abc%22'],
  ...['/abc%e2%80%9d', '/abc%22%29.', '/abc/,', '/abc./', '/%61bc.'],
  `/abc${'.'.repeat(2_000)}`,
  ...more.split(' ').map((text) => `/abc${encodeURI(text)}`),
  `/abc${encodeURIComponent('请'.repeat(120))}`,
  ...['/abc%00', '/abc%E2%80', '/abc%E8%AF%B7/more', '/%61%62c%F0%9F%91%8D', '/abc/%F0%9F%91%8D'],
])('%s means the alias abc', (path) => {
  expect([aliasOfPath(path), statisticsAliasOfPath(path)]).toEqual(['abc', '']);
});

test.each([
  ['/ABC', 'ABC'],
  ['/ABC.', 'ABC'],
  ['/ABC%F0%9F%91%8D', 'ABC'],
  ['/ab%F0%9F%91%8D', 'ab'],
  ['/abcd%F0%9F%91%8D', 'abcd'],
  ['/abc-', 'abc-'],
  ['/abc_', 'abc_'],
  ['/abc_.', 'abc_'],
  ['/abc-%F0%9F%91%8D', 'abc-'],
  ['/a.bc', 'a'],
  ['/abc/more', ''],
  ['/%ff', ''],
  [`/${'x'.repeat(5000)}`, ''],
  ['/.abc', ''],
  ['/%22abc%22', ''],
  ['/%F0%9F%91%8Dabc', ''],
  ['/%F0%9F%91%8D', ''],
  // A further segment is a path of its own, and a plus sign asks for statistics.
  ['/abc%2Fmore', ''],
  ['/abc//more', ''],
  ['/abc+more', ''],
  ['/abc++', ''],
  [`/${'abc'.repeat(100)}%F0%9F%91%8D`, ''],
])('%s means no link, or another alias: %j', (path, alias) => {
  expect(aliasOfPath(path)).toBe(alias);
});

test.each(['+', '+.', '.+', '+)', '%2B%22', '+%F0%9F%91%8D', '%2B%E8%AF%B7/x'])(
  '/abc%s asks for the statistics of abc',
  (text) => {
    expect(statisticsAliasOfPath(`/abc${text}`)).toBe('abc');
  },
);
