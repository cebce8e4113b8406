import type { DeliveriesQuery, WebhookRowFragment } from '../../generated/documents.ts';
import { atTime } from '../../parts/format.ts';
import { texts } from '../../texts.ts';

export type Delivery = NonNullable<DeliveriesQuery['webhook']>['deliveries']['nodes'][number];

/** What became of a delivery: how it was answered and when, or why not, and what to do. */
export function outcomeOf(
  { status, responseStatus, error, lastAttemptAt }: Delivery,
  { warning }: Pick<WebhookRowFragment, 'warning'>,
): string {
  const t = texts.webhooks;
  if (lastAttemptAt === null) return t.sending;
  const answered = responseStatus === null ? '' : t.answered(responseStatus, atTime(lastAttemptAt));
  if (status === 'DELIVERED') return answered;
  const { deliveryErrors: errors } = texts;
  const why =
    responseStatus !== null
      ? (errors[responseStatus] ?? errors[`${Math.floor(responseStatus / 100)}xx`] ?? '')
      : // The URL itself may show what the error does not reveal.
        (errors[error === 'no public address' && warning !== null ? 'private host' : (error ?? '')] ?? error);
  return [answered, why, status === 'PENDING' && t.retried].filter(Boolean).join(' ');
}
