import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Answering, Place, Room } from './room.ts';

/** Maximum number of requests of one connection that wait for their answers. Without pipelining, there is only one. */
const MAX_PER_SOCKET = 100;

/** Maximum number of unsent answers that wait for slow readers, as a multiple of a room's places. */
const UNSENT_PER_PLACE = 5;

/** Maximum number of characters of answers that wait for slow readers, and milliseconds between two counts. */
const MAX_UNSENT_SIZE = 200_000_000;
const COUNT_INTERVAL = 250;

/** Number of files sent at once, for each place of the APIs. */
const FILES_PER_PLACE = 1 / 10;

/**
 * The requests in flight. Each ends once: when its answer is sent, or when its connection ends. Node emits no event for an
 * answer that still waits behind an earlier one when the connection ends.
 */
export class InFlight {
  readonly #max: number;
  /** The rooms of requests by name: a flood in one keeps nobody out of the others. */
  readonly #rooms = new Map<string, Room>();
  /** The places of files that are sent: these take as long as their readers. */
  readonly files: Room;
  /** The sockets of unsent answers, including those that wait for slow readers, which have waited longest first. */
  readonly #waiting = new Map<ServerResponse, Socket>();
  #countedAt = 0;
  readonly #endings = new WeakMap<Socket, Set<() => void>>();

  /** @param max the places of each room */
  constructor(max: number) {
    this.#max = max;
    this.files = new Room(Math.max(1, Math.floor(max * FILES_PER_PLACE)));
  }

  /** Begins a request; `onEnd` is called once. Returns its place, or null if it must be refused: there are too many. */
  begin({ socket }: IncomingMessage, res: ServerResponse, roomName: string, onEnd: () => void): Place | null {
    const ofSocket = this.#endingsOf(socket);
    const room = this.#roomNamed(roomName);
    const place = new Place(res, room);
    const end = () => {
      if (!ofSocket.delete(end)) return;
      this.#waiting.delete(res);
      place.end();
      onEnd();
    };
    ofSocket.add(end);
    this.#waiting.set(res, socket);
    this.#boundSize();
    res.once('close', end);
    // A client that keeps sending without reading is disconnected.
    if (this.#waiting.size > UNSENT_PER_PLACE * this.#max) socket.destroy();
    return ofSocket.size <= MAX_PER_SOCKET && room.enter(place) ? place : null;
  }

  /** Begins an operation that is not a request of its own. Returns its place, or null if there is none. */
  enter(roomName: string, answer: Answering): Place | null {
    const room = this.#roomNamed(roomName);
    const place = new Place(answer, room);
    return room.enter(place) ? place : null;
  }

  #roomNamed(name: string): Room {
    const room = this.#rooms.get(name) ?? new Room(this.#max);
    this.#rooms.set(name, room);
    return room;
  }

  isAnswering(socket: Socket): boolean {
    return (this.#endings.get(socket)?.size ?? 0) > 0;
  }

  /** Closes the connections that have waited longest if unsent answers take too much memory. */
  #boundSize(): void {
    const now = performance.now();
    if (now - this.#countedAt < COUNT_INTERVAL) return;
    this.#countedAt = now;
    const sizes = Array.from(this.#waiting, ([res, socket]) => ({
      socket,
      size: res.writableEnded ? Math.max(res.writableLength, socket.writableLength) : 0,
    }));
    let total = sizes.reduce((sum, { size }) => sum + size, 0);
    for (const { socket, size } of sizes) {
      if (total <= MAX_UNSENT_SIZE) return;
      if (size > 0) socket.destroy();
      total -= size;
    }
  }

  #endingsOf(socket: Socket): Set<() => void> {
    const known = this.#endings.get(socket);
    if (known) return known;
    const endings = new Set<() => void>();
    this.#endings.set(socket, endings);
    socket.once('close', () => {
      for (const end of endings) end();
    });
    return endings;
  }
}
