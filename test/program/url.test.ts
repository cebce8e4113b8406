import { expect, test } from 'vitest';
import { normalizeHost, webAddress } from '../../src/domain/url.ts';

test('parses URLs with letters beyond ASCII correctly after many calls', () => {
  const asked = Array.from(
    { length: 50_000 },
    () => webAddress.safeParse('https://bücher.example/ä').success,
  );
  expect(asked.filter((allowed) => !allowed)).toHaveLength(0);
});

test('parses hosts with letters beyond ASCII correctly after many calls', () => {
  const asked = Array.from({ length: 50_000 }, () => normalizeHost('bücher.example'));
  expect(new Set(asked)).toEqual(new Set(['xn--bcher-kva.example']));
});
