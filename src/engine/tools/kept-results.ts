import { LRUCache } from 'lru-cache';
import { Turns } from './turns.ts';

/** A result that somebody asks for. */
export interface Asked<Result> {
  /** The account for which it is made. */
  readonly owner: number;
  /** The name of the result among those of its owner. */
  readonly name: string;
  /** The version of what it is made from: a result of another one is replaced. */
  readonly version: string;
  /** Ends the work, or the waiting for it. */
  readonly signal: AbortSignal;
  make(signal: AbortSignal): Promise<Result>;
}

/** Large results that are made once for all who ask, one at a time, and kept within a number of bytes. */
export class KeptResults<Result extends object> {
  readonly #kept: LRUCache<string, { readonly version: string; readonly result: Result }>;
  readonly #turns = new Turns<number>({ max: 1 });

  constructor(maxBytes: number, sizeOf: (result: Result) => number) {
    this.#kept = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ result }) => sizeOf(result) + 1 });
  }

  /** Owners take turns. @throws the signal's reason */
  async of({ owner, name, version, signal, make }: Asked<Result>): Promise<Result> {
    const key = `${owner} ${name}`;
    const find = () => {
      const known = this.#kept.get(key);
      return known?.version === version ? known.result : null;
    };
    const work = async () => {
      // Somebody may have asked for it before.
      const known = find();
      if (known !== null) return known;
      signal.throwIfAborted();
      const result = await make(signal);
      this.#kept.set(key, { version, result });
      return result;
    };
    return find() ?? this.#turns.take(owner, work, signal);
  }

  /** The number of bytes that are kept. */
  get size(): number {
    return this.#kept.calculatedSize;
  }
}
