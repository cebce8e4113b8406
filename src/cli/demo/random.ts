/** A number from 0 up to, and without, 1. */
export type Random = () => number;

/** Numbers that look random and are the same for the same seed: Park and Miller's generator. */
export function seededRandom(seed: number): Random {
  const modulus = 2_147_483_647;
  let state = (Math.abs(Math.trunc(seed)) % (modulus - 1)) + 1;
  const next = () => {
    state = (state * 48_271) % modulus;
    return (state - 1) / (modulus - 1);
  };
  // The first ones of small seeds are alike.
  for (let i = 0; i < 10; i++) next();
  return next;
}

/** One of the items, each as likely as its weight says. */
export function pick<Item>(items: readonly (readonly [Item, number])[], random: Random): Item {
  let left = random() * items.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [item, weight] of items) {
    left -= weight;
    if (left < 0) return item;
  }
  const [[last] = []] = items.slice(-1);
  if (last === undefined) throw new Error('there is nothing to pick');
  return last;
}

/** How many come where so many are expected, each for themselves: Poisson's distribution, of many the normal one. */
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
