import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
});
afterAll(() => server.stop());

/** For each kind with `ifUpdatedAt`: how to create, change and read a record. */
const kinds = {
  Link: {
    make: async () => (await owner.link({ title: 'Old' })).id,
    name: 'title',
    update: `mutation ($id: ID!, $name: String!, $seen: DateTime) {
      result: updateLink(id: $id, input: { title: $name }, ifUpdatedAt: $seen) {
        __typename ... on Link { name: title updatedAt }
        ... on ConflictError { code current { __typename nodeId ... on Link { id name: title updatedAt domain { name } } } }
        ... on NotFoundError { code } ... on ValidationError { fields { path } }
      }
    }`,
    read: (id: number) => `{ record: link(id: ${id}) { name: title updatedAt } }`,
  },
  Space: {
    make: () => owner.space('Old'),
    name: 'name',
    update: `mutation ($id: ID!, $name: String!, $seen: DateTime) {
      result: updateSpace(id: $id, input: { name: $name }, ifUpdatedAt: $seen) {
        __typename ... on Space { name updatedAt }
        ... on ConflictError { code current { __typename nodeId ... on Space { id name updatedAt } } }
        ... on NotFoundError { code } ... on ValidationError { fields { path } }
      }
    }`,
    read: (id: number) => `{ record: space(id: ${id}) { name updatedAt } }`,
  },
};
const names = Object.keys(kinds) as (keyof typeof kinds)[];
type Result = {
  __typename: string;
  name?: string;
  updatedAt?: string;
  code?: string;
  current?: { name: string; updatedAt: string };
};
type Recorded = { record: { name: string; updatedAt: string } };

async function update(
  kind: keyof typeof kinds,
  id: number,
  name: string,
  seen?: string | null,
): Promise<Result> {
  const { result } = await owner.data<{ result: Result }>(kinds[kind].update, { id, name, seen });
  return result;
}

test.each(names)(
  'refuses a change of a %s based on an old state, even right after the other change',
  async (kind) => {
    const id = await kinds[kind].make();
    // The clock of the test stands still.
    const { updatedAt } = await update(kind, id, 'First');
    await update(kind, id, 'Second');
    expect(await update(kind, id, 'Third', updatedAt)).toMatchObject({
      __typename: 'ConflictError',
      current: { name: 'Second' },
    });
  },
);

test.each([
  ['space', () => owner.space('Left'), 'space_id', 'deleteSpace'],
  ['pixel', () => owner.pixel('Fired'), 'pixel_ids', 'deletePixel'],
  ['tag', () => owner.tag('Worn'), 'tag_ids', 'deleteTag'],
])(
  'refuses a change of a link based on a state before the deletion of its %s',
  async (_what, make, field, verb) => {
    const id = await make();
    const link = await owner.link({ title: 'Old', [field]: id });
    const { updatedAt } = await update('Link', link.id, 'First');
    await owner.data(`mutation { ${verb}(id: ${id}) { __typename } }`);
    expect(await update('Link', link.id, 'Second', updatedAt)).toMatchObject({ __typename: 'ConflictError' });
  },
);

test.each(names)('of twelve editors of the same state of a %s, one succeeds', async (kind) => {
  const id = await kinds[kind].make();
  const { record } = await owner.data<Recorded>(kinds[kind].read(id));
  const editors = Array.from({ length: 12 }, (_, index) => update(kind, id, `By ${index}`, record.updatedAt));
  const results = await Promise.all(editors);
  const winners = results.filter(({ __typename }) => __typename === kind);
  const losers = results.filter(({ __typename }) => __typename === 'ConflictError');
  expect([winners.length, losers.length]).toEqual([1, 11]);
  const now = await owner.data<Recorded>(kinds[kind].read(id));
  expect(now.record).toEqual({ name: winners[0]?.name, updatedAt: winners[0]?.updatedAt });
  for (const { code, current } of losers) {
    expect(code).toBe('CONFLICT');
    expect(current).toMatchObject({ __typename: kind, id: String(id), ...now.record });
  }
});

test.each(names)('an editor who reads the current %s can then change it', async (kind) => {
  const id = await kinds[kind].make();
  const { record } = await owner.data<Recorded>(kinds[kind].read(id));
  const { updatedAt } = await update(kind, id, 'First', record.updatedAt);
  const { current } = await update(kind, id, 'Second', record.updatedAt);
  expect(current).toMatchObject({ name: 'First', updatedAt });
  expect(await update(kind, id, 'Second', current?.updatedAt)).toMatchObject({ name: 'Second' });
  expect(await update(kind, id, 'Third')).toMatchObject({ name: 'Third' });
  expect(await update(kind, id, 'Fourth', null)).toMatchObject({ name: 'Fourth' });
});

test.each(names)('changes of a %s have different times, however fast they follow', async (kind) => {
  const id = await kinds[kind].make();
  let seen = (await owner.data<Recorded>(kinds[kind].read(id))).record.updatedAt;
  const times = new Set([seen]);
  for (let i = 0; i < 5; i++) {
    seen = (await update(kind, id, `Change ${i}`, seen)).updatedAt ?? '';
    times.add(seen);
  }
  expect(times.size).toBe(6);
});

test.each(names)('reports a deleted %s or an invalid time as usual', async (kind) => {
  expect(await update(kind, 999_999, 'X', '2026-11-20T12:00:00Z')).toEqual({
    __typename: 'NotFoundError',
    code: 'NOT_FOUND',
  });
  const id = await kinds[kind].make();
  expect(await update(kind, id, 'X', 'now')).toEqual({
    __typename: 'ValidationError',
    fields: [{ path: ['ifUpdatedAt'] }],
  });
});

test('loses none of simultaneous changes to different fields and pixels of a link', async () => {
  const { id } = await owner.link({ title: 'Old' });
  const pixelIds = [await owner.pixel('One'), await owner.pixel('Two')];
  const inputs = [
    { title: 'New' },
    { url: 'https://example.com/new' },
    { alias: 'changed-together' },
    { disabled: true },
    { pixelIds },
    { expiration: { clicks: 5, url: 'https://example.com/over' } },
  ];
  const change = `mutation ($id: ID!, $input: UpdateLinkInput!) { updateLink(id: $id, input: $input) { __typename } }`;
  await Promise.all(inputs.map((input) => owner.data(change, { id, input })));
  const { link } = await owner.data<{ link: object }>(
    `{ link(id: ${id}) { title url alias disabled expiration { clicks url } pixels { id } } }`,
  );
  expect(link).toEqual({
    title: 'New',
    url: 'https://example.com/new',
    alias: 'changed-together',
    disabled: true,
    expiration: { clicks: 5, url: 'https://example.com/over' },
    pixels: pixelIds.map((pixelId) => ({ id: String(pixelId) })),
  });
  // On PostgreSQL, a change is listed when all transactions of the server that were open have ended.
  const history = () => owner.data(`{ link(id: ${id}) { history { totalCount } } }`);
  await expect.poll(history).toEqual({ link: { history: { totalCount: inputs.length + 1 } } });
});

test('sets a password while others keep changing the link', async ({ signal }) => {
  // Hashing takes longer than the time between two changes of others.
  const slow = await startTestServer({ url: server.databaseUrl, hashCost: { N: 2 ** 14, r: 8, p: 5 } });
  const setter = await slow.caller('setter');
  const { id } = await setter.link();
  let done = false;
  const others = Array.from({ length: 2 }, async (_, client) => {
    for (let i = 0; !done && !signal.aborted; i++)
      await setter.rest('PATCH', `/links/${id}`, { title: `By ${client}, ${i}` });
  });
  const set = setter.data(
    `mutation { updateLink(id: ${id}, input: { password: "secret" }) { ... on Link { hasPassword } } }`,
  );
  // If others could hold it up, the test would end by its timeout.
  expect(await set).toEqual({ updateLink: { hasPassword: true } });
  done = true;
  await Promise.all(others);
  await slow.stop();
});

test.each([
  ['space', () => owner.space('Left'), 'space_id', 'deleteSpace', 'spaceId: null'],
  ['pixel', () => owner.pixel('Fired'), 'pixel_ids[]', 'deletePixel', 'pixelIds: []'],
  ['tag', () => owner.tag('Worn'), 'tag_ids[]', 'deleteTag', 'tagIds: []'],
])(
  'records once that a link lost its %s in two simultaneous requests',
  async (what, make, field, verb, cleared) => {
    const lost: number[] = [];
    for (let round = 0; round < 12; round++) {
      const id = await make();
      const link = await owner.link({ [field]: id });
      const clear = `mutation { updateLink(id: ${link.id}, input: { ${cleared}, title: "New" }) { __typename } }`;
      const [one, other] = await Promise.all([
        owner.fetch('/graphql', {
          method: 'POST',
          headers: {
            'Content-Type': 'application/json',
            ...(round % 2 === 1 && { 'Idempotency-Key': `${what} ${round}` }),
          },
          body: JSON.stringify({ query: clear }),
        }),
        owner.graphql(`mutation { ${verb}(id: ${id}) { __typename } }`),
      ]);
      expect(one.status).toBe(200);
      expect(await one.json()).toEqual({ data: { updateLink: { __typename: 'Link' } } });
      expect(other.errors).toBeUndefined();
      lost.push(link.id);
    }
    const history = async () => {
      const times = [];
      for (const id of lost) {
        const { link } = await owner.data<{
          link: { history: { edges: { node: { action: string; fields: string[] } }[] } };
        }>(`{ link(id: ${id}) { history { edges { node { action fields } } } } }`);
        const changes = link.history.edges.filter(({ node }) => node.action === 'UPDATED');
        times.push(changes.filter(({ node }) => node.fields.some((one) => one.startsWith(what))).length);
      }
      return times;
    };
    await expect.poll(history).toEqual(lost.map(() => 1));
  },
);

test('changes a link whose time another program wrote in its own form', async () => {
  const id = await kinds.Link.make();
  await server.database.prisma.$executeRawUnsafe(
    `UPDATE "Link" SET "updatedAt" = '2026-01-02 03:04:05' WHERE "id" = ${id}`,
  );
  expect(await update('Link', id, 'New', '2026-01-02T03:04:05Z')).toMatchObject({ name: 'New' });
});

const MANY = `mutation ($inputs: [UpdateLinksInput!]!) {
  updateLinks(inputs: $inputs) {
    __typename ... on Link { id title } ... on Error { code } ... on ValidationError { fields { path } }
  }
}`;

test('changes many links, with a result for each, in order', async () => {
  const links = [];
  for (let i = 0; i < 3; i++) links.push(await owner.link({ title: `Old ${i}` }));
  const [a, b, c] = links.map(({ id }) => String(id));
  const stranger = await server.caller('stranger');
  const theirs = await stranger.link({ title: 'Theirs' });
  const inputs = [
    { id: c, input: { title: 'New c' } },
    { id: a, input: { url: 'nonsense' } },
    { id: String(theirs.id), input: { title: 'Mine' } },
    { id: b, input: { title: 'New b' }, ifUpdatedAt: '2020-01-01T00:00:00Z' },
    { id: a, input: { title: 'New a' } },
  ];
  const { updateLinks } = await owner.data<{ updateLinks: object[] }>(MANY, { inputs });
  expect(updateLinks).toEqual([
    { __typename: 'Link', id: c, title: 'New c' },
    { __typename: 'ValidationError', code: 'VALIDATION', fields: [{ path: ['url'] }] },
    { __typename: 'NotFoundError', code: 'NOT_FOUND' },
    { __typename: 'ConflictError', code: 'CONFLICT' },
    { __typename: 'Link', id: a, title: 'New a' },
  ]);
  expect(await stranger.data(`{ link(id: ${theirs.id}) { title } }`)).toEqual({ link: { title: 'Theirs' } });
});

test('changes at most a hundred links, and counts the cost of their passwords', async () => {
  const changes = (count: number, input: object) => ({
    inputs: Array.from({ length: count }, () => ({ id: '1', input })),
  });
  const many = await owner.graphql(MANY, changes(101, { title: 'x' }));
  expect(many.errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION', fields: [{ path: ['inputs'] }] });
  const costly = await owner.graphql(MANY, changes(50, { password: 'x' }));
  expect(costly.errors?.[0]?.extensions).toMatchObject({ code: 'TOO_COSTLY' });
});

const DELETE = `mutation ($id: ID!, $seen: DateTime) {
  result: deleteLink(id: $id, ifUpdatedAt: $seen) {
    __typename ... on DeletedRecord { id }
    ... on ConflictError { code current { __typename ... on Link { id title updatedAt } } }
    ... on ValidationError { fields { path } } ... on NotFoundError { code }
  }
}`;

test('refuses the deletion of a link that others have changed, and shows the link', async () => {
  const id = String((await owner.link({ title: 'Old' })).id);
  const { record } = await owner.data<Recorded>(kinds.Link.read(Number(id)));
  const { updatedAt } = await update('Link', Number(id), 'Theirs');
  const remove = (seen: string | null | undefined, caller = owner) =>
    caller.data<{ result: object }>(DELETE, { id, seen });
  expect(await remove(record.updatedAt)).toEqual({
    result: {
      __typename: 'ConflictError',
      code: 'CONFLICT',
      current: { __typename: 'Link', id, title: 'Theirs', updatedAt },
    },
  });
  expect(await remove('now')).toEqual({
    result: { __typename: 'ValidationError', fields: [{ path: ['ifUpdatedAt'] }] },
  });
  const notFound = { result: { __typename: 'NotFoundError', code: 'NOT_FOUND' } };
  expect(await remove(updatedAt, await server.caller('deleter'))).toEqual(notFound);
  expect(await remove(updatedAt)).toEqual({ result: { __typename: 'DeletedRecord', id } });
  expect(await remove(updatedAt)).toEqual(notFound);
});

test('deletes many links, each only as it was seen', async () => {
  const links = [];
  for (let index = 0; index < 3; index++) links.push(await owner.link({ title: `Old ${index}` }));
  const ids = links.map(({ id }) => String(id));
  const deleteMany = (ifUpdatedAt?: (string | null)[]) =>
    owner.graphql(
      `mutation ($ids: [ID!]!, $ifUpdatedAt: [DateTime]) {
        deleteLinks(ids: $ids, ifUpdatedAt: $ifUpdatedAt) { __typename }
      }`,
      { ids, ifUpdatedAt },
    );
  const { errors } = await deleteMany([null]);
  expect(errors?.[0]?.extensions).toMatchObject({
    code: 'VALIDATION',
    fields: [{ path: ['ifUpdatedAt'], messages: ['must have a time or null for each of the 3 ids, not 1'] }],
  });
  const { updatedAt = '' } = await update('Link', links[1]?.id ?? 0, 'Seen');
  const times = ['2020-01-01T00:00:00Z', updatedAt, null];
  const names = ['ConflictError', 'DeletedRecord', 'DeletedRecord'];
  expect((await deleteMany(times)).data).toEqual({
    deleteLinks: names.map((__typename) => ({ __typename })),
  });
});
