import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Person, signedIn } from '../support/person.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

let server: TestServer;
let owner: Caller;
let viewer: Person;
let id: number;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
  ({ id } = await owner.link({ title: '=1+1 ü', alias: 'one' }));
  await owner.link({ title: 'Two', alias: 'two', disabled: 1 });
  viewer = await signedIn(server, 1, 'VIEWER');
});
afterAll(() => server.stop());

const download = (body: object, headers: Record<string, string> = {}): Promise<Response> =>
  viewer.fetch('/auth/download', {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json', ...headers },
  });
const ofV1 = async (path: string) =>
  (await owner.fetch(`/api/v1${path}`, { headers: { Accept: 'text/csv' } })).text();

test.each([
  ['links', {}, '/links'],
  ['links', { search: 'two', search_by: 'alias' }, '/links?search=two&search_by=alias'],
])('sends %s with %o as v1 does, with a byte order mark', async (kind, parameters, path) => {
  const response = await download({ kind, ...parameters });
  expect([response.status, response.headers.get('content-disposition')]).toEqual([
    200,
    `attachment; filename="${kind}.csv"`,
  ]);
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(bytes.toString('utf8')).toBe(`\ufeff${await ofV1(path)}`);
});

describe('of statistics', () => {
  let space: number;
  let tag: number;
  beforeAll(async () => {
    space = await owner.space('Été & Sölden');
    tag = await owner.tag('日本');
    const { alias, id } = await owner.link({ alias: 'visited', space_id: space });
    await owner.data(`mutation { updateLink(id: ${id}, input: { addTagIds: [${tag}] }) { __typename } }`);
    for (const country of ['DE', 'DE', 'FR'])
      await visit(server.origin, `/${alias}`, { headers: { 'X-Country': country } });
    await visit(server.origin, `/${alias}`, { headers: { 'User-Agent': 'curl/8' } });
    await server.flush();
  });

  const days = ['Day,Clicks,From,To', '2026-11-19,0', '2026-11-20,3'];
  test.each([
    [() => ({}), 'statistics-days', days],
    [() => ({ space_id: space }), 'statistics-ete-solden-days', days],
    [() => ({ tag_id: tag }), 'statistics-tag-1-days', days],
    [() => ({ name: 'country' }), 'statistics-country', ['Country,Clicks,From,To', 'Germany,2', 'France,1']],
    [
      () => ({ space_id: space, name: 'links' }),
      'statistics-ete-solden-links',
      ['Short URL,Title,Clicks,Visitors,From,To', 'https://s.example/visited,,3,1'],
    ],
    [
      () => ({ name: 'links', before_from: '2026-11-20', before_to: '2026-11-20' }),
      'statistics-links',
      [
        'Short URL,Title,Clicks,Visitors,Clicks before,Change in %,From,To',
        'https://s.example/visited,,3,1,3,0',
      ],
    ],
    [
      () => ({ name: 'referrer' }),
      'statistics-referrer',
      ['Referring site,Clicks,From,To', 'Direct or unknown,3'],
    ],
    [() => ({ link_id: id, name: 'country' }), 'statistics-one-country', ['Country,Clicks,From,To']],
  ])('has columns and a name that say what it is: %#', async (parameters, name, [head, ...rows]) => {
    const period = { from: '2026-11-19', to: '2026-11-20' };
    const response = await download({ kind: 'statistics', labels: true, ...period, ...parameters() });
    expect([response.headers.get('content-disposition'), await response.text()]).toEqual([
      `attachment; filename="${name}-2026-11-19-to-2026-11-20.csv"`,
      [head, ...rows.map((row) => `${row},2026-11-19,2026-11-20`), ''].join('\r\n'),
    ]);
  });

  test.each([
    ['clicks_hours', '2026-11-20 12:00,3'],
    ['referrer', ',3'],
  ])('has v1’s columns without labels: %s', async (name, row) => {
    const body = { kind: 'statistics', from: '2026-11-20', to: '2026-11-20', name };
    const lines = (await (await download(body)).text()).split('\r\n');
    expect(lines.filter((line) => !line.includes(':00,0'))).toEqual(['value,count', row, '']);
  });
});

test('sends the links of a filter of GraphQL in words for people', async () => {
  const { createSpace, createTag } = await owner.data<Record<string, { id: string }>>(`mutation {
    createSpace(input: { name: "Café" }) { ... on Space { id } }
    createTag(input: { name: "Spring" }) { ... on Tag { id } }
  }`);
  const [space_id, tag] = [createSpace?.id ?? '', createTag?.id ?? ''];
  await owner.rest('PATCH', `/links/${id}`, { space_id, 'tag_ids[]': tag });
  const response = await download({
    ...{ kind: 'links', orderBy: { field: 'UPDATED_AT', direction: 'ASC' } },
    filter: { search: 'cafe spring', searchBy: 'ANYWHERE' },
  });
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="links-2026-11-20.csv"');
  const [header = '', line = '', ...others] = (await response.text()).trimEnd().split(/\r?\n/);
  const column = (name: string) => line.split(',')[header.split(',').indexOf(name)];
  const names = [
    'Short URL',
    'Space',
    'Tags',
    'Status',
    'Privacy',
    'Has password',
    'Destinations',
    'Created at',
    'Expires at',
  ];
  expect([names.map(column), others]).toEqual([
    [
      ...['https://s.example/one', 'Café', 'Spring', 'Active', 'Everybody', 'no', 'The same for everybody'],
      ...['2026-11-20 12:00', ''],
    ],
    [],
  ]);
  const ordered = await download({ kind: 'links', orderBy: { field: 'ALIAS', direction: 'DESC' } });
  expect((await ordered.text()).split(/\r?\n/, 1)).toEqual([header]);
});

test.each([
  [{ kind: 'spaces' }, 422, 'VALIDATION', 'kind'],
  [{ kind: 'links', sort: 'sideways' }, 422, 'VALIDATION', 'sort'],
  [{ kind: 'links', search: ['x'] }, 422, 'VALIDATION', 'search'],
  [{ kind: 'links', filter: { nothing: 1 } }, 422, 'VALIDATION', 'filter'],
  [{ kind: 'statistics', link_id: 999 }, 404, 'NOT_FOUND', undefined],
  [{ kind: 'statistics', space_id: 'x' }, 404, 'NOT_FOUND', undefined],
])('refuses %o', async (body, status, code, field) => {
  const response = await download(body);
  const { error } = (await response.json()) as { error: { code: string; field?: string } };
  expect([response.status, error.code, error.field]).toEqual([status, code, field]);
});

test.each([
  [{ kind: 'links', search: 'x'.repeat(2_001) }, 'search may have at most 2000 characters.'],
  [{ kind: 'links', search: ['x'] }, 'search must be a text.'],
  [{ kind: 'statistics', name: 'links', before_from: '2026-11-20' }, 'The before_to field is required.'],
  [{ kind: 'statistics', name: 'links', before_to: '2026-11-20' }, 'The before_from field is required.'],
  [{ kind: 'statistics', link_id: 'x'.repeat(2_001) }, 'link_id may have at most 2000 characters.'],
])('says in words what is wrong: %#', async (body, message) => {
  const { error } = (await (await download(body)).json()) as { error: { message: string } };
  expect(error.message).toBe(message);
});

test('is for the account that the request names, and not for another site', async () => {
  await server.caller('other');
  expect((await download({ kind: 'links' }, { 'X-Account': '2' })).status).toBe(403);
  expect((await download({ kind: 'links' }, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
});
