import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { ChangeFeed } from '../../db/change/feed.ts';
import type { Db } from '../../db/connection/db.ts';
import { deleteOldDeliveries } from '../../db/webhook/deliveries.ts';
import {
  claimQueues,
  type Queue,
  type Room,
  readBacklog,
  releaseQueue,
  renewClaims,
} from '../../db/webhook/queues.ts';
import { RepeatedFault } from '../../shared/repeated-fault.ts';
import { withTimeout } from '../../shared/timeout.ts';
import { AttemptTurns } from './attempt-slots.ts';
import { dispatchChanges } from './dispatch.ts';
import type { DeliveryStatus } from './events.ts';
import { Outcomes } from './outcomes.ts';
import { type Post, Receiver, type ReceiverDependencies, type Snapshot } from './receiver.ts';
import type { Random } from './signing.ts';

/** The capacity for receivers that a process delivers to at once. */
export interface Capacity {
  /** For receivers whose last attempt failed. */
  readonly failing: number;
  readonly others: number;
  /** After how many milliseconds a receiver leaves its slot if there is no free one. */
  readonly leftAfter: number;
}
const CAPACITY: Capacity = { failing: 100, others: 400, leftAfter: 5_000 };

/** From how many dispatched changes on the next ones are dispatched at once. */
const AT_ONCE_FROM = 100;
/** How often due deliveries are looked up, in milliseconds. */
const LOOKED_EVERY = 1_000;
/** How long a claim on a queue is valid, and how long after the last renewal attempts may start, in milliseconds. */
const CLAIMED_FOR = 5_000;
const TRUSTED_FOR = 3_000;
/** How long `stop` waits for answers, in milliseconds. */
const STOP_TIMEOUT = 5_000;

/** How long deliveries are kept, and how often older ones are deleted, in milliseconds. */
const DELIVERIES_KEPT_FOR = 30 * 24 * 60 * 60 * 1000;
const CLEANED_EVERY = 60 * 60 * 1000;

export interface WebhookDependencies {
  readonly db: Db;
  readonly feed: ChangeFeed;
  readonly log: Logger;
  /** The delays before retries, in milliseconds; by default those of docs/webhooks.md. */
  readonly delays?: readonly number[] | undefined;
  readonly capacity?: Capacity;
  post: Post;
  snapshot: Snapshot;
  random: Random;
  now(): Date;
  /** Resolves when the process is idle, or after a short time. */
  waitUntilIdle(): Promise<void>;
  attempted?(outcome: DeliveryStatus): void;
}

/**
 * Sends changes to webhooks. It reads the settled part of the log of changes, and delivers from queues in the database.
 * All processes share this work; each change and each queue is handled by one of them. Without webhooks, it sends no queries.
 */
export class Webhooks {
  readonly #with: WebhookDependencies;
  readonly #claim = { by: randomUUID(), duration: CLAIMED_FOR };
  readonly #abort = new AbortController();
  readonly #receivers = new Map<number, Receiver>();
  readonly #served = new Set<Promise<void>>();
  readonly #dependencies: ReceiverDependencies;
  readonly #capacity: Capacity;
  /** Whether there are any webhooks; null if unknown. */
  #any: boolean | null = null;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | null = null;
  #again = false;
  #stopping = false;
  readonly #fault: RepeatedFault;
  /** When claims were last made or renewed, and when old deliveries were last deleted, by a monotonic clock. */
  #keptAt = Number.NEGATIVE_INFINITY;
  #cleanedAt = Number.NEGATIVE_INFINITY;

  constructor(dependencies: WebhookDependencies) {
    this.#with = dependencies;
    const { attempted = () => {}, capacity = CAPACITY } = dependencies;
    this.#capacity = capacity;
    this.#fault = new RepeatedFault(dependencies.log, 'webhooks cannot be processed');
    this.#dependencies = {
      ...dependencies,
      attempted,
      by: this.#claim.by,
      outcomes: new Outcomes(dependencies.db),
      turns: new AttemptTurns(),
      signal: this.#abort.signal,
      isSafe: () => !this.#stopping && performance.now() - this.#keptAt < TRUSTED_FOR,
      mustLeave: (receiver) => this.#mustLeave(receiver),
    };
  }

  start(): void {
    this.#with.feed.listen({
      onChange: ({ kind, recordId }) => {
        if (kind !== 'WEBHOOK') return;
        this.#any = null;
        this.#receivers.get(recordId)?.changed();
        this.#wake();
      },
      needsSettled: () => this.#any !== false,
      onSettled: () => this.#wake(),
    });
    this.#timer = setInterval(() => {
      this.#keep().catch(() => {
        // If claims cannot be renewed, attempts stop soon: see `isSafe`.
      });
      this.#wake();
    }, LOOKED_EVERY).unref();
    this.#wake();
  }

  /** The number of waiting deliveries, and when the oldest of them was due. */
  async backlog(): Promise<{ pending: number; dueAt: Date | null }> {
    return this.#any === true ? readBacklog(this.#with.db) : { pending: 0, dueAt: null };
  }

  /** Waits a short time for answers, and leaves the remaining deliveries to other processes. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#timer);
    await withTimeout(STOP_TIMEOUT, Promise.allSettled([...this.#served]));
    this.#abort.abort();
    await Promise.allSettled([this.#round, ...this.#served]);
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
        await this.#once();
        this.#fault.ended();
      } catch (error) {
        // It is tried again in a second.
        this.#fault.occurred(error);
        return;
      }
    }
  }

  async #once(): Promise<void> {
    const { db, random, now } = this.#with;
    if (this.#any === null && !(await this.#lookForAny())) return;
    // After fewer changes, the next round is early enough.
    if ((await dispatchChanges(db, random, now)) >= AT_ONCE_FROM) this.#again = true;
    const room = this.#room();
    if (room.failing > 0 || room.others > 0)
      for (const queue of await this.#claimSome(room)) this.#serve(queue);
    await this.#clean();
  }

  /** How many capacity are free. */
  #room(): Room {
    const failing = [...this.#receivers.values()].filter(({ isFailing }) => isFailing).length;
    const others = this.#receivers.size - failing;
    return {
      failing: Math.max(0, this.#capacity.failing - failing),
      others: Math.max(0, this.#capacity.others - others),
    };
  }

  #isFull({ isFailing }: Receiver): boolean {
    const { failing, others } = this.#room();
    return (isFailing ? failing : others) === 0;
  }

  #mustLeave(receiver: Receiver): boolean {
    return performance.now() - receiver.begunAt > this.#capacity.leftAfter && this.#isFull(receiver);
  }

  /** Finds out whether there are any webhooks; if this fails, it is tried again. */
  async #lookForAny(): Promise<boolean> {
    const { db, feed } = this.#with;
    // A webhook that is made before the feed begins is not announced.
    const { hasBegun } = feed;
    this.#any = true;
    let found: { id: number } | null = null;
    let isKnown = false;
    try {
      found = await db.webhook.findFirst({ select: { id: true } });
      isKnown = found !== null || hasBegun;
    } finally {
      // Unless a change has set it to null meanwhile.
      if (this.#any) this.#any = isKnown ? found !== null : null;
    }
    return found !== null;
  }

  async #claimSome(room: Room): Promise<Queue[]> {
    const askedAt = performance.now();
    const claimed = await claimQueues(this.#with.db, this.#claim, this.#with.now(), room);
    // Earlier claims may expire before these.
    if (this.#receivers.size === 0) this.#keptAt = askedAt;
    return claimed.filter(({ webhookId }) => !this.#receivers.has(webhookId));
  }

  /** Renews the claims of the queues that it delivers from. */
  async #keep(): Promise<void> {
    if (this.#receivers.size === 0) return;
    const askedAt = performance.now();
    const served = [...this.#receivers];
    const kept = await renewClaims(
      this.#with.db,
      this.#claim,
      served.map(([webhookId]) => webhookId),
    );
    // This process did not run for a while, or could not reach the database.
    for (const [webhookId, receiver] of served) if (!kept.has(webhookId)) receiver.changed();
    this.#keptAt = askedAt;
  }

  #serve(queue: Queue): void {
    const { db, log, now } = this.#with;
    const { webhookId } = queue;
    const receiver = new Receiver(this.#dependencies, queue);
    this.#receivers.set(webhookId, receiver);
    const serve = async () => {
      await receiver.serve().catch((error: unknown) => {
        if (!this.#abort.signal.aborted)
          log.warn({ err: error, webhook: webhookId }, 'a webhook could not be served');
      });
      const isAwaited = this.#isFull(receiver);
      // Not after the release: this process may claim the queue again before it gets the answer to that.
      this.#receivers.delete(webhookId);
      await releaseQueue(db, webhookId, this.#claim.by, now()).catch(() => {
        // The claim expires by itself.
      });
      if (isAwaited) this.#wake();
    };
    const served = serve().finally(() => this.#served.delete(served));
    this.#served.add(served);
  }

  /** Deletes a batch of old deliveries, and a second later the next batch, while there are more. */
  async #clean(): Promise<void> {
    if (performance.now() - this.#cleanedAt < CLEANED_EVERY) return;
    const before = new Date(this.#with.now().getTime() - DELIVERIES_KEPT_FOR);
    if (!(await deleteOldDeliveries(this.#with.db, before))) this.#cleanedAt = performance.now();
  }
}
