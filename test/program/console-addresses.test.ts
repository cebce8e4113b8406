import { expect, test } from 'vitest';
import { texts } from '../../console/src/languages/en.ts';
import { settingsTexts } from '../../console/src/languages/en-settings.ts';
import { splitAddress } from '../../console/src/parts/address-parts.ts';
import { unicodeHost } from '../../console/src/parts/unicode-host.ts';
import { isolated, isolating } from '../../console/src/words/isolated.ts';

test.each([
  'bücher.example',
  'faß.example',
  'пример.испытание',
  '例え.テスト',
  'א.example',
  'p\u0430ypal.com',
  'ελληνικά.example:8080',
  '☃.net',
  'a\u0301\u0302.example',
  '𐌀.example',
])('%s is decoded from what browsers make of it', (host) => {
  const ascii = new URL(`http://${host}`).host;
  expect(ascii).toMatch(/xn--/);
  expect(unicodeHost(ascii)).toBe(host.normalize('NFC'));
});

test.each([
  'example.com',
  'xn--',
  'xn--a',
  'xn--99999999',
  'xn--example-.com',
  'xn--0.pt',
  'xn--bcher-KVA.example',
])('%s has no other form', (host) => {
  expect(unicodeHost(host)).toBeNull();
});

test.each<[string, string, string | null, string | null]>([
  ['https://www.example.com/', 'example.com', null, null],
  ['https://example.com/a?b#c', 'example.com/a?b#c', null, null],
  ['https://paypal.com@evil.example/x', 'evil.example/x', null, 'paypal.com'],
  ['https://paypal.com:secret@evil.example', 'evil.example', null, 'paypal.com'],
  ['https://a@b@evil.example/@c', 'evil.example/@c', null, 'a@b'],
  ['https://p\u0430ypal.com/ü', 'xn--pypal-4ve.com/ü', 'p\u0430ypal.com', null],
  ['HTTPS://BÜCHER.example', 'xn--bcher-kva.example', 'bücher.example', null],
  ['https://xn--4db.example/a', 'xn--4db.example/a', 'א.example', null],
  ['https://example.com/gr%C3%BCn?x=%c3%a4', 'example.com/grün?x=ä', null, null],
  ['https://example.com/a%2Fb%20c%E2%80%AEd%FF', 'example.com/a%2Fb%20c%E2%80%AEd%FF', null, null],
  ['not an address', 'not an address', null, null],
  ['https://', 'https://', null, null],
  ['', '', null, null],
])('%s is read as %s, with the letters %s and the user name %s', (address, place, unicode, user) => {
  expect(splitAddress(address)).toEqual({ place, unicode, user });
});

test('a text is isolated if it may change the order of what is around it', () => {
  expect(isolated('evil.example/x')).toBe('evil.example/x');
  expect(isolated('Müller, 山田')).toBe('Müller, 山田');
  for (const text of ['א', 'a \u0627', 'a\u202eb']) expect(isolated(text)).toBe(`\u2068${text}\u2069`);
  expect(isolated(isolated('א'))).toBe('\u2068א\u2069');
});

test('sentences isolate the names that they are given, and are otherwise as they are written', () => {
  const told = isolating(texts);
  expect(told.saved('א')).toBe('\u2068א\u2069 saved.');
  expect(told.saved('Spring')).toBe(texts.saved('Spring'));
  expect(told.links.copy).toBe(texts.links.copy);
  expect(told.saved).toBe(told.saved);
  const { people } = isolating(settingsTexts);
  expect(people.roleOf('שם')).toBe(settingsTexts.people.roleOf('\u2068שם\u2069'));
});
