import { expect, test } from 'vitest';
import { PendingVisits, type Visit } from '../../src/clicks/pending-visits.ts';
import { countUnwritten } from '../../src/clicks/visit-counts.ts';
import { describeVisitor, referrerHost } from '../../src/clicks/visit-facts.ts';
import type { Visitor } from '../../src/domain/visit/visitor.ts';
import { VISITOR } from '../support/visit.ts';

/** The values of a visitor, of all kinds. */
function known(of: Partial<Visitor>): object {
  return Object.assign({}, ...describeVisitor({ ...VISITOR, ...of }, '').map(({ columns }) => columns));
}

const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0';

test.each([
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36`, 'Chrome', 'Windows', 'desktop'],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36 Edg/143.0`,
    'Microsoft Edge',
    'Windows',
    'desktop',
  ],
  [
    'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    'Firefox',
    'Ubuntu',
    'desktop',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
    'Safari',
    'macOS',
    'desktop',
  ],
  [
    'Mozilla/5.0 (iPad; CPU OS 12_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/12.1 Mobile/15E148 Safari/604.1',
    'Safari',
    'iOS',
    'tablet',
  ],
  [`Mozilla/5.0 (Linux; Android 15; Pixel 9) ${CHROME} Mobile Safari/537.36`, 'Chrome', 'Android', 'mobile'],
  [
    'Mozilla/5.0 (SMART-TV; Linux; Tizen 7.0) AppleWebKit/537.36 (KHTML, like Gecko) Version/7.0 TV Safari/537.36',
    'Tizen',
    'Tizen',
    'other',
  ],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${CHROME} Safari/537.36`, 'Chrome', 'Chrome OS', 'desktop'],
  ['Mozilla/5.0 (X11; FreeBSD amd64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox', null, 'desktop'],
  ['Invented/1.0', null, null, null],
  ['', null, null, null],
])('reads browser, system and device from the user agent %s', (userAgent, browser, os, device) => {
  expect(known({ userAgent })).toMatchObject({ browser, os, device });
});

// Header values may contain any character except line breaks. A quoted hint may also start with a space.
test.each([
  [
    'browser and system',
    { platformHint: ' Mozilla/5.0 (X11; Linux x86_64; rv:139.0)', userAgent: 'Gecko/20100101 Firefox/139.0' },
    { userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:139.0) Gecko/20100101 Firefox/139.0' },
    { browser: 'Firefox', os: 'Linux' },
  ],
  [
    'language',
    { platformHint: ' pt,', acceptLanguage: 'de;q=0.5' },
    { acceptLanguage: 'pt, de;q=0.5' },
    { language: 'pt' },
  ],
])('the headers of one visitor do not affect another one’s %s', (_what, one, another, expected) => {
  known(one);
  expect(known(another)).toMatchObject(expected);
});

test.each([
  ['de-DE,de;q=0.9,en;q=0.8', 'de'],
  ['en;q=0.5, fr', 'fr'],
  ['xx, tlh, pt-BR;q=0.1', 'pt'],
  ['iw-IL, en;q=0.5', 'he'],
  ['in', 'id'],
  ['ji', 'yi'],
  ['jw', 'jv'],
  ['mo', 'ro'],
  ['fil-PH', 'tl'],
  ['nb-NO, no;q=0.9', 'nb'],
  ['en;q=0.5, iw;q=0.1, he;q=0.9', 'he'],
  ['de;q=0, *', null],
  ['*', null],
  ['', null],
])('reads the language from Accept-Language: %s', (acceptLanguage, language) => {
  expect(known({ acceptLanguage })).toMatchObject({ language });
});

test.each([
  ['https://www.News.Example:8080/path?query#fragment', 'news.example'],
  ['http://user:password@example.com/', 'example.com'],
  ['https://www.example/', 'www.example'],
  ['https://bücher.example/', 'xn--bcher-kva.example'],
  ['https://example.com./', 'example.com'],
  ['http://192.0.2.1/', '192.0.2.1'],
  ['http://[2001:db8::1]/', '[2001:db8::1]'],
  ['http://localhost/', 'localhost'],
  ['android-app://com.google.android.gm/', 'com.google.android.gm'],
  ['android-app://com.google.android.gm', 'com.google.android.gm'],
  ['android-app://com.Slack/', 'com.slack'],
  ['Android-App://org.telegram.messenger/https/t.me/', 'org.telegram.messenger'],
  ['android-app://www.example.app/', 'www.example.app'],
  [
    'android-app://com.google.android.googlequicksearchbox/https/www.google.com?q=private',
    'com.google.android.googlequicksearchbox',
  ],
  ['android-app://com.example_app/', 'com.example_app'],
  ['android-app://user@com.example/', null],
  [`android-app://${'a.'.repeat(127)}example/`, null],
  ['android-app:com.example', null],
  ['android-app:///com.example', null],
  ['android-app://com.%65xample/', null],
  ['android-app://com..example/', null],
  ['android-app://com example/', null],
  ['ios-app://585027354/', null],
  ['javascript:alert(1)', null],
  ['example.com', null],
  ['https://-example-.com/', null],
  [`https://${'a'.repeat(64)}.example/`, null],
  [`https://${'a.'.repeat(127)}example/`, null],
  ['', null],
])('reads the referrer from Referer: %s', (referrer, host) => {
  expect(referrerHost(referrer)).toBe(host);
});

const at = new Date('2026-11-20T12:00:00Z');

function visitOf(id: number, number: number, timestamp = at): Visit {
  return {
    link: { id },
    at: timestamp,
    visitor: { ...VISITOR, country: 'DE' },
    address: `192.0.2.${number}`,
    referrer: `https://site${number}.example/`,
    destination: 'https://example.com/',
    alreadyCounted: null,
  };
}

test('drops details of visits above the limits, and still counts the visits', () => {
  const pending = new PendingVisits(true, { details: 20, hours: 3 });
  for (let hour = 0; hour < 48; hour++)
    for (let i = 0; i < 10; i++)
      pending.add(visitOf((i % 2) + 1, i, new Date(at.getTime() + hour * 3_600_000)));
  expect(pending.unwritten).toBe(480);
  const first = pending.take(1);
  expect(first.size).toBe(1);
  const links = [...first.values(), ...pending.take(5).values()];
  expect(links.map(countUnwritten)).toEqual([240, 240]);
  const days = links.flatMap((link) => [...link.days.values()]);
  expect(days.reduce((sum, day) => sum + day.clicks, 0)).toBe(480);
  const details = days.reduce((sum, day) => sum + day.values.size + day.visitors.size, 0);
  expect(details).toBeLessThanOrEqual(25);
  expect(links.reduce((sum, link) => sum + link.hours.size, 0)).toBeLessThanOrEqual(4);
  expect(pending.links).toBe(0);
  pending.add(visitOf(1, 1));
  expect(pending.unwritten).toBe(1);
});
