import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { countryLookup } from '../../src/http/request/country.ts';
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

test.each([
  ['missing', () => join(folder, 'nowhere.mmdb')],
  ['broken', () => file('broken.mmdb', 'no database')],
])('a %s geolocation database stops the start with one line', async (_what, path) => {
  const GEOIP_DATABASE = path();
  const refusal = await refusalOf({ DATABASE_URL: `file:${join(folder, 'x.db')}`, GEOIP_DATABASE });
  const line = `GEOIP_DATABASE is "${GEOIP_DATABASE}"; it must be the path of a readable .mmdb file: `;
  expect([refusal?.startsWith(line), refusal?.split('\n').length]).toEqual([true, 1]);
});
