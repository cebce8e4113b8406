import type { Data } from '../../db/database.ts';

/** The number of changes that are read at once. */
const PAGE = 1_000;

/** The changes that a user or a key of theirs made, the oldest first. */
async function changesBy({ prisma }: Data, userId: number) {
  const keys = await prisma.apiKey.findMany({ where: { maker: { userId } }, select: { id: true } });
  const own = { OR: [{ userId }, { keyId: { in: keys.map(({ id }) => id) } }] };
  const changes = [];
  for (let after = 0; ; ) {
    const page = await prisma.change.findMany({
      ...{ where: { ...own, id: { gt: after } }, orderBy: { id: 'asc' }, take: PAGE },
      include: { account: { select: { name: true } } },
    });
    for (const { at, account, action, kind, recordId, fields, keyId } of page)
      changes.push({
        ...{ at, account: account?.name ?? null, action, kind, recordId, keyId },
        fields: JSON.parse(fields),
      });
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return changes;
    after = last.id;
  }
}

/** The stored data of a user, without hashes and tokens. */
export async function exportUser(db: Data, userId: number) {
  const { prisma } = db;
  const oldest = { orderBy: { id: 'asc' } } as const;
  const { id, name, email, emailKey, createdAt, disabledAt } = await prisma.user.findUniqueOrThrow({
    where: { id: userId },
  });
  const account = { account: { select: { name: true } } };
  const [members, sessions, passkeys, identities, keys, invitations, formerEmails] = await Promise.all([
    prisma.membership.findMany({ where: { userId }, include: account, ...oldest }),
    prisma.session.findMany({ where: { userId }, ...oldest }),
    prisma.passkey.findMany({ where: { userId }, ...oldest }),
    prisma.identity.findMany({ where: { userId }, ...oldest }),
    prisma.apiKey.findMany({ where: { maker: { userId } }, include: account, ...oldest }),
    prisma.invitation.findMany({ where: { emailKey }, include: account, ...oldest }),
    prisma.addressChange.findMany({ where: { userId }, ...oldest }),
  ]);
  return {
    user: { id, name, email, createdAt, disabledAt },
    memberships: members.map((one) => ({
      ...{ account: one.account.name, role: one.role, createdAt: one.createdAt },
    })),
    sessions: sessions.map((one) => ({
      ...{ id: one.id, device: one.device, signedInAt: one.signedInAt, lastUsedAt: one.lastUsedAt },
    })),
    passkeys: passkeys.map((one) => ({
      ...{ name: one.name, createdAt: one.createdAt, lastUsedAt: one.lastUsedAt },
    })),
    identities: identities.map((one) => ({
      ...{ issuer: one.issuer, subject: one.subject, createdAt: one.createdAt },
    })),
    keys: keys.map((one) => ({
      ...{ id: one.id, account: one.account.name, name: one.name, prefix: one.prefix, role: one.role },
      ...{ createdAt: one.createdAt, expiresAt: one.expiresAt, revokedAt: one.revokedAt },
      lastUsedAt: one.lastUsedAt,
    })),
    invitations: invitations.map((one) => ({
      ...{ account: one.account.name, role: one.role, createdAt: one.createdAt, expiresAt: one.expiresAt },
    })),
    formerEmails: formerEmails.map((one) => ({ email: one.email, changedAt: one.at })),
    changes: await changesBy(db, userId),
  };
}
