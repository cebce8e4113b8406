import {
  type GraphQLInputType,
  GraphQLScalarType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
} from 'graphql';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { measureOperation } from '../../src/engine/graphql/cost/operation-size.ts';
import { Prepared } from '../../src/engine/graphql/document.ts';
import { limits } from '../../src/engine/graphql/limits.ts';
import { coerceVariables } from '../../src/engine/graphql/variables.ts';
import { api } from '../../src/schema/api.ts';
import { schema } from '../../src/schema/index.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let caller: Caller;
beforeAll(async () => {
  server = await startTestServer();
  caller = await server.caller();
  await caller.space('One');
});
afterAll(() => server.stop());
afterEach(() => vi.restoreAllMocks());

const many = (count: number, one: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => one(i)).join(' ');
const ids = (count: number) => Array.from({ length: count }, () => '1');
const textOfLength = (length: number) => 'x'.repeat(length);

/** The measure that refuses a request, and its size; null if none does. */
async function refusalOf(query: string, variables: object = {}): Promise<[string, unknown] | null> {
  let found: [string, unknown] | null = null;
  const statements = await server.statementsOf(async () => {
    const { data, errors } = await caller.graphql(query, variables);
    const [error] = errors ?? [];
    if (error?.extensions.code !== 'TOO_COSTLY') return;
    expect([data, errors]).toEqual([undefined, [error]]);
    const [name = '', size] =
      Object.entries(error.extensions).find(([key]) => !['code', 'limit'].includes(key)) ?? [];
    found = [name, size];
  });
  if (found) expect(statements).toEqual([]);
  return found;
}

const tagged = (value: string) => `links(filter: { tags: { any: ${value} } }) { totalCount }`;
const list = many(497, () => '"1"');

test.each<[string, string, object, [string, number] | null]>([
  [
    'a variable of many values',
    'query ($ids: [ID!]!) { nodes(nodeIds: $ids) { id } }',
    { ids: ids(100_000) },
    ['values', 100_001],
  ],
  ['values that no field is given', '{ __typename }', { ids: ids(100_000) }, ['values', 100_001]],
  [
    'nested values',
    'query ($ids: [ID!]!) { nodes(nodeIds: $ids) { id } }',
    { ids: Array.from({ length: 1_000 }, () => ids(100)) },
    ['values', 100_001],
  ],
  [
    'a variable that many fields use',
    `query ($ids: [ID!]) { ${many(190, (i) => `a${i}: ${tagged('$ids')}`)} }`,
    { ids: ids(600) },
    ['values', 190 * 603],
  ],
  [
    'a variable that a fragment uses, which is used often',
    `query ($ids: [ID!]) { spaces(first: 1) { nodes { ...A } } tags(first: 100) { nodes { ...B } } } fragment A on Space { ${tagged('$ids')} } fragment B on Tag { ${tagged('$ids')} }`,
    { ids: ids(990) },
    ['values', 2 + 101 * 993],
  ],
  [
    'a default value',
    `query ($ids: [ID!] = [${list}]) { spaces(first: 100) { nodes { a: ${tagged('$ids')} b: ${tagged('$ids')} } } }`,
    {},
    ['values', 1 + 200 * 500],
  ],
  [
    'literals in a list',
    `{ spaces(first: 100) { nodes { a: ${tagged(`[${list}]`)} b: ${tagged(`[${list}]`)} } } }`,
    {},
    ['values', 1 + 200 * 500],
  ],
  [
    'just as many',
    `query ($ids: [ID!] = [${list}]) { spaces(first: 100) { nodes { ${tagged('$ids')} } } }`,
    {},
    null,
  ],
])('counts given values over all uses: %s', async (_what, query, variables, refused) => {
  expect(await refusalOf(query, variables)).toEqual(refused);
});

const search = 'query ($s: String) { links(filter: { search: $s }) { totalCount } }';
const create = (value: string) =>
  `mutation { createSpace(input: { name: ${value} }) { ... on ValidationError { fields { path messages } } } }`;

test.each<[string, string, object, [string, number] | null]>([
  ['in a variable', search, { s: textOfLength(20_001) }, ['textLength', 20_001]],
  ['as long as allowed', search, { s: textOfLength(20_000) }, null],
  [
    'within an object',
    'query ($f: LinkFilter) { links(filter: $f) { totalCount } }',
    { f: { search: textOfLength(30_000) } },
    ['textLength', 30_000],
  ],
  ['in the document', create(`"${textOfLength(20_001)}"`), {}, ['textLength', 20_001]],
  ['in a block', create(`"""${textOfLength(20_001)}"""`), {}, ['textLength', 20_001]],
  [
    'as a default value',
    search.replace('String)', `String = "${textOfLength(20_001)}")`),
    {},
    ['textLength', 20_001],
  ],
  [
    'as an enum',
    'query ($by: LinkSearchField) { links(filter: { searchBy: $by }) { totalCount } }',
    { by: textOfLength(20_001) },
    ['textLength', 20_001],
  ],
  ['as digits', `{ link(id: ${'1'.repeat(20_001)}) { id } }`, {}, ['textLength', 20_001]],
  ['that no field is given', '{ __typename }', { s: textOfLength(20_001) }, null],
  [
    'many times',
    `query ($t: String) { ${many(101, (i) => `a${i}: tags(after: $t, before: $t) { totalCount }`)} }`,
    { t: textOfLength(20_000) },
    ['text', 4_040_000],
  ],
  [
    'as often as a field can run',
    `query ($t: String) { spaces(first: 100) { nodes { ${many(3, (i) => `a${i}: links(after: $t) { totalCount }`)} } } }`,
    { t: textOfLength(15_000) },
    ['text', 4_500_000],
  ],
])('limits the length of given texts: %s', async (_what, query, variables, refused) => {
  expect(await refusalOf(query, variables)).toEqual(refused);
});

const importLinks =
  'mutation ($text: String!, $space: ID) { importLinks(text: $text, format: LINES, spaceId: $space) { results { status } } }';

test('the text of an import has its own limit, wherever it stands', async () => {
  const lines = many(20, (i) => `https://example.com/${textOfLength(1_990)}${i}\n`);
  const { data, errors } = await caller.graphql(importLinks, { text: lines.replaceAll(' ', '') });
  expect([errors, data]).toMatchObject([
    undefined,
    { importLinks: { results: Array(20).fill({ status: 'CREATED' }) } },
  ]);
  const inDocument = `mutation { importLinks(text: "${`https://example.com/${textOfLength(500)}`.repeat(60)}", format: LINES) { results { status } } }`;
  expect((await caller.graphql(inDocument)).errors).toBeUndefined();
  expect(await refusalOf(importLinks, { text: 'https://example.com/', space: textOfLength(20_001) })).toEqual(
    ['textLength', 20_001],
  );
  const { errors: tooLong } = await caller.graphql(importLinks, { text: textOfLength(600_000) });
  expect(tooLong).toMatchObject([{ extensions: { code: 'VALIDATION', fields: [{ path: ['text'] }] } }]);
});

/** A list that says how many of its items are read. */
function counted(length: number, item: unknown = {}) {
  let reads = 0;
  const items = new Proxy(
    Array.from({ length }, () => item),
    {
      get(target, name, receiver) {
        if (/^\d+$/.test(String(name))) reads++;
        return Reflect.get(target, name, receiver);
      },
    },
  );
  return { items, reads: () => reads };
}

const operationOf = (query: string) => {
  const operation = new Prepared(api, parse(query), []).operation(null);
  if (operation === null) throw new Error('the document has not one operation');
  return operation;
};

test('looks at no item of a list beyond its own limit', () => {
  const create = operationOf('mutation ($v: [CreateLinkInput!]!) { createLinks(inputs: $v) { __typename } }');
  const long = counted(101);
  const coerced = coerceVariables(schema, create.node.variableDefinitions ?? [], { v: long.items }, (name) =>
    create.maxItemsIn(name),
  );
  expect([long.reads(), coerced.v]).toEqual([0, Array(101)]);
});

test('the cost looks at 101 items of a list, and stops at the first limit', () => {
  const batches = (count: number, kind: string) =>
    operationOf(
      `${kind} ($v: [CreateLinkInput!]!) { ${many(count, (i) => `a${i}: ${kind === 'query' ? 'checkLinks' : 'createLinks'}(inputs: $v) { __typename }`)} }`,
    );
  const one = counted(50_000, { url: 'https://example.com/' });
  expect(measureOperation(batches(1, 'mutation'), { v: one.items }, limits, 50_000).records).toBe(100);
  expect(one.reads()).toBe(101);
  const all = counted(50_000, { url: 'https://example.com/' });
  const { records } = measureOperation(batches(500, 'mutation'), { v: all.items }, limits, 50_000);
  expect([records, all.reads()]).toEqual([50_000, 101]);
  const passwords = counted(101, { password: 'x' });
  expect(
    measureOperation(batches(190, 'mutation'), { v: passwords.items }, limits, 2_000).cost,
  ).toBeGreaterThan(limits.cost);
  expect(passwords.reads()).toBe(101);
});

const wrong = { id: 1 };
test.each<[string, string, string, unknown, unknown]>([
  [
    'of a batch',
    'mutation',
    'CreateLinkInput!]!) { createLinks(inputs: $v) { __typename }',
    wrong,
    ['inputs'],
  ],
  [
    'of changes',
    'mutation',
    'UpdateLinksInput!]!) { updateLinks(inputs: $v) { __typename }',
    wrong,
    ['inputs'],
  ],
  ['of deletions', 'mutation', 'ID!]!) { deleteLinks(ids: $v) { __typename }', wrong, ['ids']],
  ['of checks', 'query', 'CreateLinkInput!]!) { checkLinks(inputs: $v) { code }', wrong, ['inputs']],
  ['of nodes', 'query', 'ID!]!) { nodes(nodeIds: $v) { __typename }', wrong, ['nodeIds']],
  [
    'of domains',
    'mutation',
    'DomainMapInput!]) { importLinks(text: "https://example.com/", format: LINES, domainMap: $v) { unusedColumns }',
    wrong,
    ['domainMap'],
  ],
  [
    'of a filter',
    'query',
    'ID!]) { links(filter: { tags: { any: $v } }) { totalCount }',
    wrong,
    ['filter', 'tags', 'any'],
  ],
])('refuses a list %s for its length, whatever its items are', async (_what, kind, query, item, path) => {
  const { errors } = await caller.graphql(`${kind} ($v: [${query} }`, { v: Array(101).fill(item) });
  expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION', fields: [{ path }] } }]);
  // Below its limit, the first item is refused.
  const { errors: short } = await caller.graphql(`${kind} ($v: [${query} }`, {
    v: Array(40).fill({ bad: item }),
  });
  expect(short).toMatchObject([{ extensions: { code: 'BAD_REQUEST' } }]);
});

test.each<[string, object, string[]]>([
  ['ids', { tagIds: Array(51).fill(wrong), pixelIds: Array(51).fill(wrong) }, ['pixelIds', 'tagIds']],
  [
    'targets',
    {
      targeting: {
        rotation: Array(251).fill(wrong),
        countries: Array(300).fill(wrong),
        platforms: Array(251).fill(7),
      },
    },
    ['targeting.countries', 'targeting.platforms', 'targeting.rotation'],
  ],
])('reports lists of an input that are too long as wrong fields: %s', async (_what, input, paths) => {
  const { data, errors } = await caller.graphql(
    'mutation ($input: CreateLinkInput!) { createLink(input: $input) { ... on ValidationError { fields { path messages } } } }',
    { input: { url: 'https://example.com/', ...input } },
  );
  expect(errors).toBeUndefined();
  const { fields } = (data as { createLink: { fields: { path: string[]; messages: string[] }[] } })
    .createLink;
  expect(fields.map(({ path }) => path.join('.')).sort()).toEqual(paths);
  for (const { messages } of fields)
    expect(messages).toEqual([expect.stringMatching(/^may have at most \d+ entries$/)]);
});

test('too many events of a webhook are one wrong field', async () => {
  const { data } = await caller.graphql(
    'mutation ($events: [WebhookEvent!]!) { createWebhook(input: { url: "https://example.com/", events: $events }) { ... on ValidationError { fields { path messages } } } }',
    { events: Array(101).fill('NO_EVENT') },
  );
  expect(data).toEqual({
    createWebhook: { fields: [{ path: ['events'], messages: ['may have at most 100 entries'] }] },
  });
});

test('coerces each variable once, for the executor and for compiled code', async () => {
  const type = schema.getType('DateTime');
  if (!(type instanceof GraphQLScalarType)) throw new Error('there is no such scalar');
  const parseValue = vi.spyOn(type, 'parseValue');
  const since = '2026-01-01T00:00:00Z';
  for (let time = 1; time <= 5; time++) {
    await caller.data(
      'query ($f: LinkFilter, $t: DateTime) { links(filter: $f) { totalCount } spaces(filter: { updatedSince: $t }) { totalCount } }',
      { f: { createdFrom: since }, t: since },
    );
    expect(parseValue).toHaveBeenCalledTimes(2 * time);
  }
  await caller.data(
    'mutation ($t: DateTime) { updateLink(id: 1, input: {}, ifUpdatedAt: $t) { __typename } }',
    { t: since },
  );
  expect(parseValue).toHaveBeenCalledTimes(11);
});

test('the type of coerced variables is not part of the schema', async () => {
  const { __schema } = await caller.data<{ __schema: { types: { name: string }[] } }>(
    'query ($all: Boolean) { __schema { types { name fields(includeDeprecated: $all) { name } } } }',
    { all: true },
  );
  expect(__schema.types.map(({ name }) => name)).not.toContain('Coerced');
});

test('every list that a client can send has a limit', () => {
  const isList = (type: GraphQLInputType): boolean => isListType(isNonNullType(type) ? type.ofType : type);
  const unlimited = Object.values(schema.getTypeMap()).flatMap((type) => {
    if (type.name.startsWith('__')) return [];
    const fields = isInputObjectType(type) ? Object.values(type.getFields()) : [];
    const args = isObjectType(type) ? Object.values(type.getFields()).flatMap((field) => field.args) : [];
    return [...fields, ...args]
      .filter((one) => isList(one.type) && typeof one.extensions.maxItems !== 'number')
      .map(({ name }) => `${type.name}.${name}`);
  });
  expect(unlimited).toEqual([]);
});

test('the uses of variables in a fragment are counted once, however often and wherever it is used', () => {
  const fields = many(40, (i) => `h${i}: history(first: $f${i}, after: $a${i}) { totalCount }`);
  const definitions = many(40, (i) => `$f${i}: Int, $a${i}: String`);
  const lists = many(20, (i) => `l${i}: links(first: ${i + 1}, filter: { status: ACTIVE }) { ...Often }`);
  const query = `query (${definitions}) { ${lists} }
    fragment Often on LinkConnection { ${many(500, () => '...Fields')} }
    fragment Fields on LinkConnection { nodes { ${fields} } }`;
  const operation = operationOf(query);
  const set = vi.spyOn(Map.prototype, 'set');
  const { inputs } = measureOperation(operation, {});
  expect(set.mock.calls.length).toBeLessThan(20_000);
  set.mockClear();
  // Nothing else is calculated of so many fields.
  expect(measureOperation(operation, {}, limits, 2_000)).toMatchObject({
    breadth: 20 + 20 * 500 * 81,
    cost: 0,
  });
  expect(set.mock.calls.length).toBeLessThan(500);
  // Each list has as many links as its number says.
  expect(inputs.uses.get('f0')).toBe(500 * ((20 * 21) / 2));
});
