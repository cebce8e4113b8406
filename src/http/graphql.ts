import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { visibleError } from '../domain/errors.ts';
import type { Context } from '../schema/context.ts';
import { type GraphQLServer, headersOf, refusal, statusOf } from '../schema/server.ts';
import type { ContextOf } from './context.ts';
import { exchangeOf } from './exchange.ts';

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
  /** Hears of every fault of ours. */
  report(res: ServerResponse, error: unknown): void;
}

/**
 * Answers `/graphql`. The key is looked at before anything else, but for GraphiQL's page, which holds no data. Only JSON
 * bodies are read: a form of another site can send the other types without asking.
 */
export function createGraphQLHandler({
  server,
  graphiql,
  contextOf,
  report,
}: GraphQLDependencies): RequestListener {
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    if (graphiql && req.method === 'GET' && req.headers.accept?.includes('text/html')) {
      // The page is made without a context; Yoga's types ask for one at every request.
      await server(req, res, {} as Context);
      return;
    }
    const context = await contextOf(req, res);
    if (req.method === 'POST' && !/^application\/json\s*(;|$)/i.test(req.headers['content-type'] ?? '')) {
      end(req, res, 415, { errors: [{ message: 'Send the query as application/json.' }] });
      return;
    }
    await server(req, res, context);
  };
  return (req, res) => {
    answer(req, res).catch((error: unknown) => {
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
