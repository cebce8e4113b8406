import { DomainError } from '../errors.ts';
import { parseId } from '../input.ts';

export const scopes = ['read', 'write'] as const;
export type Scope = (typeof scopes)[number];

/** For which account something is written, and by which key; the operator has none. */
export interface Writer {
  readonly accountId: number;
  readonly keyId: number | null;
}

/** Who asks: the key that came with the request, and the account that it acts for. */
export interface Actor extends Writer {
  readonly keyId: number;
  readonly scopes: ReadonlySet<Scope>;
}

/** @throws DomainError FORBIDDEN where the key lacks the scope. */
export function requireScope(actor: Actor, scope: Scope): void {
  if (actor.scopes.has(scope)) return;
  throw new DomainError('FORBIDDEN', `This API key lacks the scope "${scope}".`);
}

/** Where to find the account's own record with this id, or null where no record can have it. */
export function owned(actor: Writer, id: string): { id: number; accountId: number } | null {
  const number = parseId(id);
  return number === null ? null : { id: number, accountId: actor.accountId };
}
