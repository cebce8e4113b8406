import { type Client, createClient } from 'graphql-ws';

export interface SocketEndpoint {
  /** `wss://s.example/graphql`. */
  readonly url: string;
  /** A key. A page of the service's own host is known by its session, and may name an account. */
  readonly connectionParams?: { readonly authorization?: string; readonly account?: string };
  /** The wait before another try, in milliseconds. */
  readonly pause?: (tries: number) => number;
  /** Called for each connection. What you show may be outdated then: read it again. */
  readonly heard?: () => void;
}

/** Returns a growing wait with a random part, of at most 30 s: clients must not come back all at once. */
const growing = (tries: number) => Math.min(30_000, 500 * 2 ** tries) * (0.5 + Math.random() / 2);

/** Returns true if another try gets the same answer. */
const isFinal = (event: unknown) => event instanceof Object && 'code' in event && event.code === 4403;

/** Returns a client with one WebSocket for all operations. It connects again for as long as something is subscribed to. */
export function connect({ url, connectionParams, pause = growing, heard }: SocketEndpoint): Client {
  return createClient({
    url,
    ...(connectionParams && { connectionParams }),
    retryAttempts: Number.POSITIVE_INFINITY,
    retryWait: (tries) => new Promise((resolve) => setTimeout(resolve, pause(tries))),
    shouldRetry: (event) => !isFinal(event),
    ...(heard && { on: { connected: heard } }),
  });
}
