import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { settled } from '../support/database.ts';
import { manyLinks } from '../support/many-links.ts';
import { type Person, signedIn } from '../support/person.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

interface Change {
  id: string;
  action: string;
  kind: string;
  recordId: string;
  fields: string[];
  isRevertable: boolean;
}

/** A result of `revertChange`. */
interface Result {
  __typename: string;
  change?: Change;
  record?: Record<string, unknown> | null;
  current?: Record<string, unknown>;
  fields?: { path: string[]; reason: string }[];
}

let server: TestServer;
let owner: Caller;
let account: string;
let accounts = 0;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  account = `revert ${accounts++}`;
  owner = await server.caller(account);
});

async function changes(args = '', caller = owner): Promise<Change[]> {
  await settled(server.database);
  const { changes: found } = await caller.data<{ changes: { nodes: Change[] } }>(
    `{ changes(last: 100 ${args}) { nodes { id action kind recordId fields isRevertable } } }`,
  );
  return found.nodes;
}

const last = async (caller = owner) => (await changes('', caller)).at(-1)?.id ?? '';

const RECORD = `__typename
  ... on Link { id url alias title externalId disabled hasPassword hasPrivacyPassword privacy clicks createdAt status
    space { id } pixels { id } tags { id } expiration { url at clicks } }
  ... on Space { id name color createdAt }
  ... on Tag { id name color createdAt }`;
const RESULT = `__typename
  ... on RevertedChange { record { ${RECORD} } change { id action kind recordId fields isRevertable } }
  ... on ConflictError { current { ${RECORD} } }
  ... on ValidationError { fields { path reason } }`;

const REVERT = `mutation ($id: ID!) { revertChange(id: $id) { ${RESULT} } }`;

async function revert(id: string, caller = owner): Promise<Result> {
  const { revertChange } = await caller.data<{ revertChange: Result }>(REVERT, { id });
  return revertChange;
}

const update = (id: number | string, input: string, type = 'Link') =>
  owner.data(
    `mutation { update${type}(id: "${id}", input: { ${input} }) { __typename ... on ValidationError { fields { path } } } }`,
  );

/** The record as it is now; null if there is none. */
async function record(type: string, id: number | string, caller = owner) {
  const nodeId = Buffer.from(`${type}:${id}`).toString('base64url');
  const query = `query ($nodeId: ID!) { node(nodeId: $nodeId) { ${RECORD} } }`;
  const { node } = await caller.data<{ node: Record<string, unknown> | null }>(query, { nodeId });
  return node;
}

describe('rules', () => {
  const RULES = 'rules { id name when { country { in } } to { id name url weight } }';
  const rulesOf = async (id: string) =>
    (
      await owner.data<{ link: { rules: { id: string; to: { id: string }[] }[] } }>(
        `{ link(id: "${id}") { ${RULES} } }`,
      )
    ).link.rules;
  const toShop = (name: string, country: string) =>
    `{ name: "${name}", when: [{ country: { in: ["${country}"] } }], to: [{ url: "https://${country.toLowerCase()}.example/" }] }`;
  const newLink = async () => {
    const { createLink } = await owner.data<{ createLink: { id: string } }>(`mutation {
      createLink(input: { url: "https://example.com/", rules: [${toShop('French', 'FR')}, ${toShop('Danes', 'DK')}] }) {
        ... on Link { id }
      }
    }`);
    return createLink.id;
  };

  test('come back with their ids, which new ones never get', async () => {
    const id = await newLink();
    const before = await rulesOf(id);
    const known = new Set(before.map((rule) => rule.id));
    await update(id, `rules: [${toShop('Swedes', 'SE')}]`);
    expect(await revert(await last())).toMatchObject({ __typename: 'RevertedChange' });
    expect(await rulesOf(id)).toEqual(before);
    await update(id, `rules: [${toShop('Poles', 'PL')}]`);
    const later = await rulesOf(id);
    expect(known).not.toContain(later[0]?.id);
    await update(id, 'rules: null');
    await revert(await last());
    expect(await rulesOf(id)).toEqual(later);
  });

  test('come back by reversions of several updates, the last one first', async () => {
    const id = await newLink();
    const before = await rulesOf(id);
    await update(id, `rules: [${toShop('Swedes', 'SE')}]`);
    const one = await last();
    await update(id, `rules: [${toShop('Poles', 'PL')}]`);
    expect(await revert(await last())).toMatchObject({ __typename: 'RevertedChange' });
    expect(await revert(one)).toMatchObject({ __typename: 'RevertedChange' });
    expect(await rulesOf(id)).toEqual(before);
    // The rules are others than those that the change made.
    expect(await revert(one)).toMatchObject({ __typename: 'ConflictError' });
  });

  const deleteAndRestore = async (id: string) => {
    await owner.data(`mutation { deleteLink(id: "${id}") { __typename } }`);
    expect(await revert(await last())).toMatchObject({ __typename: 'RevertedChange', record: { id } });
  };
  const idsOf = async (id: string) =>
    (await rulesOf(id)).flatMap((rule) => [rule.id, ...rule.to.map((target) => target.id)]);

  test('never get the ids of earlier ones, also after a restoration without rules', async () => {
    const id = await newLink();
    const first = await idsOf(id);
    await update(id, 'rules: null');
    const removal = await last();
    await deleteAndRestore(id);
    await update(id, `rules: [${toShop('Swedes', 'SE')}]`);
    const second = await idsOf(id);
    expect(first.filter((one) => second.includes(one))).toEqual([]);
    await update(id, 'rules: null');
    expect(await revert(removal)).toMatchObject({ __typename: 'RevertedChange' });
    expect(await idsOf(id)).toEqual(first);
    await update(
      id,
      `rules: [${toShop('French', 'FR')}, ${toShop('Danes', 'DK')}, ${toShop('Poles', 'PL')}]`,
    );
    const third = await idsOf(id);
    expect([third[0], third[2]]).toEqual([first[0], first[2]]);
    const all = [...second, ...third];
    expect(new Set(all).size).toBe(all.length);
  });

  test('come back where an earlier version kept no counter with the deleted link', async () => {
    const id = await newLink();
    const before = await rulesOf(id);
    await update(id, 'rules: [], title: "T"');
    const removal = await last();
    await owner.data(`mutation { deleteLink(id: "${id}") { __typename } }`);
    const deletion = await last();
    const { prisma } = server.database;
    const where = { id: Number(deletion) };
    const { restoring } = await prisma.changeValues.findUniqueOrThrow({ where });
    const { nextRuleId: _, ...others } = JSON.parse(restoring ?? '');
    await prisma.changeValues.update({ where, data: { restoring: JSON.stringify(others) } });
    expect(await revert(deletion)).toMatchObject({ __typename: 'RevertedChange' });
    expect(await revert(removal)).toMatchObject({ __typename: 'RevertedChange', record: { title: null } });
    expect(await rulesOf(id)).toEqual(before);
    await update(id, `rules: [${toShop('French', 'FR')}, ${toShop('Poles', 'PL')}]`);
    const ids = await idsOf(id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('come back with a deleted link', async () => {
    const id = await newLink();
    await update(id, `rules: [${toShop('Swedes', 'SE')}]`);
    const before = await rulesOf(id);
    await owner.data(`mutation { deleteLink(id: "${id}") { __typename } }`);
    expect(await revert(await last())).toMatchObject({ __typename: 'RevertedChange', record: { id } });
    expect(await rulesOf(id)).toEqual(before);
  });
});

describe('an update', () => {
  test('sets the changed fields back, and can itself be reverted', async () => {
    const [space, pixel, tag] = [await owner.space('S'), await owner.pixel(), await owner.tag('t')];
    const { id } = await owner.link({ title: 'Old', space_id: space, pixel_ids: pixel, tag_ids: tag });
    const before = await record('Link', id);
    await update(
      id,
      `url: "https://new.example/", title: null, alias: "other-${id}", spaceId: null, pixelIds: [], tagIds: [], disabled: true, externalId: "e"
       privacy: PRIVATE, expiration: { at: "2030-01-02T03:04:05.678Z", clicks: 4, url: "https://end.example/" }`,
    );
    const after = await record('Link', id);
    const change = await last();
    const result = await revert(change);
    expect(result).toMatchObject({
      __typename: 'RevertedChange',
      record: before,
      change: { action: 'UPDATED', kind: 'LINK', recordId: String(id), isRevertable: true },
    });
    expect(await last()).toBe(result.change?.id);
    expect(await record('Link', id)).toEqual(before);
    expect(await revert(result.change?.id ?? '')).toMatchObject({ record: after });
  });

  test('of a space or tag sets its name and color back', async () => {
    const [space, tag] = [await owner.space('S', { color: 2 }), await owner.tag('t', 3)];
    await update(space, 'name: "Other", color: 5', 'Space');
    expect(await revert(await last())).toMatchObject({ record: { name: 'S', color: 2 } });
    await update(tag, 'name: "Other"', 'Tag');
    expect(await revert(await last())).toMatchObject({ record: { name: 't', color: 3 } });
  });

  test('leaves a password that was set beside other fields', async () => {
    const { id } = await owner.link({ title: 'Old' });
    await update(id, 'title: "New", password: "sesame"');
    expect(await revert(await last())).toMatchObject({ record: { title: 'Old', hasPassword: true } });
  });

  test('is a conflict if one of its fields has changed since, and not for others', async () => {
    const { id } = await owner.link({ title: 'One' });
    await update(id, 'title: "Two", disabled: true');
    const change = await last();
    await update(id, 'url: "https://other.example/"');
    await update(id, 'title: "Three"');
    const conflict = { __typename: 'ConflictError', current: { id: String(id), title: 'Three' } };
    expect(await revert(change)).toMatchObject(conflict);
    await update(id, 'title: "Two"');
    expect(await revert(change)).toMatchObject({
      record: { title: 'One', disabled: false, url: 'https://other.example/' },
    });
    expect(await revert(change)).toMatchObject({ __typename: 'ConflictError' });
  });

  test('of lists is a conflict if they have changed', async () => {
    const [one, other] = [await owner.tag('one'), await owner.tag('other')];
    const { id } = await owner.link();
    await update(id, `tagIds: [${one}]`);
    const change = await last();
    await update(id, `addTagIds: [${other}]`);
    expect(await revert(change)).toMatchObject({ __typename: 'ConflictError' });
    await update(id, `removeTagIds: [${other}]`);
    expect(await revert(change)).toMatchObject({ record: { tags: [] } });
  });

  test('follows the rules of an update by hand', async () => {
    const [space, alias] = [await owner.space('S'), `alias-${account.replace(' ', '-')}`];
    const { id } = await owner.link({ alias, space_id: space, url: 'https://blocked-later.example/' });
    await update(id, `alias: "${alias}-2"`);
    const moved = await last();
    await owner.link({ alias });
    expect(await revert(moved)).toMatchObject({
      __typename: 'ValidationError',
      fields: [{ path: ['alias'], reason: 'ALIAS_TAKEN' }],
    });
    await update(id, 'spaceId: null');
    const taken = await last();
    await owner.data(`mutation { deleteSpace(id: ${space}) { __typename } }`);
    expect(await revert(taken)).toMatchObject({
      __typename: 'ValidationError',
      fields: [{ path: ['spaceId'], reason: 'UNKNOWN_SPACE' }],
    });
    expect(
      (await changes('filter: { kind: LINK }')).filter(({ action }) => action === 'UPDATED'),
    ).toHaveLength(2);
  });

  test('is a conflict, whatever else is wrong, if one of its fields has changed since', async () => {
    const [alias, tag] = [`moved-${account.replace(' ', '-')}`, await owner.tag('t')];
    const { id } = await owner.link({ alias, tag_ids: tag });
    await update(id, `alias: "${alias}-2"`);
    const moved = await last();
    await update(id, `alias: "${alias}-3"`);
    await owner.link({ alias });
    expect(await revert(moved)).toMatchObject({
      __typename: 'ConflictError',
      current: { id: String(id), alias: `${alias}-3` },
    });
    await update(id, 'title: "One", tagIds: []');
    const untagged = await last();
    await update(id, 'title: "Two"');
    await owner.data(`mutation { deleteTag(id: ${tag}) { __typename } }`);
    expect(await revert(untagged)).toMatchObject({ __typename: 'ConflictError', current: { title: 'Two' } });
  });

  test('of a deleted record finds nothing', async () => {
    const { id } = await owner.link();
    await update(id, 'title: "T"');
    const change = await last();
    await owner.rest('DELETE', `/links/${id}`);
    expect(await revert(change)).toEqual({ __typename: 'NotFoundError' });
  });

  test('two reversions at once make one', async () => {
    const { id } = await owner.link({ title: 'One' });
    await update(id, 'title: "Two"');
    const change = await last();
    const results = await Promise.all([revert(change), revert(change), revert(change)]);
    const names = results.map(({ __typename }) => __typename).sort();
    expect(names).toEqual(['ConflictError', 'ConflictError', 'RevertedChange']);
    expect(await changes()).toHaveLength(3);
  });
});

describe('a creation', () => {
  test.each(['Link', 'Space', 'Tag'])('of a %s deletes it, unless it was changed since', async (type) => {
    const create = async () =>
      type === 'Link' ? (await owner.link()).id : type === 'Space' ? owner.space('S') : owner.tag('t');
    const id = await create();
    const created = await last();
    await update(id, type === 'Link' ? 'title: "T"' : 'color: 4', type);
    expect(await revert(created)).toMatchObject({
      __typename: 'ConflictError',
      current: { __typename: type, id: String(id) },
    });
    await owner.data(`mutation { delete${type}(id: "${id}") { __typename } }`);
    expect(await revert(created)).toEqual({ __typename: 'NotFoundError' });
    const other = await create();
    const result = await revert(await last());
    expect(result).toMatchObject({ __typename: 'RevertedChange', record: null });
    expect(result.change).toMatchObject({ action: 'DELETED', recordId: String(other), isRevertable: true });
    expect(await record(type, other)).toBeNull();
    expect(await revert(result.change?.id ?? '')).toMatchObject({ record: { id: String(other) } });
  });

  test('of a space takes its links out, and its reversion gives them back', async () => {
    const space = await owner.space('S');
    const created = await last();
    const { id } = await owner.link({ space_id: space });
    const { change } = await revert(created);
    expect(await record('Link', id)).toMatchObject({ space: null });
    await revert(change?.id ?? '');
    expect(await record('Link', id)).toMatchObject({ space: { id: String(space) } });
  });
});

describe('a deleted link', () => {
  test('comes back with its id, fields, dates, passwords and clicks', async () => {
    const [space, pixel, tag] = [await owner.space('S'), await owner.pixel(), await owner.tag('t')];
    const { id, alias } = await owner.link({
      title: 'T',
      password: 'sesame',
      privacy: 2,
      privacy_password: 'other',
      expiration_date: '2030-01-02',
      space_id: space,
      pixel_ids: pixel,
      tag_ids: tag,
      external_id: `external ${account}`,
    });
    const { prisma } = server.database;
    await prisma.linkCounter.update({ where: { linkId: id }, data: { clicks: 7 } });
    const before = await record('Link', id);
    const stored = await prisma.link.findUniqueOrThrow({ where: { id } });
    server.clock.now = new Date(server.clock.now.getTime() + 60_000);
    await owner.rest('DELETE', `/links/${id}`);
    const deleted = await last();
    const result = await revert(deleted);
    expect(result).toMatchObject({ __typename: 'RevertedChange', record: before });
    expect(result.change).toMatchObject({ action: 'CREATED', recordId: String(id) });
    expect(result.change?.fields).not.toContain('id');
    const { updatedAt, ...same } = stored;
    const restored = await prisma.link.findUniqueOrThrow({ where: { id } });
    expect(restored).toMatchObject(same);
    expect(restored.updatedAt > updatedAt).toBe(true);
    expect((await visit(server.origin, `/${alias}`)).status).toBe(401);
    expect(await revert(deleted)).toMatchObject({
      __typename: 'ConflictError',
      current: { id: String(id), title: 'T' },
    });
  });

  test('comes back without what does not exist any more', async () => {
    const [space, pixel] = [await owner.space('S'), await owner.pixel()];
    const [gone, tag] = [await owner.tag('gone'), await owner.tag('stays')];
    const { id } = await owner.link({ space_id: space, pixel_ids: pixel, tag_ids: `${gone},${tag}` });
    await owner.rest('DELETE', `/links/${id}`);
    const deleted = await last();
    await owner.data(
      `mutation { deleteSpace(id: ${space}) { __typename } deletePixel(id: ${pixel}) { __typename } deleteTag(id: ${gone}) { __typename } }`,
    );
    expect(await revert(deleted)).toMatchObject({
      record: { space: null, pixels: [], tags: [{ id: String(tag) }] },
    });
  });

  test('stays used up', async () => {
    const { id, alias } = await owner.link({ expiration_clicks: 2 });
    const go = async () => (await visit(server.origin, `/${alias}`)).status;
    expect([await go(), await go(), await go()]).toEqual([302, 302, 410]);
    await owner.rest('DELETE', `/links/${id}`);
    expect(await go()).toBe(404);
    expect(await revert(await last())).toMatchObject({ record: { clicks: 2, status: 'EXPIRED' } });
    // Its statistics were deleted with it.
    expect(await server.database.prisma.linkDay.count({ where: { linkId: id } })).toBe(0);
    expect(await go()).toBe(410);
    expect((await owner.rest('GET', '/links?status=2')).body).toMatchObject({ meta: { total: 1 } });
  });

  test('is refused where its alias or external id is taken, or its domain is gone', async () => {
    const domain = await owner.domain(`${account.replace(' ', '-')}.example`);
    await server.database.prisma.domain.update({ where: { id: domain }, data: { verifiedAt: new Date() } });
    const { id, alias } = await owner.link({ external_id: 'e' });
    const other = await owner.link({ domain_id: domain });
    await owner.rest('DELETE', `/links/${id}`);
    const taken = await last();
    await owner.rest('DELETE', `/links/${other.id}`);
    const homeless = await last();
    await owner.link({ alias, external_id: 'e' });
    await owner.data(`mutation { deleteDomain(id: ${domain}) { __typename } }`);
    expect(await revert(taken)).toMatchObject({
      __typename: 'ValidationError',
      fields: [{ path: ['alias'] }, { path: ['externalId'] }],
    });
    expect(await revert(homeless)).toMatchObject({
      __typename: 'ValidationError',
      fields: [{ path: ['domainId'], reason: 'UNKNOWN_DOMAIN' }],
    });
  });

  test('is restored once by several at once', async () => {
    const { id } = await owner.link({ tag_ids: await owner.tag('t') });
    await owner.rest('DELETE', `/links/${id}`);
    const deleted = await last();
    const results = await Promise.all([revert(deleted), revert(deleted), revert(deleted)]);
    const names = results.map(({ __typename }) => __typename).sort();
    expect(names).toEqual(['ConflictError', 'ConflictError', 'RevertedChange']);
    expect((await changes('filter: { kind: LINK }')).map(({ action }) => action)).toEqual([
      'CREATED',
      'DELETED',
      'CREATED',
    ]);
  });
});

describe('a deleted space or tag', () => {
  test('comes back with its links, where they have no other', async () => {
    const [space, other] = [await owner.space('S', { color: 3 }), await owner.space('Other')];
    const [stays, moves, goes] = [
      await owner.link({ space_id: space }),
      await owner.link({ space_id: space }),
      await owner.link({ space_id: space }),
    ];
    const before = await record('Space', space);
    await owner.rest('DELETE', `/spaces/${space}`);
    const deleted = await last();
    await update(moves.id, `spaceId: ${other}`);
    await owner.rest('DELETE', `/links/${goes.id}`);
    const result = await revert(deleted);
    expect(result).toMatchObject({ record: before, change: { action: 'CREATED', kind: 'SPACE' } });
    expect(await record('Link', stays.id)).toMatchObject({ space: { id: String(space) } });
    expect(await record('Link', moves.id)).toMatchObject({ space: { id: String(other) } });
    const [link] = (await changes()).slice(-1);
    expect(link).toMatchObject({
      kind: 'LINK',
      recordId: String(stays.id),
      fields: ['space'],
      isRevertable: true,
    });
    expect(await revert(deleted)).toMatchObject({ __typename: 'ConflictError', current: { name: 'S' } });
  });

  test('a tag comes back on links with other tags, and not beyond their limit', async () => {
    const tag = await owner.tag('t');
    const others = await owner.data<Record<string, { id: string }>>(
      `mutation { ${Array.from({ length: 50 }, (_, index) => `t${index}: createTag(input: { name: "o${index}" }) { ... on Tag { id } }`).join(' ')} }`,
    );
    const ids = Object.values(others).map(({ id }) => id);
    const [some, full] = [
      await owner.link({ tag_ids: `${tag},${ids[0]}` }),
      await owner.link({ tag_ids: tag }),
    ];
    await owner.data(`mutation { deleteTag(id: ${tag}) { __typename } }`);
    const deleted = await last();
    await update(full.id, `tagIds: [${ids}]`);
    expect(await revert(deleted)).toMatchObject({
      record: { __typename: 'Tag', id: String(tag), name: 't' },
    });
    const { tags } = (await record('Link', some.id)) as { tags: { id: string }[] };
    expect(tags.map(({ id }) => id).sort()).toEqual([String(tag), ids[0]].sort());
    expect((await record('Link', full.id))?.tags).toHaveLength(50);
  });

  test('is refused where the name of a tag is taken', async () => {
    const tag = await owner.tag('Name');
    await owner.data(`mutation { deleteTag(id: ${tag}) { __typename } }`);
    const deleted = await last();
    await owner.tag('name');
    expect(await revert(deleted)).toMatchObject({
      __typename: 'ValidationError',
      fields: [{ path: ['name'] }],
    });
    expect(await record('Tag', tag)).toBeNull();
  });

  test('comes back once for several at once', async () => {
    const space = await owner.space('S');
    await owner.link({ space_id: space });
    await owner.rest('DELETE', `/spaces/${space}`);
    const deleted = await last();
    const results = await Promise.all([revert(deleted), revert(deleted)]);
    expect(results.map(({ __typename }) => __typename).sort()).toEqual(['ConflictError', 'RevertedChange']);
  });

  test('gives many links back in slices, and a repeated request goes on', async () => {
    const spaceId = await owner.space('S');
    const { id: accountId } = await server.database.prisma.account.findUniqueOrThrow({
      where: { name: account },
    });
    const ids = await manyLinks(server, 1_200, { accountId, spaceId });
    await owner.rest('DELETE', `/spaces/${spaceId}`);
    const { prisma } = server.database;
    const deleted = String(
      (await prisma.change.findFirstOrThrow({ where: { accountId, action: 'DELETED' } })).id,
    );
    expect(await prisma.takenLinks.count()).toBe(0);
    const result = await revert(deleted);
    expect(result).toMatchObject({
      record: { id: String(spaceId) },
      change: { kind: 'SPACE', action: 'CREATED' },
    });
    expect(await prisma.link.count({ where: { spaceId } })).toBe(ids.length);
    expect(await revert(deleted)).toMatchObject({ __typename: 'ConflictError' });
    // As if the request had broken off after its first slice.
    await prisma.changeValues.update({ where: { id: Number(deleted) }, data: { restoredTo: ids[499] } });
    await prisma.link.updateMany({ where: { id: { gt: ids[499] }, spaceId }, data: { spaceId: null } });
    expect(await revert(deleted)).toEqual(result);
    expect(await prisma.link.count({ where: { spaceId } })).toBe(ids.length);
  });

  test('knows the links of slices that broke off, and cannot be restored above 10,000', async () => {
    const [few, many] = [await owner.space('Few'), await owner.space('Many')];
    const { prisma } = server.database;
    const { id: accountId } = await prisma.account.findUniqueOrThrow({ where: { name: account } });
    const { id } = await owner.link();
    const taken = { accountId, kind: 'SPACE', at: server.clock.now };
    const row = { ...taken, recordId: few, linkIds: JSON.stringify([id]), count: 1 };
    await prisma.takenLinks.createMany({
      data: [row, ...[1, 2].map(() => ({ ...row, recordId: many, linkIds: '[]', count: 5_001 }))],
    });
    await owner.rest('DELETE', `/spaces/${few}`);
    expect(await revert(await last())).toMatchObject({ record: { name: 'Few' } });
    expect(await record('Link', id)).toMatchObject({ space: { id: String(few) } });
    await owner.rest('DELETE', `/spaces/${many}`);
    expect((await changes()).at(-1)).toMatchObject({ isRevertable: false });
    expect(await revert(await last())).toMatchObject({
      __typename: 'ValidationError',
      fields: [{ path: ['id'], reason: 'CHANGE_NOT_REVERTABLE' }],
    });
  });
});

describe('what cannot be reverted', () => {
  const refused = {
    __typename: 'ValidationError',
    fields: [{ path: ['id'], reason: 'CHANGE_NOT_REVERTABLE' }],
  };

  test('a password alone, other kinds, mergeTags, and changes without values', async () => {
    const { id } = await owner.link();
    await update(id, 'password: "sesame"');
    expect(await revert(await last())).toEqual(refused);
    await owner.pixel();
    expect(await revert(await last())).toEqual(refused);
    const [a, b] = [await owner.tag('a'), await owner.tag('b')];
    await update(id, `tagIds: [${a}]`);
    await owner.data(`mutation { mergeTags(ids: [${a}], into: ${b}) { __typename } }`);
    const [ofLink, ofTag] = (await changes()).slice(-2);
    expect(await revert(ofLink?.id ?? '')).toEqual(refused);
    expect(await revert(ofTag?.id ?? '')).toEqual(refused);
    await update(id, 'title: "T"');
    const old = await last();
    await server.database.prisma.changeValues.delete({ where: { id: Number(old) } });
    expect(await revert(old)).toEqual(refused);
  });

  test('changes of other accounts, or of none', async () => {
    const { id } = await owner.link();
    await update(id, 'title: "T"');
    const mine = await last();
    const stranger = await server.caller(`revert ${accounts++}`);
    const missing = { __typename: 'NotFoundError' };
    expect(await revert(mine, stranger)).toEqual(missing);
    expect(await revert('2147483647')).toEqual(missing);
    expect(await revert('x')).toEqual(missing);
    const reader = await server.caller(account, ['read']);
    const { errors } = await reader.graphql(REVERT, { id: mine });
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  });
});

describe('two accounts, and each role', () => {
  test('members of the account read values, all but viewers revert, and others find nothing', async () => {
    const accountOf = async (name: string) =>
      (await server.database.prisma.account.findUniqueOrThrow({ where: { name } })).id;
    const own = await accountOf(account);
    await server.caller(`${account} elsewhere`);
    const elsewhere = await accountOf(`${account} elsewhere`);
    const [{ id }, space, tag] = [
      await owner.link({ title: 'L' }),
      await owner.space('S'),
      await owner.tag('t'),
    ];
    for (const [type, of, input] of [
      ['Link', id, 'title: "L2"'],
      ['Space', space, 'name: "S2"'],
      ['Tag', tag, 'name: "t2"'],
    ] as const)
      await update(of, input, type);
    const { id: other } = await owner.link({ title: 'Gone' });
    await owner.rest('DELETE', `/links/${other}`);
    const all = (await changes()).filter(({ action }) => action !== 'CREATED').map((one) => one.id);
    expect(all).toHaveLength(4);
    type Ask = (query: string) => ReturnType<Person['graphql']>;
    const by = (person: Person, accountId = own): Ask => {
      return (query) => person.graphql(query, {}, { 'X-Account': String(accountId) });
    };
    const read = async (ask: Ask) => {
      const found = all.map((one) => `c${one}: change(id: "${one}") { values { name } }`).join(' ');
      return Object.values((await ask(`{ ${found} }`)).data ?? {});
    };
    const values = [[{ name: 'title' }], [{ name: 'name' }], [{ name: 'name' }], expect.any(Array)];
    const readable = values.map((one) => ({ values: one }));
    const nothing = all.map(() => null);
    const tryAll = async (ask: Ask): Promise<unknown> => {
      const { data, errors } = await ask(`mutation { revertChanges(ids: [${all}]) { __typename } }`);
      return data?.revertChanges ?? errors?.map(({ extensions }) => extensions.code);
    };
    const each = (name: string) => all.map(() => ({ __typename: name }));
    const missing = each('NotFoundError');
    const stranger = await signedIn(server, elsewhere, 'OWNER');
    expect(await read(by(stranger, elsewhere))).toEqual(nothing);
    expect(await tryAll(by(stranger, elsewhere))).toEqual(missing);
    // A viewer here who is an owner there can revert nothing, whichever account the request names.
    const viewer = await signedIn(server, own, 'VIEWER');
    const { userId } = viewer;
    await server.database.prisma.membership.create({
      data: { accountId: elsewhere, userId, role: 'OWNER', createdAt: server.clock.now },
    });
    expect(await read(by(viewer))).toEqual(readable);
    expect(await tryAll(by(viewer))).toEqual(['FORBIDDEN']);
    expect(await read(by(viewer, elsewhere))).toEqual(nothing);
    expect(await tryAll(by(viewer, elsewhere))).toEqual(missing);
    // Each of the others reverts what the one before has set again.
    for (const role of ['EDITOR', 'ADMIN', 'OWNER']) {
      const person = await signedIn(server, own, role);
      expect(await read(by(person))).toEqual(readable);
      expect(await tryAll(by(person))).toEqual(each('RevertedChange'));
      const theirs = (await changes()).slice(-4).map((one) => one.id);
      const again = await owner.data(`mutation { revertChanges(ids: [${theirs}]) { __typename } }`);
      expect(again).toEqual({ revertChanges: each('RevertedChange') });
    }
  });
});

describe('extensions.changes', () => {
  const send = async (query: string, extensions: object, headers: Record<string, string> = {}) => {
    const response = await owner.fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ query, extensions }),
    });
    return (await response.json()) as { extensions?: { changes?: string[] }; errors?: object[] };
  };

  test('has the changes of a mutation in order, before lists show them', async () => {
    const create = (title: string) =>
      `createLink(input: { url: "https://example.com/", title: "${title}" }) { __typename }`;
    const query = `mutation { a: ${create('a')} b: ${create('b')} c: createSpace(input: { name: "" }) { __typename } }`;
    const { extensions } = await send(query, { changes: true });
    const made = await changes();
    expect(extensions?.changes).toEqual(made.map(({ id }) => id));
    expect(made).toHaveLength(2);
    expect(await revert(extensions?.changes?.[0] ?? '')).toMatchObject({ __typename: 'RevertedChange' });
    expect((await send(query, {})).extensions).toBeUndefined();
    expect((await send('{ __typename }', { changes: true })).extensions).toBeUndefined();
    expect((await send(query, { changes: 'yes' })).errors).toMatchObject([
      { extensions: { code: 'BAD_REQUEST' } },
    ]);
  });

  test('is the same in the repeated answer to an Idempotency-Key', async () => {
    const query = 'mutation { createSpace(input: { name: "S" }) { __typename } }';
    const key = { 'Idempotency-Key': `key of ${account}` };
    const first = await send(query, { changes: true }, key);
    expect(first.extensions?.changes).toEqual([await last()]);
    expect(await send(query, { changes: true }, key)).toEqual(first);
    expect(await changes()).toHaveLength(1);
  });

  test('a reversion with an Idempotency-Key is done once', async () => {
    const { id } = await owner.link({ title: 'One' });
    await owner.rest('DELETE', `/links/${id}`);
    const query = `mutation { revertChange(id: "${await last()}") { ${RESULT} } }`;
    const key = { 'Idempotency-Key': `revert of ${account}` };
    const first = await send(query, { changes: true }, key);
    expect(first).toMatchObject({ data: { revertChange: { record: { title: 'One' } } } });
    expect(await send(query, { changes: true }, key)).toEqual(first);
  });
});

test('revertChanges reverts each, in order', async () => {
  const { id } = await owner.link({ title: 'One' });
  await update(id, 'title: "Two"');
  await update(id, 'title: "Three"');
  const [, two, three] = await changes();
  const { revertChanges } = await owner.data<{ revertChanges: Result[] }>(
    `mutation ($ids: [ID!]!) { revertChanges(ids: $ids) { ${RESULT} } }`,
    { ids: [three?.id, two?.id, two?.id, '999999999'] },
  );
  expect(revertChanges.map(({ __typename }) => __typename)).toEqual([
    'RevertedChange',
    'RevertedChange',
    'ConflictError',
    'NotFoundError',
  ]);
  expect(await record('Link', id)).toMatchObject({ title: 'One' });
});

describe('revertChanges with onlyOwn', () => {
  const undo = (ids: (string | undefined)[], caller = owner) =>
    caller.data<{ revertChanges: Result[] }>(
      `mutation ($ids: [ID!]!) { revertChanges(ids: $ids, onlyOwn: true) { ${RESULT} } }`,
      { ids },
    );

  test('reverts the newest first, with results in the order of the ids', async () => {
    const { id } = await owner.link({ title: 'One' });
    await update(id, 'title: "Two"');
    await update(id, 'title: "Three"');
    const { revertChanges } = await undo((await changes()).map((change) => change.id));
    expect(revertChanges).toMatchObject([
      { __typename: 'RevertedChange', record: null, change: { action: 'DELETED' } },
      { __typename: 'RevertedChange', change: { action: 'UPDATED' } },
      { __typename: 'RevertedChange', change: { action: 'UPDATED' } },
    ]);
    expect(await record('Link', id)).toBeNull();
  });

  test('keeps a created record that somebody has changed since', async () => {
    const { id } = await owner.link({ title: 'One' });
    await update(id, 'title: "Two"');
    const [created, updated] = await changes();
    const other = await server.caller(account);
    await other.data(`mutation { updateLink(id: ${id}, input: { disabled: true }) { __typename } }`);
    const [, , theirs] = await changes();
    const { revertChanges } = await undo([created?.id, updated?.id, theirs?.id]);
    expect(revertChanges).toEqual([
      expect.objectContaining({ __typename: 'ConflictError' }),
      expect.objectContaining({ __typename: 'RevertedChange' }),
      { __typename: 'ValidationError', fields: [{ path: ['id'], reason: 'CHANGE_NOT_OWN_OR_TOO_OLD' }] },
    ]);
    expect(await record('Link', id)).toMatchObject({ title: 'One', disabled: true });
  });
});
