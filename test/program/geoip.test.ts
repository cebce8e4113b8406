import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { countryLookup } from '../../src/redirect/country.ts';
import { countryDatabase } from '../support/mmdb.ts';
import { Caller } from '../support/server.ts';
import { refusalOf, startService } from '../support/service.ts';
import { visit } from '../support/visit.ts';

const folder = mkdtempSync(join(tmpdir(), 'linkspace-geoip-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, content: Buffer | string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

test('takes the country from the proxy’s header, or else from the address', async () => {
  const key = 'the-first-key-of-an-empty-database';
  const service = await startService({
    DATABASE_URL: `file:${join(folder, 'data.db')}`,
    INITIAL_API_KEY: key,
    TRUST_PROXY: 'loopback',
    COUNTRY_HEADER: 'CF-IPCountry',
    GEOIP_DATABASE: file('country.mmdb', countryDatabase([203, 0, 113], 'DE')),
  });
  const { alias } = await new Caller(service.origin, key).link({
    target_type: 1,
    'country[0][key]': 'DE',
    'country[0][value]': 'https://example.com/de',
    'country[1][key]': 'US',
    'country[1][value]': 'https://example.com/us',
  });
  const from = async (headers: Record<string, string>) =>
    (await visit(service.origin, `/${alias}`, { headers })).location;
  expect(await from({ 'X-Forwarded-For': '203.0.113.7' })).toBe('https://example.com/de');
  expect(await from({ 'X-Forwarded-For': '198.51.100.7' })).toBe('https://example.com/');
  expect(await from({ 'X-Forwarded-For': '203.0.113.7', 'CF-IPCountry': 'US' })).toBe(
    'https://example.com/us',
  );
  expect(await from({ 'X-Forwarded-For': '203.0.113.7', 'CF-IPCountry': 'XX' })).toBe(
    'https://example.com/de',
  );
  expect(await from({})).toBe('https://example.com/');
  await service.end();
});

test('knows Kosovo by the proxy’s header and by the address', async () => {
  const countryOf = await countryLookup(
    'CF-IPCountry',
    file('xk.mmdb', countryDatabase([203, 0, 113], 'XK')),
  );
  expect([countryOf({}, '203.0.113.7'), countryOf({ 'cf-ipcountry': 'XK' }, '')]).toEqual(['XK', 'XK']);
});

/** Whose addresses they are is known; for the last five, the program's own database gives something else. */
const known = {
  '8.8.8.8': 'US',
  '17.253.144.10': 'US',
  '192.0.66.2': 'US',
  '142.103.1.1': 'CA',
  '132.248.10.2': 'MX',
  '200.160.2.3': 'BR',
  '200.40.30.245': 'UY',
  '212.58.244.20': 'GB',
  '193.99.144.80': 'DE',
  '145.97.39.155': 'NL',
  '212.27.48.10': 'FR',
  '151.1.1.1': 'IT',
  '80.58.61.250': 'ES',
  '130.59.31.80': 'CH',
  '194.71.11.165': 'SE',
  '158.38.0.1': 'NO',
  '193.166.4.1': 'FI',
  '212.77.98.9': 'PL',
  '202.12.27.33': 'JP',
  '168.126.63.1': 'KR',
  '168.95.1.1': 'TW',
  '139.130.4.5': 'AU',
  '164.100.129.75': 'IN',
  '146.141.12.1': 'ZA',
  '2001:4860:4860::8888': 'US',
  '194.109.6.66': 'NL',
  '193.171.255.2': 'AT',
  '130.225.0.1': 'DK',
  '77.88.55.55': 'RU',
  '114.114.114.114': 'CN',
};
const faults = {
  '194.109.6.66': null,
  '193.171.255.2': null,
  '130.225.0.1': null,
  '77.88.55.55': 'RS',
  '114.114.114.114': 'US',
};

test('knows 25 of 30 known addresses without a setting, and from when that is', async () => {
  const countryOf = await countryLookup();
  const found = Object.keys(known).map((address) => [address, countryOf({}, address)]);
  expect(Object.fromEntries(found)).toEqual({ ...known, ...faults });
  expect(countryOf.asOf).toBe('2026-06-17');
});

test.each([
  '',
  'unknown',
  '127.0.0.1',
  '10.0.0.1',
  '192.0.2.1',
  '::1',
  'fe80::1%eth0',
  '2001:db8::1',
  '8.8.8',
  '8.8.8.8.8',
])('has no country for the address %j', async (address) => {
  expect((await countryLookup())({}, address)).toBeNull();
});

test('reads IPv4 addresses in IPv6, and the header first', async () => {
  const countryOf = await countryLookup('CF-IPCountry');
  expect(countryOf({}, '::ffff:193.99.144.80')).toBe('DE');
  expect(countryOf({ 'cf-ipcountry': 'fr' }, '8.8.8.8')).toBe('FR');
  expect(countryOf({ 'cf-ipcountry': 'T1' }, '8.8.8.8')).toBe('US');
});

test('looks nothing up where that is off', async () => {
  const countryOf = await countryLookup('CF-IPCountry', 'off');
  expect([countryOf({}, '8.8.8.8'), countryOf({ 'cf-ipcountry': 'FR' }, ''), countryOf.asOf]).toEqual([
    null,
    'FR',
    null,
  ]);
});

test.each([
  ['country', 'DE'],
  ['country_code', 'DE'],
  ['broken', null],
] as const)('reads rows of the shape %s', async (shape, country) => {
  const countryOf = await countryLookup(
    undefined,
    file(`${shape}.mmdb`, countryDatabase([203, 0, 113], 'DE', shape)),
  );
  expect([countryOf({}, '203.0.113.7'), countryOf({}, '203.0.114.7')]).toEqual([country, null]);
});

test('on the first start, links with targets by country branch, and statistics count countries', async () => {
  const key = 'the-first-key-of-an-empty-database';
  const service = await startService({
    DATABASE_URL: `file:${join(folder, 'first.db')}`,
    INITIAL_API_KEY: key,
    TRUST_PROXY: 'loopback',
  });
  const caller = new Caller(service.origin, key);
  const { id, alias } = await caller.link({
    target_type: 1,
    'country[0][key]': 'DE',
    'country[0][value]': 'https://example.com/de',
  });
  const from = async (address: string) =>
    (await visit(service.origin, `/${alias}`, { headers: { 'X-Forwarded-For': address } })).location;
  expect(await from('193.99.144.80')).toBe('https://example.com/de');
  expect(await from('8.8.8.8')).toBe('https://example.com/');
  expect(await from('none')).toBe('https://example.com/');
  const counted = () =>
    caller.data(`{ link(id: ${id}) { statistics { top(by: COUNTRY) { rows { value clicks } } } } }`);
  await expect.poll(counted).toMatchObject({
    link: {
      statistics: {
        top: {
          rows: expect.arrayContaining([
            { value: 'DE', clicks: 1 },
            { value: 'US', clicks: 1 },
          ]),
        },
      },
    },
  });
  await service.end();
});

test.each([
  ['missing', () => join(folder, 'nowhere.mmdb')],
  ['broken', () => file('broken.mmdb', 'no database')],
])('a %s geolocation database stops the start with one line', async (_what, path) => {
  const GEOIP_DATABASE = path();
  const refusal = await refusalOf({ DATABASE_URL: `file:${join(folder, 'x.db')}`, GEOIP_DATABASE });
  const line = `GEOIP_DATABASE is "${GEOIP_DATABASE}"; it must be the path of a readable .mmdb file: `;
  expect([refusal?.startsWith(line), refusal?.split('\n').length]).toEqual([true, 1]);
});
