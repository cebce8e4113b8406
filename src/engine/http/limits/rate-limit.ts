import type { ServerResponse } from 'node:http';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimitState } from '../../rules/caller.ts';
import { DomainError } from '../../rules/errors.ts';
import { addHeaders } from '../request/head.ts';

/** The length of a window in seconds. It begins with its first request. */
const WINDOW_SECONDS = 60;

/** The rest of the window in milliseconds. The limiter calculates it by the clock, which may have been set back meanwhile. */
function msUntilNext({ msBeforeNext }: RateLimiterRes): number {
  return Math.min(msBeforeNext, WINDOW_SECONDS * 1000);
}

/** Returns the whole seconds after which to try again. */
export function secondsUntilNext(left: RateLimiterRes): number {
  return Math.max(1, Math.ceil(msUntilNext(left) / 1000));
}

export function tooMany(left: RateLimiterRes, what: string): DomainError {
  return new DomainError('RATE_LIMITED', `${what} Try again later.`, [], secondsUntilNext(left));
}

/** Limits the requests per minute of each key, and wrong keys of each address or network to half as many. */
export class RateLimit {
  readonly #perMinute: number;
  readonly #keys: RateLimiterMemory;
  readonly #addresses: RateLimiterMemory;
  readonly #shared: SharedRateLimit | null;

  /**
   * @param perMinute 0 for no limit
   * @param addUses adds to the count that processes share; null to count only this process
   */
  constructor(perMinute: number, addUses: AddUses | null = null) {
    this.#perMinute = perMinute;
    this.#keys = new RateLimiterMemory({ points: perMinute, duration: WINDOW_SECONDS });
    this.#addresses = new RateLimiterMemory({ points: Math.ceil(perMinute / 2), duration: WINDOW_SECONDS });
    const onUses = (keyId: number, requests: number) => void this.#keys.penalty(keyId, requests);
    this.#shared = addUses && perMinute > 0 ? new SharedRateLimit(addUses, onUses) : null;
  }

  start(): void {
    this.#shared?.start();
  }

  async stop(): Promise<void> {
    await this.#shared?.stop();
  }

  /**
   * Counts a request with a valid key, and sets the headers with the rest, if there is a response. Null without a limit.
   * @throws DomainError RATE_LIMITED
   */
  async take(keyId: number, res: ServerResponse | null, now: Date): Promise<RateLimitState | null> {
    if (this.#perMinute === 0) return null;
    this.#shared?.count(keyId);
    const left = await this.#keys.consume(keyId).catch(limiterResult);
    // Rounded up to whole seconds, so that a client that waits until then is not too early, and both values are equal.
    const reset = Math.ceil((now.getTime() + msUntilNext(left)) / 1000);
    if (res !== null)
      addHeaders(res, {
        'X-RateLimit-Limit': this.#perMinute,
        'X-RateLimit-Remaining': left.remainingPoints,
        'X-RateLimit-Reset': reset,
      });
    if (left.consumedPoints > this.#perMinute)
      throw tooMany(left, `The key may make ${this.#perMinute} requests a minute.`);
    return { limit: this.#perMinute, remaining: left.remainingPoints, resetAt: new Date(reset * 1000) };
  }

  /**
   * Counts a request as one with a wrong key, before the key is looked up.
   * @param network the address, or its network
   * @throws DomainError RATE_LIMITED
   */
  async tryKey(network: string): Promise<void> {
    if (this.#perMinute === 0) return;
    const left = await this.#addresses.consume(network).catch(limiterResult);
    if (left.consumedPoints > this.#addresses.points) throw tooMany(left, 'Too many wrong keys.');
  }

  /** Reverts `tryKey` after the key turned out to be right. */
  async keyWasRight(network: string): Promise<void> {
    if (this.#perMinute > 0) await this.#addresses.reward(network);
  }
}

/** At the limit, the limiter rejects with the same type that it otherwise resolves with. */
export function limiterResult(rejected: unknown): RateLimiterRes {
  if (rejected instanceof RateLimiterRes) return rejected;
  throw rejected;
}

const EXCHANGE_INTERVAL = 500;
/** Milliseconds for which a key's total is kept: a window of the limit. */
const TOTAL_LIFETIME = 60_000;

/** Adds requests to the shared counts, and returns the new totals, by key id. */
type AddUses = (uses: ReadonlyMap<number, number>) => Promise<ReadonlyMap<number, number>>;

/** Shares the number of each key's requests between processes. */
class SharedRateLimit {
  readonly #add: AddUses;
  readonly #onOthers: (keyId: number, requests: number) => void;
  readonly #known = new Map<number, { total: number; at: number }>();
  #uses = new Map<number, number>();
  #exchange: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  /** @param onOthers called with the number of requests in other processes */
  constructor(add: AddUses, onOthers: (keyId: number, requests: number) => void) {
    this.#add = add;
    this.#onOthers = onOthers;
  }

  count(keyId: number): void {
    this.#uses.set(keyId, (this.#uses.get(keyId) ?? 0) + 1);
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#exchange = this.#exchange.then(() => this.#exchangeCounts());
    }, EXCHANGE_INTERVAL).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#exchange;
  }

  async #exchangeCounts(): Promise<void> {
    const uses = this.#uses;
    this.#uses = new Map();
    const now = performance.now();
    for (const [keyId, { at }] of this.#known) if (now - at > TOTAL_LIFETIME) this.#known.delete(keyId);
    // While the database is down, each process counts for itself.
    const totals = await this.#add(uses).catch(() => new Map<number, number>());
    for (const [keyId, total] of totals) {
      const known = this.#known.get(keyId);
      const others = known ? total - known.total - (uses.get(keyId) ?? 0) : 0;
      this.#known.set(keyId, { total, at: now });
      if (others > 0) this.#onOthers(keyId, others);
    }
  }
}
