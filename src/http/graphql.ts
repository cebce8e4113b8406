import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { visibleError } from '../domain/errors.ts';
import { type GraphQLServer, headersOf, refusal, statusOf } from '../schema/server.ts';
import type { AnswerCache } from './answer-cache.ts';
import { isBrokenOff } from './client.ts';
import type { ContextOf } from './context.ts';
import { exchangeOf } from './exchange.ts';
import { sendGraphiql } from './pages.ts';

const RESPONSE_TYPE = 'application/graphql-response+json';

function end(req: IncomingMessage, res: ServerResponse, status: number, body: object, headers = {}): void {
  const type = req.headers.accept?.includes(RESPONSE_TYPE) ? RESPONSE_TYPE : 'application/json';
  res.writeHead(status, { 'Content-Type': `${type}; charset=utf-8`, ...headers });
  res.end(JSON.stringify(body));
}

export interface GraphQLDependencies {
  readonly server: GraphQLServer;
  readonly graphiql: boolean;
  readonly contextOf: ContextOf;
  /** Null where no answer is kept. */
  readonly answers: AnswerCache | null;
  /** Hears of every fault of ours. */
  report(res: ServerResponse, error: unknown): void;
}

/** How long a body is whose answer may be kept, in bytes. */
const SHORT = 10_000;

/** The text of a short body, which Yoga finds where a parser would have left it; null where it is left to be read. */
async function shortBody(req: IncomingMessage): Promise<string | null> {
  const { 'content-length': length = 'unknown', 'content-encoding': encoding } = req.headers;
  if (encoding !== undefined || !(Number(length) <= SHORT)) return null;
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  Object.assign(req, { body });
  return body;
}

/**
 * Answers `/graphql`. The key is looked at before anything else, but for GraphiQL's page, which holds no data. Only JSON
 * bodies are read: a form of another site can send the other types without asking.
 */
export function createGraphQLHandler({
  server,
  graphiql,
  contextOf,
  answers,
  report,
}: GraphQLDependencies): RequestListener {
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    if (graphiql && req.method === 'GET' && req.headers.accept?.includes('text/html')) {
      sendGraphiql(req, res);
      return;
    }
    const context = await contextOf(req, res);
    if (req.method === 'POST' && !/^application\/json\s*(;|$)/i.test(req.headers['content-type'] ?? '')) {
      const message = 'Send the query as application/json.';
      end(req, res, 415, { errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] });
      return;
    }
    const body = req.method === 'POST' ? await shortBody(req) : null;
    const parts = ['graphql', req.url ?? '', req.headers.accept ?? '', body ?? ''];
    const streams = req.headers.accept?.includes('text/event-stream') === true;
    const keep = body === null || !answers || streams ? null : await answers.answer(res, context, parts);
    if (keep === 'answered') return;
    if (keep === null) return server(req, res, context);
    const response = await server.handleNodeRequestAndResponse(req, res, context);
    const text = await response.text();
    if (response.status === 200) keep(response.headers.get('Content-Type') ?? '', text);
    res.writeHead(response.status, Object.fromEntries(response.headers));
    res.end(text);
  };
  return (req, res) => {
    answer(req, res).catch((error: unknown) => {
      if (isBrokenOff(req)) return;
      const visible = visibleError(error);
      if (!visible || visible.code === 'UNAVAILABLE') report(res, error);
      if (visible) {
        end(req, res, statusOf[visible.code] ?? 400, refusal(visible), headersOf(visible));
        return;
      }
      const { requestId } = exchangeOf(res);
      if (res.headersSent) res.end();
      else
        end(req, res, 500, {
          errors: [{ message: 'Unexpected error.', extensions: { code: 'INTERNAL', requestId } }],
        });
    });
  };
}
