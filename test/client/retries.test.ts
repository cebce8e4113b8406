import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  type ClientOptions,
  createClient,
  LinkspaceError,
  SecretLost,
} from '../../packages/client/src/index.ts';
import { signedIn } from '../support/person.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';
import { type Fate, fetchWith, refusedConnection, timeWithoutWaiting } from './support.ts';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
});
afterAll(() => server.stop());

/** A client that waits for no real time, and whose requests have these fates. */
function clientWith(fates: Fate[], options: Partial<ClientOptions> = {}) {
  const timing = timeWithoutWaiting();
  const { fetch, sent } = fetchWith(...fates);
  const client = createClient({ url: server.origin, key: owner.key, fetch, timing, ...options });
  const keys = () => sent.map(({ headers }) => headers.get('Idempotency-Key'));
  return { client, timing, sent, keys };
}

async function errorOf(call: Promise<unknown>): Promise<LinkspaceError> {
  const error: unknown = await call.then(
    () => expect.fail('it did not fail'),
    (failure: unknown) => failure,
  );
  return error instanceof LinkspaceError ? error : expect.fail(`it is no LinkspaceError: ${error}`);
}

const countLinks = () => server.database.prisma.link.count();
const url = 'https://example.com/';
const running = {
  status: 409,
  body: '{"errors":[{"message":"It runs.","extensions":{"code":"IDEMPOTENCY_RUNNING"}}]}',
};

test('an attempt that may be repeated ends when no answer comes', async () => {
  const limits: number[] = [];
  const timing = {
    ...timeWithoutWaiting(),
    timeout(milliseconds: number) {
      limits.push(milliseconds);
      // Only the first attempt takes too long.
      return limits.length === 1 ? AbortSignal.abort() : new AbortController().signal;
    },
  };
  const client = createClient({ url: server.origin, key: owner.key, timing });
  expect(await client.spaces().totalCount()).toBe(0);
  expect(limits).toEqual([20_000, 20_000]);
  expect((await client.createSpace({ name: 'Bounded' })).name).toBe('Bounded');
  await client.request('mutation { createSpace(input: { name: "Not bounded" }) { __typename } }');
  expect(limits.slice(2)).toEqual([40_000, 40_000]);
});

test.each([
  ['a header', { key: 'ключ' }],
  ['the address', { url: 'nowhere' }],
])('tells a mistake in %s at once', async (_what, options) => {
  const { client, sent } = clientWith([], { ...options, fetch: globalThis.fetch });
  await expect(client.createSpace({ name: 'Never' })).rejects.toBeInstanceOf(TypeError);
  expect(sent).toEqual([]);
});

test.each<[string, Fate]>([
  ['is lost on the way back', 'is lost'],
  ['breaks on the way', new TypeError('fetch failed')],
  ['finds no service', refusedConnection()],
  ['is still being executed', running],
  ['comes too soon', { status: 429 }],
  ['finds a proxy without the service', { status: 502, body: '<html>' }],
  ['finds the service stopping', { status: 503 }],
  ['takes a proxy too long', { status: 504 }],
])('a write of one record is done once if it %s', async (_what, fate) => {
  const before = await countLinks();
  const { client, keys, timing } = clientWith([fate, fate]);
  const link = await client.createLink({ url });
  expect(link.url).toBe(url);
  expect(await countLinks()).toBe(before + 1);
  const [key] = keys();
  expect(key).toMatch(/^[0-9a-f]{32}$/);
  expect(keys()).toEqual([key, key, key]);
  // Longer each time, at least half of the pause.
  expect(timing.pauses).toEqual([500, 1_500]);
});

test('each write has a key of its own, or the one that is given', async () => {
  const { client, keys } = clientWith([]);
  const first = await client.createLink({ url });
  await client.createLink({ url });
  const [one, other] = keys();
  expect(one).not.toBe(other);
  const mine = { idempotencyKey: `mine ${first.id}` };
  const made = await client.createLink({ url }, mine);
  expect(await client.createLink({ url }, mine)).toEqual(made);
  expect(keys().slice(2)).toEqual([mine.idempotencyKey, mine.idempotencyKey]);
  await client.createLink({ url }, { idempotencyKey: false });
  expect(keys()[4]).toBeNull();
});

test('batches, imports, secrets and requests of one’s own have a key only if asked', async () => {
  const { client, keys } = clientWith([]);
  const write = 'mutation ($name: String!) { createTag(input: { name: $name }) { __typename } }';
  const calls = [
    (idempotencyKey?: boolean) => client.createLinks([{ url }], { idempotencyKey }),
    (idempotencyKey?: boolean) => client.updateLinks([], { idempotencyKey }),
    (idempotencyKey?: boolean) => client.deleteLinks(['999999'], { idempotencyKey }),
    (idempotencyKey?: boolean) =>
      client.importLinks({ text: url, format: 'LINES', dryRun: true }, { idempotencyKey }),
    (idempotencyKey?: boolean) =>
      client.createWebhook({ url: 'https://hook.example/', events: ['LINK_CREATED'] }, { idempotencyKey }),
    (idempotencyKey?: boolean) =>
      client.request(write, { name: `tag ${idempotencyKey}` }, { idempotencyKey }),
  ];
  for (const call of calls) {
    await call();
    expect(keys().pop()).toBeNull();
    await call(true);
    expect(keys().pop()).toMatch(/^[0-9a-f]{32}$/);
  }
  const { client: reader, keys: ofReads } = clientWith([]);
  await reader.request('{ __typename }', {}, { idempotencyKey: true });
  await reader.getLink('1');
  expect(ofReads()).toEqual([null, null]);
});

test.each<[string, Fate]>([
  ['is lost', 'is lost'],
  ['finds no service', refusedConnection()],
  ['comes too soon', { status: 429 }],
  ['finds a proxy without the service', { status: 502 }],
  ['is refused for a while', { status: 503, headers: { 'Retry-After': '1' } }],
])('a read is repeated if it %s', async (_what, fate) => {
  const { client, sent } = clientWith([fate, fate, fate]);
  expect(await client.domains().totalCount()).toBe(1);
  expect(sent).toHaveLength(4);
});

test('it is repeated three times, and then throws what happened last', async () => {
  const { client, sent, timing } = clientWith(Array<Fate>(9).fill({ status: 502 }));
  const error = await errorOf(client.domains().totalCount());
  expect(error).toMatchObject({ code: 'UNAVAILABLE', isUnknown: false });
  expect(sent).toHaveLength(4);
  expect(timing.pauses).toEqual([500, 1_500, 4_500]);
});

test('pauses differ between clients', async () => {
  const { client, timing } = clientWith([{ status: 502 }], {});
  const other = { ...timeWithoutWaiting(), random: () => 0.5 };
  const { client: late } = clientWith([{ status: 502 }], { timing: other });
  await client.domains().totalCount();
  await late.domains().totalCount();
  expect([...timing.pauses, ...other.pauses]).toEqual([500, 750]);
});

test('it waits as long as the service asks, at most 30 s in all', async () => {
  const busy = (seconds: string): Fate => ({ status: 429, headers: { 'Retry-After': seconds } });
  const { client, timing } = clientWith([busy('20'), busy('9')]);
  await client.domains().totalCount();
  expect(timing.pauses).toEqual([20_000, 9_000]);
  const { client: long, timing: none, sent } = clientWith([busy('31')]);
  const error = await errorOf(long.domains().totalCount());
  expect(error).toMatchObject({ code: 'RATE_LIMITED', retryAfter: 31 });
  expect([none.pauses, sent.length]).toEqual([[], 1]);
  const { client: twice, timing: once } = clientWith([busy('20'), busy('20')]);
  expect(await errorOf(twice.createLink({ url }))).toMatchObject({ retryAfter: 20, isUnknown: false });
  expect(once.pauses).toEqual([20_000]);
  const date = new Date(5_000).toUTCString();
  const { client: dated, timing: until } = clientWith([busy(date)]);
  await dated.domains().totalCount();
  expect(until.pauses).toEqual([5_000]);
});

test.each<[string, Fate, string]>([
  ['is lost', 'is lost', 'NETWORK'],
  ['breaks', new TypeError('fetch failed'), 'NETWORK'],
  ['finds a proxy without the service', { status: 502 }, 'UNAVAILABLE'],
  ['finds the service stopping', { status: 503, headers: { 'Retry-After': '1' } }, 'UNAVAILABLE'],
  ['takes a proxy too long', { status: 504 }, 'UNAVAILABLE'],
  ['fails', { status: 500, body: 'oops' }, 'UNEXPECTED'],
  ['gets a page in place of an answer', { status: 200, body: '<html>' }, 'UNEXPECTED'],
])(
  'a write without a key that %s is not repeated, and says that its result is unknown',
  async (_what, fate, code) => {
    const { client, sent } = clientWith([fate]);
    const error = await errorOf(client.createLinks([{ url }]));
    expect(error).toMatchObject({ code, isUnknown: true });
    expect(sent).toHaveLength(1);
  },
);

test.each<[string, Fate]>([
  ['is refused by a limit', { status: 429 }],
  ['finds no service', refusedConnection()],
  [
    'finds no service at several addresses',
    new TypeError('fetch failed', {
      cause: new AggregateError([refusedConnection().cause, refusedConnection().cause]),
    }),
  ],
])('a write without a key that %s is repeated', async (_what, fate) => {
  const before = await countLinks();
  const { client, sent } = clientWith([fate]);
  await client.createLinks([{ url }]);
  expect(sent).toHaveLength(2);
  expect(await countLinks()).toBe(before + 1);
});

test('a write without a key is not repeated if only some addresses refused the connection', async () => {
  const some = [refusedConnection().cause, Object.assign(new Error('lost'), { code: 'ECONNRESET' })];
  const { client, sent } = clientWith([new TypeError('fetch failed', { cause: new AggregateError(some) })]);
  expect(await errorOf(client.createLinks([{ url }]))).toMatchObject({ code: 'NETWORK', isUnknown: true });
  expect(sent).toHaveLength(1);
});

test('a refusal by the service is known, whether or not there is a key', async () => {
  for (const idempotencyKey of [true, false]) {
    const { client } = clientWith([]);
    const call = client.request(
      'mutation { createTag(input: { name: 7 }) { __typename } }',
      {},
      { idempotencyKey },
    );
    expect(await errorOf(call)).toMatchObject({ code: 'GRAPHQL_VALIDATION_FAILED', isUnknown: false });
  }
});

test('the result stays unknown if only the first attempt reached the service', async () => {
  const { client } = clientWith(['is lost', refusedConnection(), refusedConnection(), refusedConnection()]);
  const error = await errorOf(client.createLink({ url }));
  expect(error).toMatchObject({ code: 'NETWORK', isUnknown: true });
  expect(error.cause).toBeInstanceOf(TypeError);
  const { client: other } = clientWith(Array<Fate>(4).fill(refusedConnection()));
  expect(await errorOf(other.createLink({ url }))).toMatchObject({ code: 'NETWORK', isUnknown: false });
});

test('an abort ends the pause before another attempt', async () => {
  const abort = new AbortController();
  const reason = new Error('enough');
  const timing = timeWithoutWaiting();
  const waiting = {
    ...timing,
    wait: (milliseconds: number, signal: AbortSignal) => {
      abort.abort(reason);
      return timing.wait(milliseconds, signal);
    },
  };
  const { client, sent } = clientWith([{ status: 503 }], { timing: waiting });
  await expect(client.getLink('1', { signal: abort.signal })).rejects.toBe(reason);
  expect(sent).toHaveLength(1);
});

test('a secret whose answer was lost is lost, and the record is known', async () => {
  const { client } = clientWith(['is lost']);
  const hook = { url: 'https://hook.example/', events: ['LINK_CREATED' as const] };
  const error = await errorOf(client.createWebhook(hook, { idempotencyKey: true }));
  expect(error).toBeInstanceOf(SecretLost);
  expect(error).toMatchObject({
    code: 'SECRET_LOST',
    result: { secret: '[shown once]', webhook: { url: hook.url } },
  });
  const { client: other } = clientWith(['is lost']);
  const text = `mutation { createWebhook(input: { url: "${hook.url}", events: [LINK_CREATED] }) { ... on CreatedWebhook { secret } } }`;
  expect(await errorOf(other.request(text, {}, { idempotencyKey: true }))).toBeInstanceOf(SecretLost);
  const { client: fine } = clientWith([]);
  expect((await fine.createWebhook(hook)).secret).toMatch(/^whsec_/);
});

test('a title of these words is no lost secret', async () => {
  const { client } = clientWith(['is lost']);
  expect(await client.createLink({ url, title: '[shown once]' })).toMatchObject({ title: '[shown once]' });
});

test('a key of this name is no lost secret, unless its answer was lost', async () => {
  const { id } = await server.database.prisma.account.findFirstOrThrow();
  const { cookie } = await signedIn(server, id, 'ADMIN');
  const headers = { Cookie: cookie ?? '', 'Sec-Fetch-Site': 'same-origin', 'X-Forwarded-Host': 's.example' };
  const input = { name: '[shown once]', role: 'EDITOR' as const };
  const asPerson = { key: undefined, headers };
  const { client } = clientWith([], asPerson);
  const made = await client.createApiKey(input, { idempotencyKey: true });
  expect([made.apiKey.name, made.key]).toEqual([input.name, expect.stringMatching(/^.{20,}$/)]);
  const { client: other } = clientWith(['is lost'], asPerson);
  expect(await errorOf(other.createApiKey(input, { idempotencyKey: true }))).toBeInstanceOf(SecretLost);
});

test('follows no redirect, which would turn the write into a read or send it twice', async () => {
  const before = await countLinks();
  const proxy = createServer((_req, res) => {
    res.writeHead(307, { Location: `${server.origin}/graphql` }).end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void proxy.close());
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  const { client } = clientWith([], { url: `http://127.0.0.1:${port}`, fetch: globalThis.fetch });
  expect(await errorOf(client.createLink({ url }))).toMatchObject({ code: 'NETWORK', isUnknown: true });
  expect(await countLinks()).toBe(before);
});
