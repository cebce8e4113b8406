import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runCommand } from '../support/command.ts';
import { Person, signedIn } from '../support/person.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

type Member = Awaited<ReturnType<typeof signedIn>>;
type Asker = Pick<Caller, 'data'> | Person;

let server: TestServer;
let account = 0;
let owner: Member;
let admin: Member;
beforeAll(async () => {
  // The commands have the clock of the machine.
  server = await startTestServer({ now: new Date() });
});
afterAll(() => server.stop());
beforeEach(async () => {
  await server.caller(`account ${++account}`);
  owner = await signedIn(server, account, 'OWNER');
  admin = await signedIn(server, account, 'ADMIN');
});

const author = '{ __typename ... on User { id name } ... on ApiKey { id name prefix } }';
const input = 'input: { url: "https://crm.example/hook", events: [LINK_CREATED] }';

async function makeWebhook(by: Asker): Promise<string> {
  const { createWebhook } = await by.data<{ createWebhook: { webhook: { id: string } } }>(
    `mutation { createWebhook(${input}) { ... on CreatedWebhook { webhook { id } } } }`,
  );
  return createWebhook.webhook.id;
}

async function makeKey(by: Asker, role = 'ADMIN', expiresAt: string | null = null) {
  const { createApiKey } = await by.data<{ createApiKey: { key: string; apiKey: { id: string } } }>(
    `mutation { createApiKey(input: { name: "Script", role: ${role}, expiresAt: ${JSON.stringify(expiresAt)} }) {
      ... on CreatedApiKey { key apiKey { id } } } }`,
  );
  return { ...createApiKey, id: createApiKey.apiKey.id, program: server.callerWith(createApiKey.key) };
}

const makersOf = async (id: string, by: Asker = owner) => {
  type Made = Record<'createdBy' | 'changedBy', { id: string; name: string } | null>;
  const query = `query($id: ID!) { webhook(id: $id) { createdBy ${author} changedBy ${author} } }`;
  const { webhook } = await by.data<{ webhook: Made }>(query, { id });
  return [webhook.createdBy?.id, webhook.changedBy?.id];
};
const stateOf = async (id: string) => {
  const query = 'query($id: ID!) { webhook(id: $id) { disabled disabledReason } }';
  return (await owner.data<{ webhook: object }>(query, { id })).webhook;
};
const update = (by: Asker, id: string, changes: string) =>
  by.data(`mutation { updateWebhook(id: ${id}, input: ${changes}) { __typename } }`);

describe('a webhook', () => {
  test('says who made it, and who last set its URL or secret', async () => {
    const id = await makeWebhook(admin);
    const [made, other] = [String(admin.userId), String(owner.userId)];
    expect(await makersOf(id)).toEqual([made, made]);
    await update(owner, id, '{ events: [LINK_DELETED] }');
    await update(owner, id, '{ disabled: true }');
    await update(owner, id, '{ url: "https://crm.example/hook" }');
    expect(await makersOf(id)).toEqual([made, made]);
    await update(owner, id, '{ url: "https://other.example/hook" }');
    expect(await makersOf(id)).toEqual([made, other]);
    await admin.data(`mutation { rotateWebhookSecret(id: ${id}) { __typename } }`);
    expect(await makersOf(id)).toEqual([made, made]);
    const fields = '{ changes(first: 50, filter: { kind: WEBHOOK }) { nodes { fields } } }';
    await expect.poll(async () => JSON.stringify(await owner.data(fields))).toContain('secret');
    expect(JSON.stringify(await owner.data(fields))).not.toMatch(/By/);
  });

  test('of a key names the key', async () => {
    const { id: key, program } = await makeKey(admin);
    const id = await makeWebhook(program);
    expect(await makersOf(id)).toEqual([key, key]);
    await update(owner, id, '{ url: "https://other.example/hook" }');
    expect(await makersOf(id)).toEqual([key, String(owner.userId)]);
  });

  test('calls a person who left a former member, and all people members for keys with scopes', async () => {
    const id = await makeWebhook(admin);
    const named = async (by: Asker) => {
      const query = `query($id: ID!) { webhook(id: $id) { createdBy ${author} } }`;
      return (await by.data<{ webhook: { createdBy: object } }>(query, { id })).webhook.createdBy;
    };
    const program = await server.caller(`account ${account}`);
    expect(await named(program)).toMatchObject({ __typename: 'User', name: 'Member' });
    await owner.data(`mutation { removeMember(id: ${admin.memberId}) { __typename } }`);
    expect(await named(owner)).toMatchObject({ __typename: 'User', name: 'Former member' });
    expect(await stateOf(id)).toEqual({ disabled: false, disabledReason: null });
  });
});

describe('disableWebhooks', () => {
  const disabled = { disabled: true, disabledReason: 'BY_HAND' };
  const works = { disabled: false, disabledReason: null };

  test('of a removal disables those that the person or their keys made or changed, and no others', async () => {
    const { program } = await makeKey(admin, 'ADMIN');
    const child = await makeKey(program);
    const own = [await makeWebhook(admin), await makeWebhook(program), await makeWebhook(child.program)];
    const changed = await makeWebhook(owner);
    await update(child.program, changed, '{ url: "https://of-the-admin.example/" }');
    const others = [await makeWebhook(owner), await makeWebhook((await makeKey(owner)).program)];
    await update(admin, others[0] ?? '', '{ events: [LINK_DELETED] }');
    await owner.data(
      `mutation { removeMember(id: ${admin.memberId}, disableWebhooks: true) { __typename } }`,
    );
    expect(await Promise.all([...own, changed].map(stateOf))).toEqual(Array(4).fill(disabled));
    expect(await Promise.all(others.map(stateOf))).toEqual([works, works]);
    const query =
      '{ changes(first: 50, filter: { kind: WEBHOOK }) { nodes { action fields by { ... on User { id } } } } }';
    const told = async () =>
      (await owner.data<{ changes: { nodes: object[] } }>(query)).changes.nodes.slice(-4);
    const change = { action: 'UPDATED', fields: ['disabled', 'disabledReason'] };
    await expect.poll(told).toEqual(Array(4).fill({ ...change, by: { id: String(owner.userId) } }));
  });

  test('of a revocation disables those of the key and of the keys that it made', async () => {
    const key = await makeKey(admin);
    const child = await makeKey(key.program);
    const own = [await makeWebhook(key.program), await makeWebhook(child.program)];
    const others = [await makeWebhook(admin), await makeWebhook((await makeKey(admin)).program)];
    await owner.data(`mutation { revokeApiKey(id: ${key.id}, disableWebhooks: true) { __typename } }`);
    expect(await Promise.all(own.map(stateOf))).toEqual([disabled, disabled]);
    expect(await Promise.all(others.map(stateOf))).toEqual([works, works]);
  });

  test('is for admins: a viewer who leaves cannot', async () => {
    const id = await makeWebhook(admin);
    await owner.data(
      `mutation { updateMember(id: ${admin.memberId}, input: { role: VIEWER }) { __typename } }`,
    );
    const again = await signedIn(server, account, 'VIEWER');
    await server.database.prisma.webhook.updateMany({ data: { createdByUserId: again.userId } });
    const { errors } = await again.graphql(
      `mutation { removeMember(id: ${again.memberId}, disableWebhooks: true) { __typename } }`,
    );
    expect(errors?.[0]?.extensions.code).toBe('FORBIDDEN');
    expect(await stateOf(id)).toEqual(works);
    expect(await server.database.prisma.membership.count({ where: { id: again.memberId } })).toBe(1);
  });
});

describe('an invitation that a key makes', () => {
  const later = (days: number) => new Date(server.clock.now.getTime() + days * 86_400_000);
  const invite = async (program: Asker) => {
    const { inviteMember } = await program.data<{ inviteMember: { url: string; expiresAt: string } }>(
      'mutation { inviteMember(input: { email: "kim@example.com", role: ADMIN }) { ... on Invitation { url expiresAt } } }',
    );
    return { ...inviteMember, token: inviteMember.url.split('#')[1] ?? '' };
  };

  test.each([
    [2, 2],
    [30, 7],
  ])('for %i more days lasts %i days', async (days, lasts) => {
    const { program } = await makeKey(admin, 'ADMIN', later(days).toISOString());
    expect((await invite(program)).expiresAt).toBe(later(lasts).toISOString());
  });

  test('works no more after the key has expired, also one of an earlier version', async () => {
    const { program } = await makeKey(admin, 'ADMIN', later(1).toISOString());
    const { token } = await invite(program);
    await server.database.prisma.invitation.updateMany({ data: { expiresAt: later(7) } });
    const ask = async () => (await new Person(server).auth('token', { token })).status;
    const { now } = server.clock;
    expect(await ask()).toBe(200);
    server.clock.now = later(1);
    expect(await ask()).toBe(410);
    server.clock.now = now;
  });
});

describe('after a reset', () => {
  const ids = (found: unknown) => (found as { id: string }[]).map(({ id }) => id);

  test('a person sees what they made, and ends it', async () => {
    const made = async (by: Member) => {
      const { id: key, program } = await makeKey(by);
      const webhook = await makeWebhook(program);
      const { inviteMember } = await by.data<{ inviteMember: { id: string } }>(
        `mutation { inviteMember(input: { email: "of-${by.userId}@example.com", role: VIEWER }) { ... on Invitation { id } } }`,
      );
      return { key, webhook, invitation: inviteMember.id, program };
    };
    const [own, others] = [await made(admin), await made(owner)];
    const { body } = await admin.auth('lasting-access');
    expect([ids(body.keys), ids(body.webhooks), ids(body.invitations)]).toEqual([
      ...[[own.key], [own.webhook], [own.invitation]],
    ]);
    expect(body).toMatchObject({
      keys: [{ name: 'Script', role: 'ADMIN', account: { id: String(account) } }],
      webhooks: [{ url: 'https://crm.example/hook', mayDisable: true }],
      invitations: [{ email: `of-${admin.userId}@example.com`, role: 'VIEWER' }],
    });
    // Those of others do nothing.
    const all = {
      keys: [own.key, others.key],
      webhooks: [own.webhook, others.webhook],
      invitations: [own.invitation, others.invitation],
    };
    expect((await admin.auth('lasting-access/end', all)).status).toBe(204);
    const empty = { keys: [], webhooks: [], invitations: [] };
    expect((await admin.auth('lasting-access')).body).toEqual(empty);
    const left = (await owner.auth('lasting-access')).body;
    expect([ids(left.keys), ids(left.webhooks), ids(left.invitations)]).toEqual([
      ...[[others.key], [others.webhook], [others.invitation]],
    ]);
    const status = async () => (await own.program.rest('GET', '/links')).status;
    await expect.poll(status).toBe(401);
    expect((await others.program.rest('GET', '/links')).status).toBe(200);
  });

  test('a person who is no admin any more disables no webhooks', async () => {
    const id = await makeWebhook(admin);
    await server.database.prisma.membership.update({
      where: { id: admin.memberId },
      data: { role: 'EDITOR' },
    });
    const { body } = await admin.auth('lasting-access');
    expect(body.webhooks).toMatchObject([{ id, mayDisable: false }]);
    await admin.auth('lasting-access/end', { webhooks: [id] });
    expect(await stateOf(id)).toEqual({ disabled: false, disabledReason: null });
  });
});

describe('the commands', () => {
  const env = () => ({ DATABASE_URL: server.databaseUrl, BASE_URL: 'https://s.example' });
  const emailOf = async ({ userId: id }: Member) =>
    (await server.database.prisma.user.findUniqueOrThrow({ where: { id } })).email;

  test('tell what of a person stays after a reset, and which webhooks go on', async () => {
    const email = await emailOf(admin);
    const { id, program } = await makeKey(admin);
    const webhook = await makeWebhook(program);
    const reset = await runCommand('users', env(), ['reset', '--email', email]);
    expect(reset.stdout).toMatch(
      new RegExp(`stay.*\\n\\n  key ${id} .*Script\\n  webhook ${webhook} .*https://crm`),
    );
    const disable = await runCommand('users', env(), ['disable', '--email', email]);
    expect(disable.stdout).toMatch(
      new RegExp(`webhooks of the user go on.*\\n\\n  webhook ${webhook} .*https://crm`),
    );
    const json = await runCommand('users', env(), ['disable', '--email', email, '--json']);
    const told = [{ id: Number(webhook), url: 'https://crm.example/hook', account: `account ${account}` }];
    expect(JSON.parse(json.stdout)).toMatchObject({ webhooks: told });
    const revoke = await runCommand('keys', env(), ['revoke', id]);
    expect(revoke.stdout).toMatch(
      new RegExp(`webhooks of the key go on.*\\n\\n  webhook ${webhook} .*https://crm`),
    );
  });

  test('tell nothing where there is nothing', async () => {
    const email = await emailOf(admin);
    const { stdout } = await runCommand('users', env(), ['disable', '--email', email]);
    expect(stdout).toBe(`${email} is disabled.\n`);
  });
});
