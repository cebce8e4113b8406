import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { visibleError } from '../domain/errors.ts';
import type { KeyedWrite } from '../domain/idempotent-write.ts';
import { acceptedTypes, isJsonType, jsonTypeOf } from '../schema/server/accept-header.ts';
import type { Context } from '../schema/server/context.ts';
import { errorForms, headersOf } from '../schema/server/errors.ts';
import { executeText, type SentOperation } from '../schema/server/execute.ts';
import { isNestedTooDeeply } from '../schema/server/operation-limits.ts';
import { type GraphQLServer, refusal } from '../schema/server/server.ts';
import { ClientGone } from '../shared/client-gone.ts';
import { remembered } from '../shared/remembered.ts';
import { pauseIfBlocked } from '../shared/time-slices.ts';
import { contextIn, keyedWriteOf, replay } from './idempotency.ts';
import { asksForGraphiql } from './pages/for-people.ts';
import { sendGraphiql } from './pages/pages.ts';
import { isAborted } from './request/client.ts';
import type { ContextOf } from './request/context.ts';
import { requestInfoOf } from './request/info.ts';

function typeFor({ headers: { accept } }: IncomingMessage): string {
  return `${jsonTypeOf(acceptedTypes(accept))}; charset=utf-8`;
}

function end(req: IncomingMessage, res: ServerResponse, status: number, body: object, headers = {}): void {
  res.writeHead(status, { 'Content-Type': typeFor(req), ...headers });
  res.end(JSON.stringify(body));
}

/** Sends the server's answer, at the client's speed. */
async function sendResponse(res: ServerResponse, { status, headers, body }: Response): Promise<void> {
  res.writeHead(status, Object.fromEntries(headers));
  await pipeline(body ?? [], res).catch((error: NodeJS.ErrnoException) => {
    // The client has left.
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });
}

export interface GraphQLDependencies {
  readonly server: GraphQLServer;
  readonly graphiql: boolean;
  readonly contextOf: ContextOf;
  /** Whether only trusted documents are executed, which the server looks up. */
  readonly onlyTrusted: boolean;
  report(res: ServerResponse, error: unknown): void;
}

/** The largest body that is read here, in bytes. */
const MAX_SHORT_BODY = 10_000;

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
    .on('close', () => reject(new ClientGone()));
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

const plainBody = z.strictObject({
  query: z.string(),
  operationName: z.string().nullish(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  extensions: z.record(z.string(), z.unknown()).nullish(),
});

/** The operation of a simple request; null if the server has to parse it. */
function plainlySent(req: IncomingMessage, body: string): SentOperation | null {
  if (req.url !== '/graphql') return null;
  try {
    const { query, operationName, variables, extensions } = plainBody.parse(JSON.parse(body));
    // The server answers requests for the cost, and refuses deeply nested variables.
    if (extensions?.cost !== undefined || isNestedTooDeeply(variables) || isNestedTooDeeply(extensions))
      return null;
    return { query, operationName: operationName || undefined, variables: variables ?? undefined };
  } catch {
    return null;
  }
}

/** The parameter of a GET request that is not JSON, but has to be: the server would fail. */
function unreadableParameter(url: string): string | undefined {
  const parameters = new URLSearchParams(url.slice(url.indexOf('?') + 1));
  return ['variables', 'extensions'].find((name) => {
    try {
      JSON.parse(parameters.get(name) || 'null');
      return false;
    } catch {
      return true;
    }
  });
}

const urlOf = remembered((host) => ({ url: URL.parse(`http://${host}/`) }));

/** What makes a request unfit for the server, with the status for it; null for a fit one. */
function faultOf({ method, headers, url = '' }: IncomingMessage): { status: number; message: string } | null {
  if (method === 'POST' && !/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
    return { status: 415, message: 'Send the query as application/json.' };
  if (!/^\s*(identity\s*)?$/i.test(headers['content-encoding'] ?? ''))
    return { status: 415, message: 'Send the query without Content-Encoding.' };
  if (urlOf(headers.host || 'localhost').url === null)
    return { status: 400, message: 'The header Host is not a host.' };
  const unreadable = method === 'GET' && unreadableParameter(url);
  return unreadable ? { status: 400, message: `The parameter ${unreadable} is not JSON.` } : null;
}

/**
 * Answers `/graphql`. The key is checked first, except for GraphiQL's page, which contains no data. Only JSON bodies are
 * accepted: forms of other sites can send other types without a preflight request.
 */
export function createGraphQLHandler({
  server,
  graphiql,
  contextOf,
  onlyTrusted,
  report,
}: GraphQLDependencies): RequestListener {
  /** Answers a request with an Idempotency-Key: a mutation is done once. */
  const answerOnce = async (
    req: IncomingMessage,
    res: ServerResponse,
    context: Context,
    keyed: KeyedWrite,
  ): Promise<void> => {
    try {
      const response = await server.handleNodeRequestAndResponse(req, res, contextIn(context, keyed));
      // It may be an endless stream.
      if (!keyed.hasBegun) return await sendResponse(res, response);
      const body = await response.text();
      const contentType = response.headers.get('content-type') ?? '';
      const first = await keyed.end({ status: response.status, contentType, body });
      if (first !== null) return replay(res, first);
      await context.wrote();
      res.writeHead(response.status, Object.fromEntries(response.headers));
      res.end(body);
    } finally {
      await keyed.close();
    }
  };
  /** Answers a simple request whose operation does not fail; the server's HTTP layer, which takes longer, answers the rest. */
  const answerPlain = async (req: IncomingMessage, res: ServerResponse, context: Context): Promise<void> => {
    const body = await shortBody(req);
    const sent = body === null || onlyTrusted ? null : plainlySent(req, body);
    // Many documents that arrive together are parsed and answered with other work in between.
    await pauseIfBlocked();
    const executed = sent && (await executeText(server, sent, context));
    if (!executed || executed.errors) return server(req, res, executed ? { ...context, executed } : context);
    await pauseIfBlocked();
    const text = Buffer.from(JSON.stringify(executed));
    res.writeHead(200, { 'Content-Type': typeFor(req), 'Content-Length': text.length });
    res.end(text);
  };
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    if (graphiql && asksForGraphiql(req)) return sendGraphiql(req, res);
    const accepted = acceptedTypes(req.headers.accept);
    // The server chooses the first one that it knows, whatever its quality.
    if (accepted.length > 0) req.headers.accept = accepted.join(', ');
    const context = await contextOf(req, res);
    const fault = faultOf(req);
    if (fault !== null) {
      const { status, message } = fault;
      return end(req, res, status, { errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] });
    }
    if (req.method !== 'POST') return server(req, res, context);
    // The server knows no other spelling.
    req.headers['content-type'] = 'application/json';
    const keyed = keyedWriteOf(req, context);
    if (keyed !== null) return answerOnce(req, res, context, keyed);
    return isJsonType(accepted[0]) ? answerPlain(req, res, context) : server(req, res, context);
  };
  return (req, res) => {
    // The server knows no other spelling.
    req.url = req.url?.replace(/^\/graphql/i, '/graphql');
    answer(req, res).catch((error: unknown) => {
      if (isAborted(req)) return;
      const visible = visibleError(error);
      if (!visible || visible.code === 'UNAVAILABLE') report(res, error);
      if (visible) {
        end(req, res, errorForms[visible.code].status ?? 400, refusal(visible), headersOf(visible));
        return;
      }
      const { requestId } = requestInfoOf(res);
      if (res.headersSent) res.end();
      else
        end(req, res, 500, {
          errors: [{ message: 'Unexpected error.', extensions: { code: 'INTERNAL', requestId } }],
        });
    });
  };
}
