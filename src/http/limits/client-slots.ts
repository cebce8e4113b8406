/** There is no free slot; try again in a second. */
export class NoFreeSlot extends Error {}

/** Limits slow work, in all and for each client, so that one client cannot block the others. */
export class ClientSlots {
  readonly #max: number;
  readonly #maxOfOne: number;
  readonly #used = new Map<string, number>();
  #all = 0;

  /** @param maxOfOne the maximum for one client */
  constructor(max: number, maxOfOne = max) {
    this.#max = max;
    this.#maxOfOne = maxOfOne;
  }

  /**
   * Runs the client's work while it holds a slot.
   * @throws NoFreeSlot
   */
  async take<T>(client: string, work: () => Promise<T>): Promise<T> {
    const own = this.#used.get(client) ?? 0;
    if (this.#all >= this.#max || own >= this.#maxOfOne) throw new NoFreeSlot('no slot is left');
    this.#all++;
    this.#used.set(client, own + 1);
    try {
      return await work();
    } finally {
      this.#all--;
      const left = (this.#used.get(client) ?? 1) - 1;
      if (left > 0) this.#used.set(client, left);
      else this.#used.delete(client);
    }
  }
}
