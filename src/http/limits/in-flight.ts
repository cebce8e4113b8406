import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests of one connection may wait for their answers. Clients that send one after the other have one. */
const MAX_PER_SOCKET = 100;

/** How many answers may wait for slow readers, for each request that may be in flight. */
const UNSENT_PER_PLACE = 5;

/**
 * The requests that are being answered. Each ends once: when its answer is sent, or when its connection ends, which Node
 * does not tell of answers that still wait for an earlier one's.
 */
export class InFlight {
  readonly #max: number;
  readonly #accepted = new Set<ServerResponse>();
  /** How many answers are not sent yet, those included that wait for slow readers. */
  #unsent = 0;
  readonly #endings = new WeakMap<Socket, Set<() => void>>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Begins a request; `onEnd` is called once. False where there are too many, and this one has to be refused. */
  begin({ socket }: IncomingMessage, res: ServerResponse, onEnd: () => void): boolean {
    const ofSocket = this.#endingsOf(socket);
    const end = () => {
      if (!ofSocket.delete(end)) return;
      this.#unsent--;
      this.#accepted.delete(res);
      onEnd();
    };
    ofSocket.add(end);
    this.#unsent++;
    res.once('close', end);
    // Who sends more and reads nothing is not worth an answer.
    if (this.#unsent > UNSENT_PER_PLACE * this.#max) socket.destroy();
    if (ofSocket.size > MAX_PER_SOCKET || this.#isFull()) return false;
    this.#accepted.add(res);
    return true;
  }

  /** Whether any answer of the connection is still to be sent. */
  isAnswering(socket: Socket): boolean {
    return (this.#endings.get(socket)?.size ?? 0) > 0;
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
    // An answer that is made and waits for a slow reader takes nobody's place.
    for (const res of this.#accepted) if (res.writableEnded) this.#accepted.delete(res);
    return this.#accepted.size >= this.#max;
  }
}
