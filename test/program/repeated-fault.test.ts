import { pino } from 'pino';
import { expect, test } from 'vitest';
import { RepeatedFault } from '../../src/engine/tools/repeated-fault.ts';

function faultLoggedTo(lines: { level: number; times: number; msg: string }[], endsAfter?: number) {
  const log = pino({ base: null }, { write: (line) => lines.push(JSON.parse(line)) });
  return new RepeatedFault(log, 'it fails', endsAfter);
}

test('logs a lasting fault once a minute with its count, and its end once', () => {
  const lines: { level: number; times: number; msg: string }[] = [];
  const fault = faultLoggedTo(lines);
  fault.ended();
  for (let second = 0; second <= 130; second++)
    fault.occurred(new Error('no'), () => ({ second }), second * 1_000);
  fault.ended();
  fault.ended();
  fault.occurred(new Error('no'), () => ({ second: 200 }), 200_000);
  expect(lines).toMatchObject([
    { level: 40, times: 1, second: 0, msg: 'it fails' },
    { level: 40, times: 61, second: 60 },
    { level: 40, times: 121, second: 120 },
    { level: 30, times: 131, msg: 'no longer: it fails' },
    { level: 40, times: 1, second: 200 },
  ]);
});

test('a fault without a later success counts as over after some time without it', async () => {
  const lines: { level: number; times: number; msg: string }[] = [];
  const fault = faultLoggedTo(lines, 20);
  fault.occurred(new Error('no'), undefined, 0);
  fault.occurred(new Error('no'), undefined, 1);
  await expect.poll(() => lines).toHaveLength(2);
  fault.occurred(new Error('no'), undefined, 2);
  expect(lines).toMatchObject([
    { level: 40, times: 1 },
    { level: 30, times: 2, msg: 'no longer: it fails' },
    { level: 40, times: 1 },
  ]);
});
