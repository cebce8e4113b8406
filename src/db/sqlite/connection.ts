import { rm, statfs, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import type { SqlDriverAdapter, Transaction } from '@prisma/driver-adapter-utils';
import { entryFile } from '../../own-files.ts';
import { isBlocked, nextSlice } from '../../shared/time-slices.ts';
import { TIMED_OUT, withTimeout } from '../../shared/timeout.ts';
import type { Connection, RawRead, RawRows } from '../driver.ts';
import { keepPrivate, LOCK_TIMEOUT, pathOf } from './file.ts';
import { type Driver, keepingPrepared, rawReader, type Statement } from './statements.ts';

/** After how long a transaction that seems to wait for itself is ended, in milliseconds: longer than any other takes. */
const DEADLOCK_TIMEOUT = 5_000;
/** After how many changes of rows the log is copied into the file. */
const CHECKPOINT_CHANGES = 500;
/** The size of a few links, in bytes. */
const SPACE = 65_536;

const noOp: Statement = {
  reader: false,
  bind: () => noOp,
  run: () => undefined,
  columns: () => [],
  safeIntegers: () => noOp,
  raw: () => noOp,
  all: () => [],
};

/** How often a locked file is tried again, in milliseconds. */
const RETRY_INTERVAL = 25;

/** Whether another process has locked the file: the driver reports SQLITE_BUSY, Prisma's adapter SocketTimeout. */
function isLocked(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return /SQLITE_BUSY|SocketTimeout/.test(`${error} ${code}`);
}

/** Runs a statement; retries while another process has the file locked, without blocking the thread. */
export async function whenUnlocked<T>(run: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + LOCK_TIMEOUT;
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!isLocked(error) || performance.now() > deadline) throw error;
      await setTimeout(RETRY_INTERVAL);
    }
  }
}

/**
 * Opens the file at `url`, and makes it and its folder if they are missing.
 * @param isOwn whether the calling code runs in the transaction
 */
export async function connectSqlite(
  url: string,
  isOwn: (transaction: Transaction) => boolean,
  deadlockTimeout = DEADLOCK_TIMEOUT,
): Promise<Connection> {
  const path = pathOf(url);
  keepPrivate(path);
  // `whenUnlocked` waits for other processes: SQLite's own busy timeout would block the thread.
  const adapter = await new PrismaBetterSqlite3({ url, timeout: 0 }).connect();
  // The adapter has this property; its type does not say so.
  const driver = (adapter as SqlDriverAdapter & { readonly client: Driver }).client;
  const settings = [
    // Readers and the writer of a file do not block each other in WAL mode; the setting stays with the file.
    'journal_mode = WAL',
    // Writes to a link keep what they may have to undo in a temporary file otherwise, which takes half of their time.
    'temp_store = MEMORY',
    // What is deleted, such as the hashes of visitors, would stay readable in the file; this costs nothing that can be measured.
    'secure_delete = ON',
    // In pages: a commit does it only if `checkpoints` cannot keep up.
    'wal_autocheckpoint = 20000',
  ];
  for (const setting of settings) await whenUnlocked(async () => driver.pragma(setting));
  const readNow = rawReader(driver);
  const long = new SqliteReads(path);
  return {
    pooled: false,
    adapter,
    read: isolateTransactions(adapter, driver, readNow, isOwn, deadlockTimeout, checkpoints(driver, long)),
    readLong: long.read,
    // A transaction must not wait for its own end, as other statements do.
    readIn: () => async (sql, args) => readNow(sql, args),
    async trySpace() {
      if (path === ':memory:') return;
      const file = `${path}-space`;
      try {
        await writeFile(file, Buffer.alloc(SPACE), { mode: 0o600 });
      } finally {
        await rm(file, { force: true });
      }
    },
    async freeSpace() {
      const { bavail, bsize } = await statfs(dirname(path));
      return bavail * bsize;
    },
    close: () => long.close(),
  };
}

/**
 * Isolates transactions from other statements, and gives the raw reads outside of them. A process has one connection to
 * SQLite, and Prisma's adapter sends a statement at once even if a transaction is open: the statement would see uncommitted
 * data, and its own changes could be rolled back with the transaction after they were reported as done.
 */
function isolateTransactions(
  adapter: SqlDriverAdapter,
  driver: Driver,
  readNow: ReturnType<typeof rawReader>,
  isOwn: (transaction: Transaction) => boolean,
  deadlockTimeout: number,
  afterTransaction: () => void,
): RawRead {
  /** Resolves when the transaction that is open, or about to begin, has ended. */
  let open: Promise<void> | null = null;
  let current: Transaction | null = null;
  const { queryRaw, executeRaw, startTransaction } = adapter;

  // `run` starts in the tick in which no transaction is open. Raw reads also wait while the thread was blocked for long, so
  // that other work runs between those of many callers.
  const outsideTransactions = async <T>(run: () => Promise<T>, mustPause = () => false): Promise<T> => {
    while (open || mustPause()) {
      // Either the transaction waits for itself, or this is another caller's look-up: Prisma sends those of one tick together,
      // in the context of the first.
      if (open === null || current === null || !isOwn(current)) await (open ?? nextSlice());
      else if ((await withTimeout(deadlockTimeout, open)) === TIMED_OUT)
        throw new Error('a query within a transaction did not use the client of the transaction');
    }
    return run();
  };
  adapter.queryRaw = (query) => whenUnlocked(() => outsideTransactions(() => queryRaw.call(adapter, query)));
  adapter.executeRaw = (query) =>
    whenUnlocked(() => outsideTransactions(() => executeRaw.call(adapter, query)));
  const begin: typeof startTransaction = async (isolationLevel) => {
    let end = () => {};
    open = new Promise((resolve) => {
      end = () => {
        // After a COMMIT that fails, such as for want of space, SQLite keeps the transaction open: later writes would be part
        // of it, and get lost.
        if (driver.inTransaction) rollBack.run();
        open = null;
        current = null;
        resolve();
        afterTransaction();
      };
    });
    try {
      const transaction = await startTransaction.call(adapter, isolationLevel);
      current = transaction;
      const { commit, rollback } = transaction;
      transaction.commit = () => commit.call(transaction).finally(end);
      transaction.rollback = () => rollback.call(transaction).finally(end);
      return transaction;
    } catch (error) {
      end();
      throw error;
    }
  };
  // All our transactions write: one that locks the file later could fail because its reads are outdated. It begins here, with
  // retries that let other work run in between; the adapter would keep its own lock after a failed BEGIN.
  const prepare = driver.prepare.bind(driver);
  const prepared = keepingPrepared(prepare);
  driver.prepare = (sql) => (sql === 'BEGIN' ? noOp : prepared(sql));
  const beginNow = prepare('BEGIN IMMEDIATE');
  const rollBack = prepare('ROLLBACK');
  adapter.startTransaction = (isolationLevel) =>
    whenUnlocked(() =>
      outsideTransactions(async () => {
        beginNow.run();
        return begin(isolationLevel);
      }),
    );
  return (sql, args) => whenUnlocked(() => outsideTransactions(async () => readNow(sql, args), isBlocked));
}

/**
 * Lets the thread copy the log into the file whenever much was written. In a commit, that would hold this thread for longer than
 * the write itself, most of it until the disk has it.
 */
function checkpoints(driver: Driver, { read }: SqliteReads): () => void {
  const count = driver.prepare('SELECT total_changes()').safeIntegers(false).raw(true);
  let [copied, isCopying] = [0, false];
  const copy = async () => {
    const changes = Number(count.all().flat()[0]);
    if (isCopying || changes - copied < CHECKPOINT_CHANGES) return;
    [copied, isCopying] = [changes, true];
    const done = await read('PRAGMA wal_checkpoint(PASSIVE)', []).catch(() => null);
    isCopying = false;
    // The log begins anew only after a copy of all of it: the last one follows the last write.
    if (done && driver.open) copy();
  };
  return copy;
}

/** What the thread answers to a read. */
interface Answer {
  readonly id: number;
  readonly rows?: RawRows;
  readonly error?: { readonly message: string; readonly code?: unknown };
}

/** Reads a SQLite file on a thread of its own, which starts with the first read and sees all that was committed before it. */
class SqliteReads {
  readonly #path: string;
  readonly #waiting = new Map<number, PromiseWithResolvers<RawRows>>();
  #thread: Worker | undefined;
  #last = 0;
  #closed = false;

  constructor(path: string) {
    this.#path = path;
  }

  readonly read: RawRead = (sql, args) => whenUnlocked(() => this.#read(sql, args));

  #read(sql: string, args: readonly unknown[]): Promise<RawRows> {
    if (this.#closed) throw new Error('the database is closed');
    const id = ++this.#last;
    const read = Promise.withResolvers<RawRows>();
    this.#waiting.set(id, read);
    this.#thread ??= this.#start();
    this.#thread.ref();
    this.#thread.postMessage({ id, sql, args });
    return read.promise;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#thread?.ref(); // Otherwise the process would end instead of waiting for it.
    await this.#thread?.terminate();
  }

  #start(): Worker {
    const thread = new Worker(entryFile('db/sqlite/reader-thread'), { workerData: this.#path });
    const end = (reason: unknown) => {
      this.#thread = undefined;
      for (const { reject } of this.#waiting.values()) reject(reason);
      this.#waiting.clear();
    };
    thread.on('message', (answer: Answer) => this.#take(answer));
    thread.on('error', end);
    thread.on('exit', () => {
      if (this.#thread === thread) end(new Error('the thread that reads has ended'));
    });
    return thread;
  }

  #take({ id, rows, error }: Answer): void {
    const read = this.#waiting.get(id);
    this.#waiting.delete(id);
    // The process may end when nothing is being read.
    if (this.#waiting.size === 0 && !this.#closed) this.#thread?.unref();
    if (rows) read?.resolve(rows);
    else read?.reject(Object.assign(new Error(error?.message), { code: error?.code }));
  }
}
