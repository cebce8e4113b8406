import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { GraphQLFormattedError } from 'graphql';
import { type Client, createClient } from 'graphql-ws';
import { onTestFinished } from 'vitest';
import { type ClientOptions, WebSocket } from 'ws';

export const PROTOCOL = 'graphql-transport-ws';

/** A message of the protocol. */
export interface Message {
  readonly type: string;
  readonly id?: string;
  readonly payload?: unknown;
}

const addressAt = (origin: string, path = '/graphql') => `${origin.replace(/^http/, 'ws')}${path}`;

/** A WebSocket without a client of the protocol. */
export class RawSocket {
  readonly ws: WebSocket;
  /** All messages so far. */
  readonly messages: Message[] = [];
  /** Resolves with the code and the reason of the close. */
  readonly closed: Promise<readonly [code: number, reason: string]>;

  constructor(ws: WebSocket) {
    this.ws = ws;
    ws.on('message', (data) => this.messages.push(JSON.parse(String(data))));
    ws.on('error', () => {});
    this.closed = new Promise((resolve) => {
      ws.once('close', (code, reason) => resolve([code, String(reason)]));
    });
  }

  send(message: Message): void {
    this.ws.send(JSON.stringify(message));
  }

  /** Says who it is. */
  introduce(key: string | undefined, account?: string): void {
    const authorization = key === undefined ? undefined : `Bearer ${key}`;
    this.send({ type: 'connection_init', payload: { authorization, account } });
  }

  /** Begins an operation. */
  ask(id: string, query: string, variables: object = {}): void {
    this.send({ id, type: 'subscribe', payload: { query, variables } });
  }

  /** The messages about an operation. */
  about(id: string): Message[] {
    return this.messages.filter((message) => message.id === id);
  }
}

/** Opens a WebSocket, until the test ends. */
export async function openSocket(
  origin: string,
  options: ClientOptions = {},
  protocols: string | string[] = PROTOCOL,
): Promise<RawSocket> {
  const ws = new WebSocket(addressAt(origin), protocols, options);
  onTestFinished(() => ws.terminate());
  const socket = new RawSocket(ws);
  await once(ws, 'open');
  return socket;
}

/** Opens a WebSocket whose client is known by a key. */
export async function openAs(
  origin: string,
  key: string | undefined,
  options: ClientOptions = {},
): Promise<RawSocket> {
  const socket = await openSocket(origin, options);
  socket.introduce(key);
  await new Promise<void>((resolve) => {
    socket.ws.once('message', () => resolve());
    socket.ws.once('close', () => resolve());
  });
  return socket;
}

/** The status, the headers and the body of the answer to a request for a WebSocket that is refused. */
export async function refusalAt(
  origin: string,
  {
    path = '/graphql',
    protocols = [PROTOCOL],
    ...options
  }: ClientOptions & { path?: string; protocols?: string[] } = {},
): Promise<{ status: number | undefined; headers: IncomingMessage['headers']; body: unknown }> {
  const ws = new WebSocket(addressAt(origin, path), protocols, options);
  ws.on('error', () => {});
  const [, answer] = (await once(ws, 'unexpected-response')) as [unknown, IncomingMessage];
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) text += chunk;
  return { status: answer.statusCode, headers: answer.headers, body: JSON.parse(text) };
}

/** A client of graphql-ws, until the test ends. It does not come back by itself unless it is told so. */
export function connectClient(
  origin: string,
  key: string,
  options: Partial<Parameters<typeof createClient>[0]> = {},
): Client {
  const client = createClient({
    url: addressAt(origin),
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${key}` },
    retryAttempts: 0,
    ...options,
  });
  onTestFinished(() => void client.terminate());
  return client;
}

/** The only answer to a query or mutation. */
export async function askOnce(
  client: Client,
  query: string,
  variables = {},
): Promise<{ data?: unknown; errors?: readonly GraphQLFormattedError[] | undefined }> {
  for await (const answer of client.iterate({ query, variables })) return answer;
  throw new Error('there was no answer');
}

/** Follows a subscription: its answers so far, and its end, with the error, if there is one. */
export function follow(client: Client, query: string, variables = {}) {
  const seen: { data?: unknown }[] = [];
  const ended = Promise.withResolvers<unknown>();
  const close = client.subscribe(
    { query, variables },
    {
      next: (answer) => void seen.push(answer),
      error: (error) => ended.resolve(error),
      complete: () => ended.resolve('complete'),
    },
  );
  return { seen, ended: ended.promise, close };
}
