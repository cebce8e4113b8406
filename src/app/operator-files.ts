import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { ALIAS_RULE } from '../domain/link/alias-grammar.ts';
import {
  type Listed,
  OperatorLists,
  parseBlockedHosts,
  parseReservedAliases,
} from '../domain/link/blocklists.ts';
import { oneLine } from '../engine/tools/one-line.ts';
import { allValid, unusable } from '../engine/tools/operator-error.ts';
import type { Config } from './config.ts';

/** Milliseconds between two checks of a file, so that changes take effect within ten seconds. */
const CHECK_INTERVAL = 2_000;
/** Milliseconds in which another change may still get the same modification time. */
const SETTLING_TIME = 3_000;

interface WatchedFileOptions {
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
class WatchedFile {
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

/** The part of the log that is used. */
interface FileLog {
  info(what: object, message: string): void;
  warn(what: object, message: string): void;
}

/** The operator's lists, which are read again when their files change. */
export interface OperatorFiles {
  readonly lists: OperatorLists;
  start(): void;
  stop(): Promise<void>;
}

type Paths = Partial<Pick<Config, 'blockedHostsFile' | 'reservedAliasesFile'>>;

/**
 * Reads the files of the configuration.
 * @param every how often they are checked for changes, in milliseconds
 * @throws ConfigError if one cannot be read
 */
export async function readOperatorFiles(paths: Paths, log: FileLog, every?: number): Promise<OperatorFiles> {
  const lists = new OperatorLists();
  const kinds = [
    {
      variable: 'BLOCKED_HOSTS',
      path: paths.blockedHostsFile,
      parse: parseBlockedHosts,
      set: (listed: Listed) => lists.setBlockedHosts(listed),
      allowed: 'hosts without scheme, path or port, and *. before a host for all hosts below it',
    },
    {
      variable: 'RESERVED_ALIASES',
      path: paths.reservedAliasesFile,
      parse: parseReservedAliases,
      set: (listed: Listed) => lists.setReservedAliases(listed),
      allowed: `aliases of ${ALIAS_RULE.replaceAll('`', '')}`,
    },
  ];
  const read = async ({ variable, path, parse, set, allowed }: (typeof kinds)[number]) => {
    if (path === undefined) return [];
    const file = new WatchedFile({
      path,
      async take(text) {
        const listed = await parse(text);
        set(listed);
        log.info({ variable, path, entries: listed.entries.size }, 'list read');
        for (const { line, text: written } of listed.wrong)
          log.warn({ variable, path, line, text: written, allowed }, 'line of a list ignored');
      },
      onLost: (reason) =>
        log.warn({ variable, path, reason }, 'list cannot be read: its last entries stay in use'),
      ...(every !== undefined && { every }),
    });
    await file.read().catch(unusable(variable, path, `a readable file of ${allowed}`));
    return [file];
  };
  const files = (await allValid(kinds.map(read))).flat();
  return {
    lists,
    start() {
      for (const file of files) file.start();
    },
    async stop() {
      await Promise.all(files.map((file) => file.stop()));
    },
  };
}
