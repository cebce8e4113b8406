import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { singleFlight } from '../../tools/single-flight.ts';
import type { RawRead } from '../driver.ts';
import { type OpenedFile, refusal, requireOpened } from './opened-file.ts';

/** The bytes that must stay free on the disk, beyond those of the log that are not copied into the file. */
const RESERVE = 8_388_608;
/** An ample number of further bytes; the number of milliseconds for which the service relies on them. */
const AMPLE = 134_217_728;
const RELIED_ON = 50;
/** The pause between two attempts to copy and cut the log while writes are stopped, in milliseconds. */
const RETRY_INTERVAL = 1_000;
/** The size of a frame's header in the log, in bytes. */
const FRAME_HEADER = 24;

/** The bytes that are free on the disk of a file; unlimited if the system cannot tell. */
export function readFreeBytes(path: string): number {
  try {
    const { bavail, bsize, blocks } = statfsSync(dirname(path));
    return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * Refuses writes to a SQLite file that would be lost: the file, or its log, was moved or replaced. Also refuses writes that would
 * leave too little space to copy the log into the file: it could never be cut again.
 */
export class WriteGuard {
  readonly #opened: OpenedFile;
  readonly #pageSize: number;
  readonly #read: RawRead;
  readonly #freeBytes: (path: string) => number;
  /** In bytes, as of the last write: at most so many are not copied yet. */
  #logSize = 0;
  /** Until when there is room for writes, by a monotonic clock. */
  #roomUntil = 0;
  #isMoved = false;
  #isClosed = false;
  #stopped: { readonly timer: NodeJS.Timeout; readonly error: Error } | null = null;

  /** @param read reads by a connection that has no transaction open */
  constructor(
    opened: OpenedFile,
    pageSize: number,
    read: RawRead,
    freeBytes: (path: string) => number = readFreeBytes,
  ) {
    this.#opened = opened;
    this.#pageSize = pageSize;
    this.#read = read;
    this.#freeBytes = freeBytes;
    this.requireOpened();
  }

  /** Returns false if `makeRoom` must be called before a write. @throws Error if writes are refused */
  mayBegin(): boolean {
    if (this.#isMoved) this.requireOpened();
    if (this.#stopped !== null) throw this.#stopped.error;
    const now = performance.now();
    if (now < this.#roomUntil) return true;
    const surplus = this.#freeBytes(this.#opened.file.path) - this.#logSize - RESERVE;
    if (surplus >= AMPLE) this.#roomUntil = now + RELIED_ON;
    return surplus >= 0;
  }

  /** As `requireOpened` of the file. Call it after each write. */
  requireOpened(): void {
    this.#isMoved = true;
    this.#logSize = requireOpened(this.#opened);
    this.#isMoved = false;
  }

  /**
   * Copies the log into the file and cuts it, as far as readers allow. Allows one write, which must begin at once.
   * @throws Error if too little space is free: writes are then stopped until there is more
   */
  readonly makeRoom = singleFlight(async () => {
    const needed = (await this.#cutLog()) + RESERVE;
    const { path } = this.#opened.file;
    const free = this.#freeBytes(path);
    if (free >= needed || this.#isClosed) return this.#resume();
    const message = `writes are stopped: ${free} bytes are free on the disk of ${path}, and ${needed} are needed to copy its log`;
    const again = () => void this.makeRoom().catch(() => {});
    const timer = this.#stopped?.timer ?? setInterval(again, RETRY_INTERVAL).unref();
    this.#stopped = { timer, error: refusal('SQLITE_FULL', message) };
    throw this.#stopped.error;
  });

  /** Returns how many bytes of the log are not copied. */
  async #cutLog(): Promise<number> {
    const done = await this.#read('PRAGMA wal_checkpoint(TRUNCATE)', []).catch(() => null);
    this.requireOpened();
    const [, frames = -1, copied = -1] = done?.rows[0]?.map(Number) ?? [];
    // Unknown while another process copies the log, or if the file cannot grow.
    return frames < 0 ? this.#logSize : (frames - copied) * (this.#pageSize + FRAME_HEADER);
  }

  #resume(): void {
    clearInterval(this.#stopped?.timer);
    this.#stopped = null;
  }

  close(): void {
    this.#isClosed = true;
    this.#resume();
  }
}
