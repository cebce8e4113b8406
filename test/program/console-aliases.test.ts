import { describe, expect, test } from 'vitest';
import { toAlias } from '../../console/src/data/alias.ts';
import { changedInput, emptyFields, newAliases, newLinkInput } from '../../console/src/data/link-fields.ts';
import { registeredName, splitAddress, tileOf } from '../../console/src/parts/address-parts.ts';

describe('an alias typed in the console', () => {
  test.each([
    ['Spring Sale', 'spring-sale'],
    ['Grün Weiß', 'grün-weiß'],
    ['Spring Sale/Day One', 'spring-sale/day-one'],
    [' Spring  Sale / Day\tOne ', 'spring-sale/day-one'],
    ['2 for 1 - today', '2-for-1-today'],
    ['東京　タワー', '東京-タワー'],
    // Without white space, it stays as it is.
    ['SpringSale', 'SpringSale'],
    ['Spring_Sale-2', 'Spring_Sale-2'],
    [' Spring\u200b ', 'Spring'],
    ['', ''],
    ['  ', ''],
  ])('%j is sent as %j', (typed, alias) => {
    expect(toAlias(typed)).toBe(alias);
    expect(toAlias(alias)).toBe(alias);
  });

  test('is the same in every input', () => {
    const fields = { ...emptyFields, url: 'https://example.com/', alias: 'Spring Sale' };
    expect(newLinkInput(fields)).toEqual({ url: 'https://example.com/', alias: 'spring-sale' });
    expect(changedInput(fields, { ...fields, alias: 'old' })).toEqual({ alias: 'spring-sale' });
    expect(newAliases({ ...fields, sources: ['Mail'] })).toEqual(['spring-sale-mail']);
  });
});

describe('the tile of a destination', () => {
  test.each([
    ['example.com', 'example'],
    ['www.example.com', 'example'],
    ['shop.example.co.uk', 'example'],
    ['co.uk', 'co'],
    ['t.co', 't'],
    ['example.com:8443', 'example'],
    ['localhost', 'localhost'],
    ['192.0.2.1', '192.0.2.1'],
    ['[::1]:80', '[::1]:80'],
  ])('of %s is of the name %s', (host, name) => {
    expect(registeredName(host)).toBe(name);
  });

  test('has the letter that people read, and one colour for a name', () => {
    expect(tileOf('https://shop.example.com/a').letter).toBe('E');
    expect(tileOf('https://xn--bcher-kva.example/').letter).toBe('B');
    expect(tileOf('https://xn--zckzah.com/').letter).toBe(
      splitAddress('https://xn--zckzah.com/').unicode?.[0],
    );
    expect(tileOf('https://shop.example.com/a').color).toBe(tileOf('https://www.example.com/b').color);
    expect(tileOf('https://[::1]/').letter).toBe(':');
    expect(tileOf('').letter).toBe('');
    const colors = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((one) => tileOf(`https://${one}.com/`).color);
    expect(Math.min(...colors)).toBeGreaterThanOrEqual(1);
    expect(Math.max(...colors)).toBeLessThanOrEqual(6);
    expect(new Set(colors).size).toBeGreaterThan(2);
  });
});
