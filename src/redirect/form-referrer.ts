import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** Seconds for which the form remembers where the visitor came from. */
const LIFETIME = 3_600;

/** The signature, by a key from the hash of the link's password: only the processes know it, and it changes with the password. */
function signature(linkId: number, passwordHash: string, signed: string): string {
  const key = Buffer.from(hkdfSync('sha256', passwordHash, '', `linkspace referrer ${linkId}`, 32));
  return createHmac('sha256', key).update(signed).digest('base64url');
}

/** The host that a visitor came from, signed, for the form that asks for the password: its own referrer is the form. */
export function signReferrer(host: string, linkId: number, passwordHash: string, now: Date): string {
  const signed = `${Math.floor(now.getTime() / 1000) + LIFETIME}.${host}`;
  return `${signature(linkId, passwordHash, signed)}.${signed}`;
}

/** The host in a form; null if it has none, or one that is not signed for this link, or too old. */
export function readSignedReferrer(
  token: string,
  linkId: number,
  passwordHash: string,
  now: Date,
): string | null {
  const [, given = '', signed = '', end = '', host = ''] =
    /^([\w-]{43})\.((\d{1,12})\.([^\s]{1,300}))$/.exec(token) ?? [];
  const left = Number(end) - now.getTime() / 1000;
  // Twice as long allows for processes whose clocks differ.
  if (host === '' || left <= 0 || left > 2 * LIFETIME) return null;
  const isRight = timingSafeEqual(Buffer.from(given), Buffer.from(signature(linkId, passwordHash, signed)));
  return isRight ? host : null;
}
