import { readFileSync } from 'node:fs';
import { shownCountLimit } from '../../domain/input.ts';
import { builtFile } from '../../own-files.ts';
import type { JsonSchema } from '../form/field.ts';
import { linkAnswer } from '../link-answer.ts';
import { integer, list, object, orNull, text } from '../record.ts';
import { spaceAnswer } from '../spaces.ts';

/** Real answers of the server, by operation (or `any`) and status; a test writes them, and keeps them up to date. */
const examples: Record<string, Record<string, unknown>> = JSON.parse(
  readFileSync(builtFile('rest/openapi/examples.json'), 'utf8'),
);

/** An example of the operation's answer with the status. */
export function exampleOf(operation: string, status: number): unknown {
  return examples[operation]?.[status] ?? examples.any?.[status];
}

const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** An object with these properties and an optional code. */
function withCode(properties: Record<string, JsonSchema>): JsonSchema {
  const code = { ...text, description: 'IDEMPOTENCY_MISMATCH if the key was used with another request.' };
  return { ...object(properties), properties: { ...properties, code } };
}

export const schemas: Record<string, JsonSchema> = {
  Space: spaceAnswer.schema,
  Link: linkAnswer.schema,
  Count: object({
    value: { ...text, description: 'Empty if it is not known.' },
    count: { ...integer, description: shownCountLimit },
  }),
  PageLinks: object({ first: text, last: text, prev: orNull(text), next: orNull(text) }),
  PageMeta: object({
    current_page: integer,
    from: orNull(integer),
    last_page: integer,
    path: text,
    per_page: integer,
    to: orNull(integer),
    total: integer,
  }),
  Error: object({ message: text, status: integer }),
  FieldErrors: withCode({
    message: { ...text, description: 'The first message.' },
    errors: {
      type: 'object',
      description: 'Messages by field name, as it was sent: country.0.key for country[0][key].',
      additionalProperties: list(text),
    },
    status: integer,
  }),
};

export const answers = {
  one: (record: string): JsonSchema => object({ data: ref(record), status: integer }),
  many: (record: string): JsonSchema =>
    object({ data: list(ref(record)), links: ref('PageLinks'), meta: ref('PageMeta'), status: integer }),
  deleted: object({ id: integer, object: text, deleted: { type: 'boolean', const: true }, status: integer }),
  error: ref('Error'),
  fieldErrors: ref('FieldErrors'),
};

/** The descriptions of failures by status, the same for every operation. */
export const failures: Record<number, string> = {
  400: 'The body cannot be parsed, or is not UTF-8.',
  401: 'The key is missing, malformed, unknown, revoked or expired.',
  403: 'The key lacks the scope: `read` for GET, `write` for the others.',
  404: 'The record does not exist, or is not yours.',
  409: 'The first request with this Idempotency-Key is still running.',
  413: 'The body is larger than 1 MB.',
  415: 'The body is of another type.',
  422: 'Fields are wrong; nothing was saved. All wrong fields are listed.',
  429: 'Too many requests in a minute.',
  500: 'A fault of the server; X-Request-Id identifies it in the log.',
  503: 'The database is not available.',
};
