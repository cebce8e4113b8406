import { statSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../../src/testing/caller.ts';
import { startTestServer, type TestServer } from '../../../src/testing/server.ts';
import { chromiumPath, closeTabs, newTab } from '../../support/browser.ts';
import { chooseInAccount, newUrl, rowOf, shown, signIn } from '../../support/console.ts';

describe.runIf(chromiumPath)('the look of the console, in a browser', () => {
  let server: TestServer;
  let caller: Caller;
  let link: { readonly id: number; readonly alias: string };
  beforeAll(async () => {
    server = await startTestServer();
    caller = await server.caller('look');
    link = await caller.link({ alias: 'seen', title: 'Seen' });
    const targeting = '{ type: COUNTRY, countries: [{ country: "DE", url: "https://example.com/de" }] }';
    await caller.data(
      `mutation { updateLink(id: ${link.id}, input: { targeting: ${targeting} }) { __typename } }`,
    );
  });
  afterEach(closeTabs);
  afterAll(() => server.stop());

  test('has one typeface of at most 50 kB, which the service serves for a year, to the start page, too', async () => {
    expect(statSync(new URL('../../../web/inter.woff2', import.meta.url)).size).toBeLessThan(50_000);
    const { page } = await signIn({ server, key: caller.key });
    const used = `document.fonts.ready.then((fonts) =>
      [...fonts].filter(({ status }) => status === 'loaded').map(({ family, display }) => [family, display].join()))`;
    await expect.poll(() => page.evaluate(used)).toEqual(['Inter,swap']);
    const start = await newTab();
    const [font] = await Promise.all([start.waitForResponse(/\.woff2\?/), start.goto(server.origin)]);
    expect([font.status(), font.headers()['content-type'], font.headers()['cache-control']]).toEqual([
      200,
      'font/woff2',
      'public, max-age=31536000, immutable',
    ]);
  });

  test('shows the first link on the first screen of a phone, and low rows on a wide one', async () => {
    const { page } = await signIn({ server, key: caller.key }, { width: 390 });
    const row = page.locator('.row');
    const bottom = async () => {
      const box = await row.boundingBox();
      return box ? box.y + box.height : Number.POSITIVE_INFINITY;
    };
    await shown(row);
    await expect.poll(() => bottom()).toBeLessThan(500);
    await page.setViewportSize({ width: 1920, height: 1000 });
    await expect.poll(async () => (await row.boundingBox())?.height).toBe(52);
    await row.locator('.clicks').click();
    await page.waitForURL(/\/links\/\d+\/statistics/);
  });

  test.each(['en', 'de', 'fr', 'es'])(
    'a new link is a low card on a phone, its actions in one line (%s)',
    async (language) => {
      const { page } = await signIn({ server, key: caller.key }, { width: 390 });
      await page.evaluate(`localStorage.setItem('linkspace.language', '${language}')`);
      await page.reload();
      await shown(page.locator('.row').first());
      await page.locator('#new-link').click();
      await page.locator('#new-url').fill('https://example.com/ready');
      await page.locator('#new-url').press('Enter');
      const card = await shown(page.locator('.created'));
      const tops = () =>
        card.locator('.buttons > *').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().y));
      await expect.poll(async () => [(await tops()).length, new Set(await tops()).size]).toEqual([3, 1]);
      await expect.poll(async () => (await card.boundingBox())?.height).toBeLessThan(200);
      // The cross stands beside the words above the address.
      const [close, address] = [card.locator('> .bare'), card.locator('.short-url')];
      expect((await close.boundingBox())?.y).toBeLessThan((await address.boundingBox())?.y ?? 0);
    },
  );

  test('opens the form of a new link with its few usual fields, and what is folded with its value', async () => {
    const { page } = await signIn({ server, key: caller.key });
    const url = await newUrl(page);
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('new-url');
    // Between digits, an x of an alias stays an x.
    const ligatures = "getComputedStyle(document.getElementById('new-url')).fontVariantLigatures";
    await expect.poll(() => page.evaluate(ligatures)).toBe('no-contextual');
    await shown(page.getByLabel('Title', { exact: true }));
    const folds = page.locator('.fold summary');
    const folded = async () => (await folds.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());
    await expect
      .poll(folded)
      .toEqual([
        'Campaign None',
        'Who goes where The same for everybody',
        'Start and notes None',
        'Expiry Never',
        'Protection None · Statistics: Everybody',
        'Pixels None',
        'Preview That of the destination',
      ]);
    const expiry = folds.filter({ hasText: 'Expiry' });
    const limit = page.getByLabel('After this many clicks');
    await expect.poll(() => limit.isVisible()).toBe(false);
    await expiry.click();
    await limit.fill('100');
    await expiry.click();
    await limit.waitFor({ state: 'hidden' });
    await shown(expiry.getByText('after 100 clicks'));
    // What is wrong opens again.
    await expiry.click();
    await limit.fill('0');
    await expiry.click();
    await url.fill('https://example.com/');
    await page.getByRole('button', { name: 'Shorten' }).click();
    await shown(limit);
  });

  test('says beside the form of a link what a German iPhone gets', async () => {
    const { page } = await signIn({ server, key: caller.key }, { path: `/links/${link.id}` });
    const preview = page.getByRole('complementary', { name: 'Preview' });
    await shown(preview.getByText(/^A visitor from Germany with an iPhone in German is redirected to/));
    await expect.poll(() => preview.innerText()).toContain('example.com/de');
    await page.getByLabel('Alias').fill('later');
    await shown(preview.getByText('s.example/later'));
  });

  test('the tabs of a link stay in their places when another one is chosen', async () => {
    const { page } = await signIn({ server, key: caller.key }, { path: `/links/${link.id}` });
    const tabs = page.locator('.tabs a');
    const lefts = () => tabs.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().x));
    await shown(tabs.first());
    await page.evaluate('document.fonts.ready.then(() => true)');
    const before = await lefts();
    for (const name of ['Statistics', 'History', 'Test']) {
      const tab = tabs.filter({ hasText: name });
      await tab.click();
      await expect.poll(() => tab.getAttribute('aria-current')).toBe('page');
      expect(await lefts()).toEqual(before);
    }
  });

  test('has a card for each part of a profile, as settings do, with room below its heading', async () => {
    const { page } = await signIn({ server, key: caller.key }, { path: '/profile' });
    const parts = page.locator('#main section');
    await shown(parts.last());
    const found = await parts.evaluateAll((all) =>
      all.map((part) => {
        const [heading, next] = [...part.children].map((one) => one.getBoundingClientRect());
        return [part.className, next && heading && next.top - heading.bottom];
      }),
    );
    expect(found).toEqual(['You', 'Passkeys', 'Sessions', 'Linkspace'].map(() => ['card stack', 16]));
    const row = page.locator('.record').first();
    expect(await row.locator('.parts').innerText()).toBe('Name\nKim');
    await shown(page.locator('.card').getByLabel('Language'));
    await shown(page.locator('.card').getByText(/^Linkspace \d/));
  });

  test('is light or dark as the system, or as somebody chooses in this browser', async () => {
    const { page, complaints } = await signIn({ server, key: caller.key }, { colorScheme: 'light' });
    const isDark = () =>
      page.evaluate(`getComputedStyle(document.body).backgroundColor === 'rgb(19, 19, 24)'`);
    const choose = (name: string) => chooseInAccount(page, name);
    await expect.poll(() => isDark()).toBe(false);
    await choose('Dark');
    await expect.poll(() => isDark()).toBe(true);
    await page.reload();
    await shown(rowOf(page, link.alias));
    await expect
      .poll(async () => [await isDark(), await page.evaluate('localStorage["graphiql:theme"]')])
      .toEqual([true, 'dark']);
    await choose('Light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(() => isDark()).toBe(false);
    await choose('As the system');
    await expect.poll(() => isDark()).toBe(true);
    expect(complaints).toEqual([]);
  });
});
