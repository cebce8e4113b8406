import type { Data } from '../../db/database.ts';
import { lockLinksOn } from '../../db/links.ts';
import { deleteStatistics } from '../../db/statistics/delete-statistics.ts';
import { OPERATOR, recordingChanges, timeOfChange } from '../change/change.ts';
import { DomainError, notFound } from '../errors.ts';
import { normalizeHost } from '../url.ts';
import { domainFields } from './domain.ts';

/** A domain as the operator sees it; a shared one has no account. */
export type DomainView = Awaited<ReturnType<typeof listDomains>>[number];

export async function listDomains(db: Data) {
  const domains = await db.prisma.domain.findMany({
    include: { account: true, _count: { select: { links: true } } },
    orderBy: { id: 'asc' },
  });
  return domains.map(({ id, name, account, verifiedAt, _count }) => ({
    id,
    host: name,
    account: account?.name ?? null,
    verifiedAt,
    links: _count.links,
  }));
}

/** @throws DomainError NOT_FOUND */
async function domainOf(db: Data, host: string) {
  const name = normalizeHost(host);
  const domain = name === null ? null : await db.prisma.domain.findUnique({ where: { name } });
  if (domain === null) throw notFound('domain');
  return domain;
}

/**
 * Verifies a domain on the operator's behalf, without DNS.
 * @throws DomainError NOT_FOUND
 */
export async function verifyHost(db: Data, host: string, now: Date): Promise<void> {
  const domain = await domainOf(db, host);
  const { id, accountId, verifiedAt } = domain;
  if (verifiedAt !== null) return;
  await recordingChanges(db, { ...OPERATOR, accountId }, now, async ({ tx, record }) => {
    const data = { verifiedAt: now, updatedAt: timeOfChange(domain, now) };
    await tx.prisma.domain.update({ where: { id }, data });
    await record('UPDATED', 'DOMAIN', [id], [domainFields.verifiedAt]);
  });
}

/**
 * Deletes the domain, and returns how many links were deleted with it.
 * @param withLinks whether it may have links
 * @throws DomainError NOT_FOUND, IN_USE
 */
export async function removeHost(db: Data, host: string, withLinks: boolean, now: Date): Promise<number> {
  const { id, name, accountId, isDefault } = await domainOf(db, host);
  if (isDefault)
    throw new DomainError(
      'IN_USE',
      `The domain ${name} is the service’s own, from BASE_URL: it can be renamed, but not removed.`,
    );
  return recordingChanges(db, { ...OPERATOR, accountId }, now, async ({ tx, record }) => {
    await tx.lockRow('Domain', id, { deleting: true });
    const found = await lockLinksOn(tx, id);
    const links = found.length;
    if (links > 0 && !withLinks)
      throw new DomainError(
        'IN_USE',
        links === 1
          ? `The domain ${name} has 1 link: use --with-links to remove it too.`
          : `The domain ${name} has ${links} links: use --with-links to remove them too.`,
      );
    const byOwner = Map.groupBy(found, (link) => link.accountId);
    const idsOf = [...byOwner].map(([owner, own]) => ({ owner, ids: own.map((link) => link.id) }));
    // The statistics of an account are the sums over its links.
    for (const { owner, ids } of idsOf) await deleteStatistics(tx, ids, owner);
    await tx.prisma.link.deleteMany({ where: { domainId: id } });
    await tx.prisma.domain.delete({ where: { id } });
    // Each change is recorded for the link's own account; a shared domain has links of many.
    for (const { owner, ids } of idsOf) await record('DELETED', 'LINK', ids, [], { owner });
    await record('DELETED', 'DOMAIN', [id]);
    return links;
  });
}
