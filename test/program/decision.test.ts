import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  decideRedirect,
  explainDecision,
  redirectRules,
  type VisitedLink,
} from '../../src/domain/visit/decide-redirect.ts';
import type { Visitor } from '../../src/domain/visit/visitor.ts';
import { NOON } from '../support/server.ts';
import { BROWSER, VISITOR } from '../support/visit.ts';

const url = 'https://example.com/';
const plain: VisitedLink = {
  alias: 'abc',
  url,
  password: null,
  disabled: false,
  forwardsQuery: true,
  expirationUrl: null,
  expiresAt: null,
  expirationClicks: null,
  targetType: 'NONE',
  countries: '[]',
  platforms: '[]',
  languages: '[]',
  rotation: '[]',
  clicks: 0,
  position: 0,
  pixels: [],
};
const person: Visitor = { ...VISITOR, userAgent: BROWSER };
const circumstances = { blocked: false, hosts: ['go.example', 's.example'] };
const bot: Partial<Visitor> = { userAgent: 'Googlebot/2.1', counts: false };
const before = new Date(NOON.getTime() - 1);
const after = new Date(NOON.getTime() + 1);
const to = (name: string) => `https://example.com/${name}`;
const targets = (type: string, list: object): Partial<VisitedLink> => ({
  targetType: type,
  [{ COUNTRY: 'countries', PLATFORM: 'platforms', LANGUAGE: 'languages' }[type] ?? 'rotation']:
    JSON.stringify(list),
});
const german = targets('COUNTRY', [{ country: 'DE', url: to('de') }]);
const android = targets('PLATFORM', [{ platform: 'ANDROID', url: to('android') }]);
const french = targets('LANGUAGE', [{ language: 'fr', url: to('fr') }]);
const rotation = targets('ROTATION', [to('1'), to('2')]);

test.each<[string, Partial<VisitedLink>, Partial<Visitor>, string, string | null]>([
  ['a link', {}, {}, 'REDIRECT', url],
  ['a link, with a query', {}, { query: 'a=1' }, 'REDIRECT', `${url}?a=1`],
  ['a link that keeps its own query', { forwardsQuery: false }, { query: 'a=1' }, 'REDIRECT', url],
  ['a disabled link', { disabled: true }, {}, 'DISABLED', null],
  ['a disabled link that has ended', { disabled: true, expiresAt: before }, {}, 'DISABLED', null],
  ['a link that ended', { expiresAt: before }, {}, 'EXPIRED', null],
  ['a link that ends now', { expiresAt: NOON }, {}, 'EXPIRED', null],
  ['a link that ends later', { expiresAt: after }, {}, 'REDIRECT', url],
  [
    'an ended link that leads on',
    { expiresAt: before, expirationUrl: to('over') },
    {},
    'EXPIRED',
    to('over'),
  ],
  ['an ended link, with a query', { expiresAt: before, expirationUrl: url }, { query: 'a' }, 'EXPIRED', url],
  ['the last click', { expirationClicks: 2, clicks: 1 }, {}, 'REDIRECT', url],
  ['one click more', { expirationClicks: 2, clicks: 2 }, {}, 'EXPIRED', null],
  ['a bot at a limit', { expirationClicks: 2, clicks: 1 }, bot, 'PREVIEW', null],
  ['a bot after it', { expirationClicks: 2, clicks: 2 }, bot, 'EXPIRED', null],
  ['a bot without a limit', {}, bot, 'REDIRECT', url],
  ['a password', { password: 'hash' }, {}, 'PASSWORD', null],
  ['a password, of an ended link', { password: 'hash', expiresAt: before }, {}, 'EXPIRED', null],
  ['a password that was given', { password: 'hash' }, { passwordGiven: true }, 'REDIRECT', url],
  ['a pixel', { pixels: [{}] }, {}, 'PIXELS', url],
  ['a pixel, for a bot', { pixels: [{}] }, bot, 'REDIRECT', url],
  ['a pixel, for a prefetch', { pixels: [{}] }, { counts: false }, 'PIXELS', url],
  ['a pixel, for who declines', { pixels: [{}] }, { optedOut: true }, 'REDIRECT', url],
  ['a pixel behind a password', { pixels: [{}], password: 'x' }, { passwordGiven: true }, 'REDIRECT', url],
  ['a country', german, { country: 'DE' }, 'REDIRECT', to('de')],
  ['a country, with a query', german, { country: 'DE', query: 'a=1' }, 'REDIRECT', `${to('de')}?a=1`],
  ['another country', german, { country: 'FR' }, 'REDIRECT', url],
  ['no country', german, {}, 'REDIRECT', url],
  [
    'a country in a list that is not used',
    { ...german, targetType: 'NONE' },
    { country: 'DE' },
    'REDIRECT',
    url,
  ],
  ['a platform by its hint', android, { platformHint: 'Android' }, 'REDIRECT', to('android')],
  ['another platform', android, {}, 'REDIRECT', url],
  ['a language', french, { acceptLanguage: 'de, fr;q=0.5' }, 'REDIRECT', to('fr')],
  ['a refused language', french, { acceptLanguage: 'fr;q=0' }, 'REDIRECT', url],
  ['the first turn', rotation, {}, 'REDIRECT', to('1')],
  ['the second turn', { ...rotation, position: 1 }, {}, 'REDIRECT', to('2')],
  ['the third turn', { ...rotation, position: 2 }, {}, 'REDIRECT', to('1')],
  ['a rotation of nothing', targets('ROTATION', []), {}, 'REDIRECT', url],
  ['a link to itself', { url: 'https://go.example/abc' }, {}, 'LOOP', null],
  ['a link to itself with a pixel', { url: 'https://go.example/abc', pixels: [{}] }, {}, 'LOOP', null],
  [
    'a link to itself with a password',
    { url: 'https://go.example/abc', password: 'x' },
    {},
    'PASSWORD',
    null,
  ],
  [
    'an expired link to itself',
    { expiresAt: before, expirationUrl: 'https://go.example/abc' },
    {},
    'EXPIRED',
    null,
  ],
  [
    'a target that is the link itself',
    targets('LANGUAGE', [{ language: 'fr', url: 'https://go.example/abc' }]),
    { acceptLanguage: 'fr' },
    'LOOP',
    null,
  ],
  [
    'another target',
    targets('LANGUAGE', [{ language: 'fr', url: 'https://go.example/abc' }]),
    { acceptLanguage: 'de' },
    'REDIRECT',
    url,
  ],
  [
    'a rotation through the link itself',
    { ...targets('ROTATION', ['https://go.example/abc', to('1'), to('2')]), position: 1 },
    {},
    'REDIRECT',
    to('2'),
  ],
  ['a rotation to the link itself', targets('ROTATION', ['https://go.example/abc']), {}, 'LOOP', null],
])('%s', (_name, link, visitor, outcome, destination) => {
  const decision = decideRedirect({ ...plain, ...link }, { ...person, ...visitor }, NOON, circumstances);
  expect(decision).toMatchObject({ outcome, destination });
});

const anyLink = fc.record({
  password: fc.option(fc.constant('hash')),
  disabled: fc.boolean(),
  expiresAt: fc.option(fc.constantFrom(before, NOON, after)),
  expirationUrl: fc.option(fc.constant(to('over'))),
  expirationClicks: fc.option(fc.integer({ min: 1, max: 3 })),
  clicks: fc.nat(3),
  position: fc.nat(5),
  pixels: fc.array(fc.constant({}), { maxLength: 2 }),
  targets: fc.constantFrom({}, german, android, french, rotation),
});
const anyVisitor = fc.record({
  country: fc.option(fc.constantFrom('DE', 'FR')),
  userAgent: fc.constantFrom(BROWSER, 'Googlebot/2.1', ''),
  acceptLanguage: fc.constantFrom('', 'fr', '*'),
  optedOut: fc.boolean(),
  passwordGiven: fc.boolean(),
  counts: fc.boolean(),
  query: fc.constantFrom('', 'a=1'),
});

test('each decision lists all rules in order, and the last rule reached decides', () => {
  fc.assert(
    fc.property(anyLink, anyVisitor, ({ targets, ...link }, visitor) => {
      const asked = [
        { ...plain, ...link, ...targets },
        { ...person, ...visitor },
        NOON,
        circumstances,
      ] as const;
      const { steps, ...decision } = explainDecision(...asked);
      const { outcome, destination } = decision;
      expect(decision).toEqual(decideRedirect(...asked));
      expect(steps.map(({ rule }) => rule)).toEqual(Object.keys(redirectRules));
      const reached = steps.filter(({ why }) => why !== 'Not reached.');
      const deciding = {
        DISABLED: 'DISABLED',
        EXPIRED: 'EXPIRED',
        PASSWORD: 'PASSWORD',
        PREVIEW: 'CLICK_LIMIT',
      };
      expect(reached.at(-1)?.rule).toBe(deciding[outcome as keyof typeof deciding] ?? 'PIXELS');
      const isPage = ['DISABLED', 'PASSWORD', 'PREVIEW'].includes(outcome);
      expect(destination === null).toBe(isPage || (outcome === 'EXPIRED' && link.expirationUrl === null));
    }),
  );
});

test('a protected link does not reveal its destination without the password', () => {
  fc.assert(
    fc.property(anyLink, anyVisitor, ({ targets, ...link }, visitor) => {
      const locked = { ...plain, ...link, ...targets, password: 'hash', expirationUrl: null };
      const { destination } = decideRedirect(
        locked,
        { ...person, ...visitor, passwordGiven: false },
        NOON,
        circumstances,
      );
      expect(destination).toBeNull();
    }),
  );
});

// The requested host, the destination of the link `abc`, and whether that is the link itself.
test.each<[string, string, boolean]>([
  ['go.example', 'https://go.example/abc', true],
  ['go.example', 'http://go.example/abc?a=1#b', true],
  ['go.example', 'https://user@GO.example./%61bc/', true],
  ['go.example', 'https://go.example/abc.', true],
  ['go.example', 'https://go.example/abc👍', true],
  ['go.example', 'https://go.example/abc.html', true],
  ['go.example', 'https://go.example//abc', true],
  ['GO.EXAMPLE.', 'https://go.example/abc', true],
  ['go.example:443', 'https://go.example/abc', true],
  ['go.example:80', 'http://go.example/abc', true],
  ['go.example', 'https://go.example:443/abc', true],
  ['go.example:8443', 'https://go.example:8443/abc', true],
  ['127.0.0.1:3000', 'http://127.1:3000/abc', true],
  ['[::1]:3000', 'http://[0:0::1]:3000/abc', true],
  ['xn--bcher-kva.example', 'https://bücher.example/abc', true],
  ['bücher.example', 'https://XN--BCHER-KVA.example/abc', true],
  ['go.example:3000', 'https://s.example/abc', true],
  ['go.example', 'https://www.go.example/abc', false],
  ['www.go.example', 'https://go.example/abc', false],
  ['go.example', 'https://go.example/ABC', false],
  ['go.example', 'https://go.example/abcd', false],
  ['go.example', 'https://go.example/abc/d', false],
  ['go.example', 'https://go.example/abc+', false],
  ['go.example', 'https://go.example/?abc', false],
  ['go.example', 'https://go.example:8443/abc', false],
  ['go.example:8443', 'https://go.example/abc', false],
  ['', 'https://go.example/abc', false],
  ['no host', 'https://go.example/abc', false],
])('requested at "%s", %s is the link itself: %s', (host, address, isLoop) => {
  const hosts = [host, 's.example'];
  const { outcome } = decideRedirect({ ...plain, url: address }, person, NOON, { blocked: false, hosts });
  expect(outcome).toBe(isLoop ? 'LOOP' : 'REDIRECT');
});
