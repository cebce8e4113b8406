import type { Deadline } from '../tools/deadline.ts';
import type { LongReadQueue } from './account-shares.ts';
import {
  type Data,
  type Database,
  type SpendRows,
  TRANSACTION_LIMITS,
  type Transaction,
} from './database.ts';
import type { Dialect } from './dialect.ts';
import type { Times } from './driver.ts';
import type { AnyClient, ClientOf, TransactionLimits } from './product.ts';
import type { Sql } from './sql.ts';

/** Milliseconds after the deadline at which Prisma ends the transaction, so that the error is that of the deadline. */
const GRACE = 100;

/**
 * Data as one request reads and writes them. Before each statement outside a transaction, each transaction and each commit, it
 * asks whether the caller still may. With a deadline, a transaction that has not ended by then is rolled back.
 */
export class RequestData<Client extends ClientOf<Client> = AnyClient> implements Data<Client> {
  readonly #data: Data<Client>;
  readonly #ask: () => void;
  readonly #deadline: Deadline | null;
  readonly spendRows: SpendRows | null;
  readonly #changeIds: number[];

  /**
   * @param ask throws if the caller may not go on
   * @param changeIds a list that gets the ids of the changes in the log, of each transaction when it has ended
   */
  constructor(
    data: Data<Client>,
    ask: () => void,
    deadline: Deadline | null = null,
    spendRows: SpendRows | null = null,
    changeIds: number[] = [],
  ) {
    this.#data = data;
    this.#ask = ask;
    this.#deadline = deadline;
    this.spendRows = spendRows;
    this.#changeIds = changeIds;
  }

  get database(): Database<Client> {
    return this.#data.database;
  }

  get dialect(): Dialect {
    return this.#data.dialect;
  }

  get prisma(): Client {
    this.#ask();
    return this.#data.prisma;
  }

  get long(): Data<Client> {
    return new RequestData(this.#data.long, this.#ask, this.#deadline, this.spendRows, this.#changeIds);
  }

  get separate(): Data<Client> | null {
    const { separate } = this.#data;
    return separate && new RequestData(separate, this.#ask, this.#deadline, null, this.#changeIds);
  }

  get longReads(): LongReadQueue {
    return this.#data.longReads;
  }

  /** The result of the work, which does not begin if the caller may not go on. */
  #asked<T>(work: () => Promise<T>): Promise<T> {
    try {
      this.#ask();
    } catch (error) {
      return Promise.reject(error);
    }
    return work();
  }

  read<Row>(statement: Sql, times?: Times): Promise<Row[]> {
    return this.#asked(() => this.#data.read(statement, times));
  }

  execute(statement: Sql): Promise<number> {
    return this.#asked(() => this.#data.execute(statement));
  }

  progressed(): void {
    this.#deadline?.extend();
  }

  #check(): void {
    this.#deadline?.signal.throwIfAborted();
    this.#ask();
  }

  async transaction<T>(work: (tx: Transaction<Client>) => Promise<T>): Promise<T> {
    this.#check();
    let made: readonly number[] = [];
    const asking = async (tx: Transaction<Client>): Promise<T> => {
      this.#check();
      const before = tx.changeIds.length;
      const result = await work(tx);
      this.#check();
      made = tx.changeIds.slice(before);
      return result;
    };
    const result = await this.#data.transaction(asking, this.#limits());
    this.#changeIds.push(...made);
    return result;
  }

  #limits(): TransactionLimits | undefined {
    if (this.#deadline === null) return undefined;
    const { left } = this.#deadline;
    const { maxWait, timeout } = TRANSACTION_LIMITS;
    return { maxWait: Math.min(maxWait, left + GRACE), timeout: Math.min(timeout, left + GRACE) };
  }
}
