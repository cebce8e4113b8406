import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createSocketServer,
  isIP,
  type Server as SocketServer,
} from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPost } from '../../src/engine/outgoing/post.ts';

/** The number of requests to this machine, which must stay 0 if private addresses are refused. */
let arrived = 0;
/** The number of connections that ended after an answer 101. */
let left = 0;
let server: Server;
let port: number;
beforeAll(async () => {
  server = createServer((req, res) => {
    arrived++;
    if (req.url?.startsWith('/upgrade')) {
      const upgrade = req.url === '/upgrade' ? 'Upgrade: websocket\r\nConnection: Upgrade\r\n' : '';
      res.socket?.once('close', () => left++).write(`HTTP/1.1 101 Switching Protocols\r\n${upgrade}\r\n`);
      return;
    }
    if (req.url === '/redirect') res.writeHead(302, { Location: '/' });
    if (req.url === '/broken') {
      res.writeHead(200, { 'Content-Length': 10 }).write('12345', () => res.destroy());
      return;
    }
    res.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close());

/** Names with lists of addresses: each look-up returns the next list, at the end always the last one. */
const names = new Map<string, string[][]>();
const asked: string[] = [];
async function resolve(host: string) {
  asked.push(host);
  const lists = names.get(host);
  if (lists === undefined) throw new Error('ENOTFOUND');
  const addresses = (lists.length > 1 ? lists.shift() : lists[0]) ?? [];
  return addresses.map((address) => ({ address, family: isIP(address) }));
}

const careful = createPost({ allowPrivate: false, resolve, userAgent: 'test' });
const trusting = createPost({ allowPrivate: true, resolve, userAgent: 'test' });
const never = new AbortController().signal;
const nowhere = { status: null, error: 'no public address' };

test.each([
  ...[
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '017700000001',
  ],
  ...['127.0.0.1.', '0', '0.0.0.0', '0x0', '①②⑦.⓪.⓪.①', '127。0。0。1', '%31%32%37.0.0.1'],
  ...[
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:7f00:1]',
  ],
  ...['[::127.0.0.1]', '[64:ff9b::127.0.0.1]', '[2002:7f00:1::]', '[2001:0:4136:e378:8000:63bf:80ff:fffe]'],
  ...[
    '10.0.0.1',
    '192.168.1',
    '172.16.0.1',
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '[fd00:ec2::254]',
  ],
  ...['[fe80::1]', '100.64.0.1', '224.0.0.1', '255.255.255.255', '168.63.129.16', '192.0.0.192'],
])('refuses to call http://%s', async (host) => {
  const before = arrived;
  expect(await careful(`http://${host}:${port}/`, {}, '{}', never)).toEqual(nowhere);
  expect(arrived).toBe(before);
});

test.each([
  ['of this machine', [['127.0.0.1']]],
  ['of this machine beside a public one', [['93.184.215.14', '127.0.0.1']]],
  ['of its network, in IPv6', [['fd12::1']]],
  ['of IPv4 in IPv6', [['::ffff:127.0.0.1']]],
  ['of nothing', [[]]],
])('refuses to call a name with the address %s', async (_what, lists) => {
  names.set('internal.example', lists);
  const before = arrived;
  expect(await careful(`http://internal.example:${port}/`, {}, '{}', never)).toEqual(nowhere);
  expect(arrived).toBe(before);
});

test('gives the same error for an unknown name as for a forbidden one', async () => {
  expect(await careful('http://unknown.example/', {}, '{}', never)).toEqual(nowhere);
  // With private addresses allowed, every name may be known to exist.
  expect(await trusting('http://unknown.example/', {}, '{}', never)).toEqual({
    status: null,
    error: 'host not found',
  });
});

test('looks up a name once per connection, so that a changed address is checked too', async () => {
  // The first address is reserved for documentation, and counts as public here; nothing answers there.
  names.set('rebound.example', [['127.0.0.1'], ['10.0.0.1']]);
  asked.length = 0;
  expect(await trusting(`http://rebound.example:${port}/`, {}, '{}', never)).toEqual({
    status: 200,
    error: null,
  });
  expect(asked).toEqual(['rebound.example']);
  expect(await careful(`http://rebound.example:${port}/`, {}, '{}', never)).toEqual(nowhere);
  expect(asked).toEqual(['rebound.example', 'rebound.example']);
});

test('calls private addresses if the operator allows them, and does not follow redirects', async () => {
  const url = `http://127.0.0.1:${port}`;
  expect(await trusting(url, {}, '{}', never)).toEqual({ status: 200, error: null });
  const before = arrived;
  expect(await trusting(`${url}/redirect`, {}, '{}', never)).toEqual({
    status: 302,
    error: 'redirects are not followed',
  });
  expect(arrived).toBe(before + 1);
});

test.each(['/upgrade', '/upgrade-to-nothing'])(
  'fails at once on a 101 answer to %s, and closes the connection',
  async (path) => {
    const before = left;
    const answer = trusting(`http://127.0.0.1:${port}${path}`, {}, '{}', never);
    expect(await answer).toEqual({ status: 101, error: 'status 101' });
    await expect.poll(() => left).toBe(before + 1);
  },
);

test('counts the status of an answer that breaks off', async () => {
  const url = `http://127.0.0.1:${port}/broken`;
  expect(await trusting(url, {}, '{}', never)).toEqual({ status: 200, error: null });
});

async function listening(one: SocketServer): Promise<number> {
  one.listen(0, '127.0.0.1');
  await once(one, 'listening');
  return (one.address() as AddressInfo).port;
}

test.each([
  [
    'interim answers',
    'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n',
    { status: null, error: 'answer too long' },
  ],
  ['chunks', `1;${'x'.repeat(2_000)}\r\na\r\n`, { status: 200, error: null }],
])('reads at most 64 kB of endless %s', async (_what, endless, expected) => {
  let sent = 0;
  const receiver = createSocketServer((socket) => {
    if (endless.startsWith('1')) socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
    const send = () => {
      while (!socket.destroyed && socket.write(endless)) sent += endless.length;
    };
    socket.on('error', () => {}).on('drain', send);
    socket.once('data', send);
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port: own } = receiver.address() as AddressInfo;
  expect(await trusting(`http://127.0.0.1:${own}/`, {}, '{}', never)).toEqual(expected);
  // What the system has buffered.
  expect(sent).toBeLessThan(10_000_000);
  receiver.close();
});

test('gives a short reason why there was no answer', async () => {
  const rude = createSocketServer((socket) => socket.end('220 mail.internal ESMTP\r\n'));
  const hasty = createSocketServer((socket) => socket.destroy());
  const told = async (scheme: string, at: number) =>
    (await trusting(`${scheme}://127.0.0.1:${at}/`, {}, '{}', never)).error;
  expect(await told('http', await listening(rude))).toBe('not HTTP');
  expect(await told('http', await listening(hasty))).toBe('connection failed');
  expect(await told('https', port)).toBe('certificate or TLS refused');
  const closed = createSocketServer();
  const freed = await listening(closed);
  await new Promise((done) => closed.close(done));
  expect(await told('http', freed)).toBe('connection refused');
  for (const one of [rude, hasty]) one.close();
});

test('stops an aborted attempt', async () => {
  const silent = createSocketServer(() => {});
  const abort = new AbortController();
  const attempt = trusting(`http://127.0.0.1:${await listening(silent)}/`, {}, '{}', abort.signal);
  abort.abort();
  await expect(attempt).rejects.toThrow('aborted');
  silent.close();
});

test('makes no attempt if it is aborted before it starts', async () => {
  const before = arrived;
  const attempt = trusting(`http://127.0.0.1:${port}/`, {}, '{}', AbortSignal.abort());
  await expect(attempt).rejects.toThrow('aborted');
  expect(arrived).toBe(before);
});

/** A key and a self-signed certificate; empty without openssl. */
const selfSigned = spawnSync(
  'openssl',
  [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', '-', '-out', '-'],
  ],
  { encoding: 'utf8' },
).stdout;

test.runIf(selfSigned)('sends nothing to a receiver without a valid certificate', async () => {
  let requests = 0;
  const tls = createTlsServer({ key: selfSigned, cert: selfSigned }, (_req, res) => {
    requests++;
    res.end();
  });
  const url = `https://127.0.0.1:${await listening(tls)}/`;
  expect(await trusting(url, {}, '{}', never)).toEqual({ status: null, error: 'certificate or TLS refused' });
  expect(requests).toBe(0);
  tls.close();
});
