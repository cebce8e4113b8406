import type { Data } from '../../db/database.ts';
import { countGuess } from '../../db/sign-in-guesses.ts';
import { hashToken } from './actor.ts';

const AN_HOUR = 60 * 60 * 1000;
/** How many links for new passwords, and how many other mails, an address gets in an hour, and how many a user has sent to others. */
const MAX_MAILED = 3;

/**
 * Whether one more mail may be sent of those counted by a name, over all processes. Nothing resets the count. What others cause does not
 * use up the links for new passwords.
 */
export async function mayMail(db: Data, counted: string, now: Date): Promise<boolean> {
  const hourAgo = new Date(now.getTime() - AN_HOUR);
  return (await countGuess(db, hashToken(`mail ${counted}`), now, hourAgo)).count <= MAX_MAILED;
}

/** A mail of plain text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** A name on one line, without what could be taken for more of the mail, or what mail programs make a link of. */
const plain = (name: string) => name.replace(/[\p{C}\p{Z}]+|[.:/\\@。．｡]+(?=\S)/gu, ' ').trim();

export function invitationMail(to: string, account: string, url: string): Mail {
  return {
    to,
    subject: `Invitation to ${plain(account)}`,
    text: `You are invited to ${plain(account)} on Linkspace. This link is good for 7 days:\n\n${url}\n\nIf you do not know why you get this mail, ignore it.\n`,
  };
}

export function resetMail(to: string, url: string): Mail {
  return {
    to,
    subject: 'A new password',
    text: `You can set a new password for Linkspace by this link, once, within an hour:\n\n${url}\n\nIf you did not ask for it, ignore this mail: your password stays.\n`,
  };
}

export function confirmationMail(to: string, url: string): Mail {
  return {
    to,
    subject: 'Confirm your email address',
    text: `This link makes this the address that you sign in with, within a day:\n\n${url}\n\nIf you did not ask for it, ignore this mail.\n`,
  };
}
