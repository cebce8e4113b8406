import { z } from 'zod';
import type { Data, Transaction } from '../../db/database.ts';
import { endedBefore } from '../../db/ended-access.ts';
import { hasAccounts } from '../../db/start.ts';
import { isUniqueViolation } from '../../engine/db/errors.ts';
import { fieldError, invalid, invalidField, notFound } from '../../engine/rules/errors.ts';
import { nameSchema, parseId, parseInput, timestamp } from '../../engine/rules/input.ts';
import type { ApiKey, Prisma } from '../../generated/sqlite/client.ts';
import { OPERATOR, recordingChanges } from '../change/change.ts';
import { refusal } from '../rules.ts';
import { disableWebhooks, findEnabled, webhooksBy } from '../webhook/makers.ts';
import { accountForOperator, newAccount, operatorsName, recordedAccount } from './account.ts';
import { type Actor, generateToken, hashToken, owned, requirePermission, requireRole } from './actor.ts';
import { requireRoom } from './ownership.ts';
import { requireRecentSignIn } from './recent-sign-in.ts';
import { lockCaller } from './rights.ts';
import { parseScopes, roleInput, type Scope, scopes } from './role.ts';

const PREFIX_LENGTH = 8;

let created = 0;

/** Number of keys that this process has created. A list of keys read before the last one is outdated. */
export function keysCreated(): number {
  return created;
}

const createKeyInput = z.object({
  account: operatorsName,
  scopes: z
    .array(z.enum(scopes, `may be ${scopes.join(' and ')}`))
    .min(1, `needs at least one of ${scopes.join(', ')}`),
  expiresAt: z.date().nullable().default(null),
});

export function generateKey(): string {
  return `ls_${generateToken()}`;
}

function stored(key: string, keyScopes: readonly Scope[], now: Date, expiresAt: Date | null) {
  return {
    hash: hashToken(key),
    prefix: key.slice(0, PREFIX_LENGTH),
    scopes: scopes.filter((scope) => keyScopes.includes(scope)).join(' '),
    createdAt: now,
    expiresAt,
  };
}

/**
 * Creates a key for the named account, and the account if it does not exist. Only this call returns the key.
 * @throws DomainError VALIDATION
 */
export async function createKey(
  db: Data,
  input: z.input<typeof createKeyInput>,
  now: Date,
): Promise<{ id: number; account: string; key: string }> {
  const { account, scopes: keyScopes, expiresAt } = parseInput(createKeyInput, input);
  const past = [fieldError(['expiresAt'], refusal('PAST'))];
  if (expiresAt && expiresAt <= now) throw invalid(past, 'expires must lie in the future.');
  const key = generateKey();
  const owner = await accountForOperator(db, account, 'PUBLIC', now);
  const { id } = await db.prisma.apiKey.create({
    data: { ...stored(key, keyScopes, now, expiresAt), accountId: owner.id },
  });
  created++;
  return { id, account, key };
}

/** Creates a key for the operator, as `createKey` does, and records it in the account's history. @throws DomainError VALIDATION */
export async function createKeyByOperator(db: Data, input: z.input<typeof createKeyInput>, now: Date) {
  return recordingChanges(db, OPERATOR, now, async (changing) => {
    const { id: owner } = await recordedAccount(changing, input.account, 'PUBLIC', now);
    const made = await createKey(changing.tx, input, now);
    const fields = ['scopes', ...(input.expiresAt ? ['expiresAt'] : [])];
    await changing.record('CREATED', 'API_KEY', [made.id], fields, { owner });
    return made;
  });
}

/**
 * In a database without accounts, creates the account `default` and a key with all scopes, and returns the key. Returns
 * null if there are accounts already, or if another process was first.
 */
export async function createFirstKey(db: Data, now: Date, initialKey?: string): Promise<string | null> {
  if (await hasAccounts(db)) return null;
  const key = initialKey ?? generateKey();
  const account = newAccount('default', 'PRIVATE', now);
  // The account's unique name decides between processes that start at the same time.
  const inserted = await db.prisma.account
    .create({ data: { ...account, keys: { create: stored(key, scopes, now, null) } } })
    .catch((error: unknown) => {
      if (!isUniqueViolation(error)) throw error;
      return null;
    });
  return inserted && key;
}

/** A key as the operator sees it. */
export type KeyView = Awaited<ReturnType<typeof listKeys>>[number];

export async function listKeys(db: Data) {
  const include = { account: true, maker: { include: { user: true } } };
  const keys = await db.prisma.apiKey.findMany({ include, orderBy: { id: 'asc' } });
  return keys.map(({ account, scopes: keyScopes, hash: _, accountId: __, maker, ...key }) => ({
    ...key,
    maker: maker?.user.email ?? null,
    account: account.name,
    scopes: parseScopes(keyScopes),
  }));
}

/** Revokes keys, with all that they made, and gives their ids. */
export async function revokeKeys(
  { prisma }: Pick<Transaction, 'prisma'>,
  which: Prisma.ApiKeyWhereInput,
  now: Date,
): Promise<number[]> {
  const where = { ...which, revokedAt: null };
  const ids = (await prisma.apiKey.findMany({ where })).map(({ id }) => id);
  if (ids.length === 0) return [];
  await prisma.apiKey.updateMany({ where, data: { revokedAt: now } });
  await prisma.invitation.deleteMany({ where: { keyId: { in: ids } } });
  return [...ids, ...(await revokeKeys({ prisma }, { parentId: { in: ids } }, now))];
}

/**
 * Revokes the key; every process refuses it within a second. Revoking it again changes nothing.
 * @returns the webhooks that go on: the revoked keys made them, or set their URL or secret last
 * @throws DomainError NOT_FOUND
 */
export async function revokeKey(db: Data, id: string, now: Date): ReturnType<typeof findEnabled> {
  const key = await db.prisma.apiKey.findUnique({ where: { id: parseId(id) ?? 0 } });
  if (key === null) throw notFound('key');
  const { accountId } = key;
  return recordingChanges(db, { ...OPERATOR, accountId }, now, async ({ tx, record }) => {
    await tx.lockRow('Account', accountId);
    const revoked = await revokeKeys(tx, { id: key.id }, now);
    await record('DELETED', 'API_KEY', revoked);
    return findEnabled(tx, webhooksBy({ keys: [key.id, ...revoked] }));
  });
}

/** The most keys that one transaction revokes, beside those that they made. */
const REVOKED_AT_ONCE = 100;

/**
 * Revokes all keys of an account for the operator, some in each transaction: after a failure the same call goes on.
 * @returns how many, and the webhooks that go on
 */
export async function revokeAllKeys(
  db: Data,
  accountId: number,
  now: Date,
): Promise<{ revoked: number; webhooks: Awaited<ReturnType<typeof findEnabled>> }> {
  let revoked = 0;
  for (;;) {
    // Their makers come later, so that none brings many with it.
    const some = await db.prisma.apiKey.findMany({
      where: { accountId, revokedAt: null },
      ...{ orderBy: { id: 'desc' }, take: REVOKED_AT_ONCE, select: { id: true } },
    });
    if (some.length === 0) break;
    revoked += await recordingChanges(db, { ...OPERATOR, accountId }, now, async ({ tx, record }) => {
      await tx.lockRow('Account', accountId);
      const ids = await revokeKeys(tx, { id: { in: some.map(({ id }) => id) } }, now);
      await record('DELETED', 'API_KEY', ids);
      return ids.length;
    });
  }
  const ofKeys = { OR: [{ createdByKeyId: { not: null } }, { changedByKeyId: { not: null } }] };
  return { revoked, webhooks: await findEnabled(db, { AND: [ofKeys, { accountId }] }) };
}

/** Maximum number of keys of an account, including ended ones. The operator may create any number. */
export const MAX_KEYS = 1_000;

/** A condition for keys without those that are kept for the history alone. */
function countedKeys(now: Date) {
  const after = { gt: endedBefore(now) };
  return {
    AND: [
      { OR: [{ revokedAt: null }, { revokedAt: after }] },
      { OR: [{ expiresAt: null }, { expiresAt: after }] },
    ],
  };
}

export const createApiKeyInput = z.object({
  name: nameSchema(100).describe('The name of the key, 1 to 100 characters.'),
  role: roleInput('What the key may do: at most ADMIN, and never more than its maker.'),
  expiresAt: timestamp.nullish().describe('When the key expires; null, or absent, if it does not.'),
});

/** A key and its row, for those who made it. */
export interface NewApiKey {
  readonly key: string;
  readonly apiKey: ApiKey;
}

/**
 * Makes a key of the caller's account. Its maker is the member who makes it, also by another key: it ends with that membership, and
 * with that key.
 * @throws DomainError VALIDATION, FORBIDDEN
 */
export async function createApiKey(db: Data, actor: Actor, given: unknown, now: Date): Promise<NewApiKey> {
  requireRecentSignIn(actor, 'createApiKey', now);
  const { name, role, expiresAt } = parseInput(createApiKeyInput, given);
  if (role === 'OWNER') throw invalidField('role', refusal('ROLE', { role: 'ADMIN' }));
  if (expiresAt && expiresAt.at <= now) throw invalidField('expiresAt', refusal('PAST'));
  const key = generateKey();
  const apiKey = await recordingChanges(db, actor, now, async ({ tx, record }) => {
    const caller = await lockCaller(tx, actor, now, { alone: true });
    requirePermission(caller, 'KEYS');
    requireRole(caller, role);
    const { accountId, keyId: parentId, memberId: makerId } = actor;
    const count = () => tx.prisma.apiKey.count({ where: { accountId, ...countedKeys(now) } });
    const noRoom = () => invalidField('name', refusal('KEYS_OF_ACCOUNT', { max: MAX_KEYS }));
    await requireRoom(tx, accountId, MAX_KEYS, count, noRoom);
    // A key makes none that lasts longer.
    const parent = parentId === null ? null : await tx.prisma.apiKey.findUnique({ where: { id: parentId } });
    const [end = null] = [expiresAt?.at, parent?.expiresAt]
      .flatMap((one) => one ?? [])
      .sort((one, other) => one.getTime() - other.getTime());
    const made = await tx.prisma.apiKey.create({
      data: { ...stored(key, [], now, end), accountId, name, role, makerId, parentId },
    });
    await record('CREATED', 'API_KEY', [made.id], ['name', 'role', ...(end ? ['expiresAt'] : [])]);
    return made;
  });
  created++;
  return { key, apiKey };
}

/**
 * Revokes a key, with all that it made.
 * @param disablesWebhooks whether those are disabled that the revoked keys made, or whose URL or secret they set last
 * @throws DomainError NOT_FOUND, FORBIDDEN
 */
export async function revokeApiKey(
  db: Data,
  actor: Actor,
  id: string,
  now: Date,
  disablesWebhooks = false,
): Promise<number> {
  requireRecentSignIn(actor, 'revokeApiKey', now);
  return recordingChanges(db, actor, now, async (changing) => {
    const { tx, record } = changing;
    const caller = await lockCaller(tx, actor, now, { alone: true });
    requirePermission(caller, 'KEYS');
    const where = owned(actor, id);
    const ids = where === null ? [] : await revokeKeys(tx, where, now);
    const [revoked] = ids;
    if (revoked === undefined) throw notFound('key');
    if (disablesWebhooks) {
      requirePermission(caller, 'WEBHOOKS');
      await disableWebhooks(changing, actor.accountId, webhooksBy({ keys: ids }), now);
    }
    await record('DELETED', 'API_KEY', ids);
    return revoked;
  });
}

/** A condition for keys that are neither revoked nor expired. */
export function validKeys(now: Date) {
  return { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] };
}
