import { type DeliveryStatus, deliveryStatuses, webhookEvents } from '../domain/webhook/events.ts';
import { redeliver } from '../domain/webhook/webhook.ts';
import { builder } from './builder.ts';
import { changeCost } from './cost/field-cost.ts';
import { enumType } from './enum-type.ts';
import { NotFoundError, ValidationError } from './error.ts';
import { connectionOf } from './list.ts';
import { asResult, resultOf } from './result.ts';

export const WebhookEvent = enumType('WebhookEvent', 'The events that a webhook can get.', webhookEvents);

const DeliveryStatusEnum = enumType('DeliveryStatus', 'The status of a delivery.', deliveryStatuses);

const WebhookDelivery = builder.prismaObject('WebhookDelivery', {
  select: { id: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the delivery.' }),
    event: t.field({
      type: WebhookEvent,
      select: { event: true },
      description: 'The event.',
      // The queue has only events.
      resolve: ({ event }) => event as keyof typeof webhookEvents,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    status: t.field({
      type: DeliveryStatusEnum,
      select: { status: true },
      description: 'The status of the delivery.',
      resolve: ({ status }) => status as DeliveryStatus, // The queue has no other status.
    }),
    attempts: t.exposeInt('attempts'),
    lastAttemptAt: t.expose('lastAttemptAt', { type: 'DateTime', nullable: true }),
    responseStatus: t.exposeInt('responseStatus', { nullable: true }),
    error: t.exposeString('error', { nullable: true }),
  }),
});

export const WebhookDeliveryConnection = connectionOf('WebhookDelivery', 'deliveries', WebhookDelivery);

const RedeliverResult = resultOf('Redeliver', 'The delivery, which is pending again', WebhookDelivery, [
  ValidationError,
  NotFoundError,
]);

builder.mutationField('redeliver', (t) =>
  t.field({
    type: RedeliverResult,
    extensions: changeCost,
    description:
      'Sends a delivery again now, whatever its status, with all retries. Earlier deliveries about the same record that ' +
      'still wait are sent first. Its webhook must not be disabled.',
    args: { deliveryId: t.arg.id({ required: true, description: 'The id of the delivery.' }) },
    resolve: (_root, { deliveryId }, { db, actor, now }) => asResult(redeliver(db, actor, deliveryId, now())),
  }),
);
