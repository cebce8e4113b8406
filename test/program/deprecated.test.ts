import { buildSchema, parse } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Metrics } from '../../src/app/service/metrics.ts';
import { collectFacts } from '../../src/engine/graphql/document.ts';
import { schema } from '../../src/schema/index.ts';
import type { Caller } from '../../src/testing/caller.ts';
import { startTestServer, type TestServer } from '../../src/testing/server.ts';

const old = buildSchema(`
  enum Order { NEW OLD @deprecated(reason: "no") }
  interface Named { name: String title: String @deprecated(reason: "no") }
  type Link implements Named { name: String title: String @deprecated(reason: "no") }
  type Query { links(order: Order, sort: Order @deprecated(reason: "no")): [Link!]! named: Named plain: Int }
`);

test.each([
  ['{ plain links(order: NEW) { name } }', []],
  ['{ links { name title a: title } }', ['Link.title']],
  ['{ links(order: OLD) { name } }', ['Order.OLD']],
  ['{ links(sort: NEW) { ...F } } fragment F on Link { title }', ['Query.links(sort)', 'Link.title']],
  ['{ named { title ... on Link { title } } }', ['Named.title', 'Link.title']],
])('finds deprecated parts in %s', (text, expected) => {
  expect(collectFacts(parse(text), { schema: old, readsRelations: () => false }).deprecated).toEqual(
    expected,
  );
});

let server: TestServer;
let owner: Caller;
const metrics = new Metrics();
beforeAll(async () => {
  server = await startTestServer({ metrics });
  owner = await server.caller();
});
afterAll(() => server.stop());

async function counted(): Promise<string[]> {
  const lines = (await metrics.text()).split('\n');
  return lines.filter((line) => line.startsWith('linkspace_deprecated_fields_total{'));
}

// Results are cached by document: no other test uses these documents.
test('counts uses of deprecated parts by key, also in compiled queries', async () => {
  const field = schema.getQueryType()?.getFields().spaces;
  if (field === undefined) throw new Error('there is no such field');
  const other = await server.caller();
  field.deprecationReason = 'A test says so.';
  try {
    for (let time = 0; time < 5; time++) await owner.data('query Deprecated { spaces { totalCount } }');
    await other.data('query DeprecatedToo { spaces { totalCount } viewer { account { name } } }');
    await other.data('{ viewer { account { name } } }');
  } finally {
    field.deprecationReason = undefined;
  }
  await expect
    .poll(counted)
    .toEqual([
      'linkspace_deprecated_fields_total{key="1",field="Query.spaces"} 5',
      'linkspace_deprecated_fields_total{key="2",field="Query.spaces"} 1',
    ]);
});
