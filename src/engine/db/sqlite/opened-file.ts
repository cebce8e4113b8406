import { realpathSync, statSync } from 'node:fs';

/** The path of a file, with device and inode, which another file at the path does not have. */
interface Identity {
  readonly path: string;
  readonly device: bigint | undefined;
  readonly inode: bigint | undefined;
}

/** A SQLite file that is open, and its log. */
export interface OpenedFile {
  readonly file: Identity;
  readonly log: Identity;
}

function readFileState(path: string) {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}

function readIdentity(path: string): Identity {
  const found = readFileState(path);
  return { path, device: found?.dev, inode: found?.ino };
}

/** @param path that of a file whose log is open, too */
export function openedFile(path: string): OpenedFile {
  // SQLite follows links before it names the log.
  return { file: readIdentity(path), log: readIdentity(`${realpathSync(path)}-wal`) };
}

/** An error with a code of SQLite, which callers take for that of a database that is not available. */
export function refusal(code: 'SQLITE_FULL' | 'SQLITE_READONLY_DBMOVED', message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** Returns the size of the file in bytes. */
function requireSame({ path, device, inode }: Identity): number {
  const found = readFileState(path);
  if (found?.dev === device && found?.ino === inode) return Number(found?.size ?? 0);
  const what = found === undefined ? 'was removed or moved' : 'is another file than at the start';
  throw refusal('SQLITE_READONLY_DBMOVED', `${path} ${what}: restart the service`);
}

/**
 * Returns the size of the log in bytes.
 * @throws Error if the file or its log is not the one any more that was opened: what was written is lost with that one
 */
export function requireOpened({ file, log }: OpenedFile): number {
  requireSame(file);
  return requireSame(log);
}
