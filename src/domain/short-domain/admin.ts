import type { Data } from '../../db/database.ts';
import { lockLinksOn } from '../../db/links.ts';
import { DomainError, notFound } from '../../engine/rules/errors.ts';
import { normalizeHost } from '../../engine/rules/url.ts';
import { type Changing, OPERATOR, recordingChanges, timeOfChange } from '../change/change.ts';
import { keepDeletedLinks } from '../link/values.ts';
import { domainFields } from './domain.ts';
import { normalizeDomainName } from './host.ts';

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
async function requireDomain(db: Data, host: string) {
  // An earlier version kept the default port in a name, which may still have it.
  const names = [normalizeHost(host), normalizeDomainName(host)].filter((name) => name !== null);
  const found = await db.prisma.domain.findMany({ where: { name: { in: names } } });
  const domain = names.map((name) => found.find((one) => one.name === name)).find(Boolean) ?? null;
  if (domain === null) throw notFound('domain');
  return domain;
}

/**
 * Verifies a domain on the operator's behalf, without DNS.
 * @throws DomainError NOT_FOUND
 */
export async function verifyHost(db: Data, host: string, now: Date): Promise<void> {
  const domain = await requireDomain(db, host);
  const { id, accountId, verifiedAt } = domain;
  if (verifiedAt !== null) return;
  await recordingChanges(db, { ...OPERATOR, accountId }, now, async ({ tx, record }) => {
    const data = { verifiedAt: now, updatedAt: timeOfChange(domain, now) };
    await tx.prisma.domain.update({ where: { id }, data });
    await record('UPDATED', 'DOMAIN', [id], [domainFields.verifiedAt]);
  });
}

/**
 * Deletes the domain, and returns how many links were deleted with it. These are deleted first, some in each transaction: after a
 * failure the same call goes on.
 * @param withLinks whether it may have links
 * @throws DomainError NOT_FOUND, IN_USE
 */
export async function removeHost(db: Data, host: string, withLinks: boolean, now: Date): Promise<number> {
  const { id, name, accountId, isDefault } = await requireDomain(db, host);
  if (isDefault)
    throw new DomainError(
      'IN_USE',
      `The domain ${name} is the service’s own, from BASE_URL: it can be renamed, but not removed.`,
    );
  const author = { ...OPERATOR, accountId };
  let deleted = 0;
  if (withLinks) {
    let some: number;
    do {
      some = await recordingChanges(db, author, now, (changing) => deleteSomeLinksOn(changing, id));
      deleted += some;
    } while (some === MAX_DELETED_LINKS);
  }
  return recordingChanges(db, author, now, async (changing) => {
    const { tx, record } = changing;
    const links = deleted + (withLinks ? await deleteSomeLinksOn(changing, id) : 0);
    const left = await tx.prisma.link.count({ where: { domainId: id } });
    if (left > 0)
      throw new DomainError(
        'IN_USE',
        withLinks
          ? `The domain ${name} gets new links: deleted ${deleted} links. Run it again.`
          : left === 1
            ? `The domain ${name} has 1 link: use --with-links to remove it too.`
            : `The domain ${name} has ${left} links: use --with-links to remove them too.`,
      );
    await tx.prisma.domain.delete({ where: { id } });
    await record('DELETED', 'DOMAIN', [id]);
    return links;
  });
}

/** Maximum number of links that one transaction deletes; each may have 50 tags and 50 pixels. */
const MAX_DELETED_LINKS = 80;

/** Deletes some links on the domain, which is locked against new ones, and returns how many. */
async function deleteSomeLinksOn({ tx, record }: Changing, domainId: number): Promise<number> {
  await tx.lockRow('Domain', domainId, { deleting: true });
  const found = await lockLinksOn(tx, domainId, MAX_DELETED_LINKS);
  const values = await keepDeletedLinks(
    tx,
    found.map(({ id }) => id),
  );
  // Each change is recorded for the link's own account; a shared domain has links of many.
  for (const [owner, own] of Map.groupBy(found, (link) => link.accountId))
    await record(
      'DELETED',
      'LINK',
      own.map(({ id }) => id),
      [],
      { owner, values },
    );
  await tx.prisma.link.deleteMany({ where: { id: { in: found.map(({ id }) => id) } } });
  return found.length;
}
