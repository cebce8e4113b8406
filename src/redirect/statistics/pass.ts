import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** For how long a password opens a page, in seconds. */
export const PASS_SECONDS = 3_600;

const COOKIE = 'linkspace_statistics';

/**
 * The key of a link's passes, from the hash of its password: all processes have that, nobody else does, and another password has
 * another one, as each hash has random bytes of its own.
 */
function keyOf(linkId: number, passwordHash: string): Buffer {
  return Buffer.from(hkdfSync('sha256', passwordHash, '', `linkspace statistics ${linkId}`, 32));
}

function signature(linkId: number, passwordHash: string, end: string): string {
  return createHmac('sha256', keyOf(linkId, passwordHash)).update(end).digest('base64url');
}

/** What whoever gave the right password shows from then on: when that ends, and that it is ours. */
export function newPass(linkId: number, passwordHash: string, now: Date): string {
  const end = String(Math.floor(now.getTime() / 1000) + PASS_SECONDS);
  return `${end}.${signature(linkId, passwordHash, end)}`;
}

function isPass(pass: string, linkId: number, passwordHash: string, now: Date): boolean {
  const [, end = '', signed = ''] = /^(\d{1,12})\.([\w-]{43})$/.exec(pass) ?? [];
  if (end === '' || Number(end) * 1000 <= now.getTime()) return false;
  return timingSafeEqual(Buffer.from(signed), Buffer.from(signature(linkId, passwordHash, end)));
}

/** Whether the header Cookie has a pass for this link, with the password that it has now. */
export function hasPass(cookies: string, linkId: number, passwordHash: string, now: Date): boolean {
  // Of several, browsers send those of longer paths first.
  return cookies
    .split(';')
    .map((one) => one.trim())
    .filter((one) => one.startsWith(`${COOKIE}=`))
    .slice(0, 4)
    .some((one) => isPass(one.slice(COOKIE.length + 1), linkId, passwordHash, now));
}

/** The header Set-Cookie with a pass: for one page alone, out of the reach of scripts and of other sites. */
export function passCookie(pass: string, path: string, isHttps: boolean): string {
  const attributes = [`Max-Age=${PASS_SECONDS}`, `Path=${path}`, 'HttpOnly', 'SameSite=Strict'];
  return [`${COOKIE}=${pass}`, ...attributes, ...(isHttps ? ['Secure'] : [])].join('; ');
}
