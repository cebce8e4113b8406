import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

const documents = new Map([
  ['name-of-the-account', '{ viewer { account { name } } }'],
  ['a-space', 'query Space($id: ID!) { space(id: $id) { name } }'],
  ['make-a-space', 'mutation { createSpace(input: { name: "Made" }) { __typename } }'],
  ['no-root', 'subscription { changes @skip(if: true) { id } }'],
]);

let server: TestServer;
let caller: Caller;
beforeAll(async () => {
  server = await startTestServer({ trusted: documents, graphiql: false });
  caller = await server.caller('Acme');
});
afterAll(() => server.stop());

async function ask(body: object) {
  const response = await caller.fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

const viewer = { status: 200, body: { data: { viewer: { account: { name: 'Acme' } } } } };

test('executes trusted documents by their ids, repeatedly', async () => {
  for (let asked = 0; asked < 3; asked++)
    expect(await ask({ documentId: 'name-of-the-account' })).toEqual(viewer);
  const id = String(await caller.space('News'));
  expect(await ask({ documentId: 'a-space', variables: { id } })).toMatchObject({
    body: { data: { space: { name: 'News' } } },
  });
  expect(await ask({ documentId: 'make-a-space' })).toMatchObject({
    body: { data: { createSpace: { __typename: 'Space' } } },
  });
});

test.each([
  ['with the name of the hash', { documentId: 'sha256:name-of-the-account' }],
  [
    'as Apollo names them',
    { extensions: { persistedQuery: { version: 1, sha256Hash: 'name-of-the-account' } } },
  ],
])('finds documents %s', async (_how, body) => {
  expect(await ask(body)).toEqual(viewer);
});

test('executes queries by GET, but no mutations', async () => {
  const get = (id: string) => caller.fetch(`/graphql?documentId=${id}`);
  expect(await (await get('name-of-the-account')).json()).toEqual(viewer.body);
  expect((await get('make-a-space')).status).toBe(405);
});

describe('a request for a trusted document is refused with', () => {
  const [, trusted] = [...documents.values()];
  const needed = 'Only trusted documents are executed here: send a documentId in place of a query.';
  test.each([
    ['any other query', { query: '{ viewer { account { name } } }' }, needed],
    ['a query beside a documentId', { documentId: 'a-space', query: '{ __typename }' }, needed],
    ['the text of a trusted document', { query: trusted }, needed],
    ['nothing', {}, needed],
    ['an id that is no text', { documentId: 7 }, needed],
    ['an unknown id', { documentId: 'other' }, 'There is no trusted document with this documentId.'],
    [
      'the name of an inherited property',
      { documentId: 'constructor' },
      'There is no trusted document with this documentId.',
    ],
  ])('%s', async (_what, body, message) => {
    expect(await ask(body)).toEqual({
      status: 400,
      body: { errors: [{ message, extensions: { code: 'UNTRUSTED_DOCUMENT' } }] },
    });
  });
});

test('a trusted subscription without a root field is refused like any other', async () => {
  expect(await ask({ documentId: 'no-root' })).toMatchObject({
    status: 400,
    body: { errors: [{ extensions: { code: 'BAD_REQUEST' } }] },
  });
});

test('serves v1 as usual', async () => {
  expect((await caller.rest('GET', '/spaces')).status).toBe(200);
});

test('knows no documentId if all documents are executed and none is saved', async () => {
  const open = await startTestServer();
  try {
    const response = await (await open.caller()).fetch('/graphql?documentId=a-space');
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'UNKNOWN_DOCUMENT' } }] });
  } finally {
    await open.stop();
  }
});
