import { formatDocument, stringifyDocument } from '@urql/core';
import { type DocumentNode, Kind } from 'graphql';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import * as generated from '../../console/src/generated/documents.ts';
import { type Person, signedIn } from '../support/person.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';
import { openAs, type RawSocket } from '../support/sockets.ts';

const trusted = new Map([['viewer', '{ viewer { account { name } } }']]);
const UNTRUSTED = 'UNTRUSTED_DOCUMENT';

/** The operations of the console, by their names. */
const documents = new Map(
  Object.values<DocumentNode | string>(generated)
    .filter((one): one is DocumentNode => typeof one === 'object' && one.kind === Kind.DOCUMENT)
    .flatMap((document) =>
      document.definitions.flatMap((one) =>
        one.kind === Kind.OPERATION_DEFINITION ? [[one.name?.value ?? '', document] as const] : [],
      ),
    ),
);

function documentOf(name: string): DocumentNode {
  const document = documents.get(name);
  if (document === undefined) throw new Error(`the console has no operation ${name}`);
  return document;
}

/** A text as the console sends it: as it is, and for its cache. */
const textsOf = (document: DocumentNode) => [
  stringifyDocument(document),
  stringifyDocument(formatDocument(document)),
];

let server: TestServer;
let owner: Caller;
let person: Person;
beforeAll(async () => {
  server = await startTestServer({ trusted, console: true, background: true });
  owner = await server.caller();
  person = await signedIn(server, await accountOf(server), 'OWNER');
});
afterAll(() => server.stop());

async function accountOf({ database }: TestServer): Promise<number> {
  return (await database.prisma.account.findFirstOrThrow({ where: { name: 'owner' } })).id;
}

/** The code of the error that a text gets; undefined without one. */
async function codeOf(caller: Pick<Caller | Person, 'fetch'>, body: object): Promise<unknown> {
  const response = await caller.fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { errors?: { extensions: { code: string } }[] };
  return answer.errors?.[0]?.extensions.code;
}

test('a WebSocket of a session executes them, too, and that of a key none', async () => {
  const headers = {
    Origin: 'https://s.example',
    'X-Forwarded-Host': 's.example',
    Cookie: person.cookie ?? '',
  };
  const [own, ofKey] = [
    await openAs(server.origin, undefined, { headers }),
    await openAs(server.origin, owner.key),
  ];
  const codeOn = async (socket: RawSocket, id: string, query: string) => {
    socket.send({
      id,
      type: 'subscribe',
      payload: { query, operationName: id, extensions: { cost: 'only' } },
    });
    await expect.poll(() => socket.about(id).length).toBeGreaterThan(0);
    return /"code":"(\w+)"/.exec(JSON.stringify(socket.about(id)[0]))?.[1];
  };
  for (const [name, document] of documents) {
    expect([undefined, 'BAD_REQUEST']).toContain(await codeOn(own, name, stringifyDocument(document)));
    expect(await codeOn(ofKey, name, stringifyDocument(document))).toBe(UNTRUSTED);
  }
  expect(await codeOn(own, 'Mine', 'query Mine { viewer { account { id } } }')).toBe(UNTRUSTED);
});

test('a session executes the operations of the console, and a key none', async () => {
  expect(documents.size).toBeGreaterThan(30);
  for (const [operationName, document] of documents)
    for (const query of textsOf(document)) {
      const found = await codeOf(person, { query, operationName, extensions: { cost: 'only' } });
      // It needs variables, or is not refused.
      expect([operationName, [undefined, 'BAD_REQUEST']]).toEqual([
        operationName,
        expect.arrayContaining([found]),
      ]);
      expect([operationName, await codeOf(owner, { query, operationName })]).toEqual([
        operationName,
        UNTRUSTED,
      ]);
    }
});

test('a session gets the data of the console', async () => {
  for (const query of textsOf(documentOf('Spaces'))) {
    const { data, errors } = await person.graphql(query);
    expect([errors, data]).toEqual([undefined, { spaces: expect.any(Object) }]);
  }
});

test('a session executes nothing else: no other field, and no part of an operation', async () => {
  const text = stringifyDocument(documentOf('Changed'));
  const [operation = '', ...fragments] = text.split(/(?=^fragment )/m);
  expect(await codeOf(person, { query: text, extensions: { cost: 'only' } })).toBeUndefined();
  const others = [
    '{ __typename }',
    '{ viewer { account { name } } }',
    text.replace('id', 'id at'),
    text.replace('id', 'other: id'),
    text.replace('id', 'one: __typename id'),
    `${text} query Another { spaces { totalCount } }`,
    `${text} fragment Another on Change { id }`,
    ...(fragments.length > 0 ? [operation] : []),
    `${text}${'#'.repeat(100_000)}`,
    '{'.repeat(10_000),
  ];
  for (const query of others)
    expect([query.slice(0, 50), await codeOf(person, { query })]).toEqual([query.slice(0, 50), UNTRUSTED]);
  expect(await codeOf(person, { query: text, documentId: 'viewer' })).toBe(UNTRUSTED);
  expect(await codeOf(person, { query: 7 })).toBe(UNTRUSTED);
  // Its trusted documents it executes like a key.
  expect(await codeOf(person, { documentId: 'viewer' })).toBeUndefined();
});

test('a session gets the stream of the console', async () => {
  const abort = new AbortController();
  const response = await person.fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
    body: JSON.stringify({ query: stringifyDocument(documentOf('Changed')) }),
    signal: abort.signal,
  });
  expect([response.status, response.headers.get('Content-Type')]).toEqual([
    200,
    expect.stringMatching(/event-stream/),
  ]);
  abort.abort();
});

test('while the console is off, a session executes none of its operations', async () => {
  const without = await startTestServer({ trusted, console: false });
  onTestFinished(() => without.stop());
  await without.caller();
  const other = await signedIn(without, await accountOf(without), 'OWNER');
  for (const [operationName, document] of documents)
    for (const query of textsOf(document))
      expect([operationName, await codeOf(other, { query, operationName })]).toEqual([
        operationName,
        UNTRUSTED,
      ]);
  expect(await codeOf(other, { documentId: 'viewer' })).toBeUndefined();
});
