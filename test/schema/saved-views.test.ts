import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAX_QUERY, MAX_VIEWS } from '../../src/domain/saved-view.ts';
import { exportOf, importInto } from '../support/moving.ts';
import { signedIn } from '../support/person.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
let stranger: Caller;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller('owner');
  stranger = await server.caller('stranger');
});
afterAll(() => server.stop());

const failure = '... on ValidationError { fields { path messages reason } }';
const missing = '... on NotFoundError { code }';
const all = 'name view query';
const create = `mutation ($input: CreateSavedViewInput!) { createSavedView(input: $input) { ... on SavedView { id ${all} } ${failure} } }`;
const update = `mutation ($id: ID!, $input: UpdateSavedViewInput!) { updateSavedView(id: $id, input: $input) {
  ... on SavedView { ${all} } ${failure} ${missing} } }`;
const remove = `mutation ($id: ID!) { deleteSavedView(id: $id) { ... on DeletedRecord { id nodeId } ${missing} } }`;
const show = `query ($id: ID!) { savedView(id: $id) { ${all} } }`;

let made = 0;
async function view(fields: object = {}, caller = owner): Promise<string> {
  const input = { name: `View ${++made}`, view: 'LINKS', query: '', ...fields };
  return (await caller.data<{ createSavedView: { id: string } }>(create, { input })).createSavedView.id;
}

test('is created, changed, listed, found by its global id, and deleted', async () => {
  const input = { name: ' Spring ', view: 'LINKS', query: 'status=ACTIVE&tag=1' };
  const { createSavedView } = await owner.data<{ createSavedView: { id: string } }>(create, { input });
  const { id } = createSavedView;
  expect(createSavedView).toEqual({ ...input, name: 'Spring', id });
  const changes = { name: 'SPRING', view: 'OVERVIEW', query: '' };
  expect(await owner.data(update, { id, input: changes })).toEqual({ updateSavedView: changes });
  expect(await owner.data(update, { id, input: {} })).toEqual({ updateSavedView: changes });
  const { savedViews } = await owner.data<{
    savedViews: { totalCount: number; nodes: { nodeId: string }[] };
  }>('{ savedViews { totalCount nodes { nodeId } } }');
  expect(savedViews.totalCount).toBe(1);
  const [{ nodeId = '' } = {}] = savedViews.nodes;
  const node = 'query ($nodeId: ID!) { node(nodeId: $nodeId) { ... on SavedView { id name } } }';
  expect(await owner.data(node, { nodeId })).toEqual({ node: { id, name: 'SPRING' } });
  expect(await stranger.data(node, { nodeId })).toEqual({ node: null });
  expect(await owner.data(remove, { id })).toEqual({ deleteSavedView: { id, nodeId } });
  expect(await owner.data(show, { id })).toEqual({ savedView: null });
  const changed = await server.database.prisma.change.findMany({ where: { kind: 'SAVED_VIEW' } });
  expect(changed.map(({ action, fields }) => `${action} ${fields}`)).toEqual([
    'CREATED ["name","view","query"]',
    'UPDATED ["name","view","query"]',
    'DELETED []',
  ]);
});

test('has a name of its own in its account, whatever its case', async () => {
  await view({ name: 'Größe' });
  await view({ name: 'GRÖSSE' }, stranger);
  const taken = { fields: [{ path: ['name'], reason: 'NAME_TAKEN' }] };
  expect(await owner.data(create, { input: { name: 'GRÖSSE', view: 'LINKS', query: '' } })).toMatchObject({
    createSavedView: taken,
  });
  const id = await view();
  expect(await owner.data(update, { id, input: { name: 'grösse' } })).toMatchObject({
    updateSavedView: taken,
  });
});

test('is nobody else’s', async () => {
  const id = await view();
  const unknown = { code: 'NOT_FOUND' };
  expect(await stranger.data(show, { id })).toEqual({ savedView: null });
  expect(await stranger.data(update, { id, input: { name: 'x' } })).toEqual({ updateSavedView: unknown });
  expect(await stranger.data(remove, { id })).toEqual({ deleteSavedView: unknown });
});

test('is written by editors and keys that write, and read by all', async () => {
  const id = await view();
  const { accountId } = await server.database.prisma.savedView.findUniqueOrThrow({
    where: { id: Number(id) },
  });
  const input = { name: `By role ${++made}`, view: 'LINKS', query: '' };
  const viewer = await signedIn(server, accountId, 'VIEWER');
  expect((await viewer.graphql(create, { input })).errors?.[0]).toMatchObject({
    extensions: { code: 'FORBIDDEN' },
  });
  expect(await viewer.data('{ savedViews { totalCount } }')).toMatchObject({ savedViews: {} });
  const editor = await signedIn(server, accountId, 'EDITOR');
  expect(await editor.data(create, { input })).toMatchObject({ createSavedView: { name: input.name } });
});

test.each([
  [{ name: '' }, 'name', 'BLANK'],
  [{ name: 'é'.repeat(61) }, 'name', 'WRONG_LENGTH'],
  [{ name: 'a\nb' }, 'name', 'HAS_CONTROL_CHARACTERS'],
  [{ query: `${'é'.repeat(MAX_QUERY / 2)}x` }, 'query', 'QUERY_TOO_LARGE'],
  [{ query: 'a\nb' }, 'query', 'HAS_CONTROL_CHARACTERS'],
])('refuses a wrong view (%#)', async (fields, field, reason) => {
  const input = { name: `Wrong ${++made}`, view: 'LINKS', query: '', ...fields };
  const { createSavedView } = await owner.data<{ createSavedView: object }>(create, { input });
  expect(createSavedView).toMatchObject({ fields: [{ path: [field], reason }] });
});

test('takes a name of 60 characters and a query of 4 kB', async () => {
  const id = await view({ name: 'é'.repeat(60), query: 'é'.repeat(MAX_QUERY / 2) });
  expect(await owner.data(show, { id })).toMatchObject({ savedView: { query: 'é'.repeat(MAX_QUERY / 2) } });
});

test(`is one of at most ${MAX_VIEWS}, also under simultaneous requests`, async () => {
  const caller = await server.caller('full');
  const { id: accountId } = await server.database.prisma.account.findFirstOrThrow({
    where: { name: 'full' },
  });
  const times = { createdAt: NOON, updatedAt: NOON };
  const data = Array.from({ length: MAX_VIEWS - 1 }, (_, i) => ({
    ...{ accountId, name: `${i}`, nameKey: `${i}`, view: 'LINKS', query: '' },
    ...times,
  }));
  await server.database.prisma.savedView.createMany({ data });
  await Promise.all(
    [1, 2, 3].map((i) => caller.data(create, { input: { name: `More ${i}`, view: 'LINKS', query: '' } })),
  );
  expect(await server.database.prisma.savedView.count({ where: { accountId } })).toBe(MAX_VIEWS);
});

test.each(['json', 'csv'] as const)('is in an export as %s, and in an import of it once', async (format) => {
  const [from, to] = [await startTestServer(), await startTestServer()];
  try {
    const [caller, there] = [await from.caller(), await to.caller()];
    const views = [
      { name: '=Sum', view: 'LINKS', query: 'search=%3D1;x&tag=3' },
      { name: 'Über "alles"', view: 'OVERVIEW', query: '' },
    ];
    for (const input of views) await caller.data(create, { input });
    const text = await exportOf(from, format);
    const counts = { views: 2, refused: 0, told: [], unusedColumns: [] };
    expect(await importInto(to, { text }, { dryRun: true })).toMatchObject(counts);
    expect(await there.data('{ savedViews { totalCount } }')).toEqual({ savedViews: { totalCount: 0 } });
    expect(await importInto(to, { text })).toMatchObject(counts);
    expect(await there.data(`{ savedViews { nodes { ${all} } } }`)).toEqual({ savedViews: { nodes: views } });
    expect(await importInto(to, { text })).toMatchObject({ ...counts, views: 0 });
    // Editors may import them, too.
    const imported = await stranger.data<{ importLinks: { results: { status: string }[] } }>(
      'mutation ($text: String!) { importLinks(text: $text, format: CSV) { results { status reason } } }',
      { text },
    );
    expect(imported.importLinks.results.map(({ status }) => status)).toEqual(
      format === 'json' ? ['CREATED', 'CREATED'] : ['EXISTS', 'EXISTS'],
    );
  } finally {
    await from.stop();
    await to.stop();
  }
});

test('of a file is refused by its column if it is wrong', async () => {
  const wrong = { name: 'x', view: 'TABLE', query: '' };
  const text = JSON.stringify([{ kind: 'view', views: [wrong] }, { kind: 'view' }]);
  const { told, refused } = await importInto(server, { text });
  expect(refused).toBe(2);
  expect(told).toMatchObject([
    { column: 'views', message: 'must be one of LINKS, OVERVIEW' },
    { field: 'views', message: 'is required' },
  ]);
});
