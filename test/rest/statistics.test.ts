import { afterAll, beforeAll, expect, test } from 'vitest';
import { plainFields } from '../support/plain-fields.ts';
import { type Caller, NOON, type RestLink, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

let server: TestServer;
let owner: Caller;
let link: RestLink;
const day = NOON.toISOString().slice(0, 10);
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
  link = await owner.link({ title: '=1+1', space_id: await owner.space('@work, "here"') });
  for (const [country, times] of [
    ['DE', 2],
    ['FR', 1],
    ['AT', 1],
  ] as const)
    for (let i = 0; i < times; i++)
      await visit(server.origin, `/${link.alias}`, { headers: { 'X-Country': country } });
  await visit(server.origin, `/${link.alias}`);
  await server.flush();
});
afterAll(() => server.stop());

interface Page {
  data: { value: string; count: number }[];
  meta: { total: number; last_page: number };
  links: { next: string | null };
}

async function stats(query: string): Promise<Page> {
  const { status, body } = await owner.rest('GET', `/stats/${link.id}?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as Page;
}

const rows = ({ data }: Page) => data.map(({ value, count }) => `${value}:${count}`);

const csv = (path: string, caller = owner, headers = {}) =>
  caller.fetch(`/api/v1${path}`, { headers: { Accept: 'text/csv', ...headers } });

test('returns 200 with clicks by day for the last 30 days, including days without clicks', async () => {
  const page = await stats('');
  expect(page.meta).toMatchObject({ total: 30, last_page: 3 });
  expect(page.data[0]).toEqual({ value: day, count: 5 });
  expect(page.data.slice(1).every(({ count }) => count === 0)).toBe(true);
  const inOrder = await stats('sort_by=value&sort=asc&per_page=100');
  expect(inOrder.data.map(({ value }) => value)).toEqual(inOrder.data.map(({ value }) => value).toSorted());
  expect(inOrder.data.at(-1)).toEqual({ value: day, count: 5 });
});

test.each([
  [`name=clicks&from=${day}&to=${day}`, [`${day}:5`]],
  ['name=country', ['DE:2', 'FR:1', 'AT:1', ':1']],
  ['name=country&sort=asc', ['AT:1', 'FR:1', ':1', 'DE:2']],
  ['name=country&sort_by=value&sort=asc', ['AT:1', 'DE:2', 'FR:1', ':1']],
  ['name=country&sort_by=value', ['FR:1', 'DE:2', 'AT:1', ':1']],
  ['name=browser', ['Chrome:5']],
  ['name=platform', ['Windows:5']],
  ['name=device', ['desktop:5']],
  ['name=language', [':5']],
  ['name=referrer', [':5']],
  ['name=destination', ['https://example.com/:5']],
  ['name=country&to=2020-01-01', []],
])('returns 200 for %s', async (query, expected) => {
  expect(rows(await stats(query))).toEqual(expected);
});

test('returns 200 with pages of values, and with hours', async () => {
  const hours = await stats(`name=clicks_hours&from=${day}&to=${day}&per_page=25&sort_by=value&sort=asc`);
  expect(hours.data).toHaveLength(24);
  expect(hours.data.find(({ count }) => count > 0)).toEqual({
    value: `${day} ${String(NOON.getUTCHours()).padStart(2, '0')}:00`,
    count: 5,
  });
  const past = await stats('name=country&page=2');
  expect(past.data).toEqual([]);
  expect(past.meta.total).toBe(4);
});

test.each([
  ['from=yesterday', 'from', 'must be a day, such as 2026-11-21'],
  ['from=2026-02-30', 'from', 'must be a day, such as 2026-11-21'],
  ['to=2026-11-1', 'to', 'must be a day, such as 2026-11-21'],
  ['from=2026-11-02&to=2026-11-01', 'from', 'may not be after to, which is 2026-11-01'],
  ['from=2001-01-01&to=2020-01-01', 'from', 'may be at most 10 years before to'],
  ['name=colour', 'name', 'must be one of clicks, clicks_hours, browser'],
  ['name=clicks_hours&from=2026-01-01&to=2026-03-01', 'name', 'may be hours for at most 31 days, not 60'],
  ['sort_by=clicks', 'sort_by', 'must be one of count, value'],
  ['per_page=1000', 'per_page', 'must be one of 10, 25, 50, 100'],
])('returns 422 for %s', async (query, field, message) => {
  const { status, body } = await owner.rest('GET', `/stats/${link.id}?${query}`);
  expect(status).toBe(422);
  expect(body).toMatchObject({ errors: { [field]: [expect.stringContaining(message)] } });
});

test('returns 404 for a link of another account and for an unknown one, as JSON and as CSV', async () => {
  const stranger = await server.caller('stranger');
  for (const id of [link.id, 999_999, 'x']) {
    expect((await stranger.rest('GET', `/stats/${id}`)).status).toBe(404);
    const refused = await csv(`/stats/${id}`, stranger);
    expect(refused.status).toBe(404);
    expect(await refused.json()).toEqual({ message: 'Resource not found.', status: 404 });
  }
});

test('returns 200 as CSV with all values of a link, unpaged', async () => {
  const response = await csv(`/stats/${link.id}?name=country`);
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(response.headers.get('vary')).toContain('Accept');
  expect(await response.text()).toBe('value,count\r\nDE,2\r\nFR,1\r\nAT,1\r\n,1\r\n');
  const refused = await csv(`/stats/${link.id}?name=colour`);
  expect(refused.status).toBe(422);
  expect(refused.headers.get('content-type')).toBe('application/json; charset=utf-8');
});

test('returns 200 as CSV with more links and spaces than a page, and escapes formulas', async () => {
  const many = await server.caller('many');
  for (let i = 0; i < 105; i++) await many.link({ alias: `m${i}`, title: i === 50 ? '=1+1' : '' });
  await many.space('@work, "here"', { color: 2 });
  const lines = (await (await csv('/links?sort=asc&per_page=10&page=2', many)).text()).split('\r\n');
  expect(lines).toHaveLength(107);
  // Notes came later: new columns are the last ones, for programs that count them.
  const texts = plainFields.map(({ inV1 }) => inV1).filter((one) => one !== 'notes');
  expect(texts).toContain('title');
  expect(lines[0]).toBe(
    `id,url,alias,short_url,${texts.join()},domain_id,space_id,has_password,disabled,privacy,has_privacy_password,expiration_url,expiration_date,expiration_time,expiration_clicks,ends_at,target_type,clicks,last_clicked_at,state,created_at,updated_at,notes,starts_at,archived,redirect_status`,
  );
  expect(lines.slice(1, -1).map((line) => line.split(',')[2])).toEqual(
    Array.from({ length: 105 }, (_, i) => `m${i}`),
  );
  expect(lines[51]).toContain(",'=1+1,");
  const searched = await (await csv('/links?search_by=alias&search=m10', many)).text();
  expect(searched.split('\r\n').slice(1, -1)).toHaveLength(6);
  const [, space] = (await (await csv('/spaces', many)).text()).split('\r\n');
  expect(space).toMatch(/^\d+,"'@work, ""here""",2,/);
});

test('CSV of v1 has no byte order mark, since programs read it', async () => {
  for (const path of ['/links', '/spaces'])
    expect(Buffer.from(await (await csv(path)).arrayBuffer()).subarray(0, 3)).toEqual(Buffer.from('id,'));
});

test.each(['text/csv; charset=utf-8', 'text/csv, application/json;q=0.5'])(
  'returns 200 as CSV for %s',
  async (Accept) => {
    expect((await csv('/links', owner, { Accept })).headers.get('content-type')).toMatch(/^text\/csv/);
  },
);

test('returns 200 as JSON if both types are equally acceptable', async () => {
  for (const accept of ['*/*', 'application/json, text/csv', 'text/html'])
    expect((await csv('/links', owner, { Accept: accept })).headers.get('content-type')).toMatch(/json/);
});
