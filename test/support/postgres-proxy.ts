import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy before PostgreSQL, which can hold back the answers on one connection, or on all. */
export interface PostgresProxy {
  /** The server's URL through the proxy. */
  readonly url: string;
  /** Number of held connections. */
  readonly held: number;
  /** Holds all answers on the connection that next sends a message with this text. */
  holdNext(text: string): void;
  /** Holds all answers on all connections, new ones too. */
  holdAll(): void;
  /** Delays each answer, by some milliseconds. */
  delay(milliseconds: number): void;
  /** Lets held answers through. */
  release(): void;
  /** Closes held connections. */
  cut(): void;
  /** Closes all connections, and leads new ones to another server. */
  leadTo(url: string): void;
  stop(): void;
}

export async function startPostgresProxy(url: string): Promise<PostgresProxy> {
  let target = new URL(url);
  const sockets = new Set<Socket>();
  const held = new Map<Socket, Socket>();
  const open = new Map<Socket, Socket>();
  let wanted: string | null = null;
  let all = false;
  let delay = 0;
  const hold = (client: Socket, upstream: Socket) => {
    upstream.pause();
    held.set(client, upstream);
  };
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    open.set(client, upstream);
    if (all) hold(client, upstream);
    client.on('close', () => open.delete(client));
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
    client.on('data', (chunk) => {
      if (wanted !== null && chunk.includes(wanted)) {
        wanted = null;
        hold(client, upstream);
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (delay === 0) client.write(chunk);
      else setTimeout(() => client.write(chunk), delay);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: Object.assign(new URL(url), { port: String(port) }).href,
    get held() {
      return held.size;
    },
    holdNext(text) {
      wanted = text;
    },
    holdAll() {
      all = true;
      for (const [client, upstream] of open) hold(client, upstream);
    },
    delay(milliseconds) {
      delay = milliseconds;
    },
    release() {
      all = false;
      for (const upstream of held.values()) upstream.resume();
      held.clear();
    },
    cut() {
      for (const client of held.keys()) client.destroy();
      held.clear();
    },
    leadTo(other) {
      target = new URL(other);
      for (const socket of sockets) socket.destroy();
    },
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
