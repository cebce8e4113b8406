import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { planOf } from '../support/plan.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

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
const failure = '... on Error { code message } ... on ValidationError { fields { path messages } }';
const shown = '__typename ... on Tag { id name color createdAt updatedAt }';
const create = `mutation ($input: CreateTagInput!) { createTag(input: $input) { ${shown} ${failure} } }`;
const update = `mutation ($id: ID!, $input: UpdateTagInput!) { updateTag(id: $id, input: $input) { ${shown} ${failure} } }`;
const remove = `mutation ($id: ID!) { deleteTag(id: $id) {
  __typename ... on DeletedRecord { id } ... on Error { code message } } }`;
const merge = `mutation ($ids: [ID!]!, $into: ID!) { mergeTags(ids: $ids, into: $into) { ${shown} ${failure} } }`;
const change = `mutation ($id: ID!, $input: UpdateLinkInput!) { updateLink(id: $id, input: $input) {
  __typename ... on Link { tags { id name } updatedAt } ${failure} } }`;
const missing = { __typename: 'NotFoundError', code: 'NOT_FOUND', message: 'No such tag.' };
const taken = { path: ['name'], messages: ['is already the name of a tag, whatever its case'] };

let names = 0;
const anyName = () => `Tag ${names++}`;

/** A new link with the tags, as v1 shows it. */
const tagged = (caller: Caller, ...ids: number[]) =>
  caller.link(ids.length > 0 ? { tag_ids: ids.join() } : {});

async function tagsOf(caller: Caller, id: number): Promise<string[]> {
  const { link } = await caller.data<{ link: { tags: { name: string }[] } }>(
    `{ link(id: ${id}) { tags { name } } }`,
  );
  return link.tags.map(({ name }) => name);
}

async function idsWith(caller: Caller, filter: string, orderBy = 'field: ID, direction: ASC') {
  const { links } = await caller.data<{ links: { totalCount: number; nodes: { id: string }[] } }>(
    `{ links(filter: { ${filter} }, orderBy: { ${orderBy} }) { totalCount nodes { id } } }`,
  );
  expect(links.totalCount).toBe(links.nodes.length);
  return links.nodes.map(({ id }) => Number(id));
}

test('creates a tag, and returns it', async () => {
  const { createTag } = await owner.data<{ createTag: { id: string } }>(create, {
    input: { name: 'Launch', color: 3 },
  });
  const tag = { id: expect.any(String), name: 'Launch', color: 3, createdAt: noon, updatedAt: noon };
  expect(createTag).toEqual({ __typename: 'Tag', ...tag });
  expect(await owner.data(`{ tag(id: ${createTag.id}) { id name color createdAt updatedAt } }`)).toEqual({
    tag: { ...tag, id: createTag.id },
  });
});

test('reports all wrong fields of a tag at once', async () => {
  expect(await owner.data(create, { input: { name: ' ', color: 7 } })).toMatchObject({
    createTag: {
      __typename: 'ValidationError',
      fields: [
        { path: ['name'], messages: ['may not be empty'] },
        { path: ['color'], messages: ['must be a whole number from 1 to 6'] },
      ],
    },
  });
});

test('refuses a name that another tag of the account has, whatever its case', async () => {
  await owner.tag('Straße');
  const other = await owner.tag(anyName());
  expect(await owner.data(create, { input: { name: 'STRASSE' } })).toMatchObject({
    createTag: { __typename: 'ValidationError', fields: [taken] },
  });
  expect(await owner.data(update, { id: String(other), input: { name: 'strasse' } })).toMatchObject({
    updateTag: { __typename: 'ValidationError', fields: [taken] },
  });
  expect(await stranger.data(create, { input: { name: 'STRASSE' } })).toMatchObject({
    createTag: { __typename: 'Tag' },
  });
});

test('a tag can be renamed, also to its own name in another case', async () => {
  const id = String(await owner.tag('before'));
  server.clock.now = new Date('2026-11-20T13:00:00.000Z');
  const { updateTag } = await owner.data<{ updateTag: object }>(update, { id, input: { name: 'Before' } });
  server.clock.now = NOON;
  const changed = { id, name: 'Before', color: 1, createdAt: noon, updatedAt: '2026-11-20T13:00:00.000Z' };
  expect(updateTag).toEqual({ __typename: 'Tag', ...changed });
});

test('a change of a tag that was changed meanwhile is a conflict, with the tag as it is', async () => {
  const id = await owner.tag(anyName());
  expect(
    await owner.data(
      `mutation { updateTag(id: ${id}, input: { color: 2 }, ifUpdatedAt: "2020-01-01T00:00:00Z") {
        __typename ... on ConflictError { current { ... on Tag { id color } } } } }`,
    ),
  ).toEqual({ updateTag: { __typename: 'ConflictError', current: { id: String(id), color: 1 } } });
});

test('an account has a limited number of tags', async () => {
  const full = await server.caller('full');
  const { id: accountId } = await server.database.prisma.account.findUniqueOrThrow({
    where: { name: 'full' },
  });
  const times = { createdAt: NOON, updatedAt: NOON };
  await server.database.prisma.tag.createMany({
    data: Array.from({ length: 5_000 }, (_, index) => ({
      ...{ accountId, name: `T${index}`, nameKey: `t${index}`, color: 1, ...times },
    })),
  });
  expect(await full.data(create, { input: { name: 'One more' } })).toMatchObject({
    createTag: {
      fields: [{ path: ['name'], messages: ['cannot be added: an account may have at most 5000 tags'] }],
    },
  });
});

describe('a tag of another account', () => {
  test('is null, and in no list', async () => {
    const id = await owner.tag(anyName());
    const { id: link } = await tagged(owner, id);
    const outsider = await server.caller('outsider');
    await tagged(outsider);
    expect(await outsider.data(`{ tag(id: ${id}) { id } tags { totalCount nodes { id } } }`)).toEqual({
      tag: null,
      tags: { totalCount: 0, nodes: [] },
    });
    for (const filter of [`all: [${id}]`, `any: [${id}]`, `any: [${id}, 99999]`, `all: [${id}], none: [7]`])
      expect(await idsWith(outsider, `tags: { ${filter} }`)).toEqual([]);
    expect(await idsWith(outsider, `tags: { none: [${id}] }`)).toHaveLength(1);
    expect(await idsWith(owner, `tags: { all: [${id}] }`)).toEqual([link]);
  });

  test('cannot be changed, deleted, merged or used', async () => {
    const [id, own] = [String(await owner.tag(anyName())), String(await stranger.tag(anyName()))];
    const { id: link } = await tagged(owner, Number(id));
    expect(await stranger.data(update, { id, input: { name: 'Stolen' } })).toEqual({ updateTag: missing });
    expect(await stranger.data(remove, { id })).toEqual({ deleteTag: missing });
    expect(await stranger.data(merge, { ids: [own], into: id })).toEqual({ mergeTags: missing });
    const wrong = { messages: [`must be ids of your tags, which ${id} is not`] };
    expect(await stranger.data(merge, { ids: [id], into: own })).toMatchObject({
      mergeTags: { __typename: 'ValidationError', fields: [{ path: ['ids'], ...wrong }] },
    });
    const mine = await tagged(stranger);
    for (const name of ['tagIds', 'addTagIds', 'removeTagIds'])
      expect(await stranger.data(change, { id: String(mine.id), input: { [name]: [id] } })).toMatchObject({
        updateLink: { __typename: 'ValidationError', fields: [{ path: [name], ...wrong }] },
      });
    expect(await tagsOf(owner, link)).toHaveLength(1);
  });
});

test('lists tags with a search, in the order of names', async () => {
  const lister = await server.caller('lister');
  for (const name of ['beta', 'Alpha', 'ALPHABET', 'gamma']) await lister.tag(name);
  const page = (args: string) =>
    lister.data<{ tags: { nodes: object[]; pageInfo: { endCursor: string } } }>(
      `{ tags(${args} orderBy: { field: NAME, direction: ASC }) { nodes { name } pageInfo { endCursor } } }`,
    );
  const { tags } = await page('first: 2');
  expect(tags.nodes).toEqual([{ name: 'Alpha' }, { name: 'ALPHABET' }]);
  const rest = await page(`after: "${tags.pageInfo.endCursor}"`);
  expect(rest.tags.nodes).toEqual([{ name: 'beta' }, { name: 'gamma' }]);
  const found = await page('filter: { search: "ALPHA" }');
  expect(found.tags.nodes).toEqual([{ name: 'Alpha' }, { name: 'ALPHABET' }]);
});

describe('the tags of a link', () => {
  test('are set, added, removed and cleared, and shown by name', async () => {
    const [a, b, c] = [await owner.tag('zz'), await owner.tag('ZA'), await owner.tag('zb')].map(String);
    const { createLink } = await owner.data<{ createLink: { id: string } }>(
      `mutation ($tagIds: [ID!]) { createLink(input: { url: "https://example.com/", tagIds: $tagIds }) {
        ... on Link { id tags { name } } } }`,
      { tagIds: [a, b, a] },
    );
    expect(createLink).toMatchObject({ tags: [{ name: 'ZA' }, { name: 'zz' }] });
    const { id } = createLink;
    const tagsAfter = async (input: object) => {
      const { updateLink } = await owner.data<{ updateLink: { tags: { name: string }[] } }>(change, {
        id,
        input,
      });
      return updateLink.tags.map(({ name }) => name);
    };
    expect(await tagsAfter({ addTagIds: [c, a] })).toEqual(['ZA', 'zb', 'zz']);
    expect(await tagsAfter({ addTagIds: [], removeTagIds: [b, c] })).toEqual(['zz']);
    expect(await tagsAfter({ tagIds: [b], addTagIds: [c] })).toEqual(['ZA', 'zb']);
    expect(await tagsAfter({ title: 'New' })).toEqual(['ZA', 'zb']);
    expect(await tagsAfter({ tagIds: null })).toEqual([]);
  });

  test('are changes of the link, and no change if they stay', async () => {
    const tag = await owner.tag(anyName());
    const { id } = await tagged(owner, tag);
    const input = { addTagIds: [String(tag)] };
    expect(await owner.data(change, { id: String(id), input })).toMatchObject({
      updateLink: { updatedAt: noon },
    });
    await owner.data(change, { id: String(id), input: { removeTagIds: [String(tag)] } });
    await expect
      .poll(() => owner.data(`{ link(id: ${id}) { history { nodes { action fields } } } }`))
      .toEqual({
        link: {
          history: {
            nodes: [
              { action: 'UPDATED', fields: ['tags'] },
              { action: 'CREATED', fields: expect.arrayContaining(['url', 'tags']) },
            ],
          },
        },
      });
  });

  test('are at most 50', async () => {
    const ids = [];
    for (let i = 0; i < 51; i++) ids.push(String(await owner.tag(anyName())));
    const { id } = await tagged(owner);
    expect(await owner.data(change, { id: String(id), input: { tagIds: ids } })).toMatchObject({
      updateLink: { fields: [{ path: ['tagIds'], messages: ['may have at most 50 entries'] }] },
    });
    await owner.data(change, { id: String(id), input: { tagIds: ids.slice(1) } });
    expect(await owner.data(change, { id: String(id), input: { addTagIds: ids.slice(0, 1) } })).toMatchObject(
      {
        updateLink: {
          fields: [
            { path: ['addTagIds'], messages: ['would give the link 51 tags; it may have at most 50'] },
          ],
        },
      },
    );
  });

  test('that are added at the same time are all kept', async () => {
    const ids = [];
    for (let i = 0; i < 10; i++) ids.push(String(await owner.tag(anyName())));
    const { id } = await tagged(owner);
    await Promise.all(ids.map((one) => owner.data(change, { id: String(id), input: { addTagIds: [one] } })));
    expect(await tagsOf(owner, id)).toHaveLength(10);
  });

  test('decide whether a link is reused', async () => {
    const [a, b] = [String(await owner.tag(anyName())), String(await owner.tag(anyName()))];
    const make = async (tagIds: string[]) => {
      const { createLink } = await owner.data<{ createLink: { id: string } }>(
        `mutation ($tagIds: [ID!]) { createLink(input: { url: "https://reuse.example/", reuse: true, tagIds: $tagIds }) {
          ... on Link { id } } }`,
        { tagIds },
      );
      return createLink.id;
    };
    const first = await make([a, b]);
    expect(await make([b, a])).toBe(first);
    expect(await make([a])).not.toBe(first);
  });
});

test('deleting a tag takes it from its links, and records that', async () => {
  const [gone, stays] = [await owner.tag(anyName()), await owner.tag('Stays')];
  const { id } = await tagged(owner, gone, stays);
  expect(await owner.data(remove, { id: String(gone) })).toEqual({
    deleteTag: { __typename: 'DeletedRecord', id: String(gone) },
  });
  expect(await owner.data(remove, { id: String(gone) })).toEqual({ deleteTag: missing });
  expect(await tagsOf(owner, id)).toEqual(['Stays']);
  await expect
    .poll(() => owner.data(`{ changes(last: 2) { nodes { action kind recordId fields } } }`))
    .toEqual({
      changes: {
        nodes: [
          { action: 'UPDATED', kind: 'LINK', recordId: String(id), fields: ['tags'] },
          { action: 'DELETED', kind: 'TAG', recordId: String(gone), fields: [] },
        ],
      },
    });
});

describe('merging tags', () => {
  test('gives their links another one, and deletes them', async () => {
    const [a, b, into] = [await owner.tag(anyName()), await owner.tag(anyName()), await owner.tag('Merged')];
    const links = [await tagged(owner, a), await tagged(owner, a, b), await tagged(owner, b, into)];
    const untouched = await tagged(owner, into);
    expect(await owner.data(merge, { ids: [String(a), String(b)], into: String(into) })).toMatchObject({
      mergeTags: { __typename: 'Tag', id: String(into), name: 'Merged' },
    });
    for (const { id } of [...links, untouched]) expect(await tagsOf(owner, id)).toEqual(['Merged']);
    expect(await owner.data(`{ a: tag(id: ${a}) { id } b: tag(id: ${b}) { id } }`)).toEqual({
      a: null,
      b: null,
    });
    const read = () => owner.data('{ changes(last: 5) { nodes { action kind recordId } } }');
    const nodes = [
      ...links.map(({ id }) => ({ action: 'UPDATED', kind: 'LINK', recordId: String(id) })),
      ...[a, b].map((id) => ({ action: 'DELETED', kind: 'TAG', recordId: String(id) })),
    ];
    await expect.poll(read).toEqual({ changes: { nodes } });
  });

  test('is refused for the tag itself, for no tags and for too many', async () => {
    const into = String(await owner.tag(anyName()));
    const refused = async (ids: string[]) => {
      const { mergeTags } = await owner.data<{ mergeTags: { fields: object[] } }>(merge, { ids, into });
      return mergeTags.fields;
    };
    expect(await refused([into])).toEqual([{ path: ['ids'], messages: ['may not have the tag that stays'] }]);
    expect(await refused([])).toEqual([
      { path: ['ids'], messages: ['must have the id of at least one tag'] },
    ]);
    expect(await refused(Array.from({ length: 101 }, (_, id) => String(id + 1)))).toEqual([
      { path: ['ids'], messages: ['may have at most 100 entries'] },
    ]);
  });

  test('leaves everything as it is if one of the tags is unknown', async () => {
    const [tag, into] = [await owner.tag('Left'), await owner.tag(anyName())];
    const { id } = await tagged(owner, tag);
    await owner.data(merge, { ids: [String(tag), '99999'], into: String(into) });
    expect(await tagsOf(owner, id)).toEqual(['Left']);
  });

  test('takes a tag of more links than one statement changes', async () => {
    const caller = await server.caller('many');
    const [tag, into] = [await caller.tag('Many'), await caller.tag('Into')];
    const { id: first } = await tagged(caller, tag, into);
    const { id: _, ...row } = await server.database.prisma.link.findUniqueOrThrow({ where: { id: first } });
    await server.database.transaction(async (tx) => {
      const rows = Array.from({ length: 2_100 }, (_, index) => ({
        ...row,
        alias: `m${index}`,
        aliasKey: `m${index}`,
      }));
      for (const linkId of await tx.insertMany('Link', rows))
        await tx.prisma.linkTag.create({ data: { linkId, tagId: tag } });
    });
    await caller.data(merge, { ids: [String(tag)], into: String(into) });
    const read = () =>
      caller.data(
        `{ tag(id: ${into}) { links { totalCount } } changes(filter: { kind: LINK }) { totalCount } }`,
      );
    await expect
      .poll(read)
      .toEqual({ tag: { links: { totalCount: 2_101 } }, changes: { totalCount: 2_102 } });
  });
});

describe('a filter by tags', () => {
  test('has any, all and none of them, in every order, with exact totals', async () => {
    const caller = await server.caller('filters');
    const [a = 0, b = 0, c = 0] = [await caller.tag('a'), await caller.tag('b'), await caller.tag('c')];
    const links = [[a], [a, b], [b], [a, b, c], []];
    const ids: number[] = [];
    for (const tags of links) ids.push((await tagged(caller, ...tags)).id);
    const space = await caller.space('Here');
    await caller.rest('PATCH', `/links/${ids[1]}`, { space_id: space });
    const cases: [string, number[]][] = [
      [`tags: { all: [${a}] }`, [0, 1, 3]],
      [`tags: { any: [${a}] }`, [0, 1, 3]],
      [`tags: { all: [${a}, ${b}] }`, [1, 3]],
      [`tags: { any: [${a}, ${b}] }`, [0, 1, 2, 3]],
      [`tags: { none: [${a}, ${b}] }`, [4]],
      [`tags: { all: [${b}], none: [${c}] }`, [1, 2]],
      [`tags: { any: [${a}, ${c}], none: [${b}] }`, [0]],
      [`tags: { all: [${a}], any: [${b}, ${c}] }`, [1, 3]],
      [`tags: { any: [], all: [], none: [] }`, [0, 1, 2, 3, 4]],
      [`tags: { all: [99999] }`, []],
      [`tags: { all: [${a}] }, spaceId: ${space}`, [1]],
      [`tags: { all: [${a}] }, status: ACTIVE, search: "example", searchBy: URL`, [0, 1, 3]],
      [`tags: { none: [${a}] }, withoutSpace: true`, [2, 4]],
    ];
    for (const [filter, expected] of cases) {
      const found = expected.map((index) => ids[index]);
      expect(await idsWith(caller, filter), filter).toEqual(found);
      expect(await idsWith(caller, filter, 'field: ID'), filter).toEqual(found.toReversed());
      for (const field of ['CLICKS', 'TITLE', 'ALIAS', 'URL', 'UPDATED_AT'])
        expect((await idsWith(caller, filter, `field: ${field}`)).sort(), `${filter} by ${field}`).toEqual(
          found,
        );
    }
    const pages = await caller.rest('GET', `/links?tag_id=${a}&sort=asc&per_page=10`);
    expect(pages.body).toMatchObject({
      meta: { total: 3 },
      data: [0, 1, 3].map((index) => ({ id: ids[index] })),
    });
  });

  test('pages by cursor in both directions', async () => {
    const caller = await server.caller('pager');
    const tag = await caller.tag('Paged');
    const ids: string[] = [];
    for (let i = 0; i < 7; i++) {
      ids.unshift(String((await tagged(caller, tag)).id));
      await tagged(caller);
    }
    const page = async (args: string) => {
      const { tag: found } = await caller.data<{
        tag: { links: { nodes: { id: string }[]; pageInfo: { startCursor: string; endCursor: string } } };
      }>(
        `{ tag(id: ${tag}) { links(${args}) { nodes { id } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } } } }`,
      );
      const { nodes, pageInfo } = found.links;
      return { ids: nodes.map(({ id }) => id), pageInfo };
    };
    const first = await page('first: 3');
    expect(first).toMatchObject({
      ids: ids.slice(0, 3),
      pageInfo: { hasNextPage: true, hasPreviousPage: false },
    });
    const next = await page(`first: 5, after: "${first.pageInfo.endCursor}"`);
    expect(next).toMatchObject({
      ids: ids.slice(3),
      pageInfo: { hasNextPage: false, hasPreviousPage: true },
    });
    expect(await page(`last: 2, before: "${next.pageInfo.startCursor}"`)).toMatchObject({
      ids: ids.slice(1, 3),
      pageInfo: { hasPreviousPage: true },
    });
  });

  test('names the list with a wrong id', async () => {
    const { errors } = await owner.graphql('{ links(filter: { tags: { any: ["x"] } }) { nodes { id } } }');
    expect(errors).toMatchObject([
      {
        extensions: {
          fields: [
            { path: ['filter', 'tags', 'any', '0'], messages: ['must be the id of one of your tags'] },
          ],
        },
      },
    ]);
    expect((await owner.rest('GET', '/links?tag_id=x')).body).toMatchObject({
      errors: { tag_id: ['The tag_id field must be the id of one of your tags.'] },
    });
  });

  test.runIf(inject('database').provider === 'sqlite')(
    'reads the links of a tag, and their number, by its index, without sorting',
    async () => {
      const tag = await owner.tag(anyName());
      const statements = await server.statementsOf(() =>
        owner.data(`{ links(filter: { tags: { all: [${tag}] } }, first: 5) { totalCount nodes { id } } }`),
      );
      expect(statements).toHaveLength(2);
      for (const statement of statements) {
        const plan = (await planOf(server.database, statement)).join('\n');
        expect(plan).toMatch(/SEARCH LinkTag USING COVERING INDEX LinkTag_tagId_linkId_idx \(tagId=\?/);
        expect(plan).not.toMatch(/TEMP B-TREE|SCAN Link/);
      }
    },
  );
});

test('the tags of many links, and the links of many tags, take as many statements as of one', async () => {
  const read = async (caller: Caller) => ({
    links: await server.statementsOf(() => caller.data('{ links { nodes { tags { name } space { id } } } }')),
    v1: await server.statementsOf(() => caller.rest('GET', '/links')),
    tags: await server.statementsOf(() =>
      caller.data('{ tags { nodes { links(first: 2) { totalCount nodes { tags { name } } } } } }'),
    ),
  });
  const caller = await server.caller('batches');
  await tagged(caller, await caller.tag('One'));
  const one = await read(caller);
  for (let i = 0; i < 12; i++) await tagged(caller, await caller.tag(`A ${i}`), await caller.tag(`B ${i}`));
  const many = await read(caller);
  for (const list of ['links', 'v1', 'tags'] as const) expect(many[list]).toHaveLength(one[list].length);
});

test('a node of a tag is found by its global id', async () => {
  const id = await owner.tag('Node');
  const { tag } = await owner.data<{ tag: { nodeId: string } }>(`{ tag(id: ${id}) { nodeId } }`);
  expect(await owner.data(`{ node(nodeId: "${tag.nodeId}") { ... on Tag { name } } }`)).toEqual({
    node: { name: 'Node' },
  });
});

test('the statistics of a tag are the sums over the links that have it now', async () => {
  const caller = await server.caller('counts');
  const [a, b] = [await caller.tag('A'), await caller.tag('B')];
  const links = [await tagged(caller, a, b), await tagged(caller, a), await tagged(caller)];
  for (const [index, { alias }] of links.entries())
    for (let click = 0; click <= index; click++) await visit(server.origin, `/${alias}`);
  await server.flush();
  const fields = 'statistics { clicks top(by: COUNTRY) { others rows { value clicks } } }';
  const { nodes } = (
    await caller.data<{ tags: { nodes: { statistics: { clicks: number } }[] } }>(
      `{ tags(orderBy: { direction: ASC }) { nodes { ${fields} } } }`,
    )
  ).tags;
  expect(nodes.map(({ statistics }) => statistics.clicks)).toEqual([3, 1]);
  await caller.data(change, { id: String(links[0]?.id), input: { removeTagIds: [String(a)] } });
  expect(await caller.data(`{ tag(id: ${a}) { statistics { clicks } } }`)).toEqual({
    tag: { statistics: { clicks: 2 } },
  });
});
