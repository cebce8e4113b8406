// It costs more than three seconds of the processor: addresses and forms are those of a browser.
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../../src/testing/caller.ts';
import { startTestServer, type TestServer } from '../../../src/testing/server.ts';
import { chromiumPath, closeTabs } from '../../support/browser.ts';
import { rowOf, shown, signIn } from '../../support/console.ts';

describe.runIf(chromiumPath)('the list of links in the console, in a browser', () => {
  let server: TestServer;
  let caller: Caller;
  beforeAll(async () => {
    server = await startTestServer();
    caller = await server.caller('list');
  });
  afterEach(closeTabs);
  afterAll(() => server.stop());

  const pathOf = (page: Page) => new URL(page.url()).pathname.replace(/^\/console\/\d+/, '');

  test('is at /links, where earlier addresses lead, with what they search', async () => {
    const { alias } = await caller.link({ title: 'To be found' });
    await caller.link({ title: 'Another' });
    const { page, accountId } = await signIn(
      { server, key: caller.key },
      { path: '/?search=found&order=title' },
    );
    await shown(rowOf(page, alias));
    expect(pathOf(page)).toBe('/links');
    expect(new URL(page.url()).search).toBe('?search=found&order=title');
    // It adds nothing to the history.
    await page.getByRole('link', { name: 'Links', exact: true }).click();
    await expect.poll(() => page.locator('.row').count()).toBe(2);
    await page.goBack();
    await expect.poll(() => page.locator('.row').count()).toBe(1);
    for (const path of ['/links', '/links/', '/LINKS', '/']) {
      await page.goto(`${server.origin}/console/${accountId}${path}`);
      await shown(rowOf(page, alias));
      expect(await page.locator('nav [aria-current=page]').innerText()).toBe('Links');
    }
    await rowOf(page, alias).locator('.short').click();
    await page.getByRole('link', { name: 'All links' }).click();
    await expect.poll(() => pathOf(page)).toBe('/links');
    await page.getByLabel('Search links').fill('found');
    await expect.poll(() => page.url()).toMatch(/\/links\?search=found$/);
  });
});
