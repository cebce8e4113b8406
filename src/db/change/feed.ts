import { randomUUID } from 'node:crypto';
import { pauseIfBlocked } from '../../shared/time-slices.ts';
import { TIMED_OUT, withTimeout } from '../../shared/timeout.ts';
import type { Database } from '../database.ts';
import { DatabaseAway } from '../errors.ts';
import { Notifications } from '../postgresql/notifications.ts';
import type { ReadServer } from '../postgresql/read-server.ts';
import { type LogPosition, MAX_READ, newSince, positionOf, readRevisions, settledAfter } from './log.ts';
import type { LogSnapshot } from './transaction-order.ts';

/** How long a poll stays valid, in milliseconds: changes take effect within a second everywhere. */
const MAX_AGE = 900;
const POLL_INTERVAL = 400;
/** How long a visit, and any other request, waits for a poll, in milliseconds. */
const VISIT_TIMEOUT = 200;
const REQUEST_TIMEOUT = 2_000;
/** The channel of notifications: a trigger sends those of keys, and this module those of records. */
const CHANNEL = 'linkspace';

/** The minimum time between two notifications to other processes, in milliseconds. */
const HINT_INTERVAL = 250;

/** Whether a change may have been committed between two snapshots. */
function mayFollow(before: LogSnapshot, now: LogSnapshot): boolean {
  return before.open.length > 0 || before.next !== now.next || before.lastId !== now.lastId;
}

/**
 * Finds changes for the events of a database: of keys by a number that a trigger increments, of records by the log of
 * changes, from its end at the first poll. Both are polled. On PostgreSQL a notification starts the next poll at once; behind
 * a connection pooler without notifications, polling alone is fast enough. Those of records are sent after the commit, at a
 * limited rate: inside, all transactions would wait for each other at commit. Keys change rarely, so a trigger sends theirs.
 */
export class ChangeFeed {
  /** The number of the last transaction before the changes that are announced; before the first poll, that may be any. */
  began = Number.POSITIVE_INFINITY;
  readonly #database: Database;
  readonly #server: ReadServer | undefined;
  readonly #notifications: Notifications | null;
  /** Sent with notifications: this process knows of its own changes already. */
  readonly #self = randomUUID();
  #timer: NodeJS.Timeout | undefined;
  #hint: NodeJS.Timeout | undefined;
  #hintedAt = Number.NEGATIVE_INFINITY;
  readonly #hintOthers = () => this.#hintSoon();

  #confirmedAt = Number.NEGATIVE_INFINITY;
  #confirming: Promise<void> | null = null;
  /** Whether the last poll failed or took too long. */
  #away = false;
  /** Until when visits do not wait for a database that has just failed. */
  #pausedUntil = 0;
  /** The numbers of the last poll, and of the last one that was answered. */
  #polls = 0;
  #answered = 0;

  /** The number of changes of keys. */
  #keys: number | undefined;
  /** Which transactions had ended at the last read of the log. */
  #seen: LogSnapshot | null = null;
  /** Changes that the last read announced: the next read may find some of them again. */
  #announced = new Set<number>();
  /** Changes after this position are not announced as settled yet. It never goes back. */
  #position: LogPosition | null = null;
  #latest: LogSnapshot | null = null;
  /** The snapshot up to which all settled changes were announced. */
  #done: LogSnapshot | null = null;
  #settling = false;
  #run = 0;

  /** @param server what is told of its answers, if it is a replica: one has no notifications, and does not know all open transactions */
  constructor(database: Database, server?: ReadServer) {
    this.#database = database;
    this.#server = server;
    this.#notifications =
      database.provider === 'postgresql' && server === undefined
        ? new Notifications(database.directUrl, CHANNEL, {
            onNotification: (from) => {
              if (from !== this.#self || this.#isSettledNeeded) this.#pollSoon();
            },
          })
        : null;
  }

  /** Polls in the background, so that a request after a pause need not wait, and tells other processes of changes here. */
  start(): void {
    this.#timer = setInterval(() => this.#pollSoon(), POLL_INTERVAL).unref();
    if (this.#server) this.#pollSoon();
    this.#notifications?.start();
    this.#database.changes.on('own', this.#hintOthers);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#hint);
    this.#database.changes.off('own', this.#hintOthers);
    await Promise.allSettled([this.#notifications?.stop(), this.#confirming]);
  }

  /** Whether the database does not answer, so that cached data may be older than a second. */
  get away(): boolean {
    return this.#away;
  }

  /** Whether the last poll is less than a second old. */
  get isFresh(): boolean {
    return performance.now() - this.#confirmedAt <= MAX_AGE;
  }

  /** Whether changes are announced from now on. */
  get hasBegun(): boolean {
    return this.#seen !== null;
  }

  /**
   * Of transactions with smaller numbers, all changes that there are were announced. A replica that is no standby counts its own
   * transactions, and has not announced any of the primary's.
   */
  get settled(): number {
    return this.#seen === null || this.#server?.isStandby === false ? 0 : this.#seen.settled;
  }

  /** The position up to which settled changes were announced. */
  get position(): LogPosition | null {
    return this.#position;
  }

  get #isSettledNeeded(): boolean {
    return this.#database.changes.listenerCount('settled') > 0;
  }

  /**
   * Makes sure that the last poll is less than a second old.
   * @throws DatabaseAway if the database does not answer in time, or the database's own error
   */
  async fresh(): Promise<void> {
    if (!this.isFresh) await this.confirm();
  }

  /** The same, for callers that prefer stale data to an error. Does not wait while the database is down. */
  async freshIfAvailable(): Promise<void> {
    if (this.isFresh || (this.#away && performance.now() < this.#pausedUntil)) return;
    const confirmed = this.confirm().catch(() => {});
    if (this.#away) return;
    if ((await withTimeout(VISIT_TIMEOUT, confirmed)) === TIMED_OUT) this.#away = true;
  }

  /** Polls once for all callers; its age counts from before the query, not from the answer. */
  confirm(): Promise<void> {
    this.#confirming ??= (async () => {
      const askedAt = performance.now();
      // If a connection hangs, the next query uses another one.
      if ((await withTimeout(REQUEST_TIMEOUT, this.#poll())) === TIMED_OUT)
        throw new DatabaseAway('the database did not answer in time');
      this.#confirmedAt = askedAt;
      this.#away = false;
      if (this.#seen) this.#server?.answered(this.#seen.isStandby);
    })()
      .catch((error: unknown) => {
        this.#away = true;
        this.#pausedUntil = performance.now() + POLL_INTERVAL;
        this.#server?.failed(error);
        throw error;
      })
      .finally(() => {
        this.#confirming = null;
      });
    return this.#confirming;
  }

  #pollSoon(): void {
    this.confirm().catch(() => {
      // The next request polls again, and gets the error.
    });
  }

  async #poll(): Promise<void> {
    const poll = ++this.#polls;
    const { keys, now } = await readRevisions(this.#database);
    // A later poll has answered before this one.
    if (poll < this.#answered) return;
    this.#answered = poll;
    if (this.#keys !== keys) {
      this.#keys = keys;
      this.#database.changes.emit('keys');
    }
    // A replica takes its open transactions for ended ones, but only those from the oldest on.
    await this.read(this.#server ? { ...now, next: now.settled, open: [] } : now);
  }

  /** Makes the other processes poll soon, and this one if settled changes are needed. */
  #hintSoon(): void {
    if (this.#hint !== undefined) return;
    const wait = Math.max(0, this.#hintedAt + HINT_INTERVAL - performance.now());
    this.#hint = setTimeout(() => {
      this.#hint = undefined;
      this.#hintedAt = performance.now();
      if (this.#notifications !== null) this.#notifications.notify(this.#self).catch(() => {});
      else if (this.#isSettledNeeded) this.#pollSoon();
    }, wait).unref();
  }

  /**
   * Announces changes since the last call. An earlier call that is still running announces nothing more.
   * @param now a snapshot that is not older than that of the last call
   */
  async read(now: LogSnapshot): Promise<void> {
    const run = ++this.#run;
    const before = this.#seen;
    const announced = new Set<number>();
    if (before !== null && mayFollow(before, now)) {
      for await (const change of newSince(this.#database, before)) {
        if (run !== this.#run) return;
        announced.add(change.id);
        if (!this.#announced.has(change.id)) this.#database.changes.found(change);
      }
    }
    if (run !== this.#run) return;
    if (before === null) this.began = now.next - 1;
    this.#seen = now;
    this.#announced = announced;
    this.#position ??= positionOf(now);
    this.#latest = now;
    // A long batch must not delay this.
    this.#settle().catch(() => {
      // The next read tries again.
    });
  }

  async #settle(): Promise<void> {
    if (this.#settling) return;
    this.#settling = true;
    try {
      for (;;) {
        const [position, latest] = [this.#position, this.#latest];
        if (position === null || latest === null) return;
        if (this.#done?.settled === latest.settled && this.#done.lastId === latest.lastId) return;
        if (!this.#isSettledNeeded) {
          this.#advance(positionOf(latest));
          this.#done = latest;
          return;
        }
        const changes = await settledAfter(this.#database, position, latest);
        for (const change of changes) {
          this.#position = { tx: change.tx, id: change.id };
          this.#database.changes.emit('settled', change);
        }
        if (changes.length < MAX_READ) this.#done = latest;
        await pauseIfBlocked();
      }
    } finally {
      this.#settling = false;
    }
  }

  #advance(to: LogPosition): void {
    const from = this.#position ?? to;
    if (to.tx > from.tx || (to.tx === from.tx && to.id >= from.id)) this.#position = to;
  }
}
