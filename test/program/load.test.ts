import { afterEach, expect, test } from 'vitest';
import { LoadMeter } from '../../src/engine/http/limits/load-meter.ts';

let timer: NodeJS.Timeout | undefined;
afterEach(() => clearInterval(timer));

/** Keeps the thread busy almost permanently. */
function keepBusy(during: () => void): void {
  timer = setInterval(() => {
    during();
    for (const until = performance.now() + 10; performance.now() < until; );
  }, 1);
}

async function waited(load: LoadMeter): Promise<number> {
  const startedAt = performance.now();
  await load.waitUntilIdle();
  return performance.now() - startedAt;
}

/** A busy machine makes any process look busy. */
const PATIENT = { retry: 5 };

/** Long enough for the thread to count as busy. */
const aWhile = () => new Promise((resolve) => setTimeout(resolve, 150));

test('waits while requests keep the thread busy, but only for a limited time', PATIENT, async () => {
  const load = new LoadMeter();
  keepBusy(() => load.requestStarted());
  await aWhile();
  await load.waitUntilIdle();
  const time = await waited(load);
  expect(time).toBeGreaterThan(200);
  expect(time).toBeLessThan(5_000);
});

test('does not wait for other work that keeps the thread busy', PATIENT, async () => {
  const load = new LoadMeter();
  load.requestStarted();
  keepBusy(() => {});
  await aWhile();
  const times = [await waited(load), await waited(load), await waited(load)];
  expect(Math.min(...times)).toBeLessThan(20);
});

test('does not wait for requests that leave the thread idle time', PATIENT, async () => {
  const load = new LoadMeter();
  await aWhile();
  load.requestStarted();
  expect(await waited(load)).toBeLessThan(150);
});
