import { once } from 'node:events';
import { connect } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { readConfig } from '../../../src/app/config.ts';
import { Service } from '../../../src/app/service.ts';
import { newDatabase } from '../../support/database.ts';
import {
  type Caller,
  startTestServer,
  type TestServer,
  type TestServerOptions,
} from '../../support/server.ts';
import { openAs, openSocket, PROTOCOL, type RawSocket, refusalAt } from '../../support/sockets.ts';

const APP = 'https://app.example';

let server: TestServer;
let caller: Caller;
beforeAll(async () => {
  server = await startTestServer({ background: true, corsOrigins: [APP] });
  caller = await server.caller();
});
afterAll(() => server.stop());

/** A server that stops with the test, and a caller of it. */
async function start(options: TestServerOptions): Promise<TestServer & { owner: Caller }> {
  const own = await startTestServer({ background: true, ...options });
  onTestFinished(() => own.stop());
  return Object.assign(own, { owner: await own.caller() });
}

/** Sends a text on a connection of its own. Returns what comes back until the end of the connection, or until `enough`. */
async function exchange(text: string, enough = /^$/, { origin } = server): Promise<string> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1').setEncoding('latin1');
  onTestFinished(() => void socket.destroy());
  socket.write(text);
  let received = '';
  for await (const chunk of socket) {
    received += chunk;
    if (enough.test(received)) break;
  }
  return received;
}

const HANDSHAKE = {
  Host: 's.example',
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Protocol': PROTOCOL,
};

/** A request for a WebSocket; a header that is undefined is left out. */
function handshake(changed: Record<string, string | undefined> = {}, target = '/graphql'): string {
  const lines = Object.entries({ ...HANDSHAKE, ...changed }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}\r\n`],
  );
  return `GET ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

describe('a request for a WebSocket', () => {
  test.each([
    '/',
    '/graphq',
    '/graphql/more',
    '/api/v1/links',
    '/console',
    '/an-alias',
    '/auth/session',
    '/livez',
  ])('at %s gets 404', async (path) => {
    const { status, headers, body } = await refusalAt(server.origin, { path });
    expect([status, body]).toEqual([404, { message: 'Nothing is here.', status: 404 }]);
    expect(headers).toMatchObject({
      'x-request-id': expect.any(String),
      'cache-control': 'private, no-store',
    });
  });

  test.each(['/graphql', '/graphql/', '/GraphQL', '//graphql?query=x', 'http://s.example/graphql'])(
    'is accepted at %s',
    async (target) => {
      expect(await exchange(handshake({}, target), /\r\n\r\n/)).toMatch(
        /^HTTP\/1.1 101 [\s\S]*Sec-WebSocket-Protocol: graphql-transport-ws/,
      );
    },
  );

  test.each<[string, Record<string, string | undefined>]>([
    ['no subprotocol', { 'Sec-WebSocket-Protocol': undefined }],
    ['another subprotocol', { 'Sec-WebSocket-Protocol': 'graphql-ws, mqtt' }],
    ['a long list of subprotocols', { 'Sec-WebSocket-Protocol': `${'x, '.repeat(500)}${PROTOCOL}` }],
    ['no key', { 'Sec-WebSocket-Key': undefined }],
    ['a wrong key', { 'Sec-WebSocket-Key': 'short' }],
    ['no version', { 'Sec-WebSocket-Version': undefined }],
    ['another version', { 'Sec-WebSocket-Version': '12' }],
    ['no host', { Host: undefined }],
    ['a wrong host', { Host: 'not a host' }],
  ])('with %s gets 400', async (_what, changed) => {
    expect(await exchange(handshake(changed))).toMatch(/^HTTP\/1.1 400 [\s\S]*"status":400/);
  });

  test('with headers of more than 32 kB gets 431', async () => {
    expect(await exchange(handshake({ Cookie: 'x'.repeat(33_000) }))).toMatch(/^HTTP\/1.1 431 /);
  });

  test.each([
    ['a foreign origin', { Origin: 'https://evil.example' }],
    ['another port', { Origin: 'https://s.example:8443' }],
    ['an opaque origin', { Origin: 'null' }],
    [
      'its own origin, but from another site',
      { Origin: 'https://s.example', 'Sec-Fetch-Site': 'cross-site' },
    ],
  ])('of %s gets 403, with a key and a cookie, too', async (_what, changed) => {
    const authorization = { Authorization: `Bearer ${caller.key}`, Cookie: '__Host-linkspace=x' };
    expect(await exchange(handshake({ ...changed, ...authorization }))).toMatch(/^HTTP\/1.1 403 /);
  });

  test.each([
    ['the service itself', { Origin: 'https://s.example' }],
    ['a listed site', { Origin: APP, 'Sec-Fetch-Site': 'cross-site' }],
    ['no page', {}],
  ])('of %s is accepted', async (_what, changed) => {
    expect(await exchange(handshake(changed), /\r\n\r\n/)).toMatch(/^HTTP\/1.1 101 /);
  });

  test('is not compressed, whatever the client offers', async () => {
    const offer = { 'Sec-WebSocket-Extensions': 'permessage-deflate; client_max_window_bits' };
    const answer = await exchange(handshake(offer), /\r\n\r\n/);
    expect(answer).toMatch(/^HTTP\/1.1 101 /);
    expect(answer).not.toContain('Extensions');
  });

  test('that breaks off is forgotten', async () => {
    for (let i = 0; i < 5; i++) {
      const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
      await once(socket, 'connect');
      socket.write(handshake());
      socket.resetAndDestroy();
    }
    expect((await openAs(server.origin, caller.key)).messages).toEqual([{ type: 'connection_ack' }]);
  });
});

describe('a request for another upgrade', () => {
  const headers =
    'Host: s.example\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\n';

  test('is answered without it', async () => {
    expect(await exchange(`GET /livez HTTP/1.1\r\n${headers}\r\n`, /"ok"/)).toMatch(/^HTTP\/1.1 200 /);
  });

  test('keeps its body', async () => {
    const body = '{"query":"{ viewer { account { name } } }"}';
    const more = `Authorization: Bearer ${caller.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    const answer = await exchange(`POST /graphql HTTP/1.1\r\n${headers}${more}\r\n${body}`, /}$/);
    expect(answer).toMatch(/^HTTP\/1.1 200 [\s\S]*"name":"owner"/);
  });
});

test('a process for visitors has no WebSockets, and answers such a request like others', async () => {
  const visitors = await start({ url: server.databaseUrl, role: 'redirects' });
  const { alias } = await caller.link();
  expect(await exchange(handshake(), /\r\n\r\n/, visitors)).toMatch(/^HTTP\/1.1 404 /);
  expect(await exchange(handshake({}, `/${alias}`), /\r\n\r\n/, visitors)).toMatch(/^HTTP\/1.1 302 /);
});

describe('a connection', () => {
  test('has messages of 2 MB, and ends with 1009 at a larger one', async () => {
    const socket = await openAs(server.origin, caller.key);
    const ask = (id: string, size: number) => {
      const message = {
        id,
        type: 'subscribe',
        payload: { query: '{ __typename }', extensions: { pad: '' } },
      };
      const { length } = JSON.stringify(message);
      socket.send({
        ...message,
        payload: { ...message.payload, extensions: { pad: 'x'.repeat(size - length) } },
      });
    };
    ask('large', 2 * 1024 * 1024);
    await expect.poll(() => socket.about('large').at(-1)?.type).toBe('complete');
    ask('larger', 2 * 1024 * 1024 + 1);
    expect((await socket.closed)[0]).toBe(1009);
    expect(socket.about('larger')).toEqual([]);
  });

  test.each<[string, (socket: RawSocket) => void, number]>([
    ['no JSON', ({ ws }) => ws.send('{'), 4400],
    ['bytes', ({ ws }) => ws.send(Buffer.from('{}')), 4400],
    ['an unknown message', (socket) => socket.send({ type: 'start' }), 4400],
    ['many levels', ({ ws }) => ws.send(`${'['.repeat(20_000)}${']'.repeat(20_000)}`), 4400],
    ['many values', ({ ws }) => ws.send(JSON.stringify(Array(200_000).fill(1))), 4400],
    [
      'fragments without end',
      ({ ws }) => {
        for (let i = 0; i < 2_000; i++) ws.send('x', { fin: false });
      },
      1008,
    ],
    [
      'an id that is used',
      (socket) => {
        socket.ask('same', 'subscription { changes { id } }');
        socket.ask('same', 'subscription { changes { id } }');
      },
      4409,
    ],
  ])('ends at %s', async (_what, send, code) => {
    const socket = await openAs(server.origin, caller.key);
    send(socket);
    expect((await socket.closed)[0]).toBe(code);
  });

  test('refuses an operation whose id is long', async () => {
    const socket = await openAs(server.origin, caller.key);
    const id = 'x'.repeat(256);
    socket.ask(id, '{ __typename }');
    await expect.poll(() => socket.about(id)[0]?.type).toBe('error');
    expect(socket.ws.readyState).toBe(WebSocket.OPEN);
  });

  test('of somebody unknown ends with 1009 after 32 kB', async () => {
    const socket = await openSocket(server.origin);
    socket.send({ type: 'connection_init', payload: { authorization: 'x'.repeat(40_000) } });
    expect((await socket.closed)[0]).toBe(1009);
  });

  test('that answers no ping is ended, and one that does stays', async () => {
    const { origin, owner } = await start({ sockets: { pingInterval: 30 } });
    const silent = await openAs(origin, owner.key, { autoPong: false });
    const lively = await openAs(origin, owner.key);
    let pings = 0;
    lively.ws.on('ping', () => void pings++);
    expect((await silent.closed)[0]).toBe(1006);
    await expect.poll(() => pings).toBeGreaterThan(5);
    expect(lively.ws.readyState).toBe(WebSocket.OPEN);
  });

  test('that does not read its answers ends with 1013, and others get theirs', async () => {
    const at = await start({ sockets: { pingInterval: 3_600_000, closeTimeout: 3_600_000 } });
    const [slow, other] = [await openAs(at.origin, at.owner.key), await openAs(at.origin, at.owner.key)];
    slow.ws.pause();
    // Each is answered with the same: more than limits and the buffers of the system together.
    const pad = 'x'.repeat(1_000_000);
    for (let i = 0; i < 60; i++) slow.send({ type: 'ping', payload: { pad } });
    await expect.poll(() => slow.ws.bufferedAmount).toBe(0);
    other.ask('mine', '{ __typename }');
    await expect.poll(() => other.about('mine').length).toBe(2);
    slow.ws.resume();
    expect((await slow.closed)[0]).toBe(1013);
  });
});

describe('too many connections', () => {
  const code = async (socket: RawSocket) => (await socket.closed)[0];
  /** Opens a WebSocket from an address, as a proxy tells it. */
  const openFrom = (origin: string, address: string) =>
    openSocket(origin, { headers: { 'X-Forwarded-For': address } });

  test('get 1013: all of a process, and those of an account', async () => {
    const { origin, owner, ...at } = await start({ sockets: { max: 4, maxUnknown: 2, maxOfAccount: 2 } });
    const unknown = [await openSocket(origin), await openSocket(origin)];
    for (const socket of unknown) socket.introduce(owner.key);
    await expect.poll(() => unknown.map(({ messages }) => messages.length)).toEqual([1, 1]);
    expect(await code(await openAs(origin, owner.key))).toBe(1013);
    const other = await at.caller('another');
    const more = [await openAs(origin, other.key), await openAs(origin, other.key)];
    expect(await code(await openSocket(origin))).toBe(1013);
    more[0]?.ws.close();
    await expect
      .poll(async () => {
        const again = await openAs(origin, other.key);
        return again.messages.length;
      })
      .toBe(1);
  });

  test('of somebody unknown take no place from other networks: the oldest of the fullest network ends', async () => {
    const { origin, owner } = await start({
      trustProxy: 1,
      sockets: { maxUnknown: 4, initTimeout: 600_000 },
    });
    // One customer has all addresses of a /64.
    const strangers = [];
    for (const part of ['a', 'b', 'c']) strangers.push(await openFrom(origin, `2001:db8:0:1::${part}`));
    const guests = [await openFrom(origin, '192.0.2.1'), await openFrom(origin, '192.0.2.2')];
    expect(await code(strangers[0] as RawSocket)).toBe(1013);
    const flood = await openFrom(origin, '2001:db8:0:1::d');
    expect(await code(strangers[1] as RawSocket)).toBe(1013);
    for (const socket of [...guests, flood]) socket.introduce(owner.key);
    await expect.poll(() => [...guests, flood].map(({ messages }) => messages.length)).toEqual([1, 1, 1]);
    expect(strangers[2]?.ws.readyState).toBe(WebSocket.OPEN);
  });

  test('of as many networks: the oldest ends, and others keep their places of the process', async () => {
    const { origin, owner } = await start({
      ...{ trustProxy: 1, sockets: { max: 3, maxUnknown: 2, initTimeout: 600_000 } },
    });
    const known = [await openAs(origin, owner.key), await openAs(origin, owner.key)];
    const first = await openFrom(origin, '192.0.2.1');
    const second = await openFrom(origin, '192.0.2.2');
    expect(await code(first)).toBe(1013);
    second.introduce(owner.key);
    await expect.poll(() => second.messages.length).toBe(1);
    expect(known.map(({ ws }) => ws.readyState)).toEqual([WebSocket.OPEN, WebSocket.OPEN]);
  });
});

describe('a stop', () => {
  test('closes connections with 1001, and takes no new ones', async () => {
    const { origin, owner, ...at } = await start({});
    const [idle, busy] = [await openAs(origin, owner.key), await openAs(origin, owner.key)];
    busy.ask('events', 'subscription { changes { id } }');
    busy.ask('answered', '{ __typename }');
    await expect.poll(() => busy.about('answered').length).toBe(2);
    at.drain();
    expect([await idle.closed, await busy.closed].map(([code]) => code)).toEqual([1001, 1001]);
    expect(busy.about('events')).toEqual([]);
    expect(await refusalAt(origin)).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    await at.shutDown();
  });

  test('lets mutations end first, which it waits for', async () => {
    const { origin, owner, ...at } = await start({ verifiesDomains: true });
    const socket = await openAs(origin, owner.key);
    const domain = await owner.domain('slow.example');
    const { domain: found } = await owner.data<{ domain: { verification: { name: string } } }>(
      'query ($id: ID!) { domain(id: $id) { verification { name } } }',
      { id: domain },
    );
    const held = Promise.withResolvers<string[]>();
    at.dns.set(found.verification.name, held.promise);
    socket.ask('slow', 'mutation ($id: ID!) { verifyDomain(id: $id) { __typename } }', { id: domain });
    socket.ask('events', 'subscription { changes { id } }');
    await expect.poll(() => at.asked.length).toBeGreaterThan(0);
    const stopped = at.shutDown();
    socket.ask('late', '{ __typename }');
    await expect.poll(() => socket.about('late')[0]?.type).toBe('error');
    held.resolve([]);
    expect((await socket.closed)[0]).toBe(1001);
    expect(socket.about('slow').map(({ type }) => type)).toEqual(['next', 'complete']);
    expect(socket.about('events').map(({ type }) => type)).not.toContain('complete');
    await stopped;
  });
});

test('a WebSocket that comes before the start waits for it', async () => {
  const service = await Service.create(
    readConfig({ PORT: '0', DATABASE_URL: await newDatabase(), BASE_URL: 'https://s.example' }),
    { log: pino({ level: 'silent' }), worker: 2 },
  );
  const opening = openSocket(`http://127.0.0.1:${service.port}`);
  const early = connect(service.port, '127.0.0.1');
  early.write(handshake());
  await once(early, 'connect');
  early.resetAndDestroy();
  await service.start();
  const socket = await opening;
  socket.introduce('nobody-has-this-key');
  expect((await socket.closed)[0]).toBe(4401);
  service.disconnect();
  await service.stop();
});
