import type { Data } from '../../db/database.ts';
import { TIMED_OUT, withTimeout } from '../../shared/timeout.ts';
import { type Actor, owned } from '../access/actor.ts';
import { updateOwned } from '../access/ownership.ts';
import { invalid, notFound } from '../errors.ts';
import type { Services } from '../services.ts';
import { withoutPort } from '../url.ts';
import { type Domain, domainKind } from './domain.ts';

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
  return updateOwned(db, domainKind, actor, id, now, (row) => {
    if (row.verificationToken !== verificationToken) throw notFound('domain');
    return { verifiedAt: row.verifiedAt ?? now };
  });
}
