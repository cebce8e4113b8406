/** What stands for the result of work that took too long. */
export const LATE = Symbol('late');

/** What the work gives, or LATE where it takes longer than so many milliseconds; the work itself goes on. */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T | typeof LATE> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(resolve, milliseconds, LATE);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
