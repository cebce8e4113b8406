import { pino } from 'pino';
import { expect, test } from 'vitest';
import { RepeatedFault } from '../../src/shared/repeated-fault.ts';

test('logs a lasting fault once a minute with its count, and its end once', () => {
  const lines: { level: number; times: number; msg: string }[] = [];
  const fault = new RepeatedFault(
    pino({ base: null }, { write: (line) => lines.push(JSON.parse(line)) }),
    'it fails',
  );
  fault.ended();
  for (let second = 0; second <= 130; second++)
    fault.came(new Error('no'), () => ({ second }), second * 1_000);
  fault.ended();
  fault.ended();
  fault.came(new Error('no'), () => ({ second: 200 }), 200_000);
  expect(lines).toMatchObject([
    { level: 40, times: 1, second: 0, msg: 'it fails' },
    { level: 40, times: 61, second: 60 },
    { level: 40, times: 121, second: 120 },
    { level: 30, times: 131, msg: 'no longer: it fails' },
    { level: 40, times: 1, second: 200 },
  ]);
});
