import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { cookiesNamed } from '../../engine/http/request/cookies.ts';

/** Seconds for which a cookie is valid. */
const TOKEN_LIFETIME = 3_600;

const COOKIE = 'linkspace_statistics';

/**
 * The signing key of a link's tokens, derived from the hash of its password: only the processes know the hash, and it changes
 * whenever a password is set, since each hash has a random salt.
 */
function deriveKey(linkId: number, passwordHash: string): Buffer {
  return Buffer.from(hkdfSync('sha256', passwordHash, '', `linkspace statistics ${linkId}`, 32));
}

function signature(linkId: number, passwordHash: string, end: string): string {
  return createHmac('sha256', deriveKey(linkId, passwordHash)).update(end).digest('base64url');
}

/** A signed token for a visitor who gave the right password: the time of its end, and a signature. */
export function newToken(linkId: number, passwordHash: string, now: Date): string {
  const end = String(Math.floor(now.getTime() / 1000) + TOKEN_LIFETIME);
  return `${end}.${signature(linkId, passwordHash, end)}`;
}

function isValidToken(token: string, linkId: number, passwordHash: string, now: Date): boolean {
  const [, end = '', signed = ''] = /^(\d{1,12})\.([\w-]{43})$/.exec(token) ?? [];
  const left = Number(end) - now.getTime() / 1000;
  // Twice as long allows for processes whose clocks differ, but not for a clock that was far ahead.
  if (end === '' || left <= 0 || left > 2 * TOKEN_LIFETIME) return false;
  return timingSafeEqual(Buffer.from(signed), Buffer.from(signature(linkId, passwordHash, end)));
}

/** True if a request has a cookie with a valid token for this link and its current password. */
export function hasAccess(req: IncomingMessage, linkId: number, passwordHash: string, now: Date): boolean {
  // Browsers may send several, for longer and shorter paths.
  return cookiesNamed(req, COOKIE)
    .slice(0, 4)
    .some((one) => isValidToken(one, linkId, passwordHash, now));
}

/** The header Set-Cookie with a token: for one page only, and not for scripts or requests from other sites. */
export function accessCookie(token: string, path: string, isHttps: boolean): string {
  const attributes = [`Max-Age=${TOKEN_LIFETIME}`, `Path=${path}`, 'HttpOnly', 'SameSite=Strict'];
  return [`${COOKIE}=${token}`, ...attributes, ...(isHttps ? ['Secure'] : [])].join('; ');
}
