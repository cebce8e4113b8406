import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyHost } from '../../src/domain/short-domain/admin.ts';
import { halves, pngOf } from '../support/images.ts';
import { type Caller, NOON, type RestLink, startTestServer, type TestServer } from '../support/server.ts';
import { type VisitOptions, visit } from '../support/visit.ts';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
});
afterAll(() => server.stop());

const SLACK = 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)';
const IMAGE = `data:image/png;base64,${pngOf(halves()).toString('base64')}`;

interface Created {
  id: string;
  alias: string;
  domain: { name: string };
  preview: { imageUrl: string | null };
}

/** Creates a link with a preview. */
async function create(preview: object, more: object = {}, caller = owner): Promise<Created> {
  const { createLink } = await caller.data<{ createLink: Created }>(
    `mutation ($input: CreateLinkInput!) {
      createLink(input: $input) { ... on Link { id alias domain { name } preview { imageUrl } } }
    }`,
    { input: { url: 'https://shop.example/shoes?size=42', preview, ...more } },
  );
  return createLink;
}

/** Opens a link as a program that shows previews. */
const open = (
  { alias, domain }: Created,
  { headers, ...options }: VisitOptions = {},
  { origin } = server,
): ReturnType<typeof visit> =>
  visit(origin, `/${alias}`, {
    ...options,
    headers: { Host: domain.name, 'User-Agent': SLACK, ...headers },
  });

/** The contents of the page's tags for previews, by their names. */
const tagsOf = (body: string): Record<string, string> =>
  Object.fromEntries(
    Array.from(
      body.matchAll(/<meta (?:property|name)="([^"]+)" content="([^"]*)">/g),
      ([, name, content]) => [name, content],
    ),
  );

describe('a link with a preview', () => {
  test('gives programs that show previews a page with it', async () => {
    const link = await create({ title: 'Shoes', description: 'Half price', image: IMAGE });
    const { status, headers, body } = await open(link);
    expect([status, headers['x-robots-tag'], headers['cache-control'], headers.location]).toEqual([
      200,
      'noindex',
      'private, no-store',
      undefined,
    ]);
    expect(tagsOf(body)).toEqual({
      viewport: expect.any(String),
      'og:title': 'Shoes',
      'og:description': 'Half price',
      'og:image': link.preview.imageUrl,
      'og:url': `https://s.example/${link.alias}`,
      'og:site_name': 's.example',
      'og:type': 'website',
      description: 'Half price',
      'twitter:card': 'summary_large_image',
    });
    expect(body).toContain('<a class="on" href="https://shop.example/shoes?size=42" rel="noreferrer">');
    const asked = await open({ ...link, alias: `${link.alias}?ref=a` });
    expect(asked.body).toContain('href="https://shop.example/shoes?size=42&amp;ref=a"');
    expect(body).not.toMatch(/<script|http-equiv|onload/i);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    const head = await open(link, { method: 'HEAD' });
    expect([head.status, head.body]).toEqual([200, '']);
  });

  test('leads everybody else to its destination', async () => {
    const link = await create({ title: 'Shoes' });
    const google = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
    for (const headers of [
      { 'User-Agent': google },
      { 'User-Agent': 'Mozilla/5.0 (X11) Gecko/1 Firefox/140.0' },
    ])
      expect(await open(link, { headers })).toMatchObject({
        status: 302,
        location: 'https://shop.example/shoes?size=42',
      });
  });

  test('is a link as any other to those programs without one, and once it is cleared', async () => {
    const { alias } = await owner.link();
    const plain = { id: '', alias, domain: { name: 's.example' }, preview: { imageUrl: null } };
    expect((await open(plain)).status).toBe(302);
    const link = await create({ title: 'Shoes' });
    expect((await open(link)).status).toBe(200);
    await owner.data('mutation ($id: ID!) { updateLink(id: $id, input: { preview: null }) { __typename } }', {
      id: link.id,
    });
    expect((await open(link)).status).toBe(302);
  });

  test('has its own title by default, and neither tag nor text for what is missing', async () => {
    const link = await create({ description: 'Half price' }, { title: 'Shoes of 2026' });
    const { body } = await open(link);
    expect(tagsOf(body)).toMatchObject({ 'og:title': 'Shoes of 2026', 'twitter:card': 'summary' });
    expect(body).not.toContain('og:image');
    expect(body).not.toContain('<img');
  });

  test('escapes what its texts say', async () => {
    const text = `"><script>alert(1)</script><meta http-equiv='refresh' content='0;url=//evil.example'>&`;
    const link = await create({ title: text, description: text }, { url: `https://shop.example/"><script>` });
    const { body } = await open(link);
    expect(body).not.toMatch(/<script|http-equiv='/);
    expect(tagsOf(body)['og:title']).toContain('&quot;&gt;&lt;script&gt;');
    expect(body).toContain('href="https://shop.example/%22%3E%3Cscript%3E"');
  });

  test.each([
    ['a password', { password: 'secret' }],
    ['a click limit', { expiration: { clicks: 5 } }],
  ])('does not reveal its destination with %s', async (_name, more) => {
    const link = await create({ title: 'Shoes' }, { ...more, title: 'Private title' });
    const { status, body } = await open(link);
    expect(status).toBe(200);
    expect(tagsOf(body)['og:title']).toBe('Shoes');
    expect(body).not.toContain('shop.example');
    expect(body).not.toContain('Private title');
  });

  test.each([
    ['is disabled', { disabled: true }, 410],
    ['has expired', { expiration: { at: '2020-01-01T00:00:00Z' } }, 410],
  ])('shows none if it %s', async (_name, more, expected) => {
    const { status, body } = await open(await create({ title: 'Shoes' }, more));
    expect(status).toBe(expected);
    expect(body).not.toContain('Shoes');
  });

  test("counts such a visit as a bot's", async () => {
    const link = await create({ title: 'Shoes' });
    await open(link);
    await open(link, { method: 'HEAD' });
    await server.flush();
    const { link: counted } = await owner.data<{ link: { clicks: number; statistics: { bots: number } } }>(
      `{ link(id: "${link.id}") { clicks statistics { bots } } }`,
    );
    expect(counted).toEqual({ clicks: 0, statistics: { bots: 1 } });
  });

  test('is explained', async () => {
    const explain = async (linkId: string, userAgent: string) => {
      const { explainRedirect } = await owner.data<{
        explainRedirect: { outcome: string; steps: { rule: string; applied: boolean; why: string }[] };
      }>(
        `query ($input: ExplainRedirectInput!) { explainRedirect(input: $input) { outcome steps { rule applied why } } }`,
        { input: { linkId, userAgent } },
      );
      const { outcome, steps } = explainRedirect;
      return { outcome, ...steps.find(({ rule }) => rule === 'PREVIEW') };
    };
    const link = await create({ title: 'Shoes' }, { password: 'secret' });
    const shows = 'The visitor is a program that shows previews, and gets that of the link.';
    expect(await explain(link.id, SLACK)).toEqual({
      ...{ outcome: 'PREVIEW', rule: 'PREVIEW', applied: true, why: shows },
    });
    expect(await explain(link.id, 'curl/8.5.0')).toMatchObject({ outcome: 'PASSWORD', applied: false });
    const { id }: RestLink = await owner.link();
    expect(await explain(String(id), SLACK)).toMatchObject({ applied: false, why: 'It has no preview.' });
  });
});

describe('on which domains', () => {
  test('previews are shown: those of the account that are verified, and shared ones only for one account or by choice', async () => {
    const first = await startTestServer({ verifiesDomains: true });
    const shared = await startTestServer({ sharedPreviews: true });
    try {
      const caller = await first.caller('first');
      const name = 'go.example';
      const domainId = String(await caller.domain(name));
      const own = await create({ title: 'Shoes' }, { domainId }, caller);
      const onDefault = await create({ title: 'Shoes' }, {}, caller);
      // It leads nowhere yet.
      expect((await open(own, {}, first)).status).toBe(404);
      await verifyHost(first.database, name, NOON);
      expect((await open(own, {}, first)).status).toBe(200);
      expect((await open(onDefault, {}, first)).status).toBe(200);
      const second = await first.caller('second');
      const later = await create({ title: 'Shoes' }, {}, second);
      expect((await open(later, {}, first)).status).toBe(302);
      expect((await open(own, {}, first)).status).toBe(200);
      for (const account of ['first', 'second']) {
        const link = await create({ title: 'Shoes' }, {}, await shared.caller(account));
        expect((await open(link, {}, shared)).status).toBe(200);
      }
    } finally {
      await Promise.all([first.stop(), shared.stop()]);
    }
  });
});

describe('an image', () => {
  const read = (path: string, host = 's.example', { origin } = server) =>
    visit(origin, path, { headers: { Host: host } });

  test('is on the host of its link, for everybody, and may be kept for ever', async () => {
    const { preview } = await create({ image: IMAGE });
    const { pathname } = new URL(preview.imageUrl ?? '');
    const { status, headers } = await read(pathname);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'image/jpeg',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
    });
    const response = await fetch(`${server.origin}${pathname}`, { headers: { Host: 's.example' } });
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.subarray(0, 3).toString('hex')).toBe('ffd8ff');
    expect((await read('/robots.txt')).body).toContain('Allow: /api/preview/\nDisallow: /api/\n');
  });

  test('is not on the domain of another account, nor under any other name', async () => {
    const { preview } = await create({ image: IMAGE });
    const { pathname } = new URL(preview.imageUrl ?? '');
    const other = await server.caller('images of others');
    await other.domain('others.example');
    expect((await read(pathname, 'others.example')).status).toBe(404);
    for (const path of [
      pathname.replace('.jpg', '.png'),
      '/api/preview/..%2f.jpg',
      `/api/preview/${'0'.repeat(40)}.jpg`,
    ])
      expect((await read(path)).status).toBe(404);
  });

  test('is served by a process for visitors, too, and not while the account is disabled', async () => {
    const caller = await server.caller('disabled later');
    const { preview } = await create({ image: IMAGE }, {}, caller);
    const { pathname } = new URL(preview.imageUrl ?? '');
    const visitors = await startTestServer({ role: 'redirects', url: server.databaseUrl });
    try {
      expect((await read(pathname, 's.example', visitors)).status).toBe(200);
      await server.database.prisma.account.update({
        where: { name: 'disabled later' },
        data: { disabledAt: NOON },
      });
      expect((await read(pathname, 's.example', visitors)).status).toBe(404);
    } finally {
      await visitors.stop();
    }
  });
});
