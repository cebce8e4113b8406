import { z } from 'zod';
import type { Db } from '../../db/connection/client.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../../db/connection/errors.ts';
import { countOf, type List, sql } from '../../db/reading/list.ts';
import type { ListReader } from '../../db/reading/list-reader.ts';
import type { Domain } from '../../generated/sqlite/client.ts';
import { LATE, within } from '../../within.ts';
import { type Actor, owned, type Writer } from '../access/actor.ts';
import { fieldsSet, recordingChanges } from '../change/change.ts';
import { DomainError, invalid, notFound } from '../errors.ts';
import { parseId, parseInput, textOf, type Unparsed } from '../input.ts';
import type { Site } from '../link/link.ts';
import { type Edges, type EdgesInput, readEdges } from '../list.ts';
import { deleteOwned, type Kind, updateOwned } from '../owned.ts';
import { isHostName, isSendable, normalizeHost, tooLongAsSent, webAddress, withoutPort } from '../url.ts';

const name = textOf(1, 255).transform((text, context) => {
  const host = normalizeHost(text);
  if (text === '' || (host !== null && isHostName(host))) return host ?? '';
  context.addIssue({ code: 'custom', message: 'must be a host name, such as go.example' });
  return z.NEVER;
});

const notFoundUrl = webAddress
  .refine((text) => !URL.canParse(text) || isSendable(text), tooLongAsSent)
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

/** The domains that an account may use: its own, and those that all share. */
export function usableDomains(actor: Actor) {
  return { OR: [{ accountId: actor.accountId }, { accountId: null }] };
}

/** Where to find a usable domain with this id, or null where no domain can have it. */
export function usableDomain(actor: Actor, id: string) {
  const number = parseId(id);
  return number === null ? null : { id: number, ...usableDomains(actor) };
}

/** Whether visitors who ask for the domain's host get its links. Until it is verified, it counts as no domain. */
export function servesVisitors(
  { accountId, verifiedAt }: Pick<Domain, 'accountId' | 'verifiedAt'>,
  { verifiesDomains }: Pick<Site, 'verifiesDomains'>,
): boolean {
  return !verifiesDomains || accountId === null || verifiedAt !== null;
}

/** The TXT record that verifies an account's domain; null for one that needs none. */
export function verificationOf({
  name: host,
  verificationToken,
}: Domain): { name: string; value: string } | null {
  if (verificationToken === null) return null;
  return { name: `_linkspace.${withoutPort(host)}`, value: `linkspace-verification=${verificationToken}` };
}

/** The database decides, across accounts: a host is one owner's, whatever the port. */
async function whereHostIsFree<T>(write: Promise<T>): Promise<T> {
  return write.catch((error: unknown) => {
    // The trigger that refuses another's host reports it as a foreign key's violation.
    if (!isUniqueViolation(error) && !isForeignKeyViolation(error)) throw error;
    throw invalid([{ path: ['name'], messages: ['is already taken'] }]);
  });
}

const TOKEN_CHARACTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const TOKEN_LENGTH = 32;

/** What identifies a new host among others, and what verifies it. */
function hostColumns(host: string, { random, verifiesDomains }: Site, now: Date) {
  const character = () => TOKEN_CHARACTERS.charAt(random(TOKEN_CHARACTERS.length));
  return {
    name: host,
    hostKey: withoutPort(host),
    verificationToken: Array.from({ length: TOKEN_LENGTH }, character).join(''),
    verifiedAt: verifiesDomains ? null : now,
  };
}

/**
 * A slice of the domains that the account may use, by cursor, the oldest first; `total` counts them when it is called.
 * @throws DomainError VALIDATION
 */
export async function domainConnection(
  lists: ListReader,
  { accountId }: Actor,
  input: EdgesInput,
): Promise<Edges<Domain> & { total(): Promise<number> }> {
  const list: List = {
    table: 'Domain',
    where: [sql`("accountId" = ${accountId} OR "accountId" IS NULL)`],
    orderBy: { name: 'id', type: 'number' },
    descending: false,
  };
  const edges = await readEdges<Domain>(lists, list, input);
  return { ...edges, total: () => lists.number(countOf(list)) };
}

/**
 * Adds a domain. Where domains are verified, it serves visitors only once `verifyDomain` found its record.
 * @throws DomainError VALIDATION
 */
export async function createDomain(
  db: Db,
  actor: Writer,
  site: Site,
  input: Unparsed<typeof createDomainInput>,
  now: Date,
): Promise<Domain> {
  const { name: host, notFoundUrl } = parseInput(createDomainInput, input);
  const data = {
    ...hostColumns(host, site, now),
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
 * Changes the fields that are there; `notFoundUrl` null clears it. Another host has to be verified anew. A shared domain is
 * nobody's to change.
 * @throws DomainError VALIDATION, NOT_FOUND
 */
export async function updateDomain(
  db: Db,
  actor: Actor,
  site: Site,
  id: string,
  input: Unparsed<typeof updateDomainInput>,
  now: Date,
): Promise<Domain> {
  const { name: host, notFoundUrl } = parseInput(updateDomainInput, input);
  const update = updateOwned(db, kind, actor, id, now, ({ hostKey }) => {
    // With another port, it is the same host.
    const moves = host !== undefined && withoutPort(host) !== hostKey;
    return { ...(moves ? hostColumns(host, site, now) : { name: host }), notFoundUrl };
  });
  return whereHostIsFree(update);
}

/** How long DNS may take to answer, in milliseconds. */
const DNS_TIMEOUT = 5_000;

/**
 * Looks for the domain's record in DNS; from then on the domain serves visitors.
 * @throws DomainError VALIDATION where DNS does not have the record, NOT_FOUND
 */
export async function verifyDomain(
  db: Db,
  actor: Actor,
  { resolveTxt }: Site,
  id: string,
  now: Date,
): Promise<Domain> {
  const where = owned(actor, id);
  const domain = where && (await db.domain.findUnique({ where }));
  if (domain === null) throw notFound('domain');
  const record = verificationOf(domain);
  if (domain.verifiedAt !== null || record === null) return domain;
  const found = await within(
    DNS_TIMEOUT,
    resolveTxt(record.name).catch(() => []),
  );
  if (found === LATE || !found.some((text) => text.trim() === record.value)) {
    const wanted = `a TXT record ${record.name} with the value ${record.value}`;
    throw invalid([
      { path: ['id'], messages: [`is that of a domain without ${wanted}, as far as DNS tells`] },
    ]);
  }
  // Only of the host that was asked for: it may have been changed meanwhile, and has another token then.
  const { verificationToken } = domain;
  return updateOwned(db, kind, actor, id, now, (row) => {
    if (row.verificationToken !== verificationToken) throw notFound('domain');
    return { verifiedAt: row.verifiedAt ?? now };
  });
}

/**
 * Deletes the domain and returns its id. One that has links stays: visitors would lose them.
 * @throws DomainError NOT_FOUND, IN_USE
 */
export async function deleteDomain(db: Db, actor: Actor, id: string, now: Date): Promise<number> {
  return deleteOwned(db, kind, actor, id, now).catch((error: unknown) => {
    if (!isForeignKeyViolation(error)) throw error;
    throw new DomainError('IN_USE', 'This domain still has links: delete them first.');
  });
}
