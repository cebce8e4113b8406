/** The result of work that took too long. */
export const TIMED_OUT = Symbol('late');

/** The result of the work, or TIMED_OUT after the timeout; the work itself continues. */
export async function withTimeout<T>(milliseconds: number, work: Promise<T>): Promise<T | typeof TIMED_OUT> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof TIMED_OUT>((resolve) => {
    timer = setTimeout(resolve, milliseconds, TIMED_OUT);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
