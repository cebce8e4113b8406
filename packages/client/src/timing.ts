/** Time and randomness. Tests replace them, so that none waits. */
export interface Timing {
  /** The time in milliseconds. It goes on while a computer sleeps. */
  now(): number;
  /** Resolves after some milliseconds; rejects with the signal's reason once it is aborted. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** Returns a signal that is aborted after some milliseconds. */
  timeout(milliseconds: number): AbortSignal;
  /** A number from 0 to 1. */
  random(): number;
}

export const realTiming: Timing = {
  now: () => Date.now(),
  random: () => Math.random(),
  timeout: (milliseconds) => AbortSignal.timeout(milliseconds),
  wait: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const end = () => {
        clearTimeout(timer);
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', end);
        resolve();
      }, milliseconds);
      signal.addEventListener('abort', end, { once: true });
    }),
};

/** A pause that is longer after each failure, and not the same for all clients, in milliseconds. */
export function growingPause({ random }: Timing, failures: number, base: number, longest: number): number {
  return Math.min(base ** failures * 1_000, longest) * (0.5 + random() / 2);
}
