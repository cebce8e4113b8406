import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests of one connection may wait for their answers. Without pipelining, there is only one. */
const MAX_PER_SOCKET = 100;

/** How many unsent answers may wait for slow readers, as a multiple of the requests in flight. */
const UNSENT_PER_SLOT = 5;

/** How many characters of answers may wait for slow readers, and how often they are counted, in milliseconds. */
const MAX_UNSENT_SIZE = 200_000_000;
const COUNT_INTERVAL = 250;

/** What a request in flight occupies. */
interface Slot {
  ended: boolean;
  running: number;
}

/**
 * The requests in flight. Each ends once: when its answer is sent, or when its connection ends. Node emits no event for an
 * answer that still waits behind an earlier one when the connection ends. A request whose client has left keeps its slot
 * until its executions have ended.
 */
export class InFlight {
  readonly #max: number;
  readonly #accepted = new Map<ServerResponse, Slot>();
  /** The sockets of unsent answers, including those that wait for slow readers, which have waited longest first. */
  readonly #waiting = new Map<ServerResponse, Socket>();
  #countedAt = 0;
  readonly #endings = new WeakMap<Socket, Set<() => void>>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Begins a request; `onEnd` is called once. Returns false if there are too many, and it must be refused. */
  begin({ socket }: IncomingMessage, res: ServerResponse, onEnd: () => void): boolean {
    const ofSocket = this.#endingsOf(socket);
    const slot: Slot = { ended: false, running: 0 };
    const end = () => {
      if (!ofSocket.delete(end)) return;
      this.#waiting.delete(res);
      slot.ended = true;
      if (slot.running === 0) this.#accepted.delete(res);
      onEnd();
    };
    ofSocket.add(end);
    this.#waiting.set(res, socket);
    this.#boundSize();
    res.once('close', end);
    // A client that keeps sending without reading is disconnected.
    if (this.#waiting.size > UNSENT_PER_SLOT * this.#max) socket.destroy();
    if (ofSocket.size > MAX_PER_SOCKET || this.#isFull()) return false;
    this.#accepted.set(res, slot);
    return true;
  }

  async run<T>(res: ServerResponse, execution: () => PromiseLike<T> | T): Promise<T> {
    const slot = this.#accepted.get(res);
    if (slot === undefined) return execution();
    slot.running++;
    try {
      return await execution();
    } finally {
      slot.running--;
      if (slot.ended && slot.running === 0) this.#accepted.delete(res);
    }
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

  #isFull(): boolean {
    if (this.#accepted.size < this.#max) return false;
    // A complete answer that waits for a slow reader does not count as in flight.
    for (const [res, { running }] of this.#accepted)
      if (res.writableEnded && running === 0) this.#accepted.delete(res);
    return this.#accepted.size >= this.#max;
  }
}
