/** There is no place left; worth another try in a second. */
export class NoPlace extends Error {}

/** Places for work that takes long, so that those who wait for it leave the others theirs. */
export class Places {
  readonly #max: number;
  readonly #maxOfOne: number;
  readonly #taken = new Map<string, number>();
  #all = 0;

  /** @param maxOfOne how many of them one client may have */
  constructor(max: number, maxOfOne = max) {
    this.#max = max;
    this.#maxOfOne = maxOfOne;
  }

  /**
   * Does the client's work while it has a place.
   * @throws NoPlace
   */
  async take<T>(client: string, work: () => Promise<T>): Promise<T> {
    const own = this.#taken.get(client) ?? 0;
    if (this.#all >= this.#max || own >= this.#maxOfOne) throw new NoPlace('no place is left');
    this.#all++;
    this.#taken.set(client, own + 1);
    try {
      return await work();
    } finally {
      this.#all--;
      const left = (this.#taken.get(client) ?? 1) - 1;
      if (left > 0) this.#taken.set(client, left);
      else this.#taken.delete(client);
    }
  }
}
