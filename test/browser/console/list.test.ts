// It costs more than three seconds of the processor: addresses and forms are those of a browser.
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../../src/testing/caller.ts';
import { startTestServer, type TestServer } from '../../../src/testing/server.ts';
import { chromiumPath, closeTabs } from '../../support/browser.ts';
import {
  chooseForSelected,
  closeSheet,
  follow,
  newUrl,
  rowOf,
  shown,
  signIn,
  unfold,
} from '../../support/console.ts';

describe.runIf(chromiumPath)('the list of links in the console, in a browser', () => {
  let server: TestServer;
  let caller: Caller;
  beforeAll(async () => {
    server = await startTestServer();
    caller = await server.caller('list');
  });
  afterEach(closeTabs);
  afterAll(() => server.stop());

  const consolePath = (page: Page) => new URL(page.url()).pathname.replace(/^\/console\/\d+/, '');
  const firstRow = (page: Page) => page.locator('.row .short').first().innerText();

  test('is at /links, where earlier addresses lead, with what they search', async () => {
    const { alias } = await caller.link({ title: 'To be found' });
    await caller.link({ title: 'Another' });
    const { page, accountId } = await signIn(
      { server, key: caller.key },
      { path: '/?search=found&order=title' },
    );
    await shown(rowOf(page, alias));
    expect(consolePath(page)).toBe('/links');
    expect(new URL(page.url()).search).toBe('?search=found&order=title');
    // It adds nothing to the history.
    await page.getByRole('link', { name: 'Links', exact: true }).click();
    await expect.poll(() => page.locator('.row').count()).toBe(2);
    await page.goBack();
    await expect.poll(() => page.locator('.row').count()).toBe(1);
    for (const path of ['/links', '/links/', '/LINKS', '/']) {
      await page.goto(`${server.origin}/console/${accountId}${path}`);
      await shown(rowOf(page, alias));
      await expect.poll(() => page.locator('nav [aria-current=page]').innerText()).toBe('Links');
    }
    await rowOf(page, alias).locator('.short').click();
    await closeSheet(page);
    await expect.poll(() => consolePath(page)).toBe('/links');
    await page.getByLabel('Search links').fill('found');
    await expect.poll(() => page.url()).toMatch(/\/links\?search=found$/);
  });

  test('begins with the link whose alias is searched, also behind a page of others, if its filters allow', async () => {
    const { key } = await server.caller('exact');
    const other = server.callerWith(key);
    const own = await other.domain('go.example');
    const exact = await other.link({ alias: 'sale', title: 'Off' });
    await other.link({ alias: 'Sale2', domain: own });
    const inputs = Array.from(
      { length: 55 },
      (_, n) => `{ url: "https://example.com/sale/${n}", title: "sale" }`,
    );
    await other.data(`mutation { createLinks(inputs: [${inputs}]) { __typename } }`);
    const { page } = await signIn({ server, key }, { path: '/links?search=sale' });
    await expect.poll(() => firstRow(page)).toBe('s.example/sale');
    await follow(page, '/links?search=sale&in=alias');
    await expect.poll(() => firstRow(page)).toBe('s.example/sale');
    await follow(page, '/links?search=Sale2');
    await expect.poll(() => firstRow(page)).toBe('go.example/Sale2');
    await follow(page, '/links?search=sale&status=active');
    await expect.poll(() => firstRow(page)).toBe('s.example/sale');
    await follow(page, '/links?search=sale&status=disabled');
    await shown(page.locator('.empty'));
    await follow(page, '/links?search=sale');
    await expect.poll(() => firstRow(page)).toBe('s.example/sale');
    await page.getByLabel('Search links').press('Enter');
    await page.waitForURL(new RegExp(`/links/${exact.id}\\?`));
  });

  test('a search alone that finds nothing is cleared as such, and filters with it by the row', async () => {
    await caller.link({ title: 'Not searched' });
    const { page } = await signIn({ server, key: caller.key }, { path: '/links?search=nowhere' });
    await shown(page.getByText('No link matches'));
    const clear = page.getByRole('button', { name: /^Clear/ });
    expect(await clear.allInnerTexts()).toEqual(['Clear search']);
    await follow(page, '/links?search=nowhere&status=active');
    await expect.poll(() => clear.allInnerTexts()).toEqual(['Clear', 'Clear filters']);
    await clear.first().click();
    await shown(page.getByRole('listitem', { name: /^Not searched/ }));
    expect(await clear.count()).toBe(0);
  });

  test('a form that was discarded comes back by Undo, with what was typed', async () => {
    const { page } = await signIn({ server, key: caller.key }, { path: '/links' });
    await (await newUrl(page)).fill('https://example.com/discarded');
    await page.getByLabel('Title', { exact: true }).fill('Not lost');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await shown(page.getByLabel('Destination of a new link'));
    await expect
      .poll(() => page.getByLabel('Destination of a new link').inputValue())
      .toBe('https://example.com/discarded');
    await expect.poll(() => page.getByLabel('Title', { exact: true }).inputValue()).toBe('Not lost');
    // Also from another page.
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('link', { name: 'Spaces' }).click();
    await shown(page.getByText('No spaces yet'));
    await page.getByRole('button', { name: 'Undo' }).click();
    await shown(page.getByLabel('Destination of a new link'));
    await expect.poll(() => page.getByLabel('Title', { exact: true }).inputValue()).toBe('Not lost');
  });

  test('changes of a link that were discarded come back by Undo, beside what was typed since', async () => {
    const { id } = await caller.link({ title: 'As saved' });
    const { page } = await signIn({ server, key: caller.key }, { path: `/links/${id}` });
    const title = page.getByLabel('Title', { exact: true });
    const destination = page.getByLabel('Destination', { exact: true });
    await title.fill('As typed');
    await unfold(page);
    await page.getByLabel('Password for visitors').fill('typed');
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => title.inputValue()).toBe('As saved');
    await destination.fill('https://example.com/since');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => title.inputValue()).toBe('As typed');
    await expect.poll(() => destination.inputValue()).toBe('https://example.com/since');
    await expect.poll(() => page.getByLabel('Password for visitors').inputValue()).toBe('typed');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('link', { name: 'Tags' }).click();
    await shown(page.getByText('No tags yet'));
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => title.inputValue()).toBe('As typed');
    expect(consolePath(page)).toBe(`/links/${id}`);
  });

  test('the only result of a search comes back by “z” after it was deleted', async () => {
    const { alias } = await caller.link({ title: 'The only one' });
    const { page } = await signIn({ server, key: caller.key }, { path: '/links' });
    await page.getByLabel('Search links').fill('only one');
    await expect.poll(() => page.locator('.row').count()).toBe(1);
    await page.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await shown(page.getByText('No link matches'));
    await page.keyboard.press('z');
    await shown(rowOf(page, alias));
    expect(await page.getByLabel('Search links').inputValue()).toBe('only one');
  });

  test('the bar of selected links moves no row, and offers only what changes one of them', async () => {
    const { key } = await server.caller('bar');
    const [one] = [await server.callerWith(key).link(), await server.callerWith(key).link()];
    const { page } = await signIn({ server, key });
    const box = () => rowOf(page, one.alias).getByRole('checkbox');
    const bar = page.getByRole('region', { name: 'Selected links' });
    const top = async () => (await page.locator('.row').first().boundingBox())?.y;
    const deeds = async () => {
      await bar.getByRole('button', { name: 'Actions for Selected links' }).click();
      await shown(bar.getByRole('menuitem', { name: 'Delete' }));
      const names = await bar.getByRole('menuitem').allInnerTexts();
      await page.keyboard.press('Escape');
      return names;
    };
    await shown(rowOf(page, one.alias));
    const before = await top();
    await box().click();
    await shown(bar);
    expect(await top()).toBe(before);
    expect(await page.getByText('2 links', { exact: true }).isVisible()).toBe(false);
    expect(await deeds()).toEqual(['Disable', 'Archive', 'Delete']);
    await chooseForSelected(page, 'Disable');
    await shown(rowOf(page, one.alias).getByText('Disabled', { exact: true }));
    expect(await deeds()).toEqual(['Enable', 'Archive', 'Delete']);
    await page.getByRole('button', { name: 'Select this page' }).click();
    expect(await deeds()).toEqual(['Disable', 'Enable', 'Archive', 'Delete']);
    // On a phone it is one line at the bottom of the screen.
    await page.setViewportSize({ width: 390, height: 800 });
    const { y = 0, height = 0 } = (await bar.boundingBox()) ?? {};
    expect([y + height, height < 60]).toEqual([800, true]);
    const selected = await top();
    await shown(page.getByText('2 links', { exact: true }));
    await bar.getByRole('button', { name: 'Clear the selection' }).click();
    await bar.waitFor({ state: 'hidden' });
    expect(await top()).toBe(selected);
  });

  /** The parts of the line of filters that are whole and in sight on a phone, from its start. */
  const inSight = (page: Page) =>
    page.evaluate<string[]>(`[...document.querySelectorAll('.filters :is(select, .button, a, button)')]
      .map((one) => [one.getBoundingClientRect(), one.selectedOptions?.[0].text ?? one.ariaLabel ?? one.innerText])
      .filter(([{ left, right }]) => left >= 0 && right <= innerWidth)
      .sort(([one], [other]) => one.left - other.left)
      .map(([, name]) => name)`);

  test('on a phone, what is set comes first among the filters, then what clears it, and keys go that way', async () => {
    const { key } = await server.caller('set-first');
    const other = server.callerWith(key);
    const tag = await other.tag('Spring');
    await other.link({ alias: 'tagged' });
    const { page } = await signIn({ server, key }, { path: `/links?tags=${tag}`, width: 390 });
    await expect
      .poll(async () => (await inSight(page)).slice(0, 3))
      .toEqual(['Remove Spring', 'Clear', 'Any status']);
    await page.keyboard.press('Tab');
    await page.locator('#search').focus();
    const reached: string[] = [];
    for (let i = 0; i < 3; i++) {
      await page.keyboard.press('Tab');
      reached.push(
        await page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.innerText'),
      );
    }
    expect(reached).toEqual(['Remove Spring', 'Clear', 'Status']);
    await follow(page, `/links?tags=${tag}&tagged=none&status=disabled`);
    await expect
      .poll(async () => (await inSight(page)).slice(0, 2))
      .toEqual(['Disabled', 'With none of these tags']);
    // One that is chosen far from the start, too.
    await follow(page, '/links');
    const tags = page.locator('.filters').getByLabel('Tags', { exact: true });
    await expect.poll(() => page.locator('.filters .set').count()).toBe(0);
    await tags.scrollIntoViewIfNeeded();
    expect(await inSight(page)).not.toContain('Any status');
    await tags.selectOption('Spring');
    await expect.poll(async () => (await inSight(page)).slice(0, 2)).toEqual(['Remove Spring', 'Clear']);
  });

  test('the calendar of the time of links opens at this month, and has no day to come', async () => {
    const { key } = await server.caller('calendar');
    await server.callerWith(key).link({ alias: 'timed' });
    const { page } = await signIn({ server, key });
    await shown(page.locator('.row'));
    await page.evaluate('Date.now = () => Date.parse("2026-12-10T12:00:00Z")');
    // Renders the filters again, with that time.
    await page.getByLabel('Status', { exact: true }).selectOption('Disabled');
    await page.getByRole('button', { name: /^When created/ }).click();
    await shown(page.locator('.calendar header', { hasText: 'December 2026' }));
    expect(await page.locator('.calendar td button:enabled').last().innerText()).toBe('10');
  });

  test('on a phone, filters that go on say so, until their end', async () => {
    const { key } = await server.caller('going-on');
    await server.callerWith(key).link({ alias: 'only' });
    const { page } = await signIn({ server, key }, { width: 390 });
    await shown(page.locator('.row'));
    const sign = () =>
      page.evaluate('getComputedStyle(document.querySelector(".filters"), "::after").opacity');
    await expect.poll(sign).toBe('1');
    await page.evaluate('document.querySelector(".filters").scrollTo({ left: 9999 })');
    await expect.poll(sign).toBe('0');
  });

  test.each(['en', 'de', 'fr', 'es'])(
    'above a filtered list, all is in one line on a phone, in %s',
    async (language) => {
      const { key } = await server.caller(`above-${language}`);
      for (let i = 0; i < 12; i++) await server.callerWith(key).link();
      const { page } = await signIn({ server, key }, { path: '/links?status=active', width: 390 });
      await page.evaluate(`localStorage.setItem('linkspace.language', '${language}')`);
      await page.reload();
      const line = page.locator('.above-links');
      await expect.poll(() => line.locator('button').count()).toBe(3);
      const places = await line
        .locator('> :not(.grow)')
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
      expect(new Set(places.map(({ top, bottom }) => Math.round((top + bottom) / 2))).size).toBe(1);
      // Text on the left; on the right two icons, which have names.
      expect(places.map(({ width }) => width < 40).slice(1)).toEqual([false, true, true]);
      expect(places[0].left).toBe(16);
      const end = await page.locator('.rows').evaluate((one) => one.getBoundingClientRect().right);
      expect(Math.abs(places[3].right - end)).toBeLessThan(10);
      for (const icon of [1, 2]) {
        const button = line.locator('button').nth(icon);
        await button.focus();
        await page.keyboard.press('Shift+Tab');
        await page.keyboard.press('Tab');
        await expect
          .poll(() => page.locator('.tooltip:popover-open').allInnerTexts())
          .toEqual([await button.evaluate((one) => one.ariaLabel ?? one.textContent)]);
      }
    },
  );

  test('on a phone, a space is a dot before the title, and each other chip is whole or counted', async () => {
    const { key } = await server.caller('chips');
    const other = server.callerWith(key);
    const space = await other.space('Print and shops', { color: 4 });
    const tags = [await other.tag('Spring'), await other.tag('Trade fairs abroad')];
    const long = 'The models of this spring, with their prices';
    const links = [
      await other.link({ alias: 'long', title: long, space_id: space }),
      await other.link({ alias: 'brief', title: 'Brief', space_id: space }),
      await other.link({ alias: 'off', title: long, space_id: space }),
      await other.link({ alias: 'untitled', space_id: space }),
    ];
    for (const { id } of links)
      await other.data(`mutation { updateLink(id: ${id}, input: { tagIds: [${tags}] }) { __typename } }`);
    await other.data(
      `mutation { updateLink(id: ${links[2]?.id}, input: { disabled: true }) { __typename } }`,
    );
    const { page } = await signIn({ server, key }, { width: 390 });
    const row = (alias: string) => page.getByRole('listitem', { name: `s.example/${alias}` });
    await shown(row('untitled').locator('.one-line > .badge'));
    const look = (alias: string) =>
      row(alias).evaluate((row) => {
        const place = (one: Element) => one.getBoundingClientRect();
        const line = row.querySelector('.one-line > :first-child');
        const chips = [...(line?.children ?? [])].filter(
          (one) => place(one).top < place(line as Element).bottom,
        );
        const isWhole = (one: Element) =>
          one.scrollWidth <= one.clientWidth &&
          place(one).right <= place(row.querySelector('.what') as Element).right;
        return {
          whole: chips.filter(isWhole).map((one) => one.textContent),
          cut: chips.filter((one) => !isWhole(one)).map((one) => one.textContent),
          count: row.querySelector('.one-line > .badge')?.textContent,
          dot:
            place(row.querySelector('.dot') as Element).left -
            place(row.querySelector('.second') as Element).left,
        };
      });
    expect(await look('long')).toEqual({ whole: ['Print and shops'], cut: [], count: '+2', dot: 0 });
    expect(await look('brief')).toMatchObject({
      whole: ['Print and shops', 'Spring'],
      cut: [],
      count: '+1',
      dot: 0,
    });
    expect(await look('off')).toMatchObject({
      whole: ['Disabled', 'Print and shops'],
      cut: [],
      count: '+2',
      dot: 0,
    });
    expect(await look('untitled')).toMatchObject({ whole: ['Print and shops'], cut: [], count: '+2' });
  });

  test.each([
    [390, 844],
    [1280, 720],
  ])('the menu of a row is whole in a window of %i by %i pixels', async (width, height) => {
    const { key } = await server.caller(`menus-${width}`);
    for (let i = 0; i < 6; i++) await server.callerWith(key).link();
    const { page } = await signIn({ server, key });
    await page.setViewportSize({ width, height });
    await shown(page.locator('.row').nth(5));
    const menu = page.locator('.menu:popover-open');
    for (let i = 0; i < 6; i++) {
      await page.locator('.row').nth(i).locator('.deeds [aria-haspopup]').click();
      await shown(menu);
      const box = await menu.boundingBox();
      expect([i, box && box.y >= 0 && box.y + box.height <= height]).toEqual([i, true]);
      expect(await menu.evaluate((element) => element.scrollHeight - element.clientHeight)).toBe(0);
      await page.keyboard.press('Escape');
      await menu.waitFor({ state: 'hidden' });
    }
  });
});
