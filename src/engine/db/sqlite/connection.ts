// Opens a SQLite file, and makes the `Connection` that `Database` uses. The first connection writes and reads; the second one
// reads while a transaction is open on the first. Threads have connections of their own, for long reads and for visits.
// `turns.ts` decides which statement may run, `write-guard.ts` refuses writes that would be lost or fill the disk, and
// `checkpoints.ts` copies the log into the file. A database in memory has the first connection only: its long reads and writes
// on threads throw.
import { rm, writeFile } from 'node:fs/promises';
import type { Transaction } from '@prisma/driver-adapter-utils';
import type { Connection, RawRead, RawRows } from '../driver.ts';
import { isRead, SqliteAdapter } from './adapter.ts';
import { CHECKPOINT_CHANGES, checkpoints } from './checkpoints.ts';
import { keepPrivate, parseFilePath, READER_SETTINGS, WRITER_SETTINGS } from './file.ts';
import { FileConnection } from './file-connection.ts';
import { FileThreads } from './file-thread.ts';
import { whenUnlocked } from './locked.ts';
import { openedFile } from './opened-file.ts';
import { openLog } from './statements.ts';
import { FileTurns } from './turns.ts';
import { readFreeBytes, WriteGuard } from './write-guard.ts';

/** After how long a transaction that seems to wait for itself is ended, in milliseconds: longer than any other takes. */
const DEADLOCK_TIMEOUT = 5_000;
/** The size of a few records, in bytes. */
const TRIAL_SIZE = 65_536;
/** The module of the thread that reads, and copies the log into the file. */
const READER = 'engine/db/sqlite/reader-thread';
/** Maximum number of prepared statements of each kind on the second connection: only reads during a transaction use it. */
const MAX_PREPARED_BESIDE = 100;

export interface SqliteOptions {
  /** After how many milliseconds a transaction that waits for itself is ended. */
  readonly deadlockTimeout?: number;
  /** The bytes that are free on the disk of a file. */
  readonly freeBytes?: (path: string) => number;
}

/** Opens the connections; the second is null for a database in memory. */
async function openBoth(url: string): Promise<{ own: FileConnection; beside: FileConnection | null }> {
  // Readers and the writer of a file do not block each other in WAL mode; the setting stays with the file.
  const own = await FileConnection.open(url, ['journal_mode = WAL', ...WRITER_SETTINGS]);
  // The last setting is a read, which opens the log: later, another file may have its name.
  const settings = [...READER_SETTINGS, 'user_version'];
  const inMemory = parseFilePath(url) === ':memory:';
  const beside = inMemory ? null : await FileConnection.open(url, settings, MAX_PREPARED_BESIDE);
  await whenUnlocked(() => openLog(own.read));
  return { own, beside };
}

/** Writes a file beside the one at `path`, and removes it. */
async function tryDisk(path: string, guard: WriteGuard): Promise<void> {
  if (!guard.mayBegin()) await guard.makeRoom();
  const file = `${path}-trial`;
  try {
    await writeFile(file, Buffer.alloc(TRIAL_SIZE), { mode: 0o600 });
  } finally {
    await rm(file, { force: true });
  }
}

/**
 * Opens the file at `url`, and makes it and its folder if they are missing.
 * @param isOwn whether the calling code runs in the transaction
 */
export async function connectSqlite(
  url: string,
  isOwn: (transaction: Transaction) => boolean,
  { deadlockTimeout = DEADLOCK_TIMEOUT, freeBytes = readFreeBytes }: SqliteOptions = {},
): Promise<Connection> {
  const path = parseFilePath(url);
  keepPrivate(path);
  const { own, beside } = await openBoth(url);
  const opened = beside && openedFile(path);
  const threads = opened && new FileThreads(opened);
  const ask = async (module: string, question: unknown) => {
    if (threads === null) throw new Error('a thread cannot open a database in memory');
    guard?.requireOpened();
    return threads.ask(module, question);
  };
  // The module answers with rows.
  const readLong: RawRead = (sql, args) => whenUnlocked(() => ask(READER, { sql, args }) as Promise<RawRows>);
  const pageSize = Number(own.file.pragma('page_size', { simple: true }));
  const guard = opened && new WriteGuard(opened, pageSize, readLong, freeBytes);
  const turns = new FileTurns({ own, beside, guard, isOwn, deadlockTimeout });
  const copyLog = checkpoints(own.file, readLong);
  const yields = { yields: true };
  return {
    pooled: false,
    schema: 'main',
    encoding: 'UTF8',
    adapter: new SqliteAdapter(own, turns, copyLog),
    read: (sql, args) =>
      isRead(sql)
        ? turns.read((from) => from.read(sql, args), yields)
        : turns.write((to) => to.read(sql, args), yields),
    readLong,
    loadThread: (module) => ask(module, null),
    async writeOnThread(module, question) {
      const answer = await turns.writeElsewhere(() => ask(module, question));
      // A thread writes what takes long.
      copyLog(CHECKPOINT_CHANGES);
      return answer;
    },
    // A transaction must not wait for its own end, as other statements do.
    readIn: () => async (sql, args) => own.read(sql, args),
    async requireOpened() {
      guard?.requireOpened();
    },
    async tryDisk() {
      if (guard !== null) await tryDisk(path, guard);
    },
    freeBytes: async () => freeBytes(path),
    async close() {
      guard?.close();
      await threads?.close();
      beside?.close();
    },
  };
}
