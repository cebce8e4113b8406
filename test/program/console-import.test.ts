import { expect, test } from 'vitest';
import {
  type ColumnField,
  columnFields,
  examplesIn,
  fieldNamed,
  fieldsOf,
  mapColumns,
  withField,
} from '../../console/src/data/columns.ts';
import {
  cut,
  joined,
  plain,
  splitCells,
  textIn,
  urlNames,
  withRecord,
} from '../../console/src/data/import.ts';
import { inColumns, separatorIn } from '../../console/src/data/separators.ts';
import { importFormats } from '../../src/domain/transfer/formats.ts';

const linesIn = (text: string) => cut(text, null).records.map(({ line, text: record }) => [line, record]);

test.each<[what: string, text: string, format: string, records: [number, string][]]>([
  [
    'lines',
    '\na.example/1\r\n \t\r\na.example/2  b',
    'LINES',
    [
      [2, 'a.example/1'],
      [4, 'a.example/2  b'],
    ],
  ],
  [
    'CSV',
    'url,alias\n1,a\n\n2,b\n',
    'CSV',
    [
      [2, '1,a'],
      [4, '2,b'],
    ],
  ],
  [
    'CSV with line breaks in quotes',
    'url;title\r\n1;"a\r\n""b"";"\r\n2;c',
    'CSV',
    [
      [2, '1;"a\r\n""b"";"'],
      [4, '2;c'],
    ],
  ],
  [
    'CSV with a quote within a cell',
    'url,title\n1,5" disk\n2,b',
    'CSV',
    [
      [2, '1,5" disk'],
      [3, '2,b'],
    ],
  ],
  [
    'CSV with a quote that is never closed',
    'url,title\n1,"a\n2,b',
    'CSV',
    [
      [2, '1,"a'],
      [3, '2,b'],
    ],
  ],
  [
    'CSV with text after a quote',
    'url,title\n1,"a\n2,b"c\n3,d',
    'CSV',
    [
      [2, '1,"a'],
      [3, '2,b"c'],
      [4, '3,d'],
    ],
  ],
  ['CSV after a line that names the delimiter', '\uFEFFsep=;\r\nurl;title\r\n1;a,b', 'CSV', [[3, '1;a,b']]],
  [
    'a list in JSON',
    '[{"short_code":"a"},{"short_code":"b"}]',
    'SHLINK',
    [
      [1, '{"short_code":"a"}'],
      [2, '{"short_code":"b"}'],
    ],
  ],
  ['an object with a list', '{"data":[{"key":"a","url":1}],"total":1}', 'DUB', [[1, '{"key":"a","url":1}']]],
  [
    'an object of records',
    '{"links":{"link_1":{"keyword":"a","clicks":1}}}',
    'YOURLS',
    [[1, '{"keyword":"a","clicks":1}']],
  ],
  ['broken JSON', '{"data":[', 'CSV', [[1, '{"data":[']]],
])('cuts %s between its records', (_what, text, format, records) => {
  expect(cut(text, null).format).toBe(format);
  expect(linesIn(text)).toEqual(records);
});

test('a row of separators is an empty line, and one column is not split', () => {
  expect(linesIn('url;title\n;\n1;a\n ; \n')).toEqual([[3, '1;a']]);
  expect(linesIn('https://a.example/1\n;;;\n, ,\nhttps://a.example/2')).toEqual([
    [1, 'https://a.example/1'],
    [4, 'https://a.example/2'],
  ]);
  const parts = cut('url\nhttps://a.example/?a=1,2', null);
  expect(parts).toMatchObject({ format: 'CSV', header: 'url\n' });
  expect(splitCells(parts.records[0]?.text ?? '', parts.delimiter)).toEqual(['https://a.example/?a=1,2']);
});

test.each([
  '[One](https://a.example/1)',
  '[x] https://a.example/1\n[ ] https://a.example/2',
  '- https://a.example/1',
])('takes %s for lines', (text) => {
  expect(cut(text, null)).toMatchObject({ format: 'LINES', isJson: false });
});

test.each<[what: string, text: string, asked: string | null, columns: string | null]>([
  [
    'a comma',
    'https://l.example/a,im18\nhttps://l.example/b,im19',
    ',im18',
    'https://l.example/a\tim18\nhttps://l.example/b\tim19',
  ],
  [
    'a semicolon and spaces',
    '\nwww.l.example/a ; im18\n\nl.example/b; im19\n',
    ';im18',
    '\nwww.l.example/a\tim18\n\nl.example/b\tim19\n',
  ],
  [
    'a bar, a title and a marker',
    '- https://l.example/a|x|One\n- https://l.example/b|y|Two',
    '|x',
    '- https://l.example/a\tx\tOne\n- https://l.example/b\ty\tTwo',
  ],
  [
    'commas in some URLs',
    'https://l.example/a,b,x\nhttps://l.example/c,y',
    ',x',
    'https://l.example/a,b\tx\nhttps://l.example/c\ty',
  ],
  [
    'separators of an empty line',
    'https://l.example/a,x\r\n,,\r\nhttps://l.example/c,y',
    ',x',
    'https://l.example/a\tx\r\n,,\r\nhttps://l.example/c\ty',
  ],
  ['one line', 'https://l.example/a,im18', null, null],
  ['different separators', 'https://l.example/a,x\nhttps://l.example/b;y', null, null],
  ['a line without one', 'https://l.example/a,x\nhttps://l.example/b', null, null],
  ['no alias', 'https://l.example/a,x\nhttps://l.example/b,y.z', null, null],
  ['an end', 'https://l.example/a,\nhttps://l.example/b,', null, null],
  ['tabs', 'https://l.example/a,x\tone\nhttps://l.example/b,y\ttwo', null, null],
  ['no URL', 'a,x\nb,y', null, null],
  ['a column of URLs', 'url,alias\nhttps://l.example/a,x\nhttps://l.example/b,y', null, null],
])('asks whether lines have columns: %s', (_what, text, asked, columns) => {
  const parts = cut(text, null);
  const found = separatorIn(parts);
  expect(found && found.separator + found.alias).toBe(asked);
  expect(found && inColumns(text, parts, found.separator)).toBe(columns);
});

test.each([
  ['Title,Bitlink,Long URL', 'BITLY'],
  ['Link;Long URL', 'BITLY'],
  ['short link,destination url,clicks', 'DUB'],
  ['Name;Landing page;Short link', 'CSV'],
  ['Keyword,Final URL', 'CSV'],
  ['Address,Target', 'KUTT'],
  ['"Slashtag","Destination"', 'REBRANDLY'],
  ['shortCode\tlongUrl', 'SHLINK'],
  ['keyword,url,clicks', 'YOURLS'],
  ['kind,short_url,domain,alias,url', 'CSV'],
  ['https://a.example/?url=1', 'LINES'],
])('finds the format of the header %s', (header, format) => {
  expect(cut(`${header}\n1,2`, null).format).toBe(format);
});

test.each<[what: string, text: string, header: string, first: number]>([
  ['behind a title', 'Spring, 2026\n\nName,Landing page\nA,https://a.example/1', 'Name,Landing page\n', 4],
  ['that are unknown', 'Name;Seite\nA;https://a.example/1\nB;https://a.example/2', 'Name;url\n', 2],
  ['that are missing', 'A b\thttps://a.example/1\tx\nB b\thttps://a.example/2\ty', 'title\turl\talias\n', 1],
  ['that are missing, an alias first', 'a1,https://a.example/1\nb,https://a.example/2', 'alias,url\n', 1],
  [
    'that are missing, an alias first, in tabs',
    'a\thttps://a.example/1\nb\thttps://a.example/2',
    'alias\turl\n',
    1,
  ],
  [
    'that are missing, an alias of another script',
    'läden;https://a.example/1\nспринг;https://a.example/2\n🎉/a;https://a.example/3',
    'alias;url\n',
    1,
  ],
  ['that are missing, a word first', 'Shop,https://a.example/1\nBlog,https://a.example/2', 'title,url\n', 1],
  [
    'that are missing, two words first',
    'a;A b;https://a.example/1\nb;B;https://a.example/2',
    'alias;title;url\n',
    1,
  ],
  [
    'that are missing, in quotes',
    '"https://a.example/1","one"\n"https://a.example/2","two"',
    'url,alias\n',
    1,
  ],
  ['that is missing, in quotes', '"https://a.example/1"\n"https://a.example/2"', 'url\n', 1],
  ['with bars', 'url|alias|disabled\nhttps://a.example/1|one|1', 'url|alias|disabled\n', 2],
  [
    'that are unknown, with bars',
    'Nazev|Seite\nA|https://a.example/1\nB|https://a.example/2',
    'Nazev|url\n',
    2,
  ],
  [
    'of which one has short URLs',
    'Rövid;Cél;Cím\ngo.example/a;https://a.example/1?x;A\ngo.example/b;https://b.example/2/3;B',
    'short_url;url;Cím\n',
    2,
  ],
  [
    'of which the last one has short URLs',
    'Cél;Rövid\nhttps://a.example/1?x;https://go.example/a\nhttps://b.example/2/3;https://go.example/b',
    'url;short_url\n',
    2,
  ],
  [
    'of which two may have short URLs',
    'Cél;Rövid\nhttps://a.example/1;https://go.example/a\nhttps://a.example/3;https://go.example/b',
    'url;Rövid\n',
    2,
  ],
  [
    'that are missing behind URLs',
    'https://a.example/1;x;A b\nhttps://a.example/2;y;B b',
    'url;alias;title\n',
    1,
  ],
  ['of which none is that of URLs', 'Name,Number\nA,1', 'Name,Number\n', 2],
  ['of lines', 'nowhere\nhttps://a.example/1\ta\tTitle, long b\nhttps://a.example/2,b', '', 1],
])('finds the names of columns %s', (_what, text, header, first) => {
  const parts = cut(text, null);
  expect([parts.header, parts.records[0]?.line]).toEqual([header, first]);
});

test('knows the names of columns that the service knows', () => {
  const plainNames = (field: ColumnField) => importFormats.csv.columns[field]?.map(plain);
  expect(urlNames).toEqual(new Set(plainNames('url')));
  for (const field of columnFields)
    expect(plainNames(field)?.map(fieldNamed)).toEqual(plainNames(field)?.map(() => field));
});

test('a slice has the header, and says where each of its records begins', () => {
  const parts = cut('url,title\n1,"a\nb"\n2,c\n3,d', null);
  expect(joined(parts, parts.records.slice(0, 2))).toEqual({
    text: 'url,title\n1,"a\nb"\n2,c',
    lines: [2, 4],
  });
  const list = cut('[{"url":1},{"url":2}]', null);
  expect(joined(list, list.records.slice(1))).toEqual({ text: '[{"url":2}]', lines: [1] });
});

test.each([
  ['lines', '\na\n\nb\n'],
  ['CSV', 'url,alias\n1,2\n\n3,4\n'],
])('%s keep their numbers when one is corrected', (_what, text) => {
  const parts = cut(text, null);
  const corrected = withRecord(text, parts, 1, 'c');
  expect(linesIn(corrected)).toEqual([linesIn(text)[0], [4, 'c']]);
});

test.each<[what: string, text: string, encoding: BufferEncoding]>([
  ['UTF-8', '\uFEFFurl;title\r\nhttps://a.example/;Zürich\r\n', 'utf8'],
  ['UTF-16', '\uFEFFurl\ttitle\r\nhttps://a.example/\tZürich\r\n', 'utf16le'],
  ['Windows-1252', 'Ziel-URL;Titel\r\nhttps://a.example/;Zürich\r\n', 'latin1'],
])('reads a file as spreadsheets save it: %s', async (what, text, encoding) => {
  const read = await textIn(new Blob([Buffer.from(text, encoding)]));
  expect(read?.isGuessed).toBe(what === 'Windows-1252');
  const { format, records } = cut(read?.text ?? '', null);
  expect(format).toBe('CSV');
  expect(records[0]).toMatchObject({
    line: 2,
    text: expect.stringMatching(/^https:\/\/a\.example\/[;\t]Zürich$/),
  });
});

test.each([
  ['.xlsx', [0x50, 0x4b, 3, 4, 20]],
  ['.xls', [0xd0, 0xcf, 0x11, 0xe0, 0xa1]],
])('knows a workbook from a text: %s', async (_what, bytes) => {
  expect(await textIn(new Blob([new Uint8Array(bytes)]))).toBeNull();
});

test('gives short URLs of Shlink the rules that stand beside them', () => {
  const rules = [{ longUrl: 'https://a.example/ios', priority: 1, conditions: [] }];
  const shortUrls = [
    { shortCode: 'a', longUrl: 'https://a.example/', domain: null },
    { shortCode: 'b', longUrl: 'https://a.example/', domain: 'go.example' },
  ];
  const redirectRules = [{ shortCode: 'b', domain: 'go.example', redirectRules: rules }];
  for (const data of [shortUrls, { data: shortUrls }]) {
    const { format, records } = cut(JSON.stringify({ shortUrls: data, redirectRules }), null);
    expect(format).toBe('SHLINK');
    expect(records.map(({ text }) => JSON.parse(text))).toEqual([
      shortUrls[0],
      { ...shortUrls[1], redirectRules: rules },
    ]);
  }
});

test('columns are read as the chosen fields, which two columns never share', () => {
  const parts = cut('sep=;\nAddress;Where to;url\na;https://a.example/;x\n', 'CSV');
  const none = fieldsOf(parts, null);
  expect(none).toEqual([null, null, null]);
  const first = withField(parts, none, 1, 'url');
  expect(first).toEqual([null, 'url', 'none']);
  const both = withField(parts, first, 0, 'alias');
  expect(mapColumns(parts, both)).toMatchObject({ format: 'CSV', header: 'sep=;\nalias;url;_3\n' });
  expect(mapColumns(cut('a;b\n1;https://a.example/\n', 'CSV'), both).header).toBe('a;b\n');
  expect(examplesIn(parts)).toEqual([['a'], ['https://a.example/'], ['x']]);
});
