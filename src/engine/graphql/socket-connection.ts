// One WebSocket: whose it is, the operations that run on it, and how it ends. An operation is a request of its own, with its place,
// its limits and its line in the log, and its caller is asked for anew, as over HTTP.
import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { ExecutionResult, GraphQLError } from 'graphql';
import type { SubscribePayload } from 'graphql-ws';
import { isAsyncIterable } from 'graphql-yoga';
import type { Logger } from 'pino';
import type { RawData, WebSocket } from 'ws';
import type { LoadMeter } from '../http/limits/load-meter.ts';
import type { Answering, Place } from '../http/limits/room.ts';
import { abort, describeRequest, type RequestInfo } from '../http/request/info.ts';
import { CLIENT_CLOSED_REQUEST, type RequestLog } from '../http/request/log.ts';
import type { Writer } from '../rules/caller.ts';
import { DomainError, type ErrorCode, invalidField, RETRY_AFTER, visibleError } from '../rules/errors.ts';
import { OVER } from '../tools/event-source.ts';
import { logFault } from '../tools/log.ts';
import { pauseIfBlocked } from '../tools/time-slices.ts';
import type { EngineRequest } from './api.ts';
import type { Documents } from './document.ts';
import { badRequest, findHttp, presentedAny, shortenMessages } from './errors.ts';
import { findNamedId, runNamed } from './named-document.ts';
import { asksByHash, hashUnsupported, measureJson } from './parameters.ts';
import type { Answers, Sent } from './pipeline.ts';
import { requireTrusted } from './trusted-documents.ts';
import type { GraphQLOptions, Run } from './yoga.ts';

/** The codes with which the service closes a connection; those from 4000 on are of the protocol. */
export const closeCodes = {
  goingAway: 1001,
  tooLarge: 1009,
  rightsChanged: 1012,
  tryAgain: 1013,
  badRequest: 4400,
  unauthenticated: 4401,
  forbidden: 4403,
  taken: 4409,
  internal: 4500,
} as const;

/** The code for a caller who may not connect; 4400 for all others. */
const codes: Readonly<Partial<Record<ErrorCode, number>>> = {
  UNAUTHENTICATED: closeCodes.unauthenticated,
  FORBIDDEN: closeCodes.forbidden,
  RATE_LIMITED: closeCodes.tryAgain,
  UNAVAILABLE: closeCodes.tryAgain,
};

/** The method of an operation, in place of that of a request, for the log. */
const METHOD = 'WS';
/** The maximum length of the reason for a close, in bytes (RFC 6455, 5.5). */
const MAX_REASON = 123;
/** The maximum length of an operation's id, which each of its answers repeats. */
const MAX_ID = 255;
/** Maximum numbers of subscriptions, and of all operations, of one connection at once. */
const MAX_SUBSCRIPTIONS = 30;
const MAX_OPERATIONS = 100;
/** Seconds after which to retry an operation beyond these. */
const RETRY_LATER = 10;
/** Maximum number of characters of answers that wait for a slow reader. */
const MAX_UNSENT = 16_000_000;
/** By how many levels an operation is deeper in a message than in a body. */
const OUTER_LEVELS = 1;

/** The parts of an API, and of the service around it, that a connection needs. */
export interface ConnectionDependencies<Asked extends EngineRequest> extends GraphQLOptions<Asked> {
  readonly documents: Documents;
  readonly run: Run<Asked>;
  readonly log: Logger;
  readonly load: LoadMeter;
  readonly requestLog: RequestLog;
  /** Gives an operation its place; null if there is none. */
  enter(info: RequestInfo, operation: Answering): Place | null;
  /**
   * Knows the caller of a connection by the headers of its request.
   * @param onChange called with null when the caller has other rights, or with the error of a new request if it has none any more
   * @throws DomainError
   */
  connect(
    req: IncomingMessage,
    connection: Answering,
    onChange: (error: unknown) => void,
  ): Promise<Pick<Writer, 'accountId'>>;
  /** Reads what is known of an operation, which counts as a request. @throws DomainError */
  readOperation(req: IncomingMessage, info: RequestInfo, operation: Answering): Promise<Asked>;
}

/** All connections, as one of them sees them. */
export interface Connections {
  /** Milliseconds for which queries and mutations may go on where a connection is to be closed. */
  readonly leaveTimeout: number;
  /** True if the account may have one more. */
  hasRoomFor(accountId: number): boolean;
  /** Call it once it is known who the client is. */
  introduced(): void;
  /** Call it with the number of characters that are to be sent, and with the negative one when they are. */
  waits(characters: number): void;
}

/** An operation of a WebSocket, or the WebSocket itself: it ends once. */
class Ending extends EventEmitter<{ close: [] }> implements Answering {
  destroyed = false;
  /** True if it was answered, and not broken off. */
  writableEnded = false;

  end(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit('close');
  }
}

interface Operation {
  /** The client's name for it. */
  readonly id: string;
  readonly info: RequestInfo;
  readonly ending: Ending;
  isSubscription: boolean;
  /** True once its answers are a stream. */
  isStream: boolean;
}

/** Returns the status of an answer for the log and the metrics. */
function findStatus({ errors = [], data }: ExecutionResult): number {
  const [error] = errors;
  return (data === undefined && error && findHttp(error)?.status) || 200;
}

const tooMany = (what: string) =>
  new DomainError('RATE_LIMITED', `A connection may have ${what} at once.`, [], RETRY_LATER);

/** The fields of a message that name its document by an id. */
const HAS_ID = /"(?:documentId|sha256Hash)"/;

/** Returns the message; to an operation with an id in place of a query, it adds an empty query, which graphql-ws asks for. */
function withQuery(text: string): string {
  if (!HAS_ID.test(text)) return text;
  const message: unknown = JSON.parse(text);
  if (typeof message !== 'object' || message === null || !('payload' in message)) return text;
  const { payload } = message;
  if (typeof payload !== 'object' || payload === null) return text;
  if ('query' in payload && payload.query !== null) return text;
  return JSON.stringify({ ...message, payload: { ...payload, query: '' } });
}

/** Reads an operation in the form of one over HTTP. @throws GraphQLError */
function readSent<Asked>(
  payload: SubscribePayload,
  request: Asked,
  { trusted, trusts }: GraphQLOptions<Asked>,
): Sent {
  const { query, operationName, variables, extensions } = payload;
  if (trusted === undefined && asksByHash(payload)) throw hashUnsupported;
  const isTrusted = (text: string) => trusts?.(text, request) === true;
  const text = trusted === undefined ? query : requireTrusted(trusted, payload, isTrusted);
  return { query: text, operationName: operationName || undefined, variables, extensions };
}

export class SocketConnection<Asked extends EngineRequest> {
  readonly #ws: WebSocket;
  readonly #req: IncomingMessage;
  readonly #info: RequestInfo;
  readonly #dependencies: ConnectionDependencies<Asked>;
  readonly #connections: Connections;
  readonly #ending = new Ending();
  readonly #operations = new Set<Operation>();
  readonly #closed = Promise.withResolvers<void>();
  /** Closes it once no query or mutation runs; null unless it is to be closed so. */
  #leave: (() => void) | null = null;
  /** The account of the caller; null until it is known. */
  accountId: number | null = null;
  /** Number of characters of answers that are not sent yet. */
  unsent = 0;

  /** @param info of the request for the WebSocket */
  constructor(
    ws: WebSocket,
    req: IncomingMessage,
    info: RequestInfo,
    dependencies: ConnectionDependencies<Asked>,
    connections: Connections,
  ) {
    this.#ws = ws;
    this.#req = req;
    this.#info = info;
    this.#dependencies = dependencies;
    this.#connections = connections;
    ws.once('close', () => {
      this.#end();
      this.#closed.resolve();
    });
  }

  get protocol(): string {
    return this.#ws.protocol;
  }

  onMessage(take: (text: string) => Promise<void>): void {
    this.#ws.on('message', (data: RawData, isBinary: boolean) => {
      if (this.#ending.destroyed) return;
      try {
        if (isBinary) throw badRequest('A message is a text.');
        const text = String(data);
        measureJson(text, OUTER_LEVELS);
        take(withQuery(text)).catch((error: unknown) => {
          // A message that only servers send.
          const isWrong = error instanceof Error && error.message.startsWith('Unexpected message of type');
          if (isWrong) this.close(closeCodes.badRequest, error.message);
          else this.refuse(error);
        });
      } catch (error) {
        this.close(closeCodes.badRequest, error instanceof Error ? error.message : '');
      }
    });
  }

  /** Resolves when the text is sent: the next event of a subscription waits for that. */
  send(text: string): Promise<void> {
    if (this.unsent > MAX_UNSENT) this.close(closeCodes.tryAgain, 'The answers are read too slowly.');
    if (this.#ending.destroyed) return Promise.resolve();
    this.#waits(text.length);
    return new Promise((resolve) => {
      this.#ws.send(text, () => {
        this.#waits(-text.length);
        resolve();
      });
    });
  }

  #waits(characters: number): void {
    this.unsent += characters;
    this.#connections.waits(characters);
  }

  /** Closes it, and ends all that runs on it. The first code counts. */
  close(code: number = closeCodes.internal, reason = ''): void {
    if (this.#ending.destroyed) return;
    this.#end();
    const bytes = Buffer.from(reason).subarray(0, MAX_REASON);
    // Without a part of a character.
    this.#ws.close(code, bytes.toString().replace(/\ufffd+$/, ''));
  }

  #end(): void {
    this.#ending.end();
    for (const operation of [...this.#operations]) {
      abort(operation.info);
      this.#ended(operation, operation.isStream ? 200 : CLIENT_CLOSED_REQUEST);
    }
  }

  #ended(operation: Operation, status: number): void {
    if (!this.#operations.delete(operation)) return;
    const { ending, info } = operation;
    ending.end();
    info.place?.end();
    this.#dependencies.requestLog.answered(status, info);
    this.#leaveIfIdle();
  }

  /** Closes it once no query or mutation runs, and begins no more operations. Resolves when it is closed. */
  leave(code: number, reason: string): Promise<void> {
    if (this.#leave === null) {
      this.#leave = () => this.close(code, reason);
      setTimeout(this.#leave, this.#connections.leaveTimeout).unref();
      this.#leaveIfIdle();
    }
    return this.#closed.promise;
  }

  #leaveIfIdle(): void {
    if (this.#leave === null || [...this.#operations].some(({ isStream }) => !isStream)) return;
    // After the answer that has just been made.
    setImmediate(this.#leave);
  }

  /** Closes it for an error. */
  refuse(error: unknown): void {
    const visible = visibleError(error);
    if (visible === null || visible.code === 'UNAVAILABLE')
      logFault(this.#dependencies.log, this.#info.requestId, error);
    if (visible === null) this.close(closeCodes.internal, 'Unexpected error.');
    else this.close(codes[visible.code] ?? closeCodes.badRequest, visible.message);
  }

  /** Knows the caller by what the client sends in place of headers. Returns false if it may not connect. */
  async connect({ authorization, account }: Readonly<Record<string, unknown>> = {}): Promise<boolean> {
    const onChange = (error: unknown) => {
      if (error !== null) this.refuse(error);
      else void this.leave(closeCodes.rightsChanged, 'The rights have changed. Connect again.');
    };
    try {
      this.#setHeader('authorization', authorization);
      this.#setHeader('x-account', account);
      const { accountId } = await this.#dependencies.connect(this.#req, this.#ending, onChange);
      if (!this.#connections.hasRoomFor(accountId))
        throw new DomainError('RATE_LIMITED', 'The account has too many connections.', [], RETRY_AFTER);
      this.accountId = accountId;
      this.#connections.introduced();
    } catch (error) {
      this.refuse(error);
    }
    return !this.#ending.destroyed;
  }

  /** Sets a header, which browsers cannot do. @throws DomainError VALIDATION */
  #setHeader(name: 'authorization' | 'x-account', value: unknown): void {
    if (value === undefined || value === null) return;
    if (typeof value !== 'string') throw invalidField(name, 'must be a text');
    this.#req.headers[name] = value;
  }

  /** Runs an operation. Returns its answers, or the errors for which nothing of it was executed. */
  async run(
    id: string,
    payload: SubscribePayload,
  ): Promise<AsyncIterable<ExecutionResult> | ExecutionResult | readonly GraphQLError[]> {
    const { log, graphiql } = this.#dependencies;
    const { surface } = this.#info;
    // Its answers could not be told from those of the other one, which may go on after the client has ended it.
    if ([...this.#operations].some((one) => one.id === id)) {
      const message = `The operation ${id} has not ended.`;
      this.close(closeCodes.taken, message);
      return [badRequest(message)];
    }
    const info = describeRequest(this.#req, () => surface, METHOD);
    const operation: Operation = { id, info, ending: new Ending(), isSubscription: false, isStream: false };
    this.#operations.add(operation);
    const work = () => this.#execute(operation, id, payload);
    const handling = info.span ? info.span.run(work) : work();
    info.place?.handledBy(handling);
    const answers = await handling.catch((error: unknown): ExecutionResult => {
      return { errors: [presentedAny(error, { log, requestId: info.requestId })] };
    });
    if (isAsyncIterable(answers)) return this.#follow(operation, answers);
    const shown = shortenMessages(answers, graphiql);
    operation.ending.writableEnded = true;
    this.#ended(operation, findStatus(shown));
    return shown.errors && shown.data === undefined ? shown.errors : shown;
  }

  /** @throws DomainError, GraphQLError */
  async #execute(operation: Operation, id: string, payload: SubscribePayload): Promise<Answers> {
    const { documents, load, enter, readOperation, run, findNamed, trusted } = this.#dependencies;
    const { info, ending } = operation;
    load.requestStarted();
    if (id.length > MAX_ID) throw badRequest(`The id of an operation has at most ${MAX_ID} characters.`);
    if (this.#leave !== null) throw new DomainError('UNAVAILABLE', 'This connection is about to end.');
    if (this.#operations.size > MAX_OPERATIONS) throw tooMany(`${MAX_OPERATIONS} operations`);
    const place = enter(info, ending);
    if (place === null) throw new DomainError('UNAVAILABLE', 'The server is busy. Try again shortly.');
    info.place = place;
    const request = await readOperation(this.#req, info, ending).catch((error: unknown) => {
      const code = visibleError(error)?.code;
      if (code === 'UNAUTHENTICATED' || code === 'FORBIDDEN') this.refuse(error);
      throw error;
    });
    // Many documents that arrive together are parsed and answered with other work in between.
    await pauseIfBlocked();
    const how = { isGet: false, acceptsStream: true };
    const named = findNamed ? findNamedId(payload, trusted) : null;
    if (findNamed && named !== null) {
      const answers = await runNamed(findNamed, named, payload, request, (sent) => run(sent, request, how));
      await pauseIfBlocked();
      return answers;
    }
    const sent = readSent(payload, request, this.#dependencies);
    operation.isSubscription = documents.isSubscription(sent.query, sent.operationName);
    const subscriptions = [...this.#operations].filter(({ isSubscription }) => isSubscription);
    if (subscriptions.length > MAX_SUBSCRIPTIONS) throw tooMany(`${MAX_SUBSCRIPTIONS} subscriptions`);
    const answers = await run(sent, request, how);
    await pauseIfBlocked();
    return answers;
  }

  /** The answers of a subscription. Only one that is over ends with `complete`, after which clients do not come back. */
  #follow(
    operation: Operation,
    answers: AsyncIterable<ExecutionResult>,
  ): AsyncIterableIterator<ExecutionResult> {
    const { graphiql } = this.#dependencies;
    const iterator: AsyncIterator<ExecutionResult, unknown> = answers[Symbol.asyncIterator]();
    operation.isStream = true;
    this.#leaveIfIdle();
    const events: AsyncIterableIterator<ExecutionResult> = {
      next: async () => {
        const { done, value } = await iterator.next();
        if (!done) return { done, value: shortenMessages(value, graphiql) };
        const isBrokenOff = value !== OVER && this.#operations.has(operation);
        this.#ended(operation, 200);
        if (isBrokenOff) await this.leave(closeCodes.tryAgain, 'The events are interrupted. Connect again.');
        return { done: true, value: undefined };
      },
      return: async () => {
        abort(operation.info);
        this.#ended(operation, 200);
        await iterator.return?.();
        return { done: true, value: undefined };
      },
      [Symbol.asyncIterator]: () => events,
    };
    return events;
  }
}
