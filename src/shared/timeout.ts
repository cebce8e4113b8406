/** The result of work that took too long. */
export const LATE = Symbol('late');

/** The result of the work, or LATE after the timeout; the work itself continues. */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T | typeof LATE> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(resolve, milliseconds, LATE);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
