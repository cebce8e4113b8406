import { parse } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Client,
  ConflictError,
  createClient,
  LinkspaceError,
  ruleInput,
  ruleTestInput,
} from '../../packages/client/src/index.ts';
import { settled } from '../support/database.ts';
import { signedIn } from '../support/person.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';
import { fetchWith } from './support.ts';

let server: TestServer;
let owner: Caller;
let client: Client;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
  client = createClient({ url: server.origin, key: owner.key });
});
afterAll(() => server.stop());

/** The error of a call that must fail. */
async function errorOf(call: Promise<unknown>): Promise<LinkspaceError> {
  const error: unknown = await call.then(
    () => expect.fail('it did not fail'),
    (failure: unknown) => failure,
  );
  expect(error).toBeInstanceOf(LinkspaceError);
  return error instanceof LinkspaceError ? error : expect.fail('it is no LinkspaceError');
}

test('creates, reads, finds, changes and deletes a link', async () => {
  const link = await client.createLink({ url: 'https://example.com/', alias: 'first', title: 'First' });
  expect(link).toMatchObject({
    __typename: 'Link',
    shortUrl: 'https://s.example/first',
    title: 'First',
    domain: { name: 's.example' },
    tags: [],
  });
  expect(await client.getLink(link.id)).toEqual(link);
  expect(await client.findLinkByShortUrl('s.example/first')).toEqual(link);
  const changed = await client.updateLink({ id: link.id, input: { title: null } });
  expect(changed).toEqual({ ...link, title: null, updatedAt: changed.updatedAt });
  expect(await client.deleteLink(link.id)).toEqual({
    __typename: 'DeletedRecord',
    id: link.id,
    nodeId: link.nodeId,
  });
  expect(await client.getLink(link.id)).toBeNull();
});

test('sends rules and tests back as they were read', async () => {
  const to = [{ url: 'https://example.com/a', weight: 3 }, { url: 'https://example.com/b' }];
  const { id, rules, ruleTests } = await client.createLink({
    url: 'https://example.com/',
    rules: [
      { when: [{ country: { notIn: ['DE'] } }, { query: { name: 'a', exists: false } }], to },
      { when: [{ hours: { timeZone: 'UTC' } }, { time: { until: '2030-01-01T00:00:00Z' } }], to },
    ],
    ruleTests: [{ visitor: { country: 'FR' }, expect: { rule: 'Rule 1' } }],
  });
  const input = { rules: rules.map(ruleInput), ruleTests: ruleTests.map(ruleTestInput) };
  expect(await client.updateLink({ id, input })).toMatchObject({ rules, ruleTests });
  const cached = rules.map((rule) => ({ ...rule, __typename: 'LinkRule' })).reverse();
  const reversed = { rules: cached.map(ruleInput), ruleTests: [] };
  expect((await client.updateLink({ id, input: reversed })).rules).toEqual([...rules].reverse());
  await client.deleteLink(id);
});

test('upserts a link by its id in another system', async () => {
  const input = { url: 'https://example.com/own', title: 'Own' };
  const made = await client.upsertLink({ externalId: 'crm/7', input });
  expect(made).toMatchObject({ externalId: 'crm/7', title: 'Own' });
  const again = await client.upsertLink({ externalId: 'crm/7', input: { ...input, title: 'Anew' } });
  expect(again).toMatchObject({ id: made.id, title: 'Anew' });
  expect(await client.findLinkByExternalId('crm/7')).toEqual(again);
  expect(await client.findLinkByExternalId('crm/8')).toBeNull();
  const call = client.upsertLink({ externalId: 'crm/7', input: { ...input, alias: 'another' } });
  expect(await errorOf(call)).toMatchObject({ code: 'VALIDATION', fields: [{ path: ['alias'] }] });
  await client.deleteLink(made.id);
});

test('creates, changes, lists and deletes spaces and tags', async () => {
  const space = await client.createSpace({ name: 'Launch', color: 3 });
  const tag = await client.createTag({ name: 'sale' });
  expect(await client.getSpace(space.id)).toEqual(space);
  expect(await client.getTag(tag.id)).toEqual(tag);
  const link = await client.createLink({
    url: 'https://example.com/',
    spaceId: space.id,
    tagIds: [tag.id],
  });
  expect(link.space).toEqual({ id: space.id, name: 'Launch', color: 3 });
  expect((await client.updateSpace({ id: space.id, input: { name: 'Landed' } })).name).toBe('Landed');
  expect((await client.updateTag({ id: tag.id, input: { color: 2 } })).color).toBe(2);
  expect((await client.spaces().page()).nodes.map(({ name }) => name)).toEqual(['Landed']);
  expect(await client.tags({ filter: { search: 'sa' } }).totalCount()).toBe(1);
  await client.deleteSpace(space.id);
  await client.deleteTag(tag.id);
  await client.deleteLink(link.id);
});

test('a list is iterated page after page, read by pages, and counted', async () => {
  const inputs = Array.from({ length: 60 }, (_, index) => ({ url: `https://example.com/${index}` }));
  await client.createLinks(inputs);
  await client.createLinks(inputs);
  const { fetch, sent } = fetchWith();
  const counted = createClient({ url: server.origin, key: owner.key, fetch });
  const list = counted.links({ orderBy: { field: 'ID', direction: 'ASC' } });
  const urls: string[] = [];
  for await (const { url } of list) urls.push(url);
  expect(urls).toEqual([...inputs, ...inputs].map(({ url }) => url));
  expect(sent).toHaveLength(2);
  expect(await list.totalCount()).toBe(120);
  const first = await list.page({ first: 2 });
  expect(first.nodes.map(({ url }) => url)).toEqual(urls.slice(0, 2));
  const second = await list.page({ first: 1, after: first.pageInfo.endCursor });
  expect(second.nodes.map(({ url }) => url)).toEqual(urls.slice(2, 3));
  expect(await counted.links({ filter: { search: 'example.com/59', searchBy: 'URL' } }).totalCount()).toBe(2);
  const ids = [];
  for await (const { id } of list) ids.push(id);
  await client.deleteLinks(ids.slice(0, 60));
  await client.deleteLinks(ids.slice(60));
});

test('a batch has the result of each input, refused or not', async () => {
  const [made, refused] = await client.createLinks([{ url: 'https://example.com/' }, { url: 'nowhere' }]);
  expect(made).toMatchObject({ __typename: 'Link' });
  expect(refused).toMatchObject({ __typename: 'ValidationError', fields: [{ path: ['url'] }] });
  if (made?.__typename !== 'Link') throw new Error('it is a link');
  const results = await client.updateLinks([{ id: made.id, input: { title: 'New' } }]);
  expect(results).toMatchObject([{ __typename: 'Link', title: 'New' }]);
  expect(await client.deleteLinks([made.id, made.id])).toMatchObject([
    { __typename: 'DeletedRecord' },
    { __typename: 'NotFoundError', code: 'NOT_FOUND' },
  ]);
  expect(await client.checkLinks([{ url: 'https://example.com/' }, { url: 'nowhere' }])).toMatchObject([
    null,
    { code: 'VALIDATION' },
  ]);
});

test('takes changes of a link, a space and a tag back, by their ids', async () => {
  /** The id of the last change. */
  const last = async (): Promise<string> => {
    await settled(server.database);
    const { changes } = await client.request<{ changes: { nodes: { id: string }[] } }>(
      '{ changes(last: 1) { nodes { id } } }',
    );
    return changes.nodes[0]?.id ?? '';
  };
  const link = await client.createLink({ url: 'https://example.com/', title: 'Before' });
  await client.updateLink({ id: link.id, input: { title: 'After' } });
  const renamed = await last();
  const undone = await client.revertChange(renamed);
  expect(undone).toMatchObject({
    __typename: 'RevertedChange',
    record: { ...link, updatedAt: expect.any(String) },
    change: { action: 'UPDATED', kind: 'LINK', recordNodeId: link.nodeId, fields: ['title'] },
  });
  expect(await last()).toBe(undone.change.id);
  const conflict = await errorOf(client.revertChange(renamed));
  expect(conflict).toBeInstanceOf(ConflictError);
  expect(conflict).toMatchObject({ code: 'CONFLICT', current: { __typename: 'Link', title: 'Before' } });
  expect(await client.try.revertChange(renamed)).toMatchObject({ __typename: 'ConflictError' });
  await client.deleteLink(link.id);
  const restored = await client.revertChange(await last());
  expect(restored.record).toMatchObject({ __typename: 'Link', id: link.id, title: 'Before' });
  await client.createSpace({ name: 'Space' });
  const made = [await last()];
  await client.createTag({ name: 'Tag' });
  made.push(await last());
  expect(await client.revertChanges([...made, '2147483647'])).toMatchObject([
    { record: null, change: { action: 'DELETED', kind: 'SPACE' } },
    { record: null, change: { action: 'DELETED', kind: 'TAG' } },
    { __typename: 'NotFoundError' },
  ]);
  expect(await errorOf(client.revertChange('2147483647'))).toMatchObject({ code: 'NOT_FOUND' });
  await client.deleteLink(link.id);
});

test('a batch may have as many inputs as the service takes', async () => {
  const inputs = Array.from({ length: 100 }, (_, index) => ({ url: `https://example.com/whole/${index}` }));
  const made = await client.createLinks(inputs);
  const ids = made.flatMap((one) => (one.__typename === 'Link' ? one.id : []));
  expect(ids).toHaveLength(100);
  const seen = '2026-01-01T00:00:00.000Z';
  const changes = ids.map((id, index) => ({
    id,
    input: { title: 'New' },
    ...(index === 99 && { ifUpdatedAt: seen }),
  }));
  const changed = await client.updateLinks(changes);
  expect(changed.filter(({ __typename }) => __typename === 'Link')).toHaveLength(99);
  expect(changed[99]).toMatchObject({ __typename: 'ConflictError', current: { id: ids[99] } });
  expect(await client.deleteLinks(ids)).toHaveLength(100);
});

test('reads statistics, explains a redirect, draws a QR code and imports', async () => {
  const imported = await client.importLinks({ text: 'https://example.com/a  sale', format: 'LINES' });
  expect(imported.results).toMatchObject([{ line: 1, status: 'CREATED', alias: 'sale' }]);
  const id = imported.results[0]?.link?.id ?? '';
  const statistics = await client.linkStatistics({ id, from: '2026-11-01', to: '2026-11-02' });
  expect(statistics).toMatchObject({ clicks: 0, from: '2026-11-01', top: { rows: [], others: 0 } });
  expect(statistics?.series).toHaveLength(2);
  expect(await client.linkStatistics({ id: '999999' })).toBeNull();
  expect(await client.accountStatistics()).toMatchObject({ clicks: 0, to: '2026-11-20' });
  expect(await client.explainRedirect({ linkId: id })).toMatchObject({
    destination: 'https://example.com/a',
  });
  expect(await client.linkQrCode({ id, size: 64 })).toMatch(/^<svg/);
  expect(await client.domains().totalCount()).toBe(1);
  expect((await client.pixels().page()).nodes).toEqual([]);
  await client.deleteLink(id);
});

test('a refusal is thrown with its code, its fields and the id of the request', async () => {
  const error = await errorOf(client.createLink({ url: 'nowhere', title: 'x'.repeat(256) }));
  expect(error).toMatchObject({
    name: 'LinkspaceError',
    code: 'VALIDATION',
    retryAfter: null,
    isUnknown: false,
    requestId: expect.stringMatching(/./),
  });
  expect(error.fields.map(({ path }) => path.join('.')).sort()).toEqual(['title', 'url']);
  expect(await errorOf(client.deleteTag('999999'))).toMatchObject({ code: 'NOT_FOUND', fields: [] });
  expect(await errorOf(client.links({ filter: { updatedSince: 'now' } }).page())).toMatchObject({
    code: 'VALIDATION',
    fields: [{ path: ['filter', 'updatedSince'] }],
  });
});

test('`try` returns refusals beside records', async () => {
  const refused = await client.try.createLink({ url: 'nowhere' });
  expect(refused).toMatchObject({ __typename: 'ValidationError', code: 'VALIDATION' });
  const made = await client.try.createSpace({ name: 'Tried' });
  if (made.__typename !== 'Space') throw new Error('it is a space');
  expect(await client.try.deleteSpace(made.id)).toMatchObject({ __typename: 'DeletedRecord' });
});

test('a conflict has the record as it is now', async () => {
  const space = await client.createSpace({ name: 'Mine' });
  server.clock.now = new Date(server.clock.now.getTime() + 1_000);
  const theirs = await client.updateSpace({ id: space.id, input: { name: 'Theirs' } });
  const mine = { id: space.id, input: { name: 'Mine again' }, ifUpdatedAt: space.updatedAt };
  const error = await errorOf(client.updateSpace(mine));
  expect(error).toBeInstanceOf(ConflictError);
  expect(error).toMatchObject({ code: 'CONFLICT', current: theirs });
});

test('without a key, or with an unknown one, the service refuses', async () => {
  for (const key of [undefined, 'unknown']) {
    const stranger = createClient({ url: server.origin, ...(key && { key }) });
    expect(await errorOf(stranger.links().page())).toMatchObject({ code: 'UNAUTHENTICATED' });
  }
});

test('on a page of the service, the session of the person counts', async () => {
  const account = await server.database.prisma.account.findFirstOrThrow();
  const person = await signedIn(server, account.id, 'OWNER');
  const fetch: typeof globalThis.fetch = (to, init) => person.fetch(new URL(String(to)).pathname, init);
  const page = createClient({ url: server.origin, fetch });
  expect(await page.domains().totalCount()).toBe(1);
  const { key, apiKey } = await page.createApiKey({ name: 'Program', role: 'VIEWER' });
  const program = createClient({ url: server.origin, key });
  expect(apiKey.name).toBe('Program');
  expect(await program.domains().totalCount()).toBe(1);
  expect(await errorOf(program.createTag({ name: 'no' }))).toMatchObject({ code: 'FORBIDDEN' });
});

test('sends further headers, to an address with a slash at its end', async () => {
  const { fetch, sent } = fetchWith();
  const headers = { 'X-Account': '1', 'X-Request-Id': 'mine' };
  const other = createClient({ url: `${server.origin}/`, key: owner.key, fetch, headers });
  await other.links().totalCount();
  expect(sent[0]?.headers.get('X-Account')).toBe('1');
  expect(sent[0]?.headers.get('Authorization')).toBe(`Bearer ${owner.key}`);
});

const document = 'query ($first: Int = 1) { links(first: $first) { nodes { id } totalCount } }';

test.each([
  ['a text', document],
  ['a text object of a code generator', new String(document)],
  ['a parsed document', parse(document)],
])('executes %s', async (_kind, given) => {
  expect(await client.request(given, { first: 1 })).toEqual({ links: { nodes: [], totalCount: 0 } });
});

test('prints parsed documents as they are', async () => {
  const text = `query Both($id: ID!, $texts: [String!] = ["a\\n\\"b\\"", "c"], $all: Boolean = true) @own(of: $id) {
      first: link(id: $id) @include(if: $all) { ...F ... on Link @skip(if: false) { title } ... { url } }
      links(filter: { withoutSpace: false, search: null }, first: 3, ratio: 1.5, orderBy: { field: ID, direction: ASC }) { totalCount }
    }
    fragment F on Link @own { id }
    { viewer { account { id } } }`;
  const { print } = await import('../../packages/client/src/print.ts');
  const graphql = await import('graphql');
  const printed = graphql.print(parse(print(parse(text))));
  expect(printed).toBe(graphql.print(parse(text)));
  expect(() => print(parse('type Query { a: Int }'))).toThrow(
    'A request cannot have a ObjectTypeDefinition.',
  );
});

test('a request of one’s own executes the named operation, and throws errors of any part', async () => {
  const several = 'query a { viewer { account { name } } } query b { domains { totalCount } }';
  expect(await client.request(several, {}, { operationName: 'b' })).toEqual({ domains: { totalCount: 1 } });
  const broken = '{ viewer { account { name } } links(filter: { updatedSince: "x" }) { totalCount } }';
  expect(await errorOf(client.request(broken))).toMatchObject({ code: 'VALIDATION' });
  await expect(client.request('subscription { changes { id } }')).rejects.toThrow('changes()');
});

test('an aborted signal ends calls and iterations, with its reason', async () => {
  const reason = new Error('enough');
  const signal = AbortSignal.abort(reason);
  await expect(client.getLink('1', { signal })).rejects.toBe(reason);
  await expect(client.createSpace({ name: 'Never' }, { signal })).rejects.toBe(reason);
  await expect(client.request('{ __typename }', {}, { signal })).rejects.toBe(reason);
  await expect(client.links({}, { signal }).page()).rejects.toBe(reason);
  const abort = new AbortController();
  const { fetch } = fetchWith();
  const slow: typeof fetch = (...sent) => {
    const answer = fetch(...sent);
    abort.abort(reason);
    return answer;
  };
  const waiting = createClient({ url: server.origin, key: owner.key, fetch: slow });
  await expect(waiting.links({}, { signal: abort.signal }).totalCount()).rejects.toBe(reason);
});

test('a closed client ends calls and refuses further ones', async () => {
  const closing = createClient({ url: server.origin, key: owner.key });
  const call = errorOf(closing.links().totalCount());
  closing.close();
  expect(await call).toMatchObject({ code: 'CLOSED' });
  expect(await errorOf(closing.getLink('1'))).toMatchObject({ code: 'CLOSED' });
});

test('methods work off the client, and the client is no promise', async () => {
  const { createTag, deleteTag } = client;
  const tag = await createTag({ name: 'loose' });
  expect(await Promise.resolve(client)).toBe(client);
  await deleteTag(tag.id);
});

test('errors of another copy of the package are instances, and those of applications are told apart', async () => {
  const copy: typeof import('../../packages/client/src/errors.ts') = await import(
    `../../packages/client/src/errors.ts?${'copy'}`
  );
  expect(copy.LinkspaceError).not.toBe(LinkspaceError);
  const error: unknown = new copy.SecretLost(null, {});
  expect(error).toBeInstanceOf(LinkspaceError);
  expect(error).not.toBeInstanceOf(ConflictError);
  class Own extends LinkspaceError {}
  expect(error).not.toBeInstanceOf(Own);
  expect(new Own('mine', { code: 'MINE' })).toBeInstanceOf(Own);
  for (const other of [null, 'x', new Error('x'), {}]) expect(other).not.toBeInstanceOf(LinkspaceError);
});
