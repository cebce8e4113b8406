import { randomUUID } from 'node:crypto';
import type { Database } from '../db/database.ts';
import { Notifications } from '../db/postgresql/notifications.ts';

/** The minimum time between two notices to other processes, in milliseconds. */
const NOTICE_INTERVAL = 250;

/**
 * Tells other processes that this one has made changes, and hears of theirs, by PostgreSQL's notifications. A notice follows
 * the commit, at a limited rate: within the transactions, it would make them wait for each other at commit. Keys change
 * rarely, so a trigger sends their notices. Without notifications, as on SQLite, other processes find changes when they poll.
 */
export class ChangeNotices {
  readonly #database: Database;
  readonly #onChanges: () => void;
  /** Null without notifications, as on SQLite and on replicas. */
  readonly #notifications: Notifications | null;
  /** Sent with notices: this process knows of its own changes already. */
  readonly #self = randomUUID();
  #timer: NodeJS.Timeout | undefined;
  #sentAt = Number.NEGATIVE_INFINITY;
  readonly #onOwn = () => this.#sendSoon();

  /** @param onChanges called when the log has changes that this process has to read */
  constructor(database: Database, isReplica: boolean, onChanges: () => void) {
    this.#database = database;
    this.#onChanges = onChanges;
    this.#notifications =
      database.provider === 'postgresql' && !isReplica
        ? new Notifications(database, database.product.channel, {
            onNotification: (from) => {
              if (from !== this.#self || database.changes.isSettledAwaited) onChanges();
            },
          })
        : null;
  }

  start(): void {
    this.#notifications?.start();
    this.#database.changes.on('own', this.#onOwn);
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#database.changes.off('own', this.#onOwn);
    await this.#notifications?.stop();
  }

  /** Makes the other processes poll soon, and this one if settled changes are awaited. */
  #sendSoon(): void {
    if (this.#timer !== undefined) return;
    const wait = Math.max(0, this.#sentAt + NOTICE_INTERVAL - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#sentAt = performance.now();
      if (this.#notifications !== null) this.#notifications.notify(this.#self).catch(() => {});
      else if (this.#database.changes.isSettledAwaited) this.#onChanges();
    }, wait).unref();
  }
}
