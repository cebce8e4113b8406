import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';
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

const LONGEST = 128;

/** Composed and decomposed letters are the same password: keyboards and clipboards differ in which they give. */
function passwordOf(shortest: number) {
  return z
    .string({ error: (issue) => (issue.input === undefined ? 'is required' : 'must be a text') })
    .transform(normalized)
    .pipe(textOf(shortest, LONGEST))
    .meta({ minLength: shortest, maxLength: LONGEST });
}

/** A password to be set, and one that is tried. */
export const passwordInput = passwordOf(1);
export const triedPassword = passwordOf(0);

/** The most that the longest password takes decomposed, in UTF-16 units: each character four, of two units each. */
const LONGEST_SPELLED = LONGEST * 4 * 2;

/**
 * A password as it is hashed: without white space around it, letters composed. What is too long for one stays as it is: to
 * compose a text of nothing but accents takes time by the square of its length.
 */
function normalized(password: string): string {
  const text = password.trim();
  return text.length > LONGEST_SPELLED ? text : text.normalize('NFC');
}

/** A salted hash that says how it was made, so that the cost can be raised later. It is worked out off the event loop. */
export async function hashPassword(password: string, { N, r, p } = COST): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt, 32, { N, r, p });
  return `$scrypt$ln=${Math.log2(N)},r=${r},p=${p}$${salt.toString('base64')}$${hash.toString('base64')}`;
}

/** The hash's own settings, salt and value. */
function partsOf(hash: string) {
  const [, , settings = '', salt = '', expected = ''] = hash.split('$');
  const named = settings.split(',').map((one): [string, number] => {
    const equals = one.indexOf('=');
    return [one.slice(0, equals), Number(one.slice(equals + 1))];
  });
  const { ln = 0, r = 0, p = 0 } = Object.fromEntries(named);
  return {
    cost: { N: 2 ** ln, r, p },
    salt: Buffer.from(salt, 'base64'),
    expected: Buffer.from(expected, 'base64'),
  };
}

/** Whether the password is the one that was hashed; told in the same time whether it is or not. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  if (password.trim().length > LONGEST_SPELLED) return false;
  const { cost, salt, expected } = partsOf(hash);
  const isIt = async (text: string) =>
    timingSafeEqual(await derive(text, salt, expected.length, cost), expected);
  const composed = normalized(password);
  // Hashes from before letters were composed are of what was typed then.
  for (const spelling of new Set([composed, password.trim(), composed.normalize('NFD')]))
    if (await isIt(spelling)) return true;
  return false;
}
