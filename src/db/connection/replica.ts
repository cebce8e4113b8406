import type { Logger } from 'pino';
import { singleFlight } from '../../shared/single-flight.ts';
import { TIMED_OUT, withTimeout } from '../../shared/timeout.ts';
import type { Db } from './db.ts';
import { readPosition } from './log-position.ts';
import type { WrittenPositions } from './replica-lag.ts';

/** After how many milliseconds without an answer a replica is not used. */
const ANSWER_TIMEOUT = 1_000;

/** A streaming replica of PostgreSQL, as its last answer shows it. */
export class Replica {
  /** Its place in the list of replicas, from 1. */
  readonly number: number;
  readonly client: Db;
  readonly #written: WrittenPositions;
  readonly #maxLag: number;
  readonly #log: Logger;
  /** The last known position. */
  #replayed = 0n;
  #lag = 0;
  /** Null before the first answer. */
  #isUsed: boolean | null = null;
  /** Reads its position, unless the last read has not ended. */
  readonly update = singleFlight(() => this.#read());

  /**
   * @param written the positions of the primary
   * @param maxLag for how many milliseconds it may lack something
   */
  constructor(number: number, client: Db, written: WrittenPositions, maxLag: number, log: Logger) {
    this.number = number;
    this.client = client;
    this.#written = written;
    this.#maxLag = maxLag;
    this.#log = log;
  }

  get replayed(): bigint {
    return this.#replayed;
  }

  /** For how many milliseconds it lacks something. */
  get lag(): number {
    return this.#lag;
  }

  /** Whether it may be read from, and has everything up to the position. */
  has(position: bigint): boolean {
    return this.#isUsed === true && this.#replayed >= position;
  }

  async #read(): Promise<void> {
    const position = readPosition(this.client, 'pg_last_wal_replay_lsn').catch(() => null);
    const answer = await withTimeout(ANSWER_TIMEOUT, position);
    this.#judge(answer === TIMED_OUT ? null : answer);
    if (answer === TIMED_OUT) this.#judge(await position);
  }

  /** Decides whether it is used, by its position; null if it does not report one. */
  #judge(position: bigint | null): void {
    if (position !== null) this.#replayed = position;
    this.#lag = this.#written.lagOf(this.#replayed, performance.now());
    const before = this.#isUsed;
    // One that is not used has to be far below the limit to be used again.
    const limit = before === false ? this.#maxLag / 2 : this.#maxLag;
    this.#isUsed = position !== null && this.#lag <= limit;
    const what = { replica: this.number, lagSeconds: Math.round(this.#lag / 1_000) };
    if (!this.#isUsed && before !== false)
      this.#log.warn(
        what,
        position === null
          ? 'a replica does not report its position: it is not read from'
          : 'a replica is too far behind: it is not read from',
      );
    if (this.#isUsed && before === false) this.#log.info(what, 'a replica is read from again');
  }
}
