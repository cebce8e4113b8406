import { type LoggedChange, seenNow, settledAfter } from '../../db/change/log.ts';
import { moveReader, placeOfReader } from '../../db/change/reader.ts';
import type { Db } from '../../db/connection/client.ts';
import { type Tx, transaction } from '../../db/connection/transaction.ts';
import { addDeliveries, type NewDelivery } from '../../db/webhook/deliveries.ts';
import { eventOf, eventsOf, type ToldKind } from './events.ts';
import { newMessageId, type Random } from './signing.ts';
import { READER } from './webhook.ts';

/** What of a webhook decides whether it is told of a change. */
interface Hearer {
  readonly id: number;
  readonly accountId: number;
  readonly events: ReadonlySet<string>;
}

/** The webhooks of the accounts that are told of anything, and which of them the reader of the log has come to. */
async function hearersOf(tx: Tx, accountIds: readonly number[]) {
  const webhooks = await tx.webhook.findMany({
    where: { accountId: { in: [...accountIds] }, disabled: false },
    select: { id: true, accountId: true, events: true, queue: { select: { listening: true } } },
    orderBy: { id: 'asc' },
  });
  const hearers = webhooks.map(
    ({ id, accountId, events }): Hearer => ({ id, accountId, events: new Set(eventsOf({ events })) }),
  );
  const listening = new Set(webhooks.filter(({ queue }) => queue?.listening).map(({ id }) => id));
  return { hearers, listening };
}

function isTold(kind: string): kind is ToldKind {
  return kind === 'LINK' || kind === 'SPACE';
}

/** The deliveries of changes, in their order. A webhook is told of what comes after its own creation in the log. */
async function makeDeliveries(tx: Tx, changes: readonly LoggedChange[], random: Random, now: Date) {
  const accountIds = new Set(changes.flatMap(({ accountId }) => accountId ?? []));
  const { hearers, listening } = await hearersOf(tx, [...accountIds]);
  const began: number[] = [];
  const made: NewDelivery[] = [];
  for (const { accountId, kind, action, recordId, at: createdAt } of changes) {
    if (kind === 'WEBHOOK' && action === 'CREATED') {
      listening.add(recordId);
      began.push(recordId);
    }
    const event = isTold(kind) ? eventOf({ kind, action }) : null;
    if (event === null) continue;
    for (const { id: webhookId, accountId: owner, events } of hearers)
      if (owner === accountId && listening.has(webhookId) && events.has(event))
        made.push({ ...{ webhookId, event, kind, recordId, createdAt }, messageId: newMessageId(random) });
  }
  if (began.length > 0)
    await tx.webhookQueue.updateMany({ where: { webhookId: { in: began } }, data: { listening: true } });
  await addDeliveries(tx, made, now);
}

/**
 * Makes the deliveries of the next changes that are settled; returns how many changes there were. Several processes may try at once:
 * a batch of changes is passed together with the deliveries that it makes, by one of them.
 */
export async function dispatchChanges(db: Db, random: Random, now: () => Date): Promise<number> {
  const place = await placeOfReader(db, READER);
  if (place === null) return 0;
  const changes = await settledAfter(db, place, await seenNow(db));
  const last = changes.at(-1);
  if (last === undefined) return 0;
  await transaction(db, async (tx) => {
    if (await moveReader(tx, READER, place, last)) await makeDeliveries(tx, changes, random, now());
  });
  return changes.length;
}
