import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Caller, emptyServer, startTestServer, type TestServer } from '../support/server.ts';
import { type VisitOptions, visit } from '../support/visit.ts';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer();
});
beforeEach(async () => {
  await emptyServer(server);
  owner = await server.caller();
});
afterAll(() => server.stop());

const open = (path: string, options?: VisitOptions) => visit(server.origin, path, options);
const to = (name: string) => `https://example.com/${name}`;
/** Where a path leads, or the status of another answer. */
const leadsTo = async (path: string, host = 's.example'): Promise<string | number> => {
  const { status, location } = await open(path, { headers: { Host: host } });
  return location?.replace('https://example.com/', '') ?? status;
};
const make = async (alias: string, more: object = {}) =>
  owner.link({ alias, url: to(encodeURIComponent(alias)), ...more } as Record<string, string>);
/** Creates a domain of the account, which serves visitors at once. */
const ownDomain = async (forwardsPath: boolean): Promise<{ id: number; host: string }> => {
  const host = `go${++domains}.example`;
  const { createDomain } = await owner.data<{ createDomain: { id: string; forwardsPath: boolean } }>(
    `mutation ($input: CreateDomainInput!) { createDomain(input: $input) { ... on Domain { id forwardsPath } } }`,
    { input: { name: host, ...(forwardsPath && { forwardsPath }) } },
  );
  expect(createDomain.forwardsPath).toBe(forwardsPath);
  return { id: Number(createDomain.id), host };
};
let domains = 0;

test.each<[alias: string, sent: string, ...others: string[]]>([
  [
    'spring/sale',
    'spring/sale',
    '/spring//sale/',
    '/spring/sale.',
    '/spring/sale%F0%9F%91%8D',
    '/%73pring/sale',
  ],
  ['läden', 'l%C3%A4den', '/la%CC%88den', '/l%c3%a4den/', '/l%C3%A4den.', '/l%C3%A4den)%20'],
  ['❤', '%E2%9D%A4', '/%E2%9D%A4%EF%B8%8F', '/%E2%9D%A4%EF%B8%8E', '/%E2%9D%A4!'],
  ['👩‍👩‍👧‍👦/🇩🇪', `${encodeURIComponent('👩‍👩‍👧‍👦')}/${encodeURIComponent('🇩🇪')}`],
  ['v1.2/notes', 'v1.2/notes', '/v1.2/notes,'],
  ['שלום', encodeURIComponent('שלום')],
])('%s is reached as shortUrl says, and in other forms', async (alias, sent, ...others) => {
  const { body } = await owner.rest('POST', '/links', { url: to('x'), alias });
  const { data } = body as { data: { id: number; alias: string; short_url: string } };
  expect([data.alias, data.short_url]).toEqual([alias, `https://s.example/${sent}`]);
  for (const path of [`/${sent}`, `/${sent}/`, ...others])
    expect([path, await leadsTo(path)]).toEqual([path, 'x']);
  const found = await owner.data<{ linkByShortUrl: { id: string; shortUrl: string; alias: string } }>(
    `query ($url: String!) { linkByShortUrl(url: $url) { id alias shortUrl } }`,
    { url: `s.example/${alias}` },
  );
  expect(found.linkByShortUrl).toEqual({ id: String(data.id), alias, shortUrl: data.short_url });
  expect((await open(`/${sent}+`)).status).toBe(200);
  expect((await open(`/${sent}%2B`)).status).toBe(200);
});

test('a page of statistics with a password has a cookie and an address in ASCII', async () => {
  await make('gärten/🎉', { privacy: 2, privacy_password: 'open' });
  const path = `/g%C3%A4rten/${encodeURIComponent('🎉')}+`;
  expect((await open('/ga%CC%88rten/%F0%9F%8E%89+.')).status).toBe(401);
  const { status, location, headers } = await open(path, { form: { password: 'open' } });
  expect([status, location]).toEqual([303, path]);
  const [cookie = ''] = String(headers['set-cookie']).split(';');
  expect(String(headers['set-cookie'])).toContain(`; Path=${path};`);
  expect((await open(path, { headers: { Cookie: cookie } })).status).toBe(200);
});

test('the whole path counts before its beginning, and that before what is of ASCII', async () => {
  for (const alias of ['g', 'gärten', 'gärten👍', 'sale', 'sale.html', 'autumn', 'autumn/sale'])
    await make(alias);
  const leads = async (...paths: string[]) => Promise.all(paths.map((path) => leadsTo(path)));
  expect(await leads('/g', '/g%C3%A4rten', '/g%C3%A4rten%F0%9F%91%8D', '/g%C3%A4rten%F0%9F%8E%89')).toEqual([
    'g',
    'g%C3%A4rten',
    'g%C3%A4rten%F0%9F%91%8D',
    'g%C3%A4rten',
  ]);
  expect(await leads('/sale', '/sale.html', '/sale.htm', '/sale.html.')).toEqual([
    'sale',
    'sale.html',
    'sale',
    'sale.html',
  ]);
  expect(
    await leads('/autumn', '/autumn/', '/autumn/sale', '/autumn/sal', '/autumn%2Fsale', '/Spring/sale'),
  ).toEqual([...['autumn', 'autumn', 'autumn%2Fsale'], ...[404, 404, 404]]);
});

describe('a domain that forwards paths', () => {
  test('leads to the longest alias with the rest of the path before query and fragment', async () => {
    const { id: domain_id, host } = await ownDomain(true);
    await make('guide', { domain_id, url: 'https://example.com/docs/?a=1#top' });
    await make('guide/api', { domain_id, url: 'https://example.com' });
    await make('läden', { domain_id, url: 'https://example.com/x' });
    const leads = (path: string) => leadsTo(path, host);
    expect(await leads('/guide')).toBe('docs/?a=1#top');
    expect(await leads('/guide/')).toBe('docs/?a=1#top');
    expect(await leads('/guide/a/b')).toBe('docs/a/b?a=1#top');
    expect(await leads('/guide/a/b/?b=2')).toBe('docs/a/b/?a=1&b=2#top');
    expect(await leads('/guide/api')).toBe('');
    expect(await leads('/guide/api/v1/x')).toBe('v1/x');
    expect(await leads('/guide/apis')).toBe('docs/apis?a=1#top');
    expect(await leads('/guide/%20%C3%A4%3f%23%25%41')).toBe('docs/%20%C3%A4%3F%23%25A?a=1#top');
    expect(await leads('/guide/a:b@c=d;e')).toBe('docs/a:b@c=d;e?a=1#top');
    expect(await leads('/l%C3%A4den/%F0%9F%91%8D')).toBe('x/%F0%9F%91%8D');
    for (const path of [
      '/guide/./a',
      '/guide/%2e%2e/a',
      '/guide/a%2Fb',
      '/guide/a%5Cb',
      '/guide/%0Da',
      '/guide//a',
      '/guide/a//b',
      '/guide/%00/a',
      '/guide/a+',
      '/guide/a%2B',
      ...['/guide/..', '/guide/.', '/guide/%2e%2e', '/guide/%09', '/guide/..;/a', '/guide/a/..'],
      ...['/guide/%5C', '/guide/a%5C'],
      '/guides/a',
      '/other/a',
    ])
      expect([path, await leads(path)]).toEqual([path, 404]);
  });

  test('can be told to forward, and not to', async () => {
    const { id, host } = await ownDomain(false);
    await make('guide', { domain_id: id });
    const set = (forwardsPath: boolean) =>
      owner.data(
        `mutation ($id: ID!, $input: UpdateDomainInput!) { updateDomain(id: $id, input: $input) { ... on Domain { forwardsPath } } }`,
        { id: String(id), input: { forwardsPath } },
      );
    expect(await leadsTo('/guide/a', host)).toBe(404);
    expect(await set(true)).toEqual({ updateDomain: { forwardsPath: true } });
    await expect.poll(() => leadsTo('/guide/a', host)).toBe('guide/a');
    expect(await set(false)).toEqual({ updateDomain: { forwardsPath: false } });
    await expect.poll(() => leadsTo('/guide/a', host)).toBe(404);
    const told = { fields: ['forwardsPath'] };
    await expect
      .poll(() => owner.data('{ changes(last: 2) { nodes { fields } } }'))
      .toEqual({ changes: { nodes: [told, told] } });
  });

  test('keeps links by their alias: other paths below it need no statement, and evict nothing', async () => {
    const { id: domain_id, host } = await ownDomain(true);
    await make('guide', { domain_id });
    const others = await Promise.all(Array.from({ length: 20 }, () => owner.link({ domain_id })));
    for (const { alias } of others) await leadsTo(`/${alias}`, host);
    await leadsTo('/guide/first', host);
    const statements = await server.statementsOf(async () => {
      for (let i = 0; i < 2_200; i++) expect(await leadsTo(`/guide/${i}/x`, host)).toBe(`guide/${i}/x`);
      for (const { alias } of others) expect(await leadsTo(`/${alias}`, host)).not.toBe(404);
    });
    // The link is looked for again from time to time, since not all changes are announced.
    expect(statements.length).toBeLessThan(60);
  });

  test('looks for the link of an unknown path in one statement', async () => {
    const { id: domain_id, host } = await ownDomain(true);
    await make('guide/api', { domain_id });
    await leadsTo('/nothing', host);
    const linkStatements = async (path: string) =>
      (await server.statementsOf(() => leadsTo(path, host))).filter((one) => one.includes('"LinkPixel"'));
    for (const path of [
      '/guide/a/b/c/d/e/f/g.html',
      '/l%C3%A4den%F0%9F%91%8D/x.y%F0%9F%91%8D',
      '/guide/api/a/b',
    ])
      expect(await linkStatements(path)).toHaveLength(1);
    expect(await linkStatements('/guide/./b')).toEqual([]);
  });

  test('leads to a new longer alias at once', async () => {
    const { id: domain_id, host } = await ownDomain(true);
    await make('guide', { domain_id });
    expect([await leadsTo('/guide/a', host), await leadsTo('/guide/a/b', host)]).toEqual([
      'guide/a',
      'guide/a/b',
    ]);
    const { id } = await make('guide/a', { domain_id, url: to('new') });
    expect([await leadsTo('/guide/a', host), await leadsTo('/guide/a/b', host)]).toEqual(['new', 'new/b']);
    await owner.rest('PATCH', `/links/${id}`, { alias: 'guide/c' });
    expect([await leadsTo('/guide/a/b', host), await leadsTo('/guide/c/b', host)]).toEqual([
      'guide/a/b',
      'new/b',
    ]);
    await owner.rest('DELETE', `/links/${id}`);
    expect(await leadsTo('/guide/c/b', host)).toBe('guide/c/b');
  });

  test('counts the destination without the rest of the path', async () => {
    const { id: domain_id, host } = await ownDomain(true);
    const { id } = await make('guide', { domain_id });
    for (const path of ['/guide', '/guide/a', '/guide/b/c']) await leadsTo(path, host);
    await server.flush();
    const { link } = await owner.data<{ link: object }>(
      `query ($id: ID!) { link(id: $id) { clicks statistics { top(by: DESTINATION) { rows { value clicks } } } } }`,
      { id: String(id) },
    );
    expect(link).toMatchObject({
      clicks: 3,
      statistics: { top: { rows: [{ value: to('guide'), clicks: 3 }] } },
    });
  });
});

test.each<[alias: string, path: string]>([
  ['loop/a', '/loop//a'],
  ['loop/b', '/loop/./b'],
  ['loop/c', '/loop\\c'],
  ['loop', '/lo\u{fe0f}op'],
  ['löop', '/lo\u0308op'],
  ['❤x', '/❤\u{fe0f}x'],
])('%s is no redirect to itself, written as %s', async (alias, path) => {
  const host = 'not-ours.example';
  await owner.link({ alias, url: `https://${host}${path}` });
  expect(await leadsTo(`/${encodeURI(alias)}`, host)).toBe(410);
  expect(await leadsTo(`/${encodeURI(alias)}`)).toContain(host);
});

describe('a domain that several accounts use', () => {
  const TAKEN = 'The alias field is already taken on this domain.';
  const LATIN = 'The alias field may have only Latin letters on a domain that several accounts use.';
  const refusalOf = async (caller: Caller, alias: string, more: object = {}) => {
    const { status, body } = await caller.rest('POST', '/links', { url: to('x'), alias, ...more });
    return status === 201 ? null : (body as { message: string }).message;
  };

  test('refuses an alias above or below another account’s, and not its own', async () => {
    const other = await server.caller('other');
    await make('brand');
    await make('shop/summer');
    for (const alias of ['brand/shop', 'brand/shop/1', 'shop', 'shop/summer/1', 'shop/summer'])
      expect([alias, await refusalOf(other, alias)]).toEqual([alias, TAKEN]);
    for (const alias of ['brands', 'brand-1', 'shops/winter', 'brandshop/1', 'Brand/shop'])
      expect([alias, await refusalOf(other, alias)]).toEqual([alias, null]);
    for (const alias of ['brand/shop', 'brand/shop/1', 'shop', 'shop/summer/1'])
      expect([alias, await refusalOf(owner, alias)]).toEqual([alias, null]);
    // Renaming, and many at once.
    const { id } = await other.link({ alias: 'free' });
    const renamed = await other.rest('PATCH', `/links/${id}`, { alias: 'brand/x' });
    expect([renamed.status, (renamed.body as { message: string }).message]).toEqual([422, TAKEN]);
    const { importLinks } = await other.data<{ importLinks: { results: { status: string }[] } }>(
      `mutation ($text: String!) { importLinks(text: $text, format: CSV, onTaken: SUFFIX) { results { status } } }`,
      {
        text: 'url,alias\nhttps://example.com/1,brand/y\nhttps://example.com/2,other/y\nhttps://example.com/3,shop\n',
      },
    );
    expect(importLinks.results.map(({ status }) => status)).toEqual(['REFUSED', 'CREATED', 'CREATED']);
  });

  const IMPORT = `mutation ($text: String!, $dryRun: Boolean) {
    importLinks(text: $text, format: CSV, onTaken: SUFFIX, dryRun: $dryRun) { results { status alias } }
  }`;
  const importing = async (caller: Caller, aliases: readonly string[], dryRun = false) => {
    const lines = aliases.map((alias, index) => `https://example.com/${index},${alias}\n`);
    const variables = { text: `url,alias\n${lines.join('')}`, dryRun };
    const { importLinks } = await caller.data<{
      importLinks: { results: { status: string; alias: string }[] };
    }>(IMPORT, variables);
    return importLinks.results.map(({ status, alias }) => `${status} ${alias}`);
  };

  test.each([true, false])(
    'imports under another alias what is above another account’s, never above or below one: dry run %s',
    async (dryRun) => {
      const other = await server.caller('other');
      for (const alias of ['sale', 'sale-2/deep', 'sale-3', 'brand', 'shop/summer', 'shop-2/summer'])
        await other.link({ alias });
      expect(await importing(owner, ['sale', 'brand/y', 'shop', 'fresh'], dryRun)).toEqual([
        'CREATED sale-4',
        // Any suffix would be below it, too.
        'REFUSED brand/y',
        'CREATED shop-3',
        'CREATED fresh',
      ]);
    },
  );

  test('imports aliases with and without slashes at once', async () => {
    const other = await server.caller('other');
    const files = Array.from({ length: 6 }, (_, file) =>
      Array.from({ length: 100 }, (_, line) => `f${file}-${line}${line % 3 === 1 ? '/s' : ''}`),
    );
    const imported = await Promise.all(
      files.map((aliases, file) => importing(file % 2 === 0 ? owner : other, aliases)),
    );
    expect(imported).toEqual(files.map((aliases) => aliases.map((alias) => `CREATED ${alias}`)));
  });

  test('creates links with and without slashes at once, each list in one transaction', async () => {
    const other = await server.caller('other');
    const create = async (caller: Caller, list: number) => {
      const query = `mutation ($inputs: [CreateLinkInput!]!) {
        createLinks(inputs: $inputs) { ... on Link { alias } }
      }`;
      const inputs = ['a', 'b/s', 'c', 'd/s'].map((one) => ({ alias: `l${list}${one}`, url: to('x') }));
      const answer = await caller.fetch('/graphql', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': `list-${list}` },
        body: JSON.stringify({ query, variables: { inputs } }),
      });
      const { data } = (await answer.json()) as { data: { createLinks: { alias: string }[] } | null };
      return data?.createLinks.map(({ alias }) => alias);
    };
    const made = await Promise.all([owner, other, owner, other].map(create));
    expect(made).toEqual([0, 1, 2, 3].map((list) => ['a', 'b/s', 'c', 'd/s'].map((one) => `l${list}${one}`)));
  });

  test('generates no alias above another account’s', async () => {
    const other = await server.caller('other');
    const numbers = [0, 0, 0, 0, 0, 0];
    const drawing = await startTestServer({ url: server.databaseUrl, random: () => numbers.pop() ?? 1 });
    try {
      await other.link({ alias: 'bbbbbb/x' });
      const mine = await drawing.caller();
      const { body } = await mine.rest('POST', '/links', { url: to('x') });
      expect((body as { data: { alias: string } }).data.alias).toBe('cccccc');
    } finally {
      await drawing.stop();
    }
  });

  test('gives one of two aliases that are above each other, however many ask at once', async () => {
    const other = await server.caller('other');
    const pairs = Array.from({ length: 12 }, (_, index) =>
      Promise.all([refusalOf(owner, `race-${index}`), refusalOf(other, `race-${index}/below/it`)]),
    );
    for (const refused of await Promise.all(pairs)) expect([...refused].sort()).toEqual([TAKEN, null]);
  });

  test('has Latin letters only, unless SHARED_SCRIPTS is on; one account alone, and own domains, have all', async () => {
    await server.caller('other');
    for (const alias of ['лето', 'sale/日本', 'שלום']) expect(await refusalOf(owner, alias)).toBe(LATIN);
    for (const alias of ['läden', '🎉', '2027', 'sale/é', 'tiếng', 'ștefan', 'ɗan'])
      expect([alias, await refusalOf(owner, alias)]).toEqual([alias, null]);
    // They look like Latin letters that every keyboard has.
    for (const alias of ['ɡoogle', 'ɑpple', 'lınk', 'ǃbang', 'ᴏne', 'ꜱale', 'Ƨale', 'ꞵ', 'li\u0307nk'])
      expect([alias, await refusalOf(owner, alias)]).toEqual([alias, LATIN]);
    const { id: domain_id } = await ownDomain(false);
    expect(await refusalOf(owner, 'лето', { domain_id })).toBe(null);
    await server.database.prisma.account.deleteMany({ where: { name: 'other' } });
    expect(await refusalOf(owner, 'лето')).toBe(null);
  });

  test('gives a deleted link its letters back, though another account came meanwhile', async () => {
    const { id } = await owner.link({ alias: 'лето', url: to('x') });
    await server.caller('other');
    await owner.data(`mutation { deleteLink(id: "${id}") { __typename } }`);
    expect(await leadsTo(encodeURI('/лето'))).toBe(404);
    const { changes } = await owner.data<{ changes: { edges: { node: { id: string } }[] } }>(
      '{ changes(last: 1) { edges { node { id } } } }',
    );
    await owner.data(`mutation { revertChange(id: "${changes.edges[0]?.node.id}") { __typename } }`);
    expect(await leadsTo(encodeURI('/лето'))).toBe('x');
  });
});

test('SHARED_SCRIPTS=on lets accounts that share a domain have all letters', async () => {
  const sharing = await startTestServer({ sharesScripts: true });
  try {
    const [one, another] = [await sharing.caller('one'), await sharing.caller('another')];
    await one.link({ alias: 'лето' });
    await another.link({ alias: '日本' });
  } finally {
    await sharing.stop();
  }
});

test('links of earlier versions work at paths of one segment that new ones cannot have', async () => {
  const aliases = ['auth', 'AUTH', 'tls', 'MCP', 'r', '-', 'end-_'];
  const made = await Promise.all(
    aliases.map((_, index) => make(`old-${index}`, { url: to(`old-${index}`) })),
  );
  for (const [index, alias] of aliases.entries())
    await server.database.prisma.link.update({
      where: { id: made[index]?.id ?? 0 },
      data: { alias, aliasKey: alias.toLowerCase() },
    });
  for (const [index, alias] of aliases.entries())
    for (const path of [`/${alias}`, `/${alias}/`, `/${alias}?a=1`])
      expect([path, (await open(path)).location?.split('?', 1)[0]]).toEqual([path, to(`old-${index}`)]);
  const { status, body } = await owner.rest('POST', '/links', { url: to('x'), alias: 'Auth' });
  expect([status, (body as { message: string }).message]).toEqual([
    422,
    'The alias field is a path of the service itself.',
  ]);
  // Its own alias, sent again, is no change.
  const own = await owner.rest('PATCH', `/links/${made[0]?.id}`, { alias: 'auth', title: 'Own' });
  expect([own.status, (own.body as { data: { alias: string; title: string } }).data]).toMatchObject([
    200,
    { alias: 'auth', title: 'Own' },
  ]);
  expect((await owner.rest('PATCH', `/links/${made[1]?.id}`, { alias: 'tls' })).status).toBe(422);
});
