import { expect, test } from 'vitest';
import { LoadMeter } from '../../src/engine/http/limits/load-meter.ts';

/** A meter of a thread that is busy for a part of its time, and whose clock moves while work waits. */
function meterOf(utilization: number, during: (load: LoadMeter) => void = () => {}) {
  let time = 1_000;
  const pauses: number[] = [];
  const load = new LoadMeter(
    { now: () => time, eventLoopUtilization: () => ({ idle: 0, active: 0, utilization }) },
    async (milliseconds) => {
      pauses.push(milliseconds);
      time += milliseconds;
      during(load);
    },
  );
  const pass = (milliseconds: number) => {
    time += milliseconds;
  };
  return { load, pass, pauses };
}

const sum = (numbers: number[]) => numbers.reduce((one, other) => one + other, 0);

test('waits while requests keep the thread busy, but only for a limited time', async () => {
  const { load, pass, pauses } = meterOf(0.9, (one) => one.requestStarted());
  pass(60);
  load.requestStarted();
  await load.waitUntilIdle();
  expect(sum(pauses)).toBe(260);
});

test('ends to wait soon after the last request', async () => {
  const { load, pass, pauses } = meterOf(0.9);
  pass(60);
  load.requestStarted();
  await load.waitUntilIdle();
  expect(sum(pauses)).toBe(120);
});

test('does not wait for other work that keeps the thread busy', async () => {
  const { load, pass, pauses } = meterOf(0.9);
  load.requestStarted();
  pass(150);
  await load.waitUntilIdle();
  expect(pauses).toEqual([]);
});

test('does not wait for requests that leave the thread idle time', async () => {
  const { load, pass, pauses } = meterOf(0.1);
  pass(60);
  load.requestStarted();
  await load.waitUntilIdle();
  expect(pauses).toEqual([]);
});

test('measures the thread of this process', async () => {
  const load = new LoadMeter();
  load.requestStarted();
  await expect(load.waitUntilIdle()).resolves.toBeUndefined();
});
