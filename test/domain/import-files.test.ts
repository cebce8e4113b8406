import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { importInto } from '../support/moving.ts';
import {
  type Caller,
  emptyServer,
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

async function links(caller = owner): Promise<RestLink[]> {
  const { body } = await caller.rest('GET', '/links?per_page=100&sort=asc');
  return (body as { data: RestLink[] }).data;
}

test('takes every short URL of Bitly, custom ones first, and treats an empty list as none', async () => {
  const records = [
    { link: 'https://bit.ly/one', custom_bitlinks: [], long_url: 'https://a.example/1' },
    { link: 'https://bit.ly/2xYz', custom_bitlinks: ['bit.ly/two'], long_url: 'https://a.example/2' },
  ];
  await importInto(server, { text: JSON.stringify({ links: records }) }, { format: 'bitly' });
  const text = [
    'custom bitlinks;bitlink;long url;tags',
    '[];bit.ly/three;https://a.example/3;[Draft] x',
    '"[""bit.ly/four""]";bit.ly/4xYz;https://a.example/4;',
    '"bit.ly/five, bit.ly/other";bit.ly/5xYz;https://a.example/5;',
    '"bit.ly/a,b";;https://a.example/6;',
  ];
  const { told } = await importInto(server, { text: text.join('\n') }, { format: 'bitly' });
  expect(told).toMatchObject([{ line: 3 }, { line: 4 }, { line: 5, field: 'alias' }]);
  const found = await links();
  expect(found.map(({ alias }) => alias)).toEqual('one two 2xYz three four 4xYz five other 5xYz'.split(' '));
  expect(found[3]).toMatchObject({ tags: [{ name: '[Draft] x' }] });
});

test('says what to do with a workbook', async () => {
  const text = Buffer.from('PK\x03\x04\x14\0\x06\0', 'latin1');
  await expect(importInto(server, { text })).rejects.toThrow(
    / is a workbook or another zip: .* save it as CSV in UTF-8\.$/,
  );
  const old = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
  await expect(importInto(server, { text: old })).rejects.toThrow(/ is a workbook /);
});

test('skips blank lines before the header', async () => {
  const text = '\n  \nalias;url\none;https://a.example/\n   \n';
  expect(await importInto(server, { text })).toMatchObject({ created: 1, refused: 0 });
});

test('skips rows of separators, reads \\N as no value, and does not split one column', async () => {
  const rows = [';;;', 'alias;url;title;expires_at', 'one;https://a.example/;\\N;\\N', ';;;', ' ;"";', ''];
  const report = await importInto(server, { text: rows.join('\r\n') });
  expect(report).toMatchObject({ lines: 1, created: 1, refused: 0, told: [] });
  const single = await importInto(server, { text: 'URL\nhttps://a.example/a,b;c\n' });
  expect(single).toMatchObject({ created: 1, refused: 0 });
  expect(await links()).toMatchObject([{ title: null, ends_at: null }, { url: 'https://a.example/a,b;c' }]);
});

test.each([
  ['with quotes', `"${'x'.repeat(9_000_000)}"`],
  ['without quotes', 'x'.repeat(9_000_000)],
])('refuses only the record that is too long: %s', async (_what, title) => {
  const text = `alias;url;title\none;https://a.example/;\ntwo;https://a.example/;${title}\nthree;https://a.example/;\n`;
  const report = await importInto(server, { text });
  expect(report).toMatchObject({ created: 2, refused: 1, error: null });
  expect(report.told).toMatchObject([{ line: 3, message: 'has more than 8000000 bytes' }]);
});

test('accepts a long JSON file whose other parts are large', async () => {
  const rest = 'x'.repeat(9_000_000);
  const records = [{ alias: 'one', url: 'https://a.example/' }];
  const report = await importInto(server, {
    text: JSON.stringify({ before: [rest], links: records, after: { rest } }),
  });
  expect(report).toMatchObject({ created: 1, error: null });
});

test('stops at a JSON record that is too long', async () => {
  const records = ['one', 'two', 'three'].map((alias) => ({
    alias,
    url: 'https://a.example/',
    title: alias === 'two' ? 'x'.repeat(9_000_000) : null,
  }));
  const report = await importInto(server, { text: JSON.stringify(records) });
  expect(report).toMatchObject({ created: 1, error: 'The record 2 has more than 8000000 bytes' });
});

test.each(['[]', '{"data":[]}', '{"total":0,"links":[]}'])('accepts an empty list: %s', async (text) => {
  expect(await importInto(server, { text }, { format: 'kutt' })).toMatchObject({ lines: 0, error: null });
});

describe.each([true, false])('a truncated or broken file (dry run: %s)', (dryRun) => {
  const record = (alias: string) => JSON.stringify({ address: alias, target: 'https://a.example/' });
  test.each([
    ['half a JSON', `[${record('a')},${record('b')},{"addr`, 'it ends too early'],
    ['garbage after a list', `[${record('a')},${record('b')}]x`, 'Unexpected "x"'],
    ['garbage in a list', `{"data":[${record('a')},${record('b')},x]}`, 'Unexpected "x"'],
    ['a list in each line', `[${record('a')},${record('b')}]\n[${record('c')}]\n`, 'Unexpected "["'],
    ['no UTF-8', Buffer.from(`[${record('a')},${record('b')},"\xe9"]`, 'latin1'), ''],
  ])('is imported up to the error: %s', async (_what, text, message) => {
    const report = await importInto(server, { text }, { format: 'kutt', dryRun });
    expect(report).toMatchObject({ lines: 2, created: 2, refused: 0 });
    expect(report.error).toContain(`The file is no JSON after record 2: ${message}`);
    expect((await links()).map(({ alias }) => alias)).toEqual(dryRun ? [] : ['a', 'b']);
  });
});

describe('a CSV file', () => {
  const read = async (lines: (string | Buffer)[], end = '\n') => {
    const text = Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from(end)]));
    const { told, ...report } = await importInto(server, { text }, { format: 'yourls' });
    const found = (await links()).map(({ alias, title }) => [alias, title]);
    return { report, told: told.map(({ line, message }) => [line, message]), found };
  };

  test.each(['\n', '\r\n', '\r'])('loses only one line to an unclosed quote (line end %j)', async (end) => {
    const { report, told, found } = await read(
      [
        'keyword,url,title',
        'm1,https://e.example/1,"two',
        'lines, and a ""quote"""',
        'm2,https://e.example/2,"open',
        'm3,https://e.example/3,5" disk',
        'm4,https://e.example/4,"closed"',
        'm5,https://e.example/5,"a" b',
        '"m6","https://e.example/6",""',
        'm7,https://e.example/7,"open at the end',
        'm8,https://e.example/8,last',
      ],
      end,
    );
    expect(told).toEqual([
      [4, expect.stringContaining('opens a cell in line 4 is not closed at the end of its cell')],
      [7, expect.stringContaining('text follows the next quote, in line 7')],
      [9, expect.stringContaining('opens a cell in line 9 is never closed')],
    ]);
    expect(told[0]?.[1]).toContain('in line 5');
    expect(report).toMatchObject({ lines: 8, created: 5, refused: 3 });
    expect(found).toEqual([
      ['m1', `two${end}lines, and a "quote"`],
      ['m3', '5" disk'],
      ['m4', 'closed'],
      ['m6', null],
      ['m8', 'last'],
    ]);
  });

  test('is read the same however its bytes are split', async () => {
    const filler = Array.from(
      { length: 3_000 },
      (_, index) => `k${index},https://e.example/${index},"ü\r\n${index}"`,
    );
    const { report, told } = await read(['keyword,url,title', ...filler, 'end,nothing,'], '\r\n');
    expect(report).toMatchObject({ created: 3_000, refused: 1 });
    expect(told).toEqual([[6_002, expect.stringContaining('absolute')]]);
  });

  test('is refused line by line where it is not UTF-8', async () => {
    const { report, told, found } = await read([
      'keyword,url,title',
      'good,https://e.example/1,Zürich \uFFFD',
      Buffer.from('bad,https://e.example/2,Z\xfcrich', 'latin1'),
      'after,https://e.example/3,',
    ]);
    expect(told).toEqual([[3, 'must be UTF-8']]);
    expect([report.created, found]).toEqual([
      2,
      [
        ['good', 'Zürich \uFFFD'],
        ['after', null],
      ],
    ]);
  });

  test('is accepted in UTF-16, as Excel writes it', async () => {
    const text = Buffer.from('\uFEFFkeyword\turl\ttitle\r\na\thttps://e.example\tÜ "x"\r\n', 'utf16le');
    expect(await importInto(server, { text }, { format: 'yourls' })).toMatchObject({
      created: 1,
      refused: 0,
    });
    expect(await links()).toMatchObject([{ alias: 'a', title: 'Ü "x"' }]);
  });

  test('is accepted with its delimiter named in the first line', async () => {
    const { report, told } = await read(['sep=;', 'keyword;url', 'a;https://e.example/,1', 'b;x']);
    expect([report.created, told]).toMatchObject([1, [[4, expect.anything()]]]);
  });

  test('with a duplicate column uses the first value', async () => {
    await read([
      'keyword,url,title,URL,url',
      'a,https://e.example/1,,,',
      'b,,,,https://e.example/2',
      'c,https://e.example/3,,x,x',
    ]);
    expect((await links()).map(({ url }) => url)).toEqual([1, 2, 3].map((one) => `https://e.example/${one}`));
  });
});

test('a link is closed if any of several columns says that it is', async () => {
  const text = [
    'Short link,Destination URL,Password,Password protected,Disabled,Banned',
    's.example/a,https://a.example/,false,true,,',
    's.example/b,https://a.example/,,,false,true',
    's.example/c,https://a.example/,false,false,false,0',
  ].join('\n');
  await importInto(server, { text }, { format: 'dub' });
  expect((await links()).map(({ disabled }) => disabled)).toEqual([1, 1, 0]);
});

test('imports a start that is in the future, and disables a link that would expire before it', async () => {
  const text =
    'shortCode,longUrl,validSince,validUntil\na,https://a.example/,2099-01-01,\nb,https://a.example/,2020-01-01,\n' +
    'c,https://a.example/,2099-01-01,2098-01-01\n';
  const { told } = await importInto(server, { text }, { format: 'shlink' });
  expect(told).toMatchObject([
    { line: 4, message: expect.stringContaining('would expire before it begins') },
  ]);
  expect((await links()).map((link) => [link.disabled, link.starts_at])).toEqual([
    [0, '2099-01-01T00:00:00.000Z'],
    [0, null],
    [1, null],
  ]);
});

test('imports the start, the archive and the status of the file that people download', async () => {
  const text = [
    'Short URL,URL,Notes,Status,Starts at,Archived,Redirect status,Privacy',
    's.example/a,https://a.example/,Ask Ann,Active,2020-01-01 00:00,yes,308,Everybody',
    's.example/b,https://a.example/,,Disabled,,no,302,Only this account',
  ].join('\n');
  expect(await importInto(server, { text })).toMatchObject({ created: 2, unusedColumns: [] });
  expect(await links()).toMatchObject([
    {
      starts_at: '2020-01-01T00:00:00.000Z',
      archived: 1,
      disabled: 0,
      redirect_status: 308,
      notes: 'Ask Ann',
    },
    { starts_at: null, archived: 0, disabled: 1, redirect_status: 302, notes: null },
  ]);
});

test('a message names the column whose value was used', async () => {
  const text = 'Short link,Destination URL,Expires at,Expiration\ns.example/a,https://a.example/,null,nope\n';
  const { told } = await importInto(server, { text }, { format: 'dub' });
  expect(told).toMatchObject([{ field: 'expires_at', column: 'Expiration' }]);
});

test('reads the visits and limits of Shlink\u2019s API, which are objects', async () => {
  const record = {
    shortCode: 'a',
    shortUrl: 'https://s.test/a',
    longUrl: 'https://a.example/',
    visitsSummary: { total: 12, nonBots: 9, bots: 3 },
    meta: { validSince: null, validUntil: '2030-01-01T00:00:00+01:00', maxVisits: 20 },
  };
  const report = await importInto(server, { text: JSON.stringify([record]) }, { format: 'shlink' });
  expect(report).toMatchObject({
    created: 1,
    unusedColumns: ['visitsSummary.nonBots', 'visitsSummary.bots'],
  });
  expect(await links()).toMatchObject([{ clicks: 12, expiration_date: '2029-12-31', expiration_clicks: 20 }]);
});

test('a deeply nested value affects only its own record', async () => {
  const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
  const text = `[{"alias":"a","url":"https://a.example/","domain":${deep}},{"alias":"b","url":"https://a.example/"}]`;
  expect(await importInto(server, { text })).toMatchObject({
    created: 1,
    refused: 1,
    told: [{ line: 1, field: 'domain' }],
  });
});

test('messages name the column as the file does', async () => {
  const text = `Bitlink,Custom Bitlink,Long URL,Engagements,Tags\nbit.ly/a,,https://a.example/,12.5k,\nbit.ly/b,,https://a.example/,1,${'x'.repeat(300)}\nbit.ly/é!,,https://a.example/,1,\n`;
  const { told } = await importInto(server, { text }, { format: 'bitly' });
  expect(told.map(({ field, column }) => [field, column])).toEqual([
    ['clicks', 'Engagements'],
    ['tags', 'Tags'],
    ['alias', 'Bitlink'],
  ]);
});

test('reads 0000-00-00 of MySQL as no time', async () => {
  const text = 'keyword,url,timestamp\na,https://a.example/,0000-00-00 00:00:00\n';
  expect(await importInto(server, { text }, { format: 'yourls' })).toMatchObject({ created: 1, refused: 0 });
});

test('names the columns whose values are not imported', async () => {
  const text = 'keyword,url,Note,Empty, Country \na,https://a.example/,,,\nb,https://b.example/,old,,NZ\n';
  expect((await importInto(server, { text }, { format: 'yourls' })).unusedColumns).toEqual([
    'Note',
    'Country',
  ]);
});

test('refuses a record in JSON with as many values as no record in CSV may have', async () => {
  const record = { alias: 'a', url: 'https://a.example/' };
  const values = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, 1]));
  const text = JSON.stringify([
    { ...record, ...values(998) },
    { ...record, ...values(999) },
  ]);
  expect(await importInto(server, { text })).toMatchObject({
    ...{ created: 1, refused: 1 },
    told: [{ line: 2, message: 'has more than 1000 values' }],
  });
});

test('names a limited number of columns if the records of a file differ', async () => {
  const records = Array.from({ length: 100 }, (_, i) => ({
    alias: `a${i}`,
    url: 'https://a.example/',
    [`${i}${'x'.repeat(1_000)}`]: 1,
  }));
  const { unusedColumns, created } = await importInto(server, { text: JSON.stringify(records) });
  expect([created, unusedColumns.length, unusedColumns[49]?.length]).toEqual([100, 50, 50]);
});
