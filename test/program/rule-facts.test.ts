import { expect, test, vi } from 'vitest';
import { readQuery, VisitFacts } from '../../src/domain/rule/facts.ts';
import { meets } from '../../src/domain/rule/match.ts';
import type { Condition } from '../../src/domain/rule/parsed.ts';
import { MAX_TEST_STEPS, runTests } from '../../src/domain/rule/tests.ts';
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

test('the domains of a referrer are read once for all conditions, and the shorter list is looked up', () => {
  const host = `${'a.'.repeat(126)}a`;
  const visitor = {
    ...{ country: null, userAgent: '', platformHint: null, acceptLanguage: '', query: '' },
    ...{ optedOut: false, passwordGiven: false, counts: true, referrerHost: host },
  };
  const slice = vi.spyOn(String.prototype, 'slice');
  const facts = new VisitFacts(visitor, [], 0);
  const found = [...Array(200).keys()].map((place) =>
    meets({ kind: 'referrer', test: 'in', values: new Set([`${place}.example`, 'b.a']) }, facts),
  );
  expect(slice.mock.calls.length).toBeLessThanOrEqual(127);
  slice.mockRestore();
  expect(new Set(found)).toEqual(new Set([false]));
  for (const domain of [host, 'a.a', 'a'])
    expect(meets({ kind: 'referrer', test: 'in', values: new Set([domain, 'b.a']) }, facts)).toBe(true);
});

const longHosts = Array.from({ length: 20 }, (_, index) => `${'a.'.repeat(110)}${index}`);
test.each<[string, readonly string[], readonly string[]]>([
  ['long hosts by a short list', ['x.example'], longHosts],
  ['short hosts by a long list', longHosts, ['x.example', 'y.example']],
])('tests look up %s', (_what, values, hosts) => {
  const one: Condition = { kind: 'referrer', test: 'notIn', values: new Set(values) };
  const past: Condition = { kind: 'time', from: -Infinity, until: 0 };
  const rules = Array.from({ length: 20 }, (_, index) => ({
    ...{ id: index + 1, name: `${index}`, to: [] },
    when: [...Array(9).fill(one), past],
  }));
  const tests = hosts.map((host) => ({
    visitor: { referrer: host.replace('x.', 'z.'), at: '2026-11-30T12:00:00Z' },
    expect: { noRule: true },
  }));
  const parsed = { rules, languages: [], hasSplits: false, bytes: 0 };
  expect(runTests(parsed, '', tests, MAX_TEST_STEPS)).toEqual({ failed: [], reached: hosts.length });
});
