import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { removeHost, verifyHost } from '../../src/domain/short-domain/admin.ts';
import { settled } from '../support/database.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';

interface Change {
  id: string;
  at: string;
  action: string;
  kind: string;
  recordId: string;
  fields: string[];
  key: { prefix: string } | null;
}

let server: TestServer;
let owner: Caller;
let accounts = 0;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  owner = await server.caller(`account ${accounts++}`);
});

const FIELDS = 'id at action kind recordId fields key { prefix }';

async function changes(args = '', caller = owner): Promise<Change[]> {
  await settled(server.database);
  const { changes: found } = await caller.data<{ changes: { edges: { node: Change }[] } }>(
    `{ changes(first: 100 ${args}) { edges { node { ${FIELDS} } } } }`,
  );
  return found.edges.map(({ node }) => node);
}

/** A change in short form. */
const short = ({ action, kind, recordId, fields }: Change) => [action, kind, Number(recordId), fields];

test('a change has the nodeId of its record, also of a deleted one', async () => {
  const { createWebhook } = await owner.data<{ createWebhook: { webhook: { id: string } } }>(
    'mutation { createWebhook(input: { url: "https://hooks.example/", events: [LINK_CREATED] }) { ... on CreatedWebhook { webhook { id } } } }',
  );
  const ids = {
    Space: await owner.space('A space'),
    Pixel: await owner.pixel(),
    Domain: await owner.domain('node-ids.example'),
    Webhook: createWebhook.webhook.id,
    Link: (await owner.link()).id,
  };
  await settled(server.database);
  const { changes: made } = await owner.data<{ changes: { nodes: { recordNodeId: string }[] } }>(
    '{ changes(first: 20) { nodes { recordNodeId } } }',
  );
  const nodeIds = made.nodes.map(({ recordNodeId }) => recordNodeId);
  const { nodes } = await owner.data<{ nodes: ({ __typename: string; nodeId: string } | null)[] }>(
    'query ($nodeIds: [ID!]!) { nodes(nodeIds: $nodeIds) { __typename nodeId } }',
    { nodeIds },
  );
  expect(nodes.map((node) => node?.__typename).sort()).toEqual(Object.keys(ids).sort());
  expect(nodes.map((node) => node?.nodeId)).toEqual(nodeIds);
  const removals = Object.entries(ids).map(
    ([type, id]) => `a${type}: delete${type}(id: "${id}") { ... on DeletedRecord { nodeId } }`,
  );
  const removed = await owner.data<Record<string, { nodeId: string }>>(`mutation { ${removals.join(' ')} }`);
  await settled(server.database);
  const { changes: last } = await owner.data<{
    changes: { nodes: { action: string; recordNodeId: string }[] };
  }>('{ changes(last: 5) { nodes { action recordNodeId } } }');
  expect(last.nodes).toEqual(
    Object.values(removed).map(({ nodeId }) => ({ action: 'DELETED', recordNodeId: nodeId })),
  );
});

test('each mutation records its action, key and fields', async () => {
  const space = await owner.space('Old');
  const pixel = await owner.pixel();
  const domain = await owner.domain('changes.example');
  const { id } = await owner.link({ space_id: space, pixel_ids: pixel, password: 'x', expiration_clicks: 3 });
  await owner.rest('PATCH', `/spaces/${space}`, { name: 'New' });
  await owner.rest('PATCH', `/links/${id}`, {
    title: 'T',
    forward_query: 0,
    pixel_ids: '',
    password: 'y',
    'rotation[0][value]': 'https://e.example/',
  });
  await owner.data(`mutation { updatePixel(id: ${pixel}, input: { name: "P" }) { __typename } }`);
  await owner.data(
    `mutation { updateDomain(id: ${domain}, input: { notFoundUrl: "https://e.example/" }) { __typename } }`,
  );
  await owner.rest('DELETE', `/links/${id}`);
  await owner.rest('DELETE', `/spaces/${space}`);
  await owner.data(`mutation { deletePixel(id: ${pixel}) { __typename } }`);
  await owner.data(`mutation { deleteDomain(id: ${domain}) { __typename } }`);
  const found = await changes();
  expect(found.map(short)).toEqual([
    ['CREATED', 'SPACE', space, ['name', 'color']],
    ['CREATED', 'PIXEL', pixel, ['name', 'type', 'value']],
    ['CREATED', 'DOMAIN', domain, ['name']],
    [
      'CREATED',
      'LINK',
      id,
      expect.arrayContaining(['url', 'domain', 'alias', 'password', 'space', 'pixels', 'expiration']),
    ],
    ['UPDATED', 'SPACE', space, ['name']],
    ['UPDATED', 'LINK', id, ['title', 'password', 'forwardsQuery', 'targeting', 'pixels']],
    ['UPDATED', 'PIXEL', pixel, ['name']],
    ['UPDATED', 'DOMAIN', domain, ['notFoundUrl']],
    ['DELETED', 'LINK', id, []],
    ['DELETED', 'SPACE', space, []],
    ['DELETED', 'PIXEL', pixel, []],
    ['DELETED', 'DOMAIN', domain, []],
  ]);
  const { viewer } = await owner.data<{ viewer: { key: { prefix: string } } }>(
    '{ viewer { key { prefix } } }',
  );
  for (const { at, key } of found) expect([at, key]).toEqual([NOON.toISOString(), viewer.key]);
});

test('nodes finds the changed record of each kind by recordNodeId, and null for a deleted one', async () => {
  await owner.space('A space');
  await owner.domain(`d${accounts}.example`);
  await owner.pixel();
  await owner.data(
    'mutation { createWebhook(input: { url: "https://example.com/", events: [LINK_CREATED] }) { __typename } }',
  );
  const { id } = await owner.link();
  await owner.link({ title: 'Gone' }).then((gone) => owner.rest('DELETE', `/links/${gone.id}`));
  await settled(server.database);
  const { changes: found } = await owner.data<{
    changes: { nodes: { kind: string; action: string; recordNodeId: string }[] };
  }>('{ changes { nodes { kind action recordNodeId } } }');
  const nodeIds = found.nodes.map(({ recordNodeId }) => recordNodeId);
  const { nodes } = await owner.data<{ nodes: ({ __typename: string } | null)[] }>(
    'query ($nodeIds: [ID!]!) { nodes(nodeIds: $nodeIds) { __typename nodeId ... on Link { id } } }',
    { nodeIds },
  );
  expect(nodes.map((record) => record?.__typename ?? null)).toEqual([
    ...['Space', 'Domain', 'Pixel', 'Webhook', 'Link'],
    ...[null, null],
  ]);
  expect(nodes[4]).toEqual({ __typename: 'Link', nodeId: nodeIds[4], id: String(id) });
});

test('a mutation that changes nothing records nothing, and keeps the time of the last change', async () => {
  const { id } = await owner.link({
    title: 'Same',
    password: 'sesame',
    privacy: 2,
    privacy_password: 'simsim',
    expiration_date: '2030-01-01',
    pixel_ids: await owner.pixel(),
  });
  const { body } = await owner.rest('GET', `/links/${id}`);
  const { data } = body as { data: { updated_at: string; pixel_ids: number[] } };
  server.clock.now = new Date(NOON.getTime() + 60_000);
  await owner.rest('PATCH', `/links/${id}`, {
    title: ' Same ',
    password: 'sesame',
    privacy_password: 'simsim',
    expiration_date: '2030-01-01',
    pixel_ids: data.pixel_ids.join(),
    disabled: 0,
  });
  await owner.rest('PATCH', `/links/${id}`, {});
  server.clock.now = NOON;
  expect(await changes('filter: { kind: LINK }')).toHaveLength(1);
  expect((await owner.rest('GET', `/links/${id}`)).body).toEqual(body);
});

test('a refused mutation records nothing', async () => {
  const { alias } = await owner.link();
  await owner.rest('POST', '/links', { url: 'https://example.com/', alias });
  await owner.rest('DELETE', '/links/999999');
  await owner.rest('PATCH', '/spaces/999999', { name: 'x' });
  expect(await changes()).toHaveLength(1);
});

test('a batch records each of its records', async () => {
  const inputs = Array.from({ length: 5 }, (_, i) => ({ url: i === 2 ? 'nowhere' : 'https://example.com/' }));
  await owner.data(
    'mutation ($inputs: [CreateLinkInput!]!) { createLinks(inputs: $inputs) { __typename } }',
    { inputs },
  );
  expect((await changes()).map(({ action }) => action)).toEqual(Array(4).fill('CREATED'));
});

test('deleting a space or pixel records a change of each of its links', async () => {
  const space = await owner.space('S');
  const pixel = await owner.pixel();
  const [a, b] = [await owner.link({ space_id: space }), await owner.link({ pixel_ids: pixel })];
  await owner.rest('DELETE', `/spaces/${space}`);
  await owner.data(`mutation { deletePixel(id: ${pixel}) { __typename } }`);
  expect((await changes()).slice(4).map(short)).toEqual([
    ['UPDATED', 'LINK', a.id, ['space']],
    ['DELETED', 'SPACE', space, []],
    ['UPDATED', 'LINK', b.id, ['pixels']],
    ['DELETED', 'PIXEL', pixel, []],
  ]);
});

test('changes by the operator have no key', async () => {
  const domain = await owner.domain('operated.example');
  const db = server.database;
  await db.prisma.domain.update({ where: { id: domain }, data: { verifiedAt: null } });
  const { id } = await owner.link({ domain_id: domain });
  await verifyHost(db, 'operated.example', NOON);
  await removeHost(db, 'operated.example', true, NOON);
  const found = (await changes()).slice(2);
  expect(found.map((one) => [...short(one), one.key])).toEqual([
    ['UPDATED', 'DOMAIN', domain, ['verified'], null],
    ['DELETED', 'LINK', id, [], null],
    ['DELETED', 'DOMAIN', domain, [], null],
  ]);
});

test('removing a domain as the operator records changes for the accounts of its links', async () => {
  const db = server.database;
  const times = { createdAt: NOON, updatedAt: NOON };
  const { id } = await db.prisma.domain.create({
    data: { name: 'both.example', hostKey: 'both.example', ...times },
  });
  const link = await owner.link({ domain_id: id });
  const another = await server.caller(`another ${accounts}`);
  const theirs = await another.link({ domain_id: id });
  await removeHost(db, 'both.example', true, NOON);
  const told = async (caller: Caller) =>
    (await changes('filter: { kind: LINK }', caller)).map(({ action, recordId }) => [
      action,
      Number(recordId),
    ]);
  expect(await told(owner)).toEqual([
    ['CREATED', link.id],
    ['DELETED', link.id],
  ]);
  expect(await told(another)).toEqual([
    ['CREATED', theirs.id],
    ['DELETED', theirs.id],
  ]);
});

test('a link moved into a space during the deletion of the space leaves it by a recorded change', async () => {
  for (let i = 0; i < 10; i++) {
    const space = await owner.space(`S${i}`);
    const { id } = await owner.link();
    const [moved] = await Promise.all([
      owner.rest('PATCH', `/links/${id}`, { space_id: space }),
      owner.rest('DELETE', `/spaces/${space}`),
    ]);
    const told = (await changes(`filter: { kind: LINK, recordId: ${id} }`)).map(({ fields }) => fields);
    // It was never in the space, or has left it.
    expect(told.slice(1)).toEqual(moved.status === 200 ? [['space'], ['space']] : []);
  }
});

test('an account does not see changes of other accounts', async () => {
  const { id } = await owner.link();
  const stranger = await server.caller('stranger');
  expect(await changes('', stranger)).toEqual([]);
  expect(await changes(`filter: { recordId: ${id} }`, stranger)).toEqual([]);
});

describe('the list of changes', () => {
  beforeEach(async () => {
    const space = await owner.space('One');
    server.clock.now = new Date(NOON.getTime() + 1_000);
    await owner.rest('PATCH', `/spaces/${space}`, { name: 'Two' });
    await owner.link();
    server.clock.now = NOON;
  });

  test.each([
    ['', ['CREATED SPACE', 'UPDATED SPACE', 'CREATED LINK']],
    ['orderBy: { direction: DESC }', ['CREATED LINK', 'UPDATED SPACE', 'CREATED SPACE']],
    ['filter: { kind: SPACE }', ['CREATED SPACE', 'UPDATED SPACE']],
    ['filter: { kind: PIXEL }', []],
    ['filter: { since: "2026-11-20T12:00:00.500Z" }', ['UPDATED SPACE', 'CREATED LINK']],
  ])('can be filtered by %s', async (args, expected) => {
    expect((await changes(args)).map(({ action, kind }) => `${action} ${kind}`)).toEqual(expected);
  });

  test('can be filtered by record, counted, and paginated in both directions', async () => {
    const all = await changes();
    const [{ recordId } = { recordId: '' }] = all;
    expect(await changes(`filter: { kind: SPACE, recordId: ${recordId} }`)).toHaveLength(2);
    const seen: string[] = [];
    let after: string | null = null;
    for (;;) {
      const page: {
        changes: {
          totalCount: number;
          edges: { cursor: string; node: Change }[];
          pageInfo: { hasNextPage: boolean; endCursor: string };
        };
      } = await owner.data(
        `query ($after: String) { changes(first: 2, after: $after) { totalCount edges { cursor node { id } } pageInfo { hasNextPage endCursor } } }`,
        { after },
      );
      expect(page.changes.totalCount).toBe(3);
      seen.push(...page.changes.edges.map(({ node }) => node.id));
      after = page.changes.pageInfo.endCursor;
      if (!page.changes.pageInfo.hasNextPage) break;
    }
    expect(seen).toEqual(all.map(({ id }) => id));
    const { edges } = (
      await owner.data<{ changes: { edges: { node: Change }[] } }>(
        `query ($before: String) { changes(last: 1, before: $before) { edges { node { id } } } }`,
        { before: after },
      )
    ).changes;
    expect(edges.map(({ node }) => node.id)).toEqual([all[1]?.id]);
  });

  test.each([
    ['after: "x"', ['after'], 'must be a cursor that this list gave, in the same order'],
    [
      'filter: { since: "yesterday" }',
      ['filter', 'since'],
      'must be a moment in ISO 8601 with its offset from UTC, such as 2027-01-01T00:00Z',
    ],
    ['filter: { recordId: "x" }', ['filter', 'recordId'], 'must be the id of a record'],
  ])('refuses %s', async (args, path, message) => {
    const { errors } = await owner.graphql(`{ changes(first: 1 ${args}) { totalCount } }`);
    expect(errors?.[0]?.extensions).toMatchObject({
      code: 'VALIDATION',
      fields: [{ path, messages: [message] }],
    });
  });
});

test('shows the history of links and spaces, newest first', async () => {
  const space = await owner.space('S');
  const { id } = await owner.link({ space_id: space });
  await owner.rest('PATCH', `/links/${id}`, { title: 'x' });
  await settled(server.database);
  const history = 'history(first: 5) { totalCount edges { node { action fields key { prefix } } } }';
  const answer = await owner.data(`{ link(id: ${id}) { ${history} } space(id: ${space}) { ${history} } }`);
  expect(answer).toMatchObject({
    link: {
      history: {
        totalCount: 2,
        edges: [{ node: { action: 'UPDATED', fields: ['title'] } }, { node: { action: 'CREATED' } }],
      },
    },
    space: { history: { totalCount: 1, edges: [{ node: { action: 'CREATED' } }] } },
  });
});

test('takes as many statements for the history of many links as of a few', async () => {
  const query =
    '{ links(first: 20) { edges { node { id history(first: 2) { edges { node { id key { prefix } } } } } } } }';
  const statements = async (count: number) => {
    for (let i = 0; i < count; i++) await owner.link();
    await settled(server.database);
    return (await server.statementsOf(() => owner.data(`query Of${count} ${query}`))).length;
  };
  expect(await statements(2)).toBe(await statements(10));
});
