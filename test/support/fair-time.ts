const TICK = 20;

/**
 * The result of the work, and how many milliseconds it took, without those in which this process waited for the processor: a
 * busy machine, or one that stands still for a while, makes others late, too. For work of other processes only.
 */
export async function timed<T>(work: Promise<T>): Promise<[result: T, time: number]> {
  const begun = performance.now();
  let [lost, last] = [0, begun];
  const look = () => {
    const now = performance.now();
    lost += Math.max(0, now - last - TICK);
    last = now;
  };
  const ticks = setInterval(look, TICK);
  try {
    const result = await work;
    return [result, performance.now() - begun - lost];
  } finally {
    clearInterval(ticks);
  }
}
