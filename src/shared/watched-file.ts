import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { oneLine } from './one-line.ts';

/** How often a file is checked, in milliseconds: changes take effect within ten seconds. */
const CHECK_INTERVAL = 2_000;
/** How long another change may still get the same modification time, in milliseconds. */
const SETTLING_TIME = 3_000;

export interface WatchedFileOptions {
  readonly path: string;
  /** Called with the text of the file whenever it has changed. */
  readonly take: (text: string) => Promise<void>;
  /** Called once when the file can no longer be read; its last text stays in use. */
  readonly onLost: (reason: string) => void;
  readonly every?: number;
}

/**
 * A file of the operator that is read again when it changes. It is polled: file system notifications do not work on network
 * drives and mounted volumes.
 */
export class WatchedFile {
  readonly #options: WatchedFileOptions;
  #seen = '';
  #text: string | null = null;
  #lost = false;
  #timer: NodeJS.Timeout | undefined;
  #checking: Promise<void> = Promise.resolve();

  constructor(options: WatchedFileOptions) {
    this.#options = options;
  }

  /** Reads the file for the first time. @throws Error if it cannot be read, or is no text in UTF-8 */
  async read(): Promise<void> {
    const { path, take } = this.#options;
    const { mtimeMs, ctimeMs, size, ino } = await stat(path);
    const bytes = await readFile(path);
    if (!isUtf8(bytes) || bytes.includes(0)) throw new Error('it is not a text in UTF-8');
    const text = bytes.toString();
    // A file that was just written may be written again with the same time and size.
    const settled = Date.now() - Math.max(mtimeMs, ctimeMs) > SETTLING_TIME;
    this.#seen = settled ? [mtimeMs, ctimeMs, size, ino].join() : '';
    if (text !== this.#text) await take(text);
    this.#text = text;
    this.#lost = false;
  }

  /** Polls the file until `stop`. */
  start(): void {
    this.#timer = setTimeout(() => {
      this.#checking = this.#check().finally(() => {
        if (this.#timer !== undefined) this.start();
      });
    }, this.#options.every ?? CHECK_INTERVAL).unref();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#checking;
  }

  async #check(): Promise<void> {
    try {
      const { mtimeMs, ctimeMs, size, ino } = await stat(this.#options.path);
      if (this.#lost || this.#seen !== [mtimeMs, ctimeMs, size, ino].join()) await this.read();
    } catch (error) {
      if (!this.#lost) this.#options.onLost(oneLine(error));
      this.#lost = true;
    }
  }
}
