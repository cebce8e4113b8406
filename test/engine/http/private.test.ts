import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import helmet from 'helmet';
import { expect, test } from 'vitest';
import { readHeadersOf, stopAccepting } from '../../../src/engine/http/private.ts';

test('a server that accepts no more keeps its idle connections until they end', async () => {
  const server = createServer((_req, res) => res.end('answer')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  const request = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
  /** Sends a request, and waits for its answer. */
  const ask = async () => {
    let received = '';
    socket.write(request);
    while (!received.endsWith('answer')) received += (await once(socket, 'data'))[0];
    return received;
  };
  expect(await ask()).toContain('200 OK');
  const stopped = stopAccepting(server);
  const [refused] = await once(connect(port, '127.0.0.1'), 'error');
  expect(refused).toMatchObject({ code: 'ECONNREFUSED' });
  expect(await ask()).toContain('200 OK');
  socket.end();
  await stopped;
});

test('helmet sets all of its headers at once, each by setHeader, and the same ones for each request', async () => {
  const secure = helmet();
  const server = createServer((req, res) => secure(req, res, () => res.end())).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { headers } = await fetch(`http://127.0.0.1:${port}`);
  server.close();
  const read = readHeadersOf(secure);
  const others = ['connection', 'content-length', 'date', 'keep-alive'];
  const sent = Object.fromEntries([...headers].filter(([name]) => !others.includes(name)));
  const lower = Object.entries(read).map(([name, value]) => [name.toLowerCase(), value]);
  expect(Object.fromEntries(lower)).toEqual(sent);
  expect(Object.keys(read)).toContain('X-Frame-Options');
});
