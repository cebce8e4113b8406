import type { Logger } from 'pino';
import { RepeatedFault } from '../../tools/repeated-fault.ts';
import { singleFlight } from '../../tools/single-flight.ts';
import { TIMED_OUT, withTimeout } from '../../tools/timeout.ts';
import type { Database } from '../database.ts';
import { DatabaseAway } from '../errors.ts';
import type { AnyClient, ClientOf } from '../product.ts';
import { raw, sql } from '../sql.ts';
import { Notifications } from './notifications.ts';
import { ReadServer } from './read-server.ts';
import { makeChannelName } from './schema.ts';

/** The channel of notifications about writes of accounts. */
function makeWritesChannel({ product }: Database): string {
  return `${product.channel}_writes`;
}

/** A position in PostgreSQL's write-ahead log, as a number: `16/B374D848` has its two halves in hex. */
function parseLsn(lsn: string): bigint {
  const [high = '0', low = '0'] = lsn.split('/');
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}

/** The position that a function of a primary returns; null if it has none. */
async function readPosition(
  db: Database,
  from: 'pg_current_wal_insert_lsn' | 'pg_current_wal_flush_lsn',
): Promise<bigint | null> {
  const [row] = await db.prisma.$queryRaw<{ lsn: string | null }[]>(
    sql`SELECT ${raw(from)}()::text AS "lsn"`,
  );
  return row?.lsn ? parseLsn(row.lsn) : null;
}

/**
 * Announces a write of the account, so that processes read from no replica that lacks it. Returns a position that has the
 * write.
 */
export async function announceWrite(db: Database, accountId: number): Promise<bigint> {
  const channel = makeChannelName(makeWritesChannel(db), db.schema);
  const [row] = await db.prisma.$queryRaw<{ lsn: string }[]>`
    SELECT "lsn", pg_notify(${channel}, ${String(accountId)}::text || ' ' || "lsn")::text
    FROM (SELECT pg_current_wal_insert_lsn()::text AS "lsn") AS "written"`;
  return parseLsn(row?.lsn ?? '');
}

/** Maximum number of remembered positions. Beyond it, every second one is dropped, so that the latest stay dense. */
const MAX_POSITIONS = 1_000;

/**
 * Measures the lag of replicas by the primary's past positions. An idle primary has no new ones. A replica that has
 * replayed everything is therefore not behind, however long ago that was.
 */
export class WrittenPositions {
  /** Positions and when they were first seen, the oldest first. */
  #seen: { readonly position: bigint; readonly at: number }[] = [];

  /** Notes the primary's position. @param at milliseconds by a monotonic clock */
  note(position: bigint, at: number): void {
    if (position <= (this.#seen.at(-1)?.position ?? -1n)) return;
    this.#seen.push({ position, at });
    if (this.#seen.length > MAX_POSITIONS) this.#seen = this.#seen.filter((_, index) => index % 2 === 0);
  }

  /** For how many milliseconds something has been written that a replica at this position lacks. */
  lagOf(replayed: bigint, now: number): number {
    const missing = this.#seen.find(({ position }) => position > replayed);
    return missing === undefined ? 0 : now - missing.at;
  }

  /** Forgets what all replicas have replayed; the last position stays. */
  forget(replayed: bigint): void {
    const first = this.#seen.findIndex(({ position }) => position > replayed);
    this.#seen = first < 0 ? this.#seen.slice(-1) : this.#seen.slice(first);
  }
}

/** The position that a standby has replayed; null for a server that is none. */
async function readReplayed({ prisma }: Database): Promise<bigint | null> {
  const [row] = await prisma.$queryRaw<{ standby: boolean; lsn: string | null }[]>`
    SELECT pg_is_in_recovery() AS "standby", pg_last_wal_replay_lsn()::text AS "lsn"`;
  if (row?.standby === false) return null;
  if (!row?.lsn) throw new Error('it does not report its position');
  return parseLsn(row.lsn);
}

/** After how many milliseconds without an answer a replica is not used. */
const ANSWER_TIMEOUT = 1_000;

/** A streaming replica, and how far it is behind the primary. */
class Replica<Client extends ClientOf<Client>> extends ReadServer<Client> {
  readonly #written: WrittenPositions;
  readonly #maxLag: number;
  readonly #behind: RepeatedFault;
  #isBehind = false;
  replayed = 0n;
  /** Reads its position, unless the last read has not ended. */
  readonly update = singleFlight(() => this.#read());

  /**
   * @param written the positions of the primary
   * @param maxLag for how many milliseconds it may lack something
   */
  constructor(
    number: number,
    database: Database<Client>,
    written: WrittenPositions,
    maxLag: number,
    log: Logger,
  ) {
    super(number, database, log);
    this.#written = written;
    this.#maxLag = maxLag;
    this.#behind = new RepeatedFault(this.log, 'a replica is too far behind: it is not read from');
  }

  /** True if it may be read from, and has everything up to the position. */
  has(position: bigint): boolean {
    return !this.isAway && this.isStandby && !this.#isBehind && this.replayed >= position;
  }

  async #read(): Promise<void> {
    const reading = readReplayed(this.database);
    try {
      const replayed = await withTimeout(ANSWER_TIMEOUT, reading);
      if (replayed === TIMED_OUT) throw new DatabaseAway('it did not answer in time');
      this.answered(replayed !== null);
      if (replayed !== null) this.#judge(replayed);
    } catch (error) {
      this.failed(error);
      await reading.catch(() => {});
    }
  }

  #judge(replayed: bigint): void {
    this.replayed = replayed;
    const lag = this.#written.lagOf(replayed, performance.now());
    this.lag = lag / 1_000;
    // One that is not used has to be far below the limit to be used again.
    this.#isBehind = lag > (this.#isBehind ? this.#maxLag / 2 : this.#maxLag);
    if (this.#isBehind) this.#behind.occurred(undefined, () => ({ lagSeconds: Math.round(lag / 1_000) }));
    else this.#behind.ended();
  }
}

/** Milliseconds between two reads of the positions of replicas, and of the primary. */
const REPLICA_INTERVAL = 100;
const PRIMARY_INTERVAL = 1_000;

/**
 * Chooses the database for reads: a streaming replica, if there are any. After a write, the account's reads go to the
 * primary, in every process, until a replica has replayed the write. A replica that does not answer, is no standby or is too
 * far behind is not used; without working notifications of other processes' writes, no replica is used.
 */
export class Readers<Client extends ClientOf<Client> = AnyClient> {
  readonly replicas: readonly Replica<Client>[];
  readonly #primary: Database<Client>;
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

  /**
   * @param maxLag for how many milliseconds a replica may lack something
   * @param random a random integer from 0 to below the given number
   */
  constructor(
    primary: Database<Client>,
    replicas: readonly Database<Client>[],
    maxLag: number,
    random: (below: number) => number,
    log: Logger,
  ) {
    this.#primary = primary;
    this.#random = random;
    this.#log = log;
    this.replicas = replicas.map(
      (replica, index) => new Replica(index + 1, replica, this.#positions, maxLag, log),
    );
    this.#notifications = new Notifications(primary, makeWritesChannel(primary), {
      onNotification: (payload) => {
        const [account, lsn] = payload.split(' ');
        if (lsn !== undefined) this.#note(Number(account), parseLsn(lsn));
      },
      // Earlier writes of other processes are unknown, and may be any account's.
      onListening: async () => {
        this.#floor = (await readPosition(primary, 'pg_current_wal_insert_lsn')) ?? this.#floor;
      },
    });
  }

  /** The database to read from for this account: one that has all of the account's writes. */
  readerFor(accountId: number): Database<Client> {
    if (!this.#notifications.works || this.#unannounced.has(accountId)) return this.#primary;
    const written = this.#written.get(accountId) ?? 0n;
    const needed = written > this.#floor ? written : this.#floor;
    const upToDate = this.replicas.filter((replica) => replica.has(needed));
    return upToDate.length > 0
      ? (upToDate[this.#random(upToDate.length)]?.database ?? this.#primary)
      : this.#primary;
  }

  /** Await it after a write of the account, before answering: later reads include the write. It does not fail. */
  async wrote(accountId: number): Promise<void> {
    if (this.replicas.length === 0) return;
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

  start(): void {
    if (this.replicas.length === 0) return;
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
    const reads = this.replicas.map((replica) => replica.update());
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
    const [first = 0n, ...others] = this.replicas.map(({ replayed }) => replayed);
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
