import { expect, test, vi } from 'vitest';
import { readQuery } from '../../src/domain/rule/facts.ts';
import { nameIn, withQuery } from '../../src/engine/rules/url.ts';

test('the names and values of a query are decoded, and the first of equal names counts', () => {
  const value = readQuery('&a=1&&a=2&b+c=d%20e&%C3%BC=%zz&none&=x&f=g=h&%61=3');
  expect(['a', 'b c', 'ü', 'none', '', 'f', 'missing'].map(value)).toEqual([
    ...['1', 'd e', '%zz', '', 'x', 'g=h'],
    undefined,
  ]);
});

test.each([
  ['?a+b=1', '?a b', '1'],
  ['?a=1', '?a', '1'],
  ['?', '?', ''],
  ['?%61', '?a', ''],
])('a question mark that the query %s begins with belongs to the name', (query, name, expected) => {
  const value = readQuery(query);
  expect([nameIn(query), value(name), value(name.slice(1))]).toEqual([name, expected, undefined]);
});

test('a parameter with a question mark is not one without it, which the address has', () => {
  expect(withQuery('https://example.com/?a%20b=1', '?a+b=2')).toBe('https://example.com/?a%20b=1&?a+b=2');
});

test('a query is parsed once for all conditions, and not before one asks', () => {
  const parser = vi.spyOn(globalThis, 'URLSearchParams');
  const value = readQuery('+&'.repeat(7_500));
  expect(parser).not.toHaveBeenCalled();
  for (let name = 0; name < 200; name++) expect(value(`${name}`)).toBeUndefined();
  expect(parser).toHaveBeenCalledOnce();
  parser.mockRestore();
});
