import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Data } from '../../db/database.ts';
import { isUniqueViolation } from '../../db/errors.ts';
import { DomainError, notFound } from '../errors.ts';
import { parseId, parseInput, textOf } from '../input.ts';
import { hashKey, type Scope, scopes } from './actor.ts';

const PREFIX_LENGTH = 8;

let created = 0;

/** How many keys this process has created: a list of keys that was read before the last one is outdated. */
export function keysCreated(): number {
  return created;
}

const createKeyInput = z.object({
  account: textOf(1, 255).refine((text) => !/\p{Cc}/u.test(text), 'may have no control characters'),
  scopes: z
    .array(z.enum(scopes, `may be ${scopes.join(' and ')}`))
    .min(1, `needs at least one of ${scopes.join(', ')}`),
  expiresAt: z.date().nullable().default(null),
});

/** A new key: 256 random bits, in characters that need no quoting in a header, a URL or a shell. */
export function generateKey(): string {
  return `ls_${randomBytes(32).toString('base64url')}`;
}

export function parseScopes(stored: string): Scope[] {
  return scopes.filter((scope) => stored.split(' ').includes(scope));
}

function stored(key: string, keyScopes: readonly Scope[], now: Date, expiresAt: Date | null) {
  return {
    hash: hashKey(key),
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
      { path: ['expiresAt'], messages: ['must lie in the future'] },
    ]);
  }
  const key = generateKey();
  const owner = await db.prisma.account.upsert({
    where: { name: account },
    create: { name: account, createdAt: now },
    update: {},
  });
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

/** A condition for keys that are neither revoked nor expired. */
export function validKeys(now: Date) {
  return { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] };
}
