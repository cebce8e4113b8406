import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { visit } from '../../support/visit.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ maxInFlight: 200 });
});
afterAll(() => server.stop());

/** A connection to the server, and everything received over it. */
async function open({ origin }: TestServer): Promise<Socket & { received: () => string }> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return Object.assign(socket, { received: () => text });
}

const requests = (count: number, path: string) =>
  `GET ${path} HTTP/1.1\r\nHost: s.example\r\nUser-Agent: Mozilla/5.0\r\n\r\n`.repeat(count);
const logged = ({ log }: TestServer, path: string) => log.filter((line) => line.path === path);

describe('pipelined requests on one connection', () => {
  test('are answered in order, up to a hundred', async () => {
    const socket = await open(server);
    socket.write(requests(100, '/hundred'));
    await expect.poll(() => socket.received().match(/HTTP\/1\.1 404/g)?.length).toBe(100);
    socket.destroy();
  });

  test('are refused above a hundred', async () => {
    const socket = await open(server);
    socket.write(requests(150, '/more'));
    await once(socket, 'close');
    expect(socket.received().match(/HTTP\/1\.1 404/g)).toHaveLength(100);
    expect(socket.received()).toContain('HTTP/1.1 503');
  });

  test('end with the connection and are logged once each, and other clients are served afterwards', async () => {
    for (let i = 0; i < 3; i++) {
      const socket = await open(server);
      socket.write(requests(1_100, `/reset-${i}`));
      // A reset discards what the server has not read.
      await expect.poll(() => logged(server, `/reset-${i}`).length, { interval: 1 }).toBeGreaterThan(0);
      socket.resetAndDestroy();
    }
    const status = () => fetch(`${server.origin}/livez`).then((response) => response.status);
    await expect.poll(status).toBe(200);
    await setTimeout(200);
    for (let i = 0; i < 3; i++) {
      const lines = logged(server, `/reset-${i}`);
      expect(new Set(lines.map(({ requestId }) => requestId)).size).toBe(lines.length);
    }
  });
});

test('disconnects a client that does not read its answers, and serves others meanwhile', async () => {
  const patient = await startTestServer({ maxInFlight: 20, idleTimeout: 300 });
  try {
    const sockets = await Promise.all(Array.from({ length: 5 }, () => open(patient)));
    for (const socket of sockets) {
      socket.pause();
      socket.write(requests(100, '/unread'));
    }
    const status = () => fetch(`${patient.origin}/livez`).then((response) => response.status);
    await expect.poll(status).toBe(200);
    const closed = sockets.map((socket) => {
      socket.resume();
      return socket.closed ? null : once(socket, 'close');
    });
    await Promise.all(closed);
  } finally {
    await patient.stop();
  }
});

test('keeps a connection open while its answer is prepared', async () => {
  const busy = await startTestServer({ idleTimeout: 50, hashCost: { N: 2 ** 14, r: 8, p: 1 } });
  try {
    const caller = await busy.caller();
    const link = '{ url: "https://example.com/", password: "correct horse" }';
    const mutation = `mutation { createLinks(inputs: [${Array(10).fill(link)}]) { __typename } }`;
    const make = async () => (await caller.data<{ createLinks: unknown[] }>(mutation)).createLinks;
    // A slow client may send it just when the server ends the idle connection of an earlier request.
    await expect.poll(make).toHaveLength(10);
  } finally {
    await busy.stop();
  }
});

test.concurrent.each([
  ['an answer that ends it', 'GET /livez HTTP/1.1\r\nHost: s.example\r\nConnection: close\r\n\r\n'],
  ['a request that cannot be parsed', 'hello\r\n\r\n'],
])('closes the connection after %s, even if the client keeps its half open', async (_what, text) => {
  const { hostname, port } = new URL(server.origin);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.on('error', () => {}).resume();
  socket.write(text);
  await once(socket, 'end');
  // What it still sends is refused as soon as the server's half is gone, too.
  const isClosed = () => {
    if (socket.writable) socket.write('x');
    return socket.closed;
  };
  await expect.poll(isClosed).toBe(true);
  socket.destroy();
});

describe('an unparsable request', () => {
  test.each([
    ['no HTTP', 'hello\r\n\r\n', 400],
    ['no Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['two of them', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n', 400],
    [
      'an expectation that nobody knows',
      'GET / HTTP/1.1\r\nHost: s.example\r\nExpect: foo\r\nConnection: close\r\n\r\n',
      417,
    ],
    ['headers that are too large', `GET / HTTP/1.1\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
    [
      'a GraphQL request with such headers',
      `POST /graphql HTTP/1.1\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`,
      431,
    ],
  ])('gets a status and a request id: %s', async (_what, text, status) => {
    const socket = await open(server);
    socket.write(text, 'latin1');
    await once(socket, 'close');
    const [head = '', body = ''] = socket.received().split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head).toContain('\r\nCache-Control: private, no-store\r\n');
    expect(JSON.parse(body)).toEqual({ message: 'The request could not be read.', status });
    const requestId = /X-Request-Id: (.*)/.exec(head)?.[1];
    await expect
      .poll(() => server.log.find((line) => line.requestId === requestId))
      .toMatchObject({ status });
  });
});

describe('an address of an API with an unescaped character', () => {
  test.each<[string, string, string]>([
    ['/api/v1/links?search=zähler', 'utf8', 'send it as %C3%A4'],
    ['/api/v1/links?search=Łódź&page=2', 'utf8', 'send it as %C5%81'],
    ['/api/v1/links?search=👍', 'utf8', 'send it as %F0%9F%91%8D'],
    ['/api/v1/links?search=two words', 'utf8', 'send it as %20'],
    ['/graphql?query={viewer { role }}', 'utf8', 'send it as %20'],
    ['/api/v1/näve', 'utf8', 'send it as %C3%A4'],
    ['/api/v1/links?search=zähler', 'latin1', 'send it escaped, in UTF-8'],
    ['http://s.example/api/v1/links?search=ä', 'utf8', 'send it as %C3%A4'],
  ])('is told how to send it: %s in %s', async (target, encoding, told) => {
    const socket = await open(server);
    const head = `GET ${target} HTTP/1.1\r\nHost: s.example\r\nConnection: close\r\n\r\n`;
    socket.write(Buffer.from(head, encoding as BufferEncoding));
    await once(socket, 'close');
    const [, body = ''] = socket.received().split('\r\n\r\n');
    expect(JSON.parse(body)).toEqual({
      message: `The address has an unescaped character: ${told}.`,
      status: 400,
    });
  });
});

describe('a visit whose request is refused', () => {
  const large = `Cookie: ${'x'.repeat(40_000)}\r\n`;
  test.each<[string, string, number, string]>([
    ['raw UTF-8 of a form', 'POST /n\u00c3\u00a4ve HTTP/1.1\r\n', 400, 'This address cannot be read'],
    ['a raw letter of another encoding', 'GET /n\u00e4ve HTTP/1.1\r\n', 400, 'This address cannot be read'],
    [
      'a raw letter in absolute form',
      'GET http://s.example/\u00e4 HTTP/1.1\r\n',
      400,
      'This address cannot be read',
    ],
    ['a raw letter after an empty line', '\r\nGET //\u00e4 HTTP/1.1\r\n', 400, 'This address cannot be read'],
    ['headers that are too large', `GET /abc HTTP/1.1\r\n${large}`, 431, 'Your browser sends too much'],
    [
      'a path that is too long',
      `GET /${'x'.repeat(40_000)} HTTP/1.1\r\n`,
      431,
      'Your browser sends too much',
    ],
    ['such headers of a form', `POST /abc HTTP/1.1\r\n${large}`, 431, 'Your browser sends too much'],
    ['an unknown expectation', 'GET /abc HTTP/1.1\r\nExpect: foo\r\n', 417, 'This address cannot be read'],
    ['a second Host', 'GET /abc HTTP/1.1\r\nHost: a\r\n', 400, 'This address cannot be read'],
  ])('gets a page: %s', async (_what, start, status, title) => {
    const socket = await open(server);
    socket.write(`${start}Host: s.example\r\nConnection: close\r\n\r\n`, 'latin1');
    await once(socket, 'close');
    const [head = '', body = ''] = socket.received().split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head).toContain('\r\nContent-Type: text/html; charset=utf-8\r\n');
    expect(head).toContain('\r\nX-Robots-Tag: noindex\r\n');
    expect(head).toContain('\r\nCache-Control: private, no-store\r\n');
    expect(head).toMatch(/\r\nX-Request-Id: [\w-]{36}/);
    expect(head).toContain("\r\nContent-Security-Policy: default-src 'none'");
    expect(body).toContain(`<h1>${title}</h1>`);
  });

  test.each([
    ['/n\u00c3\u00a4ve', '/n%C3%A4ve'],
    ['/spring/\u00f0\u009f\u0091\u008d?a=1', '/spring/%F0%9F%91%8D?a=1'],
    ['/abc?a=\u00c3\u00a4&b=%20', '/abc?a=%C3%A4&b=%20'],
    // Browsers would take what follows for a host.
    ['//evil.example/\u00c3\u00a4', '/evil.example/%C3%A4'],
    ['/\\evil.example/\u00c3\u00a4', '/%5Cevil.example/%C3%A4'],
  ])('with raw UTF-8 is redirected to the same address, percent-encoded: %j', async (target, location) => {
    for (const method of ['GET', 'HEAD']) {
      const socket = await open(server);
      socket.write(`${method} ${target} HTTP/1.1\r\nHost: s.example\r\n\r\n`, 'latin1');
      await once(socket, 'close');
      const [head = '', body = ''] = socket.received().split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1\.1 307 /);
      expect(head).toContain(`\r\nLocation: ${location}\r\n`.trimEnd());
      expect(head).toContain('\r\nCache-Control: private, no-store\r\n');
      if (method === 'HEAD') expect(body).toBe('');
    }
  });

  test('gets the page in its language', async () => {
    const socket = await open(server);
    socket.write(`GET /abc HTTP/1.1\r\nHost: s.example\r\nAccept-Language: de-DE\r\n${large}\r\n`);
    await once(socket, 'close');
    expect(socket.received()).toContain('<html lang="de">');
  });

  test('gets the page if the end of the headers comes later', async () => {
    const socket = await open(server);
    socket.write('GET /abc HTTP/1.1\r\nHost: s.example\r\n');
    for (const part of ['Cookie: ', ...Array(10).fill('x'.repeat(4_000))])
      if (socket.writable) await new Promise((resolve) => socket.write(part, resolve));
    if (!socket.closed) await once(socket, 'close');
    expect(socket.received()).toMatch(/^HTTP\/1\.1 431 .*Content-Type: text\/html/s);
  });

  test('has no body for HEAD', async () => {
    const socket = await open(server);
    socket.write('HEAD /n\u00e4ve HTTP/1.1\r\nHost: s.example\r\n\r\n', 'latin1');
    await once(socket, 'close');
    expect(socket.received()).toMatch(/^HTTP\/1\.1 400 .*\r\n\r\n$/s);
  });
});

test('reads 32 kB of headers', async () => {
  const owner = await server.caller();
  const { alias } = await owner.link();
  const { status } = await visit(server.origin, `/${alias}`, { headers: { Cookie: 'x'.repeat(32_000) } });
  expect(status).toBe(302);
});

describe('the request target', () => {
  const statusOf = async (target: string, host = 's.example') => {
    const socket = await open(server);
    socket.write(
      `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: Mozilla/5.0\r\nConnection: close\r\n\r\n`,
    );
    await once(socket, 'close');
    const [head = ''] = socket.received().split('\r\n\r\n');
    return [
      / (\d+) /.exec(head)?.[1],
      /Location: (.*)/.exec(head)?.[1],
      /Content-Type: ([^;]*)/.exec(head)?.[1],
    ];
  };

  test('may be in absolute form, whose host counts', async () => {
    const owner = await server.caller();
    const domain = await owner.domain('other.example');
    await owner.link({ alias: 'absolute', url: 'https://example.com/default' });
    await owner.link({ alias: 'absolute', url: 'https://example.com/other', domain_id: domain });
    expect((await statusOf('http://s.example/absolute'))[1]).toBe('https://example.com/default');
    expect((await statusOf('http://other.example/absolute'))[1]).toBe('https://example.com/other');
    expect(await statusOf('http://s.example/livez', 'ignored.example')).toEqual([
      '200',
      undefined,
      'application/json',
    ]);
    expect((await statusOf('http://s.example'))[0]).toBe('200');
  });

  test('may begin with more than one slash', async () => {
    const owner = await server.caller();
    await owner.link({ alias: 'slashes' });
    expect((await statusOf('//slashes'))[1]).toBe('https://example.com/');
    expect(await statusOf('///nowhere')).toEqual(['404', undefined, 'text/html']);
  });
});

test('long paths are shortened in the log, and long operation names are left out', async () => {
  const caller = await server.caller();
  await fetch(`${server.origin}/${'x'.repeat(10_000)}`);
  await caller.graphql(`query ${'N'.repeat(100)} { __typename }`);
  await caller.graphql(`query ${'N'.repeat(900_000)} { __typename }`);
  await expect.poll(() => server.log.some(({ path }) => path === `/${'x'.repeat(499)}`)).toBe(true);
  await expect.poll(() => server.log.some(({ operation }) => operation === 'N'.repeat(100))).toBe(true);
  for (const line of server.log) expect(JSON.stringify(line).length).toBeLessThan(1_000);
});
