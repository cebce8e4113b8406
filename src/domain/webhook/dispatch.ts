import type { Data, Transaction } from '../../db/database.ts';
import { addDeliveries, type NewDelivery } from '../../db/webhook/deliveries.ts';
import { type AboutRecord, endJoining, joinable } from '../../db/webhook/joining.ts';
import { storeAtReader, type WebhookAtReader, webhooksAtReader } from '../../db/webhook/queues.ts';
import { MAX_WRITTEN_ROWS } from '../../db/written-limits.ts';
import type { LoggedChange } from '../../engine/changes/events.ts';
import { findReaderPosition, moveReader, readLogSnapshot, settledAfter } from '../../engine/changes/log.ts';
import type { Random } from '../../engine/tools/random.ts';
import { FORGOTTEN } from '../change/forget.ts';
import { type EventKind, findEvent, parseEvents } from './events.ts';
import { newMessageId } from './signing.ts';
import { MAX_WEBHOOKS, READER } from './webhook.ts';

/**
 * Maximum number of changes that one transaction dispatches. For each webhook, a change may write three rows: it adds a
 * message, may delay that, and may close an earlier one to updates. The reserve is for queues and the reader.
 */
const MAX_DISPATCHED = Math.floor((MAX_WRITTEN_ROWS - 100) / (3 * MAX_WEBHOOKS));

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

/**
 * Adds the deliveries of changes, in order, and returns their accounts. A webhook gets the events that are in effect at the
 * change's position in the log.
 */
async function makeDeliveries(
  tx: Transaction,
  changes: readonly LoggedChange[],
  random: Random,
  now: Date,
): Promise<(number | undefined)[]> {
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
    // The record itself did not change.
    const isForgotten = change.fields === JSON.stringify(FORGOTTEN);
    const event = isEventKind(kind) && !isForgotten ? findEvent({ kind, action }) : null;
    if (event === null) continue;
    for (const { webhookId, accountId: owner, events, notesBeginnings } of webhooks.values())
      if (owner === accountId && parseEvents({ events }).includes(event)) {
        const mayJoin = action === 'UPDATED' && notesBeginnings === 1;
        const messageId = newMessageId(random);
        made.push({ webhookId, event, kind, recordId, createdAt, messageId, mayJoin });
      }
  }
  await storeAtReader(tx, [...after.values()]);
  const left = await withoutJoined(tx, made);
  await addDeliveries(tx, left, now);
  return left.map(({ webhookId }) => webhooks.get(webhookId)?.accountId);
}

const recordKey = ({ webhookId, kind, recordId }: AboutRecord) => `${webhookId} ${kind} ${recordId}`;

/**
 * The messages without updates that join an earlier one about the record, which nobody has begun to send: what that says is read
 * later. Updates before and after another message about the record do not join.
 */
async function withoutJoined(tx: Transaction, made: readonly NewDelivery[]): Promise<NewDelivery[]> {
  // A new record has no earlier messages.
  const about = new Map(
    made.filter(({ event }) => !event.endsWith('_CREATED')).map((one) => [recordKey(one), one]),
  );
  const waiting = new Map((await joinable(tx, [...about.values()])).map((one) => [recordKey(one), one]));
  const ended: AboutRecord[] = [];
  const left: NewDelivery[] = [];
  /** Where the messages are among those that are left that others may join. */
  const places = new Map<string, number>();
  for (const one of made) {
    const key = recordKey(one);
    const [before, place] = [waiting.get(key), places.get(key)];
    if (one.mayJoin && (before ?? place) !== undefined) continue;
    if (before) ended.push(before);
    const earlier = place === undefined ? undefined : left[place];
    if (earlier && place !== undefined) left[place] = { ...earlier, mayJoin: false };
    waiting.delete(key);
    places.delete(key);
    if (one.mayJoin) places.set(key, left.length);
    left.push(one);
  }
  await endJoining(tx, ended);
  return left;
}

/**
 * Adds the deliveries of the next settled changes; returns how many changes there were. Several processes may try at once:
 * one of them advances the reader and adds the deliveries, in one transaction.
 * @param added called with each account, and how many deliveries it got
 */
export async function dispatchChanges(
  db: Data,
  random: Random,
  now: () => Date,
  added?: (accountId: number, deliveries: number) => void,
): Promise<number> {
  const position = await findReaderPosition(db, READER);
  if (position === null) return 0;
  const settled = await settledAfter(db.database, position, await readLogSnapshot(db));
  const changes = settled.slice(0, MAX_DISPATCHED);
  const last = changes.at(-1);
  if (last === undefined) return 0;
  const accountIds = await db.transaction(async (tx) =>
    (await moveReader(tx, READER, position, last)) ? makeDeliveries(tx, changes, random, now()) : [],
  );
  for (const [accountId, own] of Map.groupBy(accountIds, (id) => id))
    if (accountId !== undefined) added?.(accountId, own.length);
  return changes.length;
}
