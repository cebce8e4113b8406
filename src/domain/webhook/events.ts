import type { RecordKind } from '../change/change.ts';

/** What a webhook can be told of. */
export const webhookEvents = {
  LINK_CREATED: 'A link was created.',
  LINK_UPDATED: 'A link was changed; clicks are no change.',
  LINK_DELETED: 'A link was deleted.',
  SPACE_CREATED: 'A space was created.',
  SPACE_UPDATED: 'A space was changed.',
  SPACE_DELETED: 'A space was deleted.',
} as const;

export type WebhookEvent = keyof typeof webhookEvents;

/** What became of a delivery. */
export const deliveryStatuses = {
  PENDING: 'It is still to be delivered, or to be tried again.',
  DELIVERED: 'The receiver answered with a status from 200 to 299.',
  FAILED: 'Every try failed; it is not tried again unless it is redelivered.',
} as const;

export type DeliveryStatus = keyof typeof deliveryStatuses;

/** The records whose changes are told. */
export type ToldKind = Extract<RecordKind, 'LINK' | 'SPACE'>;

function isEvent(name: string): name is WebhookEvent {
  return name in webhookEvents;
}

/** What a change in the log is told as; null where it is not told. */
export function eventOf({ kind, action }: { kind: string; action: string }): WebhookEvent | null {
  const name = `${kind}_${action}`;
  return isEvent(name) ? name : null;
}

/** What the events of a webhook are stored as. */
export function storedEvents(events: readonly WebhookEvent[]): string {
  return Object.keys(webhookEvents)
    .filter((event) => isEvent(event) && events.includes(event))
    .join(' ');
}

/** The events of a stored webhook. */
export function eventsOf({ events }: { events: string }): WebhookEvent[] {
  return events.split(' ').filter(isEvent);
}

/** What a message calls an event: `link.created`. */
export function messageTypeOf(event: string): string {
  return event.toLowerCase().replace('_', '.');
}
