import { DomainError } from '../rules/errors.ts';
import { because } from '../rules/refusal.ts';
import { withTimeout } from '../tools/timeout.ts';
import type { Data, Database, Transaction } from './database.ts';
import { EnclosingTransaction } from './enclosing-transaction.ts';
import { answerName, findAnswer, type KeptAnswer, storeAnswer, tryLockKey } from './idempotency-answers.ts';
import { countStored, requireRoom } from './kept-answer-limit.ts';
import { type KeyCaller, KeyedRequest, wrongKey } from './keyed-request.ts';
import { LeftOut } from './left-out.ts';
import type { AnyClient, ClientOf } from './product.ts';

/** The largest answer that is stored, in bytes: any single record fits. */
const MAX_ANSWER = 4_000_000;
/** Seconds after which to repeat a request whose first attempt is still running. */
const RUNNING_RETRY = 1;

/** An answer as it was sent. */
export type Answer = Pick<KeptAnswer, 'status' | 'contentType' | 'body'>;

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
  readonly #caller: Pick<KeyCaller, 'number' | 'advice'>;
  readonly #request: KeyedRequest;
  readonly #now: Date;
  readonly #enclosing: EnclosingTransaction<Client>;
  readonly #leftOut = new LeftOut();
  /** Throws if the caller may not do the write any more. */
  #ask: () => void = () => {};
  #found: KeptAnswer | null = null;
  #isRunningElsewhere = false;
  #failed = false;

  constructor({ database }: Data<Client>, caller: KeyCaller, key: string, now: Date, maxWait = MAX_WAIT) {
    this.#database = database;
    this.#caller = caller;
    this.#request = new KeyedRequest(caller, key);
    this.#now = now;
    this.#enclosing = new EnclosingTransaction(database, caller.accountId, (tx) => this.#claim(tx), {
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
    return this.#request.hasBegun;
  }

  /** True if `fail` was called: nothing of the write stays. */
  get hasFailed(): boolean {
    return this.#failed;
  }

  get #runningKey(): string {
    return answerName(this.#request.key);
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
    this.#request.requireKey();
    const { running: runningKeys } = this.#database.keyedWrites;
    if (runningKeys.has(this.#runningKey)) throw running();
    runningKeys.add(this.#runningKey);
    this.#request.begin(request);
    this.#found = await findAnswer(this.#database, this.#request.key);
    const { number, advice } = this.#caller;
    if (this.#found === null && number !== null) await requireRoom(this.#database, number, this.#now, advice);
    return this.#replay();
  }

  /**
   * The stored answer.
   * @throws DomainError IDEMPOTENCY_MISMATCH if it is to another request, FORBIDDEN if to a caller of another kind, role or scopes
   */
  #replay(): Answer | null {
    const found = this.#found;
    if (found === null) return null;
    this.#ask();
    this.#request.requireOwn(found);
    return found;
  }

  /** Makes sure, inside the transaction and before any change, that this is the first request. */
  async #claim(tx: Transaction<Client>): Promise<void> {
    this.#isRunningElsewhere = !(await tryLockKey(tx, this.#request.key));
    if (this.#isRunningElsewhere) throw running();
    this.#found = await findAnswer(tx, this.#request.key);
    if (this.#found !== null) throw running();
  }

  /** Leaves a secret that is shown only once out of the stored answer. */
  hide(secret: string): void {
    this.#leftOut.addSecret(secret);
  }

  /** Leaves the items of a list out of the stored answer, which may be kept longer than they are. */
  empty(path: readonly (string | number)[]): void {
    this.#leftOut.addList(path);
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
    if (!this.#request.hasBegun) return null;
    if (this.#found !== null) return this.#replay();
    if (this.#isRunningElsewhere) throw running();
    await this.#rolledBackUnlessAllowed();
    if (this.#failed || answer.status === 429 || answer.status >= 500) {
      await withTimeout(ROLLBACK_TIMEOUT, this.#enclosing.rollBack());
      return null;
    }
    const { status, contentType } = answer;
    const kept = { status, contentType, body: this.#leftOut.without(answer.body) };
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
    const row = { ...this.#request.stored, ...kept, size, createdAt: this.#now };
    if (await storeAnswer(this.#enclosing, row)) {
      await this.#rolledBackUnlessAllowed();
      await this.#enclosing.commit();
      const { number } = this.#caller;
      if (number !== null) countStored(this.#database, number, size);
      return null;
    }
    await this.#enclosing.rollBack();
    this.#found = await findAnswer(this.#database, this.#request.key);
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

  /** Rolls back what is not committed, and releases the key. */
  async close(): Promise<void> {
    await this.#enclosing.rollBack();
    if (this.#request.hasBegun) this.#database.keyedWrites.running.delete(this.#runningKey);
  }
}
