import Negotiator from 'negotiator';
import { remembered } from '../../shared/remembered.ts';

/** GraphQL's own type of answers. */
const RESPONSE_TYPE = 'application/graphql-response+json';
export const JSON_TYPES = ['application/json', RESPONSE_TYPE];
export const STREAM_TYPE = 'text/event-stream';
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
