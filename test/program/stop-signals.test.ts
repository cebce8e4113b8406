import { pino } from 'pino';
import { expect, test } from 'vitest';
import { Stopping } from '../../src/engine/tools/stop-signals.ts';

/** Stops at given times, in milliseconds, and returns what happened at which time. */
function stopAt(drainSeconds: number, signals: readonly [at: number, drains?: boolean][]): string[] {
  let now = 1_000;
  const timers = new Map<object, { at: number; work(): void }>();
  const events: string[] = [];
  const note = (event: string) => void events.push(`${now - 1_000} ${event}`);
  const options = {
    log: pino({ level: 'silent' }),
    drainSeconds,
    drain: () => note('drain'),
    end: async () => note('end'),
  };
  const stopping = new Stopping(options, {
    now: () => now,
    after(milliseconds, work) {
      const timer = {};
      timers.set(timer, { at: now + milliseconds, work });
      return () => void timers.delete(timer);
    },
    kill: () => note('kill'),
  });
  for (const [at, drains] of signals)
    timers.set({}, { at: 1_000 + at, work: () => stopping.signal('SIGTERM', drains) });
  while (timers.size > 0) {
    const [[timer, next] = [undefined, undefined]] = [...timers].toSorted(([, a], [, b]) => a.at - b.at);
    if (timer === undefined || next === undefined) break;
    timers.delete(timer);
    now = next.at;
    next.work();
  }
  return events;
}

test.each<[name: string, seconds: number, signals: [number, boolean?][], events: string[]]>([
  ['no draining', 0, [[0]], ['0 end', '15000 kill']],
  ['draining', 5, [[0]], ['0 drain', '5000 end', '20000 kill']],
  ['the longest draining', 20, [[0]], ['0 drain', '20000 end', '35000 kill']],
  ['the same signal twice', 5, [[0], [1], [1_999]], ['0 drain', '5000 end', '20000 kill']],
  ['a second signal after two seconds', 20, [[0], [2_000]], ['0 drain', '2000 end', '35000 kill']],
  ['a second signal after three', 20, [[0], [1], [3_000], [6_000]], ['0 drain', '3000 end', '35000 kill']],
  ['a signal after the draining', 5, [[0], [6_000]], ['0 drain', '5000 end', '20000 kill']],
  ['a stop without draining', 5, [[0, false], [3_000]], ['0 end', '15000 kill']],
  ['a stop while it drains', 5, [[0], [500, false]], ['0 drain', '500 end', '20000 kill']],
])('%s', (_name, seconds, signals, events) => {
  expect(stopAt(seconds, signals)).toEqual(events);
});
