import type { Data, Transaction } from '../../db/database.ts';
import type { Writer } from '../../engine/rules/caller.ts';
import type { Prisma, Webhook } from '../../generated/sqlite/client.ts';
import { type Changing, timeOfChange } from '../change/change.ts';
import { type DisabledReason, eventsInEffect } from './events.ts';

/** A key, and the user for whom it acts; or a user by a session. */
export interface Maker {
  readonly keyId: number | null;
  readonly userId: number | null;
}

/** Returns who writes: for a key of a member, with that member's user. */
export async function findMaker(
  { prisma }: Pick<Transaction, 'prisma'>,
  { keyId, userId = null }: Writer,
): Promise<Maker> {
  if (keyId === null) return { keyId, userId };
  const key = await prisma.apiKey.findUnique({ where: { id: keyId }, include: { maker: true } });
  return { keyId, userId: key?.maker?.userId ?? null };
}

/** The columns of who made a webhook. */
export const createdBy = ({ keyId, userId }: Maker) => ({ createdByKeyId: keyId, createdByUserId: userId });

/** The columns of who last set the URL or the secret. */
export const changedBy = ({ keyId, userId }: Maker) => ({ changedByKeyId: keyId, changedByUserId: userId });

/** A condition for webhooks that these people or keys made, or whose URL or secret they set last. */
export function webhooksBy({
  users = [],
  keys = [],
}: {
  readonly users?: readonly number[];
  readonly keys?: readonly number[];
}): Prisma.WebhookWhereInput {
  const [userIds, keyIds] = [{ in: [...users] }, { in: [...keys] }];
  return {
    OR: [
      { createdByUserId: userIds },
      { changedByUserId: userIds },
      { createdByKeyId: keyIds },
      { changedByKeyId: keyIds },
    ],
  };
}

/** Webhooks that are not disabled, oldest first. */
export function findEnabled(
  { prisma }: Pick<Data, 'prisma'>,
  where: Prisma.WebhookWhereInput,
): Promise<(Webhook & { account: { id: number; name: string; title: string | null } })[]> {
  return prisma.webhook.findMany({
    where: { AND: [where, { disabled: false }] },
    include: { account: true },
    orderBy: { id: 'asc' },
  });
}

/** Disables a webhook in a transaction; returns whether it was enabled. */
export async function disableIn(
  { tx, record }: Changing,
  id: number,
  disabledReason: DisabledReason,
  now: Date,
): Promise<boolean> {
  await tx.lockRow('Webhook', id);
  const webhook = await tx.prisma.webhook.findUnique({ where: { id, disabled: false } });
  if (webhook === null) return false;
  const data = { disabled: true, disabledReason, updatedAt: timeOfChange(webhook, now) };
  const disabled = await tx.prisma.webhook.update({ where: { id }, data });
  await tx.prisma.webhookQueue.update({ where: { webhookId: id }, data: { failingSince: null } });
  const details = { owner: webhook.accountId, webhookEvents: eventsInEffect(disabled) };
  await record('UPDATED', 'WEBHOOK', [id], ['disabled', 'disabledReason'], details);
  return true;
}

/** Disables the enabled webhooks of an account that meet a condition, and returns their ids. */
export async function disableWebhooks(
  changing: Changing,
  accountId: number,
  where: Prisma.WebhookWhereInput,
  now: Date,
): Promise<number[]> {
  const found = await findEnabled(changing.tx, { AND: [where, { accountId }] });
  for (const { id } of found) await disableIn(changing, id, 'BY_HAND', now);
  return found.map(({ id }) => id);
}
