import { z } from 'zod';
import type { Db } from '../../db/connection/db.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../../db/connection/errors.ts';
import { isUsableBy } from '../../db/reading/conditions.ts';
import type { ListReader } from '../../db/reading/list-reader.ts';
import type { Domain } from '../../generated/sqlite/client.ts';
import { TIMED_OUT, withTimeout } from '../../shared/timeout.ts';
import { type Actor, owned, type Writer } from '../access/actor.ts';
import { deleteOwned, type Kind, updateOwned } from '../access/ownership.ts';
import { fieldsSet, recordingChanges } from '../change/change.ts';
import { DomainError, invalid, notFound } from '../errors.ts';
import { parseId, parseInput, textOf, type Unparsed } from '../input.ts';
import { hostBlocked } from '../link/blocklists.ts';
import { byCreation, type Connection, type EdgesInput, readConnection } from '../list.ts';
import type { Services } from '../services.ts';
import { isHostName, normalizeHost, sendableAddress, withoutPort } from '../url.ts';

export type { Domain };

const name = textOf(1, 255).transform((text, context) => {
  const host = normalizeHost(text);
  if (text === '' || (host !== null && isHostName(host))) return host ?? '';
  context.addIssue({ code: 'custom', message: 'must be a host name, such as go.example' });
  return z.NEVER;
});

const notFoundUrl = sendableAddress
  .describe("The URL for visitors of an unknown alias; the service's own page by default.")
  .nullish();

export const createDomainInput = z.object({
  name: name.describe(
    'The host: `go.example`. It can belong to one account only, and must be verified before it serves visitors: see `verification`.',
  ),
  notFoundUrl,
});
export const updateDomainInput = z.object({
  name: name.optional().describe('The host; cannot be cleared. A new host must be verified again.'),
  notFoundUrl,
});

export const domainFields = { name: 'name', notFoundUrl: 'notFoundUrl', verifiedAt: 'verified' } as const;

const kind = {
  kind: 'DOMAIN',
  what: 'domain',
  table: 'Domain',
  fields: domainFields,
  rows: (tx) => tx.domain,
} satisfies Kind<Domain, Partial<Domain>>;

/** A condition for the domains that an account may use: its own and the shared ones. */
export function usableDomains({ accountId }: Pick<Actor, 'accountId'>) {
  return { OR: [{ accountId }, { accountId: null }] };
}

/** The domain with this id; null if the account may not use it. */
export async function findDomain(db: Db, actor: Actor, id: string): Promise<Domain | null> {
  const number = parseId(id);
  return number === null ? null : db.domain.findUnique({ where: { id: number, ...usableDomains(actor) } });
}

/** The domains with these ids that the account may use. */
export function findDomains(db: Db, actor: Actor, ids: readonly number[]): Promise<Domain[]> {
  return db.domain.findMany({ where: { id: { in: [...ids] }, ...usableDomains(actor) } });
}

/** Whether visitors of the domain's host get its links. Before verification, the host does not count as a domain. */
export function servesVisitors(
  { accountId, verifiedAt }: Pick<Domain, 'accountId' | 'verifiedAt'>,
  { verifiesDomains }: Pick<Services, 'verifiesDomains'>,
): boolean {
  return !verifiesDomains || accountId === null || verifiedAt !== null;
}

/** The TXT record that verifies an account's domain; null if it needs none. */
export function verificationOf({
  name: host,
  verificationToken,
}: Pick<Domain, 'name' | 'verificationToken'>): { name: string; value: string } | null {
  if (verificationToken === null) return null;
  return { name: `_linkspace.${withoutPort(host)}`, value: `linkspace-verification=${verificationToken}` };
}

/** Translates the database's refusal of a taken host: a host has one owner, on any port. */
async function whereHostIsFree<T>(write: Promise<T>): Promise<T> {
  return write.catch((error: unknown) => {
    // The trigger that refuses another account's host raises a foreign key violation.
    if (!isUniqueViolation(error) && !isForeignKeyViolation(error)) throw error;
    throw invalid([{ path: ['name'], messages: ['is already taken'] }]);
  });
}

const TOKEN_CHARACTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const TOKEN_LENGTH = 32;

/** The columns of a new host: its name, its key for comparison, and its verification. */
function hostColumns(host: string, { random, verifiesDomains }: Services, now: Date) {
  const character = () => TOKEN_CHARACTERS.charAt(random(TOKEN_CHARACTERS.length));
  return {
    name: host,
    hostKey: withoutPort(host),
    verificationToken: Array.from({ length: TOKEN_LENGTH }, character).join(''),
    verifiedAt: verifiesDomains ? null : now,
  };
}

/** @throws DomainError VALIDATION for a new not-found URL on a blocked host; the domain may keep its own */
function requireUnblocked({ lists }: Services, given: string | null | undefined, own: string | null): void {
  if (given == null || given === own || !lists.blocksAddress(given)) return;
  throw invalid([{ path: ['notFoundUrl'], messages: [hostBlocked] }]);
}

/**
 * A slice of the domains that the account may use, by cursor, oldest first; `total` counts them when it is called.
 * @throws DomainError VALIDATION
 */
export function domainConnection(
  lists: ListReader,
  { accountId }: Actor,
  input: EdgesInput,
): Promise<Connection<Domain>> {
  return readConnection(lists, byCreation('Domain', isUsableBy(accountId)), input);
}

/**
 * Creates a domain. If domains must be verified, it serves visitors only after `verifyDomain` has found its record.
 * @throws DomainError VALIDATION
 */
export async function createDomain(
  db: Db,
  actor: Writer,
  services: Services,
  input: Unparsed<typeof createDomainInput>,
  now: Date,
): Promise<Domain> {
  const { name: host, notFoundUrl } = parseInput(createDomainInput, input);
  requireUnblocked(services, notFoundUrl, null);
  const data = {
    ...hostColumns(host, services, now),
    notFoundUrl,
    accountId: actor.accountId,
    createdAt: now,
    updatedAt: now,
  };
  const create = recordingChanges(db, actor, now, async ({ tx, record }) => {
    const domain = await tx.domain.create({ data });
    await record('CREATED', 'DOMAIN', [domain.id], fieldsSet({ name: host, notFoundUrl }, kind.fields));
    return domain;
  });
  return whereHostIsFree(create);
}

/**
 * Changes the given fields; null clears `notFoundUrl`. A new host has to be verified again. No account can change a shared
 * domain.
 * @throws DomainError VALIDATION, NOT_FOUND
 */
export async function updateDomain(
  db: Db,
  actor: Actor,
  services: Services,
  id: string,
  input: Unparsed<typeof updateDomainInput>,
  now: Date,
): Promise<Domain> {
  const { name: host, notFoundUrl } = parseInput(updateDomainInput, input);
  const update = updateOwned(db, kind, actor, id, now, ({ hostKey, notFoundUrl: own }) => {
    requireUnblocked(services, notFoundUrl, own);
    // Another port is still the same host.
    const moves = host !== undefined && withoutPort(host) !== hostKey;
    return { ...(moves ? hostColumns(host, services, now) : { name: host }), notFoundUrl };
  });
  return whereHostIsFree(update);
}

/** The timeout for DNS, in milliseconds. */
const DNS_TIMEOUT = 5_000;

/** The texts of the record in DNS; none if it does not answer in time. */
async function lookUp({ resolveTxt }: Services, record: { name: string }): Promise<readonly string[]> {
  const found = await withTimeout(
    DNS_TIMEOUT,
    resolveTxt(record.name).catch(() => []),
  );
  return found === TIMED_OUT ? [] : found;
}

/** Looks up what `verifyDomain` needs ahead, for services that remembers it. */
export async function prepareVerification(
  db: Db,
  actor: Actor,
  services: Services,
  id: string,
): Promise<void> {
  const where = owned(actor, id);
  const domain = where && (await db.domain.findUnique({ where }));
  const record = domain && verificationOf(domain);
  if (record && domain.verifiedAt === null) await lookUp(services, record);
}

/**
 * Looks up the domain's record in DNS; after that, the domain serves visitors.
 * @throws DomainError VALIDATION if DNS does not have the record, NOT_FOUND
 */
export async function verifyDomain(
  db: Db,
  actor: Actor,
  services: Services,
  id: string,
  now: Date,
): Promise<Domain> {
  const where = owned(actor, id);
  const domain = where && (await db.domain.findUnique({ where }));
  if (domain === null) throw notFound('domain');
  const record = verificationOf(domain);
  if (domain.verifiedAt !== null || record === null) return domain;
  if (!(await lookUp(services, record)).some((text) => text.trim() === record.value)) {
    const wanted = `TXT record ${record.name} with the value ${record.value}`;
    throw invalid(
      [{ path: ['id'], messages: ['is of a domain whose TXT record is not in DNS yet'] }],
      `DNS has no ${wanted} yet.`,
    );
  }
  // Only for the host that was looked up: if it was changed meanwhile, it has another token.
  const { verificationToken } = domain;
  return updateOwned(db, kind, actor, id, now, (row) => {
    if (row.verificationToken !== verificationToken) throw notFound('domain');
    return { verifiedAt: row.verifiedAt ?? now };
  });
}

/**
 * Deletes the domain and returns its id. A domain with links cannot be deleted.
 * @throws DomainError NOT_FOUND, IN_USE
 */
export async function deleteDomain(db: Db, actor: Actor, id: string, now: Date): Promise<number> {
  return deleteOwned(db, kind, actor, id, now).catch((error: unknown) => {
    if (!isForeignKeyViolation(error)) throw error;
    throw new DomainError('IN_USE', 'This domain still has links: delete them first.');
  });
}
