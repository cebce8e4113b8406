import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { connect } from '../../examples/screen/sockets.ts';
import { Metrics } from '../../src/app/service/metrics.ts';
import { listKeys, revokeKey } from '../../src/domain/access/api-key.ts';
import { signedIn } from '../support/person.ts';
import { type Caller, startTestServer, type TestServer, type TestServerOptions } from '../support/server.ts';
import {
  askOnce,
  connectClient,
  follow,
  type Message,
  openAs,
  openSocket,
  type RawSocket,
} from '../support/sockets.ts';

const CHANGES = 'subscription ($filter: ChangeFilter) { changes(filter: $filter) { action kind recordId } }';
const CREATE = 'mutation ($name: String!) { createSpace(input: { name: $name }) { ... on Space { id } } }';
const VERIFY = 'mutation ($id: ID!) { verifyDomain(id: $id) { __typename } }';

let server: TestServer;
let accounts = 0;
beforeAll(async () => {
  server = await startTestServer({ background: true, verifiesDomains: true, maxSubscriptionsPerKey: 40 });
});
afterAll(() => server.stop());

/** The caller of a new account. */
const newOwner = (scopes?: ['read' | 'write']) => server.caller(`sockets ${accounts++}`, scopes);

/** A server that stops with the test. */
async function startServer(options: TestServerOptions): Promise<TestServer> {
  const own = await startTestServer({ background: true, ...options });
  onTestFinished(() => own.stop());
  return own;
}

async function revoke({ database, clock }: TestServer, { key }: Caller): Promise<void> {
  const own = (await listKeys(database)).find(({ prefix }) => key.startsWith(prefix));
  await revokeKey(database, String(own?.id), clock.now);
}

const told = (seen: readonly { data?: unknown }[]) =>
  seen.map(({ data }) => {
    const { changes } = data as { changes: { action: string; kind: string; recordId: string } };
    return `${changes.action} ${changes.kind} ${changes.recordId}`;
  });

/** The type of an operation's only answer, and the code of its error. */
async function outcome(socket: RawSocket, id: string): Promise<[type: string, code: unknown]> {
  await expect.poll(() => socket.about(id).length).toBeGreaterThan(0);
  const [first] = socket.about(id);
  const { type, payload } = first as Message & { payload: { extensions: { code: string } }[] };
  return [type, type === 'error' ? payload[0]?.extensions.code : null];
}

/** Begins a mutation that waits for DNS, until the returned function is called. */
async function beginSlowMutation(at: TestServer, caller: Caller, socket: RawSocket, id = 'slow') {
  const domain = await caller.domain(`${id}-${accounts++}.example`);
  const query = 'query ($id: ID!) { domain(id: $id) { verification { name } } }';
  const found = await caller.data<{ domain: { verification: { name: string } } }>(query, { id: domain });
  const { name } = found.domain.verification;
  const held = Promise.withResolvers<string[]>();
  at.dns.set(name, held.promise);
  socket.ask(id, VERIFY, { id: domain });
  await expect.poll(() => at.asked).toContain(name);
  return () => held.resolve([]);
}

/** The line of the log about an operation of a WebSocket. */
const lineOf = (at: TestServer, operation: string) =>
  at.log.find((line) => line.method === 'WS' && line.operation === operation);

describe('a client of graphql-ws', () => {
  test('gets each change once and in order, and the answers to queries and mutations', async () => {
    const owner = await newOwner();
    const client = connectClient(server.origin, owner.key);
    const events = follow(client, CHANGES, { filter: { kind: 'SPACE' } });
    const ids: string[] = [];
    // When the subscription begins is not known.
    await expect
      .poll(async () => {
        const { data } = await askOnce(client, CREATE, { name: `Space ${ids.length}` });
        ids.push((data as { createSpace: { id: string } }).createSpace.id);
        return events.seen.length;
      })
      .toBeGreaterThan(2);
    const expected = ids.map((id) => `CREATED SPACE ${id}`);
    await expect.poll(() => told(events.seen).at(-1)).toBe(expected.at(-1));
    expect(told(events.seen)).toEqual(expected.slice(-events.seen.length));
    events.close();
    expect(await events.ended).toBe('complete');
    // The connection goes on.
    expect(await askOnce(client, '{ __typename }')).toEqual({ data: { __typename: 'Query' } });
  });

  test('comes back by itself after the service has stopped', async () => {
    const first = await startTestServer({ background: true });
    const owner = await first.caller();
    const port = Number(new URL(first.origin).port);
    let connections = 0;
    const client = connect({
      url: `${first.origin.replace(/^http/, 'ws')}/graphql`,
      connectionParams: { authorization: `Bearer ${owner.key}` },
      pause: () => 20,
      heard: () => void connections++,
    });
    onTestFinished(() => void client.terminate());
    const events = follow(client, CHANGES);
    await expect.poll(() => connections).toBe(1);
    await first.shutDown();
    const before = connections;
    const second = await startServer({ url: first.databaseUrl, port });
    await expect.poll(() => connections).toBeGreaterThan(before);
    const again = second.callerWith(owner.key);
    await expect
      .poll(async () => {
        await again.space('After the restart');
        return events.seen.length;
      })
      .toBeGreaterThan(0);
    events.close();
  });
});

describe('who may connect', () => {
  test.each([
    ['an unknown key', { authorization: 'Bearer nobody-has-this-key' }, 4401],
    ['no key', undefined, 4401],
    ['a key that is no text', { authorization: 1 }, 4400],
    ['an account that is too long', { authorization: 'Bearer x', account: 'x'.repeat(256) }, 4400],
  ])('%s: closed', async (_what, payload, code) => {
    const socket = await openSocket(server.origin);
    socket.send({ type: 'connection_init', payload });
    expect((await socket.closed)[0]).toBe(code);
    expect(socket.messages).toEqual([]);
  });

  test('an operation before connection_init closes with 4401, and a second one with 4429', async () => {
    const socket = await openSocket(server.origin);
    socket.ask('early', '{ __typename }');
    expect((await socket.closed)[0]).toBe(4401);
    const twice = await openAs(server.origin, (await newOwner()).key);
    twice.introduce('again');
    expect((await twice.closed)[0]).toBe(4429);
  });

  test('a client that does not say who it is gets 4408', async () => {
    const { origin } = await startServer({ sockets: { initTimeout: 20 } });
    expect((await (await openSocket(origin)).closed)[0]).toBe(4408);
  });

  test('the end of a key closes with 4401, also while a mutation and subscriptions run', async () => {
    const owner = await newOwner();
    const socket = await openAs(server.origin, owner.key);
    socket.ask('events', CHANGES);
    const release = await beginSlowMutation(server, owner, socket);
    await revoke(server, owner);
    expect((await socket.closed)[0]).toBe(4401);
    expect(socket.about('slow')).toEqual([]);
    // Clients that are told so do not come back.
    expect(socket.about('events').map(({ type }) => type)).not.toContain('complete');
    release();
    const again = await openSocket(server.origin);
    again.introduce(owner.key);
    expect((await again.closed)[0]).toBe(4401);
  });

  test('too many wrong keys of a network get 1013, and a right one connects', async () => {
    const at = await startServer({ rateLimit: 4 });
    const { key } = await at.caller();
    const codes: number[] = [];
    for (let i = 0; i < 3; i++) {
      const socket = await openSocket(at.origin);
      socket.introduce(`wrong-key-${i}`);
      codes.push((await socket.closed)[0]);
    }
    expect(codes).toEqual([4401, 4401, 1013]);
    expect((await openAs(at.origin, key)).messages).toEqual([{ type: 'connection_ack' }]);
  });

  test('a key may open a socket by the header, as from a proxy', async () => {
    const owner = await newOwner();
    const socket = await openAs(server.origin, undefined, {
      headers: { Authorization: `Bearer ${owner.key}` },
    });
    socket.ask('who', '{ viewer { account { name } } }');
    expect(await outcome(socket, 'who')).toEqual(['next', null]);
  });
});

describe('a session', () => {
  const OWN = { Origin: 'https://s.example', 'X-Forwarded-Host': 's.example' };
  const accountOf = async (caller: Caller) => {
    const { viewer } = await caller.data<{ viewer: { account: { id: string } } }>(
      '{ viewer { account { id } } }',
    );
    return viewer.account.id;
  };
  const signIn = async (role = 'ADMIN') => {
    const account = await accountOf(await newOwner());
    const person = await signedIn(server, Number(account), role);
    return { account, person, headers: { ...OWN, Cookie: person.cookie ?? '' } };
  };
  const connectAs = async (headers: Record<string, string>, account?: string) => {
    const socket = await openSocket(server.origin, { headers });
    socket.send({ type: 'connection_init', payload: account === undefined ? {} : { account } });
    const acknowledged = new Promise<string>((resolve) => {
      socket.ws.once('message', () => resolve('acknowledged'));
    });
    const closed = socket.closed.then(([code]) => code);
    return { socket, answer: await Promise.race([acknowledged, closed]) };
  };

  test.each<[string, Record<string, string>]>([
    ['a page of the service', {}],
    ['a page of the service, as newer browsers tell it', { 'Sec-Fetch-Site': 'same-origin' }],
  ])('counts on a WebSocket of %s', async (_what, more) => {
    const { headers } = await signIn();
    expect((await connectAs({ ...headers, ...more })).answer).toBe('acknowledged');
  });

  test('does not count without Origin, or with that of a listed site, which needs a key', async () => {
    const at = await startTestServer({ url: server.databaseUrl, corsOrigins: ['https://app.example'] });
    onTestFinished(() => at.stop());
    const { headers } = await signIn();
    const { Origin: _, ...without } = headers;
    for (const given of [
      without,
      { ...without, 'Sec-Fetch-Site': 'same-origin' },
      { ...headers, Origin: 'https://app.example' },
    ]) {
      const socket = await openSocket(at.origin, { headers: given });
      socket.introduce(undefined);
      expect((await socket.closed)[0]).toBe(4401);
    }
    const { key } = await newOwner();
    const socket = await openAs(at.origin, key, { headers: { ...headers, Origin: 'https://app.example' } });
    socket.ask('who', '{ viewer { key { prefix } } }');
    await expect.poll(() => JSON.stringify(socket.about('who')[0])).toContain(key.slice(0, 4));
  });

  test('is in the account that the client names, and closes with 4403 in another', async () => {
    const { account, person, headers } = await signIn();
    const other = await accountOf(await newOwner());
    await server.database.prisma.membership.create({
      data: { accountId: Number(other), userId: person.userId, role: 'ADMIN', createdAt: server.clock.now },
    });
    for (const one of [account, other]) {
      const { socket } = await connectAs(headers, one);
      socket.ask('where', '{ viewer { account { id } } }');
      await expect
        .poll(() => socket.about('where')[0]?.payload)
        .toEqual({ data: { viewer: { account: { id: one } } } });
    }
    expect((await connectAs(headers, await accountOf(await newOwner()))).answer).toBe(4403);
  });

  type SignedIn = Awaited<ReturnType<typeof signIn>>;

  test.each<[what: string, code: number, end: (signed: SignedIn) => Promise<unknown>]>([
    ['that has ended closes it', 4401, ({ person }) => person.auth('sign-out', {})],
    [
      'of somebody who is no member any more closes it',
      4403,
      async ({ person: { userId, memberId } }) => {
        const account = Number(await accountOf(await newOwner()));
        const { membership } = server.database.prisma;
        const createdAt = server.clock.now;
        await membership.create({ data: { accountId: account, userId, role: 'VIEWER', createdAt } });
        await membership.delete({ where: { id: memberId } });
      },
    ],
    [
      'with another role has the client come back',
      1012,
      ({ person }) =>
        server.database.prisma.membership.update({ where: { id: person.memberId }, data: { role: 'OWNER' } }),
    ],
  ])('%s', async (_what, code, end) => {
    const signed = await signIn();
    const { socket } = await connectAs(signed.headers, signed.account);
    socket.ask('events', CHANGES);
    await end(signed);
    expect((await socket.closed)[0]).toBe(code);
    expect(socket.about('events').map(({ type }) => type)).not.toContain('complete');
  });
});

describe('operations', () => {
  const lists = Array.from({ length: 31 }, (_, i) => `list${i}: fields`).join(' ');

  test.each<[what: string, query: string, variables?: object]>([
    ['a broken document', '{'],
    ['an unknown field', '{ nothing }'],
    ['a missing variable', 'query ($id: ID!) { link(id: $id) { id } }'],
    ['two operations', 'query One { __typename } query Other { __typename }'],
    ['a missing scope', '{ links { nodes { id } } }'],
    ['a wrong value', '{ spaces(first: 1000) { nodes { id } } }'],
    ['too many levels', `{ __type(name: "A") ${'{ ofType '.repeat(20)} { name } ${'}'.repeat(20)} }`],
    [
      'too many values',
      'query ($ids: [ID!]!) { nodes(nodeIds: $ids) { id } }',
      { ids: Array(200).fill('x') },
    ],
    ['an executed mutation', CREATE, { name: '' }],
  ])('get the answer of HTTP for %s, and the connection stays', async (_what, query, variables = {}) => {
    const caller = await newOwner(['write']);
    const socket = await openAs(server.origin, caller.key);
    const { status, data, errors } = await caller.graphql(query, variables);
    socket.ask('it', query, variables);
    await outcome(socket, 'it');
    const withoutLines = (one: unknown) => JSON.parse(JSON.stringify(one));
    const [{ type, payload }] = socket.about('it') as [Message];
    if (status === 200 && data !== undefined) expect([type, payload]).toEqual(['next', { data, errors }]);
    else expect([type, payload]).toEqual(['error', withoutLines(errors)]);
    expect(socket.ws.readyState).toBe(WebSocket.OPEN);
  });

  test.each([
    ['too costly events', `subscription { changes { ${lists} } }`, 'TOO_COSTLY'],
    ['a skipped root', 'subscription { changes @skip(if: true) { id } }', 'BAD_REQUEST'],
    ['a missing scope', CHANGES, 'FORBIDDEN'],
  ])('refuse a subscription for %s', async (_what, query, code) => {
    const socket = await openAs(server.origin, (await newOwner(['write'])).key);
    socket.ask('it', query);
    expect(await outcome(socket, 'it')).toEqual(['error', code]);
  });

  test('are logged as requests, with their names and callers', async () => {
    const owner = await newOwner();
    const socket = await openAs(server.origin, owner.key);
    socket.ask('a', 'query Logged { __typename }');
    socket.ask('b', 'query Refused($id: ID!) { link(id: $id) { id } }');
    socket.ask('c', 'subscription Followed { changes { id } }');
    await expect.poll(() => lineOf(server, 'Logged')).toBeDefined();
    await expect.poll(() => lineOf(server, 'Refused')).toBeDefined();
    expect(lineOf(server, 'Logged')).toMatchObject({ path: '/graphql', status: 200, msg: 'request' });
    expect(lineOf(server, 'Logged')).toMatchObject({ account: expect.any(Number), key: expect.any(Number) });
    expect(lineOf(server, 'Refused')).toMatchObject({ status: 400 });
    expect(lineOf(server, 'Followed')).toBeUndefined();
    socket.send({ id: 'c', type: 'complete' });
    await expect.poll(() => lineOf(server, 'Followed')).toMatchObject({ status: 200 });
    expect(server.log).toContainEqual(
      expect.objectContaining({ method: 'GET', path: '/graphql', status: 101 }),
    );
  });

  test('count as requests for the rate limit of the key, together with those over HTTP', async () => {
    const at = await startServer({ rateLimit: 3 });
    const owner = await at.caller();
    const socket = await openAs(at.origin, owner.key);
    await owner.graphql('{ __typename }');
    for (const id of ['1', '2', '3']) socket.ask(id, '{ __typename }');
    await expect.poll(() => socket.about('3').length).toBeGreaterThan(0);
    expect(await Promise.all(['1', '2', '3'].map((id) => outcome(socket, id)))).toEqual([
      ['next', null],
      ['next', null],
      ['error', 'RATE_LIMITED'],
    ]);
    const [{ payload }] = socket.about('3') as [Message & { payload: object[] }];
    expect(payload).toMatchObject([{ extensions: { retryAfter: expect.any(Number) } }]);
    expect((await owner.graphql('{ __typename }')).status).toBe(429);
    expect(socket.ws.readyState).toBe(WebSocket.OPEN);
  });

  test('a persisted query that is not known is asked for', async () => {
    const socket = await openAs(server.origin, (await newOwner()).key);
    const extensions = { persistedQuery: { version: 1, sha256Hash: 'x' } };
    socket.send({ id: 'hash', type: 'subscribe', payload: { query: '', extensions } });
    expect(await outcome(socket, 'hash')).toEqual(['error', 'PERSISTED_QUERY_NOT_SUPPORTED']);
  });

  test('are trusted documents only, where these are set', async () => {
    const trusted = new Map([
      ['who', '{ viewer { account { name } } }'],
      ['all', 'subscription { changes { id } }'],
    ]);
    const at = await startServer({ trusted, graphiql: false });
    const owner = await at.caller();
    const socket = await openAs(at.origin, owner.key);
    const ask = (id: string, payload: object) => socket.send({ id, type: 'subscribe', payload });
    ask('by id', { query: '', documentId: 'who' });
    ask('by hash', { query: '', extensions: { persistedQuery: { version: 1, sha256Hash: 'who' } } });
    ask('no query', { documentId: 'who', variables: { query: 'x' } });
    ask('null', { query: null, extensions: { persistedQuery: { version: 1, sha256Hash: 'who' } } });
    ask('unknown', { query: '', documentId: 'where' });
    ask('none', { query: '' });
    ask('text', { query: '{ viewer { account { name } } }', documentId: 'who' });
    ask('events', { query: '', documentId: 'all' });
    const ids = ['by id', 'by hash', 'no query', 'null', 'unknown', 'none', 'text'];
    expect(await Promise.all(ids.map((id) => outcome(socket, id)))).toEqual([
      ['next', null],
      ['next', null],
      ['next', null],
      ['next', null],
      ['error', 'UNTRUSTED_DOCUMENT'],
      ['error', 'UNTRUSTED_DOCUMENT'],
      ['error', 'UNTRUSTED_DOCUMENT'],
    ]);
    await expect
      .poll(async () => {
        await owner.space('S');
        return socket.about('events').length;
      })
      .toBeGreaterThan(0);
  });
});

test('connections are counted for the metrics', async () => {
  const metrics = new Metrics();
  const at = await startServer({ metrics });
  const { key } = await at.caller();
  const [first] = [await openAs(at.origin, key), await openAs(at.origin, key)];
  expect(await metrics.text()).toMatch(/^linkspace_sockets 2$/m);
  first?.ws.close();
  await expect.poll(() => metrics.text()).toMatch(/^linkspace_sockets 1$/m);
});

test('an id is free again once its operation has ended', async () => {
  const owner = await newOwner();
  const socket = await openAs(server.origin, owner.key);
  socket.ask('a', '{ __typename }');
  await expect.poll(() => socket.about('a').length).toBe(2);
  socket.ask('a', '{ __typename }');
  await expect.poll(() => socket.about('a').length).toBe(4);
  const ended = await beginSlowMutation(server, owner, socket, 'b');
  socket.send({ id: 'b', type: 'complete' });
  socket.ask('b', CREATE, { name: 'Never' });
  expect(await socket.closed).toEqual([4409, expect.stringContaining('has not ended')]);
  ended();
  // By then, a mutation that had begun would be done.
  await owner.space('Later');
  const { spaces } = await owner.data<{ spaces: { nodes: unknown[] } }>('{ spaces { nodes { name } } }');
  expect(spaces.nodes).toEqual([{ name: 'Later' }]);
});

test.each(['next', 'connection_ack', 'error'])(
  'closes for a message that only servers send: %s',
  async (type) => {
    const socket = await openSocket(server.origin);
    socket.send({ id: '1', type, payload: type === 'error' ? [] : {} } as Message);
    expect((await socket.closed)[0]).toBe(4400);
  },
);

describe('limits', () => {
  test('a connection has 30 subscriptions, a key those that are set, and the rest get RATE_LIMITED', async () => {
    const owner = await newOwner();
    const [first, second] = [await openAs(server.origin, owner.key), await openAs(server.origin, owner.key)];
    const begun = async (socket: RawSocket, count: number) => {
      for (let i = 0; i < count; i++) socket.ask(`${i}`, CHANGES);
      await expect
        .poll(async () => {
          await owner.space('S');
          const told = Array.from({ length: count }, (_, i) => socket.about(`${i}`)[0]?.type);
          return told.every((type) => type !== undefined) ? told.filter((type) => type === 'next').length : 0;
        })
        .toBeGreaterThan(0);
      return Array.from({ length: count }, (_, i) => socket.about(`${i}`)[0]?.type).filter(
        (type) => type === 'next',
      ).length;
    };
    expect(await begun(first, 31)).toBe(30);
    expect(await outcome(first, '30')).toEqual(['error', 'RATE_LIMITED']);
    // Of the 40 of the key.
    expect(await begun(second, 11)).toBe(10);
    first.ask('query', '{ __typename }');
    expect(await outcome(first, 'query')).toEqual(['next', null]);
    first.send({ id: '0', type: 'complete' });
    await expect
      .poll(async () => {
        first.ask('again', CHANGES);
        await owner.space('S');
        await expect.poll(() => first.about('again').length).toBeGreaterThan(0);
        return first.messages.filter(({ id }) => id === 'again').at(-1)?.type;
      })
      .toBe('next');
  });
});
