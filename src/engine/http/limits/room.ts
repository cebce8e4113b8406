import { DomainError } from '../../rules/errors.ts';

/** The part of a room's places that an account gets while more than half of them are taken. */
const SHARE = 1 / 10;

/** The answer of a caller: a response, or an operation of a WebSocket. */
export interface Answering {
  readonly destroyed: boolean;
  readonly writableEnded: boolean;
  once(event: 'close', listener: () => void): unknown;
}

/** A number of places for requests in flight. */
export class Room {
  readonly #max: number;
  readonly #places = new Set<Place>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Takes a place; returns false if there is none. */
  enter(place: Place): boolean {
    if (this.#hasTaken(this.#max)) return false;
    this.#places.add(place);
    return true;
  }

  leave(place: Place): void {
    this.#places.delete(place);
  }

  /** @throws DomainError UNAVAILABLE if the account has its share of the places */
  requireShare(accountId: number): void {
    if (!this.#hasTaken(Math.floor(this.#max / 2) + 1)) return;
    const own = [...this.#places].filter((place) => place.accountId === accountId);
    if (own.length >= Math.max(1, Math.floor(this.#max * SHARE)))
      throw new DomainError('UNAVAILABLE', 'Too much of this account is done at once. Try again shortly.');
  }

  /** True if at least so many places are taken. */
  #hasTaken(count: number): boolean {
    if (this.#places.size < count) return false;
    // A complete answer that waits for a slow reader takes none.
    for (const place of this.#places) if (place.isAnswered) this.#places.delete(place);
    return this.#places.size >= count;
  }
}

/** The place of a request, which is taken until its work has ended. */
export class Place {
  readonly #answer: Answering;
  #room: Room;
  #accountId: number | null = null;
  #handling: Promise<unknown> | null = null;
  #running = 0;
  #hasEnded = false;

  constructor(answer: Answering, room: Room) {
    this.#answer = answer;
    this.#room = room;
  }

  /** The account of the request; null until it is known. */
  get accountId(): number | null {
    return this.#accountId;
  }

  get isAnswered(): boolean {
    return this.#answer.writableEnded && this.#running === 0;
  }

  /** Notes the account. @throws DomainError UNAVAILABLE if it has its share of the room's places */
  claim(accountId: number): void {
    this.#room.requireShare(accountId);
    this.#accountId = accountId;
  }

  /** Notes the work on the answer, which may go on when the client has left. */
  handledBy(handling: Promise<unknown>): void {
    this.#handling = handling;
    if (this.#hasEnded) this.#holdHandling();
  }

  /** Keeps the place until the work has ended, even if the request ends before. */
  async hold<T>(work: PromiseLike<T>): Promise<T> {
    this.#running++;
    try {
      return await work;
    } finally {
      this.#running--;
      this.#leaveIfDone();
    }
  }

  /** Takes a place in another room instead. @throws DomainError UNAVAILABLE if there is none */
  moveTo(room: Room): void {
    if (this.#accountId !== null) room.requireShare(this.#accountId);
    if (!room.enter(this))
      throw new DomainError('UNAVAILABLE', 'Too many files are being sent. Try again shortly.');
    this.leave();
    this.#room = room;
  }

  /** Frees the place, for a request with limits of its own. */
  leave(): void {
    this.#room.leave(this);
  }

  /** Ends the request: its answer is sent, or its client has left. */
  end(): void {
    this.#hasEnded = true;
    this.#holdHandling();
    this.#leaveIfDone();
  }

  #holdHandling(): void {
    if (this.#handling && !this.#answer.writableEnded) void this.hold(this.#handling.catch(() => {}));
  }

  #leaveIfDone(): void {
    if (this.#hasEnded && this.#running === 0) this.leave();
  }
}
