import {
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  typeFromAST,
} from 'graphql';
import type { Operation } from '../../graphql/document.ts';
import { describeDefault, type JsonSchema, SchemaWriter } from '../../graphql/json-schema.ts';
import { VERSION } from '../../tools/own-files.ts';
import { pauseIfBlocked } from '../../tools/time-slices.ts';
import { JSON_TYPE } from '../form/form.ts';
import { answer, failureSchemas, failures, keyParameter, ref } from '../openapi/openapi.ts';
import { object, textType } from '../record.ts';
import { anyData, describeData, failureSchema } from './data-schema.ts';
import { VARIABLE_FORM } from './variables.ts';

/** An operation that a caller may run. */
export interface DescribedRun {
  readonly name: string;
  readonly description: string | null;
  readonly operation: Operation;
}

/** The parts of the document that a product has of its own. */
export interface RunDescription {
  readonly title: string;
  readonly about: string;
  /** Where the operations are: `/api/run`. */
  readonly url: string;
  readonly aboutKeys: string;
}

const FORM_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data'];

/** The most names of a form that are listed; deeper variables can be sent as JSON. */
const MAX_NAMES = 200;

/** The most characters of the paths and their parts. Operations beyond are listed without what they take and give. */
const MAX_CHARACTERS = 4_000_000;

/** The schemas of an operation's own: its form and its answer, which `GET` and `POST` share. A type has no such name. */
const schemaNames = (name: string) => ({ form: `${name}.form`, data: `${name}.data` });

interface FormName {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
}

/** The names by which a form gives the variables, each with the schema of its value; of a list of objects, those of the first. */
function listNames({ schema, node }: Operation, writer: SchemaWriter): FormName[] {
  const names: FormName[] = [];
  const add = (
    name: string,
    type: GraphQLInputType,
    depth: number,
    required: boolean,
    extra: JsonSchema = {},
  ): void => {
    if (names.length >= MAX_NAMES || depth > VARIABLE_FORM.depth) return;
    const given = isNonNullType(type) ? type.ofType : type;
    if (isListType(given)) {
      const item = isNonNullType(given.ofType) ? given.ofType.ofType : given.ofType;
      if (isInputObjectType(item) || isListType(item)) add(`${name}[0]`, item, depth + 1, false);
      else
        names.push({ name: `${name}[]`, schema: { type: 'array', items: leaf(item), ...extra }, required });
    } else if (isInputObjectType(given))
      for (const field of Object.values(given.getFields())) {
        const about = field.description ? { description: field.description } : {};
        add(`${name}[${field.name}]`, field.type, depth + 1, false, about);
      }
    else names.push({ name, schema: { ...leaf(given), ...extra }, required });
  };
  const leaf = (type: GraphQLInputType): JsonSchema =>
    isEnumType(type)
      ? { type: 'string', enum: type.getValues().map(({ name }) => name) }
      : writer.given(type);
  for (const { variable, type: written, defaultValue } of node.variableDefinitions ?? []) {
    const type = typeFromAST(schema, written);
    if (!isInputType(type)) continue;
    const required = isNonNullType(type) && defaultValue === undefined;
    add(variable.name.value, type, 1, required, describeDefault(defaultValue));
  }
  return names;
}

function describeQuery(names: readonly FormName[]): object[] {
  return names.map(({ name, required, schema: { description, ...schema } }) => ({
    ...{ name, in: 'query', required, schema },
    ...(description !== undefined && { description }),
  }));
}

function describeForm(names: readonly FormName[]): JsonSchema {
  return { type: 'object', properties: Object.fromEntries(names.map(({ name, schema }) => [name, schema])) };
}

function describeBody(
  operation: Operation,
  names: readonly FormName[],
  writer: SchemaWriter,
  schema: JsonSchema,
): object {
  const form = { schema };
  const variables = operation.node.variableDefinitions ?? [];
  return {
    required: names.some(({ required }) => required),
    content: {
      [JSON_TYPE]: { schema: writer.variables(operation) },
      ...(variables.length > 0 && Object.fromEntries(FORM_TYPES.map((type) => [type, form]))),
    },
  };
}

/** The statuses with which a run can fail. */
function listFailures(operation: Operation, isPost: boolean): number[] {
  const by: [boolean, number[]][] = [
    [true, [400, 401, 403, 404, 410, 422, 429, 500, 503]],
    [isPost, [413, 415]],
    [operation.isMutation, [409]],
  ];
  return by.flatMap(([does, statuses]) => (does ? statuses : [])).sort((a, b) => a - b);
}

/** The body of a failure. Those of GraphQL have a code. */
const errorSchema = object({ message: textType, code: textType, status: { type: 'integer' } }, ['code']);

const about: Readonly<Record<number, string>> = {
  ...failures,
  400: 'The body or the query cannot be parsed, or the operation is too costly with these variables.',
  403: 'The key may not run the operation.',
  404: 'There is no such operation, or the record does not exist.',
  409: 'The record cannot be changed as it is now, or the first request with this Idempotency-Key is still running.',
  410: 'The operation is broken: this version of the service cannot run it.',
  422: 'Variables are wrong, by the names that were sent; nothing was done.',
};

function describeAnswers(operation: Operation, isPost: boolean, data: JsonSchema): object {
  const status: JsonSchema = { type: 'integer', const: 200 };
  const success = { description: 'Success.', content: { [JSON_TYPE]: { schema: object({ data, status }) } } };
  const failed = listFailures(operation, isPost).map((one) => [
    one,
    answer({}, '', one, about[one] ?? '', ref(one === 422 ? 'FieldErrors' : 'Error')),
  ]);
  return { 200: success, ...Object.fromEntries(failed) };
}

/** The operations of a path, and the schemas that only they use. */
interface PathParts {
  readonly path: object;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

/** Ids have `_` instead of `-`, and `Post` at the end if there is `GET`, too. */
function identify({ name, description, operation }: DescribedRun) {
  const id = name.replaceAll('-', '_');
  const summary = { summary: name, ...(description !== null && { description }) };
  return {
    get: { operationId: id, ...summary },
    post: { operationId: operation.isMutation ? id : `${id}Post`, ...summary },
  };
}

function describePath(run: DescribedRun, writer: SchemaWriter): PathParts {
  const { name, operation } = run;
  const names = listNames(operation, writer);
  const own = schemaNames(name);
  const hasForm = (operation.node.variableDefinitions ?? []).length > 0;
  const schemas = {
    [own.data]: describeData(operation, writer, ref('Failure')),
    ...(hasForm && { [own.form]: describeForm(names) }),
  };
  const { get, post } = identify(run);
  const described = {
    ...post,
    ...(operation.isMutation && { parameters: [keyParameter] }),
    requestBody: describeBody(operation, names, writer, ref(own.form)),
    responses: describeAnswers(operation, true, ref(own.data)),
  };
  if (operation.isMutation) return { path: { post: described }, schemas };
  const read = {
    ...get,
    parameters: describeQuery(names),
    responses: describeAnswers(operation, false, ref(own.data)),
  };
  return { path: { get: read, post: described }, schemas };
}

/** A path without what it takes and gives. */
function describeShortly(run: DescribedRun): PathParts {
  const responses = {
    200: { description: 'Success.', content: { [JSON_TYPE]: { schema: object({ data: anyData }) } } },
  };
  const { get, post } = identify(run);
  const described = { post: { ...post, responses } };
  return {
    path: run.operation.isMutation ? described : { get: { ...get, responses }, ...described },
    schemas: {},
  };
}

/** Members of an object, in JSON. */
const members = (of: object): string => JSON.stringify(of).slice(1, -1);
const join = (parts: readonly string[]): string => parts.filter((one) => one !== '').join(',');

/**
 * The OpenAPI 3.1 document of the operations that a caller may run, in JSON. It is written in slices.
 * @param signal ends the work
 */
export async function describeRuns(
  runs: AsyncIterable<DescribedRun>,
  { title, about: description, url, aboutKeys }: RunDescription,
  signal: AbortSignal,
): Promise<string> {
  const writer = new SchemaWriter('#/components/schemas/', ref('Failure'));
  const paths: string[] = [];
  const schemas: string[] = [];
  let size = 0;
  for await (const run of runs) {
    await pauseIfBlocked();
    signal.throwIfAborted();
    const write = (parts: PathParts) => ({
      path: members({ [`/${run.name}`]: parts.path }),
      own: members(parts.schemas),
    });
    const full = size < MAX_CHARACTERS ? write(describePath(run, writer)) : null;
    const fits = full !== null && size + full.path.length + full.own.length <= MAX_CHARACTERS;
    const { path, own } = fits ? full : write(describeShortly(run));
    size += path.length + own.length;
    paths.push(path);
    schemas.push(own);
  }
  const head = members({
    openapi: '3.1.0',
    info: { title, version: VERSION, description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url }],
    security: [{ key: [] }],
  });
  const security = members({
    securitySchemes: { key: { type: 'http', scheme: 'bearer', description: aboutKeys } },
  });
  const shared = members({
    ...writer.definitions,
    ...failureSchemas,
    Error: errorSchema,
    Failure: failureSchema,
  });
  return `{${head},"paths":{${join(paths)}},"components":{${security},"schemas":{${join([...schemas, shared])}}}}`;
}
