/** The result of work that took too long. */
export const TIMED_OUT = Symbol('late');

/**
 * The result of the work, or TIMED_OUT after the timeout; the work itself continues. Time in which the process did not run, such as
 * while its machine was stopped, counts only once more: the answer may be there already.
 */
export async function withTimeout<T>(milliseconds: number, work: Promise<T>): Promise<T | typeof TIMED_OUT> {
  let timer: NodeJS.Timeout | undefined;
  const dueAt = performance.now() + milliseconds;
  const late = new Promise<typeof TIMED_OUT>((resolve) => {
    timer = setTimeout(() => {
      const missed = Math.max(0, performance.now() - dueAt);
      timer = setTimeout(resolve, Math.min(missed, milliseconds), TIMED_OUT);
    }, milliseconds);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
