import { z } from 'zod';
import type { Data } from '../../db/database.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../../db/errors.ts';
import type { ApiKey } from '../../generated/sqlite/client.ts';
import { recordingChanges } from '../change/change.ts';
import { DomainError, fieldError, invalidField, notFound } from '../errors.ts';
import { nameOf, parseId, parseInput, timestamp } from '../input.ts';
import { refusal } from '../rules.ts';
import { accountForOperator, operatorsName } from './account.ts';
import { type Actor, generateToken, hashToken, owned, requireRecentSignIn, requireRole } from './actor.ts';
import { roleInput, type Scope, scopes } from './role.ts';

const PREFIX_LENGTH = 8;

let created = 0;

/** How many keys this process has created: a list of keys that was read before the last one is outdated. */
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

export function parseScopes(stored: string): Scope[] {
  return scopes.filter((scope) => stored.split(' ').includes(scope));
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
  if (expiresAt && expiresAt <= now) {
    throw new DomainError('VALIDATION', 'expires must lie in the future.', [
      fieldError(['expiresAt'], refusal('PAST')),
    ]);
  }
  const key = generateKey();
  const owner = await accountForOperator(db, account, now);
  const { id } = await db.prisma.apiKey.create({
    data: { ...stored(key, keyScopes, now, expiresAt), accountId: owner.id },
  });
  created++;
  return { id, account, key };
}

/**
 * In a database without accounts, creates the account `default` and a key with all scopes, and returns the key. Returns
 * null if there are accounts already, or if another process was first.
 */
export async function createFirstKey(db: Data, now: Date, initialKey?: string): Promise<string | null> {
  if ((await db.prisma.account.findFirst({ select: { id: true } })) !== null) return null;
  const key = initialKey ?? generateKey();
  const account = { name: 'default', createdAt: now };
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
  const keys = await db.prisma.apiKey.findMany({ include: { account: true }, orderBy: { id: 'asc' } });
  return keys.map(({ account, scopes: keyScopes, hash: _, accountId: __, ...key }) => ({
    ...key,
    account: account.name,
    scopes: parseScopes(keyScopes),
  }));
}

/**
 * Revokes the key; every process refuses it within a second. Revoking it again changes nothing.
 * @throws DomainError NOT_FOUND
 */
export async function revokeKey(db: Data, id: string, now: Date): Promise<void> {
  const number = parseId(id);
  if (number === null) throw notFound('key');
  const { count } = await db.prisma.apiKey.updateMany({
    where: { id: number, revokedAt: null },
    data: { revokedAt: now },
  });
  if (count === 0 && (await db.prisma.apiKey.findUnique({ where: { id: number } })) === null)
    throw notFound('key');
}

export const createApiKeyInput = z.object({
  name: nameOf(100).describe('The name of the key, 1 to 100 characters.'),
  role: roleInput('What the key may do: at most ADMIN, and never more than its maker.'),
  expiresAt: timestamp.nullish().describe('When the key expires; null, or absent, if it does not.'),
});

/** A key and its row, for those who made it. */
export interface NewApiKey {
  readonly key: string;
  readonly apiKey: ApiKey;
}

/**
 * Makes a key of the caller's account, which ends with their membership.
 * @throws DomainError VALIDATION, FORBIDDEN
 */
export async function createApiKey(db: Data, actor: Actor, given: unknown, now: Date): Promise<NewApiKey> {
  const { name, role, expiresAt } = parseInput(createApiKeyInput, given);
  if (role === 'OWNER') throw invalidField('role', refusal('ROLE', { role: 'ADMIN' }));
  if (expiresAt && expiresAt.at <= now) throw invalidField('expiresAt', refusal('PAST'));
  requireRole(actor, role);
  requireRecentSignIn(actor, now);
  const { accountId, keyId, memberId: makerId } = actor;
  // A key makes none that lasts longer.
  const parent = keyId === null ? null : await db.prisma.apiKey.findUnique({ where: { id: keyId } });
  const ends = [expiresAt?.at, parent?.expiresAt].flatMap((end) => end?.getTime() ?? []);
  const end = ends.length > 0 ? new Date(Math.min(...ends)) : null;
  const key = generateKey();
  const data = { ...stored(key, [], now, end), accountId, name, role, makerId };
  const apiKey = await recordingChanges(db, actor, now, async ({ tx, record }) => {
    const made = await tx.prisma.apiKey.create({ data });
    await record('CREATED', 'API_KEY', [made.id], ['name', 'role', ...(end ? ['expiresAt'] : [])]);
    return made;
  }).catch((error: unknown) => {
    // The caller has left the account meanwhile.
    throw isForeignKeyViolation(error) ? notFound('member') : error;
  });
  created++;
  return { key, apiKey };
}

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export async function revokeApiKey(db: Data, actor: Actor, id: string, now: Date): Promise<number> {
  requireRecentSignIn(actor, now);
  const where = owned(actor, id);
  if (where === null) throw notFound('key');
  return recordingChanges(db, actor, now, async ({ tx, record }) => {
    const ended = { where: { ...where, revokedAt: null }, data: { revokedAt: now } };
    if ((await tx.prisma.apiKey.updateMany(ended)).count === 0) throw notFound('key');
    await record('DELETED', 'API_KEY', [where.id]);
    return where.id;
  });
}

/** A condition for keys that are neither revoked nor expired. */
export function validKeys(now: Date) {
  return { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] };
}
