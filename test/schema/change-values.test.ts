import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { valueRetention } from '../../src/db/change-values.ts';
import { settled } from '../support/database.ts';
import { subscribe } from '../support/events.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

interface Value {
  name: string;
  before: string | null;
  after: string | null;
  isSecret: boolean;
  isCut: boolean;
  isKept: boolean;
}

interface Change {
  id: string;
  action: string;
  kind: string;
  fields: string[];
  isRevertable: boolean;
  values: Value[];
}

let server: TestServer;
let owner: Caller;
let accounts = 0;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  owner = await server.caller(`values ${accounts++}`);
});

const FIELDS = 'id action kind fields isRevertable values { name before after isSecret isCut isKept }';

async function changes(args = '', caller = owner): Promise<Change[]> {
  await settled(server.database);
  const { changes: found } = await caller.data<{ changes: { nodes: Change[] } }>(
    `{ changes(first: 100 ${args}) { nodes { ${FIELDS} } } }`,
  );
  return found.nodes;
}

/** The values of the last change in short form: name, before and after, parsed. */
async function lastValues(caller = owner): Promise<unknown[]> {
  const last = (await changes('', caller)).at(-1);
  const parsed = (text: string | null) => (text === null ? null : JSON.parse(text));
  return (last?.values ?? []).map(({ name, before, after }) => [name, parsed(before), parsed(after)]);
}

const update = (id: number, input: string, caller = owner) =>
  caller.data(
    `mutation { updateLink(id: "${id}", input: { ${input} }) { __typename ... on Error { message } } }`,
  );

test('an update keeps each changed field before and after, as an input would have it', async () => {
  const [space, pixel] = [await owner.space('Launch'), await owner.pixel()];
  const { id, url } = await owner.link({ title: 'Old' });
  await update(id, 'url: "https://new.example/", title: null, disabled: true');
  expect(await lastValues()).toEqual([
    ['url', url, 'https://new.example/'],
    ['title', 'Old', null],
    ['disabled', false, true],
  ]);
  await update(id, `spaceId: "${space}", pixelIds: ["${pixel}"]`);
  expect(await lastValues()).toEqual([
    ['space', null, String(space)],
    ['pixels', null, [String(pixel)]],
  ]);
  await update(id, 'expiration: { at: "2027-01-01T00:00:00Z", clicks: 5 }');
  const expiration = { url: null, at: '2027-01-01T00:00:00.000Z', clicks: 5 };
  expect(await lastValues()).toEqual([['expiration', null, expiration]]);
  await update(
    id,
    'targeting: { type: COUNTRY, countries: [{ country: "DE", url: "https://de.example/" }] }',
  );
  expect(await lastValues()).toEqual([
    [
      'targeting',
      null,
      {
        type: 'COUNTRY',
        countries: [{ country: 'DE', url: 'https://de.example/' }],
        platforms: [],
        languages: [],
        rotation: [],
      },
    ],
  ]);
  await update(id, 'targeting: null, expiration: null, privacy: PRIVATE');
  expect(await lastValues()).toEqual([
    ['privacy', 'PUBLIC', 'PRIVATE'],
    ['expiration', expiration, null],
    ['targeting', expect.objectContaining({ type: 'COUNTRY' }), null],
  ]);
  for (const { fields, values, action } of await changes())
    if (action === 'UPDATED') expect(values.map(({ name }) => name)).toEqual(fields);
});

test('a deletion keeps what the record was, a creation nothing', async () => {
  const space = await owner.space('Launch');
  const { id, url, alias, domain_id } = await owner.link({ title: 'T', space_id: space, password: 'sesame' });
  await owner.rest('DELETE', `/links/${id}`);
  await owner.rest('DELETE', `/spaces/${space}`);
  const [createdSpace, createdLink, deletedLink, deletedSpace] = await changes();
  expect([createdSpace?.values, createdLink?.values]).toEqual([[], []]);
  expect([createdSpace?.isRevertable, createdLink?.isRevertable]).toEqual([true, true]);
  expect(deletedLink?.fields).toEqual([]);
  expect(deletedLink?.isRevertable).toBe(true);
  const known = { after: null, isSecret: false, isCut: false, isKept: true };
  expect(new Map(deletedLink?.values.map((one) => [one.name, one]))).toEqual(
    new Map([
      ['domain', { name: 'domain', before: JSON.stringify(String(domain_id)), ...known }],
      ['space', { name: 'space', before: JSON.stringify(String(space)), ...known }],
      ['alias', { name: 'alias', before: JSON.stringify(alias), ...known }],
      ['url', { name: 'url', before: JSON.stringify(url), ...known }],
      ['title', { name: 'title', before: '"T"', ...known }],
      ['password', { name: 'password', before: null, ...known, isSecret: true }],
      ['disabled', { name: 'disabled', before: 'false', ...known }],
      ['forwardsQuery', { name: 'forwardsQuery', before: 'true', ...known }],
      ['privacy', { name: 'privacy', before: '"PUBLIC"', ...known }],
    ]),
  );
  expect(deletedSpace?.values).toEqual([
    { name: 'name', before: '"Launch"', ...known },
    { name: 'color', before: '1', ...known },
  ]);
});

test('a password has no value, and a change of it alone cannot be reverted', async () => {
  const { id } = await owner.link();
  await update(id, 'password: "first-secret"');
  await update(id, 'password: "second-secret", title: "T"');
  await update(id, 'privacyPassword: "third-secret"');
  await owner.rest('DELETE', `/links/${id}`);
  const [, first, second, third, deleted] = await changes();
  const secret = { before: null, after: null, isSecret: true, isCut: false, isKept: true };
  expect(first).toMatchObject({ isRevertable: false, values: [{ name: 'password', ...secret }] });
  expect(second).toMatchObject({ isRevertable: true });
  expect(second?.values).toContainEqual({ name: 'password', ...secret });
  expect(third).toMatchObject({ isRevertable: false, values: [{ name: 'privacyPassword', ...secret }] });
  expect(JSON.stringify([first, second, third, deleted])).not.toMatch(/-secret|scrypt/);
});

test('spaces and tags keep their values, and links those of what is taken from them', async () => {
  const [space, pixel] = [await owner.space('One'), await owner.pixel()];
  const tags = await owner.data<Record<'a' | 'b', { id: string }>>(
    'mutation { a: createTag(input: { name: "a" }) { ... on Tag { id } } b: createTag(input: { name: "b" }) { ... on Tag { id } } }',
  );
  await owner.data(`mutation { updateSpace(id: ${space}, input: { name: "Two", color: 3 }) { __typename } }`);
  expect(await lastValues()).toEqual([
    ['name', 'One', 'Two'],
    ['color', 1, 3],
  ]);
  await owner.data(`mutation { updateTag(id: ${tags.a.id}, input: { color: 2 }) { __typename } }`);
  expect(await lastValues()).toEqual([['color', 1, 2]]);
  const { id } = await owner.link({ space_id: space, pixel_ids: pixel });
  await update(id, `tagIds: ["${tags.b.id}", "${tags.a.id}"]`);
  expect(await lastValues()).toEqual([['tags', null, [tags.a.id, tags.b.id]]]);
  await owner.data(
    `mutation { deleteSpace(id: ${space}) { __typename } deletePixel(id: ${pixel}) { __typename } deleteTag(id: ${tags.a.id}) { __typename } }`,
  );
  const taken = (await changes('filter: { kind: LINK }')).slice(-3);
  expect(taken.map(({ values }) => values.map(({ name, before, after }) => [name, before, after]))).toEqual([
    [['space', JSON.stringify(String(space)), null]],
    [['pixels', JSON.stringify([String(pixel)]), null]],
    [['tags', JSON.stringify([tags.a.id, tags.b.id]), JSON.stringify([tags.b.id])]],
  ]);
  expect(taken.map(({ isRevertable }) => isRevertable)).toEqual([true, true, true]);
});

test('what mergeTags changes keeps its values, and cannot be reverted', async () => {
  const tags = await owner.data<Record<'a' | 'b', { id: string }>>(
    'mutation { a: createTag(input: { name: "a" }) { ... on Tag { id } } b: createTag(input: { name: "b" }) { ... on Tag { id } } }',
  );
  const { id } = await owner.link();
  await update(id, `tagIds: ["${tags.a.id}"]`);
  await owner.data(`mutation { mergeTags(ids: ["${tags.a.id}"], into: "${tags.b.id}") { __typename } }`);
  const [link, tag] = (await changes()).slice(-2);
  expect(link).toMatchObject({ kind: 'LINK', isRevertable: false });
  expect(link?.values).toMatchObject([
    { name: 'tags', before: JSON.stringify([tags.a.id]), after: JSON.stringify([tags.b.id]) },
  ]);
  expect(tag).toMatchObject({ kind: 'TAG', action: 'DELETED', isRevertable: false });
  expect(tag?.values).toMatchObject([{ name: 'name', before: '"a"' }, { name: 'color' }]);
});

const targets = (count: number, length: number) => {
  const rotation = Array.from(
    { length: count },
    (_, index) => `https://e.example/${index}/${'ü'.repeat(length)}`,
  );
  return `targeting: { type: ROTATION, rotation: ${JSON.stringify(rotation)} }`;
};

test('a long text is cut in lists and whole in the query of one change', async () => {
  const { id } = await owner.link();
  await update(id, targets(5, 300));
  const long = (await changes()).at(-1);
  expect(long?.values).toMatchObject([{ name: 'targeting', before: null, isCut: true, isKept: true }]);
  expect(Buffer.byteLength(long?.values[0]?.after ?? '')).toBeLessThanOrEqual(2048);
  expect(long?.isRevertable).toBe(true);
  const { change } = await owner.data<{ change: Change }>(`{ change(id: "${long?.id}") { ${FIELDS} } }`);
  expect(change.values).toMatchObject([{ name: 'targeting', before: null, isCut: false, isKept: true }]);
  expect(JSON.parse(change.values[0]?.after ?? '').rotation).toHaveLength(5);
});

/** A list of targets whose value has a size, in bytes. */
function targetsOf(size: number) {
  const rotation = Array.from({ length: 60 }, (_, index) => `https://e.example/${index}/`);
  const without = { type: 'ROTATION', countries: [], platforms: [], languages: [], rotation };
  let left = size - Buffer.byteLength(JSON.stringify(without));
  const filled = rotation.map((url) => {
    const more = Math.min(left, 1_900);
    left -= more;
    return url + 'a'.repeat(more);
  });
  return `targeting: { type: ROTATION, rotation: ${JSON.stringify(filled)} }`;
}

test.each([
  ['2 kB are listed whole', 2 * 1024, { isCut: false, isKept: true }],
  ['a byte more is cut in lists', 2 * 1024 + 1, { isCut: true, isKept: true }],
  ['64 kB are kept', 64 * 1024, { isCut: true, isKept: true }],
  ['a byte more is not', 64 * 1024 + 1, { isCut: false, isKept: false }],
])('of a text, %s', async (_what, size, { isCut, isKept }) => {
  const { id } = await owner.link();
  await update(id, targetsOf(size));
  const listed = (await changes()).at(-1);
  expect(listed?.values).toMatchObject([{ name: 'targeting', before: null, isCut, isKept }]);
  expect(listed?.isRevertable).toBe(isKept);
  const { change } = await owner.data<{ change: Change }>(`{ change(id: "${listed?.id}") { ${FIELDS} } }`);
  expect(change.values).toMatchObject([{ isCut: false, isKept }]);
  expect(Buffer.byteLength(change.values[0]?.after ?? '')).toBe(isKept ? size : 0);
});

test('a change with a text over 64 kB keeps its other texts, and cannot be reverted', async () => {
  const { id } = await owner.link({ title: 'Before' });
  await update(id, targets(5, 300));
  const live = await startTestServer({ url: server.databaseUrl, background: true });
  const events = await subscribe<{ data: { changes: Change } }>(
    live.callerWith(owner.key),
    `subscription { changes { ${FIELDS} } }`,
  );
  await update(id, `title: "After", ${targets(120, 300)}`);
  const larger = (await changes()).at(-1);
  // The text before is cut as any other, and whole in the query of one change.
  const title = { name: 'title', before: '"Before"', after: '"After"', isCut: false, isKept: true };
  const targeting = { name: 'targeting', after: null, isKept: false };
  expect(larger).toMatchObject({
    fields: ['title', 'targeting'],
    isRevertable: false,
    values: [title, { ...targeting, isCut: true }],
  });
  expect(Buffer.byteLength(larger?.values[1]?.before ?? '')).toBeLessThanOrEqual(2048);
  await expect.poll(() => events.seen.at(-1)?.data.changes).toEqual(larger);
  events.close();
  await live.stop();
  const whole = `{ change(id: "${larger?.id}") { ${FIELDS} } }`;
  const { change } = await owner.data<{ change: Change }>(whole);
  expect(change.values).toMatchObject([title, { ...targeting, isCut: false }]);
  expect(JSON.parse(change.values[1]?.before ?? '').rotation).toHaveLength(5);
  const revert = async (of: Change | undefined) =>
    (
      await owner.data<{ revertChange: object }>(
        `mutation { revertChange(id: "${of?.id}") { __typename ... on ValidationError { fields { path reason } } } }`,
      )
    ).revertChange;
  const refused = {
    __typename: 'ValidationError',
    fields: [{ path: ['id'], reason: 'CHANGE_NOT_REVERTABLE' }],
  };
  expect(await revert(larger)).toEqual(refused);
  expect(await owner.data(`{ link(id: "${id}") { title } }`)).toEqual({ link: { title: 'After' } });
  await owner.rest('DELETE', `/links/${id}`);
  const deleted = (await changes()).at(-1);
  expect(deleted).toMatchObject({ action: 'DELETED', isRevertable: false });
  expect(deleted?.values).toContainEqual(expect.objectContaining({ name: 'title', before: '"After"' }));
  expect(deleted?.values).toContainEqual(expect.objectContaining({ ...targeting, before: null }));
  expect(await revert(deleted)).toEqual(refused);
  expect(await owner.data(`{ link(id: "${id}") { id } }`)).toEqual({ link: null });
});

test('values are those of the own account, and of what its readers may read', async () => {
  const { id } = await owner.link();
  await update(id, 'title: "Mine"');
  const [, mine] = await changes();
  const account = `values ${accounts - 1}`;
  const other = await server.caller(`values ${accounts++}`);
  const query = `{ change(id: "${mine?.id}") { id values { after } } }`;
  expect(await other.data(query)).toEqual({ change: null });
  const reader = await server.caller(account, ['read']);
  expect(await reader.data(query)).toEqual({ change: { id: mine?.id, values: [{ after: '"Mine"' }] } });
});

test('a change of an earlier version has no values, and cannot be reverted', async () => {
  const { id } = await owner.link();
  await update(id, 'title: "T"');
  const [, made] = await changes();
  await server.database.prisma.changeValues.delete({ where: { id: Number(made?.id) } });
  expect((await changes()).at(-1)).toMatchObject({ values: [], isRevertable: false, fields: ['title'] });
});

test.each([
  ['after HISTORY_DAYS', 1, 2, true],
  ['not before', 30, 29, false],
  ['after 90 days where changes are kept for ever', 0, 91, true],
  ['after 90 days where changes are kept longer', 400, 91, true],
])('values are deleted %s', async (_when, historyDays, age, isDeleted) => {
  const { id } = await owner.link();
  await update(id, 'title: "T"');
  const now = new Date(server.clock.now.getTime() + age * 86_400_000);
  const log = pino({ level: 'silent' });
  await valueRetention(server.database, historyDays, async () => now, log).deleteOld();
  const last = (await changes()).at(-1);
  expect(last).toMatchObject({ fields: ['title'], isRevertable: !isDeleted });
  expect(last?.values).toHaveLength(isDeleted ? 0 : 1);
});

test('each page of the history of a link that was changed 1,000 times takes one statement more for its values', async () => {
  const { id } = await owner.link();
  const { prisma } = server.database;
  const { accountId, tx } = await prisma.change.findFirstOrThrow({ where: { kind: 'LINK', recordId: id } });
  const change = { tx, accountId, at: server.clock.now, action: 'UPDATED', kind: 'LINK', recordId: id };
  await prisma.change.createMany({
    data: Array.from({ length: 1_000 }, () => ({ ...change, fields: '["title"]' })),
  });
  const made = await prisma.change.findMany({ where: { recordId: id, kind: 'LINK', action: 'UPDATED' } });
  await prisma.changeValues.createMany({
    data: made.map((one) => ({
      ...{ id: one.id, values: `[["title",null,"\\"T${one.id}\\""]]`, isRevertable: true },
    })),
  });
  await settled(server.database);
  type Page = { nodes: Change[]; pageInfo: { endCursor: string } };
  const seen: Change[] = [];
  const statements: string[][] = [];
  const read = async (first: number, fields: string, after = ''): Promise<string> => {
    let cursor = '';
    const read = await server.statementsOf(async () => {
      const { link } = await owner.data<{ link: { history: Page } }>(
        `{ link(id: "${id}") { history(first: ${first}, after: ${JSON.stringify(after)}) { nodes { id ${fields} }
          pageInfo { endCursor } } } }`.replace('after: ""', ''),
      );
      seen.push(...link.history.nodes);
      cursor = link.history.pageInfo.endCursor;
    });
    statements.push(read);
    return cursor;
  };
  const values = 'isRevertable values { name before after }';
  await read(2, '');
  await read(100, '');
  await read(2, values);
  seen.length = 0;
  for (let after = ''; seen.length < 1_000; ) after = await read(100, values, after);
  const [few, many, ...withValues] = statements.map(({ length }) => length);
  expect(many).toBe(few);
  expect(withValues).toEqual(Array.from({ length: 11 }, () => (few ?? 0) + 1));
  expect(new Set(seen.map((one) => one.id)).size).toBe(1_000);
  expect(seen.map((one) => one.values[0]?.after)).toEqual(seen.map((one) => `"T${one.id}"`));
});

test('values cost 20 a change, whatever is selected of them', async () => {
  const cost = async (fields: string) => {
    const response = await owner.fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        query: `{ changes(first: 10) { nodes { id ${fields} } } }`,
        extensions: { cost: 'only' },
      }),
    });
    return (await response.json()).extensions.cost.cost;
  };
  const without = await cost('');
  expect(await cost('values { name }')).toBe(without + 200);
  expect(await cost('values { name before after isSecret isCut }')).toBe(without + 200);
});

test('a change is written with its values, or neither is', async () => {
  const { id } = await owner.link({ title: 'Before' });
  const { database } = server;
  await database.prisma.$executeRawUnsafe(
    database.provider === 'sqlite'
      ? `CREATE TRIGGER "refused" BEFORE INSERT ON "ChangeValues" BEGIN SELECT RAISE(ABORT, 'refused'); END`
      : `ALTER TABLE "ChangeValues" ADD CONSTRAINT "refused" CHECK (false) NOT VALID`,
  );
  try {
    const { errors } = await owner.graphql(
      `mutation { updateLink(id: "${id}", input: { title: "After" }) { __typename } }`,
    );
    expect(errors).toHaveLength(1);
  } finally {
    await database.prisma.$executeRawUnsafe(
      database.provider === 'sqlite'
        ? 'DROP TRIGGER "refused"'
        : 'ALTER TABLE "ChangeValues" DROP CONSTRAINT "refused"',
    );
  }
  expect((await changes()).map(({ action }) => action)).toEqual(['CREATED']);
  expect(await owner.data(`{ link(id: "${id}") { title } }`)).toEqual({ link: { title: 'Before' } });
});
