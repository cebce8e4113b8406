// What the modules of threads that `FileThread` starts have in common.
import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import type { Statements, Writable } from '../database.ts';
import { decodeRows } from '../driver.ts';
import { sqlite } from './dialect.ts';
import { LOCK_TIMEOUT } from './file.ts';
import type { Answer, Question } from './file-thread.ts';
import { type OpenedFile, requireOpened } from './opened-file.ts';
import { openLog, rawReader, writer } from './statements.ts';

/**
 * The thread's own connection. Whoever asks waits for other processes: the busy timeout would hold the thread.
 * @throws Error if the file or its log is not the one any more that the process has opened
 */
export function openOwn(settings: readonly string[]): Sqlite.Database {
  const opened = workerData as OpenedFile; // As `FileThread` gives it.
  requireOpened(opened);
  const file = new Sqlite(opened.file.path, { fileMustExist: true, timeout: LOCK_TIMEOUT });
  openLog(rawReader(file));
  requireOpened(opened);
  for (const setting of ['busy_timeout = 0', ...settings]) file.pragma(setting);
  return file;
}

/** Answers questions one after the other, since none waits for anything but statements. Null asks for nothing. */
export function answerBy<T>(answer: (question: T) => unknown): void {
  const send = (message: Answer) => parentPort?.postMessage(message);
  parentPort?.on('message', async ({ id, question }: Question<T | null>) => {
    try {
      send({ id, answer: question === null ? null : await answer(question) });
    } catch (error) {
      // Copies of errors between threads lose the driver's code.
      const { message, code } = error as Error & { code?: unknown };
      send({ id, error: { message, code } });
    }
  });
}

/** The statements and transactions of a connection that nobody else uses. */
export function makeWritable(file: Sqlite.Database): Writable {
  const readNow = rawReader(file);
  const write = writer(file);
  const statements: Statements = {
    dialect: sqlite,
    read: async ({ sql, values }, times = 'Date') => decodeRows(readNow(sql, values), times),
    execute: async ({ sql, values }) => write(sql, values),
  };
  return {
    ...statements,
    async transaction(work) {
      file.exec('BEGIN IMMEDIATE');
      try {
        const result = await work(statements);
        file.exec('COMMIT');
        return result;
      } catch (error) {
        if (file.inTransaction) file.exec('ROLLBACK');
        throw error;
      }
    },
  };
}
