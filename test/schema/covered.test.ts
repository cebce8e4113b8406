import { type GraphQLField, isObjectType, parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { collectFacts } from '../../src/engine/graphql/document.ts';
import { api } from '../../src/schema/api.ts';
import { schema } from '../../src/schema/index.ts';
import { settled } from '../support/database.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
  const domain_id = await owner.domain('go.example');
  const tag_ids = [await owner.tag('One'), await owner.tag('Two')].join();
  for (let i = 1; i <= 3; i++) {
    const space_id = await owner.space(`Space ${i}`, { color: i });
    await owner.link({ alias: `plain${i}` });
    await owner.link({
      ...{ alias: `whole${i}`, domain_id, space_id, tag_ids, pixel_ids: await owner.pixel(`Pixel ${i}`) },
      ...{ title: `Title ${i}`, expiration_clicks: 9, expiration_url: 'https://example.com/over' },
    });
  }
  await server.database.prisma.linkCounter.updateMany({
    data: { clicks: 7, lastClickedAt: server.clock.now },
  });
  // The log is one of the lists.
  await settled(server.database);
});
afterAll(() => server.stop());

const both = 'id space { id name color } domain { id name }';
const ofSpace = 'fragment F on Link { space { ...S } domain { name } } fragment S on Space { name color }';

/** Queries whose rows have all that their fields select. */
const covered: readonly string[] = [
  '{ links { nodes { id title clicks lastClickedAt status } } }',
  `{ links { nodes { ${both} } } }`,
  `{ links { totalCount edges { cursor node { ${both} } } pageInfo { hasNextPage } } }`,
  `{ links(orderBy: { field: CLICKS }) { nodes { ${both} clicks lastClickedAt } } }`,
  `{ links(filter: { tags: { all: ["1"] } }) { nodes { ${both} } } }`,
  `{ links(filter: { search: "plain" }) { nodes { ${both} } } }`,
  `{ linkPage(perPage: 10) { total items { ${both} } } }`,
  `{ link(id: "2") { ${both} } }`,
  `{ link(id: "1") { ${both} } }`,
  '{ links { nodes { space { createdAt updatedAt nodeId } domain { createdAt shared verified notFoundUrl } } } }',
  '{ links { nodes { domain { verification { name value } } shortUrl space { nodeId } } } }',
  '{ links { nodes { space { id } a: space { name } b: space { color a: name } } } }',
  '{ links { nodes { space { id } space { name } domain { id } domain { name verified } } } }',
  '{ links { nodes { space { __typename } domain { __typename } } } }',
  '{ links { a: nodes { space { name } } b: nodes { domain { name } } edges { node { space { color } } } } }',
  '{ a: links(first: 1) { nodes { space { id } } } b: links(last: 1) { nodes { space { name } domain { id } } } }',
  '{ link(id: "2") { space { id } } link(id: "2") { space { name } domain { name } } }',
  `{ links { nodes { ...F shortUrl } } } ${ofSpace}`,
  `{ links { nodes { ...F ... on Link { space { id } } ... { domain { id } } } } link(id: "2") { ...F } } ${ofSpace}`,
  '{ links { nodes { tags { id name color createdAt } pixels { id name type value createdAt } } } }',
  '{ links { nodes { expiration { url at clicks } targeting { type countries { url } } hasPassword blocked } } }',
  `{ spaces { nodes { name links(first: 2) { nodes { ${both} } } } } }`,
  `{ tags { nodes { name links(first: 2) { nodes { ${both} } } } } }`,
  `{ links { nodes { space { name links(first: 2) { nodes { url ${both} } } } } } }`,
  `{ links { nodes { tags { links(first: 1) { nodes { domain { name } } } } domain { id } } } }`,
  `{ viewer { account { topLinks { nodes { clicks link { ${both} } } } } } }`,
  '{ domains { nodes { name verified shared verification { name } } } webhooks { nodes { id events } } }',
  '{ changes { nodes { id action kind recordId fields } } }',
];

/** Queries whose relations may have to be loaded apart. */
const uncovered: readonly string[] = [
  '{ links { nodes { qrCode(size: 64) space { id } } } }',
  '{ changes { nodes { action key { prefix } } } }',
  '{ changes { nodes { by { __typename } } } }',
  '{ members { nodes { user { email } } } }',
  '{ apiKeys { nodes { maker { email } } } }',
  `{ links { nodes { ${both} } } viewer { key { maker { email } } } }`,
];

/** Queries that are not compiled, with both relations. */
const notCompiled: readonly string[] = [
  `{ node(nodeId: "TGluazoy") { nodeId ... on Link { ${both} } } }`,
  `{ nodes(nodeIds: ["TGluazoy", "U3BhY2U6MQ"]) { ... on Link { ${both} } ... on Space { name } } }`,
  `{ links { nodes { id space @include(if: true) { name } domain { name } } } }`,
];

test.each([
  ...covered.map((text) => [text, { isCovered: true, isCompilable: true }] as const),
  ...uncovered.map((text) => [text, { isCovered: false }] as const),
  ...notCompiled.map((text) => [text, { isCompilable: false }] as const),
])('%s', (text, expected) => {
  const document = parse(text);
  expect(validate(schema, document)).toEqual([]);
  expect(collectFacts(document, api)).toMatchObject(expected);
});

function fieldOf(type: string, name: string): GraphQLField<unknown, unknown> {
  const found = schema.getType(type);
  const field = isObjectType(found) ? found.getFields()[name] : undefined;
  if (field === undefined) throw new Error(`there is no field ${type}.${name}`);
  return field;
}

/** Counts the calls of the resolvers of a link's relations, which code for covered rows does without. */
function countCalls(): () => number {
  let calls = 0;
  for (const field of [fieldOf('Link', 'space'), fieldOf('Link', 'domain')]) {
    const { resolve } = field;
    if (resolve === undefined) throw new Error(`${field.name} has no resolver`);
    field.resolve = (...given) => {
      calls++;
      return resolve(...given);
    };
    onTestFinished(() => {
      field.resolve = resolve;
    });
  }
  return () => calls;
}

describe('a query whose rows are covered', () => {
  test('is executed without the resolvers of both relations, once it is compiled', async () => {
    const calls = countCalls();
    const query = `query Both { links { nodes { ${both} title url } } }`;
    for (const expected of [12, 24, 24, 24]) {
      await owner.data(query);
      expect(calls()).toBe(expected);
    }
  });

  test.each(covered)('has the same answer by both paths: %s', async (text) => {
    const answer = async () => JSON.stringify(await owner.data(text));
    const interpreted = await answer();
    // The third execution is compiled.
    for (let time = 2; time <= 4; time++) expect(await answer()).toBe(interpreted);
  });
});
