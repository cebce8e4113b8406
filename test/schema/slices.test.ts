import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { MadeChange } from '../../src/engine/changes/events.ts';
import { newDatabase } from '../support/database.ts';
import { manyLinks } from '../support/many-links.ts';
import { signedIn } from '../support/person.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

// Most of these tests take over a second, since they store and change thousands of links.

/** Maximum number of links that one transaction changes. */
const MAX = 500;
const MANY = 3 * MAX + 100;

const isSqlite = inject('database').provider === 'sqlite';

let server: TestServer;
let owner: Caller;
let accountId: number;
let accounts = 0;
/** The changes of each transaction of this process. */
let committed: (readonly MadeChange[])[] = [];
beforeAll(async () => {
  server = await startTestServer();
  server.database.changes.on('own', (changes) => committed.push(changes));
});
afterAll(() => server.stop());
beforeEach(async () => {
  committed = [];
  ({ owner, accountId } = await newAccount());
});

async function newAccount(of = server) {
  const name = `account ${accounts++}`;
  const caller = await of.caller(name);
  const { id } = await of.database.prisma.account.findUniqueOrThrow({ where: { name } });
  return { owner: caller, accountId: id };
}

/** A deletion of a record that links have, with the field of a link that it changes. */
interface Case {
  readonly field: string;
  make(count: number, caller?: Caller, account?: number): Promise<{ mutation: string; links: number[] }>;
  /** Counts the links that still have the record. */
  left(): Promise<number>;
}

const result = '{ __typename ... on Error { code message } }';
const cases: Record<string, Case> = {
  deleteTag: {
    field: 'tags',
    async make(count, caller = owner, account = accountId) {
      const id = await caller.tag('Tag');
      const links = await manyLinks(server, count, { accountId: account, tagIds: [id] });
      return { mutation: `deleteTag(id: ${id}) ${result}`, links };
    },
    left: () => server.database.prisma.linkTag.count({ where: { tag: { accountId } } }),
  },
  mergeTags: {
    field: 'tags',
    async make(count, caller = owner, account = accountId) {
      const [one, other, into] = [
        await caller.tag('One'),
        await caller.tag('Other'),
        await caller.tag('Into'),
      ];
      const half = Math.floor(count / 2);
      const links = [
        ...(await manyLinks(server, half, { accountId: account, tagIds: [one, other] })),
        ...(await manyLinks(server, count - half, { accountId: account, tagIds: [other, into] })),
      ];
      return { mutation: `mergeTags(ids: [${one}, ${other}], into: ${into}) ${result}`, links };
    },
    left: () => server.database.prisma.linkTag.count({ where: { tag: { accountId, name: 'Other' } } }),
  },
  deleteSpace: {
    field: 'space',
    async make(count, caller = owner, account = accountId) {
      const id = await caller.space('Space');
      const links = await manyLinks(server, count, { accountId: account, spaceId: id });
      return { mutation: `deleteSpace(id: ${id}) ${result}`, links };
    },
    left: () => server.database.prisma.link.count({ where: { accountId, spaceId: { not: null } } }),
  },
  deletePixel: {
    field: 'pixels',
    async make(count, caller = owner, account = accountId) {
      const id = await caller.pixel();
      const links = await manyLinks(server, count, { accountId: account, pixelIds: [id] });
      return { mutation: `deletePixel(id: ${id}) ${result}`, links };
    },
    left: () => server.database.prisma.linkPixel.count({ where: { pixel: { accountId } } }),
  },
};
const names = Object.keys(cases);

const run = (mutation: string, caller = owner) => caller.graphql(`mutation { it: ${mutation} }`);

/** Runs a mutation with an Idempotency-Key. */
async function runOnce(query: string, key: string) {
  const sent = await owner.fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: JSON.stringify({ query: `mutation { ${query} }` }),
  });
  const replayed = sent.headers.get('Idempotency-Replayed');
  return { status: sent.status, replayed, ...Object(await sent.json()) };
}

/** The changes of the account's links with a field, in the order of their transactions. */
async function changesOf(field: string) {
  const where = { accountId, kind: 'LINK', fields: JSON.stringify([field]) };
  return server.database.prisma.change.findMany({ where, orderBy: [{ tx: 'asc' }, { id: 'asc' }] });
}

/** The number of the account's links that each transaction changed. */
const slicesOf = (field: string): number[] =>
  committed.flatMap((changes) => {
    const links = changes.filter(
      (one) => one.accountId === accountId && one.kind === 'LINK' && one.fields.includes(field),
    );
    return links.length > 0 ? [links.length] : [];
  });

/** Does something once a transaction has changed links of the account, before the next one. */
function afterFirstSlice(work: () => Promise<unknown>, of = server, account = accountId): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const listen = (changes: readonly MadeChange[]) => {
    if (!changes.some((one) => one.accountId === account && one.kind === 'LINK')) return;
    of.database.changes.off('own', listen);
    work().then(resolve, reject);
  };
  of.database.changes.on('own', listen);
  return promise;
}

const ascending = (ids: readonly number[]) => ids.toSorted((a, b) => a - b);

describe.each(names)('%s', (name) => {
  const { field, make, left } = cases[name] as Case;

  test(`changes ${MAX} links in one transaction`, async () => {
    const { mutation, links } = await make(MAX);
    expect(await run(mutation)).toMatchObject({ status: 200, errors: undefined });
    expect(slicesOf(field)).toEqual([MAX]);
    expect((await changesOf(field)).map(({ recordId }) => recordId)).toEqual(links);
    expect(await left()).toBe(0);
  });

  test('changes more in slices, each link once, by ascending id, and deletes at the end', async () => {
    const { mutation, links } = await make(MANY);
    expect(await run(mutation)).toMatchObject({ status: 200, errors: undefined });
    expect(slicesOf(field)).toEqual([MAX, MAX, MAX, 100]);
    expect((await changesOf(field)).map(({ recordId }) => recordId)).toEqual(ascending(links));
    expect(await left()).toBe(0);
    const last = await server.database.prisma.change.findFirst({
      where: { accountId },
      orderBy: [{ tx: 'desc' }, { id: 'desc' }],
    });
    expect(last).toMatchObject({ action: 'DELETED' });
    const same = await server.database.prisma.link.count({
      where: { accountId, updatedAt: { lte: server.clock.now } },
    });
    expect(same).toBe(0);
  });

  test('breaks off when the key ends, and the same request goes on', async () => {
    const { mutation, links } = await make(MANY);
    const { prisma } = server.database;
    const { id } = await prisma.apiKey.findFirstOrThrow({ where: { accountId } });
    const revoke = (revokedAt: Date | null) => prisma.apiKey.update({ where: { id }, data: { revokedAt } });
    const revoked = afterFirstSlice(() => revoke(server.clock.now));
    expect(await run(mutation)).toMatchObject({
      status: 401,
      errors: [{ extensions: { code: 'UNAUTHENTICATED' } }],
    });
    await revoked;
    const rest = await left();
    expect(rest).toBeGreaterThan(0);
    expect(rest).toBeLessThan(MANY);
    await revoke(null);
    expect(await run(mutation)).toMatchObject({ status: 200, errors: undefined });
    expect((await changesOf(field)).map(({ recordId }) => recordId)).toEqual(ascending(links));
    expect(await left()).toBe(0);
  });

  test('takes slices before the transaction of its key, and is done once', async () => {
    const { mutation, links } = await make(MANY);
    const done = {
      status: 200,
      data: { it: { __typename: name === 'mergeTags' ? 'Tag' : 'DeletedRecord' } },
    };
    expect(await runOnce(`it: ${mutation}`, name)).toEqual({ ...done, replayed: null });
    expect(slicesOf(field)).toEqual([MAX, MAX, MAX, 100]);
    expect(await runOnce(`it: ${mutation}`, name)).toEqual({ ...done, replayed: 'true' });
    expect((await changesOf(field)).length).toBe(links.length);
  });

  test('is refused with a key whose transaction has begun, and all is rolled back', async () => {
    const { mutation } = await make(MANY);
    const create = `createSpace(input: { name: "First" }) ${result}`;
    expect(await runOnce(`a: ${create} it: ${mutation}`, 'two')).toMatchObject({
      data: null,
      errors: [{ extensions: { code: 'BAD_REQUEST' } }],
    });
    expect(await changesOf(field)).toEqual([]);
    expect(await server.database.prisma.space.count({ where: { accountId, name: 'First' } })).toBe(0);
  });
});

describe('the slices of one request', () => {
  const { make, left, field } = cases.deleteTag as Case;

  test('go on when the client leaves', async () => {
    const { mutation } = await make(MANY);
    const leaving = new AbortController();
    const left_ = afterFirstSlice(async () => leaving.abort());
    const sent = owner.fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: `mutation { ${mutation} }` }),
      signal: leaving.signal,
    });
    await expect(sent).rejects.toThrow();
    await left_;
    await expect.poll(() => server.database.prisma.tag.count({ where: { accountId } })).toBe(0);
    expect(await left()).toBe(0);
  });

  test('break off when the member has a lower role', async () => {
    const person = await signedIn(server, accountId, 'EDITOR');
    const { mutation } = await make(MANY);
    const lowered = afterFirstSlice(() =>
      server.database.prisma.membership.updateMany({ where: { accountId }, data: { role: 'VIEWER' } }),
    );
    const answer = await person.graphql(`mutation { ${mutation} }`);
    expect(answer).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] });
    await lowered;
    expect(await left()).toBeGreaterThan(0);
  });

  test('break off when the process stops, and another one goes on', async () => {
    const url = await newDatabase();
    const [first, second] = [await startTestServer({ url }), await startTestServer({ url })];
    const made = await newAccount(first);
    const id = await made.owner.tag('Tag');
    await manyLinks(first, MANY, { accountId: made.accountId, tagIds: [id] });
    const stopped = afterFirstSlice(() => first.shutDown(), first, made.accountId);
    const mutation = `deleteTag(id: ${id}) ${result}`;
    expect(await run(mutation, made.owner)).toMatchObject({
      status: 503,
      errors: [{ extensions: { code: 'UNAVAILABLE' } }],
    });
    await stopped;
    const rest = await second.database.prisma.linkTag.count();
    expect(rest).toBeGreaterThan(0);
    expect(rest).toBeLessThan(MANY);
    expect(await run(mutation, second.callerWith(made.owner.key))).toMatchObject({
      status: 200,
      errors: undefined,
    });
    expect(await second.database.prisma.linkTag.count()).toBe(0);
    await second.stop();
  });

  test('are followed by UNAVAILABLE if more links came meanwhile, and the same request goes on', async () => {
    const before = await manyLinks(server, MAX + 1, { accountId });
    const { mutation } = await make(MANY);
    const tag = await server.database.prisma.tag.findFirstOrThrow({ where: { accountId } });
    // They come behind the slices, which go by ascending id.
    const added = afterFirstSlice(() =>
      server.database.prisma.linkTag.createMany({
        data: before.map((linkId) => ({ linkId, tagId: tag.id })),
      }),
    );
    expect(await run(mutation)).toMatchObject({
      status: 503,
      errors: [{ extensions: { code: 'UNAVAILABLE' } }],
    });
    await added;
    expect(await left()).toBe(MAX + 1);
    expect(await run(mutation)).toMatchObject({ status: 200, errors: undefined });
    expect(await left()).toBe(0);
  });

  test('take some links that came meanwhile with the deletion', async () => {
    const before = await manyLinks(server, 10, { accountId });
    const { mutation } = await make(MANY);
    const tag = await server.database.prisma.tag.findFirstOrThrow({ where: { accountId } });
    const added = afterFirstSlice(() =>
      server.database.prisma.linkTag.createMany({
        data: before.map((linkId) => ({ linkId, tagId: tag.id })),
      }),
    );
    expect(await run(mutation)).toMatchObject({ status: 200, errors: undefined });
    await added;
    expect(slicesOf(field)).toEqual([MAX, MAX, MAX, 100, 10]);
  });

  test('are not interleaved with those of another request of the account', async () => {
    const works = [await cases.deleteSpace?.make(MANY), await make(MANY)];
    const answers = await Promise.all(works.map((work) => run(work?.mutation ?? '')));
    for (const answer of answers) expect(answer).toMatchObject({ status: 200, errors: undefined });
    const changes = await server.database.prisma.change.findMany({
      where: { accountId, kind: 'LINK' },
      orderBy: [{ tx: 'asc' }, { id: 'asc' }],
    });
    const fields = changes.map((one) => one.fields).filter((one, index, all) => one !== all[index - 1]);
    expect(fields).toHaveLength(2);
  });

  // PostgreSQL does some at once.
  test.runIf(isSqlite)('take turns with those of other accounts', async () => {
    const other = await newAccount();
    const works = [await make(MANY), await make(MANY, other.owner, other.accountId)];
    await Promise.all([run(works[0]?.mutation ?? ''), run(works[1]?.mutation ?? '', other.owner)]);
    const owners = committed.flatMap(([change]) => (change?.kind === 'LINK' ? [change.accountId] : []));
    const repeated = owners.filter((one, index) => one === owners[index - 1]);
    // The first account is alone at first, and the second at the end.
    expect(repeated.length).toBeLessThanOrEqual(2);
  });
});

test('slices of tags change fewer links if each has many of them', async () => {
  const tagIds: number[] = [];
  for (let index = 0; index < 50; index++) tagIds.push(await owner.tag(`Tag ${index}`));
  const into = await owner.tag('Into');
  await manyLinks(server, 400, { accountId, tagIds });
  expect(await run(`mergeTags(ids: [${tagIds.join()}], into: ${into}) ${result}`)).toMatchObject({
    status: 200,
    errors: undefined,
  });
  const slices = slicesOf('tags');
  expect(slices.length).toBeGreaterThan(2);
  // 50 rows are deleted, and one is added.
  for (const links of slices) expect(links * 51).toBeLessThanOrEqual(10_000);
});

test('slices are exempt from the time of mutations while they progress, as is one that waits for them', async () => {
  // It takes longer than this time, in many short slices.
  const quick = await startTestServer({ timeouts: { mutation: 1_500, nameServers: 1_500 } });
  const made = await newAccount(quick);
  const ids = [await made.owner.tag('One'), await made.owner.tag('Other')];
  for (const id of ids) await manyLinks(quick, 10 * MAX, { accountId: made.accountId, tagIds: [id] });
  const answers = ids.map((id) => run(`deleteTag(id: ${id}) ${result}`, made.owner));
  for (const answer of await Promise.all(answers))
    expect(answer).toMatchObject({ status: 200, errors: undefined });
  await quick.stop();
});
