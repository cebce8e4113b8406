import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  getNamedType,
  getNullableType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashDocument } from '../../src/domain/operation/checks.ts';
import { schema } from '../../src/schema/index.ts';
import { settled } from '../support/database.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

// Documents with one root field each, for all fields of the schema: run by their text, by their id, by REST and as tools, with the
// same variables, they answer alike.

type Field = GraphQLField<unknown, unknown>;
type Variables = Record<string, unknown>;

/** The selection of a type: its leaves, and those of the objects in it. */
function select(type: GraphQLNamedType, depth = 0): string {
  if (isAbstractType(type)) return '{ __typename }';
  if (!isObjectType(type)) return '';
  const parts = Object.values(type.getFields()).flatMap((field) => {
    if (field.args.some(isRequiredArgument) || field.deprecationReason) return [];
    const named = getNamedType(field.type);
    if (isLeafType(named)) return [field.name];
    return depth < 2 && isObjectType(named) && field.args.length === 0
      ? [`${field.name} ${select(named, depth + 1)}`]
      : [];
  });
  return `{ ${['__typename', ...parts.slice(0, 15)].join(' ')} }`;
}

function makeDocument(kind: 'query' | 'mutation', field: Field): string {
  const declared = field.args.map(({ name, type }) => `$${name}: ${type}`).join(', ');
  const given = field.args.map(({ name }) => `${name}: $${name}`).join(', ');
  const [variables, args] = field.args.length > 0 ? [`(${declared})`, `(${given})`] : ['', ''];
  return `${kind} ${variables} { ${field.name}${args} ${select(getNamedType(field.type))} }`;
}

const samples: Readonly<Record<string, readonly unknown[]>> = {
  Int: [1, 2, 10, 25, 100, 0, -1, 500],
  Float: [1, 0.5],
  Boolean: [true, false],
  ID: ['1', '2', '3', '0', 'x', '999999'],
  String: ['', 'a', 'https://example.com/', ' b ', 'é & = [x]', '2026-11-20', 'x'.repeat(300)],
  DateTime: ['2026-11-20T12:00:00.000Z', 'x'],
  Date: ['2026-11-20', '2026-11-01', 'x'],
};

/** The deepest level that a form can say, beside the name of the variable. */
const LEVELS = 4;

/** Values that a form can say: it knows neither null nor an empty object. */
function draw(given: GraphQLInputType, level: number): fc.Arbitrary<unknown> {
  const type = getNullableType(given);
  if (isListType(type)) {
    const most = level >= LEVELS ? 0 : 2;
    return fc.array(draw(type.ofType, level + 1), { maxLength: most });
  }
  if (isEnumType(type)) return fc.constantFrom(...type.getValues().map(({ name }) => name), 'no_value');
  if (!isInputObjectType(type)) return fc.constantFrom(...(samples[type.name] ?? ['x']));
  const fields = Object.values(type.getFields());
  const possible = fields.filter((one) => level + depthOf(one.type) <= LEVELS);
  const required = fields.filter((one) => isNonNullType(one.type) && one.defaultValue === undefined);
  const optional = possible.filter((one) => !required.includes(one));
  const least = required.length === 0 ? 1 : 0;
  return fc
    .subarray(optional, {
      minLength: Math.min(least, optional.length),
      maxLength: Math.min(3, optional.length),
    })
    .chain((some) =>
      fc.record(
        Object.fromEntries([...required, ...some].map((one) => [one.name, draw(one.type, level + 1)])),
      ),
    );
}

function depthOf(given: GraphQLInputType, seen: readonly string[] = []): number {
  const type = getNullableType(given);
  if (isListType(type)) return 1 + depthOf(type.ofType, seen);
  if (!isInputObjectType(type)) return 1;
  if (seen.includes(type.name)) return LEVELS;
  const required = Object.values(type.getFields()).filter((one) => isNonNullType(one.type));
  return 1 + Math.max(1, ...required.map((one) => depthOf(one.type, [...seen, type.name])));
}

const drawVariables = ({ args }: Field): fc.Arbitrary<Variables> => {
  const required = args.filter(isRequiredArgument);
  const optional = args.filter((one) => !required.includes(one) && depthOf(one.type) <= LEVELS);
  return fc
    .subarray(optional)
    .chain((some) =>
      fc.record(Object.fromEntries([...required, ...some].map((one) => [one.name, draw(one.type, 0)]))),
    );
};

/** The pairs of a form. */
function encode(name: string, value: unknown): [string, string][] {
  if (Array.isArray(value))
    return value.length === 0
      ? [[`${name}[]`, '']]
      : value.flatMap((one, index) => encode(`${name}[${index}]`, one));
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, one]) => encode(`${name}[${key}]`, one));
  return [[name, String(value)]];
}

/** The statuses of each code. REST looks at the rights of a caller before it reads the variables. */
const statuses: Readonly<Record<string, readonly number[]>> = {
  BAD_REQUEST: [422, 403],
  TOO_COSTLY: [400],
  VALIDATION: [422],
  NOT_FOUND: [404],
  CONFLICT: [409],
  IN_USE: [409],
  FORBIDDEN: [403],
  HISTORY_GONE: [410],
  INTERNAL: [500],
};

interface Failure {
  readonly code: string;
  readonly fields?: readonly { readonly path: readonly string[] }[];
}

interface Answer {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly { readonly extensions: Failure; readonly path?: readonly (string | number)[] }[];
}

let server: TestServer;
let owner: Caller;

const faces = {
  text: (document: string, _name: string, variables: Variables) =>
    postGraphQL({ query: document, variables }),
  id: (_document: string, name: string, variables: Variables) => postGraphQL({ documentId: name, variables }),
  json: (_document: string, name: string, variables: Variables) =>
    send(`/api/run/${name}`, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(variables) }),
  form: (_document: string, name: string, variables: Variables) =>
    send(`/api/run/${name}`, { method: 'POST', body: asForm(variables) }),
  get: (_document: string, name: string, variables: Variables) =>
    send(`/api/run/${name}?${asForm(variables)}`, {}),
};

/** Checks results by the schemas that the list of tools has, as clients do. */
const ajv = addFormats.default(new Ajv2020({ strict: false }));
let outputs: ReadonlyMap<string, ValidateFunction>;

async function postMcp(method: string, params: object): Promise<unknown> {
  const headers = { ...JSON_TYPE, Accept: 'application/json, text/event-stream' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  return (await send('/api/mcp', { method: 'POST', headers, body })).body.result;
}

interface ToolAnswer {
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: { readonly data: unknown };
  readonly isError?: boolean;
}

/** Calls a tool, whose name has `_`. */
async function callTool(name: string, variables: Variables): Promise<ToolAnswer> {
  const tool = name.replaceAll('-', '_');
  const answer = (await postMcp('tools/call', { name: tool, arguments: variables })) as ToolAnswer;
  if (answer.isError) return answer;
  const isValid = outputs.get(tool);
  if (!isValid?.(answer.structuredContent)) expect([name, isValid?.errors]).toEqual([name, null]);
  return answer;
}

const JSON_TYPE = { 'Content-Type': 'application/json' };
const asForm = (variables: Variables) =>
  new URLSearchParams(Object.entries(variables).flatMap(([name, value]) => encode(name, value)));

async function send(
  path: string,
  init: RequestInit,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await owner.fetch(path, init);
  return { status: response.status, body: JSON.parse(await response.text()) };
}

async function postGraphQL(body: object): Promise<Answer> {
  return (await send('/graphql', { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) })).body;
}

const fieldsOf = (kind: 'Query' | 'Mutation') =>
  Object.values((kind === 'Query' ? schema.getQueryType() : schema.getMutationType())?.getFields() ?? {});
/** They ask other hosts, or cost too much with all fields of their results. */
const LEFT_OUT = new Set(['verifyDomain', 'testWebhook', 'importLinks']);
const queries = fieldsOf('Query');
const mutations = fieldsOf('Mutation').filter(({ name }) => !LEFT_OUT.has(name));
const nameOf = ({ name }: Field) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

beforeAll(async () => {
  server = await startTestServer({ background: true });
  owner = await server.caller('owner');
  await owner.tag('a');
  const space_id = await owner.space('a');
  for (const title of ['a', 'b', 'c']) await owner.link({ title, space_id });
  const { accountId } = await server.database.prisma.space.findFirstOrThrow();
  const at = { createdAt: server.clock.now, updatedAt: server.clock.now };
  await server.database.prisma.savedOperation.createMany({
    data: [
      ...queries.map((one) => ['query', one] as const),
      ...mutations.map((one) => ['mutation', one] as const),
    ].map(([kind, field]) => {
      const document = makeDocument(kind, field);
      const hash = hashDocument(document);
      return { accountId, name: nameOf(field), document, hash, isTool: true, ...at };
    }),
  });
  await settled(server.database);
  const { tools } = (await postMcp('tools/list', {})) as { tools: { name: string; outputSchema: object }[] };
  outputs = new Map(tools.map(({ name, outputSchema }) => [name, ajv.compile(outputSchema)]));
});
afterAll(() => server.stop());

/** The key of a wrong field, which the domain names by its path in `input`, or in its own argument. */
function keyOf({ args }: Field, path: readonly string[]): string {
  const isArgument = args.some(({ name }) => name === path[0]);
  return (isArgument || !args.some(({ name }) => name === 'input') ? path : ['input', ...path]).join('.');
}

/** Expects the answer of REST that belongs to one of GraphQL. */
function expectSame(
  field: Field,
  { data, errors }: Answer,
  rest: { status: number; body: Record<string, unknown> },
): void {
  const value = data?.[field.name];
  const [error] = errors ?? [];
  if (error === undefined) {
    const isMissing = value === null && isObjectType(getNamedType(field.type)) && !isNonNullType(field.type);
    if (isMissing || (value === null && isAbstractType(getNamedType(field.type))))
      expect(rest.status).toBe(404);
    else expect(rest).toEqual({ status: 200, body: { data: value, status: 200 } });
    return;
  }
  const { code, fields } = error.extensions;
  expect(statuses[code], code).toContain(rest.status);
  expect(rest.body.status).toBe(rest.status);
  if (fields)
    expect(Object.keys(rest.body.errors ?? {}).sort()).toEqual(
      [...new Set(fields.map(({ path }) => keyOf(field, path)))].sort(),
    );
}

/** Expects the result of a tool that belongs to the answer of GraphQL. */
function expectSameResult(
  field: Field,
  { data, errors }: Answer,
  tool: ToolAnswer,
  rest: { body: object },
): void {
  const [error] = errors ?? [];
  const told = tool.isError ? JSON.parse(tool.content[0]?.text ?? '').error : null;
  if (error === undefined) {
    if (tool.isError) expect([data?.[field.name], told.code]).toEqual([null, 'NOT_FOUND']);
    else expect(tool.structuredContent).toEqual({ data: data?.[field.name] });
    return;
  }
  // A tool asks for the rights before it reads the variables, as REST does.
  const codes = [error.extensions.code, 'FORBIDDEN'];
  expect(codes).toContain(told.code);
  const sent = 'errors' in rest.body ? rest.body.errors : {};
  expect(told.fields).toEqual(told.code === 'FORBIDDEN' ? {} : sent);
}

describe('a query answers alike by all faces', () => {
  test.each(queries.map((field) => [field.name, field] as const))('%s', async (_name, field) => {
    const [document, name] = [makeDocument('query', field), nameOf(field)];
    await fc.assert(
      fc.asyncProperty(drawVariables(field), async (variables) => {
        const text = await faces.text(document, name, variables);
        expect(await faces.id(document, name, variables)).toEqual(text);
        for (const face of ['json', 'form', 'get'] as const)
          expectSame(field, text, await faces[face](document, name, variables));
        const rest = await faces.json(document, name, variables);
        expectSameResult(field, text, await callTool(name, variables), rest);
      }),
      { numRuns: 12, seed: 70 },
    );
  });
});

/** The codes of expected failures. */
const FAILURES = ['VALIDATION', 'NOT_FOUND', 'CONFLICT', 'IN_USE'];

const isFailure = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  '__typename' in value &&
  /Error$/.test(String(value.__typename));

describe('a mutation fails alike by all faces', () => {
  test.each(mutations.map((field) => [field.name, field] as const))('%s', async (_name, field) => {
    const [document, name] = [makeDocument('mutation', field), nameOf(field)];
    await fc.assert(
      fc.asyncProperty(drawVariables(field), async (variables) => {
        const text = await faces.text(document, name, variables);
        const result = text.data?.[field.name];
        // What has been done once may fail the second time.
        if (text.errors === undefined && !isFailure(result)) return;
        expect(await faces.id(document, name, variables)).toEqual(text);
        for (const face of ['json', 'form'] as const) {
          const rest = await faces[face](document, name, variables);
          if (text.errors) expectSame(field, text, rest);
          else expect([404, 409, 422]).toContain(rest.status);
        }
        const tool = await callTool(name, variables);
        if (text.errors) expectSameResult(field, text, tool, await faces.json(document, name, variables));
        else if (tool.isError) expect(FAILURES).toContain(JSON.parse(tool.content[0]?.text ?? '').error.code);
        else expect(JSON.stringify(tool.structuredContent)).toContain('"error":{"code"');
        expect((await faces.get(document, name, variables)).status).toBe(405);
      }),
      { numRuns: 6, seed: 70 },
    );
  });
});
