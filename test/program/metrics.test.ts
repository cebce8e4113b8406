import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Metrics } from '../../src/app/service/metrics.ts';
import { SharedMetrics } from '../../src/app/workers/shared-metrics.ts';

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

test('name at most a thousand keys, and count the others together', async () => {
  const metrics = new Metrics();
  const request = { surface: 'v1', operation: 'GET /links', status: 200, seconds: 0 } as const;
  for (let round = 0; round < 2; round++)
    for (let keyId = 1; keyId <= 1_200; keyId++)
      metrics.request({ ...request, keyId, deprecated: ['Change.key'] });
  const text = await metrics.text();
  for (const name of ['v1_requests', 'deprecated_fields']) {
    const lines = [
      ...text.matchAll(new RegExp(`^linkspace_${name}_total\\{key="(\\w+)".*\\} (\\d+)$`, 'gm')),
    ];
    expect(lines).toHaveLength(1_001);
    expect(lines.slice(-2).map(([, key, count]) => [key, count])).toEqual([
      ['1000', '2'],
      ['other', '400'],
    ]);
  }
});

test('only counters have names that end with _total', async () => {
  const types = [...(await new Metrics().text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  expect(types.length).toBeGreaterThan(20);
  const wrong = types.filter(([, name, type]) => name?.endsWith('_total') !== (type === 'counter'));
  expect(wrong.map(([line]) => line)).toEqual([]);
});

/** The names of all metrics of the service, with their types. */
async function allMetrics(): Promise<Map<string, string>> {
  const metrics = new Metrics();
  metrics.watchDatabase(() => false);
  metrics.watchSideEffects(true);
  metrics.watchFailingWebhooks(
    async () => ({ failing: 0, since: null }),
    () => new Date(),
  );
  metrics.watchReadiness(async () => null);
  metrics.watchMails(async () => 0);
  metrics.watchBackups(
    async () => null,
    () => new Date(),
  );
  metrics.watchDisk(
    async () => 1,
    async () => 1,
  );
  metrics.watchClicks(
    () => 0,
    () => 0,
  );
  metrics.watchReplicas([]);
  metrics.watchSockets(() => 0);
  metrics.watchWebhooks(
    async () => ({ pending: 0, dueAt: null }),
    () => new Date(),
  );
  const text = `${await metrics.text()}${await new SharedMetrics(() => []).text()}`;
  return new Map(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]),
  );
}

const OWN = /\blinkspace_\w+/g;
const namesIn = (text: string, pattern: RegExp) => new Set([...text.matchAll(pattern)].map(([name]) => name));

test('the dashboard, the rules and the guide name metrics that there are', async () => {
  const types = await allMetrics();
  const samples = [...types].flatMap(([name, type]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
  );
  const folder = 'deploy/observability';
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const records = namesIn(files.join(), /(?<=record: )[\w:]+/g);
  expect(records.size).toBeGreaterThan(5);
  const named = namesIn(files.join(), /\b(linkspace|nodejs|process)[_:][\w:]+/g);
  const known = new Set([...records, ...samples]);
  expect([...named].filter((name) => !known.has(name))).toEqual([]);
  const [, table] = /\n## Metrics\n(.*?)\n### /s.exec(readFileSync('docs/operations.md', 'utf8')) ?? [];
  const own = [...types.keys()].filter((name) => name.startsWith('linkspace_'));
  expect(namesIn(table ?? '', OWN)).toEqual(new Set(own));
});

const hasPromtool = spawnSync('promtool', ['--version']).error === undefined;

test.skipIf(!hasPromtool)('Prometheus accepts the rules and queries, and alerts as it should', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/try-alerts.mjs'], {
    encoding: 'utf8',
  });
  expect(status, `${stdout}${stderr}`).toBe(0);
});
