import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A mail server, and what it was sent. */
export class MailServer {
  /** Answers a mail; by default takes it. @param text the whole mail, as it was sent */
  answer: (text: string) => string = () => '250 OK';
  /** Answers the first command of each connection. */
  welcome = '250 OK';
  /** The commands and the mails. */
  readonly received: string[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((socket: Socket) => {
    this.#sockets.add(socket);
    let mail: string | null = null;
    socket.write('220 mail.example\r\n');
    socket.setEncoding('utf8').on('data', (text: string) => {
      this.received.push(text);
      if (mail !== null) {
        mail += text;
        if (!mail.endsWith('\r\n.\r\n')) return;
        socket.write(`${this.answer(mail)}\r\n`);
        mail = null;
      } else if (text.startsWith('DATA')) {
        mail = '';
        socket.write('354 Go on\r\n');
      } else socket.write(`${/^(EHLO|HELO)/.test(text) ? this.welcome : '250 OK'}\r\n`);
    });
  });

  static async start(): Promise<MailServer> {
    const started = new MailServer();
    started.#server.listen(0, '127.0.0.1').unref();
    await once(started.#server, 'listening');
    return started;
  }

  /** Ends all connections, so that each further mail has a new one. */
  async disconnect(): Promise<void> {
    for (const socket of this.#sockets) {
      if (!socket.destroyed) await new Promise((done) => socket.once('close', done).destroy());
      this.#sockets.delete(socket);
    }
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
}
