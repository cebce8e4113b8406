import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../../src/testing/caller.ts';
import { NOON, startTestServer, type TestServer } from '../../../src/testing/server.ts';
import { chromiumPath, closeTabs, loadAxe } from '../../support/browser.ts';
import { shown, signIn } from '../../support/console.ts';
import { visit } from '../../support/visit.ts';

const TODAY = NOON.toISOString().slice(0, 10);

describe.runIf(chromiumPath)('what a designer sent back, in a browser', () => {
  let server: TestServer;
  let caller: Caller;
  let tag: number;
  let other: number;
  let link: number;
  beforeAll(async () => {
    server = await startTestServer();
    caller = await server.caller('mended');
    [tag, other] = [await caller.tag('Spring'), await caller.tag('Autumn')];
    await caller.link({ alias: 'spring', 'tag_ids[]': tag });
    await caller.link({ alias: 'autumn', 'tag_ids[]': other });
    const title = 'A title that is longer than a phone is wide';
    const { id } = await caller.link({ alias: 'a-long-alias', title, 'tag_ids[]': other });
    link = id;
    await visit(server.origin, '/a-long-alias');
    await caller.rest('PATCH', `/links/${id}`, { disabled: 1 });
    await visit(server.origin, '/spring');
    await visit(server.origin, '/autumn');
    await server.flush();
  });
  afterEach(closeTabs);
  afterAll(() => server.stop());

  const lines = (page: Page) => new URL(page.url()).searchParams.getAll('line');

  test('a comparison begins with the tag of the page, and its chart stays until there is another line', async () => {
    const { page, complaints } = await signIn({ server, key: caller.key }, { path: `/tags/${tag}` });
    const compare = page.getByRole('button', { name: 'Compare', exact: true });
    await compare.focus();
    await page.keyboard.press('Enter');
    const field = page.getByRole('combobox', { name: 'Add a line' });
    await expect.poll(() => field.evaluate((one) => one === document.activeElement)).toBe(true);
    await shown(page.getByRole('heading', { name: 'Clicks and visitors' }));
    await shown(page.locator('.chart .plot').first());
    expect(lines(page)).toEqual([`tag:${tag}`]);
    await page.keyboard.type('Autumn');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.locator('.compared-lines .legend li').allInnerTexts())
      .toEqual(['Spring\n1', 'Autumn\n2']);
    await expect.poll(() => field.evaluate((one) => one === document.activeElement)).toBe(true);
    expect(lines(page)).toEqual([`tag:${tag}`, `tag:${other}`]);
    expect(complaints).toEqual([]);
  });

  test('a dialog with an unseen field gives the focus to the first one in sight, and does not shift', async () => {
    const { page } = await signIn({ server, key: caller.key }, { path: '/profile' });
    await page.getByRole('button', { name: /: Password$/ }).click();
    const field = page.getByRole('dialog').getByLabel('New password');
    await expect.poll(() => field.evaluate((one) => one === document.activeElement)).toBe(true);
    expect(await page.locator('dialog').evaluate((one) => one.scrollLeft)).toBe(0);
  });

  test.each(['light', 'dark'] as const)('revoking is in the colour of danger, in %s', async (colorScheme) => {
    const { page } = await signIn({ server, key: caller.key }, { path: '/keys', colorScheme });
    await page.getByRole('button', { name: 'Revoke' }).first().click();
    const confirm = await shown(page.getByRole('dialog').getByRole('button', { name: 'Revoke' }));
    const wrong = await page.evaluate("getComputedStyle(document.querySelector('.record .danger')).color");
    expect(await confirm.evaluate((one) => getComputedStyle(one).backgroundColor)).toBe(wrong);
    await loadAxe(page);
    const found =
      "axe.run('dialog', { runOnly: ['color-contrast'] }).then(({ violations }) => violations.length)";
    expect(await page.evaluate(found)).toBe(0);
  });

  test('a comparison that was begun by mistake ends by the same button, and no file is without lines', async () => {
    const { page } = await signIn(
      { server, key: caller.key },
      { path: `/overview?from=${TODAY}&to=${TODAY}` },
    );
    const compare = page.getByRole('button', { name: 'Compare', exact: true });
    await compare.click();
    await shown(page.getByRole('combobox', { name: 'Add a line' }));
    expect(await page.getByRole('button', { name: /^Download CSV: Comparison/ }).count()).toBe(0);
    await compare.click();
    await expect.poll(() => page.getByRole('combobox', { name: 'Add a line' }).count()).toBe(0);
    expect(lines(page)).toEqual([]);
  });

  test.each([
    [390, '/overview', '#top-links .name'],
    [390, '/links', '.row .short'],
    [720, '/links', '.row .short'],
  ])('%i pixels wide, the alias on %s is in sight', async (width, path, selector) => {
    const { page } = await signIn({ server, key: caller.key }, { path, width });
    const alias = page.locator(selector).filter({ hasText: 'a-long-alias' });
    await shown(alias);
    expect(await alias.innerText()).toMatch(/^a-long-alias/);
  });

  test('a status in a narrow row is whole', async () => {
    const { page } = await signIn({ server, key: caller.key }, { width: 390 });
    const row = page.getByRole('listitem', { name: /a-long-alias/ });
    const status = await shown(row.getByText('Disabled', { exact: true }));
    const isWhole = await status.evaluate((chip) => {
      const line = chip.parentElement?.getBoundingClientRect();
      return chip.scrollWidth <= chip.clientWidth && chip.getBoundingClientRect().right <= (line?.right ?? 0);
    });
    expect(isWhole).toBe(true);
  });

  test.each(['en', 'de', 'es', 'fr'])('the quick search is on one line in %s', async (language) => {
    const { page } = await signIn({ server, key: caller.key });
    await page.evaluate(`localStorage.setItem('linkspace.language', '${language}')`);
    await page.reload();
    const find = await shown(page.locator('.find'));
    const { height, isCut } = await find.evaluate((button) => ({
      height: button.getBoundingClientRect().height,
      isCut: [...button.children].some((part) => part.scrollWidth > part.clientWidth + 1),
    }));
    expect(height).toBeLessThan(40);
    expect(isCut).toBe(false);
    expect(await find.locator('kbd').innerText()).toBe(language === 'de' ? 'Strg K' : 'Ctrl K');
    const role = page.locator('.account small > span');
    expect(await role.evaluate((one) => one.scrollWidth <= one.clientWidth + 1)).toBe(true);
  });

  test('the place that is searched is whole on a phone', async () => {
    const { page } = await signIn({ server, key: caller.key }, { width: 390, path: '/links?search=spring' });
    const place = await shown(page.getByLabel('Where to search'));
    const isWhole = await place.evaluate((select) => {
      const { width } = select.getBoundingClientRect();
      Object.assign(select.style, { flex: 'none', width: 'max-content' });
      return select.getBoundingClientRect().width <= width + 0.5;
    });
    expect(isWhole).toBe(true);
  });

  test('filters take one line of a phone', async () => {
    const { page } = await signIn({ server, key: caller.key }, { width: 390 });
    const pills = page.locator('.filters .filter');
    await shown(pills.first());
    const lines = await pills.evaluateAll(
      (all) => new Set(all.map((one) => one.getBoundingClientRect().y)).size,
    );
    expect(lines).toBe(1);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });

  test('selected links have whole actions on a phone, and all of them in the menu', async () => {
    const { page } = await signIn({ server, key: caller.key }, { width: 390 });
    await page.getByRole('checkbox').first().click();
    const acts = await shown(page.locator('.acts'));
    const cut = await acts.evaluate((line) => {
      const { right, bottom } = line.getBoundingClientRect();
      const boxes = [...line.querySelectorAll('button')].map((one) => one.getBoundingClientRect());
      return boxes.filter((box) => box.top < bottom && (box.bottom > bottom + 1 || box.right > right + 1));
    });
    expect(cut).toEqual([]);
    const count = page.locator('.bulk > b');
    expect(await count.evaluate((one) => one.getBoundingClientRect().height)).toBeLessThan(30);
    await page.locator('.bulk > [aria-haspopup]').click();
    for (const name of ['Move', 'Tags', 'Expiry'])
      expect(
        await page.locator('.bulk').getByText(name, { exact: true }).filter({ visible: true }).count(),
      ).toBe(1);
    await page.getByRole('menuitem', { name: 'Expiry' }).click();
    await shown(page.getByRole('dialog', { name: /Expiry|expire/i }));
  });

  test('a destination is cut before a word of its path', async () => {
    await caller.link({ alias: 'news', url: 'https://lindenhof.example/news/black-week' });
    const { page } = await signIn({ server, key: caller.key });
    const row = await shown(page.getByRole('listitem', { name: /news$/ }));
    await expect
      .poll(() => row.locator('.to bdi[aria-hidden]').allInnerTexts())
      .toEqual(['lindenhof.example/news', '/black-week']);
    // On a phone its end is cut: a part of a host would be another host.
    await page.setViewportSize({ width: 360, height: 800 });
    const seen = row.locator('.to > bdi').filter({ visible: true });
    await expect.poll(() => seen.allInnerTexts()).toEqual(['lindenhof.example/news/black-week']);
    expect((await seen.boundingBox())?.width).toBeGreaterThan(120);
  });

  test('the bar for saving covers nothing that has the focus', async () => {
    const { page } = await signIn({ server, key: caller.key }, { path: `/links/${link}`, width: 720 });
    await page.setViewportSize({ width: 720, height: 450 });
    await page.getByLabel('Title', { exact: true }).fill('Another title');
    const bar = await shown(page.locator('.save-bar'));
    const covered: string[] = [];
    for (let presses = 0; presses < 25; presses++) {
      await page.keyboard.press('Tab');
      const focus = page.locator(':focus');
      if ((await focus.count()) === 0 || (await bar.locator(':focus').count()) > 0) break;
      const [at, top] = [await focus.boundingBox(), (await bar.boundingBox())?.y ?? 0];
      if (at && at.y + at.height > top) covered.push(await focus.innerText());
    }
    expect(covered).toEqual([]);
  });

  test('a domain that was saved has the focus', async () => {
    const { page } = await signIn({ server, key: caller.key }, { path: '/domains' });
    // The shared host comes first: it is a domain, too.
    const [list, none] = [page.locator('.records'), page.getByText('No domain of your own yet')];
    const topOf = async (part: Locator) => (await (await shown(part)).boundingBox())?.y ?? 0;
    expect(await topOf(list)).toBeLessThan(await topOf(none));
    await page.getByRole('button', { name: 'New domain' }).click();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await shown(page.getByText('The host may not be empty.'));
    await page.keyboard.press('Escape');
    for (const host of ['go.first.example', 'go.second.example']) {
      await page.getByRole('button', { name: 'New domain' }).first().click();
      await page.getByRole('dialog').getByLabel('Host').fill(host);
      await page.keyboard.press('Enter');
      await expect.poll(() => page.locator('.record a:focus').allInnerTexts()).toEqual([host]);
    }
  });
});
