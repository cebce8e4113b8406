import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyHost } from '../../src/domain/short-domain/admin.ts';
import { shareDefaultDomain } from '../../src/domain/short-domain/default-domain.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

let server: TestServer;
let owner: Caller;
let stranger: Caller;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller('owner');
  stranger = await server.caller('stranger');
  await shareDefaultDomain(server.database, 's.example', null, NOON);
});
afterAll(() => server.stop());

const noon = NOON.toISOString();
const all = 'id name notFoundUrl shared createdAt updatedAt';
const failure = '... on Error { code message } ... on ValidationError { fields { path messages } }';
const create = `mutation ($input: CreateDomainInput!) { createDomain(input: $input) {
  __typename ... on Domain { ${all} } ${failure} } }`;
const update = `mutation ($id: ID!, $input: UpdateDomainInput!) { updateDomain(id: $id, input: $input) {
  __typename ... on Domain { ${all} } ${failure} } }`;
const remove = `mutation ($id: ID!) { deleteDomain(id: $id) {
  __typename ... on DeletedRecord { id } ... on Error { code message } } }`;
const show = `query ($id: ID!) { domain(id: $id) { ${all} } }`;
const missing = { __typename: 'NotFoundError', code: 'NOT_FOUND', message: 'No such domain.' };

async function make(name: string, caller = owner): Promise<string> {
  const { createDomain } = await caller.data<{ createDomain: { id: string } }>(create, { input: { name } });
  expect(createDomain).toMatchObject({ __typename: 'Domain' });
  return createDomain.id;
}

async function domainsOf(caller: Caller): Promise<{ id: string; name: string; shared: boolean }[]> {
  const { domains } = await caller.data<{
    domains: { edges: { node: { id: string; name: string; shared: boolean } }[] };
  }>('{ domains(first: 100) { edges { node { id name shared } } } }');
  return domains.edges.map(({ node }) => node);
}

async function sharedId(): Promise<string> {
  return (await domainsOf(owner)).find(({ shared }) => shared)?.id ?? '';
}

test('creates a domain and returns it', async () => {
  const input = { name: 'go.example', notFoundUrl: 'https://example.com/lost' };
  const { createDomain } = await owner.data<{ createDomain: { id: string } }>(create, { input });
  const domain = { ...input, id: createDomain.id, shared: false, createdAt: noon, updatedAt: noon };
  expect(createDomain).toEqual({ __typename: 'Domain', ...domain });
  expect(await owner.data(show, { id: createDomain.id })).toEqual({ domain });
});

test.each([
  [' Big.Example ', 'big.example'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['local.example:8080', 'local.example:8080'],
  ['usual.example:80', 'usual.example'],
  ['Secure.example:443', 'secure.example'],
  ['secure-final.example.:443', 'secure-final.example'],
  ['other.example:8443', 'other.example:8443'],
  ['long.example:4430', 'long.example:4430'],
  ['final.example.', 'final.example'],
  ['final.example.:8080', 'final.example:8080'],
])('stores the host %j as browsers send it', async (name, expected) => {
  expect(await owner.data(create, { input: { name } })).toMatchObject({ createDomain: { name: expected } });
});

test('a verified domain that was given with a default port serves its host, and gives up another port', async () => {
  for (const name of ['served.example:443', 'served-too.example:8080']) {
    const id = await make(name);
    // The operator may name it as it was given.
    await server.database.prisma.domain.update({ where: { id: Number(id) }, data: { verifiedAt: null } });
    await verifyHost(server.database, name, NOON);
    const host = name.replace(/:.*/, '');
    if (name.endsWith('8080'))
      expect(await owner.data(update, { id, input: { name: `${host}:443` } })).toMatchObject({
        updateDomain: { name: host },
      });
    const { alias } = await owner.link({ domain_id: id });
    for (const asked of [host, `${host}:443`])
      expect((await visit(server.origin, `/${alias}`, { headers: { Host: asked } })).status).toBe(302);
    const taken = await owner.data(create, { input: { name: `${host}:443` } });
    expect(taken).toMatchObject({ createDomain: { fields: [{ path: ['name'] }] } });
  }
});

test('a start frees domains that an earlier version made meanwhile of the port of https', async () => {
  const ids = [await make('meanwhile.example'), await make('kept.example'), await make('kept.example:8080')];
  const { alias } = await owner.link({ domain_id: ids[0] ?? '' });
  const { domain, change } = server.database.prisma;
  const name = (index: number, to: string) =>
    domain.update({ where: { id: Number(ids[index]) }, data: { name: to, verifiedAt: NOON } });
  await name(0, 'meanwhile.example:443');
  await name(2, 'kept.example:443');
  const next = await startTestServer({ url: server.databaseUrl });
  const names = await Promise.all(ids.map((id) => domain.findUniqueOrThrow({ where: { id: Number(id) } })));
  expect(names.map((one) => one.name)).toEqual(['meanwhile.example', 'kept.example', 'kept.example:443']);
  expect((await visit(next.origin, `/${alias}`, { headers: { Host: 'meanwhile.example' } })).status).toBe(
    302,
  );
  const last = await change.findFirstOrThrow({ orderBy: { id: 'desc' } });
  expect(last).toMatchObject({ kind: 'DOMAIN', recordId: Number(ids[0]), fields: '["name"]', userId: null });
  await next.stop();
});

test.each([
  'https://go.example',
  'go.example/path',
  'a b',
  'go.example?x',
  'me@go.example',
  'a..b:x',
  'go.example:0',
])('refuses %j as a host', async (name) => {
  expect(await owner.data(create, { input: { name } })).toMatchObject({
    createDomain: { fields: [{ path: ['name'], messages: ['must be a host name, such as go.example'] }] },
  });
});

test.each([
  '127.0.0.1',
  '127.0.0.1:3000',
  '127.1',
  '0x7f000001',
  '[::1]',
  '[::1]:3000',
  '*.example',
  'localhost',
  'LOCALHOST:443',
  'go.localhost',
  's.example',
  'S.Example.',
  's.example:8443',
  'taken-host.example',
  'taken-host.example:8443',
])('refuses %s as a name: not a name, this machine, or the host of another domain', async (name) => {
  await stranger.data(create, { input: { name: 'taken-host.example:81' } });
  const made = await owner.data(create, { input: { name } });
  expect(made).toMatchObject({ createDomain: { fields: [{ path: ['name'] }] } });
  const id = await make(`renamed-${randomUUID()}.example`);
  const renamed = await owner.data(update, { id, input: { name } });
  expect(renamed).toMatchObject({ updateDomain: { fields: [{ path: ['name'] }] } });
});

test('gives a host to one of many simultaneous accounts, whatever the port', async () => {
  const callers = await Promise.all(Array.from({ length: 8 }, (_, i) => server.caller(`racer ${i}`)));
  const made = await Promise.all(
    callers.map((caller, i) =>
      caller.data<{ createDomain: { __typename: string } }>(create, {
        input: { name: `raced.example:${8000 + i}` },
      }),
    ),
  );
  const types = made.map(({ createDomain }) => createDomain.__typename);
  expect(types.filter((type) => type === 'Domain')).toHaveLength(1);
});

test('reports all invalid fields at once', async () => {
  const input = { name: '', notFoundUrl: 'javascript:alert(1)' };
  expect(await owner.data(create, { input })).toMatchObject({
    createDomain: {
      __typename: 'ValidationError',
      code: 'VALIDATION',
      fields: [
        { path: ['name'], messages: ['may not be empty'] },
        {
          path: ['notFoundUrl'],
          messages: ['must be an absolute http or https URL, such as https://example.com/page'],
        },
      ],
    },
  });
});

test('refuses a host that any account has, however it is written', async () => {
  await make('taken.example', stranger);
  const taken = {
    __typename: 'ValidationError',
    fields: [{ path: ['name'], messages: ['is already taken'] }],
  };
  expect(await owner.data(create, { input: { name: 'TAKEN.example' } })).toMatchObject({
    createDomain: taken,
  });
  const id = await make('mine.example');
  expect(await owner.data(update, { id, input: { name: 'taken.example' } })).toMatchObject({
    updateDomain: taken,
  });
});

test('gives a host to one of many simultaneous requests', async () => {
  const attempts = Array.from({ length: 12 }, () =>
    owner.data<{ createDomain: { __typename: string } }>(create, { input: { name: 'wanted.example' } }),
  );
  const types = (await Promise.all(attempts)).map(({ createDomain }) => createDomain.__typename);
  expect(types.filter((type) => type === 'Domain')).toHaveLength(1);
  expect(types.filter((type) => type === 'ValidationError')).toHaveLength(11);
});

test('changes the given fields, and clears optional ones with null', async () => {
  const id = await make('changing.example');
  server.clock.now = new Date('2026-11-20T13:00:00.000Z');
  const set = await owner.data(update, { id, input: { notFoundUrl: 'https://example.com/' } });
  server.clock.now = NOON;
  expect(set).toMatchObject({
    updateDomain: {
      name: 'changing.example',
      notFoundUrl: 'https://example.com/',
      updatedAt: '2026-11-20T13:00:00.000Z',
    },
  });
  expect(await owner.data(update, { id, input: {} })).toMatchObject({
    updateDomain: { notFoundUrl: 'https://example.com/', updatedAt: '2026-11-20T13:00:00.000Z' },
  });
  const cleared = await owner.data(update, { id, input: { notFoundUrl: null } });
  expect(cleared).toMatchObject({ updateDomain: { notFoundUrl: null } });
  expect(await owner.data(update, { id, input: { name: null } })).toMatchObject({
    updateDomain: {
      fields: [{ path: ['name'], messages: ['cannot be cleared: it must have 1 to 255 characters'] }],
    },
  });
});

test('deletes a domain only once', async () => {
  const id = await make('gone.example');
  expect(await owner.data(remove, { id })).toEqual({ deleteDomain: { __typename: 'DeletedRecord', id } });
  expect(await owner.data(remove, { id })).toEqual({ deleteDomain: missing });
});

describe('a shared domain', () => {
  test('is visible to every account, and created only once', async () => {
    await shareDefaultDomain(server.database, 's.example', null, NOON);
    for (const caller of [owner, stranger]) {
      const shared = (await domainsOf(caller)).filter((domain) => domain.shared);
      expect(shared.map(({ name }) => name)).toEqual(['s.example']);
    }
  });

  test('is one record, whatever its name, and however many processes set it', async () => {
    const db = server.database;
    const [{ id } = { id: 0 }] = await db.prisma.domain.findMany({ where: { isDefault: true } });
    const renamed = await shareDefaultDomain(db, 'other-s.example', 'https://example.com/lost', NOON);
    expect(renamed).toEqual({ id, renamed: { from: 's.example', links: 0 } });
    const back = await Promise.all(
      Array.from({ length: 4 }, () => shareDefaultDomain(db, 's.example', null, NOON)),
    );
    expect(new Set(back.map((one) => one.id))).toEqual(new Set([id]));
    expect(await db.prisma.domain.findMany({ where: { accountId: null } })).toMatchObject([
      { id, name: 's.example', hostKey: 's.example', notFoundUrl: null, isDefault: true },
    ]);
  });

  test('records its changes', async () => {
    const { database, stop } = await startTestServer();
    const db = database;
    const at = (hour: number) => new Date(NOON.getTime() + hour * 3_600_000);
    const { id } = await shareDefaultDomain(db, 's.example', 'https://example.com/1', at(1));
    await shareDefaultDomain(db, 's.example', 'https://example.com/1', at(2));
    expect(await db.prisma.domain.findUnique({ where: { id } })).toMatchObject({ updatedAt: at(1) });
    await shareDefaultDomain(db, 't.example', 'https://example.com/2', at(3));
    expect(await db.prisma.domain.findUnique({ where: { id } })).toMatchObject({ updatedAt: at(3) });
    const changes = await db.prisma.change.findMany({ where: { kind: 'DOMAIN' }, orderBy: { id: 'asc' } });
    expect(changes.map(({ fields }) => fields)).toEqual(['["notFoundUrl"]', '["name","notFoundUrl"]']);
    await stop();
  });

  test('is the one with the most links if earlier versions left several', async () => {
    const old = await startTestServer();
    try {
      const db = old.database;
      await (await old.caller()).link();
      await db.prisma.domain.updateMany({ data: { isDefault: null } });
      const times = { createdAt: NOON, updatedAt: NOON };
      await db.prisma.domain.create({ data: { name: 'localhost:3000', hostKey: 'localhost', ...times } });
      const { renamed } = await shareDefaultDomain(db, 'new.example', null, NOON);
      expect(renamed).toEqual({ from: 's.example', links: 1 });
      // A domain that already has the host becomes the default one.
      expect((await shareDefaultDomain(db, 'localhost:3000', null, NOON)).renamed).toBeNull();
      expect(await db.prisma.domain.findMany({ where: { isDefault: true } })).toMatchObject([
        { name: 'localhost:3000' },
      ]);
    } finally {
      await old.stop();
    }
  });

  test('cannot be changed by any account', async () => {
    const id = await sharedId();
    expect(await owner.data(update, { id, input: { name: 'x.example' } })).toEqual({ updateDomain: missing });
    expect(await owner.data(remove, { id })).toEqual({ deleteDomain: missing });
    expect(await owner.data(show, { id })).toMatchObject({ domain: { name: 's.example' } });
  });
});

test('is one of at most 10,000 of an account', async () => {
  const caller = await server.caller('many');
  const { accountId } = await server.database.prisma.apiKey.findFirstOrThrow({ orderBy: { id: 'desc' } });
  const data = Array.from({ length: 9_999 }, (_, i) => ({
    ...{ accountId, name: `many-${i}.example`, hostKey: `many-${i}.example` },
    ...{ createdAt: NOON, updatedAt: NOON },
  }));
  await server.database.prisma.domain.createMany({ data });
  await make('last.example', caller);
  expect(await caller.data(create, { input: { name: 'beyond.example' } })).toMatchObject({
    createDomain: {
      fields: [{ messages: ['cannot be added: an account may have at most 10000 domains'] }],
    },
  });
});

test('never shows or changes a domain of another account', async () => {
  const id = await make('private.example');
  expect(await stranger.data(show, { id })).toEqual({ domain: null });
  expect(await stranger.data(update, { id, input: { name: 'x.example' } })).toEqual({
    updateDomain: missing,
  });
  expect(await stranger.data(remove, { id })).toEqual({ deleteDomain: missing });
  expect((await domainsOf(stranger)).map((domain) => domain.id)).not.toContain(id);
});
