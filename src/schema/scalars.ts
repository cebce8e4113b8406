import { builder } from './builder.ts';

builder.scalarType('DateTime', {
  description: 'A moment in UTC, in ISO 8601 with milliseconds: `2026-11-20T19:24:00.000Z`.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  serialize: (moment) => (moment instanceof Date ? moment.toISOString() : moment),
  parseValue: () => {
    throw new TypeError('DateTime is only given, never taken.');
  },
});
