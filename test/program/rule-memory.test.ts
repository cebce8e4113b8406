import v8 from 'node:v8';
import vm from 'node:vm';
import { expect, test } from 'vitest';
import { MAX_RULES_BYTES } from '../../src/domain/rule/limits.ts';
import { parseRules, readStoredRules } from '../../src/domain/rule/parse.ts';
import type { StoredCondition } from '../../src/domain/rule/stored.ts';

const LINKS = 100;
const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);

/** The column of a link with as many copies of a condition as it may have, or as many targets, within 64 kB. */
function columnOf(condition: (place: number) => StoredCondition, url: string, targets: number, link: number) {
  const rules = numbers(20).map((rule) => ({
    ...{ id: rule + 1, name: `Rule ${link} ${rule}` },
    when: numbers(10).map((place) => condition(1_000 * link + 10 * rule + place)),
    to: numbers(targets).map((id) => ({
      id,
      name: `Target ${link} ${id}`,
      url: `${url}${link}/${id}`,
      weight: 1,
    })),
  }));
  while (JSON.stringify({ next: 1_000, rules }).length > MAX_RULES_BYTES) rules.pop();
  return JSON.stringify({ next: 1_000, rules });
}

const query = (name: string, values: string[]): StoredCondition => ({ query: { name, in: values } });
const shapes: [string, (link: number) => string][] = [
  [
    'many short values',
    (link) =>
      columnOf(
        (n) =>
          query(
            `${n}`,
            numbers(100).map((one) => (one + n).toString(36)),
          ),
        'https://a.example/',
        1,
        link,
      ),
  ],
  [
    'conditions with one value',
    (link) => columnOf((n) => query(`${n}`, [`${n}`]), 'https://a.example/', 1, link),
  ],
  [
    'long texts in another alphabet',
    (link) => columnOf((n) => query(`${n}`, [`${n} ${'ж'.repeat(100)}`]), 'https://a.example/', 1, link),
  ],
  [
    'long addresses',
    (link) => columnOf((n) => query(`${n}`, [`${n}`]), `https://a.example/${'x'.repeat(500)}/`, 5, link),
  ],
  [
    'hours and times',
    (link) =>
      columnOf(
        (n) =>
          n % 2 === 0
            ? { hours: { from: '09:00', timeZone: 'Europe/Berlin' } }
            : { time: { from: '2026-01-01T00:00:00.000Z' } },
        'https://a.example/',
        10,
        link,
      ),
  ],
];

function heapUsed(): number {
  v8.setFlagsFromString('--expose-gc');
  const collect: () => void = vm.runInNewContext('gc');
  for (let time = 0; time < 3; time++) collect();
  return process.memoryUsage().heapUsed;
}

test.each(shapes)('parsed rules take at most as much memory as they count: %s', (_what, columnFor) => {
  const columns = numbers(LINKS).map(columnFor);
  parseRules(readStoredRules(columnFor(LINKS)));
  const before = heapUsed();
  const parsed = columns.map((column) => parseRules(readStoredRules(column)));
  const taken = heapUsed() - before;
  const counted = parsed.reduce((sum, { bytes }) => sum + bytes, 0);
  expect(taken / counted).toBeLessThan(1.1);
  expect(parsed).toHaveLength(LINKS);
});
