import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyHost } from '../../src/domain/short-domain/admin.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
});
afterAll(() => server.stop());

const APPLE = '/.well-known/apple-app-site-association';
const ANDROID = '/.well-known/assetlinks.json';
const PRINT = Array.from({ length: 32 }, () => 'AB').join(':');
const apple = { teamId: 'ABCDE12345', bundleId: 'com.example.app' };
const android = { package: 'com.example.app', fingerprints: [PRINT] };

const shown = `__typename ... on Domain { apps { apple { teamId bundleId paths } android { package fingerprints } } }
  ... on ValidationError { fields { path messages reason } }`;
const update = `mutation ($id: ID!, $apps: DomainAppsInput) { updateDomain(id: $id, input: { apps: $apps }) { ${shown} } }`;
const setApps = async (id: number, apps: object | null, caller = owner) =>
  (await caller.data<{ updateDomain: object }>(update, { id: String(id), apps })).updateDomain;
const ask = (path: string, host: string, method = 'GET', { origin } = server) =>
  visit(origin, path, { method, headers: { Host: host } });

test('are served as both systems expect, without a redirect, until they are cleared', async () => {
  const id = await owner.domain('go.example');
  for (const path of [APPLE, ANDROID]) expect((await ask(path, 'go.example')).status).toBe(404);
  const paths = ['NOT /private/*', '/a/*', '*'];
  expect(await setApps(id, { apple: [{ ...apple, paths }], android: [android] })).toEqual({
    __typename: 'Domain',
    apps: { apple: [{ ...apple, paths }], android: [android] },
  });
  const ofApple = await ask(APPLE, 'go.example');
  expect([ofApple.status, ofApple.headers['content-type'], ofApple.location]).toEqual([
    200,
    'application/json; charset=utf-8',
    undefined,
  ]);
  expect(JSON.parse(ofApple.body)).toEqual({
    applinks: {
      details: [
        {
          appIDs: ['ABCDE12345.com.example.app'],
          components: [{ '/': '/private/*', exclude: true }, { '/': '/a/*' }, { '/': '*' }],
          appID: 'ABCDE12345.com.example.app',
          paths,
        },
      ],
    },
  });
  const ofAndroid = await ask(ANDROID, 'GO.example:8443');
  expect(JSON.parse(ofAndroid.body)).toEqual([
    {
      relation: ['delegate_permission/common.handle_all_urls'],
      target: {
        namespace: 'android_app',
        package_name: 'com.example.app',
        sha256_cert_fingerprints: [PRINT],
      },
    },
  ]);
  const head = await ask(APPLE, 'go.example', 'HEAD');
  expect([head.status, head.body]).toEqual([200, '']);
  for (const host of ['s.example', 'unknown.example', '"<b>'])
    expect((await ask(APPLE, host)).status, host).toBe(404);
  await setApps(id, { android: [] });
  // What is not given is cleared with the rest.
  expect((await ask(APPLE, 'go.example')).status).toBe(404);
  await setApps(id, { apple: [apple] });
  expect(JSON.parse((await ask(APPLE, 'go.example')).body).applinks.details[0].paths).toEqual(['*']);
  expect((await ask(ANDROID, 'go.example')).status).toBe(404);
  expect(await setApps(id, null)).toMatchObject({ apps: { apple: [], android: [] } });
  expect((await ask(APPLE, 'go.example')).status).toBe(404);
});

test('cost no statement once their domain is cached, and are the only names below /.well-known', async () => {
  const id = await owner.domain('cached.example');
  await owner.data(
    'mutation ($id: ID!) { updateDomain(id: $id, input: { notFoundUrl: "https://n.example/" }) { __typename } }',
    {
      id: String(id),
    },
  );
  await setApps(id, { apple: [apple], android: [android] });
  await ask(APPLE, 'cached.example');
  const statements = await server.statementsOf(async () => {
    for (const path of [APPLE, ANDROID, APPLE]) expect((await ask(path, 'cached.example')).status).toBe(200);
  });
  expect(statements).toEqual([]);
  for (const path of [
    '/.well-known',
    '/.well-known/',
    '/.well-known/security.txt',
    '/.well-known/acme-challenge/x',
    `${APPLE}/x`,
    '/.well-known%2fassetlinks.json',
    '/apple-app-site-association',
  ]) {
    const { status } = await ask(path, 'cached.example');
    expect(status, path).toBe(path.startsWith('/.well-known') && !path.includes('%') ? 404 : 302);
  }
});

test('are in the history', async () => {
  const id = await owner.domain('history.example');
  await setApps(id, { apple: [apple] });
  await setApps(id, { apple: [{ ...apple, paths: null }], android: null });
  const changes = await server.database.prisma.change.findMany({ where: { kind: 'DOMAIN', recordId: id } });
  expect(changes.map(({ fields }) => fields)).toEqual(['["name"]', '["apps"]']);
});

test('of an account that is disabled are not served', async () => {
  const other = await server.caller('disabled');
  const id = await other.domain('disabled.example');
  await setApps(id, { apple: [apple] }, other);
  expect((await ask(APPLE, 'disabled.example')).status).toBe(200);
  const { prisma } = server.database;
  await prisma.account.update({ where: { name: 'disabled' }, data: { disabledAt: new Date() } });
  // What tells a running process is tested with accounts.
  const later = await startTestServer({ url: server.databaseUrl });
  try {
    expect((await ask(APPLE, 'disabled.example', 'GET', later)).status).toBe(404);
  } finally {
    await later.shutDown();
  }
});

describe('are refused', () => {
  const many = <One>(one: (index: number) => One, length = 21) =>
    Array.from({ length }, (_, index) => one(index));
  test.each([
    [
      ['apps', 'apple', '1', 'teamId'],
      'NOT_A_TEAM_ID',
      { apple: [apple, { ...apple, teamId: 'abcde12345' }] },
    ],
    [['apps', 'apple', '0', 'teamId'], 'NOT_A_TEAM_ID', { apple: [{ ...apple, teamId: 'ABCDE1234' }] }],
    [['apps', 'apple', '0', 'bundleId'], 'NOT_A_BUNDLE_ID', { apple: [{ ...apple, bundleId: 'com..app' }] }],
    [
      ['apps', 'apple', '0', 'bundleId'],
      'NOT_A_BUNDLE_ID',
      { apple: [{ ...apple, bundleId: 'com.example.*' }] },
    ],
    [
      ['apps', 'apple', '0', 'paths', '1'],
      'NOT_A_PATH_PATTERN',
      { apple: [{ ...apple, paths: ['/a', 'b'] }] },
    ],
    [
      ['apps', 'apple', '0', 'paths', '0'],
      'NOT_A_PATH_PATTERN',
      { apple: [{ ...apple, paths: ['NOT  /a'] }] },
    ],
    [['apps', 'apple', '0', 'paths', '0'], 'NOT_A_PATH_PATTERN', { apple: [{ ...apple, paths: ['/a#b'] }] }],
    [['apps', 'apple', '0', 'paths'], 'NO_ENTRIES', { apple: [{ ...apple, paths: [] }] }],
    [
      ['apps', 'apple', '0', 'paths'],
      'TOO_MANY_ENTRIES',
      { apple: [{ ...apple, paths: many((n) => `/${n}`) }] },
    ],
    [['apps', 'apple', '1'], 'ENTRY_REPEATED', { apple: [apple, apple] }],
    [
      ['apps', 'apple'],
      'TOO_MANY_ENTRIES',
      { apple: many((n) => ({ ...apple, bundleId: `com.example.app${n}` })) },
    ],
    [['apps', 'android', '0', 'package'], 'NOT_A_PACKAGE', { android: [{ ...android, package: 'app' }] }],
    [
      ['apps', 'android', '0', 'package'],
      'NOT_A_PACKAGE',
      { android: [{ ...android, package: 'com.1app' }] },
    ],
    [['apps', 'android', '1'], 'ENTRY_REPEATED', { android: [android, android] }],
    [['apps', 'android', '0', 'fingerprints'], 'NO_ENTRIES', { android: [{ ...android, fingerprints: [] }] }],
    [
      ['apps', 'android', '0', 'fingerprints', '1'],
      'NOT_A_FINGERPRINT',
      { android: [{ ...android, fingerprints: [PRINT, PRINT.slice(3)] }] },
    ],
    [
      ['apps', 'android', '0', 'fingerprints', '0'],
      'NOT_A_FINGERPRINT',
      { android: [{ ...android, fingerprints: [PRINT.replaceAll(':', '')] }] },
    ],
    [
      ['apps'],
      'APPS_TOO_LARGE',
      {
        apple: many(
          (m) => ({ ...apple, bundleId: `a.b${m}`, paths: many((n) => `/${'x'.repeat(250)}${n}`, 20) }),
          4,
        ),
      },
    ],
  ])('at %j: %s', async (path, reason, apps) => {
    const { prisma } = server.database;
    const found = await prisma.domain.findUnique({ where: { name: 'wrong.example' } });
    const id = found?.id ?? (await owner.domain('wrong.example'));
    expect(await setApps(id, apps)).toMatchObject({ fields: [{ path, reason }] });
  });

  test('on a domain that is not verified, and on that of another account', async () => {
    const strict = await startTestServer({ url: server.databaseUrl, verifiesDomains: true });
    try {
      const caller = strict.callerWith(owner.key);
      const create = 'mutation { createDomain(input: { name: "new.example" }) { ... on Domain { id } } }';
      const { createDomain } = await caller.data<{ createDomain: { id: string } }>(create);
      expect(await setApps(Number(createDomain.id), { apple: [apple] }, caller)).toMatchObject({
        fields: [{ path: ['apps'], reason: 'DOMAIN_NOT_VERIFIED' }],
      });
      const other = await strict.caller('another');
      expect(await setApps(Number(createDomain.id), { apple: [apple] }, other)).toMatchObject({
        __typename: 'NotFoundError',
      });
    } finally {
      await strict.shutDown();
    }
  });
});

test('move to another host only once that is verified', async () => {
  const strict = await startTestServer({ verifiesDomains: true });
  try {
    const caller = await strict.caller();
    const id = await caller.domain('before.example');
    await verifyHost(strict.database, 'before.example', NOON);
    await setApps(id, { apple: [apple] }, caller);
    expect((await ask(APPLE, 'before.example', 'GET', strict)).status).toBe(200);
    await caller.data(
      'mutation ($id: ID!) { updateDomain(id: $id, input: { name: "after.example" }) { __typename } }',
      {
        id: String(id),
      },
    );
    for (const host of ['before.example', 'after.example'])
      expect((await ask(APPLE, host, 'GET', strict)).status).toBe(404);
    // They are still there to be taken away.
    expect(await setApps(id, null, caller)).toMatchObject({ apps: { apple: [] } });
  } finally {
    await strict.stop();
  }
});

test('are answered in a process for visitors only', async () => {
  const id = await owner.domain('role.example');
  await setApps(id, { apple: [apple], android: [{ ...android, fingerprints: [PRINT.toLowerCase()] }] });
  const visitors = await startTestServer({ url: server.databaseUrl, role: 'redirects' });
  try {
    for (const path of [APPLE, ANDROID])
      expect((await ask(path, 'role.example', 'GET', visitors)).status).toBe(200);
    expect((await ask(ANDROID, 'role.example', 'GET', visitors)).body).toContain(PRINT);
    expect((await ask('/.well-known/other', 'role.example', 'GET', visitors)).status).toBe(404);
  } finally {
    await visitors.shutDown();
  }
});
