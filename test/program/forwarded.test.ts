import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { findClient, findScheme, makeWarning, parseTrust } from '../../src/engine/http/request/client.ts';
import { startTestServer } from '../../src/testing/server.ts';
import { visit } from '../support/visit.ts';

/** The client's address as a server sees it whose peer is 127.0.0.1. */
async function addressBehind(trust: number | string, forwarded: string): Promise<string> {
  const server = createServer((req, res) => res.end(findClient(req, parseTrust(trust)).address));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // It listens on a port.
  const headers = { 'X-Forwarded-For': forwarded, Connection: 'close' };
  return (await visit(`http://127.0.0.1:${port}`, '/', { headers })).body;
}

const cdn = 'loopback,162.158.0.0/15,2001:db8:1::/48';

test.each([
  // Of the client
  [cdn, '203.0.113.7:22358', '203.0.113.7'],
  [cdn, '[2001:db8::1]:9000', '2001:db8::1'],
  [cdn, '[2001:db8::1]', '2001:db8::1'],
  [cdn, '2001:db8::1', '2001:db8::1'],
  [cdn, '2001:db8::1:9000', '2001:db8::1:9000'],
  [cdn, '2001:db8:0:0:0:0:0:80', '2001:db8:0:0:0:0:0:80'],
  [cdn, '::ffff:203.0.113.7', '::ffff:203.0.113.7'],
  [cdn, '[::ffff:203.0.113.7]:80', '::ffff:203.0.113.7'],
  [cdn, ' 203.0.113.7:22358 ', '203.0.113.7'],
  [cdn, 'unknown', 'unknown'],
  // Only spaces and tabs are around an address.
  [cdn, '203.0.113.7, \u00a0127.0.0.1', '\u00a0127.0.0.1'],
  [cdn, '203.0.113.7\u00a0', '203.0.113.7\u00a0'],
  [cdn, '203.0.113.7, \u00a0, 127.0.0.1', '\u00a0'],
  // Of trusted proxies
  [cdn, '203.0.113.7, 162.158.93.118:22358', '203.0.113.7'],
  [cdn, '203.0.113.7:1,162.158.93.118:22358,127.0.0.1:80', '203.0.113.7'],
  [cdn, '203.0.113.7, [::1]:9000', '203.0.113.7'],
  [cdn, '203.0.113.7, [::1]', '203.0.113.7'],
  [cdn, '203.0.113.7, [2001:db8:1::5]:443, ::ffff:127.0.0.1', '203.0.113.7'],
  [cdn, '203.0.113.7\t,\t[::1]:9000\t', '203.0.113.7'],
  [cdn, '2001:db8::9, 162.158.93.118:22358', '2001:db8::9'],
  // What a client writes before the first address that is not trusted does not count
  [cdn, '192.0.2.1:1, 203.0.113.7:2, 162.158.93.118:3', '203.0.113.7'],
  [cdn, '192.0.2.1, [2001:db8:2::5]:443', '2001:db8:2::5'],
  // A number of proxies
  [1, '192.0.2.1:1, 203.0.113.7:22358', '203.0.113.7'],
  [2, '192.0.2.1:1, 203.0.113.7:22358', '192.0.2.1'],
])('TRUST_PROXY=%s and X-Forwarded-For: %s name the client %s', async (trust, forwarded, expected) => {
  expect(await addressBehind(trust, forwarded)).toBe(expected);
});

test.each([
  [' go.example\t, other.example', ' HTTPS\t, http', 'go.example', 'https:'],
  ['\u00a0go.example', '\u00a0https', '\u00a0go.example', '\u00a0https:'],
  ['\u00a0', '\u00a0', '\u00a0', '\u00a0:'],
  [' ', '\t', 's.example', 'http:'],
])('X-Forwarded-Host: %j and X-Forwarded-Proto: %j name %j and %j', async (hosts, schemes, host, scheme) => {
  const trust = parseTrust(1);
  const server = createServer((req, res) =>
    res.end(JSON.stringify([findClient(req, trust).host, findScheme(req, trust, 'http:')])),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // It listens on a port.
  const forwarded = { 'X-Forwarded-Host': hosts, 'X-Forwarded-Proto': schemes };
  const headers = { ...forwarded, Host: 's.example', Connection: 'close' };
  const { body } = await visit(`http://127.0.0.1:${port}`, '/', { headers });
  expect(JSON.parse(body)).toEqual([host, scheme]);
});

test('warns at most hourly of a proxy that is not trusted', () => {
  let at = 0;
  const log: unknown[] = [];
  const ignored = makeWarning({ warn: (...line: unknown[]) => log.push(line) }, () => at);
  const peers = () => log.splice(0).map((line) => (line as [{ peer: string }])[0].peer);
  for (const peer of ['203.0.113.7', '2a00:1450::1', '::ffff:203.0.113.7']) ignored(peer);
  expect(peers()).toEqual([]);
  const near = [
    '127.0.0.1',
    '::1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    'fd00::1',
    '::ffff:10.0.0.1',
    '100.64.0.1',
  ];
  for (const peer of near) {
    ignored(peer);
    ignored(peer);
    at += 3_599_999;
    ignored(peer);
    at += 1;
  }
  expect(peers()).toEqual(near);
});

test('a visit and an API call through such a proxy show it, and through a trusted one do not', async () => {
  const said =
    'X-Forwarded-For of a peer that TRUST_PROXY does not name is ignored: all clients of this proxy count as one';
  const headers = { 'X-Forwarded-For': '203.0.113.7' };
  for (const [trustProxy, expected] of [
    [false, [{ peer: '127.0.0.1' }]],
    ['10.0.0.0/8', [{ peer: '127.0.0.1' }]],
    ['loopback', []],
    [1, []],
  ] as const) {
    const server = await startTestServer({ trustProxy });
    onTestFinished(() => server.stop());
    // Nobody forwards it.
    await visit(server.origin, '/unknown');
    const warned = () => server.log.filter(({ msg }) => msg === said);
    expect(warned()).toEqual([]);
    for (const path of ['/unknown', '/unknown', '/api/v1/links'])
      await visit(server.origin, path, { headers });
    expect(warned()).toMatchObject(expected);
  }
});
