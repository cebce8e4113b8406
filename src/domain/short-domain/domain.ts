import { z } from 'zod';
import type { Data, Transaction } from '../../db/database.ts';
import { isUsableBy } from '../../db/reading/references.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../../engine/db/errors.ts';
import type { ListReader } from '../../engine/lists/list-reader.ts';
import {
  byCreation,
  type Connection,
  type EdgesInput,
  readConnection,
} from '../../engine/lists/pagination.ts';
import type { Writer } from '../../engine/rules/caller.ts';
import { DomainError, fieldError, invalid, invalidField, notFound } from '../../engine/rules/errors.ts';
import {
  flag,
  parseId,
  parseInput,
  textSchema,
  trimPasted,
  type Unparsed,
} from '../../engine/rules/input.ts';
import { hostOf, isHostName, sendableAddress, withoutPort } from '../../engine/rules/url.ts';
import { randomText } from '../../engine/tools/random.ts';
import type { Domain, Link } from '../../generated/sqlite/client.ts';
import { type Actor, owned } from '../access/actor.ts';
import { createOwned, deleteOwned, type Kind, requireRoom, updateOwned } from '../access/ownership.ts';
import { lockPermitted } from '../access/rights.ts';
import { hostBlocked } from '../link/blocklists.ts';
import { ownDomain } from '../link/check.ts';
import { refusal } from '../rules.ts';
import type { Services } from '../services.ts';
import { appsColumn } from './apps.ts';
import { namesServing, normalizeDomainName } from './host.ts';

export type { Domain };

/** So that an account cannot fill the memory of all that look for the domain of a host. */
export const MAX_DOMAINS = 10_000;

const name = textSchema(1, 255, trimPasted).transform((text, context) => {
  const host = normalizeDomainName(text);
  if (text === '' || (host !== null && isHostName(host))) return host ?? '';
  context.addIssue(refusal('HOST').issue);
  return z.NEVER;
});

const notFoundUrl = sendableAddress
  .describe("The URL for visitors of an unknown alias; the service's own page by default.")
  .nullish();

const rootUrl = sendableAddress
  .describe(
    "Where the root of the host, `/`, leads; a page with the host's name by default. Not on a short domain of the service.",
  )
  .nullish();

const forwardsPath = flag.describe(
  'Whether the rest of a path behind the alias of a link goes on to its destination: with a link `guide`, ' +
    '/guide/a/b leads to its destination with /a/b.',
);

export const createDomainInput = z.object({
  name: name.describe(
    'The host: `go.example`. It can belong to one account only, and must be verified before it serves visitors: see `verification`.',
  ),
  notFoundUrl,
  rootUrl,
  forwardsPath: forwardsPath.nullish().transform((given) => given || undefined),
});
export const updateDomainInput = z.object({
  name: name.optional().describe('The host; cannot be cleared. A new host must be verified again.'),
  notFoundUrl,
  rootUrl,
  apps: appsColumn,
  forwardsPath: forwardsPath.optional(),
});

export const domainFields = { verifiedAt: 'verified' } as const;

const domainKind = {
  kind: 'DOMAIN',
  what: 'domain',
  table: 'Domain',
  fields: domainFields,
  rows: (tx) => tx.prisma.domain,
} satisfies Kind<Domain, Partial<Domain>>;

/** A condition for the domains that an account may use: its own and the shared ones. */
export function usableDomains({ accountId }: Pick<Actor, 'accountId'>) {
  return { OR: [{ accountId }, { accountId: null }] };
}

/** The domain with this id; null if the account may not use it. */
export async function findDomain(db: Data, actor: Actor, id: string): Promise<Domain | null> {
  const number = parseId(id);
  return number === null
    ? null
    : db.prisma.domain.findUnique({ where: { id: number, ...usableDomains(actor) } });
}

/** The domains with these ids that the account may use. */
export function findDomains(db: Data, actor: Actor, ids: readonly number[]): Promise<Domain[]> {
  return db.prisma.domain.findMany({ where: { id: { in: [...ids] }, ...usableDomains(actor) } });
}

/** @throws DomainError VALIDATION for the host of the console, which serves no short links */
function requireNotConsole({ consoleHost }: Services, host: string): void {
  if (withoutPort(host) === consoleHost) throw invalidField('name', refusal('CONSOLE_HOST'));
}

/** Translates the database's refusal of a taken host: a host has one owner, on any port. */
async function whereHostIsFree<T>(write: Promise<T>): Promise<T> {
  return write.catch((error: unknown) => {
    // The trigger that refuses another account's host raises a foreign key violation.
    if (!isUniqueViolation(error) && !isForeignKeyViolation(error)) throw error;
    throw invalidField('name', refusal('HOST_TAKEN'));
  });
}

const TOKEN_CHARACTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const TOKEN_LENGTH = 32;

/** The columns of a new host: its name, its key for comparison, and its verification. */
function hostColumns(host: string, { random, verifiesDomains }: Services, now: Date) {
  return {
    name: host,
    hostKey: withoutPort(host),
    verificationToken: randomText(TOKEN_LENGTH, TOKEN_CHARACTERS, random),
    verifiedAt: verifiesDomains ? null : now,
  };
}

type Urls = Partial<Pick<Domain, 'notFoundUrl' | 'rootUrl'>>;

/**
 * A function that refuses new URLs on a blocked host, or on this service by another name, and a root that leads to a short
 * domain, perhaps to itself; the domain may keep its own. It throws a DomainError VALIDATION.
 */
async function urlRules(
  db: Data,
  actor: Pick<Actor, 'accountId'>,
  { lists, isOtherName }: Services,
  { name: host = '', rootUrl: root }: Urls & { readonly name?: string | undefined },
): Promise<(given: Urls, own?: Urls) => void> {
  const names = root == null ? [] : namesServing(hostOf(root));
  const where = { name: { in: [...names] }, ...usableDomains(actor) };
  const isShort = names.includes(host) || (names.length > 0 && (await db.prisma.domain.count({ where })) > 0);
  return (given, own = {}) => {
    const errors = (['notFoundUrl', 'rootUrl'] as const).flatMap((field) => {
      const url = given[field];
      if (url == null || url === own[field]) return [];
      if (isOtherName(url) || (isShort && field === 'rootUrl')) return fieldError([field], ownDomain);
      return lists.blocksAddress(url) ? fieldError([field], hostBlocked) : [];
    });
    if (errors.length > 0) throw invalid(errors);
  };
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
 * @param apps those of an export, as their column: they count once the domain is verified
 * @throws DomainError VALIDATION
 */
export async function createDomain(
  db: Data,
  actor: Writer,
  services: Services,
  input: Unparsed<typeof createDomainInput>,
  now: Date,
  apps: string | null = null,
): Promise<Domain> {
  const given = parseInput(createDomainInput, input);
  const { name: host, ...urls } = given;
  const { accountId } = actor;
  const requireAllowed = await urlRules(db, actor, services, given);
  requireAllowed(urls);
  const columns = { ...hostColumns(host, services, now), ...urls, apps };
  requireNotConsole(services, host);
  return whereHostIsFree(
    createOwned(db, domainKind, actor, now, { ...given, apps }, async (tx, common) => {
      await lockPermitted(tx, actor, 'DOMAINS', now, { alone: true });
      const count = () => tx.prisma.domain.count({ where: { accountId } });
      const noRoom = () => invalidField('name', refusal('DOMAINS', { max: MAX_DOMAINS }));
      await requireRoom(tx, accountId, MAX_DOMAINS, count, noRoom);
      return tx.prisma.domain.create({ data: { ...columns, ...common } });
    }),
  );
}

/**
 * Changes the given fields; null clears URLs. A new host has to be verified again. No account can change a shared
 * domain.
 * @throws DomainError VALIDATION, NOT_FOUND
 */
export async function updateDomain(
  db: Data,
  actor: Actor,
  services: Services,
  id: string,
  input: Unparsed<typeof updateDomainInput>,
  now: Date,
): Promise<Domain> {
  const given = parseInput(updateDomainInput, input);
  const { name: host, apps, ...urls } = given;
  if (host !== undefined) requireNotConsole(services, host);
  const requireAllowed = await urlRules(db, actor, services, given);
  const decide = (own: Domain) => {
    requireAllowed(urls, own);
    // Another port is still the same host.
    const moves = host !== undefined && withoutPort(host) !== own.hostKey;
    const ofHost = moves ? hostColumns(host, services, now) : { name: host };
    const { verifiedAt } = { ...own, ...ofHost };
    if (apps != null && apps !== own.apps && verifiedAt === null)
      throw invalidField('apps', refusal('DOMAIN_UNVERIFIED'));
    return { ...ofHost, ...urls, apps };
  };
  const before = (tx: Transaction) => lockPermitted(tx, actor, 'DOMAINS', now);
  const update = updateOwned(db, domainKind, actor, id, now, decide, { before });
  return whereHostIsFree(update);
}

/**
 * Deletes the domain and returns its id. A domain with links cannot be deleted.
 * @throws DomainError NOT_FOUND, IN_USE
 */
export async function deleteDomain(db: Data, actor: Actor, id: string, now: Date): Promise<number> {
  return deleteOwned(db, domainKind, actor, id, now).catch((error: unknown) => {
    if (!isForeignKeyViolation(error)) throw error;
    throw new DomainError('IN_USE', refusal('DOMAIN_HAS_LINKS'));
  });
}

/** True if visitors of the domain's host get its links. An unverified domain's host does not count as a domain. */
export function servesVisitors(
  { accountId, verifiedAt }: Pick<Domain, 'accountId' | 'verifiedAt'>,
  { verifiesDomains }: Pick<Services, 'verifiesDomains'>,
): boolean {
  return !verifiesDomains || accountId === null || verifiedAt !== null;
}

/** True if systems of phones get the domain's apps. No other account may have links there. */
export function servesApps({ accountId, verifiedAt }: Pick<Domain, 'accountId' | 'verifiedAt'>): boolean {
  return accountId !== null && verifiedAt !== null;
}

/** True if pixels of an account's links may run in pages on the domain. No other account may have links there. */
export function mayRunPixels(
  { accountId, verifiedAt }: Pick<Domain, 'accountId' | 'verifiedAt'>,
  link: Pick<Link, 'accountId'>,
): boolean {
  return accountId === link.accountId && verifiedAt !== null;
}

/** The account of a link with a preview, and whether it is the only one. */
export interface PreviewOwner {
  readonly accountId: number;
  readonly isOfOnlyAccount: boolean;
}

/**
 * True if previews of an account's links are shown on the domain: its name vouches for what they say. On a domain of several
 * accounts, the operator decides.
 */
export function mayShowPreviews(
  domain: Pick<Domain, 'accountId' | 'verifiedAt'>,
  link: PreviewOwner,
  { sharedPreviews }: Pick<Services, 'sharedPreviews'>,
): boolean {
  return domain.accountId === null ? sharedPreviews || link.isOfOnlyAccount : mayRunPixels(domain, link);
}

/** The TXT record that verifies an account's domain; null if it needs none. */
export function verificationRecord({
  name: host,
  verificationToken,
}: Pick<Domain, 'name' | 'verificationToken'>): { name: string; value: string } | null {
  if (verificationToken === null) return null;
  return { name: `_linkspace.${withoutPort(host)}`, value: `linkspace-verification=${verificationToken}` };
}

/** Maximum number of characters that an error shows of other records in DNS. */
const MAX_SHOWN = 300;

/** The texts of the record in DNS; null if it does not answer in time. */
function lookUp({ resolveTxt }: Services, record: { name: string }): Promise<readonly string[] | null> {
  return resolveTxt(record.name).catch((error: NodeJS.ErrnoException) => {
    if (error instanceof DomainError) throw error;
    return error.code === 'ENOTFOUND' || error.code === 'ENODATA' ? [] : null;
  });
}

/**
 * Looks up the domain's record in DNS; after that, the domain serves visitors.
 * @throws DomainError VALIDATION if DNS does not have the record, NOT_FOUND
 */
export async function verifyDomain(
  db: Data,
  actor: Actor,
  services: Services,
  id: string,
  now: Date,
): Promise<Domain> {
  const where = owned(actor, id);
  const domain = where && (await db.prisma.domain.findUnique({ where }));
  if (domain === null) throw notFound('domain');
  const record = verificationRecord(domain);
  if (domain.verifiedAt !== null || record === null) return domain;
  const found = await lookUp(services, record);
  if (found === null) throw invalidField('id', refusal('TXT_UNREAD'));
  if (!found.some((text) => text.trim() === record.value)) {
    const other = { found: found.join(', ').slice(0, MAX_SHOWN), expected: record.value };
    const why = found.length > 0 ? refusal('TXT_OTHER', other) : refusal('TXT_RECORD', { name: record.name });
    const wanted = `TXT record ${record.name} with the value ${record.value}`;
    throw invalid([fieldError(['id'], why)], `DNS has no ${wanted} yet.`);
  }
  // Only for the host that was looked up: if it was changed meanwhile, it has another token.
  const { verificationToken } = domain;
  const decide = (row: Domain) => {
    if (row.verificationToken !== verificationToken) throw notFound('domain');
    return { verifiedAt: row.verifiedAt ?? now };
  };
  const before = (tx: Transaction) => lockPermitted(tx, actor, 'DOMAINS', now);
  return updateOwned(db, domainKind, actor, id, now, decide, { before });
}
