import { Worker } from 'node:worker_threads';
import { entryFile } from '../../tools/own-files.ts';
import type { OpenedFile } from './opened-file.ts';

/** A question to the thread. */
export interface Question<T> {
  readonly id: number;
  readonly question: T;
}

/** The thread's answer. */
export interface Answer {
  readonly id: number;
  readonly answer?: unknown;
  readonly error?: { readonly message: string; readonly code?: unknown };
}

/** A thread with a connection of its own to a SQLite file, which starts with the first question. */
export class FileThread {
  readonly #module: string;
  readonly #opened: OpenedFile;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #thread: Worker | undefined;
  #last = 0;
  #closed = false;

  constructor(module: string, opened: OpenedFile) {
    this.#module = module;
    this.#opened = opened;
  }

  /** @throws Error with the driver's message and code */
  async ask(question: unknown): Promise<unknown> {
    if (this.#closed) throw new Error('the database is closed');
    const id = ++this.#last;
    const asked = Promise.withResolvers<unknown>();
    this.#thread ??= this.#start();
    this.#thread.ref();
    this.#thread.postMessage({ id, question } satisfies Question<unknown>);
    this.#waiting.set(id, asked);
    return asked.promise;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#thread?.ref(); // Otherwise the process would end instead of waiting for it.
    await this.#thread?.terminate();
  }

  #start(): Worker {
    const thread = new Worker(entryFile(this.#module), { workerData: this.#opened });
    const end = (reason: unknown) => {
      this.#thread = undefined;
      for (const { reject } of this.#waiting.values()) reject(reason);
      this.#waiting.clear();
    };
    thread.on('message', (answer: Answer) => this.#take(answer));
    thread.on('error', end);
    thread.on('exit', () => {
      if (this.#thread === thread) end(new Error('the thread has ended'));
    });
    return thread;
  }

  #take({ id, answer, error }: Answer): void {
    const asked = this.#waiting.get(id);
    this.#waiting.delete(id);
    // The process may end when nothing is being asked.
    if (this.#waiting.size === 0 && !this.#closed) this.#thread?.unref();
    if (error) asked?.reject(Object.assign(new Error(error.message), { code: error.code }));
    else asked?.resolve(answer);
  }
}

/** The threads of a file, each of which starts when it is asked first. */
export class FileThreads {
  readonly #threads = new Map<string, FileThread>();
  readonly #opened: OpenedFile;

  constructor(opened: OpenedFile) {
    this.#opened = opened;
  }

  /** @throws Error with the driver's message and code */
  ask(module: string, question: unknown): Promise<unknown> {
    const thread = this.#threads.get(module) ?? new FileThread(module, this.#opened);
    this.#threads.set(module, thread);
    return thread.ask(question);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#threads.values()].map((thread) => thread.close()));
  }
}
