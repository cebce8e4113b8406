import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { planOf } from '../support/plan.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let few: Caller;
let many: Caller;
/** Creates spaces, each with two links that fire a pixel. */
async function fill(caller: Caller, count: number): Promise<void> {
  const domain = await caller.domain(`${count}.example`);
  for (let i = 0; i < count; i++) {
    const space = await caller.space(`Space ${i}`);
    const pixel = await caller.pixel(`Pixel ${i}`);
    for (const domain_id of [domain, 1])
      await caller.link({ title: `Link ${i}`, space_id: space, domain_id, pixel_ids: pixel });
  }
}

/** A search of links on SQLite asks for candidates first; PostgreSQL finds them in the same statement. */
const forSearch = inject('database').provider === 'sqlite' ? 1 : 0;

const wholeLink = 'id title shortUrl domain { name } space { name } pixels { name } status';

beforeAll(async () => {
  server = await startTestServer();
  few = await server.caller('few');
  many = await server.caller('many');
  await fill(few, 2);
  await fill(many, 25);
});
afterAll(() => server.stop());

test.each([
  ['a page over REST', 1, (caller: Caller) => caller.rest('GET', '/spaces?per_page=25')],
  [
    'a searched page over REST',
    1,
    (caller: Caller) => caller.rest('GET', '/spaces?per_page=25&search=space&sort_by=name'),
  ],
  [
    'a page with its total',
    1,
    (caller: Caller) => caller.data('{ spacePage(perPage: 25) { total items { id name color } } }'),
  ],
  [
    'a connection',
    1,
    (caller: Caller) =>
      caller.data('{ spaces(first: 20) { edges { node { id name } } pageInfo { hasNextPage } } }'),
  ],
  [
    'a connection with its total',
    2,
    (caller: Caller) => caller.data('{ spaces(first: 20) { totalCount edges { node { id } } } }'),
  ],
  ['a page of links over REST', 1, (caller: Caller) => caller.rest('GET', '/links?per_page=25')],
  [
    'a searched and filtered page of links over REST',
    1 + forSearch,
    (caller: Caller) => caller.rest('GET', '/links?per_page=25&search=link&status=1&sort_by=title'),
  ],
  [
    'links of their own fields alone',
    1,
    (caller: Caller) => caller.data('{ links(first: 20) { edges { node { id title status } } } }'),
  ],
  [
    'links with all that belongs to them',
    1,
    (caller: Caller) => caller.data(`{ links(first: 20) { edges { node { ${wholeLink} } } } }`),
  ],
  [
    'the links of each space',
    3,
    (caller: Caller) =>
      caller.data(
        '{ spaces { edges { node { id links(first: 5) { totalCount edges { node { id title } } } } } } }',
      ),
  ],
  [
    'the links of each space, searched, with all that belongs to them',
    3 + forSearch,
    (caller: Caller) =>
      caller.data(
        `{ spaces { edges { node { id links(first: 5, filter: { search: "link" }) {
          totalCount edges { node { ${wholeLink} } }
        } } } } }`,
      ),
  ],
])('reads %s with %i statement(s), for 2 and for 20 spaces', async (_what, expected, read) => {
  for (const caller of [few, many]) {
    // The first search of an account examines a sample of its links, too.
    await read(caller);
    expect(await server.statementsOf(() => read(caller))).toHaveLength(expected);
  }
});

test('creating or changing a link takes a check and a transaction of three statements, and one for the values of a change', async () => {
  const created = await few.link();
  const pixel_ids = await few.pixel();
  const own = async (request: () => Promise<unknown>) =>
    (await server.statementsOf(request)).filter((one) => !/^(BEGIN|COMMIT)/.test(one));
  expect(await own(() => few.link())).toHaveLength(4);
  expect(await own(() => few.link({ pixel_ids }))).toHaveLength(5);
  expect(await own(() => few.rest('PATCH', `/links/${created.id}`, { title: 'Changed' }))).toHaveLength(5);
});

test.runIf(inject('database').provider === 'sqlite').each([
  ['a filter', 'filter: { status: ACTIVE }'],
  ['a search that no index serves', 'filter: { search: "zq" }'],
  ['an order within a space', 'filter: { spaceId: 1 }, orderBy: { field: TITLE }'],
])('runs scans by %s one after the other, with pauses for other work', async (_what, of) => {
  const fields = ['a', 'b', 'c'].map((alias) => `${alias}: links(${of}) { edges { node { id } } }`);
  expect(await server.statementsOf(() => few.data(`{ ${fields.join(' ')} }`))).toHaveLength(3);
});

test("returns the total of all of an account's links without counting rows", async () => {
  const statements = await server.statementsOf(() =>
    many.data('{ linkPage { total } links { totalCount } }'),
  );
  expect(statements.join()).not.toMatch(/count\s*\(/i);
});

test('counts the links of a space once in an operation, however often its total is selected', async () => {
  const fields = Array.from(
    { length: 20 },
    (_, index) => `a${index}: space(id: $id) { links { totalCount } }`,
  );
  const { spaces } = await many.data<{ spaces: { nodes: { id: string }[] } }>(
    '{ spaces(first: 1) { nodes { id } } }',
  );
  const statements = await server.statementsOf(() =>
    many.data(`query ($id: ID!) { ${fields.join(' ')} }`, { id: spaces.nodes[0]?.id }),
  );
  expect(statements.join().match(/count\s*\(/gi)).toHaveLength(1);
});

test('keeps the total correct through creations and deletions', async () => {
  const id = await few.space('One more');
  expect(await few.data('{ spacePage { total } }')).toEqual({ spacePage: { total: 3 } });
  await few.rest('DELETE', `/spaces/${id}`);
  await few.rest('DELETE', `/spaces/${id}`);
  expect(await few.data('{ spacePage { total } }')).toEqual({ spacePage: { total: 2 } });
});

test('keeps the total correct during concurrent writes', async () => {
  const busy = await server.caller('busy');
  const ids = await Promise.all(Array.from({ length: 20 }, (_, index) => busy.space(`Space ${index}`)));
  await Promise.all(ids.slice(0, 5).map((id) => busy.rest('DELETE', `/spaces/${id}`)));
  expect(await busy.data('{ spacePage { total } }')).toEqual({ spacePage: { total: 15 } });
});

test('keeps totals of links correct as they are created, moved and deleted', async () => {
  const caller = await server.caller('mover');
  const [a, b] = [await caller.space('A'), await caller.space('B')];
  const totals = async () => {
    const total = async (query: string) => {
      const { body } = await caller.rest('GET', `/links${query}`);
      return (body as { meta: { total: number } }).meta.total;
    };
    return [await total(''), await total(`?space_id=${a}`), await total(`?space_id=${b}`)];
  };
  const links = await Promise.all(Array.from({ length: 6 }, () => caller.link({ space_id: a })));
  expect(await totals()).toEqual([6, 6, 0]);
  const move = (index: number, space: number | '') =>
    caller.rest('PATCH', `/links/${links[index]?.id}`, { space_id: space });
  await Promise.all([move(0, b), move(1, b), move(2, '')]);
  await Promise.all([move(0, a), move(3, b)]);
  expect(await totals()).toEqual([6, 3, 2]);
  await caller.rest('DELETE', `/links/${links[0]?.id}`);
  expect(await totals()).toEqual([5, 2, 2]);
  await caller.rest('DELETE', `/spaces/${b}`);
  expect(await totals()).toEqual([5, 2, 0]);
});

test('a change without references looks up nothing', async () => {
  const { id } = await few.link();
  const lookupsOf = async (change: Record<string, string | number>) => {
    const statements = await server.statementsOf(() => few.rest('PATCH', `/links/${id}`, change));
    return statements.filter((one) => one.includes('AS "kind"') && !one.startsWith('INSERT')).length;
  };
  expect(await lookupsOf({ title: 'New' })).toBe(0);
  expect(await lookupsOf({ space_id: await few.space('New') })).toBe(1);
});

/** The parts of the query plan that concern links. */
async function linkPlanOf(statement: string): Promise<string[]> {
  const plan = await planOf(server.database, statement);
  return plan.filter((step) => /^(SEARCH|SCAN) Link(Counter)?\b/.test(step));
}

test.runIf(inject('database').provider === 'sqlite')(
  'counts the links that a search finds by their ids, not among all of the account',
  async () => {
    await few.link({ title: 'A needle' });
    const statements = await server.statementsOf(() =>
      few.data('{ linkPage(filter: { search: "needle" }) { total items { title } } }'),
    );
    const plan = await linkPlanOf(statements.at(-1) ?? '');
    expect(plan).toHaveLength(2);
    for (const step of plan) expect(step).toContain('USING INTEGER PRIMARY KEY');
  },
);

const narrowed = ['spaceId: "1"', 'domainId: "1"', 'pixelId: "1"', 'withoutSpace: true', 'status: ACTIVE'];
const orders = ['ID', 'TITLE', 'ALIAS', 'URL', 'CLICKS'];

test
  .runIf(inject('database').provider === 'sqlite')
  .each(narrowed.flatMap((filter) => orders.map((field) => [filter, field] as const)))(
  'looks for links filtered by %s and ordered by %s only among those of the account',
  async (filter, field) => {
    const statements = await server.statementsOf(() =>
      few.data(
        `{ links(first: 5, filter: { ${filter} }, orderBy: { field: ${field} }) { totalCount edges { node { id } } } }`,
      ),
    );
    const plans = await Promise.all(statements.filter((one) => one.includes('FROM "Link"')).map(linkPlanOf));
    expect(plans.flat().length).toBeGreaterThan(0);
    for (const step of plans.flat())
      expect(step).toMatch(
        /^SEARCH Link(Counter)? USING ((COVERING )?INDEX \w+ \(accountId=\?|INTEGER PRIMARY KEY \(rowid=\?)/,
      );
    for (const plan of plans) expect(plan[0]).toMatch(/\(accountId=\?/);
  },
);
