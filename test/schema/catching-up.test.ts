import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { planOf } from '../support/plan.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer({ rateLimit: 1_000 });
  owner = await server.caller();
  for (let i = 0; i < 6; i++) {
    server.clock.now = minute(i);
    await owner.link({ title: `Link ${i}`, alias: `link-${i}` });
    await owner.space(`Space ${i}`);
  }
});
afterAll(() => server.stop());

function minute(number: number): Date {
  return new Date(NOON.getTime() + number * 60_000);
}

type Listed = {
  list: {
    nodes: { name: string }[];
    totalCount: number;
    pageInfo: { endCursor: string; hasNextPage: boolean };
  };
};
const FIELDS = { links: 'name: title', spaces: 'name' };
const lists = ['links', 'spaces'] as const;

function query(list: keyof typeof FIELDS): string {
  const type = list === 'links' ? 'Link' : 'Space';
  return `query ($since: DateTime, $after: String, $order: ${type}Order = { field: UPDATED_AT, direction: ASC }) {
    list: ${list}(first: 2, after: $after, filter: { updatedSince: $since }, orderBy: $order) {
      totalCount nodes { ${FIELDS[list]} } pageInfo { endCursor hasNextPage }
    }
  }`;
}

test.each(lists)('paginates %s in the order of their last change', async (list) => {
  const what = list === 'links' ? 'Link' : 'Space';
  server.clock.now = minute(10);
  const [first] = (
    await owner.data<{ all: { nodes: { id: string }[] } }>(`{ all: ${list}(last: 1) { nodes { id } } }`)
  ).all.nodes;
  await owner.rest('PATCH', `/${list}/${first?.id}`, {
    [list === 'links' ? 'title' : 'name']: `${what} new`,
  });
  const names: string[] = [];
  let after: string | null = null;
  for (let page = 0; page < 4; page++) {
    const answer: Listed = await owner.data<Listed>(query(list), { since: minute(2).toISOString(), after });
    expect(answer.list.totalCount).toBe(5);
    names.push(...answer.list.nodes.map(({ name }) => name));
    if (!answer.list.pageInfo.hasNextPage) break;
    after = answer.list.pageInfo.endCursor;
  }
  expect(names).toEqual([...[2, 3, 4, 5].map((number) => `${what} ${number}`), `${what} new`]);
});

test.each(lists)('updatedSince includes %s changed at exactly that time', async (list) => {
  const answer = await owner.data<Listed>(query(list), { since: '2026-11-20T13:10:00.000+01:00' });
  expect(answer.list.nodes).toHaveLength(1);
});

test.each(lists)('refuses an invalid time of %s, and an invalid cursor', async (list) => {
  const wrong = await owner.graphql(query(list), { since: 'yesterday' });
  expect(wrong.errors?.[0]?.extensions).toMatchObject({
    code: 'VALIDATION',
    fields: [{ path: ['filter', 'updatedSince'] }],
  });
  const table = list === 'links' ? 'Link' : 'Space';
  for (const value of ['2026', 7, null, '2026-11-20T12:00:00Z', '+275760-09-13T00:00:00.000Z']) {
    const after = Buffer.from(JSON.stringify([table, 'updatedAt', value, 1])).toString('base64url');
    const { errors } = await owner.graphql(query(list), { after });
    expect(errors?.[0]?.extensions).toMatchObject({ fields: [{ path: ['after'] }] });
  }
});

test.runIf(inject('database').provider === 'sqlite').each(lists)(
  'an index has %s in the order of their last change',
  async (list) => {
    const statements = await server.statementsOf(() =>
      owner.data(query(list), { since: NOON.toISOString() }),
    );
    const plans = await Promise.all(statements.map((one) => planOf(server.database, one)));
    const table = list === 'links' ? 'Link' : 'Space';
    for (const plan of plans) {
      expect(plan.join('\n')).toMatch(
        new RegExp(
          `SEARCH ${table} USING (COVERING )?INDEX ${table}_accountId_updatedAt_id_idx \\(accountId=\\? AND updatedAt>`,
        ),
      );
      expect(plan.join('\n')).not.toContain('TEMP B-TREE');
    }
    expect(plans).toHaveLength(2);
  },
);

test.each([
  's.example/link-1',
  'https://s.example/link-1',
  'http://S.Example./link-1/',
  '//s.example/link-1',
  's.example:80/link-1?utm=1#top',
  ' https://s.example/link%2D1?x ',
])('finds a link by its short URL, written as %s', async (url) => {
  const { link } = await owner.data<{ link: object }>(
    'query ($url: String!) { link: linkByShortUrl(url: $url) { title shortUrl } }',
    { url },
  );
  expect(link).toEqual({ title: 'Link 1', shortUrl: 'https://s.example/link-1' });
});

test.each(['s.example/link-1?utm=', 'https://s.example/link-1#'])(
  'finds a link by its short URL, however much text follows %s',
  async (start) => {
    const url = start + 'x'.repeat(5_000);
    const query = 'query ($url: String!) { link: linkByShortUrl(url: $url) { title } }';
    expect(await owner.data(query, { url })).toEqual({ link: { title: expect.any(String) } });
  },
);

test('finds no link by another account’s short URL, nor by other text', async () => {
  const stranger = await server.caller('stranger');
  await stranger.link({ alias: 'theirs' });
  const none = ['s.example/theirs', 's.example/LINK-1', 's.example/', '', 'ftp://s.example/link-1'];
  const odd = [
    'other.example/link-1',
    's.example/link-1/more',
    'https://s.example:8443x/link-1',
    'x'.repeat(9_999),
  ];
  for (const url of [...none, ...odd])
    expect(await owner.data('query ($url: String!) { linkByShortUrl(url: $url) { id } }', { url })).toEqual({
      linkByShortUrl: null,
    });
});

test('rateLimit returns the remaining requests and the reset, like the headers of both APIs', async () => {
  const asked = '{ viewer { rateLimit { limit remaining resetAt } } }';
  const { data, headers } = await owner.graphql(asked);
  const { rateLimit } = (data as { viewer: { rateLimit: Record<string, unknown> } }).viewer;
  const reset = Number(headers.get('X-RateLimit-Reset'));
  expect(rateLimit).toEqual({
    limit: 1_000,
    remaining: Number(headers.get('X-RateLimit-Remaining')),
    resetAt: new Date(reset * 1000).toISOString(),
  });
  const seconds = reset - server.clock.now.getTime() / 1000;
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(60);
  const rest = await owner.rest('GET', '/spaces');
  expect(Math.abs(Number(rest.headers.get('X-RateLimit-Reset')) - reset)).toBeLessThanOrEqual(1);
});

test('rateLimit is null without a limit', async () => {
  const free = await startTestServer();
  const caller = await free.caller();
  const { data, headers } = await caller.graphql('{ viewer { rateLimit { limit } } }');
  expect(data).toEqual({ viewer: { rateLimit: null } });
  expect(headers.get('X-RateLimit-Reset')).toBeNull();
  await free.stop();
});

test.each([
  ['space', 'deleteSpace', 'space_id', 20],
  ['pixel', 'deletePixel', 'pixel_ids', 30],
  ['tag', 'deleteTag', 'tag_ids', 40],
] as const)('the loss of its %s counts as a change of a link', async (kind, mutation, field, at) => {
  server.clock.now = minute(at);
  const id = await owner[kind]('To go');
  const link = await owner.link({ [field]: id });
  server.clock.now = minute(at + 1);
  await owner.data(`mutation { ${mutation}(id: ${id}) { __typename } }`);
  const { links } = await owner.data<{ links: { nodes: { id: string; updatedAt: string }[] } }>(
    'query ($since: DateTime) { links(filter: { updatedSince: $since }) { nodes { id updatedAt } } }',
    { since: minute(at + 1).toISOString() },
  );
  expect(links.nodes).toEqual([{ id: String(link.id), updatedAt: minute(at + 1).toISOString() }]);
  server.clock.now = NOON;
});

test('reports a time that is not text as an invalid variable, not as an internal error', async () => {
  const query = 'query ($since: DateTime) { links(filter: { updatedSince: $since }) { totalCount } }';
  const { status, errors } = await owner.graphql(query, { since: 5 });
  expect(status).toBe(400);
  expect(errors?.[0]).toMatchObject({ extensions: { code: 'BAD_REQUEST' } });
});
