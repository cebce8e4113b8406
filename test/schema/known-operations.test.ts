import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GraphQLAnswer } from '../../src/testing/caller.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
let id: number;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
  id = (await owner.link({ title: 'T', space_id: await owner.space('S') })).id;
});
afterAll(() => server.stop());

/** Sends any header, which `fetch` would not. */
async function sentTo(path: string, headers: Record<string, string>, body: string) {
  const { hostname, port } = new URL(server.origin);
  const sent = request({
    hostname,
    port,
    path,
    method: 'POST',
    headers: { Authorization: `Bearer ${owner.key}`, 'Content-Length': Buffer.byteLength(body), ...headers },
  });
  sent.end(body);
  const [response]: IncomingMessage[] = await once(sent, 'response');
  const text = response ? (await response.setEncoding('utf8').toArray()).join('') : '';
  return { status: response?.statusCode ?? 0, type: response?.headers['content-type'], text };
}

function send(headers: Record<string, string>, body: string): Promise<Response> {
  return owner.fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body,
  });
}

test.each<[string, string, object]>([
  [
    'a field that a fragment is not to add to',
    'query ($if: Boolean!) { link(id: ID) { space { id } space @include(if: $if) { ...F } } } fragment F on Space { name }',
    { if: false },
  ],
  [
    'a fragment that comes twice, once under a condition',
    'query ($if: Boolean!) { link(id: ID) { ...F @include(if: $if) ...F } } fragment F on Link { title }',
    { if: false },
  ],
  [
    'a list that is asked for twice',
    'query ($if: Boolean!) { links(first: 1) { nodes { id } } ... @include(if: $if) { links(first: 1) { totalCount } } }',
    { if: false },
  ],
  [
    'a list in the place of an object',
    'query ($f: LinkFilter) { links(filter: $f) { totalCount } }',
    { f: [] },
  ],
  [
    'an order without its direction',
    'query ($by: LinkOrder) { links(orderBy: $by, first: 1) { nodes { id title } } }',
    { by: { field: 'TITLE' } },
  ],
  [
    'a required variable with a default',
    'query ($first: Int! = 1) { links(first: $first) { nodes { id } } }',
    {},
  ],
  [
    'a day and an enum in variables',
    'query ($from: Date!, $by: StatisticsDimension!) { link(id: ID) { statistics(from: $from) { from to top(by: $by) { others } } } }',
    { from: '2026-11-01', by: 'BROWSER' },
  ],
  [
    'null for what may be left out',
    'query ($if: Boolean = true) { link(id: ID) { id @include(if: $if) title } }',
    { if: null },
  ],
])('answers %s the fifth time as it did the first time', async (_name, query, variables) => {
  const answers = [];
  for (let i = 0; i < 5; i++)
    answers.push(
      await owner.graphql(query.replace('ID)', `${id})`).replace('id: ID', `id: ${id}`), variables),
    );
  for (const { status, data, errors } of answers) {
    expect([status, data, errors?.[0]?.message]).toEqual([
      answers[0]?.status,
      answers[0]?.data,
      answers[0]?.errors?.[0]?.message,
    ]);
  }
});

const create =
  'mutation ($input: CreateSpaceInput!) { createSpace(input: $input) { __typename ... on Space { name } ... on Error { message } } }';
const readBoth =
  'query ($id: ID!) { node(id: $id) { __typename ... on Link { title } } byName: links(first: 1) { nodes { id } } }';

test.each<[string, string, object, object]>([
  ['a refusal as data', create, { input: { name: 'A' } }, { input: { name: '' } }],
  ['a variable of the wrong type', create, { input: { name: 'B' } }, { input: { name: 1 } }],
  ['a missing variable', create, { input: { name: 'C' } }, {}],
  ['an unknown variable', create, { input: { name: 'D' } }, { input: { name: 'E' }, more: true }],
  ['an interface', readBoth, { id: 'TGluazox' }, { id: 'unknown' }],
  [
    'an operation that is too large',
    'query ($first: Int!) { links(first: $first) { nodes { space { links(first: $first) { nodes { space { links(first: $first) { nodes { id } } } } } } } } }',
    { first: 1 },
    { first: 100 },
  ],
])('answers %s the same before and after the operation is cached', async (_name, query, good, other) => {
  const form = ({ status, data, errors, headers }: GraphQLAnswer) => {
    const names = [...headers.keys()].filter((name) => !name.startsWith('x-ratelimit'));
    return { status, data, errors, type: headers.get('content-type'), names };
  };
  // A comment makes it another operation.
  const unknown = form(await owner.graphql(`${query} # unknown`, other));
  await owner.graphql(query, good);
  for (let i = 0; i < 3; i++) expect(form(await owner.graphql(query, other))).toEqual(unknown);
});

test('a number above the largest double does not break the cached operation for others', async () => {
  const query = 'query Spaces($first: Int) { spaces(first: $first) { totalCount } }';
  await send({}, `{"query":${JSON.stringify(query)},"variables":{"first":1e400}}`);
  expect(await owner.graphql(query, { first: null })).toMatchObject({ status: 200, errors: undefined });
});

test('a read-only key cannot execute a cached mutation', async () => {
  const input = { name: 'Known' };
  await owner.data(create, { input });
  const reader = await server.caller('owner', ['read']);
  const { data, errors } = await reader.graphql(create, { input });
  expect([data, errors?.map(({ extensions }) => extensions.code)]).toEqual([undefined, ['FORBIDDEN']]);
});

test('refuses an operation that the document does not have, cached or not', async () => {
  const query = 'mutation Make { createSpace(input: { name: "Made" }) { __typename } }';
  const answer = async (text: string) => {
    const response = await send({}, JSON.stringify({ query: text, operationName: 'Other' }));
    return [response.status, await response.json()];
  };
  const unknown = await answer(`${query} # unknown`);
  await owner.data(query);
  expect(await answer(query)).toEqual(unknown);
  expect(unknown[0]).toBe(400);
});

describe.each([1, 101])('a mutation that asks for %d records', (first) => {
  test.each<Record<string, string>>([
    { 'Content-Type': 'application/json ; charset=utf-8' },
    { 'Content-Type': 'Application/JSON' },
    { 'Content-Type': 'application/json, text/plain' },
    { Accept: ',' },
    { Accept: ';q=1' },
    { Accept: 'application/json application/json' },
    { Accept: '*/*application/json' },
    { Accept: 'text/html' },
    { Accept: 'application/json;charset="utf-8"' },
    { Accept: 'application/json;q=0' },
    { Accept: 'application/json, application/graphql-response+json' },
    { Accept: 'application/graphql-response+json;q=0.1, application/json' },
    { Accept: 'Application/GraphQL-Response+JSON' },
    { Accept: 'text/html, */*;q=0.5' },
    { Host: 'a b' },
    { Host: '[' },
    { Host: 'x:99999' },
  ])('has the same answer and effect with %j, cached or not', async (headers) => {
    const text = (comment: string) =>
      `mutation ($name: String!, $first: Int!) { createSpace(input: { name: $name }) { ... on Space { links(first: $first) { totalCount } } } } # ${comment}`;
    const query = text(`known ${JSON.stringify(headers)}`);
    await owner.data(query, { name: 'First', first: 1 });
    const name = `Named ${randomUUID()}`;
    const answer = async (sent: string) => {
      const body = JSON.stringify({ query: sent, variables: { name, first } });
      return sentTo('/graphql', { 'Content-Type': 'application/json', ...headers }, body);
    };
    const made = async () =>
      (
        await owner.data<{ spaces: { totalCount: number } }>(
          'query ($search: String!) { spaces(filter: { search: $search }) { totalCount } }',
          { search: name },
        )
      ).spaces.totalCount;
    const unknown = await answer(text(randomUUID()));
    const before = await made();
    expect(await answer(query)).toEqual(unknown);
    expect([unknown.status < 500, await made()]).toEqual([true, 2 * before]);
    expect(before).toBe(unknown.status === 200 ? 1 : 0);
  });
});

test.each(['Both', undefined])(
  'treats a query with the name of a cached operation in front of it as another query',
  async (operationName) => {
    const query = 'mutation Both { createSpace(input: { name: "Both" }) { __typename } }';
    await send({}, JSON.stringify({ query, operationName }));
    for (const before of ['Both', '4:Both', ':', 'Both\0', '\0']) {
      const response = await send({}, JSON.stringify({ query: before + query }));
      expect(await response.json()).toMatchObject({
        errors: [{ message: expect.stringMatching(/^Syntax Error/) }],
      });
    }
  },
);

test('does not execute a cached mutation for a client that accepts no JSON', async () => {
  const body = JSON.stringify({ query: create, variables: { input: { name: 'Refused' } } });
  await owner.data(create, { input: { name: 'Accepted' } });
  const response = await send({ Accept: 'application/json;q=0' }, body);
  const { spaces } = await owner.data<{ spaces: { totalCount: number } }>(
    '{ spaces(filter: { search: "Refused" }) { totalCount } }',
  );
  expect([response.status, spaces.totalCount]).toEqual([406, 0]);
});

test('executes a cached mutation whose answer has an error once', async () => {
  const query =
    'mutation ($name: String!, $first: Int!) { createSpace(input: { name: $name }) { ... on Space { links(first: $first) { totalCount } } } }';
  await owner.data(query, { name: 'Good', first: 1 });
  const { errors } = await owner.graphql(query, { name: 'Once', first: 101 });
  const { spaces } = await owner.data<{ spaces: { totalCount: number } }>(
    '{ spaces(filter: { search: "Once" }) { totalCount } }',
  );
  expect([errors?.map(({ path }) => path), spaces.totalCount]).toEqual([[['createSpace', 'links']], 1]);
});
