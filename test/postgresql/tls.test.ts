import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrations } from '../../src/db/migrations.ts';
import { onServer } from '../support/database.ts';
import { NOBODY, type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { Caller } from '../support/server.ts';
import { refusalOf, startService } from '../support/service.ts';

// A key, and its own certificates for 127.0.0.1, made by `openssl ca -selfsign`: until the year 2120, and until 2020.
const PEM = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgWnIToXMBK7Cm36vz
/GUYmuukSaHdJKMVQDGtYwer6muhRANCAAQyQl9rYUdqD0wscifssxTHrwqXIgq3
jedzlJuziS8EywE1KX66sdNCG/boB3M+QmVMqe5zHDVJivBEbg+vUash
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBXDCCAQKgAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsaW5rc3Bh
Y2UwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
CWxpbmtzcGFjZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABDJCX2thR2oPTCxy
J+yzFMevCpciCreN53OUm7OJLwTLATUpfrqx00Ib9ugHcz5CZUyp7nMcNUmK8ERu
D69RqyGjQzBBMA8GA1UdEQQIMAaHBH8AAAEwDwYDVR0TAQH/BAUwAwEB/zAdBgNV
HQ4EFgQU6iNw+y/kQMBx/iVKBSCz+6YPNcEwCgYIKoZIzj0EAwIDSAAwRQIhANLJ
BvkVtU9hVj3at2LwuYSe4E4+wG4gHBK47Qu1Lu2NAiAD/NBulV68XL04HBU1i5py
K/geA1QPtHUSAEwzfFsJKw==
-----END CERTIFICATE-----
`,
  expired: `-----BEGIN CERTIFICATE-----
MIIBDzCBtgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsaW5rc3BhY2UwHhcN
MjAwMTAxMDAwMDAwWhcNMjAwMTAyMDAwMDAwWjAUMRIwEAYDVQQDDAlsaW5rc3Bh
Y2UwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQyQl9rYUdqD0wscifssxTHrwqX
Igq3jedzlJuziS8EywE1KX66sdNCG/boB3M+QmVMqe5zHDVJivBEbg+vUashMAoG
CCqGSM49BAMCA0gAMEUCIAtYIYagpa0OyNuYs/DIg9v2BG0q9hKQ2R1H0vg5OFpW
AiEAlvjwvb1F7t2KF90lJHOiMXyDZ1orUYfKCPL/XLjJlG8=
-----END CERTIFICATE-----
`,
};

const KEY = 'the-first-key-of-an-empty-database';
const folder = mkdtempSync(join(tmpdir(), 'linkspace-tls-'));

/** The path of a file that only the server's user can read. */
function fileWith(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  if (process.getuid?.() === 0) chownSync(path, NOBODY.uid, NOBODY.gid);
  return path;
}

let server: PostgresServer;
let host: string;
let ca: string;
beforeAll(async () => {
  if (process.getuid?.() === 0) chownSync(folder, NOBODY.uid, NOBODY.gid);
  ca = fileWith('ca.pem', PEM.cert);
  const files = [
    `ssl_key_file=${fileWith('key.pem', PEM.key)}`,
    `ssl_cert_file=${fileWith('server.pem', PEM.cert)}`,
  ];
  server = await startPostgres(['ssl=on', `ssl_ca_file=${ca}`, ...files]);
  ({ host } = new URL(server.url));
  await onServer(server.url, 'CREATE ROLE linkspace LOGIN SUPERUSER');
  // As managed providers do.
  writeFileSync(
    join(server.cluster, 'pg_hba.conf'),
    'hostssl all linkspace all cert\nhostssl all postgres all trust\nhostssl replication all all trust\n',
  );
  await server.kill('SIGINT');
  await server.start();
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

/** The server's URL with these parameters. */
const urlWith = (search: string, changes: Partial<URL> = {}) =>
  Object.assign(new URL(server.url), { search, ...changes }).href;

const trusting = () => `?sslmode=verify-full&sslrootcert=${ca}`;

/** The hint that names the guide. */
const guide = 'See "TLS to PostgreSQL" in docs/operations.md.';

test('serves over TLS with the certificate of a private authority', async () => {
  const key = `&sslcert=${ca}&sslkey=${join(folder, 'key.pem')}`;
  for (const url of [urlWith(trusting()), urlWith(trusting() + key, { username: 'linkspace' })]) {
    const env = { DATABASE_URL: url, INITIAL_API_KEY: KEY, BASE_URL: 'https://s.example' };
    const service = await startService(env);
    expect((await fetch(`${service.origin}/readyz`)).status).toBe(200);
    await service.stop();
  }
  for (const mode of ['prefer', 'require', 'verify-ca', 'allow', 'no-verify'])
    expect((await migrations.stateAt(urlWith(trusting().replace('verify-full', mode)))).pending).toEqual([]);
});

test.each([
  [
    'without sslmode',
    '',
    () =>
      `The PostgreSQL server at ${host}, which DATABASE_URL names, requires TLS: write sslmode=verify-full into the URL. ${guide}`,
  ],
  [
    'with sslmode=disable',
    '?sslmode=disable',
    () =>
      `The PostgreSQL server at ${host}, which DATABASE_URL names, requires TLS: write sslmode=verify-full into the URL. ${guide}`,
  ],
  ...['allow', 'prefer', 'require', 'verify-ca', 'verify-full'].map(
    (mode) =>
      [
        `with sslmode=${mode} and an unknown authority`,
        `?sslmode=${mode}`,
        () =>
          `The certificate of the PostgreSQL server at ${host}, which DATABASE_URL names, is of no authority that is known here (self-signed certificate). Name the file with that of its authority: sslrootcert=/path/ca.pem in the URL. ${guide}`,
      ] as const,
  ),
] as const)('says what to do %s', async (_name, search, message) => {
  expect(await refusalOf({ DATABASE_URL: urlWith(search) })).toBe(message());
});

test('says what is wrong with a file of the URL', async () => {
  const missing = urlWith('?sslmode=verify-full&sslrootcert=/nowhere/ca.pem');
  expect(await refusalOf({ DATABASE_URL: missing })).toBe(
    `sslrootcert in DATABASE_URL names the file "/nowhere/ca.pem", which cannot be read: ENOENT: no such file or directory, open '/nowhere/ca.pem'.`,
  );
  const junk = fileWith('junk.pem', 'no certificate');
  expect(await refusalOf({ DATABASE_URL: urlWith(`${trusting()}&sslcert=${junk}&sslkey=${junk}`) })).toMatch(
    new RegExp(`^TLS to the PostgreSQL server at ${host}, which DATABASE_URL names, failed: .* ${guide}$`),
  );
});

test('says that the server asks for a certificate', async () => {
  expect(await refusalOf({ DATABASE_URL: urlWith(trusting(), { username: 'linkspace' }) })).toBe(
    `The PostgreSQL server at ${host} wants a certificate of the user "linkspace": name its files by sslcert and sslkey in DATABASE_URL. ${guide}`,
  );
});

test('says that the certificate is for another name, or too old, and answers 503 meanwhile', async () => {
  const env = { DATABASE_URL: urlWith(trusting()), INITIAL_API_KEY: KEY, BASE_URL: 'https://s.example' };
  const service = await startService(env);
  const named = urlWith(trusting(), { hostname: 'localhost' });
  expect(await refusalOf({ DATABASE_URL: named })).toMatch(
    new RegExp(
      `^The certificate of the PostgreSQL server at ${host.replace('127.0.0.1', 'localhost')}, which DATABASE_URL names, is for another name: .* Name the server as its certificate does\\. ${guide}$`,
    ),
  );
  fileWith('server.pem', PEM.expired);
  await onServer(urlWith('?sslmode=no-verify'), 'SELECT pg_reload_conf()');
  const refusal = () => refusalOf({ DATABASE_URL: urlWith(trusting()) });
  await expect
    .poll(refusal)
    .toBe(
      `The certificate of the PostgreSQL server at ${host}, which DATABASE_URL names, is not valid now: certificate has expired. Renew it, or correct the clock of this machine. ${guide}`,
    );
  await onServer(
    urlWith('?sslmode=no-verify'),
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename IS NOT NULL',
  );
  const caller = new Caller(service.origin, KEY);
  await expect.poll(async () => (await caller.rest('GET', '/spaces')).status).toBe(503);
  expect((await caller.graphql('{ spaces { nodes { id } } }')).errors).toMatchObject([
    { extensions: { code: 'UNAVAILABLE' } },
  ]);
  await service.end();
  // Replicas and the direct connection have their own variables.
  const own = urlWith('?sslmode=no-verify');
  for (const variable of ['DATABASE_READ_URLS', 'DATABASE_DIRECT_URL'])
    expect(await refusalOf({ DATABASE_URL: own, [variable]: urlWith(trusting()) })).toContain(
      `, which ${variable} names, is not valid now`,
    );
});
