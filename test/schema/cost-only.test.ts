import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { subscribe } from '../support/events.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer({ rateLimit: 1_000 });
});
afterAll(() => server.stop());
beforeEach(async () => {
  owner = await server.caller();
});

interface Answer {
  readonly data: unknown;
  readonly errors?: { readonly extensions: { readonly code: string } }[];
  readonly extensions?: { readonly cost: Readonly<Record<string, unknown>> };
}

async function ask(
  body: object,
  headers: Record<string, string> = {},
  caller = owner,
): Promise<{ status: number; headers: Headers; answer: Answer }> {
  const response = await caller.fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, answer: (await response.json()) as Answer };
}

const ONLY = { extensions: { cost: 'only' } };
const LIST = '{ links(first: 100) { nodes { title } totalCount } }';
const MUTATION = 'mutation { createSpace(input: { name: "Never" }) { __typename } }';

const accepted = ['application/json', 'application/graphql-response+json'];

test.each(accepted)(
  'answers with the cost that the operation has when it is executed, as %s',
  async (accept) => {
    const { answer: executed } = await ask({ query: LIST, extensions: { cost: true } });
    const { status, answer } = await ask({ query: LIST, ...ONLY }, { Accept: accept });
    expect([status, answer]).toEqual([200, { data: null, extensions: executed.extensions }]);
    expect(answer.extensions?.cost).toMatchObject({ cost: expect.any(Number), depth: 3, breadth: 4 });
  },
);

test('executes nothing: neither a query, nor a mutation', async () => {
  await ask({ query: LIST, ...ONLY });
  const sent = await server.statementsOf(async () => {
    await ask({ query: LIST, ...ONLY });
    const { status, answer } = await ask({ query: MUTATION, ...ONLY });
    expect([status, answer]).toEqual([200, { data: null, extensions: { cost: expect.any(Object) } }]);
  });
  expect(sent).toEqual([]);
  expect(await owner.data('{ spaces { totalCount } }')).toEqual({ spaces: { totalCount: 0 } });
});

test('keeps nothing for an Idempotency-Key, which is free for the write itself', async () => {
  const headers = { 'Idempotency-Key': 'a priced write' };
  for (let i = 0; i < 2; i++) {
    const { answer, headers: got } = await ask({ query: MUTATION, ...ONLY }, headers);
    expect(answer).toEqual({ data: null, extensions: { cost: expect.any(Object) } });
    expect(got.get('Idempotency-Replayed')).toBeNull();
  }
  expect(await server.database.prisma.keptAnswer.count()).toBe(0);
  const { answer } = await ask({ query: MUTATION }, headers);
  expect(answer.data).toEqual({ createSpace: { __typename: 'Space' } });
  const priced = await ask({ query: MUTATION, ...ONLY }, headers);
  expect(priced.answer).toEqual({ data: null, extensions: { cost: expect.any(Object) } });
});

describe('gets the error that the operation itself gets', () => {
  const many = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    .map((alias) => `${alias}: links(first: 100) { nodes { title } }`)
    .join(' ');
  test.each([
    ['a cost above the limit', { query: `{ spaces(first: 100) { nodes { ${many} } } }` }, 'TOO_COSTLY', 400],
    ['broken syntax', { query: '{' }, 'GRAPHQL_PARSE_FAILED', 400],
    ['an unknown field', { query: '{ nothing }' }, 'GRAPHQL_VALIDATION_FAILED', 400],
    ['a wrong variable', { query: 'query ($id: ID!) { link(id: $id) { id } }' }, 'BAD_REQUEST', 400],
    [
      'no operation',
      { query: 'query A { __typename } query B { __typename }' },
      'OPERATION_RESOLUTION_FAILURE',
      400,
    ],
  ])('%s', async (_what, body, code, status) => {
    const found = await ask({ ...body, ...ONLY }, { Accept: 'application/graphql-response+json' });
    expect([found.status, found.answer.errors?.[0]?.extensions.code]).toEqual([status, code]);
    expect(found.answer.data ?? null).toBeNull();
  });

  test('a scope that the key lacks', async () => {
    const reader = await server.caller('owner', ['read']);
    expect(await ask({ query: MUTATION, ...ONLY }, {}, reader)).toMatchObject({
      status: 403,
      answer: { errors: [{ extensions: { code: 'FORBIDDEN' } }] },
    });
  });

  test('reads below a write with an Idempotency-Key', async () => {
    const query = `mutation { updateSpace(id: 1, input: {}) { ... on Space { links(filter: { search: "x" }) { totalCount } } } }`;
    const priced = (headers: Record<string, string>) => ask({ query, ...ONLY }, headers);
    expect((await priced({})).answer.errors).toBeUndefined();
    const { answer } = await priced({ 'Idempotency-Key': 'many reads' });
    expect(answer.errors?.[0]?.extensions.code).toBe('TOO_COSTLY');
  });
});

test('prices a subscription for a client that reads JSON, and begins none', async () => {
  const query = 'subscription { changes { id record { nodeId } } }';
  for (let i = 0; i < 12; i++) {
    const { status, answer } = await ask({ query, ...ONLY });
    expect([status, answer.data, answer.extensions?.cost.cost]).toEqual([200, null, expect.any(Number)]);
  }
  const events = await subscribe(owner, 'subscription { changes { id } }');
  expect(events.status).toBe(200);
  events.close();
});

test('counts as a request for the rate limit', async () => {
  const remaining = async () => {
    const { headers } = await ask({ query: LIST, ...ONLY });
    return Number(headers.get('X-RateLimit-Remaining'));
  };
  const before = await remaining();
  expect(await remaining()).toBe(before - 1);
});

test.each([false, null])('executes the operation if the cost is %j', async (cost) => {
  const { answer } = await ask({ query: '{ __typename }', extensions: { cost } });
  expect(answer).toEqual({ data: { __typename: 'Query' } });
});

test('works by GET, and with the id of a trusted document', async () => {
  const extensions = JSON.stringify({ cost: 'only' });
  const got = await owner.fetch(`/graphql?${new URLSearchParams({ query: LIST, extensions })}`);
  expect(await got.json()).toEqual({ data: null, extensions: { cost: expect.any(Object) } });
  const trusting = await startTestServer({ trusted: new Map([['list', LIST]]) });
  const { answer } = await ask({ documentId: 'list', ...ONLY }, {}, await trusting.caller());
  await trusting.stop();
  expect(answer).toEqual({ data: null, extensions: { cost: expect.any(Object) } });
});

test.each(['Only', ' only', ['only'], {}, 1])('executes nothing for an unknown value: %j', async (cost) => {
  const query = 'mutation { createSpace(input: { name: "Misspelt" }) { __typename } }';
  const { status, answer } = await ask({ query, extensions: { cost } });
  expect([status, answer.errors?.[0]?.extensions.code]).toEqual([400, 'BAD_REQUEST']);
  const { spaces } = await owner.data<{ spaces: { nodes: { name: string }[] } }>(
    '{ spaces { nodes { name } } }',
  );
  expect(spaces.nodes.map(({ name }) => name)).not.toContain('Misspelt');
});
