import type { RecordKind } from '../change/change.ts';

/** The events that a webhook can be registered for. */
export const changeEvents = {
  LINK_CREATED: 'A link was created.',
  LINK_UPDATED: 'A link was changed; clicks are not changes.',
  LINK_DELETED: 'A link was deleted.',
  SPACE_CREATED: 'A space was created.',
  SPACE_UPDATED: 'A space was changed.',
  SPACE_DELETED: 'A space was deleted.',
  TAG_CREATED: 'A tag was created.',
  TAG_UPDATED: 'A tag was changed.',
  TAG_DELETED: 'A tag was deleted.',
} as const;

export const webhookEvents = {
  ...changeEvents,
  PING: 'A test, by `testWebhook`: each webhook gets it, whatever its events. It is not one of them.',
} as const;

export type WebhookEvent = keyof typeof webhookEvents;

export const deliveryStatuses = {
  PENDING: 'The delivery waits for its first attempt or a retry.',
  DELIVERED: 'The receiver answered with a status from 200 to 299.',
  FAILED: 'Every attempt failed; there are no more unless it is redelivered.',
} as const;

export type DeliveryStatus = keyof typeof deliveryStatuses;

/** Why a webhook is disabled. */
export const disabledReasons = {
  TOO_MANY_WAITING:
    'Too many messages waited for the webhooks of the account, and the most for this one. They have failed.',
  FAILING: 'Every attempt failed for five days.',
  BY_HAND: 'Somebody disabled it.',
} as const;

export type DisabledReason = keyof typeof disabledReasons;

function isDisabledReason(name: string | null): name is DisabledReason {
  return name !== null && name in disabledReasons;
}

/** Why a webhook is disabled; null while it works. Earlier versions store no reason. */
export function readDisabledReason({
  disabled,
  disabledReason,
}: {
  readonly disabled: boolean;
  readonly disabledReason: string | null;
}): DisabledReason | null {
  if (!disabled) return null;
  return isDisabledReason(disabledReason) ? disabledReason : 'BY_HAND';
}

/** The kinds of records whose changes are events. */
export type EventKind = Extract<RecordKind, 'LINK' | 'SPACE' | 'TAG'>;

function isEvent(name: string): name is WebhookEvent {
  return name in webhookEvents;
}

export function findEvent({ kind, action }: { kind: string; action: string }): WebhookEvent | null {
  const name = `${kind}_${action}`;
  return isEvent(name) ? name : null;
}

/** The stored form of a webhook's events. */
export function storedEvents(events: readonly WebhookEvent[]): string {
  return Object.keys(webhookEvents)
    .filter((event) => isEvent(event) && events.includes(event))
    .join(' ');
}

export function parseEvents({ events }: { events: string }): WebhookEvent[] {
  return events.split(' ').filter(isEvent);
}

/** The events that a webhook gets in its current state, in their stored form: none if it is disabled. */
export function eventsInEffect({ events, disabled }: { events: string; disabled: boolean }): string {
  return disabled ? '' : events;
}

/** The name of an event in messages: `link.created`. */
export function messageTypeOf(event: string): string {
  return event.toLowerCase().replace('_', '.');
}
