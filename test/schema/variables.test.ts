import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let caller: Caller;
beforeAll(async () => {
  server = await startTestServer();
  caller = await server.caller();
});
afterAll(() => server.stop());

const fields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, 1]));
const long = 'A'.repeat(1_000);
const links = 'query ($v: LinkFilter) { links(filter: $v) { totalCount } }';
const ordered = 'query ($v: LinkOrderField!) { links(orderBy: { field: $v }) { totalCount } }';
const first = 'query ($v: Int) { links(first: $v) { totalCount } }';
const nodes = 'query ($v: [ID!]!) { nodes(nodeIds: $v) { __typename } }';
const create = 'mutation ($v: [CreateLinkInput!]!) { createLinks(inputs: $v) { __typename } }';
const url = 'https://example.com/';

test.each<[string, string, unknown, unknown, string]>([
  [
    'many unknown fields',
    links,
    {},
    fields(1_000),
    '. Fields "field0", "field1", "field2" and 997 more are not defined by type "LinkFilter".',
  ],
  [
    'two unknown fields',
    links,
    {},
    fields(2),
    '. Fields "field0", "field1" are not defined by type "LinkFilter".',
  ],
  [
    'a misspelt field',
    links,
    {},
    { serach: 'a' },
    '. Field "serach" is not defined by type "LinkFilter". Did you mean "search"?',
  ],
  [
    'a field with a long name',
    links,
    {},
    { [long]: 1 },
    `. Field "${'A'.repeat(100)}" is not defined by type "LinkFilter".`,
  ],
  ['a list for an object', links, {}, [fields(100)], '. Expected type "LinkFilter" to be an object.'],
  ['a text for an object', links, {}, long, '. Expected type "LinkFilter" to be an object.'],
  [
    'items of a list',
    create,
    [],
    Array.from({ length: 1_000 }, () => ({ url, ...fields(1) })),
    ' at "v[0]". Field "field0" is not defined by type "CreateLinkInput".',
  ],
  [
    'items without a required field',
    create,
    [],
    Array.from({ length: 1_000 }, () => ({ title: long })),
    ' at "v[0]". Field "url" of required type "String!" was not provided.',
  ],
  [
    'a nested object',
    create,
    [],
    [{ url, targeting: { countries: [{ country: 'DE', ...fields(100) }] } }],
    ' at "v[0].targeting.countries[0]". Fields "field0", "field1", "field2" and 97 more are not defined by type "CountryTargetInput".',
  ],
  [
    'objects for ids',
    nodes,
    [],
    [fields(100), fields(100)],
    ' at "v[0]". Type "ID" has no lists or objects.',
  ],
  ['null in a list', nodes, [], [null], ' at "v[0]". It must not be null.'],
  ['an object for a number', first, 1, fields(1_000), '. Type "Int" has no lists or objects.'],
  ['a long text for a number', first, 1, long, '. Type "Int" has no text of 1000 characters.'],
  ['a long text for an enum', ordered, 'ID', long, '. Type "LinkOrderField" has no text of 1000 characters.'],
])(
  '%s in a variable gives one short error, also for a cached operation',
  async (_what, query, good, v, message) => {
    for (let time = 1; time <= 4; time++) {
      const answer = await caller.graphql(query, { v });
      expect(answer).toMatchObject({
        status: 400,
        data: undefined,
        errors: [
          { message: `Variable "$v" got an invalid value${message}`, extensions: { code: 'BAD_REQUEST' } },
        ],
      });
      expect(answer.errors).toHaveLength(1);
      expect((await caller.graphql(query, { v: good })).errors).toBeUndefined();
    }
  },
);

test('refuses an invalid variable of a subscription in the same words', async () => {
  const response = await caller.fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
    body: JSON.stringify({
      query: 'subscription ($f: ChangeFilter) { changes(filter: $f) { id } }',
      variables: { f: fields(100) },
    }),
  });
  expect(await response.text()).toContain('and 97 more are not defined by type');
});
