import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
const NAMES = [
  'beta',
  'Alpha',
  'alpha',
  '100% sure',
  'a_b',
  'axb',
  'back\\slash',
  'Straße',
  'ÉCOLE',
  'Zulu',
  'école',
  'ΟΔΟΣ',
];
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
  for (const name of NAMES) await owner.space(name);
});
afterAll(() => server.stop());

interface List {
  data: { id: number; name: string }[];
  links: Record<string, string | null>;
  meta: Record<string, unknown>;
}

async function list(query: string, caller = owner): Promise<List> {
  const { status, body } = await caller.rest('GET', `/spaces${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as List;
}

const names = async (query: string) => (await list(query)).data.map(({ name }) => name);

test('returns 200 with the newest first, ten a page, with links and meta', async () => {
  const { body } = await owner.rest('GET', '/spaces?');
  const path = `${server.origin}/api/v1/spaces`;
  expect(body).toEqual({
    data: expect.any(Array),
    links: { first: `${path}?page=1`, last: `${path}?page=2`, prev: null, next: `${path}?page=2` },
    meta: { current_page: 1, from: 1, last_page: 2, path, per_page: 10, to: 10, total: 12 },
    status: 200,
  });
  expect((body as List).data.map(({ name }) => name)).toEqual(NAMES.toReversed().slice(0, 10));
});

test('returns 200 for the last page, whose links keep every parameter', async () => {
  const { links, meta, data } = await list('?page=2&sort=asc&unknown=a%26b&search=');
  expect(data.map(({ name }) => name)).toEqual(NAMES.slice(10));
  const url = new URL(links.prev ?? '');
  expect(Object.fromEntries(url.searchParams)).toEqual({
    page: '1',
    sort: 'asc',
    unknown: 'a&b',
    search: '',
  });
  expect(links.next).toBeNull();
  expect(meta).toMatchObject({ current_page: 2, from: 11, to: 12 });
});

test.each(['3', '2147483647'])('returns 200 without data for page %s, past the end', async (page) => {
  const { data, meta, links } = await list(`?page=${page}`);
  expect([data, meta.from, meta.to, meta.last_page, meta.total, links.next]).toEqual([
    [],
    null,
    null,
    2,
    12,
    null,
  ]);
});

test('returns 200 with last page 1 for an empty list', async () => {
  const stranger = await server.caller('stranger');
  const { data, meta } = await list('', stranger);
  expect([data, meta.last_page, meta.total, meta.from]).toEqual([[], 1, 0, null]);
});

describe('sort', () => {
  const folded = [
    '100% sure',
    'a_b',
    'Alpha',
    'alpha',
    'axb',
    'back\\slash',
    'beta',
    'Straße',
    'Zulu',
    'ÉCOLE',
    'école',
    'ΟΔΟΣ',
  ];

  test('by name ignores case, and breaks ties by id', async () => {
    expect(await names('?sort_by=name&sort=asc&per_page=25')).toEqual(folded);
  });

  test('descending also reverses ties', async () => {
    expect(await names('?sort_by=name&sort=desc&per_page=25')).toEqual(folded.toReversed());
  });

  test('by id follows the order of creation', async () => {
    expect(await names('?sort_by=id&sort=asc&per_page=25')).toEqual(NAMES);
  });
});

describe('search', () => {
  test.each([
    ['LPH', ['Alpha', 'alpha']],
    ['École', ['ÉCOLE', 'école']],
    ['e\u0301cole', ['ÉCOLE', 'école']],
    ['strasse', ['Straße']],
    ['οδος', ['ΟΔΟΣ']],
    ['οδοσ', ['ΟΔΟΣ']],
    ['%', ['100% sure']],
    ['_', ['a_b']],
    ['\\', ['back\\slash']],
    ['a%b', []],
    ['  beta ', ['beta']],
    ["' OR 1=1 --", []],
    ['x'.repeat(2_048), []],
  ])('finds the text %j literally', async (text, expected) => {
    expect(await names(`?sort=asc&search_by=name&search=${encodeURIComponent(text)}`)).toEqual(expected);
  });

  test('counts the matches', async () => {
    expect((await list('?search=alpha')).meta).toMatchObject({ total: 2, last_page: 1, to: 2 });
  });
});

test.each([
  ['sort_by=color', { sort_by: ['The sort_by field must be one of id, name.'] }],
  ['sort=up', { sort: ['The sort field must be one of desc, asc.'] }],
  ['search_by=title', { search_by: ['The search_by field must be one of name.'] }],
  ['per_page=20', { per_page: ['The per_page field must be one of 10, 25, 50, 100.'] }],
  ['page=0', { page: ['The page field must be a whole number from 1 to 2147483647.'] }],
  ['page=one', { page: ['The page field must be a whole number from 1 to 2147483647.'] }],
  ...['01', '+2', '1.0', '1e1', '-0', '0x1'].map((page): [string, Record<string, string[]>] => [
    `page=${encodeURIComponent(page)}`,
    { page: ['The page field must be a whole number from 1 to 2147483647.'] },
  ]),
  ['per_page=025', { per_page: ['The per_page field must be one of 10, 25, 50, 100.'] }],
  ['search=%00', { search: ['The search field may not contain null characters or broken surrogate pairs.'] }],
  [
    'page=-1&per_page=x&sort=ASC',
    {
      sort: ['The sort field must be one of desc, asc.'],
      per_page: ['The per_page field must be one of 10, 25, 50, 100.'],
      page: ['The page field must be a whole number from 1 to 2147483647.'],
    },
  ],
])('returns 422 for %s', async (query, errors) => {
  const { status, body } = await owner.rest('GET', `/spaces?${query}`);
  expect([status, body]).toEqual([422, { message: Object.values(errors)[0]?.[0], errors, status: 422 }]);
});

test('never shows spaces of another account', async () => {
  const stranger = await server.caller('another');
  const id = await stranger.space('alpha of another');
  expect((await list('', stranger)).data.map((space) => space.id)).toEqual([id]);
  expect(await names('?search=another')).toEqual([]);
  expect((await list('')).meta.total).toBe(12);
});
