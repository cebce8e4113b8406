import { z } from 'zod';
import type { Data } from '../../db/database.ts';
import { addDeliveries, redeliverNow } from '../../db/webhook/deliveries.ts';
import { beginReader, findLogEnd, readLogSnapshot } from '../../engine/changes/log.ts';
import { is } from '../../engine/lists/conditions.ts';
import type { ListReader } from '../../engine/lists/list-reader.ts';
import {
  byCreation,
  type Connection,
  type EdgesInput,
  readConnection,
} from '../../engine/lists/pagination.ts';
import { DomainError, fieldError, invalidField, notFound } from '../../engine/rules/errors.ts';
import { choiceSchema, flag, parseId, parseInput, type Unparsed, unless } from '../../engine/rules/input.ts';
import { hasUser, hostOf, webAddress, withoutPort } from '../../engine/rules/url.ts';
import { isPublicAddress, parseLiteral } from '../../engine/tools/public-address.ts';
import type { Random } from '../../engine/tools/random.ts';
import type { Webhook, WebhookDelivery } from '../../generated/sqlite/client.ts';
import type { Actor } from '../access/actor.ts';
import {
  createOwned,
  createReaders,
  deleteOwned,
  type Kind,
  requireRoom,
  updateOwned,
} from '../access/ownership.ts';
import { requireRecentSignIn } from '../access/recent-sign-in.ts';
import { lockPermitted } from '../access/rights.ts';
import { OPERATOR, recordingChanges } from '../change/change.ts';
import { refusal } from '../rules.ts';
import type { Services } from '../services.ts';
import {
  changeEvents,
  type DisabledReason,
  eventsInEffect,
  readDisabledReason,
  storedEvents,
} from './events.ts';
import { changedBy, createdBy, disableIn, findMaker, type Maker } from './makers.ts';
import { newMessageId, newSecret, rotated } from './signing.ts';

/** The maximum number of an account's webhooks: each change is delivered to all of them. */
export const MAX_WEBHOOKS = 20;

/** The name of the log's reader for webhooks. */
export const READER = 'webhooks';

/** The names of hosts that only their own network knows. */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|home\.arpa)\.?$|^[^.]+\.?$/;

/** Why nothing is delivered to the URL; null if the URL itself shows no reason. */
export function findWarning(
  address: string,
  { allowPrivateWebhooks }: Pick<Services, 'allowPrivateWebhooks'>,
): string | null {
  const host = withoutPort(hostOf(address));
  const literal = parseLiteral(host);
  const isPrivate = literal === null ? PRIVATE_NAME.test(host) : !isPublicAddress(literal);
  if (allowPrivateWebhooks || !isPrivate) return null;
  return `${host} is not a public address: nothing is delivered to it, unless the operator sets WEBHOOK_ALLOW_PRIVATE=on.`;
}

/** A user or a password must not appear in logs and lists. */
const url = webAddress.refine((text) => !hasUser(text), refusal('URL_USER'));
const events = z
  // A long list is refused before its items are looked at.
  .array(z.unknown(), { error: unless(refusal('EVENTS')) })
  .min(1, refusal('EVENT_MISSING'))
  .max(100, refusal('MAX_ENTRIES', { max: 100 }))
  .pipe(z.array(choiceSchema(changeEvents).meta({ title: 'WebhookEvent' })))
  .transform(storedEvents);

export const createWebhookInput = z.object({
  url: url.describe('The URL of the receiver: http or https, without a user, at most 2048 characters.'),
  events: events.describe('The events that it gets; at least one.'),
});
export const updateWebhookInput = z.object({
  url: url.optional().describe('The URL of the receiver, also for waiting deliveries.'),
  events: events.optional().describe('The events that it gets from now on.'),
  disabled: flag
    .optional()
    .describe(
      'Whether nothing is sent. Changes made while it is disabled are never sent; waiting deliveries keep waiting.',
    ),
});

const kind = {
  kind: 'WEBHOOK',
  what: 'webhook',
  table: 'Webhook',
  fields: { oldSecret: 'secret', oldSecretUntil: 'secret' },
  rows: (tx) => tx.prisma.webhook,
  // The webhook may have changed again when the log is read.
  details: (webhook) => ({ webhookEvents: eventsInEffect(webhook) }),
} satisfies Kind<Webhook, Partial<Webhook>>;

export const {
  find: findWebhook,
  findMany: findWebhooks,
  connection: webhookConnection,
} = createReaders<Webhook>(kind);

function noRoom(): DomainError {
  return new DomainError('VALIDATION', `An account may have at most ${MAX_WEBHOOKS} webhooks.`, [
    fieldError(['url'], refusal('WEBHOOKS', { max: MAX_WEBHOOKS })),
  ]);
}

/**
 * Creates a webhook. Only this call returns its secret.
 * @throws DomainError VALIDATION, FORBIDDEN
 */
export async function createWebhook(
  db: Data,
  actor: Actor,
  input: Unparsed<typeof createWebhookInput>,
  random: Random,
  now: Date,
): Promise<{ webhook: Webhook; secret: string }> {
  requireRecentSignIn(actor, 'createWebhook', now);
  const fields = parseInput(createWebhookInput, input);
  const secret = newSecret(random);
  // Read before the transaction: for the first webhook, the log's reader must not start after its creation.
  const seen = await readLogSnapshot(db);
  const webhook = await createOwned(db, kind, actor, now, fields, async (tx, common) => {
    const { accountId } = actor;
    await lockPermitted(tx, actor, 'WEBHOOKS', now, { alone: true });
    await requireRoom(
      tx,
      accountId,
      MAX_WEBHOOKS,
      () => tx.prisma.webhook.count({ where: { accountId } }),
      noRoom,
    );
    if ((await tx.prisma.webhook.findFirst({ select: { id: true } })) === null)
      await beginReader(tx, READER, findLogEnd(seen));
    const maker = await findMaker(tx, actor);
    const by = { ...createdBy(maker), ...changedBy(maker) };
    return tx.prisma.webhook.create({ data: { ...fields, secret, ...by, ...common, queue: { create: {} } } });
  });
  return { webhook, secret };
}

/**
 * Changes the given fields; none can be cleared. Enabling a webhook again resets its failures.
 * @throws DomainError VALIDATION, NOT_FOUND, FORBIDDEN
 */
export async function updateWebhook(
  db: Data,
  actor: Actor,
  id: string,
  input: Unparsed<typeof updateWebhookInput>,
  now: Date,
): Promise<Webhook> {
  const fields = parseInput(updateWebhookInput, input);
  requireRecentSignIn(actor, 'updateWebhook', now, { setsUrl: fields.url !== undefined });
  const { disabled } = fields;
  const reasonFor = (row: Webhook) => (disabled ? (readDisabledReason(row) ?? 'BY_HAND') : null);
  let maker: Maker | null = null;
  const decide = (row: Webhook) => ({
    ...fields,
    ...(maker && changedBy(maker)),
    ...(disabled !== undefined && { disabledReason: reasonFor(row) }),
  });
  return updateOwned(db, kind, actor, id, now, decide, {
    before: (tx) => lockPermitted(tx, actor, 'WEBHOOKS', now),
    async inTransaction({ tx }, { id: webhookId, url: before }) {
      if (fields.url !== undefined && fields.url !== before) maker = await findMaker(tx, actor);
      if (fields.disabled === false)
        await tx.prisma.webhookQueue.update({ where: { webhookId }, data: { failingSince: null } });
    },
  });
}

/**
 * Gives the webhook a new secret. The one before it also signs for a day, until the receiver has changed to the new one; any
 * earlier one stops signing.
 * @throws DomainError NOT_FOUND, FORBIDDEN
 */
export async function rotateWebhookSecret(
  db: Data,
  actor: Actor,
  id: string,
  random: Random,
  now: Date,
): Promise<{ webhook: Webhook; secret: string }> {
  requireRecentSignIn(actor, 'rotateWebhookSecret', now);
  const secret = newSecret(random);
  let maker: Maker = { keyId: null, userId: null };
  const decide = (row: Webhook) => ({ ...rotated(row, secret, now), ...changedBy(maker) });
  const webhook = await updateOwned(db, kind, actor, id, now, decide, {
    before: (tx) => lockPermitted(tx, actor, 'WEBHOOKS', now),
    async inTransaction({ tx }) {
      maker = await findMaker(tx, actor);
    },
  });
  return { webhook, secret };
}

/**
 * Deletes the webhook, and returns its id. Its deliveries are left to `DeletedWebhooksRemoval`.
 * @throws DomainError NOT_FOUND
 */
export async function deleteWebhook(db: Data, actor: Actor, id: string, now: Date): Promise<number> {
  return deleteOwned(db, kind, actor, id, now);
}

/** Disables a webhook, as the operator; returns whether it was enabled. */
export function disableWebhook(db: Data, id: number, reason: DisabledReason, now: Date): Promise<boolean> {
  return recordingChanges(db, OPERATOR, now, (changing) => disableIn(changing, id, reason, now));
}

/** Disables a webhook that has failed for too long; returns whether it was enabled. */
export function giveUpWebhook(db: Data, id: number, now: Date): Promise<boolean> {
  return disableWebhook(db, id, 'FAILING', now);
}

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
    const where = { id };
    const delivery = await tx.prisma.webhookDelivery.findUnique({ where });
    const ofAccount = { id: delivery?.webhookId ?? 0, accountId };
    const webhook = await tx.prisma.webhook.findUnique({ where: ofAccount });
    if (delivery === null || webhook === null) throw notFound('delivery');
    if (webhook.disabled) throw invalidField('deliveryId', refusal('DELIVERY_OF_DISABLED'));
    await redeliverNow(tx, delivery, now);
    const pending = await tx.prisma.webhookDelivery.findUnique({ where });
    if (pending === null) throw notFound('delivery');
    return pending;
  });
}

/**
 * Sends a test now, with the id of the webhook. One that waits for a retry is sent again instead of another.
 * @throws DomainError NOT_FOUND; VALIDATION if the webhook is disabled
 */
export async function testWebhook(
  db: Data,
  { accountId }: Actor,
  webhookId: string,
  random: Random,
  now: Date,
): Promise<WebhookDelivery> {
  const recordId = parseId(webhookId);
  if (recordId === null) throw notFound('webhook');
  return db.transaction(async (tx) => {
    const webhook = await tx.prisma.webhook.findFirst({ where: { id: recordId, accountId } });
    if (webhook === null) throw notFound('webhook');
    if (webhook.disabled) throw invalidField('id', refusal('DELIVERY_OF_DISABLED'));
    const ping = { webhookId: recordId, kind: kind.kind, recordId };
    const where = { ...ping, status: 'PENDING' };
    const waiting = await tx.prisma.webhookDelivery.findFirst({ where });
    const made = { ...ping, event: 'PING', messageId: newMessageId(random), createdAt: now, mayJoin: false };
    await (waiting ? redeliverNow(tx, waiting, now) : addDeliveries(tx, [made], now));
    return tx.prisma.webhookDelivery.findFirstOrThrow({ where });
  });
}
