// GraphQL over WebSockets: how many connections there are, whether their clients are there, and the end of all. What happens on one
// is in `socket-connection.ts`. The package ws reads and writes frames, and graphql-ws the messages of `graphql-transport-ws`.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type ExecutionResult, type GraphQLSchema, parse } from 'graphql';
import type { Server as Protocol } from 'graphql-ws';
import type { WebSocket, WebSocketServer } from 'ws';
import type { RequestInfo, Surface } from '../http/request/info.ts';
import type { Sockets } from '../http/upgrades.ts';
import { loadedLater } from '../tools/loaded-later.ts';
import type { EngineRequest } from './api.ts';
import { showErrors } from './errors.ts';
import { type ConnectionDependencies, closeCodes, SocketConnection } from './socket-connection.ts';

/** Times in milliseconds, and numbers of connections. */
export interface SocketLimits {
  /** For a client to say who it is. */
  readonly initTimeout: number;
  /** Between two pings: a client that has sent nothing since the last one is disconnected. */
  readonly pingInterval: number;
  /** For a client to answer a close. */
  readonly closeTimeout: number;
  /** For queries and mutations to go on where a connection is to be closed. */
  readonly leaveTimeout: number;
  /** All connections, those whose clients have not said who they are, and those of an account. */
  readonly max: number;
  readonly maxUnknown: number;
  readonly maxOfAccount: number;
}

const LIMITS: SocketLimits = {
  ...{ initTimeout: 3_000, pingInterval: 12_000, closeTimeout: 2_000, leaveTimeout: 7_000 },
  ...{ max: 1_000, maxUnknown: 100, maxOfAccount: 333 },
};

/** Maximum sizes of a message, as of a body, and of all that a client sends before it is known, in bytes. */
const MAX_MESSAGE = 2 * 1024 * 1024;
const MAX_UNKNOWN = 32 * 1024;
/** Maximum numbers of parts of a message: as the client and as the network divide it. */
const MAX_FRAGMENTS = 1_000;
const MAX_CHUNKS = 10_000;
/** Maximum number of characters of answers that wait for slow readers, over all connections. */
const MAX_UNSENT = 100_000_000;

const PROTOCOL = 'graphql-transport-ws';

const loadFrames = loadedLater(() => import('ws'));
const loadMessages = loadedLater(() => import('graphql-ws'));

/** A document in place of that of an operation, which graphql-ws executes only after it was executed here. */
const EXECUTED = parse('{ __typename }');

export interface SocketsDependencies<Asked extends EngineRequest> extends ConnectionDependencies<Asked> {
  readonly surface: Surface;
  readonly schema: GraphQLSchema;
  readonly limits?: Partial<SocketLimits> | undefined;
  /** The network of a request's client. */
  findNetwork(req: IncomingMessage): string;
}

interface Open<Asked extends EngineRequest> {
  readonly ws: WebSocket;
  readonly connection: SocketConnection<Asked>;
  readonly network: string;
  /** False until it is known who the client is. */
  isIntroduced: boolean;
  /** True if the client has sent anything since the last ping. */
  isAlive: boolean;
}

/** The two packages, once they are loaded. */
interface Loaded<Asked extends EngineRequest> {
  readonly frames: WebSocketServer;
  readonly protocol: Protocol<SocketConnection<Asked>>;
}

/** Calls back with the number of received bytes so far, before ws reads them. */
function countBytes(socket: Socket, onBytes: (received: number) => void): void {
  let received = 0;
  socket.prependListener('data', ({ length }: Buffer) => {
    received += length;
    onBytes(received);
  });
}

export class GraphQLSockets<Asked extends EngineRequest> implements Sockets {
  readonly protocol = PROTOCOL;
  readonly surface: Surface;
  readonly #dependencies: SocketsDependencies<Asked>;
  readonly #limits: SocketLimits;
  readonly #open = new Set<Open<Asked>>();
  /** The connections of requests that are not taken yet, and of those that are refused. */
  readonly #others = new Set<Socket>();
  #loading: Promise<Loaded<Asked>> | null = null;
  /** Number of characters of answers that are not sent yet, over all connections. */
  #unsent = 0;
  #pings: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(dependencies: SocketsDependencies<Asked>) {
    this.#dependencies = dependencies;
    this.#limits = { ...LIMITS, ...dependencies.limits };
    this.surface = dependencies.surface;
  }

  get isFull(): boolean {
    return this.#isStopping || this.#others.size >= this.#limits.max;
  }

  /** The number of connections. */
  get size(): number {
    return this.#open.size;
  }

  async take(req: IncomingMessage, socket: Socket, head: Buffer, info: RequestInfo): Promise<void> {
    this.#others.add(socket);
    socket.once('close', () => this.#others.delete(socket));
    this.#loading ??= this.#load();
    const { frames, protocol } = await this.#loading;
    frames.handleUpgrade(req, socket, head, (ws) => {
      this.#dependencies.requestLog.answered(101, info);
      ws.on('error', () => {});
      const code = this.#findRefusal();
      if (code === null) {
        this.#others.delete(socket);
        return this.#begin(ws, req, socket, info, protocol);
      }
      countBytes(socket, (received) => received > MAX_UNKNOWN && ws.terminate());
      ws.close(code, 'There are too many connections, or the service stops.');
    });
  }

  get #unknown(): Open<Asked>[] {
    return [...this.#open].filter(({ isIntroduced }) => !isIntroduced);
  }

  /** Returns the code with which one more connection is closed; null if it is taken. */
  #findRefusal(): number | null {
    if (this.#isStopping) return closeCodes.goingAway;
    return this.#open.size - this.#unknown.length < this.#limits.max ? null : closeCodes.tryAgain;
  }

  /** Ends a connection of an unknown client if there are too many: the oldest one of the network that has the most. */
  #makeRoom(): void {
    const unknown = this.#unknown;
    if (unknown.length <= this.#limits.maxUnknown && this.#open.size <= this.#limits.max) return;
    const networks = [...Map.groupBy(unknown, ({ network }) => network).values()];
    const [oldest] = networks.reduce((most, one) => (one.length > most.length ? one : most), []);
    if (oldest === undefined) return;
    this.#open.delete(oldest);
    oldest.connection.close(closeCodes.tryAgain, 'Too many clients have not said who they are.');
    // Its place is free now, whether or not it answers.
    oldest.ws.terminate();
  }

  async #load(): Promise<Loaded<Asked>> {
    const [{ WebSocketServer }, { makeServer }] = await Promise.all([loadFrames(), loadMessages()]);
    const { initTimeout, closeTimeout } = this.#limits;
    const { schema } = this.#dependencies;
    const options = {
      ...{ noServer: true, clientTracking: false, perMessageDeflate: false, closeTimeout },
      ...{ maxPayload: MAX_MESSAGE, maxFragments: MAX_FRAGMENTS, maxBufferedChunks: MAX_CHUNKS },
      handleProtocols: () => PROTOCOL,
    };
    const protocol = makeServer<Record<string, unknown>, SocketConnection<Asked>>({
      connectionInitWaitTimeout: initTimeout,
      onConnect: ({ extra: connection, connectionParams }) => connection.connect(connectionParams),
      async onSubscribe({ extra: connection }, id, payload) {
        const answers = await connection.run(id, payload);
        return Array.isArray(answers) ? answers : { schema, document: EXECUTED, contextValue: answers };
      },
      // onSubscribe has set it.
      execute: ({ contextValue }) => contextValue as ExecutionResult | AsyncIterable<ExecutionResult>,
      onNext: (_context, _id, _payload, _args, { errors, ...answer }) => ({
        ...(errors && { errors: showErrors(errors) }),
        ...answer,
      }),
      onError: (_context, _id, _payload, errors) => showErrors(errors),
    });
    return { frames: new WebSocketServer(options), protocol };
  }

  #begin(
    ws: WebSocket,
    req: IncomingMessage,
    socket: Socket,
    info: RequestInfo,
    protocol: Protocol<SocketConnection<Asked>>,
  ): void {
    const connection = new SocketConnection(ws, req, info, this.#dependencies, {
      leaveTimeout: this.#limits.leaveTimeout,
      hasRoomFor: (accountId) => {
        const own = [...this.#open].filter((one) => one.connection.accountId === accountId);
        return own.length < this.#limits.maxOfAccount;
      },
      introduced() {
        open.isIntroduced = true;
      },
      waits: (characters) => {
        this.#unsent += characters;
        if (this.#unsent > MAX_UNSENT) this.#endSlowest();
      },
    });
    const network = this.#dependencies.findNetwork(req);
    const open: Open<Asked> = { ws, connection, network, isIntroduced: false, isAlive: true };
    this.#open.add(open);
    this.#makeRoom();
    this.#pings ??= setInterval(() => this.#ping(), this.#limits.pingInterval).unref();
    countBytes(socket, (received) => {
      open.isAlive = true;
      if (received > MAX_UNKNOWN && connection.accountId === null)
        connection.close(closeCodes.tooLarge, 'Say who you are first.');
    });
    const closed = protocol.opened(connection, connection);
    ws.once('close', (code, reason) => {
      this.#open.delete(open);
      if (this.#open.size === 0) {
        clearInterval(this.#pings);
        this.#pings = undefined;
      }
      void closed(code, String(reason));
    });
  }

  #ping(): void {
    for (const open of this.#open) {
      if (!open.isAlive) open.ws.terminate();
      open.isAlive = false;
      open.ws.ping();
    }
  }

  /** Disconnects the reader for whom most waits. */
  #endSlowest(): void {
    const [slowest] = [...this.#open].sort((one, other) => other.connection.unsent - one.connection.unsent);
    slowest?.ws.terminate();
  }

  /** Takes no more connections, and closes each once no query or mutation runs on it. Clients come back elsewhere. */
  drain(): void {
    this.#isStopping = true;
    for (const { connection } of this.#open)
      void connection.leave(closeCodes.goingAway, 'The service is stopping. Connect again.');
  }
}
