import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from './context.ts';

/** GraphQL's own type of answers. */
export const RESPONSE_TYPE = 'application/graphql-response+json';
export const JSON_TYPES = [RESPONSE_TYPE, 'application/json'];
const STREAM_TYPE = 'text/event-stream';

/**
 * The header Accept with its types in the order of their quality, without those that are refused, since the server chooses the
 * first one that it knows. If all are refused, it is returned as it is.
 */
export function byQuality(accept: string): string {
  const qualityOf = (range: string) => Number(/;\s*q=([\d.]+)/i.exec(range)?.[1] ?? 1);
  const ranges = accept.split(',').map((range) => ({ range, quality: qualityOf(range) }));
  const accepted = ranges.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality);
  return accepted.map(({ range }) => range).join(',') || accept;
}

/** Whether the request accepts one of the types, in UTF-8. */
function accepts(request: Request, types: readonly string[]): boolean {
  const ranges = (request.headers.get('accept') || '*/*').toLowerCase().replaceAll(/\s/g, '').split(',');
  return ranges.some((range) => {
    const [type = '', ...parameters] = range.split(';');
    // Yoga's own rule, by which it would answer 406 after the execution.
    const charset = parameters.find((one) => one.includes('charset=')) ?? 'charset=utf-8';
    const isExcluded = charset !== 'charset=utf-8' || parameters.some((one) => /^q=0(\.0*)?$/.test(one));
    return (
      !isExcluded && types.some((one) => type === '*/*' || type === one || type === `${one.split('/')[0]}/*`)
    );
  });
}

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
