import type { Timing } from '../../packages/client/src/index.ts';

/** Waits and randomness of a client that waits for no real time. */
export interface TestTiming extends Timing {
  /** The pauses so far, in milliseconds. */
  readonly pauses: readonly number[];
}

/** Each wait is over at once, and moves the clock by its length; every random number is 0. */
export function timeWithoutWaiting(): TestTiming {
  const pauses: number[] = [];
  let passed = 0;
  return {
    pauses,
    now: () => passed,
    random: () => 0,
    timeout: () => new AbortController().signal,
    async wait(milliseconds, signal) {
      signal.throwIfAborted();
      pauses.push(milliseconds);
      passed += milliseconds;
    },
  };
}

/** Time that stands until a test lets it pass. Pauses before another attempt are over at once. */
export interface StandingTime extends Timing {
  /** The pauses before another attempt so far, in milliseconds. */
  readonly pauses: readonly number[];
  /** The limits of requests so far, in milliseconds. */
  readonly limits: readonly number[];
  /** The number of waits for the next check of a connection. */
  readonly waiting: number;
  /** Lets time pass, in steps that end with the waits for checks. */
  pass(milliseconds: number): Promise<void>;
}

/** The interval at which the client checks its connection, in milliseconds. */
const CHECK_INTERVAL = 5_000;

export function timeThatStands(): StandingTime {
  const pauses: number[] = [];
  const waits = new Set<() => void>();
  const limits: number[] = [];
  const running = new Set<{ readonly end: number; readonly limit: AbortController }>();
  let passed = 0;
  return {
    pauses,
    limits,
    get waiting() {
      return waits.size;
    },
    now: () => passed,
    random: () => 0,
    timeout(milliseconds) {
      const limit = new AbortController();
      limits.push(milliseconds);
      running.add({ end: passed + milliseconds, limit });
      return limit.signal;
    },
    async wait(milliseconds, signal) {
      signal.throwIfAborted();
      if (milliseconds !== CHECK_INTERVAL) {
        pauses.push(milliseconds);
        // Lets requests and events of others come.
        return new Promise((resolve) => setImmediate(resolve));
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waits.add(resolve);
      signal.addEventListener('abort', () => {
        waits.delete(resolve);
        reject(signal.reason);
      });
      return promise;
    },
    async pass(milliseconds) {
      for (let left = milliseconds; left > 0; left -= CHECK_INTERVAL) {
        passed += CHECK_INTERVAL;
        for (const { end, limit } of running)
          if (end <= passed) limit.abort(new DOMException('It took too long.', 'TimeoutError'));
        for (const resolve of [...waits]) {
          waits.delete(resolve);
          resolve();
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

/** An answer that a proxy, or a service in trouble, gives in place of the real one. */
export interface Instead {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** The fate of a request: it passes, is answered by something else, or its answer is lost after the service has done it. */
export type Fate = 'passes' | 'is lost' | Instead | Error;

/** A `fetch` that has a fate for each request in turn, and then lets all pass; `sent` has the requests. */
export function fetchWith(...fates: Fate[]) {
  const sent: { headers: Headers; body: { query: string; variables: object } }[] = [];
  const send: typeof fetch = async (input, init) => {
    sent.push({ headers: new Headers(init?.headers), body: JSON.parse(String(init?.body)) });
    const fate = fates.shift() ?? 'passes';
    if (fate instanceof Error) throw fate;
    if (typeof fate === 'object') return new Response(fate.body ?? '', fate);
    const response = await fetch(input, init);
    if (fate === 'passes') return response;
    await response.text();
    throw new TypeError('fetch failed');
  };
  return { fetch: send, sent };
}

/** The error of Node's fetch where nothing listens. */
export function refusedConnection(): Error {
  return new TypeError('fetch failed', {
    cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
  });
}
