import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { recordingChanges } from '../../src/domain/change/change.ts';
import { type Events, subscribe } from '../support/events.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';

interface Told {
  data: { changes: { id: string; action: string; kind: string; recordId: string; fields: string[] } } | null;
  errors?: { message: string; extensions: { code: string } }[];
}

let server: TestServer;
let other: TestServer;
let owner: Caller;
let accounts = 0;
beforeAll(async () => {
  server = await startTestServer({ background: true, maxSubscriptionsPerKey: 10 });
  other = await startTestServer({ url: server.databaseUrl, background: true });
});
afterAll(async () => {
  await other.stop();
  await server.stop();
});
beforeEach(async () => {
  owner = await server.caller(`subscriber ${accounts++}`);
});

const QUERY = `subscription ($filter: ChangeFilter) {
  changes(filter: $filter) { id action kind recordId fields key { prefix } }
}`;
const listen = (caller = owner, filter = {}) => subscribe<Told>(caller, QUERY, { filter });
const told = ({ seen }: Events<Told>) =>
  seen.map(({ data }) => `${data?.changes.action} ${data?.changes.kind} ${data?.changes.recordId}`);

test('sends every change of both processes once, in order', async () => {
  const events = await listen();
  expect([events.status, events.type]).toEqual([200, expect.stringMatching(/^text\/event-stream/)]);
  const elsewhere = other.callerWith(owner.key);
  const expected: string[] = [];
  for (let i = 0; i < 10; i++) {
    const caller = i % 2 === 0 ? owner : elsewhere;
    expected.push(`CREATED SPACE ${await caller.space(`Space ${i}`)}`);
  }
  await expect.poll(() => events.seen.length).toBe(10);
  expect(told(events)).toEqual(expected);
  events.close();
});

test.each(['text/event-stream', '*/*', 'application/json, text/*'])(
  'a stream for Accept: %s is not buffered by proxies',
  async (accept) => {
    const response = await owner.fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: accept },
      body: JSON.stringify({ query: QUERY }),
    });
    const names = ['Content-Type', 'X-Accel-Buffering', 'Content-Encoding'];
    expect(names.map((name) => response.headers.get(name))).toEqual([
      expect.stringMatching(/^text\/event-stream/),
      'no',
      null,
    ]);
    await response.body?.cancel();
  },
);

test.each([
  'application/json',
  'text/html, application/json',
  'text/event-stream;q=0, */*',
  'multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/graphql-response+json,application/json',
])('returns 406 for a subscription that accepts only %s, and keeps nothing open', async (accept) => {
  const headers = { 'Content-Type': 'application/json', Accept: accept };
  for (let i = 0; i < 11; i++) {
    const response = await owner.fetch('/graphql', {
      method: 'POST',
      headers,
      body: JSON.stringify({ query: QUERY }),
    });
    expect([response.status, await response.json()]).toEqual([
      406,
      {
        errors: [
          { message: expect.stringContaining('text/event-stream'), extensions: { code: 'BAD_REQUEST' } },
        ],
      },
    ]);
  }
  const events = await listen();
  expect(events.status).toBe(200);
  events.close();
});

test('reports an invalid variable of a subscription with the same code as others', async () => {
  const response = await owner.fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
    body: JSON.stringify({ query: QUERY, variables: { filter: { kind: 'NOPE' } } }),
  });
  expect(response.status).toBe(400);
  expect(await response.text()).toContain('"code":"BAD_REQUEST"');
});

describe('@skip and @include at the root of a subscription', () => {
  const ask = async (sent: object, headers: Record<string, string> = {}) => {
    const response = await owner.fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(sent),
    });
    return [response.status, await response.text()] as const;
  };
  const refused = [400, expect.stringMatching(/Single Root Field.*"code":"BAD_REQUEST"/)];
  const accepts = ['text/event-stream', 'application/json', '*/*', 'application/graphql-response+json'];

  test.each<[string, string, object?]>([
    ['a field that is left out', '{ changes @skip(if: true) { id } }'],
    ['a field that stays', '{ changes @skip(if: false) { id } }'],
    ['a field by a variable', '($on: Boolean!) { changes @include(if: $on) { id } }', { on: true }],
    ['a field by a default', '($on: Boolean = true) { changes @include(if: $on) { id } }'],
    ['a field without the argument', '{ changes @skip { id } }'],
    ['a second field', '{ changes { id } changes @include(if: false) { action } }'],
    ['an inline fragment', '{ ... @skip(if: true) { changes { id } } }'],
    ['an inline fragment with its type', '{ ... on Subscription @include(if: false) { changes { id } } }'],
    ['a named fragment', '{ ...Root @skip(if: true) } fragment Root on Subscription { changes { id } }'],
    ['a field of a fragment', '{ ...Root } fragment Root on Subscription { changes @skip(if: true) { id } }'],
    [
      'a fragment in a fragment',
      '{ ... { ...Root } } fragment Root on Subscription { ... @include(if: true) { changes { id } } }',
    ],
  ])('are refused by the name of the rule: %s', async (_what, selection, variables = {}) => {
    for (const accept of accepts)
      expect(await ask({ query: `subscription ${selection}`, variables }, { Accept: accept })).toEqual(
        refused,
      );
  });

  test('are refused by GET, and with an Idempotency-Key', async () => {
    const query = 'subscription { changes @skip(if: true) { id } }';
    const got = await owner.fetch(`/graphql?${new URLSearchParams({ query })}`);
    expect([got.status, await got.text()]).toEqual(refused);
    expect(await ask({ query }, { 'Idempotency-Key': 'a skipped root' })).toEqual(refused);
  });

  test('are allowed below the root, and in queries', async () => {
    const query = `subscription { changes { id ...Rest @include(if: false) action @skip(if: true) } }
      fragment Rest on Change { kind }`;
    const events = await subscribe<Told>(owner, query);
    await owner.space('S');
    await expect.poll(() => events.seen).toEqual([{ data: { changes: { id: expect.any(String) } } }]);
    events.close();
    expect(await owner.data('{ viewer @skip(if: true) { __typename } }')).toEqual({});
  });
});

test('sends many simultaneous changes of two processes once each, in the order of the list', async () => {
  const events = await listen();
  const elsewhere = other.callerWith(owner.key);
  await Promise.all(
    Array.from({ length: 12 }, async (_, writer) => {
      const caller = writer % 2 === 0 ? owner : elsewhere;
      for (let i = 0; i < 5; i++) await caller.space(`${writer} ${i}`);
    }),
  );
  await expect.poll(() => events.seen.length).toBe(60);
  const { changes } = await owner.data<{ changes: { edges: { node: { id: string } }[] } }>(
    '{ changes(first: 100) { edges { node { id } } } }',
  );
  expect(events.seen.map(({ data }) => data?.changes.id)).toEqual(changes.edges.map(({ node }) => node.id));
  events.close();
});

test('does not send changes from before its start', async () => {
  const all: Events<Told>[] = [];
  const expected: string[][] = [];
  const create = async (name: string) => {
    const id = await owner.space(name);
    for (const one of expected) one.push(`CREATED SPACE ${id}`);
  };
  // Polls find the changes of a process, and a poll may or may not be running.
  for (let i = 0; i < 8; i++) {
    await create(`Before ${i}`);
    all.push(await listen());
    expected.push([]);
    await create(`After ${i}`);
    await setTimeout(50 * (i % 3));
  }
  await expect.poll(() => all.map(told)).toEqual(expected);
  for (const one of all) one.close();
});

test('applies the filter, and sends nothing to another account', async () => {
  const stranger = await server.caller('stranger');
  const [all, links, none] = [await listen(), await listen(owner, { kind: 'LINK' }), await listen(stranger)];
  const space = await owner.space('S');
  const { id } = await owner.link();
  await expect.poll(() => told(all)).toEqual([`CREATED SPACE ${space}`, `CREATED LINK ${id}`]);
  await expect.poll(() => told(links)).toEqual([`CREATED LINK ${id}`]);
  expect(none.seen).toEqual([]);
  for (const one of [all, links, none]) one.close();
});

test('starts with a comment, and is logged with its name when it ends', async () => {
  const events = await subscribe<Told>(owner, QUERY.replace('subscription', 'subscription Heard'));
  await expect.poll(() => events.comments()).toBeGreaterThan(0);
  events.close();
  await expect.poll(() => server.log.some(({ operation }) => operation === 'Heard')).toBe(true);
});

test('ends when its key is revoked', async () => {
  const events = await listen();
  await server.database.prisma.apiKey.updateMany({
    where: { account: { name: `subscriber ${accounts - 1}` } },
    data: { revokedAt: server.clock.now },
  });
  expect(await events.ended).toBe('complete');
});

test('a key may have as many subscriptions as are set, and another one after one has ended', async () => {
  const open = await Promise.all(Array.from({ length: 10 }, () => listen()));
  const tooMany = await listen();
  await tooMany.ended;
  expect(tooMany.seen).toMatchObject([{ errors: [{ extensions: { code: 'RATE_LIMITED' } }] }]);
  open.pop()?.close();
  // One that is open is told of a change, and one too many of its refusal.
  await expect
    .poll(async () => {
      const again = await listen();
      open.push(again);
      await owner.space('For those that listen');
      await expect.poll(() => again.seen.length).toBeGreaterThan(0);
      return again.seen[0]?.data?.changes.kind;
    })
    .toBe('SPACE');
  for (const one of open) one.close();
});

test.each([
  [
    'no key',
    (origin: string) =>
      fetch(`${origin}/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
        body: JSON.stringify({ query: QUERY }),
      }),
    401,
  ],
])('refuses %s', async (_what, send, status) => {
  expect((await send(server.origin)).status).toBe(status);
});

test('refuses an invalid filter like a query does', async () => {
  const events = await listen(owner, { since: 'yesterday' });
  await events.ended;
  expect(events.seen).toMatchObject([{ errors: [{ extensions: { code: 'VALIDATION' } }] }]);
});

test('needs the read scope', async () => {
  const writer = await server.caller('writer', ['write']);
  const events = await listen(writer);
  await events.ended;
  expect(events.seen).toMatchObject([{ errors: [{ extensions: { code: 'FORBIDDEN' } }] }]);
});

// This does not depend on the database, and takes long.
test.runIf(inject('database').provider === 'sqlite')(
  'ends the stream of a reader that does not read',
  async () => {
    const { hostname, port } = new URL(server.origin);
    const socket = connect(Number(port), hostname);
    const body = JSON.stringify({ query: QUERY });
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${owner.key}\r\nContent-Type: application/json\r\nAccept: text/event-stream\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await new Promise((resolve) => socket.once('data', resolve));
    socket.pause();
    await owner.space('A change, after whose place in the log the others come');
    const others = await listen(owner, { kind: 'SPACE' });
    const stranger = await server.caller(`stranger ${accounts}`);
    const ofStranger = await listen(stranger);
    // Much more than the buffers of a socket, written directly to the database.
    const { prisma } = server.database;
    const { id: keyId, accountId } = await prisma.apiKey.findFirstOrThrow({
      where: { account: { name: `subscriber ${accounts - 1}` } },
    });
    const row = {
      tx: 0n,
      accountId,
      keyId,
      at: server.clock.now,
      action: 'UPDATED',
      kind: 'LINK',
      recordId: 1,
      fields: JSON.stringify(['x'.repeat(20_000)]),
    };
    const [{ tx } = { tx: 0n }] = await prisma.$queryRaw<
      { tx: bigint }[]
    >`SELECT MAX("tx") AS "tx" FROM "Change"`;
    for (let i = 0; i < 25; i++)
      await prisma.change.createMany({
        data: Array.from({ length: 100 }, () => ({ ...row, tx: BigInt(tx ?? 0) })),
      });
    // It does not delay others.
    for (let i = 1; i <= 10; i++) {
      await stranger.space(`Space ${i}`);
      await expect.poll(() => told(ofStranger), { interval: 5 }).toHaveLength(i);
    }
    // Until its buffers are full, it takes changes: only later ones find that it does not.
    for (let i = 1; i <= 20; i++) {
      server.clock.now = new Date(server.clock.now.getTime() + 11_000);
      await owner.space('After them');
      await expect.poll(() => told(others)).toHaveLength(i);
    }
    others.close();
    ofStranger.close();
    let text = '';
    socket.on('data', (chunk) => {
      text = `${text}${chunk}`.slice(-5_000);
    });
    socket.resume();
    await expect.poll(() => text).toContain('The changes come faster than they are read.');
    server.clock.now = NOON;
    // It may come back, and reads from `changes` what it missed.
    await expect.poll(() => text).toMatch(/\r\n0\r\n\r\n$/);
    expect(text.includes('event: complete')).toBe(false);
    socket.destroy();
  },
);

test('a stop ends streams without complete, so that clients come back', async () => {
  const third = await startTestServer({ url: server.databaseUrl, background: true });
  const keyed = third.callerWith(owner.key);
  const [quiet, told, idempotent] = await Promise.all([
    listen(keyed, { kind: 'TAG' }),
    listen(keyed),
    subscribe<Told>(keyed, QUERY, {}, { 'Idempotency-Key': 'a stream that ends' }),
  ]);
  await keyed.space('The last change');
  for (const { seen } of [told, idempotent]) await expect.poll(() => seen.length).toBe(1);
  third.endSubscriptions();
  expect(await Promise.all([quiet.ended, told.ended, idempotent.ended])).toEqual(['', 'next', 'next']);
  const late = await listen(keyed);
  expect(late.status).toBe(503);
  await third.stop();
});

test('sends all of a large batch to a client that reads', async () => {
  const events = await listen();
  await owner.space('A change, after whose place in the log the others come');
  await expect.poll(() => events.seen.length).toBe(1);
  const db = server.database;
  const { id: keyId, accountId } = await db.prisma.apiKey.findFirstOrThrow({
    where: { account: { name: `subscriber ${accounts - 1}` } },
  });
  const author = { accountId, keyId };
  await recordingChanges(db, author, server.clock.now, ({ record }) =>
    record(
      'UPDATED',
      'LINK',
      Array.from({ length: 700 }, (_, i) => i + 1),
      ['space'],
    ),
  );
  await expect.poll(() => events.seen.length).toBe(701);
  expect(events.seen.slice(1).map(({ data }) => Number(data?.changes.recordId))).toEqual(
    Array.from({ length: 700 }, (_, i) => i + 1),
  );
  events.close();
});

test('serves a client that accepts any type repeatedly, and frees its slot', async () => {
  for (let i = 0; i < 12; i++) {
    const abort = new AbortController();
    const response = await owner.fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: i % 2 ? '*/*' : 'text/*' },
      body: JSON.stringify({ query: QUERY }),
      signal: abort.signal,
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/event-stream/),
    ]);
    abort.abort();
    await response.text().catch(() => {});
  }
});

test('sends changes to a client with an Idempotency-Key, and lets it disconnect', async () => {
  const abort = new AbortController();
  const before = server.log.length;
  const response = await owner.fetch('/graphql', {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'text/event-stream',
      'Idempotency-Key': 'a subscription',
    },
    body: JSON.stringify({ query: QUERY }),
    signal: abort.signal,
  });
  const space = await owner.space('Told of');
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.includes(`"recordId":"${space}"`)) break;
  }
  abort.abort();
  const ended = () => server.log.slice(before).find(({ operation }) => operation === 'subscription');
  await expect.poll(ended).toMatchObject({ status: 200 });
  expect(server.log.slice(before).filter(({ level }) => Number(level) > 30)).toEqual([]);
});

test('does not start a subscription while the service stops', async () => {
  const third = await startTestServer({ url: server.databaseUrl });
  third.endSubscriptions();
  const events = await listen(third.callerWith(owner.key));
  await events.ended;
  expect(events.seen).toMatchObject([{ errors: [{ extensions: { code: 'UNAVAILABLE' } }] }]);
  // The database is not at fault.
  expect(third.log.filter(({ level }) => Number(level) > 30)).toEqual([]);
  await third.stop();
});
