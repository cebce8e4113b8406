import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
let accounts = 0;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  owner = await server.caller(`owner ${accounts++}`);
});

const query = `query ($first: Int, $after: String, $last: Int, $before: String, $filter: SpaceFilter, $orderBy: SpaceOrder) {
  spaces(first: $first, after: $after, last: $last, before: $before, filter: $filter, orderBy: $orderBy) {
    edges { cursor node { id name } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    totalCount
  }
}`;

interface Spaces {
  edges: { cursor: string; node: { id: string; name: string } }[];
  pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor: string | null;
    endCursor: string | null;
  };
  totalCount: number;
}

async function spaces(variables: object): Promise<Spaces> {
  return (await owner.data<{ spaces: Spaces }>(query, variables)).spaces;
}

const names = ({ edges }: Spaces) => edges.map(({ node }) => node.name);
const BY_NAME = { field: 'NAME', direction: 'ASC' };

async function make(...list: string[]): Promise<void> {
  for (const name of list) await owner.space(name);
}

test('returns the newest 20 by default, and whether there are more', async () => {
  await make(...Array.from({ length: 22 }, (_, index) => `Space ${index}`));
  const stretch = await spaces({});
  expect(names(stretch)).toEqual(Array.from({ length: 20 }, (_, index) => `Space ${21 - index}`));
  expect(stretch.totalCount).toBe(22);
  expect(stretch.pageInfo).toEqual({
    hasNextPage: true,
    hasPreviousPage: false,
    startCursor: stretch.edges.at(0)?.cursor,
    endCursor: stretch.edges.at(-1)?.cursor,
  });
});

describe.each([
  ['ID', 'ASC'],
  ['ID', 'DESC'],
  ['NAME', 'ASC'],
  ['NAME', 'DESC'],
])('a connection ordered by %s %s, ties included', (field, direction) => {
  const orderBy = { field, direction };

  test('paginates forward and backward over each record once', async () => {
    await make('b', 'A', 'a', 'c', 'B', 'b', 'ä');
    const whole = names(await spaces({ first: 100, orderBy }));
    expect(whole).toHaveLength(7);
    const forward: string[] = [];
    for (let after: string | null = null, more = true; more; ) {
      const stretch: Spaces = await spaces({ first: 2, after, orderBy });
      forward.push(...names(stretch));
      expect(stretch.pageInfo.hasPreviousPage).toBe(after !== null);
      more = stretch.pageInfo.hasNextPage;
      after = stretch.pageInfo.endCursor;
    }
    expect(forward).toEqual(whole);
    const backward: string[] = [];
    for (let before: string | null = null, more = true; more; ) {
      const stretch: Spaces = await spaces({ last: 2, before, orderBy });
      backward.unshift(...names(stretch));
      expect(stretch.pageInfo.hasNextPage).toBe(before !== null);
      more = stretch.pageInfo.hasPreviousPage;
      before = stretch.pageInfo.startCursor;
    }
    expect(backward).toEqual(whole);
  });
});

test('is stable while records are added and deleted before, after and at the cursor', async () => {
  await make('b', 'd', 'f', 'h', 'j');
  const { edges, pageInfo } = await spaces({ first: 2, orderBy: BY_NAME });
  const at = edges.at(-1)?.node.id;
  await owner.rest('DELETE', `/spaces/${at}`);
  await make('a', 'c', 'd', 'e');
  expect(names(await spaces({ first: 10, after: pageInfo.endCursor, orderBy: BY_NAME }))).toEqual([
    'd',
    'e',
    'f',
    'h',
    'j',
  ]);
  expect(names(await spaces({ last: 10, before: pageInfo.endCursor, orderBy: BY_NAME }))).toEqual([
    'a',
    'b',
    'c',
  ]);
});

test('has no previous page after all earlier records are deleted', async () => {
  await make('a', 'b');
  const { edges, pageInfo } = await spaces({ first: 1, orderBy: BY_NAME });
  await owner.rest('DELETE', `/spaces/${edges[0]?.node.id}`);
  const rest = await spaces({ first: 1, after: pageInfo.endCursor, orderBy: BY_NAME });
  expect([names(rest), rest.pageInfo.hasPreviousPage]).toEqual([['b'], false]);
});

test('reports records on the other side of a cursor at the end', async () => {
  await make('a');
  const { pageInfo } = await spaces({});
  const past = await spaces({ after: pageInfo.endCursor });
  expect(past).toMatchObject({ edges: [], pageInfo: { hasNextPage: false, hasPreviousPage: true } });
  const ahead = await spaces({ last: 1, before: pageInfo.startCursor });
  expect(ahead).toMatchObject({ edges: [], pageInfo: { hasNextPage: true, hasPreviousPage: false } });
});

test('returns no edges and correct page info for first: 0', async () => {
  await make('a');
  const { edges, pageInfo } = await spaces({ first: 0 });
  expect([edges, pageInfo]).toEqual([
    [],
    { hasNextPage: true, hasPreviousPage: false, startCursor: null, endCursor: null },
  ]);
});

test('filters, and counts the matches', async () => {
  await make('50%', '500', 'Fifty');
  const found = await spaces({ filter: { search: '50%' } });
  expect([names(found), found.totalCount]).toEqual([['50%'], 1]);
});

test.each([
  ['more than 100', { first: 101 }, 'first', 'must be a whole number from 0 to 100'],
  ['less than none', { last: -1 }, 'last', 'must be a whole number from 0 to 100'],
  ['both ends', { first: 1, last: 1 }, 'last', 'cannot be combined with first'],
  ['what is no cursor', { after: 'x' }, 'after', 'must be a cursor that this list gave, in the same order'],
  [
    'a cursor of nonsense',
    { before: btoa('["id","a",1]') },
    'before',
    'must be a cursor that this list gave, in the same order',
  ],
  [
    'a cursor with a null character',
    { after: btoa('["nameKey","\\u0000",1]'), orderBy: BY_NAME },
    'after',
    'must be a cursor that this list gave, in the same order',
  ],
  [
    'a search for a null character',
    { filter: { search: '\0' } },
    'filter.search',
    'may not contain null characters or broken surrogate pairs',
  ],
])('refuses %s, and names the argument', async (_what, variables, argument, message) => {
  const { errors, status } = await owner.graphql(query, variables);
  expect([status, errors]).toMatchObject([
    200,
    [
      {
        path: ['spaces'],
        extensions: { code: 'VALIDATION', fields: [{ path: argument.split('.'), messages: [message] }] },
      },
    ],
  ]);
});

test('names every invalid argument', async () => {
  const { errors } = await owner.graphql(query, { first: 101, after: 'x', before: 'y' });
  const fields = ['first', 'after', 'before'].map((argument) => ({ path: [argument] }));
  expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION', fields } }]);
});

test('refuses a cursor of another order', async () => {
  await make('a', 'b');
  const { pageInfo } = await spaces({ first: 1 });
  const { errors } = await owner.graphql(query, { after: pageInfo.endCursor, orderBy: BY_NAME });
  expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION' } }]);
});

test('refuses a cursor of another list', async () => {
  await owner.link();
  const { links } = await owner.data<{ links: { edges: { cursor: string }[] } }>(
    '{ links(first: 1) { edges { cursor } } }',
  );
  const { errors } = await owner.graphql('query ($after: String) { spaces(after: $after) { totalCount } }', {
    after: links.edges[0]?.cursor,
  });
  expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION', fields: [{ path: ['after'] }] } }]);
});
