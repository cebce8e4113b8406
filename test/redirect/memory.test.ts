import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, type RestLink, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

let server: TestServer;
let other: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer({ background: true });
  other = await startTestServer({ url: server.databaseUrl, background: true });
  owner = await server.caller();
});
afterAll(async () => {
  await other.stop();
  await server.stop();
});

const open = ({ alias }: Pick<RestLink, 'alias'>, on = server, host = 's.example') =>
  visit(on.origin, `/${alias}`, { headers: { Host: host } });
/** The number of statements of a visit, which shows whether the link was cached. */
const cost = async (link: Pick<RestLink, 'alias'>, on = server) =>
  (await on.statementsOf(() => open(link, on))).filter((sql) => /FROM "(public"\.")?(Link|Domain)"/.test(sql))
    .length;

test('a link costs one statement at its first visit, and none afterwards', async () => {
  await open(await owner.link());
  const link = await owner.link({
    pixel_ids: `${await owner.pixel()},${await owner.pixel()}`,
    password: 'x',
  });
  expect(await cost(link)).toBe(1);
  expect(await cost(link)).toBe(0);
});

test('links take no more memory than LINK_CACHE_MB allows', async () => {
  const small = await startTestServer({ url: server.databaseUrl, background: true, linkCacheMegabytes: 1 });
  // Each takes about 80 kB.
  const address = `https://example.com/${'x'.repeat(2_000)}`;
  const targets = Array.from({ length: 20 }, (_, i) => [`rotation[${i}][value]`, address]);
  const links: RestLink[] = [];
  for (let i = 0; i < 15; i++) links.push(await owner.link(Object.fromEntries(targets)));
  const nobody = { alias: '' };
  const [first = nobody, last = nobody] = [links[0], links.at(-1)];
  for (const link of links) await open(link, small);
  expect([await cost(last, small), await cost(first, small)]).toEqual([0, 1]);
  await small.stop();
});

test('rules take no more memory than LINK_CACHE_MB allows', async () => {
  const small = await startTestServer({ url: server.databaseUrl, background: true, linkCacheMegabytes: 1 });
  // Each takes about 64 kB as JSON, and several times that in memory.
  const values = Array.from({ length: 100 }, (_, i) => `${i}`);
  const when = Array.from({ length: 10 }, (_, i) => ({ query: { name: `${i}`, in: values } }));
  const rules = Array.from({ length: 12 }, () => ({ when, to: [{ url: 'https://example.com/' }] }));
  const links: { alias: string }[] = [];
  for (let i = 0; i < 3; i++) {
    const { createLink } = await owner.data<{ createLink: { alias: string } }>(
      'mutation ($input: CreateLinkInput!) { createLink(input: $input) { ... on Link { alias } } }',
      { input: { url: 'https://example.com/', rules } },
    );
    links.push(createLink);
  }
  const nobody = { alias: '' };
  const [first = nobody, last = nobody] = [links[0], links.at(-1)];
  for (const link of links) await open(link, small);
  expect([await cost(last, small), await cost(first, small)]).toEqual([0, 1]);
  await small.stop();
});

test.each([
  ['a link', 's.example', 'Link'],
  ['an unknown host', 'unknown.example', 'Domain'],
])('simultaneous first visits of %s send one statement', async (_what, host, table) => {
  // This visit reads the default domain.
  await open({ alias: 'nobody' }, server, 'other.example');
  await open(await owner.link());
  const link = await owner.link();
  const sent = await server.statementsOf(() =>
    Promise.all(Array.from({ length: 20 }, () => open(link, server, host))),
  );
  expect(sent.filter((sql) => new RegExp(`FROM .*\\b${table}\\b`).test(sql))).toHaveLength(1);
});

test.each([
  ['a new link', () => owner.link()],
  ['a new space', () => owner.space('New')],
  [
    'another link’s new title',
    async () => owner.rest('PATCH', `/links/${(await owner.link()).id}`, { title: 'x' }),
  ],
  ['another link’s end', async () => owner.rest('DELETE', `/links/${(await owner.link()).id}`)],
  ['another account’s link', async () => (await server.caller('other')).link()],
  [
    'another pixel',
    async () =>
      owner.data(`mutation { updatePixel(id: ${await owner.pixel()}, input: { name: "x" }) { __typename } }`),
  ],
  ['a new domain', () => owner.domain(`d${Math.random().toString(36).slice(2)}.example`)],
])('%s keeps unrelated links in the cache', async (_what, change) => {
  const link = await owner.link();
  await open(link);
  await change();
  // After a new domain, any host is looked up again.
  await open(await owner.link());
  expect(await cost(link)).toBe(0);
});

const changes: [string, (link: RestLink, pixel: number) => Promise<unknown>][] = [
  ['its URL', (link) => owner.rest('PATCH', `/links/${link.id}`, { url: 'https://example.com/new' })],
  ['its pixels', (link) => owner.rest('PATCH', `/links/${link.id}`, { pixel_ids: '' })],
  [
    'a pixel of it',
    (_link, pixel) =>
      owner.data(`mutation { updatePixel(id: ${pixel}, input: { value: "AW-9" }) { __typename } }`),
  ],
  [
    'a pixel that goes',
    (_link, pixel) => owner.data(`mutation { deletePixel(id: ${pixel}) { __typename } }`),
  ],
];

test.each(changes)(
  'a change of %s applies at once in this process, and within a second in others',
  async (_what, change) => {
    const pixel = await owner.pixel();
    const link = await owner.link({ pixel_ids: pixel });
    const before = (await open(link)).body;
    expect((await open(link, other)).body.length).toBe(before.length);
    await change(link, pixel);
    const plain = (page: string) => page.replaceAll(/\b[\da-f]{32}\b/g, 'nonce');
    const shown = async (on: TestServer) => {
      const { status, body, location } = await open(link, on);
      return [status, location, plain(body)];
    };
    const here = await shown(server);
    expect(here).not.toEqual([200, undefined, plain(before)]);
    await expect.poll(() => shown(other)).toEqual(here);
  },
);

test('deleting a link and creating one with its alias applies at once here, and within a second in other processes', async () => {
  const link = await owner.link({ url: 'https://example.com/1' });
  await Promise.all([open(link), open(link, other)]);
  await owner.rest('DELETE', `/links/${link.id}`);
  expect((await open(link)).status).toBe(404);
  await expect.poll(async () => (await open(link, other)).status).toBe(404);
  await owner.link({ alias: link.alias, url: 'https://example.com/2' });
  expect((await open(link)).location).toBe('https://example.com/2');
  await expect.poll(async () => (await open(link, other)).location).toBe('https://example.com/2');
});

test('a former alias of a link returns 404, also after a visit by its new alias', async () => {
  for (let i = 0; i < 5; i++) {
    const link = await owner.link({ alias: `old-${i}` });
    await open(link);
    await other.callerWith(owner.key).rest('PATCH', `/links/${link.id}`, { alias: `new-${i}` });
    await open({ alias: `new-${i}` });
    await expect.poll(async () => (await open(link)).status).toBe(404);
  }
});
