import { expect, test } from 'vitest';
import {
  isItself,
  listCandidates,
  listPlaces,
  plainAliasOfPath,
  readPath,
} from '../../src/domain/link/alias.ts';
import { cpuTimeOf } from '../support/cpu-time.ts';

/** Ends that texts and programs put behind a short URL. */
const added =
  '. , ) ! ; : ? " ” “ ’ \' » › > < ] } … 。 ） * ` | ~ = $ ^ — %EF%B8%8F %20 %09 %0A %C2%A0 %E2%80%8B %EF%BB%BF';
/** Further text: the alias ends before the first character that no alias has. */
const more = '👍 👍🏽 👩‍👩‍👧 请 ™ é ½ ² 请看https://example.com/ .html ,und @x &x';

const aliasesOf = (path: string) => listCandidates(readPath(path), false).map(({ alias }) => alias);

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
])('%s means the alias abc, unless a link has more of it', (path) => {
  const { statisticsOf, beginnings } = readPath(path);
  expect([aliasesOf(path).at(-1), statisticsOf]).toEqual(['abc', []]);
  if (!path.slice(1, -1).includes('/')) expect(beginnings).toEqual([]);
});

test.each(['/abc', '/abc/', `/${'x'.repeat(255)}`])('%s is read at once', (path) => {
  expect(readPath(path)).toEqual({
    aliases: [plainAliasOfPath(path)],
    statisticsOf: [],
    beginnings: [],
    head: '',
  });
  expect(plainAliasOfPath(path)).not.toBe('');
});

test.each<[path: string, ...aliases: string[]]>([
  ['/ABC', 'ABC'],
  ['/ABC.', 'ABC'],
  ['/ABC%F0%9F%91%8D', 'ABC👍', 'ABC'],
  ['/ab%F0%9F%91%8D', 'ab👍', 'ab'],
  ['/abc-', 'abc-'],
  ['/abc_.', 'abc_'],
  ['/abc-%F0%9F%91%8D', 'abc-👍', 'abc-'],
  ['/a.bc', 'a.bc', 'a'],
  // The whole path, the same without its end, and what is of ASCII.
  ['/l%C3%A4den', 'läden', 'l'],
  ['/la%CC%88den.', 'läden', 'la'],
  ['/l%C3%A4den%F0%9F%91%8D', 'läden👍', 'läden', 'l'],
  ['/läden', 'läden', 'l'],
  ['/%E2%9D%A4%EF%B8%8F', '❤'],
  ['/%E2%9D%A4%EF%B8%8E.', '❤'],
  ['/spring/sale', 'spring/sale'],
  ['/spring/sale/', 'spring/sale'],
  ['//spring//sale//', 'spring/sale'],
  ['/spring/sale.', 'spring/sale'],
  ['/spring/sale,/.', 'spring/sale'],
  ['/spring/sale%F0%9F%91%8D', 'spring/sale👍', 'spring/sale'],
  ['/spring/./sale', ''],
  ['/spring/%2E%2E/sale', ''],
  ['/1/2/3/4/5/6/7/8', '1/2/3/4/5/6/7/8'],
  ['/1/2/3/4/5/6/7/8/9', ''],
  ['/%ff', ''],
  [`/${'x'.repeat(5000)}`, ''],
  ['/.abc', ''],
  ['/%22abc%22', ''],
  // An encoded slash is a part of its segment, and a plus sign asks for statistics.
  ['/abc%2Fmore', ''],
  ['/spring/sale%2Fmore', ''],
  ['/abc+more', ''],
  ['/abc++', ''],
  ['/a%00b', 'a'],
  ['/a%5Cb', 'a'],
  [`/${'abc'.repeat(100)}%F0%9F%91%8D`, ''],
])('%s means, in this order, %j', (path, ...aliases) => {
  expect(aliasesOf(path)).toEqual(aliases.filter(Boolean));
});

test.each(['+', '+.', '.+', '+)', '%2B%22', '+%F0%9F%91%8D', '%2B%E8%AF%B7/x'])(
  '/abc%s asks for the statistics of abc',
  (text) => {
    expect(readPath(`/abc${text}`).statisticsOf).toEqual(['abc']);
  },
);

test.each([
  ['/spring/sale+', 'spring/sale'],
  ['/spring/sale%2B.', 'spring/sale'],
  ['/spring//sale+/', 'spring/sale'],
  ['/l%C3%A4den+', 'läden'],
  ['/%F0%9F%91%8D+', '👍'],
])('%s asks for the statistics of %s, and is never forwarded', (path, alias) => {
  expect(readPath(path)).toEqual({ aliases: [], statisticsOf: [alias], beginnings: [], head: '' });
});

test.each<[path: string, ...beginnings: [alias: string, ...rest: string[]][]]>([
  ['/guide/a/b', ['guide/a', 'b'], ['guide', 'a', 'b']],
  ['/guide/a/', ['guide', 'a', '']],
  ['/guide/%20%C3%A4%3F', ['guide', ' ä?']],
  ['/guide/100%', ['guide', '100%']],
  ['/guide/a.html', ['guide', 'a.html']],
  ['/l%C3%A4den/a', ['läden', 'a']],
  ['/guide/a=b;c/"', ['guide', 'a=b;c', '"']],
  ['/guide/'],
  ['/guide//a'],
  ['/guide/a//b'],
  ['/guide/a//'],
  ['/guide/./a'],
  ['/guide/%2e%2E/a'],
  ['/guide/a%2Fb'],
  ['/guide/a%5Cb'],
  ['/guide/a%0Ab'],
  ['/guide/a%00'],
  ['/guide/%ff'],
  ['/guide/a+'],
  ['/guide/a%2B'],
])('%s begins with, the longest first, %j', (path, ...beginnings) => {
  expect(readPath(path).beginnings).toEqual(beginnings.map(([alias, ...rest]) => ({ alias, rest })));
});

test('what may be forwarded is so, rather than cut off before further segments', () => {
  const meaning = readPath('/guide/%E8%AF%B7/%F0%9F%91%8D');
  const candidates = (forwards: boolean) =>
    listCandidates(meaning, forwards).map(({ alias, rest }) => [alias, rest]);
  expect(candidates(false)).toEqual([
    ['guide/请/👍', undefined],
    ['guide', undefined],
  ]);
  expect(candidates(true)).toEqual([
    ['guide/请/👍', undefined],
    ['guide/请', ['👍']],
    ['guide', ['请', '👍']],
  ]);
});

test('a path of many segments begins with aliases of at most eight', () => {
  const { beginnings } = readPath(`/${Array.from({ length: 300 }, (_, i) => i).join('/')}`);
  expect(beginnings.map(({ alias }) => alias.split('/').length)).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
  expect(beginnings.map(({ rest }) => rest?.length)).toEqual([292, 293, 294, 295, 296, 297, 298, 299]);
});

test('an address is itself in any form of its path', () => {
  const at = (path: string, alias: string, forwards = false) =>
    isItself(`https://go.example${path}?a=1`, alias, ['go.example'], forwards);
  expect([
    at('/abc', 'abc'),
    at('/%61bc.', 'abc'),
    at('/läden/', 'läden'),
    at('/spring//sale', 'spring/sale'),
  ]).toEqual(Array(4).fill(true));
  expect([at('/ABC', 'abc'), at('/guide/a', 'guide'), at('/guide/a', 'guide', true)]).toEqual([
    false,
    false,
    true,
  ]);
  expect(listPlaces('//')).toEqual(['/']);
});

test('a path of any form is read in little time', async () => {
  const paths = ['%C3%A4', 'a/', '.', '%2F', '+', '👍', '%F0%9F%91%8D.', '%'].map(
    (one) => `/${one.repeat(4_000 / one.length)}`,
  );
  expect(await cpuTimeOf(() => paths.map((path) => readPath(path)))).toBeLessThan(300);
});
