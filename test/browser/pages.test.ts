import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../src/testing/caller.ts';
import { startTestServer, type TestServer } from '../../src/testing/server.ts';
import { chromiumPath, launchBrowser, openPage } from '../support/browser.ts';

/** All that the browser keeps for the service: scripts of others, which links' pixels may load, can read it. */
function kept(page: Page): Promise<string> {
  return page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
}

describe.runIf(chromiumPath)('in a browser that reaches nothing but the server', () => {
  let server: TestServer;
  let caller: Caller;
  let browser: Browser;
  beforeAll(async () => {
    server = await startTestServer();
    caller = await server.caller();
    await caller.space('A space to be found');
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  test('the way in leads to the documentation and to GraphiQL', async () => {
    const { page, elsewhere } = await openPage(browser, server.origin);
    await page.goto(server.origin);
    await page.getByRole('link', { name: /v1 documentation/ }).click();
    await page.getByText('/spaces/{id}').first().waitFor();
    await page.goBack();
    await page.getByRole('link', { name: /GraphiQL/ }).click();
    await page.locator('.graphiql-editor').first().waitFor();
    expect(elsewhere).toEqual([]);
  });

  test('the documentation tries an operation with the key that is given to it', async () => {
    const { page, elsewhere } = await openPage(browser, server.origin);
    await page.goto(`${server.origin}/docs`);
    await page.getByRole('button', { name: 'Authorize' }).click();
    await page.locator('.auth-container input').fill(caller.key);
    await page.locator('.auth-btn-wrapper .authorize').click();
    await page.locator('.btn-done').click();
    await page.locator('#operations-spaces-listSpaces .opblock-summary-control').click();
    await page.locator('#operations-spaces-listSpaces .execute').click();
    await page.locator('.live-responses-table').getByText('A space to be found').waitFor();
    expect(elsewhere).toEqual([]);
    expect(await kept(page)).not.toContain(caller.key);
  });

  test('GraphiQL says that the key is missing, and runs an operation with the key that is typed', async () => {
    const { page, elsewhere } = await openPage(browser, server.origin);
    const query = encodeURIComponent('{ spaces { edges { node { name } } } }');
    await page.goto(`${server.origin}/graphql?query=${query}`);
    const result = page.locator('.result-window');
    await page.locator('.graphiql-execute-button').click();
    await result.getByText('UNAUTHENTICATED').waitFor();
    await page.getByRole('button', { name: 'Headers', exact: true }).click();
    await page.locator('.graphiql-editor-tool .graphiql-editor:not(.hidden)').click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.press('Delete');
    // The editor closes brackets and quotes by itself.
    await page.keyboard.type(`{"Authorization": "Bearer ${caller.key}`);
    await page.locator('.graphiql-execute-button').click();
    await result.getByText('A space to be found').waitFor();
    expect(elsewhere).toEqual([]);
    expect(await kept(page)).not.toContain(caller.key);
  });
});
