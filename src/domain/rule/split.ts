import { createHmac, hash } from 'node:crypto';
import type { ParsedTarget } from './parsed.ts';

/** The key of a day's splits: the salt also tells visitors apart, by other texts and without this label. */
export function makeSplitKey(salt: string): string {
  return createHmac('sha256', salt).update('linkspace splits').digest('hex');
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
const RANGE_DIGITS = 12;

/**
 * The target of a visitor, by weighted rendezvous hashing: each target draws a number from the visit alone, and the lowest in
 * relation to its weight wins. So a target that comes, goes or changes its weight moves only the visitors that it wins or loses.
 * @param targets with a weight above 0
 */
export function chooseTarget(
  key: string,
  { linkId, ruleId, network, userAgent }: SplitVisit,
  targets: readonly ParsedTarget[],
): ParsedTarget | undefined {
  let [chosen, lowest] = [targets[0], Number.POSITIVE_INFINITY];
  if (targets.length === 1) return chosen;
  for (const target of targets) {
    // The key has a fixed length, and nobody sees the digest: as good as an HMAC here, at a quarter of its time.
    const text = `${key}\n${linkId}\n${ruleId}\n${target.id}\n${network}\n${userAgent}`;
    const drawn = Number.parseInt(hash('sha256', text).slice(0, RANGE_DIGITS), 16);
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
