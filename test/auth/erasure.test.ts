import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACCOUNT_TABLES } from '../../src/db/account-rows.ts';
import { deleteAccount } from '../../src/domain/access/erasure.ts';
import { Prisma } from '../../src/generated/sqlite/client.ts';
import { runCommand } from '../support/command.ts';
import { manyLinks } from '../support/many-links.ts';
import { signedIn } from '../support/person.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

let server: TestServer;
beforeAll(async () => {
  // The commands have the clock of the machine.
  server = await startTestServer({ now: new Date(), background: true });
});
afterAll(() => server.stop());

const env = () => ({ DATABASE_URL: server.databaseUrl, BASE_URL: 'https://s.example' });
const run = (name: 'accounts' | 'users' | 'keys', args: string[], typed?: string) =>
  runCommand(name, env(), args, typed);
const prisma = () => server.database.prisma;

async function account(name: string): Promise<{ caller: Caller; id: number }> {
  const caller = await server.caller(name);
  return { caller, id: (await prisma().account.findUniqueOrThrow({ where: { name } })).id };
}

const emailOf = async (userId: number) =>
  (await prisma().user.findUniqueOrThrow({ where: { id: userId } })).email;

/** The account's history in order, with the key or user of each change. */
const historyOf = async (accountId: number) =>
  (await prisma().change.findMany({ where: { accountId }, orderBy: { id: 'asc' } })).map(
    ({ action, kind, keyId, userId, fields }) => [action, kind, JSON.parse(fields), keyId ?? userId],
  );

test('accounts are made, disabled and enabled by name', async () => {
  const named = ['--account', 'Lindenhof'];
  expect(await run('accounts', ['create', ...named])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Account \d+ is made: "Lindenhof"\.\n$/),
  });
  expect(await run('accounts', ['create', ...named])).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: 'There is an account "Lindenhof" already.\n',
  });
  const { caller, id } = await account('Lindenhof');
  expect((await run('accounts', ['disable', ...named])).stdout).toBe(
    'The account "Lindenhof" is disabled.\n',
  );
  await expect.poll(async () => (await caller.rest('GET', '/links')).status).toBe(401);
  expect((await run('accounts', ['list'])).stdout).toMatch(/Lindenhof +Lindenhof +disabled/);
  // The name alone will do, too; enabling twice changes nothing.
  for (let times = 0; times < 2; times++)
    expect(JSON.parse((await run('accounts', ['enable', 'Lindenhof', '--json'])).stdout)).toEqual({
      ...{ id, name: 'Lindenhof', disabled: false },
    });
  await expect.poll(async () => (await caller.rest('GET', '/links')).status).toBe(200);
  expect(await historyOf(id)).toEqual([
    ['CREATED', 'ACCOUNT', ['name'], null],
    ['UPDATED', 'ACCOUNT', ['disabled'], null],
    ['UPDATED', 'ACCOUNT', ['disabled'], null],
  ]);
});

test.each([
  [['disable'], 'Name the account: --account NAME. See --help.'],
  [['delete', 'A', '--account', 'A'], 'Name the account once. See --help.'],
  [['enable', '--account', 'A', '--yes'], '--yes is an option of delete, not of enable. See --help.'],
  [['delete', '--account', 'Nobody', '--yes'], 'There is no account "Nobody".'],
])('accounts refuses %j', async (args, message) => {
  const { code, stderr } = await run('accounts', args);
  expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
});

test('every table with rows of accounts is emptied in batches, or small', () => {
  const others = [
    // Deleted with their links, or by steps of their own.
    ...['Link', 'LinkCounter', 'DeletedStatistics', 'Membership', 'Domain'],
    // A few rows.
    ...['AccountTally', 'AccountSecret'],
  ];
  const columns: Record<string, unknown> = { ...Prisma };
  const tables = Object.values(Prisma.ModelName).filter((model) => {
    const fields = columns[`${model}ScalarFieldEnum`];
    return typeof fields === 'object' && fields !== null && 'accountId' in fields;
  });
  expect([...Object.keys(ACCOUNT_TABLES), ...others].sort()).toEqual(tables.sort());
});

async function filled(name: string) {
  const { caller, id } = await account(name);
  const host = `d${id}.example`;
  const domainId = await caller.domain(host);
  const [tagId, pixelId, spaceId] = [await caller.tag('T'), await caller.pixel(), await caller.space('S')];
  await manyLinks(server, 1_100, { accountId: id, tagIds: [tagId], pixelIds: [pixelId], spaceId });
  const { alias } = await caller.link({ domain_id: domainId });
  await visit(server.origin, `/${alias}`, { headers: { 'X-Forwarded-Host': host } });
  await server.flush();
  await caller.data(
    'mutation { createWebhook(input: { url: "https://crm.example/", events: [LINK_CREATED] }) { __typename } }',
  );
  await caller.data('mutation { createUtmTemplate(input: { name: "U" }) { __typename } }');
  await caller.data(
    'mutation { createSavedView(input: { name: "V", view: LINKS, query: "" }) { __typename } }',
  );
  const owner = await signedIn(server, id, 'OWNER');
  await owner.data('mutation { createApiKey(input: { name: "K", role: EDITOR }) { __typename } }');
  await owner.data(
    `mutation { inviteMember(input: { email: "i${id}@example.com", role: VIEWER }) { __typename } }`,
  );
  return { caller, id, host, owner };
}

/** Counts an account's rows in each table. */
async function countRowsByTable(accountId: number): Promise<Record<string, number>> {
  const { change, link, apiKey, membership, invitation, tag, space, pixel, domain, webhook, utmTemplate } =
    prisma();
  const { savedView } = prisma();
  const { accountHour, accountDay, deletedStatistics, accountTally } = prisma();
  const where = { accountId };
  return {
    links: await link.count({ where }),
    keys: await apiKey.count({ where }),
    changes: await change.count({ where }),
    members: await membership.count({ where }),
    invitations: await invitation.count({ where }),
    tags: await tag.count({ where }),
    spaces: await space.count({ where }),
    pixels: await pixel.count({ where }),
    domains: await domain.count({ where }),
    webhooks: await webhook.count({ where }),
    templates: await utmTemplate.count({ where }),
    views: await savedView.count({ where }),
    hours: await accountHour.count({ where }),
    days: await accountDay.count({ where }),
    deleted: await deletedStatistics.count({ where }),
    tallies: await accountTally.count({ where }),
  };
}

test('accounts delete asks for the name, and deletes all that the account has and nothing else', async () => {
  const kept = await filled('Kept');
  const { id, host, owner, caller } = await filled('Gone');
  const both = await signedIn(server, id, 'ADMIN');
  const { memberId: elsewhere } = await signedIn(server, kept.id, 'ADMIN');
  await prisma().membership.update({ where: { id: elsewhere }, data: { userId: both.userId } });
  const keptBefore = await countRowsByTable(kept.id);

  const args = ['delete', '--account', 'Gone'];
  const what = '1101 links, 2 keys and 1 user';
  expect(await run('accounts', args)).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: 'Nothing was changed: there is no terminal to ask at. Add --yes.\n',
  });
  const question = `The account "Gone" is deleted for good, with ${what}. Type its name: `;
  expect(await run('accounts', args, 'gone\n')).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: `${question}Nothing was changed.\n`,
  });
  expect((await caller.rest('GET', '/links')).status).toBe(200);
  expect(await run('accounts', args, 'Gone\n')).toEqual({
    ...{ code: 0, stderr: question },
    stdout: `The account "Gone" is deleted, with ${what}.\n`,
  });

  expect(await prisma().account.findUnique({ where: { id } })).toBeNull();
  expect(Object.values(await countRowsByTable(id)).filter((count) => count > 0)).toEqual([]);
  expect(await countRowsByTable(kept.id)).toEqual(keptBefore);
  const user = await prisma().user.findUniqueOrThrow({ where: { id: owner.userId } });
  expect(user).toMatchObject({ name: 'Deleted user', email: `deleted:${owner.userId}`, password: null });
  expect(await prisma().session.count({ where: { userId: owner.userId } })).toBe(0);
  expect(await emailOf(both.userId)).toMatch(/^person-/);
  const ask = async () => (await visit(server.origin, `/tls/ask?domain=${host}`)).status;
  await expect.poll(ask).toBe(404);
});

test('a deletion of an account that broke off goes on', async () => {
  const { id } = await filled('Broken');
  await expect(
    deleteAccount(
      new Proxy(server.database, {
        get(target, property) {
          if (property === 'execute') throw new Error('the process ended');
          const value: unknown = Reflect.get(target, property, target);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      }),
      id,
      server.clock.now,
    ),
  ).rejects.toThrow('the process ended');
  expect(await prisma().account.findUniqueOrThrow({ where: { id } })).toMatchObject({
    disabledAt: expect.any(Date),
  });
  const { code, stdout } = await run('accounts', ['delete', '--account', 'Broken', '--yes', '--json']);
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    { id, name: 'Broken', deleted: true, links: 1_101, keys: 2, users: 0 },
  ]);
  expect(await prisma().account.findUnique({ where: { id } })).toBeNull();
});

test('a deletion of an account that broke off anywhere leaves no person behind', async () => {
  const { id } = await account('Stopped');
  const { userId } = await signedIn(server, id, 'OWNER');
  /** The database, for a process that ends before its transaction of this number. */
  const endingBefore = (number: number) => {
    let begun = 0;
    return new Proxy(server.database, {
      get(target, property) {
        if (property === 'transaction' && ++begun === number) throw new Error('the process ended');
        const value: unknown = Reflect.get(target, property, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  };
  const stopped = () => prisma().account.findUnique({ where: { id } });
  for (let number = 1; (await stopped()) !== null; number++)
    await deleteAccount(endingBefore(number), id, server.clock.now).catch(() => {});
  expect(await prisma().user.findUniqueOrThrow({ where: { id: userId } })).toMatchObject({
    ...{ name: 'Deleted user', email: `deleted:${userId}`, password: null },
  });
});

test('users delete refuses the last owner, says what stops, and leaves a row without a person', async () => {
  const { id } = await account('People');
  const owner = await signedIn(server, id, 'OWNER');
  const email = await emailOf(owner.userId);
  const named = ['delete', '--email', email];
  expect(await run('users', [...named, '--yes'])).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: `${email} is the last owner of "People": make another one first, or delete the account.\n`,
  });
  const other = await signedIn(server, id, 'OWNER');
  const { createApiKey } = await owner.data<{ createApiKey: { key: string; apiKey: { id: string } } }>(
    'mutation { createApiKey(input: { name: "Nightly", role: EDITOR }) { ... on CreatedApiKey { key apiKey { id } } } }',
  );
  const data = { accountId: id, email, emailKey: email, role: 'VIEWER', hash: email };
  const times = { createdAt: server.clock.now, expiresAt: new Date(server.clock.now.getTime() + 1e9) };
  const elsewhere = await account('Elsewhere');
  await prisma().invitation.create({ data: { ...data, ...times, accountId: elsewhere.id } });
  const own = { userId: owner.userId };
  await prisma().addressChange.create({
    data: {
      ...{ ...own, email: 'old@example.com', emailKey: 'old@example.com', at: server.clock.now },
      ...{ undoUntil: times.expiresAt, hash: 'h' },
    },
  });
  await prisma().identity.create({
    data: { ...own, issuer: 'https://id.example', subject: '1', createdAt: server.clock.now },
  });

  expect(await run('users', named)).toMatchObject({ code: 1, stderr: expect.stringContaining('--yes') });
  const refused = await run('users', named, 'n\n');
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/^\nThese keys and invitations stop:\n\n {2}key \d+ +People +ls_.* Nightly\n/),
  ]);
  expect((await owner.auth('session')).status).toBe(200);
  const { code, stdout } = await run('users', named, 'y\n');
  expect([code, stdout]).toEqual([0, expect.stringContaining(`${email} is deleted.`)]);

  expect((await owner.auth('session')).status).toBe(401);
  await expect
    .poll(async () => (await server.callerWith(createApiKey.key).rest('GET', '/links')).status)
    .toBe(401);
  const row = await prisma().user.findUniqueOrThrow({
    where: { id: owner.userId },
    include: { addressChanges: true, identities: true, sessions: true, memberships: true, tokens: true },
  });
  expect(row).toMatchObject({
    ...{ name: 'Deleted user', email: `deleted:${owner.userId}`, emailKey: `deleted:${owner.userId}` },
    ...{ password: null, disabledAt: expect.any(Date) },
    ...{ addressChanges: [], identities: [], sessions: [], memberships: [], tokens: [] },
  });
  expect(await prisma().invitation.count({ where: { emailKey: email } })).toBe(0);
  expect((await historyOf(id)).slice(-2)).toEqual([
    ['DELETED', 'MEMBER', [], null],
    ['DELETED', 'API_KEY', [], null],
  ]);
  expect((await run('users', ['list', '--json'])).stdout).not.toContain('deleted:');
  for (const verb of ['enable', 'reset', 'export', 'delete'])
    expect((await run('users', [verb, '--id', String(owner.userId)])).stderr).toContain('There is no user');
  // Everybody may have the address again.
  const { data: changes } = await other.graphql(
    '{ changes(first: 50) { nodes { by { ... on User { name } } } } }',
  );
  expect(JSON.stringify(changes)).not.toContain(email);
  expect(
    (await run('users', ['create', '--email', email, '--account', 'People', '--role', 'viewer'])).code,
  ).toBe(0);
});

test('users export prints what is stored of a user, without secrets', async () => {
  const { id } = await account('Export');
  const owner = await signedIn(server, id, 'OWNER');
  await owner.data('mutation { createSpace(input: { name: "By me" }) { __typename } }');
  await owner.data('mutation { createApiKey(input: { name: "K", role: EDITOR }) { __typename } }');
  await prisma().user.update({ where: { id: owner.userId }, data: { password: 'a hash of a password' } });
  const email = await emailOf(owner.userId);
  const { stdout } = await run('users', ['export', '--email', email]);
  const { user, memberships, sessions, passkeys, keys, changes } = JSON.parse(stdout);
  expect(user).toMatchObject({ id: owner.userId, email });
  expect(memberships).toMatchObject([{ account: 'Export', role: 'OWNER' }]);
  expect(sessions).toMatchObject([{ device: 'a browser' }]);
  expect([passkeys, keys]).toMatchObject([[], [{ name: 'K', account: 'Export' }]]);
  expect(changes).toMatchObject([
    { account: 'Export', action: 'CREATED', kind: 'SPACE' },
    { account: 'Export', action: 'CREATED', kind: 'API_KEY' },
  ]);
  const { hash } = await prisma().session.findFirstOrThrow({ where: { userId: owner.userId } });
  expect(stdout).not.toContain(hash);
  expect(stdout).not.toContain('a hash of a password');
});

test('users sign-out ends the sessions of one, or of all', async () => {
  const { id } = await account('Out');
  const [one, other] = [await signedIn(server, id, 'OWNER'), await signedIn(server, id, 'VIEWER')];
  expect((await run('users', ['sign-out', '--email', await emailOf(one.userId)])).stdout).toMatch(
    /^person-\d+@example\.com is signed out: 1 session ended\.\n$/,
  );
  const statuses = () =>
    Promise.all([one, other].map(async (person) => (await person.auth('session')).status));
  expect(await statuses()).toEqual([401, 200]);
  expect((await run('users', ['sign-out', '--all'])).stdout).toMatch(
    /^All users are signed out: \d+ sessions? ended\.\n$/,
  );
  expect([await statuses(), await prisma().session.count()]).toEqual([[401, 401], 0]);
  expect((await run('users', ['sign-out'])).stderr).toContain('--email EMAIL or --id ID');
});

test('keys revoke --all revokes all keys of an account, and the history has what the operator did', async () => {
  const args = ['create', '--account', 'Keys', '--json'];
  const keys: string[] = [];
  for (let made = 0; made < 3; made++) keys.push(JSON.parse((await run('keys', args)).stdout).key);
  const { id } = await prisma().account.findUniqueOrThrow({ where: { name: 'Keys' } });
  const owner = await signedIn(server, id, 'OWNER');
  await server
    .callerWith(keys[0] ?? '')
    .data('mutation { createWebhook(input: { url: "https://crm.example/", events: [] }) { __typename } }');
  expect((await run('keys', ['revoke', '--account', 'Keys'])).stderr).toContain('--account NAME --all');
  expect((await run('keys', ['revoke'])).stderr).toContain('Name the key by its ID');
  const revoked = await run('keys', ['revoke', '--account', 'Keys', '--all']);
  expect(revoked.stdout).toMatch(/^The account "Keys" has no valid key any more; 3 keys revoked\.\n/);
  for (const key of keys)
    await expect.poll(async () => (await server.callerWith(key).rest('GET', '/links')).status).toBe(401);
  const email = await emailOf(owner.userId);
  for (const command of ['disable', 'enable', 'reset']) await run('users', [command, '--email', email]);
  const byOperator = (await historyOf(id)).filter(([, , , by]) => by === null);
  expect(byOperator.map((one) => one.slice(0, 3))).toEqual([
    ['CREATED', 'ACCOUNT', ['name']],
    ...keys.map(() => ['CREATED', 'API_KEY', ['scopes']]),
    ...keys.map(() => ['DELETED', 'API_KEY', []]),
    ['UPDATED', 'MEMBER', ['disabled']],
    ['UPDATED', 'MEMBER', ['disabled']],
    ['UPDATED', 'MEMBER', ['password']],
  ]);
});
