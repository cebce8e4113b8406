import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyHost } from '../../src/domain/short-domain/admin.ts';
import { halves, pngOf } from '../support/images.ts';
import { signedIn } from '../support/person.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

const now = NOON;
let server: TestServer;
let owner: Caller;
let logo = '';
let setBrand: (brand: object | null) => Promise<string | null>;

beforeAll(async () => {
  server = await startTestServer({ now, verifiesDomains: true });
  owner = await server.caller('first');
  const { id } = await server.database.prisma.account.findFirstOrThrow();
  const person = await signedIn(server, id, 'OWNER');
  setBrand = async (brand) => {
    const { data } = await person.graphql(
      'mutation ($brand: BrandInput) { updateAccount(input: { brand: $brand }) { ... on Account { brand { logoUrl } } } }',
      { brand },
    );
    return (
      (data as { updateAccount: { brand: { logoUrl: string | null } | null } }).updateAccount.brand
        ?.logoUrl ?? null
    );
  };
  const address = await setBrand({
    logo: `data:image/png;base64,${pngOf(halves()).toString('base64')}`,
    colour: '#0a5f38',
    name: 'Linden & <Hof>',
    helpUrl: 'https://help.example/?a=1&b="2"',
  });
  logo = new URL(address ?? '').pathname;
});
afterAll(() => server.stop());

const open = (path: string, host = 's.example', { origin } = server) =>
  visit(origin, path, { headers: { Host: host, 'Accept-Language': 'de' } });

/** A link to a path of the service, such as that of a page for people who work here. */
const OWN_PATH = /<a [^>]*href="\//;

/** Expects the brand on a page, under a policy that lets it show. */
function expectBrand({ body, headers }: Awaited<ReturnType<typeof open>>): void {
  expect(body).toContain(
    `<span class="brand"><img src="${logo}" alt=""><bdi>Linden &amp; &lt;Hof&gt;</bdi></span>`,
  );
  expect(body).toContain('button,a.on{background:#0a5f38;color:#fff}</style>');
  expect(body).toContain(
    '<a href="https://help.example/?a=1&amp;b=%222%22" rel="noopener noreferrer nofollow">Hilfe</a>',
  );
  expect(body).not.toContain('Linkspace</span>');
  // It leads to no page for people who work here.
  expect(body).not.toMatch(OWN_PATH);
  expect(headers['content-security-policy']).toMatch(/img-src 'self'/);
  expect(headers['content-security-policy']).toMatch(/default-src 'none'/);
}

/** Makes a link, and returns its path. */
async function create(input: object): Promise<string> {
  const { createLink } = await owner.data<{ createLink: { alias: string } }>(
    'mutation ($input: CreateLinkInput!) { createLink(input: $input) { ... on Link { alias } } }',
    { input: { url: 'https://example.com/', ...input } },
  );
  return `/${createLink.alias}`;
}

describe('the brand of the only account', () => {
  test('is on pages of unknown and ended links, for passwords, and of statistics', async () => {
    for (const [path, status] of [
      ['/unknown', 404],
      [await create({ disabled: true }), 410],
      [await create({ password: 'secret' }), 401],
      [`${await create({})}+`, 200],
      [`${await create({ privacy: 'PASSWORD', privacyPassword: 'secret' })}+`, 401],
    ] as const) {
      const page = await open(path);
      expect(page.status).toBe(status);
      expectBrand(page);
    }
  });

  test('is on pages with pixels', async () => {
    const { createPixel } = await owner.data<{ createPixel: { id: string } }>(
      'mutation { createPixel(input: { name: "P", type: FACEBOOK, value: "123456789012345" }) { ... on Pixel { id } } }',
    );
    const page = await open(await create({ pixelIds: [createPixel.id] }));
    expect(page.status).toBe(200);
    expectBrand(page);
    expect(page.headers['content-security-policy']).toContain("img-src 'self' https:");
  });

  test('changes at once, and is gone once it is cleared', async () => {
    expect((await open('/unknown')).body).toContain('Linden');
    await setBrand({ name: 'Buche' });
    expect((await open('/unknown')).body).toContain('<bdi>Buche</bdi>');
    await setBrand({ name: 'Linden & <Hof>' });
    expectBrand(await open('/unknown'));
  });
});

test('is read by no redirect, and once for many pages', async () => {
  const path = await create({});
  const brandsReadIn = async (one: string) =>
    (await server.statementsOf(() => open(one))).filter((text) => String(text).includes('brandLogo')).length;
  await setBrand({ colour: '#0a5f37' });
  expect([await brandsReadIn(path), await brandsReadIn('/first'), await brandsReadIn('/second')]).toEqual([
    0, 1, 0,
  ]);
  await setBrand({ colour: '#0a5f38' });
});

test('of an account beside others is on all pages of its own domain, and on none of the domain of the service', async () => {
  const server = await startTestServer({ now });
  try {
    const caller = await server.caller('own');
    await server.caller('another');
    const { id } = await server.database.prisma.account.findFirstOrThrow({ where: { name: 'own' } });
    const person = await signedIn(server, id, 'OWNER');
    const brand = { name: 'Linden & <Hof>', colour: '#0a5f38' };
    await person.graphql(
      'mutation ($brand: BrandInput) { updateAccount(input: { brand: $brand }) { __typename } }',
      { brand },
    );
    const domainId = String(await caller.domain('go.example'));
    await verifyHost(server.database, 'go.example', now);
    const pixelIds = [String(await caller.pixel())];
    const make = async (input: object) => {
      const { createLink } = await caller.data<{ createLink: { alias: string } }>(
        'mutation ($input: CreateLinkInput!) { createLink(input: $input) { ... on Link { alias } } }',
        { input: { url: 'https://example.com/', ...input } },
      );
      return `/${createLink.alias}`;
    };
    for (const [host, on, isBranded] of [
      ['go.example', { domainId }, true],
      ['s.example', {}, false],
    ] as const)
      for (const [path, status] of [
        [await make({ ...on, password: 'secret' }), 401],
        [await make({ ...on, pixelIds }), 200],
        [await make({ ...on, disabled: true }), 410],
        ['/unknown', 404],
        [`${await make(on)}+`, 200],
      ] as const) {
        const page = await open(path, host, server);
        expect([host, path, page.status]).toEqual([host, path, status]);
        expect(page.body.includes('<bdi>Linden &amp; &lt;Hof&gt;</bdi>')).toBe(isBranded);
        expect(page.body.includes('Linkspace</span>')).toBe(!isBranded);
        expect(page.body).not.toMatch(OWN_PATH);
      }
  } finally {
    await server.stop();
  }
});

test('of several accounts, each is on the verified domains of its own only', async () => {
  await owner.domain('own.example');
  const other = await server.caller('second');
  await other.domain('other.example');
  for (const host of ['own.example', 'other.example']) await verifyHost(server.database, host, now);
  // Accounts that the operator makes are in no log: others may show the brand of one that was alone for a minute.
  const visitors = await startTestServer({
    ...{ role: 'redirects', url: server.databaseUrl, verifiesDomains: true },
  });
  try {
    expectBrand(await open('/unknown', 'own.example', visitors));
    expect((await open(logo, 'own.example', visitors)).status).toBe(200);
    for (const host of ['s.example', 'other.example']) {
      const { body } = await open('/unknown', host, visitors);
      expect(body).not.toContain('Linden');
      expect(body).toContain('Linkspace</span>');
    }
  } finally {
    await visitors.stop();
  }
});
