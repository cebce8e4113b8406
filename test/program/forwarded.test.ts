import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { clientOf, trustOf } from '../../src/http/request/client.ts';
import { visit } from '../support/visit.ts';

/** The client's address as a server sees it whose peer is 127.0.0.1. */
async function addressBehind(trust: number | string, forwarded: string): Promise<string> {
  const server = createServer((req, res) => res.end(clientOf(req, trustOf(trust)).address));
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
