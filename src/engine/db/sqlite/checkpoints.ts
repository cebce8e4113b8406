// Decides when SQLite's write-ahead log is copied into the file. Within a commit, a copy would hold the main thread for
// longer than the write itself, mostly to wait for the disk. So a reader's thread copies it after many changes.
import type { Database } from 'better-sqlite3';
import type { RawRead } from '../driver.ts';

/** After how many changes of rows the log is copied into the file. */
export const CHECKPOINT_CHANGES = 500;

/**
 * Returns a function that has the log copied after many changes. Call it after each write of the connection.
 * @param read reads on a thread
 * @returns a function whose parameter is a number of changes by other connections
 */
export function checkpoints(file: Database, read: RawRead): (others?: number) => void {
  const count = file.prepare<[], number>('SELECT total_changes()').pluck(true);
  let [copied, isCopying, ofOthers] = [0, false, 0];
  const copy = async () => {
    const changes = (count.get() ?? 0) + ofOthers;
    if (isCopying || changes - copied < CHECKPOINT_CHANGES) return;
    [copied, isCopying] = [changes, true];
    const done = await read('PRAGMA wal_checkpoint(PASSIVE)', []).catch(() => null);
    isCopying = false;
    // The log begins anew only after a copy of all of it: the last one follows the last write.
    if (done && file.open) copy();
  };
  return (others = 0) => {
    ofOthers += others;
    copy();
  };
}
