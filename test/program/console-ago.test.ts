import { afterEach, describe, expect, test, vi } from 'vitest';
import { ago } from '../../console/src/words/format.ts';

describe('times in words in the console', () => {
  afterEach(() => void vi.useRealTimers());

  test.each([
    ['2026-09-30T11:59:30Z', 'just now'],
    ['2026-09-29T13:00:00Z', '23 hours ago'],
    ['2026-09-24T08:00:00Z', '6 days ago'],
    ['2025-09-01T12:00:00Z', 'last year'],
    ['2024-10-15T12:00:00Z', '2 years ago'],
    ['2026-10-07T11:59:59Z', 'in 7 days'],
  ])('%s is %s', (iso, words) => {
    vi.useFakeTimers({ now: Date.parse('2026-09-30T12:00:00Z'), toFake: ['Date'] });
    expect(ago(iso)).toBe(words);
  });
});
