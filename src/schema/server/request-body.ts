import { GraphQLError } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';

function refused(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status: 400 } } });
}

/** The parameters in a JSON body. Some programs write a byte order mark before it. */
async function parseBody(request: Request): Promise<GraphQLParams> {
  let body: unknown;
  try {
    body = JSON.parse((await request.text()).replace(/^\ufeff/, ''));
  } catch (error) {
    // The body is too large.
    if (error instanceof GraphQLError) throw error;
  }
  if (typeof body === 'object' && body !== null) return body;
  throw refused('The body is not a JSON object.');
}

/** Reads bodies as other servers do; an empty operationName counts as absent. */
export const useBodies: Plugin = {
  onRequestParse({ request, setRequestParser }) {
    if (request.method === 'POST') setRequestParser(parseBody);
  },
  onParams({ params, setParams }) {
    if (!['string', 'undefined'].includes(typeof (params.operationName ?? undefined)))
      throw refused('operationName must be a string.');
    if (params.operationName === '') setParams({ ...params, operationName: undefined });
  },
};
