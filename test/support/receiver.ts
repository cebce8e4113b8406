import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A received message. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly message: { type: string; timestamp: string; data: { id: number; [field: string]: unknown } };
}

type Answering = (received: Received, res: ServerResponse) => void;

/** A webhook receiver, which answers 204 by default. */
export class TestReceiver {
  readonly received: Received[] = [];
  answer: Answering = (_received, res) => void res.writeHead(204).end();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(async (req, res) => {
      let body = '';
      for await (const chunk of req.setEncoding('utf8')) body += chunk;
      const received = { path: req.url ?? '', headers: req.headers, body, message: JSON.parse(body) };
      this.received.push(received);
      this.answer(received, res);
    });
  }

  static async start(): Promise<TestReceiver> {
    const receiver = new TestReceiver();
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  url(path = '/'): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** The messages to a path. */
  at(path: string): Received[] {
    return this.received.filter((one) => one.path === path);
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
