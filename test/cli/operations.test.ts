import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createClient } from '../../packages/client/src/index.ts';
import { type Caller, emptyServer, startTestServer, type TestServer } from '../support/server.ts';
import { cliFor } from './support.ts';

let server: TestServer;
let owner: Caller;
let lsp: Awaited<ReturnType<typeof cliFor>>;
const folder = mkdtempSync(join(tmpdir(), 'linkspace-operations-'));
beforeAll(async () => {
  server = await startTestServer({ background: true });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  await emptyServer(server);
  owner = await server.caller('owner');
  lsp = await cliFor(server);
});

const fileWith = (text: string, name = 'operation.graphql') => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};

async function save(name: string, document: string, ...options: string[]): Promise<void> {
  const { code, stderr } = await lsp(['operations', 'create', name, fileWith(document), ...options]);
  expect([code, stderr]).toEqual([0, '']);
}

const FIND = `query ($search: String, $first: Int = 10, $ids: [ID!]!, $filter: LinkFilter) {
  links(first: $first, filter: $filter) { nodes { title space { name } tags { name } } }
  chosen: links(filter: { search: $search, searchBy: TITLE }) { nodes { title } }
  byId: nodes(nodeIds: $ids) @include(if: false) { nodeId } }`;
const LIST = `query ($first: Int = 10, $filter: LinkFilter) {
  links(first: $first, filter: $filter, orderBy: { field: TITLE, direction: ASC }) { nodes { title space { name } tags { name } } } }`;
const CREATE = `mutation ($input: CreateLinkInput!) { createLink(input: $input) { ... on Link { title url } } }`;
const CREATE_ALL = `mutation ($inputs: [CreateLinkInput!]!) { createLinks(inputs: $inputs) { ... on Link { title } } }`;
const NUMBERS = `query ($ids: [ID!]!, $isOn: Boolean = false, $by: LinkOrderField = ID) {
  nodes(nodeIds: $ids) { nodeId } viewer { role @include(if: $isOn) } links(orderBy: { field: $by }) { nodes { id } } }`;

describe('run', () => {
  test('prints a table, or the data as JSON', async () => {
    await save('list', LIST);
    await lsp(['tags', 'create', 'x']);
    await lsp(['links', 'create', 'https://example.com/', '--title', 'b', '--tag', 'x']);
    await owner.link({ title: 'a' });
    const { code, stdout } = await lsp(['run', 'list', '--first', '5']);
    expect([code, stdout]).toEqual([0, 'TITLE  SPACE  TAGS\na      –      –\nb      –      x\n']);
    const { stdout: json } = await lsp(['run', 'list', '--var', 'first=1', '--json']);
    expect(JSON.parse(json)).toEqual({ nodes: [{ title: 'a', space: null, tags: [] }] });
  });

  test('takes fields of objects, objects in JSON, and a file', async () => {
    await save('list', LIST);
    for (const title of ['a', 'b']) await owner.link({ title });
    const found = { nodes: [expect.objectContaining({ title: 'b' })] };
    for (const args of [
      ['--filter.search', 'b', '--filter.searchBy=title'],
      ['--var', 'filter={"search":"b","searchBy":"TITLE"}'],
      ['--variables', fileWith('{"filter":{"search":"b","searchBy":"TITLE"}}', 'variables.json')],
    ]) {
      const { code, stdout } = await lsp(['run', 'list', ...args, '--json']);
      expect([code, JSON.parse(stdout)]).toEqual([0, found]);
    }
  });

  test('takes lists of one, of several and of none, booleans and enums', async () => {
    await save('numbers', NUMBERS);
    await save('node-id', 'query ($id: ID!) { link(id: $id) { nodeId } }');
    const nodeId = async () => {
      const { id } = await owner.link({});
      return JSON.parse((await lsp(['run', 'node-id', '--id', String(id), '--json'])).stdout).nodeId;
    };
    const [one, two] = [await nodeId(), await nodeId()];
    const nodesOf = async (...args: string[]) => {
      const { code, stdout, stderr } = await lsp(['run', 'numbers', ...args, '--json']);
      expect([code, stderr]).toEqual([0, '']);
      return JSON.parse(stdout);
    };
    expect((await nodesOf('--ids', one)).nodes).toHaveLength(1);
    expect((await nodesOf('--ids', one, '--ids', two)).nodes).toHaveLength(2);
    expect((await nodesOf('--ids', '[]', '--isOn', 'true', '--by', 'title')).viewer).toHaveProperty('role');
  });

  test('takes a text in JSON for a text, if the variable is one', async () => {
    await save(
      'make',
      `mutation ($title: String!, $tags: [ID!]) { createLink(input: { url: "https://example.com/", title: $title, tagIds: $tags }) {
        ... on Link { title tags { name } } } }`,
    );
    await lsp(['tags', 'create', 'x']);
    const { id } = await server.database.prisma.tag.findFirstOrThrow();
    for (const title of ['[1]', '{"a":1}', '[]']) {
      const { code, stdout } = await lsp(['run', 'make', '--title', title, '--tags', `["${id}"]`, '--json']);
      expect([code, JSON.parse(stdout)]).toEqual([0, { title, tags: [{ name: 'x' }] }]);
    }
  });

  test('runs mutations, and tells refusals by the names of variables', async () => {
    await save('create', CREATE);
    const made = await lsp([
      'run',
      'create',
      '--input.url',
      'https://example.com/',
      '--input.title',
      '[x] y',
    ]);
    expect([made.code, made.stdout]).toEqual([0, 'title  [x] y\nurl    https://example.com/\n']);
    const refused = await lsp(['run', 'create', '--input.url', 'no']);
    expect([refused.code, refused.stderr]).toEqual([
      3,
      expect.stringMatching(/^lsp: The input\.url field .+\.\n$/),
    ]);
    const unknown = await lsp(['run', 'create', '--input.url', 'https://example.com/', '--inptu', 'x']);
    expect([unknown.code, unknown.stderr]).toEqual([3, 'lsp: The inptu field is not known.\n']);
    expect((await lsp(['run', 'create'])).stderr).toBe('lsp: The input field is required.\n');
  });

  test('prints what was done, and exits as the first failure says', async () => {
    await save('create-all', CREATE_ALL);
    const { code, stdout, stderr } = await lsp([
      ...[
        'run',
        'create-all',
        '--inputs',
        '{"url":"https://example.com/","title":"a"}',
        '--inputs',
        '{"url":"no"}',
      ],
    ]);
    expect(code).toBe(3);
    expect(stdout).toMatch(/^TITLE +ERROR\.CODE/);
    expect(stderr).toMatch(/^lsp: Not everything was done\./);
  });

  test('says that a mutation was done whose record cannot be read', async () => {
    await save(
      'make',
      `mutation ($url: String!, $from: Date) { createLink(input: { url: $url }) {
        ... on Link { id statistics(from: $from) { clicks } } } }`,
    );
    const { code, stderr } = await lsp([
      'run',
      'make',
      '--url',
      'https://example.com/',
      '--from',
      '9999-01-01',
    ]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^lsp: This was done, but it cannot be read: /),
    ]);
  });

  test('exits with the documented codes', async () => {
    await save('one', 'query ($id: ID!) { link(id: $id) { title } }');
    await save('create', CREATE);
    const reader = await cliFor(server, 'owner', ['read']);
    expect(await lsp(['run', 'none'])).toMatchObject({
      code: 4,
      stderr: 'lsp: There is no operation "none".\n',
    });
    expect(await lsp(['run', 'one', '--id', '99999'])).toMatchObject({
      code: 4,
      stderr: 'lsp: Resource not found.\n',
    });
    expect((await reader(['run', 'create', '--input.url', 'https://example.com/'])).code).toBe(5);
    expect((await lsp(['run', 'one', '--id'])).code).toBe(64);
    expect((await lsp(['run', 'one', '-i', '1'])).code).toBe(64);
    expect((await lsp(['run', 'one', '--var', 'id'])).code).toBe(64);
    expect((await lsp(['run', 'one', '--var', 'input={"a":null}'])).code).toBe(64);
    expect((await lsp(['run', 'one', '--id', '1', '--variables', 'x'])).code).toBe(64);
  });

  test('does a mutation once with a key', async () => {
    await save('create', CREATE);
    const args = ['run', 'create', '--input.url', 'https://example.com/', '--idempotency-key', 'k', '--json'];
    const [first, second] = [await lsp(args), await lsp(args)];
    expect(second.stdout).toBe(first.stdout);
    expect(JSON.parse((await lsp(['links', 'list', '--json'])).stdout)).toHaveLength(1);
  });
});

test('operations are created, listed, shown, changed and deleted', async () => {
  await save('list', LIST, '--description', 'Lists links.');
  const listed = await lsp(['operations', 'list']);
  expect(listed.stdout).toContain('list  query  first: Int = 10, filter: LinkFilter  Lists links.  ok');
  const shown = await lsp(['operations', 'show', 'list']);
  expect(shown.stdout).toMatch(/^name +list\n[\s\S]*tool +no\n[\s\S]*\n\nquery \(\$first/);
  const changed = await lsp([
    'operations',
    'edit',
    'list',
    '--name',
    'all',
    '--description',
    '',
    '--tool',
    '--json',
  ]);
  const { updatedAt, ...record } = JSON.parse(changed.stdout);
  expect(record).toMatchObject({ name: 'all', description: null, isTool: true, revision: 2 });
  const late = await lsp([
    'operations',
    'edit',
    'all',
    '--no-tool',
    '--if-updated-at',
    '2026-01-01T00:00:00Z',
  ]);
  expect(late.code).toBe(6);
  expect((await lsp(['operations', 'create', 'all', fileWith(LIST)])).code).toBe(3);
  expect((await lsp(['operations', 'create', 'bad', fileWith('{ nothing }')])).stderr).toMatch(
    /^lsp: document /,
  );
  expect((await lsp(['operations', 'edit', 'all'])).code).toBe(64);
  expect((await lsp(['operations', 'delete', 'all'])).code).toBe(64);
  expect((await lsp(['operations', 'delete', 'all', '--yes'])).code).toBe(0);
  expect((await lsp(['operations', 'show', 'all'])).code).toBe(4);
  expect(updatedAt).toEqual(expect.any(String));
});

const HISTORY = `query ($first: Int!) { history: changes(first: $first) { nodes {
  __typename action record { __typename ...On } } } } fragment On on Node { id: nodeId ... on Link { title } ... on Space { color } }`;

describe('generate', () => {
  const out = join(folder, 'operations.ts');

  test('writes functions that TypeScript accepts, and that run', async () => {
    await save('list', LIST, '--description', 'Lists links.');
    await save('create', CREATE);
    await save('create-all', CREATE_ALL);
    await save(
      'delete',
      'mutation ($id: ID!) { deleteLink(id: $id) { __typename ... on DeletedRecord { id } } }',
    );
    await save('role', '{ viewer { role } }');
    await save('find', FIND);
    const { code, stdout, stderr } = await lsp(['generate', '--out', out]);
    expect([code, stderr, stdout]).toEqual([0, '', `Wrote 6 functions to ${out}.\n`]);
    const text = readFileSync(out, 'utf8');
    // Without the types of the schema, which grow.
    expect(text.slice(text.indexOf('export interface CreateVariables'))).toMatchSnapshot();
    await lsp(['generate', '--out', out]);
    expect(readFileSync(out, 'utf8')).toBe(text);
    await save('history', HISTORY);
    await lsp(['generate', '--out', out]);
    writeFileSync(join(folder, 'use.ts'), USE);
    compile();
    const client = createClient({ url: server.origin, key: lsp.key });
    const module: object = await import(out);
    const call = (name: string, ...args: unknown[]): unknown => Reflect.get(module, name)(client, ...args);
    expect(await call('create', { input: { url: 'https://example.com/', title: 'a' } })).toEqual({
      createLink: { title: 'a', url: 'https://example.com/' },
    });
    expect(await call('list')).toEqual({ links: { nodes: [{ title: 'a', space: null, tags: [] }] } });
  });

  test('pins documents by their hashes', async () => {
    await save('role', '{ viewer { role } }');
    await lsp(['generate', '--out', out, '--pinned']);
    expect(readFileSync(out, 'utf8')).toMatch(/documentId: 'sha256:[0-9a-f]{64}'/);
  });

  test('reads the schema from a file, too', async () => {
    await save('role', '{ viewer { role } }');
    await lsp(['generate', '--out', out]);
    const text = readFileSync(out, 'utf8');
    expect((await lsp(['generate', '--out', out, '--schema', 'schema.graphql'])).code).toBe(0);
    expect(readFileSync(out, 'utf8')).toBe(text);
    expect((await lsp(['generate', '--out', out, '--schema', fileWith('type')])).code).toBe(3);
    expect((await lsp(['generate'])).code).toBe(64);
  });
});

/** A program over the functions: wrong variables are errors, and answers have their types. */
const USE = `import { createClient } from '@linkspace/client';
import { create, createAll, delete$ as remove, find, history, list, role } from './operations.ts';
const client = createClient({ url: '' });
const { createLink } = await create(client, { input: { url: 'https://example.com/' } });
const title: string | null | undefined = createLink.title;
const { createLinks } = await createAll(client, { inputs: [{ url: '' }] });
const titles: (string | null | undefined)[] = createLinks.map((one) => one.title);
const { deleteLink } = await remove(client, { id: '1' }, { idempotencyKey: 'k' });
const id: string | null = deleteLink.__typename === 'DeletedRecord' ? deleteLink.id : null;
const names: (string | undefined)[] = (await list(client)).links.nodes.map(({ space }) => space?.name);
const record = (await history(client, { first: 1 })).history.nodes[0]?.record;
const color: number | null = record?.__typename === 'Space' ? record.color : null;
const { byId } = await find(client, { ids: ['1'], filter: { searchBy: 'TITLE' } });
const given: string | undefined = byId?.[0]?.nodeId;
const { viewer } = await role(client);
// @ts-expect-error: the variable is required
await create(client, {});
// @ts-expect-error: no such value
await find(client, { ids: [], filter: { searchBy: 'COLOUR' } });
// @ts-expect-error: no such field
viewer.account;
console.log(title, titles, id, names, color, given);
`;

function compile(): void {
  const options = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    noUnusedLocals: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    target: 'es2024',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2024', 'dom', 'dom.iterable', 'esnext.disposable'],
    types: [],
    paths: { '@linkspace/client': [resolve('packages/client/src/index.ts')] },
  };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, files: ['use.ts'] }),
  );
  // The second one is an older TypeScript, which npm ci installs.
  const tools = ['node_modules', 'test/typed-client/node_modules'].map((at) =>
    resolve(at, 'typescript/bin/tsc'),
  );
  for (const tool of tools.filter((one) => existsSync(one))) expect(execTool(tool)).toBe('');
}

function execTool(script: string): string {
  try {
    return execFileSync(process.execPath, [script, '-p', folder], { encoding: 'utf8' });
  } catch (error) {
    return typeof error === 'object' && error !== null && 'stdout' in error
      ? String(error.stdout)
      : String(error);
  }
}
