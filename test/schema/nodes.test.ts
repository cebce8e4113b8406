import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEFAULT_EDGES } from '../../src/engine/lists/pagination.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
let stranger: Caller;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
  stranger = await server.caller('stranger');
});
afterAll(() => server.stop());

const EVERYTHING = `{
  spaces { nodes { id nodeId name } } links { nodes { id nodeId title } }
  domains { nodes { id nodeId name } } pixels { nodes { id nodeId name } }
  changes { nodes { id nodeId kind } }
}`;
type Listed = Record<string, { nodes: { id: string; nodeId: string }[] }>;

/** The global ids of all records of an account, from the lists. */
async function nodeIds(caller: Caller): Promise<[string, string][]> {
  const lists = Object.entries(await caller.data<Listed>(EVERYTHING));
  return lists.flatMap(([list, { nodes }]) => nodes.map(({ nodeId }): [string, string] => [list, nodeId]));
}

/** Creates records of each kind, with equal numbers. */
async function fill(caller: Caller, host: string, count = 1): Promise<void> {
  await caller.domain(host);
  for (let i = 0; i < count; i++) {
    const space = await caller.space(`Space ${i}`);
    await caller.link({ title: `Link ${i}`, space_id: space, pixel_ids: await caller.pixel(`Pixel ${i}`) });
  }
  // On PostgreSQL, changes are listed once all transactions of the cluster that began before have ended.
  const changes = async () => (await nodeIds(caller)).filter(([list]) => list === 'changes').length;
  await expect.poll(changes).toBeGreaterThanOrEqual(Math.min(1 + 3 * count, DEFAULT_EDGES));
}

const NODES = `query ($ids: [ID!]!) { nodes(nodeIds: $ids) {
  __typename nodeId
  ... on Space { id name links { nodes { nodeId } } } ... on Link { id title domain { nodeId } pixels { nodeId } }
  ... on Domain { id name } ... on Pixel { id name } ... on Change { id kind }
} }`;
type Nodes = { nodes: ({ __typename: string; nodeId: string } | null)[] };

test('gives each record an id that is unique over all types', async () => {
  await fill(owner, 'nodes.example', 2);
  const ids = await nodeIds(owner);
  expect(new Set(ids.map(([list]) => list)).size).toBe(5);
  expect(new Set(ids.map(([, nodeId]) => nodeId)).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThan(9);
});

test('finds each record by its id, in order, and repeatedly', async () => {
  const all = (await nodeIds(owner)).map(([, nodeId]) => nodeId).reverse();
  const ids = [...all, all[0] ?? ''];
  const { nodes } = await owner.data<Nodes>(NODES, { ids });
  expect(nodes.map((node) => node?.nodeId)).toEqual(ids);
  for (const nodeId of all) {
    const { node } = await owner.data<{ node: { nodeId: string } }>(
      'query ($nodeId: ID!) { node(nodeId: $nodeId) { nodeId } }',
      { nodeId },
    );
    expect(node).toEqual({ nodeId });
  }
});

test('gives the same answer for unknown ids, invalid ids and ids of other accounts', async () => {
  await fill(stranger, 'stranger-nodes.example');
  const theirs = (await nodeIds(stranger)).filter(([list]) => list !== 'domains').map(([, id]) => id);
  const { domains } = await stranger.data<{ domains: { nodes: { name: string; nodeId: string }[] } }>(
    '{ domains { nodes { name nodeId } } }',
  );
  const own = domains.nodes.find(({ name }) => name === 'stranger-nodes.example')?.nodeId ?? '';
  const encoded = (text: string) => Buffer.from(text).toString('base64url');
  const none = [
    '',
    '1',
    'x'.repeat(5_000),
    encoded('Link:0'),
    encoded('Link:99999999999'),
    encoded('Account:999999'),
    encoded('ApiKey:1'),
    encoded('User:1'),
  ];
  const odd = [encoded('Link:999999'), `${theirs[0]}=`, encoded('__proto__:1'), encoded('Link:1 ')];
  const ids = [...theirs, own, ...none, ...odd];
  expect(theirs.length).toBeGreaterThan(3);
  const { nodes } = await owner.data<Nodes>(NODES, { ids });
  expect(nodes).toEqual(ids.map(() => null));
});

test('a hundred ids of all kinds cost one statement per kind', async () => {
  await fill(owner, 'more-nodes.example', 20);
  const known = await nodeIds(owner);
  const ids = Array.from({ length: 100 }, (_, index) => known[index % known.length]?.[1]);
  expect(new Set(ids).size).toBeGreaterThan(60);
  const plain =
    'query ($ids: [ID!]!) { nodes(nodeIds: $ids) { nodeId ... on Link { title } ... on Space { name } } }';
  expect(await server.statementsOf(() => owner.data(plain, { ids }))).toHaveLength(5);
  const { nodes } = await owner.data<Nodes>(plain, { ids });
  expect(nodes.map((node) => node?.nodeId)).toEqual(ids);
});

test('refuses more than a hundred ids', async () => {
  const ids = Array.from({ length: 101 }, () => 'x');
  const { data, errors } = await owner.graphql(NODES, { ids });
  expect(data).toBeNull();
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION', fields: [{ path: ['nodeIds'] }] });
});

test('deleting a record returns its ids', async () => {
  const { id } = await owner.link();
  const { link } = await owner.data<{ link: { nodeId: string } }>(`{ link(id: ${id}) { nodeId } }`);
  const { deleteLink } = await owner.data<{ deleteLink: object }>(
    `mutation { deleteLink(id: ${id}) { ... on DeletedRecord { id nodeId } } }`,
  );
  expect(deleteLink).toEqual({ id: String(id), nodeId: link.nodeId });
  expect(await owner.data(NODES, { ids: [link.nodeId] })).toEqual({ nodes: [null] });
});

test('answers a frequent query as it did the first time', async () => {
  const [[, nodeId] = ['', '']] = await nodeIds(owner);
  const queries = [
    EVERYTHING,
    `{ node(nodeId: "${nodeId}") { __typename nodeId } }`,
    '{ links(first: 3) { nodes { title } edges { node { alias } } pageInfo { endCursor } } }',
  ];
  for (const query of queries) {
    const answers = [];
    for (let time = 0; time < 5; time++) answers.push(await owner.data(query));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  }
});

test('a connection returns its records without cursors as nodes', async () => {
  const { links } = await owner.data<{ links: { nodes: object[]; edges: { node: object }[] } }>(
    '{ links(first: 4) { nodes { id title } edges { node { id title } } } }',
  );
  expect(links.nodes).toHaveLength(4);
  expect(links.nodes).toEqual(links.edges.map(({ node }) => node));
});
