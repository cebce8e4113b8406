import { rm, writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import type { SqlDriverAdapter, Transaction } from '@prisma/driver-adapter-utils';
import { isBlocked, nextSlice } from '../../tools/time-slices.ts';
import { TIMED_OUT, withTimeout } from '../../tools/timeout.ts';
import type { Connection, RawRead, RawRows } from '../driver.ts';
import { keepPrivate, LOCK_TIMEOUT, pathOf, READER_SETTINGS, WRITER_SETTINGS } from './file.ts';
import { FileThread } from './file-thread.ts';
import { openedFile } from './opened-file.ts';
import { type Driver, keepingPrepared, openLog, rawReader, type Statement } from './statements.ts';
import { freeBytesOf, WriteGuard } from './write-guard.ts';

/** After how long a transaction that seems to wait for itself is ended, in milliseconds: longer than any other takes. */
const DEADLOCK_TIMEOUT = 5_000;
/** After how many changes of rows the log is copied into the file. */
const CHECKPOINT_CHANGES = 500;
/** The size of a few records, in bytes. */
const TRIAL_SIZE = 65_536;

/** The module of the thread that reads, and copies the log into the file. */
const READER = 'engine/db/sqlite/reader-thread';

const noOp: Statement = {
  reader: false,
  bind: () => noOp,
  run: () => ({ changes: 0 }),
  columns: () => [],
  safeIntegers: () => noOp,
  raw: () => noOp,
  all: () => [],
};

const isRead = (text: string): boolean => /^\s*(SELECT|WITH)/.test(text);

/** Milliseconds between two attempts on a locked file. */
const RETRY_INTERVAL = 25;

/** True if another process has locked the file. The driver reports SQLITE_BUSY, Prisma's adapter SocketTimeout. */
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

interface Opened {
  readonly adapter: SqlDriverAdapter;
  readonly driver: Driver;
}

/** Opens a connection with Prisma's adapter. */
async function openWith(settings: readonly string[], url: string): Promise<Opened> {
  // `whenUnlocked` waits for other processes: SQLite's own busy timeout would block the thread.
  const adapter = await new PrismaBetterSqlite3({ url, timeout: 0 }).connect();
  // The adapter has this property; its type does not say so.
  const { client: driver } = adapter as SqlDriverAdapter & { readonly client: Driver };
  for (const setting of settings) await whenUnlocked(async () => driver.pragma(setting));
  return { adapter, driver };
}

/**
 * Maximum number of prepared statements of each kind on the second connection. Only reads beside a transaction use it.
 */
const MAX_PREPARED_BESIDE = 100;

/** Reads of a second connection, which sees what is committed. */
interface CommittedReads {
  readonly queryRaw: SqlDriverAdapter['queryRaw'];
  readonly read: ReturnType<typeof rawReader>;
  close(): void;
}

/** Opens the second connection; null for a database in memory, which ends with its only connection. */
async function openBeside(url: string): Promise<CommittedReads | null> {
  if (pathOf(url) === ':memory:') return null;
  // The last setting is a read, which opens the log: later, another file may have its name.
  const { adapter, driver } = await openWith([...READER_SETTINGS, 'user_version'], url);
  const read = rawReader(driver, MAX_PREPARED_BESIDE);
  driver.prepare = keepingPrepared(driver.prepare.bind(driver), MAX_PREPARED_BESIDE);
  return { queryRaw: adapter.queryRaw.bind(adapter), read, close: () => driver.close() };
}

export interface SqliteOptions {
  /** After how many milliseconds a transaction that waits for itself is ended. */
  readonly deadlockTimeout?: number;
  /** The bytes that are free on the disk of a file. */
  readonly freeBytes?: (path: string) => number;
}

/**
 * Opens the file at `url`, and makes it and its folder if they are missing.
 * @param isOwn whether the calling code runs in the transaction
 */
export async function connectSqlite(
  url: string,
  isOwn: (transaction: Transaction) => boolean,
  { deadlockTimeout = DEADLOCK_TIMEOUT, freeBytes = freeBytesOf }: SqliteOptions = {},
): Promise<Connection> {
  const path = pathOf(url);
  keepPrivate(path);
  // Readers and the writer of a file do not block each other in WAL mode; the setting stays with the file.
  const own = await openWith(['journal_mode = WAL', ...WRITER_SETTINGS], url);
  const { adapter, driver } = own;
  const beside = await openBeside(url);
  const readNow = rawReader(driver);
  const threads = new Map<string, FileThread>();
  const ask = (module: string, question: unknown) => {
    if (opened === null) throw new Error('a thread cannot open a database in memory');
    guard?.requireOpened();
    const thread = threads.get(module) ?? new FileThread(module, opened);
    threads.set(module, thread);
    return thread.ask(question);
  };
  // The module answers with rows.
  const readLong: RawRead = (sql, args) =>
    whenUnlocked(async () => ask(READER, { sql, args }) as Promise<RawRows>);
  await whenUnlocked(async () => openLog(readNow));
  const opened = path === ':memory:' ? null : openedFile(path);
  const pageSize = Number(driver.pragma('page_size', { simple: true }));
  const guard = opened === null ? null : new WriteGuard(opened, pageSize, readLong, freeBytes);
  const copyLog = checkpoints(driver, readLong);
  const { read, exclusively } = isolateTransactions(own, readNow, {
    ...{ beside, isOwn, deadlockTimeout, guard },
    afterTransaction: copyLog,
  });
  return {
    pooled: false,
    schema: 'main',
    encoding: 'UTF8',
    adapter,
    read,
    readLong,
    writeOnThread: (module, question) =>
      question === null ? ask(module, null) : exclusively(() => ask(module, question)),
    // A transaction must not wait for its own end, as other statements do.
    readIn: () => async (sql, args) => readNow(sql, args),
    async requireOpened() {
      guard?.requireOpened();
    },
    async tryDisk() {
      if (guard === null) return;
      if (!guard.mayBegin()) await guard.makeRoom();
      const file = `${path}-trial`;
      try {
        await writeFile(file, Buffer.alloc(TRIAL_SIZE), { mode: 0o600 });
      } finally {
        await rm(file, { force: true });
      }
    },
    freeBytes: async () => freeBytes(path),
    close: async () => {
      guard?.close();
      await Promise.all([...threads.values()].map((thread) => thread.close()));
      beside?.close();
    },
  };
}

interface Isolation {
  readonly beside: CommittedReads | null;
  readonly guard: WriteGuard | null;
  isOwn(transaction: Transaction): boolean;
  readonly deadlockTimeout: number;
  afterTransaction(more?: number): void;
}

/**
 * Isolates transactions from other statements, and gives the raw reads outside of them. A process has one connection for
 * writes, and Prisma's adapter sends a statement at once even if a transaction is open: the statement would see uncommitted
 * data, and its own changes could be rolled back with the transaction after they were reported as done. While a transaction is
 * open, reads use the connection beside it, and writes wait.
 */
function isolateTransactions(
  { adapter, driver }: Opened,
  readNow: ReturnType<typeof rawReader>,
  { beside, guard, isOwn, deadlockTimeout, afterTransaction }: Isolation,
): { read: RawRead; exclusively: <T>(write: () => Promise<T>) => Promise<T> } {
  /** Resolves when the transaction that is open, or about to begin, has ended. */
  let open: Promise<void> | null = null;
  let current: Transaction | null = null;
  /** True if the transaction is a thread's, on another connection, so that reads of this one see nothing of it. */
  let isOfThread = false;
  const { queryRaw, executeRaw, startTransaction } = adapter;

  // Statements start in the tick in which the connection is free. Raw reads also wait while the thread was blocked for long, so
  // that other work runs between those of many callers.
  const outsideTransactions = async <T>(
    run: () => Promise<T>,
    {
      mayWrite = false,
      readBeside,
      mustPause,
    }: {
      mayWrite?: boolean;
      readBeside?: (() => Promise<T>) | undefined;
      mustPause?: (() => boolean) | undefined;
    } = {},
  ): Promise<T> => {
    for (;;) {
      // Either the transaction waits for itself, or this is another caller's look-up: Prisma sends those of one tick together,
      // in the context of the first.
      const isInside = open !== null && current !== null && isOwn(current);
      const start = open === null || (isOfThread && readBeside) ? run : isInside ? undefined : readBeside;
      if (start && !mustPause?.()) {
        if (!mayWrite || guard === null || guard.mayBegin()) return start();
        await guard.makeRoom();
        if (open === null) return start();
      } else if (start) await nextSlice();
      else if (!isInside) await open;
      else if (open && (await withTimeout(deadlockTimeout, open)) === TIMED_OUT)
        throw new Error('a query within a transaction did not use the client of the transaction');
    }
  };
  const written = <T>(result: T): T => {
    guard?.requireOpened();
    return result;
  };
  const write = <T>(run: () => Promise<T>, mustPause?: () => boolean): Promise<T> =>
    outsideTransactions(() => run().then(written), { mayWrite: true, mustPause });
  adapter.queryRaw = (query) => {
    const run = () => queryRaw.call(adapter, query);
    const readBeside = beside ? () => beside.queryRaw(query) : undefined;
    return whenUnlocked(() => (isRead(query.sql) ? outsideTransactions(run, { readBeside }) : write(run)));
  };
  adapter.executeRaw = (query) => whenUnlocked(() => write(() => executeRaw.call(adapter, query)));
  /** Holds others back until the returned function is called. */
  const hold = (byThread: boolean) => {
    const ended = Promise.withResolvers<void>();
    open = ended.promise;
    isOfThread = byThread;
    return (changes?: number) => {
      // After a COMMIT that fails, such as for want of space, SQLite keeps the transaction open: later writes would be part
      // of it, and get lost.
      if (driver.inTransaction) rollBack.run();
      open = null;
      current = null;
      isOfThread = false;
      ended.resolve();
      afterTransaction(changes);
    };
  };
  const begin: typeof startTransaction = async (isolationLevel) => {
    const end = hold(false);
    try {
      const transaction = await startTransaction.call(adapter, isolationLevel);
      current = transaction;
      const { commit, rollback } = transaction;
      transaction.commit = () =>
        commit
          .call(transaction)
          .then(written)
          .finally(() => end());
      transaction.rollback = () => rollback.call(transaction).finally(() => end());
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
      outsideTransactions(
        async () => {
          beginNow.run();
          return begin(isolationLevel);
        },
        { mayWrite: true },
      ),
    );
  const read: RawRead = (sql, args) => {
    const run = async () => readNow(sql, args);
    const readBeside = beside ? async () => beside.read(sql, args) : undefined;
    const limits = { readBeside, mustPause: isBlocked };
    return whenUnlocked(() => (isRead(sql) ? outsideTransactions(run, limits) : write(run, isBlocked)));
  };
  const byThread = async <T>(write: () => Promise<T>): Promise<T> => {
    const end = hold(true);
    let changes = 0;
    try {
      const answer = written(await write());
      // A thread writes what takes long.
      changes = CHECKPOINT_CHANGES;
      return answer;
    } finally {
      end(changes);
    }
  };
  return {
    read,
    exclusively: (write) =>
      whenUnlocked(() => outsideTransactions(() => byThread(write), { mayWrite: true })),
  };
}

/**
 * Returns a function that lets the thread copy the log into the file after many changes: of this connection, and those that it is
 * told. A copy within a commit would hold this thread for longer than the write itself, mostly to wait for the disk.
 */
function checkpoints(driver: Driver, read: RawRead): (more?: number) => void {
  const count = driver.prepare('SELECT total_changes()').safeIntegers(false).raw(true);
  let [copied, isCopying, ofThreads] = [0, false, 0];
  const copy = async () => {
    const changes = Number(count.all().flat()[0]) + ofThreads;
    if (isCopying || changes - copied < CHECKPOINT_CHANGES) return;
    [copied, isCopying] = [changes, true];
    const done = await read('PRAGMA wal_checkpoint(PASSIVE)', []).catch(() => null);
    isCopying = false;
    // The log begins anew only after a copy of all of it: the last one follows the last write.
    if (done && driver.open) copy();
  };
  return (more = 0) => {
    ofThreads += more;
    copy();
  };
}
