import {
  type DeliveryStatus,
  deliveryStatuses,
  disabledReasons,
  parseEvents,
  readDisabledReason,
  webhookEvents,
} from '../domain/webhook/events.ts';
import {
  createWebhook,
  createWebhookInput,
  deleteWebhook,
  deliveryConnection,
  findWarning,
  findWebhook,
  findWebhooks,
  MAX_WEBHOOKS,
  redeliver,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
  updateWebhookInput,
  webhookConnection,
} from '../domain/webhook/webhook.ts';
import { costs } from '../engine/graphql/cost/costs.ts';
import type { Webhook as WebhookRow } from '../generated/sqlite/client.ts';
import { authorColumns, authorKeyColumns, ChangeAuthor, findAuthor } from './access.ts';
import { builder } from './builder.ts';
import type { Context } from './context.ts';
import { changeCost } from './cost/field-cost.ts';
import { enumType } from './domain-types.ts';
import { defineConnection } from './list.ts';
import { findNodes, Node } from './node.ts';
import { defineMutations, defineQuery, idArgs } from './record-fields.ts';
import { asDeleted, defineResult, NotFoundError, ValidationError, withFailures } from './result.ts';

const WebhookEvent = enumType('WebhookEvent', 'The events that a webhook can get.', webhookEvents);

const WebhookDisabledReason = enumType(
  'WebhookDisabledReason',
  'Why a webhook is disabled.',
  disabledReasons,
);

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

const Webhook = builder.prismaObject('Webhook', {
  select: { id: true },
  interfaces: [Node],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the webhook.' }),
    url: t.expose('url', { type: 'URL' }),
    events: t.field({
      type: [WebhookEvent],
      select: { events: true },
      description: 'The events that it gets.',
      extensions: costs({ size: Object.keys(webhookEvents).length }),
      resolve: parseEvents,
    }),
    warning: t.string({
      nullable: true,
      select: { url: true },
      description:
        'Why nothing is delivered to the URL, such as a private address; null if the URL shows no reason.',
      resolve: ({ url }, _args, { services }) => findWarning(url, services),
    }),
    disabled: t.exposeBoolean('disabled'),
    disabledReason: t.field({
      type: WebhookDisabledReason,
      nullable: true,
      select: { disabled: true, disabledReason: true },
      description: 'Why it is disabled; null while it works.',
      resolve: readDisabledReason,
    }),
    createdBy: t.field({
      type: ChangeAuthor,
      nullable: true,
      select: {
        accountId: true,
        createdByKey: { select: authorKeyColumns },
        createdByUser: { select: authorColumns },
      },
      description:
        'Who made it, a user or a key; null if an earlier version made it, and the history does not tell.',
      extensions: costs({ work: 2 }),
      resolve: ({ accountId, createdByKey, createdByUser }) =>
        findAuthor(accountId, createdByKey, createdByUser),
    }),
    changedBy: t.field({
      type: ChangeAuthor,
      nullable: true,
      select: {
        accountId: true,
        changedByKey: { select: authorKeyColumns },
        changedByUser: { select: authorColumns },
      },
      description: 'Who last set its URL or its secret; null as in `createdBy`.',
      extensions: costs({ work: 2 }),
      resolve: ({ accountId, changedByKey, changedByUser }) =>
        findAuthor(accountId, changedByKey, changedByUser),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
    deliveries: t.field({
      ...defineConnection('WebhookDelivery', 'deliveries', WebhookDelivery),
      description:
        'The deliveries of the last 30 days, including waiting ones, newest first, paginated by cursor.',
      resolve: (webhook, args, { lists }) => deliveryConnection(lists, webhook, args),
    }),
  }),
});

builder.queryFields((t) => ({
  webhook: t.field({
    ...defineQuery(Webhook),
    resolve: (_root, { id }, { db, actor }) => findWebhook(db, actor, id),
  }),
  webhooks: t.field({
    ...defineConnection('Webhook', 'webhooks', Webhook),
    description: "The account's webhooks, oldest first, paginated by cursor.",
    resolve: (_root, args, { lists, actor }) => webhookConnection(lists, actor, args),
  }),
}));

findNodes(Webhook, ({ db, actor }, ids) => findWebhooks(db, actor, ids));

const CreatedWebhook = builder
  .objectRef<{ webhook: WebhookRow; secret: string }>('CreatedWebhook')
  .implement({
    description: 'A webhook with a new secret.',
    fields: (t) => ({
      webhook: t.field({ type: Webhook, description: 'The webhook.', resolve: ({ webhook }) => webhook }),
      secret: t.exposeString('secret', {
        description: 'The secret that signs its requests: `whsec_` and base64. It is shown only once.',
      }),
    }),
  });

const { creation, update, deletion } = defineMutations(Webhook, {
  create: createWebhookInput,
  update: updateWebhookInput,
  changes: 'Changes to a webhook. Absent fields do not change; no field can be cleared.',
  created: CreatedWebhook,
});

const RotateWebhookSecretResult = defineResult(
  'RotateWebhookSecret',
  'The webhook with its new secret',
  CreatedWebhook,
  [NotFoundError],
);

const RedeliverResult = defineResult('Redeliver', 'The delivery, which is pending again', WebhookDelivery, [
  ValidationError,
  NotFoundError,
]);

const TestWebhookResult = defineResult('TestWebhook', 'The delivery of the test', WebhookDelivery, [
  ValidationError,
  NotFoundError,
]);

/** A new secret, which is left out of a stored answer. */
async function shownOnce<Made extends { secret: string }>(
  { keyed }: Context,
  making: Promise<Made>,
): Promise<Made> {
  const made = await making;
  keyed?.hide(made.secret);
  return made;
}

builder.mutationFields((t) => ({
  createWebhook: t.field({
    ...creation,
    description: `Creates a webhook, which gets changes from now on. An account may have ${MAX_WEBHOOKS}.`,
    resolve: withFailures((_root, { input }, context) => {
      const { db, actor, services, now } = context;
      return shownOnce(context, createWebhook(db, actor, input, services.random, now()));
    }),
  }),
  updateWebhook: t.field({
    ...update,
    resolve: withFailures((_root, { id, input }, { db, actor, now }) =>
      updateWebhook(db, actor, id, input, now()),
    ),
  }),
  deleteWebhook: t.field({
    ...deletion,
    description: 'Deletes a webhook, and its deliveries.',
    resolve: withFailures((_root, { id }, { db, actor, now }) =>
      asDeleted('Webhook', deleteWebhook(db, actor, id, now())),
    ),
  }),
  rotateWebhookSecret: t.field({
    type: RotateWebhookSecretResult,
    extensions: changeCost,
    description:
      'Gives a webhook a new secret. For 24 hours the one before it also signs requests; any earlier one stops at once.',
    args: idArgs('webhook'),
    resolve: withFailures((_root, { id }, context) => {
      const { db, actor, services, now } = context;
      return shownOnce(context, rotateWebhookSecret(db, actor, id, services.random, now()));
    }),
  }),
  redeliver: t.field({
    type: RedeliverResult,
    extensions: changeCost,
    description:
      'Sends a delivery again now, whatever its status, with all retries. Earlier deliveries about the same record that ' +
      'still wait are sent first. Its webhook must not be disabled.',
    args: { deliveryId: t.arg.id({ required: true, description: 'The id of the delivery.' }) },
    resolve: withFailures((_root, { deliveryId }, { db, actor, now }) =>
      redeliver(db, actor, deliveryId, now()),
    ),
  }),
  testWebhook: t.field({
    type: TestWebhookResult,
    extensions: changeCost,
    description:
      'Sends a message of the type `ping` now, as changes are sent, and returns its delivery. If an earlier one still waits ' +
      'for a retry, that is sent again instead. The webhook must not be disabled.',
    args: idArgs('webhook'),
    resolve: withFailures((_root, { id }, { db, actor, services, now }) =>
      testWebhook(db, actor, id, services.random, now()),
    ),
  }),
}));
