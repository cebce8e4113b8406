import type { DueDelivery } from '../../db/webhook/deliveries.ts';
import { type EventKind, messageTypeOf } from './events.ts';

/** A record in the form of v1; null if the account has none with this id. */
export type Snapshot = (accountId: number, kind: EventKind, id: number) => Promise<object | null>;

/** The body of the message about a delivery, with the record as it is now. */
export async function messageBody(
  accountId: number,
  { event, kind, recordId, createdAt }: DueDelivery,
  snapshot: Snapshot,
): Promise<string> {
  // Only these kinds have deliveries.
  const record = event.endsWith('_DELETED') ? null : await snapshot(accountId, kind as EventKind, recordId);
  return JSON.stringify({
    type: messageTypeOf(event),
    timestamp: createdAt.toISOString(),
    // Also for a record that was deleted meanwhile; its deletion is a later message.
    data: record ?? { id: recordId },
  });
}
