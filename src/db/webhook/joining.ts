import { retryConflicts } from '../../engine/db/errors.ts';
import { join, sql } from '../../engine/db/sql.ts';
import { nextFlight } from '../../engine/tools/single-flight.ts';
import type { Data, Transaction } from '../database.ts';
import type { NewDelivery } from './deliveries.ts';

/** The webhook and the record of a message. */
export type AboutRecord = Pick<NewDelivery, 'webhookId' | 'kind' | 'recordId'>;

const columns = { webhookId: 'integer', kind: 'text', recordId: 'integer' } as const;

function given(db: Data, about: readonly AboutRecord[]) {
  const rows = about.map(({ webhookId, kind, recordId }) => [webhookId, kind, recordId]);
  return sql`${db.dialect.table(columns, rows)} AS "given"`;
}

const isAbout = sql`"one"."webhookId" = "given"."webhookId" AND "one"."kind" = "given"."kind"
  AND "one"."recordId" = "given"."recordId" AND "one"."mayJoin"`;

/** Those of the records about which an update waits that further ones may join. */
export async function joinable(tx: Transaction, about: readonly AboutRecord[]): Promise<AboutRecord[]> {
  if (about.length === 0) return [];
  return tx.read<AboutRecord>(sql`SELECT "given"."webhookId", "given"."kind", "given"."recordId"
    FROM ${given(tx, about)} JOIN "WebhookDelivery" AS "one" ON ${isAbout}`);
}

/** Lets no further updates join the waiting ones about these records: another message follows. */
export async function endJoining(tx: Transaction, about: readonly AboutRecord[]): Promise<void> {
  if (about.length === 0) return;
  await tx.execute(sql`UPDATE "WebhookDelivery" SET "mayJoin" = false WHERE "id" IN (
    SELECT "one"."id" FROM ${given(tx, about)} JOIN "WebhookDelivery" AS "one" ON ${isAbout})`);
}

/** Notes that messages are about to be sent, which no further update may join. Those of the same moment share a statement. */
export class Beginnings {
  readonly #db: Data;
  #waiting: number[] = [];
  readonly #writeAll = nextFlight(async () => {
    const ids = this.#waiting;
    this.#waiting = [];
    await retryConflicts(() =>
      this.#db.execute(
        sql`UPDATE "WebhookDelivery" SET "mayJoin" = false WHERE "id" IN (${join(ids)}) AND "mayJoin"`,
      ),
    );
  });

  constructor(db: Data) {
    this.#db = db;
  }

  /** Resolves when it is written: what the message says is read after that. */
  note(deliveryId: number): Promise<void> {
    this.#waiting.push(deliveryId);
    return this.#writeAll();
  }
}
