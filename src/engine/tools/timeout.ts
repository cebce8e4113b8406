/** The result of work that took too long. */
export const TIMED_OUT = Symbol('late');

/**
 * The result of the work, or TIMED_OUT after the timeout; the work itself continues. If the timer is late because the process did
 * not run, the work gets that time again, at most the timeout once more: its answer may have arrived meanwhile.
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
