import { expect, test } from 'vitest';
import { trimBlanks } from '../../src/engine/tools/blanks.ts';
import { nameFor } from '../../src/engine/tools/name-for.ts';

test('a name begins with its kind', () => {
  for (const kind of ['key', 'session', 'mail', 'guess'] as const)
    for (const parts of [[], ['a'], ['session', 1]])
      expect(nameFor(kind, ...parts)).toMatch(RegExp(`^${kind}( |$)`));
});

test('no two kinds or lists of parts have the same name', () => {
  const texts = ['', ' ', 'a', 'a b', 'b', '1:a', ' 1:a', '1:a 1:b', 'mail', '\n', '1', 'a\u0000'];
  const lists = [
    [],
    ...texts.map((one) => [one]),
    ...texts.flatMap((one) => texts.map((other) => [one, other])),
  ];
  const names = (['mail', 'guess'] as const).flatMap((kind) => lists.map((parts) => nameFor(kind, ...parts)));
  expect(new Set(names).size).toBe(2 * lists.length);
});

test('only spaces and tabs are trimmed from values of headers', () => {
  const others = '\u00a0\u0085\u000b\u000c\r\n\u2028\ufeff\u3000';
  expect(trimBlanks(` \t ${others} \t`)).toBe(others);
  for (const text of ['', ' ', '\t \t']) expect(trimBlanks(text)).toBe('');
});
