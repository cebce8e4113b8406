import type { Deadline } from '../shared/deadline.ts';
import { type Data, type Database, TRANSACTION_LIMITS, type Transaction } from './database.ts';
import type { Dialect } from './dialect.ts';
import type { Times } from './driver.ts';
import type { Sql } from './sql.ts';

/** How long after the deadline Prisma ends the transaction, in milliseconds: then the error is that of the deadline. */
const GRACE = 100;

/** Data that can be changed until a deadline: a transaction that has not ended by then is rolled back. */
export class TimedData implements Data {
  readonly #data: Data;
  readonly #deadline: Deadline;

  constructor(data: Data, deadline: Deadline) {
    this.#data = data;
    this.#deadline = deadline;
  }

  get database(): Database {
    return this.#data.database;
  }

  get dialect(): Dialect {
    return this.#data.dialect;
  }

  get prisma(): Data['prisma'] {
    return this.#data.prisma;
  }

  get long(): Data {
    return this.#data.long;
  }

  get separate(): Data | null {
    const { separate } = this.#data;
    return separate && new TimedData(separate, this.#deadline);
  }

  read<Row>(statement: Sql, times?: Times): Promise<Row[]> {
    return this.#data.read(statement, times);
  }

  execute(statement: Sql): Promise<number> {
    return this.#data.execute(statement);
  }

  progressed(): void {
    this.#deadline.extend();
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const { signal, left } = this.#deadline;
    signal.throwIfAborted();
    const inTime = async (tx: Transaction): Promise<T> => {
      signal.throwIfAborted();
      const result = await work(tx);
      signal.throwIfAborted();
      return result;
    };
    const { maxWait, timeout } = TRANSACTION_LIMITS;
    return this.#data.transaction(inTime, {
      maxWait: Math.min(maxWait, left + GRACE),
      timeout: Math.min(timeout, left + GRACE),
    });
  }
}
