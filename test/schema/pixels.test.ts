import { afterAll, beforeAll, expect, test } from 'vitest';
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
const all = 'id name type value createdAt updatedAt';
const failure = '... on Error { code message } ... on ValidationError { fields { path messages } }';
const create = `mutation ($input: CreatePixelInput!) { createPixel(input: $input) {
  __typename ... on Pixel { ${all} } ${failure} } }`;
const update = `mutation ($id: ID!, $input: UpdatePixelInput!) { updatePixel(id: $id, input: $input) {
  __typename ... on Pixel { ${all} } ${failure} } }`;
const remove = `mutation ($id: ID!) { deletePixel(id: $id) {
  __typename ... on DeletedRecord { id } ... on Error { code message } } }`;
const show = `query ($id: ID!) { pixel(id: $id) { ${all} } }`;
const missing = { __typename: 'NotFoundError', code: 'NOT_FOUND', message: 'No such pixel.' };
const input = { name: 'Ads', type: 'GOOGLE_ADS', value: 'AW-1' };

async function make(fields: Partial<typeof input> = {}): Promise<string> {
  const answer = await owner.data<{ createPixel: { id: string } }>(create, {
    input: { ...input, ...fields },
  });
  return answer.createPixel.id;
}

test('creates a pixel and returns it', async () => {
  const { createPixel } = await owner.data<{ createPixel: { id: string } }>(create, { input });
  const pixel = { ...input, id: createPixel.id, createdAt: noon, updatedAt: noon };
  expect(createPixel).toEqual({ __typename: 'Pixel', ...pixel });
  expect(await owner.data(show, { id: createPixel.id })).toEqual({ pixel });
});

/** An id of each network. */
const values = {
  ADROLL: 'ABCDEFGHIJKLMNOPQRSTUV:ABCDEFGHIJKLMNOPQRSTUV',
  BING: '12345678',
  FACEBOOK: '123456789012345',
  GOOGLE_ADS: 'AW-123456789',
  GOOGLE_ANALYTICS: 'G-ABC1234567',
  GOOGLE_TAG_MANAGER: 'GTM-ABC123',
  LINKEDIN: '123456',
  PINTEREST: '2612345678901',
  QUORA: '0123456789abcdef0123456789abcdef',
  X: 'o1abc',
};

test('supports every network of the schema, and accepts its ids', async () => {
  const { __type } = await owner.data<{ __type: { enumValues: { name: string }[] } }>(
    '{ __type(name: "PixelType") { enumValues { name } } }',
  );
  expect(__type.enumValues.map(({ name }) => name)).toEqual(Object.keys(values));
  for (const [type, value] of Object.entries(values)) {
    const id = await make({ type, value });
    expect(await owner.data(show, { id })).toMatchObject({ pixel: { type, value } });
  }
});

test.each(Object.keys(values).filter((type) => type !== 'GOOGLE_TAG_MANAGER'))(
  '%s refuses the id of a tag manager’s container, which could run any code',
  async (type) => {
    for (const value of ['GTM-ABC123', 'gtm-abc123'])
      expect(await owner.data(create, { input: { ...input, type, value } })).toMatchObject({
        createPixel: { __typename: 'ValidationError', fields: [{ path: ['value'] }] },
      });
  },
);

test('reports all invalid fields at once', async () => {
  expect(await owner.data(create, { input: { ...input, name: '', value: 'x'.repeat(256) } })).toMatchObject({
    createPixel: {
      __typename: 'ValidationError',
      fields: [
        { path: ['name'], messages: ['may not be empty'] },
        { path: ['value'], messages: ['must have 1 to 255 characters, not 256'] },
      ],
    },
  });
});

test('changes the given fields, and clears nothing', async () => {
  const id = await make();
  expect(await owner.data(update, { id, input: { type: 'X', value: 'o1abc' } })).toMatchObject({
    updatePixel: { name: 'Ads', type: 'X', value: 'o1abc' },
  });
  expect(await owner.data(update, { id, input: { type: null } })).toMatchObject({
    updatePixel: { __typename: 'ValidationError', fields: [{ path: ['type'] }] },
  });
});

test('deletes a pixel only once', async () => {
  const id = await make();
  expect(await owner.data(remove, { id })).toEqual({ deletePixel: { __typename: 'DeletedRecord', id } });
  expect(await owner.data(remove, { id })).toEqual({ deletePixel: missing });
});

test('never shows or changes a pixel of another account', async () => {
  const id = await make();
  expect(await stranger.data(show, { id })).toEqual({ pixel: null });
  expect(await stranger.data('{ pixels { edges { node { id } } } }')).toEqual({ pixels: { edges: [] } });
  expect(await stranger.data(update, { id, input: { name: 'x' } })).toEqual({ updatePixel: missing });
  expect(await stranger.data(remove, { id })).toEqual({ deletePixel: missing });
  expect(await owner.data(show, { id })).toMatchObject({ pixel: { name: 'Ads' } });
});

test.each([
  ['GOOGLE_ADS', "x'); alert(1)//"],
  ['FACEBOOK', '</script><script>alert(1)</script>'],
  ['X', 'a"b'],
  ['GOOGLE_TAG_MANAGER', 'GTM-1&x=y'],
  ['ADROLL', 'a:b:c'],
  ['QUORA', 'a b'],
])('refuses a value of %s that could break out of its script: %s', async (type, value) => {
  const { createPixel } = await owner.data<{ createPixel: object }>(
    `mutation ($input: CreatePixelInput!) {
      createPixel(input: $input) { __typename ... on ValidationError { fields { path messages } } }
    }`,
    { input: { name: 'Ads', type, value } },
  );
  expect(createPixel).toMatchObject({
    __typename: 'ValidationError',
    fields: [{ path: ['value'], messages: [expect.stringContaining('must be ')] }],
  });
});

test('checks the stored value when the type changes', async () => {
  const mutation = `mutation ($id: ID!, $input: UpdatePixelInput!) {
    updatePixel(id: $id, input: $input) { __typename ... on ValidationError { fields { path } } }
  }`;
  const { createPixel } = await owner.data<{ createPixel: { id: string } }>(
    'mutation { createPixel(input: { name: "A", type: ADROLL, value: "ONE:TWO" }) { ... on Pixel { id } } }',
  );
  const change = (input: object) => owner.data(mutation, { id: createPixel.id, input });
  expect(await change({ type: 'FACEBOOK' })).toEqual({
    updatePixel: { __typename: 'ValidationError', fields: [{ path: ['value'] }] },
  });
  expect(await change({ type: 'FACEBOOK', value: '123' })).toEqual({ updatePixel: { __typename: 'Pixel' } });
});

test('lists pixels by cursor, oldest first', async () => {
  const lister = await server.caller('lister');
  const ids = [];
  for (let i = 0; i < 5; i++) ids.push(String(await lister.pixel(`Pixel ${i}`)));
  const page = (args: string) =>
    lister.data<{ pixels: { edges: { cursor: string; node: { id: string } }[]; pageInfo: object } }>(
      `{ pixels${args} { totalCount edges { cursor node { id } } pageInfo { hasNextPage } } }`,
    );
  const first = await page('(first: 2)');
  expect(first).toMatchObject({ pixels: { totalCount: 5, pageInfo: { hasNextPage: true } } });
  const next = await page(`(first: 3, after: "${first.pixels.edges[1]?.cursor}")`);
  expect([...first.pixels.edges, ...next.pixels.edges].map(({ node }) => node.id)).toEqual(ids);
});
