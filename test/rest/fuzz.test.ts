import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { routes } from '../../src/rest/routes.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

/** `FUZZ_RUNS=20000 npx vitest run test/rest/fuzz.test.ts` for more runs. */
const numRuns = Number(process.env.FUZZ_RUNS ?? 60);

let server: TestServer;
let caller: Caller;
beforeAll(async () => {
  server = await startTestServer();
  caller = await server.caller();
  await caller.space('One');
  await caller.pixel();
  await caller.link();
});
afterAll(() => server.stop());

const names = [...new Set(routes.flatMap(({ fields }) => Object.keys(fields)))];
const anyText = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '1',
    '-1',
    '99999999999999999999',
    '1e9',
    'NaN',
    'null',
    '[]',
    'https://example.com/',
    'DE',
  ),
  fc.constantFrom(
    '2026-02-30',
    '2026-12-31',
    '24:00',
    '23:59',
    '\0',
    '\uFFFF',
    '%',
    "'",
    '"',
    '\\',
    '1,2',
    'true',
  ),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const suffix = fc.constantFrom(
  '',
  '',
  '',
  '[]',
  '[0]',
  '[0][key]',
  '[0][value]',
  '[7][value]',
  '[x][key]',
  '[0][key][deep]',
  '[',
  ']',
);
const form = fc.array(
  fc.tuple(fc.oneof(fc.constantFrom(...names), fc.constantFrom('__proto__', 'constructor')), suffix, anyText),
  { maxLength: 12 },
);
const encoded = (fields: [string, string, string][]) =>
  fields
    .map(([name, suffix, value]) => `${name}${suffix}=${encodeURIComponent(value.toWellFormed())}`)
    .join('&');

async function isAnswered(path: string, init: RequestInit): Promise<void> {
  const response = await caller.fetch(path, init);
  const body = await response.text();
  expect(response.status, `${path} ${init.body} ${body}`).toBeLessThan(500);
  expect(JSON.parse(body)).toMatchObject({ status: response.status });
}

const body = (content: string, type: string, method: string) => ({
  method,
  body: content,
  headers: { 'Content-Type': type },
});

test('v1 answers any form and any query with a documented answer', async () => {
  const path = fc.constantFrom('/spaces', '/links');
  const id = fc.constantFrom('1', '0', '-1', '999999999999', 'x', '%00', '..%2f1');
  await fc.assert(
    fc.asyncProperty(path, id, form, async (path, id, fields) => {
      const content = encoded(fields);
      const type = 'application/x-www-form-urlencoded';
      await isAnswered(`/api/v1${path}?${content}`, {});
      await isAnswered(`/api/v1${path}`, body(content, type, 'POST'));
      await isAnswered(`/api/v1${path}/${id}`, body(content, type, 'PATCH'));
    }),
    { numRuns },
  );
  // Existing records are not lost.
  expect((await caller.rest('GET', '/links/1')).status).toBe(200);
});

test('v1 answers any JSON with a documented answer', async () => {
  const value = fc.oneof(anyText, fc.jsonValue());
  const object = fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string({ maxLength: 5 })), value);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('/spaces', '/links'),
      fc.oneof(object, fc.jsonValue()),
      async (path, json) => {
        await isAnswered(`/api/v1${path}`, body(JSON.stringify(json), 'application/json', 'POST'));
      },
    ),
    { numRuns },
  );
});

test('GraphQL answers any document and any variables', async () => {
  const words = [
    'query',
    'mutation',
    '{',
    '}',
    '(',
    ')',
    ':',
    '$id',
    'ID!',
    'links',
    'link',
    'id',
    'first',
    '1',
    '"x"',
    'edges',
    'node',
    '...',
    'on',
    'Link',
    'createLink',
    'input',
    'url',
    'F',
    'fragment',
    '@skip(if: true)',
    '#',
    '"""',
  ];
  const document = fc.array(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 4 })), {
    maxLength: 25,
  });
  const create = 'mutation ($input: CreateLinkInput!) { createLink(input: $input) { __typename } }';
  const asked = fc.oneof(
    document.map((parts) => ({ query: parts.join(' ') })),
    fc.jsonValue().map((input) => ({ query: create, variables: { input } })),
    fc.jsonValue(),
  );
  await fc.assert(
    fc.asyncProperty(asked, async (request) => {
      const response = await caller.fetch(
        '/graphql',
        body(JSON.stringify(request), 'application/json', 'POST'),
      );
      const answer = await response.text();
      expect(response.status, `${JSON.stringify(request)} ${answer}`).toBeLessThan(500);
      expect(answer).not.toContain('INTERNAL');
      expect(JSON.parse(answer)).toBeTypeOf('object');
    }),
    { numRuns: numRuns * 2 },
  );
});
