/** A function that runs the work; calls during a run share its result. */
export function singleFlight<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | null = null;
  return () => {
    running ??= work().finally(() => {
      running = null;
    });
    return running;
  };
}

/** A function that runs the work, one run after the other; calls during a run share the next one. */
export function nextFlight(work: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  return () => {
    next ??= last.then(() => {
      next = null;
      const running = work();
      // Callers of this run get its error; the next run does not depend on it.
      last = running.catch(() => {});
      return running;
    });
    return next;
  };
}
