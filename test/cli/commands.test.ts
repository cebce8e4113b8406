import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { emptyServer, startTestServer, type TestServer } from '../support/server.ts';
import { cliFor, runCli } from './support.ts';

let server: TestServer;
let lsp: Awaited<ReturnType<typeof cliFor>>;
const folder = mkdtempSync(join(tmpdir(), 'linkspace-cli-'));
beforeAll(async () => {
  server = await startTestServer({ background: true });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  await emptyServer(server);
  lsp = await cliFor(server);
});

async function json(...args: string[]) {
  const { code, stdout, stderr } = await lsp([...args, '--json']);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

const fileWith = (text: string, name = 'file') => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};

test('links have notes, a start, an archive and a status, and are duplicated', async () => {
  const start = '2027-01-01T00:00:00.000Z';
  const options = ['--notes', 'Ask Ann', '--starts-at', start, '--redirect-status', '301', '--archived'];
  const made = await json('links', 'create', 'https://example.com/', '--alias', 'first', ...options);
  const fields = { notes: 'Ask Ann', startsAt: start, redirectStatus: 301, archived: true };
  expect(made).toMatchObject(fields);
  const copy = await json(
    'links',
    'duplicate',
    made.id,
    '--alias',
    'copy',
    '--unarchived',
    '--clear',
    'notes',
  );
  expect(copy).toMatchObject({ ...fields, alias: 'copy', archived: false, notes: null });
  const aliases = async (...args: string[]) =>
    (await json('links', 'list', ...args)).map(({ alias }: { alias: string }) => alias).toSorted();
  expect(await aliases()).toEqual(['copy']);
  expect(await aliases('--archived', 'only')).toEqual(['first']);
  expect(await aliases('--archived', 'with')).toEqual(['copy', 'first']);
  const { data } = JSON.parse((await lsp(['export'])).stdout);
  expect(data).toMatchObject([
    { alias: 'first', notes: 'Ask Ann', starts_at: start, archived: true, redirect_status: 301 },
    { alias: 'copy', archived: false },
  ]);
});

test('stats shows the clicks of a link and of the account', async () => {
  const { id } = await json('links', 'create', 'https://example.com/', '--alias', 'one');
  for (const country of ['DE', 'DE', 'AT'])
    await fetch(`${server.origin}/one`, {
      redirect: 'manual',
      headers: { 'X-Country': country, 'X-Forwarded-Host': 's.example', 'User-Agent': BROWSER },
    });
  await server.flush();
  for (const args of [['stats', id], ['stats', 's.example/one'], ['stats']]) {
    const { code, stdout } = await lsp([
      ...args,
      '--from',
      '2026-11-20',
      '--to',
      '2026-11-20',
      '--interval',
      'day',
    ]);
    expect([code, stdout]).toEqual([
      0,
      [
        'period    2026-11-20 to 2026-11-20',
        'clicks    3',
        'visitors  1',
        'bots      0',
        '',
        'COUNTRY  CLICKS',
        'DE       2',
        'AT       1',
        '',
        'DAY                       CLICKS  VISITORS  BOTS',
        '2026-11-20T00:00:00.000Z  3       1         0',
        '',
      ].join('\n'),
    ]);
  }
  expect(await json('stats', '--by', 'browser')).toMatchObject({ clicks: 3, top: { rows: [{ clicks: 3 }] } });
  expect((await lsp(['stats', '999999'])).code).toBe(4);
  expect((await lsp(['stats', '--from', 'soon'])).code).toBe(3);
});

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

test('qr prints an SVG image, or writes it to a file', async () => {
  const { id } = await json('links', 'create', 'https://example.com/', '--alias', 'one');
  const { stdout } = await lsp(['qr', id, '--size', '300', '--error-correction', 'h']);
  expect(stdout).toMatch(/^<svg [^>]*width="300"/);
  const file = join(folder, 'code.svg');
  expect((await lsp(['qr', id, '--file', file])).stdout).toBe(`Wrote ${file}.\n`);
  expect(readFileSync(file, 'utf8')).toMatch(/^<svg /);
  expect((await lsp(['qr', id, '--file', join(folder, 'none/code.svg')])).code).toBe(64);
  expect((await lsp(['qr', id, '--size', '100000'])).code).toBe(3);
  expect((await lsp(['qr', '999999'])).code).toBe(4);
});

test('open prints the short URL and opens it, unless it shall only be printed', async () => {
  const { id } = await json('links', 'create', 'https://example.com/', '--alias', 'one');
  expect(await lsp(['open', id])).toMatchObject({
    stdout: 'https://s.example/one\n',
    opened: ['https://s.example/one'],
  });
  expect((await lsp(['open', id, '--print'])).opened).toEqual([]);
});

test('watch prints changes as they come, until a signal', async () => {
  const stopped = new AbortController();
  const watching = Promise.withResolvers<void>();
  const shown = Promise.withResolvers<void>();
  const ended = lsp(['watch', '--kind', 'tag'], {
    signal: stopped.signal,
    onNote: () => watching.resolve(),
    onOutput: () => shown.resolve(),
  });
  await watching.promise;
  await lsp(['spaces', 'create', 'Not watched']);
  const { id } = await json('tags', 'create', 'Watched');
  await shown.promise;
  stopped.abort();
  const { code, stdout, stderr } = await ended;
  expect([code, stderr]).toEqual([130, 'Watching. Ctrl+C ends it.\n']);
  expect(stdout).toBe(
    `2026-11-20T12:00:00.000Z  created  tag ${id}  name, color by key ${lsp.key.slice(0, 8)}…\n`,
  );
});

test('watch ends after a number of changes, and prints a line of JSON for each', async () => {
  let isOver = false;
  const ending = lsp(['watch', '--limit', '2', '--json']).finally(() => {
    isOver = true;
  });
  for (let at = 0; !isOver; at++) await lsp(['tags', 'create', `Tag ${at}`]);
  const { code, stdout, stderr } = await ending;
  expect([code, stderr]).toEqual([0, '']);
  const changes = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(changes).toHaveLength(2);
  expect(changes[0]).toMatchObject({ action: 'CREATED', kind: 'TAG', by: { __typename: 'ApiKey' } });
});

test('query executes a document with variables', async () => {
  const file = fileWith(
    'query one { tags { totalCount } } mutation two($input: CreateTagInput!) { createTag(input: $input) { __typename } }',
  );
  const variables = fileWith('{ "input": { "name": "Made" } }', 'variables');
  expect((await lsp(['query', file, '--operation', 'two', '--variables', variables])).stdout).toBe(
    '{\n  "createTag": {\n    "__typename": "Tag"\n  }\n}\n',
  );
  const { stdout } = await lsp(['query', '-', '--operation', 'one'], { input: readFileSync(file, 'utf8') });
  expect(JSON.parse(stdout)).toEqual({ tags: { totalCount: 1 } });
});

test.each([
  [64, 'subscription { changes { id } }', 'lsp: A subscription does not end: use lsp watch.\n'],
  [3, '{ nothing }', 'lsp: Cannot query field "nothing" on type "Query".\n'],
  [3, '{', 'lsp: Syntax Error: Expected Name, found <EOF>.\n'],
])('query exits with %s for %s', async (code, document, stderr) => {
  expect(await lsp(['query', fileWith(document)])).toMatchObject({ code, stdout: '', stderr });
});

test('export writes what import reads', async () => {
  await lsp(['spaces', 'create', 'Marketing', '--color', '4']);
  await lsp(['tags', 'create', 'Print', '--color', '2']);
  const input = {
    targeting: { type: 'ROTATION', rotation: ['https://example.com/a', 'https://example.com/b'] },
  };
  await lsp(
    [
      'links',
      'create',
      'https://example.com/1',
      '--alias',
      'one',
      '--title',
      '=1+1',
      '--space',
      'Marketing',
      '--tag',
      'Print',
      '--external-id',
      'x',
      '--disabled',
      '--privacy',
      'private',
      '--expires-clicks',
      '5',
      '--input',
      '-',
    ],
    { input: JSON.stringify(input) },
  );
  await lsp([
    'links',
    'create',
    'https://example.com/2',
    '--alias',
    'two',
    '--expires-at',
    '2027-01-01T00:00:00Z',
  ]);
  const pixel = { name: 'Pixel', type: 'FACEBOOK', value: '123456789012345' };
  const made = await lsp(
    [
      'query',
      fileWith('mutation ($input: CreatePixelInput!) { createPixel(input: $input) { ... on Pixel { id } } }'),
      '--variables',
      '-',
    ],
    { input: JSON.stringify({ input: pixel }) },
  );
  const pixelIds = [JSON.parse(made.stdout).createPixel.id];
  await lsp(['links', 'edit', 's.example/two', '--input', '-'], { input: JSON.stringify({ pixelIds }) });
  const file = join(folder, 'links.json');
  expect((await lsp(['export', '--file', file])).stdout).toBe(`Wrote ${file}.\n`);
  expect((await lsp(['export'])).stdout).toBe(readFileSync(file, 'utf8'));
  expect(readdirSync(folder).filter((name) => name.startsWith('links.json.'))).toEqual([]);
  const before = await json('links', 'list');

  await emptyServer(server);
  lsp = await cliFor(server);
  expect(await json('import', file, '--dry-run')).toMatchObject({ created: 2, refused: 0 });
  expect((await lsp(['import', file])).stdout).toBe('Created 2, existing 0, refused 0.\n');
  const withoutIds = (links: object[]) =>
    JSON.parse(JSON.stringify(links, (name, value) => (/^(id|nodeId)$/.test(name) ? undefined : value)));
  expect(withoutIds(await json('links', 'list'))).toEqual(withoutIds(before));
  expect(await server.database.prisma.pixel.findMany()).toMatchObject([
    { name: 'Pixel', value: pixel.value },
  ]);
  expect((await lsp(['import', file])).stdout).toBe('Created 0, existing 2, refused 0.\n');
});

test('export writes CSV for spreadsheets', async () => {
  const title = 'Ä, "quoted"';
  await lsp(['links', 'create', 'https://example.com/1', '--alias', 'one', '--title', title]);
  await lsp(['links', 'create', 'https://example.com/2', '--alias', 'two', '--title', '=1+1']);
  const { code, stdout, stderr } = await lsp(['export', '--format', 'csv']);
  expect([code, stderr]).toEqual([0, '']);
  const [header, one, two, end] = stdout.split('\r\n');
  expect(header).toMatch(/^id,.*alias/);
  expect(one).toContain(',"Ä, ""quoted""",');
  expect([two, end]).toEqual([expect.stringContaining(",'=1+1,"), '']);
  const file = join(folder, 'links.csv');
  expect((await lsp(['export', '--format', 'csv', '--file', file])).stdout).toBe(`Wrote ${file}.\n`);
  expect(readFileSync(file, 'utf8')).toBe(stdout);
  // A terminal gets no carriage returns, nor escapes of them.
  expect((await lsp(['export', '--format', 'csv'], { typed: [] })).stdout).toBe(stdout.replaceAll('\r', ''));
  const env = { LINKSPACE_URL: server.origin, LINKSPACE_KEY: 'nobody-has-this-key' };
  const refused = await runCli(['export', '--format', 'csv', '--file', `${file}.new`], env);
  expect([refused.code, refused.stderr]).toEqual([5, expect.stringMatching(/^lsp: .+\n$/)]);
  expect(readdirSync(folder).filter((name) => name.startsWith('links.csv.'))).toEqual([]);
  const nobody = await runCli(['export', '--format', 'csv'], { ...env, LINKSPACE_URL: 'http://127.0.0.1:1' });
  expect([nobody.code, nobody.stderr]).toEqual([1, 'lsp: The service sent no complete file.\n']);
});

test('import divides long files, and tells refused lines by their place in the file', async () => {
  const rows = Array.from(
    { length: 1_100 },
    (_, at) => `https://example.com/${at},${at === 700 ? '"two\nlines"' : `row ${at}`}`,
  );
  rows[1_050] = 'nowhere,wrong';
  const file = fileWith(['url,title', ...rows, ''].join('\r\n'), 'long.csv');
  const { code, stdout, stderr } = await lsp(['import', file]);
  expect([code, stdout]).toEqual([3, 'Created 1099, existing 0, refused 1.\n']);
  expect(stderr.replace(file, 'FILE')).toMatch(/^FILE:1053: .*URL.*\n$/);
  expect(await server.database.prisma.link.count()).toBe(1_099);
  expect(await server.database.prisma.link.count({ where: { url: 'https://example.com/700' } })).toBe(1);
});

test('import tells that an existing link keeps its external id', async () => {
  const file = fileWith('url,alias,external_id\nhttps://example.com/1,one,mine\n', 'kept.csv');
  await lsp(['links', 'create', 'https://example.com/1', '--alias', 'one', '--external-id', 'theirs']);
  const { code, stdout, stderr } = await lsp(['import', file]);
  expect([code, stdout]).toEqual([0, 'Created 0, existing 1, refused 0.\n']);
  expect(stderr).toBe(`${file}:2: "external_id" is not stored: the link exists, and keeps its own\n`);
});

test('import reads lines, and shows progress at a terminal only', async () => {
  const lines = fileWith(Array.from({ length: 501 }, (_, at) => `https://example.com/${at}`).join('\n'));
  const { stdout, stderr } = await lsp(['import', lines, '--format', 'lines'], { typed: [] });
  expect(stdout).toBe('Created 501, existing 0, refused 0.\n');
  expect(stderr).toContain('501 of 501 records');
  expect((await lsp(['import', lines, '--format', 'lines', '--json'], { typed: [] })).stderr).toBe('');
});

test.each([
  [3, ['import', 'FILE'], '{}', 'lsp: '],
  [64, ['import', 'FILE', '--domain', 'x'], 'url\n', 'lsp: --domain is "x"; it must be OLD=NEW'],
  [64, ['import', '/none'], '', 'lsp: /none cannot be read: ENOENT.\n'],
  [
    64,
    ['import', 'FILE', '--format', 'xml'],
    '',
    "lsp: option '--format <format>' argument 'xml' is invalid.",
  ],
])('exits with %s for %j', async (code, args, text, message) => {
  const file = fileWith(text);
  const ended = await lsp(args.map((arg) => (arg === 'FILE' ? file : arg)));
  expect([ended.code, ended.stderr.slice(0, message.length)]).toEqual([code, message]);
});

/** The words that bash offers at the end of a line. */
function complete(...words: string[]): string[] {
  const file = join(folder, 'completion.bash');
  const script = `source ${file}; COMP_WORDS=(lsp ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _lsp; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\n').filter(Boolean);
}

test('bash completes commands, options and choices', async () => {
  writeFileSync(join(folder, 'completion.bash'), (await runCli(['completion', 'bash'])).stdout);
  expect(complete('')).toEqual(expect.arrayContaining(['links', 'apply', 'completion', '--json']));
  expect(complete('li')).toEqual(['links']);
  expect(complete('links', 'c')).toEqual(['create']);
  expect(complete('links', 'create', 'https://example.com', '--ti')).toEqual(['--title']);
  expect(complete('--json', 'tags', 'edit', '--n')).toEqual(['--name']);
  expect(complete('completion', 'f')).toEqual(['fish']);
});

/** True if a shell is there, which not every system has. */
const has = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

/** For each shell, a script that prints what the completion in a file offers at the end of a line. */
const shells: Readonly<Record<string, (file: string, words: readonly string[]) => string>> = {
  // Without a line editor, compadd prints its words, and _files stands for all files.
  zsh: (file, words) =>
    [
      'compdef() { :; }; compadd() { shift; print -l -- "$@"; }; _files() { print FILES; }',
      `source ${file}; words=(lsp ${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length + 1}; _lsp`,
    ].join('\n'),
  fish: (file, words) => `source ${file}; complete -C '${['lsp', ...words].join(' ')}'`,
};

describe.each(Object.keys(shells))('%s', (shell) => {
  const offers = async (...words: string[]): Promise<string[]> => {
    const script = join(folder, `completion.${shell}`);
    writeFileSync(script, (await runCli(['completion', shell])).stdout);
    const text = execFileSync(shell, ['-c', shells[shell]?.(script, words) ?? ''], {
      encoding: 'utf8',
      cwd: folder,
    });
    return text.split('\n').filter(Boolean);
  };

  test.skipIf(!has(shell))('completes commands, options and choices', async () => {
    writeFileSync(join(folder, 'a-file'), '');
    expect(await offers('')).toEqual(expect.arrayContaining(['links', 'apply', 'completion']));
    expect(await offers('links', '')).toEqual(expect.arrayContaining(['create', 'list', 'show', 'edit']));
    expect(await offers('links', 'create', 'https://example.com', '--')).toContain('--title');
    expect(await offers('--json', 'tags', 'edit', '--')).toContain('--name');
    expect(await offers('completion', '')).toContain('fish');
    for (const words of [[''], ['links', '']])
      expect((await offers(...words)).filter((word) => /FILES|a-file/.test(word))).toEqual([]);
    expect((await offers('apply', '')).filter((word) => /FILES|a-file/.test(word))).toHaveLength(1);
  });
});

test.each(['zsh', 'fish'])('%s has the words of all commands', async (shell) => {
  const { code, stdout } = await runCli(['completion', shell]);
  expect(code).toBe(0);
  for (const word of ['links edit', '--if-updated-at', '--allow-delete', 'completion'])
    expect(stdout).toContain(word);
});

test('completion of another shell is refused', async () => {
  expect((await runCli(['completion', 'sh'])).code).toBe(64);
});

test('an interrupted command exits with 130', async () => {
  const { code, stderr } = await lsp(['links', 'list'], {
    signal: AbortSignal.abort(new Error('Interrupted.')),
  });
  expect([code, stderr]).toEqual([130, 'lsp: Interrupted.\n']);
});
