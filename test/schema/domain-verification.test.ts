import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer({ verifiesDomains: true });
  owner = await server.caller();
  await owner.link({ alias: 'here', url: 'https://example.com/default' });
});
afterAll(() => server.stop());

interface Domain {
  __typename: string;
  id: string;
  verified: boolean;
  verification: { name: string; value: string };
}

const fields = `__typename ... on Domain { id name verified verification { name value } }
  ... on Error { code message } ... on ValidationError { fields { path rule messages } }`;

async function add(name: string, caller = owner): Promise<Domain> {
  const { createDomain } = await caller.data<{ createDomain: Domain }>(
    `mutation ($name: String!) { createDomain(input: { name: $name }) { ${fields} } }`,
    { name },
  );
  return createDomain;
}

async function verify(id: string, caller = owner): Promise<Domain> {
  const { verifyDomain } = await caller.data<{ verifyDomain: Domain }>(
    `mutation ($id: ID!) { verifyDomain(id: $id) { ${fields} } }`,
    { id },
  );
  return verifyDomain;
}

const leadsTo = async (host: string, path = '/here') =>
  (await visit(server.origin, path, { headers: { Host: host } })).location;

test('a new domain serves visitors only after its record is found, and may have links before', async () => {
  const { id, verified, verification } = await add('go.example:8080');
  expect([verified, verification]).toEqual([
    false,
    { name: '_linkspace.go.example', value: expect.stringMatching(/^linkspace-verification=[a-z\d]{32}$/) },
  ]);
  const link = await owner.link({ alias: 'here', url: 'https://example.com/own', domain_id: id });
  expect(await leadsTo('go.example:8080')).toBe('https://example.com/default');
  const explain = '{ explainRedirect(input: { linkId: "ID" }) { outcome steps { why } } }'.replace(
    'ID',
    String(link.id),
  );
  expect(await owner.data(explain)).toMatchObject({
    explainRedirect: {
      outcome: 'NOT_FOUND',
      steps: [{ why: 'Its domain is not verified.' }, ...Array.from({ length: 11 }, () => ({}))],
    },
  });

  expect(await verify(id)).toMatchObject({
    __typename: 'ValidationError',
    message: `DNS has no TXT record _linkspace.go.example with the value ${verification.value} yet.`,
    fields: [
      { path: ['id'], rule: 'TXT_RECORD', messages: ['has no TXT record _linkspace.go.example in DNS yet'] },
    ],
  });
  server.dns.set('_linkspace.go.example', ['v=spf1 -all', 'linkspace-verification=somethingelse']);
  const found = 'v=spf1 -all, linkspace-verification=somethingelse';
  expect(await verify(id)).toMatchObject({
    fields: [
      {
        rule: 'TXT_OTHER',
        messages: [`has the TXT record "${found}" in DNS instead of "${verification.value}"`],
      },
    ],
  });
  server.dns.set('_linkspace.go.example', ['v=spf1 -all', verification.value]);
  expect(await verify(id)).toMatchObject({ __typename: 'Domain', verified: true, verification });
  expect(await leadsTo('go.example:8080')).toBe('https://example.com/own');
  expect(await owner.data(explain)).toMatchObject({ explainRedirect: { outcome: 'REDIRECT' } });
  // DNS is not queried again.
  server.dns.clear();
  expect(await verify(id)).toMatchObject({ verified: true });
});

test('a new or verified domain is served by other processes within a second', async () => {
  const other = await startTestServer({ url: server.databaseUrl, background: true, verifiesDomains: true });
  try {
    const elsewhere = async () =>
      (await visit(other.origin, '/here', { headers: { Host: 'new.example' } })).location;
    expect(await elsewhere()).toBe('https://example.com/default');
    const { id, verification } = await add('new.example');
    await owner.link({ alias: 'here', url: 'https://example.com/new', domain_id: id });
    expect(await elsewhere()).toBe('https://example.com/default');
    server.dns.set(verification.name, [verification.value]);
    await verify(id);
    await expect.poll(elsewhere).toBe('https://example.com/new');
  } finally {
    await other.stop();
  }
});

test('a new host must be verified again, a new port need not', async () => {
  const { id, verification } = await add('moving.example');
  server.dns.set(verification.name, [verification.value]);
  await verify(id);
  const rename = (name: string) =>
    owner.data<{ updateDomain: Domain }>(
      `mutation ($id: ID!, $name: String!) { updateDomain(id: $id, input: { name: $name }) { ${fields} } }`,
      { id, name },
    );
  expect((await rename('moving.example:8080')).updateDomain.verified).toBe(true);
  const { updateDomain } = await rename('moved.example');
  expect([updateDomain.verified, updateDomain.verification.name]).toEqual([
    false,
    '_linkspace.moved.example',
  ]);
  expect(updateDomain.verification.value).not.toBe(verification.value);
});

test('concurrent renames never give a name the verification of another one', async () => {
  for (let i = 0; i < 10; i++) {
    const { id } = await add(`mine-${i}.example`);
    await server.database.prisma.domain.update({
      where: { id: Number(id) },
      data: { verifiedAt: server.clock.now },
    });
    const rename = (name: string) =>
      owner.data(`mutation { updateDomain(id: ${id}, input: { name: "${name}" }) { __typename } }`);
    await Promise.all([rename(`theirs-${i}.example`), rename(`mine-${i}.example:81`)]);
    const domain = await server.database.prisma.domain.findUnique({ where: { id: Number(id) } });
    expect(domain?.hostKey).toBe(domain?.name.replace(/:81$/, ''));
    expect([`theirs-${i}.example`, `mine-${i}.example:81`]).toContain(domain?.name);
    expect(domain?.verifiedAt).toBeNull();
  }
});

test('an account cannot verify a domain of another account, or a shared one', async () => {
  const { id } = await add('private.example');
  const stranger = await server.caller('stranger');
  const missing = { __typename: 'NotFoundError', code: 'NOT_FOUND', message: 'No such domain.' };
  expect(await verify(id, stranger)).toEqual(missing);
  const { domains } = await stranger.data<{
    domains: { edges: { node: { id: string; verified: boolean; verification: null } }[] };
  }>('{ domains { edges { node { id verified verification { name } } } } }');
  expect(domains.edges).toEqual([{ node: { id: expect.any(String), verified: true, verification: null } }]);
  expect(await verify(domains.edges[0]?.node.id ?? '', stranger)).toEqual(missing);
});

test('DNS that does not answer is told apart from a missing record', async () => {
  const { id } = await add('silent.example');
  server.dns.set('_linkspace.silent.example', new Error('SERVFAIL'));
  expect(await verify(id)).toMatchObject({ __typename: 'ValidationError', fields: [{ rule: 'TXT_UNREAD' }] });
});

test('a new domain serves at once if verification is off', async () => {
  const lax = await startTestServer();
  try {
    const caller = await lax.caller();
    const { verified } = await add('lax.example', caller);
    expect(verified).toBe(true);
  } finally {
    await lax.stop();
  }
});
