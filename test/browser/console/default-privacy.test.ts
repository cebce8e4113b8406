import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../src/testing/server.ts';
import { chromiumPath, closeTabs } from '../../support/browser.ts';
import { newUrl, shown, signIn, unfold } from '../../support/console.ts';

// Costs more than 3 s of processor time: it starts a browser.
describe.runIf(chromiumPath)('the default privacy in the console, in a browser', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ background: true });
  });
  afterEach(closeTabs);
  afterAll(() => server.stop());

  test('is chosen by an owner, and is that of new and of pasted links', async () => {
    const caller = await server.caller('marketing');
    const { page, accountId } = await signIn({ server, key: caller.key }, { path: '/settings' });
    const open = (path: string) => page.goto(`${server.origin}/console/${accountId}${path}`);
    const privacyOf = async (url: string) =>
      (await server.database.prisma.link.findFirst({ where: { url } }))?.privacy;

    await page.getByLabel('Statistics of new links').selectOption('Only this account');
    await page.getByRole('button', { name: 'Save' }).click();
    await shown(page.getByText('Settings saved'));

    await open('/');
    await (await newUrl(page)).fill('https://example.com/private');
    await page.keyboard.press('Enter');
    await shown(page.getByRole('region', { name: 'Your link is ready' }));
    await expect.poll(() => privacyOf('https://example.com/private')).toBe('PRIVATE');

    // An empty form has nothing to keep, also where public would be a choice.
    await page.reload();
    const button = page.getByRole('button', { name: 'New link', exact: true });
    await expect.poll(async () => (await shown(button)).getAttribute('aria-expanded')).toBe('false');
    await (await newUrl(page)).fill('https://example.com/public');
    await unfold(page);
    const choice = page.getByLabel('Who may see the statistics');
    await expect.poll(() => choice.inputValue()).toBe('PRIVATE');
    await choice.selectOption('Everybody');
    await (await newUrl(page)).press('Enter');
    await shown(page.getByRole('region', { name: 'Your link is ready' }));
    await expect.poll(() => privacyOf('https://example.com/public')).toBe('PUBLIC');

    await open('/many');
    await page
      .getByLabel('Destinations', { exact: true })
      .fill('https://example.com/1\nhttps://example.com/2');
    await page.getByRole('button', { name: 'Create 2 links' }).click();
    await shown(page.getByText('2 links were created'));
    for (const path of ['1', '2'])
      await expect.poll(() => privacyOf(`https://example.com/${path}`)).toBe('PRIVATE');
  });
});
