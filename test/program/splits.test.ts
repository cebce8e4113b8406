import { describe, expect, test } from 'vitest';
import type { ParsedTarget } from '../../src/domain/rule/parsed.ts';
import { chooseTarget, makeSplitKey } from '../../src/domain/rule/split.ts';

const VISITORS = 100_000;
const FEW = 20_000;
const target = (id: number, weight: number): ParsedTarget => ({
  id,
  weight,
  name: String(id),
  url: `https://example.com/${id}`,
});
const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** The targets of distinct visitors, as a process with this salt chooses them. */
function chosenBy(
  salt: string,
  targets: readonly ParsedTarget[],
  { linkId = 1, ruleId = 1, visitors = FEW } = {},
): (number | undefined)[] {
  const key = makeSplitKey(salt);
  return Array.from({ length: visitors }, (_, visitor) => {
    const network = `10.${visitor >> 16}.${(visitor >> 8) & 255}.${visitor & 255}`;
    return chooseTarget(key, { linkId, ruleId, network, userAgent: agent }, targets)?.id;
  });
}

/** χ² of the shares; below these limits, p is above 0.001. */
function chiSquare(chosen: readonly (number | undefined)[], targets: readonly ParsedTarget[]): number {
  const sum = targets.reduce((all, { weight }) => all + weight, 0);
  return targets.reduce((all, { id, weight }) => {
    const expected = (chosen.length * weight) / sum;
    return all + (chosen.filter((one) => one === id).length - expected) ** 2 / expected;
  }, 0);
}
const LIMITS = [0, 10.83, 13.82, 16.27];

const three = [target(1, 70), target(2, 25), target(3, 5)];

describe('targets of a split', () => {
  test('get their shares of the visitors, the same by two processes', () => {
    for (const targets of [[target(1, 70), target(2, 30)], three]) {
      const chosen = chosenBy('salt of a day', targets, { visitors: VISITORS });
      const copies = targets.map((one) => ({ ...one }));
      expect(chosenBy('salt of a day', copies, { visitors: VISITORS })).toEqual(chosen);
      expect(chiSquare(chosen, targets)).toBeLessThan(LIMITS[targets.length - 1] ?? 0);
    }
  });

  test('get other visitors on another day, by another rule, and by another link', () => {
    const halves = [target(1, 1), target(2, 1)];
    const before = chosenBy('salt', halves);
    for (const other of [
      chosenBy('other salt', halves),
      chosenBy('salt', halves, { linkId: 2 }),
      chosenBy('salt', halves, { ruleId: 2 }),
    ]) {
      // Independent choices agree for about half of the visitors: five standard deviations are 0.018.
      const same = other.filter((one, index) => one === before[index]).length / FEW;
      expect(Math.abs(same - 0.5)).toBeLessThan(0.018);
    }
  });

  test.each<[string, ParsedTarget[], number[]]>([
    ['a new target takes its share from all', [...three, target(4, 25)], [4]],
    ['a target that goes leaves its share to the others', three.slice(0, 2), []],
    ['a heavier target takes more from all', [target(1, 70), target(2, 25), target(3, 30)], [3]],
    ['the order does not matter', three.toReversed(), []],
  ])('%s', (_what, after, gaining) => {
    const [old, changed] = [chosenBy('salt', three), chosenBy('salt', after)];
    const remaining = new Set(after.map(({ id }) => id));
    let moved = 0;
    for (let index = 0; index < FEW; index++) {
      if (old[index] === changed[index]) continue;
      moved++;
      // Who moves had a target that is gone, or gets one that has gained.
      expect(!remaining.has(old[index] ?? 0) || gaining.includes(changed[index] ?? 0)).toBe(true);
    }
    const sum = (targets: readonly ParsedTarget[]) => targets.reduce((all, { weight }) => all + weight, 0);
    const share = (targets: readonly ParsedTarget[], id: number) =>
      (targets.find((one) => one.id === id)?.weight ?? 0) / sum(targets);
    const must = [1, 2, 3, 4].reduce((all, id) => all + Math.max(0, share(after, id) - share(three, id)), 0);
    expect(Math.abs(moved / FEW - must)).toBeLessThan(0.018);
  });
});
