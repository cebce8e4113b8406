import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type ChangeEvent,
  type Changes,
  type Client,
  createClient,
  LinkspaceError,
} from '../../packages/client/src/index.ts';
import { changeRetention } from '../../src/engine/changes/log.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';
import { timeThatStands } from './support.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ background: true });
});
afterAll(() => server.stop());

const DAY = 86_400_000;

let accounts = 0;

/** A client of a new account, whose requests a test may redirect and count. */
async function newClient() {
  const caller = await server.caller(`account ${++accounts}`);
  const timing = timeThatStands();
  const state = {
    /** Where the service is. */
    origin: server.origin,
    /** Answers a request in place of the service. */
    instead: (_isStream: boolean, _body: string): Response | Error | null => null,
    /** Cuts each open connection. */
    cut: () => {},
    connections: 0,
    reads: 0,
  };
  const send: typeof fetch = async (_input, init) => {
    const isStream = new Headers(init?.headers).get('Accept') === 'text/event-stream';
    if (isStream) state.connections++;
    else state.reads++;
    const other = state.instead(isStream, String(init?.body));
    if (other instanceof Error) throw other;
    if (other !== null) return other;
    const cut = new AbortController();
    if (isStream) state.cut = () => cut.abort(new TypeError('terminated'));
    const signal = AbortSignal.any([cut.signal, ...(init?.signal ? [init.signal] : [])]);
    return fetch(`${state.origin}/graphql`, { ...init, signal });
  };
  const client = createClient({ url: 'http://anywhere.example', key: caller.key, fetch: send, timing });
  return { client, caller, timing, state };
}

/** The next changes, by what was done and to which record. */
async function take(changes: Changes, count: number): Promise<string[]> {
  const taken: string[] = [];
  while (taken.length < count) {
    const { value } = await changes.next();
    taken.push(describe(value));
  }
  return taken;
}

const describe = (event: ChangeEvent | undefined): string =>
  event === undefined ? 'end' : event.reset ? 'reset' : `${event.action} ${event.kind} ${event.recordId}`;

const makeTag = async (caller: Caller, name: string): Promise<string> =>
  `CREATED TAG ${await caller.tag(name)}`;

/** Lets two days pass, and deletes the changes from before the last two days. */
async function passDays(): Promise<void> {
  const now = new Date(server.clock.now.getTime() + 2 * DAY);
  server.clock.now = now;
  await changeRetention(
    server.database,
    2,
    () => new Date(now.getTime() + 1),
    pino({ level: 'silent' }),
  ).deleteOld();
}

async function errorOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => expect.fail('it did not fail'),
    (failure: unknown) => failure,
  );
}

test('tells of changes from now on, in order, with who made them', async () => {
  const { client, caller } = await newClient();
  await caller.tag('before');
  const changes = client.changes();
  expect(await changes.position()).toMatch(/./);
  const first = await makeTag(caller, 'first');
  const { value } = await changes.next();
  expect(value).toMatchObject({
    action: 'CREATED',
    kind: 'TAG',
    fields: expect.arrayContaining(['name']),
    by: { __typename: 'ApiKey' },
    cursor: expect.stringMatching(/./),
  });
  expect(describe(value)).toBe(first);
  const { id } = await caller.link();
  await caller.rest('PATCH', `/links/${id}`, { title: 'New' });
  await caller.rest('DELETE', `/links/${id}`);
  expect(await take(changes, 3)).toEqual(['CREATED', 'UPDATED', 'DELETED'].map((one) => `${one} LINK ${id}`));
  client.close();
});

test('follows an account without any change', async () => {
  const { client, caller } = await newClient();
  await server.database.prisma.change.deleteMany();
  const changes = client.changes();
  expect(await changes.position()).toBeNull();
  const made = await makeTag(caller, 'first');
  expect(await take(changes, 1)).toEqual([made]);
  client.close();
});

test('all iterations of a client share a connection, each with its filter', async () => {
  const { client, caller, state } = await newClient();
  const links = client.changes({ kind: 'LINK' });
  const all = client.changes();
  await Promise.all([links.position(), all.position()]);
  const next = [take(links, 1), take(all, 2)];
  const tag = await makeTag(caller, 'a tag');
  const { id } = await caller.link();
  expect(await Promise.all(next)).toEqual([[`CREATED LINK ${id}`], [tag, `CREATED LINK ${id}`]]);
  expect(state.connections).toBe(1);
  await links.return?.();
  const other = await makeTag(caller, 'another');
  expect(await take(all, 1)).toEqual([other]);
  expect(state.connections).toBe(1);
  client.close();
});

test('comes back after a restart, and catches up: each change once and in order', async () => {
  const { client, caller, state, timing } = await newClient();
  const changes = client.changes();
  await changes.position();
  const first = await makeTag(caller, 'first');
  expect(await take(changes, 1)).toEqual([first]);
  const away = new TypeError('fetch failed');
  state.instead = () => away;
  state.cut();
  const names = Array.from({ length: 120 }, (_, number) => `missed ${number}`);
  const missed: string[] = [];
  for (const name of names) missed.push(await makeTag(caller, name));
  await expect.poll(() => timing.pauses.length).toBeGreaterThan(8);
  // Longer each time, up to half a minute.
  expect(Math.max(...timing.pauses)).toBe(15_000);
  const restarted = await startTestServer({ background: true, url: server.databaseUrl });
  state.origin = restarted.origin;
  state.instead = () => null;
  expect(await take(changes, missed.length)).toEqual(missed);
  const last = await makeTag(caller, 'last');
  expect(await take(changes, 1)).toEqual([last]);
  client.close();
  await restarted.stop();
});

test('survives a proxy that cuts', async () => {
  const { client, caller, state } = await newClient();
  const changes = client.changes();
  await changes.position();
  for (let round = 1; round <= 4; round++) {
    const made = [await makeTag(caller, `one ${round}`), await makeTag(caller, `two ${round}`)];
    expect(await take(changes, 2)).toEqual(made);
    await expect.poll(() => state.connections).toBeGreaterThanOrEqual(round);
    state.cut();
  }
  client.close();
});

test('notices within 30 s that the computer has slept, or that the connection is dead', async () => {
  const { client, caller, state, timing } = await newClient();
  const silent = () =>
    new Response(
      new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array([58, 10, 10])) }),
      {
        headers: { 'Content-Type': 'text/event-stream; charset=utf-8' },
      },
    );
  state.instead = (isStream) => (isStream ? silent() : null);
  const changes = client.changes();
  await changes.position();
  const next = take(changes, 1);
  await expect.poll(() => state.connections).toBe(1);
  await expect.poll(() => timing.waiting).toBe(1);
  await timing.pass(25_000);
  expect(state.connections).toBe(1);
  const missed = await makeTag(caller, 'missed');
  state.instead = () => null;
  await timing.pass(5_000);
  expect(await next).toEqual([missed]);
  // The log is read beside the new connection.
  await expect.poll(() => state.connections).toBe(2);
  client.close();
});

test('goes on after a position of an earlier run', async () => {
  const { client, caller } = await newClient();
  const made = [await makeTag(caller, 'one'), await makeTag(caller, 'two'), await makeTag(caller, 'three')];
  const earlier = client.changes(null, { after: null });
  const { value: first } = await earlier.next();
  if (first === undefined || first.reset) throw new Error('it is a change');
  const later = client.changes(null, { after: first.cursor });
  expect(await take(later, 2)).toEqual(made.slice(1));
  const { value: second } = await earlier.next();
  expect(describe(second)).toBe(made[1]);
  client.close();
});

test('yields a reset when the log no longer reaches back, and goes on from its end', async () => {
  const { client, caller, state } = await newClient();
  const changes = client.changes();
  await changes.position();
  const seen = await makeTag(caller, 'seen');
  expect(await take(changes, 1)).toEqual([seen]);
  state.instead = () => new TypeError('fetch failed');
  state.cut();
  await caller.tag('missed');
  await passDays();
  await caller.tag('kept');
  state.instead = () => null;
  expect(await take(changes, 1)).toEqual(['reset']);
  const later = await makeTag(caller, 'later');
  expect(await take(changes, 1)).toEqual([later]);
  client.close();
});

test('a service that says so by HISTORY_GONE leads to a reset, too', async () => {
  const { client, caller, state } = await newClient();
  const body = '{"errors":[{"message":"Gone.","extensions":{"code":"HISTORY_GONE"}}]}';
  await caller.tag('one');
  let isGone = true;
  state.instead = (_isStream, sent) => {
    if (!isGone || !sent.includes('readChanges')) return null;
    isGone = false;
    return new Response(body);
  };
  const changes = client.changes();
  expect(await take(changes, 1)).toEqual(['reset']);
  const later = await makeTag(caller, 'later');
  expect(await take(changes, 1)).toEqual([later]);
  client.close();
});

test('a quiet filter keeps up with the log, so that it needs no reset', async () => {
  const { client, caller, state } = await newClient();
  const { id } = await caller.link();
  const changes = client.changes({ kind: 'LINK' });
  const began = await changes.position();
  const next = take(changes, 1);
  await expect.poll(() => state.connections).toBe(1);
  server.clock.now = new Date(server.clock.now.getTime() + 2 * DAY);
  await caller.tag('other');
  state.cut();
  await expect.poll(async () => changes.position()).not.toBe(began);
  // The change of the link is deleted, and nothing of the filter is lost.
  await passDays();
  state.cut();
  await expect.poll(() => state.connections).toBe(3);
  await caller.rest('DELETE', `/links/${id}`);
  expect(await next).toEqual([`DELETED LINK ${id}`]);
  client.close();
});

test('without room for a subscription it reads the log again and again', async () => {
  const { client, caller, state } = await newClient();
  const refused = '{"errors":[{"message":"Too many.","extensions":{"code":"RATE_LIMITED"}}]}';
  state.instead = (isStream) => (isStream ? new Response(refused, { status: 429 }) : null);
  const changes = client.changes();
  await changes.position();
  const made = await makeTag(caller, 'made');
  expect(await take(changes, 1)).toEqual([made]);
  client.close();
});

test('a read that fails for a while is tried again', async () => {
  const { client, caller, state } = await newClient();
  const changes = client.changes();
  await changes.position();
  let failures = 9;
  state.instead = (isStream) => (isStream || failures-- <= 0 ? null : new Response('', { status: 502 }));
  const made = await makeTag(caller, 'made');
  expect(await take(changes, 1)).toEqual([made]);
  client.close();
});

test('throws when the key is revoked', async () => {
  const { client, caller, state } = await newClient();
  const changes = client.changes();
  await changes.position();
  const error = errorOf(changes.next());
  await expect.poll(() => state.connections).toBe(1);
  await server.database.prisma.apiKey.deleteMany({ where: { account: { name: `account ${accounts}` } } });
  state.cut();
  const thrown = await error;
  expect(thrown).toBeInstanceOf(LinkspaceError);
  expect(thrown).toMatchObject({ code: 'UNAUTHENTICATED' });
  expect((await changes.next()).done).toBe(true);
  expect(caller.key).not.toBe('');
});

test('a wrong filter is thrown', async () => {
  const { client } = await newClient();
  const error = await errorOf(client.changes({ since: 'yesterday' }).next());
  expect(error).toMatchObject({ code: 'VALIDATION', fields: [{ path: ['filter', 'since'] }] });
  client.close();
});

/** Iterates until it ends. */
async function iterate(client: Client, signal?: AbortSignal): Promise<number> {
  let count = 0;
  for await (const _event of client.changes(null, { signal })) count++;
  return count;
}

test('close, return and a signal end an iteration that waits, and its connection', async () => {
  const { client, caller, state } = await newClient();
  await caller.tag('before');
  const abort = new AbortController();
  const reason = new Error('enough');
  const aborted = errorOf(iterate(client, abort.signal));
  await expect.poll(() => state.connections).toBe(1);
  abort.abort(reason);
  expect(await aborted).toBe(reason);

  const changes = client.changes();
  const waiting = changes.next();
  await expect.poll(() => state.connections).toBe(2);
  expect(await changes.return?.()).toEqual({ done: true, value: undefined });
  expect(await waiting).toEqual({ done: true, value: undefined });

  const closed = iterate(client);
  await expect.poll(() => state.connections).toBe(3);
  client.close();
  expect(await closed).toBe(0);
});

test('tells what is selected of the changed records, as they are now', async () => {
  const { client, caller, state } = await newClient();
  const bodies: string[] = [];
  state.instead = (isStream, body) => {
    if (!isStream) bodies.push(body);
    return null;
  };
  interface Selected {
    readonly nodeId: string;
    readonly title?: string;
  }
  const changes = client.changes<Selected>(null, { record: 'nodeId ... on Link { title }' });
  await changes.position();
  await caller.tag('a tag');
  const { id } = await caller.link({ title: '$& and $1' });
  const gone = await caller.space('gone');
  await caller.rest('DELETE', `/spaces/${gone}`);
  const seen = [];
  while (seen.length < 4) {
    const { value } = await changes.next();
    if (value !== undefined && !value.reset) seen.push([value.kind, value.recordNodeId, value.record]);
  }
  const [[, tag] = [], [, link] = []] = seen;
  expect(seen).toEqual([
    ['TAG', tag, { nodeId: tag }],
    ['LINK', link, { nodeId: link, title: '$& and $1' }],
    ['SPACE', expect.any(String), null],
    ['SPACE', expect.any(String), null],
  ]);
  expect(await client.getLink(String(id))).toMatchObject({ nodeId: link });
  expect(bodies.some((body) => body.includes('"first":25'))).toBe(true);
  const wrong = await errorOf(client.changes(null, { after: null, record: 'nothing' }).next());
  expect(wrong).toMatchObject({ code: 'GRAPHQL_VALIDATION_FAILED' });
  client.close();
});

test('an iteration that is left ends its subscription', async () => {
  const { client, caller, state } = await newClient();
  const own = await startTestServer({ background: true, url: server.databaseUrl });
  state.origin = own.origin;
  const subscribed = () => own.database.changes.listenerCount('settled');
  // Until it is known that there are no webhooks, their sender listens, too.
  await expect.poll(subscribed).toBe(0);
  const follow = async () => {
    for await (const event of client.changes()) return event;
    return null;
  };
  const next = follow();
  await expect.poll(subscribed).toBe(1);
  const made = await makeTag(caller, 'made');
  expect(describe((await next) ?? undefined)).toBe(made);
  await expect.poll(subscribed).toBe(0);
  client.close();
  await own.stop();
});
