import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { z } from 'zod';
import { DomainError, RETRY_AFTER } from '../engine/rules/errors.ts';
import { longestFor, textSchema } from '../engine/rules/input.ts';
import { refusing } from '../engine/rules/refusal.ts';
import { nameFor } from '../engine/tools/name-for.ts';
import { Turns } from '../engine/tools/turns.ts';
import { refusal } from './rules.ts';

const scryptAsync = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/**
 * Maximum number of concurrent hashes. More than there are cores would slow each one down. Node's four threads also
 * resolve host names and read files.
 */
const MAX_CONCURRENT = Math.min(availableParallelism(), 3);
/** Maximum number of waiting hashes of one account, or for one visitor's network. */
const MAX_WAITING = 50;
const turns = new Turns({
  max: MAX_CONCURRENT,
  maxWaiting: MAX_WAITING,
  refusal: () =>
    new DomainError('RATE_LIMITED', 'Too many passwords at once. Try again shortly.', [], RETRY_AFTER),
});

type OfHash = Parameters<typeof scryptAsync>;

/** Calculates a hash, when it is the owner's turn. @throws DomainError RATE_LIMITED if too many of the owner's wait */
function derive(owner: string, ...of: OfHash): Promise<Buffer> {
  return turns.take(owner, () => scryptAsync(...of));
}

/** The account as an owner of turns for hashes. */
export function ofAccount({ accountId }: { readonly accountId: number }): string {
  return nameFor('account', accountId);
}

/** The cost of a hash, by scrypt's parameter names. */
export type HashCost = Readonly<Record<'N' | 'r' | 'p', number>>;

/** 16 MB and about a tenth of a second: the minimum for scrypt in OWASP's advice on password storage. */
const COST: HashCost = { N: 2 ** 14, r: 8, p: 5 };

const MAX_PASSWORD = 128;

/** Composed and decomposed letters are equal in passwords, since keyboards and clipboards differ in which they produce. */
function passwordSchema(shortest: number) {
  return (
    z
      .string({ error: refusing(({ input }) => refusal(input === undefined ? 'REQUIRED' : 'TEXT')) })
      // A longer one is refused by its length.
      .transform((text) => (text.length > longestFor(MAX_PASSWORD) ? text : normalized(text)))
      .pipe(textSchema(shortest, MAX_PASSWORD))
      .meta({ minLength: shortest, maxLength: MAX_PASSWORD })
  );
}

/** A new password, and a password to check. */
export const passwordInput = passwordSchema(1);
export const triedPassword = passwordSchema(0);

/** The longest password when decomposed, in UTF-16 units: up to four characters of two units for each character. */
const MAX_DECOMPOSED_LENGTH = MAX_PASSWORD * 4 * 2;

/**
 * The form of a password that is hashed: trimmed, with composed letters. A text that is too long is not composed, since composing a
 * text of many accents takes quadratic time.
 */
function normalized(password: string): string {
  const text = password.trim();
  return text.length > MAX_DECOMPOSED_LENGTH ? text : text.normalize('NFC');
}

/**
 * A salted hash that contains its parameters, so that the cost can be raised later. It is calculated off the event loop.
 * @param owner who has it calculated: owners take turns
 */
export function hashPassword(owner: string, password: string, cost = COST): Promise<string> {
  return hashBy((...of) => derive(owner, ...of), password, cost);
}

async function hashBy(
  calculate: (...of: OfHash) => Promise<Buffer>,
  password: string,
  { N, r, p }: HashCost,
): Promise<string> {
  const salt = randomBytes(16);
  const hash = await calculate(password, salt, 32, { N, r, p });
  return `$scrypt$ln=${Math.log2(N)},r=${r},p=${p}$${salt.toString('base64')}$${hash.toString('base64')}`;
}

/** Hashes and compares the passwords of users, which are as they were typed. Whoever asks takes turns with others. */
export class UserPasswords {
  readonly #cost: HashCost;
  #ofNobody: string | undefined;

  constructor(cost = COST) {
    this.#cost = cost;
  }

  hash(password: string): Promise<string> {
    return hashBy(scryptAsync, password.normalize('NFC'), this.#cost);
  }

  /** True if the password has this hash. A null hash returns false, after the same time. */
  async verify(password: string, hash: string | null): Promise<boolean> {
    this.#ofNobody ??= await this.hash('');
    const { cost, salt, expected } = parseHash(hash ?? this.#ofNobody);
    const typed = await scryptAsync(password.normalize('NFC'), salt, expected.length, cost);
    return timingSafeEqual(typed, expected) && hash !== null;
  }
}

/** The parameters, salt and value of a hash. */
function parseHash(hash: string) {
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

/**
 * True if the password matches the hash, compared in constant time.
 * @param owner the account or network that asks: owners take turns
 */
export async function verifyPassword(owner: string, password: string, hash: string): Promise<boolean> {
  if (password.length > longestFor(MAX_PASSWORD) || password.trim().length > MAX_DECOMPOSED_LENGTH)
    return false;
  const { cost, salt, expected } = parseHash(hash);
  const matches = async (text: string) =>
    timingSafeEqual(await derive(owner, text, salt, expected.length, cost), expected);
  const composed = normalized(password);
  // Hashes of earlier versions are of the password as it was typed.
  for (const spelling of new Set([composed, password.trim(), composed.normalize('NFD')]))
    if (await matches(spelling)) return true;
  return false;
}
