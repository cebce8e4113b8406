import { expect, test } from 'vitest';
import { isPublicAddress } from '../../src/engine/tools/public-address.ts';

/** Addresses by kind; test/program/outgoing-post.test.ts tests their other spellings. */
const refused = {
  'this machine': ['127.0.0.1', '127.255.255.254', '::1'],
  'no machine': ['0.0.0.0', '0.1.2.3', '::'],
  private: [
    '10.0.0.1',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    'fc00::1',
    'fdff::1',
  ],
  'link-local': ['169.254.0.1', 'fe80::1', 'febf::1', 'fec0::1'],
  'shared by carriers': ['100.64.0.1', '100.127.255.255'],
  metadata: ['169.254.169.254', 'fd00:ec2::254', '100.100.100.200', '192.0.0.192', '168.63.129.16'],
  'several machines': ['224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1', 'ff0e::1'],
  'reserved, or for documents and benchmarks': [
    ...['192.0.0.1', '192.0.2.1', '198.51.100.1', '203.0.113.1', '198.18.0.1', '198.19.255.255', '240.0.0.1'],
    ...['192.88.99.1', '2001:db8::1', '3fff::1', '100::1', '5f00::1', '4000::1', '2001:2::1', '2001:10::1'],
  ],
  'IPv4, mapped': ['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8'],
  'IPv4, compatible': ['::127.0.0.1', '::7f00:1', '::8.8.8.8'],
  'IPv4, translated': ['::ffff:0:127.0.0.1', '64:ff9b::127.0.0.1', '64:ff9b:1::7f00:1', '64:ff9b::8.8.8.8'],
  'IPv4 by 6to4 and Teredo': [
    '2002:7f00:1::',
    '2002:a00:1::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '2001::1',
  ],
  'no address': ['', 'localhost', '127.1', '2130706433', '0x7f.1', '0177.0.0.1', 'fe80::1%eth0', '[::1]'],
};

test.each(Object.entries(refused))('refuses addresses of %s', (_what, addresses) => {
  expect(addresses.filter(isPublicAddress)).toEqual([]);
});

test('allows public addresses', () => {
  const addresses = ['8.8.8.8', '1.1.1.1', '172.15.255.255', '172.32.0.1', '100.63.255.255', '192.167.1.1'];
  const ipv6 = ['2606:4700:4700::1111', '2001:4860:4860::8888', '2a00:1450:4001::1'];
  expect([...addresses, ...ipv6].filter((one) => !isPublicAddress(one))).toEqual([]);
});
