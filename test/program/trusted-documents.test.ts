import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTrustedDocuments } from '../../src/engine/graphql/trusted-documents.ts';
import { schema } from '../../src/schema/index.ts';
import { Caller } from '../support/server.ts';
import { refusalOf, startService } from '../support/service.ts';

const KEY = 'the-first-key-of-an-empty-database';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'linkspace-trusted-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function environment(name: string, text: string) {
  const path = join(folder, `${name}.json`);
  writeFileSync(path, text);
  return { DATABASE_URL: `file:${join(folder, `${name}.db`)}`, PORT: '0', TRUSTED_DOCUMENTS: path };
}

test('starts with the documents of a file, and without GraphiQL', async () => {
  const env = environment('right', JSON.stringify({ abc: '{ viewer { account { name } } }' }));
  const service = await startService({ ...env, INITIAL_API_KEY: KEY });
  const caller = new Caller(service.origin, KEY);
  const response = await caller.fetch('/graphql?documentId=abc');
  expect(await response.json()).toEqual({ data: { viewer: { account: { name: 'default' } } } });
  expect((await caller.graphql('{ viewer { account { name } } }')).status).toBe(400);
  const page = await fetch(`${service.origin}/graphql`, { headers: { Accept: 'text/html' } });
  expect(page.status).toBe(401);
  await service.end();
});

test('reads a file with a byte order mark', async () => {
  const { TRUSTED_DOCUMENTS } = environment('marked', '\ufeff{ "abc": "{ __typename }" }');
  expect([...(await readTrustedDocuments(TRUSTED_DOCUMENTS, schema))]).toEqual([['abc', '{ __typename }']]);
});

test('stops the start if the file cannot be used', async () => {
  const env = environment('unusable', 'not JSON');
  const ended = environment('ended', '{ "abc": "subscription { changes @skip(if: true) { id } }" }');
  expect(await refusalOf(ended)).toMatch(/specification\.$/);
  expect(await refusalOf(env)).toContain(
    `TRUSTED_DOCUMENTS is "${env.TRUSTED_DOCUMENTS}"; it must be the path of a file of documents that the schema allows: Unexpected token`,
  );
});

test.each([
  ['is no JSON', 'not JSON', 'Unexpected token'],
  ['is of another form', '["{ __typename }"]', 'it has to be an object of documents by their ids'],
  [
    'has a document that is no GraphQL',
    '{ "abc": "{" }',
    'the document abc: Syntax Error: Expected Name, found <EOF>.',
  ],
  [
    'asks for what the schema has not',
    '{ "abc": "{ nothing }" }',
    'the document abc: Cannot query field "nothing" on type "Query".',
  ],
  [
    'has a subscription without a root field',
    '{ "abc": "subscription ($on: Boolean!) { changes @include(if: $on) { id } }" }',
    'the document abc: A subscription may not have @skip or @include at its root',
  ],
])('refuses a file that %s, with the reason', async (name, text, why) => {
  const { TRUSTED_DOCUMENTS } = environment(name.replaceAll(' ', '-'), text);
  await expect(readTrustedDocuments(TRUSTED_DOCUMENTS, schema)).rejects.toThrow(why);
});
