import { expect, test } from 'vitest';
import { KeptResults } from '../../src/engine/tools/kept-results.ts';

const gate = () => Promise.withResolvers<void>();

function setUp(maxBytes = 10) {
  const kept = new KeptResults<{ size: number }>(maxBytes, ({ size }) => size);
  const made: string[] = [];
  const ask = (
    name: string,
    { version = '1', size = 2, signal = new AbortController().signal, until = gate() },
  ) => ({
    until,
    result: kept.of({
      ...{ owner: 1, name, version, signal },
      make: async () => {
        made.push(`${name} ${version}`);
        await until.promise;
        return { size };
      },
    }),
  });
  return { kept, made, ask };
}

test('a result is made once for all who ask, one at a time', async () => {
  const { made, ask } = setUp();
  const first = ask('a', {});
  const others = [ask('a', {}), ask('b', {})];
  await Promise.resolve();
  expect(made).toEqual(['a 1']);
  first.until.resolve();
  for (const { until } of others) until.resolve();
  expect(await others[0]?.result).toBe(await first.result);
  await others[1]?.result;
  expect(made).toEqual(['a 1', 'b 1']);
});

test('nothing is made for those who have left while they waited', async () => {
  const { made, ask } = setUp();
  const first = ask('a', {});
  const leaving = new AbortController();
  const gone = expect(ask('b', { signal: leaving.signal }).result).rejects.toThrow('left');
  leaving.abort(new Error('left'));
  first.until.resolve();
  await first.result;
  await gone;
  expect(made).toEqual(['a 1']);
});

test('a new version replaces the last, and all are kept within their bytes', async () => {
  const { kept, ask } = setUp(10);
  const make = (name: string, version: string, size: number) => {
    const { until, result } = ask(name, { version, size });
    until.resolve();
    return result;
  };
  await make('a', '1', 4);
  await make('a', '2', 4);
  expect(kept.size).toBe(5);
  await make('b', '1', 4);
  await make('c', '1', 4);
  expect(kept.size).toBe(10);
  await make('d', '1', 40);
  expect(kept.size).toBe(10);
});
