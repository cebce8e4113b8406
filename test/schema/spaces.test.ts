import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

const noon = NOON.toISOString();
const failure = `... on Error { code message } ... on ValidationError { fields { path messages } }`;
const create = `mutation ($input: CreateSpaceInput!) { createSpace(input: $input) {
  __typename ... on Space { id name color createdAt updatedAt } ${failure} } }`;
const update = `mutation ($id: ID!, $input: UpdateSpaceInput!) { updateSpace(id: $id, input: $input) {
  __typename ... on Space { id name color createdAt updatedAt } ${failure} } }`;
const remove = `mutation ($id: ID!) { deleteSpace(id: $id) {
  __typename ... on DeletedRecord { id } ... on Error { code message } } }`;
const show = `query ($id: ID!) { space(id: $id) { id name color createdAt updatedAt } }`;
const missing = { __typename: 'NotFoundError', code: 'NOT_FOUND', message: 'No such space.' };

test('creates a space, and returns it with the id of v1', async () => {
  const { createSpace } = await owner.data<{ createSpace: { id: string } }>(create, {
    input: { name: 'Launch', color: 3 },
  });
  const space = {
    id: expect.stringMatching(/^\d+$/),
    name: 'Launch',
    color: 3,
    createdAt: noon,
    updatedAt: noon,
  };
  expect(createSpace).toEqual({ __typename: 'Space', ...space });
  const { id } = createSpace;
  expect(await owner.data(show, { id })).toEqual({ space: { ...space, id } });
  expect((await owner.rest('GET', `/spaces/${id}`)).body).toMatchObject({
    data: { id: Number(id), name: 'Launch' },
  });
});

test('reports all invalid fields at once, as data', async () => {
  expect(await owner.data(create, { input: { name: ' ', color: 7 } })).toEqual({
    createSpace: {
      __typename: 'ValidationError',
      code: 'VALIDATION',
      message: 'name may not be empty.',
      fields: [
        { path: ['name'], messages: ['may not be empty'] },
        { path: ['color'], messages: ['must be a whole number from 1 to 6'] },
      ],
    },
  });
});

test('changes only the given fields', async () => {
  const id = String(await owner.space('Before', { color: 2 }));
  server.clock.now = new Date('2026-11-20T13:00:00.000Z');
  const { updateSpace } = await owner.data<{ updateSpace: object }>(update, { id, input: { name: 'After' } });
  server.clock.now = NOON;
  const changed = { id, name: 'After', color: 2, createdAt: noon, updatedAt: '2026-11-20T13:00:00.000Z' };
  expect(updateSpace).toEqual({ __typename: 'Space', ...changed });
});

test('refuses to clear a required field', async () => {
  const id = String(await owner.space('Kept', { color: 2 }));
  expect(await owner.data(update, { id, input: { name: null, color: null } })).toMatchObject({
    updateSpace: {
      __typename: 'ValidationError',
      fields: [
        { path: ['name'], messages: ['cannot be cleared: it must have 1 to 255 characters'] },
        { path: ['color'], messages: ['cannot be cleared: it must be a whole number from 1 to 6'] },
      ],
    },
  });
  expect(await owner.data(show, { id })).toMatchObject({ space: { name: 'Kept', color: 2 } });
});

test('deletes a space only once', async () => {
  const id = String(await owner.space('Gone'));
  expect(await owner.data(remove, { id })).toEqual({ deleteSpace: { __typename: 'DeletedRecord', id } });
  expect(await owner.data(remove, { id })).toEqual({ deleteSpace: missing });
});

describe('a space of another account', () => {
  test('is null, like an unknown one', async () => {
    const id = String(await owner.space('Private'));
    for (const wanted of [id, '999999', '2147483648', 'abc', '']) {
      expect(await stranger.data(show, { id: wanted })).toEqual({ space: null });
    }
  });

  test('cannot be changed or deleted', async () => {
    const id = String(await owner.space('Private'));
    expect(await stranger.data(update, { id, input: { name: 'Stolen' } })).toEqual({ updateSpace: missing });
    expect(await stranger.data(remove, { id })).toEqual({ deleteSpace: missing });
    expect(await owner.data(show, { id })).toMatchObject({ space: { name: 'Private' } });
  });

  test('is not in any list', async () => {
    const outsider = await server.caller('outsider');
    const query = '{ spaces { totalCount edges { node { id } } } spacePage { total items { id } } }';
    expect(await outsider.data(query)).toEqual({
      spaces: { totalCount: 0, edges: [] },
      spacePage: { total: 0, items: [] },
    });
  });
});

test('viewer returns the account and the key', async () => {
  const writer = await server.caller('named', ['read', 'write'], new Date('2027-01-01T00:00:00.000Z'));
  expect(
    await writer.data('{ viewer { account { name } key { prefix scopes createdAt expiresAt } } }'),
  ).toEqual({
    viewer: {
      account: { name: 'named' },
      key: {
        prefix: writer.key.slice(0, 8),
        scopes: ['READ', 'WRITE'],
        createdAt: noon,
        expiresAt: '2027-01-01T00:00:00.000Z',
      },
    },
  });
});

test('spacePage has numbered pages', async () => {
  const pager = await server.caller('pager');
  for (let i = 1; i <= 12; i++) await pager.space(`Space ${i}`);
  const query = `query ($page: Int, $perPage: Int) { spacePage(page: $page, perPage: $perPage) {
    items { name } total page perPage pageCount } }`;
  expect(await pager.data(query, { page: 2 })).toEqual({
    spacePage: {
      items: [{ name: 'Space 2' }, { name: 'Space 1' }],
      total: 12,
      page: 2,
      perPage: 10,
      pageCount: 2,
    },
  });
  const { errors } = await pager.graphql(query, { perPage: 11 });
  expect(errors).toMatchObject([
    {
      message: 'perPage must be one of 10, 25, 50, 100.',
      path: ['spacePage'],
      extensions: { code: 'VALIDATION', fields: [{ path: ['perPage'] }] },
    },
  ]);
});
