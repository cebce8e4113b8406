import { Worker } from 'node:worker_threads';
import { entryFile } from '../../own-files.ts';
import type { RawRead, RawRows } from '../driver.ts';
import { whenUnlocked } from './file.ts';

/** What the thread answers to a read. */
interface Answer {
  readonly id: number;
  readonly rows?: RawRows;
  readonly error?: { readonly message: string; readonly code?: unknown };
}

/** Reads a SQLite file on a thread of its own, which starts with the first read and sees all that was committed before it. */
export class SqliteReads {
  readonly #path: string;
  readonly #waiting = new Map<number, PromiseWithResolvers<RawRows>>();
  #thread: Worker | undefined;
  #last = 0;

  constructor(path: string) {
    this.#path = path;
  }

  readonly read: RawRead = (sql, args) => whenUnlocked(() => this.#read(sql, args));

  #read(sql: string, args: readonly unknown[]): Promise<RawRows> {
    const id = ++this.#last;
    const read = Promise.withResolvers<RawRows>();
    this.#waiting.set(id, read);
    this.#thread ??= this.#start();
    this.#thread.ref();
    this.#thread.postMessage({ id, sql, args });
    return read.promise;
  }

  async close(): Promise<void> {
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
    if (this.#waiting.size === 0) this.#thread?.unref();
    if (rows) read?.resolve(rows);
    else read?.reject(Object.assign(new Error(error?.message), { code: error?.code }));
  }
}
