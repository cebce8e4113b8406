import type { Data } from '../../db/database.ts';
import { is } from '../../db/reading/conditions.ts';
import type { ListReader } from '../../db/reading/list-reader.ts';
import { redeliverNow } from '../../db/webhook/deliveries.ts';
import type { Webhook, WebhookDelivery } from '../../generated/sqlite/client.ts';
import type { Actor } from '../access/actor.ts';
import { invalid, notFound } from '../errors.ts';
import { parseId } from '../input.ts';
import { byCreation, type Connection, type EdgesInput, readConnection } from '../list.ts';

/**
 * A slice of a webhook's deliveries by cursor, newest first; `total` counts them when it is called.
 * @throws DomainError VALIDATION
 */
export function deliveryConnection(
  lists: ListReader,
  { id }: Pick<Webhook, 'id'>,
  input: EdgesInput,
): Promise<Connection<WebhookDelivery>> {
  const list = byCreation('WebhookDelivery', is('webhookId', id), { descending: true });
  return readConnection(lists, list, input, { needsScan: true });
}

/**
 * Makes a delivery due now, with all of its retries, whatever its status. It keeps its message id. If it was delivered or had
 * failed, the new message has the current record.
 * @throws DomainError NOT_FOUND; VALIDATION if its webhook is disabled
 */
export async function redeliver(
  db: Data,
  { accountId }: Actor,
  deliveryId: string,
  now: Date,
): Promise<WebhookDelivery> {
  const id = parseId(deliveryId);
  if (id === null) throw notFound('delivery');
  return db.transaction(async (tx) => {
    const where = { id, webhook: { accountId } };
    const delivery = await tx.prisma.webhookDelivery.findFirst({ where, include: { webhook: true } });
    if (delivery === null) throw notFound('delivery');
    if (delivery.webhook.disabled)
      throw invalid([
        { path: ['deliveryId'], messages: ['belongs to a disabled webhook: enable the webhook first'] },
      ]);
    await redeliverNow(tx, delivery, now);
    const pending = await tx.prisma.webhookDelivery.findFirst({ where });
    if (pending === null) throw notFound('delivery');
    return pending;
  });
}
