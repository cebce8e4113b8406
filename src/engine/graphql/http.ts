// GraphQL over HTTP at `/graphql`. `createGraphQLHandler` sends GraphiQL's page, or checks the key, and then Content-Type,
// Content-Encoding and Host, before GraphQL is read. A POST without Idempotency-Key that accepts JSON first goes to
// `simple-request.ts`, all others to Yoga (`yoga.ts`), those with a key within `answerOnce`. Each operation ends in `run` of
// `pipeline.ts`. `schemaText` sends the schema.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import { type GraphQLSchema, printSchema } from 'graphql';
import type { KeyedWrite } from '../db/idempotent-write.ts';
import { answerOnce, makeKeyedWrite, type Writing } from '../http/idempotency.ts';
import { asksForGraphiql, sendGraphiql } from '../http/pages/pages.ts';
import { acceptedTypes, chooseJsonType, isJsonType } from '../http/request/accept.ts';
import { isAborted } from '../http/request/client.ts';
import { setNoted } from '../http/request/head.ts';
import { getRequestInfo } from '../http/request/info.ts';
import type { Handler } from '../http/server.ts';
import { visibleError } from '../rules/errors.ts';
import { normalizeHost } from '../rules/url.ts';
import { remembered } from '../tools/remembered.ts';
import type { EngineRequest } from './api.ts';
import type { Documents } from './document.ts';
import { errorForms, makeExtensions, makeHeaders } from './errors.ts';
import { createSimpleAnswer } from './simple-request.ts';
import {
  answerByYoga,
  createYogaServer,
  type GraphQLOptions,
  type Run,
  sendResponse,
  type Yoga,
} from './yoga.ts';

/** Answers a request that is refused before its GraphQL is parsed. */
function refuse(
  { headers: { accept } }: IncomingMessage,
  res: ServerResponse,
  status: number,
  { message, ...extensions }: { message: string; code: string; [more: string]: unknown },
  headers = {},
): void {
  setNoted(res);
  res.writeHead(status, {
    'Content-Type': `${chooseJsonType(acceptedTypes(accept))}; charset=utf-8`,
    ...headers,
  });
  res.end(JSON.stringify({ errors: [{ message, extensions }] }));
}

/** The name in a header Host; null if it is no host. */
const hostIn = remembered((text) => ({ name: normalizeHost(text) }));

/** Returns the fault that makes a request unfit for the server, with its status; null for a fit one. */
function findFault({ method, headers }: IncomingMessage): { status: number; message: string } | null {
  if (method === 'POST' && !/^application\/json[ \t]*(;|$)/i.test(headers['content-type'] ?? ''))
    return { status: 415, message: 'Send the query as application/json.' };
  if (!/^[ \t]*(identity[ \t]*)?$/i.test(headers['content-encoding'] ?? ''))
    return { status: 415, message: 'Send the query without Content-Encoding.' };
  if (hostIn(headers.host || 'localhost').name === null)
    return { status: 400, message: 'The header Host is not a host.' };
  return null;
}

export interface GraphQLDependencies<Asked extends EngineRequest & Writing> extends GraphQLOptions<Asked> {
  readonly documents: Documents;
  readonly run: Run<Asked>;
  readRequest(req: IncomingMessage, res: ServerResponse): Promise<Asked>;
  report(res: ServerResponse, error: unknown): void;
}

/** Answers a request with an Idempotency-Key: a mutation once, and anything else as usual. */
function answerKeyed<Asked extends EngineRequest & Writing>(
  req: IncomingMessage,
  res: ServerResponse,
  yoga: Yoga<Asked>,
  asked: Asked,
  writing: Asked & { readonly keyed: KeyedWrite },
): Promise<void> {
  setNoted(res);
  return answerOnce(res, writing, asked.data, async () => {
    const response = await yoga.handleNodeRequestAndResponse(req, res, { asked: writing });
    // It is not a mutation, and may be an endless stream.
    if (!writing.keyed.hasBegun) return sendResponse(res, response).then(() => null);
    const { status, headers } = response;
    const contentType = headers.get('content-type') ?? '';
    return { status, contentType, headers: Object.fromEntries(headers), body: await response.text() };
  });
}

/** Answers a request that failed outside its operation. */
function answerError(
  req: IncomingMessage,
  res: ServerResponse,
  error: unknown,
  report: (res: ServerResponse, error: unknown) => void,
): void {
  if (isAborted(req)) return;
  const visible = visibleError(error);
  if (!visible || visible.code === 'UNAVAILABLE') report(res, error);
  if (visible) {
    const { http: _, ...extensions } = makeExtensions(visible);
    const status = errorForms[visible.code].status ?? 400;
    refuse(req, res, status, { message: visible.message, ...extensions }, makeHeaders(visible));
    return;
  }
  const { requestId } = getRequestInfo(res);
  if (res.headersSent) res.end();
  else refuse(req, res, 500, { message: 'Unexpected error.', code: 'INTERNAL', requestId });
}

/**
 * Answers `/graphql`. The key is checked first, except for GraphiQL's page, which contains no data. Only JSON bodies are
 * accepted: forms of other sites can send other types without a preflight request.
 */
export function createGraphQLHandler<Asked extends EngineRequest & Writing>(
  dependencies: GraphQLDependencies<Asked>,
): Handler {
  const { documents, run, readRequest, report, ...options } = dependencies;
  const yoga = createYogaServer(run, options);
  const answerSimple = createSimpleAnswer(documents, run, yoga, options);
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    if (options.graphiql && asksForGraphiql(req)) {
      setNoted(res);
      return sendGraphiql(req, res);
    }
    const accepted = acceptedTypes(req.headers.accept);
    // Yoga chooses the first one that it knows, whatever its quality.
    if (accepted.length > 0) req.headers.accept = accepted.join(', ');
    const asked = await readRequest(req, res);
    const fault = findFault(req);
    if (fault !== null)
      return refuse(req, res, fault.status, { message: fault.message, code: 'BAD_REQUEST' });
    if (req.method !== 'POST') return answerByYoga(yoga, req, res, { asked });
    // Yoga knows no other spelling.
    req.headers['content-type'] = 'application/json';
    const writing = makeKeyedWrite(req, asked);
    if (writing !== null) return answerKeyed(req, res, yoga, asked, writing);
    return isJsonType(accepted[0])
      ? answerSimple(req, res, asked, chooseJsonType(accepted))
      : answerByYoga(yoga, req, res, { asked });
  };
  return (req, res) => {
    // The server knows no other spelling.
    req.url = req.url?.replace(/^\/graphql/i, '/graphql');
    return answer(req, res).catch((error: unknown) => answerError(req, res, error, report));
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
