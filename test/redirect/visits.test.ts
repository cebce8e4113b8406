import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { hashPassword } from '../../src/domain/password.ts';
import { cpuTimeOf } from '../support/cpu-time.ts';
import { type Caller, NOON, type RestLink, startTestServer, type TestServer } from '../support/server.ts';
import { BROWSER, type Visited, type VisitOptions, visit } from '../support/visit.ts';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
});
afterAll(() => server.stop());

const open = (path: string, options?: VisitOptions): Promise<Visited> => visit(server.origin, path, options);

/** The destination of a visit. */
async function destinationOf({ alias }: RestLink, headers: Record<string, string> = {}): Promise<string> {
  const { status, location } = await open(`/${alias}`, { headers });
  return `${status} ${location}`;
}

async function clicksOf({ id }: RestLink): Promise<number> {
  await server.flush();
  const { body } = await owner.rest('GET', `/links/${id}`);
  return (body as { data: { clicks: number } }).data.clicks;
}

const targets = (name: string, entries: [string, string][]) =>
  Object.fromEntries(
    entries.flatMap(([key, path], i) => [
      [`${name}[${i}][key]`, key],
      [`${name}[${i}][value]`, `https://example.com/${path}`],
    ]),
  );

describe('a link', () => {
  test('redirects GET and HEAD to its URL, and the answer is not cacheable', async () => {
    const { alias } = await owner.link({ url: 'https://example.com/there?a=1#x' });
    for (const method of ['GET', 'HEAD']) {
      const { status, location, headers, body } = await open(`/${alias}`, { method });
      expect([status, location, body]).toEqual([302, 'https://example.com/there?a=1#x', '']);
      expect(headers['cache-control']).toBe('private, no-store');
    }
  });

  // What other paths mean is in test/program/alias.test.ts.
  test.each([
    ['/%61bc', 302],
    ['/abc/', 302],
    ['/ABC', 404],
    ['/%ff', 404],
    [`/${'x'.repeat(5000)}`, 404],
    ['/abc?%zz', 302],
    ['/abc.', 302],
    ['/abc%', 302],
    ['/%61bc.?a=1', 302],
    [`/abc${'.'.repeat(2_000)}`, 302],
    ['/%61%62c%F0%9F%91%8D?a=1', 302],
    ['/abc%00', 302],
    ['/abc%2Fmore', 404],
    ['/abc//more', 404],
    ['/%F0%9F%91%8D', 404],
  ])('%s is answered with %i', async (path, status) => {
    await owner.rest('POST', '/links', { url: 'https://example.com/', alias: 'abc' });
    expect((await open(path)).status).toBe(status);
  });

  test('with letters beyond ASCII in its URL redirects with an ASCII header', async () => {
    const link = await owner.link({ url: 'https://bücher.example/ä b?ö=ü#ß' });
    expect(await destinationOf(link)).toBe(
      '302 https://xn--bcher-kva.example/%C3%A4%20b?%C3%B6=%C3%BC#%C3%9F',
    );
  });

  test.each([
    ['https://example.com/', 'utm=1', 'https://example.com/?utm=1'],
    ['https://example.com/?a=1', 'b=2', 'https://example.com/?a=1&b=2'],
    ['https://example.com/?a=1#top', 'a=2&b=2', 'https://example.com/?a=1&b=2#top'],
    ['https://example.com/?%61=x%20y', 'a=2', 'https://example.com/?%61=x%20y'],
    ['https://example.com/?flag', 'flag=1&%66lag=2', 'https://example.com/?flag'],
    ['https://example.com/?a=1&', 'b=2', 'https://example.com/?a=1&b=2'],
    ['https://example.com/?', 'b=2', 'https://example.com/?b=2'],
    ['https://example.com/', 'a=1&a=2', 'https://example.com/?a=1&a=2'],
    ['https://example.com/', '&&', 'https://example.com/'],
    ['https://example.com/', 'q=%C3%A4+b', 'https://example.com/?q=%C3%A4+b'],
  ])('to %s visited with ?%s redirects to %s', async (url, query, expected) => {
    const { alias } = await owner.link({ url });
    expect((await open(`/${alias}?${query}`)).location).toBe(expected);
  });
});

test('a link that keeps its own query forwards none, until it is told to', async () => {
  const { id, alias } = await owner.link({ url: 'https://example.com/?a=1#x', forward_query: 0 });
  expect((await open(`/${alias}?b=2`)).location).toBe('https://example.com/?a=1#x');
  await owner.rest('PATCH', `/links/${id}`, { forward_query: 1 });
  expect((await open(`/${alias}?b=2`)).location).toBe('https://example.com/?a=1&b=2#x');
});

describe('long input of unknown clients takes little time', () => {
  const timeOf = async (path: string, headers: Record<string, string>) => {
    const all = async () => {
      for (let i = 0; i < 20; i++) await open(path, { headers });
    };
    return (await cpuTimeOf(all)) / 20;
  };

  test('a long Accept-Language, for a link with targets for all languages', async () => {
    const languages =
      'aa ab af ak sq am ar an hy as av ae ay az ba bm eu be bn bi bs br bg my ca ch ce ny zh'.split(' ');
    const { alias } = await owner.link({
      target_type: 3,
      ...targets(
        'language',
        languages.map((one) => [one, one]),
      ),
    });
    const wish = Array.from({ length: 1_400 }, (_, i) => `x${String.fromCharCode(97 + (i % 26))}-${i}`).join(
      ',',
    );
    expect(wish.length).toBeGreaterThan(10_000);
    expect(await timeOf(`/${alias}`, { 'Accept-Language': wish })).toBeLessThan(15);
  });

  test('a long query', async () => {
    const { alias } = await owner.link({ url: 'https://example.com/?a=1' });
    expect(await timeOf(`/${alias}?${'b&'.repeat(7_000)}`, {})).toBeLessThan(40);
  });
});

describe('guesses do not evict known links', () => {
  // The cache does not depend on the database.
  test.runIf(inject('database').provider === 'sqlite')('guesses of aliases and of hosts', async () => {
    const links = await Promise.all(Array.from({ length: 20 }, () => owner.link()));
    for (const link of links) await destinationOf(link);
    const names = Array.from({ length: 2_200 }, (_, i) => `guess-${i}`);
    for (let at = 0; at < names.length; at += 100)
      await Promise.all(
        names.slice(at, at + 100).map((name) => open(`/${name}`, { headers: { Host: `${name}.example` } })),
      );
    for (const link of links) expect(await server.statementsOf(() => destinationOf(link))).toEqual([]);
  });
});

describe('an unknown alias', () => {
  test('gets a 404 page that search engines do not index', async () => {
    const { status, headers, body } = await open('/nowhere', { headers: { 'Accept-Language': 'de' } });
    expect([status, headers['x-robots-tag'], headers['cache-control']]).toEqual([
      404,
      'noindex',
      'private, no-store',
    ]);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(body).toContain('<html lang="de">');
    expect(body).toContain('Link nicht gefunden');
  });

  test('and ended links lead to no page of the service', async () => {
    const ended = await Promise.all([
      owner.link({ disabled: 1 }),
      owner.link({ expiration_date: '2026-01-01' }),
      owner.link({ password: 'right' }),
    ]);
    const pages = [await open('/nowhere'), await open('/nowhere/at/all')];
    for (const { alias } of ended) pages.push(await open(`/${alias}`));
    expect(pages.map(({ status }) => status)).toEqual([404, 404, 410, 410, 401]);
    for (const { body } of pages) expect(body).not.toMatch(/<a[ >]/);
  });

  test('on a domain with a not-found URL redirects there', async () => {
    const id = String(await owner.domain('lost.example'));
    const change = `mutation ($id: ID!) { updateDomain(id: $id, input: { notFoundUrl: "https://example.com/lost" }) { __typename } }`;
    await owner.data(change, { id });
    const { status, location } = await open('/nowhere', { headers: { Host: 'lost.example' } });
    expect([status, location]).toEqual([302, 'https://example.com/lost']);
  });

  describe('does not redirect to itself', () => {
    let id: string;
    beforeAll(async () => {
      id = String(await owner.domain('circle.example'));
    });
    test.each([
      ['http://Circle.example/none?x=1', 'circle.example', '/none', 404],
      ['http://circle.example/none', 'circle.example', '/none?y=2', 404],
      ['https://circle.example/none', 'circle.example:443', '/none', 404],
      ['https://circle.example/none', 'circle.example:3000', '/none', 404],
      ['https://circle.example:8443/none', 'circle.example:8443', '/none', 404],
      ['https://circle.example:8443/none', 'circle.example', '/none', 302],
      ['https://circle.example//none', 'circle.example', '//none', 404],
      ['https://circle.example/none', 'circle.example', '/nowhere', 302],
    ])('not-found URL %s, requested at %s%s: returns %i', async (notFoundUrl, host, path, status) => {
      const change = `mutation ($id: ID!, $notFoundUrl: String) {
        updateDomain(id: $id, input: { notFoundUrl: $notFoundUrl }) { __typename }
      }`;
      await owner.data(change, { id, notFoundUrl });
      expect((await open(path, { headers: { Host: host } })).status).toBe(status);
    });
  });

  test.each(['PUT', 'DELETE', 'OPTIONS'])('returns 405 for %s, without a lookup', async (method) => {
    const { status, headers } = await open('/nowhere', { method });
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD, POST']);
  });
});

describe('what was put behind a short URL', () => {
  test('does not belong to an alias that ends with a hyphen or an underscore', async () => {
    await owner.link({ alias: 'end-_' });
    expect((await open('/end-_.')).status).toBe(302);
    expect((await open('/end-.')).status).toBe(404);
  });

  test('does not keep visitors from the password form, which counts the visit', async () => {
    const link = await owner.link({ password: 'right' });
    expect((await open(`/${link.alias}.`)).status).toBe(401);
    expect((await open(`/${link.alias}.`, { form: { password: 'right' } })).status).toBe(303);
    expect((await open(`/${link.alias}.`, { method: 'HEAD' })).status).toBe(401);
    expect(await clicksOf(link)).toBe(1);
  });

  test.each(['+.', '.+', '+%F0%9F%91%8D'])('leads to the page of statistics: %s', async (added) => {
    const { alias } = await owner.link();
    const { status, body } = await open(`/${alias}${added}`);
    expect([status, body.includes(`s.example/${alias}`)]).toEqual([200, true]);
  });

  test('is dropped from a short URL whose link is sought', async () => {
    const { id, alias } = await owner.link();
    const query = 'query ($url: String!) { linkByShortUrl(url: $url) { id } }';
    for (const url of [
      `https://s.example/${alias}.`,
      `s.example/${alias}👍`,
      `\u200Bhttps://s.example/${alias}\uFEFF`,
    ])
      expect(await owner.data(query, { url })).toEqual({ linkByShortUrl: { id: String(id) } });
  });
});

describe('a link to itself', () => {
  const loop = async (form: Record<string, string | number>) => {
    const link = await owner.link(form);
    const url = `https://elsewhere.example/${link.alias}`;
    return { link, url, at: (host: string) => open(`/${link.alias}`, { headers: { Host: host } }) };
  };

  test.each([
    ['a link', {}],
    ['a link with a click limit', { expiration_clicks: 1 }],
    ['a link with a pixel', { pixel_ids: 'new' }],
  ])('shows a page at the host that it leads to, and counts nothing: %s', async (_what, form) => {
    const hasPixel = 'pixel_ids' in form;
    const { link, url, at } = await loop(hasPixel ? { pixel_ids: await owner.pixel() } : form);
    await owner.rest('PATCH', `/links/${link.id}`, { url });
    const { status, headers, body } = await at('elsewhere.example');
    expect([status, headers['x-robots-tag'], headers.location]).toEqual([410, 'noindex', undefined]);
    expect(body).toContain('This link is not available');
    expect(await clicksOf(link)).toBe(0);
    expect((await at('www.elsewhere.example')).status).toBe(hasPixel ? 200 : 302);
    expect(await clicksOf(link)).toBe(1);
  });

  test('shows a page instead of one turn of a rotation, without counting', async () => {
    const { link, url, at } = await loop({ target_type: '4' });
    await owner.rest('PATCH', `/links/${link.id}`, { 'rotation[0][value]': url });
    expect([(await at('elsewhere.example')).status, await clicksOf(link)]).toEqual([410, 0]);
    await owner.rest('PATCH', `/links/${link.id}`, {
      'rotation[0][value]': url,
      'rotation[1][value]': 'https://example.com/',
    });
    for (let i = 0; i < 2; i++) expect((await at('elsewhere.example')).location).toBe('https://example.com/');
    expect(await clicksOf(link)).toBe(2);
  });

  test('is explained', async () => {
    const { link } = await loop({});
    await server.database.prisma.link.update({
      where: { id: link.id },
      data: { url: `https://s.example/${link.alias}` },
    });
    const query = '{ explainRedirect(input: { linkId: LINK }) { outcome destination steps { rule why } } }';
    expect(await owner.data(query.replace('LINK', `"${link.id}"`))).toMatchObject({
      explainRedirect: {
        outcome: 'LOOP',
        destination: null,
        steps: expect.arrayContaining([{ rule: 'LOOP', why: 'It leads to itself.' }]),
      },
    });
  });

  test('is refused under each name of this machine with the service’s port, in every field of both APIs', async () => {
    const port = new URL(server.origin).port;
    const refused = 'may not lead to a short domain of this service';
    const own = [
      ...[
        '127.0.0.1',
        '127.1',
        '127.0.0.2',
        '2130706433',
        '0x7f000001',
        '0177.0.0.1',
        '[::1]',
        '[::ffff:127.0.0.1]',
      ],
      ...['localhost', 'LOCALHOST.', 'a.localhost', '0.0.0.0', '[::]'],
    ].map((host) => `http://${host}:${port}/x`);
    // The port of the base URL.
    own.push('https://localhost/x', 'https://127.0.0.1:443/x');
    const others = [
      'http://localhost:1/',
      'http://127.0.0.1/',
      'http://[::1]:1/',
      `http://example.com:${port}/`,
    ];
    for (const url of own) {
      const { status, body } = await owner.rest('POST', '/links', { url });
      expect([url, status, JSON.stringify(body).includes(refused)]).toEqual([url, 422, true]);
    }
    for (const url of others)
      expect([url, (await owner.rest('POST', '/links', { url })).status]).toEqual([url, 201]);
    const url = `http://127.0.0.1:${port}/x`;
    const { id } = await owner.link();
    const forms: Record<string, string>[] = [
      { url },
      { expiration_url: url },
      { 'country[0][key]': 'DE', 'country[0][value]': url },
      { 'rotation[0][value]': url },
    ];
    for (const form of forms) expect((await owner.rest('PATCH', `/links/${id}`, form)).status).toBe(422);
    const domain =
      'mutation ($url: String) { createDomain(input: { name: "loopback.example", notFoundUrl: $url }) { __typename ... on ValidationError { fields { path messages } } } }';
    expect(await owner.data(domain, { url })).toEqual({
      createDomain: {
        __typename: 'ValidationError',
        fields: [{ path: ['notFoundUrl'], messages: [refused] }],
      },
    });
  });
});

describe('a host', () => {
  test('has links of its own, and an unknown one serves those of the default domain', async () => {
    const domain = await owner.domain('BÜCHER.example');
    const form = { alias: 'same' };
    await owner.link({ ...form, url: 'https://example.com/default' });
    await owner.link({ ...form, url: 'https://example.com/own', domain_id: domain });
    const at = async (headers: Record<string, string>) => (await open('/same', { headers })).location;
    expect(await at({ Host: 'xn--bcher-kva.example' })).toBe('https://example.com/own');
    expect(await at({ Host: 'XN--BCHER-KVA.example:443' })).toBe('https://example.com/own');
    expect(await at({ Host: 'xn--bcher-kva.example.' })).toBe('https://example.com/own');
    expect(await at({ Host: 's.example' })).toBe('https://example.com/default');
    expect(await at({ Host: '127.0.0.1:1' })).toBe('https://example.com/default');
    expect(await at({ Host: 'x'.repeat(300) })).toBe('https://example.com/default');
    // The server trusts the test as a proxy.
    expect(await at({ Host: '127.0.0.1', 'X-Forwarded-Host': 'xn--bcher-kva.example' })).toBe(
      'https://example.com/own',
    );
  });
});

describe('an expired or disabled link', () => {
  test.each([
    ['disabled', { disabled: 1 }, 'This link is switched off'],
    ['past its date', { expiration_date: '2026-11-20', expiration_time: '12:00' }, 'This link has expired'],
    [
      'disabled and past its date, with somewhere else to go',
      { disabled: 1, expiration_date: '2026-01-01', expiration_url: 'https://example.com/over' },
      'This link is switched off',
    ],
  ])('shows a page if it is %s', async (_what, form, text) => {
    const { status, body, headers } = await open(
      `/${(await owner.link(form as Record<string, string>)).alias}`,
    );
    expect([status, headers['x-robots-tag']]).toEqual([410, 'noindex']);
    expect(body).toContain(text);
  });

  test('redirects to its expiration URL past its date', async () => {
    const link = await owner.link({
      expiration_date: '2026-01-01',
      expiration_url: 'https://example.com/over',
    });
    expect(await destinationOf(link)).toBe('302 https://example.com/over');
    expect(await clicksOf(link)).toBe(0);
  });

  test('expires at the exact time', async () => {
    const link = await owner.link({ expiration_date: '2026-11-20', expiration_time: '12:01' });
    expect((await open(`/${link.alias}`)).status).toBe(302);
    server.clock.now = new Date('2026-11-20T12:01:00.000Z');
    expect((await open(`/${link.alias}`)).status).toBe(410);
    server.clock.now = NOON;
  });

  test.each([
    ['curl', {}, { 'User-Agent': 'curl/8.5.0' }],
    ['a crawler', {}, { 'User-Agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' }],
    ['a preview', {}, { 'User-Agent': 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)' }],
    ['a program without a user agent', {}, { 'User-Agent': '' }],
    ['Office', {}, { 'User-Agent': 'Mozilla/4.0 (compatible; ms-office; MSOffice 16)' }],
    ['a prefetch', {}, { 'Sec-Purpose': 'prefetch' }],
    ['HEAD', { method: 'HEAD' }, {}],
  ])(
    'with a click limit does not reveal its destination to %s, and uses no click',
    async (_what, options, headers) => {
      const link = await owner.link({ url: 'https://secret.example/', expiration_clicks: 1 });
      for (let i = 0; i < 3; i++) {
        const {
          status,
          body,
          headers: sent,
        } = await open(`/${link.alias}`, {
          ...options,
          headers: headers as Record<string, string>,
        });
        expect([status, sent['x-robots-tag'], sent.location]).toEqual([200, 'noindex', undefined]);
        expect(body + JSON.stringify(sent)).not.toContain('secret');
      }
      expect(await destinationOf(link)).toBe('302 https://secret.example/');
      expect(await clicksOf(link)).toBe(1);
    },
  );

  test('with a click limit shows previews its title and its host, but not its destination', async () => {
    const domain_id = await owner.domain('previews.example');
    const title = 'Spring <sale> & "more"';
    const form = { url: 'https://secret.example/there', expiration_clicks: 3, domain_id };
    const page = async ({ alias }: RestLink, more: VisitOptions = {}) =>
      visit(server.origin, `/${alias}`, {
        ...more,
        headers: { Host: 'previews.example', 'User-Agent': 'WhatsApp/2.23.20.0', ...more.headers },
      });
    const titled = await page(await owner.link({ ...form, title }));
    expect(titled.status).toBe(200);
    expect(titled.headers['x-robots-tag']).toBe('noindex');
    const escaped = 'Spring &lt;sale&gt; &amp; &quot;more&quot;';
    for (const part of [
      ...[`<title>${escaped}</title>`, `<meta property="og:title" content="${escaped}">`],
      ...['<meta property="og:site_name" content="previews.example">', `<h1><bdi>${escaped}</bdi></h1>`],
    ])
      expect(titled.body).toContain(part);
    const untitled = await page(await owner.link(form), { headers: { 'Accept-Language': 'de' } });
    expect(untitled.body).toContain('<title>Kurzlink</title>');
    // Of a link with a password, a program that gave the password learns no title either.
    const guarded = await owner.link({ ...form, title, password: 'right' });
    const asked = await page(guarded);
    const given = await page(guarded, { form: { password: 'right' } });
    expect([asked.status, given.status]).toEqual([401, 200]);
    for (const { body } of [titled, untitled, asked, given]) {
      expect(body).toMatch(/<meta property="og:title" content="[^"]+">/);
      expect(body).toContain('<p class="host"><bdi>previews.example</bdi></p>');
      expect(body).not.toMatch(/secret\.example|<a /);
    }
    for (const { body } of [asked, given]) expect(body).not.toContain('Spring');
  });

  test('with a click limit redirects that many visitors, and others to the expiration URL', async () => {
    const link = await owner.link({ expiration_clicks: 2, expiration_url: 'https://example.com/over' });
    const answers = [];
    for (let i = 0; i < 4; i++) answers.push(await destinationOf(link));
    expect(answers).toEqual([
      '302 https://example.com/',
      '302 https://example.com/',
      '302 https://example.com/over',
      '302 https://example.com/over',
    ]);
    expect(await clicksOf(link)).toBe(2);
  });
});

test('counts earlier visits toward a new click limit', async () => {
  const link = await owner.link();
  for (let i = 0; i < 3; i++) await destinationOf(link);
  await owner.rest('PATCH', `/links/${link.id}`, { expiration_clicks: 4 });
  const answers = [];
  for (let i = 0; i < 3; i++) answers.push((await open(`/${link.alias}`)).status);
  expect(answers).toEqual([302, 410, 410]);
  expect(await clicksOf(link)).toBe(4);
});

describe('a link with a password', () => {
  test('asks for the password, and does not reveal the destination', async () => {
    const { alias } = await owner.link({
      url: 'https://secret.example/',
      password: 'open sesame',
      title: 'Secret',
    });
    const { status, body, headers, location } = await open(`/${alias}`);
    expect([status, location, headers['x-robots-tag']]).toEqual([401, undefined, 'noindex']);
    expect(headers['cross-origin-opener-policy']).toBe('same-origin');
    expect(body).toContain('type="password"');
    expect(body + JSON.stringify(headers)).not.toMatch(/secret/i);
  });

  test('redirects with 303 for the right password, and counts the click', async () => {
    const link = await owner.link({ password: 'open sesame' });
    const wrong = await open(`/${link.alias}`, { form: { password: 'open' } });
    expect([wrong.status, wrong.location]).toEqual([401, undefined]);
    expect(wrong.headers['cross-origin-opener-policy']).toBe('same-origin');
    expect(wrong.body).toContain('role="alert"');
    const right = await open(`/${link.alias}?a=1`, { form: { password: ' open sesame ' } });
    expect([right.status, right.location]).toEqual([303, 'https://example.com/?a=1']);
    expect(right.headers['cache-control']).toBe('private, no-store');
    expect(await clicksOf(link)).toBe(1);
  });

  test('leads to the target of the visitor’s country for the right password', async () => {
    const { alias } = await owner.link({
      password: 'x',
      target_type: 1,
      ...targets('country', [['DE', 'de']]),
    });
    const headers = { 'X-Country': 'DE' };
    const { status, location } = await open(`/${alias}`, { form: { password: 'x' }, headers });
    expect([status, location]).toEqual([303, 'https://example.com/de']);
  });

  test('that has pixels redirects at once for the right password', async () => {
    const link = await owner.link({ password: 'x', pixel_ids: await owner.pixel() });
    expect((await open(`/${link.alias}`, { form: { password: 'x' } })).status).toBe(303);
  });

  test('accepts five wrong passwords a minute from one address, without affecting other addresses', async () => {
    const { alias } = await owner.link({ password: 'right' });
    const guess = (password: string, address: string) =>
      open(`/${alias}`, { form: { password }, headers: { 'X-Forwarded-For': address } });
    const pause = 'Wrong password. Try again. After five wrong passwords, you have to wait a minute.</p>';
    const answers = [];
    for (let i = 0; i < 6; i++) {
      const { status, body } = await guess(`wrong ${i}`, '192.0.2.1');
      answers.push([status, body.includes(pause)]);
    }
    const told = [401, true];
    expect(answers).toEqual([[401, false], [401, false], told, told, told, [429, false]]);
    const limited = await guess('right', '192.0.2.1');
    expect([limited.status, Number(limited.headers['retry-after'])]).toEqual([429, expect.any(Number)]);
    expect(Number(limited.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect((await guess('right', '192.0.2.2')).status).toBe(303);
  });

  test('treats composed and decomposed letters as equal', async () => {
    const { alias } = await owner.link({ password: 'Caf\u00e9' });
    expect((await open(`/${alias}`, { form: { password: 'Cafe\u0301' } })).status).toBe(303);
    const decomposed = await owner.link({ password: 'Cafe\u0301' });
    expect((await open(`/${decomposed.alias}`, { form: { password: 'Caf\u00e9' } })).status).toBe(303);
  });

  test('accepts composed letters for a hash of an earlier version', async () => {
    const { id, alias } = await owner.link({ password: 'x' });
    const password = await hashPassword('test', 'Cafe\u0301', { N: 2, r: 1, p: 1 });
    await server.database.prisma.link.update({ where: { id }, data: { password } });
    expect((await open(`/${alias}`, { form: { password: 'Caf\u00e9' } })).status).toBe(303);
    expect((await open(`/${alias}`, { form: { password: 'Cafe\u0301' } })).status).toBe(303);
    expect((await open(`/${alias}`, { form: { password: 'Cafe' } })).status).toBe(401);
  });

  test('accepts 128 characters in its form, however many bytes they have', async () => {
    // One character that decomposes into three.
    const { alias } = await owner.link({ password: '\u0390'.repeat(128) });
    const password = '\u0390'.normalize('NFD').repeat(128);
    // Browsers would cut longer input.
    expect((await open(`/${alias}`)).body).not.toMatch(/maxlength/i);
    expect((await open(`/${alias}`, { form: { password } })).status).toBe(303);
  });

  test('accepts thirty wrong passwords a minute from one address over all links', async () => {
    const statuses = [];
    for (let i = 0; i < 31; i++) {
      const { alias } = await owner.link({ password: 'right' });
      const headers = { 'X-Forwarded-For': '192.0.2.77' };
      statuses.push((await open(`/${alias}`, { form: { password: 'wrong' }, headers })).status);
    }
    expect(statuses).toEqual([...Array(30).fill(401), 429]);
  });

  // This does not depend on the database.
  test.runIf(inject('database').provider === 'sqlite')(
    'waits for at most twenty forms from one address, for a limited time',
    async () => {
      const impatient = await startTestServer({ formTimeout: 1_500 });
      onTestFinished(() => impatient.stop());
      const { alias } = await (await impatient.caller()).link({ password: 'right' });
      const { hostname, port } = new URL(impatient.origin);
      const head = `POST /${alias} HTTP/1.1\r\nHost: s.example\r\nContent-Length: 100\r\n\r\n`;
      const slow = Array.from({ length: 25 }, () => connect(Number(port), hostname));
      const early = Promise.withResolvers<string>();
      const answers = slow.map(async (socket) => {
        socket.write(`${head}p`);
        let text = '';
        for await (const chunk of socket) {
          text += chunk;
          early.resolve(text.slice(9, 12));
        }
        return text.slice(9, 12);
      });
      expect(await early.promise).toBe('503');
      const headers = { 'X-Forwarded-For': '192.0.2.8' };
      const form = { password: 'right' };
      expect((await visit(impatient.origin, `/${alias}`, { form, headers })).status).toBe(303);
      expect((await Promise.all(answers)).sort()).toEqual([
        ...Array(20).fill('401'),
        ...Array(5).fill('503'),
      ]);
    },
  );

  describe('passwords sent at the same time from one address', () => {
    const guess = (alias: string, password: string, address: string) =>
      open(`/${alias}`, { form: { password }, headers: { 'X-Forwarded-For': address } }).then(
        ({ status }) => status,
      );

    test('are accepted if right, in any number, also after some wrong ones', async () => {
      const { alias } = await owner.link({ password: 'right' });
      const rightOnes = (count: number) =>
        Promise.all(Array.from({ length: count }, () => guess(alias, 'right', '192.0.2.40')));
      expect(await rightOnes(20)).toEqual(Array(20).fill(303));
      for (let i = 0; i < 4; i++) expect(await guess(alias, 'wrong', '192.0.2.40')).toBe(401);
      expect(await rightOnes(10)).toEqual(Array(10).fill(303));
    });

    test('are accepted if right for many links', async () => {
      const links = await Promise.all(Array.from({ length: 10 }, () => owner.link({ password: 'right' })));
      for (let i = 0; i < 26; i++) {
        const { alias = '' } = links[i % 10] ?? {};
        expect(await guess(alias, 'wrong', '192.0.2.41')).toBe(401);
      }
      expect(await Promise.all(links.map(({ alias }) => guess(alias, 'right', '192.0.2.41')))).toEqual(
        Array(10).fill(303),
      );
    });

    test('are refused if wrong after as many as one after the other', async () => {
      const { alias } = await owner.link({ password: 'right' });
      const wrong = await Promise.all(
        Array.from({ length: 20 }, (_, i) => guess(alias, `wrong ${i}`, '192.0.2.42')),
      );
      expect(wrong.sort()).toEqual([...Array(5).fill(401), ...Array(15).fill(429)]);
      expect(await guess(alias, 'right', '192.0.2.42')).toBe(429);
    });
  });

  test('accepts five wrong passwords a minute from one IPv6 network', async () => {
    const { alias } = await owner.link({ password: 'right' });
    const guess = (address: string) =>
      open(`/${alias}`, { form: { password: 'wrong' }, headers: { 'X-Forwarded-For': address } });
    for (let i = 0; i < 5; i++) expect((await guess(`2001:db8:0:1::${i}`)).status).toBe(401);
    expect((await guess('2001:db8:0:1:ffff::1')).status).toBe(429);
    expect((await guess('2001:db8:0:2::1')).status).toBe(401);
  });

  test('asks again if the form is too large or missing', async () => {
    const { alias } = await owner.link({ password: 'right' });
    expect((await open(`/${alias}`, { form: { password: 'x'.repeat(20_000) } })).status).toBe(401);
    expect((await open(`/${alias}`, { form: {} })).status).toBe(401);
  });
});

describe('targeting', () => {
  test('redirects by country', async () => {
    const link = await owner.link({
      target_type: 1,
      ...targets('country', [
        ['DE', 'de'],
        ['US', 'us'],
        ['xk', 'xk'],
      ]),
    });
    expect(await destinationOf(link, { 'X-Country': 'XK' })).toBe('302 https://example.com/xk');
    expect(await destinationOf(link, { 'X-Country': 'de' })).toBe('302 https://example.com/de');
    expect(await destinationOf(link, { 'X-Country': 'US' })).toBe('302 https://example.com/us');
    expect(await destinationOf(link, { 'X-Country': 'FR' })).toBe('302 https://example.com/');
    expect(await destinationOf(link, { 'X-Country': 'XX' })).toBe('302 https://example.com/');
    expect(await destinationOf(link)).toBe('302 https://example.com/');
  });

  test('redirects by platform, and the hint takes precedence over the user agent', async () => {
    const link = await owner.link({
      target_type: 2,
      ...targets('platform', [
        ['Windows', 'windows'],
        ['OS X', 'mac'],
      ]),
    });
    expect(await destinationOf(link)).toBe('302 https://example.com/windows');
    expect(await destinationOf(link, { 'Sec-CH-UA-Platform': '"macOS"' })).toBe(
      '302 https://example.com/mac',
    );
    expect(await destinationOf(link, { 'Sec-CH-UA-Platform': '"Android"' })).toBe('302 https://example.com/');
  });

  test.each([
    ['de', 'de'],
    ['en-US,en;q=0.9,de;q=0.8', 'en'],
    ['fr;q=0.9,de;q=0.5,en;q=0.4', 'de'],
    ['de;q=0,en;q=0.1', 'en'],
    ['fr', ''],
    ['', ''],
    ['nonsense;;;q=x', ''],
    // A language has the highest weight of its ranges, including regions.
    ['en-US,de;q=0.7,en;q=0.3', 'en'],
    ['de-AT,fr;q=0.9,en;q=0.8', 'de'],
    ['en;q=0.5,DE-de;q=0.6', 'de'],
    // Of equal weights, the first.
    ['de,en', 'de'],
    ['en,de', 'en'],
    // The wildcard.
    ['fr,*;q=0.5', 'en'],
    ['en;q=0,*;q=0.5', 'de'],
    ['*;q=0', ''],
    ['de;q=0,en-US;q=0', ''],
    ['english,den', ''],
  ])('redirects by language: "%s" to /%s', async (wish, path) => {
    const link = await owner.link({
      target_type: 3,
      ...targets('language', [
        ['en', 'en'],
        ['de', 'de'],
      ]),
    });
    expect(await destinationOf(link, { 'Accept-Language': wish })).toBe(`302 https://example.com/${path}`);
  });

  test('redirects by rotation to each URL in turn', async () => {
    const link = await owner.link({
      target_type: 4,
      'rotation[0][value]': 'https://example.com/1',
      'rotation[1][value]': 'https://example.com/2',
      'rotation[2][value]': 'https://example.com/3',
    });
    const seen = [];
    for (let i = 0; i < 7; i++) seen.push((await destinationOf(link)).slice(-1));
    expect(seen.join('')).toBe('1231231');
    expect(await clicksOf(link)).toBe(7);
  });

  test('ignores the lists of other types', async () => {
    const link = await owner.link({ target_type: 0, ...targets('country', [['DE', 'de']]) });
    expect(await destinationOf(link, { 'X-Country': 'DE' })).toBe('302 https://example.com/');
  });
});

describe('a link with pixels', () => {
  let link: RestLink;

  /** The page without its frame, and the document in the frame. */
  const splitBody = (body: string) => {
    const frame = /<iframe hidden sandbox="allow-scripts" srcdoc="([^"]*)"><\/iframe>/;
    const framed = frame.exec(body)?.[1] ?? '';
    const plain = framed.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"');
    return { page: body.replace(frame, ''), framed: plain.replaceAll('&#39;', "'").replaceAll('&amp;', '&') };
  };

  beforeAll(async () => {
    const pixel = await owner.pixel();
    link = await owner.link({ url: 'https://example.com/?a="><script>', pixel_ids: pixel });
    const onDomain = async (name: string, data?: { accountId?: number | null; verifiedAt?: Date | null }) => {
      const domain_id = await owner.domain(name);
      await owner.link({ alias: link.alias, domain_id, pixel_ids: pixel });
      if (data) await server.database.prisma.domain.update({ where: { id: domain_id }, data });
    };
    await owner.domain('pixels-on-a-port.example:8080');
    await onDomain('pixels.example');
    await onDomain('pixels-of-all.example', { accountId: null });
    await onDomain('pixels-unverified.example', { verifiedAt: null });
    const { id: accountId } = await server.database.prisma.account.create({
      data: { name: 'another', createdAt: NOON },
    });
    await onDomain('pixels-of-another.example', { accountId });
  });

  test('gets a page that fires them, redirects by itself and has a plain link', async () => {
    const { status, body, headers } = await open(`/${link.alias}`);
    expect([status, headers['x-robots-tag'], headers['cache-control']]).toEqual([
      200,
      'noindex',
      'private, no-store',
    ]);
    const nonce = /'nonce-([^']+)'/.exec(String(headers['content-security-policy']))?.[1];
    const { page, framed } = splitBody(body);
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page.split(`nonce="${nonce}"`)).toHaveLength(3);
    expect(framed.match(/<script/g)).toHaveLength(1);
    expect(framed).toContain(`<script nonce="${nonce}">`);
    expect(framed).toContain("gtag('config', id)");
    expect(framed).toContain('"AW-1"');
    expect(body).toContain('href="https://example.com/?a=%22%3E%3Cscript%3E"');
    const again = await open(`/${link.alias}`);
    expect(again.headers['content-security-policy']).not.toBe(headers['content-security-policy']);
  });

  test.each([
    ['s.example', true],
    ['elsewhere.example', true],
    ['pixels.example:99999', true],
    ['pixels.example,s.example', true],
    // Links of the default domain, since the host without the port is none of its own.
    ['pixels-on-a-port.example', true],
    ['pixels-of-all.example', true],
    ['pixels-of-another.example', true],
    // It serves visitors with DOMAIN_VERIFICATION=off.
    ['pixels-unverified.example', true],
    ['pixels.example', false],
    ['Pixels.Example.:8443', false],
  ])(
    'runs their scripts in a frame on all but a verified domain of the account: %s',
    async (host, isApart) => {
      const { status, headers, body } = await open(`/${link.alias}`, { headers: { Host: host } });
      const { page, framed } = splitBody(body);
      expect(status).toBe(200);
      expect([page.includes('gtag'), framed.includes('gtag')]).toEqual([!isApart, isApart]);
      // In a group with pages for passwords, scripts outside a frame would keep hold of one that they open.
      expect(headers['cross-origin-opener-policy']).toBe(isApart ? 'same-origin' : undefined);
    },
  );

  test.each([
    ['DNT', { DNT: '1' }],
    ['Sec-GPC', { 'Sec-GPC': '1' }],
    ['a program', { 'User-Agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' }],
  ])('redirects at once for %s', async (_what, headers) => {
    expect((await open(`/${link.alias}`, { headers })).status).toBe(302);
  });
});

describe('clicks', () => {
  test.each([
    ['a browser', {}, 1],
    ['a browser that declines tracking', { DNT: '1' }, 1],
    ['a crawler', { 'User-Agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' }, 0],
    ['a preview', { 'User-Agent': 'WhatsApp/2.23.20.0' }, 0],
    ['a preview of another', { 'User-Agent': 'facebookexternalhit/1.1' }, 0],
    ['a program without a user agent', { 'User-Agent': '' }, 0],
    ['a prefetch', { 'Sec-Purpose': 'prefetch;prerender' }, 0],
    ['a prefetch of earlier browsers', { Purpose: 'prefetch' }, 0],
    ['a prefetch of Firefox', { 'X-Moz': 'prefetch' }, 0],
    ['a preview of Safari', { 'X-Purpose': 'preview' }, 0],
  ])('are counted for %s: %i', async (_what, headers, expected) => {
    const link = await owner.link();
    await open(`/${link.alias}`, { headers: headers as Record<string, string> });
    expect(await clicksOf(link)).toBe(expected);
  });

  test('are counted for the page with pixels, but not for HEAD or other pages', async () => {
    const pixels = await owner.link({ pixel_ids: await owner.pixel() });
    await open(`/${pixels.alias}`);
    const head = await owner.link();
    await open(`/${head.alias}`, { method: 'HEAD' });
    const disabled = await owner.link({ disabled: 1 });
    await open(`/${disabled.alias}`);
    const guarded = await owner.link({ password: 'x' });
    await open(`/${guarded.alias}`);
    expect(await Promise.all([pixels, head, disabled, guarded].map(clicksOf))).toEqual([1, 0, 0, 0]);
  });

  test('of a link with a limit are not used up by uncounted visits', async () => {
    const link = await owner.link({ expiration_clicks: 1 });
    await open(`/${link.alias}`, { method: 'HEAD' });
    await open(`/${link.alias}`, { headers: { 'User-Agent': 'Googlebot/2.1' } });
    expect([(await open(`/${link.alias}`)).status, (await open(`/${link.alias}`)).status]).toEqual([
      302, 410,
    ]);
  });

  test.each([
    ['a link', {}],
    ['a link that ends by clicks', { expiration_clicks: 9 }],
  ])('of %s set the time of the last click, but not that of the last change', async (_what, form) => {
    const link = await owner.link(form);
    expect(link.last_clicked_at).toBeNull();
    for (const time of ['13:00:00.000Z', '13:30:00.500Z']) {
      server.clock.now = new Date(`2026-11-20T${time}`);
      await open(`/${link.alias}`);
      await server.flush();
    }
    server.clock.now = NOON;
    expect((await owner.rest('GET', `/links/${link.id}`)).body).toMatchObject({
      data: { clicks: 2, last_clicked_at: '2026-11-20T13:30:00.500Z', updated_at: NOON.toISOString() },
    });
    expect(await owner.data(`{ link(id: ${link.id}) { lastClickedAt } }`)).toEqual({
      link: { lastClickedAt: '2026-11-20T13:30:00.500Z' },
    });
  });
});

test('of other links are still counted if one link is at its counter’s maximum', async () => {
  const [full, other] = [await owner.link(), await owner.link()];
  await server.database.prisma.linkCounter.update({
    where: { linkId: full.id },
    data: { clicks: Number.MAX_SAFE_INTEGER },
  });
  await Promise.all([destinationOf(full), destinationOf(other), destinationOf(other)]);
  await clicksOf(other);
  const counters = await server.database.prisma.linkCounter.findMany({
    where: { linkId: { in: [full.id, other.id] } },
    orderBy: { linkId: 'asc' },
  });
  expect(counters.map(({ clicks }) => clicks)).toEqual([Number.MAX_SAFE_INTEGER, 2]);
});

test('continue a rotation at its counter’s maximum', async () => {
  const link = await owner.link({
    target_type: 4,
    'rotation[0][value]': 'https://example.com/1',
    'rotation[1][value]': 'https://example.com/2',
  });
  const end = { clicks: Number.MAX_SAFE_INTEGER, turns: Number.MAX_SAFE_INTEGER };
  await server.database.prisma.linkCounter.update({ where: { linkId: link.id }, data: end });
  const seen = new Set();
  for (let i = 0; i < 4; i++) seen.add(await destinationOf(link));
  expect(seen).toEqual(new Set(['302 https://example.com/1', '302 https://example.com/2']));
});

test('a visitor who disconnects while sending the password causes no internal error', async () => {
  const { alias } = await owner.link({ password: 'right' });
  const { hostname, port } = new URL(server.origin);
  const headers = {
    Host: 's.example',
    'Content-Length': '100',
    'Content-Type': 'application/x-www-form-urlencoded',
  };
  const broken = request({ hostname, port, path: `/${alias}`, method: 'POST', headers });
  broken.on('error', () => {});
  await new Promise((sent) => broken.write('password=ri', sent));
  broken.destroy();
  await expect.poll(() => server.log.find(({ path }) => path === `/${alias}`)).toMatchObject({ status: 499 });
  expect(server.log.filter(({ err }) => err)).toEqual([]);
});

test('does not fire a stored pixel whose value does not fit its network', async () => {
  const id = await owner.pixel();
  const link = await owner.link({ pixel_ids: id });
  await server.database.prisma.pixel.update({
    where: { id },
    data: { type: 'GOOGLE_ANALYTICS', value: 'GTM-ABC123' },
  });
  const { status, body } = await open(`/${link.alias}`);
  expect(status).toBe(200);
  expect(body).not.toContain('GTM-ABC123');
});

describe('a change of a link', () => {
  test('applies to the next visit', async () => {
    expect((await open('/fresh')).status).toBe(404);
    const link = await owner.link({ alias: 'fresh' });
    expect(await destinationOf(link)).toBe('302 https://example.com/');
    await owner.rest('PATCH', `/links/${link.id}`, { url: 'https://example.com/2' });
    expect(await destinationOf(link)).toBe('302 https://example.com/2');
    const pixel = await owner.pixel();
    await owner.rest('PATCH', `/links/${link.id}`, { pixel_ids: pixel });
    expect((await open('/fresh')).status).toBe(200);
    await owner.data('mutation ($id: ID!) { deletePixel(id: $id) { __typename } }', { id: pixel });
    expect((await open('/fresh')).status).toBe(302);
    await owner.rest('PATCH', `/links/${link.id}`, { alias: 'renamed' });
    expect([(await open('/fresh')).status, (await open('/renamed')).status]).toEqual([404, 302]);
    await owner.rest('DELETE', `/links/${link.id}`);
    expect((await open('/renamed')).status).toBe(404);
  });

  test('by another process applies within a second', async () => {
    const other = await startTestServer({ url: server.databaseUrl, background: true });
    try {
      const elsewhere = async (path: string) => (await visit(other.origin, path)).location;
      const link = await owner.link({ alias: 'shared' });
      expect(await elsewhere('/shared')).toBe('https://example.com/');
      await owner.rest('PATCH', `/links/${link.id}`, { url: 'https://example.com/2' });
      await expect.poll(() => elsewhere('/shared')).toBe('https://example.com/2');
      expect(await elsewhere('/later')).toBeUndefined();
      await owner.link({ alias: 'later' });
      await expect.poll(() => elsewhere('/later')).toBe('https://example.com/');
      await owner.rest('DELETE', `/links/${link.id}`);
      await expect.poll(() => elsewhere('/shared')).toBeUndefined();
    } finally {
      await other.stop();
    }
  });

  test('is not polled by visits: a cached link costs no statement', async () => {
    const link = await owner.link();
    await destinationOf(link);
    expect(await server.statementsOf(() => destinationOf(link))).toEqual([]);
  });
});

test.each([
  ['/favicon.ico', 200],
  ['/robots.txt', 200],
  ['/livez', 200],
])('serves %s itself, not as a link', async (path, status) => {
  expect((await open(path, { headers: { 'User-Agent': BROWSER } })).status).toBe(status);
});
