import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isInterfaceType } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { api } from '../../src/schema/api.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
let reader: Caller;
beforeAll(async () => {
  server = await startTestServer({ background: true });
  owner = await server.caller('owner');
  reader = await server.caller('owner', ['read']);
});
afterAll(() => server.stop());

async function save(name: string, document: string): Promise<void> {
  const query = `mutation ($input: CreateSavedOperationInput!) { createSavedOperation(input: $input) {
    __typename ... on ValidationError { fields { path messages } } } }`;
  expect(await owner.data(query, { input: { name, document, description: 'About it.' } })).toEqual({
    createSavedOperation: { __typename: 'SavedOperation' },
  });
}

type Json = Readonly<Record<string, unknown>>;

async function describedFor(
  caller: Caller,
): Promise<{ text: string; document: Record<string, Json>; tag: string }> {
  const response = await caller.fetch('/api/run/openapi.json');
  expect(response.status).toBe(200);
  const text = await response.text();
  return { text, document: JSON.parse(text), tag: response.headers.get('ETag') ?? '' };
}

const at = (document: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>((one, name) => (one as Json)[name], document);

const FIND = `query Find($first: Int = 5, $filter: LinkFilter, $order: LinkOrderField!) {
  links(first: $first, filter: $filter, orderBy: { field: $order, direction: ASC }) { totalCount nodes { ...Row } } }
  fragment Row on Link { id title status space { name } tags { name } expiration { at } }`;

test('the document is valid OpenAPI 3.1, and has what the key may run', async () => {
  await save('find-links', FIND);
  await save('one', 'query ($id: ID!) { link(id: $id) { title } }');
  await save(
    'make',
    'mutation ($input: CreateLinkInput!) { createLink(input: $input) { ... on Link { id url } } }',
  );
  await save(
    'both',
    'mutation ($url: String!) { a: createLink(input: { url: $url }) { ... on Link { id } } createLinks(inputs: [{ url: $url }]) { ... on Link { id } } }',
  );
  const { document, text, tag } = await describedFor(owner);
  const { errors } = await new Validator().validate(JSON.parse(text));
  expect(errors).toBeUndefined();
  expect(Object.keys(document.paths ?? {})).toEqual(['/both', '/find-links', '/make', '/one']);
  expect(Object.keys((await describedFor(reader)).document.paths ?? {})).toEqual(['/find-links', '/one']);
  const again = await owner.fetch('/api/run/openapi.json', { headers: { 'If-None-Match': tag } });
  expect(again.status).toBe(304);
  expect((await fetch(`${server.origin}/api/run/openapi.json`)).status).toBe(401);
});

test('a query has parameters for its variables, as forms write them', async () => {
  const { document } = await describedFor(owner);
  const parameters = at(document, 'paths', '/find-links', 'get', 'parameters') as Json[];
  expect(parameters.map(({ name, required }) => `${name}${required ? '!' : ''}`)).toEqual(
    expect.arrayContaining([
      'first',
      'order!',
      'filter[search]',
      'filter[tags][any][]',
      'filter[withoutSpace]',
    ]),
  );
  expect(parameters.find(({ name }) => name === 'first')?.schema).toMatchObject({
    type: 'integer',
    default: 5,
  });
  expect(at(document, 'paths', '/find-links', 'get', 'operationId')).toBe('find_links');
  expect(at(document, 'paths', '/find-links', 'post', 'operationId')).toBe('find_linksPost');
  expect(Object.keys(at(document, 'paths', '/make', 'post', 'responses') as Json)).toEqual(
    expect.arrayContaining(['200', '401', '403', '409', '410', '413', '415', '422', '429', '500']),
  );
});

test('answers fit their schemas', async () => {
  const { document } = await describedFor(owner);
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'https://s.example/api', ...document });
  const answers = async (path: string, method: 'get' | 'post', init: RequestInit) => {
    const response = await owner.fetch(`/api/run/${path}`, init);
    const body = await response.json();
    const [name] = path.split('?');
    const pointer = `#/paths/~1${name}/${method}/responses/${response.status}/content/application~1json/schema`;
    const validate = ajv.compile({ $ref: `https://s.example/api${pointer}` });
    expect([validate(body), validate.errors, response.status]).toEqual([true, null, response.status]);
    return response.status;
  };
  const post = (body: unknown) => ({
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  await owner.link({ title: 'A' });
  expect(await answers('find-links?order=title', 'get', {})).toBe(200);
  expect(await answers('find-links', 'post', post({ order: 'TITLE' }))).toBe(200);
  expect(await answers('find-links?order=x', 'get', {})).toBe(422);
  expect(await answers('one?id=1', 'get', {})).toBe(200);
  expect(await answers('one?id=9999', 'get', {})).toBe(404);
  expect(await answers('make', 'post', post({ input: { url: 'https://example.com/' } }))).toBe(200);
  expect(await answers('make', 'post', post({ input: { url: 'x' } }))).toBe(422);
  expect(await answers('both', 'post', post({ url: 'https://example.com/' }))).toBe(200);
  expect(await answers('both', 'post', post({ url: 'x' }))).toBe(200);
  await save(
    'unreadable',
    `mutation ($url: String!, $from: Date) { createLink(input: { url: $url }) {
      ... on Link { id statistics(from: $from) { clicks } } } }`,
  );
  ajv.removeSchema('https://s.example/api');
  ajv.addSchema({ $id: 'https://s.example/api', ...(await describedFor(owner)).document });
  const unreadable = { url: 'https://example.com/', from: '9999-01-01' };
  expect(await answers('unreadable', 'post', post(unreadable))).toBe(200);
});

describe('the schema of data', () => {
  const dataOf = async (name: string, query: string) => {
    await save(name, query);
    const { document } = await describedFor(owner);
    return at(document, 'components', 'schemas', `${name}.data`);
  };
  const role = {
    anyOf: [{ $ref: '#/components/schemas/Role' }, { type: 'null' }],
    description: expect.any(String),
  };
  const failure = { $ref: '#/components/schemas/Failure' };

  test('requires the root fields that no directive skips', async () => {
    const data = await dataOf(
      'skips',
      'query ($skip: Boolean!) { a: viewer { role } b: viewer @skip(if: $skip) { role } }',
    );
    expect(data).toMatchObject({ type: 'object', required: ['a'] });
  });

  test('has null for a single field that a directive skips', async () => {
    const name = 'skipped';
    const data = await dataOf(name, 'query ($skip: Boolean!) { viewer @skip(if: $skip) { role } }');
    expect(data).toMatchObject({ type: ['object', 'null'], properties: { role } });
    const response = await owner.fetch(`/api/run/${name}?skip=1`);
    expect(await response.json()).toEqual({ data: null, status: 200 });
  });

  test('has the names of types, and the fields of introspection', async () => {
    expect(await dataOf('names', '{ viewer { __typename } }')).toMatchObject({
      properties: { __typename: { type: 'string', const: 'Viewer' } },
    });
    expect(
      await dataOf('made', 'mutation { createTag(input: { name: "x", color: 1 }) { __typename } }'),
    ).toEqual({
      anyOf: [
        expect.objectContaining({ properties: { __typename: { type: 'string', const: 'Tag' } } }),
        failure,
      ],
    });
    expect(await dataOf('introspected', '{ __schema { types { name } } }')).toMatchObject({
      type: 'object',
      properties: { types: { type: 'array' } },
    });
  });

  test('has the codes of errors', async () => {
    const { document } = await describedFor(owner);
    expect(at(document, 'components', 'schemas', 'Error', 'properties')).toHaveProperty('code');
  });
});

describe('large operations', () => {
  const node = api.schema.getType('Node');
  const TYPES = isInterfaceType(node) ? api.schema.getPossibleTypes(node).map(({ name }) => name) : [];
  const wide = (fields: number, roots: number, name: string) => {
    const names = Array.from({ length: fields }, (_, at) => `${name}${'a'.repeat(80)}${at}: nodeId`);
    const nodes = Array.from({ length: roots }, (_, at) => `n${at}: node(nodeId: "x") { ...F }`);
    const on = TYPES.map((type) => `... on ${type} { ${type.toLowerCase()}: nodeId }`);
    return `{ ${nodes.join(' ')} } fragment F on Node { ${[...names, ...on].join(' ')} }`;
  };

  test('have no fields in the description, and GET and POST share the rest', async () => {
    await save('wide', wide(90, 16, 'w'));
    await save('narrow', wide(4, 1, 'n'));
    const { document, text } = await describedFor(owner);
    const data = (name: string) => at(document, 'components', 'schemas', `${name}.data`) as Json;
    expect(data('wide')).toEqual({ description: expect.stringContaining('too many fields') });
    expect(data('narrow').anyOf).toBeDefined();
    const refOf = (name: string, method: string) =>
      at(
        document,
        ...['paths', `/${name}`, method, 'responses', '200', 'content', 'application/json', 'schema'],
        ...['properties', 'data', '$ref'],
      );
    expect(refOf('narrow', 'get')).toBe('#/components/schemas/narrow.data');
    expect(refOf('narrow', 'post')).toBe('#/components/schemas/narrow.data');
    expect((await new Validator().validate(JSON.parse(text))).errors).toBeUndefined();
  });

  test('share 5 MB: those beyond are listed without what they take and give', async () => {
    const names = Array.from({ length: 150 }, (_, one) => `many-${String(one).padStart(3, '0')}`);
    for (const name of names)
      await save(name, wide(9, 1, name.replace('-', '_')).replace('...F', '...F ...F'));
    const { document, text } = await describedFor(owner);
    expect(Buffer.byteLength(text)).toBeGreaterThan(3_900_000);
    expect(Buffer.byteLength(text)).toBeLessThan(5_000_000);
    expect(Object.keys(document.paths ?? {})).toEqual(
      expect.arrayContaining(names.map((name) => `/${name}`)),
    );
    const schemas = Object.keys(at(document, 'components', 'schemas') as Json);
    expect(schemas).toContain('many-000.data');
    expect(schemas).not.toContain('many-149.data');
    expect((await new Validator().validate(JSON.parse(text))).errors).toBeUndefined();
  });
});
