import { readFileSync } from 'node:fs';
import { MAX_KEY_LENGTH } from '../../domain/idempotent-write.ts';
import { shownCountLimit } from '../../domain/input.ts';
import {
  type EventKind,
  messageTypeOf,
  type WebhookEvent,
  webhookEvents,
} from '../../domain/webhook/events.ts';
import { builtFile, VERSION } from '../../own-files.ts';
import { keysOf } from '../../shared/keys-of.ts';
import type { JsonSchema } from '../form/field.ts';
import { linkAnswer } from '../link-answer.ts';
import { integer, list, object, orNull, text, timestamp } from '../record.ts';
import type { AnyRoute, FileAnswer, Method } from '../route.ts';
import { routes } from '../routes.ts';
import { spaceAnswer } from '../spaces.ts';
import { bodyOf, type DescribedField, describeFields, JSON_TYPE } from './fields.ts';

/** The title, the name and the description of each method's operation on one record. */
const verbs: Record<Method, readonly [title: string, name: string, about: string]> = {
  GET: ['Show', 'show', 'Shows all fields of the record.'],
  POST: ['Store', 'store', 'Creates a record.'],
  PUT: ['Update', 'update', 'Changes the fields that are sent, and leaves the others as they are.'],
  PATCH: ['Update', 'patch', 'Changes the fields that are sent, and leaves the others as they are.'],
  DELETE: ['Delete', 'delete', 'Deletes the record for good.'],
};

const tags: Readonly<Record<string, string>> = {
  spaces: 'Spaces group links.',
  links: 'Short links.',
  stats: 'Statistics of links.',
  webhooks: 'Messages that the service sends to your URLs.',
};

const description = `
The REST API for spaces and links. To try an operation here, press Authorize and paste an API key. Only this page keeps the key.

Answers are JSON whose \`status\` equals the HTTP status. Text is trimmed. An empty value counts as absent in a \
query and when a record is created; in an update, it
clears a field that can be cleared, and an absent field does not change. Unknown fields are ignored.
`.trim();

/** Real answers of the server, by operation (or `any`) and status; a test writes them, and keeps them up to date. */
const examples: Record<string, Record<string, unknown>> = JSON.parse(
  readFileSync(builtFile('rest/openapi/examples.json'), 'utf8'),
);

/** An example of the operation's answer with the status. */
function exampleOf(operation: string, status: number): unknown {
  return examples[operation]?.[status] ?? examples.any?.[status];
}

const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** An object with these properties and an optional code. */
function withCode(properties: Record<string, JsonSchema>): JsonSchema {
  const code = { ...text, description: 'IDEMPOTENCY_MISMATCH if the key was used with another request.' };
  return { ...object(properties), properties: { ...properties, code } };
}

const schemas: Record<string, JsonSchema> = {
  Space: spaceAnswer.schema,
  Link: linkAnswer.schema,
  Tag: spaceAnswer.schema,
  DeletedRecord: object({ id: integer }),
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

const answers = {
  one: (record: string): JsonSchema => object({ data: ref(record), status: integer }),
  many: (record: string): JsonSchema =>
    object({ data: list(ref(record)), links: ref('PageLinks'), meta: ref('PageMeta'), status: integer }),
  deleted: object({ id: integer, object: text, deleted: { type: 'boolean', const: true }, status: integer }),
  error: ref('Error'),
  fieldErrors: ref('FieldErrors'),
};

/** The descriptions of failures by status, the same for every operation. */
const failures: Record<number, string> = {
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

/** \`/links/:id\` belongs to links, whose records are each a Link. */
function resourceOf({ path, lists }: AnyRoute): { plural: string; record: string } {
  const plural = path.split('/')[1] ?? '';
  if (lists) return { plural, record: lists.record };
  return { plural, record: `${plural.charAt(0).toUpperCase()}${plural.slice(1, -1)}` };
}

function isOfOne({ path }: AnyRoute): boolean {
  return /\/:id(\/|$)/.test(path);
}

function isList(route: AnyRoute): boolean {
  return route.methods.includes('GET') && (!isOfOne(route) || route.lists !== undefined);
}

function takesBody({ methods }: AnyRoute): boolean {
  return !methods.includes('GET') && !methods.includes('DELETE');
}

const idParameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The id of the record.',
  schema: { type: 'integer', minimum: 1 },
  example: 1,
};

const keyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'New for each write. The same request with the same key, for at least a day, is not done again and gets the first answer, ' +
    'with `Idempotency-Replayed: true`.',
  schema: { type: 'string', minLength: 1, maxLength: MAX_KEY_LENGTH },
};

function parametersOf(route: AnyRoute, fields: readonly DescribedField[]): object[] {
  const ofPath = isOfOne(route) ? [idParameter] : [];
  if (!route.methods.includes('GET')) return [...ofPath, keyParameter];
  const ofQuery = fields.map(({ name, schema: { description, ...schema } }) => ({
    name,
    in: 'query',
    description,
    schema,
  }));
  return [...ofPath, ...ofQuery];
}

function successOf(route: AnyRoute): JsonSchema {
  const { record } = resourceOf(route);
  if (route.methods.includes('DELETE')) return answers.deleted;
  return isList(route) ? answers.many(record) : answers.one(record);
}

/** The statuses with which the operation can fail. */
function failuresOf(route: AnyRoute): number[] {
  const takesFields = Object.keys(route.fields).length > 0;
  const by: [boolean, number[]][] = [
    [true, [400, 401, 403, 429, 500, 503]],
    [isOfOne(route), [404]],
    [!route.methods.includes('GET'), [409, 413, 415]],
    [takesFields || !route.methods.includes('GET'), [422]],
  ];
  return by.flatMap(([does, statuses]) => (does ? statuses : [])).sort((a, b) => a - b);
}

function answer(operation: string, status: number, description: string, schema: JsonSchema): object {
  const waits = status === 409 || status === 429 || status === 503;
  const seconds = { description: 'The number of seconds to wait.', schema: { type: 'integer' } };
  return {
    description,
    ...(waits && { headers: { 'Retry-After': seconds } }),
    content: { [JSON_TYPE]: { schema, example: exampleOf(operation, status) } },
  };
}

/** The headers of each message to a webhook. */
const messageHeaders = {
  'webhook-id': 'The id of the message, the same on every attempt.',
  'webhook-timestamp': 'The time of the attempt, in seconds.',
  'webhook-signature':
    '`v1,` and the HMAC-SHA256 of id, timestamp and body, in base64; two of them after a new secret.',
};

/** The records in messages, by the kind in the name of an event. */
const records: Readonly<Record<EventKind, string>> = { LINK: 'Link', SPACE: 'Space', TAG: 'Tag' };

/** The data of a message. A record that is deleted before its message is sent has only its id. */
function messageData(event: WebhookEvent): JsonSchema {
  const deleted = ref('DeletedRecord');
  const [kind, action] = event.split('_');
  const record = Object.entries(records).find(([name]) => name === kind)?.[1];
  if (record === undefined) return { ...deleted, description: 'The id of the webhook.' };
  if (action === 'DELETED') return { ...deleted, description: 'The id of the deleted record.' };
  const description = 'The record when the message is sent, or only its id if it is deleted by then.';
  return { anyOf: [ref(record), deleted], description };
}

/** A message to a webhook, as an operation of the receiver. */
function messageOf(event: WebhookEvent): object {
  const type = messageTypeOf(event);
  const body = object({
    type: { type: 'string', const: type, description: 'The event.' },
    timestamp: { ...timestamp, description: 'The time of the change.' },
    data: messageData(event),
  });
  return {
    operationId: `on${type.replaceAll(/(?:^|\.)\w/g, (letters) => letters.slice(-1).toUpperCase())}`,
    summary: type,
    description: webhookEvents[event],
    tags: ['webhooks'],
    // The signature tells who sends it.
    security: [],
    parameters: Object.entries(messageHeaders).map(([name, about]) => ({
      ...{ name, in: 'header', required: true, description: about, schema: text },
    })),
    requestBody: { required: true, content: { [JSON_TYPE]: { schema: body } } },
    responses: { '2XX': { description: 'The message was received; anything else is sent again later.' } },
  };
}

function imageAnswer({ types }: FileAnswer): object {
  return { description: 'Success.', content: Object.fromEntries(types.map((type) => [type, {}])) };
}

function operationOf(route: AnyRoute, method: Method): object {
  const { plural, record } = resourceOf(route);
  const fields = describeFields(route);
  const name = `${method} ${route.path}`;
  const { file } = route;
  const named = route.lists ?? file;
  const summary = named
    ? named.summary
    : isList(route)
      ? `List ${plural}`
      : `${verbs[method][0]} a ${record.toLowerCase()}`;
  const about = isList(route)
    ? 'The records of the account, a page at a time; with `Accept: text/csv`, all of them as one file.'
    : verbs[method][2];
  const status = method === 'POST' ? 201 : 200;
  return {
    operationId: file?.operationId ?? (isList(route) ? `list${record}s` : `${verbs[method][1]}${record}`),
    summary,
    description: named?.description ?? about,
    tags: [plural],
    parameters: parametersOf(route, fields),
    ...(takesBody(route) && { requestBody: bodyOf(fields) }),
    responses: Object.fromEntries([
      [status, file ? imageAnswer(file) : answer(name, status, 'Success.', successOf(route))],
      ...failuresOf(route).map((failed) => [
        failed,
        answer(name, failed, failures[failed] ?? '', failed === 422 ? answers.fieldErrors : answers.error),
      ]),
    ]),
  };
}

/** The OpenAPI 3.1 document of v1, from the routes that serve it. */
export function openApi(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = route.path.replace(':id', '{id}');
    const operations = route.methods.map((method) => [method.toLowerCase(), operationOf(route, method)]);
    paths[path] = { ...paths[path], ...Object.fromEntries(operations) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Linkspace v1',
      version: VERSION,
      description,
      contact: { name: 'The operator of this server' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/api/v1' }],
    security: [{ key: [] }],
    tags: Object.entries(tags).map(([name, about]) => ({ name, description: about })),
    paths,
    webhooks: Object.fromEntries(
      keysOf(webhookEvents).map((event) => [messageTypeOf(event), { post: messageOf(event) }]),
    ),
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key, created by `npm run keys -- create`.',
        },
      },
      schemas,
    },
  };
}
