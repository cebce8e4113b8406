const EXCHANGE_INTERVAL = 500;
/** How long a key's total is kept, in milliseconds: a window of the limit. */
const TOTAL_LIFETIME = 60_000;

/** Adds requests to the shared counts, and returns the new totals, by key id. */
export type AddUses = (uses: ReadonlyMap<number, number>) => Promise<ReadonlyMap<number, number>>;

/** Shares the number of each key's requests between processes. */
export class SharedRateLimit {
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
