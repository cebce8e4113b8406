import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, emptyServer, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ background: true });
});
afterEach(() => emptyServer(server));
afterAll(() => server.stop());

type Options = ConstructorParameters<typeof Client>[1];

/** The official client, which checks results by the schemas that the tools' list has. */
async function connect({ key }: Caller, options: Options = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, options);
  const transport = new StreamableHTTPClientTransport(new URL('/api/mcp', server.origin), {
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
  });
  await client.connect(transport);
  await client.listTools();
  return client;
}

interface Link {
  readonly id: string;
  readonly title: string;
}

interface Result {
  readonly isError?: boolean;
  readonly data: unknown;
  readonly changes: string[];
  readonly error: { readonly code: string; readonly fields: Record<string, string[]> } | undefined;
}

async function call(client: Client, name: string, given: Record<string, unknown> = {}): Promise<Result> {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: given });
  const [first] = content;
  if (first?.type !== 'text') throw new Error('no text');
  const parsed = JSON.parse(first.text);
  if (isError !== true) expect(structuredContent).toEqual(parsed);
  return { isError, data: parsed.data, changes: parsed.changes ?? [], error: parsed.error };
}

async function createLink(owner: Caller, given: object): Promise<string> {
  const query = 'mutation ($input: CreateLinkInput!) { createLink(input: $input) { ... on Link { id } } }';
  const input = { url: 'https://example.com/', ...given };
  return (await owner.data<{ createLink: { id: string } }>(query, { input })).createLink.id;
}

/** All links with all their fields, but for the time of their last change. */
async function snapshot(): Promise<unknown[]> {
  const { link } = server.database.prisma;
  const links = await link.findMany({ orderBy: { id: 'asc' }, include: { tags: true, pixels: true } });
  return links.map(({ updatedAt: _, ...rest }) => rest);
}

const versions = [
  ['the handshake', {}],
  ['2026-07-28', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
] satisfies [string, Options][];

describe.each(versions)("an agent's day by %s", (_name, options) => {
  test('is undone in one call: every field but updatedAt is as before', async () => {
    const owner = await server.caller('owner');
    const [campaign, other] = [await owner.tag('Autumn'), await owner.tag('Other')];
    for (let index = 0; index < 12; index++)
      await createLink(owner, { title: `Autumn ${index}`, tagIds: [campaign] });
    await owner.link({ title: 'Elsewhere' });
    const before = await snapshot();
    const client = await connect(owner, options);

    const { data: tags } = await call(client, 'list_tags', { search: 'autumn' });
    const [{ id: tag }] = (tags as { nodes: [{ id: string }] }).nodes;
    const found = await call(client, 'find_links', { tags: { any: [tag] } });
    const links = (found.data as { nodes: Link[] }).nodes;
    expect(links).toHaveLength(12);

    const changes: string[] = [];
    const write = async (name: string, given: Record<string, unknown>) => {
      const result = await call(client, name, given);
      expect([result.isError, result.error]).toEqual([undefined, undefined]);
      changes.push(...result.changes);
    };
    const aliases = ['autumn-a', 'autumn-b', 'autumn-c'];
    for (const alias of aliases)
      await write('create_link', { url: 'https://example.com/new', alias, tagIds: [tag] });
    const refused = await call(client, 'create_link', { url: 'https://example.com/', alias: 'autumn-a' });
    expect(refused).toMatchObject({
      isError: true,
      error: { code: 'VALIDATION', fields: { alias: [expect.stringMatching(/^The alias field .*taken/)] } },
    });
    for (const [index, { id, title }] of links.slice(0, 10).entries())
      await write('update_link', {
        ...{ id, title: `${title} (ended)`, disabled: true, addTagIds: [String(other)] },
        expiration: { at: '2030-01-01T00:00:00Z', clicks: index + 1 },
      });
    expect(changes).toHaveLength(13);
    expect(await snapshot()).not.toEqual(before);

    const undone = await call(client, 'undo', { ids: changes });
    expect(undone.isError).toBeUndefined();
    expect(undone.data).toHaveLength(13);
    expect(await snapshot()).toEqual(before);
    await client.close();
  });
});

test('results of all tools are as their schemas say', async () => {
  const owner = await server.caller('owner');
  const [space, tag] = [await owner.space('A'), await owner.tag('B')];
  const id = await createLink(owner, { title: 'x', spaceId: space, tagIds: [tag] });
  const client = await connect(owner);
  const calls: [string, Record<string, unknown>][] = [
    ['find_links', { search: 'x' }],
    ['get_link', { id: id }],
    ['link_statistics', { id: id }],
    ['account_overview', {}],
    ['explain_redirect', { linkId: id, country: 'DE' }],
    ['list_spaces', {}],
    ['list_tags', {}],
    ['delete_link', { id: id }],
  ];
  for (const [name, given] of calls)
    expect([name, await call(client, name, given)]).toEqual([
      name,
      expect.objectContaining({ isError: undefined }),
    ]);
  await client.close();
});

describe('the results of saved operations', () => {
  const SAVE = `mutation ($name: String!, $document: String!) {
    createSavedOperation(input: { name: $name, document: $document, isTool: true }) { __typename } }`;
  const STATISTICS = '... on Link { id title statistics(from: $from) { clicks } }';
  const connectWith = async (name: string, document: string) => {
    const owner = await server.caller('owner');
    expect(await owner.data(SAVE, { name, document })).toEqual({
      createSavedOperation: { __typename: 'SavedOperation' },
    });
    return { owner, client: await connect(owner) };
  };
  const done = {
    error: { message: expect.stringMatching(/^This was done, but it cannot be read: /), done: true },
  };

  test('say what was done if a record cannot be read', async () => {
    const { owner, client } = await connectWith(
      'change',
      `mutation ($id: ID!, $title: String, $from: Date) { updateLink(id: $id, input: { title: $title }) { ${STATISTICS} } }`,
    );
    const id = await createLink(owner, { title: 'a' });
    const result = await call(client, 'change', { id, title: 'b', from: '9999-01-01' });
    expect(result).toMatchObject({ isError: undefined, data: done, changes: [expect.any(String)] });
    const read = await call(client, 'change', { id, title: 'c' });
    expect(read).toMatchObject({ isError: undefined, data: { id, title: 'c' } });
    await client.close();
  });

  test('say what was done if a part of a record cannot be read', async () => {
    const { owner, client } = await connectWith(
      'change',
      `mutation ($id: ID!, $first: Int) { updateLink(id: $id, input: { title: "b" }) {
        ... on Link { id space { name links(first: $first) { totalCount } } } } }`,
    );
    const spaceId = String(await owner.space('A'));
    const id = await createLink(owner, { title: 'a', spaceId });
    const { isError, structuredContent } = await client.callTool({
      name: 'change',
      arguments: { id, first: -1 },
    });
    expect([isError, structuredContent]).toEqual([
      undefined,
      {
        data: { id, space: null },
        changes: [expect.any(String)],
        failures: [{ place: 'space.links', error: expect.objectContaining({ code: 'VALIDATION' }) }],
      },
    ]);
    await client.close();
  });

  test('say what was done of lists and of several fields', async () => {
    const { client } = await connectWith(
      'make',
      `mutation ($inputs: [CreateLinkInput!]!, $from: Date) { createLinks(inputs: $inputs) { ${STATISTICS} } }`,
    );
    const url = 'https://example.com/';
    const made = await call(client, 'make', { inputs: [{ url }, { url: 'x' }], from: '9999-01-01' });
    expect(made).toMatchObject({ isError: undefined, data: [done, { error: { code: 'VALIDATION' } }] });
    expect(made.changes).toHaveLength(1);
    const nothing = await call(client, 'make', { inputs: [{ url: 'x' }] });
    expect(nothing).toMatchObject({ isError: true, data: [{ error: { code: 'VALIDATION' } }], changes: [] });
    expect(await call(client, 'make', { inputs: [] })).toMatchObject({ isError: undefined, data: [] });
    await client.close();
  });

  test('are errors if no field has done anything', async () => {
    const { client } = await connectWith(
      'two',
      `mutation ($a: String!, $b: String!) { a: createLink(input: { url: $a }) { ... on Link { url } }
        b: createLink(input: { url: $b }) { ... on Link { url } } }`,
    );
    const failed = { error: { code: 'VALIDATION' } };
    const nothing = await call(client, 'two', { a: 'x', b: 'y' });
    expect(nothing).toMatchObject({ isError: true, data: { a: failed, b: failed }, changes: [] });
    const one = await call(client, 'two', { a: 'x', b: 'https://example.com/' });
    expect(one).toMatchObject({
      isError: undefined,
      data: { a: failed, b: { url: 'https://example.com/' } },
    });
    expect(await call(client, 'undo', { ids: ['999999'] })).toMatchObject({ isError: true, changes: [] });
    await client.close();
  });
});
