import type { Logger } from 'pino';
import { TIMED_OUT, withTimeout } from '../../shared/timeout.ts';
import { Notifications } from '../change/notifications.ts';
import type { Database } from './client.ts';
import type { Db } from './db.ts';

/** How often each replica is asked for its position, in milliseconds. */
const ASKED_EVERY = 100;
/** After how many milliseconds without an answer a replica is not used. */
const ANSWER_TIMEOUT = 1_000;
const CHANNEL = 'linkspace_writes';

/** A position in PostgreSQL's write-ahead log, as a number: `16/B374D848` has its two halves in hex. */
function positionOf(lsn: string): bigint {
  const [high = '0', low = '0'] = lsn.split('/');
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}

/** Chooses the database for reads. */
export interface Readers {
  /** The client to read with for this account: one that has all of the account's writes. */
  readerFor(accountId: number): Db;
  /** Await it after a write of the account, before answering: later reads include the write. It does not fail. */
  wrote(accountId: number): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

/** The database reads for itself. */
export function withoutReplicas({ client }: Database): Readers {
  return { readerFor: () => client, wrote: async () => {}, start: () => {}, stop: async () => {} };
}

/**
 * Reads from streaming replicas. After a write, the account's reads go to the primary, in every process, until a
 * replica has replayed the write. A replica that does not answer or does not report its position is not used; without
 * working notifications of other processes' writes, no replica is used.
 */
export class Replicas implements Readers {
  readonly #primary: Database;
  readonly #replayed: Map<Db, bigint | null>;
  readonly #written = new Map<number, bigint>();
  /** The accounts whose last write could not be announced, each with a mark of that failure. */
  readonly #unannounced = new Map<number, symbol>();
  /** The position that a replica needs for every account. */
  #floor = 0n;
  readonly #notifications: Notifications;
  readonly #random: (below: number) => number;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;
  /** The replicas that are being asked. */
  readonly #asking = new Map<Db, Promise<void>>();
  #announcing: Promise<unknown> | undefined;

  /** @param random a random integer from 0 to below the given number */
  constructor(
    primary: Database,
    replicas: readonly Database[],
    random: (below: number) => number,
    log: Logger,
  ) {
    this.#primary = primary;
    this.#random = random;
    this.#log = log;
    this.#replayed = new Map(replicas.map(({ client }) => [client, null]));
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
    const able = [...this.#replayed].filter(([, replayed]) => replayed !== null && replayed >= needed);
    if (able.length === 0 || !this.#notifications.works || this.#unannounced.has(accountId))
      return this.#primary.client;
    const [chosen] = able[this.#random(able.length)] ?? [];
    return chosen ?? this.#primary.client;
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
    const [row] = await this.#primary.client.$queryRaw<{ lsn: string }[]>`
      SELECT "lsn", pg_notify(${CHANNEL}, ${String(accountId)}::text || ' ' || "lsn")::text
      FROM (SELECT pg_current_wal_insert_lsn()::text AS "lsn") AS "written"`;
    if (row) this.#note(accountId, positionOf(row.lsn));
  }

  start(): void {
    this.#notifications.start();
    this.#timer = setInterval(() => {
      for (const client of this.#replayed.keys())
        if (!this.#asking.has(client))
          this.#asking.set(
            client,
            this.#ask(client).finally(() => this.#asking.delete(client)),
          );
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

  /** Forgets positions that all replicas have reached. */
  #forgetReplayed(): void {
    const positions = [...this.#replayed.values()].filter((position) => position !== null);
    for (const [account, position] of this.#written)
      if (positions.length === this.#replayed.size && positions.every((replayed) => replayed >= position))
        this.#written.delete(account);
  }

  async #ask(client: Db): Promise<void> {
    const asked = client.$queryRaw<{ lsn: string | null }[]>`
      SELECT pg_last_wal_replay_lsn()::text AS "lsn"`;
    try {
      if ((await withTimeout(ANSWER_TIMEOUT, asked)) === TIMED_OUT) this.#replayed.set(client, null);
      const [row] = await asked;
      this.#replayed.set(client, row?.lsn ? positionOf(row.lsn) : null);
    } catch {
      this.#replayed.set(client, null);
    }
  }
}
