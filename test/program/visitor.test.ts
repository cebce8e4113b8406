import { describe, expect, test } from 'vitest';
import { countryCode, detectPlatform, matchLanguage } from '../../src/domain/visit/visitor.ts';

const visitor = (userAgent: string, platformHint: string | null = null) => ({
  userAgent,
  platformHint,
  country: null,
  acceptLanguage: '',
  optedOut: false,
  passwordGiven: false,
  counts: true,
  query: '',
});

describe('the platform from the user agent', () => {
  test.each([
    [
      'IOS',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
    ],
    [
      'IOS',
      'Mozilla/5.0 (iPad; CPU OS 12_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/92.0.4515.90 Mobile/15E148 Safari/604.1',
    ],
    [
      'ANDROID',
      'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Mobile Safari/537.36',
    ],
    ['ANDROID', 'Mozilla/5.0 (Android 13; Mobile; rv:138.0) Gecko/138.0 Firefox/138.0'],
    ['WINDOWS', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:138.0) Gecko/20100101 Firefox/138.0'],
    [
      'WINDOWS',
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36 Edg/143.0.0.0',
    ],
    [
      'OS_X',
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
    ],
    ['OS_X', 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:138.0) Gecko/20100101 Firefox/138.0'],
    [
      'LINUX',
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36',
    ],
    ['LINUX', 'Mozilla/5.0 (X11; Fedora; Linux x86_64; rv:138.0) Gecko/20100101 Firefox/138.0'],
    ['UBUNTU', 'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:138.0) Gecko/20100101 Firefox/138.0'],
    [
      'UBUNTU',
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Ubuntu Chromium/80.0.3987.87 Chrome/80.0.3987.87 Safari/537.36',
    ],
    [
      'CHROME_OS',
      'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36',
    ],
    [
      null,
      'Mozilla/5.0 (PlayStation; PlayStation 5/6.00) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/15.4 Safari/605.1.15',
    ],
    [null, ''],
    [null, 'x'],
  ])('%s: %s', (platform, userAgent) => {
    expect(detectPlatform(visitor(userAgent))).toBe(platform);
  });

  test.each([
    ['Windows', 'WINDOWS'],
    ['macOS', 'OS_X'],
    ['iOS', 'IOS'],
    ['Chromium OS', 'CHROME_OS'],
    ['Unknown', 'LINUX'],
    ['constructor', 'LINUX'],
  ])('the hint %s takes precedence, unless it is unknown', (hint, platform) => {
    expect(detectPlatform(visitor('Mozilla/5.0 (X11; Linux x86_64) Chrome/143.0.0.0', hint))).toBe(platform);
  });
});

// The languages of a browser, those that a link has targets for, and the one that the visitor gets.
test.each<[string, string, string | null]>([
  ['iw-IL, en;q=0.5', 'en he', 'he'],
  ['in-ID', 'id', 'id'],
  ['IN', 'id', 'id'],
  ['ji', 'yi', 'yi'],
  ['jw', 'jv', 'jv'],
  ['mo-MD', 'ro', 'ro'],
  ['fil-PH, en-US;q=0.9', 'en tl', 'tl'],
  ['tl', 'tl', 'tl'],
  ['zh-Hant-TW', 'en zh', 'zh'],
  ['nb-NO, nb;q=0.9, en;q=0.8', 'en no', 'no'],
  ['nn-NO, en;q=0.8', 'en no', 'no'],
  ['nb, nn;q=0.9', 'nn no', 'no'],
  ['nb', 'nb no', 'nb'],
  ['nb', 'nn', null],
  ['nn, nb;q=0.5', 'nb', 'nb'],
  ['no', 'nn nb', 'nb'],
  ['no, en;q=0.9', 'en nn', 'nn'],
  ['no', 'nb no nn', 'no'],
  ['de, nb;q=0.5, en;q=0.4', 'en no', 'no'],
  ['en, nb;q=0.5', 'en no', 'en'],
  ['nb;q=0.5, en;q=0.5', 'en no', 'no'],
  // A weight of 0 excludes the language itself, under each of its codes.
  ['iw;q=0, *', 'he', null],
  ['nb, no;q=0', 'no', null],
  ['nb;q=0, en;q=0.1', 'en no', 'en'],
  ['no, nb;q=0', 'nb nn', 'nn'],
  ['nb, *;q=0', 'no', 'no'],
  // The highest weight of both codes, and of two equal ones the first.
  ['he;q=0.1, en;q=0.5, iw;q=0.9', 'en he', 'he'],
  ['iw, en', 'en he', 'he'],
  ['en, iw', 'he en', 'en'],
  // The wildcard stands for what is not listed.
  ['nb;q=0.5, *', 'nb de', 'de'],
  ['iw;q=0.5, *;q=0.1', 'de he', 'he'],
  ['in', 'it en', null],
  ['fi', 'tl', null],
  ['', 'en', null],
  // What apps and libraries send that is not in the form of HTTP.
  ['de_DE', 'en de', 'de'],
  ['zh_Hant_TW, en;q=0.5', 'en zh', 'zh'],
  ['de_DE.UTF-8', 'en de', 'de'],
  ['de_DE@euro, en', 'en de', 'de'],
  ['de;q=.9', 'en de', 'de'],
  ['en;q=.5,de;q=.9', 'en de', 'de'],
  ['de;q=0,9', 'en de', 'de'],
  ['en;q=0,5,de;q=0,9', 'en de', 'de'],
  ['en;q=0,5, de;q=0,9, *;q=0,1', 'en de', 'de'],
  ['en;q=,5,de;q=,9', 'en de', 'de'],
  ['de;q=1,0', 'de', 'de'],
  ['de;q=0,0', 'de', null],
  ['de;q=0,en', 'de en', 'en'],
  ['de;q=0 , 9', 'de', null],
  ['en;q=0.50001,de;q=0.90000000001', 'en de', 'de'],
  ['en;q="0.5", de;q="0.9"', 'en de', 'de'],
  ['de;q=0.', 'de', null],
  ['de;q=', 'de', null],
  ['de;q=.', 'de', null],
  ['de;q=x', 'de', null],
  ['de;q=-1', 'de', null],
  ['de_', 'de', null],
  ['english', 'en', null],
])('of a browser with the languages "%s", the targets %s match %s', (acceptLanguage, languages, expected) => {
  expect(matchLanguage(languages.split(' '), { acceptLanguage })?.language ?? null).toBe(expected);
});

test.each([
  ['de', 'DE'],
  [' US ', 'US'],
  ['XK', 'XK'],
  ['xk', 'XK'],
  ['XX', null],
  ['ZZ', null],
  ['T1', null],
  ['A1', null],
  ['AP', null],
  ['EU', null],
  ['UK', null],
  ['XKX', null],
  ['', null],
])('the country "%s" of a provider is %s', (text, code) => {
  expect(countryCode(text)).toBe(code);
});
