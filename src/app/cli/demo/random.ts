/** A random number from 0 to below 1. */
export type Random = () => number;

/** A seeded generator of pseudo-random numbers: Park and Miller's. */
export function seededRandom(seed: number): Random {
  const modulus = 2_147_483_647;
  let state = (Math.abs(Math.trunc(seed)) % (modulus - 1)) + 1;
  const next = () => {
    state = (state * 48_271) % modulus;
    return (state - 1) / (modulus - 1);
  };
  // The first numbers of small seeds are similar.
  for (let i = 0; i < 10; i++) next();
  return next;
}

/** One of the keys, with probabilities by weight. */
export function pick(weights: Readonly<Record<string, number>>, random: Random): string {
  const entries = Object.entries(weights);
  let left = random() * entries.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [key, weight] of entries) {
    left -= weight;
    if (left < 0) return key;
  }
  throw new Error('there is nothing to pick');
}

/** A Poisson-distributed number; for large means, normally distributed. */
export function poisson(mean: number, random: Random): number {
  if (mean > 30) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal));
  }
  const end = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > end; product *= random()) count++;
  return count;
}
