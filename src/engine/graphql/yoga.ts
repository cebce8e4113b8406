// Yoga, for HTTP only: it reads a request, and hands its operation to the pipeline instead of executing it. It answers what
// `simple-request.ts` does not: GET, subscriptions, long bodies, trusted documents, other media types, and requests with an
// Idempotency-Key, whose answer `http.ts` sends. The plugin here gives it this API's own errors, limits and event streams.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline as stream } from 'node:stream/promises';
import {
  createYoga,
  type GraphQLParams,
  isAsyncIterable,
  type Plugin,
  type YogaServerInstance,
} from 'graphql-yoga';
import { acceptedTypes, JSON_TYPES, STREAM_TYPE } from '../http/request/accept.ts';
import { setNoted } from '../http/request/head.ts';
import { pauseIfBlocked } from '../tools/time-slices.ts';
import { badRequest, shortenMessages } from './errors.ts';
import { sendEvents } from './event-stream.ts';
import { type FindNamed, findNamedId, runNamed } from './named-document.ts';
import { asksByHash, hashUnsupported, parseJson, readUrl, requireParameters } from './parameters.ts';
import type { Answers, Sent, Transport } from './pipeline.ts';
import { findDocumentId, onlyTrusted, type TrustedDocuments } from './trusted-documents.ts';

/** The parts of Yoga's context besides the HTTP request. */
interface YogaContext<Asked> {
  readonly asked: Asked;
  /** The value of a body that is read already, which is parsed once. */
  readonly read?: { readonly json: unknown };
}

export type Yoga<Asked> = YogaServerInstance<YogaContext<Asked>, object>;

/** Runs an operation for a request. */
export type Run<Asked> = (sent: Sent, asked: Asked, how: Transport) => Promise<Answers>;

export interface GraphQLOptions<Asked> {
  /** True if GraphiQL and introspection are available. */
  readonly graphiql: boolean;
  /** If given, the only documents that are executed, besides texts of which `trusts` is true. */
  readonly trusted?: TrustedDocuments | undefined;
  /** Returns whether a text is executed for a request beside trusted documents. */
  trusts?(query: string, asked: Asked): boolean;
  /** Finds the stored document that a client names; absent if there are none. */
  readonly findNamed?: FindNamed<Asked> | undefined;
}

/** Stands for the text of a stored document, which Yoga asks for before the document is read. */
const NAMED = '{ __typename }';

function accepts({ headers }: Request, types: readonly string[]): boolean {
  return acceptedTypes(headers.get('accept')).some((type) => types.includes(type));
}

/** @throws GraphQLError for parameters that Yoga would take */
function checkParameters(params: GraphQLParams, takesHashes: boolean): void {
  if (!['string', 'undefined'].includes(typeof (params.operationName ?? undefined)))
    throw badRequest('operationName must be a string.');
  if (!takesHashes && asksByHash(params)) throw hashUnsupported;
}

function createPlugin<Asked>(
  runSent: Run<Asked>,
  { graphiql, trusted, trusts, findNamed }: GraphQLOptions<Asked>,
  trustedRequests: WeakSet<Request>,
): Plugin<object, YogaContext<Asked>> {
  const hasIds = trusted !== undefined || findNamed !== undefined;
  return {
    onRequest({ request, endResponse, fetchAPI }) {
      // Yoga would execute a mutation, or begin a subscription that nobody ends, and only then answer 406.
      if (accepts(request, [...JSON_TYPES, STREAM_TYPE])) return;
      const message = `Accept ${JSON_TYPES.join(' or ')}, or ${STREAM_TYPE} for subscriptions.`;
      const body = JSON.stringify({ errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] });
      const headers = { 'Content-Type': 'application/json; charset=utf-8' };
      endResponse(new fetchAPI.Response(body, { status: 406, headers }));
    },
    onRequestParse({ request: { method }, serverContext: { read }, setRequestParser }) {
      if (method !== 'POST') setRequestParser(({ url }) => readUrl(url, hasIds));
      else
        setRequestParser(async (request) =>
          requireParameters(read ? read.json : parseJson(await request.text())),
        );
    },
    async onParams({ params, request, context: { asked }, setParams, setParamsHandler }) {
      // Many documents that arrive together are parsed and answered with other work in between.
      await pauseIfBlocked();
      const named = findNamed ? findNamedId(params, trusted) : null;
      checkParameters(params, trusted !== undefined || named !== null);
      const hasId = trusted !== undefined && findDocumentId(params) !== null;
      if (params.query && !hasId && trusts?.(params.query, asked)) trustedRequests.add(request);
      if (params.operationName === '') setParams({ ...params, operationName: undefined });
      const how = { isGet: request.method === 'GET', acceptsStream: accepts(request, [STREAM_TYPE]) };
      if (findNamed && named !== null) {
        // Beside trusted documents, it counts as one of them.
        trustedRequests.add(request);
        setParams({ ...params, query: NAMED, operationName: params.operationName || undefined });
        setParamsHandler(({ params: sent, context }) =>
          runNamed(findNamed, named, sent, context.asked, (one) => runSent(one, context.asked, how)),
        );
        return;
      }
      setParamsHandler(({ params: { query = '', ...sent }, context }) =>
        runSent({ query, ...sent }, context.asked, how),
      );
    },
    onResultProcess({ result, setResult, setResultProcessor }) {
      if (isAsyncIterable(result))
        setResultProcessor((_result, fetchAPI) => sendEvents(result, fetchAPI), STREAM_TYPE);
      else if (!Array.isArray(result)) setResult(shortenMessages(result, graphiql));
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
}

export function createYogaServer<Asked extends object>(
  runSent: Run<Asked>,
  options: GraphQLOptions<Asked>,
): Yoga<Asked> {
  const { trusted } = options;
  const trustedRequests = new WeakSet<Request>();
  return createYoga<YogaContext<Asked>>({
    plugins: [
      createPlugin(runSent, options, trustedRequests),
      trusted !== undefined && onlyTrusted(trusted, (request) => trustedRequests.has(request)),
    ],
    ...((trusted !== undefined || options.findNamed !== undefined) && { extraParamNames: ['documentId'] }),
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

/** Has Yoga answer a request. */
export function answerByYoga<Asked>(
  yoga: Yoga<Asked>,
  req: IncomingMessage,
  res: ServerResponse,
  context: YogaContext<Asked>,
): Promise<void> {
  setNoted(res);
  return yoga(req, res, context);
}

/** The codes of errors of a client that has left. */
const LEFT = new Set<unknown>(['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_UNABLE_TO_PIPE']);

/** Sends an answer of Yoga, at the client's speed. */
export async function sendResponse(res: ServerResponse, { status, headers, body }: Response): Promise<void> {
  setNoted(res);
  res.writeHead(status, Object.fromEntries(headers));
  await stream(body ?? [], res).catch((error: NodeJS.ErrnoException) => {
    if (!LEFT.has(error.code)) throw error;
  });
}
