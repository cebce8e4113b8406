import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { newDatabase, settled } from '../support/database.ts';
import { subscribe } from '../support/events.ts';
import { signedIn } from '../support/person.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
let accounts = 0;
beforeAll(async () => {
  server = await startTestServer({ background: true });
});
afterAll(() => server.stop());
beforeEach(async () => {
  owner = await server.caller(`account ${accounts++}`);
});

interface Changes {
  readonly changes: {
    readonly nodes: readonly {
      readonly kind: string;
      readonly action: string;
      readonly recordNodeId: string;
      readonly record: Readonly<Record<string, unknown>> | null;
    }[];
  };
}

const RECORD = `record {
  __typename nodeId
  ... on Link { title tags { name } } ... on Space { name } ... on Tag { name } ... on Domain { name }
  ... on Pixel { name } ... on UtmTemplate { name } ... on SavedView { name } ... on Webhook { url } ... on Account { name }
  ... on ApiKey { name } ... on Invitation { email } ... on Member { role }
}`;

async function list(caller: Pick<Caller, 'data'> = owner): Promise<Changes['changes']['nodes']> {
  await settled(server.database);
  const { changes } = await caller.data<Changes>(
    `{ changes(first: 100) { nodes { kind action recordNodeId ${RECORD} } } }`,
  );
  return changes.nodes;
}

test('each change has the record as it is now, and null if it is deleted', async () => {
  const tag = await owner.tag('Tag');
  await owner.domain(`records-${accounts}.example`);
  await owner.pixel('Pixel');
  const space = await owner.space('Old');
  const { id } = await owner.link({ title: 'Link', space_id: space, tag_ids: tag });
  const gone = await owner.link();
  await owner.data(`mutation {
    createUtmTemplate(input: { name: "Template", source: "x" }) { __typename }
    createSavedView(input: { name: "View", view: LINKS, query: "status=ACTIVE" }) { __typename }
    createWebhook(input: { url: "https://hooks.example/", events: [LINK_CREATED] }) { __typename }
  }`);
  await owner.rest('PATCH', `/spaces/${space}`, { name: 'New' });
  await owner.rest('DELETE', `/links/${gone.id}`);
  const nodes = await list();
  for (const { record, recordNodeId } of nodes)
    expect(record === null ? recordNodeId : record.nodeId).toBe(recordNodeId);
  expect(
    nodes.map(({ action, kind, record }) => [action, kind, record?.name ?? record?.title ?? record?.url]),
  ).toEqual([
    ['CREATED', 'TAG', 'Tag'],
    ['CREATED', 'DOMAIN', `records-${accounts}.example`],
    ['CREATED', 'PIXEL', 'Pixel'],
    ['CREATED', 'SPACE', 'New'],
    ['CREATED', 'LINK', 'Link'],
    ['CREATED', 'LINK', undefined],
    ['CREATED', 'UTM_TEMPLATE', 'Template'],
    ['CREATED', 'SAVED_VIEW', 'View'],
    ['CREATED', 'WEBHOOK', 'https://hooks.example/'],
    ['UPDATED', 'SPACE', 'New'],
    ['DELETED', 'LINK', undefined],
  ]);
  expect(nodes[4]?.record).toMatchObject({ __typename: 'Link', tags: [{ name: 'Tag' }] });
  expect(id).toBeLessThan(gone.id);
});

test('shows people and keys only to whom they are theirs to see', async () => {
  const { id: accountId } = await server.database.prisma.account.findFirstOrThrow({
    where: { name: `account ${accounts - 1}` },
  });
  const person = await signedIn(server, accountId, 'OWNER');
  await person.data(
    'mutation { inviteMember(input: { email: "new@x.example", role: VIEWER }) { __typename } }',
  );
  await person.data('mutation { createApiKey(input: { name: "Key", role: VIEWER }) { __typename } }');
  const seen = (await list(person)).map(({ kind, record }) => [kind, record?.__typename ?? null]);
  expect(seen).toContainEqual(['INVITATION', 'Invitation']);
  expect(seen).toContainEqual(['API_KEY', 'ApiKey']);
  expect((await list()).map(({ kind }) => kind)).not.toContain('API_KEY');
});

test('takes as many statements for 20 changes as for 2, in a list and in histories', async () => {
  const quiet = await startTestServer({ url: await newDatabase() });
  onTestFinished(() => quiet.stop());
  const statements = async (count: number, field: string) => {
    const caller = await quiet.caller(`with ${count} changes ${accounts++}`);
    for (let i = 0; i < count; i++) await caller.link({ title: `${i}`, tag_ids: await caller.tag(`${i}`) });
    await settled(quiet.database);
    const query = `query Of${count} { ${field} }`;
    await caller.data(query);
    return (await quiet.statementsOf(() => caller.data(query))).length;
  };
  const changes = `changes(first: 40) { nodes { ${RECORD} } edges { node { ${RECORD} } } }`;
  const histories = `links(first: 20) { nodes { history(first: 2) { nodes { ${RECORD} } } } }`;
  expect(await statements(2, changes)).toBe(await statements(20, changes));
  expect(await statements(2, histories)).toBe(await statements(20, histories));
  // The changes, the links of both fields, and the tags of each.
  expect(await statements(2, changes)).toBe(4);
});

test('two changes of one record in a document each see it as it is then', async () => {
  const { id } = await owner.link({ title: 'Old' });
  await settled(server.database);
  const { a, b } = await owner.data<Record<'a' | 'b', { history: { nodes: { record: object }[] } }>>(
    `mutation ($id: ID!) {
      a: updateLink(id: $id, input: { title: "A" }) { ...Found }
      b: updateLink(id: $id, input: { title: "B" }) { ...Found }
    }
    fragment Found on Link { history(last: 1) { nodes { record { ... on Link { title } } } } }`,
    { id: String(id) },
  );
  expect([a, b].map(({ history }) => history.nodes[0]?.record)).toEqual([{ title: 'A' }, { title: 'B' }]);
});

test('counts for the cost with each change', async () => {
  const costOf = async (selection: string) => {
    const response = await owner.fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        query: `{ changes(first: 100) { nodes { id ${selection} } } }`,
        extensions: { cost: true },
      }),
    });
    return ((await response.json()) as { extensions: { cost: { cost: number } } }).extensions.cost.cost;
  };
  // A statement, the record, and the value in it.
  expect((await costOf('record { nodeId }')) - (await costOf(''))).toBe(100 * (10 + 1 + 1));
});

test('readers of an account with one selection and role share one read of the record', async () => {
  const another = await server.caller(`account ${accounts - 1}`);
  const reader = await server.caller(`account ${accounts - 1}`, ['read']);
  const space = await owner.space('S');
  await settled(server.database);
  const { changes } = await owner.data<{ changes: { nodes: { cursor: string }[] } }>(
    '{ changes(last: 1) { nodes { cursor } } }',
  );
  const after = changes.nodes[0]?.cursor;
  const query = `subscription ($filter: ChangeFilter, $after: String) {
    changes(filter: $filter, after: $after) { action record { ... on Link { title space { name } } } }
  }`;
  const readers = [
    [owner, {}],
    [owner, { filter: { kinds: ['LINK'] } }],
    [owner, { after }],
    [another, { filter: { spaceId: String(space) }, after }],
    [another, { filter: { kind: 'LINK' } }],
    [reader, {}],
  ] as const;
  type Told = { data: { changes: { action: string; record: object | null } } };
  const all = await Promise.all(
    readers.map(([caller, variables]) => subscribe<Told>(caller, query, variables)),
  );
  const told = () => all.map(({ seen }) => seen.map(({ data }) => data.changes));
  const sent = await server.statementsOf(async () => {
    for (const title of ['A', 'B', 'C']) {
      await owner.link({ title, space_id: space });
      const expected = expect.arrayContaining([
        { action: 'CREATED', record: { title, space: { name: 'S' } } },
      ]);
      await expect.poll(told).toEqual(readers.map(() => expected));
    }
  });
  // The owner's own link is read by its write, too.
  const reads = sent.filter((one) => one.startsWith('SELECT') && one.includes('FROM "Link"'));
  const ofWrites = 3;
  expect(reads.length - ofWrites).toBe(2 * 3);
  expect(told().map(({ length }) => length)).toEqual(readers.map(() => 3));
  for (const one of all) one.close();
});
