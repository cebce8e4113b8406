import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withScheme } from '../../console/src/words/format.ts';
import { absoluteUrl } from '../../src/app/config.ts';
import { aliasInput } from '../../src/domain/link/alias.ts';
import { refusal } from '../../src/domain/rules.ts';
import { isOnHost, nameIn, normalizeHost, webAddress, withQuery } from '../../src/engine/rules/url.ts';

test('parses URLs with letters beyond ASCII correctly after many calls', () => {
  const asked = Array.from(
    { length: 50_000 },
    () => webAddress.safeParse('https://bücher.example/ä').success,
  );
  expect(asked.filter((allowed) => !allowed)).toHaveLength(0);
});

test('parses hosts with letters beyond ASCII correctly after many calls', () => {
  const asked = Array.from({ length: 50_000 }, () => normalizeHost('bücher.example'));
  expect(new Set(asked)).toEqual(new Set(['xn--bcher-kva.example']));
});

const INVISIBLE =
  '\u200B\u200C\u200D\u200E\u200F\u2060\uFEFF\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069';

test('drops the invisible characters around a pasted address and alias, mixed with spaces', () => {
  const address = 'https://example.com/a';
  for (const around of [...INVISIBLE, ` ${INVISIBLE}\t\u00A0\n`, ` \u200B `]) {
    expect(webAddress.parse(around + address + around)).toBe(address);
    expect(absoluteUrl.parse(around + address + around)).toBe(address);
    expect(aliasInput.parse(`${around}abc${around}`)).toBe('abc');
    expect(withScheme(`${around}www.example.com/a${around}`)).toBe('https://www.example.com/a');
  }
  expect(webAddress.safeParse(INVISIBLE).error?.issues[0]?.message).toBe(refusal('BLANK').why.message);
});

test('keeps invisible characters inside an address', () => {
  const address = 'https://example.com/\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645';
  expect(webAddress.parse(address)).toBe(address);
});

test('drops a long run of invisible characters in little time', () => {
  const begin = process.cpuUsage().user;
  const text = `${'\u200B'.repeat(200_000)}x${'\u200B'.repeat(200_000)}y`;
  expect(webAddress.safeParse(`${text}\u200B`).success).toBe(false);
  expect(process.cpuUsage().user - begin).toBeLessThan(1_000_000);
});

test.each([
  ['https://s.example', 's.example', true],
  ['https://s.example', 'S.Example.', true],
  ['https://s.example', 's.example:443', true],
  // A proxy ends https, and names its own port.
  ['https://s.example', 's.example:80', true],
  ['http://s.example', 's.example:80', true],
  ['https://s.example:80', 's.example:80', true],
  ['http://s.example:443', 's.example:443', true],
  ['https://s.example', 's.example:8080', false],
  ['https://s.example:8080', 's.example', false],
  ['https://s.example', '', false],
])('whether %s has the host %s: %s', (address, asked, expected) => {
  expect(isOnHost(address, asked)).toBe(expected);
});

/** The query as the setter of a URL adds it. */
function bySetter(address: string, query: string): string {
  const url = new URL(address);
  const known = new Set(url.searchParams.keys());
  const added = query.split('&').filter((pair) => pair !== '' && !known.has(nameIn(pair)));
  if (added.length === 0) return url.href;
  url.search += (url.search === '' || url.search.endsWith('&') ? '' : '&') + added.join('&');
  return url.href;
}

test('adds a query to an address as the parser of URLs writes it', () => {
  const part = fc.string({
    unit: fc.constantFrom(...'ab&=?%#\'"<> ü\t\n\u{1F600}+[]`{|}~\u007F'),
    maxLength: 12,
  });
  const sent = part.map((text) => text.replaceAll('#', ''));
  fc.assert(
    fc.property(part, sent, (rest, query) => {
      for (const address of [
        `https://Example.com/${rest}`,
        `https://example.com?${rest}`,
        'https://example.com/#f',
        `https://example.com/?#${rest}`,
      ])
        expect(withQuery(address, query)).toBe(bySetter(address, query));
    }),
    { numRuns: 2_000 },
  );
});
