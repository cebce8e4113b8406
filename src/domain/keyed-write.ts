import { createHash, createHmac } from 'node:crypto';
import { type Db, isSqlite } from '../db/connection/client.ts';
import { Enclosing } from '../db/connection/enclosing.ts';
import type { Tx } from '../db/connection/transaction.ts';
import {
  type AnswerKey,
  type Bounds,
  deleteBeyond,
  findAnswer,
  keepAnswer,
  takeKey,
} from '../db/kept-answers.ts';
import type { KeptAnswer } from '../generated/sqlite/client.ts';
import { DomainError, invalid } from './errors.ts';

/** For how long an answer is kept, in milliseconds. */
export const KEPT_FOR = 24 * 60 * 60 * 1000;
export const LONGEST_KEY = 255;
/** The largest answer that is kept, in bytes: one link fits, whatever it has. */
const LARGEST = 4_000_000;
/** How much is kept of an account at most, but for a few answers: one of so many looks at it. */
const BOUNDS: Bounds = { count: 20_000, bytes: 100_000_000 };
const LOOKED_AT_EVERY = 50;
/** After how many seconds the same may be sent again whose first is still running. */
const RUNNING_RETRY = 1;
/** What a kept answer has in place of what is shown only once. */
export const SHOWN_ONCE = '[shown once]';

/** What was answered, as it was sent. */
export type Answer = Pick<KeptAnswer, 'status' | 'contentType' | 'body'>;

function wrongKey(message: string): DomainError {
  return invalid([{ path: ['Idempotency-Key'], messages: [message] }]);
}

function running(): DomainError {
  const message = 'The first request with this Idempotency-Key is still running. Try again shortly.';
  return new DomainError('IDEMPOTENCY_RUNNING', message, [], RUNNING_RETRY);
}

function mismatch(): DomainError {
  const message = 'This Idempotency-Key came with another request: each needs a key of its own';
  return new DomainError('IDEMPOTENCY_MISMATCH', `${message}.`);
}

/** Which keys are in use just now, in this process. */
const inUse = new WeakMap<Db, Set<string>>();

/** For how long one write may take the only writer of SQLite, or a connection to PostgreSQL, in milliseconds. */
const LONGEST = { sqlite: 1_000, postgresql: 10_000 };

/**
 * A write that is done once, however often it is sent with the same key of the same account: what it changes and its answer
 * are one transaction. `begin`, then the write through `db`, then `end`; and `close` in any case.
 */
export class KeyedWrite {
  readonly #client: Db;
  readonly #secret: string;
  readonly #key: AnswerKey;
  readonly #now: Date;
  readonly #enclosing: Enclosing;
  readonly #hidden = new Set<string>();
  #requestHash: string | null = null;
  #found: KeptAnswer | null = null;
  #isRunningElsewhere = false;
  #failed = false;

  /** @throws DomainError VALIDATION where it is no key */
  constructor(client: Db, accountId: number, key: string, now: Date) {
    if (key === '' || key.length > LONGEST_KEY)
      throw wrongKey(`must have 1 to ${LONGEST_KEY} characters, not ${key.length}`);
    this.#client = client;
    this.#secret = key;
    this.#key = { accountId, keyHash: createHash('sha256').update(key).digest('hex') };
    this.#now = now;
    this.#enclosing = new Enclosing(
      client,
      (tx) => this.#claim(tx),
      () => this.#requireShort(),
    );
  }

  /** What the write reads and changes. */
  get db(): Db {
    return this.#enclosing.db;
  }

  /** Whether it was begun, and is not only a request that came with a key. */
  get hasBegun(): boolean {
    return this.#requestHash !== null;
  }

  get #since(): Date {
    return new Date(this.#now.getTime() - KEPT_FOR);
  }

  /**
   * Returns the answer of the first one; null where this is it, and is to be done.
   * @param request all that the answer depends on
   * @throws DomainError IDEMPOTENCY_MISMATCH, IDEMPOTENCY_RUNNING
   */
  async begin(request: string): Promise<Answer | null> {
    const { accountId, keyHash } = this.#key;
    const keys = inUse.get(this.#client) ?? new Set();
    inUse.set(this.#client, keys);
    if (keys.has(`${accountId} ${keyHash}`)) throw running();
    keys.add(`${accountId} ${keyHash}`);
    // Whoever has the hash alone cannot try out what a password in the request may be.
    this.#requestHash = createHmac('sha256', this.#secret).update(request).digest('hex');
    this.#found = await findAnswer(this.#client, this.#key, this.#since);
    return this.#replay();
  }

  /** The kept answer, where it is that to the same request. */
  #replay(): Answer | null {
    if (this.#found !== null && this.#found.requestHash !== this.#requestHash) throw mismatch();
    return this.#found;
  }

  /** Before anything is changed: makes sure, in the transaction itself, that this is the first one. */
  async #claim(tx: Tx): Promise<void> {
    this.#isRunningElsewhere = !(await takeKey(tx, this.#key));
    if (this.#isRunningElsewhere) throw running();
    this.#found = await findAnswer(tx, this.#key, this.#since);
    if (this.#found !== null) throw running();
  }

  /** Refuses what is still to be done where others have waited long enough: on SQLite nobody else writes meanwhile. */
  #requireShort(): void {
    if (this.#enclosing.openFor > LONGEST[isSqlite(this.#client) ? 'sqlite' : 'postgresql'])
      throw invalid([
        {
          path: ['Idempotency-Key'],
          messages: ['has too much to do before this: send less at once, or without it'],
        },
      ]);
  }

  /** Has the text be left out of the answer that is kept: it is shown only once. */
  hide(secret: string): void {
    this.#hidden.add(secret);
  }

  /** Has nothing be kept of it, the changes included: it failed, and may be sent again. */
  fail(): void {
    this.#failed = true;
  }

  /**
   * Makes the changes and the answer lasting, as a whole. Returns the answer to another that came first, if one did; nothing
   * was changed here then. Of what was not begun, or failed, nothing is kept.
   * @throws DomainError IDEMPOTENCY_MISMATCH, IDEMPOTENCY_RUNNING; VALIDATION where the answer is too large to be kept
   */
  async end(answer: Answer): Promise<Answer | null> {
    if (this.#requestHash === null) return null;
    if (this.#found !== null) return this.#replay();
    if (this.#isRunningElsewhere) throw running();
    if (this.#failed || answer.status >= 500) {
      await this.#enclosing.rollBack();
      return null;
    }
    const kept = this.#withoutSecrets(answer);
    const size = Buffer.byteLength(kept.body);
    if (size > LARGEST) {
      await this.#enclosing.rollBack();
      throw wrongKey(`cannot be used where the answer has more than ${LARGEST / 1e6} MB: ask for less of it`);
    }
    const row = { ...this.#key, ...kept, requestHash: this.#requestHash, size, createdAt: this.#now };
    if (await keepAnswer(this.#enclosing.db, row, this.#since)) {
      await this.#enclosing.commit();
      await this.#bound();
      return null;
    }
    await this.#enclosing.rollBack();
    this.#found = await findAnswer(this.#client, this.#key, this.#since);
    return this.#replay();
  }

  #withoutSecrets({ status, contentType, body }: Answer): Answer {
    let text = body;
    for (const secret of this.#hidden)
      text = text.replaceAll(JSON.stringify(secret), JSON.stringify(SHOWN_ONCE));
    return { status, contentType, body: text };
  }

  /** Keeps to the bounds, once in a while: the write is done, and waits for nothing that may fail. */
  async #bound(): Promise<void> {
    const { accountId, keyHash } = this.#key;
    if (Number(`0x${keyHash.slice(0, 8)}`) % LOOKED_AT_EVERY === 0)
      await deleteBeyond(this.#client, accountId, BOUNDS).catch(() => {});
  }

  /** Ends it: what is not lasting by now is undone. */
  async close(): Promise<void> {
    await this.#enclosing.rollBack();
    const { accountId, keyHash } = this.#key;
    if (this.#requestHash !== null) inUse.get(this.#client)?.delete(`${accountId} ${keyHash}`);
  }
}
