import { randomBytes, type ScryptOptions, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { textOf } from './input.ts';

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** 16 MB and about a tenth of a second: what OWASP's password storage advice asks of scrypt at the least. */
const cost = { N: 2 ** 14, r: 8, p: 5 };

export const passwordInput = textOf(1, 128);

/** A salted hash that says how it was made, so that the cost can be raised later. It is worked out off the event loop. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt, 32, cost);
  const { N, r, p } = cost;
  return `$scrypt$ln=${Math.log2(N)},r=${r},p=${p}$${salt.toString('base64')}$${hash.toString('base64')}`;
}
