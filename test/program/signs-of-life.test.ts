import { expect, test } from 'vitest';
import { SignsOfLife } from '../../src/app/workers/signs-of-life.ts';

/** Signs of two workers, with a clock that is moved by hand. */
function twoWorkers() {
  let time = 0;
  const signs = new SignsOfLife<string>({ silence: 15_000, start: 45_000, interval: 1_000 }, () => time);
  for (const worker of ['one', 'two']) signs.sign(worker, true);
  /** Looks after that many milliseconds. */
  const lookAfter = (milliseconds: number) => {
    time += milliseconds;
    return signs.look();
  };
  return { signs, lookAfter };
}

test('a worker without a sign of life for 15 seconds is found, and others are not', () => {
  const { signs, lookAfter } = twoWorkers();
  for (let second = 1; second < 15; second++) {
    signs.sign('one', true);
    expect(lookAfter(1_000)).toEqual([]);
  }
  expect(lookAfter(1_000)).toEqual(['two']);
  signs.ended('two');
  expect(lookAfter(1_000)).toEqual([]);
});

test('time in which the primary stood still does not count', () => {
  const { signs, lookAfter } = twoWorkers();
  for (let hour = 0; hour < 14; hour++) expect(lookAfter(3_600_000)).toEqual([]);
  // What has waited for the primary arrives after its look.
  signs.sign('one', true);
  expect(lookAfter(999)).toEqual([]);
  expect(lookAfter(1)).toEqual(['two']);
});

test('a worker that starts may be silent for a minute', () => {
  const { signs, lookAfter } = twoWorkers();
  signs.sign('two', false);
  for (let second = 1; second < 60; second++) {
    signs.sign('one', true);
    expect(lookAfter(1_000)).toEqual([]);
  }
  expect(lookAfter(1_000)).toEqual(['two']);
});
