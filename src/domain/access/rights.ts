import type { Data, Transaction } from '../../db/database.ts';
import type { Writer } from '../../engine/rules/caller.ts';
import { DomainError } from '../../engine/rules/errors.ts';
import type { Account, ApiKey, Membership, Session, User } from '../../generated/sqlite/client.ts';
import { type Actor, notMember, requirePermission } from './actor.ts';
import { lockAccess } from './lock-access.ts';
import {
  isRole,
  lowerRole,
  type Permission,
  parseScopes,
  permissionsOf,
  permissionsOfScopes,
  type Role,
} from './role.ts';
import { sessionEnd, sessionEnded } from './session.ts';

/** The ids of a caller, which never change. */
export type Identity = Pick<Actor, 'accountId' | 'keyId' | 'userId' | 'session' | 'memberId'>;

/** A caller's current rights and their end, by its key or session. */
export interface Rights {
  readonly role: Role | null;
  readonly permissions: ReadonlySet<Permission>;
  /** Expiry of the key; null if it never expires, and for a session. */
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
}

/** The rights of a caller; or if it has none any more, the error that a new request gets. */
export type State = Rights | (() => DomainError);

export function unknownKey(): DomainError {
  return new DomainError('UNAUTHENTICATED', 'The API key is unknown, revoked or expired.');
}

interface OfAccount {
  readonly account: Pick<Account, 'disabledAt'>;
}
type KeyRow = Pick<ApiKey, 'role' | 'scopes' | 'makerId' | 'expiresAt' | 'lastUsedAt'> & OfAccount;
type MemberRow = Pick<Membership, 'role'> & { readonly user: Pick<User, 'disabledAt'> };

const disabledAt = { select: { disabledAt: true } } as const;
/** Reads a row with its user's `disabledAt`: disabled users cannot sign in. */
export const withUser = { include: { user: disabledAt } } as const;
/** A row has the state of its account, too. */
export const withAccount = { include: { account: disabledAt } } as const;
const withBoth = { include: { ...withUser.include, ...withAccount.include } } as const;

/** The role of a member who is not disabled. */
function enabledRole(row: MemberRow | null | undefined): Role | null {
  return row && row.user.disabledAt === null && isRole(row.role) ? row.role : null;
}

/** The state of a key that is not revoked, of an account that may be disabled. Its role is never higher than its maker's. */
export function stateOfKey(
  { role, scopes, expiresAt, lastUsedAt, account }: KeyRow,
  maker: MemberRow | null | undefined,
): State {
  if (account.disabledAt !== null) return unknownKey;
  const times = { expiresAt, lastUsedAt };
  if (role === null) return { role: null, permissions: permissionsOfScopes(parseScopes(scopes)), ...times };
  const makersRole = enabledRole(maker);
  if (!isRole(role) || makersRole === null) return unknownKey;
  const own = lowerRole(role, makersRole);
  return { role: own, permissions: permissionsOf(own), ...times };
}

/** A session, and whether its user may sign in. */
export type SessionRow = Pick<Session, 'lastUsedAt'> & { readonly user: Pick<User, 'disabledAt'> };

/**
 * The state of a session that nobody has ended.
 * @param own its user's membership in the account of the request; null if the request is about no account
 */
export function stateOfSession(
  { lastUsedAt, user }: SessionRow,
  own: (Pick<Membership, 'role'> & OfAccount) | null | undefined,
): State {
  if (user.disabledAt !== null) return sessionEnded;
  const times = { expiresAt: null, lastUsedAt };
  if (own === null) return { role: null, permissions: new Set(), ...times };
  if (own === undefined || !isRole(own.role) || own.account.disabledAt !== null) return notMember;
  return { role: own.role, permissions: permissionsOf(own.role), ...times };
}

/** Reads what callers may do now, but for ends by the clock. */
export async function readStates(
  { prisma }: Pick<Data, 'prisma'>,
  actors: readonly Identity[],
): Promise<(actor: Identity) => State> {
  const withIds = (of: (actor: Identity) => number | null | undefined) => ({
    where: { id: { in: [...new Set(actors.flatMap((actor) => of(actor) ?? []))] } },
  });
  const byId = <Row extends { id: number }>(rows: readonly Row[]) =>
    new Map(rows.map((row) => [row.id, row]));
  const keys = byId(await prisma.apiKey.findMany({ ...withIds(({ keyId }) => keyId), ...withAccount }));
  const sessions = byId(
    await prisma.session.findMany({ ...withIds(({ session }) => session?.id), ...withUser }),
  );
  const members = byId(
    await prisma.membership.findMany({ ...withIds(({ memberId }) => memberId), ...withBoth }),
  );
  return ({ keyId, session, memberId }) => {
    const own = memberId === null ? null : members.get(memberId);
    if (session !== null) {
      const row = sessions.get(session.id);
      return row ? stateOfSession(row, own) : sessionEnded;
    }
    const row = keys.get(keyId ?? 0);
    return row && row.revokedAt === null ? stateOfKey(row, own) : unknownKey;
  };
}

interface LockOptions {
  /** True if people, keys or other records of the account are changed or counted. The lock is then exclusive. */
  readonly alone?: boolean;
  /** The id of a membership that is changed, with its user and keys. */
  readonly member?: number | null;
}

/**
 * Locks what a caller's access depends on, and gives the caller with what they may do now: another transaction may have ended or
 * lowered them since the request began. The operator has no such rows.
 * @throws DomainError UNAUTHENTICATED, FORBIDDEN
 */
export async function lockCaller<Caller extends Actor | Writer>(
  tx: Transaction,
  caller: Caller,
  now: Date,
  { alone = false, member = null }: LockOptions = {},
): Promise<Caller> {
  const account = { Account: [caller.accountId] };
  await lockAccess(tx, alone ? account : {}, account);
  const { keyId } = caller;
  const [session, memberId] = isActor(caller) ? [caller.session, caller.memberId] : [null, null];
  const where = { id: { in: [memberId, member].filter((id) => id !== null) } };
  const members = await tx.prisma.membership.findMany({ where, select: { id: true, userId: true } });
  const findUserId = (id: number | null) => members.find((one) => one.id === id)?.userId ?? null;
  await lockAccess(
    tx,
    { User: [findUserId(member)], Membership: [member] },
    {
      User: [findUserId(memberId), caller.userId ?? null],
      ...{ Session: [session?.id ?? null], Membership: [memberId], ApiKey: [keyId] },
    },
  );
  if (!isActor(caller) || (keyId === null && session === null)) return caller;
  const state = (await readStates(tx, [caller]))(caller);
  if (typeof state === 'function') throw state();
  const { role, permissions, expiresAt, lastUsedAt } = state;
  if (expiresAt !== null && expiresAt <= now) throw unknownKey();
  if (session !== null && lastUsedAt !== null && sessionEnd({ ...session, lastUsedAt }) <= now)
    throw sessionEnded();
  return { ...caller, role, permissions };
}

function isActor(caller: Actor | Writer): caller is Actor {
  return 'permissions' in caller;
}

/**
 * Locks what a caller's access depends on, for a change that gives access.
 * @throws DomainError UNAUTHENTICATED; FORBIDDEN without the permission
 */
export async function lockPermitted(
  tx: Transaction,
  caller: Actor | Writer,
  permission: Permission,
  now: Date,
  options: LockOptions = {},
): Promise<void> {
  const current = await lockCaller(tx, caller, now, options);
  if (isActor(current)) requirePermission(current, permission);
}
