import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { textOf } from './input.ts';

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** What a hash costs, by scrypt's own names. */
export interface HashCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** 16 MB and about a tenth of a second: what OWASP's password storage advice asks of scrypt at the least. */
const COST: HashCost = { N: 2 ** 14, r: 8, p: 5 };

export const passwordInput = textOf(1, 128);

/** A salted hash that says how it was made, so that the cost can be raised later. It is worked out off the event loop. */
export async function hashPassword(password: string, { N, r, p } = COST): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt, 32, { N, r, p });
  return `$scrypt$ln=${Math.log2(N)},r=${r},p=${p}$${salt.toString('base64')}$${hash.toString('base64')}`;
}

/** Whether the password is the one that was hashed; told in the same time whether it is or not. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const [, , settings = '', salt = '', expected = ''] = hash.split('$');
  const {
    ln = 0,
    r = 0,
    p = 0,
  } = Object.fromEntries(
    settings
      .split(',')
      .map((one) => [one.slice(0, one.indexOf('=')), Number(one.slice(one.indexOf('=') + 1))]),
  );
  const [known, options] = [Buffer.from(expected, 'base64'), { N: 2 ** ln, r, p }];
  // Passwords are kept without white space around them.
  const given = await derive(password.trim(), Buffer.from(salt, 'base64'), known.length, options);
  return timingSafeEqual(given, known);
}
