import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { ImportFormat } from '../../src/domain/transfer/formats.ts';
import { runCommand } from '../support/command.ts';
import { exportOf, exportsFolder, importInto } from '../support/moving.ts';
import { plainFields, plainly } from '../support/plain-fields.ts';
import { unknownToPlanner } from '../support/plan.ts';
import {
  type Caller,
  emptyServer,
  type RestLink,
  startTestServer,
  type TestServer,
} from '../support/server.ts';

let server: TestServer;
let owner: Caller;
/** A second server, with the same account, for what the first one exports. */
let other: TestServer;
let ownerThere: Caller;
beforeAll(async () => {
  server = await startTestServer();
  other = await startTestServer();
});
beforeEach(async () => {
  owner = await server.caller();
  ownerThere = await other.caller();
});
afterEach(async () => {
  await emptyServer(server);
  await emptyServer(other);
});
afterAll(async () => {
  await server.stop();
});

async function links(caller = owner): Promise<RestLink[]> {
  const { body } = await caller.rest('GET', '/links?per_page=100&sort=asc');
  return (body as { data: RestLink[] }).data;
}
const linksOnly = (text: string) => text.split('\r\n').slice(1, -1);

const expected: [ImportFormat, string, object[]][] = [
  [
    'bitly',
    'bitly.csv',
    [
      {
        alias: 'spring-26',
        url: 'https://shop.example/spring?a=1&b=2',
        clicks: 1204,
        title: 'Spring sale, "all" of it',
        created_at: '2024-03-01T09:30:00.000Z',
        space: null,
        tags: [{ name: 'Sales' }, { name: 'Spring' }],
      },
      { alias: '3xAbCd', title: null, clicks: 7, created_at: '2023-11-20T10:00:00.000Z', space: null },
    ],
  ],
  [
    'dub',
    'dub.csv',
    [
      {
        alias: 'launch',
        title: 'Launch',
        clicks: 42,
        space: { name: 'Autumn' },
        tags: [{ name: 'Ads' }, {}],
        disabled: 0,
      },
      // It had a password.
      { alias: 'handbook', title: null, disabled: 1, ends_at: '2030-01-01T00:00:00.000Z' },
    ],
  ],
  [
    'kutt',
    'kutt.json',
    [
      { alias: 'team', url: 'https://team.example/ü?x=1', title: 'The team', clicks: 31, disabled: 0 },
      { alias: 'gone', disabled: 1, clicks: 2, ends_at: '2031-05-06T07:08:09.000Z' },
    ],
  ],
  ['kutt', 'kutt.csv', [{ alias: 'team', clicks: 31, created_at: '2022-05-06T07:08:09.000Z' }]],
  [
    'rebrandly',
    'rebrandly.csv',
    [{ alias: 'burn10M', clicks: 42, last_clicked_at: '2016-07-13T10:55:13.000Z', tags: [{ name: 'Cars' }] }],
  ],
  [
    'shlink',
    'shlink.csv',
    [
      {
        alias: 'ny',
        clicks: 9,
        created_at: '2020-12-31T22:59:59.000Z',
        tags: [{ name: '2021' }, { name: 'party' }],
      },
    ],
  ],
  [
    'yourls',
    'yourls.csv',
    [
      { alias: 'ozh', title: "Ozh's blog", clicks: 3012, created_at: '2009-12-04T20:15:01.000Z' },
      { alias: '1f', title: null, clicks: 0, url: 'https://example.org/?q=%20' },
    ],
  ],
];

// Reading a file does not depend on the database: for PostgreSQL, one format of JSON and one of CSV is enough.
const isSqlite = inject('database').provider === 'sqlite';
const asked = expected.filter(([format]) => isSqlite || format === 'kutt');

test.each(asked)(
  '%s: %s is imported, exported and imported again without a difference',
  async (format, file, found) => {
    const path = `${exportsFolder}${file}`;
    expect(await importInto(server, { path }, { format, dryRun: true })).toMatchObject({
      created: found.length,
    });
    expect(await links()).toEqual([]);
    const report = await importInto(server, { path }, { format });
    expect(report).toMatchObject({ created: found.length, existing: 0, refused: 0 });
    expect(await links()).toMatchObject(found);
    expect(await importInto(server, { path }, { format })).toMatchObject({
      created: 0,
      existing: found.length,
    });

    const csv = await exportOf(server);
    expect(linksOnly(csv)).toHaveLength(found.length);
    const text = file.endsWith('.json') ? await exportOf(server, 'json') : csv;
    expect(await importInto(other, { text })).toMatchObject({ created: found.length, refused: 0, told: [] });
    expect(await exportOf(other)).toBe(csv);
    // The log has each link once. On PostgreSQL, it appears when all earlier transactions of the cluster have ended.
    const logged = async () =>
      (
        await owner.data<{ changes: { totalCount: number } }>(
          '{ changes(filter: { kind: LINK }) { totalCount } }',
        )
      ).changes.totalCount;
    await expect.poll(logged).toBe(found.length);
  },
);

test('an export and an import restore an account unchanged', async () => {
  const ads = await owner.pixel('Ads, "all"');
  const space = await owner.space('=SUM(1)', { color: 4 });
  await owner.space('Empty', { color: 5 });
  await owner.pixel('Unused');
  const [later, sooner] = [await owner.tag('later; "x";\'-', 3), await owner.tag('=Sooner, Ä', 6)];
  await owner.tag('Unused', 2);
  const domain = await owner.domain('go.acme.example');
  await server.database.prisma.domain.update({
    where: { id: domain },
    data: {
      rootUrl: 'https://acme.example/',
      apps: JSON.stringify({
        apple: [{ teamId: 'ABCDE12345', bundleId: 'com.example.app', paths: ['NOT /b', '*'] }],
        android: [{ package: 'com.example.app', fingerprints: [Array(32).fill('0A').join(':')] }],
      }),
    },
  });
  await owner.link({
    alias: '-dash',
    title: "'=cmd|' /C calc'!A0",
    space_id: space,
    pixel_ids: ads,
    tag_ids: `${later},${sooner}`,
    domain_id: domain,
    target_type: 1,
    'country[0][key]': 'DE',
    'country[0][value]': 'https://example.com/@1,-2;x',
    'platform[0][key]': 'OS X',
    'platform[0][value]': 'https://example.com/"mac"',
    'language[0][key]': 'fr',
    'language[0][value]': 'https://example.com/fr',
    'rotation[0][value]': 'https://example.com/1',
    'rotation[1][value]': 'https://example.com/1',
    expiration_date: '2027-01-01',
    expiration_time: '10:30',
    expiration_clicks: 99,
    expiration_url: 'https://example.com/over',
    starts_at: '2020-01-01T00:00:00Z',
    redirect_status: 307,
    privacy: 1,
  });
  await owner.link({
    alias: 'off',
    disabled: 1,
    forward_query: 0,
    archived: 1,
    title: '@risk\n- "=1";"=2",\'=3',
    external_id: '=1,"x";4711',
  });
  await owner.link({ alias: 'list', title: '[]' });
  await owner.link({ alias: 'whole', ...plainly('inV1', ({ name }) => `Any ${name}`) });
  await owner.link({ alias: 'Off', title: '+1, "quoted"; semicolon and a \uFEFF byte order mark' });
  const csv = await exportOf(server);
  for (const { name } of plainFields) expect(csv).toContain(`Any ${name}`);
  // Excel reads a file without a byte order mark as Windows-1252.
  expect([...csv.matchAll(/\uFEFF/g)].map(({ index }) => index)).toEqual([
    0,
    csv.indexOf('\uFEFF byte order'),
  ]);
  expect(csv).not.toMatch(/(^|[,;\n])[\s"]*[=+@-]/);
  for (const text of [csv, await exportOf(server, 'json'), csv.slice(1)]) {
    await emptyServer(other);
    await other.caller();
    const report = await importInto(other, { text });
    expect(report).toMatchObject({
      created: 5,
      refused: 0,
      spaces: 2,
      tags: 3,
      pixels: 2,
      domains: 1,
      unusedColumns: [],
    });
    const withoutTimes = (one: string) =>
      one.replace(/^((?:domain|space|tag|pixel),.*?),[^,]*,[^,]*$/gm, '$1');
    expect(withoutTimes(await exportOf(other))).toBe(withoutTimes(csv));
    expect(await importInto(other, { text })).toMatchObject({
      created: 0,
      existing: 5,
      spaces: 0,
      tags: 0,
      pixels: 0,
    });
  }
});

test('reads the cells of an earlier version as it wrote them', async () => {
  const text = [
    'kind,alias,url,title,tags',
    `link,old,"https://a.example/?a;'=b,'-1","'=1\n'- 2","[{""name"":""a;'-b"",""color"":3}]"`,
  ].join('\n');
  expect(await importInto(other, { text })).toMatchObject({ created: 1, told: [] });
  expect(await links(ownerThere)).toMatchObject([
    { url: "https://a.example/?a;=b,'-1", title: "=1\n'- 2", tags: [{ name: "a;'-b" }] },
  ]);
});

test('disables a link that had a password, with a message, unless the file has the password', async () => {
  await owner.link({ alias: 'locked', password: 'x', privacy: 2, privacy_password: 'y' });
  const csv = await exportOf(server);
  expect(csv).not.toContain('scrypt');
  const { told } = await importInto(other, { text: csv });
  expect(told).toMatchObject([
    { line: 2, taken: true, message: expect.stringContaining('disabled until it gets another') },
    { line: 2, taken: true, message: expect.stringContaining('private now') },
  ]);
  expect(await links(ownerThere)).toMatchObject([{ disabled: 1, privacy: 1, has_password: false }]);
  await importInto(other, { text: 'alias,url,password,has_password\nnew,https://a.example,secret,1\n' });
  expect((await links(ownerThere))[1]).toMatchObject({ disabled: 0, has_password: true });
});

test('removes the statistics password from a link with another privacy, with a message', async () => {
  await owner.link({ alias: 'kept', privacy: 2, privacy_password: 'y' });
  await server.database.prisma.link.updateMany({ data: { privacy: 'PRIVATE' } });
  const text = await exportOf(server);
  expect((await importInto(other, { text })).told).toMatchObject([
    { line: 2, taken: true, message: expect.stringContaining('it is not kept') },
  ]);
});

describe('an invalid line', () => {
  test('is reported with its number, its field and what is allowed, and does not affect others', async () => {
    const text = [
      'alias;url;title;created_at;clicks;expiration_clicks;countries',
      'one;https://a.example/;;;;;',
      'two;ftp://a.example/;;;;;',
      '"t\r\nhree";https://a.example/;;;;;',
      'a//b;https://a.example/;;;;;',
      'graphql;https://a.example/;;;;;',
      'bad-time;https://a.example/;;2026-02-30;;;',
      'bad-clicks;https://a.example/;;;-1;;',
      'bad-both;https://a.example/;;31.12.2026;many;;',
      'bad-limit;https://a.example/;;;;9999999999;',
      'bad-list;https://a.example/;;;;;DE',
      'bad-country;https://a.example/;;;;;"[{""country"":""XX"",""url"":""https://a.example""}]"',
      'cells;https://a.example/;;;;;;;too;many',
      '',
      'blocked;https://bad.example/;;;;;',
      'kept;https://a.example/;;;;;',
      `long;https://a.example/;${'x'.repeat(256)};;;;`,
      'last;https://a.example/;Ümläut 🎉;2026-01-01;5;;',
      '',
    ].join('\r\n');
    const report = await importInto(server, { text }, { blocked: 'bad.example', reserved: 'kept' });
    expect(report).toMatchObject({ lines: 16, created: 2, refused: 14 });
    const places = report.told.map(({ line, field }) => [line, field]);
    expect(places).toEqual([
      ...[
        [3, 'url'],
        [4, 'alias'],
        [6, 'alias'],
        [7, 'alias'],
        [8, 'created_at'],
        [9, 'clicks'],
      ],
      ...[
        [10, 'created_at'],
        [10, 'clicks'],
        [11, 'expiration_clicks'],
        [12, 'countries'],
      ],
      ...[
        [13, 'countries.0.country'],
        [14, null],
        [16, 'url'],
        [17, 'alias'],
        [18, 'title'],
      ],
    ]);
    const messages = report.told.map(({ message }) => message).join('\n');
    expect(messages).toContain('must be an absolute http or https URL');
    expect(messages).toContain('may have at most 8 segments, with one / between them and none at the ends');
    expect(messages).toContain('is "-1"; it must be a whole number from 0 to 9007199254740991');
    expect(await links()).toMatchObject([{ alias: 'one' }, { alias: 'last', title: 'Ümläut 🎉', clicks: 5 }]);
  });

  test('of JSON is reported with the number of the record', async () => {
    const text = JSON.stringify([
      { address: 'a', target: 'x' },
      7,
      { address: 'b', target: 'https://b.example' },
    ]);
    const report = await importInto(server, { text }, { format: 'kutt' });
    expect(report.told.map(({ line, field }) => [line, field])).toEqual([
      [1, 'url'],
      [2, null],
    ]);
    expect(report).toMatchObject({ created: 1, refused: 2 });
  });

  test.each(['url', 'alias', 'title', 'space', 'privacy', 'expiration_url'])(
    'of JSON is refused if its %s is an object',
    async (field) => {
      const values = { alias: 'a', url: 'https://a.example/' };
      const text = JSON.stringify([
        { ...values, [field]: { of: 1 } },
        { ...values, alias: 'b', space: { name: 'S' } },
      ]);
      const report = await importInto(server, { text });
      expect(report.told).toMatchObject([{ line: 1, field, message: 'is "{"of":1}"; it must be a text' }]);
      expect(await links()).toMatchObject([{ alias: 'b' }]);
    },
  );

  test.each([
    [
      'a file of another kind',
      'name,age\nx,1\n',
      /its first line has the columns "name", "age"; it needs one of/,
    ],
    ['an empty file', '', /The file is empty/],
    ['an object without records', '{}', /no export of the format "kutt": it needs a list of records/],
    ['an object with a list of something else', '{"foo":[{"address":"a"}]}', /it needs a list of records/],
    ["Shlink's API answer", '{"shortUrls":{"data":[{"shortCode":"a"}]}}', /it needs a list of records/],
    ['no list', '{"data":{"a":{"address":"a"}}}', /it needs a list of records/],
    ['a JSON object in each line', '{"address":"a"}\n{"address":"b"}\n', /it needs a list of records/],
  ])('refuses the whole file: %s', async (_what, text, message) => {
    await expect(importInto(server, { text }, { format: 'kutt' })).rejects.toThrow(message);
  });
});

test('creates links in the order of the file, whichever fields each line has', async () => {
  const text = [
    'alias,url,title,expires_at,target_type,rotation,disabled,privacy',
    'one,https://a.example/,One,,,,,',
    'two,https://a.example/,,,,,1,',
    'three,https://a.example/,,2030-01-01T00:00:00Z,,,,PRIVATE',
    'four,https://a.example/,,,,,,',
    'five,https://a.example/,Five,,,,,',
  ].join('\n');
  await importInto(server, { text });
  expect((await links()).map(({ alias }) => alias)).toEqual(['one', 'two', 'three', 'four', 'five']);
});

test('uses the defaults of a new link for unset fields', async () => {
  const text = [
    'alias,url,title,disabled,privacy',
    'full,https://a.example/,Full,1,PRIVATE',
    'bare,https://a.example/,,,',
  ].join('\n');
  await importInto(server, { text });
  await owner.link({ alias: 'made', url: 'https://a.example/' });
  const [bare, made] = await server.database.prisma.link.findMany({
    where: { alias: { in: ['bare', 'made'] } },
    omit: { id: true, alias: true, aliasKey: true, createdAt: true, updatedAt: true },
    orderBy: { id: 'asc' },
  });
  expect(bare).toEqual(made);
});

describe.each([true, false])('a line with a record that cannot be created (dry run: %s)', (dryRun) => {
  test.each([
    ['a colour beyond all integers', { space: 'x', space_color: 3_000_000_000 }, 'space_color'],
    ['a colour that does not exist', { space: 'x', space_color: 9 }, 'space_color'],
    ['a null character', { space: 'x\u0000y' }, 'space'],
    [
      'a pixel with a null character',
      { pixels: [{ name: 'a\u0000', type: 'X', value: '1' }] },
      'pixels.0.name',
    ],
    ['a pixel of no network', { pixels: [{ name: 'a', type: 'NONE', value: '1' }] }, 'pixels.0.type'],
    [
      'a wrong value of a pixel',
      { pixels: [{ name: 'a', type: 'FACEBOOK', value: 'abc' }] },
      'pixels.0.value',
    ],
    ['an impossible domain', { own_domain: true, domain: 'bad_host.localhost' }, 'domain'],
    [
      'a wrong address of a domain',
      { own_domain: true, domain: 'go.acme.example', domain_not_found_url: 'x' },
      'domain_not_found_url',
    ],
    ['a space without a name', { kind: 'space' }, 'space'],
    ['a tag without a name', { kind: 'tag' }, 'tags'],
    ['a pixel without anything', { kind: 'pixel' }, 'pixels'],
    ['a domain without a name', { kind: 'domain' }, 'domain'],
    ['a wrong title and a new space', { title: 'x'.repeat(256), space: 'New' }, 'title'],
  ])('is refused without affecting other lines: %s', async (_what, wrong, field) => {
    const text = JSON.stringify([
      { alias: 'wrong', url: 'https://a.example/', ...wrong },
      { alias: 'right', url: 'https://a.example/' },
    ]);
    const report = await importInto(server, { text }, { dryRun });
    expect(report).toMatchObject({ created: 1, refused: 1, spaces: 0, pixels: 0, domains: 0 });
    expect(report.told).toMatchObject([{ line: 1, taken: false, field }]);
    expect(await server.database.prisma.space.count()).toBe(0);
  });
});

describe('a taken alias', () => {
  const text =
    'keyword,url\nfree,https://a.example/\nmine,https://a.example/\nmine,https://b.example/\nend,https://a.example/\n';
  beforeEach(async () => {
    const other = await server.caller('other');
    await other.link({ alias: 'mine', url: 'https://a.example/' });
  });
  const aliases = async () => (await links()).map(({ alias, url }) => `${alias} ${url}`);

  test.each([true, false])('is skipped with a message by default (dry run: %s)', async (dryRun) => {
    const report = await importInto(server, { text }, { format: 'yourls', dryRun });
    expect(report).toMatchObject({ created: 2, refused: 2 });
    expect(report.told).toMatchObject([
      { line: 3, taken: false, field: 'alias', message: 'is already taken on this domain' },
      { line: 4 },
    ]);
  });

  test('gets a suffix with a message, and the same suffix in a repeated import', async () => {
    for (const dryRun of [true, false]) {
      const report = await importInto(server, { text }, { format: 'yourls', onTaken: 'suffix', dryRun });
      expect(report.created).toBe(4);
      expect(report.told).toMatchObject([
        { line: 3, taken: true, message: 'is already taken on this domain: the link is "mine-2"' },
        { line: 4, taken: true, message: 'is already taken on this domain: the link is "mine-3"' },
      ]);
    }
    const before = await aliases();
    const again = await importInto(server, { text }, { format: 'yourls', onTaken: 'suffix' });
    expect(again).toMatchObject({ created: 0, existing: 4 });
    expect(await aliases()).toEqual(before);
  });

  test('stops the import with --on-taken fail', async () => {
    const report = await importInto(server, { text }, { format: 'yourls', onTaken: 'fail' });
    expect(report).toMatchObject({ created: 1, failedAt: 3, lines: 2 });
    expect(await aliases()).toEqual(['free https://a.example/']);
  });
});

describe('an external id', () => {
  const text = [
    'url,alias,external_id,tags',
    'https://a.example/1,one,id-1,x',
    'https://a.example/2,two,id-1,y',
    'https://a.example/3,one,id-2,',
    'https://a.example/4,,id-2,',
    'https://a.example/4,,id-3,',
    'https://a.example/4,,id-3,',
    'https://a.example/5,,"a\u0007b",',
    `https://a.example/6,,${'x'.repeat(256)},`,
    'https://a.example/7,,taken,',
    'https://a.example/8,,  ,',
  ].join('\n');
  const told = [
    [3, 'external_id', 'is already that of another link'],
    [4, 'alias', expect.stringContaining('is already')],
    [8, 'external_id', 'may have no control characters and no line breaks'],
    [9, 'external_id', 'must have 1 to 255 characters, not 256'],
    [10, 'external_id', 'is already that of another link'],
  ];

  test('that is given twice, taken or wrong refuses its line alone, also in a dry run and again', async () => {
    await owner.link({ alias: 'before', external_id: 'taken' });
    for (const dryRun of [true, false]) {
      const report = await importInto(server, { text }, { dryRun });
      expect(report).toMatchObject({ lines: 10, created: 4, existing: 1, refused: 5, tags: 1 });
      const refused = report.told.filter(({ taken }) => !taken);
      expect(refused.map(({ line, field, message }) => [line, field, message])).toEqual(told);
    }
    const made = (await links()).map(({ alias, url, external_id: id }) => [alias.length > 5, url, id]);
    expect(made.slice(1)).toEqual([
      [false, 'https://a.example/1', 'id-1'],
      [true, 'https://a.example/4', 'id-2'],
      [true, 'https://a.example/4', 'id-3'],
      [true, 'https://a.example/8', undefined],
    ]);
    expect(await importInto(server, { text })).toMatchObject({
      created: 0,
      existing: 5,
      refused: 5,
      tags: 0,
    });
    expect((await links()).length).toBe(5);
  });

  test('of an existing link is kept, and the import says so', async () => {
    const rows = [
      'url,alias,external_id',
      'https://a.example/1,one,id-1',
      'https://a.example/1,one,id-1',
      'https://a.example/1,one,other',
      'https://a.example/1,one,',
      'https://a.example/2,two,new',
    ].join('\n');
    await owner.link({ url: 'https://a.example/2', alias: 'two' });
    const kept = 'is not stored: the link exists, and keeps its own';
    for (const dryRun of [true, false, false]) {
      const report = await importInto(server, { text: rows }, { dryRun });
      expect(report).toMatchObject({ refused: 0 });
      const notes = report.told.filter(({ field }) => field === 'external_id');
      expect(notes.map(({ line, taken, message }) => [line, taken, message])).toEqual([
        [4, true, kept],
        [6, true, kept],
      ]);
    }
    expect((await links()).map(({ external_id: id }) => id).sort()).toEqual(['id-1', undefined]);
  });

  test('is kept by a repeated import that changes aliases', async () => {
    await owner.link({ alias: 'one' });
    const onTaken = { onTaken: 'suffix' } as const;
    expect(await importInto(server, { text }, onTaken)).toMatchObject({
      created: 5,
      existing: 1,
      refused: 4,
    });
    expect(await importInto(server, { text }, onTaken)).toMatchObject({
      created: 0,
      existing: 6,
      refused: 4,
    });
  });

  test('may be a number in JSON, and has the name of our own export', async () => {
    const records = [{ url: 'https://a.example/', external_id: 4711 }];
    expect(await importInto(server, { text: JSON.stringify(records) })).toMatchObject({ created: 1 });
    expect(await links()).toMatchObject([{ external_id: '4711' }]);
    const [{ external_id: exported }] = JSON.parse(await exportOf(server, 'json')).data.filter(
      ({ kind }: { kind: string }) => kind === 'link',
    );
    expect(exported).toBe('4711');
  });
});

test('reports aliases that differ only in case', async () => {
  const text = 'keyword,url\nSale,https://a.example/\nsale,https://b.example/\n';
  const { told, created } = await importInto(server, { text }, { format: 'yourls' });
  expect([created, told]).toMatchObject([
    2,
    [{ line: 3, taken: true, message: expect.stringContaining('"Sale"') }],
  ]);
});

test('generates an alias for a line without one, and the same alias in a repeated import', async () => {
  const text = 'alias,url\n,https://a.example/\n,https://b.example/\n';
  expect(await importInto(server, { text })).toMatchObject({ created: 2, told: [{ line: 2 }, { line: 3 }] });
  expect(await importInto(server, { text })).toMatchObject({ created: 0, existing: 2 });
});

test.each(['bitly', 'dub', 'kutt', 'rebrandly', 'shlink', 'yourls'] as const)(
  'a link that is closed in an export of %s stays closed',
  async (format) => {
    const text = [
      'Short URL,Slug,Keyword,Address,Back half,Long URL,Password protected,Banned,Expiration date,Click limit',
      'https://s.example/a,a,a,a,a,https://a.example/,yes,,,',
      'https://s.example/b,b,b,b,b,https://a.example/,no,1,,',
      'https://s.example/c,c,c,c,c,https://a.example/,no,0,2026-01-02,',
      'https://s.example/d,d,d,d,d,https://a.example/,no,0,,10',
    ].join('\n');
    expect(await importInto(server, { text }, { format })).toMatchObject({ created: 4 });
    const shown = (await links()).map(({ alias, disabled, expiration_date, expiration_clicks }) => [
      ...[alias, disabled, expiration_date, expiration_clicks],
    ]);
    expect(shown).toEqual([
      ['a', 1, null, null],
      ['b', 1, null, null],
      ['c', 0, '2026-01-02', null],
      ['d', 0, null, 10],
    ]);
  },
);

test('a link of Rebrandly whose status is not active is imported disabled, with a note', async () => {
  const text = [
    'Slashtag,Destination,Status',
    ...['a,https://a.example/,active', 'b,https://a.example/,held', 'c,https://a.example/,Disabled'],
    ...['d,https://a.example/,', 'e,https://a.example/,trashed'],
  ].join('\n');
  expect(await importInto(server, { text }, { format: 'rebrandly' })).toMatchObject({
    created: 4,
    told: [{ line: 3 }, { line: 4 }, { line: 6, taken: false, column: 'Status' }],
  });
  const shown = (await links()).map(({ alias, disabled }) => [alias, disabled]);
  expect(shown).toEqual(Object.entries({ a: 0, b: 1, c: 1, d: 0 }));
});

test('a dry run reports the same aliases, spaces and pixels as the import', async () => {
  const pixel = (name: string) =>
    JSON.stringify([{ name, type: 'FACEBOOK', value: '123456789012345' }]).replaceAll('"', '""');
  const text = [
    'kind,domain,own_domain,alias,url,space,space_color,pixels',
    `link,go1.example,1,,https://a.example/1,A,1,"${pixel('p')}"`,
    `link,go2.example,1,,https://a.example/2,A,,"${pixel(' p')}"`,
  ].join('\n');
  const tried = await importInto(server, { text }, { dryRun: true });
  expect(tried).toMatchObject({ created: 2, spaces: 1, pixels: 1, domains: 2 });
  expect(await importInto(server, { text })).toEqual(tried);
});

test('finds domains by name, maps them, or replaces them with the default one', async () => {
  const id = await owner.domain('go.acme.example');
  const text =
    'short url,long url\nhttps://go.acme.example/a,https://x.example\nbit.ly/b,https://x.example\nhttps://old.example/c,https://x.example\n';
  const mapDomain = new Map([['old.example', 'go.acme.example']]);
  const report = await importInto(server, { text }, { format: 'bitly', mapDomain });
  expect(report).toMatchObject({ created: 3, movedFrom: { 'bit.ly': 1 }, movedTo: 's.example' });
  const found = (await links()).map(({ alias, domain_id }) => [alias, domain_id === id]);
  expect(found).toEqual([
    ['a', true],
    ['b', false],
    ['c', true],
  ]);
});

test('a dry run tells apart the domains that it would create', async () => {
  const text =
    'kind,domain,own_domain,alias,url\nlink,,0,promo,https://a.example/1\nlink,go1.example,1,promo,https://a.example/2\nlink,go2.example,1,promo,https://a.example/3\nlink,go2.example,1,promo,https://a.example/4\n';
  const tried = await importInto(server, { text }, { dryRun: true });
  expect(tried).toMatchObject({ created: 3, refused: 1, domains: 2, told: [{ line: 5, field: 'alias' }] });
  expect(await importInto(server, { text })).toEqual(tried);
});

test('a dry run refuses the same links as the import on new domains and on domains of others', async () => {
  const other = await server.caller('other');
  await other.domain('theirs.example');
  const text =
    'kind,domain,own_domain,alias,url\nlink,go1.example,1,a,https://go1.example/b\nlink,theirs.example,1,b,https://a.example/2\n';
  const tried = await importInto(server, { text }, { dryRun: true });
  expect(tried).toMatchObject({ created: 0, refused: 2, domains: 1 });
  expect(await server.database.prisma.domain.count()).toBe(2);
  expect(await importInto(server, { text })).toEqual(tried);
});

test('counts only new links as moved to the default domain', async () => {
  const text = [
    'short url,long url',
    ...[
      'bit.ly/a,https://x.example',
      'bit.ly/b,x',
      'bit.ly/a,https://y.example',
      'bit.ly/c,https://x.example',
    ],
  ].join('\n');
  for (const dryRun of [true, false])
    expect(await importInto(server, { text }, { format: 'bitly', dryRun })).toMatchObject({
      created: 2,
      refused: 2,
      movedFrom: { 'bit.ly': 2 },
    });
  expect(await importInto(server, { text }, { format: 'bitly' })).toMatchObject({
    existing: 2,
    movedFrom: {},
  });
});

test('drops the invisible characters around addresses, aliases and hosts', async () => {
  const id = await owner.domain('go.acme.example');
  const around = (text: string) => `\u200B${text}\u202C\u200E`;
  const text = `alias,domain,url\n${[around('one'), around('https://Go.acme.example/'), around('https://a.example/')]}\n`;
  expect(await importInto(server, { text })).toMatchObject({ created: 1, movedFrom: {} });
  const short = `short_url,url\n${[around('go.acme.example/two'), around('https://b.example/')]}\n`;
  expect(await importInto(server, { text: short })).toMatchObject({ created: 1, movedFrom: {} });
  expect(await links()).toMatchObject([
    { alias: 'one', url: 'https://a.example/', domain_id: id },
    { alias: 'two', url: 'https://b.example/', domain_id: id },
  ]);
});

test('refuses a link to the service by a loopback address with its port', async () => {
  const text = 'alias,url\na,http://127.0.0.1:3000/b\nb,http://[::1]:3001/a\n';
  const { created, told } = await importInto(server, { text });
  expect([created, told]).toMatchObject([
    1,
    [{ line: 2, field: 'url', message: 'may not lead to a short domain of this service' }],
  ]);
});

test('a domain line creates the domain, also without own_domain', async () => {
  const text = 'kind,domain,alias,url\ndomain,go.acme.example,,\n';
  expect(await importInto(server, { text })).toMatchObject({ domains: 1, refused: 0, movedFrom: {} });
});

test('maps lines without a host by the name of the default domain', async () => {
  const id = await owner.domain('go.acme.example');
  const mapDomain = new Map([['s.example', 'go.acme.example']]);
  await importInto(server, { text: 'keyword,url\na,https://x.example\n' }, { format: 'yourls', mapDomain });
  expect(await links()).toMatchObject([{ alias: 'a', domain_id: id }]);
});

test('an interrupted and repeated import gives the same result as a single one', async () => {
  const rows = Array.from(
    { length: 1_200 },
    (_, index) => `k${index},https://a.example/${index},${index % 7}`,
  );
  const text = `keyword,url,clicks\n${rows.join('\n')}\n`;
  const first = await importInto(server, { text }, { format: 'yourls', stopAfter: 1 });
  expect(first).toMatchObject({ stopped: true, created: 500 });
  const second = await importInto(server, { text }, { format: 'yourls' });
  expect(second).toMatchObject({ stopped: false, created: 700, existing: 500 });
  const inTwo = await exportOf(server);
  expect(await importInto(other, { text }, { format: 'yourls' })).toMatchObject({ created: 1_200 });
  expect(await exportOf(other)).toBe(inTwo);
});

test.skipIf(isSqlite)('lets the planner know what is new', async () => {
  // One that nothing was ever written to.
  const fresh = await startTestServer();
  await fresh.caller();
  const db = fresh.database;
  expect(await unknownToPlanner(db, ['Link', 'LinkCounter'])).toHaveLength(2);
  const folder = mkdtempSync(join(tmpdir(), 'linkspace-planner-'));
  const file = join(folder, 'yourls.csv');
  writeFileSync(file, 'keyword,url\na,https://x.example\n');
  const env = { DATABASE_URL: fresh.databaseUrl, BASE_URL: 'https://s.example' };
  await runCommand('import', env, ['--format', 'yourls', '--file', file, '--account', 'owner']);
  rmSync(folder, { recursive: true });
  expect(await unknownToPlanner(db, ['Link', 'LinkCounter'])).toEqual([]);
  await fresh.stop();
});

test('aliases of any form, and the forwarding of a domain, come through an export', async () => {
  await owner.data(
    'mutation { createDomain(input: { name: "paths.example", forwardsPath: true }) { ... on Domain { id } } }',
  );
  const aliases = ['spring/sale', 'läden', '❤/🎉', 'v1.2'];
  for (const alias of aliases) await owner.link({ alias });
  for (const format of ['csv', 'json'] as const) {
    const text = await exportOf(server, format);
    expect(text).toContain('https://s.example/l%C3%A4den');
    expect(await importInto(other, { text })).toMatchObject({ refused: 0, told: [] });
    expect((await links(ownerThere)).map(({ alias }) => alias)).toEqual(aliases);
    const where = { name: 'paths.example' };
    expect(await other.database.prisma.domain.findUnique({ where })).toMatchObject({ forwardsPath: true });
    expect((await importInto(other, { text })).existing).toBe(4);
    expect(await exportOf(other, format)).toBe(text);
    await emptyServer(other);
    ownerThere = await other.caller();
  }
});

test.each<[ImportFormat, string, string[]]>([
  [
    'bitly',
    'Bitlink,Long URL\nbit.ly/l%C3%A4den,https://a.example/\nbit.ly/é,https://a.example/é\n',
    ['läden', 'é'],
  ],
  ['shlink', 'shortUrl,longUrl\nhttps://s.example/spring/sale,https://a.example/\n', ['spring/sale']],
  ['yourls', 'keyword,url\n🎉,https://a.example/\na/b,https://a.example/b\n', ['🎉', 'a/b']],
  [
    'csv',
    'short_url,url\nläden,https://a.example/\nhttps://s.example/%E2%9D%A4%EF%B8%8F,https://a.example/b\n',
    ['läden', '❤'],
  ],
])('takes aliases with slashes and of any script from %s', async (format, text, aliases) => {
  expect(await importInto(server, { text }, { format })).toMatchObject({ refused: 0 });
  expect((await links()).map(({ alias }) => alias)).toEqual(aliases);
});
