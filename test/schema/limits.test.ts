import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
    'cost',
    130_301,
    100_000,
    `{ spaces(first: 100) { edges { node { links(first: 100) { edges { node {
    id url alias shortUrl title clicks status createdAt updatedAt disabled privacy } } } } } } }`,
  ],
])('refuses too large a %s, before anything is executed', async (what, size, limit, query) => {
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

test('refuses too many tokens', async () => {
  const { errors } = await caller.graphql(`{ ${many(10_001, () => '__typename')} }`);
  expect(errors?.[0]?.message).toContain('10000 tokens');
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

test('the size of a page counts, from a variable too', async () => {
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
    4, 301, 61,
  ]);
});

test('nobody is told of costs who does not ask', async () => {
  const response = await caller.fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: '{ __typename }' }),
  });
  expect(await response.json()).toEqual({ data: { __typename: 'Query' } });
});

test('what tools ask of a schema is within the limits', async () => {
  const { errors } = await caller.graphql(getIntrospectionQuery());
  expect(errors).toBeUndefined();
});

test('a batch of operations in one request is refused', async () => {
  const response = await caller.fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify([{ query: '{ __typename }' }, { query: '{ __typename }' }]),
  });
  expect(response.status).toBe(400);
});
