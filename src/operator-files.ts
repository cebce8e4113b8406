import type { Config } from './config.ts';
import { allValid, unusable } from './config-error.ts';
import { ALIAS_RULE } from './domain/link/alias.ts';
import {
  type Listed,
  OperatorLists,
  parseBlockedHosts,
  parseReservedAliases,
} from './domain/link/blocklists.ts';
import { WatchedFile } from './shared/watched-file.ts';

/** The part of the log that is used. */
export interface FileLog {
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
