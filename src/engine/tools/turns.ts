import { withTimeout } from './timeout.ts';

/** The work may not wait, or has waited for too long. */
export class TooMuchWaiting extends Error {}

export interface TurnLimits<Owner> {
  /** Maximum amounts of running work, in all and of one owner; unlimited by default. */
  readonly max?: number;
  maxOfOwner?(owner: Owner): number;
  /** Owners with less running work than this come before others; by default all take turns alike. */
  share?(): number;
  /** Maximum amount of one owner's waiting work, and of milliseconds of waiting; unlimited by default. */
  readonly maxWaiting?: number;
  readonly timeout?: number;
  /** The error for work that may not wait, or has waited for too long; by default TooMuchWaiting. */
  refusal?(): unknown;
}

/** Limits concurrent work. Owners whose work waits take turns, so that one with much work delays another one little. */
export class Turns<Owner = string> {
  readonly #limits: TurnLimits<Owner>;
  #max: number;
  #free: number;
  readonly #running = new Map<Owner, number>();
  /** The waiting work of each owner; the first owner is next. */
  readonly #waiting = new Map<Owner, Set<() => void>>();

  constructor(limits: TurnLimits<Owner>) {
    this.#limits = limits;
    this.#max = limits.max ?? Number.POSITIVE_INFINITY;
    this.#free = this.#max;
  }

  /**
   * Runs the work when it is its turn.
   * @param signal ends the waiting
   * @throws the refusal, or the signal's reason
   */
  async take<T>(owner: Owner, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const turn = this.begin(owner, signal);
    if (turn) await turn;
    try {
      return await work();
    } finally {
      this.end(owner);
    }
  }

  /**
   * Begins work whose end `end` tells. Returns what resolves when it is its turn, or null if it is now.
   * @throws the refusal, or the signal's reason, later
   */
  begin(owner: Owner, signal?: AbortSignal): Promise<void> | null {
    if (!this.#mayBegin(owner)) return this.#wait(owner, signal);
    this.#start(owner);
    return null;
  }

  /** Returns the amount of the owner's running work. */
  runningOf(owner: Owner): number {
    return this.#running.get(owner) ?? 0;
  }

  #mayBegin(owner: Owner): boolean {
    const { maxOfOwner } = this.#limits;
    return this.#free > 0 && !(maxOfOwner && this.runningOf(owner) >= maxOfOwner(owner));
  }

  #start(owner: Owner): void {
    this.#free--;
    this.#running.set(owner, this.runningOf(owner) + 1);
  }

  async #wait(owner: Owner, signal?: AbortSignal): Promise<void> {
    const { maxWaiting, timeout, refusal = () => new TooMuchWaiting('too much work waits') } = this.#limits;
    signal?.throwIfAborted();
    const own = this.#waiting.get(owner) ?? new Set();
    if (maxWaiting !== undefined && own.size >= maxWaiting) throw refusal();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.set(owner, own.add(resolve));
    const stop = () => resolve();
    signal?.addEventListener('abort', stop);
    await (timeout === undefined ? promise : withTimeout(timeout, promise));
    signal?.removeEventListener('abort', stop);
    // If the turn comes at the same time as the end of the waiting, it is used.
    if (!own.delete(resolve)) return;
    if (own.size === 0) this.#waiting.delete(owner);
    signal?.throwIfAborted();
    throw refusal();
  }

  end(owner: Owner): void {
    this.#free++;
    const left = this.runningOf(owner) - 1;
    if (left > 0) this.#running.set(owner, left);
    else this.#running.delete(owner);
    this.#resumeAll();
  }

  /** Changes how much work runs at once, in all. Running work goes on. */
  resize(max: number): void {
    this.#free += max - this.#max;
    this.#max = max;
    this.#resumeAll();
  }

  #resumeAll(): void {
    const { share } = this.#limits;
    if (share !== undefined) this.#resume(share());
    this.#resume(Number.POSITIVE_INFINITY);
  }

  /** Begins waiting work of owners with less running work than that. */
  #resume(below: number): void {
    for (const [next, own] of this.#waiting) {
      const [resume] = own;
      if (resume === undefined || this.runningOf(next) >= below || !this.#mayBegin(next)) continue;
      own.delete(resume);
      // An owner with more work comes last, and so again in this loop.
      this.#waiting.delete(next);
      if (own.size > 0) this.#waiting.set(next, own);
      this.#start(next);
      resume();
    }
  }
}
