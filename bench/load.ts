// The load generator of the benchmarks.
import autocannon from 'autocannon';
import type { Request } from './scenarios.ts';
import { KEY } from './target.ts';

const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36';

let asked = 0;

/** The next request; if each has to be new, with a number of its own. */
function next({ path, body, anew }: Request): { path: string; body: string | undefined } {
  if (!anew) return { path, body };
  const number = asked++;
  if (body === undefined) return { path: `${path}${path.includes('?') ? '&' : '?'}number=${number}`, body };
  return { path, body: body.replace('{', `{"extensions":{"number":${number}},`) };
}

/** The answered requests per second, over 16 connections. @throws Error if one fails */
export async function rate(origin: string, request: Request, seconds: number): Promise<number> {
  const { path, method = 'GET', type } = request;
  const headers = {
    authorization: `Bearer ${KEY}`,
    'user-agent': BROWSER,
    ...(type && { 'content-type': type }),
  };
  const result = await autocannon({
    url: origin,
    requests: [{ method, headers, setupRequest: (sent) => ({ ...sent, ...next(request) }) }],
    connections: 16,
    duration: seconds,
  });
  const wrong = result.non2xx - (result['3xx'] ?? 0) + result.errors;
  if (wrong > 0)
    throw new Error(
      `${method} ${origin}${path}: ${wrong} requests failed, ${result.errors} of them without an answer; ` +
        `by status: ${JSON.stringify(result.statusCodeStats)}`,
    );
  return result.requests.total / result.duration;
}

export interface Measured {
  /** Requests a second. */
  rate: number;
  answered: number;
  /** The response times in milliseconds, in ascending order. */
  times: number[];
}

/**
 * Sends random requests over 16 connections.
 * @throws Error if one is refused or fails, or a GraphQL answer has errors
 */
export async function mixed(origin: string, draw: () => Request, seconds: number): Promise<Measured> {
  const times: number[] = [];
  const wrong: string[] = [];
  const headers = { authorization: `Bearer ${KEY}`, 'user-agent': BROWSER };
  const result = await autocannon({
    url: origin,
    requests: [
      {
        setupRequest: (sent, context) => {
          const request = draw();
          const { method = 'GET', type } = request;
          Object.assign(context, { request, sent: performance.now() });
          return {
            ...sent,
            ...next(request),
            method,
            headers: type ? { ...headers, 'content-type': type } : headers,
          };
        },
        onResponse: (status, body, context) => {
          const { request, sent } = context as { request: Request; sent: number };
          times.push(performance.now() - sent);
          if (status >= 400 || (request.path === '/graphql' && /"errors":|Error"/.test(body)))
            wrong.push(`${JSON.stringify(request)}: ${status} ${body.slice(0, 500)}`);
        },
      },
    ],
    connections: 16,
    duration: seconds,
  });
  if (wrong.length + result.errors > 0)
    throw new Error(`${wrong.length + result.errors} requests failed: ${wrong[0] ?? 'the connection broke'}`);
  return {
    rate: times.length / result.duration,
    answered: times.length,
    times: times.toSorted((a, b) => a - b),
  };
}
