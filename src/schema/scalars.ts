import { GraphQLError } from 'graphql';
import { builder } from './builder.ts';

/** Inputs use text instead, so that a wrong value is a field error and not a failed request. */
function outputOnly(): never {
  throw new TypeError('This scalar is for output only.');
}

/** The text of a time as it was sent: the domain validates it. */
function asText(given: unknown): string {
  if (typeof given === 'string') return given;
  throw new GraphQLError('DateTime has to be a text in ISO 8601.');
}

builder.scalarType('DateTime', {
  description: 'A time in UTC, in ISO 8601 with milliseconds: `2026-11-20T19:24:00.000Z`.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  serialize: (timestamp) => (typeof timestamp === 'string' ? timestamp : timestamp.toISOString()),
  parseValue: asText,
});

builder.scalarType('URL', {
  description: 'An absolute http or https URL.',
  specifiedByURL: 'https://url.spec.whatwg.org/',
  serialize: (url) => url,
  parseValue: outputOnly,
});

builder.scalarType('Date', {
  description: 'A day in UTC: `2026-11-21`.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  serialize: (day) => day,
  // The domain validates it, and reports a wrong argument: nothing but a text can be a day.
  parseValue: (given) => (typeof given === 'string' ? given : ''),
});
