import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { OPERATOR, recordingChanges } from '../../src/domain/change/change.ts';
import { removeHost } from '../../src/domain/short-domain/admin.ts';
import { settled } from '../support/database.ts';
import { type Events, subscribe } from '../support/events.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
let accounts = 0;
beforeAll(async () => {
  server = await startTestServer({ background: true });
});
afterAll(() => server.stop());
beforeEach(async () => {
  server.clock.now = NOON;
  owner = await server.caller(`account ${accounts++}`);
});

interface Changed {
  readonly action: string;
  readonly kind: string;
  readonly recordId: string;
  readonly fields: readonly string[];
}

interface Told {
  readonly data: { readonly changes: Changed } | null;
  readonly errors?: readonly object[];
}

type Filter = Readonly<Record<string, unknown>>;

/** A change in short form. */
const short = ({ action, kind, recordId, fields }: Changed) =>
  `${action} ${kind} ${recordId}${action === 'UPDATED' ? ` ${fields}` : ''}`;

async function listed(filter: Filter, caller = owner): Promise<string[]> {
  await settled(server.database);
  const query = `query ($filter: ChangeFilter) {
    changes(first: 100, filter: $filter) { totalCount nodes { action kind recordId fields } }
  }`;
  const { changes } = await caller.data<{ changes: { totalCount: number; nodes: Changed[] } }>(query, {
    filter,
  });
  expect(changes.totalCount).toBe(changes.nodes.length);
  return changes.nodes.map(short);
}

const SUBSCRIPTION = `subscription ($filter: ChangeFilter, $after: String) {
  changes(filter: $filter, after: $after) { action kind recordId fields }
}`;
const told = ({ seen }: Events<Told>) =>
  seen.map(({ data, errors }) => (data ? short(data.changes) : JSON.stringify(errors)));

/** Checks the changes of filters: in the list, in a subscription meanwhile, and in one that reads the log afterwards. */
async function expectChanges(
  filters: Readonly<Record<string, Filter>>,
  work: () => Promise<unknown>,
  expected: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  await owner.pixel('First');
  await settled(server.database);
  const { changes } = await owner.data<{ changes: { nodes: { cursor: string }[] } }>(
    '{ changes(last: 1) { nodes { cursor } } }',
  );
  const after = changes.nodes[0]?.cursor;
  const names = Object.keys(filters);
  const listen = (some: object) =>
    Promise.all(
      names.map((name) => subscribe<Told>(owner, SUBSCRIPTION, { filter: filters[name], ...some })),
    );
  const live = await listen({});
  server.clock.now = new Date(NOON.getTime() + 60_000);
  await work();
  const late = await listen({ after });
  const since = { since: server.clock.now.toISOString() };
  for (const [index, name] of names.entries()) {
    const found = await listed({ ...since, ...filters[name] });
    expect([name, found.filter((one) => !one.startsWith('CREATED PIXEL'))]).toEqual([name, expected[name]]);
    for (const events of [live[index], late[index]])
      await expect.poll(() => (events ? told(events) : [])).toEqual(expected[name]);
  }
  for (const one of [...live, ...late]) one.close();
}

const edit = (id: number, input: object) =>
  owner.data(
    'mutation ($id: ID!, $input: UpdateLinkInput!) { updateLink(id: $id, input: $input) { ... on Link { id } ... on Error { message } } }',
    { id: String(id), input },
  );

test('a change belongs to the spaces and tags that its link had before or after it', async () => {
  const [one, other] = [await owner.space('One'), await owner.space('Other')];
  const [red, blue] = [await owner.tag('Red'), await owner.tag('Blue')];
  let id = 0;
  const filters = {
    one: { spaceId: String(one) },
    other: { spaceId: String(other) },
    red: { tagId: String(red) },
    blue: { tagId: String(blue) },
    both: { spaceId: String(other), tagId: String(blue) },
  };
  const work = async () => {
    ({ id } = await owner.link({ space_id: one, tag_ids: red }));
    await owner.link();
    await edit(id, { title: 'In one' });
    await edit(id, { spaceId: String(other), addTagIds: [String(blue)] });
    await edit(id, { removeTagIds: [String(red)] });
    await edit(id, { title: 'In other' });
    await owner.data(`mutation { updateTag(id: ${red}, input: { name: "Rot" }) { __typename } }`);
    await owner.rest('PATCH', `/spaces/${one}`, { name: 'Eins' });
    await owner.rest('DELETE', `/links/${id}`);
  };
  const link = (await owner.link()).id + 1;
  await expectChanges(filters, work, {
    one: [
      `CREATED LINK ${link}`,
      `UPDATED LINK ${link} title`,
      `UPDATED LINK ${link} space,tags`,
      `UPDATED SPACE ${one} name`,
    ],
    other: [
      `UPDATED LINK ${link} space,tags`,
      `UPDATED LINK ${link} tags`,
      `UPDATED LINK ${link} title`,
      `DELETED LINK ${link}`,
    ],
    red: [
      `CREATED LINK ${link}`,
      `UPDATED LINK ${link} title`,
      `UPDATED LINK ${link} space,tags`,
      `UPDATED LINK ${link} tags`,
      `UPDATED TAG ${red} name`,
    ],
    blue: [
      `UPDATED LINK ${link} space,tags`,
      `UPDATED LINK ${link} tags`,
      `UPDATED LINK ${link} title`,
      `DELETED LINK ${link}`,
    ],
    both: [
      `UPDATED LINK ${link} space,tags`,
      `UPDATED LINK ${link} tags`,
      `UPDATED LINK ${link} title`,
      `DELETED LINK ${link}`,
    ],
  });
  expect(id).toBe(link);
});

test('deleting and merging spaces and tags belongs to what their links had, each its own', async () => {
  const space = await owner.space('Space');
  const [into, a, b] = [await owner.tag('Into'), await owner.tag('A'), await owner.tag('B')];
  const inSpace = (await owner.link({ space_id: space })).id;
  const withA = (await owner.link({ tag_ids: a })).id;
  const withB = (await owner.link({ tag_ids: b })).id;
  const withInto = (await owner.link({ tag_ids: into })).id;
  const filters = {
    space: { spaceId: String(space) },
    a: { tagId: String(a) },
    b: { tagId: String(b) },
    into: { tagId: String(into) },
  };
  const work = async () => {
    await owner.data(`mutation { mergeTags(ids: [${a}, ${b}], into: ${into}) { __typename } }`);
    await owner.rest('DELETE', `/spaces/${space}`);
    await owner.data(`mutation { deleteTag(id: ${into}) { __typename } }`);
  };
  await expectChanges(filters, work, {
    space: [`UPDATED LINK ${inSpace} space`, `DELETED SPACE ${space}`],
    a: [`UPDATED LINK ${withA} tags`, `DELETED TAG ${a}`],
    b: [`UPDATED LINK ${withB} tags`, `DELETED TAG ${b}`],
    into: [
      `UPDATED LINK ${withA} tags`,
      `UPDATED LINK ${withB} tags`,
      ...[withA, withB, withInto].map((id) => `UPDATED LINK ${id} tags`),
      `DELETED TAG ${into}`,
    ],
  });
});

test('imports, pixels, resets and operators record what links have, too', async () => {
  const [space, tag, pixel] = [await owner.space('S'), await owner.tag('T'), await owner.pixel('P')];
  const host = `changed-${accounts}.example`;
  const domain = await owner.domain(host);
  const text = `url,alias,tags\nhttps://example.com/a,imported-${accounts},T`;
  await owner.data(`mutation ($text: String!) { importLinks(format: CSV, text: $text) { __typename } }`, {
    text,
  });
  const { id } = await owner.link({ space_id: space, tag_ids: tag, pixel_ids: pixel, domain_id: domain });
  await owner.data(`mutation { deletePixel(id: ${pixel}) { __typename } }`);
  await removeHost(server.database, host, true, NOON);
  const of = (changes: string[]) =>
    changes.filter((one) => one.endsWith(` ${id}`) || one.includes(` ${id} `));
  const expected = [`CREATED LINK ${id}`, `UPDATED LINK ${id} pixels`, `DELETED LINK ${id}`];
  expect(of(await listed({ spaceId: String(space) }))).toEqual(expected);
  const tagged = await listed({ tagId: String(tag), kind: 'LINK' });
  expect(of(tagged)).toEqual(expected);
  expect(tagged).toHaveLength(4);
});

test('finds changes of several kinds, and of one link', async () => {
  const space = await owner.space('S');
  const tag = await owner.tag('T');
  const { id } = await owner.link();
  const another = await owner.link();
  await edit(id, { title: 'New' });
  const ofLink = [`CREATED LINK ${id}`, `UPDATED LINK ${id} title`];
  expect(await listed({ kinds: ['SPACE', 'TAG'] })).toEqual([`CREATED SPACE ${space}`, `CREATED TAG ${tag}`]);
  expect(await listed({ kinds: [] })).toHaveLength(5);
  expect(await listed({ kinds: ['SPACE'], kind: 'TAG' })).toEqual([]);
  expect(await listed({ linkId: String(id) })).toEqual(ofLink);
  expect(await listed({ linkId: String(id), recordId: String(another.id) })).toEqual([]);
  expect(await listed({ linkId: String(id), kinds: ['TAG'] })).toEqual([]);
  expect(await listed({ linkId: String(space), kind: 'SPACE' })).toEqual([]);
});

test.each(['linkId', 'spaceId', 'tagId'])('refuses a %s that cannot be one, in both', async (name) => {
  const filter = { [name]: 'x' };
  const { errors } = await owner.graphql(
    'query ($filter: ChangeFilter) { changes(filter: $filter) { totalCount } }',
    {
      filter,
    },
  );
  const refused = { code: 'VALIDATION', fields: [{ path: ['filter', name] }] };
  expect(errors?.[0]?.extensions).toMatchObject(refused);
  const events = await subscribe<Told>(owner, SUBSCRIPTION, { filter });
  await events.ended;
  expect(events.seen).toMatchObject([{ errors: [{ extensions: refused }] }]);
});

test('refuses a long list of kinds', async () => {
  const query = 'query ($filter: ChangeFilter) { changes(filter: $filter) { totalCount } }';
  const { errors } = await owner.graphql(query, { filter: { kinds: Array(14).fill('LINK') } });
  expect(JSON.stringify(errors)).toMatch(/at most 13/);
});

test('tells another account nothing, nor a key without people what people did', async () => {
  const space = await owner.space('S');
  const tag = await owner.tag('T');
  const { id } = await owner.link({ space_id: space, tag_ids: tag });
  const stranger = await server.caller(`stranger ${accounts}`);
  for (const filter of [{ spaceId: String(space) }, { tagId: String(tag) }, { linkId: String(id) }])
    expect(await listed(filter, stranger)).toEqual([]);
  const db = server.database;
  const account = await db.prisma.account.findFirstOrThrow({ where: { name: `account ${accounts - 1}` } });
  await recordingChanges(db, { ...OPERATOR, accountId: account.id }, NOON, ({ record }) =>
    record('UPDATED', 'MEMBER', [id], ['role']),
  );
  for (const filter of [{ kinds: ['API_KEY', 'MEMBER'] }, { recordId: String(id), kinds: ['MEMBER'] }])
    expect(await listed(filter)).toEqual([]);
});

test('the schema does not show the groups of changes', async () => {
  const { __type } = await owner.data<{ __type: { fields: { name: string }[] } }>(
    '{ __type(name: "Change") { fields { name } } }',
  );
  expect(__type.fields.map(({ name }) => name)).not.toContain('groups');
});

test('changes of earlier versions belong to no space or tag but themselves', async () => {
  const space = await owner.space('S');
  const { id } = await owner.link({ space_id: space });
  await server.database.prisma.change.updateMany({ data: { groups: null } });
  await edit(id, { title: 'New' });
  expect(await listed({ spaceId: String(space) })).toEqual([
    `CREATED SPACE ${space}`,
    `UPDATED LINK ${id} title`,
  ]);
});

test('many new links are recorded by as many statements as a few', async () => {
  const [space, tag] = [await owner.space('S'), await owner.tag('T')];
  const statements = async (count: number) => {
    const lines = Array.from(
      { length: count },
      (_, i) => `https://example.com/${i},of-${accounts}-${count}-${i},T`,
    );
    const text = ['url,alias,tags', ...lines].join('\n');
    const sent = await server.statementsOf(() =>
      owner.data(`mutation ($text: String!) { importLinks(format: CSV, text: $text) { __typename } }`, {
        text,
      }),
    );
    return sent.filter((sql) => sql.includes('INSERT INTO "Change"')).length;
  };
  expect([await statements(2), await statements(20)]).toEqual([1, 1]);
  expect(await listed({ tagId: String(tag), kind: 'LINK' })).toHaveLength(22);
  expect(await listed({ spaceId: String(space), kind: 'LINK' })).toEqual([]);
});
