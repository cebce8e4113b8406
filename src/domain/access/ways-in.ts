import type { Data } from '../../db/database.ts';
import { invalidField, notFound } from '../../engine/rules/errors.ts';
import { parseId } from '../../engine/rules/input.ts';
import { toAscii } from '../../engine/rules/url.ts';
import type { Identity, Passkey } from '../../generated/sqlite/client.ts';
import { refusal } from '../rules.ts';
import { bySession } from './session.ts';
import { endOthers } from './user.ts';

/** Ways to sign in that this service offers. */
export interface WaysIn {
  readonly passwords: boolean;
  readonly passkeys: boolean;
  /** The OpenID provider; null for none. */
  readonly issuer: string | null;
}

/** A session of a user who changes how they sign in. */
export interface SignedIn {
  readonly id: number;
  readonly userId: number;
  readonly signedInAt: Date;
}

const withoutSlash = (issuer: string) => toAscii(issuer).replace(/\/$/, '');

/** Returns true if two issuers are one: a final slash makes no difference, since people paste the address without it. */
export function isSameIssuer(one: string, other: string | null): boolean {
  return other !== null && withoutSlash(one) === withoutSlash(other);
}

/** Reads a user's ways to sign in, without secrets: whether they have a password, their passkeys and identities. */
export async function findWaysIn(db: Data, userId: number) {
  const { password, passkeys, identities } = await db.prisma.user.findUniqueOrThrow({
    where: { id: userId },
    include: { passkeys: { orderBy: { id: 'asc' } }, identities: { orderBy: { id: 'asc' } } },
  });
  return { hasPassword: password !== null, passkeys, identities };
}

/** True if the user has an identity of this provider, so that signing out must include the provider's page. */
export async function isKnownTo(db: Data, userId: number, issuer: string): Promise<boolean> {
  return (await findWaysIn(db, userId)).identities.some((one) => isSameIssuer(one.issuer, issuer));
}

/**
 * Removes a passkey or an identity, and ends the user's other sessions.
 * @throws DomainError NOT_FOUND, UNAUTHENTICATED; VALIDATION if the user could not sign in any more
 */
export async function removeWay(
  db: Data,
  what: 'passkey' | 'identity',
  session: SignedIn,
  id: string,
  ways: WaysIn,
  now: Date,
): Promise<void> {
  const number = parseId(id);
  await bySession(db, session, now, async (tx) => {
    const { hasPassword, ...own } = await findWaysIn(tx, session.userId);
    const isIt = (kind: typeof what) => (one: Passkey | Identity) => kind === what && one.id === number;
    if (!own.passkeys.some(isIt('passkey')) && !own.identities.some(isIt('identity'))) throw notFound(what);
    const passkeys = own.passkeys.filter((one) => ways.passkeys && !isIt('passkey')(one));
    const identities = own.identities.filter(
      (one) => isSameIssuer(one.issuer, ways.issuer) && !isIt('identity')(one),
    );
    if (!(ways.passwords && hasPassword) && passkeys.length === 0 && identities.length === 0)
      throw invalidField('id', refusal('LAST_WAY_IN'));
    const where = { where: { id: number ?? 0 } };
    if (what === 'passkey') await tx.prisma.passkey.delete(where);
    else await tx.prisma.identity.delete(where);
    await endOthers(tx, session);
  });
}
