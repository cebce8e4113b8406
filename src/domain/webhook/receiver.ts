import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Database } from '../../db/database.ts';
import { type DueDelivery, dueDeliveries, readBody } from '../../db/webhook/deliveries.ts';
import type { Beginnings } from '../../db/webhook/joining.ts';
import type { Outcomes } from '../../db/webhook/outcomes.ts';
import { hasQueue, type Queue, storeFailingSince } from '../../db/webhook/queues.ts';
import type { Answer, Post } from '../../engine/outgoing/post.ts';
import { visibleError } from '../../engine/rules/errors.ts';
import { hostOf, withoutPort } from '../../engine/rules/url.ts';
import { growingTo } from '../../engine/tools/growing-cache.ts';
import type { Random } from '../../engine/tools/random.ts';
import { TIMED_OUT, withTimeout } from '../../engine/tools/timeout.ts';
import { tracer } from '../../engine/tools/tracing.ts';
import { Turns } from '../../engine/tools/turns.ts';
import type { Webhook } from '../../generated/sqlite/client.ts';
import { type DeliveryStatus, type DisabledReason, type EventKind, messageTypeOf } from './events.ts';
import { isGivenUp, retryAt } from './retry-schedule.ts';
import { signatureHeaders } from './signing.ts';
import { giveUpWebhook } from './webhook.ts';

/** Maximum numbers of a process's concurrent attempts: recent ones, and ones that turned out to be slow. */
const MAX_ATTEMPTS = 100;
const MAX_OVERDUE = 400;
/** Maximum number of slow receivers to remember. */
const MAX_SLOW = 10_000;

const OVERDUE_AFTER = 2_000;
/** For how many milliseconds a receiver that is not slow may take. */
const SLOW_AFTER = 5_000;

/**
 * Limits the attempts of a process. After a while, an attempt counts as overdue, so that it delays no others. Receivers that are
 * slow or fail need no slot: each gets one attempt at a time.
 */
export class AttemptSlots {
  readonly #overdueAfter: number;
  readonly #attempts = new Turns({ max: MAX_ATTEMPTS });
  readonly #overdue = new Turns({ max: MAX_OVERDUE });
  /** The webhooks whose receivers took long for their last answer, or have not given it for a while. */
  readonly #slow = new LRUCache<number, true>(growingTo(MAX_SLOW));

  constructor(overdueAfter = OVERDUE_AFTER) {
    this.#overdueAfter = overdueAfter;
  }

  isSlow(webhookId: number): boolean {
    return this.#slow.has(webhookId);
  }

  /** Records how long an answer took, in milliseconds; returns whether it came in time. */
  recordAnswer(webhookId: number, time: number): boolean {
    if (time < SLOW_AFTER) this.#slow.delete(webhookId);
    else this.#slow.set(webhookId, true);
    return time < SLOW_AFTER;
  }

  /**
   * Makes an attempt when there is a slot for it.
   * @param isBad whether the receiver is slow or fails by then
   */
  async run<T>(webhookId: number, isBad: () => boolean, attempt: () => Promise<T>): Promise<T> {
    const begun = await this.#attempts.take('', async () => {
      if (isBad()) return null;
      const result = attempt();
      if ((await withTimeout(this.#overdueAfter, result)) !== TIMED_OUT) return { result };
      // Until the receiver answers, its waiting attempts need no slot.
      this.#slow.set(webhookId, true);
      const moved = Promise.withResolvers<void>();
      const wait = () => {
        moved.resolve();
        return result;
      };
      this.#overdue.take('', wait).catch(() => {
        // The caller of `run` gets the error.
      });
      await Promise.race([result, moved.promise]);
      return { result };
    });
    return begun === null ? attempt() : begun.result;
  }
}

/** A record in the form of v1; null if the account has none with this id. */
export type Snapshot = (accountId: number, kind: EventKind, id: number) => Promise<object | null>;

export interface DeliveryDependencies {
  readonly db: Database;
  readonly log: Logger;
  /** The delays before retries, in milliseconds; by default those of docs/webhooks.md. */
  readonly delays?: readonly number[] | undefined;
  /** After how many milliseconds an attempt gives up its slot to others. */
  readonly overdueAfter?: number;
  /** Milliseconds by a monotonic clock; by default that of the process. */
  elapsed?(): number;
  post: Post;
  snapshot: Snapshot;
  random: Random;
  now(): Date;
  /** Resolves when the process is idle, or after a short time. */
  waitUntilIdle(): Promise<void>;
  /** Called with the result of each attempt. */
  attempted?(outcome: DeliveryStatus): void;
  /** Called when a webhook is disabled. */
  disabled?(reason: DisabledReason): void;
}

/** The state that the receivers of a process share. */
export interface SharedState {
  /** Milliseconds by a monotonic clock. */
  elapsed(): number;
  /** The process that claims queues. */
  readonly claimedBy: string;
  readonly outcomes: Outcomes;
  readonly beginnings: Beginnings;
  readonly slots: AttemptSlots;
  readonly signal: AbortSignal;
  /**
   * True if the receiver may begin another attempt. Its claim must be valid for long enough, and no other receiver wait
   * for its place.
   */
  mayContinue(receiver: Receiver): boolean;
}

/** Number of deliveries read at once, and maximum number of concurrent attempts for one receiver. */
const BATCH_SIZE = 100;
const MAX_CONCURRENT = 4;
/** After how many failures in a row a receiver gets one attempt at a time. */
const FAILING_AFTER = 3;

/** The body of the message about a delivery, with the record as it is now. */
async function messageBody(
  accountId: number,
  { event, kind, recordId, createdAt }: DueDelivery,
  snapshot: Snapshot,
): Promise<string> {
  // Only these kinds have other deliveries.
  const hasRecord = event !== 'PING' && !event.endsWith('_DELETED');
  const record = hasRecord ? await snapshot(accountId, kind as EventKind, recordId) : null;
  return JSON.stringify({
    type: messageTypeOf(event),
    timestamp: createdAt.toISOString(),
    // A record that is already deleted has only its id; its deletion is a later message.
    data: record ?? { id: recordId },
  });
}

/** Delivers what is due for one webhook whose queue this process has claimed. */
export class Receiver {
  readonly #deps: DeliveryDependencies & SharedState;
  readonly #webhookId: number;
  #failingSince: Date | null;
  #storedFailingSince: Date | null;
  #failuresInARow: number;
  /** True if the last message in the log says that it fails. */
  #isLogged: boolean;
  readonly begunAt: number;
  #hasAnsweredInTime = false;
  #isChanged = false;

  constructor(dependencies: DeliveryDependencies & SharedState, { webhookId, failingSince }: Queue) {
    this.#deps = dependencies;
    this.begunAt = dependencies.elapsed();
    this.#webhookId = webhookId;
    this.#failingSince = failingSince;
    this.#storedFailingSince = failingSince;
    this.#failuresInARow = failingSince === null ? 0 : FAILING_AFTER;
    this.#isLogged = failingSince !== null;
  }

  /** Call it when the webhook may be changed, or another process may have its queue: both are read again before the next attempt. */
  changed(): void {
    this.#isChanged = true;
  }

  /** True if the last attempt failed. */
  get isFailing(): boolean {
    return this.#failingSince !== null;
  }

  /** Delivers until nothing is due, or it may not continue. */
  async serve(): Promise<void> {
    const { db, claimedBy, now, mayContinue } = this.#deps;
    while (mayContinue(this)) {
      this.#isChanged = false;
      const webhook = await db.prisma.webhook.findUnique({
        where: { id: this.#webhookId, account: { disabledAt: null } },
      });
      if (webhook === null || webhook.disabled || !(await hasQueue(db, webhook.id, claimedBy))) return;
      const due = await dueDeliveries(db, webhook.id, now(), BATCH_SIZE);
      if (due.length === 0) return;
      const byRecord = Map.groupBy(due, ({ kind, recordId }) => `${kind} ${recordId}`);
      await this.#deliver(webhook, [...byRecord.values()]);
      await this.#storeHealth();
    }
  }

  #mayContinue(): boolean {
    return !this.#isChanged && this.#deps.mayContinue(this);
  }

  /** Maximum number of concurrent attempts: one until it has answered in time, since it may be slow. */
  #concurrency(): number {
    return this.#hasAnsweredInTime && !this.#isBad() ? MAX_CONCURRENT : 1;
  }

  #isBad(): boolean {
    return this.#failuresInARow >= FAILING_AFTER || this.#deps.slots.isSlow(this.#webhookId);
  }

  /** Delivers for several records at once, and for each record in order. Deliveries that it does not reach are read again. */
  async #deliver(webhook: Webhook, records: DueDelivery[][]): Promise<void> {
    const running = new Set<Promise<void>>();
    const deliver = async (record: readonly DueDelivery[]) => {
      for (const delivery of record) {
        if (running.size > this.#concurrency() || !this.#mayContinue()) return;
        const attempt = () => this.#try(webhook, delivery);
        const isDelivered = tracer
          ? tracer.call('webhook', { 'linkspace.webhook.id': webhook.id }, attempt)
          : attempt();
        // Later deliveries of the record wait for a failed one.
        if (!(await isDelivered)) return;
      }
    };
    try {
      while (records.length > 0 && this.#mayContinue()) {
        if (running.size >= this.#concurrency()) await Promise.race(running);
        else {
          const done = deliver(records.shift() ?? []).finally(() => running.delete(done));
          running.add(done);
        }
      }
      await Promise.all(running);
    } finally {
      await Promise.allSettled(running);
    }
  }

  /** Tries one delivery, and returns whether it was delivered. */
  async #try(webhook: Webhook, delivery: DueDelivery): Promise<boolean> {
    const { db, log, slots, outcomes, random, now, delays, attempted, disabled, waitUntilIdle } = this.#deps;
    await waitUntilIdle();
    const attempt = async () => (this.#mayContinue() ? this.#send(webhook, delivery) : null);
    const answer = await slots.run(webhook.id, () => this.#isBad(), attempt);
    if (answer === null) return false;
    const { body, status, error } = answer;
    tracer?.note({
      'server.address': withoutPort(hostOf(webhook.url)),
      ...{ 'http.response.status_code': status ?? undefined, 'error.type': error ?? undefined },
    });
    const at = now();
    const next = error === null ? null : retryAt(delivery.failures + 1, at, random, delays);
    const outcome = { delivery, at, responseStatus: status, error, retryAt: next, body };
    await outcomes.write({ webhookId: webhook.id, ...outcome });
    if (error === null) {
      attempted?.('DELIVERED');
      this.#failuresInARow = 0;
      this.#failingSince = null;
      return true;
    }
    attempted?.(next === null ? 'FAILED' : 'PENDING');
    this.#failuresInARow++;
    this.#failingSince ??= at;
    // Only the first failure of several.
    if (!this.#isLogged) log.warn({ webhook: webhook.id, status, error }, 'a webhook fails');
    this.#isLogged = true;
    // Only when a message is given up: the first failure after days without a message is no reason.
    if (next !== null || !isGivenUp(this.#failingSince, at)) return false;
    this.#isChanged = true;
    if (await giveUpWebhook(db, webhook.id, at)) disabled?.('FAILING');
    // The failures of a disabled webhook are not stored.
    this.#storedFailingSince = this.#failingSince;
    log.warn({ webhook: webhook.id }, 'a webhook that failed for five days is disabled');
    return false;
  }

  /** Stores since when it fails, and logs that it works again; once for several attempts, since only days matter. */
  async #storeHealth(): Promise<void> {
    const { db, log } = this.#deps;
    if (!this.isFailing && this.#isLogged) {
      this.#isLogged = false;
      log.info({ webhook: this.#webhookId }, 'a webhook works again');
    }
    if (this.#failingSince?.getTime() === this.#storedFailingSince?.getTime()) return;
    await storeFailingSince(db, this.#webhookId, this.#failingSince);
    this.#storedFailingSince = this.#failingSince;
  }

  /** Builds the message, unless one was sent before, signs it and posts it. */
  async #send(webhook: Webhook, delivery: DueDelivery): Promise<Answer & { body: string | null }> {
    const { db, slots, beginnings, post, snapshot, now, elapsed, signal, log } = this.#deps;
    let body: string | null = null;
    // Before the record is read: later updates of it make a message of their own.
    if (delivery.joins === 1) await beginnings.note(delivery.id);
    try {
      body =
        (delivery.kept === 1 ? await readBody(db, delivery.id) : null) ??
        (await messageBody(webhook.accountId, delivery, snapshot));
      const headers = signatureHeaders(webhook, delivery.messageId, body, now());
      const begun = elapsed();
      const answer = await post(webhook.url, headers, body, signal);
      if (slots.recordAnswer(webhook.id, elapsed() - begun)) this.#hasAnsweredInTime = true;
      return { ...answer, body };
    } catch (error) {
      if (signal.aborted || visibleError(error)?.code === 'UNAVAILABLE') throw error;
      // A message that cannot be built must not block the others for ever.
      log.error({ err: error, delivery: delivery.id }, 'a webhook delivery could not be made');
      return { status: null, error: 'internal error', body };
    }
  }
}
