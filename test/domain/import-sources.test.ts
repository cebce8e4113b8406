import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ImportFormat } from '../../src/domain/transfer/formats.ts';
import { exportOf, importInto } from '../support/moving.ts';
import {
  type Caller,
  emptyServer,
  NOON,
  type RestLink,
  startTestServer,
  type TestServer,
} from '../support/server.ts';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer();
});
beforeEach(async () => {
  owner = await server.caller();
});
afterEach(() => emptyServer(server));
afterAll(() => server.stop());

async function links(): Promise<RestLink[]> {
  const { body } = await owner.rest('GET', '/links?per_page=100&sort=asc');
  return (body as { data: RestLink[] }).data;
}

/** A field of a source: its value, and what of the link it becomes; `null` if the report names it, `{}` if it says no more. */
type SourceField = readonly [value: unknown, becomes: object | null];
type Fields = Readonly<Record<string, SourceField>>;

const time = '2024-03-01T09:30:00.000Z';
const inJson = (wrap: (records: object[]) => unknown) => (fields: Fields) =>
  JSON.stringify(wrap([Object.fromEntries(Object.entries(fields).map(([name, [value]]) => [name, value]))]));
const inCsv = (fields: Fields) =>
  [Object.keys(fields), Object.values(fields).map(([value]) => value)]
    .map((cells) => cells.map((cell) => `"${String(cell).replaceAll('"', '""')}"`).join(','))
    .join('\n');

/** The expected fields of a link from the exports and API answers of each service. */
const sources: [what: string, format: ImportFormat, text: (fields: Fields) => string, fields: Fields][] = [
  [
    "Bitly's API",
    'bitly',
    inJson((links) => ({ links, pagination: { next: '' } })),
    {
      id: ['bit.ly/3xAbCd', null],
      link: ['https://bit.ly/3xAbCd', { alias: '3xAbCd' }],
      long_url: ['https://a.example/', { url: 'https://a.example/' }],
      title: ['Spring', { title: 'Spring' }],
      archived: [true, { archived: 1, disabled: 0 }],
      created_at: ['2024-03-01T09:30:00+0000', { created_at: time }],
      created_by: ['somebody', null],
      client_id: ['c', null],
      custom_bitlinks: [[], {}],
      tags: [['Sales'], { space: null, tags: [{ name: 'Sales' }] }],
      deeplinks: [[{ os: 'ios', app_uri_path: 'app://x' }], null],
      campaign_ids: [['7'], null],
      expiration_at: ['2030-01-01T00:00:00Z', { ends_at: '2030-01-01T00:00:00.000Z' }],
      is_deleted: [false, {}],
    },
  ],
  [
    "Bitly's CSV",
    'bitly',
    inCsv,
    {
      Title: ['Spring', { title: 'Spring' }],
      Bitlink: ['bit.ly/3xAbCd', { alias: '3xAbCd' }],
      'Long URL': ['https://a.example/', { url: 'https://a.example/' }],
      Created: ['2024-03-01 09:30:00', { created_at: time }],
      Engagements: ['1,204', { clicks: 1204 }],
      'Link Clicks': ['1,200', null],
      'QR Scans': ['4', null],
      Campaign: ['Sales', { space: { name: 'Sales' } }],
    },
  ],
  [
    "Dub's API",
    'dub',
    inJson((all) => all),
    {
      id: ['link_1', null],
      domain: ['go.example', {}],
      key: ['launch', { alias: 'launch' }],
      url: ['https://a.example/?utm_source=x', { url: 'https://a.example/?utm_source=x' }],
      externalId: ['e1', null],
      archived: [true, { archived: 1 }],
      expiresAt: ['2030-01-01T00:00:00.000Z', { ends_at: '2030-01-01T00:00:00.000Z' }],
      expiredUrl: ['https://a.example/over', { expiration_url: 'https://a.example/over' }],
      disabledAt: ['2024-05-01T00:00:00.000Z', { disabled: 1 }],
      password: [null, {}],
      proxy: [true, null],
      title: ['Launch', { title: 'Launch' }],
      description: ['A page', null],
      image: ['https://a.example/i.png', null],
      rewrite: [true, null],
      doIndex: [true, null],
      // A rule, which v1 does not show.
      ios: ['https://a.example/ios', { target_type: 1, platform: [] }],
      android: [null, {}],
      geo: [{ DE: 'https://a.example/de' }, { country: [{ key: 'DE', value: 'https://a.example/de' }] }],
      publicStats: [false, { privacy: 1 }],
      tags: [[{ id: 't', name: 'Ads', color: 'red' }], { space: null, tags: [{ name: 'Ads' }] }],
      folderId: ['fold_1', null],
      comments: ['Ask Ann', { notes: 'Ask Ann' }],
      shortLink: ['https://go.example/launch', {}],
      utm_source: ['x', null],
      testVariants: [[{ url: 'https://a.example/b', percentage: 50 }], {}],
      clicks: [42, { clicks: 42 }],
      lastClicked: ['2024-06-01T00:00:00.000Z', {}],
      createdAt: [time, { created_at: time }],
      updatedAt: ['2024-04-01T09:30:00.000Z', { updated_at: '2024-04-01T09:30:00.000Z' }],
    },
  ],
  [
    "Dub's CSV",
    'dub',
    inCsv,
    {
      'Short link': ['https://dub.sh/launch', { alias: 'launch' }],
      'Destination URL': ['https://a.example/', { url: 'https://a.example/' }],
      Folder: ['Autumn', { space: { name: 'Autumn' } }],
      Clicks: ['42', { clicks: 42 }],
      'Created at': [time, { created_at: time }],
      Android: ['https://a.example/play', { target_type: 1, platform: [] }],
      Geo: [
        '{"de":"https://a.example/de","FR":"https://a.example/fr"}',
        {
          country: [
            { key: 'DE', value: 'https://a.example/de' },
            { key: 'FR', value: 'https://a.example/fr' },
          ],
        },
      ],
      'Sales amount': ['7', null],
    },
  ],
  [
    "Kutt's API",
    'kutt',
    inJson((data) => ({ data, limit: 10, skip: 0, total: 1 })),
    {
      id: ['a1', null],
      address: ['team', { alias: 'team' }],
      banned: [true, { disabled: 1 }],
      created_at: [time, { created_at: time }],
      updated_at: [time, { updated_at: time }],
      description: ['The team', { title: 'The team' }],
      // Some versions answer an object.
      link: [{ link: 'kutt.it/team', url: 'https://kutt.it/team' }, {}],
      domain: [null, {}],
      target: ['https://a.example/', { url: 'https://a.example/' }],
      visit_count: [31, { clicks: 31 }],
      expire_in: ['2030-01-01T00:00:00.000Z', { ends_at: '2030-01-01T00:00:00.000Z' }],
      relative_expire_in: ['5 years', null],
      reuse: [true, null],
    },
  ],
  [
    "Rebrandly's API",
    'rebrandly',
    inJson((all) => all),
    {
      id: ['ffs24', null],
      title: ['Burn', { title: 'Burn' }],
      slashtag: ['burn10M', { alias: 'burn10M' }],
      destination: ['https://a.example/', { url: 'https://a.example/' }],
      shortUrl: ['rebrand.ly/burn10M', {}],
      domain: [{ id: '8f1', fullName: 'rebrand.ly' }, {}],
      createdAt: [time, { created_at: time }],
      updatedAt: [time, { updated_at: time }],
      clicks: [42, { clicks: 42 }],
      lastClickAt: ['2024-06-01T00:00:00.000Z', { last_clicked_at: '2024-06-01T00:00:00.000Z' }],
      tags: [[{ name: 'Cars' }], { space: null, tags: [{ name: 'Cars' }] }],
      favourite: [true, null],
      forwardParameters: [false, { forward_query: 0 }],
      scripts: [[{ id: 's' }], null],
    },
  ],
  [
    "Shlink's API",
    'shlink',
    inJson((data) => ({ shortUrls: { data, pagination: { currentPage: 1 } } })),
    {
      shortCode: ['ny', { alias: 'ny' }],
      shortUrl: ['https://s.test/ny', {}],
      longUrl: ['https://a.example/', { url: 'https://a.example/' }],
      deviceLongUrls: [
        { android: 'https://a.example/a', ios: null, desktop: 'https://a.example/d' },
        {
          target_type: 2,
          platform: ['Android', 'Windows', 'OS X', 'Linux', 'Ubuntu', 'Chrome OS'].map((key) => ({
            key,
            value: `https://a.example/${key === 'Android' ? 'a' : 'd'}`,
          })),
        },
      ],
      dateCreated: ['2024-03-01T10:30:00+01:00', { created_at: time }],
      visitsSummary: [{ total: 9 }, { clicks: 9 }],
      tags: [['party'], { space: null, tags: [{ name: 'party' }] }],
      meta: [
        { validSince: '2029-01-01T00:00:00Z', validUntil: '2030-01-01T00:00:00Z', maxVisits: 20 },
        { starts_at: '2029-01-01T00:00:00.000Z', ends_at: '2030-01-01T00:00:00.000Z', expiration_clicks: 20 },
      ],
      domain: [null, {}],
      title: ['New year', { title: 'New year' }],
      crawlable: [true, null],
      forwardQuery: [false, { forward_query: 0 }],
      hasRedirectRules: [false, {}],
    },
  ],
  [
    "Shlink's CSV",
    'shlink',
    inCsv,
    {
      createdAt: ['2024-03-01T10:30:00+01:00', { created_at: time }],
      title: ['New year', { title: 'New year' }],
      shortUrl: ['https://s.test/ny', {}],
      domain: ['s.test', {}],
      shortCode: ['ny', { alias: 'ny' }],
      longUrl: ['https://a.example/', { url: 'https://a.example/' }],
      tags: ['party', { space: null, tags: [{ name: 'party' }] }],
      visits: ['9', { clicks: 9 }],
    },
  ],
  [
    "YOURLS' API",
    'yourls',
    inJson(([link_1]) => ({ links: { link_1 }, stats: { total_links: '1' }, statusCode: 200 })),
    {
      shorturl: ['http://s.test/ozh', { alias: 'ozh' }],
      url: ['https://a.example/', { url: 'https://a.example/' }],
      title: ["Ozh's blog", { title: "Ozh's blog" }],
      timestamp: ['2024-03-01 09:30:00', { created_at: time }],
      ip: ['127.0.0.1', null],
      clicks: ['3012', { clicks: 3012 }],
    },
  ],
  [
    'an export of our own',
    'csv',
    inCsv,
    {
      alias: ['own', { alias: 'own' }],
      url: ['https://a.example/', { url: 'https://a.example/' }],
      languages: [
        '[{"language":"de","url":"https://a.example/de"}]',
        { language: [{ key: 'de', value: 'https://a.example/de' }] },
      ],
      expiration_date: ['2030-01-01', { ends_at: '2030-01-01T00:00:00.000Z' }],
      ios: ['https://a.example/ios', null],
    },
  ],
];

test.each(sources)('%s: each field is imported or named', async (_what, format, textOf, fields) => {
  const text = textOf(fields);
  const report = await importInto(server, { text }, { format });
  expect(report).toMatchObject({ created: 1, refused: 0 });
  const taken = Object.values(fields).map(([, becomes]) => becomes ?? {});
  expect(await links()).toMatchObject([Object.assign({}, ...taken)]);
  const named = Object.entries(fields).flatMap(([name, [, becomes]]) => (becomes === null ? [name] : []));
  expect(report.unusedColumns.toSorted()).toEqual(named.toSorted());
  expect(await importInto(server, { text }, { format })).toMatchObject({ created: 0, existing: 1, told: [] });
});

test.each([
  ['no object', 'x', 'geo', 'is "x"; it must be an object with a URL for each country'],
  ['a list', ['x'], 'geo', 'it must be an object with a URL for each country'],
  ['an unknown country', { QQ: 'https://a.example' }, 'geo', 'must be an ISO 3166-1 alpha-2 code'],
  ['no URL', { DE: 7 }, 'geo', ''],
])('a wrong target by country is named by its column: %s', async (_what, geo, column, message) => {
  const text = JSON.stringify([{ key: 'a', url: 'https://a.example/', geo }]);
  const { told, refused } = await importInto(server, { text }, { format: 'dub' });
  expect([refused, told]).toMatchObject([1, [{ column, message: expect.stringContaining(message) }]]);
});

const readName = (one: unknown) => (one as { name: string } | null)?.name;

test('folders become spaces and tags become tags, once each whatever their case', async () => {
  const text = JSON.stringify([
    { key: 'a', url: 'https://a.example/', folder: 'Autumn', tags: [{ name: 'Ads' }] },
    {
      key: 'b',
      url: 'https://a.example/',
      tags: [{ name: 'ADS' }, { name: ' Print ' }, { name: 'print' }, ' '],
    },
    { key: 'c', url: 'https://a.example/', folder: 'Ads', tags: 'Ads, Web' },
  ]);
  const tried = await importInto(server, { text }, { format: 'dub', dryRun: true });
  expect(tried).toMatchObject({ created: 3, spaces: 2, tags: 3, told: [] });
  expect(await importInto(server, { text }, { format: 'dub' })).toEqual(tried);
  expect(
    (await links()).map(({ space, tags }) => [readName(space), (tags as object[]).map(readName)]),
  ).toEqual([
    ['Autumn', ['Ads']],
    [undefined, ['Ads', 'Print']],
    ['Ads', ['Ads', 'Web']],
  ]);
});

test('a repeated import leaves the spaces and tags of its links as they are, and makes none', async () => {
  const text = JSON.stringify([{ key: 'a', url: 'https://a.example/', folder: 'Old', tags: ['Ads'] }]);
  await importInto(server, { text }, { format: 'dub' });
  const [link] = await links();
  const space = await owner.space('Mine');
  await owner.rest('PATCH', `/links/${link?.id}`, { space_id: space, tag_ids: '' });
  await owner.rest('DELETE', `/spaces/${link?.space_id}`);
  const more = JSON.stringify([{ key: 'a', url: 'https://a.example/', tags: ['Ads', 'New'] }]);
  expect(await importInto(server, { text: more }, { format: 'dub' })).toMatchObject({ existing: 1, tags: 0 });
  expect(await links()).toMatchObject([{ space: { name: 'Mine' }, tags: [] }]);
  expect(await server.database.prisma.tag.count()).toBe(1);
});

test.each([
  [
    'too many',
    Array.from({ length: 51 }, (_, index) => `T${index}`),
    'would give the link 51 tags; it may have at most 50',
  ],
  ['a long name', ['x'.repeat(256)], 'must have 1 to 255 characters, not 256'],
  ['no name', [{ id: 7 }], 'it must be a text'],
])('a line with wrong tags is refused: %s', async (_what, tags, message) => {
  const text = JSON.stringify([{ key: 'a', url: 'https://a.example/', tags }]);
  const { told, refused } = await importInto(server, { text }, { format: 'dub' });
  expect([refused, told]).toMatchObject([1, [{ column: 'tags', message: expect.stringContaining(message) }]]);
});

test('a line whose tags the account has no room for is refused, and others are not', async () => {
  const { id: accountId } = await server.database.prisma.account.findUniqueOrThrow({
    where: { name: 'owner' },
  });
  const times = { createdAt: NOON, updatedAt: NOON };
  await server.database.prisma.tag.createMany({
    data: Array.from({ length: 4_999 }, (_, index) => ({
      ...{ accountId, name: `T${index}`, nameKey: `t${index}`, color: 1, ...times },
    })),
  });
  const text = ['a,T1', 'b,"new,newer"', 'c,New', 'd,another'].map((line) => `${line},https://a.example/`);
  const report = await importInto(
    server,
    { text: ['alias,tags,url', ...text].join('\n') },
    { format: 'csv' },
  );
  expect(report).toMatchObject({ created: 2, refused: 2, tags: 1 });
});

test('an alias of YOURLS is without the folder of the service', async () => {
  const text = JSON.stringify({
    links: { link_1: { shorturl: 'https://a.test/s/x/', url: 'https://a.example/' } },
  });
  await importInto(server, { text }, { format: 'yourls' });
  expect(await links()).toMatchObject([{ alias: 'x' }]);
});

test('says that a link of Shlink has redirect rules', async () => {
  const text = JSON.stringify([{ shortCode: 'a', longUrl: 'https://a.example/', hasRedirectRules: true }]);
  const { told } = await importInto(server, { text }, { format: 'shlink' });
  expect(told).toMatchObject([
    { line: 1, taken: true, message: expect.stringContaining('has redirect rules') },
  ]);
});

test.each([
  ['key', JSON.stringify([{ domain: 'go.example', key: '_root', url: 'https://a.example/' }])],
  ['shortLink', JSON.stringify([{ shortLink: 'https://go.example/_root', url: 'https://a.example/' }])],
  ['Short link', 'Short link,Destination URL\nhttps://go.example,https://a.example/\n'],
])('does not take the root of a Dub domain for an alias, and says so (%s)', async (column, text) => {
  const report = await importInto(server, { text }, { format: 'dub' });
  expect(report).toMatchObject({ created: 0, refused: 1 });
  expect(report.told).toMatchObject([
    {
      column,
      taken: false,
      message: expect.stringContaining('the root of a domain is no link, and is not imported'),
    },
  ]);
});

test('an alias _root of another service is one', async () => {
  await importInto(server, { text: 'keyword,url\n_root,https://a.example/\n' }, { format: 'yourls' });
  expect(await links()).toMatchObject([{ alias: '_root' }]);
});

describe('a record of Bitly with several short URLs', () => {
  const record = {
    link: 'https://bit.ly/3xAbCd',
    custom_bitlinks: [null, 'https://bit.ly/spring', 'https://go.acme.example/sale', 'bit.ly/3xAbCd'],
    long_url: 'https://a.example/',
    title: 'Spring',
    clicks: 7,
  };
  const text = JSON.stringify({ links: [record] });
  const found = async () => (await links()).map(({ alias, clicks, title }) => [alias, clicks, title]);
  const all = [
    ['spring', 7, 'Spring'],
    ['sale', 0, 'Spring'],
    ['3xAbCd', 0, 'Spring'],
  ];
  const note = 'has 3 short URLs, and each is a link: the clicks are those of "spring"';

  test('becomes a link for each, on its domain, and only once', async () => {
    const id = await owner.domain('go.acme.example');
    for (const dryRun of [true, false]) {
      const report = await importInto(server, { text }, { format: 'bitly', dryRun });
      expect(report).toMatchObject({ lines: 1, created: 3, withoutLinks: 0, movedFrom: { 'bit.ly': 2 } });
      expect(report.told).toMatchObject([{ line: 1, taken: true, field: null, message: note }]);
    }
    for (const onTaken of ['skip', 'suffix', 'fail'] as const)
      expect(await importInto(server, { text }, { format: 'bitly', onTaken })).toMatchObject({
        ...{ created: 0, existing: 3, told: [] },
      });
    expect(await found()).toEqual(all);
    expect((await links()).map(({ domain_id }) => domain_id === id)).toEqual([false, true, false]);
    const other = await startTestServer();
    await other.caller();
    expect(await importInto(other, { text: await exportOf(server) })).toMatchObject({ created: 3, told: [] });
    expect(await exportOf(other)).toBe(await exportOf(server));
    await other.stop();
  });

  test.each([
    [
      'CSV with a list',
      'Bitlink;Custom Bitlinks;Long URL;Title;Clicks\nbit.ly/3xAbCd;"bit.ly/spring, go.acme.example/sale";https://a.example/;Spring;7\n',
    ],
    [
      'CSV with a back half',
      'Bitlink;Back half;Custom Bitlink;Long URL;Title;Clicks\nbit.ly/3xAbCd;spring;bit.ly/sale;https://a.example/;Spring;7\n',
    ],
  ])('is read from %s', async (_what, csv) => {
    const { told } = await importInto(server, { text: csv }, { format: 'bitly' });
    expect(told).toMatchObject([{ line: 2, message: note }]);
    expect(await found()).toEqual(all);
  });

  test('gets the other links if one alias is taken, and says which', async () => {
    const other = await server.caller('other');
    await other.link({ alias: 'spring', url: 'https://b.example/' });
    const report = await importInto(server, { text }, { format: 'bitly' });
    expect(report).toMatchObject({ lines: 1, created: 2, refused: 1 });
    expect(report.told).toMatchObject([
      { taken: false, field: 'alias', message: '("spring") is already taken on this domain' },
      {
        taken: true,
        message: expect.stringContaining('the clicks belong to "spring", which is not imported'),
      },
    ]);
    const again = await importInto(server, { text }, { format: 'bitly', onTaken: 'suffix' });
    expect(again).toMatchObject({ created: 1, existing: 2 });
    expect(await importInto(server, { text }, { format: 'bitly', onTaken: 'suffix' })).toMatchObject({
      ...{ created: 0, existing: 3 },
    });
  });

  test('gets the other links if one alias is impossible, however long it is', async () => {
    const records = [{ ...record, custom_bitlinks: [`bit.ly/${'x'.repeat(1_000)}`] }];
    const report = await importInto(server, { text: JSON.stringify(records) }, { format: 'bitly' });
    expect(report).toMatchObject({ created: 1, refused: 1 });
    for (const { message } of report.told) expect(message.length).toBeLessThan(200);
  });

  test('stops at a taken alias with --on-taken fail', async () => {
    const other = await server.caller('other');
    await other.link({ alias: 'sale', url: 'https://b.example/' });
    const report = await importInto(server, { text }, { format: 'bitly', onTaken: 'fail' });
    expect(report).toMatchObject({ created: 1, refused: 1, failedAt: 1 });
  });

  test('reports what is wrong with all of its links once', async () => {
    const wrong = JSON.stringify([{ ...record, long_url: 'ftp://a.example' }]);
    const { told } = await importInto(server, { text: wrong }, { format: 'bitly' });
    expect(told).toMatchObject([{ line: 1, field: 'url' }]);
  });

  test('is refused if it has more than a hundred', async () => {
    const custom_bitlinks = Array.from({ length: 101 }, (_, index) => `bit.ly/a${index}`);
    const records = [{ ...record, custom_bitlinks }, record];
    const report = await importInto(server, { text: JSON.stringify(records) }, { format: 'bitly' });
    expect(report).toMatchObject({ created: 3, refused: 1 });
    expect(report.told).toMatchObject([
      { line: 1, message: expect.stringContaining('must be at most 100 short URLs') },
      { line: 2 },
    ]);
  });

  test('counts as one line, however many links a batch has', async () => {
    const records = Array.from({ length: 600 }, (_, index) => ({
      ...{ ...record, link: `bit.ly/h${index}`, custom_bitlinks: [`bit.ly/x${index}`, `bit.ly/y${index}`] },
    }));
    const first = await importInto(
      server,
      { text: JSON.stringify(records) },
      { format: 'bitly', stopAfter: 1 },
    );
    expect(first).toMatchObject({ stopped: true, lines: 166, created: 498 });
    const report = await importInto(server, { text: JSON.stringify(records) }, { format: 'bitly' });
    expect(report).toMatchObject({ lines: 600, created: 1_302, existing: 498 });
  });
});

describe('a JSON file', () => {
  const shlink = (code: string) => ({ shortCode: code, longUrl: 'https://a.example/' });
  const yourls = (keyword: string) => ({ keyword, url: 'https://a.example/' });
  test.each<[string, ImportFormat, unknown, string[]]>([
    ['the answer of Shlink', 'shlink', { shortUrls: { data: [shlink('a'), shlink('b')] } }, ['a', 'b']],
    ['an empty answer of Shlink', 'shlink', { shortUrls: { data: [], pagination: {} } }, []],
    ['a list of Shlink', 'shlink', [shlink('a')], ['a']],
    ['a list in an object, of Shlink', 'shlink', { data: [shlink('a')] }, ['a']],
    [
      'the answer of YOURLS',
      'yourls',
      {
        stats: { total_links: '2' },
        links: { link_1: yourls('a'), link_2: yourls('b') },
        message: 'success',
      },
      ['a', 'b'],
    ],
    ['an empty answer of YOURLS', 'yourls', { links: {}, stats: {} }, []],
    ['a list of YOURLS', 'yourls', [yourls('a')], ['a']],
    ['a list in an object, of YOURLS', 'yourls', { links: [yourls('a')] }, ['a']],
  ])('may be %s', async (_what, format, content, aliases) => {
    const report = await importInto(server, { text: `\uFEFF${JSON.stringify(content)}` }, { format });
    expect(report).toMatchObject({ lines: aliases.length, refused: 0, error: null });
    expect((await links()).map(({ alias }) => alias)).toEqual(aliases);
  });

  test.each<[string, ImportFormat, unknown]>([
    ['an object of lists', 'shlink', { shortUrls: { pagination: {} } }],
    ['the answer of another service', 'yourls', { shortUrls: { data: [shlink('a')] } }],
    ['an object with links at another place', 'yourls', { data: { links: { link_1: yourls('a') } } }],
    ['an object in place of a list', 'shlink', { shortUrls: { data: { a: shlink('a') } } }],
  ])('may not be %s', async (_what, format, content) => {
    await expect(importInto(server, { text: JSON.stringify(content) }, { format })).rejects.toThrow(
      'it needs a list of records',
    );
  });

  test.each(['shlink', 'yourls'] as const)(
    'of %s is read up to a record that is too long',
    async (format) => {
      const record = (name: string) => ({ shortCode: name, keyword: name, url: 'https://a.example/' });
      const records = [record('a'), { ...record('b'), title: 'x'.repeat(9_000_000) }, record('c')];
      const content = format === 'shlink' ? { shortUrls: { data: records } } : { links: { ...records } };
      const report = await importInto(server, { text: JSON.stringify(content) }, { format });
      expect(report).toMatchObject({ created: 1, error: 'The record 2 has more than 8000000 bytes' });
    },
  );
});
