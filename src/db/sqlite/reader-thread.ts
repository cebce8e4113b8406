// The code of the thread that `SqliteReads` starts: it reads by a connection of its own, and copies the log into the file.
import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import { rawReader } from './statements.ts';

const file = new Sqlite(String(workerData), { fileMustExist: true, timeout: 0 });
file.pragma('query_only = ON');
file.pragma('temp_store = MEMORY');
const readNow = rawReader(file);

parentPort?.on('message', ({ id, sql, args }: { id: number; sql: string; args: unknown[] }) => {
  try {
    parentPort?.postMessage({ id, rows: readNow(sql, args) });
  } catch (error) {
    // Copies of errors between threads lose the driver's code.
    const { message, code } = error as Error & { code?: unknown };
    parentPort?.postMessage({ id, error: { message, code } });
  }
});
