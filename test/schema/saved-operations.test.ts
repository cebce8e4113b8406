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
    ['document', { document: '{ links(first: 1000) { totalCount } }' }, 'DOCUMENT_UNUSABLE'],
    ['document', { document: '{ links(last: -1) { totalCount } }' }, 'DOCUMENT_UNUSABLE'],
    [
      'document',
      { document: 'query ($n: Int = 1000) { links(first: $n) { totalCount } }' },
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

describe('the check of a document', () => {
  const fragments = (count: number) => {
    const numbers = Array.from({ length: count }, (_, at) => at);
    const outer = numbers.map((at) => `fragment G${at} on Link { ...H${at} }`);
    const inner = numbers.map((at) => `fragment H${at} on Link { id url title space { id name } }`);
    return `{ links { nodes { ${numbers.map((at) => `...G${at}`).join(' ')} } } } ${[...outer, ...inner].join(' ')}`;
  };
  const many = (id: string, document: string) => ({
    query: `mutation ($input: UpdateSavedOperationInput!) { ${Array.from(
      { length: 100 },
      (_, at) => `m${at}: updateSavedOperation(id: "${id}", input: $input) { __typename }`,
    ).join(' ')} }`,
    variables: { input: { document } },
  });

  test('refuses what would take long, before it is validated', async () => {
    const { fields } = await save({ name: 'long', document: fragments(99) });
    expect(fields?.[0]?.messages[0]).toContain('above the limit of 20000');
    expect((await save({ name: 'short', document: fragments(20) })).fields).toBeUndefined();
  });

  test('has a price by its length', async () => {
    const post = async (body: object) => {
      const headers = { 'Content-Type': 'application/json' };
      const response = await owner.fetch('/graphql', { method: 'POST', headers, body: JSON.stringify(body) });
      return response.json();
    };
    expect(await post(many('9999', `{ __typename } #${'x'.repeat(10_000)}`))).toMatchObject({
      errors: [{ extensions: { code: 'TOO_COSTLY' } }],
    });
    const { data } = await post(many('9999', '{ __typename }'));
    expect(data.m99).toEqual({ __typename: 'NotFoundError' });
  });

  test('is not done for an operation that is not there', async () => {
    const input = { document: '{ nothing }' };
    const { updateSavedOperation } = await owner.data<{ updateSavedOperation: object }>(update, {
      ...{ id: '9999', input },
    });
    expect(updateSavedOperation).toMatchObject({ __typename: 'NotFoundError' });
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

  test('is found from another process within a second', async () => {
    const other = await startTestServer({ url: server.databaseUrl, background: true });
    try {
      const there = other.callerWith(owner.key);
      const { id } = await save({ name: 'find', document: '{ viewer { role } }' });
      await expect.poll(async () => (await ask('find', {}, there)).status).toBe(200);
      await owner.data(update, { id, input: { document: '{ viewer { key { id } } }' } });
      await expect
        .poll(async () => (await ask('find', {}, there)).body)
        .toMatchObject({ data: { viewer: { key: {} } } });
      await owner.data(remove, { id });
      await expect.poll(async () => (await ask('find', {}, there)).status).toBe(400);
    } finally {
      await other.stop();
    }
  });

  test('runs queries by GET, and no document beside a query', async () => {
    await save({ name: 'find', document: 'query ($n: Int!) { links(first: $n) { nodes { id } } }' });
    const variables = encodeURIComponent('{"n":1}');
    const response = await owner.fetch(`/graphql?documentId=find&variables=${variables}`);
    expect(await response.json()).toEqual({ data: { links: { nodes: [] } } });
    const both = await owner.fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ documentId: 'find', query: '{ viewer { role } }' }),
    });
    expect(await both.json()).toMatchObject({
      errors: [{ message: 'Send either a query or a documentId.' }],
    });
  });
});

test('a key that may not write reads operations, and saves none', async () => {
  await save({ name: 'find', document: FIND });
  const reader = await server.caller('owner', ['read']);
  expect(await reader.data('{ savedOperations { nodes { name } } }')).toEqual({
    savedOperations: { nodes: [{ name: 'find' }] },
  });
  const { errors } = await reader.graphql(create, { input: { name: 'a', document: FIND } });
  expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
});

describe('with trusted documents', () => {
  const trusted = new Map([['roles', '{ viewer { role } }']]);
  const ask = async (caller: Caller, path: string, body?: object) => {
    const post = {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    };
    const response = await caller.fetch(path, body && post);
    return { status: response.status, body: await response.json() };
  };
  const refused = { errors: [{ extensions: { code: 'UNTRUSTED_DOCUMENT' } }] };

  test('saved operations are off', async () => {
    await save({ name: 'mine', document: '{ viewer { role } }' });
    const other = await startTestServer({ url: server.databaseUrl, trusted });
    try {
      const caller = other.callerWith(owner.key);
      expect((await ask(caller, '/graphql', { documentId: 'mine' })).body).toMatchObject(refused);
      expect((await ask(caller, '/api/run/mine')).status).toBe(404);
    } finally {
      await other.stop();
    }
  });

  test("saved operations run if the operator allows it, after the operator's", async () => {
    await save({ name: 'mine', document: '{ viewer { key { id } } }' });
    await save({ name: 'roles', document: '{ viewer { key { id } } }' });
    const other = await startTestServer({ url: server.databaseUrl, trusted, savedOperations: true });
    try {
      const caller = other.callerWith(owner.key);
      const mine = { data: { viewer: { key: { id: expect.any(String) } } } };
      expect((await ask(caller, '/graphql', { documentId: 'mine' })).body).toEqual(mine);
      expect((await ask(caller, '/graphql', { documentId: 'roles' })).body).toEqual({
        data: { viewer: { role: null } },
      });
      expect((await ask(caller, '/graphql', { query: '{ viewer { key { id } } }' })).body).toMatchObject(
        refused,
      );
      expect((await ask(caller, '/graphql', { documentId: 'other' })).body).toMatchObject({
        errors: [{ extensions: { code: 'UNKNOWN_DOCUMENT' } }],
      });
      expect((await ask(caller, '/api/run/mine')).status).toBe(200);
    } finally {
      await other.stop();
    }
  });
});

test('an operator whose documents are trusted keeps their names', async () => {
  const trusted = new Map([
    ['roles', '{ viewer { role } }'],
    ['save', create],
  ]);
  const other = await startTestServer({ trusted, savedOperations: true });
  try {
    const caller = await other.caller();
    const response = await caller.fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ documentId: 'save', variables: { input: { name: 'roles', document: FIND } } }),
    });
    const { data } = (await response.json()) as { data: { createSavedOperation: Saved } };
    expect(reasonsOf(data.createSavedOperation)).toEqual(['name NAME_OF_TRUSTED_DOCUMENT']);
  } finally {
    await other.stop();
  }
});

test('a process for visitors only has no endpoints', async () => {
  await save({ name: 'find', document: FIND });
  const other = await startTestServer({ url: server.databaseUrl, role: 'redirects' });
  try {
    expect((await other.callerWith(owner.key).fetch('/api/run/find')).status).toBe(404);
  } finally {
    await other.stop();
  }
});
