import { createHash } from 'node:crypto';
import { ApolloClient, gql as apolloGql, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { Client, fetchExchange, gql } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let caller: Caller;
beforeAll(async () => {
  server = await startTestServer();
  caller = await server.caller('Acme');
});
afterAll(() => server.stop());

const VIEWER = '{ viewer { account { name } } }';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const persistedQuery = { version: 1, sha256Hash: sha256(VIEWER) };
const unsupported = {
  errors: [{ message: 'PersistedQueryNotSupported', extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } }],
};

const post = (body: object, headers: Record<string, string> = {}) =>
  caller.fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

describe.each(['application/json', 'application/graphql-response+json', '*/*'])(
  'accepting %s, a hash',
  (accept) => {
    test.each<[string, object]>([
      ['without a query', {}],
      ['with an empty query', { query: '' }],
      ['with null as the query', { query: null }],
      ['with variables and a name', { operationName: 'Viewer', variables: { id: '1' } }],
    ])('%s is not supported, as Apollo Server says it', async (_how, body) => {
      const response = await post({ ...body, extensions: { persistedQuery } }, { Accept: accept });
      expect([response.status, await response.json()]).toEqual([200, unsupported]);
      expect(response.headers.get('cache-control')).toContain('no-store');
    });

    test('in the query string of a GET request is not supported', async () => {
      const query = new URLSearchParams({ extensions: JSON.stringify({ persistedQuery }) });
      const response = await caller.fetch(`/graphql?${query}`, { headers: { Accept: accept } });
      expect([response.status, await response.json()]).toEqual([200, unsupported]);
    });

    test('beside its query is ignored', async () => {
      const response = await post({ query: VIEWER, extensions: { persistedQuery } }, { Accept: accept });
      expect(await response.json()).toEqual({ data: { viewer: { account: { name: 'Acme' } } } });
    });
  },
);

test.each<[string, object]>([
  ['no extensions', {}],
  ['null as its extensions', { extensions: null }],
  ['other extensions', { extensions: { cost: true } }],
  ['null as its hash', { extensions: { persistedQuery: null } }],
])('a request without a query and with %s is told to send one', async (_how, body) => {
  const response = await post(body, { Accept: 'application/graphql-response+json' });
  expect([response.status, await response.json()]).toEqual([
    400,
    { errors: [{ message: 'Must provide query string.', extensions: { code: 'BAD_REQUEST' } }] },
  ]);
});

test('a hash needs a key, like all else', async () => {
  const response = await server.callerWith('nonsense').fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ extensions: { persistedQuery } }),
  });
  expect(response.status).toBe(401);
});

test('a mutation whose hash was refused is executed with the same Idempotency-Key', async () => {
  const query = 'mutation { createSpace(input: { name: "Once" }) { ... on Space { name } } }';
  const extensions = { persistedQuery: { version: 1, sha256Hash: sha256(query) } };
  const key = { 'Idempotency-Key': 'hash, then query' };
  expect(await (await post({ extensions }, key)).json()).toEqual(unsupported);
  expect(await (await post({ query }, key)).json()).toEqual({ data: { createSpace: { name: 'Once' } } });
});

/** A fetch that notes whether each request had a query. */
function noting() {
  const asked: ('hash' | 'query')[] = [];
  const noted: typeof fetch = (url, init) => {
    const sent =
      typeof init?.body === 'string'
        ? JSON.parse(init.body)
        : Object.fromEntries(new URL(String(url)).searchParams);
    asked.push(sent.query ? 'query' : 'hash');
    return fetch(url, { ...init, headers: { ...headersIn(init), Authorization: `Bearer ${caller.key}` } });
  };
  return { asked, noted };
}

const headersIn = (init: RequestInit = {}) => Object.fromEntries(new Headers(init.headers));

describe('a client that asks by hashes sends the query, and then asks no more', () => {
  test.each([false, true])('Apollo Client, with GET: %s', async (useGETForHashedQueries) => {
    const { asked, noted } = noting();
    const http = new HttpLink({ uri: `${server.origin}/graphql`, fetch: noted });
    const link = new PersistedQueryLink({ sha256, useGETForHashedQueries }).concat(http);
    const client = new ApolloClient({ link, cache: new InMemoryCache() });
    const { data } = await client.query({ query: apolloGql(VIEWER), fetchPolicy: 'no-cache' });
    expect(data).toMatchObject({ viewer: { account: { name: 'Acme' } } });
    await client.query({ query: apolloGql('{ viewer { role } }'), fetchPolicy: 'no-cache' });
    await client.mutate({ mutation: apolloGql('mutation { deleteSpace(id: "999") { __typename } }') });
    expect(asked).toEqual(['hash', 'query', 'query', 'query']);
    client.stop();
  });

  test.each([false, true])('urql, with GET: %s', async (preferGetForPersistedQueries) => {
    const { asked, noted } = noting();
    const persisted = persistedExchange({ preferGetForPersistedQueries, enableForMutation: true });
    const url = `${server.origin}/graphql`;
    const client = new Client({
      url,
      fetch: noted,
      exchanges: [persisted, fetchExchange],
      preferGetMethod: false,
    });
    const { data } = await client.query(gql(VIEWER), {}).toPromise();
    expect(data).toMatchObject({ viewer: { account: { name: 'Acme' } } });
    await client.query(gql('{ viewer { role } }'), {}).toPromise();
    await client.mutation(gql('mutation { deleteSpace(id: "999") { __typename } }'), {}).toPromise();
    expect(asked).toEqual(['hash', 'query', 'query', 'query']);
  });
});
