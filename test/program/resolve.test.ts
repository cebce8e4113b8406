import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createResolveHost } from '../../src/engine/outgoing/resolve.ts';

/** The addresses of names; names that begin with "silent" get no answer. */
const records: Record<string, string[]> = {
  'both.example': ['192.0.2.1', '192.0.2.2', '2001:db8::1'],
  'six.example': ['2001:db8::6'],
  'moved.example': ['192.0.2.9'],
};
const types = { 1: 4, 28: 6 } as const;

function bytesOf(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail = ''] = address.split('::');
  const [before, after] = [head, tail].map((part) => part.split(':').filter(Boolean));
  const zeros = Array(8 - (before?.length ?? 0) - (after?.length ?? 0)).fill('0');
  const words = [...(before ?? []), ...zeros, ...(after ?? [])];
  return Buffer.concat(words.map((word) => Buffer.from(word.padStart(4, '0'), 'hex')));
}

/** The answer to a query for the addresses of a name (RFC 1035, 4.1); null for none. */
function answerTo(query: Buffer): Buffer | null {
  const labels: string[] = [];
  let at = 12;
  for (let size = query[at] ?? 0; size > 0; size = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + size));
    at += size + 1;
  }
  const name = labels.join('.');
  if (name.startsWith('silent')) return null;
  const type = query.readUInt16BE(at + 1);
  const family = types[type as keyof typeof types];
  const addresses = records[name]?.filter((address) => isIP(address) === family) ?? [];
  const head = Buffer.from(query.subarray(0, 12));
  head.writeUInt16BE(records[name] ? 0x8180 : 0x8183, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt16BE(0, 10);
  const answers = addresses.map((address) => {
    const bytes = bytesOf(address);
    const fields = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, bytes.length]);
    return Buffer.concat([fields, bytes]);
  });
  return Buffer.concat([head, query.subarray(12, at + 5), ...answers]);
}

const server = createSocket('udp4');
/** A name server that never answers. */
const silentServer = createSocket('udp4');
const folder = mkdtempSync(join(tmpdir(), 'linkspace-hosts-'));
const hostsFile = join(folder, 'hosts');
let resolve: ReturnType<typeof createResolveHost>;
beforeAll(async () => {
  server.on('message', (query, { port, address }) => {
    const answer = answerTo(query);
    if (answer) server.send(answer, port, address);
  });
  for (const one of [server, silentServer]) {
    one.bind(0, '127.0.0.1');
    await once(one, 'listening');
  }
  writeFileSync(
    hostsFile,
    '# names\n127.0.0.1\tlocalhost Own.Example # ours\n::1 localhost\r\n10.0.0.7 moved.example\n',
  );
  resolve = createResolveHost({ servers: [`127.0.0.1:${server.address().port}`], hostsFile });
});
afterAll(() => {
  server.close();
  silentServer.close();
  rmSync(folder, { recursive: true });
});

const addressesOf = async (host: string) => (await resolve(host)).map(({ address }) => address);

test.each([
  ['both.example', ['192.0.2.1', '192.0.2.2', '2001:db8::1']],
  ['six.example', ['2001:db8::6']],
  ['own.example', ['127.0.0.1']],
  ['OWN.example', ['127.0.0.1']],
  ['localhost', ['127.0.0.1', '::1']],
  ['moved.example', ['10.0.0.7']],
])('resolves %s to %j', async (host, expected) => {
  expect(await addressesOf(host)).toEqual(expected);
});

test('returns the family of each address', async () => {
  expect((await resolve('both.example')).map(({ family }) => family)).toEqual([4, 4, 6]);
});

test('fails for a name without addresses', async () => {
  await expect(resolve('nowhere.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

test('looks up names by DNS if there is no hosts file', async () => {
  const servers = [`127.0.0.1:${server.address().port}`];
  const found = await createResolveHost({ servers, hostsFile: join(folder, 'none') })('moved.example');
  expect(found).toEqual([{ address: '192.0.2.9', family: 4 }]);
});

test('a lookup with silent name servers delays no other lookup, nor those of the system', async () => {
  const silent = Array.from({ length: 50 }, (_, index) =>
    resolve(`silent${index}.example`).catch(() => 'failed'),
  );
  const answered = Promise.all([addressesOf('both.example'), lookup('127.0.0.1'), lookup('localhost')]);
  expect(await Promise.race([answered.then(() => 'answered'), ...silent])).toBe('answered');
});

test('stops a lookup in time, however many name servers are silent', async () => {
  const servers = [server, silentServer].map((one) => `127.0.0.1:${one.address().port}`);
  const impatient = createResolveHost({ servers, hostsFile, timeout: 200 });
  // Without that, it takes some five seconds for each of them.
  const late = setTimeout(4_000, 'late', { ref: false });
  const failed = impatient('silent.example').catch(() => 'failed');
  expect(await Promise.race([failed, late])).toBe('failed');
});
