import type { Logger } from 'pino';
import type { Data } from '../../db/database.ts';
import { type Queue, storeFailingSince } from '../../db/webhook/queues.ts';
import { isGivenUp } from './retry-schedule.ts';
import { giveUpWebhook } from './webhook.ts';

/** After how many failures in a row a receiver gets one attempt at a time. */
const FAILING_AFTER = 3;

/** Records whether a webhook's receiver fails: in the log, in the database, and by disabling the webhook after days. */
export class ReceiverHealth {
  readonly #db: Data;
  readonly #log: Logger;
  readonly #webhookId: number;
  #failingSince: Date | null;
  #storedFailingSince: Date | null;
  #failuresInARow: number;
  /** Whether the last message in the log says that it fails. */
  #isLogged: boolean;

  constructor({ db, log }: { db: Data; log: Logger }, { webhookId, failingSince }: Queue) {
    this.#db = db;
    this.#log = log;
    this.#webhookId = webhookId;
    this.#failingSince = failingSince;
    this.#storedFailingSince = failingSince;
    this.#failuresInARow = failingSince === null ? 0 : FAILING_AFTER;
    this.#isLogged = failingSince !== null;
  }

  /** Whether the last attempt failed. */
  get isFailing(): boolean {
    return this.#failingSince !== null;
  }

  get failsRepeatedly(): boolean {
    return this.#failuresInARow >= FAILING_AFTER;
  }

  recordSuccess(): void {
    this.#failuresInARow = 0;
    this.#failingSince = null;
  }

  /** Logs only the first failure of several. */
  recordFailure(at: Date, status: number | null, error: string): void {
    this.#failuresInARow++;
    this.#failingSince ??= at;
    if (!this.#isLogged) this.#log.warn({ webhook: this.#webhookId, status, error }, 'a webhook fails');
    this.#isLogged = true;
  }

  /** Whether the webhook has failed for so long that it must be disabled. */
  isGivenUp(now: Date): boolean {
    return this.#failingSince !== null && isGivenUp(this.#failingSince, now);
  }

  async disableWebhook(at: Date): Promise<void> {
    await giveUpWebhook(this.#db, this.#webhookId, at);
    // The failures of a disabled webhook are not stored.
    this.#storedFailingSince = this.#failingSince;
    this.#log.warn({ webhook: this.#webhookId }, 'a webhook that failed for five days is disabled');
  }

  /** Stores since when it fails, and logs that it works again; once for several attempts, since only days matter. */
  async store(): Promise<void> {
    if (!this.isFailing && this.#isLogged) {
      this.#isLogged = false;
      this.#log.info({ webhook: this.#webhookId }, 'a webhook works again');
    }
    if (this.#failingSince?.getTime() === this.#storedFailingSince?.getTime()) return;
    await storeFailingSince(this.#db, this.#webhookId, this.#failingSince);
    this.#storedFailingSince = this.#failingSince;
  }
}
