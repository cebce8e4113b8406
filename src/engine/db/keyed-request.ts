// The request of a write with an idempotency key, and who may get the answer that is stored for the key.
import { createHash, createHmac } from 'node:crypto';
import { DomainError, invalidField } from '../rules/errors.ts';
import { type Refusal, refusal } from '../rules/refusal.ts';
import type { AnswerKey, KeptAnswer } from './idempotency-answers.ts';

export const MAX_KEY_LENGTH = 255;

/** The rights of a caller, and the name of all who may get what is stored for one with these. */
interface Rights {
  /** Null for a key that has scopes instead. */
  readonly role: string | null;
  readonly sender: string;
}

/** The caller of a keyed write, or the service itself. */
export interface KeyCaller {
  readonly accountId: number;
  /** The user whose keys these are; null for those of programs, which are their account's. */
  readonly userId: number | null;
  /** The caller's number, by which a limit counts the answer; null for the service itself. */
  readonly number: number | null;
  /** The last sentence of the refusal of a caller who has stored too much. */
  readonly advice: string;
  /** All roles, each of which includes the ones before it. */
  readonly roles: readonly string[];
  /** Its rights now: they may change while the body is on its way. */
  rights(): Rights;
}

export function wrongKey(refused: Refusal): DomainError {
  return invalidField('Idempotency-Key', refused);
}

/** A request that was sent with an idempotency key, and its caller. */
export class KeyedRequest {
  readonly key: AnswerKey;
  readonly #secret: string;
  readonly #caller: KeyCaller;
  /** Everything that the answer depends on. */
  #hash: string | null = null;
  /** The rights with which the write begins. */
  #begunAs: Rights | null = null;

  constructor(caller: KeyCaller, secret: string) {
    const { accountId, userId } = caller;
    this.#secret = secret;
    this.#caller = caller;
    // No program's key has a line break.
    const name = userId === null ? secret : `${userId}\n${secret}`;
    this.key = { accountId, keyHash: createHash('sha256').update(name).digest('hex') };
  }

  /** @throws DomainError VALIDATION if the key is too long or empty */
  requireKey(): void {
    const { length } = this.#secret;
    if (length === 0 || length > MAX_KEY_LENGTH)
      throw wrongKey(refusal('LENGTH_GIVEN', { min: 1, max: MAX_KEY_LENGTH, length }));
  }

  /** @param request everything that the answer depends on */
  begin(request: string): void {
    this.#begunAs = this.#caller.rights();
    // Keyed, so that the stored hash cannot be used to guess a password in the request.
    this.#hash = createHmac('sha256', this.#secret).update(request).digest('hex');
  }

  get hasBegun(): boolean {
    return this.#hash !== null;
  }

  /** The columns that are stored with the answer of the request. */
  get stored(): Pick<KeptAnswer, 'accountId' | 'keyHash' | 'requestHash' | 'sender' | 'caller'> {
    const { role = null, sender = null } = this.#begunAs ?? {};
    return { ...this.key, requestHash: this.#hashWith(role), sender, caller: this.#caller.number };
  }

  /** Returns the stored hash of a request that was sent with a role. */
  #hashWith(role: string | null): string {
    const request = this.#hash ?? '';
    return role === null ? request : createHash('sha256').update(`${role} ${request}`).digest('hex');
  }

  /** @throws DomainError IDEMPOTENCY_MISMATCH if it is to another request, FORBIDDEN if to a caller of another kind, role or scopes */
  requireOwn(found: KeptAnswer): void {
    const { roles } = this.#caller;
    const { role: own, sender } = this.#caller.rights();
    const role = [null, ...roles].find((one) => this.#hashWith(one) === found.requestHash);
    if (role === undefined)
      throw new DomainError(
        'IDEMPOTENCY_MISMATCH',
        'This Idempotency-Key was already used for another request: use a new key for each request.',
      );
    if (found.sender !== null && found.sender !== sender)
      throw new DomainError(
        'FORBIDDEN',
        'The first request with this Idempotency-Key was sent by a caller of another kind, role or scopes.',
      );
    // Earlier versions gave answers to higher roles, too, and did not keep scopes.
    if (found.sender === null && role !== null && own !== null && roles.indexOf(own) < roles.indexOf(role))
      throw new DomainError('FORBIDDEN', `The first request with this Idempotency-Key was sent as ${role}.`);
  }
}
