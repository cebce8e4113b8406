// Reads what a client asks for from a body or an address, within limits. Each function gets text or parsed JSON, and knows
// neither the request nor its answer. `simple-request.ts` and Yoga (`yoga.ts`) share them.
import type { GraphQLParams } from 'graphql-yoga';
import { parseParameters } from '../http/request/parameters.ts';
import { type JsonLimits, limitOfJson } from '../tools/json-size.ts';
import { badRequest } from './errors.ts';
import { limits, tooLarge } from './limits.ts';

/** The largest body whose JSON is parsed without measuring it first, in characters. */
export const MAX_SHORT_BODY = 10_000;

/** Limits of a body in JSON: the nesting of its variables, and as many separators as values, which are more. */
const JSON_LIMITS: JsonLimits = {
  levels: limits.nesting + 2,
  separators: limits.values,
  names: limits.names,
};

/**
 * Measures a long text in JSON before it is parsed.
 * @param outer by how many levels the body is deeper in it
 * @throws GraphQLError if its nesting, values or names take long to parse
 */
export function measureJson(text: string, outer = 0): void {
  if (text.length <= MAX_SHORT_BODY) return;
  const exceeded = limitOfJson(text, { ...JSON_LIMITS, levels: JSON_LIMITS.levels + outer });
  if (exceeded === 'levels') throw tooLarge('nesting', limits.nesting + 1);
  if (exceeded === 'separators') throw tooLarge('values', limits.values + 1);
  if (exceeded === 'names') throw tooLarge('names', limits.names + 1);
}

/**
 * Parses a body in JSON; returns undefined if it is none. Some programs write a byte order mark before it.
 * @throws GraphQLError for a large one whose nesting, values or names take long to parse
 */
export function parseJson(body: string): unknown {
  measureJson(body);
  try {
    return JSON.parse(body.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}

/** Returns the parameters in the value of a body. @throws GraphQLError if it has none */
export function requireParameters(body: unknown): GraphQLParams {
  if (typeof body === 'object' && body !== null) return body;
  throw badRequest('The body is not a JSON object.');
}

/** Reads the parameters of a GET request; also `documentId` if there are documents by ids. @throws GraphQLError */
export function readUrl(url: string, hasIds: boolean): GraphQLParams {
  const parameters = parseParameters(url);
  const text = (name: string) => parameters.get(name) || undefined;
  const json = (name: string) => {
    const given = text(name);
    const value = given && parseJson(given);
    if (given && value === undefined) throw badRequest(`The parameter ${name} is not JSON.`);
    return value;
  };
  return requireParameters({
    ...{ query: text('query'), operationName: text('operationName') },
    ...{ variables: json('variables'), extensions: json('extensions') },
    ...(hasIds && { documentId: text('documentId') }),
  });
}

/** Returns true if an operation is asked for by its hash alone, as in Apollo's automatic persisted queries. */
export function asksByHash({ query, extensions }: { query?: unknown; extensions?: unknown }): boolean {
  if (query || typeof extensions !== 'object' || extensions === null) return false;
  return 'persistedQuery' in extensions && extensions.persistedQuery !== null;
}

/**
 * Tells a client to send the query, and no further hashes. Clients look for this message and this code. The status is that of
 * Apollo Server for every media type: some clients give up at another one before they look.
 */
export const hashUnsupported = badRequest('PersistedQueryNotSupported', {
  code: 'PERSISTED_QUERY_NOT_SUPPORTED',
  http: { status: 200 },
});
