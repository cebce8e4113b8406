import { hash } from 'node:crypto';
import { DomainError } from '../errors.ts';
import { parseId } from '../input.ts';

export const scopes = ['read', 'write'] as const;
export type Scope = (typeof scopes)[number];

export function isScope(text: string): text is Scope {
  return scopes.some((scope) => scope === text);
}

/** The stored form of a key. */
export function hashKey(key: string): string {
  return hash('sha256', key);
}

/** The account that something is written for, and the key that writes it; null for the operator. */
export interface Writer {
  readonly accountId: number;
  readonly keyId: number | null;
}

/** The caller of a request: its key, and the account of the key. */
export interface Actor extends Writer {
  readonly keyId: number;
  readonly scopes: ReadonlySet<Scope>;
}

/** The number of requests that a key may make in a window, the rest, and the end of the window. */
export interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: Date;
}

/** @throws DomainError FORBIDDEN if the key lacks the scope. */
export function requireScope(actor: Actor, scope: Scope): void {
  if (actor.scopes.has(scope)) return;
  throw new DomainError('FORBIDDEN', `This API key lacks the scope "${scope}".`);
}

/** A condition for the account's own record with this id; null for an impossible id. */
export function owned(actor: Writer, id: string): { id: number; accountId: number } | null {
  const number = parseId(id);
  return number === null ? null : { id: number, accountId: actor.accountId };
}
