import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { emptyServer, startTestServer, type TestServer } from '../support/server.ts';
import { cliFor, runCli } from './support.ts';

let server: TestServer;
let lsp: Awaited<ReturnType<typeof cliFor>>;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => server.stop());
beforeEach(async () => {
  await emptyServer(server);
  lsp = await cliFor(server);
});

/** The value that a command prints with `--json`. */
async function json(...args: string[]) {
  const { code, stdout, stderr } = await lsp([...args, '--json']);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

test('creates, lists, shows, edits and deletes a link', async () => {
  await json('spaces', 'create', 'Marketing');
  await json('tags', 'create', 'Print');
  await json('tags', 'create', '2026', '--color', '3');
  const made = await json(
    ...['links', 'create', 'https://example.com/', '--alias', 'spring', '--title', 'Spring sale'],
    ...['--space', 'marketing', '--tag', 'Print', '--tag', '2026', '--external-id', 'crm/1', '--disabled'],
    ...['--privacy', 'private', '--expires-at', '2027-01-01T00:00:00Z', '--expires-clicks', '5'],
  );
  expect(made).toMatchObject({
    url: 'https://example.com/',
    shortUrl: 'https://s.example/spring',
    title: 'Spring sale',
    disabled: true,
    privacy: 'PRIVATE',
    space: { name: 'Marketing' },
    tags: [{ name: '2026', color: 3 }, { name: 'Print' }],
    expiration: { at: '2027-01-01T00:00:00.000Z', clicks: 5, url: null },
  });
  expect((await lsp(['links', 'list'])).stdout).toBe(
    [
      'ID  SHORT URL                 DESTINATION           TITLE        SPACE      TAGS         CLICKS  STATUS',
      `${made.id}   https://s.example/spring  https://example.com/  Spring sale  Marketing  2026, Print  0       disabled`,
      '',
    ].join('\n'),
  );
  for (const reference of [made.id, made.shortUrl, 's.example/spring', 'external:crm/1'])
    expect(await json('links', 'show', reference)).toMatchObject({ id: made.id, externalId: 'crm/1' });
  expect(
    await json('links', 'edit', made.id, '--title', 'Summer', '--enabled', '--clear', 'spaceId'),
  ).toMatchObject({ title: 'Summer', disabled: false, space: null, tags: [{}, {}] });
  expect(await json('links', 'delete', made.id, '--yes')).toEqual({ id: made.id, shortUrl: made.shortUrl });
  expect(await json('links', 'list')).toEqual([]);
});

test('takes any fields of the input from a JSON object, and options win', async () => {
  const input = JSON.stringify({
    title: 'From the input',
    alias: 'one',
    password: 'secret',
    targeting: { type: 'ROTATION', rotation: ['https://example.com/b'] },
  });
  const args = ['links', 'create', 'https://example.com/', '--input', '-', '--alias', 'two', '--json'];
  const { stdout } = await lsp(args, { input });
  expect(JSON.parse(stdout)).toMatchObject({
    title: 'From the input',
    alias: 'two',
    hasPassword: true,
    targeting: { rotation: ['https://example.com/b'] },
  });
});

test.each([
  [64, '[]', 'lsp: --input must be a JSON object.\n'],
  [64, '{', 'lsp: --input is not JSON: '],
  [3, '{ "nothing": 1 }', 'lsp: '],
  [3, '{ "title": 1 }', 'lsp: '],
])('exits with %s for the input %s', async (code, input, message) => {
  const ended = await lsp(['links', 'create', 'https://example.com/', '--input', '-'], { input });
  expect([ended.code, ended.stdout, ended.stderr.slice(0, message.length)]).toEqual([code, '', message]);
  expect(ended.stderr.split('\n')).toHaveLength(2);
});

test.each(['spaces', 'tags'])('creates, lists, shows, edits and deletes %s', async (kind) => {
  const { id } = await json(kind, 'create', 'First', '--color', '2');
  expect((await lsp([kind, 'show', 'first'])).stdout).toMatch(
    new RegExp(`^id +${id}\nname +First\ncolour +2\ncreated .+\nupdated .+\n$`),
  );
  expect(await json(kind, 'edit', 'First', '--name', 'Second')).toMatchObject({ id, name: 'Second' });
  expect((await json(kind, 'list', '--search', 'sec')).map(({ name }: { name: string }) => name)).toEqual([
    'Second',
  ]);
  expect(await json(kind, 'delete', id, '-y')).toEqual({ id, name: 'Second' });
  expect((await lsp([kind, 'list'])).stdout).toBe(`There are no ${kind}.\n`);
});

test('lists up to the limit, or all', async () => {
  const caller = await server.caller('owner');
  const inputs = Array.from({ length: 100 }, (_, at) => ({ url: `https://example.com/${at}` }));
  for (const batch of [inputs, inputs.slice(0, 50)])
    await caller.data(
      'mutation ($inputs: [CreateLinkInput!]!) { createLinks(inputs: $inputs) { __typename } }',
      {
        inputs: batch,
      },
    );
  expect(await json('links', 'list')).toHaveLength(100);
  expect(await json('links', 'list', '--limit', '3')).toHaveLength(3);
  expect(await json('links', 'list', '--limit', '120')).toHaveLength(120);
  const all = await json('links', 'list', '--all', '--order', 'id', '--ascending');
  expect(all).toHaveLength(150);
  expect(all[0].url).toBe('https://example.com/0');
});

test('asks at a terminal before it deletes, and needs --yes without one', async () => {
  const { id, shortUrl } = await json('links', 'create', 'https://example.com/');
  expect(await lsp(['links', 'delete', id])).toMatchObject({
    code: 64,
    stderr: `lsp: Delete ${shortUrl}, with 0 clicks? Confirm with --yes.\n`,
  });
  const no = await lsp(['links', 'delete', id], { typed: ['n'] });
  expect(no).toMatchObject({ code: 1, asked: [`Delete ${shortUrl}, with 0 clicks? [y/N] `] });
  expect(await lsp(['links', 'delete', id], { typed: ['y'] })).toMatchObject({
    code: 0,
    stdout: `Deleted ${shortUrl}.\n`,
  });
});

test.each([
  [3, ['links', 'create', 'nowhere'], 'lsp: url must be an absolute http or https URL'],
  [3, ['links', 'create', 'https://example.com/', '--alias', 'a b'], 'lsp: alias '],
  [3, ['tags', 'create', ''], 'lsp: name '],
  [4, ['links', 'show', '999999'], 'lsp: There is no link "999999".'],
  [4, ['links', 'show', 'external:none'], 'lsp: There is no link "external:none".'],
  [
    4,
    ['links', 'create', 'https://example.com/', '--space', 'None'],
    'lsp: There is no space called "None".',
  ],
  [
    4,
    ['links', 'create', 'https://example.com/', '--domain', 'no.example'],
    'lsp: There is no domain called "no.example".',
  ],
  [4, ['tags', 'show', 'None'], 'lsp: There is no tag called "None".'],
  [4, ['tags', 'delete', '999999', '-y'], 'lsp: There is no tag "999999".'],
  [64, ['links', 'show', 'word'], 'lsp: "word" is not a link'],
  [64, ['links', 'edit', '1'], 'lsp: Give at least one field to change.'],
  [64, ['links', 'list', '--limit', '0'], "lsp: option '--limit <number>' argument '0' is invalid."],
  [64, ['links', 'list', '--status', 'gone'], "lsp: option '--status <status>' argument 'gone' is invalid."],
  [64, ['links', 'lst'], "lsp: unknown command 'lst'"],
  [64, ['links', 'create'], "lsp: missing required argument 'url'"],
  [64, ['links', 'create', 'https://example.com/', '--input', '/none'], 'lsp: /none cannot be read: ENOENT.'],
])('exits with %s for %j', async (code, args, message) => {
  const ended = await lsp(args);
  expect([ended.code, ended.stdout]).toEqual([code, '']);
  expect(ended.stderr.slice(0, message.length)).toBe(message);
});

test('exits with 5 for a key that may only read, and for an unknown one', async () => {
  const reader = await cliFor(server, 'owner', ['read']);
  expect((await reader(['tags', 'create', 'Mine'])).code).toBe(5);
  const env = { LINKSPACE_URL: server.origin, LINKSPACE_KEY: 'unknown' };
  expect((await runCli(['tags', 'list'], env)).code).toBe(5);
});

test('exits with 6 if the record has changed meanwhile', async () => {
  const { id, updatedAt } = await json('tags', 'create', 'Mine');
  server.clock.now = new Date(server.clock.now.getTime() + 1_000);
  await json('tags', 'edit', id, '--name', 'Theirs', '--if-updated-at', updatedAt);
  const { code, stderr } = await lsp([
    'tags',
    'edit',
    id,
    '--name',
    'Mine again',
    '--if-updated-at',
    updatedAt,
  ]);
  expect(code).toBe(6);
  expect(stderr).toMatch(/^lsp: The record has changed since .+\.\n$/);
});

test('says which of two spaces with the same name is meant by id', async () => {
  const first = await json('spaces', 'create', 'Twin');
  const second = await json('spaces', 'create', 'Twin');
  const { code, stderr } = await lsp(['spaces', 'show', 'Twin']);
  expect([code, stderr]).toEqual([
    3,
    `lsp: There are 2 spaces called "Twin": ids ${second.id}, ${first.id}.\n`,
  ]);
  expect((await json('spaces', 'show', `id:${first.id}`)).id).toBe(first.id);
  expect((await json('spaces', 'show', first.id)).id).toBe(first.id);
});

test('takes digits for an id only if nothing has that name, and id: always', async () => {
  const { id } = await json('tags', 'create', 'Print');
  const names = async (tag: string) => {
    const { tags } = await json('links', 'create', 'https://example.com/', '--tag', tag);
    return tags.map(({ name }: { name: string }) => name);
  };
  expect(await names(id)).toEqual(['Print']);
  await json('tags', 'create', id);
  expect(await names(id)).toEqual([id]);
  expect(await names(`id:${id}`)).toEqual(['Print']);
  expect(await lsp(['links', 'create', 'https://example.com/', '--tag', 'id:99'])).toMatchObject({
    code: 4,
    stderr: 'lsp: There is no tag with the id 99.\n',
  });
});

test('removes escape codes and control characters of records from tables', async () => {
  const title = '\u001b[31mred\u001b[0m \u001b]0;owned\u0007\u009b2Jx\u202egpj';
  const { id } = await json('links', 'create', 'https://example.com/', '--title', title);
  for (const args of [
    ['links', 'list'],
    ['links', 'show', id],
  ]) {
    const { stdout } = await lsp(args, { typed: [] });
    expect(stdout).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
    expect(stdout).not.toContain('\\u');
    expect(stdout).toContain('red xgpj');
  }
  const { stdout } = await lsp(['links', 'show', id, '--json']);
  expect(stdout).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
  expect(JSON.parse(stdout).title).toBe((await json('links', 'show', id)).title);
});

test('cuts long cells on terminals only', async () => {
  await json('links', 'create', `https://example.com/${'x'.repeat(100)}`);
  expect((await lsp(['links', 'list'], { typed: [] })).stdout).toContain(`${'x'.repeat(39)}…  `);
  expect((await lsp(['links', 'list'])).stdout).toContain('x'.repeat(100));
});

test('help and version need no login', async () => {
  const { code, stdout } = await runCli(['--help']);
  expect(code).toBe(0);
  expect(stdout).toContain('Exit codes: 0 done');
  expect((await runCli(['links', 'create', '--help'])).stdout).toContain('--external-id');
  expect((await runCli(['--version'])).code).toBe(0);
});
