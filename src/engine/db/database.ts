import { LRUCache } from 'lru-cache';
import { ChangeEvents } from '../changes/events.ts';
import { KeyedWrites, LongReadQueue } from './account-shares.ts';
import { AnswerWatch } from './answer-watch.ts';
import { type Begun, BegunTransactions } from './begun-transactions.ts';
import { onBehalfOf } from './current-account.ts';
import type { Dialect } from './dialect.ts';
import {
  type Connection,
  dateText,
  decodeRows,
  type PoolOptions,
  type RawRead,
  type Times,
} from './driver.ts';
import { retryConflicts } from './errors.ts';
import { postgresql } from './postgresql/dialect.ts';
import type {
  AnyClient,
  BeginOptions,
  ClientOf,
  OpenClient,
  Product,
  TableOf,
  TransactionLimits,
} from './product.ts';
import { join, name, raw, type Sql, sql } from './sql.ts';
import type { SqliteOptions } from './sqlite/connection.ts';
import { sqlite } from './sqlite/dialect.ts';
import { type Provider, requireProvider } from './url.ts';

/** Statements of our own: of a database, of a transaction, or of a thread that has neither Prisma's client nor other callers. */
export interface Statements {
  readonly dialect: Dialect;
  /**
   * The rows of a statement. It bypasses Prisma's client, whose overhead for a list of ten is as long as the query itself.
   * Their columns become fields as `decodeRows` describes.
   * @param times what times become: `Date`, or for answers, ISO text
   */
  read<Row>(statement: Sql, times?: Times): Promise<Row[]>;
  /** Runs a statement that has no rows; returns how many it changed. */
  execute(statement: Sql): Promise<number>;
}

export interface Writable extends Statements {
  transaction<T>(work: (tx: Statements) => Promise<T>): Promise<T>;
}

/** Counts rows that are about to be written: of the records that were asked for, and of all other tables. */
export type SpendRows = (records: number, others: number) => void;

/** A source of reads and changes: a database, or a transaction on one. */
export interface Data<Client extends ClientOf<Client> = AnyClient> extends Statements {
  /** The database itself. */
  readonly database: Database<Client>;
  readonly prisma: Client;
  /** Runs long reads: on SQLite, on a separate thread. */
  readonly long: Data<Client>;
  /** Opens transactions of its own; null while a transaction is open, for which they would wait. */
  readonly separate: Data<Client> | null;
  /** Where its long reads wait: those of a transaction wait for no others. */
  readonly longReads: LongReadQueue;
  /**
   * Runs the work in a transaction, and repeats it after a deadlock. Within a transaction it is a part of that, and if it
   * fails, only the part is undone.
   */
  transaction<T>(work: (tx: Transaction<Client>) => Promise<T>, limits?: TransactionLimits): Promise<T>;
  /** Counts what is about to be written, before the first of it; null without a limit. @throws if it is too much in all */
  readonly spendRows: SpendRows | null;
  /** Tells that long work has done a part of it. The time of a mutation then begins again. */
  progressed(): void;
}

/** Called with a SQL statement as it was sent, and its duration in seconds. */
export type StatementListener = (sql: string, seconds: number) => void;

export interface DatabaseOptions extends SqliteOptions {
  readonly pool?: PoolOptions;
  /** The URL of the server itself, if `url` is a pooler's. */
  readonly directUrl?: string | undefined;
  /** True if the server need not answer now. */
  readonly mayBeAway?: boolean;
  /** Milliseconds between two attempts to get one more connection than the server granted. */
  readonly growthInterval?: number;
  /** Called with each new size of the pool, and the refusal of the server if it shrank. */
  onPoolSize?(size: number, refusal?: Error): void;
  /** Called for every statement, for metrics and for tests that count them. */
  readonly onStatement?: StatementListener;
  /** Milliseconds for which a write with an idempotency key waits for its turn. */
  readonly keyedWriteTimeout?: number;
}

interface TransactionOptions extends BeginOptions {
  /** True if it may be repeated. */
  readonly retries?: boolean;
}

export const TRANSACTION_LIMITS = { maxWait: 5_000, timeout: 30_000 } satisfies TransactionLimits;

/** Maximum number of kept samples of texts, and their lifetime in milliseconds. An outdated one only costs time. */
const SAMPLES = { max: 200, ttl: 600_000 };

/** Libraries of the other database are not loaded: that would take a tenth of the start's time. */
async function connect(
  url: string,
  { pool, directUrl, mayBeAway, growthInterval, onPoolSize, ...sqliteOptions }: DatabaseOptions,
  begun: BegunTransactions,
): Promise<Connection> {
  if (requireProvider(url) === 'sqlite') {
    const { connectSqlite } = await import('./sqlite/connection.ts');
    return connectSqlite(url, (transaction) => begun.isOwn(transaction), sqliteOptions);
  }
  const { connectPostgresql } = await import('./postgresql/connection.ts');
  const options = { mayBeAway: mayBeAway ?? false, growthInterval, onPoolSize };
  return connectPostgresql(url, pool, directUrl, options);
}

/**
 * A database, SQLite or PostgreSQL, by Prisma's client and by statements of our own. `Transaction` offers the same within one,
 * and `Data` is what both have in common. A transaction is repeated after a deadlock; a nested one may fail alone;
 * `afterCommit` calls back after the commit of the whole. It also keeps what a process shares for it: changes, queues of
 * accounts, caches.
 */
export class Database<Client extends ClientOf<Client> = AnyClient> implements Data<Client> {
  readonly database: Database<Client> = this;
  readonly separate: Data<Client> = this;
  readonly spendRows = null;
  readonly url: string;
  readonly product: Product<Client>;
  /** The URL of the server itself, for features that a pooler lacks. */
  readonly directUrl: string;
  readonly dialect: Dialect;
  readonly prisma: Client & OpenClient;
  readonly long: Data<Client>;
  readonly changes = new ChangeEvents();
  readonly longReads = new LongReadQueue();
  readonly keyedWrites: KeyedWrites;
  /** Its answers to transactions, and to attempts to write. */
  readonly writes = new AnswerWatch();
  /** Numbers of rows in the tables that strangers fill, with the times of the counts. */
  readonly strangersRows = new Map<string, { readonly rows: number; readonly at: number }>();
  /** Frequent trigrams of accounts' texts, by account and column. */
  readonly commonTrigrams = new LRUCache<string, ReadonlySet<string>>(SAMPLES);
  readonly #connection: Connection;
  readonly #begun: BegunTransactions;
  readonly #onStatement: StatementListener | undefined;

  private constructor(
    { url, directUrl = url, onStatement, keyedWriteTimeout }: DatabaseOptions & { readonly url: string },
    product: Product<Client>,
    prisma: Client & OpenClient,
    connection: Connection,
    begun: BegunTransactions,
  ) {
    this.url = url;
    this.product = product;
    this.directUrl = directUrl;
    this.dialect = requireProvider(url) === 'sqlite' ? sqlite : postgresql;
    this.keyedWrites = new KeyedWrites(this.dialect, keyedWriteTimeout);
    this.prisma = prisma;
    this.#connection = connection;
    this.#begun = begun;
    this.#onStatement = onStatement;
    const { dialect } = this;
    const { readLong } = connection;
    this.long = readLong
      ? {
          database: this,
          dialect,
          prisma,
          longReads: this.longReads,
          get long() {
            return this;
          },
          separate: this,
          read: (statement, times) => this.readBy(readLong, statement, times),
          execute: (statement) => this.execute(statement),
          transaction: (work, limits) => this.transaction(work, limits),
          spendRows: null,
          progressed() {},
        }
      : this;
  }

  static async open<Client extends ClientOf<Client>>(
    url: string,
    product: Product<Client>,
    options: DatabaseOptions = {},
  ): Promise<Database<Client>> {
    const { onStatement } = options;
    const begun = new BegunTransactions();
    const connection = await connect(url, options, begun);
    const prisma = await product.newClient(requireProvider(url), {
      adapter: begun.noting(connection.adapter),
      log: onStatement ? [{ emit: 'event', level: 'query' }] : [],
    });
    if (onStatement) prisma.$on('query', (event) => onStatement(event.query, event.duration / 1000));
    return new Database<Client>({ ...options, url }, product, prisma, connection, begun);
  }

  get provider(): Provider {
    return this.dialect.name;
  }

  /** True if a pooler may give each transaction another connection of the server. */
  get pooled(): boolean {
    return this.#connection.pooled;
  }

  /** The encoding of texts; undefined if the server did not answer at the start. */
  get encoding(): string | undefined {
    return this.#connection.encoding;
  }

  /** All columns of a table. */
  columnsOf(table: string): Sql {
    const columns = this.product.columnsOf[table];
    if (columns === undefined) throw new Error(`the columns of ${table} are not known`);
    return columns;
  }

  /** The schema of the tables. */
  get schema(): string {
    return this.#connection.schema;
  }

  read<Row>(statement: Sql, times?: Times): Promise<Row[]> {
    return this.readBy(this.#connection.read, statement, times);
  }

  /** Reads without waiting for other reads, for questions on which all requests depend. */
  readAlone<Row>(statement: Sql): Promise<Row[]> {
    return this.readBy(this.#connection.readAlone ?? this.#connection.read, statement);
  }

  execute(statement: Sql): Promise<number> {
    return this.prisma.$executeRaw(statement);
  }

  /** @param read how the statement is sent */
  async readBy<Row>(read: RawRead, statement: Sql, times: Times = 'Date'): Promise<Row[]> {
    const text = this.dialect.runsInProcess ? statement.sql : statement.text;
    const startedAt = performance.now();
    const found = await read(text, statement.values);
    this.#onStatement?.(text, (performance.now() - startedAt) / 1000);
    return decodeRows(found, times);
  }

  async transaction<T>(
    work: (tx: Transaction<Client>) => Promise<T>,
    { retries = true, ...limits }: TransactionOptions = {},
  ): Promise<T> {
    const attempt = async () => {
      const callbacks: (() => void)[] = [];
      const begun: Begun = {};
      const begin = () =>
        this.prisma.$transaction(
          (client) => {
            if (begun.transaction === undefined) throw new Error('the adapter began no transaction');
            const read = this.#connection.readIn(begun.transaction);
            return work(new Transaction(this, client, read, callbacks, []));
          },
          { ...TRANSACTION_LIMITS, ...limits },
        );
      return { result: await this.writes.ask(() => this.#begun.run(begun, begin)), callbacks };
    };
    const { result, callbacks } = await (retries ? retryConflicts(attempt) : attempt());
    // What follows serves all accounts.
    this.onBehalfOf(undefined, () => {
      for (const callback of callbacks) callback();
    });
    return result;
  }

  progressed(): void {}

  /**
   * Lets PostgreSQL's planner look at tables that were filled: until autovacuum does, it expects so few rows that it reads all
   * rows of an account for a page of them. The plans of SQLite do not depend on the rows.
   */
  async analyze(tables: readonly string[]): Promise<void> {
    if (this.provider === 'postgresql') await this.prisma.$executeRaw(sql`ANALYZE ${join(tables.map(name))}`);
  }

  /** Asks for what every change needs: SQLite's writer, or PostgreSQL's lock of the table. Changes nothing. */
  async tryWrite(): Promise<void> {
    // By the adapter: a check of readiness must not wait until Prisma's client has loaded its compiler.
    const statement = { sql: 'DELETE FROM "Change" WHERE 1 = 0', args: [], argTypes: [] };
    await this.writes.ask(() => this.#connection.adapter.executeRaw(statement));
  }

  /** As `writeOnThread` of its connection. */
  get writeOnThread(): Connection['writeOnThread'] {
    return this.#connection.writeOnThread;
  }

  /** As `loadThread` of its connection. */
  get loadThread(): Connection['loadThread'] {
    return this.#connection.loadThread;
  }

  /** As `tryDisk` of its connection. */
  tryDisk(): Promise<void> {
    return this.#connection.tryDisk();
  }

  /** As `requireOpened` of its connection. */
  get requireOpened(): Connection['requireOpened'] {
    return this.#connection.requireOpened;
  }

  /** As `freeBytes` of its connection. */
  get freeBytes(): (() => Promise<number>) | undefined {
    return this.#connection.freeBytes;
  }

  /** Runs work with connections of an account, which leaves some to others, or of the service itself. SQLite has only one. */
  onBehalfOf<T>(accountId: number | undefined, work: () => T): T {
    return this.dialect.runsInProcess ? work() : onBehalfOf(accountId, work);
  }

  /** Its size in bytes. */
  async size(): Promise<number> {
    const [row] = await this.read<{ bytes: number }>(sql`SELECT ${this.dialect.size} AS "bytes"`);
    return row?.bytes ?? 0;
  }

  async close(): Promise<void> {
    await this.#connection.close?.();
    await this.prisma.$disconnect();
    await this.#begun.dispose(this.#connection.adapter);
  }
}

/** A transaction, or a part of one. */
export class Transaction<Client extends ClientOf<Client> = AnyClient> implements Data<Client> {
  readonly database: Database<Client>;
  readonly dialect: Dialect;
  readonly prisma: Client;
  readonly long: Data<Client> = this;
  readonly separate = null;
  readonly spendRows = null;
  readonly #read: RawRead;
  readonly #callbacks: (() => void)[];
  /** The ids of the changes in the log that the whole transaction has recorded so far. */
  readonly changeIds: number[];

  constructor(
    database: Database<Client>,
    prisma: Client,
    read: RawRead,
    callbacks: (() => void)[],
    changeIds: number[],
  ) {
    this.database = database;
    this.dialect = database.dialect;
    this.prisma = prisma;
    this.#read = read;
    this.#callbacks = callbacks;
    this.changeIds = changeIds;
  }

  read<Row>(statement: Sql, times?: Times): Promise<Row[]> {
    return this.database.readBy(this.#read, statement, times);
  }

  execute(statement: Sql): Promise<number> {
    return this.prisma.$executeRaw(statement);
  }

  transaction<T>(work: (tx: Transaction<Client>) => Promise<T>): Promise<T> {
    const before = this.#callbacks.length;
    const recorded = this.changeIds.length;
    return retryConflicts(async () => {
      try {
        return await this.prisma.$transaction((part) =>
          work(new Transaction(this.database, part, this.#read, this.#callbacks, this.changeIds)),
        );
      } catch (error) {
        this.#callbacks.length = before;
        this.changeIds.length = recorded;
        throw error;
      }
    });
  }

  progressed(): void {}

  get longReads(): LongReadQueue {
    return new LongReadQueue();
  }

  /** Calls back after the commit of the whole transaction, but not after a rollback. */
  afterCommit(callback: () => void): void {
    this.#callbacks.push(callback);
  }

  /**
   * Inserts rows which all set the same columns, in their order, and returns their ids. The rows are one JSON parameter: a
   * parameter for each value would cost more than the insertion.
   * @param rows texts, numbers, booleans, times and nulls; what is undefined is not set
   * @param also columns with values by expressions, which may name the columns of the row
   */
  async insertMany(
    table: TableOf<Client>,
    rows: readonly Readonly<Record<string, unknown>>[],
    also: Readonly<Record<string, Sql>> = {},
  ): Promise<number[]> {
    const given = rows[0] ?? {};
    const columns = Object.keys(given).filter((column) => given[column] !== undefined);
    const stored = (value: unknown) => (value instanceof Date ? dateText(value) : value);
    const values = rows.map((row) => columns.map((column) => stored(row[column])));
    const names = join([...columns, ...Object.keys(also)].map(name));
    const source = this.dialect.insertSource(table, columns, values, Object.values(also));
    const made = await this.read<{ id: number }>(
      sql`INSERT INTO ${name(table)} (${names}) ${source} RETURNING "id"`,
    );
    return made.map(({ id }) => id);
  }

  /**
   * Locks the row until the transaction ends, so that what is read from now on stays true.
   * @param deleting whether new references to the row are prevented, too
   * @param shared whether others may lock it like this, too: nobody changes it
   */
  async lockRow(
    table: TableOf<Client>,
    id: number,
    { deleting = false, shared = false }: { deleting?: boolean; shared?: boolean } = {},
  ): Promise<void> {
    const strength = shared ? 'SHARE' : deleting ? 'UPDATE' : 'NO KEY UPDATE';
    if (this.dialect.hasConcurrentWriters)
      await this.read(sql`SELECT 1 FROM ${name(table)} WHERE "id" = ${id} FOR ${raw(strength)}`);
  }
}
