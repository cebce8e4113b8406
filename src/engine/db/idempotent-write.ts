import { createHash, createHmac } from 'node:crypto';
import { DomainError, invalidField } from '../rules/errors.ts';
import { because, type Refusal, refusal } from '../rules/refusal.ts';
import { withTimeout } from '../tools/timeout.ts';
import type { Data, Database, Transaction } from './database.ts';
import { EnclosingTransaction } from './enclosing-transaction.ts';
import {
  type AnswerKey,
  answerName,
  findAnswer,
  type KeptAnswer,
  storeAnswer,
  tryLockKey,
} from './idempotency-answers.ts';
import { countStored, requireRoom } from './kept-answer-limit.ts';
import type { AnyClient, ClientOf } from './product.ts';

export const MAX_KEY_LENGTH = 255;
/** The largest answer that is stored, in bytes: any single record fits. */
const MAX_ANSWER = 4_000_000;
/** Seconds after which to repeat a request whose first attempt is still running. */
const RUNNING_RETRY = 1;
/** Replaces secrets in a stored answer that are shown only once. */
export const SHOWN_ONCE = '[shown once]';

/** An answer as it was sent. */
export type Answer = Pick<KeptAnswer, 'status' | 'contentType' | 'body'>;

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

function wrongKey(refused: Refusal): DomainError {
  return invalidField('Idempotency-Key', refused);
}

function running(): DomainError {
  const message = 'The first request with this Idempotency-Key is still running. Try again shortly.';
  return new DomainError('IDEMPOTENCY_RUNNING', message, [], RUNNING_RETRY);
}

/** Milliseconds that the response to a failed write waits for the rollback, which waits for running statements. */
const ROLLBACK_TIMEOUT = 1_000;

/** Maximum number of milliseconds between two changes of a write. */
const MAX_WAIT = 3_000;

/**
 * A write that is done once, however often it is sent with the same key of the same account: its changes and its answer
 * are one transaction. Call `begin`, write through `db`, call `end`; and always `close`.
 */
export class KeyedWrite<Client extends ClientOf<Client> = AnyClient> {
  readonly #database: Database<Client>;
  readonly #secret: string;
  readonly #key: AnswerKey;
  readonly #caller: KeyCaller;
  /** The rights with which the write begins. */
  #begunAs: Rights | null = null;
  readonly #now: Date;
  readonly #enclosing: EnclosingTransaction<Client>;
  readonly #hidden = new Set<string>();
  /** Throws if the caller may not do the write any more. */
  #ask: () => void = () => {};
  #requestHash: string | null = null;
  #found: KeptAnswer | null = null;
  #isRunningElsewhere = false;
  #failed = false;

  constructor({ database }: Data<Client>, caller: KeyCaller, key: string, now: Date, maxWait = MAX_WAIT) {
    const { accountId, userId } = caller;
    this.#database = database;
    this.#secret = key;
    this.#caller = caller;
    // No program's key has a line break.
    const name = userId === null ? key : `${userId}\n${key}`;
    this.#key = { accountId, keyHash: createHash('sha256').update(name).digest('hex') };
    this.#now = now;
    this.#enclosing = new EnclosingTransaction(database, accountId, (tx) => this.#claim(tx), {
      maxWait,
      error: () =>
        wrongKey(
          because(
            'was used for a write that takes too long: send less at once, or omit the header',
            'WRITE_TOO_LONG_FOR_KEY',
            {},
          ),
        ),
    });
  }

  /** For the write's reads and changes. */
  get db(): Data<Client> {
    return this.#enclosing;
  }

  /** True while the transaction is open, which blocks other writers. */
  get isOpen(): boolean {
    return this.#enclosing.isOpen;
  }

  /** True if `begin` was called. A query with a key does not call it. */
  get hasBegun(): boolean {
    return this.#requestHash !== null;
  }

  get #runningKey(): string {
    return answerName(this.#key);
  }

  /**
   * Returns the stored answer of the first request; null if this is the first, and must be done.
   * @param request everything that the answer depends on
   * @param ask throws if the caller may not do the write any more
   * @throws DomainError IDEMPOTENCY_MISMATCH, IDEMPOTENCY_RUNNING, FORBIDDEN; VALIDATION if the key is invalid; RATE_LIMITED
   * if the caller has stored too much
   */
  async begin(request: string, ask = (): void => {}): Promise<Answer | null> {
    this.#ask = ask;
    const { length } = this.#secret;
    if (length === 0 || length > MAX_KEY_LENGTH)
      throw wrongKey(refusal('LENGTH_GIVEN', { min: 1, max: MAX_KEY_LENGTH, length }));
    const { running: runningKeys } = this.#database.keyedWrites;
    if (runningKeys.has(this.#runningKey)) throw running();
    runningKeys.add(this.#runningKey);
    this.#begunAs = this.#caller.rights();
    // Keyed, so that the stored hash cannot be used to guess a password in the request.
    this.#requestHash = createHmac('sha256', this.#secret).update(request).digest('hex');
    this.#found = await findAnswer(this.#database, this.#key);
    const { number, advice } = this.#caller;
    if (this.#found === null && number !== null) await requireRoom(this.#database, number, this.#now, advice);
    return this.#replay();
  }

  /** Returns the stored hash of a request that was sent with a role. */
  #hashWith(role: string | null): string {
    const request = this.#requestHash ?? '';
    return role === null ? request : createHash('sha256').update(`${role} ${request}`).digest('hex');
  }

  /**
   * The stored answer.
   * @throws DomainError IDEMPOTENCY_MISMATCH if it is to another request, FORBIDDEN if to a caller of another kind, role or scopes
   */
  #replay(): Answer | null {
    const found = this.#found;
    if (found === null) return null;
    this.#ask();
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
    return found;
  }

  /** Makes sure, inside the transaction and before any change, that this is the first request. */
  async #claim(tx: Transaction<Client>): Promise<void> {
    this.#isRunningElsewhere = !(await tryLockKey(tx, this.#key));
    if (this.#isRunningElsewhere) throw running();
    this.#found = await findAnswer(tx, this.#key);
    if (this.#found !== null) throw running();
  }

  /** Leaves a secret that is shown only once out of the stored answer. */
  hide(secret: string): void {
    this.#hidden.add(secret);
  }

  /** Marks the write as failed for now: `end` rolls its changes back, and stores no answer. */
  fail(): void {
    this.#failed = true;
  }

  /**
   * Commits the changes and the answer together. If another request with the key was first, returns its answer, and nothing
   * is changed. A write that failed for now is rolled back, and so is one whose caller may not do it any more; without `begin`,
   * this does nothing.
   * @throws DomainError IDEMPOTENCY_MISMATCH, IDEMPOTENCY_RUNNING; VALIDATION if the answer is too large to be stored, or the
   * changes took too long and are rolled back
   */
  async end(answer: Answer): Promise<Answer | null> {
    if (this.#begunAs === null) return null;
    if (this.#found !== null) return this.#replay();
    if (this.#isRunningElsewhere) throw running();
    await this.#rolledBackUnlessAllowed();
    if (this.#failed || answer.status === 429 || answer.status >= 500) {
      await withTimeout(ROLLBACK_TIMEOUT, this.#enclosing.rollBack());
      return null;
    }
    const kept = this.#withoutSecrets(answer);
    const size = Buffer.byteLength(kept.body);
    if (size > MAX_ANSWER) {
      await this.#enclosing.rollBack();
      throw wrongKey(
        because(
          `cannot be used where the answer has more than ${MAX_ANSWER / 1e6} MB: ask for less of it`,
          'ANSWER_TOO_LARGE_FOR_KEY',
          {},
        ),
      );
    }
    this.#enclosing.endWait();
    const row = {
      ...this.#key,
      ...kept,
      requestHash: this.#hashWith(this.#begunAs.role),
      size,
      caller: this.#caller.number,
      sender: this.#begunAs.sender,
      createdAt: this.#now,
    };
    if (await storeAnswer(this.#enclosing, row)) {
      await this.#rolledBackUnlessAllowed();
      await this.#enclosing.commit();
      const { number } = this.#caller;
      if (number !== null) countStored(this.#database, number, size);
      return null;
    }
    await this.#enclosing.rollBack();
    this.#found = await findAnswer(this.#database, this.#key);
    return this.#replay();
  }

  /** @throws the error for a caller who may not do the write any more; nothing of it stays then, and nothing is kept for its key */
  async #rolledBackUnlessAllowed(): Promise<void> {
    try {
      this.#ask();
    } catch (error) {
      await withTimeout(ROLLBACK_TIMEOUT, this.#enclosing.rollBack());
      throw error;
    }
  }

  #withoutSecrets({ status, contentType, body }: Answer): Answer {
    let text = body;
    for (const secret of this.#hidden)
      text = text.replaceAll(JSON.stringify(secret), JSON.stringify(SHOWN_ONCE));
    return { status, contentType, body: text };
  }

  /** Rolls back what is not committed, and releases the key. */
  async close(): Promise<void> {
    await this.#enclosing.rollBack();
    if (this.#requestHash !== null) this.#database.keyedWrites.running.delete(this.#runningKey);
  }
}
