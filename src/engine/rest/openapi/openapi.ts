import { MAX_KEY_LENGTH } from '../../db/keyed-request.ts';
import { VERSION } from '../../tools/own-files.ts';
import type { JsonSchema } from '../form/field.ts';
import { JSON_TYPE } from '../form/form.ts';
import { integerType, list, object, orNull, textType } from '../record.ts';
import type { AnyRoute, FileAnswer, Method } from '../route.ts';
import { type DescribedField, describeBody, describeFields } from './fields.ts';

/** The title, the name and the description of each method's operation on one record. */
const verbs: Record<Method, readonly [title: string, name: string, about: string]> = {
  GET: ['Show', 'show', 'Shows all fields of the record.'],
  POST: ['Store', 'store', 'Creates a record.'],
  PUT: ['Update', 'update', 'Changes the fields that are sent, and leaves the others as they are.'],
  PATCH: ['Update', 'patch', 'Changes the fields that are sent, and leaves the others as they are.'],
  DELETE: ['Delete', 'delete', 'Deletes the record for good.'],
};

/** The parts of the document that a product has of its own. */
export interface Description {
  readonly title: string;
  readonly about: string;
  /** Where the API is: `/api/v1`. */
  readonly url: string;
  /** Says how to get a key. */
  readonly aboutKeys: string;
  /** Descriptions of the resources, by the first parts of their paths, and of other tags. */
  readonly tags: Readonly<Record<string, string>>;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly webhooks: Readonly<Record<string, object>>;
  /** Real answers of the server, by operation (or `any`) and status. */
  readonly examples: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

type Examples = Description['examples'];

/** An example of the operation's answer with the status. */
function findExample(examples: Examples, operation: string, status: number): unknown {
  return examples[operation]?.[status] ?? examples.any?.[status];
}

export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** An object with these properties and an optional code. */
function withCode(properties: Record<string, JsonSchema>): JsonSchema {
  const code = { ...textType, description: 'IDEMPOTENCY_MISMATCH if the key was used with another request.' };
  return { ...object(properties), properties: { ...properties, code } };
}

const pages: Record<string, JsonSchema> = {
  PageLinks: object({ first: textType, last: textType, prev: orNull(textType), next: orNull(textType) }),
  PageMeta: object({
    current_page: integerType,
    from: orNull(integerType),
    last_page: integerType,
    path: textType,
    per_page: integerType,
    to: orNull(integerType),
    total: integerType,
  }),
};

/** The bodies of failures. */
export const failureSchemas: Record<string, JsonSchema> = {
  Error: object({ message: textType, status: integerType }),
  FieldErrors: withCode({
    message: { ...textType, description: 'The first message.' },
    errors: {
      type: 'object',
      description: 'Messages by field name, as it was sent: country.0.key for country[0][key].',
      additionalProperties: list(textType),
    },
    status: integerType,
  }),
};

const answers = {
  one: (record: string): JsonSchema => object({ data: ref(record), status: integerType }),
  many: (record: string): JsonSchema =>
    object({ data: list(ref(record)), links: ref('PageLinks'), meta: ref('PageMeta'), status: integerType }),
  deleted: object({
    id: integerType,
    object: textType,
    deleted: { type: 'boolean', const: true },
    status: integerType,
  }),
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

/** The resource of a path: `/things/:id` belongs to things, whose records are each a Thing. */
function describeResource({ path, lists }: AnyRoute): { plural: string; record: string } {
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

export const keyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'New for each write. The same request with the same key, for at least a day, is not done again and gets the first answer, ' +
    'with `Idempotency-Replayed: true`.',
  schema: { type: 'string', minLength: 1, maxLength: MAX_KEY_LENGTH },
};

function describeParameters(route: AnyRoute, fields: readonly DescribedField[]): object[] {
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

function describeSuccess(route: AnyRoute): JsonSchema {
  const { record } = describeResource(route);
  if (route.methods.includes('DELETE')) return answers.deleted;
  return isList(route) ? answers.many(record) : answers.one(record);
}

/** The statuses with which the operation can fail. */
function listFailures(route: AnyRoute): number[] {
  const takesFields = Object.keys(route.fields).length > 0;
  const by: [boolean, number[]][] = [
    [true, [400, 401, 403, 429, 500, 503]],
    [isOfOne(route), [404]],
    [!route.methods.includes('GET'), [409, 413, 415]],
    [takesFields || !route.methods.includes('GET'), [422]],
  ];
  return by.flatMap(([does, statuses]) => (does ? statuses : [])).sort((a, b) => a - b);
}

export function answer(
  examples: Examples,
  operation: string,
  status: number,
  description: string,
  schema: JsonSchema,
): object {
  const waits = status === 409 || status === 429 || status === 503;
  const seconds = { description: 'The number of seconds to wait.', schema: { type: 'integer' } };
  return {
    description,
    ...(waits && { headers: { 'Retry-After': seconds } }),
    content: { [JSON_TYPE]: { schema, example: findExample(examples, operation, status) } },
  };
}

function imageAnswer({ types }: FileAnswer): object {
  return { description: 'Success.', content: Object.fromEntries(types.map((type) => [type, {}])) };
}

function describeOperation(route: AnyRoute, method: Method, examples: Examples): object {
  const { plural, record } = describeResource(route);
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
    parameters: describeParameters(route, fields),
    ...(takesBody(route) && { requestBody: describeBody(fields) }),
    responses: Object.fromEntries([
      [status, file ? imageAnswer(file) : answer(examples, name, status, 'Success.', describeSuccess(route))],
      ...listFailures(route).map((failed) => [
        failed,
        answer(
          examples,
          name,
          failed,
          failures[failed] ?? '',
          failed === 422 ? answers.fieldErrors : answers.error,
        ),
      ]),
    ]),
  };
}

/** The OpenAPI 3.1 document of an API, from the routes that serve it. */
export function describeApi(routes: readonly AnyRoute[], description: Description): object {
  const { title, about, url, aboutKeys, tags, webhooks, examples } = description;
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = route.path.replace(':id', '{id}');
    const operations = route.methods.map((method) => [
      method.toLowerCase(),
      describeOperation(route, method, examples),
    ]);
    paths[path] = { ...paths[path], ...Object.fromEntries(operations) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title,
      version: VERSION,
      description: about,
      contact: { name: 'The operator of this server' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url }],
    security: [{ key: [] }],
    tags: Object.entries(tags).map(([name, text]) => ({ name, description: text })),
    paths,
    webhooks,
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: aboutKeys } },
      schemas: { ...description.schemas, ...pages, ...failureSchemas },
    },
  };
}
