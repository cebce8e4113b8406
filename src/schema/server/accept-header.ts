import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import Negotiator from 'negotiator';
import { remembered } from '../../shared/remembered.ts';
import type { Context } from './context.ts';

/** GraphQL's own type of answers. */
const RESPONSE_TYPE = 'application/graphql-response+json';
const JSON_TYPES = ['application/json', RESPONSE_TYPE];
const STREAM_TYPE = 'text/event-stream';
export const HTML_TYPE = 'text/html';

/** All types of answers, in the order of preference for clients that have none. */
const types = [...JSON_TYPES, STREAM_TYPE, HTML_TYPE].map((type) => `${type}; charset=utf-8`);

const negotiated = remembered((header): readonly string[] => {
  // Other parameters are ignored.
  const accept = header.replaceAll(/;(?!\s*(?:q|charset)\s*=)[^;,]*/gi, '');
  const accepted = new Negotiator({ headers: { accept } }).mediaTypes(types);
  return accepted.map((type) => type.slice(0, type.indexOf(';')));
});

/** The types of answers that the header Accept allows, the client's favourite first. */
export function acceptedTypes(header: string | null | undefined): readonly string[] {
  return negotiated(header || '*/*');
}

export function isJsonType(type: string | undefined): boolean {
  return JSON_TYPES.some((one) => one === type);
}

/** The JSON type that the client prefers. */
export function jsonTypeOf(accepted: readonly string[]): string {
  return accepted.find(isJsonType) ?? 'application/json';
}

function accepts(request: Request, types: readonly string[]): boolean {
  return acceptedTypes(request.headers.get('accept')).some((type) => types.includes(type));
}

/** Tells proxies not to buffer streams. */
export const useStreams: Plugin<Context> = {
  onResponse({ response: { headers } }) {
    if (!headers.get('content-type')?.startsWith(STREAM_TYPE)) return;
    headers.set('X-Accel-Buffering', 'no');
    // Yoga's "none" is not a registered coding.
    headers.delete('content-encoding');
  },
};

/**
 * Refuses requests for types that cannot be sent, before anything is executed: the server would execute a mutation, or begin
 * a subscription that nobody ends, and only then answer 406.
 */
export const useAccept: Plugin<Context> = {
  onRequest({ request, endResponse, fetchAPI }) {
    if (accepts(request, [...JSON_TYPES, STREAM_TYPE])) return;
    const message = `Accept ${JSON_TYPES.join(' or ')}, or ${STREAM_TYPE} for subscriptions.`;
    const body = JSON.stringify({ errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] });
    const headers = { 'Content-Type': 'application/json; charset=utf-8' };
    endResponse(new fetchAPI.Response(body, { status: 406, headers }));
  },
  onSubscribe({ args, setResultAndStopExecution }) {
    const { request }: { request?: Request } = args.contextValue;
    if (request === undefined || accepts(request, [STREAM_TYPE])) return;
    const extensions = { code: 'BAD_REQUEST', http: { status: 406 } };
    const message = `A subscription is sent as a stream: accept ${STREAM_TYPE}.`;
    setResultAndStopExecution({ errors: [new GraphQLError(message, { extensions })] });
  },
};
