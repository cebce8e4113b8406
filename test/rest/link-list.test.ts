import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, type RestLink, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
const ids: Record<string, number> = {};

interface List {
  data: RestLink[];
  links: Record<string, string | null>;
  meta: Record<string, unknown>;
}

async function list(query: string, caller = owner): Promise<List> {
  const { status, body } = await caller.rest('GET', `/links?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as List;
}

const aliasesOf = async (query: string) => (await list(query)).data.map(({ alias }) => alias);

beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller('owner');
  await (await server.caller('stranger')).link({ alias: 'foreign', title: 'Apple' });
  ids.space = await owner.space('Space');
  ids.other = await owner.space('Other');
  ids.domain = await owner.domain('go.example');
  ids.pixel = await owner.pixel();
  await owner.link({ alias: 'one', title: 'banana', url: 'https://example.com/B', space_id: ids.space });
  await owner.link({ alias: 'Two', title: 'Apple', url: 'https://example.com/c', space_id: ids.space });
  await owner.link({ alias: 'three', url: 'https://example.com/A', disabled: 1 });
  await owner.link({ alias: 'four', title: 'apple', url: 'https://example.org/', pixel_ids: ids.pixel });
  await owner.link({
    alias: 'FIVE',
    title: '100% Äpfel_1',
    url: 'https://example.org/',
    domain_id: ids.domain,
  });
  await owner.link({
    alias: 'six',
    title: 'cherry',
    expiration_date: '2026-11-20',
    expiration_time: '12:00',
  });
  await owner.link({
    alias: 'seven',
    title: '\u{10ffff}',
    expiration_date: '2026-11-20',
    expiration_time: '12:01',
  });
  await owner.link({ alias: 'eight', expiration_clicks: 3, space_id: ids.other });
  await owner.link({ alias: 'nine', expiration_clicks: 2, expiration_date: '2026-01-01', disabled: 1 });
  const clicked = (alias: string, clicks: number) =>
    server.database.prisma.linkCounter.updateMany({ where: { link: { alias } }, data: { clicks } });
  await clicked('eight', 3);
  await clicked('one', 2);
});
afterAll(() => server.stop());

const all = ['nine', 'eight', 'seven', 'six', 'FIVE', 'four', 'three', 'Two', 'one'];

describe('GET /links', () => {
  test.each([
    ['', all],
    ['sort=asc', [...all].reverse()],
    ['search=APPLE', ['four', 'Two']],
    ['search=%C3%A4PF', ['FIVE']],
    ['search=100%25', ['FIVE']],
    ['search=_', ['FIVE']],
    ['search=', all],
    ['search=nothing', []],
    ['search=E&search_by=alias', ['nine', 'eight', 'seven', 'FIVE', 'three', 'one']],
    ['search=example.ORG&search_by=url', ['FIVE', 'four']],
    ['search=apple&search_by=title', ['four', 'Two']],
    ['status=0', all],
    ['status=1', ['seven', 'FIVE', 'four', 'Two', 'one']],
    ['status=2', ['eight', 'six']],
    ['status=3', ['nine', 'three']],
    ['space_id=0', ['nine', 'seven', 'six', 'FIVE', 'four', 'three']],
    ['space_id=', all],
    ['space_id=999999', []],
    ['domain_id=999999', []],
    ['sort_by=clicks', ['eight', 'one', 'nine', 'seven', 'six', 'FIVE', 'four', 'three', 'Two']],
    ['sort_by=clicks&sort=asc', ['Two', 'three', 'four', 'FIVE', 'six', 'seven', 'nine', 'one', 'eight']],
    ['sort_by=title&sort=asc', ['FIVE', 'Two', 'four', 'one', 'six', 'seven', 'three', 'eight', 'nine']],
    ['sort_by=title', ['seven', 'six', 'one', 'four', 'Two', 'FIVE', 'nine', 'eight', 'three']],
    ['sort_by=alias&sort=asc', ['eight', 'FIVE', 'four', 'nine', 'one', 'seven', 'six', 'three', 'Two']],
    ['sort_by=url&sort=asc', ['six', 'seven', 'eight', 'nine', 'three', 'one', 'Two', 'four', 'FIVE']],
    ['status=1&search=apple&sort_by=alias', ['Two', 'four']],
  ])('returns 200 for %s', async (query, expected) => {
    expect(await aliasesOf(query)).toEqual(expected);
    expect((await list(query)).meta).toMatchObject({ total: expected.length });
  });

  test('returns 200 for the links of a space, a domain and a pixel', async () => {
    expect(await aliasesOf(`space_id=${ids.space}`)).toEqual(['Two', 'one']);
    expect(await aliasesOf(`domain_id=${ids.domain}`)).toEqual(['FIVE']);
    expect(await aliasesOf(`pixel_id=${ids.pixel}`)).toEqual(['four']);
    expect(await aliasesOf(`space_id=${ids.space}&domain_id=${ids.domain}`)).toEqual([]);
    expect((await list(`space_id=${ids.space}`)).meta).toMatchObject({ total: 2 });
  });

  test('shows each link like a single request, its status included', async () => {
    const { data } = await list('');
    for (const link of data)
      expect((await owner.rest('GET', `/links/${link.id}`)).body).toEqual({ data: link, status: 200 });
    expect(Object.fromEntries(data.map(({ alias, state }) => [alias, state]))).toEqual({
      one: 1,
      Two: 1,
      three: 3,
      four: 1,
      FIVE: 1,
      six: 2,
      seven: 1,
      eight: 2,
      nine: 3,
    });
  });

  test('moves a link from active to expired when its time comes', async () => {
    const before = server.clock.now;
    server.clock.now = new Date('2026-11-20T12:00:59.999Z');
    expect(await aliasesOf('status=2')).toEqual(['eight', 'six']);
    server.clock.now = new Date('2026-11-20T12:01:00.000Z');
    expect(await aliasesOf('status=2')).toEqual(['eight', 'seven', 'six']);
    server.clock.now = before;
  });

  test('keeps the parameters in page links', async () => {
    const crowd = await server.caller('crowd');
    for (let i = 0; i < 12; i++) await crowd.link({ title: `Link ${i}` });
    const { data, links, meta } = await list('search=link&page=2&per_page=10', crowd);
    const path = `${server.origin}/api/v1/links`;
    expect(data.map(({ title }) => title)).toEqual(['Link 1', 'Link 0']);
    const page = (number: number) => `${path}?search=link&page=${number}&per_page=10`;
    expect(links).toEqual({ first: page(1), last: page(2), prev: page(1), next: null });
    expect(meta).toEqual({ current_page: 2, from: 11, last_page: 2, path, per_page: 10, to: 12, total: 12 });
  });

  test.each(['id', 'clicks', 'title', 'alias', 'url'])(
    'returns 200 with an empty page far past the end, by %s',
    async (sort) => {
      const { data, meta } = await list(`page=2147483647&per_page=100&sort_by=${sort}`);
      expect([data, meta.total]).toEqual([[], all.length]);
    },
  );

  test.each([
    ['search_by=name', 'search_by', 'must be one of title, alias, url'],
    ['status=4', 'status', 'must be one of 0, 1, 2, 3'],
    ['space_id=x', 'space_id', 'must be the id of one of your spaces'],
    ['domain_id=0', 'domain_id', 'must be the id of a domain that you may use'],
    ['pixel_id=-1', 'pixel_id', 'must be the id of one of your pixels'],
    ['sort_by=state', 'sort_by', 'must be one of id, clicks, title, alias, url'],
    ['sort=up', 'sort', 'must be one of desc, asc'],
    ['per_page=20', 'per_page', 'must be one of 10, 25, 50, 100'],
    ['page=0', 'page', 'must be a whole number from 1 to 2147483647'],
    ['space_id[0]=1', 'space_id', 'must be a single value'],
  ])('returns 422 for %s', async (query, field, message) => {
    const { status, body } = await owner.rest('GET', `/links?${query}`);
    const sentence = `The ${field} field ${message}.`;
    expect({ status, body }).toEqual({
      status: 422,
      body: { message: sentence, errors: { [field]: [sentence] }, status: 422 },
    });
  });
});
