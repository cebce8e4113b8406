import { randomUUID } from 'node:crypto';
import type { Data } from '../db/database.ts';
import { isRefused } from '../engine/db/errors.ts';
import { divide } from './divide.ts';
import type { RefusedVisits } from './refused-visits.ts';
import { MAX_PARTS, TooManyRows } from './row-limit.ts';
import { countParts, countUnwritten, type Visits } from './visit-counts.ts';
import { type Receipt, VisitWriter } from './visit-writer.ts';

/** Sizes of slices. Other writers of SQLite wait for the end of a transaction; a server does better with larger ones. */
const SLICES = {
  inProcess: { links: 500, parts: 1_000 },
  server: { links: 500, parts: MAX_PARTS },
};
/** After how many refusals within a slice its values and visitors are no longer divided: each costs a transaction. */
const MAX_REFUSALS = 1_000;

/** Visits of one transaction. Retries use the same receipt, so that they count once. */
interface Batch {
  readonly receipt: Receipt;
  readonly visits: Visits;
}

/** Takes visits of so many links from the queue, or of fewer once they have so many parts. */
type Take = (links: number, parts: number) => Visits;

/** The module of the thread that writes. */
const WRITER = 'clicks/writer-thread';

type Writer = Pick<VisitWriter, 'write'> & { load?(): Promise<unknown> };

/**
 * Writes by a thread of its own on SQLite. In the main thread, writes would take half of the time and block all
 * responses.
 */
function createWriter(db: Data): Writer {
  const { writeOnThread, loadThread } = db.database;
  if (writeOnThread === undefined) return new VisitWriter(db, { limitsRows: true });
  return {
    async write(visits, receipt) {
      await writeOnThread(WRITER, { visits, receipt });
    },
    load: async () => loadThread?.(WRITER),
  };
}

/**
 * Writes visits in batches, each a transaction. A batch whose write failed is sent again unchanged, before any other; its
 * receipt makes it count once. A batch with too many rows, or one that the database refuses, is divided. What is refused and
 * cannot be divided is given up.
 */
export class Batches {
  readonly #writer: Writer;
  readonly #slice: typeof SLICES.server;
  readonly #refused: RefusedVisits;
  readonly #processId = randomUUID();
  #batch: Batch | null = null;
  /** Parts of a slice that are not written yet, the next one last. */
  #parts: Visits[] = [];
  #refusals = 0;
  #made = 0;

  constructor(db: Data, refused: RefusedVisits) {
    this.#writer = createWriter(db);
    this.#slice = db.dialect.runsInProcess ? SLICES.inProcess : SLICES.server;
    this.#refused = refused;
  }

  /** Starts the thread that writes, if there is one. */
  async load(): Promise<void> {
    await this.#writer.load?.();
  }

  /** The number of batches so far. */
  get made(): number {
    return this.#made;
  }

  /** True if a batch is being written, or its write has failed. */
  get isUnfinished(): boolean {
    return this.#batch !== null;
  }

  /** True if nothing is left of what was taken. */
  get isEmpty(): boolean {
    return this.#batch === null && this.#parts.length === 0;
  }

  /** The number of clicks that were taken and are not known to be written. */
  get unwritten(): number {
    let sum = 0;
    for (const visits of this.#begun()) for (const link of visits.values()) sum += countUnwritten(link);
    return sum;
  }

  /** True if visits of a link were taken, and are not known to be written. */
  has(linkId: number): boolean {
    return this.#begun().some((visits) => visits.has(linkId));
  }

  #begun(): Visits[] {
    return this.#batch === null ? this.#parts : [this.#batch.visits, ...this.#parts];
  }

  /**
   * Writes the next batch, of what is left or else of new visits. Returns false if there are none, or if the database has not
   * written them: then `isUnfinished` is true.
   */
  async writeNext(take: Take, onFailure: (error: unknown) => void): Promise<boolean> {
    if (this.isEmpty) {
      const taken = take(this.#slice.links, this.#slice.parts);
      if (taken.size === 0) return false;
      this.#parts.push(taken);
      this.#refusals = 0;
    }
    this.#batch ??= this.#nextBatch();
    const { visits, receipt } = this.#batch;
    try {
      await this.#writer.write(visits, receipt);
    } catch (error) {
      if (error instanceof TooManyRows) this.#parts.push(...divide(visits).reverse());
      else if (isRefused(error)) this.#divide(visits, error);
      else {
        onFailure(error);
        return false;
      }
    }
    this.#batch = null;
    return true;
  }

  /** Each part has a receipt of its own: of a refused batch, nothing was committed. */
  #nextBatch(): Batch {
    let visits = this.#parts.pop() ?? new Map();
    while (countParts(visits) > MAX_PARTS) {
      const [first, ...others] = divide(visits);
      if (first === undefined) break;
      this.#parts.push(...others.reverse());
      visits = first;
    }
    return { visits, receipt: { processId: this.#processId, number: ++this.#made } };
  }

  /** Replaces refused visits by their parts, or gives them up if they have none. */
  #divide(visits: Visits, error: unknown): void {
    const hasCounts = [...visits.values()].some(({ hours }) => hours.size > 0);
    const parts = hasCounts || ++this.#refusals <= MAX_REFUSALS ? divide(visits) : [];
    if (parts.length === 0) this.#refused.add(visits, error);
    this.#parts.push(...parts.reverse());
  }
}
