import type { Logger } from 'pino';
import { singleFlight } from '../../shared/single-flight.ts';
import { Notifications } from '../change/notifications.ts';
import type { Database } from './client.ts';
import type { Db } from './db.ts';
import { announceWrite, positionOf, readPosition, WRITES_CHANNEL } from './log-position.ts';
import { Replica } from './replica.ts';
import { WrittenPositions } from './replica-lag.ts';

/** How often the positions of replicas and of the primary are read, in milliseconds. */
const REPLICA_INTERVAL = 100;
const PRIMARY_INTERVAL = 1_000;

/** Chooses the database for reads. */
export interface Readers {
  /** The client to read with for this account: one that has all of the account's writes. */
  readerFor(accountId: number): Db;
  /** Await it after a write of the account, before answering: later reads include the write. It does not fail. */
  wrote(accountId: number): Promise<void>;
  /** For how many seconds each replica lacks something, by its number. */
  lags(): { number: number; seconds: number }[];
  start(): void;
  stop(): Promise<void>;
}

/**
 * @param maxLag for how many milliseconds a replica may lack something
 * @param random a random integer from 0 to below the given number
 */
export function createReaders(
  primary: Database,
  replicas: readonly Database[],
  maxLag: number,
  random: (below: number) => number,
  log: Logger,
): Readers {
  if (replicas.length > 0) return new ReplicaReaders(primary, replicas, maxLag, random, log);
  return {
    readerFor: () => primary.client,
    wrote: async () => {},
    lags: () => [],
    start: () => {},
    stop: async () => {},
  };
}

/**
 * Reads from streaming replicas. After a write, the account's reads go to the primary, in every process, until a
 * replica has replayed the write. A replica that does not answer, does not report its position or is too far behind is not used;
 * without working notifications of other processes' writes, no replica is used.
 */
class ReplicaReaders implements Readers {
  readonly #primary: Db;
  readonly #replicas: readonly Replica[];
  readonly #positions = new WrittenPositions();
  /** The position of each account's last write, until all replicas have it. */
  readonly #written = new Map<number, bigint>();
  /** The accounts whose last write could not be announced, each with a mark of that failure. */
  readonly #unannounced = new Map<number, symbol>();
  /** The position that a replica needs for every account. */
  #floor = 0n;
  readonly #notifications: Notifications;
  readonly #random: (below: number) => number;
  readonly #log: Logger;
  #timers: NodeJS.Timeout[] = [];
  /** The last reads and announcements, which may still be running. */
  #updates: Promise<unknown> = Promise.resolve();
  #primaryUpdate: Promise<unknown> = Promise.resolve();
  readonly #updatePrimary = singleFlight(() => this.#readPrimary());
  readonly #announceAgain = singleFlight(() => this.#announceFailed());

  constructor(
    { client, directUrl }: Database,
    replicas: readonly Database[],
    maxLag: number,
    random: (below: number) => number,
    log: Logger,
  ) {
    this.#primary = client;
    this.#random = random;
    this.#log = log;
    this.#replicas = replicas.map(
      (replica, index) => new Replica(index + 1, replica.client, this.#positions, maxLag, log),
    );
    this.#notifications = new Notifications(directUrl, WRITES_CHANNEL, {
      onNotification: (payload) => {
        const [account, lsn] = payload.split(' ');
        if (lsn !== undefined) this.#note(Number(account), positionOf(lsn));
      },
      // Earlier writes of other processes are unknown, and may be any account's.
      onListening: async () => {
        this.#floor = (await readPosition(client, 'pg_current_wal_insert_lsn')) ?? this.#floor;
      },
    });
  }

  readerFor(accountId: number): Db {
    if (!this.#notifications.works || this.#unannounced.has(accountId)) return this.#primary;
    const written = this.#written.get(accountId) ?? 0n;
    const needed = written > this.#floor ? written : this.#floor;
    const upToDate = this.#replicas.filter((replica) => replica.has(needed));
    return upToDate.length > 0
      ? (upToDate[this.#random(upToDate.length)]?.client ?? this.#primary)
      : this.#primary;
  }

  async wrote(accountId: number): Promise<void> {
    // The write is done: an error would invite the client to repeat it.
    await this.#announce(accountId).catch((error: unknown) => {
      this.#log.warn(
        { err: error },
        'a write could not be announced to replicas: its account reads from the primary',
      );
      this.#unannounced.set(accountId, Symbol());
    });
  }

  async #announce(accountId: number): Promise<void> {
    this.#note(accountId, await announceWrite(this.#primary, accountId));
  }

  #note(accountId: number, position: bigint): void {
    if (position > (this.#written.get(accountId) ?? 0n)) this.#written.set(accountId, position);
  }

  lags(): { number: number; seconds: number }[] {
    return this.#replicas.map(({ number, lag }) => ({ number, seconds: lag / 1_000 }));
  }

  start(): void {
    this.#notifications.start();
    const updatePrimary = () => {
      this.#primaryUpdate = this.#updatePrimary();
    };
    updatePrimary();
    this.#timers = [
      setInterval(() => this.#update(), REPLICA_INTERVAL).unref(),
      setInterval(updatePrimary, PRIMARY_INTERVAL).unref(),
    ];
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.allSettled([this.#updates, this.#primaryUpdate, this.#notifications.stop()]);
  }

  #update(): void {
    const reads = this.#replicas.map((replica) => replica.update());
    this.#updates = Promise.allSettled([...reads, this.#announceAgain()]);
    this.#forgetReplayed();
  }

  /** Announces the writes that could not be announced before; another failure of the account may come meanwhile. */
  async #announceFailed(): Promise<void> {
    for (const [account, failure] of this.#unannounced) {
      await this.#announce(account);
      if (this.#unannounced.get(account) === failure) this.#unannounced.delete(account);
    }
  }

  /** Forgets positions that all replicas have reached. */
  #forgetReplayed(): void {
    const [first = 0n, ...others] = this.#replicas.map(({ replayed }) => replayed);
    const reached = others.reduce((least, one) => (one < least ? one : least), first);
    for (const [account, position] of this.#written) if (reached >= position) this.#written.delete(account);
    this.#positions.forget(reached);
  }

  async #readPrimary(): Promise<void> {
    const readAt = performance.now();
    // Replicas get what is flushed. While the primary does not answer, nothing is written that a replica could lack.
    const position = await readPosition(this.#primary, 'pg_current_wal_flush_lsn').catch(() => null);
    if (position !== null) this.#positions.note(position, readAt);
  }
}
