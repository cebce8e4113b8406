import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

interface Node {
  id: string;
  title: string | null;
  alias: string;
  url: string;
  clicks: number;
}

interface Links {
  edges: { cursor: string; node: Node }[];
  pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor: string | null;
    endCursor: string | null;
  };
  totalCount: number;
}

const connection = `{
  edges { cursor node { id title alias url clicks } }
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  totalCount
}`;
const query = `query ($first: Int, $after: String, $last: Int, $before: String, $filter: LinkFilter, $orderBy: LinkOrder) {
  links(first: $first, after: $after, last: $last, before: $before, filter: $filter, orderBy: $orderBy) ${connection}
}`;

async function links(caller: Caller, variables: object): Promise<Links> {
  return (await caller.data<{ links: Links }>(query, variables)).links;
}

/** The values that each order compares: text in lower case by code point; null for no title. */
const values: Record<string, (link: Node) => number | string | null> = {
  ID: ({ id }) => Number(id),
  CLICKS: ({ clicks }) => clicks,
  TITLE: ({ title }) => title?.toLowerCase() ?? null,
  ALIAS: ({ alias }) => alias.toLowerCase(),
  URL: ({ url }) => url.toLowerCase(),
};

function compare(order: string, descending: boolean, a: Node, b: Node): number {
  const sign = descending ? -1 : 1;
  const [x, y] = [values[order]?.(a) ?? null, values[order]?.(b) ?? null];
  if (x !== y) {
    if (x === null) return 1;
    if (y === null) return -1;
    return x < y ? -sign : sign;
  }
  return sign * (Number(a.id) - Number(b.id));
}

const orders = Object.keys(values).flatMap((field) => [
  [field, 'ASC'],
  [field, 'DESC'],
]);

describe.each(orders)('links ordered by %s %s', (field, direction) => {
  const orderBy = { field, direction };
  const inOrder = (a: Node, b: Node) => compare(field ?? '', direction === 'DESC', a, b);
  let caller: Caller;
  let aliases = 0;
  const make = (title: string, path: string, alias = `Alias-${field}-${direction}-${aliases++}`) =>
    caller.link({ title, alias, url: `https://example.com/${path}` });

  beforeAll(async () => {
    caller = await server.caller(`${field} ${direction}`);
    const titles = ['b', '', 'A', 'a', '', 'c', 'B', '', 'zz', 'a'];
    for (const [index, title] of titles.entries()) {
      const { id } = await make(title, 'xYxYz'.charAt(index % 5));
      await server.database.prisma.linkCounter.update({ where: { linkId: id }, data: { clicks: index % 3 } });
    }
  });

  test('paginates forward and backward over each link once, nulls and ties included', async () => {
    const whole = (await links(caller, { first: 100, orderBy })).edges.map(({ node }) => node);
    expect(whole).toHaveLength(10);
    expect(whole).toEqual([...whole].sort(inOrder));
    const forward: Node[] = [];
    for (let after: string | null = null, more = true; more; ) {
      const stretch: Links = await links(caller, { first: 3, after, orderBy });
      forward.push(...stretch.edges.map(({ node }) => node));
      expect(stretch.pageInfo.hasPreviousPage).toBe(after !== null);
      more = stretch.pageInfo.hasNextPage;
      after = stretch.pageInfo.endCursor;
    }
    expect(forward).toEqual(whole);
    const backward: Node[] = [];
    for (let before: string | null = null, more = true; more; ) {
      const stretch: Links = await links(caller, { last: 3, before, orderBy });
      backward.unshift(...stretch.edges.map(({ node }) => node));
      expect(stretch.pageInfo.hasNextPage).toBe(before !== null);
      more = stretch.pageInfo.hasPreviousPage;
      before = stretch.pageInfo.startCursor;
    }
    expect(backward).toEqual(whole);
  });

  test('keeps each cursor valid while links are added and deleted before, after and at it', async () => {
    const { edges } = await links(caller, { first: 100, orderBy });
    for (const index of [1, 4, 8]) await caller.rest('DELETE', `/links/${edges[index]?.node.id}`);
    for (const title of ['', 'A', 'bb', 'zzz']) await make(title, 'y');
    const now = (await links(caller, { first: 100, orderBy })).edges.map(({ node }) => node);
    expect(now).toHaveLength(11);
    for (const { cursor, node } of edges) {
      const after = await links(caller, { first: 100, after: cursor, orderBy });
      const later = now.filter((other) => inOrder(node, other) < 0);
      expect(after.edges.map((edge) => edge.node)).toEqual(later);
      const before = await links(caller, { last: 100, before: cursor, orderBy });
      const earlier = now.filter((other) => inOrder(node, other) > 0);
      expect(before.edges.map((edge) => edge.node)).toEqual(earlier);
      expect([after.pageInfo.hasPreviousPage, before.pageInfo.hasNextPage]).toEqual([
        earlier.length > 0 || now.some(({ id }) => id === node.id),
        later.length > 0 || now.some(({ id }) => id === node.id),
      ]);
    }
  });
});

test.each([
  ['a null where none can be', ['id', null, 1], 'ID'],
  ['text where a number belongs', ['clicks', 'x', 1], 'CLICKS'],
  ['a fraction', ['clicks', 1.5, 1], 'CLICKS'],
  ['a number where text belongs', ['titleKey', 1, 1], 'TITLE'],
  ['the cursor of another order', ['aliasKey', 'x', 1], 'TITLE'],
])('refuses a cursor with %s', async (_what, content, field) => {
  const caller = await server.caller();
  const after = Buffer.from(JSON.stringify(content)).toString('base64url');
  const { errors } = await caller.graphql(query, { after, orderBy: { field, direction: 'ASC' } });
  expect(errors).toMatchObject([{ path: ['links'], extensions: { code: 'VALIDATION' } }]);
});

describe('Space.links', () => {
  const bySpaces = `query ($first: Int, $after: String, $last: Int, $filter: LinkFilter, $orderBy: LinkOrder) {
    spaces(orderBy: { direction: ASC }) {
      edges { node { name links(first: $first, after: $after, last: $last, filter: $filter, orderBy: $orderBy) ${connection} } }
    }
  }`;
  let caller: Caller;
  beforeAll(async () => {
    caller = await server.caller('with spaces');
    const [a, b] = [await caller.space('A'), await caller.space('B')];
    await caller.space('Empty');
    for (const title of ['a1', 'a2', 'a3']) await caller.link({ title, space_id: a });
    for (const title of ['b1', 'b2']) await caller.link({ title, space_id: b });
    await caller.link({ title: 'none' });
  });

  async function read(variables: object) {
    interface Spaces {
      spaces: { edges: { node: { name: string; links: Links } }[] };
    }
    const { spaces } = await caller.data<Spaces>(bySpaces, variables);
    return spaces.edges.map(({ node: { name, links: found } }) => [
      name,
      found.edges.map(({ node }) => node.title),
      found.totalCount,
      found.pageInfo.hasNextPage,
    ]);
  }

  test('returns the links of each space, with its own totals', async () => {
    expect(await read({ first: 2 })).toEqual([
      ['A', ['a3', 'a2'], 3, true],
      ['B', ['b2', 'b1'], 2, false],
      ['Empty', [], 0, false],
    ]);
  });

  test('paginates from the end, in its order', async () => {
    const orderBy = { field: 'TITLE', direction: 'ASC' };
    expect(await read({ last: 2, orderBy })).toEqual([
      ['A', ['a2', 'a3'], 3, false],
      ['B', ['b1', 'b2'], 2, false],
      ['Empty', [], 0, false],
    ]);
  });

  test('filters, and counts the matches', async () => {
    expect(await read({ filter: { search: '1' } })).toEqual([
      ['A', ['a1'], 1, false],
      ['B', ['b1'], 1, false],
      ['Empty', [], 0, false],
    ]);
    expect(await read({ filter: { withoutSpace: true } })).toEqual([
      ['A', [], 0, false],
      ['B', [], 0, false],
      ['Empty', [], 0, false],
    ]);
  });
});
