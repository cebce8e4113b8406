import { expect, test } from 'vitest';
import { splitImport } from '../../packages/cli/src/split.ts';

test.each([
  ['a page of the API', (data: object[]) => ({ data, pagination: {} })],
  ['a list', (data: object[]) => data],
])('each part of a long file of Shlink has the rules of its short URLs: %s', (_what, wrap) => {
  const shortUrls = Array.from({ length: 501 }, (_, index) => ({ shortCode: `a${index}`, domain: null }));
  const rules = [{ longUrl: 'https://a.example/', priority: 1, conditions: [] }];
  const redirectRules = [
    { shortCode: 'a0', domain: 'go.example', redirectRules: [] },
    { shortCode: 'a500', domain: null, redirectRules: rules },
  ];
  const parts = splitImport(JSON.stringify({ shortUrls: wrap(shortUrls), redirectRules }), false);
  expect(parts.map(({ records }) => records)).toEqual([500, 1]);
  const [first, second] = parts.map(({ text }) => JSON.parse(text).data);
  expect(first).toEqual(shortUrls.slice(0, 500));
  expect(second).toEqual([{ ...shortUrls[500], redirectRules: rules }]);
});
