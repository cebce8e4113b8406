import { z } from 'zod';
import type { Db } from '../db/client.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../db/errors.ts';
import type { Domain } from '../generated/sqlite/client.ts';
import type { Actor } from './actor.ts';
import { DomainError, invalid } from './errors.ts';
import { parseId, parseInput, textOf, type Unparsed } from './input.ts';
import { deleteOwned, updateOwned } from './owned.ts';
import { normalizeHost, webAddress } from './url.ts';

const name = textOf(1, 255).transform((text, context) => {
  const host = normalizeHost(text);
  if (host !== null || text === '') return host ?? '';
  context.addIssue({ code: 'custom', message: 'must be a host name, such as go.example' });
  return z.NEVER;
});

export const createDomainInput = z.object({ name, notFoundUrl: webAddress.nullish() });
export const updateDomainInput = z.object({ name: name.optional(), notFoundUrl: webAddress.nullish() });

/** The domains that an account may use: its own, and those that all share. */
export function usableDomains(actor: Actor) {
  return { OR: [{ accountId: actor.accountId }, { accountId: null }] };
}

/** Where to find a usable domain with this id, or null where no domain can have it. */
export function usableDomain(actor: Actor, id: string) {
  const number = parseId(id);
  return number === null ? null : { id: number, ...usableDomains(actor) };
}

/** Makes sure that all accounts share the service's own domain, the host of its base URL, and returns its id. */
export async function shareDefaultDomain(db: Db, host: string, now: Date): Promise<number> {
  const domain = { name: host, accountId: null };
  const { id } = await db.domain.upsert({
    where: { name: host },
    create: { ...domain, createdAt: now, updatedAt: now },
    update: { accountId: null },
  });
  return id;
}

/** The constraint decides, across accounts: a host answers for one account only. */
async function whereNameIsFree<T>(write: Promise<T>): Promise<T> {
  return write.catch((error: unknown) => {
    if (!isUniqueViolation(error)) throw error;
    throw invalid([{ path: ['name'], messages: ['is already taken'] }]);
  });
}

/** @throws DomainError VALIDATION */
export async function createDomain(
  db: Db,
  actor: Actor,
  input: Unparsed<typeof createDomainInput>,
  now: Date,
): Promise<Domain> {
  const fields = parseInput(createDomainInput, input);
  const data = { ...fields, accountId: actor.accountId, createdAt: now, updatedAt: now };
  return whereNameIsFree(db.domain.create({ data }));
}

/**
 * Changes the fields that are there; `notFoundUrl` null clears it. A shared domain is nobody's to change.
 * @throws DomainError VALIDATION, NOT_FOUND
 */
export async function updateDomain(
  db: Db,
  actor: Actor,
  id: string,
  input: Unparsed<typeof updateDomainInput>,
  now: Date,
): Promise<Domain> {
  const fields = parseInput(updateDomainInput, input);
  return whereNameIsFree(updateOwned(db.domain, 'domain', actor, id, fields, now));
}

/**
 * Deletes the domain and returns its id. One that has links stays: visitors would lose them.
 * @throws DomainError NOT_FOUND, IN_USE
 */
export async function deleteDomain(db: Db, actor: Actor, id: string): Promise<number> {
  return deleteOwned(db.domain, 'domain', actor, id).catch((error: unknown) => {
    if (!isForeignKeyViolation(error)) throw error;
    throw new DomainError('IN_USE', 'This domain still has links: delete them first.');
  });
}
