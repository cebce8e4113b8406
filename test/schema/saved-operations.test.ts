import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MAX_OPERATIONS } from '../../src/domain/operation/operation.ts';
import { type Caller, emptyServer, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
let stranger: Caller;
beforeAll(async () => {
  server = await startTestServer({ background: true });
});
beforeEach(async () => {
  await emptyServer(server);
  owner = await server.caller('owner');
  stranger = await server.caller('stranger');
});
afterAll(() => server.stop());

const refusals = '... on ValidationError { fields { path messages reason } }';
const create = `mutation ($input: CreateSavedOperationInput!) { createSavedOperation(input: $input) {
  ... on SavedOperation { id name description document kind isTool path hash revision deprecations broken updatedAt
    variables { name type isRequired defaultValue } } ${refusals} } }`;
const update = `mutation ($id: ID!, $input: UpdateSavedOperationInput!, $seen: DateTime) {
  updateSavedOperation(id: $id, input: $input, ifUpdatedAt: $seen) { __typename
    ... on SavedOperation { name description document hash revision } ${refusals}
    ... on ConflictError { code current { ... on SavedOperation { name } } } ... on NotFoundError { code } } }`;
const remove = `mutation ($id: ID!) { deleteSavedOperation(id: $id) {
  ... on DeletedRecord { id } ... on NotFoundError { code } } }`;

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const FIND =
  'query Find($first: Int = 5, $filter: LinkFilter) { links(first: $first, filter: $filter) { nodes { title } } }';

interface Saved {
  readonly id: string;
  readonly updatedAt: string;
  readonly fields?: readonly { path: string[]; messages: string[]; reason: string }[];
}

async function save(input: object, caller = owner): Promise<Saved> {
  const data = await caller.data<{ createSavedOperation: Saved }>(create, { input });
  return data.createSavedOperation;
}

const reasonsOf = ({ fields = [] }: Saved) => fields.map(({ path, reason }) => `${path.join('.')} ${reason}`);

describe('a saved operation', () => {
  test('has what its document says', async () => {
    expect(await save({ name: 'find-links', document: FIND, description: 'Finds links.' })).toEqual({
      id: expect.any(String),
      name: 'find-links',
      description: 'Finds links.',
      document: FIND,
      kind: 'QUERY',
      isTool: false,
      path: '/api/run/find-links',
      hash: hashOf(FIND),
      revision: 1,
      deprecations: [],
      broken: null,
      updatedAt: expect.any(String),
      variables: [
        { name: 'first', type: 'Int', isRequired: false, defaultValue: '5' },
        { name: 'filter', type: 'LinkFilter', isRequired: false, defaultValue: null },
      ],
    });
  });

  test('is changed, found by name, and deleted, and the log says so', async () => {
    const { id, updatedAt } = await save({ name: 'a', document: '{ viewer { role } }' });
    const input = { document: FIND, description: 'Now finds.' };
    expect(await owner.data(update, { id, input })).toEqual({
      updateSavedOperation: {
        ...{ __typename: 'SavedOperation', name: 'a', revision: 2, hash: hashOf(FIND) },
        ...input,
      },
    });
    expect(await owner.data(update, { id, input: { name: 'b' }, seen: updatedAt })).toEqual({
      updateSavedOperation: { __typename: 'ConflictError', code: 'CONFLICT', current: { name: 'a' } },
    });
    const byName = 'query ($name: String!) { savedOperationByName(name: $name) { id revision } }';
    expect(await owner.data(byName, { name: 'a' })).toEqual({ savedOperationByName: { id, revision: 2 } });
    expect(await stranger.data(byName, { name: 'a' })).toEqual({ savedOperationByName: null });
    expect(await stranger.data(remove, { id })).toEqual({ deleteSavedOperation: { code: 'NOT_FOUND' } });
    expect(await owner.data(remove, { id })).toEqual({ deleteSavedOperation: { id } });
    const changes = await server.database.prisma.change.findMany({ where: { kind: 'SAVED_OPERATION' } });
    expect(changes.map(({ action, fields }) => `${action} ${fields}`)).toEqual([
      'CREATED ["name","document","isTool"]',
      'UPDATED ["document","description"]',
      'DELETED []',
    ]);
  });

  test.each([
    ['name', { name: 'Find' }, 'OPERATION_NAME_MALFORMED'],
    ['name', { name: `a${'b'.repeat(63)}` }, 'OPERATION_NAME_MALFORMED'],
    ['document', { document: '{ nothing }' }, 'DOCUMENT_UNUSABLE'],
    ['document', { document: '{' }, 'DOCUMENT_UNUSABLE'],
    [
      'document',
      { document: 'query A { viewer { role } } query B { viewer { role } }' },
      'DOCUMENT_UNUSABLE',
    ],
    ['document', { document: 'subscription { changes { id } }' }, 'DOCUMENT_UNUSABLE'],
    [
      'document',
      {
        document: `query ($n: Int) { links(first: $n) { nodes { history(first: $n) { nodes { values { name before after } by { __typename } at fields kind } } } } }`,
      },
      'DOCUMENT_UNUSABLE',
    ],
    ['document', { document: `{ viewer { role } } ${'#'.repeat(20_000)}` }, 'DOCUMENT_TOO_LARGE'],
    ['description', { description: 'a\nb' }, 'TEXT_HAS_HIDDEN_CHARACTERS'],
    ['description', { description: 'a\u202eb' }, 'TEXT_HAS_HIDDEN_CHARACTERS'],
    ['description', { description: 'a\u200bb' }, 'TEXT_HAS_HIDDEN_CHARACTERS'],
    ['description', { description: 'a'.repeat(301) }, 'TOO_LONG'],
  ])('is refused for its %s, case %$', async (field, input, reason) => {
    const refused = await save({ name: 'a', document: FIND, ...input });
    expect(reasonsOf(refused)).toEqual([`${field} ${reason}`]);
  });

  test('has a name of its own in its account, of which each has at most 200', async () => {
    await save({ name: 'a', document: FIND });
    expect(reasonsOf(await save({ name: 'a', document: FIND }))).toEqual(['name NAME_TAKEN']);
    const { accountId } = await server.database.prisma.savedOperation.findFirstOrThrow();
    const at = { createdAt: server.clock.now, updatedAt: server.clock.now };
    await server.database.prisma.savedOperation.createMany({
      data: Array.from({ length: MAX_OPERATIONS - 1 }, (_, index) => ({
        ...{ accountId, name: `b${index}`, document: FIND, hash: hashOf(FIND), ...at },
      })),
    });
    expect(reasonsOf(await save({ name: 'c', document: FIND }))).toEqual(['name TOO_MANY_OPERATIONS']);
  });
});

describe('a documentId', () => {
  const ask = async (documentId: string, variables: object, caller = owner) => {
    const response = await caller.fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/graphql-response+json' },
      body: JSON.stringify({ documentId, variables }),
    });
    return { status: response.status, body: await response.json() };
  };

  test('runs the operation by its name and its hash, and a change holds at once', async () => {
    const { id } = await save({ name: 'find', document: '{ viewer { role } }' });
    const answer = { data: { viewer: { role: null } } };
    for (const one of ['find', `sha256:${hashOf('{ viewer { role } }')}`])
      expect(await ask(one, {})).toMatchObject({ status: 200, body: answer });
    await owner.data(update, { id, input: { document: '{ viewer { key { id } } }' } });
    expect((await ask('find', {})).body).toMatchObject({
      data: { viewer: { key: { id: expect.any(String) } } },
    });
    for (const [one, caller] of [
      ['find', stranger],
      ['other', owner],
    ] as const)
      expect(await ask(one, {}, caller)).toMatchObject({
        status: 400,
        body: { errors: [{ extensions: { code: 'UNKNOWN_DOCUMENT' } }] },
      });
  });

  test('counts its runs by day', async () => {
    await save({
      name: 'find',
      isTool: true,
      document: 'query ($n: Int!) { links(first: $n) { nodes { id } } }',
    });
    await ask('find', { n: 1 });
    await ask('find', { n: 'x' });
    await server.flush();
    const asked = '{ savedOperations { nodes { name isTool runs { date runs errors } } } }';
    expect(await owner.data(asked)).toEqual({
      savedOperations: {
        nodes: [{ name: 'find', isTool: true, runs: [{ date: '2026-11-20', runs: 2, errors: 1 }] }],
      },
    });
  });
});
