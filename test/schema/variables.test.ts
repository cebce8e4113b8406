import { getOperationAST, parse } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { coerceVariables } from '../../src/engine/graphql/variables.ts';
import { schema } from '../../src/schema/index.ts';
import { cpuTimeOf } from '../support/cpu-time.ts';
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
const INTEGER_RULE = 'It must be an integer from -2147483648 to 2147483647.';
const order =
  'It must be a value of "LinkOrderField". Did you mean ALIAS, CLICKS, ID, TITLE, UPDATED_AT, URL?';
const url = 'https://example.com/';

test.each<[string, string, unknown, unknown, string]>([
  ['many unknown fields', links, {}, fields(1_000), '. Field "field0" is not defined by type "LinkFilter".'],
  [
    'a misspelt field',
    links,
    {},
    { serach: 'a' },
    '. Field "serach" is not defined by type "LinkFilter". Did you mean "search"?',
  ],
  ['a field with a long name', links, {}, { [long]: 1 }, `. Field "${'A'.repeat(457)}…`],
  ['a list for an object', links, {}, [fields(100)], '. Expected type "LinkFilter" to be an object.'],
  ['a text for an object', links, {}, long, '. Expected type "LinkFilter" to be an object.'],
  [
    'items of a list',
    create,
    [],
    Array.from({ length: 100 }, () => ({ url, ...fields(1) })),
    ' at "v[0]". Field "field0" is not defined by type "CreateLinkInput".',
  ],
  [
    'items without a required field',
    create,
    [],
    Array.from({ length: 100 }, () => ({ title: long })),
    ' at "v[0]". Field "url" of required type "String!" was not provided.',
  ],
  [
    'a nested object',
    create,
    [],
    [{ url, targeting: { countries: [{ country: 'DE', url, ...fields(100) }] } }],
    ' at "v[0].targeting.countries[0]". Field "field0" is not defined by type "CountryTargetInput".',
  ],
  ['objects for ids', nodes, [], [fields(100), fields(100)], ' at "v[0]". It must be text or an integer.'],
  ['an object for one id of a list', nodes, [], { id: 1 }, '. It must be text or an integer.'],
  ['null in a list', nodes, [], [null], ' at "v[0]". Expected non-nullable type "ID!" not to be null.'],
  ['an object for a number', first, 1, fields(1_000), `. ${INTEGER_RULE}`],
  ['a long text for a number', first, 1, long, `. ${INTEGER_RULE}`],
  ['a short text for a number', first, 1, 'secret', `. ${INTEGER_RULE}`],
  ['too large a number', first, 1, 1e10, `. ${INTEGER_RULE}`],
  ['a number for a text', links, {}, { search: 12345 }, ' at "v.search". It must be text.'],
  [
    'a text for a flag',
    links,
    {},
    { withoutSpace: 'secret' },
    ' at "v.withoutSpace". It must be true or false.',
  ],
  ['a long text for an enum', ordered, 'ID', long, `. ${order}`],
  ['a short text for an enum', ordered, 'ID', 'secret', `. ${order}`],
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
  expect(await response.text()).toContain('is not defined by type');
});

test('refuses an operation without a variable that it needs', async () => {
  expect(await caller.graphql(nodes)).toMatchObject({
    status: 400,
    errors: [
      {
        message: 'Variable "$v" of required type "[ID!]!" was not provided.',
        extensions: { code: 'BAD_REQUEST' },
      },
    ],
  });
});

test.each<[string, string]>([
  ['an object', 'LinkFilter'],
  ['a list of objects', '[CreateLinkInput!]!'],
])('a megabyte of unknown fields for %s costs little', async (_what, type) => {
  const document = parse(`query ($v: ${type}) { __typename }`);
  const { variableDefinitions = [] } = getOperationAST(document) ?? {};
  const given = { v: { url, ...fields(60_000) } };
  const check = () =>
    expect(() => coerceVariables(schema, variableDefinitions, given)).toThrow('is not defined');
  check();
  // By graphql's own check it is seconds.
  expect(await cpuTimeOf(check)).toBeLessThan(500);
});
