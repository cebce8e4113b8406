import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { emptyServer, startTestServer, type TestServer } from '../support/server.ts';
import { cliFor } from './support.ts';

let server: TestServer;
let lsp: Awaited<ReturnType<typeof cliFor>>;
const folder = mkdtempSync(join(tmpdir(), 'linkspace-apply-'));
const file = join(folder, 'links.yaml');
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  await emptyServer(server);
  lsp = await cliFor(server);
});

async function apply(text: string, ...options: string[]) {
  writeFileSync(file, text);
  const ended = await lsp(['apply', file, ...options]);
  return { ...ended, stderr: ended.stderr.replaceAll(file, 'FILE') };
}

/** A file with a link for each key. */
const linksOf = (keys: readonly string[], name = 'shop') =>
  `name: ${name}\nlinks:${keys.length > 0 ? '' : ' []'}\n${keys.map((key) => `  ${key}: { url: 'https://example.com/${key}' }\n`).join('')}`;

const stored = async () =>
  (await server.database.prisma.link.findMany({ orderBy: { id: 'asc' } })).map(({ externalId, url }) => [
    externalId,
    url,
  ]);

test.skipIf(process.platform === 'win32')('reads no file without an end', async () => {
  const { code, stderr } = await lsp(['apply', '/dev/zero']);
  expect([code, stderr]).toEqual([
    64,
    expect.stringMatching(/^lsp: \/dev\/zero is longer than \d+ bytes\.\n$/),
  ]);
});

test('creates, changes and deletes links, and says what it does', async () => {
  await lsp(['tags', 'create', 'Print']);
  await lsp(['spaces', 'create', 'Marketing']);
  const first = `name: spring-2026
links:
  sale:
    url: https://example.com/sale
    alias: sale
    title: Sale
    space: Marketing
    tags: [print]
  docs: { url: "https://example.com/docs", alias: guide }
`;
  const dry = await apply(first, '--dry-run');
  expect([dry.code, dry.stderr]).toEqual([2, '']);
  expect(dry.stdout).toBe(
    [
      '+ sale  https://example.com/sale',
      '+ docs  https://example.com/docs',
      '2 to create, 0 to change, 0 to delete, 0 unchanged.',
      '',
    ].join('\n'),
  );
  expect(await stored()).toEqual([]);

  expect((await apply(first)).stdout).toContain('Created 2, changed 0, deleted 0, unchanged 0.\n');
  expect(await stored()).toEqual([
    ['lsp:spring-2026/sale', 'https://example.com/sale'],
    ['lsp:spring-2026/docs', 'https://example.com/docs'],
  ]);

  const second = `name: spring-2026
links:
  sale: { url: "https://example.com/new", title: null, space: null, tags: [] }
  more: { url: "https://example.com/more", alias: more }
`;
  const changed = await apply(second);
  expect([changed.code, changed.stdout]).toEqual([
    0,
    [
      '- docs  https://s.example/guide, 0 clicks',
      '~ sale  https://s.example/sale',
      '    url: https://example.com/sale → https://example.com/new',
      '    title: Sale → null',
      '    space: Marketing → null',
      '    tags: ["Print"] → []',
      '+ more  https://example.com/more',
      'Created 1, changed 1, deleted 1, unchanged 0.',
      '',
    ].join('\n'),
  ]);
  expect(await apply(second, '--dry-run')).toMatchObject({
    code: 0,
    stdout: '0 to create, 0 to change, 0 to delete, 2 unchanged.\n',
  });
});

test('takes digits as a name, and id: before them as an id', async () => {
  const { id: tag } = JSON.parse((await lsp(['tags', 'create', 'Print', '--json'])).stdout);
  const { id: space } = JSON.parse((await lsp(['spaces', 'create', 'Marketing', '--json'])).stdout);
  const text = (fields: string) =>
    `name: shop\nlinks:\n  one:\n    url: https://example.com/\n${fields}\n  two:\n    url: https://example.com/\n    tags: ["2027"]\n`;
  const named = await apply(
    text(`    space: "${space}"\n    tags:\n      - Print\n      - "${tag}"\n      - None`),
  );
  expect([named.code, named.stderr]).toEqual([
    3,
    [
      `lsp: FILE:5: There is no space called "${space}".`,
      `lsp: FILE:6: There is no tag called "${tag}".`,
      'lsp: FILE:6: There is no tag called "None".',
      'lsp: FILE:12: There is no tag called "2027".\n',
    ].join('\n'),
  ]);
  await lsp(['tags', 'create', '2027']);
  expect(await apply(text(`    space: id:${space}\n    tags: ["id:${tag}", "2027"]`))).toMatchObject({
    code: 0,
  });
  const { space: found, tags } = JSON.parse(
    (await lsp(['links', 'show', 'external:lsp:shop/one', '--json'])).stdout,
  );
  expect([found.name, tags.map(({ name }: { name: string }) => name)]).toEqual([
    'Marketing',
    ['2027', 'Print'],
  ]);
});

const everything = `name: all
defaults: &none null
links:
  one:
    url: " https://EXAMPLE.com/a b?x=ä "
    alias: one
    title: "  Title  "
    disabled: true
    forwardsQuery: false
    privacy: PRIVATE
    expiration: { at: " 2027-01-01T00:00Z\\t", clicks: 5, url: "https://example.com/over" }
    targeting: { countries: [{ country: de, url: "https://example.com/de" }, { country: AT, url: "https://example.com/at" }] }
  two: { url: "https://example.com/\u202ex\u202e", expiration: null, targeting: null, title: "" }
  three: { url: "https://example.com/3", targeting: { type: ROTATION, rotation: ["https://example.com/b", "https://example.com/a"] } }
  four: { url: "https://example.com/4", targeting: { platforms: [{ platform: IOS, url: "https://example.com/ios" }] }, expiration: { at: "2027-01-01T10:00:30+01:00" } }
  six: { url: "https://example.com/6", expiration: { at: "2027-01-01T10:00+0130" } }
  five: { url: "https://example.com/5", targeting: { languages: [{ language: DE, url: "https://example.com/de" }] } }
  seven:
    url: "https://example.com/7"
    rules:
      - when: [{ country: { in: [de, AT] } }, { query: { name: A, in: [B, a] } }, { time: { until: "2027-01-01T00:00+01:00" } }]
        to: [{ url: "https://example.com/de", weight: 2 }, { name: Other, url: "https://example.com/other" }]
      - { name: All, when: [], to: [{ url: "https://example.com/all" }] }
    ruleTests: [{ visitor: { country: fr }, expect: { rule: All } }]
  eight:
    url: "https://example.com/8"
    rules:
      - name: " A "
        when:
          - hours: { days: [FRIDAY, MONDAY], from: " 09:00", timeZone: asia/kolkata }
          - hours: { timeZone: europe/berlin }
          - referrer: { in: [" News.Example:8080", bücher.example., "127.0.0.1", "[::1]:80", news.example] }
          - time: { from: "2026-01-01T00:00+0530" }
          - browser: { notIn: [chrome, " Opera"] }
          - query: { name: " a", in: ["2026-01-01T00:00:00Z", " b "] }
        to: [{ url: " https://example.com/\u202ea ", name: " x " }, { url: "https://example.com/b" }]
    ruleTests:
      - visitor: { query: "?a=1", language: " de ", userAgent: " x ", referrer: " A.example:80 ", browser: chrome, at: "2026-01-01T00:00+05" }
        expect: { noRule: true }
      - { visitor: {}, expect: { url: " https://example.com/8" } }
      - visitor: { query: "?%20a=%20b%20", referrer: "http://xn--bcher-kva.example/", at: "2026-11-30T12:00:00+00:00" }
        expect: { rule: " A " }
`.replace('defaults: &none null\n', '');

test('applying twice changes nothing, whatever the service keeps of a value', async () => {
  const { code, stdout, stderr } = await apply(everything);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('Created 8,');
  const before = await server.database.prisma.link.findMany();
  const statements = await server.statementsOf(async () => {
    expect((await apply(everything)).stdout).toBe('Created 0, changed 0, deleted 0, unchanged 8.\n');
    expect((await apply(everything, '--dry-run')).stdout).toContain(' 8 unchanged.');
  });
  expect(statements.filter((sql) => /^(INSERT|UPDATE|DELETE)/i.test(sql))).toEqual([]);
  expect(await server.database.prisma.link.findMany()).toEqual(before);
});

test('sets notes, archive, start and status, changes nothing the second time, and clears them', async () => {
  const links = (more: string) =>
    `name: fields\nlinks:\n  a:\n    url: https://example.com/\n    alias: a\n${more}`;
  const set =
    '    notes: Ask Ann\n    archived: true\n    startsAt: "2027-01-01T00:00Z"\n    redirectStatus: 308\n';
  expect((await apply(links(set))).code).toBe(0);
  const read = async () => {
    const link = await server.database.prisma.link.findFirstOrThrow();
    return [link.notes, link.archived, link.startsAt?.toISOString() ?? null, link.redirectStatus];
  };
  expect(await read()).toEqual(['Ask Ann', true, '2027-01-01T00:00:00.000Z', 308]);
  // The list of links leaves it out, but not what was applied.
  const { stdout, code } = await apply(links(set));
  expect([code, stdout]).toEqual([0, expect.stringContaining('unchanged 1')]);
  const cleared = '    notes: null\n    archived: false\n    startsAt: null\n    redirectStatus: 302\n';
  expect((await apply(links(cleared))).code).toBe(0);
  expect(await read()).toEqual([null, false, null, 302]);
  const late = links('    startsAt: "2028-01-01T00:00Z"\n');
  await apply(links('    expiration: { at: "2027-06-01T00:00Z" }\n'));
  const refused = await apply(late, '--dry-run');
  expect([refused.code, refused.stderr]).toEqual([
    3,
    expect.stringContaining('would expire before it begins'),
  ]);
});

test('changes rules, and refuses a condition with two kinds', async () => {
  const links = (value: string) => `name: rules
links:
  one:
    url: "https://example.com/"
    rules: [{ when: [{ query: { name: a, in: [${value}] } }], to: [{ url: "https://example.com/a" }] }]
`;
  await apply(links('x'));
  expect((await apply(links('X'))).stdout).toContain('changed 1,');
  expect((await apply(links('X'))).stdout).toContain('unchanged 1.');
  // Texts of conditions are no times, and their case counts.
  expect((await apply(links('"2027-01-01T00:00:00Z"'))).stdout).toContain('changed 1,');
  expect((await apply(links('"2027-01-01T00:00:00.000Z"'))).stdout).toContain('changed 1,');
  const wrong = links('x').replace('query: {', 'country: { in: [DE] }, query: {');
  expect((await apply(wrong)).stderr).toContain('must have exactly one of country,');
});

test('keeps the time of a test that has none in the file', async () => {
  const links = (more = '') => `name: tests
links:
  one:
    url: "https://example.com/"
    ruleTests: [{ visitor: {}, expect: { noRule: true } }${more}]
`;
  const times = async () =>
    (await server.database.prisma.link.findMany()).flatMap(({ ruleTests }) =>
      JSON.parse(ruleTests).map((one: { visitor: { at: string } }) => one.visitor.at),
    );
  await apply(links());
  const [at] = await times();
  server.clock.now = new Date(server.clock.now.getTime() + 1_000);
  const more = ', { visitor: { country: DE }, expect: { noRule: true } }';
  expect((await apply(links(more))).stdout).toContain('changed 1,');
  expect(await times()).toEqual([at, server.clock.now.toISOString()]);
  expect((await apply(links(more))).stdout).toContain('unchanged 1.');
});

test('a field that is absent is not touched', async () => {
  await apply(linksOf(['one']));
  await lsp(['links', 'edit', 'external:lsp:shop/one', '--title', 'By hand', '--disabled']);
  expect((await apply(linksOf(['one']))).stdout).toBe('Created 0, changed 0, deleted 0, unchanged 1.\n');
});

test('deletes only what the same file has made', async () => {
  await apply(linksOf(['one', 'two']));
  await apply(linksOf(['one'], 'shop-2'));
  await lsp(['links', 'create', 'https://example.com/', '--external-id', 'lsp:sho']);
  await lsp(['links', 'create', 'https://example.com/', '--external-id', 'LSP:shop/x']);
  await lsp(['links', 'create', 'https://example.com/']);
  const other = await cliFor(server, 'other');
  await other(['links', 'create', 'https://example.com/', '--external-id', 'lsp:shop/one']);
  expect((await apply('name: shop\nlinks: {}\n')).stdout).toContain('deleted 2,');
  expect((await stored()).map(([externalId]) => externalId)).toEqual([
    ...['lsp:shop-2/one', 'lsp:sho', 'LSP:shop/x', null, 'lsp:shop/one'],
  ]);
});

test('deletes more than ten links only if that many are allowed', async () => {
  const keys = Array.from({ length: 12 }, (_, at) => `key-${at}`);
  await apply(linksOf(keys));
  for (const options of [[], ['--dry-run'], ['--allow-delete', '11']]) {
    const refused = await apply(linksOf([]), ...options);
    expect([refused.code, refused.stderr]).toEqual([
      3,
      'lsp: FILE would delete 12 links, with their clicks. Allow it with --allow-delete 12.\n',
    ]);
    expect(refused.stdout).toContain('0 to create, 0 to change, 12 to delete, 0 unchanged.');
  }
  expect(await stored()).toHaveLength(12);
  expect((await apply(linksOf(keys.slice(0, 2)))).stdout).toContain('deleted 10, unchanged 2.');
  await apply(linksOf(keys));
  expect((await apply(linksOf([]), '--allow-delete', '12')).code).toBe(0);
  expect(await stored()).toEqual([]);
});

test('applies hundreds of links in batches', async () => {
  const keys = Array.from({ length: 250 }, (_, at) => `key-${at}`);
  expect((await apply(linksOf(keys))).stdout).toContain('Created 250,');
  const text = linksOf(keys).replaceAll('example.com', 'example.org');
  expect(await apply(text)).toMatchObject({ code: 0, stdout: expect.stringContaining('changed 250,') });
  expect((await apply(linksOf([]), '--allow-delete', '250')).stdout).toContain('deleted 250,');
});

test('applies links with many long targets in batches that the service takes', async () => {
  const rotation = Array.from({ length: 100 }, (_, at) => `https://example.com/${at}/${'x'.repeat(300)}`);
  const entries = Array.from({ length: 90 }, (_, at) => [
    `key-${at}`,
    { url: 'https://example.com/', targeting: { rotation } },
  ]);
  const text = JSON.stringify({ name: 'shop', links: Object.fromEntries(entries) });
  expect(await apply(text)).toMatchObject({ code: 0, stdout: expect.stringContaining('Created 90,') });
  expect((await apply(text, '--dry-run')).code).toBe(0);
});

test('an alias may go from one link of the file to another', async () => {
  await apply('name: shop\nlinks:\n  a: { url: "https://example.com/", alias: x }\n');
  const moved = await apply('name: shop\nlinks:\n  b: { url: "https://example.com/", alias: x }\n');
  expect([moved.code, moved.stderr]).toEqual([0, '']);
});

test('aliases move along a chain of links, and an exchange is refused', async () => {
  const aliased = (...aliases: string[]) =>
    `name: shop\nlinks:\n${aliases.map((alias, at) => `  key-${at}: { url: "https://example.com/", alias: ${alias} }\n`).join('')}`;
  await apply(aliased('one', 'two', 'three'));
  expect(await apply(aliased('two', 'three', 'four'))).toMatchObject({ code: 0, stderr: '' });
  const exchanged = await apply(aliased('three', 'two', 'four'));
  expect([exchanged.code, exchanged.stderr.split('\n').length]).toEqual([3, 3]);
  expect(exchanged.stderr).toMatch(/^lsp: FILE:3: key-0: alias .*taken/m);
  expect(exchanged.stdout.split('\n').toSorted()).toEqual([
    ...['', '    alias: three → two', '    alias: two → three'],
    ...['! key-0  https://s.example/two', '! key-1  https://s.example/three'],
    'Created 0, changed 0, deleted 0, unchanged 1, refused 2.',
  ]);
  const aliases = await server.database.prisma.link.findMany({ orderBy: { id: 'asc' } });
  expect(aliases.map(({ alias }) => alias)).toEqual(['two', 'three', 'four']);
});

/** Applies the file while others do something before a request whose body contains the text, the first time. */
async function applyMeanwhile(
  text: string,
  where: string,
  others: () => Promise<unknown>,
  ...options: string[]
) {
  const send = globalThis.fetch;
  let isDone = false;
  globalThis.fetch = async (input, init) => {
    if (!isDone && String(init?.body).includes(where)) {
      isDone = true;
      await others();
    }
    return send(input, init);
  };
  try {
    return await apply(text, ...options);
  } finally {
    globalThis.fetch = send;
  }
}

const changeFirst = async () => {
  const { id } = await server.database.prisma.link.findFirstOrThrow({
    where: { externalId: 'lsp:shop/one' },
  });
  await server.database.prisma.link.update({
    where: { id },
    data: { title: 'Theirs', updatedAt: new Date(server.clock.now.getTime() + 60_000) },
  });
};

test('a change by others meanwhile stays, and the rest is done', async () => {
  await apply(linksOf(['one', 'two']));
  const text = linksOf(['one', 'two']).replaceAll('example.com', 'example.org');
  const { code, stdout, stderr } = await applyMeanwhile(text, 'updateLinks', changeFirst);
  expect([code, stdout.split('\n').at(-2)]).toEqual([
    6,
    'Created 0, changed 1, deleted 0, unchanged 0, refused 1.',
  ]);
  expect(stdout).toMatch(/^! one .+\n.+\n~ two /);
  expect(stderr).toMatch(/^lsp: FILE:3: one: .+\n$/);
  expect(await stored()).toEqual([
    ['lsp:shop/one', 'https://example.com/one'],
    ['lsp:shop/two', 'https://example.org/two'],
  ]);
});

test('a link that others change before its deletion stays', async () => {
  await apply(linksOf(['one', 'two', 'three']));
  const { code, stdout, stderr } = await applyMeanwhile(linksOf(['three']), 'deleteLinks', changeFirst);
  expect([code, stdout.split('\n').at(-2)]).toEqual([
    6,
    'Created 0, changed 0, deleted 1, unchanged 1, refused 1.',
  ]);
  expect(stderr).toMatch(/^lsp: one: The record was changed.+\n$/);
  expect((await stored()).map(([id]) => id)).toEqual(['lsp:shop/one', 'lsp:shop/three']);
});

test('a link that others delete before its deletion is no conflict', async () => {
  await apply(linksOf(['one', 'two']));
  const deleteOne = () => lsp(['links', 'delete', 'external:lsp:shop/one', '--yes']);
  const { code, stdout, stderr } = await applyMeanwhile(linksOf([]), 'deleteLinks', deleteOne);
  expect([code, stderr, stdout.split('\n').at(-2)]).toEqual([
    ...[0, '', 'Created 0, changed 0, deleted 1, unchanged 0.'],
  ]);
});

test.each(['checkLinks', 'createLinks'])(
  'plans again if another run creates links of the file before its %s',
  async (step) => {
    await apply(linksOf(['old']));
    const text = linksOf(['one', 'two', 'three']);
    const other = (keys: string[]) => async () => {
      const created = keys.map((key) => ({
        url: `https://example.com/${key}`,
        externalId: `lsp:shop/${key}`,
      }));
      const mutation =
        'mutation ($inputs: [CreateLinkInput!]!) { createLinks(inputs: $inputs) { __typename } }';
      await (await server.caller()).data(mutation, { inputs: created });
    };
    const { code, stdout, stderr } = await applyMeanwhile(text, step, other(['two']));
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.trimEnd().split('\n').sort()).toEqual([
      '+ one  https://example.com/one',
      '+ three  https://example.com/three',
      expect.stringMatching(/^- old {2}/),
      'Created 2, changed 0, deleted 1, unchanged 1.',
    ]);
    expect((await stored()).map(([id]) => id).sort()).toEqual([
      ...['lsp:shop/one', 'lsp:shop/three', 'lsp:shop/two'],
    ]);
  },
);

test('two runs of a new file at the same time create its links once, and both end well', async () => {
  writeFileSync(file, linksOf(Array.from({ length: 120 }, (_, at) => `key-${at}`)));
  const runs = await Promise.all([lsp(['apply', file]), lsp(['apply', file])]);
  expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual([
    [0, ''],
    [0, ''],
  ]);
  expect(await stored()).toHaveLength(120);
});

test('refuses files that are not UTF-8, and reads those with a byte order mark', async () => {
  const text = linksOf(['one']).replace('example.com/one', 'example.com/\u00e9');
  writeFileSync(file, Buffer.from(text, 'latin1'));
  const { code, stderr } = await lsp(['apply', file]);
  expect([code, stderr]).toEqual([
    3,
    `lsp: ${file} is not a UTF-8 text, from line 3 on: save it as UTF-8.\n`,
  ]);
  for (const args of [
    ['import', file],
    ['query', file],
    ['query', '-', '--variables', file],
    ['links', 'create', 'https://example.com/', '--input', file],
  ]) {
    writeFileSync(file, Buffer.from(`{"\u00e9": 1}\n${text}`, 'latin1'));
    const ended = await lsp(args, { input: '{ __typename }' });
    expect([ended.code, ended.stderr]).toEqual([
      3,
      expect.stringContaining('is not a UTF-8 text, from line 1 on'),
    ]);
  }
  expect(await stored()).toEqual([]);
  expect((await apply(`\uFEFF${linksOf(['one'])}`)).code).toBe(0);
  writeFileSync(file, '\uFEFF{ viewer { __typename } }');
  expect((await lsp(['query', file])).code).toBe(0);
});

test('prints the plan as JSON', async () => {
  const { stdout } = await apply(linksOf(['one']), '--json', '--dry-run');
  expect(JSON.parse(stdout)).toEqual({
    name: 'shop',
    dryRun: true,
    changes: [
      {
        key: 'one',
        action: 'create',
        input: { url: 'https://example.com/one', externalId: 'lsp:shop/one' },
      },
    ],
    unchanged: 0,
  });
});

const within = (fields: string) =>
  `name: shop\nlinks:\n  one:\n    url: https://example.com/\n    ${fields}\n`;

test.each([
  ['links:\n  a: { url: "https://example.com/" }\n', '1: name is missing'],
  ['name: shop\n', '1: links is missing'],
  ['name: Shop\nlinks: []\n', '1: name must be 1 to 40 of a to z, 0 to 9 and -'],
  [`name: ${'a'.repeat(41)}\nlinks: []\n`, '1: name must be 1 to 40 of a to z, 0 to 9 and -'],
  ['- one\n', '1: the file must be an object with name and links'],
  ['', '1: the file must be an object with name and links'],
  ['name: shop\nlinks:\n  - one\n', '3: links must be an object with a key for each link'],
  ['name: shop\nlinks: []\nlink:\n', '3: link is no field; these are: name, links'],
  ['name: shop\nlinks:\n  a: { url: x }\n  b: { url: x }\n  a: { url: x }\n', '5: the key a is there twice'],
  ['name: shop\nlinks:\n  a: { url: x\n', '4: '],
  ['name: shop\nlinks:\n  1: { url: x }\n', '3: a key must be 1 to 200 letters'],
  ['name: shop\nlinks:\n  "a b": { url: x }\n', '3: a key must be 1 to 200 letters'],
  ['name: shop\nlinks:\n  a: {}\n', '3: a.url is missing'],
  ['name: shop\nlinks:\n  a:\n', '3: a must be an object with url'],
  ['name: shop\nlinks: []\n---\nname: two\n', '3: a second document begins here; a file is one document'],
  ['name: shop\nlinks:\n', '2: links has no value; write links: [] if the file is to have no link.'],
  ['{ name: shop, links }', '1: links has no value; write links: []'],
  ['name: shop\nlinks: null\n', '2: links has no value; write links: []'],
  ['name: shop\nlinks: []\nlinks: []\n', '3: the key links is there twice'],
  ['name: shop\nlinks:\n  a: { url: x, title }\n', '3: a.title has no value'],
  [within('title:'), '5: one.title has no value; write null to clear it'],
  [
    within('expiration: { at: tomorrow }'),
    '5: one.expiration.at must be a time, such as "2027-01-01T00:00:00Z"',
  ],
  [within('expiration: { at: T00:00Z }'), '5: one.expiration.at must be a time'],
  ['name: shop\nlinks:\n  a: !!js/function x\n', '3: '],
  ['name: shop\nlinks:\n  a: *unknown\n', '3: '],
  [within('titel: Sale'), '5: one.titel is no field; these are: url, alias, title,'],
  [within('title: 5'), '5: one.title must be text: put it in quotes'],
  [within('tags: Print'), '5: one.tags must be a list'],
  [within('tags: [2026]'), '5: one.tags[0] must be text: put it in quotes'],
  [within('disabled: "yes"'), '5: one.disabled must be true or false'],
  [within('privacy: PASSWORD'), '5: one.privacy must be one of PUBLIC, PRIVATE'],
  [within('password: secret'), '5: one.password is a secret, which does not belong in a file'],
  [within('externalId: mine'), '5: one.externalId is no field'],
  [within('expiration: { clicks: 1.5 }'), '5: one.expiration.clicks must be a whole number'],
  [within('targeting: { countries: [{ country: DE }] }'), '5: one.targeting.countries[0].url is missing'],
  [within('targeting: { rotation: [], countries: [] }'), '5: one.targeting.type is missing'],
  [within('constructor: x'), '5: one.constructor is no field'],
  [within('space: None'), '5: There is no space called "None"'],
  [within('tags: [None]'), '5: There is no tag called "None"'],
  [within('tags: ["id:99"]'), '5: There is no tag with the id 99'],
  [within('space: "id:99"'), '5: There is no space with the id 99'],
  [within('domain: no.example'), '5: There is no domain called "no.example"'],
  [within('domain: "1"'), '5: There is no domain called "1"'],
  [within('alias: "a b"'), '5: one: alias '],
])('refuses %j with its line, before anything is changed', async (text, message) => {
  const { code, stdout, stderr } = await apply(text);
  expect([code, stdout]).toEqual([3, '']);
  expect(stderr.slice(0, `lsp: FILE:${message}`.length)).toBe(`lsp: FILE:${message}`);
  expect(await stored()).toEqual([]);
});

test('refuses a file that is nested too deeply', async () => {
  const { code, stderr } = await apply(`name: shop\nlinks: ${'['.repeat(20_000)}\n`);
  expect([code, stderr.split('\n')[0]]).toEqual([3, 'lsp: FILE:2: the file is nested too deeply.']);
});

test('tells all errors of a file, by their lines', async () => {
  const { stderr } = await apply('name: Shop\nlinks:\n  a: {}\n  b: { url: 1 }\n');
  expect(stderr.split('\n').map((line) => /^lsp: FILE:(\d+)/.exec(line)?.[1])).toEqual([
    '1',
    '3',
    '4',
    undefined,
  ]);
});

test('a wrong link keeps the whole file from being applied, and names the line', async () => {
  const { code, stderr } = await apply(linksOf(['one', 'two']).replace('https://example.com/two', 'nowhere'));
  expect([code, stderr]).toEqual([
    3,
    'lsp: FILE:4: two: url must be an absolute http or https URL, such as https://example.com/page.\n',
  ]);
  expect(await stored()).toEqual([]);
});

/** A link with more fields, of which some are wrong in a change. */
const manual = (fields = '') => `name: shop
links:
  manual:
    url: https://example.com/manual
    targeting:
      countries: [{ country: DE, url: "https://example.com/de" }]
${fields}`;

test.each([
  [manual().replace('DE', 'XX'), '5: manual: targeting.countries.0.country must be'],
  [manual().replace('https://example.com/manual', 'nowhere'), '4: manual: url must be an absolute'],
  [manual('    alias: taken\n'), '7: manual: alias is already'],
  [manual('    expiration: { clicks: 0 }\n'), '7: manual: expiration.clicks must be'],
  [manual('    pixelIds: ["99"]\n'), '7: manual: pixelIds must be'],
  [
    manual('    ruleTests: [{ visitor: { country: FR }, expect: { rule: Germany } }]\n'),
    '7: manual: ruleTests.0 ',
  ],
  [
    `${manual('    alias: same\n')}  more: { url: "https://example.com/", alias: same }\n`,
    '8: more: alias is',
  ],
])('refuses %j for a link that is there, before anything is changed', async (text, message) => {
  await lsp(['links', 'create', 'https://example.com/', '--alias', 'taken']);
  const rules =
    '    rules: [{ name: Germany, when: [{ country: { in: [DE] } }], to: [{ url: "https://example.com/g" }] }]\n';
  expect((await apply(manual(rules))).code).toBe(0);
  const before = await server.database.prisma.link.findMany();
  for (const options of [['--dry-run'], []]) {
    const { code, stdout, stderr } = await apply(
      `${text}  new: { url: "https://example.com/new" }\n`,
      ...options,
    );
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr.slice(0, `lsp: FILE:${message}`.length)).toBe(`lsp: FILE:${message}`);
  }
  expect(await server.database.prisma.link.findMany()).toEqual(before);
});

test('does not refuse a change for fields that stay as they are', async () => {
  const rules =
    '    rules: [{ when: [{ country: { in: [DE] } }], to: [{ url: "https://example.com/g" }] }]\n';
  const tests = '    ruleTests: [{ visitor: { country: DE }, expect: { rule: "Rule 1" } }]\n';
  expect((await apply(manual(rules + tests))).code).toBe(0);
  // The operator has a domain meanwhile to which the link leads.
  const { id: accountId } = await server.database.prisma.account.findFirstOrThrow();
  const now = new Date();
  await server.database.prisma.domain.create({
    data: { name: 'example.com', accountId, verifiedAt: now, createdAt: now, updatedAt: now },
  });
  const changed = manual(tests).replace(
    'https://example.com/de" }',
    'https://example.com/de" }, { country: AT, url: "https://example.com/manual" }',
  );
  expect(await apply(changed)).toMatchObject({ code: 0, stderr: '' });
  const wrong = changed.replace('"https://example.com/manual"', '"https://example.com/other"');
  expect((await apply(wrong, '--dry-run')).stderr).toMatch(
    /^lsp: FILE:5: manual: targeting.countries.1.url /,
  );
});

test('prints targets, an expiration and rules without what is empty', async () => {
  const fields = `    expiration: { clicks: 5 }
    rules: [{ name: A, when: [{ country: { in: [DE] } }], to: [{ url: "https://example.com/g" }] }]
`;
  await apply(manual(fields));
  const { stdout } = await apply(
    manual(fields)
      .replace('clicks: 5', 'clicks: 6, url: "https://example.com/over"')
      .replace('name: A', 'name: B')
      .replace('DE, url', 'AT, url'),
    '--dry-run',
  );
  expect(stdout.split('\n').slice(1, 4)).toEqual([
    '    expiration: clicks 5 → clicks 6, url https://example.com/over',
    '    targeting: COUNTRY DE https://example.com/de → COUNTRY AT https://example.com/de',
    expect.stringMatching(/^ {4}rules: \[\{[^→]*"name":"A"[^→]* → \[\{"name":"B"/),
  ]);
  expect(stdout).not.toMatch(/null|\[\]|__typename/);
  const rotation = `name: shop
links:
  manual:
    url: https://example.com/manual
    targeting: { type: ROTATION, countries: [], rotation: ["https://example.com/1", "https://example.com/2"] }
    expiration: null
`;
  expect((await apply(rotation)).stdout).toContain(
    [
      '    expiration: clicks 5 → null',
      '    targeting: COUNTRY DE https://example.com/de → ROTATION https://example.com/1, https://example.com/2',
    ].join('\n'),
  );
});

test('deletes no link if something was refused', async () => {
  const both = `name: shop
links:
  a: { url: 'https://example.com/a', alias: one }
  b: { url: 'https://example.com/b', alias: two }
`;
  expect((await apply(both)).code).toBe(0);
  const wrong = await apply("name: shop\nlinks:\n  a: { url: 'htps://example.com/a', alias: one }\n");
  expect([wrong.code, (await stored()).length]).toEqual([3, 2]);
  // A chain that ends at a link of somebody else.
  expect((await lsp(['links', 'create', 'https://example.com/', '--alias', 'taken'])).code).toBe(0);
  const chain = await apply(`name: shop
links:
  a: { url: 'https://example.com/a', alias: taken }
  c: { url: 'https://example.com/c', alias: one }
`);
  expect([chain.code, (await stored()).map(([id]) => id)]).toEqual([3, ['lsp:shop/a', 'lsp:shop/b', null]]);
  // Refused in the run itself: the links exchange their aliases.
  expect((await apply(`${both}  c: { url: 'https://example.com/c' }\n`)).code).toBe(0);
  const exchanged = await apply(both.replace('one', 'three').replace('two', 'one').replace('three', 'two'));
  expect([exchanged.code, (await stored()).length]).toEqual([3, 4]);
  expect(exchanged.stdout).not.toMatch(/^- c/m);
  expect(exchanged.stdout).toContain('deleted 0, unchanged 0, refused 2.');
  expect(exchanged.stderr).toMatch(/^lsp: 1 link was not deleted, since changes were refused: c\.$/m);
});

test('an alias of another domain makes no room', async () => {
  const { id: accountId } = await server.database.prisma.account.findFirstOrThrow();
  const now = new Date();
  await server.database.prisma.domain.create({
    data: { name: 'go.example', accountId, verifiedAt: now, createdAt: now, updatedAt: now },
  });
  const made = await lsp([
    'links',
    'create',
    'https://example.com/',
    '--alias',
    'same',
    '--domain',
    'go.example',
  ]);
  expect(made.code).toBe(0);
  await apply("name: shop\nlinks:\n  a: { url: 'https://example.com/a', alias: same }\n");
  const { code, stderr } = await apply(
    "name: shop\nlinks:\n  b: { url: 'https://example.com/b', alias: same, domain: go.example }\n",
  );
  expect([code, stderr]).toEqual([3, expect.stringMatching(/^lsp: FILE:3: b: .*alias/)]);
  expect((await stored()).map(([id]) => id)).toEqual([null, 'lsp:shop/a']);
});

test('two new links have different aliases, also in different batches', async () => {
  const links = Array.from({ length: 105 }, (_, index) => {
    const alias = index === 0 || index === 104 ? 'same' : `alias-${index}`;
    return `  k${index}: { url: 'https://example.com/${index}', alias: ${alias} }`;
  });
  const { code, stderr } = await apply(`name: shop\nlinks:\n${links.join('\n')}\n`);
  expect([code, stderr]).toEqual([3, 'lsp: FILE:107: k104.alias is that of k0, too.\n']);
  expect(await stored()).toEqual([]);
});

test('a link keeps its domain', async () => {
  await apply(within('domain: s.example'));
  await server.database.prisma.domain.create({
    data: {
      name: 'own.example',
      accountId: (await server.database.prisma.account.findFirstOrThrow()).id,
      verifiedAt: new Date(),
      createdAt: new Date(),
      updatedAt: new Date(),
    },
  });
  const { code, stderr } = await apply(within('domain: own.example'));
  expect([code, stderr]).toEqual([
    3,
    'lsp: FILE:5: one.domain cannot change from s.example; use another key for another link.\n',
  ]);
});

test('follows anchors, and shows progress at a terminal only', async () => {
  const text = 'name: shop\nlinks:\n  a: &a { url: "https://example.com/" }\n  b: *a\n';
  expect((await apply(text)).code).toBe(0);
  expect(await stored()).toHaveLength(2);
  writeFileSync(file, linksOf(['c']));
  const { stderr } = await lsp(['apply', file], { typed: [] });
  expect(stderr).toContain('3 of 3 changes');
});
