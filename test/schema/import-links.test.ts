import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { signedIn } from '../support/person.ts';
import { type Caller, emptyServer, startTestServer, type TestServer } from '../support/server.ts';

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

const IMPORT = `mutation (
  $text: String!, $format: ImportFormat!, $dryRun: Boolean, $onTaken: ImportOnTaken
  $domainMap: [DomainMapInput!], $spaceId: ID
) {
  importLinks(
    text: $text, format: $format, dryRun: $dryRun, onTaken: $onTaken, domainMap: $domainMap, spaceId: $spaceId
  ) {
    results { line status link { alias url title privacy space { name } } alias existingLinkId reason fields { path messages } }
    unusedColumns
  }
}`;

interface Result {
  readonly line: number;
  readonly status: string;
  readonly link: Record<string, unknown> | null;
  readonly alias: string | null;
  readonly existingLinkId: string | null;
  readonly reason: string | null;
  readonly fields: readonly { readonly path: string[]; readonly messages: string[] }[];
}

interface Answer {
  readonly importLinks: { readonly results: Result[]; readonly unusedColumns: string[] };
}

const importing = async (text: string, variables: object = {}, caller = owner): Promise<Result[]> =>
  (await caller.data<Answer>(IMPORT, { text, format: 'LINES', ...variables })).importLinks.results;

const refusalOf = async (text: string, variables: object = {}, caller = owner) => {
  const { errors } = await caller.graphql(IMPORT, { text, format: 'LINES', ...variables });
  return errors?.[0];
};

const linesOf = (results: readonly Result[]) =>
  results.map(({ line, status, alias }) => [line, status, alias]);

// Of the changes, the rows: on PostgreSQL, the API shows them once no older transaction is open, also of another test's server.
const counts = async () => ({
  ...(await owner.data<object>('{ links { totalCount } spaces { totalCount } }')),
  changes: await server.database.prisma.change.count(),
});

test('says in a dry run which URLs have a link already, and what a mistyped scheme is', async () => {
  const ids = await Promise.all(
    ['there', 'other'].map((alias) => owner.link({ alias, url: 'https://a.example/Page' })),
  );
  const other = await server.caller('other');
  await other.link({ url: 'https://a.example/theirs' });
  const urls = [
    'https://a.example/Page',
    'https://a.example/page',
    'https://a.example/theirs',
    'htp:/a.example',
  ];
  const results = await importing(urls.join('\n'), { dryRun: true });
  const newest = String(Math.max(...ids.map(({ id }) => Number(id))));
  expect(results.map(({ existingLinkId }) => existingLinkId)).toEqual([newest, null, null, null]);
  expect(results[3]?.reason).toBe('"url" begins with a mistyped https://');
  const [made] = await importing('https://a.example/Page\tthird');
  expect(made).toMatchObject({ status: 'CREATED', existingLinkId: null });
});

test('says which line has the alias of another, and which has two URLs', async () => {
  const lines = [
    ...['https://b.example/1\ttwice', 'https://b.example/2\ttwice', 'https://b.example/3\tTwice'],
    ...[
      'https://b.example/?a=1 https://b.example/5',
      'https://b.example/, www.b.example; https://b.example/6',
    ],
    ...['https://b.example/7  https://b.example/8', 'https://b.example/?q=see here https://b.example'],
    ...['https://b.example/15 s15 Product 15', 'https://b.example/16,'],
  ];
  const reasonsOf = async (text: string, variables: object) =>
    (await importing(text, variables)).map(({ status, reason }) => (status === 'REFUSED' ? reason : null));
  const two = '"url" is not alone: these are two URLs in one line, and each needs its own';
  const space = expect.stringContaining('"url" has a space: alias and title belong behind a tab');
  const end = '"url" ends in a comma or a semicolon, which is no part of it';
  const expected = [null, '"alias" is already that of line 1', null, two, two, two, space, space, end];
  expect(await reasonsOf(lines.join('\n'), { dryRun: true })).toEqual(expected);
  expect(await reasonsOf(lines.join('\n'), {})).toEqual(expected);
  // What our own export has, comes back.
  const own = 'kind,url\nlink,https://b.example/a b';
  expect(await reasonsOf(own, { format: 'CSV', dryRun: true })).toEqual([null]);
  expect(await reasonsOf('url\n"https://b.example/9;https://b.example/10"', { format: 'CSV' })).toEqual([
    two,
  ]);
});

test('says by which rules lines are refused, so that programs can tell them apart', async () => {
  const query = `mutation ($text: String!, $format: ImportFormat!) {
    importLinks(text: $text, format: $format, dryRun: true) { results { fields { path rule } } }
  }`;
  const rulesFor = async (text: string, format: string) => {
    const { importLinks } = await owner.data<{
      importLinks: { results: { fields: { path: string[]; rule: string }[] }[] };
    }>(query, { text, format });
    return importLinks.results.map(({ fields }) => fields.map(({ path, rule }) => [path.join('.'), rule]));
  };
  expect(await rulesFor('https://b.example/1 https://b.example/2\nhttps://b.example/3,', 'LINES')).toEqual([
    [['url', 'TWO_URLS']],
    [['url', 'URL_END']],
  ]);
  const tags = Array.from({ length: 51 }, (_, index) => `t${index}`).join('|');
  const text = `url,tags,clicks\nhttps://b.example/4,${tags},many`;
  expect(await rulesFor(text, 'CSV')).toEqual([
    [
      ['clicks', 'IMPORT_FORM'],
      ['tags', 'TAGS_OF_LINK'],
    ],
  ]);
});

test('does not take a word before a URL for another URL', async () => {
  const lines = [
    'See https://b.example/17',
    '7 https://b.example/18',
    '| https://b.example/19 | x |',
    'a, https://b.example/20',
  ];
  const reasons = (await importing(lines.join('\n'))).map(({ status, reason }) => [status, reason]);
  const refused = ['REFUSED', expect.stringContaining('must be an absolute http or https URL')];
  expect(reasons).toEqual([refused, refused, refused, refused]);
});

test('takes an alias or a short URL from the column for short links of a sheet', async () => {
  const text = 'Landing page,Short link\nhttps://a.example/1,s-1\nhttps://a.example/2,https://go.example/s2';
  const results = await importing(text, { format: 'CSV' });
  expect(results.map(({ alias }) => alias)).toEqual(['s-1', 's2']);
});

test.each([
  'Docelowy adres URL;Krótki link;Tytuł',
  'Hedef URL,Kısa bağlantı,Başlık',
  'Mål-URL|Kort länk|Titel',
  'Pagina di destinazione\tLink breve\tTitolo',
  'Cílová adresa;Krátký odkaz;Název',
  'Исходная ссылка;Короткая ссылка;Название',
  'リンク先URL,短縮URL,タイトル',
  '目标链接,短链接,标题',
])('reads the usual names of columns in other languages: %s', async (header) => {
  const [delimiter = ''] = /[;,|\t]/.exec(header) ?? [];
  const row = ['https://a.example/1', 'https://go.example/s1', 'One'].join(delimiter);
  const results = await importing(`${header}\n${row}`, { format: 'CSV' });
  expect(results).toMatchObject([{ link: { alias: 's1', url: 'https://a.example/1', title: 'One' } }]);
});

test('imports pasted URLs, with an alias and a title behind a tab or two spaces', async () => {
  const text = [
    'https://a.example/1\tone\tFirst page',
    '',
    '  www.a.example/2  two  Second  page  ',
    'nowhere',
    'https://a.example/3',
  ].join('\r\n');
  const results = await importing(text);
  const generated = results[3]?.alias;
  expect(results).toMatchObject([
    { line: 1, status: 'CREATED', link: { alias: 'one', url: 'https://a.example/1', title: 'First page' } },
    {
      line: 3,
      status: 'CREATED',
      link: { alias: 'two', url: 'https://www.a.example/2', title: 'Second page' },
    },
    { line: 4, status: 'REFUSED', link: null, fields: [{ path: ['url'] }] },
    { line: 5, status: 'CREATED', link: { alias: generated, url: 'https://a.example/3', title: null } },
  ]);
  expect(results[0]).toMatchObject({ reason: null, fields: [] });
  expect(results[2]?.reason).toBe(`"url" ${results[2]?.fields[0]?.messages[0]}`);
});

test.each([
  ['- ', '* ', '• ', '1. ', '1) ', '(2) ', '– ', '+ ', '12.\t', 'a) ', '- [ ] ', '> ', '•', '-\t', '  - '],
])('drops the markers of lists before URLs', async (...markers) => {
  const lines = markers.map(
    (marker, index) => `${marker}https://a.example/${index}  m${index}  Title ${index}`,
  );
  const results = await importing([...lines, '3. www.a.example/x', '- a.example/y'].join('\n'));
  expect(results.map(({ link }) => link?.url)).toEqual([
    ...markers.map((_, index) => `https://a.example/${index}`),
    ...['https://www.a.example/x', 'https://a.example/y'],
  ]);
  expect(results[3]?.link).toMatchObject({ alias: 'm3', title: 'Title 3' });
});

test('reads links of Markdown, and lines of separators as empty ones', async () => {
  const text = [
    ...[
      '[One](https://a.example/1)',
      ';;;',
      ' , ,',
      '- [Two (2)](<https://a.example/2_(x)> "Tip")\ttwo',
      '||',
    ],
    ...['<https://a.example/3>', '[4](https://a.example/4)', '\t\t', 'https://a.example/5\tfive\t\\N'],
  ].join('\n');
  const results = await importing(text);
  expect(results.map(({ line, link }) => [line, link?.url, link?.title])).toEqual([
    [1, 'https://a.example/1', 'One'],
    [4, 'https://a.example/2_(x)', 'Two (2)'],
    [6, 'https://a.example/3', null],
    [7, 'https://a.example/4', '4'],
    [9, 'https://a.example/5', null],
  ]);
  expect(results[1]?.alias).toBe('two');
});

test.each([
  '[One](https://a.example/1)',
  '[2024] plans,url',
  '[x] https://a.example/1',
  '{name}',
  '["a"]',
  '[1] a',
])('does not take the text %s for JSON', async (text) => {
  for (const format of ['CSV', 'LINES', 'YOURLS']) {
    const told = JSON.stringify([await refusalOf(text, { format, dryRun: true })]);
    expect(told).not.toMatch(/JSON|parse/i);
  }
});

test('a CSV with one column has URLs with any separator, and no value is \\N', async () => {
  const urls = ['https://a.example/?a=1,2', 'https://a.example/a;b;c', 'https://a.example/a,b;c|d'];
  const results = await importing(['url', ...urls, ''].join('\n'), { format: 'CSV' });
  expect(results.map(({ link }) => link?.url)).toEqual(urls);
  const nothing = 'url,alias,title,space,tags\nhttps://a.example/1,\\N,\\N,\\N,\\N\n,,,,\n;;;;\n';
  expect(await importing(nothing, { format: 'CSV' })).toMatchObject([
    { line: 2, status: 'CREATED', link: { title: null, space: null } },
    { line: 4, status: 'REFUSED' },
  ]);
  const own = 'kind,alias,url,title\nlink,own,https://a.example/2,\\N';
  expect(await importing(own, { format: 'CSV' })).toMatchObject([{ link: { title: '\\N' } }]);
});

test('says that a link has a saved operation, which is not imported', async () => {
  const operations = JSON.stringify([{ name: 'role', document: '{ viewer { role } }' }]).replaceAll(
    '"',
    '""',
  );
  const text = `kind,alias,url,operations\nlink,with-one,https://a.example/,"${operations}"`;
  expect(await importing(text, { format: 'CSV' })).toMatchObject([
    {
      status: 'CREATED',
      reason: '"operations" is not imported: it belongs to a line of the kind "operation"',
    },
  ]);
});

test('flags a word behind a separator, which may be meant as an alias, but reads it as part of the URL', async () => {
  const lines = ['https://l.example/a,im18', 'https://l.example/b;im_19', 'https://l.example/c|im-20'];
  for (const text of [lines.join('\n'), lines[0] ?? '']) {
    const results = await importing(text, { dryRun: true });
    expect(results.map(({ status }) => status)).toEqual(results.map(() => 'CREATED'));
    expect(results[0]?.reason).toBe(
      '"url" ends in ",im18", which is read as part of the URL: an alias belongs behind a tab or two spaces, or in a column of its own',
    );
  }
  const made = await importing(lines.join('\n'));
  expect(made.map(({ status, link, reason }) => [status, link?.url, reason !== null])).toEqual(
    lines.map((url) => ['CREATED', url, true]),
  );
  const plain = ['https://l.example/d,im18\talias', 'https://l.example/e', 'https://l.example/f,a.b'];
  const reasons = (await importing(plain.join('\n'))).map(({ reason }) => reason);
  expect(reasons).toEqual([null, null, null]);
  const [own] = await importing('kind,url\nlink,"https://l.example/g,h"', { format: 'CSV' });
  expect(own).toMatchObject({ status: 'CREATED', reason: null });
});

test('repeated, it finds every link, and writes nothing', async () => {
  const text = 'https://a.example/1  one\nhttps://a.example/2\nhttps://a.example/2';
  const first = await importing(text);
  expect(first.map(({ status }) => status)).toEqual(['CREATED', 'CREATED', 'EXISTS']);
  const before = await counts();
  const again = await importing(text);
  expect(again.map(({ status, link }) => [status, link?.alias])).toEqual(
    first.map(({ alias }) => ['EXISTS', alias]),
  );
  expect(await counts()).toEqual(before);
});

test.each([
  ['CSV', 'alias,url,title,clicks\none,https://a.example/1,First,7', 2],
  ['CSV', JSON.stringify({ data: [{ alias: 'one', url: 'https://a.example/1', title: 'First' }] }), 1],
  ['BITLY', 'Title,Bitlink,Long URL\nFirst,bit.ly/one,https://a.example/1', 2],
  ['DUB', 'short link;destination url;title\nhttps://dub.sh/one;https://a.example/1;First', 2],
  ['KUTT', JSON.stringify([{ address: 'one', target: 'https://a.example/1', description: 'First' }]), 1],
  ['REBRANDLY', 'Slashtag\tDestination\tTitle\none\thttps://a.example/1\tFirst', 2],
  [
    'SHLINK',
    JSON.stringify({
      shortUrls: { data: [{ shortCode: 'one', longUrl: 'https://a.example/1', title: 'First' }] },
    }),
    1,
  ],
  ['YOURLS', 'keyword,url,title\none,https://a.example/1,First', 2],
])('imports the format %s', async (format, text, line) => {
  expect(await importing(text, { format })).toMatchObject([
    { line, status: 'CREATED', alias: 'one', link: { url: 'https://a.example/1', title: 'First' } },
  ]);
});

test('reads a sheet with the column names and addresses of people', async () => {
  const text = 'Ziel-URL;Titel;Privacy;Bereichsleiter\nwww.a.example/1;Frühling;Only this account;Anna';
  const { importLinks } = await owner.data<Answer>(IMPORT, { text, format: 'CSV' });
  expect(importLinks).toMatchObject({
    results: [{ link: { url: 'https://www.a.example/1', title: 'Frühling', privacy: 'PRIVATE' } }],
    unusedColumns: ['Bereichsleiter'],
  });
});

test('a dry run says what would happen, and writes nothing', async () => {
  await owner.link({ alias: 'there', url: 'https://a.example/there' });
  await owner.link({ alias: 'taken', url: 'https://a.example/taken' });
  const text = [
    'alias,url,space',
    'there,https://a.example/there,New',
    'taken,https://a.example/1,New',
    'free,https://a.example/2,New',
    'free,https://a.example/3,New',
  ].join('\n');
  const before = await counts();
  const results = await importing(text, { format: 'CSV', dryRun: true });
  expect(linesOf(results)).toEqual([
    [2, 'EXISTS', 'there'],
    [3, 'REFUSED', 'taken'],
    [4, 'CREATED', 'free'],
    [5, 'REFUSED', 'free'],
  ]);
  expect(results.map(({ link }) => link !== null)).toEqual([true, false, false, false]);
  expect(await counts()).toEqual(before);
});

test('onTaken leaves a link out, gives it another alias, or ends there', async () => {
  await owner.link({ alias: 'taken', url: 'https://a.example/taken' });
  const text = ['https://a.example/1  taken', 'https://a.example/2  free'].join('\n');
  const dry = async (onTaken?: string) => linesOf(await importing(text, { onTaken, dryRun: true }));
  expect(await dry()).toEqual(await dry('SKIP'));
  expect(await dry('SKIP')).toEqual([
    [1, 'REFUSED', 'taken'],
    [2, 'CREATED', 'free'],
  ]);
  expect(await dry('FAIL')).toEqual([[1, 'REFUSED', 'taken']]);
  const results = await importing(text, { onTaken: 'SUFFIX' });
  expect(results).toMatchObject([
    { alias: 'taken-2', link: { alias: 'taken-2' }, reason: expect.stringContaining('already taken') },
    { alias: 'free', reason: null },
  ]);
});

test('says what a new link has not as in the text, and which columns are not imported', async () => {
  const text = 'short link,destination url,password,color\nhttps://dub.sh/one,https://a.example/1,secret,red';
  const { importLinks } = await owner.data<Answer>(IMPORT, { text, format: 'DUB' });
  expect(importLinks).toMatchObject({
    results: [{ status: 'CREATED', reason: expect.stringMatching(/had a password.*dub\.sh is no domain/) }],
    unusedColumns: ['color'],
  });
});

test('a record with several short URLs has a result for each', async () => {
  const text = 'custom bitlinks,bitlink,long url\n"[""bit.ly/two""]",bit.ly/2xYz,https://a.example/2';
  expect(linesOf(await importing(text, { format: 'BITLY' }))).toEqual([
    [2, 'CREATED', 'two'],
    [2, 'CREATED', '2xYz'],
  ]);
});

test('spaceId is the space of links for which the text names none', async () => {
  const spaceId = await owner.space('Given');
  const text = 'alias,url,space\none,https://a.example/1,\ntwo,https://a.example/2,Named';
  expect(await importing(text, { format: 'CSV', spaceId })).toMatchObject([
    { link: { space: { name: 'Given' } } },
    { link: { space: { name: 'Named' } } },
  ]);
  const other = await server.caller('other');
  expect(await refusalOf('https://a.example/', { spaceId }, other)).toMatchObject({
    extensions: { code: 'VALIDATION', fields: [{ path: ['spaceId'] }] },
  });
});

test('domainMap leads the links of a host to a domain of the account', async () => {
  await owner.domain('go.example');
  const text = 'bitlink,long url\nbit.ly/one,https://a.example/1';
  const domainMap = [{ from: 'bit.ly', to: 'go.example' }];
  await importing(text, { format: 'BITLY', domainMap });
  expect(await owner.data('{ links { nodes { domain { name } } } }')).toEqual({
    links: { nodes: [{ domain: { name: 'go.example' } }] },
  });
  const wrong = async (to: string) =>
    refusalOf(text, { format: 'BITLY', domainMap: [{ from: 'bit.ly', to }] });
  expect(await wrong('other.example')).toMatchObject({ extensions: { fields: [{ path: ['domainMap'] }] } });
  expect(await wrong('a b')).toMatchObject({ extensions: { fields: [{ path: ['domainMap', '0', 'to'] }] } });
});

test.each([
  ['an empty text', '  \n', {}, /may not be empty/],
  [
    'other columns',
    'name,age\nA,1',
    { format: 'CSV' },
    /no column of URLs, but "name", "age".*"landing page"/,
  ],
  [
    'broken JSON',
    '{"data":[{"alias":"one","url":"https://a.example/"}',
    { format: 'CSV' },
    /no JSON after record 1/,
  ],
  ['1001 columns', `url,alias${',x'.repeat(999)}`, { format: 'CSV' }, /line 1 has more than 1000 cells/],
  ['501 records', 'https://a.example/\n'.repeat(501), {}, /at most 500 records/],
  ['more than 512 kB', `https://a.example/${'é'.repeat(262_144)}`, {}, /at most 512 kB/],
  [
    '11 passwords',
    `url,alias,password\n${'https://a.example/,,secret\n'.repeat(11)}`,
    { format: 'CSV' },
    /at most 10 passwords/,
  ],
])('refuses %s as a whole', async (_what, text, variables, message) => {
  expect(await refusalOf(text, variables)).toMatchObject({
    message: expect.stringMatching(message),
    extensions: {
      code: 'VALIDATION',
      fields: [{ path: ['text'], messages: [expect.stringMatching(message)] }],
    },
  });
  expect(await counts()).toMatchObject({ links: { totalCount: 0 } });
});

test('creates at most a hundred spaces with the links', async () => {
  const lines = Array.from({ length: 101 }, (_, index) => `l${index},https://a.example/,S${index}`);
  const results = await importing(`alias,url,space\n${lines.join('\n')}`, { format: 'CSV', dryRun: true });
  expect(results.filter(({ status }) => status === 'REFUSED')).toMatchObject([
    { line: 102, fields: [{ path: ['space'] }] },
  ]);
});

test('a record of CSV that cannot be read is refused with its line, and no other', async () => {
  const text =
    'alias,url\none,https://a.example/1\n"two,https://a.example/2\nthree,https://a.example/3\n' +
    ','.repeat(1_001);
  expect(await importing(text, { format: 'CSV' })).toMatchObject([
    { line: 2, status: 'CREATED' },
    { line: 3, status: 'REFUSED', reason: expect.stringContaining('the quote that opens a cell in line 3') },
    { line: 4, status: 'CREATED' },
    { line: 5, status: 'REFUSED', reason: 'has more than 1000 cells' },
  ]);
});

test('accepts 500 records in 512 kB of quotes', async () => {
  const title = '"'.repeat(990);
  const line = (number: number) => `https://a.example/${number}\t\t${title}`.padEnd(1_047);
  const text = Array.from({ length: 500 }, (_, index) => line(index)).join('\n');
  const results = await importing(text, { dryRun: true });
  expect(results).toHaveLength(500);
});

test('viewers, and keys that only read, may not import', async () => {
  const reader = await server.caller('owner', ['read']);
  expect(await refusalOf('https://a.example/', {}, reader)).toMatchObject({
    extensions: { code: 'FORBIDDEN' },
  });
  const { id } = await server.database.prisma.account.findUniqueOrThrow({ where: { name: 'owner' } });
  const viewer = await signedIn(server, id, 'VIEWER');
  const { errors } = await viewer.graphql(IMPORT, { text: 'https://a.example/', format: 'LINES' });
  expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
});

test('only who may add domains adds those of an export', async () => {
  const text = 'kind,domain,own_domain,alias,url\nlink,go.example,1,one,https://a.example/';
  const { id } = await server.database.prisma.account.findUniqueOrThrow({ where: { name: 'owner' } });
  const importedBy = async (role: string) => {
    const person = await signedIn(server, id, role);
    return (await person.data<Answer>(IMPORT, { text, format: 'CSV' })).importLinks.results;
  };
  expect(await importedBy('EDITOR')).toMatchObject([{ status: 'REFUSED', fields: [{ path: ['domain'] }] }]);
  expect(await importedBy('ADMIN')).toMatchObject([{ status: 'CREATED' }]);
  expect(await importedBy('EDITOR')).toMatchObject([{ status: 'EXISTS' }]);
});

test('a line of a space or pixel has no link, and says whether it is new', async () => {
  const text = 'kind,space,url,alias\nspace,New,,\nspace,New,,';
  const results = await importing(text, { format: 'CSV' });
  expect(results).toMatchObject([
    { status: 'CREATED', link: null },
    { status: 'EXISTS', link: null },
  ]);
});

test('another account gets another alias for the same URL', async () => {
  const [own] = await importing('https://a.example/');
  const [theirs] = await importing('https://a.example/', {}, await server.caller('other'));
  expect(theirs).toMatchObject({ status: 'CREATED', reason: null });
  expect(theirs?.alias).not.toContain(own?.alias);
});

const keyed = async (text: string, format: string) => {
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': 'import' };
  const body = JSON.stringify({ query: IMPORT, variables: { text, format } });
  return (await owner.fetch('/graphql', { method: 'POST', headers, body })).text();
};

test('with an Idempotency-Key, it is done once', async () => {
  const first = await keyed('https://a.example/1  one\nnowhere', 'LINES');
  expect(first).toContain('CREATED');
  expect(await keyed('https://a.example/1  one\nnowhere', 'LINES')).toBe(first);
});

test('with an Idempotency-Key, links after new spaces may have passwords', async () => {
  const line = (index: number) =>
    `l${index},https://a.example/,${index < 2 ? 'New' : ''},${index < 26 ? '' : 'secret'}`;
  const text = `alias,url,space,password\n${Array.from({ length: 28 }, (_, index) => line(index)).join('\n')}`;
  const { data } = JSON.parse(await keyed(text, 'CSV')) as { data: Answer };
  expect(data.importLinks.results.every(({ status }) => status === 'CREATED')).toBe(true);
  expect(await owner.data('{ links { nodes { hasPassword } } }')).toMatchObject({
    links: { nodes: expect.arrayContaining([{ hasPassword: true }]) },
  });
});

test('reads the values of each record once', async () => {
  const parse = vi.spyOn(JSON, 'parse');
  const cell = JSON.stringify(
    Array.from({ length: 40 }, (_, index) => `https://a.example/${index}/${'x'.repeat(30)}`),
  );
  const row = (alias: string) => `${alias},https://a.example/,"${cell.replaceAll('"', '""')}"`;
  const results = await importing(`alias,url,rotation\n${row('one')}\n${row('two')}`, { format: 'CSV' });
  expect(results.map(({ status }) => status)).toEqual(['CREATED', 'CREATED']);
  expect(parse.mock.calls.filter(([text]) => text === cell)).toHaveLength(2);
  parse.mockRestore();
});
