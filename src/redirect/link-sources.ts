import type { ChangeFeed } from '../db/change/feed.ts';
import type { Database } from '../db/database.ts';
import { DatabaseAway } from '../db/errors.ts';
import { TIMED_OUT, withTimeout } from '../shared/timeout.ts';

/** How long one of several databases may take to answer, in milliseconds. */
const ANSWER_TIMEOUT = 500;

/** A database, and what tells of its changes. */
interface Source {
  readonly database: Database;
  readonly feed: ChangeFeed;
}

/**
 * The databases from which links are read for visitors: the primary, or replicas before it. Each has a feed, which shows whether it
 * answers, and which changes it has. What is older on a replica than a known change is read from the primary, if that answers. A
 * replica that is older than the first change that is announced, or is no standby, is read only if the primary does not answer.
 */
export class LinkSources {
  readonly primary: Source;
  readonly all: readonly Source[];
  readonly #replicas: readonly Source[];
  #turn = 0;

  constructor(primary: Source, replicas: readonly Source[]) {
    this.primary = primary;
    this.all = [primary, ...replicas];
    this.#replicas = replicas;
  }

  /** Whether changes that one of the databases had a second ago are known. */
  get isFresh(): boolean {
    return this.primary.feed.isFresh || this.all.some(({ feed }) => feed.isFresh);
  }

  /** Whether no database answers. */
  get away(): boolean {
    return this.all.every(({ feed }) => feed.away);
  }

  get hasBegun(): boolean {
    return this.all.some(({ feed }) => feed.hasBegun);
  }

  /** Makes sure that changes are known, for callers that prefer stale data to an error. */
  async freshIfAvailable(): Promise<void> {
    if (!this.isFresh) await Promise.any(this.all.map(({ feed }) => feed.freshIfAvailable()));
  }

  /**
   * Reads from the first database that answers.
   * @param changedBy the number of the last transaction that is known to have changed what was found
   */
  async read<T>(ask: (db: Database) => Promise<T>, changedBy: (found: T) => number): Promise<T> {
    if (this.#replicas.length === 0) return ask(this.primary.database);
    const first = this.#turn++ % this.#replicas.length;
    const inTurn = [...this.#replicas.slice(first), ...this.#replicas.slice(0, first)];
    const { away, began } = this.primary.feed;
    // Of which links a replica lacks earlier changes is not known.
    const answering = inTurn.filter(({ feed }) => feed.isFresh && feed.settled > (away ? 0 : began));
    const others = inTurn.filter((source) => !answering.includes(source));
    let outdated: { readonly found: T; readonly needed: number } | undefined;
    let failure: unknown;
    for (const { database, feed } of [...answering, this.primary, ...others]) {
      const isPrimary = feed === this.primary.feed;
      // Then only those are asked that answer, and have the change.
      if (outdated && (isPrimary ? feed.away : !feed.isFresh || feed.settled <= outdated.needed)) continue;
      try {
        const found = await withTimeout(ANSWER_TIMEOUT, ask(database));
        if (found === TIMED_OUT) throw new DatabaseAway('a database did not answer in time');
        const needed = changedBy(found);
        if (isPrimary || needed < feed.settled) return found;
        outdated = { found, needed };
      } catch (error) {
        failure = error;
      }
    }
    if (outdated) return outdated.found;
    throw failure;
  }
}
