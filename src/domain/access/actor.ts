import { hash, randomBytes } from 'node:crypto';
import type { Caller, Writer } from '../../engine/rules/caller.ts';
import { DomainError } from '../../engine/rules/errors.ts';
import { parseId } from '../../engine/rules/input.ts';
import { nameFor } from '../../engine/tools/name-for.ts';
import { because, refusal } from '../rules.ts';
import {
  isAtLeast,
  type Permission,
  permissions,
  permissionsOfScopes,
  type Role,
  type Scope,
  scopes,
} from './role.ts';

/** 256 random bits, in characters that need no quoting in a header, a cookie, a URL or a shell. */
export function generateToken(): string {
  return randomBytes(32).toString('base64url');
}

/** The stored form of a key or token. They are 256 random bits, so a slow hash would add nothing. */
export function hashToken(token: string): string {
  return hash('sha256', token);
}

/** The session of a user who is signed in. */
export interface OwnSession {
  readonly id: number;
  readonly signedInAt: Date;
}

/** The caller of a request, in one account: a key, or a user by a session. */
export interface Actor extends Caller {
  /** The user's session; null for a key. */
  readonly session: OwnSession | null;
  /** The membership of a user, or of the maker of a key; null for a key made by the operator. */
  readonly memberId: number | null;
  /** Null for a key that has scopes instead. */
  readonly role: Role | null;
  readonly permissions: ReadonlySet<Permission>;
  /** The time now, where the request may have begun some while ago. */
  clock?(): Date;
}

/** The service itself, or the operator, for an account: what a key with these scopes may do. */
export function actorFor(accountId: number, keyId: number | null, given: readonly Scope[] = scopes): Actor {
  const permissions = permissionsOfScopes(given);
  return { accountId, keyId, userId: null, session: null, memberId: null, role: null, permissions };
}

/** The number of a caller, for limits: of the key, or the negative one of the user. */
export function callerOf({ keyId, userId }: Pick<Actor, 'keyId' | 'userId'>): number {
  return keyId ?? -(userId ?? 0);
}

/** The name of all callers that are of the same kind, and have the same role or scopes. */
export function senderName({
  userId,
  role,
  permissions: given,
}: Pick<Actor, 'userId' | 'role' | 'permissions'>): string {
  const kind = userId === null ? 'key' : 'session';
  if (role !== null) return nameFor('sender', kind, 'role', role);
  const has = (scope: Scope) => [...given].some((one) => permissions[one].scope === scope);
  return nameFor('sender', kind, 'scopes', ...scopes.filter(has));
}

function tooLow({ role }: Pick<Actor, 'role'>, needed: Role): DomainError {
  return new DomainError('FORBIDDEN', refusal('ROLE_TOO_LOW', { role: String(role), needed }));
}

export function notMember(): DomainError {
  return new DomainError('FORBIDDEN', refusal('NOT_A_MEMBER'));
}

/** @throws DomainError FORBIDDEN */
export function requirePermission(actor: Pick<Actor, 'permissions' | 'role'>, permission: Permission): void {
  if (actor.permissions.has(permission)) return;
  const { role, scope } = permissions[permission];
  if (actor.role !== null) throw tooLow(actor, role);
  if (scope !== null) {
    const message = `This API key lacks the scope "${scope}".`;
    throw new DomainError('FORBIDDEN', because(message, 'SCOPE_MISSING', { scope }));
  }
  const message = `A key with scopes cannot manage people or keys: this needs the role ${role}.`;
  throw new DomainError('FORBIDDEN', because(message, 'ROLE_MISSING', { needed: role }));
}

/**
 * Nobody gives, changes or takes away what is above their own role.
 * @throws DomainError FORBIDDEN
 */
export function requireRole(actor: Actor, needed: Role): void {
  if (actor.role === null || !isAtLeast(actor.role, needed)) throw tooLow(actor, needed);
}

/** A condition for the account's own record with this id; null for an impossible id. */
export function owned(
  actor: Pick<Writer, 'accountId'>,
  id: string,
): { id: number; accountId: number } | null {
  const number = parseId(id);
  return number === null ? null : { id: number, accountId: actor.accountId };
}
