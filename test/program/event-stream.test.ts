import { setImmediate } from 'node:timers/promises';
import { GraphQLError } from 'graphql';
import { createYoga } from 'graphql-yoga';
import { afterEach, expect, test, vi } from 'vitest';
import { sendEvents } from '../../src/engine/graphql/event-stream.ts';
import { OVER } from '../../src/engine/tools/event-source.ts';

afterEach(() => vi.useRealTimers());

const { fetchAPI } = createYoga({ logging: false });

test('a quiet stream has a comment every 12 seconds, and no timer after its client has left', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const waiting = Promise.withResolvers<IteratorResult<object>>();
  const quiet = {
    next: () => waiting.promise,
    return: async () => ({ done: true as const, value: undefined }),
    [Symbol.asyncIterator]: () => quiet,
  };
  const reader = sendEvents(quiet, fetchAPI).body?.getReader();
  const read = async () => Buffer.from((await reader?.read())?.value ?? []).toString();
  expect(await read()).toBe(':\n\n');
  for (let i = 0; i < 3; i++) {
    const comment = read();
    await setImmediate();
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(12_000);
    expect(await comment).toBe(':\n\n');
  }
  await reader?.cancel();
  waiting.resolve({ done: true, value: undefined });
  await setImmediate();
  expect(vi.getTimerCount()).toBe(0);
});

test.each([
  ['is over', OVER, 'event: complete\ndata:\n\n'],
  ['may begin again', undefined, ''],
])('a stream that %s', async (_what, end, last) => {
  async function* answers() {
    yield { data: { n: 1 } };
    const extensions = { code: 'UNAVAILABLE', http: { status: 503 } };
    yield { data: null, errors: [new GraphQLError('Not now.', { extensions })] };
    return end;
  }
  expect(await sendEvents(answers(), fetchAPI, async () => {}).text()).toBe(
    [
      ':\n\n',
      'event: next\ndata: {"data":{"n":1}}\n\n',
      'event: next\ndata: {"errors":[{"message":"Not now.","extensions":{"code":"UNAVAILABLE"}}],"data":null}\n\n',
      last,
    ].join(''),
  );
});

test('a stream that may begin again does not end together with its last event', async () => {
  async function* answers() {
    yield { data: { n: 1 } };
  }
  const begun = Promise.withResolvers<number>();
  const over = Promise.withResolvers<void>();
  const pause = (milliseconds: number) => {
    begun.resolve(milliseconds);
    return over.promise;
  };
  let hasEnded = false;
  const text = sendEvents(answers(), fetchAPI, pause)
    .text()
    .finally(() => {
      hasEnded = true;
    });
  expect(await begun.promise).toBeGreaterThan(0);
  await setImmediate();
  expect(hasEnded).toBe(false);
  over.resolve();
  expect(await text).toContain('"n":1');
});
