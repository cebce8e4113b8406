import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../src/testing/server.ts';
import { APPEARANCES, chromiumPath, closeTabs, faultsFor } from '../../support/browser.ts';
import { newUrl, shown, signIn } from '../../support/console.ts';

describe.runIf(chromiumPath)('webhooks, domains and pixels explain themselves, in a browser', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({
      ...{ allowPrivateWebhooks: false, background: true, verifiesDomains: true },
    });
  });
  afterEach(closeTabs);
  afterAll(() => server.stop());

  const open = async (name: string, path: string) => {
    const caller = await server.caller(name);
    return signIn({ server, key: caller.key }, { path });
  };

  test('a webhook shows what its receiver gets, and a test its request and its answer', async () => {
    const { page, complaints } = await open('webhooks', '/webhooks');
    await shown(page.getByText('No webhooks yet'));
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByLabel('URL of the receiver').fill('crm.example/in?a=1');
    await page.getByText('What the receiver gets').click();
    const request = page.locator('.request pre');
    await expect
      .poll(() => request.innerText())
      .toMatch(/^POST \/in\?a=1 HTTP\/1\.1\nHost: crm\.example\n[\s\S]*"type":"link\.updated"/);
    for (const [width, colorScheme] of APPEARANCES) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      expect(await faultsFor(page)).toEqual([]);
    }
    await page.getByRole('button', { name: 'Create' }).click();
    const dialog = await shown(page.getByRole('dialog', { name: 'The secret of the webhook' }));
    const copy = dialog.locator('.copy-box').getByRole('button', { name: 'Copy' });
    await page.evaluate('navigator.clipboard.writeText = async (text) => { window.copied = text; }');
    await copy.click();
    await expect.poll(() => page.evaluate('window.copied')).toMatch(/^whsec_/);
    await dialog.getByRole('button', { name: 'Send a test' }).click();
    await expect
      .poll(() => dialog.locator('.request pre').innerText())
      .toMatch(/"type":"ping","timestamp":"[^"]+Z","data":\{"id":\d+\}/);
    await shown(dialog.locator('.deliveries .fields', { hasText: 'The host was not found' }));
    for (const [width, colorScheme] of APPEARANCES) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      expect(await faultsFor(page)).toEqual([]);
    }
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    // Somebody who did both is named once.
    await expect.poll(() => page.locator('.records .more').innerText()).toMatch(/^made by \w+$/m);
    expect(await page.locator('.records .more').innerText()).not.toContain('secret');
    // The page shows the test, too.
    await expect.poll(() => request.innerText()).toMatch(/"type":"ping"/);
    expect(complaints).toEqual([]);
  });

  test('a webhook says in its form that it cannot be delivered to a private host, and once after a test', async () => {
    const { page } = await open('private', '/webhooks');
    await page.getByRole('button', { name: 'New webhook' }).click();
    const dialog = page.getByRole('dialog');
    const url = dialog.getByLabel('URL of the receiver');
    const warning = dialog.getByText('is a host of a private network');
    for (const host of ['localhost:4830', '127.0.0.1', '10.1.2.3', '172.20.0.1', '192.168.1.1', '[::1]']) {
      await url.fill(`http://${host}/hook`);
      await shown(warning);
      await url.fill('https://10.example/hook');
      await expect.poll(() => warning.count()).toBe(0);
    }
    await url.fill('http://127.0.0.1/hook');
    await url.press('Enter');
    await dialog.getByRole('button', { name: 'Send a test' }).click();
    await shown(dialog.locator('.deliveries .fields', { hasText: 'one of a private network' }));
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    const told = page.locator('.records').getByText('Enter an https URL that can be reached');
    await expect.poll(() => told.count()).toBe(2);
    expect(await page.getByText('It is sent again by itself').count()).toBe(0);
  });

  test('a domain says what to enter in its DNS while its host is typed', async () => {
    const { page, complaints } = await open('domains', '/domains');
    await shown(page.getByText('No domain of your own yet'));
    await page.getByRole('button', { name: 'New domain' }).click();
    await page.getByLabel('Host').fill('go.explained.example');
    const dns = page.getByRole('dialog').locator('.dns td code');
    await expect.poll(() => dns.allInnerTexts()).toEqual(['CNAME', 'go.explained.example', 's.example']);
    await page.getByRole('button', { name: 'Copy: go.explained.example' }).waitFor();
    expect(await faultsFor(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
    await shown(page.getByText('_linkspace.go.explained.example'));
    expect(await page.getByText('No domain of your own yet').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('a new link on a domain that is not verified says that visitors do not find it', async () => {
    const caller = await server.caller('unverified');
    const id = await caller.domain('go.unverified.example');
    const { page } = await signIn({ server, key: caller.key });
    await (await newUrl(page)).fill('https://example.com/spring');
    const preview = page.getByRole('complementary', { name: 'Preview' });
    await shown(preview.getByText('in German is redirected to example.com/spring'));
    await page.locator('.joined').getByRole('combobox', { name: 'Domain' }).selectOption(String(id));
    await shown(preview.getByText('in German reads that there is no such link'));
  });

  test('a pixel says what it does, with no pixel and in its form', async () => {
    const { page } = await open('pixels', '/pixels');
    const told = page.getByText('A pixel tells an advertising network who follows a link');
    await shown(told);
    await page.getByRole('button', { name: 'New pixel' }).click();
    await shown(page.getByRole('dialog').getByText('A pixel tells an advertising network'));
  });
});
