import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newDatabase, settled } from '../support/database.ts';
import { planOf } from '../support/plan.ts';
import { type Caller, emptyServer, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer({ url: await newDatabase() });
});
beforeEach(async () => {
  await emptyServer(server);
  owner = await server.caller();
});
afterAll(() => server.stop());

const url = 'https://example.com/';
const FIELDS = `__typename ... on Link { id alias startsAt notes archived redirectStatus status updatedAt expiration { at } }
  ... on ValidationError { fields { path messages reason } }`;

interface Result {
  __typename: string;
  id: string;
  alias: string;
  startsAt: string | null;
  notes: string | null;
  archived: boolean;
  redirectStatus: number;
  status: string;
  updatedAt: string;
  fields?: { path: string[]; messages: string[]; reason: string }[];
}

async function create(input: object = {}): Promise<Result> {
  const query = `mutation ($input: CreateLinkInput!) { createLink(input: $input) { ${FIELDS} } }`;
  return (await owner.data<{ createLink: Result }>(query, { input: { url, ...input } })).createLink;
}

async function update(id: string, input: object): Promise<Result> {
  const query = `mutation ($id: ID!, $input: UpdateLinkInput!) { updateLink(id: $id, input: $input) { ${FIELDS} } }`;
  return (await owner.data<{ updateLink: Result }>(query, { id, input })).updateLink;
}

const wrong = ({ fields = [] }: Result) => fields.map(({ path, reason }) => [path.join('.'), reason]);

const tomorrow = '2026-11-21T12:00:00.000Z';
const nextWeek = '2026-11-27T12:00:00.000Z';

describe('start, notes, archive and status of a link', () => {
  test('have defaults, are set, changed and cleared', async () => {
    const plain = { startsAt: null, notes: null, archived: false, redirectStatus: 302, status: 'ACTIVE' };
    expect(await create()).toMatchObject(plain);
    expect(await create({ startsAt: null, notes: null, archived: null, redirectStatus: null })).toMatchObject(
      plain,
    );
    const set = { startsAt: tomorrow, notes: 'Ask Ada\nfirst', archived: true, redirectStatus: 308 };
    const made = await create(set);
    expect(made).toMatchObject({ ...set, status: 'ACTIVE' });
    const changed = { startsAt: nextWeek, notes: 'Done', archived: false, redirectStatus: 301 };
    expect(await update(made.id, changed)).toMatchObject(changed);
    expect(await update(made.id, { startsAt: null, notes: null })).toMatchObject({
      ...{ ...changed, startsAt: null, notes: null },
    });
  });

  test('are the same through createLinks, updateLinks and upsertLink', async () => {
    const input = { url, startsAt: tomorrow, notes: 'N', archived: true, redirectStatus: 307 };
    const { createLinks, upsertLink } = await owner.data<{ createLinks: Result[]; upsertLink: Result }>(
      `mutation ($input: CreateLinkInput!) {
        createLinks(inputs: [$input]) { ${FIELDS} } upsertLink(externalId: "x", input: $input) { ${FIELDS} }
      }`,
      { input },
    );
    const { url: _, ...expected } = input;
    expect(createLinks).toMatchObject([expected]);
    expect(upsertLink).toMatchObject(expected);
    const { updateLinks } = await owner.data<{ updateLinks: Result[] }>(
      `mutation ($id: ID!) { updateLinks(inputs: [{ id: $id, input: { archived: false, redirectStatus: 301 } }]) { ${FIELDS} } }`,
      { id: upsertLink.id },
    );
    expect(updateLinks).toMatchObject([{ ...expected, archived: false, redirectStatus: 301 }]);
  });

  test('keep a start within the minute of a time without seconds', async () => {
    const { id } = await create({ startsAt: '2026-11-21T12:00:42.500Z' });
    expect(await update(id, { startsAt: '2026-11-21T12:00Z' })).toMatchObject({
      startsAt: '2026-11-21T12:00:42.500Z',
    });
    expect(await update(id, { startsAt: '2026-11-21T12:00:00Z' })).toMatchObject({ startsAt: tomorrow });
  });

  test.each([
    ['notes of 5,001 characters', { notes: 'x'.repeat(5_001) }, ['notes', 'LENGTH']],
    ['another status', { redirectStatus: 303 }, ['redirectStatus', 'CHOICE']],
    [
      'a start at the end',
      { startsAt: tomorrow, expiration: { at: tomorrow } },
      ['startsAt', 'ENDS_BEFORE_START'],
    ],
  ])('refuse %s, and name the field', async (_what, input, [field]) => {
    expect(wrong(await create(input)).map(([path]) => path)).toEqual([field]);
    const { id } = await create();
    expect(wrong(await update(id, input)).map(([path]) => path)).toEqual([field]);
    const { checkLinks } = await owner.data<{ checkLinks: Result[] }>(
      'query ($input: CreateLinkInput!) { checkLinks(inputs: [$input]) { fields { path } } }',
      { input: { url, ...input } },
    );
    expect(checkLinks).toMatchObject([{ fields: [{ path: [field] }] }]);
  });

  test('takes notes of 5,000 characters, and refuses to clear the archive and the status', async () => {
    const notes = '😀'.repeat(5_000);
    const { id, notes: kept } = await create({ notes });
    expect(kept).toBe(notes);
    expect(wrong(await update(id, { archived: null, redirectStatus: null })).map(([path]) => path)).toEqual([
      'archived',
      'redirectStatus',
    ]);
  });

  test('compares the start with the expiry that is stored, and the other way round', async () => {
    const { id } = await create({ startsAt: tomorrow, expiration: { at: nextWeek } });
    expect(wrong(await update(id, { startsAt: nextWeek }))).toEqual([['startsAt', 'ENDS_BEFORE_START']]);
    expect(wrong(await update(id, { expiration: { at: tomorrow } }))).toEqual([
      ['expiration.at', 'ENDS_BEFORE_START'],
    ]);
    expect(wrong(await update(id, { startsAt: nextWeek, expiration: { at: null } }))).toEqual([]);
    expect(wrong(await update(id, { startsAt: null, expiration: { at: tomorrow } }))).toEqual([]);
    expect(wrong(await update(id, { notes: 'Not about times' }))).toEqual([]);
  });

  test('are in the history with their values, and are reverted', async () => {
    const set = { startsAt: tomorrow, notes: 'N', archived: true, redirectStatus: 301 };
    const { id } = await create();
    await update(id, set);
    await settled(server.database);
    const { link } = await owner.data<{
      link: { history: { nodes: { id: string; fields: string[]; values: object[] }[] } };
    }>(
      'query ($id: ID!) { link(id: $id) { history(first: 1) { nodes { id fields values { name before after } } } } }',
      { id },
    );
    const [change] = link.history.nodes;
    expect(change?.fields.toSorted()).toEqual(['archived', 'notes', 'redirectStatus', 'startsAt']);
    expect(change?.values).toEqual(
      expect.arrayContaining([
        { name: 'startsAt', before: null, after: JSON.stringify(tomorrow) },
        { name: 'notes', before: null, after: '"N"' },
        { name: 'archived', before: 'false', after: 'true' },
        { name: 'redirectStatus', before: '302', after: '301' },
      ]),
    );
    const revert = 'mutation ($id: ID!) { revertChange(id: $id) { __typename } }';
    await owner.data(revert, { id: change?.id });
    expect(await update(id, {})).toMatchObject({
      ...{ startsAt: null, notes: null, archived: false, redirectStatus: 302 },
    });
    await update(id, set);
    await owner.data('mutation ($id: ID!) { deleteLink(id: $id) { __typename } }', { id });
    await settled(server.database);
    const { changes } = await owner.data<{ changes: { nodes: { id: string }[] } }>(
      '{ changes(last: 1) { nodes { id } } }',
    );
    await owner.data(revert, { id: changes.nodes[0]?.id });
    expect(await update(id, {})).toMatchObject(set);
  });

  test('leave a new link without them out of the history’s fields', async () => {
    const { id } = await create();
    await settled(server.database);
    const { link } = await owner.data<{ link: { history: { nodes: { fields: string[] }[] } } }>(
      'query ($id: ID!) { link(id: $id) { history(first: 1) { nodes { fields } } } }',
      { id },
    );
    for (const name of ['startsAt', 'notes', 'archived', 'redirectStatus'])
      expect(link.history.nodes[0]?.fields).not.toContain(name);
  });

  test('are not reused while archived or before the start', async () => {
    const archived = await create({ archived: true });
    const later = await create({ startsAt: tomorrow });
    const made = await create({ reuse: true });
    expect([archived.id, later.id]).not.toContain(made.id);
    expect((await create({ reuse: true })).id).toBe(made.id);
    await owner.data('mutation ($id: ID!) { deleteLink(id: $id) { __typename } }', { id: made.id });
    server.clock.now = new Date(tomorrow);
    expect((await create({ reuse: true })).id).toBe(later.id);
    expect((await create({ reuse: true, notes: 'Other' })).id).not.toBe(later.id);
  });
});

describe('a list', () => {
  type Lists = Record<string, { nodes?: { alias: string }[]; items?: { alias: string }[]; total: number }>;
  let spaceId: string;
  let tagId: string;
  beforeEach(async () => {
    spaceId = String(await owner.space('Space'));
    tagId = String(await owner.tag('Tag'));
    const input = { spaceId, tagIds: [tagId] };
    await create({ alias: 'shown', title: 'Some', ...input });
    await create({ alias: 'shelved', title: 'Some', archived: true, ...input });
    await create({ alias: 'paused', disabled: true });
    await create({ alias: 'put-away', disabled: true, archived: true });
  });

  /** Aliases and totals of all lists of links with a filter. */
  async function read(filter = '', caller = owner) {
    const args = filter && `(filter: { ${filter} })`;
    const connection = `links${args} { total: totalCount nodes { alias } }`;
    const found = await caller.data<
      Lists & { space: { links: Lists[string] }; tag: { links: Lists[string] } }
    >(
      `query ($space: ID!, $tag: ID!) {
        ${connection} linkPage${args} { total items { alias } }
        space(id: $space) { ${connection} } tag(id: $tag) { ${connection} }
      }`,
      { space: spaceId, tag: tagId },
    );
    return Object.fromEntries(
      Object.entries({ ...found, space: found.space.links, tag: found.tag.links }).map(([name, list]) => {
        const aliases = (list?.nodes ?? list?.items ?? []).map(({ alias }) => alias).toSorted();
        expect([name, list?.total]).toEqual([name, aliases.length]);
        return [name, aliases.join()];
      }),
    );
  }

  const all = 'paused,put-away,shelved,shown';
  test.each([
    ['', 'paused,shown', 'shown'],
    ['archived: WITHOUT', 'paused,shown', 'shown'],
    ['archived: ONLY', 'put-away,shelved', 'shelved'],
    ['archived: WITH', all, 'shelved,shown'],
    ['updatedSince: "2026-01-01T00:00:00Z"', all, 'shelved,shown'],
    ['updatedSince: "2026-01-01T00:00:00Z", archived: WITHOUT', 'paused,shown', 'shown'],
    ['search: "some"', 'shelved,shown', 'shelved,shown'],
    ['search: "some", searchBy: ANYWHERE', 'shelved,shown', 'shelved,shown'],
    ['search: "some", archived: WITHOUT', 'shown', 'shown'],
    ['search: "so", archived: ONLY', 'shelved', 'shelved'],
    ['status: DISABLED', 'paused', ''],
    ['status: DISABLED, archived: WITH', 'paused,put-away', ''],
    ['status: DISABLED, archived: ONLY', 'put-away', ''],
    ['status: ACTIVE', 'shown', 'shown'],
    ['status: ACTIVE, archived: ONLY', 'shelved', 'shelved'],
    ['withoutSpace: true', 'paused', ''],
    ['domainId: "1"', 'paused,shown', 'shown'],
    ['domainId: "1", archived: ONLY', 'put-away,shelved', 'shelved'],
    ['createdFrom: "2026-01-01T00:00:00Z"', 'paused,shown', 'shown'],
  ])('with { %s } has the right links and total', async (filter, links, narrowed) => {
    expect(await read(filter)).toEqual({ links, linkPage: links, space: narrowed, tag: narrowed });
  });

  test('by tags of its filter has the right links and total', async () => {
    for (const [more, aliases] of [
      ['', 'shown'],
      [', archived: ONLY', 'shelved'],
      [', archived: WITH', 'shelved,shown'],
    ] as const)
      expect(await read(`tags: { any: ["${tagId}"] }${more}`)).toMatchObject({
        ...{ links: aliases, linkPage: aliases, space: aliases },
      });
    expect(await read(`tags: { none: ["${tagId}"] }`)).toMatchObject({ links: 'paused', linkPage: 'paused' });
  });

  test('has the total of every change of the archive, and of deletions', async () => {
    const { linkPage } = await owner.data<{ linkPage: { items: { id: string; alias: string }[] } }>(
      '{ linkPage(filter: { archived: WITH }) { items { id alias } } }',
    );
    for (const { id, alias } of linkPage.items) await update(id, { archived: alias !== 'shelved' });
    expect(await read()).toMatchObject({ links: 'shelved', linkPage: 'shelved' });
    const ids = linkPage.items.filter(({ alias }) => alias !== 'paused').map(({ id }) => id);
    await owner.data('mutation ($ids: [ID!]!) { deleteLinks(ids: $ids) { __typename } }', { ids });
    expect(await read()).toMatchObject({ links: '', linkPage: '' });
    expect(await read('archived: ONLY')).toMatchObject({ links: 'paused', linkPage: 'paused' });
  });

  test('of v1 has all links, also as CSV', async () => {
    const { body } = await owner.rest('GET', '/links?per_page=10');
    const { data, meta } = body as { data: { alias: string }[]; meta: { total: number } };
    expect([
      data
        .map(({ alias }) => alias)
        .toSorted()
        .join(),
      meta.total,
    ]).toEqual([all, 4]);
    const csv = await owner.fetch('/api/v1/links', { headers: { Accept: 'text/csv' } });
    expect((await csv.text()).trim().split('\r\n')).toHaveLength(5);
  });

  test('counts no rows for the total of all, and those of a space by one index', async () => {
    const statements = await server.statementsOf(() =>
      owner.data(
        '{ linkPage { total } links { totalCount } links2: links(filter: { archived: ONLY }) { totalCount } }',
      ),
    );
    expect(statements.join()).not.toMatch(/count\s*\(/i);
    const ofSpace = await server.statementsOf(() =>
      owner.data('query ($id: ID!) { space(id: $id) { links { totalCount nodes { id } } } }', {
        id: spaceId,
      }),
    );
    const plans = await Promise.all(ofSpace.map((one) => planOf(server.database, one)));
    expect(plans.flat().join('\n')).not.toMatch(/Seq Scan on "Link"|SCAN "?Link/);
  });
});
