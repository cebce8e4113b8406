import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Job, Jobs } from '../../src/engine/tools/jobs.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

const lines: { msg: string }[] = [];
const log = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) });
const job = (every: number, work: () => Promise<void>, stop?: () => void): Job => {
  return { name: 'a job', every, failure: 'the job failed', run: { work, ...(stop && { stop }) } };
};

test('runs each job at once and by its interval, and one that fails again', async () => {
  const [often, seldom] = [vi.fn(async () => {}), vi.fn(() => Promise.reject(new Error('no')))];
  const jobs = new Jobs([job(10, often), job(100, seldom)], log);
  jobs.start();
  for (let i = 0; i < 10; i++) await vi.advanceTimersByTimeAsync(10);
  expect([often.mock.calls.length, seldom.mock.calls.length]).toEqual([11, 2]);
  expect(lines.map(({ msg }) => msg)).toEqual(['the job failed', 'the job failed']);
  await jobs.stop();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(often).toHaveBeenCalledTimes(11);
});

test('begins no run during another one, and a stop ends and awaits it', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = vi.fn(() => promise);
  const jobs = new Jobs([job(10, work, resolve)], log);
  jobs.start();
  await vi.advanceTimersByTimeAsync(100);
  expect(work).toHaveBeenCalledTimes(1);
  await jobs.stop();
  await promise;
});
