import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let caller: Caller;
beforeAll(async () => {
  server = await startTestServer();
  caller = await server.caller();
});
afterAll(() => server.stop());
afterEach(() => vi.restoreAllMocks());

const nested = (count: number) => `${'['.repeat(count)}${']'.repeat(count)}`;
const objects = (count: number) => `${'{"a":'.repeat(count)}1${'}'.repeat(count)}`;
const items = (count: number, item: string) => `[${Array.from({ length: count }, () => item).join()}]`;
const names = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1])));
const body = (variables: string, name = 'variables') =>
  `{"query":"{ __typename }","${name}":${variables},"x":"${'x'.repeat(10_000)}"}`;

/** The answer to a body, and how often a long text is parsed for it. */
async function send(
  path: string,
  sent: string,
): Promise<{ status: number; answer: unknown; parsed: number }> {
  const parse = vi.spyOn(JSON, 'parse');
  const headers = { 'Content-Type': 'application/json' };
  const { status, ...response } = await caller
    .fetch(path, { method: 'POST', headers, body: sent })
    .then(async (one) => ({ status: one.status, text: await one.text() }));
  const parsed = parse.mock.calls.filter(([text]) => String(text).length > 10_000).length;
  parse.mockRestore();
  return { status, answer: JSON.parse(response.text), parsed };
}

test.each([
  ['lists', body(`{"a":${nested(400_000)}}`), { nesting: 101 }],
  ['objects', body(`{"a":${objects(100_000)}}`), { nesting: 101 }],
  ['extensions', body(nested(400_000), 'extensions'), { nesting: 101 }],
  ['lists in place of the body', nested(400_000), { nesting: 101 }],
  ['values', body(`{"a":${items(400_000, '1')}}`), { values: 100_001 }],
  ['empty lists', body(`{"a":${items(400_000, '[]')}}`), { values: 100_001 }],
  ['names', body(`{"a":${names(50_000)}}`), { names: 10_001 }],
  ['variables', body(names(50_000)), { names: 10_001 }],
])('refuses a GraphQL body with too many %s before it is parsed', async (_what, sent, measure) => {
  const extensions = { code: 'TOO_COSTLY', ...measure };
  expect(await send('/graphql', sent)).toMatchObject({
    status: 400,
    answer: { errors: [{ extensions }] },
    parsed: 0,
  });
});

test('parses a GraphQL body with as many as may be given', async () => {
  // A bracket, a brace and a comma in a text are no nesting and no value.
  const text = JSON.stringify('[{,"\\'.repeat(30_000));
  for (const variables of [
    `{"a":${nested(99)}}`,
    `{"a":${items(99_990, '1')}}`,
    names(9_999),
    `{"a":${text}}`,
  ])
    expect(await send('/graphql', body(variables).replace(/,"x":"x*"/, ''))).toMatchObject({
      ...{ status: 200, answer: { data: { __typename: 'Query' } } },
    });
});

test.each([
  ['lists', `{"a":${nested(400_000)}}`, 'The body is nested too deeply.'],
  ['objects', `{"a":${objects(100_000)}}`, 'The body is nested too deeply.'],
  ['values', `{"a":${items(400_000, '1')}}`, 'The body has more than 5000 values.'],
  ['names', names(50_000), 'The body has more than 5000 values.'],
])('refuses a body of v1 with too many %s before it is parsed', async (_what, sent, message) => {
  expect(await send('/api/v1/spaces', sent)).toEqual({
    status: 400,
    answer: { message, status: 400 },
    parsed: 0,
  });
});

test('parses a body of v1 with as many as it may have', async () => {
  const name = `"name":${JSON.stringify('[{,"\\'.repeat(20))}`;
  for (const more of [`"a":${nested(20)}`, `"a":${items(4_990, '1')}`, names(4_990).slice(1, -1)])
    expect(await send('/api/v1/spaces', `{${name},${more}}`)).toMatchObject({ status: 201 });
  expect(await send('/api/v1/spaces', `{${name},"a":${nested(21)}}`)).toMatchObject({ status: 400 });
});

test.each([
  ['lists', `{"email":${nested(8_000)}}`],
  ['objects', `{"email":${objects(2_000)}}`],
  ['values', `{"email":${items(2_000, '1')}}`],
  ['names', names(1_000)],
])('refuses a body below /auth/ with too many %s before it is parsed', async (_what, sent) => {
  const parse = vi.spyOn(JSON, 'parse');
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(`${server.origin}/auth/forgot`, { method: 'POST', headers, body: sent });
  const parsed = parse.mock.calls.filter(([text]) => text === sent).length;
  parse.mockRestore();
  expect([answer.status, await answer.json(), parsed]).toMatchObject([
    ...[422, { error: { message: 'body has too many values.' } }, 0],
  ]);
});

test.each([
  ['a form', 'email=a', { 'Content-Type': 'text/plain' }, 'NOT_SENT_AS_JSON', []],
  ['a list', '[]', {}, 'BODY_NOT_AN_OBJECT', []],
  ['broken JSON', '{', {}, 'BODY_NOT_AN_OBJECT', []],
  ['many values', `{"email":${items(2_000, '1')}}`, {}, 'BODY_HAS_TOO_MANY_VALUES', []],
  ['much', 'x'.repeat(70_000), {}, 'BODY_TOO_LARGE_OR_LATE', [{ name: 'max', value: '16384' }]],
])('says by a reason why %s is refused below /auth/', async (_what, body, more, reason, reasonValues) => {
  const headers = { 'Content-Type': 'application/json', ...more };
  const answer = await fetch(`${server.origin}/auth/forgot`, { method: 'POST', headers, body });
  expect(await answer.json()).toMatchObject({ error: { code: 'VALIDATION', reason, reasonValues } });
});
