// What a process keeps for each database so that no account takes all of it: `LongReadQueue` for long reads, `KeyedWrites` for
// writes with an idempotency key. Accounts take turns. The work itself is in `long-reads.ts` of the lists, and in
// `idempotent-write.ts`.
import { LRUCache } from 'lru-cache';
import { growingTo } from '../tools/growing-cache.ts';
import { Turns } from '../tools/turns.ts';
import type { Dialect } from './dialect.ts';
import { DatabaseAway } from './errors.ts';

/** Maximum numbers of open transactions of keyed writes, in all (1 on SQLite) and of one account. Each occupies a connection. */
const MAX_KEYED_WRITES = 3;
const MAX_KEYED_WRITES_OF_ACCOUNT = 2;
/** Milliseconds for which a further one waits. */
const KEYED_WRITE_TIMEOUT = 5_000;

/** Long reads of accounts, which each do one at a time. */
export class LongReadQueue {
  readonly turns = new Turns<number>({ maxOfOwner: () => 1 });
  /** The requests of each account that wait or read. */
  readonly requests = new Map<number, Set<object>>();
  /** Number of reads that the database has not answered. */
  unanswered = 0;
}

/** A number of answers to writes with an idempotency key, and of their bytes. */
export interface Volume {
  readonly count: number;
  readonly bytes: number;
}

/** The answers of a caller that were stored lately, as this process knows. */
export interface StoredVolume {
  /** Those of all processes when they were counted, and those of this process since. */
  readonly counted: Volume;
  readonly since: Volume;
  /** The time at which they were counted, by the clock of the request. */
  readonly at: Date;
  /** The time from which there may be room for another answer; null if there is room. */
  readonly fullUntil: Date | null;
}

/** Writes with an idempotency key. */
export class KeyedWrites {
  /** Their transactions, of which accounts take turns. */
  readonly turns: Turns<number>;
  /** The keys of those that run. */
  readonly running = new Set<string>();
  /** Recently stored answers of each caller. */
  readonly stored = new LRUCache<number, StoredVolume>(growingTo(10_000));

  constructor({ hasConcurrentWriters }: Dialect, timeout = KEYED_WRITE_TIMEOUT) {
    this.turns = new Turns({
      // On SQLite, further ones would wait for the only writer in front of all others.
      max: hasConcurrentWriters ? MAX_KEYED_WRITES : 1,
      maxOfOwner: () => MAX_KEYED_WRITES_OF_ACCOUNT,
      timeout,
      refusal: () => new DatabaseAway('too many writes with a key are being done'),
    });
  }
}
