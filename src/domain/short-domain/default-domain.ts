import type { Data } from '../../db/database.ts';
import { findDefaultDomain, findHolder, hasDomainsWithPort } from '../../db/start.ts';
import { isUniqueViolation } from '../../engine/db/errors.ts';
import { withoutPort } from '../../engine/rules/url.ts';
import type { Domain } from '../../generated/sqlite/client.ts';
import { changedColumns, changedFields, OPERATOR, recordingChanges, timeOfChange } from '../change/change.ts';
import { domainFields } from './domain.ts';

/** An account owns the host of the base URL. */
export class HostHeld extends Error {
  /** The domain with the host, and its account. */
  readonly host: string;
  readonly account: string;

  constructor(host: string, account: string) {
    super(`the account "${account}" holds the host ${host}`);
    this.host = host;
    this.account = account;
  }
}

export interface DefaultDomain {
  readonly id: number;
  /** The previous name and the number of links, if the domain was renamed; else null. */
  readonly renamed: { readonly from: string; readonly links: number } | null;
}

/** The current default domain; null if there is none. */
async function currentDefault(db: Data): Promise<Domain | null> {
  const marked = await db.prisma.domain.findFirst({ where: { isDefault: true } });
  if (marked) return marked;
  // Earlier versions did not mark it, and created another shared domain whenever the base URL changed.
  const [shared] = await db.prisma.domain.findMany({
    where: { accountId: null },
    orderBy: [{ links: { _count: 'desc' } }, { id: 'desc' }],
    take: 1,
  });
  return shared ?? null;
}

/**
 * Makes sure that the default domain, which all accounts share, has the host of the base URL. It is one record: when the base
 * URL changes, it is renamed, and its links work under the new name.
 * @param notFoundUrl the redirect for visitors of an unknown alias on it
 * @throws HostHeld
 */
export async function shareDefaultDomain(
  db: Data,
  host: string,
  notFoundUrl: string | null,
  now: Date,
): Promise<DefaultDomain> {
  const hostKey = withoutPort(host);
  const held = await findHolder(db, host, hostKey);
  if (held) throw new HostHeld(held.host, held.account);
  try {
    return await share(db, { host, hostKey, notFoundUrl }, now);
  } catch (error) {
    // Another starting process was faster.
    if (!isUniqueViolation(error)) throw error;
    return share(db, { host, hostKey, notFoundUrl }, now);
  }
}

const HTTPS_PORT = ':443';

/**
 * Drops the port of https from domains that an earlier version made, beside this one: no browser names it, so they serve nobody.
 * Where the account has the host as a domain of its own, both stay.
 */
export async function dropHttpsPorts(db: Data, now: Date): Promise<void> {
  const where = { name: { endsWith: HTTPS_PORT }, isDefault: null };
  if (!(await hasDomainsWithPort(db, HTTPS_PORT))) return;
  for (const domain of await db.prisma.domain.findMany({ where, orderBy: { id: 'asc' } })) {
    const { id, name: before, accountId } = domain;
    const name = withoutPort(before);
    if ((await db.prisma.domain.findUnique({ where: { name } })) !== null) continue;
    await recordingChanges(db, { ...OPERATOR, accountId }, now, async ({ tx, record }) => {
      const data = { name, updatedAt: timeOfChange(domain, now) };
      const { count } = await tx.prisma.domain.updateMany({ where: { id, name: before }, data });
      if (count > 0) await record('UPDATED', 'DOMAIN', [id], ['name']);
    }).catch((error: unknown) => {
      // Another starting process, or the account, was faster.
      if (!isUniqueViolation(error)) throw error;
    });
  }
}

async function share(
  db: Data,
  { host, hostKey, notFoundUrl }: Pick<Domain, 'hostKey' | 'notFoundUrl'> & { host: string },
  now: Date,
): Promise<DefaultDomain> {
  // A start that changes nothing needs no space on the disk.
  const settled = await findDefaultDomain(db, host, notFoundUrl);
  if (settled !== undefined) return { id: settled, renamed: null };
  const named = await db.prisma.domain.findUnique({ where: { name: host } });
  if (named) {
    const { id } = named;
    const changes = changedColumns(named, { notFoundUrl });
    const isChanged = Object.keys(changes).length > 0;
    await recordingChanges(db, OPERATOR, now, async ({ tx, record }) => {
      await tx.prisma.domain.updateMany({
        where: { isDefault: true, id: { not: id } },
        data: { isDefault: null },
      });
      const data = { ...changes, isDefault: true, ...(isChanged && { updatedAt: timeOfChange(named, now) }) };
      await tx.prisma.domain.update({ where: { id }, data });
      if (isChanged) await record('UPDATED', 'DOMAIN', [id], changedFields(changes, domainFields));
    });
    return { id, renamed: null };
  }
  const current = await currentDefault(db);
  if (current === null) {
    const times = { verifiedAt: now, createdAt: now, updatedAt: now };
    const { id } = await db.prisma.domain.create({
      data: { name: host, hostKey, isDefault: true, notFoundUrl, ...times },
    });
    return { id, renamed: null };
  }
  const { id, name: from } = current;
  await recordingChanges(db, OPERATOR, now, async ({ tx, record }) => {
    const changes = changedColumns(current, { name: host, notFoundUrl });
    const data = { ...changes, hostKey, isDefault: true, updatedAt: timeOfChange(current, now) };
    await tx.prisma.domain.update({ where: { id }, data });
    await record('UPDATED', 'DOMAIN', [id], changedFields(changes, domainFields));
  });
  return { id, renamed: { from, links: await db.prisma.link.count({ where: { domainId: id } }) } };
}
