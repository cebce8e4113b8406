import Negotiator from 'negotiator';
import { remembered } from '../../tools/remembered.ts';

/** GraphQL's own type of answers. */
const RESPONSE_TYPE = 'application/graphql-response+json';
export const JSON_TYPES = ['application/json', RESPONSE_TYPE];
export const STREAM_TYPE = 'text/event-stream';
export const HTML_TYPE = 'text/html';

/** All types of answers, in the order of preference for clients that have none. */
const types = [...JSON_TYPES, STREAM_TYPE, HTML_TYPE].map((type) => `${type}; charset=utf-8`);

/** The ranges that have any of these types. */
const RELEVANT =
  /^[ \t]*(?:\*\/\*|application\/(?:\*|json|graphql-response\+json)|text\/(?:\*|event-stream|html))[ \t]*(?:;|$)/i;
/** Maximum number of ranges that are read: negotiating dozens takes as long as the rest of a refusal. */
const MAX_RANGES = 16;

const negotiated = remembered((header): readonly string[] => {
  const ranges = header.split(',').filter((range) => RELEVANT.test(range));
  // Other parameters are ignored.
  const accept = ranges
    .slice(0, MAX_RANGES)
    .join(',')
    .replaceAll(/;(?![ \t]*(?:q|charset)[ \t]*=)[^;,]*/gi, '');
  // Without a header, all would be accepted.
  if (accept === '') return [];
  const accepted = new Negotiator({ headers: { accept } }).mediaTypes(types);
  return accepted.map((type) => type.slice(0, type.indexOf(';')));
});

/** The types of answers that the header Accept allows, the client's favourite first. */
export function acceptedTypes(header: string | null | undefined): readonly string[] {
  return negotiated(header || '*/*');
}

/** True if the client prefers a page to JSON. */
export function prefersHtml(header: string | undefined): boolean {
  return acceptedTypes(header).find((type) => type === HTML_TYPE || type === JSON_TYPES[0]) === HTML_TYPE;
}

export function isJsonType(type: string | undefined): boolean {
  return JSON_TYPES.some((one) => one === type);
}

/** The JSON type that the client prefers. */
export function chooseJsonType(accepted: readonly string[]): string {
  return accepted.find(isJsonType) ?? 'application/json';
}
