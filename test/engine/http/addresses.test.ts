import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type Caller, startTestServer, type TestServer } from '../../support/server.ts';
import { visit } from '../../support/visit.ts';

let server: TestServer;
let caller: Caller;
beforeAll(async () => {
  server = await startTestServer();
  caller = await server.caller();
});
afterAll(() => server.stop());
afterEach(() => vi.unstubAllGlobals());

/** The texts that any parser of URLs gets during the work. */
async function parsedDuring(work: () => Promise<unknown>): Promise<string[]> {
  const seen: string[] = [];
  const Native = URL;
  class Counted extends Native {
    constructor(input: string | URL, base?: string | URL) {
      seen.push(String(input));
      super(input, base);
    }
    static override parse(input: string | URL, base?: string | URL): URL | null {
      seen.push(String(input));
      return Native.parse(input, base);
    }
    static override canParse(input: string | URL, base?: string | URL): boolean {
      seen.push(String(input));
      return Native.canParse(input, base);
    }
  }
  vi.stubGlobal('URL', Counted);
  await work();
  vi.unstubAllGlobals();
  return seen;
}

let made = 0;
/** An address that no other test has. */
const address = (length = 0) => `https://bücher-${++made}.example/`.padEnd(length, 'x');

const CREATE = 'mutation ($inputs: [CreateLinkInput!]!) { createLinks(inputs: $inputs) { __typename } }';
const CHECK = '{ checkLinks(inputs: $inputs) { code } }';
const IMPORT =
  'mutation ($text: String!, $format: ImportFormat!) { importLinks(text: $text, format: $format) { results { status } } }';

const inputWith = (urls: readonly string[]) => ({
  url: urls[0],
  expiration: { url: urls[1] },
  targeting: { type: 'ROTATION', rotation: urls.slice(2, 4), countries: [{ country: 'DE', url: urls[4] }] },
});

test.each<[string, (urls: readonly string[]) => Promise<unknown>]>([
  ['createLinks', (urls) => caller.data(CREATE, { inputs: [inputWith(urls)] })],
  [
    'checkLinks',
    (urls) =>
      caller.data(`query ($inputs: [CreateLinkInput!]!) ${CHECK}`, {
        inputs: [inputWith(urls), inputWith(urls)],
      }),
  ],
  [
    'createLinks with reuse',
    (urls) => caller.data(CREATE, { inputs: [{ ...inputWith(urls), reuse: true }] }),
  ],
  [
    'a change',
    async (urls) => {
      const { id } = await caller.link();
      await caller.data(
        'mutation ($inputs: [UpdateLinksInput!]!) { updateLinks(inputs: $inputs) { __typename } }',
        { inputs: [{ id, input: inputWith(urls) }] },
      );
    },
  ],
  [
    'v1',
    ([url = '', expiration_url = '', first = '', second = '', third = '']) =>
      caller.link({
        url,
        expiration_url,
        target_type: 4,
        'rotation[0][value]': first,
        'rotation[1][value]': second,
        'country[0][key]': 'DE',
        'country[0][value]': third,
      }),
  ],
  ['importLinks', (urls) => caller.data(IMPORT, { text: `url\n${urls.join('\n')}`, format: 'CSV' })],
  [
    'createWebhook',
    ([url]) =>
      caller.data(
        'mutation ($url: String!) { createWebhook(input: { url: $url, events: [LINK_CREATED] }) { ... on CreatedWebhook { webhook { url warning } } } }',
        { url },
      ),
  ],
  [
    'createDomain',
    ([url]) =>
      caller.data('mutation ($input: CreateDomainInput!) { createDomain(input: $input) { __typename } }', {
        input: { name: `n${made}.example`, rootUrl: url, notFoundUrl: url },
      }),
  ],
  [
    'linkByShortUrl',
    ([url]) => caller.data('query ($url: String!) { linkByShortUrl(url: $url) { id } }', { url }),
  ],
  [
    'a refused address',
    (urls) =>
      caller.data(`query ($inputs: [CreateLinkInput!]!) ${CHECK}`, {
        inputs: urls.map((url) => ({ url: `${url}\u0007` })),
      }),
  ],
])('parses each address of a request once: %s', async (_what, send) => {
  const urls = Array.from({ length: 5 }, (_, index) => address(index === 0 ? 1_900 : 0));
  const seen = await parsedDuring(() => send(urls));
  const hosts = urls.map((url) => /bücher-\d+/.exec(url)?.[0] ?? '');
  const counts = hosts.map((host) => seen.filter((text) => text.includes(`${host}.`)).length);
  expect(Math.max(...counts)).toBeLessThanOrEqual(1);
});

/** Hosts of 253 characters, decoded, and of one more. */
const labels = (count: number) =>
  'abcdefghij'
    .repeat(30)
    .slice(0, count)
    .replace(/.{60}(?=.)/g, (label) => `${label.slice(0, 59)}.`);
const longest = labels(253);
const escaped = (host: string) => host.replace(/[a-j]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
const tooLong = [
  labels(254),
  escaped(labels(254)),
  '你'.repeat(254),
  encodeURIComponent('你'.repeat(254)),
  '\u3316'.repeat(60),
  '你'.repeat(64),
  labels(2_000),
];

/** The host in what a parser got, decoded as it decodes it. */
function hostIn(text: string): string {
  const [, host = ''] = /^(?:[a-z]+:)?\/\/(?:[^/?#]*@)?([^/?#]*)/i.exec(text) ?? [];
  return decodeURIComponent(host.replace(/:\d*$/, '')).normalize('NFKC');
}

test.each(tooLong.map((host) => [`${host.slice(0, 20)}… of ${host.length}`, host]))(
  'no parser sees the host %s',
  async (_what, host) => {
    const url = `https://${host}/`;
    const inHeader = /[^\x20-\x7e]/.test(host) ? null : host;
    const sent: Promise<unknown>[] = [];
    const seen = await parsedDuring(async () => {
      const { checkLinks } = await caller.data<{ checkLinks: unknown[] }>(
        `query ($inputs: [CreateLinkInput!]!) { checkLinks(inputs: $inputs) { fields { path messages } } }`,
        {
          inputs: [
            { url },
            { url: 'https://example.com/', targeting: { rotation: [`https://user:pass@${host}:8080/a`] } },
          ],
        },
      );
      const wrong = expect.arrayContaining(['has an invalid host or port']);
      expect(checkLinks).toEqual([
        { fields: [{ path: ['url'], messages: wrong }] },
        { fields: [{ path: ['targeting', 'rotation', '0'], messages: wrong }] },
      ]);
      expect(
        await caller.data('query ($url: String!) { linkByShortUrl(url: $url) { id } }', { url: `${host}/a` }),
      ).toEqual({ linkByShortUrl: null });
      for (const query of [
        'mutation ($text: String!) { createDomain(input: { name: $text }) { ... on ValidationError { fields { path } } } }',
        'mutation ($text: String!) { createWebhook(input: { url: $text, events: [LINK_CREATED] }) { ... on ValidationError { fields { path } } } }',
      ])
        expect(Object.values(await caller.data<object>(query, { text: host }))).toMatchObject([
          { fields: [{}] },
        ]);
      const { errors } = await caller.graphql(
        'mutation ($text: String!) { importLinks(text: "https://example.com/", format: LINES, domainMap: [{ from: $text, to: "s.example" }]) { unusedColumns } }',
        { text: host },
      );
      expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION' } }]);
      await caller.data(IMPORT, {
        text: JSON.stringify([{ url, alias: 'a', domain: host, short_url: url }]),
        format: 'CSV',
      });
      sent.push(caller.fetch(`/tls/ask?domain=${encodeURIComponent(host)}`));
      if (inHeader !== null) {
        sent.push(visit(server.origin, '/nothing', { headers: { 'X-Forwarded-Host': inHeader } }));
        sent.push(visit(server.origin, '/nothing', { headers: { Referer: `https://${inHeader}/` } }));
        sent.push(visit(server.origin, `http://${inHeader}/nothing`));
        sent.push(visit(server.origin, '/auth/session', { headers: { Origin: `https://${inHeader}` } }));
        sent.push(
          visit(server.origin, '/graphql', {
            headers: { Host: inHeader, Authorization: `Bearer ${caller.key}` },
          }),
        );
      }
      await Promise.all(sent);
    });
    expect(seen.filter((text) => hostIn(text).length > 253 || /[^.]{64}/.test(hostIn(text)))).toEqual([]);
    expect((await caller.fetch(`/tls/ask?domain=${encodeURIComponent(host)}`)).status).toBe(404);
  },
);

test('takes a host of 253 characters, also escaped and with a port', async () => {
  const { checkLinks } = await caller.data<{ checkLinks: unknown[] }>(
    `query ($inputs: [CreateLinkInput!]!) { checkLinks(inputs: $inputs) { message } }`,
    { inputs: [longest, escaped(longest), `${longest}:8080`].map((host) => ({ url: `https://${host}/` })) },
  );
  expect(checkLinks).toEqual([null, null, null]);
  const { createDomain } = await caller.data<{ createDomain: object }>(
    'mutation ($name: String!) { createDomain(input: { name: $name }) { ... on Domain { name } } }',
    { name: longest },
  );
  expect(createDomain).toEqual({ name: longest });
  const asked = await caller.fetch(`/tls/ask?domain=${escaped(longest)}`);
  expect(asked.status).toBe(200);
});

test('a link with a longer host, made by an earlier version, still leads there', async () => {
  const { id, alias } = await caller.link();
  const url = `https://${'ü'.repeat(300)}.example/ä?q`;
  await server.database.prisma.link.update({ where: { id }, data: { url } });
  const answer = await visit(server.origin, `/${alias}?a=1`);
  expect([answer.status, answer.location]).toEqual([302, `${encodeURI(url)}&a=1`]);
});
