import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeKeyCaller } from '../../src/domain/access/key-caller.ts';
import { KeyedWrite } from '../../src/engine/db/idempotent-write.ts';
import { errorCodes } from '../../src/engine/rules/errors.ts';
import type { Caller } from '../../src/testing/caller.ts';
import { startTestServer, type TestServer } from '../../src/testing/server.ts';

const guide = readFileSync('docs/graphql.md', 'utf8');
const section = guide.slice(guide.indexOf('\n## Errors\n'), guide.indexOf('\n## Limits\n'));
/** The guide's table: codes with their HTTP statuses, "CODE 400". */
const documented = [...section.matchAll(/^\| `([A-Z_]+)` +\| (\d{3}) +\| \S/gm)].map(
  ([, code, status]) => `${code} ${status}`,
);

const trusted = new Map([['account', '{ viewer { account { name } } }']]);
const VIEWER = '{ viewer { account { name } } }';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
});
afterAll(() => server.stop());

/** Sends a request that accepts GraphQL's own media type, and returns the codes and the status. */
async function ask(caller: Caller, body: unknown, init: RequestInit = {}, path = '/graphql') {
  const { headers, ...rest } = init;
  const response = await caller.fetch(path, {
    method: 'POST',
    ...(rest.method !== 'GET' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...rest,
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/graphql-response+json',
      ...headers,
    },
  });
  const { errors } = (await response.json()) as { errors?: { extensions?: { code?: string } }[] };
  return (errors ?? []).map(({ extensions }) => `${extensions?.code} ${response.status}`);
}

/** Runs on its own server, which it may break or limit. */
async function onServer(
  options: Parameters<typeof startTestServer>[0],
  work: (caller: Caller, own: TestServer) => Promise<string[]>,
): Promise<string[]> {
  const own = await startTestServer(options);
  try {
    return await work(await own.caller(), own);
  } finally {
    await own.stop();
  }
}

const get = (query: string) =>
  ask(owner, null, { method: 'GET' }, `/graphql?query=${encodeURIComponent(query)}`);
const mutation = 'mutation { createSpace(input: { name: "Launch" }) { __typename } }';

const requests: Record<string, () => Promise<string[]>> = {
  'no key': () => ask(server.callerWith('nonsense'), { query: VIEWER }),
  'a key that may not write': async () => ask(await server.caller('owner', ['read']), { query: mutation }),
  'too many requests': () =>
    onServer({ rateLimit: 1 }, async (caller) => {
      await caller.data(VIEWER);
      return ask(caller, { query: VIEWER });
    }),
  'an answer that cannot be sent': () => ask(owner, { query: VIEWER }, { headers: { Accept: 'text/html' } }),
  'a wrong argument': () => ask(owner, { query: '{ links(first: 1000) { totalCount } }' }),
  'a cursor that the log of changes did not give': () => {
    const cursor = Buffer.from('["Change","tx",0,2000000000]').toString('base64url');
    return ask(owner, { query: `{ changes(after: "${cursor}") { totalCount } }` });
  },
  'too many fields': () => ask(owner, { query: `{ ${'viewer { account { name } } '.repeat(700)} }` }),
  'too many tokens': () => ask(owner, { query: `{ ${'__typename '.repeat(11_000)} }` }),
  'too many aliases': () =>
    ask(owner, { query: `{ ${Array.from({ length: 201 }, (_, i) => `a${i}: __typename`).join(' ')} }` }),
  'an unknown document': () => onServer({ trusted }, (caller) => ask(caller, { documentId: 'other' })),
  'a document that nobody has saved': () => ask(owner, { documentId: 'other' }),
  'a saved operation that this version cannot run': () =>
    onServer({}, async (caller, { database, clock: { now } }) => {
      const { accountId } = await database.prisma.apiKey.findFirstOrThrow();
      const saved = { name: 'old', document: '{ nothing }', hash: 'of nothing' };
      const at = { createdAt: now, updatedAt: now };
      await database.prisma.savedOperation.create({ data: { accountId, ...saved, ...at } });
      return ask(caller, { documentId: 'old' });
    }),
  'a query where documents are trusted': () =>
    onServer({ trusted }, (caller) => ask(caller, { query: VIEWER })),
  'a trusted document beside a query': () =>
    onServer({ trusted }, (caller) => ask(caller, { documentId: 'account', query: VIEWER })),
  'no document where documents are trusted': () => onServer({ trusted }, (caller) => ask(caller, {})),
  'broken syntax': () => ask(owner, { query: '{' }),
  'an unknown field': () => ask(owner, { query: '{ nothing }' }),
  'two operations': () => ask(owner, { query: 'query A { __typename } query B { __typename }' }),
  'a subscription whose root field is left out': () =>
    ask(owner, { query: 'subscription { changes @skip(if: true) { id } }' }),
  'an unknown operation': () => ask(owner, { query: 'query A { __typename }', operationName: 'B' }),
  'only a hash': () => ask(owner, { extensions: { persistedQuery: { version: 1, sha256Hash: 'unknown' } } }),
  'no operation': () => ask(owner, { query: 'fragment A on Query { __typename }' }),
  'broken JSON': () => ask(owner, '{'),
  'no query': () => ask(owner, {}),
  'a batch': () => ask(owner, [{ query: VIEWER }]),
  'an unknown parameter': () => ask(owner, { query: VIEWER, documentId: 'account' }),
  'a missing variable': () => ask(owner, { query: 'query ($id: ID!) { link(id: $id) { id } }' }),
  'a wrong variable': () =>
    ask(owner, {
      query: 'query ($status: LinkStatus) { links(filter: { status: $status }) { totalCount } }',
      variables: { status: 'GONE' },
    }),
  'an empty Idempotency-Key': () => ask(owner, { query: mutation }, { headers: { 'Idempotency-Key': '' } }),
  'an Idempotency-Key of another request': async () => {
    const headers = { 'Idempotency-Key': 'once' };
    await ask(owner, { query: mutation }, { headers });
    return ask(owner, { query: mutation, variables: { other: 1 } }, { headers });
  },
  'an Idempotency-Key whose first request is running': () =>
    onServer({}, async (caller, { database, clock }) => {
      const first = new KeyedWrite(database, makeKeyCaller({ accountId: 1 }), 'at once', clock.now);
      await first.begin('a request');
      return ask(caller, { query: mutation }, { headers: { 'Idempotency-Key': 'at once' } });
    }),
  'another method': () => ask(owner, { query: VIEWER }, { method: 'PUT' }),
  'a mutation by GET': () => get(mutation),
  'another type': () => ask(owner, 'query', { headers: { 'Content-Type': 'text/plain' } }),
  'a large body': () => ask(owner, { query: VIEWER, variables: { text: 'x'.repeat(2 ** 21) } }),
  'a database that takes no writes': () =>
    onServer({}, async (caller, own) => {
      await own.database.prisma.$executeRawUnsafe('PRAGMA query_only = ON');
      return ask(caller, { query: mutation });
    }),
  'a fault of ours': () =>
    onServer({}, async (caller, own) => {
      await caller.data('{ spaces { totalCount } }');
      await own.database.prisma.$executeRawUnsafe('ALTER TABLE "Space" RENAME TO "Lost"');
      return ask(caller, { query: '{ spaces { edges { node { id } } } }' });
    }),
};

const met = new Set<string>();

test.each(Object.entries(requests))('%s gets the code that the guide lists', async (_what, request) => {
  const found = await request();
  expect(found).not.toEqual([]);
  for (const one of found) {
    expect(documented).toContain(one);
    met.add(one);
  }
});

test('every code in the guide is the answer to a request', () => {
  expect([...met].sort()).toEqual([...documented].sort());
});

/** The guide's codes in the data. */
const inData = [...(/^\*\*In the data\*\*.*$/m.exec(section)?.[0] ?? '').matchAll(/`([A-Z_]+)`/g)].map(
  ([, code]) => code ?? '',
);

test('results of mutations have the codes in the guide', async () => {
  const domain = await owner.domain('go.example');
  await owner.link({ domain_id: domain });
  const results = await owner.data<Record<string, { code: string }>>(`mutation {
    createLink(input: { url: "nowhere" }) { ... on Error { code } }
    deleteLink(id: "999") { ... on Error { code } }
    deleteDomain(id: "${domain}") { ... on Error { code } }
    updateLink(id: "1", input: {}, ifUpdatedAt: "2020-01-01T00:00:00Z") { ... on Error { code } }
  }`);
  expect(Object.values(results).map(({ code }) => code)).toEqual(inData);
});

/** The codes in the JavaScript or TypeScript of a folder. */
function codesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.d)\.[jt]s$/.test(entry.name) && !/graphiql/.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .flatMap((text) => [...text.matchAll(/(?:code: |\['code'\] \|\|= |\.code \|\|= )'([A-Z_]+)'/g)])
    .map(([, code]) => code ?? '');
}

/** Codes of the libraries that are never in an answer, and why. */
const unmet: Record<string, string> = {
  GONE: 'is only for paths below /auth/',
  PERSISTED_QUERY_NOT_IN_LIST: 'is UNTRUSTED_DOCUMENT',
  PERSISTED_QUERY_ID_REQUIRED: 'is UNTRUSTED_DOCUMENT',
  CANNOT_SEND_PQ_ID_AND_BODY: 'is UNTRUSTED_DOCUMENT',
  INTERNAL_SERVER_ERROR: 'would be a fault outside of the execution, of which none is known',
};

test('the guide lists every code of the program and its libraries', () => {
  const listed = documented.map((one) => one.split(' ')[0]);
  const known = new Set([...listed, ...inData]);
  const modules = ['graphql-yoga', '@graphql-yoga/plugin-persisted-operations', '@graphql-tools/executor'];
  const libraries = modules.flatMap((name) => codesIn(`node_modules/${name}/esm`));
  const source = ['src/schema', 'src/engine/graphql', 'src/engine/http'].flatMap(codesIn);
  // Makes sure that the pattern still finds codes.
  expect(libraries).toContain('OPERATION_RESOLUTION_FAILURE');
  expect(libraries).toContain('GRAPHQL_VALIDATION_FAILED');
  expect(source).toContain('TOO_COSTLY');
  const all = new Set([...Object.keys(errorCodes), ...source, ...libraries]);
  expect([...all].filter((code) => !known.has(code) && !(code in unmet))).toEqual([]);
  expect([...known].filter((code) => !all.has(code ?? ''))).toEqual([]);
});
