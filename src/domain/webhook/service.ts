import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { ChangeFeed } from '../../db/change/feed.ts';
import type { Db } from '../../db/connection/client.ts';
import { deleteOldDeliveries } from '../../db/webhook/deliveries.ts';
import { claimQueues, keepQueues, type Queue, readBacklog, releaseQueue } from '../../db/webhook/queues.ts';
import { Turns } from '../../turns.ts';
import { within } from '../../within.ts';
import { dispatchChanges } from './dispatch.ts';
import type { DeliveryStatus } from './events.ts';
import { Outcomes } from './outcomes.ts';
import { type Post, Receiver, type ReceiverDependencies, type Snapshot } from './receiver.ts';
import type { Random } from './signing.ts';

/** How many receivers this process delivers to at once; how many attempts at once; how many of those that failed last. */
const MAX_QUEUES = 500;
const MAX_ATTEMPTS = 100;
const MAX_FAILING = 30;

/** How many changes are so many that there may be more of them at once. */
const MANY = 100;
/** How often it is looked for what is due, in milliseconds. */
const LOOKED_EVERY = 1_000;
/** For how long a queue is claimed, and after which time without a renewal nothing more is tried, in milliseconds. */
const CLAIMED_FOR = 5_000;
const TRUSTED_FOR = 3_000;
/** How long the end waits for answers, in milliseconds. */
const STOP_TIMEOUT = 5_000;

/** For how long deliveries are kept, and how often it is looked for older ones, in milliseconds. */
const DELIVERIES_KEPT_FOR = 30 * 24 * 60 * 60 * 1000;
const CLEANED_EVERY = 60 * 60 * 1000;

export interface WebhookDependencies {
  readonly db: Db;
  readonly feed: ChangeFeed;
  readonly log: Logger;
  /** How long after each failure it is tried again, in milliseconds; as docs/webhooks.md says by default. */
  readonly delays?: readonly number[] | undefined;
  post: Post;
  snapshot: Snapshot;
  random: Random;
  now(): Date;
  /** Settles when nothing more urgent is to be done, or soon. */
  giveWay(): Promise<void>;
  attempted?(outcome: DeliveryStatus): void;
}

/**
 * Tells webhooks of changes. It reads the log of changes as far as it is settled, and delivers from queues in the database.
 * All processes do, each change and each queue one of them. Where there are no webhooks, it asks the database nothing.
 */
export class Webhooks {
  readonly #with: WebhookDependencies;
  readonly #claim = { by: randomUUID(), lasts: CLAIMED_FOR };
  readonly #abort = new AbortController();
  readonly #receivers = new Map<number, Receiver>();
  readonly #served = new Set<Promise<void>>();
  readonly #dependencies: ReceiverDependencies;
  /** Whether there are any webhooks; null where that is to be found out. */
  #any: boolean | null = null;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | null = null;
  #again = false;
  #stopping = false;
  #failed = false;
  /** Since when the queues are claimed or renewed, by a clock that nobody sets; when it was last cleaned. */
  #keptAt = Number.NEGATIVE_INFINITY;
  #cleanedAt = Number.NEGATIVE_INFINITY;

  constructor(dependencies: WebhookDependencies) {
    this.#with = dependencies;
    const { attempted = () => {} } = dependencies;
    this.#dependencies = {
      ...dependencies,
      attempted,
      by: this.#claim.by,
      outcomes: new Outcomes(dependencies.db),
      turns: new Turns(MAX_ATTEMPTS),
      failingTurns: new Turns(MAX_FAILING),
      signal: this.#abort.signal,
      isSafe: () => !this.#stopping && performance.now() - this.#keptAt < TRUSTED_FOR,
    };
  }

  start(): void {
    this.#with.feed.listen({
      onSettled: ({ kind, recordId }) => {
        if (kind === 'WEBHOOK') {
          this.#any = null;
          this.#receivers.get(recordId)?.changed();
        }
        this.#wake();
      },
    });
    this.#timer = setInterval(() => {
      this.#keep().catch(() => {
        // Where they cannot be kept, nothing more is tried before long.
      });
      this.#wake();
    }, LOOKED_EVERY).unref();
    this.#wake();
  }

  /** What is still to be delivered, and since when the first of it could have been. */
  async backlog(): Promise<{ pending: number; dueAt: Date | null }> {
    return this.#any === true ? readBacklog(this.#with.db) : { pending: 0, dueAt: null };
  }

  /** Ends it: waits for answers that come soon, and leaves the rest to be tried by another process. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#timer);
    await within(STOP_TIMEOUT, Promise.allSettled([...this.#served]));
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
        this.#failed = false;
      } catch (error) {
        // It is tried again in a second; told of once.
        if (!this.#failed) this.#with.log.warn({ err: error }, 'webhooks could not be looked after');
        this.#failed = true;
        return;
      }
    }
  }

  async #once(): Promise<void> {
    const { db, random, now } = this.#with;
    if (this.#any === null) {
      this.#any = true;
      const found = await db.webhook.findFirst({ select: { id: true } });
      // Not where a change that was told of meanwhile has it looked up again.
      if (this.#any) this.#any = found !== null;
      if (found === null) return;
    }
    // Of fewer, the next come together with what is changed until then.
    if ((await dispatchChanges(db, random, now)) >= MANY) this.#again = true;
    const room = MAX_QUEUES - this.#receivers.size;
    if (room > 0) for (const queue of await this.#claimSome(room)) this.#serve(queue);
    await this.#clean();
  }

  async #claimSome(room: number): Promise<Queue[]> {
    const askedAt = performance.now();
    const claimed = await claimQueues(this.#with.db, this.#claim, this.#with.now(), room);
    // Others that are claimed already may end earlier.
    if (this.#receivers.size === 0) this.#keptAt = askedAt;
    return claimed.filter(({ webhookId }) => !this.#receivers.has(webhookId));
  }

  /** Keeps the queues that it delivers from. */
  async #keep(): Promise<void> {
    if (this.#receivers.size === 0) return;
    const askedAt = performance.now();
    await keepQueues(this.#with.db, this.#claim);
    this.#keptAt = askedAt;
  }

  #serve(queue: Queue): void {
    const { db, log } = this.#with;
    const { webhookId } = queue;
    const receiver = new Receiver(this.#dependencies, queue);
    this.#receivers.set(webhookId, receiver);
    const served = receiver
      .serve()
      .catch((error: unknown) => {
        if (!this.#abort.signal.aborted)
          log.warn({ err: error, webhook: webhookId }, 'a webhook could not be served');
      })
      .then(() => releaseQueue(db, webhookId, this.#claim.by))
      .catch(() => {
        // The claim ends by itself.
      })
      .finally(() => {
        this.#receivers.delete(webhookId);
        this.#served.delete(served);
      });
    this.#served.add(served);
  }

  /** Deletes some old deliveries, and a second later more, while there may be any. */
  async #clean(): Promise<void> {
    if (performance.now() - this.#cleanedAt < CLEANED_EVERY) return;
    const before = new Date(this.#with.now().getTime() - DELIVERIES_KEPT_FOR);
    if (!(await deleteOldDeliveries(this.#with.db, before))) this.#cleanedAt = performance.now();
  }
}
