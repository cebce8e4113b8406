import type { Logger } from 'pino';
import type { Db } from '../../db/connection/db.ts';
import { bodyOf, type DueDelivery, dueDeliveries } from '../../db/webhook/deliveries.ts';
import { hasQueue, type Queue, storeFailingSince } from '../../db/webhook/queues.ts';
import type { Webhook } from '../../generated/sqlite/client.ts';
import { visibleError } from '../errors.ts';
import type { AttemptTurns } from './attempt-slots.ts';
import { type DeliveryStatus, type EventKind, messageTypeOf } from './events.ts';
import type { Outcomes } from './outcomes.ts';
import { isGivenUp, retryAt } from './retry-schedule.ts';
import { type Random, signatureHeaders } from './signing.ts';
import { giveUpWebhook } from './webhook.ts';

/** A receiver's answer. */
export interface Answer {
  /** Null if there was no answer. */
  readonly status: number | null;
  /** Why the attempt failed, in a few words; null if it succeeded. */
  readonly error: string | null;
}

/** Posts a message to a URL. It settles within about ten seconds, whatever the receiver does, and rejects if aborted. */
export type Post = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
) => Promise<Answer>;

/** A record in the form of v1; null if the account has none with this id. */
export type Snapshot = (accountId: number, kind: EventKind, id: number) => Promise<object | null>;

export interface ReceiverDependencies {
  readonly db: Db;
  readonly by: string;
  readonly outcomes: Outcomes;
  /** Those of all receivers of the process. */
  readonly turns: AttemptTurns;
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly delays?: readonly number[] | undefined;
  post: Post;
  snapshot: Snapshot;
  random: Random;
  now(): Date;
  /** Whether the claims are valid for long enough to try a delivery. */
  isSafe(): boolean;
  /** Whether the receiver has had its place for long enough, and others may wait for one. */
  mustLeave(receiver: Receiver): boolean;
  /** Resolves when the process is idle, or after a short time. */
  waitUntilIdle(): Promise<void>;
  /** Called with the result of each attempt. */
  attempted(outcome: DeliveryStatus): void;
}

/** How many deliveries are read at once, and how many are attempted at once for one receiver. */
const BATCH_SIZE = 100;
const AT_ONCE = 4;
/** After how many failures in a row a receiver is bad, as a slow one is: it gets one attempt at a time. */
const FAILING_AFTER = 3;

/** The deliveries by record, in order. */
function byRecord(deliveries: readonly DueDelivery[]): DueDelivery[][] {
  return [...Map.groupBy(deliveries, ({ kind, recordId }) => `${kind} ${recordId}`).values()];
}

/** Delivers what is due for one webhook whose queue this process has claimed. */
export class Receiver {
  readonly #with: ReceiverDependencies;
  readonly #webhookId: number;
  #failingSince: Date | null;
  #storedFailingSince: Date | null;
  #failuresInARow: number;
  /** Whether the log says that it fails. */
  #isLogged: boolean;
  /** Whether it has answered in time. */
  #isGood = false;
  readonly begunAt = performance.now();
  #changed = false;

  constructor(dependencies: ReceiverDependencies, { webhookId, failingSince }: Queue) {
    this.#with = dependencies;
    this.#webhookId = webhookId;
    this.#failingSince = failingSince;
    this.#storedFailingSince = failingSince;
    this.#failuresInARow = failingSince === null ? 0 : FAILING_AFTER;
    this.#isLogged = failingSince !== null;
  }

  /** Call it when the webhook may be changed, or its queue another process's: both are read again before anything else is sent. */
  changed(): void {
    this.#changed = true;
  }

  /** Whether its last attempt failed. */
  get isFailing(): boolean {
    return this.#failingSince !== null;
  }

  /** Delivers until nothing is due, or it must leave its place to others. */
  async serve(): Promise<void> {
    const { db, by, signal } = this.#with;
    while (!signal.aborted && this.#with.isSafe() && !this.#with.mustLeave(this)) {
      this.#changed = false;
      const webhook = await db.webhook.findUnique({ where: { id: this.#webhookId } });
      if (webhook === null || webhook.disabled || !(await hasQueue(db, webhook.id, by))) return;
      const due = await dueDeliveries(db, webhook.id, this.#with.now(), BATCH_SIZE);
      if (due.length === 0) return;
      await this.#deliver(webhook, byRecord(due));
      await this.#storeFailing();
    }
  }

  /** Delivers for several records at once, and for each record in order. What it leaves is read again. */
  async #deliver(webhook: Webhook, records: DueDelivery[][]): Promise<void> {
    const open = new Set<Promise<void>>();
    const errors: unknown[] = [];
    const deliver = async (record: readonly DueDelivery[]) => {
      for (const delivery of record) {
        if (open.size > this.#atOnce() || !this.#goesOn()) return;
        // Later deliveries of the record wait for a failed one.
        if (!(await this.#try(webhook, delivery))) return;
      }
    };
    while (records.length > 0 && errors.length === 0 && this.#goesOn()) {
      const record = open.size < this.#atOnce() ? records.shift() : undefined;
      if (record === undefined) {
        await Promise.race(open);
        continue;
      }
      const done = deliver(record)
        .catch((error: unknown) => void errors.push(error))
        .finally(() => open.delete(done));
      open.add(done);
    }
    await Promise.all(open);
    if (errors.length > 0) throw errors[0];
  }

  /** How many attempts the receiver gets at once: one until it has answered in time, since it may be slow. */
  #atOnce(): number {
    return this.#isGood && !this.#isBad() ? AT_ONCE : 1;
  }

  #isBad(): boolean {
    return this.#failuresInARow >= FAILING_AFTER || this.#with.turns.isSlow(this.#webhookId);
  }

  #goesOn(): boolean {
    const { signal, isSafe, mustLeave } = this.#with;
    return !this.#changed && !signal.aborted && isSafe() && !mustLeave(this);
  }

  /** Tries one delivery, and returns whether it was delivered. */
  async #try(webhook: Webhook, delivery: DueDelivery): Promise<boolean> {
    const { turns, outcomes, random, now, delays, attempted } = this.#with;
    await this.#with.waitUntilIdle();
    const attempt = async () => (this.#goesOn() ? this.#send(webhook, delivery) : null);
    const tried = await turns.take(webhook.id, () => this.#isBad(), attempt);
    if (tried === null) return false;
    const { body, status, error } = tried;
    const at = now();
    const again = error === null ? null : retryAt(delivery.failures + 1, at, random, delays);
    await outcomes.write({
      webhookId: webhook.id,
      delivery,
      at,
      responseStatus: status,
      error,
      retryAt: again,
      body,
    });
    if (error === null) attempted('DELIVERED');
    else attempted(again === null ? 'FAILED' : 'PENDING');
    if (error !== null) this.#logFailing(status, error);
    await this.#noteFailure(error !== null, again === null, at);
    return error === null;
  }

  /** Builds the message, unless one was sent before, signs it and posts it. */
  async #send(webhook: Webhook, delivery: DueDelivery): Promise<Answer & { body: string | null }> {
    const { db, turns, post, now, signal, log } = this.#with;
    let body: string | null = null;
    try {
      body =
        (delivery.kept === 1 ? await bodyOf(db, delivery.id) : null) ??
        (await this.#message(webhook, delivery));
      const headers = signatureHeaders(webhook, delivery.messageId, body, now());
      const begun = performance.now();
      const answer = await post(webhook.url, headers, body, signal);
      if (turns.answered(webhook.id, performance.now() - begun)) this.#isGood = true;
      return { ...answer, body };
    } catch (error) {
      if (signal.aborted || visibleError(error)?.code === 'UNAVAILABLE') throw error;
      // A message that cannot be built must not block the others for ever.
      log.error({ err: error, delivery: delivery.id }, 'a webhook delivery could not be made');
      return { status: null, error: 'internal error', body };
    }
  }

  async #message({ accountId }: Webhook, { event, kind, recordId, createdAt }: DueDelivery): Promise<string> {
    const deleted = event.endsWith('_DELETED');
    // Only these kinds have deliveries.
    const data = deleted ? null : await this.#with.snapshot(accountId, kind as EventKind, recordId);
    return JSON.stringify({
      type: messageTypeOf(event),
      timestamp: createdAt.toISOString(),
      // Also for a record that was deleted meanwhile; its deletion is a later message.
      data: data ?? { id: recordId },
    });
  }

  /**
   * Keeps track of failures. A webhook that has failed for too long is disabled; not by the first failure after days without a
   * message, but when a message is given up.
   */
  async #noteFailure(failed: boolean, ended: boolean, at: Date): Promise<void> {
    this.#failuresInARow = failed ? this.#failuresInARow + 1 : 0;
    if (!failed) this.#failingSince = null;
    else this.#failingSince ??= at;
    if (!ended || this.#failingSince === null || !isGivenUp(this.#failingSince, at)) return;
    this.#changed = true;
    await giveUpWebhook(this.#with.db, this.#webhookId, at);
    this.#with.log.warn({ webhook: this.#webhookId }, 'a webhook that failed for five days is disabled');
  }

  /** Logs that it begins to fail; not each failure, nor each time that only some attempts fail. */
  #logFailing(status: number | null, error: string): void {
    if (this.#isLogged) return;
    this.#isLogged = true;
    this.#with.log.warn({ webhook: this.#webhookId, status, error }, 'a webhook fails');
  }

  /** Stores since when it fails; once for several attempts, since only days matter. */
  async #storeFailing(): Promise<void> {
    if (this.#failingSince === null && this.#isLogged) {
      this.#isLogged = false;
      this.#with.log.info({ webhook: this.#webhookId }, 'a webhook works again');
    }
    if (this.#changed || this.#failingSince?.getTime() === this.#storedFailingSince?.getTime()) return;
    await storeFailingSince(this.#with.db, this.#webhookId, this.#failingSince);
    this.#storedFailingSince = this.#failingSince;
  }
}
