import type { Data } from '../../db/database.ts';
import { isUniqueViolation } from '../../engine/db/errors.ts';
import { DomainError } from '../../engine/rules/errors.ts';
import { nameSchema } from '../../engine/rules/input.ts';
import { because, refusal } from '../rules.ts';
import { bySession } from './session.ts';
import type { User } from './user.ts';
import type { SignedIn } from './ways-in.ts';

/** Maximum number of passkeys of a user. */
const MAX_PASSKEYS = 20;
const tooMany = `A user may have at most ${MAX_PASSKEYS} passkeys: remove one first.`;

/** A passkey as an authenticator made it. */
export interface NewPasskey {
  readonly credentialId: string;
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: readonly string[];
}

/** A user as passkeys know them. */
export function encodeHandle({ id }: Pick<User, 'id'>): string {
  return Buffer.from(String(id)).toString('base64url');
}

export async function requireRoomForPasskey(db: Data, userId: number): Promise<void> {
  if ((await db.prisma.passkey.count({ where: { userId } })) >= MAX_PASSKEYS)
    throw new DomainError('VALIDATION', because(tooMany, 'TOO_MANY_PASSKEYS', { max: MAX_PASSKEYS }));
}

export const passkeyName = nameSchema(100);

/** @throws DomainError VALIDATION, CONFLICT, UNAUTHENTICATED */
export async function createPasskey(
  db: Data,
  session: SignedIn,
  name: string,
  { transports, ...made }: NewPasskey,
  now: Date,
): Promise<{ id: number; name: string }> {
  const { userId } = session;
  return bySession(db, session, now, async (tx) => {
    await requireRoomForPasskey(tx, userId);
    const data = { ...made, userId, name, transports: transports.join(' '), createdAt: now };
    return tx.prisma.passkey.create({ data });
  }).catch((error: unknown) => {
    if (isUniqueViolation(error)) throw new DomainError('CONFLICT', refusal('PASSKEY_TWICE'));
    throw error;
  });
}

/** A passkey with its user, by the id that its authenticator gave it. */
export async function findPasskey(db: Data, credentialId: string) {
  return db.prisma.passkey.findUnique({ where: { credentialId }, include: { user: true } });
}

/**
 * Records a use; false if the counter went back, also against a use at the same time. Authenticators without a counter always
 * say 0.
 */
export async function usePasskey(db: Data, id: number, counter: number, now: Date): Promise<boolean> {
  const isNewer = counter === 0 ? { counter: 0 } : { counter: { lt: counter } };
  const { count } = await db.prisma.passkey.updateMany({
    where: { id, ...isNewer },
    data: { counter, lastUsedAt: now },
  });
  return count > 0;
}
