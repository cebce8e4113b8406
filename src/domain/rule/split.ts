import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { ParsedTarget } from './parsed.ts';

/** The key of a day's splits: the salt also tells visitors apart, by other texts and without this label. */
export function makeSplitKey(salt: string): KeyObject {
  return createSecretKey(createHmac('sha256', salt).update('linkspace splits').digest());
}

/** A visitor who keeps a target, and the rule that has it. */
export interface SplitVisit {
  readonly linkId: number;
  readonly ruleId: number;
  /** As `networkOf` gives it. */
  readonly network: string;
  readonly userAgent: string;
}

const RANGE = 2 ** 48;

/**
 * The target of a visitor, by weighted rendezvous hashing: each target draws a number from the visit alone, and the lowest in
 * relation to its weight wins. So a target that comes, goes or changes its weight moves only the visitors that it wins or loses.
 * @param targets with a weight above 0
 */
export function chooseTarget(
  key: KeyObject,
  { linkId, ruleId, network, userAgent }: SplitVisit,
  targets: readonly ParsedTarget[],
): ParsedTarget | undefined {
  let [chosen, lowest] = [targets[0], Number.POSITIVE_INFINITY];
  if (targets.length === 1) return chosen;
  for (const target of targets) {
    const text = `${linkId}\n${ruleId}\n${target.id}\n${network}\n${userAgent}`;
    const drawn = createHmac('sha256', key).update(text).digest().readUIntBE(0, 6);
    // Exponentially distributed, with the weight as its rate.
    const number = -Math.log((drawn + 0.5) / RANGE) / target.weight;
    if (number < lowest) [chosen, lowest] = [target, number];
  }
  return chosen;
}

/** The share of each target, from 0 to 1. */
export function sharesOf(targets: readonly Pick<ParsedTarget, 'weight'>[]): number[] {
  const sum = targets.reduce((all, { weight }) => all + weight, 0);
  return targets.map(({ weight }) => (sum === 0 ? 0 : weight / sum));
}
