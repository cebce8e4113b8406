import { readFileSync } from 'node:fs';
import { buildSchema, parse } from 'graphql';
import { expect, test } from 'vitest';
import { clientMethods } from '../../scripts/client-methods.ts';

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));

/** The generated methods of a document. */
const generate = (text: string): string =>
  clientMethods.plugin(schema, [{ location: 'own.graphql', document: parse(text) }]);

test.each([
  'try',
  'request',
  'changes',
  'close',
  'then',
  'toJSON',
  'constructor',
  'hasOwnProperty',
  '__proto__',
])('refuses a document that is called %s, as the client has that name', (name) => {
  expect(() => generate(`query ${name} { viewer { account { id } } }`)).toThrow(
    `own.graphql: ${name}: the client has this name already.`,
  );
});

test.each([
  ['{ viewer { account { id } } }', 'own.graphql: each operation needs a name.'],
  ['subscription changed { changes { id } }', 'own.graphql: changed: a method is a query or a mutation.'],
  [
    'query both { viewer { account { id } } domains { totalCount } }',
    'own.graphql: both: a method has one field at its root.',
  ],
])('refuses %s', (text, message) => {
  expect(() => generate(text)).toThrow(message);
});

test.each([
  [
    'query one($id: ID!) { link(id: $id) { id url } }',
    "one(id: OneQueryVariables['id'], options?: ReadOptions): Promise<OneQuery['link']>",
  ],
  [
    'query deep($id: ID!) { link(id: $id) { shown: statistics { clicks } } }',
    "Promise<NonNullable<DeepQuery['link']>['shown']['clicks'] | null>",
  ],
  [
    'query many($first: Int, $after: String) { tags(first: $first, after: $after) { nodes { id } } }',
    "many(options?: ReadOptions): List<ManyQuery['tags']['nodes'][number]>",
  ],
  [
    'query some($first: Int, $after: String, $filter: TagFilter) { tags(first: $first, after: $after, filter: $filter) { nodes { id } pageInfo { endCursor } } }',
    "some(filter?: SomeQueryVariables['filter'], options?: ReadOptions)",
  ],
  [
    'mutation two($id: ID!, $input: UpdateTagInput!) { updateTag(id: $id, input: $input) { __typename } }',
    "two(variables: TwoMutationVariables, options?: WriteOptions): Promise<Recorded<TwoMutation['updateTag']>>",
  ],
  [
    'query none { viewer { account { id name } } }',
    "none(options?: ReadOptions): Promise<NoneQuery['viewer']['account']>",
  ],
])('%s becomes a method', (text, signature) => {
  expect(generate(text)).toContain(signature);
});

test.each([
  ['keyed', 'mutation a($input: CreateTagInput!) { createTag(input: $input) { __typename } }'],
  ['secret', 'mutation a($id: ID!) { rotateWebhookSecret(id: $id) { __typename } }'],
  ['bulk', 'mutation a($ids: [ID!]!) { deleteLinks(ids: $ids) { __typename } }'],
  ['bulk', 'mutation a($ids: [ID!]!, $into: ID!) { mergeTags(ids: $ids, into: $into) { __typename } }'],
  ['bulk', 'mutation a($text: String!) { importLinks(text: $text, format: LINES) { unusedColumns } }'],
  ['read', 'query a { links { nodes { id } } }'],
])('a %s method: %s', (kind, text) => {
  expect(generate(text)).toContain(`a: { kind: '${kind}'`);
});

test('a list has a document that counts, without the variables of pages', () => {
  const text =
    'query a($first: Int, $after: String, $filter: TagFilter) { tags(first: $first, after: $after, filter: $filter) { nodes { id } } }';
  expect(generate(text)).toContain(
    '"query aCount($filter:TagFilter){tags(first:0 filter:$filter){totalCount}}"',
  );
});
