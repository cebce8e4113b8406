import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
let id: number;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
  id = (await owner.link({ title: 'T', space_id: await owner.space('S') })).id;
});
afterAll(() => server.stop());

test.each<[string, string, object]>([
  [
    'a field that a fragment is not to add to',
    'query ($if: Boolean!) { link(id: ID) { space { id } space @include(if: $if) { ...F } } } fragment F on Space { name }',
    { if: false },
  ],
  [
    'a fragment that comes twice, once under a condition',
    'query ($if: Boolean!) { link(id: ID) { ...F @include(if: $if) ...F } } fragment F on Link { title }',
    { if: false },
  ],
  [
    'a list that is asked for twice',
    'query ($if: Boolean!) { links(first: 1) { nodes { id } } ... @include(if: $if) { links(first: 1) { totalCount } } }',
    { if: false },
  ],
  [
    'a list in the place of an object',
    'query ($f: LinkFilter) { links(filter: $f) { totalCount } }',
    { f: [] },
  ],
  [
    'null for what may be left out',
    'query ($if: Boolean = true) { link(id: ID) { id @include(if: $if) title } }',
    { if: null },
  ],
])('%s has the same answer the fifth time as the first time', async (_name, query, variables) => {
  const answers = [];
  for (let i = 0; i < 5; i++)
    answers.push(
      await owner.graphql(query.replace('ID)', `${id})`).replace('id: ID', `id: ${id}`), variables),
    );
  for (const { status, data, errors } of answers) {
    expect([status, data, errors?.[0]?.message]).toEqual([
      answers[0]?.status,
      answers[0]?.data,
      answers[0]?.errors?.[0]?.message,
    ]);
  }
});
