import { randomUUID } from 'node:crypto';
import { Beginnings } from '../../db/webhook/joining.ts';
import { Outcomes } from '../../db/webhook/outcomes.ts';
import {
  claimQueues,
  NOTING,
  type Queue,
  type Room,
  releaseQueue,
  renewClaims,
} from '../../db/webhook/queues.ts';
import { withTimeout } from '../../engine/tools/timeout.ts';
import { AttemptSlots, type DeliveryDependencies, Receiver, type SharedState } from './receiver.ts';

/** Maximum numbers of receivers that a process delivers to at once. */
export interface Capacity {
  /** Receivers whose last attempt failed. */
  readonly failing: number;
  readonly others: number;
  /** After how many milliseconds a receiver gives up its place if there is no free one. */
  readonly leftAfter: number;
}

/** Milliseconds for which a claim on a queue is valid, and in which attempts may start after its last renewal. */
const CLAIM_DURATION = 5_000;
const MAX_CLAIM_AGE = 3_000;
/** Milliseconds for which `stop` waits for answers. */
const STOP_TIMEOUT = 5_000;

/** The receivers that this process delivers to. It claims their queues, renews the claims, and releases the queues. */
export class ReceiverPool {
  readonly #deps: DeliveryDependencies;
  readonly #capacity: Capacity;
  readonly #onFree: () => void;
  readonly #elapsed: () => number;
  readonly #claim = { by: `${NOTING}${randomUUID()}`, duration: CLAIM_DURATION };
  readonly #abort = new AbortController();
  readonly #shared: SharedState;
  readonly #byWebhook = new Map<number, Receiver>();
  /** The deliveries to receivers, until their queues are released. */
  readonly #running = new Set<Promise<void>>();
  #stopping = false;
  /** Time of the last claim or renewal. */
  #renewedAt = Number.NEGATIVE_INFINITY;

  /** @param onFree called when a place is free that another receiver may wait for */
  constructor(dependencies: DeliveryDependencies, capacity: Capacity, onFree: () => void) {
    this.#deps = dependencies;
    this.#capacity = capacity;
    this.#onFree = onFree;
    this.#elapsed = dependencies.elapsed ?? (() => performance.now());
    this.#shared = {
      elapsed: this.#elapsed,
      claimedBy: this.#claim.by,
      outcomes: new Outcomes(dependencies.db),
      beginnings: new Beginnings(dependencies.db),
      slots: new AttemptSlots(dependencies.overdueAfter),
      signal: this.#abort.signal,
      mayContinue: (receiver) => this.#mayContinue(receiver),
    };
  }

  /** Call it when a webhook may be changed. */
  changed(webhookId: number): void {
    this.#byWebhook.get(webhookId)?.changed();
  }

  /** Call it when all webhooks of an account may be changed. */
  allChanged(): void {
    for (const receiver of this.#byWebhook.values()) receiver.changed();
  }

  /** Claims as many queues with due deliveries as there is room for, and begins to deliver. */
  async claim(): Promise<void> {
    const room = this.#room();
    if (room.failing === 0 && room.others === 0) return;
    const askedAt = this.#elapsed();
    const claimed = await claimQueues(this.#deps.db, this.#claim, this.#deps.now(), room);
    // Earlier claims may expire before these.
    if (this.#byWebhook.size === 0) this.#renewedAt = askedAt;
    for (const queue of claimed) if (!this.#byWebhook.has(queue.webhookId)) this.#start(queue);
  }

  /** Renews the claims. */
  async renew(): Promise<void> {
    if (this.#byWebhook.size === 0) return;
    const askedAt = this.#elapsed();
    const receivers = [...this.#byWebhook];
    const ids = receivers.map(([webhookId]) => webhookId);
    const kept = await renewClaims(this.#deps.db, this.#claim, ids);
    // A claim is lost if this process did not run for a while, or could not reach the database.
    for (const [webhookId, receiver] of receivers) if (!kept.has(webhookId)) receiver.changed();
    this.#renewedAt = askedAt;
  }

  /** Waits a short time for answers, and leaves the remaining deliveries to other processes. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await withTimeout(STOP_TIMEOUT, Promise.allSettled(this.#running));
    this.#abort.abort();
    await Promise.allSettled(this.#running);
  }

  /** For how many receivers there is room. */
  #room(): Room {
    const failing = [...this.#byWebhook.values()].filter(({ isFailing }) => isFailing).length;
    const others = this.#byWebhook.size - failing;
    return {
      failing: Math.max(0, this.#capacity.failing - failing),
      others: Math.max(0, this.#capacity.others - others),
    };
  }

  #isFull({ isFailing }: Receiver): boolean {
    const { failing, others } = this.#room();
    return (isFailing ? failing : others) === 0;
  }

  #mayContinue(receiver: Receiver): boolean {
    const now = this.#elapsed();
    if (this.#stopping || now - this.#renewedAt >= MAX_CLAIM_AGE) return false;
    return now - receiver.begunAt <= this.#capacity.leftAfter || !this.#isFull(receiver);
  }

  #start(queue: Queue): void {
    const receiver = new Receiver({ ...this.#deps, ...this.#shared }, queue);
    this.#byWebhook.set(queue.webhookId, receiver);
    const done = this.#serve(receiver, queue).finally(() => this.#running.delete(done));
    this.#running.add(done);
  }

  async #serve(receiver: Receiver, { webhookId }: Queue): Promise<void> {
    const { db, log, now } = this.#deps;
    await receiver.serve().catch((error: unknown) => {
      if (!this.#abort.signal.aborted)
        log.warn({ err: error, webhook: webhookId }, 'a webhook could not be served');
    });
    const isAwaited = this.#isFull(receiver);
    // Before the release: after it, this process may claim the queue again.
    this.#byWebhook.delete(webhookId);
    await releaseQueue(db, webhookId, this.#claim.by, now()).catch(() => {
      // The claim expires by itself.
    });
    if (isAwaited) this.#onFree();
  }
}
