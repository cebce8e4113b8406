import type { Logger } from 'pino';
import { TIMED_OUT, withTimeout } from '../../shared/timeout.ts';
import { Notifications } from '../change/notifications.ts';
import type { Database } from './client.ts';
import type { Db } from './db.ts';
import { WrittenPositions } from './replica-lag.ts';

/** How often each replica is asked for its position, in milliseconds. */
const ASKED_EVERY = 100;
/** After how many milliseconds without an answer a replica is not used. */
const ANSWER_TIMEOUT = 1_000;
/** How often the primary is asked for its position, in milliseconds. */
const WRITTEN_ASKED_EVERY = 1_000;
const CHANNEL = 'linkspace_writes';

/** A position in PostgreSQL's write-ahead log, as a number: `16/B374D848` has its two halves in hex. */
function positionOf(lsn: string): bigint {
  const [high = '0', low = '0'] = lsn.split('/');
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}

/**
 * Announces that the account has written, so that processes read from no replica that lacks it; gives the position that has it.
 */
export async function announceWrite(db: Db, accountId: number): Promise<bigint> {
  const [row] = await db.$queryRaw<{ lsn: string }[]>`
    SELECT "lsn", pg_notify(${CHANNEL}, ${String(accountId)}::text || ' ' || "lsn")::text
    FROM (SELECT pg_current_wal_insert_lsn()::text AS "lsn") AS "written"`;
  return positionOf(row?.lsn ?? '');
}

/** A replica as its last answer shows it. */
interface Replica {
  /** Its place in the list of replicas, from 1. */
  readonly number: number;
  readonly client: Db;
  /** The last known position. */
  replayed: bigint;
  /** For how many milliseconds it lacks something. */
  lag: number;
  /** Whether it is read from; null before its first answer. */
  isUsed: boolean | null;
}

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

/** The database reads for itself. */
export function withoutReplicas({ client }: Database): Readers {
  return {
    readerFor: () => client,
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
export class Replicas implements Readers {
  readonly #primary: Database;
  readonly #replicas: readonly Replica[];
  readonly #maxLag: number;
  readonly #positions = new WrittenPositions();
  readonly #written = new Map<number, bigint>();
  /** The accounts whose last write could not be announced, each with a mark of that failure. */
  readonly #unannounced = new Map<number, symbol>();
  /** The position that a replica needs for every account. */
  #floor = 0n;
  readonly #notifications: Notifications;
  readonly #random: (below: number) => number;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;
  #primaryAskedAt = Number.NEGATIVE_INFINITY;
  /** The replicas that are being asked. */
  readonly #asking = new Map<Replica | 'primary', Promise<void>>();
  #announcing: Promise<unknown> | undefined;

  /**
   * @param maxLag for how many milliseconds a replica may lack something
   * @param random a random integer from 0 to below the given number
   */
  constructor(
    primary: Database,
    replicas: readonly Database[],
    maxLag: number,
    random: (below: number) => number,
    log: Logger,
  ) {
    this.#primary = primary;
    this.#random = random;
    this.#log = log;
    this.#maxLag = maxLag;
    this.#replicas = replicas.map(({ client }, index) => ({
      number: index + 1,
      client,
      replayed: 0n,
      lag: 0,
      isUsed: null,
    }));
    this.#notifications = new Notifications(primary.directUrl, CHANNEL, {
      onNotification: (payload) => {
        const [account, lsn] = payload.split(' ');
        if (lsn !== undefined) this.#note(Number(account), positionOf(lsn));
      },
      // Writes of other processes before now are unknown, and may be any account's.
      onListening: async () => {
        const [row] = await primary.client.$queryRaw<{ lsn: string }[]>`
          SELECT pg_current_wal_insert_lsn()::text AS "lsn"`;
        if (row) this.#floor = positionOf(row.lsn);
      },
    });
  }

  readerFor(accountId: number): Db {
    const written = this.#written.get(accountId) ?? 0n;
    const needed = written > this.#floor ? written : this.#floor;
    const able = this.#replicas.filter(({ isUsed, replayed }) => isUsed === true && replayed >= needed);
    if (able.length === 0 || !this.#notifications.works || this.#unannounced.has(accountId))
      return this.#primary.client;
    return (able[this.#random(able.length)] ?? this.#primary).client;
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
    this.#note(accountId, await announceWrite(this.#primary.client, accountId));
  }

  lags(): { number: number; seconds: number }[] {
    return this.#replicas.map(({ number, lag }) => ({ number, seconds: lag / 1_000 }));
  }

  start(): void {
    this.#notifications.start();
    this.#timer = setInterval(() => {
      for (const replica of this.#replicas) this.#once(replica, () => this.#ask(replica));
      if (performance.now() - this.#primaryAskedAt >= WRITTEN_ASKED_EVERY)
        this.#once('primary', () => this.#askPrimary());
      this.#forgetReplayed();
      this.#announcing ??= this.#announceAgain()
        .catch(() => {})
        .finally(() => {
          this.#announcing = undefined;
        });
    }, ASKED_EVERY).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.allSettled([...this.#asking.values(), this.#announcing, this.#notifications.stop()]);
  }

  #note(accountId: number, position: bigint): void {
    if (position > (this.#written.get(accountId) ?? 0n)) this.#written.set(accountId, position);
  }

  /** Announces the writes that could not be announced before; another failure of the account may come meanwhile. */
  async #announceAgain(): Promise<void> {
    for (const [account, failure] of this.#unannounced) {
      await this.#announce(account);
      if (this.#unannounced.get(account) === failure) this.#unannounced.delete(account);
    }
  }

  /** Asks, unless the last question is not answered yet. */
  #once(whom: Replica | 'primary', ask: () => Promise<void>): void {
    if (this.#asking.has(whom)) return;
    const asked = ask().finally(() => this.#asking.delete(whom));
    this.#asking.set(whom, asked);
  }

  /** Forgets positions that all replicas have reached. */
  #forgetReplayed(): void {
    const reached = this.#replicas.reduce(
      (least, { replayed }) => (replayed < least ? replayed : least),
      this.#replicas[0]?.replayed ?? 0n,
    );
    for (const [account, position] of this.#written) if (reached >= position) this.#written.delete(account);
    this.#positions.forget(reached);
  }

  async #askPrimary(): Promise<void> {
    const now = performance.now();
    this.#primaryAskedAt = now;
    // Replicas get what is flushed.
    const asked = this.#primary.client.$queryRaw<{ lsn: string }[]>`
      SELECT pg_current_wal_flush_lsn()::text AS "lsn"`;
    // While the primary does not answer, nothing is written that a replica could lack.
    const [row] = await asked.catch(() => []);
    if (row) this.#positions.note(positionOf(row.lsn), now);
  }

  async #ask(replica: Replica): Promise<void> {
    const asked = replica.client.$queryRaw<{ lsn: string | null }[]>`
      SELECT pg_last_wal_replay_lsn()::text AS "lsn"`;
    const position = asked.then(([row]) => (row?.lsn ? positionOf(row.lsn) : null)).catch(() => null);
    const answer = await withTimeout(ANSWER_TIMEOUT, position);
    this.#judge(replica, answer === TIMED_OUT ? null : answer);
    if (answer === TIMED_OUT) this.#judge(replica, await position);
  }

  /** Decides whether the replica is used, by its position; null if it does not report one. */
  #judge(replica: Replica, position: bigint | null): void {
    if (position !== null) replica.replayed = position;
    const lag = this.#positions.lagOf(replica.replayed, performance.now());
    replica.lag = lag;
    // One that was left has to be well within the limit.
    const limit = replica.isUsed === false ? this.#maxLag / 2 : this.#maxLag;
    const isUsed = position !== null && lag <= limit;
    const { number, isUsed: before } = replica;
    replica.isUsed = isUsed;
    const what = { replica: number, lagSeconds: Math.round(lag / 1_000) };
    if (!isUsed && before !== false)
      this.#log.warn(
        what,
        position === null
          ? 'a replica does not report its position: it is not read from'
          : 'a replica is too far behind: it is not read from',
      );
    if (isUsed && before === false) this.#log.info(what, 'a replica is read from again');
  }
}
