import type { LoggedChange } from '../../db/change/events.ts';
import { moveReader, positionOfReader, readLogSnapshot, settledAfter } from '../../db/change/log.ts';
import type { Data, Transaction } from '../../db/database.ts';
import { addDeliveries, type NewDelivery } from '../../db/webhook/deliveries.ts';
import { storeAtReader, type WebhookAtReader, webhooksAtReader } from '../../db/webhook/queues.ts';
import type { Random } from '../random.ts';
import { type EventKind, eventOf, eventsOf } from './events.ts';
import { newMessageId } from './signing.ts';
import { READER } from './webhook.ts';

function isEventKind(kind: string): kind is EventKind {
  return kind === 'LINK' || kind === 'SPACE' || kind === 'TAG';
}

/**
 * The webhook after one of its changes; null if the change has no effect. The change with the highest id wins: ids are assigned
 * under the lock of the webhook, but on PostgreSQL the log may have another order.
 */
function changed(webhook: WebhookAtReader, { id, webhookEvents }: LoggedChange): WebhookAtReader | null {
  if (webhookEvents === null || id <= webhook.changeId) return null;
  return { ...webhook, events: webhookEvents, changeId: id };
}

/** Adds the deliveries of changes, in order. A webhook gets the events that are in effect at the change's position in the log. */
async function makeDeliveries(tx: Transaction, changes: readonly LoggedChange[], random: Random, now: Date) {
  const accountIds = new Set(changes.flatMap(({ accountId }) => accountId ?? []));
  const webhooks = new Map(
    (await webhooksAtReader(tx, [...accountIds])).map((one) => [one.webhookId, one] as const),
  );
  const after = new Map<number, WebhookAtReader>();
  const made: NewDelivery[] = [];
  for (const change of changes) {
    const { accountId, kind, action, recordId, at: createdAt } = change;
    const webhook = kind === 'WEBHOOK' ? webhooks.get(recordId) : undefined;
    const next = webhook && changed(webhook, change);
    if (next) {
      webhooks.set(recordId, next);
      after.set(recordId, next);
    }
    const event = isEventKind(kind) ? eventOf({ kind, action }) : null;
    if (event === null) continue;
    for (const { webhookId, accountId: owner, events } of webhooks.values())
      if (owner === accountId && eventsOf({ events }).includes(event))
        made.push({ webhookId, event, kind, recordId, createdAt, messageId: newMessageId(random) });
  }
  await storeAtReader(tx, [...after.values()]);
  await addDeliveries(tx, made, now);
}

/**
 * Adds the deliveries of the next settled changes; returns how many changes there were. Several processes may try at once:
 * one of them advances the reader and adds the deliveries, in one transaction.
 */
export async function dispatchChanges(db: Data, random: Random, now: () => Date): Promise<number> {
  const position = await positionOfReader(db, READER);
  if (position === null) return 0;
  const changes = await settledAfter(db.database, position, await readLogSnapshot(db));
  const last = changes.at(-1);
  if (last === undefined) return 0;
  await db.transaction(async (tx) => {
    if (await moveReader(tx, READER, position, last)) await makeDeliveries(tx, changes, random, now());
  });
  return changes.length;
}
