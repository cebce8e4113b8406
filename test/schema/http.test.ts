import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { GraphQLError } from 'graphql';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Documents } from '../../src/engine/graphql/document.ts';
import { api } from '../../src/schema/api.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
});
afterAll(() => server.stop());

const JSON_TYPE = { 'Content-Type': 'application/json' };
const body = JSON.stringify({ query: '{ viewer { account { name } } }' });

test.each([
  ['no key', {}, body],
  ['an unknown key', { Authorization: 'Bearer unknown' }, body],
  ['no key and a broken query', {}, '{'],
])('returns 401 with the code UNAUTHENTICATED for %s', async (_what, headers, sent) => {
  const response = await fetch(`${server.origin}/graphql`, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body: sent,
  });
  expect([response.status, response.headers.get('WWW-Authenticate'), await response.json()]).toEqual([
    401,
    'Bearer',
    { errors: [{ message: expect.any(String), extensions: { code: 'UNAUTHENTICATED' } }] },
  ]);
});

test.each([
  ['application/graphql-response+json', 'application/graphql-response+json; charset=utf-8'],
  ['application/json', 'application/json; charset=utf-8'],
  [
    'application/json;q=0.1, application/graphql-response+json',
    'application/graphql-response+json; charset=utf-8',
  ],
  ['application/graphql-response+json; q=0.8,application/json', 'application/json; charset=utf-8'],
  ['application/graphql-response+json;q=0, application/json;q=0.5', 'application/json; charset=utf-8'],
  ['application/graphql-response+json;Q=0, application/json', 'application/json; charset=utf-8'],
  ['application/json;q=0, */*', 'application/graphql-response+json; charset=utf-8'],
  ['application/*;q=0.5, application/json;q=0.1', 'application/graphql-response+json; charset=utf-8'],
  ['application/json; charset="UTF-8"', 'application/json; charset=utf-8'],
  ['application/json;odata=verbose;q=0.5', 'application/json; charset=utf-8'],
])('answers with %s if it is accepted', async (accept, type) => {
  const response = await owner.fetch('/graphql', {
    method: 'POST',
    headers: { ...JSON_TYPE, Accept: accept },
    body,
  });
  expect([response.status, response.headers.get('Content-Type'), await response.json()]).toEqual([
    200,
    type,
    { data: { viewer: { account: { name: 'owner' } } } },
  ]);
});

test.each(['gzip', 'br', 'unknown'])('returns 415 for a body with Content-Encoding: %s', async (encoding) => {
  const headers = { ...JSON_TYPE, 'Content-Encoding': encoding };
  const response = await owner.fetch('/graphql', { method: 'POST', headers, body });
  expect([response.status, await response.json()]).toEqual([
    415,
    {
      errors: [{ message: 'Send the query without Content-Encoding.', extensions: { code: 'BAD_REQUEST' } }],
    },
  ]);
});

test.each([
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/plain',
  'application/graphql',
])('returns 415 for a body of type %s', async (type) => {
  const headers = { 'Content-Type': type };
  const response = await owner.fetch('/graphql', { method: 'POST', headers, body: 'query={__typename}' });
  expect(response.status).toBe(415);
});

test.each([
  ['variables', '{"i":'],
  ['variables', 'undefined'],
  ['extensions', '{'],
])('returns 400 for a GET request whose %s are %s', async (name, text) => {
  const query = new URLSearchParams({ query: '{ __typename }', [name]: text });
  const response = await owner.fetch(`/graphql?${query}`);
  expect([response.status, await response.json()]).toEqual([
    400,
    { errors: [{ message: `The parameter ${name} is not JSON.`, extensions: { code: 'BAD_REQUEST' } }] },
  ]);
});

test.each(['', '{"i":"?"}', 'null'])(
  'returns 200 for a GET request whose variables are %j',
  async (variables) => {
    const response = await owner.fetch(
      `/graphql?${new URLSearchParams({ query: '{ __typename }', variables })}`,
    );
    expect(await response.json()).toEqual({ data: { __typename: 'Query' } });
  },
);

test.each([
  'text/plain',
  'text/html',
  'image/*',
  'application/graphql+json',
  'application/json;q=0',
  'application/json; charset=utf-16',
  'multipart/mixed',
])('returns 406 if only %s is accepted, and executes nothing', async (accept) => {
  const create = JSON.stringify({
    query: `mutation { createSpace(input: { name: "${accept}" }) { __typename } }`,
  });
  const response = await owner.fetch('/graphql', {
    method: 'POST',
    headers: { ...JSON_TYPE, Accept: accept, 'Idempotency-Key': accept },
    body: create,
  });
  expect([response.status, response.headers.get('Idempotency-Replayed'), await response.json()]).toEqual([
    406,
    null,
    {
      errors: [{ message: expect.stringContaining('application/json'), extensions: { code: 'BAD_REQUEST' } }],
    },
  ]);
  const { spaces } = await owner.data<{ spaces: { totalCount: number } }>(
    `{ spaces(filter: { search: "${accept}" }) { totalCount } }`,
  );
  expect(spaces.totalCount).toBe(0);
});

test.each(['*/*', 'application/*', 'text/html, application/json;q=0.5', 'application/json; charset=utf-8'])(
  'answers with JSON to %s',
  async (accept) => {
    const headers = { ...JSON_TYPE, Accept: accept };
    for (const sent of [body, JSON.stringify({ query: '{ __typename }', extensions: { cost: true } })]) {
      const response = await owner.fetch('/graphql', { method: 'POST', headers, body: sent });
      expect([response.status, await response.json()]).toEqual([
        200,
        expect.objectContaining({ data: expect.anything() }),
      ]);
    }
  },
);

test('answers HEAD for the GraphiQL page as GET, without the page', async () => {
  const ask = (method: string) =>
    fetch(`${server.origin}/graphql`, { method, headers: { Accept: 'text/html' } });
  const [head, get] = [await ask('HEAD'), await ask('GET')];
  expect([head.status, head.headers.get('Content-Type'), await head.text()]).toEqual([
    200,
    get.headers.get('Content-Type'),
    '',
  ]);
  await get.text();
});

test.each([0, false, [], {}])('says that operationName must be a string: %j', async (operationName) => {
  for (const query of ['{ __typename }', 'query A { __typename } query B { __typename }']) {
    const response = await owner.fetch('/graphql', {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify({ query, operationName }),
    });
    const error = { message: 'operationName must be a string.', extensions: { code: 'BAD_REQUEST' } };
    expect([response.status, await response.json()]).toMatchObject([400, { errors: [error] }]);
  }
});

test.each(['text/html;q=0, */*', 'application/json, text/html;q=0.1'])(
  'does not serve the GraphiQL page to GET with Accept: %s',
  async (accept) => {
    const response = await owner.fetch('/graphql?query={__typename}', { headers: { Accept: accept } });
    expect(await response.json()).toEqual({ data: { __typename: 'Query' } });
  },
);

describe('a request like those of other programs', () => {
  const MARK = '\ufeff';
  const query = '{ viewer { account { name } } }';
  const mutation = 'mutation { deleteSpace(id: 1) { __typename } }';
  const [answer, written] = [
    { data: { viewer: { account: { name: 'owner' } } } },
    { data: { deleteSpace: { __typename: 'NotFoundError' } } },
  ];
  const long = `${query}${' '.repeat(20_000)}`;

  test.each<[string, string, object, Record<string, string>?]>([
    ['a byte order mark', MARK + JSON.stringify({ query }), answer],
    ['a byte order mark before a long body', MARK + JSON.stringify({ query: long }), answer],
    ['a byte order mark before the query', JSON.stringify({ query: MARK + query }), answer],
    [
      'a byte order mark and an Idempotency-Key',
      MARK + JSON.stringify({ query: mutation }),
      written,
      { 'Idempotency-Key': 'marked' },
    ],
    ['an empty operationName', JSON.stringify({ query, operationName: '' }), answer],
    ['an empty operationName in a long body', JSON.stringify({ query: long, operationName: '' }), answer],
    [
      'an empty operationName and an Idempotency-Key',
      JSON.stringify({ query: mutation, operationName: '' }),
      written,
      { 'Idempotency-Key': 'unnamed' },
    ],
    [
      'null for all that may be absent',
      JSON.stringify({ query, operationName: null, variables: null, extensions: null }),
      answer,
    ],
  ])('is answered: %s', async (_what, sent, expected, headers = {}) => {
    const init = { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: sent };
    const response = await owner.fetch('/graphql', init);
    expect([response.status, await response.json()]).toEqual([200, expected]);
    const stream = await owner.fetch('/graphql', {
      ...init,
      headers: { ...init.headers, Accept: 'text/event-stream' },
    });
    expect(await stream.text()).toContain(JSON.stringify(expected));
  });

  test.each(['operationName=', 'operationName=&variables=&extensions=', 'variables=null&extensions=null'])(
    'is answered by GET: %s',
    async (parameters) => {
      const response = await owner.fetch(`/graphql?query=${encodeURIComponent(query)}&${parameters}`);
      expect(await response.json()).toEqual(answer);
    },
  );

  test('is the same write with an empty operationName and with none', async () => {
    const init = { method: 'POST', headers: { ...JSON_TYPE, 'Idempotency-Key': 'one write' } };
    for (const sent of [{ query: mutation }, { query: mutation, operationName: '' }]) {
      const response = await owner.fetch('/graphql', { ...init, body: JSON.stringify(sent) });
      expect(await response.json()).toEqual(written);
    }
  });

  test('still needs the name of one of several operations', async () => {
    const sent = { query: 'query A { __typename } query B { __typename }', operationName: '' };
    const response = await owner.fetch('/graphql', {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify(sent),
    });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { errors: [{ extensions: { code: 'OPERATION_RESOLUTION_FAILURE' } }] },
    ]);
  });
});

test.each([
  '',
  ' ',
  '\ufeff',
  '\ufeff\ufeff{}',
  '{"query":',
  'null',
  '7',
  '"{}"',
  'true',
  `"${'x'.repeat(20_000)}`,
])('returns 400 for a body that is no JSON object, and does not repeat it: %#', async (sent) => {
  for (const accept of ['application/json', 'application/graphql-response+json']) {
    const headers = { ...JSON_TYPE, Accept: accept };
    const response = await owner.fetch('/graphql', { method: 'POST', headers, body: sent });
    expect([response.status, await response.json()]).toEqual([
      400,
      { errors: [{ message: 'The body is not a JSON object.', extensions: { code: 'BAD_REQUEST' } }] },
    ]);
  }
});

test('executes queries by GET, but no mutations', async () => {
  const get = (query: string) => owner.fetch(`/graphql?query=${encodeURIComponent(query)}`);
  expect(await (await get('{ __typename }')).json()).toEqual({ data: { __typename: 'Query' } });
  expect((await get('mutation { deleteSpace(id: 1) { __typename } }')).status).toBe(405);
});

test('reports the mistake in a query', async () => {
  const { errors } = await owner.graphql('{ nothing }');
  expect(errors?.[0]?.message).toMatch(/Cannot query field "nothing"/);
});

test('returns 403 with the code FORBIDDEN for an operation outside the scopes of the key, and executes nothing', async () => {
  const reader = await server.caller('owner', ['read']);
  const writer = await server.caller('owner', ['write']);
  const mutation = 'mutation { createSpace(input: { name: "Refused" }) { __typename } }';
  for (const [caller, operation] of [
    [reader, mutation],
    [writer, '{ spaces { totalCount } }'],
  ] as const) {
    const { status, errors } = await caller.graphql(operation);
    expect([status, errors]).toMatchObject([403, [{ extensions: { code: 'FORBIDDEN' } }]]);
  }
  expect(await reader.data('{ spaces { totalCount } }')).toEqual({ spaces: { totalCount: 0 } });
});

test('a client that disconnects during a query causes no internal error', async () => {
  const headers = { Authorization: `Bearer ${owner.key}`, 'Content-Type': 'application/json' };
  const broken = request(`${server.origin}/graphql`, {
    method: 'POST',
    headers: { ...headers, 'Content-Length': 100 },
  });
  broken.on('error', () => {});
  await new Promise((sent) => broken.write('{"query"', sent));
  const logged = server.log.length;
  broken.destroy();
  await expect.poll(() => server.log.length).toBeGreaterThan(logged);
  expect(server.log.slice(logged).map(({ msg }) => msg)).toEqual(['request']);
});

test('hides an internal error behind a request id, in both APIs', async () => {
  const broken = await startTestServer();
  try {
    const caller = await broken.caller();
    expect((await caller.rest('GET', '/spaces')).status).toBe(200);
    await broken.database.prisma.$executeRawUnsafe('ALTER TABLE "Space" RENAME TO "Lost"');
    const { errors, headers } = await caller.graphql('{ spaces { edges { node { id } } } }');
    const requestId = headers.get('X-Request-Id');
    expect(errors).toMatchObject([
      { message: 'Unexpected error.', extensions: { code: 'INTERNAL', requestId } },
    ]);
    expect(broken.log).toContainEqual(expect.objectContaining({ requestId, msg: 'unexpected error' }));
    const { status, body: refusal } = await caller.rest('GET', '/spaces');
    expect([status, refusal]).toEqual([500, { message: 'Server Error', status: 500 }]);
  } finally {
    await broken.stop();
  }
});

test('serves the text of the schema without a key', async () => {
  const response = await fetch(`${server.origin}/schema.graphql`);
  expect(response.headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
  expect(await response.text()).toBe(readFileSync('schema.graphql', 'utf8'));
});

describe('GraphiQL', () => {
  const page = (origin: string) => fetch(`${origin}/graphql`, { headers: { Accept: 'text/html' } });

  test('opens without a key, with examples and a field for the key, and contains no data', async () => {
    const response = await page(server.origin);
    const html = await response.text();
    expect([response.status, response.headers.get('Content-Type')]).toEqual([
      200,
      expect.stringContaining('text/html'),
    ]);
    expect(html).toContain('mutation CreateSpace');
    expect(html).toContain('Your API key');
    expect(html.length).toBeLessThan(10_000);
  });

  test('can be turned off together with introspection', async () => {
    const closed = await startTestServer({ graphiql: false });
    try {
      const caller = await closed.caller();
      expect((await page(closed.origin)).status).toBe(401);
      expect((await caller.graphql('{ __schema { queryType { name } } }')).errors?.[0]?.message).toMatch(
        /introspection/,
      );
      expect(await caller.data('{ viewer { account { name } } }')).toEqual({
        viewer: { account: { name: 'owner' } },
      });
      for (const [query, variables] of [
        ['{ link(id: "1") { ulr } }', {}],
        ['{ links(filter: { status: ACTVE }) { totalCount } }', {}],
        [
          'query ($status: LinkStatus) { links(filter: { status: $status }) { totalCount } }',
          { status: 'ACTVE' },
        ],
        [
          'query ($filter: LinkFilter) { links(filter: $filter) { totalCount } }',
          { filter: { serach: 'x' } },
        ],
      ] as const) {
        const { errors } = await caller.graphql(query, variables);
        expect(errors).toHaveLength(1);
        expect(errors?.[0]?.message).not.toMatch(/did you mean/i);
        expect((await owner.graphql(query, variables)).errors?.[0]?.message).toMatch(/did you mean/i);
      }
    } finally {
      await closed.stop();
    }
  });

  test('allows introspection while it is on', async () => {
    const { __schema } = await owner.data<{ __schema: object }>('{ __schema { queryType { name } } }');
    expect(__schema).toEqual({ queryType: { name: 'Query' } });
  });
});

test.each([
  ['/api/v1/spaces', 200],
  ['/api/v1/spaces/999', 404],
  ['/api/v1/nowhere', 404],
  ['/graphql?query={__typename}', 200],
])('an answer to %s is not cacheable', async (path, status) => {
  const response = await owner.fetch(path);
  expect([response.status, response.headers.get('Cache-Control')]).toEqual([status, 'private, no-store']);
});

test('a refusal is not cacheable', async () => {
  const response = await fetch(`${server.origin}/api/v1/spaces`);
  expect([response.status, response.headers.get('Cache-Control')]).toEqual([401, 'private, no-store']);
});

test('parses each part of a request once, also of one that is refused', async () => {
  const parse = vi.spyOn(JSON, 'parse');
  const long = 'x'.repeat(2_000);
  const times = (text: string) => parse.mock.calls.filter(([given]) => String(given).includes(text)).length;
  const variables = JSON.stringify({ s: `${long}1` });
  const query = 'query ($s: String) { links(filter: { search: $s }) { totalCount } }';
  await owner.fetch(`/graphql?${new URLSearchParams({ query, variables })}`);
  expect(times(`${long}1`)).toBe(1);
  for (const sent of [
    { query: `{ unknown(a: "${long}2") }` },
    { query: `{ broken(a: "${long}2")` },
    { query: 'subscription { changes { id } }', variables: { unused: `${long}2` } },
    { query, variables: { s: `${long}2` }, extra: 1 },
    [`${long}2`],
  ]) {
    parse.mockClear();
    const headers = { 'Content-Type': 'application/json' };
    await owner.fetch('/graphql', { method: 'POST', headers, body: JSON.stringify(sent) });
    expect(times(`${long}2`)).toBe(1);
  }
  vi.restoreAllMocks();
});

test('parses a document that is broken once', () => {
  const documents = new Documents(api, true);
  const errors = [1, 2].map(() => {
    try {
      documents.prepared('{ broken');
    } catch (error) {
      return error;
    }
    throw new Error('it can be parsed');
  });
  expect(errors[0]).toBeInstanceOf(GraphQLError);
  expect(errors[0]).toBe(errors[1]);
});
