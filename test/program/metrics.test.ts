import { expect, test } from 'vitest';
import { Metrics } from '../../src/http/metrics.ts';

test('reports waiting deliveries and their lag at the same moment', async () => {
  const metrics = new Metrics();
  const now = new Date('2026-11-21T12:00:00Z');
  let backlog = { pending: 7, dueAt: new Date('2026-11-21T11:58:20Z') as Date | null };
  metrics.watchWebhooks(
    async () => backlog,
    () => now,
  );
  const numbers = async () => {
    const text = await metrics.text();
    return ['pending', 'lag_seconds'].map(
      (name) => new RegExp(`^linkspace_webhook_${name} (.*)$`, 'm').exec(text)?.[1],
    );
  };
  expect(await numbers()).toEqual(['7', '100']);
  backlog = { pending: 0, dueAt: null };
  expect(await numbers()).toEqual(['0', '0']);
});

test('only counters have names that end with _total', async () => {
  const types = [...(await new Metrics().text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  expect(types.length).toBeGreaterThan(20);
  const wrong = types.filter(([, name, type]) => name?.endsWith('_total') !== (type === 'counter'));
  expect(wrong.map(([line]) => line)).toEqual([]);
});
