import { expect, test } from 'vitest';
import { webAddress } from '../../src/domain/url.ts';

test('a URL with letters beyond ASCII is one however often it was asked', () => {
  const asked = Array.from(
    { length: 50_000 },
    () => webAddress.safeParse('https://bücher.example/ä').success,
  );
  expect(asked.filter((allowed) => !allowed)).toHaveLength(0);
});
