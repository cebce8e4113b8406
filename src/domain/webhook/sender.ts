import { hasWebhooks } from '../../db/start.ts';
import { deleteOldDeliveries } from '../../db/webhook/deliveries.ts';
import { type FailingWebhooks, mendSchedule, readBacklog, readFailing } from '../../db/webhook/queues.ts';
import type { ChangeFeed } from '../../engine/changes/feed.ts';
import type { RetentionTime } from '../../engine/db/retention-clock.ts';
import { RepeatedFault } from '../../engine/tools/repeated-fault.ts';
import { dispatchChanges } from './dispatch.ts';
import type { DeliveryDependencies } from './receiver.ts';
import { type Capacity, ReceiverPool } from './receiver-pool.ts';
import { longestDelay } from './retry-schedule.ts';
import { WaitingMessages } from './waiting.ts';
import type { WaitingLimits } from './waiting-limits.ts';

const CAPACITY: Capacity = { failing: 100, others: 400, leftAfter: 5_000 };

/** After so many dispatched changes, the next ones are dispatched at once. */
const MANY_CHANGES = 100;
const CHECK_INTERVAL = 1_000;
/** Milliseconds for which deliveries are kept, and between two deletions of older ones. */
const RETENTION = 30 * 24 * 60 * 60 * 1000;
const DELETE_INTERVAL = 60 * 60 * 1000;
/** Milliseconds between two repairs of the schedule. */
const MEND_INTERVAL = 10 * 60 * 1000;

export interface WebhookDependencies extends DeliveryDependencies {
  readonly feed: ChangeFeed;
  /** The time by which old deliveries are deleted. */
  readonly retentionTime: RetentionTime;
  readonly capacity?: Capacity;
  /** Limits of waiting messages. */
  readonly limits?: WaitingLimits | undefined;
  /** Milliseconds between two renewals of claims, and between two look-ups of due deliveries. */
  readonly interval?: number | undefined;
}

/**
 * Sends changes to webhooks. It reads the settled part of the log of changes, and delivers from queues in the database.
 * All processes share this work; each change and each queue is handled by one of them. Without webhooks, it sends no queries.
 */
export class WebhookSender {
  readonly #deps: WebhookDependencies;
  readonly #receivers: ReceiverPool;
  readonly #waiting: WaitingMessages;
  readonly #fault: RepeatedFault;
  /** True if there are any webhooks; null if unknown. */
  #any: boolean | null = null;
  /** Number of announced changes of webhooks. */
  #announced = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #wakeSoon = () => this.#wake();
  #round: Promise<void> | null = null;
  /** True if another round follows the running one. */
  #again = false;
  #stopping = false;
  /** Times of the last repair of the schedule and the last deletion of old deliveries, by a monotonic clock. */
  #mendedAt = Number.NEGATIVE_INFINITY;
  #deletedAt = Number.NEGATIVE_INFINITY;
  /** Up to which id old deliveries were deleted; null if none are deleted now. */
  #deletedUpTo: number | null = null;

  constructor(dependencies: WebhookDependencies) {
    this.#deps = dependencies;
    this.#fault = new RepeatedFault(dependencies.log, 'webhooks cannot be processed');
    this.#waiting = new WaitingMessages(dependencies);
    this.#receivers = new ReceiverPool(dependencies, dependencies.capacity ?? CAPACITY, () => this.#wake());
  }

  start(): void {
    this.#deps.db.changes.on('change', ({ kind, recordId }) => {
      if (kind === 'ACCOUNT') {
        this.#receivers.allChanged();
        this.#wake();
      }
      if (kind !== 'WEBHOOK') return;
      this.#know(null);
      this.#announced++;
      this.#waiting.lookAgain();
      this.#receivers.changed(recordId);
      this.#wake();
    });
    this.#know(null);
    this.#timer = setInterval(() => {
      this.#receivers.renew().catch(() => {
        // Attempts stop until the claims are renewed.
      });
      this.#wake();
    }, this.#deps.interval ?? CHECK_INTERVAL).unref();
    this.#wake();
  }

  /** The number of waiting deliveries, and when the oldest of them was due. */
  async backlog(): Promise<{ pending: number; dueAt: Date | null }> {
    return this.#any === true ? readBacklog(this.#deps.db) : { pending: 0, dueAt: null };
  }

  /** The number of webhooks that fail, and since when. */
  async failing(): Promise<FailingWebhooks> {
    return this.#any === true ? readFailing(this.#deps.db) : { failing: 0, since: null };
  }

  /** Waits a short time for answers, and leaves the remaining deliveries to other processes. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#timer);
    await this.#receivers.stop();
    await this.#round;
  }

  /** Without webhooks, nobody needs settled changes. */
  #know(any: boolean | null): void {
    const { changes } = this.#deps.db;
    this.#any = any;
    changes.off('settled', this.#wakeSoon);
    if (any !== false) changes.on('settled', this.#wakeSoon);
  }

  #wake(): void {
    if (this.#any === false || this.#stopping || this.#timer === undefined) return;
    this.#again = true;
    this.#round ??= this.#rounds().finally(() => {
      this.#round = null;
    });
  }

  async #rounds(): Promise<void> {
    while (this.#again && !this.#stopping) {
      this.#again = false;
      try {
        if (await this.#hasWebhooks()) await this.#processOnce();
        this.#fault.ended();
      } catch (error) {
        // The timer begins another round.
        this.#fault.occurred(error);
        return;
      }
    }
  }

  async #processOnce(): Promise<void> {
    const { db, random, now, delays } = this.#deps;
    if (performance.now() - this.#mendedAt >= MEND_INTERVAL) {
      if (await mendSchedule(db, now(), longestDelay(delays))) this.#again = true;
      else {
        this.#waiting.lookAgain();
        this.#mendedAt = performance.now();
      }
    }
    // After fewer changes, the next round is early enough.
    const added = (accountId: number, messages: number) => this.#waiting.add(accountId, messages);
    if ((await dispatchChanges(db, random, now, added)) >= MANY_CHANGES) this.#again = true;
    await this.#waiting.enforce();
    if (await this.#waiting.failSome()) this.#again = true;
    await this.#receivers.claim();
    await this.#deleteOld();
  }

  async #hasWebhooks(): Promise<boolean> {
    if (this.#any !== null) return this.#any;
    const { hasBegun } = this.#deps.feed;
    const announced = this.#announced;
    const any = await hasWebhooks(this.#deps.db);
    // A webhook that is created before the feed begins is not announced.
    if (announced === this.#announced && (any || hasBegun)) this.#know(any);
    return any;
  }

  /** Deletes a batch of old deliveries, and a second later the next batch, while there are more. */
  async #deleteOld(): Promise<void> {
    if (performance.now() - this.#deletedAt < DELETE_INTERVAL) return;
    const now = await this.#deps.retentionTime();
    const before = now && new Date(now.getTime() - RETENTION);
    this.#deletedUpTo = before && (await deleteOldDeliveries(this.#deps.db, before, this.#deletedUpTo ?? 0));
    if (this.#deletedUpTo === null) this.#deletedAt = performance.now();
  }
}
