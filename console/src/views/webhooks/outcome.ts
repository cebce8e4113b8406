import { readNow } from '../../data/read.ts';
import type { Session } from '../../data/session.ts';
import { aboutRecord, dismissAbout, showToast } from '../../data/toasts.ts';
import { wait } from '../../data/write.ts';
import {
  DeliveriesDocument,
  type DeliveryRowFragment,
  type WebhookRowFragment,
} from '../../generated/documents.ts';
import { settingsTexts } from '../../settings-texts.ts';
import { texts } from '../../texts.ts';
import { atTime } from '../../words/format.ts';

/** Tells the outcome of a delivery: its answer and time, or why there is none, and what to do. */
export function describeAttempt(
  { status, responseStatus, error, lastAttemptAt }: DeliveryRowFragment,
  { warning }: Pick<WebhookRowFragment, 'warning'>,
): string {
  const t = settingsTexts.webhooks;
  // A delivered message may be sent again.
  if (status === 'PENDING' && error === null) return t.sending;
  const answered =
    responseStatus === null || lastAttemptAt === null
      ? ''
      : t.answered(responseStatus, atTime(lastAttemptAt));
  if (status === 'DELIVERED') return answered;
  const { deliveryErrors: errors } = texts;
  // The URL itself may show what the error does not reveal.
  const named = error === 'no public address' && warning !== null ? 'private host' : (error ?? '');
  const ofStatus =
    responseStatus === null
      ? error
      : (errors[responseStatus] ?? errors[`${Math.floor(responseStatus / 100)}xx`] ?? '');
  const why = errors[named] ?? ofStatus;
  const isHopeless = named === 'private host';
  return [answered, why, status === 'PENDING' && !isHopeless && t.retried].filter(Boolean).join(' ');
}

/** The pauses before each look for the answer, in seconds: together longer than a receiver may take. */
const LOOKS = [0.3, 0.5, 1, 1, 2, 2, 3, 3];

/** Waits for the outcome of a delivery that was just sent, and says that it arrived. The list of deliveries says why one did not. */
export async function tellOutcome(
  session: Session,
  webhook: WebhookRowFragment,
  sent: Pick<DeliveryRowFragment, 'id' | 'lastAttemptAt'>,
): Promise<void> {
  const about = aboutRecord('WEBHOOK', webhook.id);
  const t = settingsTexts.webhooks;
  showToast(t.sending, { about });
  for (const seconds of LOOKS) {
    await wait(seconds);
    const { data } = await readNow(session.client, DeliveriesDocument, { id: webhook.id, after: null });
    const tried = data?.webhook?.deliveries.nodes.find(({ id }) => id === sent.id);
    if (!tried || tried.lastAttemptAt === sent.lastAttemptAt) continue;
    if (tried.status !== 'DELIVERED') return dismissAbout(about);
    return void showToast(t.delivered(describeAttempt(tried, webhook)), { about });
  }
}
