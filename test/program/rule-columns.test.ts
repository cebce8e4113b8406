import { expect, test, vi } from 'vitest';
import { ruleColumns, ruleErrors, testErrors } from '../../src/domain/rule/columns.ts';
import type { GivenRule, GivenTest } from '../../src/domain/rule/input.ts';

const url = 'https://example.com/';
const now = new Date('2026-11-30T12:00:00Z');

const makeInput = () => {
  const rules: GivenRule[] = [{ when: [{ country: { in: ['DE'] } }], to: [{ url, weight: 1 }] }];
  const ruleTests: GivenTest[] = [{ visitor: { country: 'DE' }, expect: { url } }];
  return { rules, ruleTests };
};

/** The number of JSON texts that the work makes and reads. */
function countTexts(work: () => unknown): number {
  const texts = [vi.spyOn(JSON, 'stringify'), vi.spyOn(JSON, 'parse')];
  work();
  const count = texts.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  vi.restoreAllMocks();
  return count;
}

test('the rules of an input are resolved and tested once for a link, however often a write asks', () => {
  const [input, stored] = [makeInput(), ruleColumns(makeInput(), null, now)];
  const columns = { rules: stored.rules ?? '', ruleTests: stored.ruleTests ?? '' };
  for (const before of [null, columns]) {
    const ask = () => {
      const errors = ruleErrors(input, before, now);
      const made = ruleColumns(input, before, now);
      const set = { rules: made.rules ?? '', ruleTests: made.ruleTests ?? '' };
      return [...errors, ...testErrors(input, { url, ...set }, before)];
    };
    expect(countTexts(() => expect(ask()).toEqual([]))).toBeGreaterThan(0);
    expect(countTexts(ask)).toBe(0);
  }
});

test('they are resolved anew for other stored rules, and tested anew for another URL', () => {
  const input = makeInput();
  expect(ruleColumns(input, null, now).rules).toContain('"next":3');
  const stored = { rules: '{"next":7,"rules":[]}', ruleTests: '[]' };
  expect(ruleColumns(input, stored, now).rules).toContain('"next":9');
  expect(ruleColumns(input, stored, new Date(0)).ruleTests).toContain('1970-01-01');
  const own = {
    rules: '{"next":1,"rules":[]}',
    ruleTests: '[{"visitor":{},"expect":{"url":"https://a.example/"}}]',
  };
  expect(testErrors(input, { url: 'https://a.example/', ...own })).toEqual([]);
  expect(testErrors(input, { url, ...own })).toHaveLength(1);
});
