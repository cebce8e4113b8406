import type { Database } from '../db/database.ts';
import type { ChangeFeed } from '../engine/changes/feed.ts';
import { FRESH_TIMEOUT } from '../engine/changes/poll.ts';
import { requireAnswers } from '../engine/db/answer-watch.ts';
import { DatabaseAway } from '../engine/db/errors.ts';
import { TIMED_OUT, withTimeout } from '../engine/tools/timeout.ts';
import { VisitWait } from './visit-wait.ts';

/** Milliseconds until the next database is asked as well, and for which the last ones may take. */
const ANSWER_TIMEOUT = 500;
const LAST_TIMEOUT = 1_500;

/** A database, and what tells of its changes. */
interface Source {
  readonly database: Database;
  readonly feed: ChangeFeed;
}

/** A database's answer, and the number of the last transaction known to have changed it. */
interface Answer<T> {
  readonly source: Source;
  readonly found: T;
  readonly needed: number;
  /** True if the database has that transaction. */
  readonly isCurrent: boolean;
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
  readonly #outdated = new WeakSet<object>();
  #turn = 0;

  constructor(primary: Source, replicas: readonly Source[]) {
    this.primary = primary;
    this.all = [primary, ...replicas];
    this.#replicas = replicas;
  }

  /** True if the changes of at least one database are known up to a second ago. */
  get isFresh(): boolean {
    return this.primary.feed.isFresh || this.#replicas.some(({ feed }) => feed.isFresh);
  }

  /** True if no database answers. */
  get away(): boolean {
    return this.primary.feed.away && this.#replicas.every(({ feed }) => feed.away);
  }

  get hasBegun(): boolean {
    return this.primary.feed.hasBegun || this.#replicas.some(({ feed }) => feed.hasBegun);
  }

  /** Records that were read before this time, by `performance.now()`, may lack changes from more than a second ago. */
  get staleBefore(): number {
    const { feed } = this.primary;
    if (feed.isFresh || this.#replicas.length === 0) return feed.staleBefore;
    const answering = this.all.filter((one) => one.feed.isFresh);
    return answering.length === 0
      ? feed.staleBefore
      : Math.min(...answering.map((one) => one.feed.staleBefore));
  }

  /** Makes sure that changes are known, for callers that prefer stale data to an error. */
  async freshIfAvailable(wait = new VisitWait()): Promise<void> {
    if (!this.isFresh)
      await wait.upTo(FRESH_TIMEOUT, (ms) =>
        Promise.any(this.all.map(({ feed }) => feed.freshIfAvailable(ms))),
      );
  }

  /** @throws DatabaseAway if no database has answered a question for changes for some time */
  async requireAnswers(): Promise<void> {
    await this.freshIfAvailable();
    requireAnswers(Math.min(...this.all.map(({ feed }) => feed.unansweredFor)), 'changes');
  }

  /**
   * Reads from the first database that answers and has the last change, or else from one that answers.
   * @param changedBy the number of the last transaction that is known to have changed what was found
   */
  async read<T>(ask: (db: Database) => Promise<T>, changedBy: (found: T) => number): Promise<T> {
    if (this.#replicas.length === 0) return ask(this.primary.database);
    const first = this.#turn++ % this.#replicas.length;
    const inTurn = [...this.#replicas.slice(first), ...this.#replicas.slice(0, first)];
    const { away, began, unreadUpTo } = this.primary.feed;
    // Of which links a replica lacks earlier changes is not known.
    const answering = inTurn.filter(({ feed }) => feed.isFresh && feed.settled > (away ? 0 : began));
    const others = inTurn.filter((source) => !answering.includes(source));
    const asked = new Map<Source, Promise<Answer<T>>>();
    let outdated: Answer<T> | undefined;
    let failure: unknown = new DatabaseAway('no database answered in time');
    /** The first answer that comes in time. */
    const next = async (timeout: number): Promise<Answer<T> | undefined> => {
      const answer = await withTimeout(timeout, Promise.any(asked.values())).catch((error: unknown) => {
        failure = error instanceof AggregateError ? error.errors.at(-1) : error;
        asked.clear();
      });
      if (!answer || answer === TIMED_OUT) return undefined;
      asked.delete(answer.source);
      if (!answer.isCurrent) outdated = answer;
      return answer;
    };
    for (const source of [...answering, this.primary, ...others]) {
      const { database, feed } = source;
      const isPrimary = source === this.primary;
      // Then only those are asked that answer, and have the change.
      if (outdated && (isPrimary ? feed.away : !feed.isFresh || feed.settled <= outdated.needed)) continue;
      const answerOf = (found: T): Answer<T> => {
        // What has changed up to there is not known yet.
        const needed = Math.max(changedBy(found), unreadUpTo);
        return { source, found, needed, isCurrent: isPrimary || needed < feed.settled };
      };
      asked.set(source, ask(database).then(answerOf));
      const answer = await next(ANSWER_TIMEOUT);
      if (answer?.isCurrent) return answer.found;
    }
    while (asked.size > 0) {
      const answer = await next(LAST_TIMEOUT);
      if (answer?.isCurrent) return answer.found;
      if (answer === undefined) break;
    }
    if (!outdated) throw failure;
    if (isObject(outdated.found)) this.#outdated.add(outdated.found);
    return outdated.found;
  }

  /** True if another database has a later change than this result. It must not be cached. */
  isOutdated(found: object): boolean {
    return this.#outdated.has(found);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
