// One round of requests that are drawn, and what is said of several.
import { type Measured, mixed } from './load.ts';
import type { Request } from './scenarios.ts';
import { cpuOf, median, type Target } from './target.ts';

/** One round: what was answered, and the program's own CPU time for each, in microseconds. */
export type Round = Measured & { cpu: number };

export async function measure(target: Target, draw: () => Request, seconds: number): Promise<Round> {
  const before = cpuOf(target);
  const measured = await mixed(target.origin, draw, seconds);
  return { ...measured, cpu: ((cpuOf(target) - before) * 1e6) / measured.answered };
}

/** The median of a figure of each round and, in parentheses, the least and the most. */
export function told<T>(
  rounds: readonly T[],
  figure: (round: T, index: number) => number,
  digits = 2,
): string {
  const figures = rounds.map(figure);
  const [least, most] = [Math.min(...figures), Math.max(...figures)];
  return `${median(figures).toFixed(digits)} (${least.toFixed(digits)}–${most.toFixed(digits)})`;
}

/** The milliseconds within which the given share of a round's requests was answered. */
export function within(share: number, { times }: Round): number {
  return times[Math.floor(times.length * share)] ?? 0;
}
