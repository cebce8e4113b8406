import type { Database } from '../db/database.ts';
import type { ChangeFeed } from '../engine/changes/feed.ts';
import { FRESH_TIMEOUT } from '../engine/changes/poll.ts';
import { requireAnswers } from '../engine/db/answer-watch.ts';
import { DatabaseAway } from '../engine/db/errors.ts';
import { TIMED_OUT, withTimeout } from '../engine/tools/timeout.ts';
import type { HeardChange, Reading } from './freshness.ts';
import { VisitWait } from './visit-wait.ts';

/** Milliseconds until the next database is asked as well, and for which the last ones may take. */
const ANSWER_TIMEOUT = 500;
const LAST_TIMEOUT = 1_500;

/** A database, and what tells of its changes. */
interface Source {
  readonly database: Database;
  readonly feed: ChangeFeed;
}

/** A database's answer. */
interface Answer<T> extends Reading<T> {
  /** The number of the last transaction that is known to have changed the result. */
  readonly needed: number;
}

/**
 * The databases from which links are read for visitors: the primary, or replicas before it. Each has a feed, which shows whether it
 * answers, and which changes it has. What is older on a replica than a known change is read from the primary, if that answers. A
 * replica that is older than the first change that is announced, or is no standby, is read only if the primary does not answer.
 */
export class VisitDatabases {
  readonly primary: Source;
  readonly all: readonly Source[];
  readonly #replicas: readonly Source[];
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
   * Reads from the first database that answers and has the last change of the result, or else from one that answers.
   * @param lastChange the last change of what was found that this process has heard of
   */
  async read<T>(
    ask: (db: Database) => Promise<T>,
    lastChange: (found: T) => HeardChange,
  ): Promise<Reading<T>> {
    const { primary } = this;
    if (this.#replicas.length === 0) return { found: await ask(primary.database), isComplete: true };
    const { unreadUpTo } = primary.feed;
    const answers = new FirstAnswers<T>();
    for (const source of this.#inOrder()) {
      if (answers.incomplete && !mayHave(source, source === primary, answers.incomplete.needed)) continue;
      answers.await(
        ask(source.database).then((found) => {
          // What has changed up to there is not known yet.
          const needed = Math.max(lastChange(found).tx, unreadUpTo);
          return { found, needed, isComplete: source === primary || needed < source.feed.settled };
        }),
      );
      const answer = await answers.next(ANSWER_TIMEOUT);
      if (answer?.isComplete) return answer;
    }
    while (answers.areExpected) {
      const answer = await answers.next(LAST_TIMEOUT);
      if (answer?.isComplete) return answer;
      if (answer === undefined) break;
    }
    if (answers.incomplete) return answers.incomplete;
    throw answers.failure;
  }

  /** The databases in the order in which they are asked: replicas that answer, each in its turn, the primary, and the others. */
  #inOrder(): Source[] {
    const first = this.#turn++ % this.#replicas.length;
    const inTurn = [...this.#replicas.slice(first), ...this.#replicas.slice(0, first)];
    const { away, began } = this.primary.feed;
    // Of which links a replica lacks earlier changes is not known.
    const answering = inTurn.filter(({ feed }) => feed.isFresh && feed.settled > (away ? 0 : began));
    const others = inTurn.filter((source) => !answering.includes(source));
    return [...answering, this.primary, ...others];
  }
}

/** True if a database answers, and has a transaction. */
function mayHave({ feed }: Source, isPrimary: boolean, transaction: number): boolean {
  return isPrimary ? !feed.away : feed.isFresh && feed.settled > transaction;
}

/** Answers of databases that are asked one after the other, in the order in which they arrive. */
class FirstAnswers<T> {
  readonly #asked = new Set<Promise<Answer<T>>>();
  /** The last answer of a database that lacks a change. */
  incomplete: Answer<T> | undefined;
  /** The reason for which there is no answer. */
  failure: unknown = new DatabaseAway('no database answered in time');

  /** Adds an answer that will arrive. */
  await(answer: Promise<Answer<T>>): void {
    this.#asked.add(answer);
  }

  get areExpected(): boolean {
    return this.#asked.size > 0;
  }

  /** The next answer; undefined if none arrives in time, or all databases have failed. */
  async next(timeout: number): Promise<Answer<T> | undefined> {
    const arriving = Array.from(this.#asked, (asked) => asked.then((answer) => ({ asked, answer })));
    const arrived = await withTimeout(timeout, Promise.any(arriving)).catch((error: unknown) => {
      this.failure = error instanceof AggregateError ? error.errors.at(-1) : error;
      this.#asked.clear();
    });
    if (!arrived || arrived === TIMED_OUT) return undefined;
    const { asked, answer } = arrived;
    this.#asked.delete(asked);
    if (!answer.isComplete) this.incomplete = answer;
    return answer;
  }
}
