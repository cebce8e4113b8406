// One round of random requests, and figures of several rounds.
import { type Measured, mixed } from './load.ts';
import type { Request } from './scenarios.ts';
import { cpuOf, median, type Target } from './target.ts';

/** The result of a round, with the program's own CPU time per request in microseconds. */
export type Round = Measured & { cpu: number };

export async function measure(target: Target, draw: () => Request, seconds: number): Promise<Round> {
  const before = cpuOf(target);
  const measured = await mixed(target.origin, draw, seconds);
  return { ...measured, cpu: ((cpuOf(target) - before) * 1e6) / measured.answered };
}

/** The median of a figure over the rounds and, in parentheses, the minimum and the maximum. */
export function summary<T>(
  rounds: readonly T[],
  figure: (round: T, index: number) => number,
  digits = 2,
): string {
  const figures = rounds.map(figure);
  const [least, most] = [Math.min(...figures), Math.max(...figures)];
  return `${median(figures).toFixed(digits)} (${least.toFixed(digits)}–${most.toFixed(digits)})`;
}

/** A quantile of a round's response times, in milliseconds. */
export function percentile(share: number, { times }: Round): number {
  return times[Math.floor(times.length * share)] ?? 0;
}
