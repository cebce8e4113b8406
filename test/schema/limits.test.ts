import v8 from 'node:v8';
import vm from 'node:vm';
import {
  type GraphQLOutputType,
  getIntrospectionQuery,
  introspectionFromSchema,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
  visit,
} from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FieldCost } from '../../src/engine/graphql/cost/costs.ts';
import { introspectionSizes } from '../../src/engine/graphql/cost/operation-size.ts';
import { Documents, Prepared } from '../../src/engine/graphql/document.ts';
import { api } from '../../src/schema/api.ts';
import { schema } from '../../src/schema/index.ts';
import { manyLinks } from '../support/many-links.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let caller: Caller;
beforeAll(async () => {
  server = await startTestServer();
  caller = await server.caller();
  await caller.link();
});
afterAll(() => server.stop());

const many = (count: number, one: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => one(i)).join(' ');

test.each([
  ['number of aliases', 201, 200, `{ ${many(201, (i) => `a${i}: __typename`)} }`],
  ['number of directives', 51, 50, `{ ${many(51, () => '__typename @include(if: true)')} }`],
  [
    'depth',
    16,
    15,
    `{ links { edges { node { ${'space { links { edges { node { '.repeat(3)} id ${'} } } } '.repeat(4)}`,
  ],
  [
    'number of fields',
    2252,
    2000,
    `{ viewer { account { ...A } } }
      fragment A on Account { ${many(15, () => '...B')} }
      fragment B on Account { ${many(15, () => '...C')} }
      fragment C on Account { ${many(10, () => 'name')} }`,
  ],
  [
    'number of comparisons between fields of the same name',
    200_001,
    200_000,
    `{ ${many(448, () => '__typename')} }`,
  ],
  [
    'number of fragments',
    201,
    200,
    `{ ...F0 } ${many(201, (i) => `fragment F${i} on Query { __typename ${i < 200 ? `...F${i + 1}` : ''} }`)}`,
  ],
  ['number of operations', 51, 50, many(51, (i) => `query Q${i} { __typename }`)],
  [
    'cost',
    401_310,
    300_000,
    `{ spaces(first: 100) { edges { node { links(first: 100) { edges { node {
    id url alias shortUrl title clicks status createdAt updatedAt disabled privacy } } } } } } }`,
  ],
])('refuses too large a %s before executing anything', async (what, size, limit, query) => {
  const statements = await server.statementsOf(async () => {
    const { data, errors } = await caller.graphql(query);
    expect(data).toBeUndefined();
    expect(errors?.[0]).toMatchObject({
      message: `The operation's ${what}, ${size}, is above the limit of ${limit}.`,
      extensions: { code: 'TOO_COSTLY', limit },
    });
  });
  expect(statements).toEqual([]);
});

test('computes the size of each operation of a document separately', async () => {
  const [cheap, costly] = ['OperationThatIsCheap', 'OperationThatIsCostly'];
  const fields = 'id url alias shortUrl title clicks status createdAt updatedAt disabled privacy';
  const document = `query ${cheap} { __typename }
    query ${costly} { spaces(first: 100) { nodes { links(first: 100) { nodes { ${fields} } } } } }`;
  const send = async (operationName: string) => {
    const sent = { query: document, operationName };
    const headers = { 'Content-Type': 'application/json' };
    const response = await caller.fetch('/graphql', { method: 'POST', headers, body: JSON.stringify(sent) });
    return response.json();
  };
  expect(await send(cheap)).toEqual({ data: { __typename: 'Query' } });
  expect(await send(costly)).toMatchObject({ errors: [{ extensions: { code: 'TOO_COSTLY' } }] });
});

test('computes the size for each value of a variable separately', async () => {
  const inputs = many(10, () => '{ url: "https://example.com/", password: "x", reuse: $reuse }');
  const create = `mutation ($reuse: Boolean) { createLinks(inputs: [${inputs}]) { __typename } }`;
  const codeFor = async (reuse: unknown) =>
    (await caller.graphql(create, { reuse })).errors?.[0]?.extensions.code;
  expect(await codeFor('a text of more than sixteen characters')).toBe('BAD_REQUEST');
  expect(await codeFor(true)).toBe('TOO_COSTLY');
});

test('the compiled code of wide queries uses no memory', async () => {
  v8.setFlagsFromString('--expose-gc');
  const collect: () => void = vm.runInNewContext('gc');
  const fields =
    'id alias shortUrl title hasPassword disabled blocked privacy clicks createdAt updatedAt url status';
  const wide = (index: number) =>
    `{ ${many(60, (i) => `a${i}: link(id: ${1000 * index + i}) { ...F }`)} } fragment F on Link { ${fields} }`;
  const used = () => {
    collect();
    return process.memoryUsage().heapUsed / 1e6;
  };
  const ask = async (from: number, to: number) => {
    for (let index = from; index < to; index++)
      for (let time = 0; time < 4; time++) await caller.data(wide(index));
  };
  await ask(1, 3);
  const before = used();
  await ask(3, 33);
  expect(used() - before).toBeLessThan(30);
});

test('a selection may compare a field with itself 447 times, however it is repeated', async () => {
  const fragments = '{ ...A ...B } fragment A on Query { FIELDS } fragment B on Query { FIELDS }';
  const nested = (count: number) => `{ ${many(count, () => 'viewer { account { name } }')} }`;
  const cases: [string, string | undefined][] = [
    [`{ ${many(447, () => '__typename')} }`, undefined],
    [
      fragments.replaceAll(
        'FIELDS',
        many(230, () => '__typename'),
      ),
      'TOO_COSTLY',
    ],
    [nested(250), undefined],
    [nested(300), 'TOO_COSTLY'],
    // Each of the fragments is compared with all others.
    [
      `{ ${many(190, (i) => `...F${i}`)} } ${many(190, (i) => `fragment F${i} on Query { viewer { account { name } } links { totalCount } }`)}`,
      undefined,
    ],
    [
      `{ ${many(190, (i) => `...F${i}`)} } ${many(190, (i) => `fragment F${i} on Query { viewer { account { name id } } links { totalCount } }`)}`,
      'TOO_COSTLY',
    ],
  ];
  for (const [query, code] of cases)
    expect([code, (await caller.graphql(query)).errors?.[0]?.extensions.code]).toEqual([code, code]);
});

test.each([
  ['a thousand', 1_000, 'TOO_COSTLY'],
  ['two hundred', 200, 'GRAPHQL_VALIDATION_FAILED'],
])('a cycle of %s fragments is an error of the document', async (_count, count, code) => {
  for (const fields of [
    (next: number) => `...F${next}`,
    (next: number) => `__typename ...F${next} links { nodes { id } }`,
  ]) {
    const cycle = `{ ...F0 } ${many(count, (i) => `fragment F${i} on Query { ${fields((i + 1) % count)} }`)}`;
    const { errors } = await caller.graphql(cycle);
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual([code]);
  }
  expect(server.log.filter(({ level }) => level === 50)).toEqual([]);
});

test('looks at each fragment once for the permissions of an operation', () => {
  const last = 100;
  const document = parse(
    `{ ...F0 } ${many(last, (i) => `fragment F${i} on Query { ...F${i + 1} ... { ...F${i + 1} } }`)}
      fragment F${last} on Query { __typename members(first: 1) { totalCount } }`,
  );
  let reads = 0;
  visit(document, {
    SelectionSet(node) {
      const { selections } = node;
      const get = () => {
        // What takes 2 ** 100 of them never ends.
        if (++reads > 4 * last) throw new Error('looks too often');
        return selections;
      };
      Object.defineProperty(node, 'selections', { get });
    },
  });
  const operation = new Prepared(api, document, []).operation(null);
  reads = 0;
  expect([...(operation?.needs ?? [])]).toEqual(['READ', 'READ_PEOPLE']);
});

test('refuses a variable whose name the executor would ignore', async () => {
  const query = 'query ($__proto__: Int = 1) { links(first: $__proto__) { nodes { id } } }';
  for (const variables of [{}, JSON.parse('{ "__proto__": 1 }')])
    expect(await caller.graphql(query, variables)).toMatchObject({
      errors: [
        {
          message: 'A variable may not have the name "__proto__".',
          extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
        },
      ],
    });
});

test('a negative number of records does not lower the cost of other fields', async () => {
  const large = many(
    2,
    (i) => `large${i}: spaces(first: 100) { nodes { links(first: 100) { nodes { url title } } } }`,
  );
  const without = await caller.graphql(`{ ${large} }`);
  const withOne = await caller.graphql(
    `{ ${large} spaces(first: 1) { nodes { links(first: -100000) { nodes { url } } } } }`,
  );
  for (const { data, errors } of [without, withOne])
    expect([data, errors?.[0]?.extensions.code]).toEqual([undefined, 'TOO_COSTLY']);
});

test.each([
  ['a literal', '{ links(first: 100000000) { totalCount } }', {}, 'VALIDATION'],
  ['a variable', 'query ($n: Int) { links(first: $n) { totalCount } }', { n: 100_000_000 }, 'VALIDATION'],
  ['no Int', 'query ($n: Int) { links(first: $n) { totalCount } }', { n: 2_147_483_648 }, 'BAD_REQUEST'],
])(
  'reports too large a number of records as an invalid argument: %s',
  async (_as, query, variables, code) => {
    const { errors } = await caller.graphql(query, variables);
    expect(errors?.[0]?.extensions.code).toBe(code);
  },
);

test.each([
  ['lists', `{ links(filter: ${'['.repeat(101)}${']'.repeat(101)}) { totalCount } }`],
  ['objects', `{ links(filter: ${'{a:'.repeat(101)}1${'}'.repeat(101)}) { totalCount } }`],
  ['thousands of lists', `{ links(filter: ${'['.repeat(4_900)}${']'.repeat(4_900)}) { totalCount } }`],
  ['selections', `{ a ${'{ a '.repeat(101)} ${'}'.repeat(102)}`],
  ['what is not closed', `{ links(filter: ${'['.repeat(9_000)}`],
])('refuses deeply nested %s', async (_what, query) => {
  const { data, errors } = await caller.graphql(query);
  expect([data, errors?.[0]?.extensions.code]).toEqual([undefined, 'TOO_COSTLY']);
});

const lists = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const query = 'mutation Deep($input: CreateLinkInput!) { createLink(input: $input) { ... on Link { url } } }';
const sent = { query: JSON.stringify(query), input: '{"url": "https://example.com/deep"}' };
test.each([
  ['lists', { variables: `{"input": ${lists(5_000)}}` }, {}],
  ['objects', { variables: `{"input": ${objects(5_000)}}` }, {}],
  ['unused variables', { variables: `{"input": ${sent.input}, "a": ${lists(5_000)}}` }, {}],
  ['extensions', { extensions: objects(5_000) }, {}],
  // Short requests are looked up among the operations that were executed before.
  ['unused variables of a short request', { variables: `{"input": ${sent.input}, "a": ${lists(100)}}` }, {}],
  ['many lists of a short request', { variables: `{"input": ${sent.input}, "a": ${lists(3_000)}}` }, {}],
  ['extensions of a short request', { extensions: objects(101) }, {}],
  ['variables of a keyed write', { variables: `{"input": ${lists(5_000)}}` }, { 'Idempotency-Key': 'deep' }],
])('refuses deeply nested %s like those of a document', async (_what, more, headers) => {
  const parts = { query: sent.query, variables: `{"input": ${sent.input}}`, ...more };
  const body = `{${Object.entries(parts).map(([name, value]) => `"${name}": ${value}`)}}`;
  const own = await server.caller('deep');
  await own.data(query, { input: { url: 'https://example.com/known' } });
  const before = await own.data('{ links { totalCount } }');
  const response = await own.fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body,
  });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    errors: [{ extensions: { code: 'TOO_COSTLY', nesting: 101, limit: 100 } }],
  });
  expect(await own.data('{ links { totalCount } }')).toEqual(before);
});

test('accepts variables and extensions as deeply nested as a document may be', async () => {
  const body = `{"query": "{ __typename }", "variables": {"a": ${lists(99)}}, "extensions": ${objects(100)}}`;
  for (const accept of ['application/json', '*/*;q=0.5'])
    expect(
      await (
        await caller.fetch('/graphql', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Accept: accept },
          body,
        })
      ).json(),
    ).toEqual({ data: { __typename: 'Query' } });
});

test.each([
  ['an alias', `{ ${'a'.repeat(101)}: __typename }`],
  ['a name', `query ${'a'.repeat(101)} { __typename }`],
])('refuses %s that is too long, since an answer repeats it', async (_what, query) => {
  const { data, errors } = await caller.graphql(query);
  expect([data, errors?.[0]?.extensions]).toMatchObject([undefined, { code: 'TOO_COSTLY', limit: 100 }]);
});

test('refuses too many lines before parsing', async () => {
  const { errors } = await caller.graphql(`${'\n'.repeat(5_000)}{ nothing }`);
  expect(errors).toEqual([
    {
      message: "The operation's number of lines, 5001, is above the limit of 5000.",
      extensions: { code: 'TOO_COSTLY', lines: 5_001, limit: 5_000 },
    },
  ]);
});

test('answers with at most 100 field errors, and one that says that there are more', async () => {
  const another = await server.caller('another');
  const space_id = await another.space('Full');
  for (let i = 0; i < 11; i++) await another.link({ space_id });
  const wrong = many(10, (i) => `a${i}: space { links(first: 0, after: "x") { totalCount } }`);
  const query = `{ links(filter: { spaceId: ${space_id} }) { nodes { ${wrong} } } }`;
  for (let i = 0; i < 4; i++) {
    const { errors = [] } = await another.graphql(query);
    expect(errors).toHaveLength(101);
    expect(errors.slice(0, 100).map(({ extensions }) => extensions?.code)).toEqual(
      Array(100).fill('VALIDATION'),
    );
    expect(errors.at(-1)).toMatchObject({
      message: 'The operation has more than 100 errors.',
      extensions: { code: 'TOO_COSTLY' },
    });
  }
});

test('refuses too many tokens', async () => {
  const { errors } = await caller.graphql(`{ ${many(10_001, () => '__typename')} }`);
  expect(errors?.[0]).toMatchObject({
    message: "The operation's number of tokens, 10001, is above the limit of 10000.",
    extensions: { code: 'TOO_COSTLY', tokens: 10_001, limit: 10_000 },
  });
});

test('a mutation that costs too much changes nothing', async () => {
  const inputs = Array.from({ length: 100 }, () => ({ url: 'https://example.com/' }));
  const aliased = many(
    30,
    (i) => `a${i}: createLinks(inputs: $inputs) { ... on Link { ${many(40, () => 'id')} } }`,
  );
  const { errors } = await caller.graphql(`mutation ($inputs: [CreateLinkInput!]!) { ${aliased} }`, {
    inputs,
  });
  expect(errors?.[0]?.extensions.code).toBe('TOO_COSTLY');
  expect(await caller.data('{ links { totalCount } }')).toEqual({ links: { totalCount: 1 } });
});

const inputs = (count: number) => Array.from({ length: count }, () => ({ url: 'https://example.com/' }));
const shared = (count: number) =>
  `mutation ($inputs: [CreateLinkInput!]!) { ${many(count, (i) => `a${i}: createLinks(inputs: $inputs) { __typename }`)} }`;

test.each([
  ['batches that share a variable', shared(30), { inputs: inputs(100) }, 3_000],
  ['batches that share a variable, each far below the limit', shared(11), { inputs: inputs(10) }, 110],
  [
    'many mutations of one record',
    `mutation { ${many(101, (i) => `a${i}: deleteLink(id: "1") { __typename }`)} }`,
    {},
    101,
  ],
  [
    'a batch of deletions beside a creation',
    'mutation ($ids: [ID!]!) { deleteLinks(ids: $ids) { __typename } createLink(input: { url: "https://example.com/" }) { __typename } }',
    { ids: Array(100).fill('1') },
    101,
  ],
  [
    'a batch written in the document, in a fragment',
    `mutation { ...A ...A b: createLinks(inputs: [${many(60, () => '{ url: "https://example.com/" }')}]) { __typename } }
      fragment A on Mutation { createLinks(inputs: [${many(60, () => '{ url: "https://example.com/" }')}]) { __typename } }`,
    {},
    180,
  ],
])('changes at most 100 records in a request: refuses %s', async (_what, query, variables, records) => {
  const { data, errors } = await caller.graphql(query, variables);
  expect(data).toBeUndefined();
  expect(errors?.[0]?.extensions).toEqual({ code: 'TOO_COSTLY', records, limit: 100 });
  expect(await caller.data('{ links { totalCount } }')).toEqual({ links: { totalCount: 1 } });
});

test('refuses a batch that is too long as invalid input', async () => {
  const { errors } = await caller.graphql(shared(1), { inputs: inputs(101) });
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION', fields: [{ path: ['inputs'] }] });
});

test.each([
  [
    'a password that is checked 200 times',
    `{ ${many(200, (i) => `a${i}: explainRedirect(input: { linkId: "1", password: "x" }) { outcome }`)} }`,
    {},
  ],
  [
    'a password in a variable',
    `query ($input: ExplainRedirectInput!) { ${many(50, (i) => `a${i}: explainRedirect(input: $input) { outcome }`)} }`,
    { input: { linkId: '1', password: 'x' } },
  ],
  [
    'a hundred passwords to hash',
    shared(1),
    { inputs: inputs(100).map((input) => ({ ...input, password: 'x' })) },
  ],
  [
    'pixels of links of spaces',
    '{ spaces(first: 100) { edges { node { links(first: 60) { edges { node { pixels { id } } } } } } } }',
    {},
  ],
  ['searches', `{ ${many(51, (i) => `a${i}: links(filter: { search: "abc" }) { totalCount }`)} }`, {}],
  [
    'searches in spaces, by a variable',
    'query ($filter: LinkFilter) { spaces(first: 60) { edges { node { links(filter: $filter) { totalCount } } } } }',
    { filter: { search: 'abc' } },
  ],
  [
    'warnings of rules 200 times',
    `{ ${many(200, (i) => `a${i}: link(id: "1") { ruleWarnings { kind } }`)} }`,
    {},
  ],
  ['DNS', `mutation { ${many(21, (i) => `a${i}: verifyDomain(id: "1") { __typename }`)} }`, {}],
  [
    'what is asked of the schema, again and again',
    `{ ${many(12, (i) => `s${i}: __schema { ...S }`)} }
      fragment S on __Schema { types { fields { ${many(40, (i) => `a${i}: description`)} } } }`,
    {},
  ],
])('refuses as too costly: %s', async (_what, query, variables) => {
  const { status, data, errors } = await caller.graphql(query, variables);
  expect([status, data, errors?.[0]?.extensions.code]).toEqual([400, undefined, 'TOO_COSTLY']);
  expect(errors?.[0]?.extensions.cost).toBeGreaterThan(300_000);
});

test.each([
  [
    'a full page with what a table of links shows',
    `{ links(first: 100, filter: { search: "a", status: ACTIVE }) { totalCount edges { cursor node {
      id url alias shortUrl title clicks status disabled privacy createdAt updatedAt hasPassword
      domain { id name } space { id name color } pixels { id name type } expiration { at clicks url } } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
    {},
  ],
  [
    'a hundred links with warnings of rules, which lists do not have',
    '{ links(first: 100) { edges { node { id url rules { id name } ruleWarnings { rule kind message test by } } } } }',
    {},
  ],
  [
    'a hundred whole links',
    `{ links(first: 100) { edges { node { id url shortUrl title pixels { id name type value }
      targeting { type countries { country url } platforms { platform url } languages { language url } rotation } } } } }`,
    {},
  ],
  [
    'a whole batch, with all of each link, or what is wrong with it',
    `mutation ($inputs: [CreateLinkInput!]!) { createLinks(inputs: $inputs) {
      ... on Link { id url shortUrl title pixels { id name type value }
        targeting { type countries { country url } platforms { platform url } languages { language url } rotation } } ... on Error { code message } ... on ValidationError { fields { path messages } } } }`,
    { inputs: Array.from({ length: 100 }, () => ({ url: 'nowhere' })) },
  ],
  [
    'a whole batch of changes, with all of each link and the types’ names, as a client with a cache asks for it',
    `mutation ($inputs: [UpdateLinksInput!]!) { updateLinks(inputs: $inputs) { __typename
      ...Whole ... on ValidationError { message code fields { __typename path messages } } ... on NotFoundError { message code }
      ... on ConflictError { message code current { __typename ...Whole } } } }
      fragment Whole on Link { __typename id nodeId url alias shortUrl title hasPassword disabled privacy hasPrivacyPassword clicks
        lastClickedAt status blocked createdAt updatedAt
        domain { __typename id nodeId name } space { __typename id nodeId name color } expiration { __typename url at clicks }
        pixels { __typename id nodeId name type value } targeting { __typename type rotation countries { __typename country url }
        platforms { __typename platform url } languages { __typename language url } } }`,
    { inputs: Array.from({ length: 100 }, () => ({ id: '0', input: {} })) },
  ],
])('accepts within the cost limit: %s', async (_what, query, variables) => {
  expect((await caller.graphql(query, variables)).errors).toBeUndefined();
});

test('limits the size of targets in an answer', async () => {
  const rotation = Array.from({ length: 250 }, (_, i) => `https://example.com/${i}/${'x'.repeat(1_950)}`);
  const long = await server.caller('long lists');
  for (let i = 0; i < 10; i++)
    await long.data(
      `mutation ($input: CreateLinkInput!) { createLink(input: $input) { ... on Link { id } } }`,
      { input: { url: 'https://example.com/', targeting: { rotation } } },
    );
  const query = (aliases: number) =>
    `{ links(first: 10) { edges { node { ${many(aliases, (i) => `a${i}: targeting { rotation }`)} } } } }`;
  const { status, data, errors } = await long.graphql(query(20));
  expect([status, data, errors?.[0]?.extensions.code]).toEqual([400, null, 'TOO_COSTLY']);
  expect((await long.graphql(query(1))).errors).toBeUndefined();
});

test('rules count as often as they are asked for', async () => {
  const caller = await server.caller('many rules');
  const country = {
    in: ['FR', 'DE', 'IT', 'ES', 'PL', 'SE', 'DK', 'NO', 'FI', 'NL', 'BE', 'AT', 'CH', 'PT', 'GR', 'IE'],
  };
  const rules = Array.from({ length: 20 }, () => ({
    when: Array.from({ length: 10 }, () => ({ country })),
    to: [{ url: 'https://example.com/' }],
  }));
  await caller.data('mutation ($input: CreateLinkInput!) { createLink(input: $input) { __typename } }', {
    input: { url: 'https://example.com/', rules },
  });
  const query = (aliases: number) =>
    `{ links(first: 1) { edges { node { rules { when { country { ${many(aliases, (i) => `a${i}: in`)} } } } } } } }`;
  expect((await caller.graphql(query(10))).errors).toBeUndefined();
  const { status, data, errors } = await caller.graphql(query(190));
  expect([status, data, errors?.[0]?.extensions.code]).toEqual([400, null, 'TOO_COSTLY']);
});

test('rules that are asked for once count once', async () => {
  const caller = await server.caller('large rules');
  const to = Array.from({ length: 10 }, (_, i) => ({
    name: `${i}`,
    url: `https://example.com/${'x'.repeat(1_900)}`,
  }));
  const input = { url: 'https://example.com/', rules: [1, 2, 3].map(() => ({ when: [], to })) };
  const { createLink } = await caller.data<{ createLink: { id: string } }>(
    'mutation ($input: CreateLinkInput!) { createLink(input: $input) { ... on Link { id } } }',
    { input },
  );
  const { prisma } = server.database;
  const { accountId, rules } = await prisma.link.findUniqueOrThrow({ where: { id: Number(createLink.id) } });
  await manyLinks(server, 99, { accountId });
  await prisma.link.updateMany({ where: { accountId }, data: { rules } });
  const rulesOf = (name: string) => `${name} { id name to { id name url weight } }`;
  const query = (fields: string) => `{ links(first: 100) { nodes { id ${fields} } } }`;
  // Together they have 6 MB of JSON.
  expect((await caller.graphql(query(rulesOf('rules')))).errors).toBeUndefined();
  for (const twice of [`${rulesOf('rules')} ${rulesOf('again: rules')}`, 'rules { to { url again: url } }'])
    expect((await caller.graphql(query(twice))).errors?.[0]?.extensions.code).toBe('TOO_COSTLY');
});

test('every list declares its size', () => {
  const isList = (type: GraphQLOutputType): boolean => isListType(isNonNullType(type) ? type.ofType : type);
  const silent = Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type) || isInterfaceType(type)
      ? Object.values(type.getFields())
          .filter((field) => isList(field.type) && !(field.extensions.cost as FieldCost | undefined)?.size)
          .map((field) => `${type.name}.${field.name}`)
      : [],
  );
  expect(silent.filter((name) => introspectionSizes[name] === undefined)).toEqual([]);
});

test('the lists of the introspection have at most their declared sizes, on average', () => {
  const { __schema } = introspectionFromSchema(schema);
  const owners = new Map<string | undefined, readonly object[]>([
    ['__Schema', [__schema]],
    ['__Directive', __schema.directives],
    ['__Type', __schema.types],
    ['__Field', __schema.types.flatMap((type) => ('fields' in type && type.fields) || [])],
  ]);
  const tooLong = Object.entries(introspectionSizes).filter(([name, size]) => {
    const [type, field = ''] = name.split('.');
    const lists = (owners.get(type) ?? []).map((owner) => Reflect.get(owner, field));
    return lists.filter(Array.isArray).flat().length > size * lists.length;
  });
  expect(tooLong).toEqual([]);
});

test('the cache of documents is bounded', () => {
  const documents = new Documents(api, true);
  const long = (i: number) => `# ${i} ${'x'.repeat(400_000)}\n{ __typename }`;
  for (let i = 0; i < 5; i++) expect(documents.prepared(long(i)).errors).toEqual([]);
  expect(documents.size).toBeGreaterThan(400_000);
  expect(documents.size).toBeLessThanOrEqual(500_000);
});

test('a document that is too long to be kept is parsed once a request', () => {
  const documents = new Documents(api, true);
  const text = `{ __typename } #${'x'.repeat(600_000)}`;
  expect(documents.isSubscription(text, null)).toBe(false);
  const prepared = documents.prepared(text);
  expect([documents.prepared(text) === prepared, documents.size]).toEqual([true, 0]);
});

test('shortens a message that repeats the input', async () => {
  const { errors } = await caller.graphql('query ($first: Int) { links(first: $first) { totalCount } }', {
    first: 'x'.repeat(100_000),
  });
  expect(errors?.[0]?.message.length).toBeLessThan(600);
});

test('includes the size of a page in the cost, also from a variable', async () => {
  const query = 'query ($first: Int) { links(first: $first) { edges { node { id } } } }';
  const costFor = async (variables: object) => {
    const response = await caller.fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query, variables, extensions: { cost: true } }),
    });
    return ((await response.json()) as { extensions: { cost: { cost: number } } }).extensions.cost.cost;
  };
  expect([await costFor({ first: 1 }), await costFor({ first: 100 }), await costFor({})]).toEqual([
    14, 410, 90,
  ]);
});

test('includes the cost in the answer only on request', async () => {
  const response = await caller.fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: '{ __typename }' }),
  });
  expect(await response.json()).toEqual({ data: { __typename: 'Query' } });
});

test('accepts the introspection queries of tools', async () => {
  const all = { inputValueDeprecation: true, specifiedByUrl: true, directiveIsRepeatable: true, oneOf: true };
  for (const options of [{}, { ...all, schemaDescription: true }])
    expect((await caller.graphql(getIntrospectionQuery(options))).errors).toBeUndefined();
});

test('introspection costs in proportion to its largest answer', async () => {
  const ofType = (name: string) =>
    `__type(name: "${name}") { fields { name description args { name description } type { name } } }`;
  for (const name of ['Link', 'Query', 'Mutation']) {
    const times = (count: number) => caller.graphql(`{ ${many(count, (i) => `a${i}: ${ofType(name)}`)} }`);
    expect((await times(1)).errors).toBeUndefined();
    expect((await times(200)).errors?.[0]?.extensions.code).toBe('TOO_COSTLY');
  }
});

test('refuses introspections that nest the lists of types often or deeply', async () => {
  const types = (count: number, fields: string) =>
    `{ ${many(count, (i) => `a${i}: __schema { types { ${fields} } }`)} }`;
  const fields = 'fields { name type { fields { name } } }';
  const codeOf = async (query: string) => (await caller.graphql(query)).errors?.[0]?.extensions.code;
  expect(await codeOf(types(1, fields))).toBeUndefined();
  expect(await codeOf(types(150, fields))).toBe('TOO_COSTLY');
  expect(await codeOf(types(150, 'fields { name }'))).toBe('TOO_COSTLY');
  expect(await codeOf(types(1, `fields { type { ${fields} } }`))).toBe('GRAPHQL_VALIDATION_FAILED');
});

test('refuses a batch of operations in one request', async () => {
  const response = await caller.fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify([{ query: '{ __typename }' }, { query: '{ __typename }' }]),
  });
  expect(response.status).toBe(400);
});
