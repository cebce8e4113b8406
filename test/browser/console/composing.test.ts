// It costs more than three seconds of the processor: only a browser has input methods.
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../../src/testing/caller.ts';
import { startTestServer, type TestServer } from '../../../src/testing/server.ts';
import { chromiumPath, closeTabs } from '../../support/browser.ts';
import { newUrl, rowOf, shown, signIn, unfold } from '../../support/console.ts';

/** Begins to compose a text in the field that has the focus. Returns a function that ends it with another text. */
async function compose(page: Page, text: string): Promise<(chosen: string) => Promise<void>> {
  const session = await page.context().newCDPSession(page);
  const end = text.length;
  await session.send('Input.imeSetComposition', { text, selectionStart: end, selectionEnd: end });
  return async (chosen) => {
    await session.send('Input.insertText', { text: chosen });
    await session.detach();
  };
}

describe.runIf(chromiumPath)('Enter and Escape while an input method composes, in a browser', () => {
  let server: TestServer;
  let caller: Caller;
  beforeAll(async () => {
    server = await startTestServer();
    caller = await server.caller('composing');
    await caller.link({ alias: 'only', title: '東京' });
  });
  afterEach(closeTabs);
  afterAll(() => server.stop());

  test('neither open the link that a search finds, nor clear the search', async () => {
    const { page } = await signIn({ server, key: caller.key });
    await shown(rowOf(page, 'only'));
    const search = page.getByLabel('Search links');
    await search.focus();
    const choose = await compose(page, 'とうきょう');
    await page.keyboard.press('Escape');
    await expect.poll(() => search.inputValue()).toBe('とうきょう');
    await page.keyboard.press('Enter');
    await choose('東京');
    await shown(rowOf(page, 'only'));
    expect(new URL(page.url()).pathname).toMatch(/\/links$/);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/links\/\d+\?/);
  });

  test('neither send a form, nor enter a source or choose a space in it', async () => {
    const { page } = await signIn({ server, key: caller.key });
    await (await newUrl(page)).fill('https://example.com/composed');
    await unfold(page);
    const space = page.locator('.new-link').getByRole('combobox', { name: 'Space' });
    await space.focus();
    let choose = await compose(page, 'しん');
    await page.keyboard.press('Enter');
    await choose('新宿');
    await expect.poll(() => space.inputValue()).toBe('新宿');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByLabel('Title', { exact: true }).focus();
    choose = await compose(page, 'しぶや');
    await page.keyboard.press('Enter');
    await choose('渋谷');
    await page.keyboard.press('Enter');
    await shown(page.getByText('Your link is ready'));
    const found =
      '{ links(filter: { search: "composed", searchBy: URL }) { nodes { title space { name } } } }';
    await expect
      .poll(() => caller.data(found))
      .toEqual({ links: { nodes: [{ title: '渋谷', space: null }] } });
  });

  test('close no dialog', async () => {
    const { page } = await signIn({ server, key: caller.key }, { path: '/spaces' });
    await page.getByRole('button', { name: 'New space' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').focus();
    const choose = await compose(page, 'おおさか');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await choose('大阪');
    await shown(dialog);
    await expect.poll(() => dialog.getByLabel('Name').inputValue()).toBe('大阪');
    await page.keyboard.press('Escape');
    await expect.poll(() => dialog.count()).toBe(0);
  });
});
