import { type IncomingMessage, request, ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import Negotiator from 'negotiator';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { signedIn } from '../../support/person.ts';
import { type Caller, startTestServer, type TestServer } from '../../support/server.ts';
import { visit } from '../../support/visit.ts';

let server: TestServer;
let caller: Caller;
beforeAll(async () => {
  server = await startTestServer();
  caller = await server.caller();
});
afterAll(() => server.stop());
afterEach(() => vi.restoreAllMocks());

const QUERY = { method: 'POST', body: JSON.stringify({ query: '{ __typename }' }) };
const json = { 'Content-Type': 'application/json' };

/** Sends headers as they are, also several of one name. */
async function send(path: string, headers: Record<string, string | string[]>, body = ''): Promise<Answer> {
  const sent = request(`${server.origin}${path}`, { method: body ? 'POST' : 'GET', headers });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve).on('error', reject);
  });
  sent.end(body);
  const response = await answered;
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode, type: response.headers['content-type'], text };
}

interface Answer {
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly text: string;
}

const types = (length: number) => 'text/a,'.repeat(Math.ceil(length / 7)).slice(0, length);

test.each([
  ['one long header', types(30_000)],
  ['many short ones', Array.from({ length: 300 }, () => types(70))],
])(
  'counts an Accept of more than 1,000 characters as */*, and negotiates nothing else: %s',
  async (_, Accept) => {
    const negotiate = vi.spyOn(Negotiator.prototype, 'mediaTypes');
    const headers = { ...json, Authorization: `Bearer ${caller.key}`, Accept };
    const answer = await send('/graphql', headers, QUERY.body);
    expect(answer).toMatchObject({ status: 200, text: '{"data":{"__typename":"Query"}}' });
    // Also in answers that refuse: without a key, below /auth/, and where nothing is.
    expect((await send('/graphql', { ...json, Accept }, QUERY.body)).status).toBe(401);
    expect((await send('/graphql', { Accept })).status).toBe(401);
    await send('/docs/nothing', { Accept });
    expect(inspect(negotiate.mock.contexts, { depth: 3 })).not.toContain("accept: 'text/a");
  },
);

test('writes all headers of a simple GraphQL answer in one call: those that Yoga sets one by one', async () => {
  const limited = await startTestServer({ rateLimit: 100 });
  const other = await limited.caller();
  const set = vi.spyOn(ServerResponse.prototype, 'setHeader');
  const simple = await other.fetch('/graphql', { ...QUERY, headers: json });
  expect(set).not.toHaveBeenCalled();
  const byYoga = await other.fetch('/graphql?query={__typename}');
  expect(set).toHaveBeenCalled();
  const named = ({ headers }: Response) => [...headers.keys()].sort();
  expect(named(simple)).toEqual(expect.arrayContaining(['x-ratelimit-remaining', 'x-frame-options']));
  expect(named(simple)).toEqual(named(byYoga));
  const own = ['date', 'x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
  for (const name of named(simple))
    if (!own.includes(name)) expect(simple.headers.get(name)).toBe(byYoga.headers.get(name));
  await limited.stop();
});

test('negotiates each Accept once', async () => {
  const negotiate = vi.spyOn(Negotiator.prototype, 'mediaTypes');
  const Accept = `application/json, ${types(900)}`;
  const answer = await caller.fetch('/graphql', { ...QUERY, headers: { ...json, Accept } });
  expect([answer.status, negotiate.mock.calls.length]).toEqual([200, 1]);
});

test.each(['Origin', 'Sec-Fetch-Site'])('counts a longer %s as absent', async (name) => {
  const site = name === 'Origin' ? 'https://evil.example/' : 'cross-site';
  const forgot = (value: string) =>
    send('/auth/forgot', { ...json, [name]: value }, '{"email":"a@example.com"}');
  expect((await forgot(site)).status).toBe(403);
  expect((await forgot(site.padEnd(1_000, 'x'))).status).toBe(403);
  expect((await forgot(site.padEnd(1_001, 'x'))).status).toBe(202);
});

test('counts a longer Content-Type and Host as absent', async () => {
  const long = `application/json; ${'a'.repeat(1_000)}`;
  const Authorization = `Bearer ${caller.key}`;
  expect((await send('/graphql', { Authorization, 'Content-Type': long }, QUERY.body)).status).toBe(415);
  expect((await send('/api/v1/spaces', { Authorization, 'Content-Type': long }, '{"name":"a"}')).status).toBe(
    415,
  );
  expect((await send('/livez', { Host: 'a'.repeat(1_001) })).status).toBe(400);
});

test('cuts the headers of visitors, and counts the others as absent', async () => {
  const { alias } = await caller.link({
    url: 'https://example.com/',
    target_type: 2,
    'platform[0][key]': 'iOS',
    'platform[0][value]': 'https://ios.example/',
  });
  const to = async (headers: Record<string, string>) =>
    (await visit(server.origin, `/${alias}`, { headers })).location;
  expect(await to({ 'Sec-CH-UA-Platform': '"iOS"' })).toBe('https://ios.example/');
  expect(await to({ 'Sec-CH-UA-Platform': `"iOS"${'"'.repeat(1_000)}` })).toBe('https://example.com/');
  const phone =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';
  expect(await to({ 'User-Agent': `${phone} ${'x'.repeat(3_000)}` })).toBe('https://ios.example/');
  expect(await to({ 'User-Agent': `${'x'.repeat(1_000)} ${phone}` })).toBe('https://example.com/');
});

test('refuses an Idempotency-Key and an X-Account of more than 255 characters, however long', async () => {
  const mutation = JSON.stringify({
    query: 'mutation { createSpace(input: { name: "Long" }) { __typename } }',
  });
  const person = await signedIn(server, 1, 'OWNER');
  for (const length of [256, 1_001, 20_000]) {
    const long = 'x'.repeat(length);
    const key = { 'Idempotency-Key': long };
    const graphql = await caller.fetch('/graphql', {
      method: 'POST',
      body: mutation,
      headers: { ...json, ...key },
    });
    expect(graphql.status).toBe(400);
    expect(await graphql.json()).toMatchObject({
      errors: [{ extensions: { code: 'VALIDATION', fields: [{ path: ['Idempotency-Key'] }] } }],
    });
    const rest = await caller.fetch('/api/v1/spaces', {
      method: 'POST',
      body: '{"name":"Long"}',
      headers: { ...json, ...key },
    });
    expect([rest.status, await rest.json()]).toMatchObject([
      422,
      { errors: { 'Idempotency-Key': [expect.any(String)] } },
    ]);
    const account = { 'X-Account': long };
    for (const path of ['/graphql?query={__typename}', '/api/v1/spaces'])
      expect((await caller.fetch(path, { headers: { Accept: 'application/json', ...account } })).status).toBe(
        path.startsWith('/api') ? 422 : 400,
      );
    expect((await person.graphql('{ viewer { role } }', {}, account)).errors).toMatchObject([
      { extensions: { code: 'VALIDATION' } },
    ]);
    expect(await person.auth('session', undefined, account)).toMatchObject({
      status: 422,
      body: { error: { code: 'VALIDATION', field: 'X-Account' } },
    });
  }
  expect(await caller.data('{ spaces(filter: { search: "Long" }) { totalCount } }')).toEqual({
    spaces: { totalCount: 0 },
  });
});
