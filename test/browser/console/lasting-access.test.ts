// It costs more than three seconds of the processor: the dialogs, and the page after a reset, are in a browser only.
import type { Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createToken } from '../../../src/domain/access/one-time-token.ts';
import { startTestServer, type TestServer } from '../../../src/testing/server.ts';
import { chromiumPath, closeTabs } from '../../support/browser.ts';
import { openConsole, PASSWORD, shown, signIn } from '../../support/console.ts';
import { type Person, signedIn } from '../../support/person.ts';

type Member = Awaited<ReturnType<typeof signedIn>>;
type Asker = Pick<Person, 'data'>;

describe.runIf(chromiumPath)('what a person or a key made, in the console, in a browser', () => {
  let server: TestServer;
  let accounts = 0;
  /** A key of the account, with which an owner signs in. */
  let key = '';
  let admin: Member;
  beforeAll(async () => {
    server = await startTestServer();
  });
  beforeEach(async () => {
    key = (await server.caller(`made ${++accounts}`)).key;
    const { id } = await server.database.prisma.account.findFirstOrThrow({ orderBy: { id: 'desc' } });
    admin = await signedIn(server, id, 'ADMIN');
  });
  afterEach(closeTabs);
  afterAll(() => server.stop());

  const makeWebhook = (by: Asker, host: string) =>
    by.data(
      `mutation { createWebhook(input: { url: "https://${host}/", events: [LINK_CREATED] }) { __typename } }`,
    );
  /** A key that the member makes, with a webhook of its own. */
  async function makeKey(name: string, host: string) {
    const { createApiKey } = await admin.data<{ createApiKey: { key: string } }>(
      `mutation { createApiKey(input: { name: "${name}", role: ADMIN }) { ... on CreatedApiKey { key } } }`,
    );
    const program = server.callerWith(createApiKey.key);
    await makeWebhook(program, host);
    return program;
  }
  const disabledHosts = async () => {
    const { webhooks } = await server
      .callerWith(key)
      .data<{ webhooks: { nodes: { url: string; disabled: boolean }[] } }>(
        '{ webhooks { nodes { url disabled } } }',
      );
    return webhooks.nodes.flatMap(({ url, disabled }) => (disabled ? new URL(url).host : [])).sort();
  };
  const listed = (dialog: Locator) => dialog.locator('.stopping').last().locator('li').allInnerTexts();

  test('the dialog before a key is revoked lists its webhooks, and disables them with it', async () => {
    const program = await makeKey('Nightly', 'of-the-key.example');
    await makeWebhook(admin, 'of-the-admin.example');
    const { page } = await signIn({ server, key }, { path: '/keys' });
    await page.locator('.record', { hasText: 'Nightly' }).getByRole('button', { name: 'Revoke' }).click();
    const dialog = page.getByRole('dialog');
    await shown(dialog.getByText('1 webhook goes on sending this account’s changes:'));
    await expect.poll(() => listed(dialog)).toEqual(['https://of-the-key.example/']);
    await expect.poll(() => dialog.getByLabel('Disable these webhooks').isChecked()).toBe(true);
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await expect.poll(() => dialog.count()).toBe(0);
    await expect.poll(() => disabledHosts()).toEqual(['of-the-key.example']);
    await expect.poll(async () => (await program.rest('GET', '/links')).status).toBe(401);
  });

  test('the dialog before a member is removed lists the webhooks of them and their keys, and leaves them if that is wanted', async () => {
    const program = await makeKey('Nightly', 'of-the-key.example');
    await makeWebhook(admin, 'of-the-admin.example');
    await makeWebhook(server.callerWith(key), 'of-another.example');
    const { page } = await signIn({ server, key }, { path: '/people' });
    const open = async () => {
      await page.getByRole('button', { name: /^Actions for Person / }).click();
      await page.locator('.menu:popover-open').getByRole('menuitem', { name: 'Remove' }).click();
      const dialog = page.getByRole('dialog');
      await shown(dialog.getByText('2 webhooks go on sending this account’s changes:'));
      return dialog;
    };
    const dialog = await open();
    await shown(dialog.getByText('1 key stops working at once:'));
    expect((await listed(dialog)).sort()).toEqual([
      ...['https://of-the-admin.example/', 'https://of-the-key.example/'],
    ]);
    await dialog.getByLabel('Disable these webhooks').uncheck();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await open();
    // It asks anew.
    await expect.poll(() => dialog.getByLabel('Disable these webhooks').isChecked()).toBe(true);
    await dialog.getByLabel('Disable these webhooks').uncheck();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await expect.poll(() => dialog.count()).toBe(0);
    await expect.poll(() => disabledHosts()).toEqual([]);
    await expect.poll(async () => (await program.rest('GET', '/links')).status).toBe(401);
  });

  test('the removal of a member disables their webhooks in the same step', async () => {
    await makeKey('Nightly', 'of-the-key.example');
    await makeWebhook(server.callerWith(key), 'of-another.example');
    const { page } = await signIn({ server, key }, { path: '/people' });
    await page.getByRole('button', { name: /^Actions for Person / }).click();
    await page.locator('.menu:popover-open').getByRole('menuitem', { name: 'Remove' }).click();
    const dialog = page.getByRole('dialog');
    await shown(dialog.getByText('1 webhook goes on sending this account’s changes:'));
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await expect.poll(() => dialog.count()).toBe(0);
    await expect.poll(() => disabledHosts()).toEqual(['of-the-key.example']);
  });

  /** Opens the page after a reset of the member. */
  async function reset() {
    const token = await createToken(server.database, 'RESET', { userId: admin.userId }, server.clock.now);
    const opened = await openConsole(server.origin, { path: `/reset#${token}` });
    await opened.page.getByLabel('New password').fill(PASSWORD);
    await opened.page.getByRole('button', { name: 'Set the password' }).click();
    return opened;
  }

  test('the page after a reset lists what the person made, and ends it by a button', async () => {
    const program = await makeKey('Nightly', 'of-the-key.example');
    await makeWebhook(admin, 'of-the-admin.example');
    await admin.data(
      'mutation { inviteMember(input: { email: "friend@example.com", role: VIEWER }) { __typename } }',
    );
    await makeWebhook(server.callerWith(key), 'of-another.example');
    const { page, complaints } = await reset();
    await shown(page.getByRole('heading', { name: 'Did you make all of these?' }));
    const lines = () => page.locator('.stopping li').allInnerTexts();
    await expect
      .poll(async () => (await lines()).map((line) => line.replace(/ls_[\w-]+/, 'ls_')).sort())
      .toEqual([
        `Invitation friend@example.com · made ${accounts}`,
        `Key Nightly ls_… · made ${accounts}`,
        `Webhook https://of-the-admin.example/ · made ${accounts}`,
        `Webhook https://of-the-key.example/ · made ${accounts}`,
      ]);
    await page.getByRole('button', { name: 'End all of these' }).click();
    await page.waitForURL(/\/console\/\d+\/overview$/);
    await expect.poll(() => disabledHosts()).toEqual(['of-the-admin.example', 'of-the-key.example']);
    await expect
      .poll(() => server.database.prisma.invitation.count({ where: { email: 'friend@example.com' } }))
      .toBe(0);
    await expect.poll(async () => (await program.rest('GET', '/links')).status).toBe(401);
    expect(complaints).toEqual([]);
  });

  test('the page after a reset keeps all by another button', async () => {
    const program = await makeKey('Nightly', 'of-the-key.example');
    const { page } = await reset();
    await page.getByRole('button', { name: 'Keep them' }).click();
    await page.waitForURL(/\/console\/\d+\/overview$/);
    expect((await program.rest('GET', '/links')).status).toBe(200);
    await expect.poll(() => disabledHosts()).toEqual([]);
  });

  test('after a reset of somebody who made nothing, the console comes at once', async () => {
    const { page } = await reset();
    await page.waitForURL(/\/console\/\d+\/overview$/);
    await shown(page.getByRole('heading', { name: 'Overview' }));
  });
});
