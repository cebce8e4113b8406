import { type LoggedChange, readLogSnapshot, settledAfter } from '../../db/change/log.ts';
import { moveReader, placeOfReader } from '../../db/change/reader.ts';
import type { Db } from '../../db/connection/client.ts';
import { type Tx, transaction } from '../../db/connection/transaction.ts';
import { addDeliveries, type NewDelivery } from '../../db/webhook/deliveries.ts';
import { type EventKind, eventOf, eventsOf } from './events.ts';
import { newMessageId, type Random } from './signing.ts';
import { READER } from './webhook.ts';

/** The properties of a webhook that decide whether it gets a change. */
interface Recipient {
  readonly id: number;
  readonly accountId: number;
  readonly events: ReadonlySet<string>;
}

/** The enabled webhooks of the accounts, and which of them the reader of the log has passed. */
async function recipientsOf(tx: Tx, accountIds: readonly number[]) {
  const webhooks = await tx.webhook.findMany({
    where: { accountId: { in: [...accountIds] }, disabled: false },
    select: { id: true, accountId: true, events: true, queue: { select: { listening: true } } },
    orderBy: { id: 'asc' },
  });
  const recipients = webhooks.map(
    ({ id, accountId, events }): Recipient => ({ id, accountId, events: new Set(eventsOf({ events })) }),
  );
  const listening = new Set(webhooks.filter(({ queue }) => queue?.listening).map(({ id }) => id));
  return { recipients, listening };
}

function isEventKind(kind: string): kind is EventKind {
  return kind === 'LINK' || kind === 'SPACE';
}

/** Adds the deliveries of changes, in order. A webhook gets the changes after its own creation in the log. */
async function makeDeliveries(tx: Tx, changes: readonly LoggedChange[], random: Random, now: Date) {
  const accountIds = new Set(changes.flatMap(({ accountId }) => accountId ?? []));
  const { recipients, listening } = await recipientsOf(tx, [...accountIds]);
  const began: number[] = [];
  const made: NewDelivery[] = [];
  for (const { accountId, kind, action, recordId, at: createdAt } of changes) {
    if (kind === 'WEBHOOK' && action === 'CREATED') {
      listening.add(recordId);
      began.push(recordId);
    }
    const event = isEventKind(kind) ? eventOf({ kind, action }) : null;
    if (event === null) continue;
    for (const { id: webhookId, accountId: owner, events } of recipients)
      if (owner === accountId && listening.has(webhookId) && events.has(event))
        made.push({ ...{ webhookId, event, kind, recordId, createdAt }, messageId: newMessageId(random) });
  }
  if (began.length > 0)
    await tx.webhookQueue.updateMany({ where: { webhookId: { in: began } }, data: { listening: true } });
  await addDeliveries(tx, made, now);
}

/**
 * Adds the deliveries of the next settled changes; returns how many changes there were. Several processes may try at once:
 * one of them advances the reader and adds the deliveries, in one transaction.
 */
export async function dispatchChanges(db: Db, random: Random, now: () => Date): Promise<number> {
  const place = await placeOfReader(db, READER);
  if (place === null) return 0;
  const changes = await settledAfter(db, place, await readLogSnapshot(db));
  const last = changes.at(-1);
  if (last === undefined) return 0;
  await transaction(db, async (tx) => {
    if (await moveReader(tx, READER, place, last)) await makeDeliveries(tx, changes, random, now());
  });
  return changes.length;
}
