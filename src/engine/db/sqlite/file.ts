import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { makeFolder } from '../../tools/make-folder.ts';

/** Milliseconds for which a statement waits for another process that writes to the same file. */
export const LOCK_TIMEOUT = 10_000;

export function parseFilePath(url: string): string {
  return url.replace(/^file:/, '');
}

export function fileExists(url: string): boolean {
  return existsSync(parseFilePath(url));
}

/** The number of the user who owns the file at `url`; null if there is no file, or the system has no such users. */
export function readOwner(url: string): number | null {
  const found = statSync(parseFilePath(url), { throwIfNoEntry: false });
  return found?.isFile() && process.getuid !== undefined ? found.uid : null;
}

/** True if two paths lead to one file. */
export function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }));
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

/** Creates a file and its folder for the current user only, or removes other users' access from an existing file. */
export function keepPrivate(path: string): void {
  if (path === ':memory:') return;
  makeFolder(dirname(path));
  // SQLite creates the -wal and -shm files with the same mode.
  closeSync(openSync(path, 'a', 0o600));
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const found = statSync(file, { throwIfNoEntry: false });
    // A device, such as /dev/null, must stay accessible to all users.
    if (found?.isFile() && (found.mode & 0o077) !== 0 && found.uid === process.getuid?.())
      chmodSync(file, 0o600);
  }
}

/** Settings of connections that write. */
export const WRITER_SETTINGS = [
  // Writes to a row keep what they may have to undo in a temporary file otherwise, which takes half of their time.
  'temp_store = MEMORY',
  // What is deleted, such as hashes of people, would stay readable in the file; this costs nothing that can be measured.
  'secure_delete = ON',
  // In pages: a commit copies the log into the file only if the thread that does it cannot keep up.
  'wal_autocheckpoint = 20000',
];

/** Settings of connections that only read. */
export const READER_SETTINGS = ['query_only = ON', 'temp_store = MEMORY'];

/** Opens the file at `url` without Prisma, and creates it if it is missing. */
export function openFile(url: string): Sqlite.Database {
  keepPrivate(parseFilePath(url));
  return new Sqlite(parseFilePath(url), { timeout: LOCK_TIMEOUT });
}

/**
 * True if another connection has the file at `url` open. In WAL mode, each keeps a lock that excludes an exclusive one.
 */
export function isOpenElsewhere(url: string): boolean {
  const file = new Sqlite(parseFilePath(url), { timeout: 0 });
  try {
    file.pragma('locking_mode = EXCLUSIVE');
    file.prepare('SELECT 1 FROM sqlite_master').get();
    return false;
  } catch (error) {
    if (error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')) return true;
    throw error;
  } finally {
    file.close();
  }
}

/**
 * Moves SQLite's write-ahead log into the file at `url`, and empties it, unless a reader or writer needs it now. Returns
 * whether it could.
 */
export function emptyLog(url: string): boolean {
  const file = new Sqlite(parseFilePath(url), { timeout: 0, fileMustExist: true });
  try {
    return file.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) === 0;
  } finally {
    file.close();
  }
}
