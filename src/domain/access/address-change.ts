import type { Data, Transaction } from '../../db/database.ts';
import { OPERATOR, recordingChanges } from '../change/change.ts';
import type { Services } from '../services.ts';
import { generateToken, hashToken } from './actor.ts';
import { composeMail } from './mails.ts';
import { createToken, endToken, linkEnded } from './one-time-token.ts';
import {
  type Changer,
  endAll,
  endOthers,
  endUndos,
  foldEmail,
  isEmailTaken,
  LISTED_FOR,
  recordOfUser,
  requireFreeEmail,
  type User,
} from './user.ts';

const A_DAY = 24 * 60 * 60 * 1000;
/** Milliseconds for which the link in the mail restores the former address. */
const UNDO_FOR = 7 * A_DAY;
/** Milliseconds for which one process holds a mail; after that, another process may send it. */
const CLAIMED_FOR = 5 * 60 * 1000;
const MAILS_AT_ONCE = 20;

/** Columns of a change whose link works no more. */
const ended = { undoUntil: null, hash: null, token: null } as const;

/** The recipient of a mail about a changed address, by the language of the request. */
export interface Told {
  readonly acceptLanguage: string;
}

/**
 * Notes a change of an address, of which the address before hears by a mail with a link that takes it back.
 * @param user before the change
 * @param told null if there is no mail, and so no link
 */
async function noteAddressChange(
  { prisma }: Transaction,
  user: User,
  email: string,
  told: Told | null,
  now: Date,
): Promise<void> {
  await prisma.addressChange.deleteMany({ where: { at: { lt: new Date(now.getTime() - LISTED_FOR) } } });
  if (foldEmail(email) === user.emailKey) return;
  const { id: userId, email: before, emailKey, password } = user;
  const row = { userId, email: before, emailKey, password, at: now };
  if (told === null) return void (await prisma.addressChange.create({ data: row }));
  const newest = { where: { userId }, orderBy: { id: 'desc' } } as const;
  const [passkey, identity] = [
    await prisma.passkey.findFirst(newest),
    await prisma.identity.findFirst(newest),
  ];
  const token = generateToken();
  await prisma.addressChange.create({
    data: {
      ...row,
      ...{ token, hash: hashToken(token), undoUntil: new Date(now.getTime() + UNDO_FOR) },
      ...{ lastPasskeyId: passkey?.id ?? 0, lastIdentityId: identity?.id ?? 0 },
      language: told.acceptLanguage.slice(0, 200),
    },
  });
}

/**
 * Sends the mails that changes of addresses have queued, each by one process; they count for no limit. Those that a mail server does not
 * take wait for another try, and one that it refuses for good ends its link.
 */
export async function sendAddressMails(
  { prisma }: Data,
  { sendMail, pageUrl }: Pick<Services, 'sendMail' | 'pageUrl'>,
  now: Date,
): Promise<void> {
  if (sendMail === null) return;
  const isFree = { OR: [{ claimedUntil: null }, { claimedUntil: { lte: now } }] };
  const waiting = await prisma.addressChange.findMany({
    where: { token: { not: null }, undoUntil: { gt: now }, ...isFree },
    ...{ orderBy: { id: 'asc' }, take: MAILS_AT_ONCE },
  });
  for (const { id, token, email: to, language } of waiting) {
    if (token === null) continue;
    const claim = { claimedUntil: new Date(now.getTime() + CLAIMED_FOR) };
    const { count } = await prisma.addressChange.updateMany({ where: { id, token, ...isFree }, data: claim });
    if (count === 0) continue;
    const mail = composeMail('changed', language, { to, url: pageUrl('undo', token) });
    const endLink = async () => {
      await prisma.addressChange.updateMany({ where: { id }, data: ended });
    };
    void Promise.resolve(sendMail(mail, endLink))
      .then(async (isSent) => {
        if (isSent !== false) await prisma.addressChange.updateMany({ where: { id }, data: { token: null } });
      })
      // It is sent once more.
      .catch(() => {});
  }
}

/** The number of mails about changes that wait to be sent. */
export async function countWaitingMails({ prisma }: Pick<Data, 'prisma'>, now: Date): Promise<number> {
  return prisma.addressChange.count({ where: { token: { not: null }, undoUntil: { gt: now } } });
}

/** The change that a link takes back; null if the link works no more. */
export async function findUndo({ prisma }: Pick<Data, 'prisma'>, token: string, now: Date) {
  return prisma.addressChange.findFirst({
    where: { hash: hashToken(token), undoUntil: { gt: now }, user: { disabledAt: null } },
  });
}

/**
 * Sets an email address, and ends the user's other sessions and what was mailed to the address before.
 * @throws DomainError CONFLICT if the email has a user, or another user can take it back
 */
export async function setEmail(
  tx: Transaction,
  session: Changer,
  email: string,
  told: Told | null,
  now: Date,
): Promise<void> {
  const { userId } = session;
  const user = await tx.prisma.user.findUniqueOrThrow({ where: { id: userId } });
  await changeAddress(tx, user, email, told, now);
  await endOthers(tx, session);
  // Links of the operator have no data.
  await tx.prisma.oneTimeToken.deleteMany({ where: { userId, data: { not: '{}' } } });
}

/** @param user who is locked, before the change */
async function changeAddress(
  tx: Transaction,
  user: User,
  email: string,
  told: Told | null,
  now: Date,
  password: string | null = user.password,
): Promise<void> {
  const data = { email, emailKey: foldEmail(email), password };
  await tx.prisma.user.update({ where: { id: user.id }, data }).catch(isEmailTaken);
  await requireFreeEmail(tx, data.emailKey, user.id, now);
  await noteAddressChange(tx, user, email, told, now);
}

/**
 * Takes an address back by the token of its link: ends the user's sessions, other links, and the links of later changes, removes
 * passkeys and identities that were added since, and a password that was set since. A link for a new password goes to the address.
 * @throws DomainError GONE; CONFLICT if somebody has the address
 */
export async function undoAddressChange(
  db: Data,
  { sendMail, pageUrl }: Pick<Services, 'sendMail' | 'pageUrl'>,
  token: string,
  now: Date,
  acceptLanguage: string,
): Promise<void> {
  const found = await findUndo(db, token, now);
  if (found === null) throw linkEnded();
  const { id, userId, email } = found;
  const reset = await db.transaction(async (tx) => {
    await tx.lockRow('User', userId);
    // Again: of two requests with it, one succeeds.
    if ((await findUndo(tx, token, now)) === null) throw linkEnded();
    const { prisma } = tx;
    const user = await prisma.user.findUniqueOrThrow({ where: { id: userId } });
    const where = { userId, id: { gte: id } };
    await prisma.addressChange.updateMany({ where, data: ended });
    await changeAddress(tx, user, email, null, now, user.password === found.password ? user.password : null);
    await prisma.passkey.deleteMany({ where: { userId, id: { gt: found.lastPasskeyId } } });
    await prisma.identity.deleteMany({ where: { userId, id: { gt: found.lastIdentityId } } });
    await endAll(tx, userId);
    return createToken(tx, 'RESET', { userId, data: { mailed: true } }, now);
  });
  const mail = composeMail('reset', acceptLanguage, { to: email, url: pageUrl('reset', reset) });
  sendMail?.(mail, () => endToken(db, reset));
}

/**
 * Begins a reset for the operator: ends the user's links that take addresses back, and if an address is given, sets it, without such a
 * link, and ends the user's sessions and links.
 * @returns the token of the reset
 * @throws DomainError CONFLICT
 */
export async function resetByOperator(
  db: Data,
  userId: number,
  email: string | null,
  now: Date,
): Promise<string> {
  return recordingChanges(db, OPERATOR, now, async (changing) => {
    const { tx } = changing;
    await tx.lockRow('User', userId);
    await recordOfUser(changing, userId, email === null ? ['password'] : ['email', 'password']);
    await endUndos(tx, userId);
    if (email !== null) {
      const user = await tx.prisma.user.findUniqueOrThrow({ where: { id: userId } });
      await changeAddress(tx, user, email, null, now);
      await endAll(tx, userId);
    }
    return createToken(tx, 'RESET', { userId }, now);
  });
}
