import { OwnTurns } from '../../shared/turns.ts';
import type { Db } from '../connection/db.ts';
import { forLongReads } from '../connection/direct.ts';

const turnsOf = new WeakMap<Db, OwnTurns<number>>();

/** The long reads of an account: one at a time, and on SQLite on a thread of their own. After the signal, none begins. */
export class LongReads {
  readonly #db: Db;
  readonly #accountId: number;
  readonly #signal: AbortSignal;

  constructor(db: Db, accountId: number, signal: AbortSignal) {
    this.#db = db;
    this.#accountId = accountId;
    this.#signal = signal;
  }

  /** @param read what reads from the client that it is given */
  take<Result>(read: (db: Db) => Promise<Result>): Promise<Result> {
    const turns = turnsOf.get(this.#db) ?? new OwnTurns();
    turnsOf.set(this.#db, turns);
    return turns.take(this.#accountId, async () => {
      this.#signal.throwIfAborted();
      return read(forLongReads(this.#db));
    });
  }
}
