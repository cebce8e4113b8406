import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Database } from '../../db/database.ts';
import { failWaiting, overfullWebhooks, waitingByWebhook } from '../../db/webhook/waiting.ts';
import { growingTo } from '../../engine/tools/growing-cache.ts';
import type { DisabledReason } from './events.ts';
import { WAITING_LIMITS, type WaitingLimits } from './waiting-limits.ts';
import { disableWebhook } from './webhook.ts';

/** The error of messages that waited for a webhook with too many. */
const TOO_MANY = 'too many messages waited';
/** Milliseconds for which a count is used; other processes add messages, too. */
const COUNT_AGE = 10_000;
/** Maximum number of accounts whose counts are remembered. */
const MAX_ACCOUNTS = 10_000;

interface Count {
  readonly waiting: number;
  /** Messages that this process has added since. */
  readonly added: number;
  readonly at: number;
}

interface WaitingDependencies {
  readonly db: Database;
  readonly log: Logger;
  readonly limits?: WaitingLimits | undefined;
  now(): Date;
  /** Called when a webhook is disabled. */
  disabled?(reason: DisabledReason): void;
}

/** Bounds the waiting messages of accounts: the webhook with the most is disabled, and its messages fail. */
export class WaitingMessages {
  readonly #deps: WaitingDependencies;
  readonly #counts = new LRUCache<number, Count>(growingTo(MAX_ACCOUNTS));
  /** The accounts to which messages were added. */
  readonly #added = new Map<number, number>();
  /** The disabled webhooks whose messages have to fail; null if unknown. */
  #overfull: number[] | null = null;

  constructor(dependencies: WaitingDependencies) {
    this.#deps = dependencies;
  }

  /** Notes messages that were added for an account. */
  add(accountId: number, messages: number): void {
    this.#added.set(accountId, (this.#added.get(accountId) ?? 0) + messages);
  }

  /** Call it when webhooks may have been disabled. */
  lookAgain(): void {
    this.#overfull = null;
  }

  /** Disables webhooks of the accounts to which messages were added, while too many wait. */
  async enforce(): Promise<void> {
    const { max } = this.#limits;
    for (const [accountId, added] of this.#added) {
      this.#added.delete(accountId);
      const known = this.#counts.get(accountId);
      const isKnown = known && performance.now() - known.at < COUNT_AGE;
      if (isKnown && known.waiting + known.added + added <= max)
        this.#counts.set(accountId, { ...known, added: known.added + added });
      else await this.#count(accountId);
    }
  }

  get #limits(): WaitingLimits {
    return this.#deps.limits ?? WAITING_LIMITS;
  }

  async #count(accountId: number): Promise<void> {
    const { db } = this.#deps;
    const byWebhook = await waitingByWebhook(db, accountId);
    let waiting = byWebhook.reduce((sum, one) => sum + one.waiting, 0);
    for (const one of byWebhook) {
      if (waiting <= this.#limits.max) break;
      await this.#disable(accountId, one.webhookId, waiting);
      waiting -= one.waiting;
    }
    this.#counts.set(accountId, { waiting, added: 0, at: performance.now() });
  }

  async #disable(accountId: number, webhookId: number, waiting: number): Promise<void> {
    const { db, log, now, disabled } = this.#deps;
    // Another process may have been faster.
    if (!(await disableWebhook(db, webhookId, 'TOO_MANY_WAITING', now()))) return;
    disabled?.('TOO_MANY_WAITING');
    log.warn(
      { webhook: webhookId, account: accountId, waiting },
      'a webhook is disabled, since too many messages of its account wait',
    );
    this.lookAgain();
  }

  /** Fails some messages that wait for webhooks that had too many; returns whether there may be more. */
  async failSome(): Promise<boolean> {
    const { db } = this.#deps;
    this.#overfull ??= await overfullWebhooks(db);
    const [webhookId] = this.#overfull;
    if (webhookId === undefined) return false;
    if (!(await failWaiting(db, webhookId, TOO_MANY))) this.#overfull.shift();
    return true;
  }
}
