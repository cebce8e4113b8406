import { retryConflicts } from '../../engine/db/errors.ts';
import { sql } from '../../engine/db/sql.ts';
import { nextFlight } from '../../engine/tools/single-flight.ts';
import type { Data } from '../database.ts';
import { type DueDelivery, pendingAbout } from './deliveries.ts';

export interface Outcome {
  readonly webhookId: number;
  readonly delivery: Pick<DueDelivery, 'id' | 'kind' | 'recordId' | 'failures'>;
  readonly at: Date;
  readonly responseStatus: number | null;
  /** Why it failed; null if it was delivered. */
  readonly error: string | null;
  /** Time of the next attempt; null if there is none. */
  readonly retryAt: Date | null;
  /** The body, for the next attempt to send the same. */
  readonly body: string | null;
}

type Change = Parameters<Data['prisma']['webhookDelivery']['updateMany']>[0];

function write(db: Data, change: Change): Promise<{ count: number }> {
  return retryConflicts(() => db.prisma.webhookDelivery.updateMany(change));
}

async function writeDelivered(db: Data, outcomes: readonly Outcome[]): Promise<void> {
  const statuses = new Set(outcomes.map(({ responseStatus }) => responseStatus));
  for (const responseStatus of statuses) {
    const same = outcomes.filter((one) => one.responseStatus === responseStatus);
    await write(db, {
      where: { id: { in: same.map(({ delivery }) => delivery.id) } },
      data: {
        status: 'DELIVERED',
        attempts: { increment: 1 },
        lastAttemptAt: same.at(-1)?.at ?? null,
        responseStatus,
        error: null,
        body: null,
      },
    });
  }
}

async function writeFailed(db: Data, outcome: Outcome): Promise<void> {
  const { webhookId, delivery, at, responseStatus, error, retryAt, body } = outcome;
  const { id, failures } = delivery;
  const tried = { attempts: { increment: 1 }, lastAttemptAt: at, responseStatus, error };
  const ended = retryAt === null ? { status: 'FAILED', body: null } : { nextAttemptAt: retryAt, body };
  const written = await write(db, {
    where: { id, failures },
    data: { ...tried, ...ended, failures: { increment: 1 } },
  });
  // It was redelivered during the attempt, and is due with all of its retries.
  if (written.count === 0) await write(db, { where: { id }, data: tried });
  if (written.count === 0 || retryAt === null) return;
  // Later deliveries about the same record wait for it anyway; with a later time, queries for due deliveries do not read them.
  await retryConflicts(() =>
    db.prisma.$executeRaw(sql`
      UPDATE "WebhookDelivery" SET "nextAttemptAt" = ${retryAt}
      WHERE ${pendingAbout(webhookId, delivery)} AND "id" > ${delivery.id} AND "nextAttemptAt" < ${retryAt}`),
  );
}

/** Writes the results of attempts, all successful ones in one statement. Not atomic: some may be written without the others. */
export async function writeOutcomes(db: Data, outcomes: readonly Outcome[]): Promise<void> {
  const delivered = outcomes.filter(({ error }) => error === null);
  await writeDelivered(db, delivered);
  for (const outcome of outcomes) if (outcome.error !== null) await writeFailed(db, outcome);
}

/** Writes the results of attempts. Results that arrive during a write are batched into the next one. */
export class Outcomes {
  readonly #db: Data;
  #waiting: Outcome[] = [];
  readonly #writeAll = nextFlight(() => {
    const together = this.#waiting;
    this.#waiting = [];
    return writeOutcomes(this.#db, together);
  });

  constructor(db: Data) {
    this.#db = db;
  }

  /** Resolves when it is written. */
  write(outcome: Outcome): Promise<void> {
    this.#waiting.push(outcome);
    return this.#writeAll();
  }
}
