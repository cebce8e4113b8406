import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline as stream } from 'node:stream/promises';
import type { RequestHandler } from 'express';
import { type ExecutionResult, GraphQLError, type GraphQLSchema, printSchema } from 'graphql';
import {
  createYoga,
  type GraphQLParams,
  isAsyncIterable,
  type Plugin,
  processRegularResult,
  type YogaServerInstance,
} from 'graphql-yoga';
import { answerOnce, keyedWriteOf, type Writing } from '../http/idempotency.ts';
import { asksForGraphiql, sendGraphiql } from '../http/pages/pages.ts';
import { acceptedTypes, isJsonType, JSON_TYPES, jsonTypeOf, STREAM_TYPE } from '../http/request/accept.ts';
import { isAborted } from '../http/request/client.ts';
import { requestInfoOf } from '../http/request/info.ts';
import { parametersOf } from '../http/request/parameters.ts';
import type { Handler } from '../http/server.ts';
import { visibleError } from '../rules/errors.ts';
import { normalizeHost } from '../rules/url.ts';
import { ClientGone } from '../tools/client-gone.ts';
import { type JsonLimits, limitOfJson } from '../tools/json-size.ts';
import { remembered } from '../tools/remembered.ts';
import { pauseIfBlocked } from '../tools/time-slices.ts';
import type { Api, EngineRequest, Execution } from './api.ts';
import { Documents } from './document.ts';
import { badRequest, errorForms, extensionsOf, headersOf } from './errors.ts';
import { sendEvents } from './event-stream.ts';
import { limits, tooLarge } from './limits.ts';
import { run, type Sent, type Transport } from './pipeline.ts';
import { onlyTrusted, type TrustedDocuments } from './trusted-documents.ts';

/** The largest body that is read here, in bytes. */
const MAX_SHORT_BODY = 10_000;
/** The maximum length of a message, in characters: some repeat the input. */
const MAX_MESSAGE_LENGTH = 500;

/**
 * Shortens the messages of all errors. Without introspection, it removes suggestions. GraphQL's own errors about variables
 * and operations have no code: this adds one, so that every error has a code.
 */
function withMessages(result: ExecutionResult, suggestions: boolean): ExecutionResult {
  if (!result.errors) return result;
  const errors = result.errors.map((error) => {
    const plain = suggestions ? error.message : error.message.replace(/ Did you mean .*\?$/s, '');
    const message = plain.length > MAX_MESSAGE_LENGTH ? `${plain.slice(0, MAX_MESSAGE_LENGTH)}…` : plain;
    const { code } = error.extensions;
    // The executor's own code is that of a wrong variable of a subscription; those of other operations have none.
    const isCoded = code !== undefined && code !== 'BAD_USER_INPUT';
    if (message === error.message && isCoded) return error;
    const { nodes, source, positions, path } = error;
    const extensions = { ...error.extensions, code: isCoded ? code : 'BAD_REQUEST' };
    return new GraphQLError(message, { nodes, source, positions, path, extensions });
  });
  return { ...result, errors };
}

/** Limits of a body in JSON: the nesting of its variables, and as many separators as values, which are more. */
const JSON_LIMITS: JsonLimits = {
  levels: limits.nesting + 2,
  separators: limits.values,
  names: limits.names,
};

/**
 * The value of a body in JSON; undefined if it is none. Some programs write a byte order mark before it.
 * @throws GraphQLError for a large one whose nesting, values or names take long to parse
 */
function jsonIn(body: string): unknown {
  const exceeded = body.length > MAX_SHORT_BODY ? limitOfJson(body, JSON_LIMITS) : null;
  if (exceeded === 'levels') throw tooLarge('nesting', limits.nesting + 1);
  if (exceeded === 'separators') throw tooLarge('values', limits.values + 1);
  if (exceeded === 'names') throw tooLarge('names', limits.names + 1);
  try {
    return JSON.parse(body.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}

/** The parameters in the value of a body. */
function parametersIn(body: unknown): GraphQLParams {
  if (typeof body === 'object' && body !== null) return body;
  throw badRequest('The body is not a JSON object.');
}

/** The parameters of a GET request; also `documentId` if there are documents by ids. */
function parametersOfUrl(url: string, hasIds: boolean): GraphQLParams {
  const parameters = parametersOf(url);
  const text = (name: string) => parameters.get(name) || undefined;
  const json = (name: string) => {
    const given = text(name);
    const value = given && jsonIn(given);
    if (given && value === undefined) throw badRequest(`The parameter ${name} is not JSON.`);
    return value;
  };
  return parametersIn({
    ...{ query: text('query'), operationName: text('operationName') },
    ...{ variables: json('variables'), extensions: json('extensions') },
    ...(hasIds && { documentId: text('documentId') }),
  });
}

/** Returns true if an operation is asked for by its hash alone, as in Apollo's automatic persisted queries. */
function asksByHash({ query, extensions }: { query?: unknown; extensions?: unknown }): boolean {
  if (query || typeof extensions !== 'object' || extensions === null) return false;
  return 'persistedQuery' in extensions && extensions.persistedQuery !== null;
}

/**
 * Tells a client to send the query, and no further hashes. Clients look for this message and this code. The status is that of
 * Apollo Server for every media type: some clients give up at another one before they look.
 */
const hashUnsupported = badRequest('PersistedQueryNotSupported', {
  code: 'PERSISTED_QUERY_NOT_SUPPORTED',
  http: { status: 200 },
});

/** The parts of Yoga's context besides the HTTP request. */
interface YogaContext<Asked> {
  readonly asked: Asked;
  /** The value of a body that is read already, which is parsed once. */
  readonly read?: { readonly json: unknown };
}

type Yoga<Asked> = YogaServerInstance<YogaContext<Asked>, object>;

/** Runs an operation for a request. */
type Run<Asked> = (sent: Sent, asked: Asked, how: Transport) => ReturnType<typeof run>;

export interface GraphQLOptions {
  /** True if GraphiQL and introspection are available. */
  readonly graphiql: boolean;
  /** If given, the only documents that are executed. */
  readonly trusted?: TrustedDocuments | undefined;
}

/** Yoga, for HTTP only: it hands each operation to the pipeline, and sends what comes back. */
function createHttp<Asked extends EngineRequest>(
  runSent: Run<Asked>,
  { graphiql, trusted }: GraphQLOptions,
): Yoga<Asked> {
  const accepts = (request: Request, types: readonly string[]) =>
    acceptedTypes(request.headers.get('accept')).some((type) => types.includes(type));
  const plugin: Plugin<object, YogaContext<Asked>> = {
    onRequest({ request, endResponse, fetchAPI }) {
      // Yoga would execute a mutation, or begin a subscription that nobody ends, and only then answer 406.
      if (accepts(request, [...JSON_TYPES, STREAM_TYPE])) return;
      const message = `Accept ${JSON_TYPES.join(' or ')}, or ${STREAM_TYPE} for subscriptions.`;
      const body = JSON.stringify({ errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] });
      const headers = { 'Content-Type': 'application/json; charset=utf-8' };
      endResponse(new fetchAPI.Response(body, { status: 406, headers }));
    },
    onRequestParse({ request: { method }, serverContext: { read }, setRequestParser }) {
      if (method !== 'POST') setRequestParser(({ url }) => parametersOfUrl(url, trusted !== undefined));
      else setRequestParser(async (request) => parametersIn(read ? read.json : jsonIn(await request.text())));
    },
    async onParams({ params, request, setParams, setParamsHandler }) {
      // Many documents that arrive together are parsed and answered with other work in between.
      await pauseIfBlocked();
      if (!['string', 'undefined'].includes(typeof (params.operationName ?? undefined)))
        throw badRequest('operationName must be a string.');
      if (trusted === undefined && asksByHash(params)) throw hashUnsupported;
      if (params.operationName === '') setParams({ ...params, operationName: undefined });
      const how = { isGet: request.method === 'GET', acceptsStream: accepts(request, [STREAM_TYPE]) };
      setParamsHandler(({ params: { query = '', ...sent }, context }) =>
        runSent({ query, ...sent }, context.asked, how),
      );
    },
    onResultProcess({ result, setResult, setResultProcessor }) {
      if (isAsyncIterable(result))
        setResultProcessor((_result, fetchAPI) => sendEvents(result, fetchAPI), STREAM_TYPE);
      else if (!Array.isArray(result)) setResult(withMessages(result, graphiql));
    },
    onResponse({ response: { headers } }) {
      if (!headers.get('content-type')?.startsWith(STREAM_TYPE)) return;
      // Tells proxies not to buffer. Yoga's "none" is not a registered coding.
      headers.set('X-Accel-Buffering', 'no');
      headers.delete('content-encoding');
      // Node says it; while the service stops, the connection has to close.
      headers.delete('connection');
    },
  };
  return createYoga<YogaContext<Asked>>({
    plugins: [plugin, trusted !== undefined && onlyTrusted(trusted)],
    extraParamNames: trusted && ['documentId'],
    graphiql: false,
    landingPage: false,
    multipart: false,
    cors: false,
    logging: false,
    // A long text takes up to three times its size, in JSON with escapes.
    maxRequestBodySize: 2 * 1024 * 1024,
    parserAndValidationCache: false,
  });
}

/** Answers a request that is refused before its GraphQL is parsed. */
function refuse(
  { headers: { accept } }: IncomingMessage,
  res: ServerResponse,
  status: number,
  { message, ...extensions }: { message: string; code: string; [more: string]: unknown },
  headers = {},
): void {
  res.writeHead(status, {
    'Content-Type': `${jsonTypeOf(acceptedTypes(accept))}; charset=utf-8`,
    ...headers,
  });
  res.end(JSON.stringify({ errors: [{ message, extensions }] }));
}

/** The codes of errors of a client that has left. */
const LEFT = new Set<unknown>(['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_UNABLE_TO_PIPE']);

/** Sends the server's answer, at the client's speed. */
async function sendResponse(res: ServerResponse, { status, headers, body }: Response): Promise<void> {
  res.writeHead(status, Object.fromEntries(headers));
  await stream(body ?? [], res).catch((error: NodeJS.ErrnoException) => {
    if (!LEFT.has(error.code)) throw error;
  });
}

/** The text of a body, by events: an async iterator takes longer than all else that is done for a small operation's HTTP. */
function textOf(req: IncomingMessage): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = '';
  req
    .setEncoding('utf8')
    .on('data', (chunk: string) => {
      text += chunk;
    })
    .on('end', () => resolve(text))
    .on('error', reject)
    .on('close', () => {
      if (!req.complete) reject(new ClientGone());
    });
  return promise;
}

/** The text of a short body, stored where Yoga finds a parsed body; null if Yoga has to read it. */
async function shortBody(req: IncomingMessage): Promise<string | null> {
  const { 'content-length': length = 'unknown', 'content-encoding': encoding } = req.headers;
  if (encoding !== undefined || !(Number(length) <= MAX_SHORT_BODY)) return null;
  const body = await textOf(req);
  Object.assign(req, { body });
  return body;
}

/** The names in the body of a simple request. */
const PLAIN_NAMES: ReadonlySet<string> = new Set(['query', 'operationName', 'variables', 'extensions']);

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The operation of a simple request; null if Yoga has to answer it. A schema takes a fifteenth of a small operation's time. */
function plainlySent({ url }: IncomingMessage, json: unknown): Sent | null {
  if (url !== '/graphql' || !isObject(json)) return null;
  if (!Object.keys(json).every((name) => PLAIN_NAMES.has(name))) return null;
  const { query, operationName, variables, extensions } = json;
  if (typeof query !== 'string' || asksByHash({ query, extensions })) return null;
  if (operationName != null && typeof operationName !== 'string') return null;
  if (variables != null && !isObject(variables)) return null;
  if (extensions != null && !isObject(extensions)) return null;
  return { query, operationName: operationName || undefined, variables, extensions };
}

/** The name in a header Host; null if it is no host. */
const hostIn = remembered((text) => ({ name: normalizeHost(text) }));

/** Returns the fault that makes a request unfit for the server, with its status; null for a fit one. */
function faultOf({ method, headers }: IncomingMessage): { status: number; message: string } | null {
  if (method === 'POST' && !/^application\/json[ \t]*(;|$)/i.test(headers['content-type'] ?? ''))
    return { status: 415, message: 'Send the query as application/json.' };
  if (!/^[ \t]*(identity[ \t]*)?$/i.test(headers['content-encoding'] ?? ''))
    return { status: 415, message: 'Send the query without Content-Encoding.' };
  if (hostIn(headers.host || 'localhost').name === null)
    return { status: 400, message: 'The header Host is not a host.' };
  return null;
}

export interface GraphQLDependencies<Asked extends EngineRequest & Writing, Context extends Asked & Execution>
  extends GraphQLOptions {
  readonly api: Api<Asked, Context>;
  requestOf(req: IncomingMessage, res: ServerResponse): Promise<Asked>;
  report(res: ServerResponse, error: unknown): void;
}

/**
 * Answers `/graphql`. The key is checked first, except for GraphiQL's page, which contains no data. Only JSON bodies are
 * accepted: forms of other sites can send other types without a preflight request.
 */
export function createGraphQLHandler<
  Asked extends EngineRequest & Writing,
  Context extends Asked & Execution,
>({ api, graphiql, trusted, requestOf, report }: GraphQLDependencies<Asked, Context>): Handler {
  const documents = new Documents(api, graphiql);
  const runSent: Run<Asked> = (sent, asked, how) => run(api, documents, sent, asked, how);
  const yoga = createHttp(runSent, { graphiql, trusted });
  /** Answers a simple request as JSON of a type: Yoga, which takes longer, answers subscriptions and the rest. */
  const answerPlain = async (
    req: IncomingMessage,
    res: ServerResponse,
    asked: Asked,
    type: string,
  ): Promise<void> => {
    const body = await shortBody(req);
    const read = body === null ? null : { json: jsonIn(body) };
    const sent = read === null || trusted !== undefined ? null : plainlySent(req, read.json);
    // Many documents that arrive together are parsed and answered with other work in between.
    await pauseIfBlocked();
    if (sent === null || documents.isSubscription(sent.query, sent.operationName))
      return yoga(req, res, { asked, ...(read && { read }) });
    const result = await runSent(sent, asked, { isGet: false, acceptsStream: false });
    if (isAsyncIterable(result)) throw new Error('only a subscription has a stream of answers');
    await pauseIfBlocked();
    if (result.errors)
      return sendResponse(res, processRegularResult(withMessages(result, graphiql), yoga.fetchAPI, type));
    const text = Buffer.from(JSON.stringify(result));
    res.writeHead(200, { 'Content-Type': `${type}; charset=utf-8`, 'Content-Length': text.length });
    res.end(text);
  };
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    if (graphiql && asksForGraphiql(req)) return sendGraphiql(req, res);
    const accepted = acceptedTypes(req.headers.accept);
    // Yoga chooses the first one that it knows, whatever its quality.
    if (accepted.length > 0) req.headers.accept = accepted.join(', ');
    const asked = await requestOf(req, res);
    const fault = faultOf(req);
    if (fault !== null)
      return refuse(req, res, fault.status, { message: fault.message, code: 'BAD_REQUEST' });
    if (req.method !== 'POST') return yoga(req, res, { asked });
    // Yoga knows no other spelling.
    req.headers['content-type'] = 'application/json';
    const writing = keyedWriteOf(req, asked);
    if (writing === null)
      return isJsonType(accepted[0])
        ? answerPlain(req, res, asked, jsonTypeOf(accepted))
        : yoga(req, res, { asked });
    await answerOnce(res, writing, asked.data, async () => {
      const response = await yoga.handleNodeRequestAndResponse(req, res, { asked: writing });
      // It is not a mutation, and may be an endless stream.
      if (!writing.keyed.hasBegun) return sendResponse(res, response).then(() => null);
      const { status, headers } = response;
      const contentType = headers.get('content-type') ?? '';
      return { status, contentType, headers: Object.fromEntries(headers), body: await response.text() };
    });
  };
  return (req, res) => {
    // The server knows no other spelling.
    req.url = req.url?.replace(/^\/graphql/i, '/graphql');
    return answer(req, res).catch((error: unknown) => {
      if (isAborted(req)) return;
      const visible = visibleError(error);
      if (!visible || visible.code === 'UNAVAILABLE') report(res, error);
      if (visible) {
        const { http: _, ...extensions } = extensionsOf(visible);
        const status = errorForms[visible.code].status ?? 400;
        return refuse(req, res, status, { message: visible.message, ...extensions }, headersOf(visible));
      }
      const { requestId } = requestInfoOf(res);
      if (res.headersSent) res.end();
      else refuse(req, res, 500, { message: 'Unexpected error.', code: 'INTERNAL', requestId });
    });
  };
}

/** Sends the schema's text, for code generators; it needs no key. */
export function schemaText(schema: GraphQLSchema): RequestHandler {
  // Built once, so that any number of answers that wait for slow readers share the memory.
  let text: Buffer | undefined;
  return (_req, res) => {
    text ??= Buffer.from(`${printSchema(schema)}\n`);
    res.type('text/plain').send(text);
  };
}
