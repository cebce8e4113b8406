import { eventsOf, webhookEvents } from '../domain/webhook/events.ts';
import {
  createWebhook,
  createWebhookInput,
  deleteWebhook,
  deliveryConnection,
  findWebhook,
  findWebhooks,
  MAX_WEBHOOKS,
  rotateWebhookSecret,
  updateWebhook,
  updateWebhookInput,
  warningOf,
  webhookConnection,
} from '../domain/webhook/webhook.ts';
import type { Webhook as WebhookRow } from '../generated/sqlite/client.ts';
import type { Context } from '../graphql/context.ts';
import { builder } from './builder.ts';
import { changeCost, costs } from './cost/field-cost.ts';
import { listCost } from './cost/list-cost.ts';
import { NotFoundError } from './error.ts';
import { inputType } from './input-type.ts';
import { connectionOf, edgesArgs } from './list.ts';
import { findNodes, Node } from './node.ts';
import { asDeleted, asResult, resultOf, resultsOf } from './result.ts';
import { WebhookDeliveryConnection, WebhookEvent } from './webhook-delivery.ts';

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
      resolve: eventsOf,
    }),
    warning: t.string({
      nullable: true,
      select: { url: true },
      description:
        'Why nothing is delivered to the URL, such as a private address; null if the URL shows no reason.',
      resolve: ({ url }, _args, { services }) => warningOf(url, services),
    }),
    disabled: t.exposeBoolean('disabled'),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
    deliveries: t.field({
      type: WebhookDeliveryConnection,
      extensions: listCost,
      description:
        'The deliveries of the last 30 days, including waiting ones, newest first, paginated by cursor.',
      args: edgesArgs,
      resolve: (webhook, args, { lists }) => deliveryConnection(lists, webhook, args),
    }),
  }),
});

const WebhookConnection = connectionOf('Webhook', 'webhooks', Webhook);

builder.queryFields((t) => ({
  webhook: t.field({
    type: Webhook,
    nullable: true,
    description: 'The webhook with this id; null if the account has none.',
    args: { id: t.arg.id({ required: true, description: 'The id of the webhook.' }) },
    resolve: (_root, { id }, { db, actor }) => findWebhook(db, actor, id),
  }),
  webhooks: t.field({
    type: WebhookConnection,
    extensions: listCost,
    description: "The account's webhooks, oldest first, paginated by cursor.",
    args: edgesArgs,
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

const CreateWebhookInput = inputType('CreateWebhookInput', 'A new webhook.', createWebhookInput);
const UpdateWebhookInput = inputType(
  'UpdateWebhookInput',
  'Changes to a webhook. Absent fields do not change; no field can be cleared.',
  updateWebhookInput,
  { updates: true },
);

const { CreateResult, UpdateResult, DeleteResult } = resultsOf('Webhook', Webhook, {
  created: CreatedWebhook,
});

const RotateWebhookSecretResult = resultOf(
  'RotateWebhookSecret',
  'The webhook with its new secret',
  CreatedWebhook,
  [NotFoundError],
);

const id = 'The id of the webhook.';

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
    type: CreateResult,
    extensions: changeCost,
    description: `Creates a webhook, which gets changes from now on. An account may have ${MAX_WEBHOOKS}.`,
    args: { input: t.arg({ type: CreateWebhookInput, required: true, description: 'The new webhook.' }) },
    resolve: (_root, { input }, context) => {
      const { db, actor, services, now } = context;
      return asResult(shownOnce(context, createWebhook(db, actor, input, services.random, now())));
    },
  }),
  updateWebhook: t.field({
    type: UpdateResult,
    extensions: changeCost,
    description: 'Changes a webhook.',
    args: {
      id: t.arg.id({ required: true, description: id }),
      input: t.arg({ type: UpdateWebhookInput, required: true, description: 'What to change.' }),
    },
    resolve: (_root, args, { db, actor, now }) =>
      asResult(updateWebhook(db, actor, args.id, args.input, now())),
  }),
  deleteWebhook: t.field({
    type: DeleteResult,
    extensions: changeCost,
    description: 'Deletes a webhook, and its deliveries.',
    args: { id: t.arg.id({ required: true, description: id }) },
    resolve: (_root, args, { db, actor, now }) =>
      asDeleted('Webhook', deleteWebhook(db, actor, args.id, now())),
  }),
  rotateWebhookSecret: t.field({
    type: RotateWebhookSecretResult,
    extensions: changeCost,
    description:
      'Gives a webhook a new secret. For 24 hours the one before it also signs requests; any earlier one stops at once.',
    args: { id: t.arg.id({ required: true, description: id }) },
    resolve: (_root, args, context) => {
      const { db, actor, services, now } = context;
      return asResult(shownOnce(context, rotateWebhookSecret(db, actor, args.id, services.random, now())));
    },
  }),
}));
