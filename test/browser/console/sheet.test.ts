import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../src/testing/server.ts';
import { chromiumPath, closeTabs, faultsFor } from '../../support/browser.ts';
import { closeSheet, newUrl, rowOf, shown, signIn, unfold } from '../../support/console.ts';

describe.runIf(chromiumPath)('the sheet over the list of links, in a browser', () => {
  let server: TestServer;
  let accounts = 0;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterEach(closeTabs);
  afterAll(() => server.stop());

  async function open(width = 1280) {
    const caller = await server.caller(`sheet ${accounts++}`);
    const { alias: first } = await caller.link({ title: 'The first' });
    const { alias: second } = await caller.link({ title: 'The second' });
    const opened = await signIn({ server, key: caller.key }, { width });
    await shown(opened.page.locator('.row .short', { hasText: second }));
    return { caller, first, second, ...opened };
  }

  const sheetOf = (page: Page) => page.locator('.panel');
  const idOfFocus = (page: Page) => page.evaluate('document.activeElement.id');
  const rowInFocus = (page: Page) =>
    page.evaluate(`document.activeElement.closest('.row')?.ariaLabel ?? null`);

  test('brings a row that is opened at its end into sight', async () => {
    const { page } = await open();
    await newUrl(page);
    const last = sheetOf(page).locator('.fold', { hasText: 'That of the destination' });
    await last.locator('summary').click();
    const isInSight = () =>
      last.evaluate((one) => {
        const { top, bottom, height } = one.getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight && height > 100;
      });
    await expect.poll(isInSight).toBe(true);
  });

  test('shows a new link as it will be: its alias without white space, its code, its card, and what a German iPhone gets', async () => {
    const { caller, page, complaints } = await open();
    await (await newUrl(page)).fill('https://example.com/spring');
    const preview = page.getByRole('complementary', { name: 'Preview' });
    await shown(preview.getByText('A visitor from Germany with an iPhone in German is redirected to'));
    await expect.poll(() => preview.innerText()).toContain('example.com/spring');
    expect(await preview.getByRole('img').count()).toBe(0);
    const alias = page.getByLabel('Alias');
    await alias.fill('Spring Sale/Day One');
    await shown(preview.getByRole('img', { name: /spring-sale\/day-one/ }));
    await shown(preview.getByText('spring-sale/day-one'));
    // Beside the field while it is typed, and then in it.
    await shown(
      sheetOf(page)
        .getByText(/^\S+\/spring-sale\/day-one$/)
        .first(),
    );
    await page.getByLabel('Title', { exact: true }).focus();
    await expect.poll(() => alias.inputValue()).toBe('spring-sale/day-one');
    await unfold(page);
    await page.getByLabel('Title of the card').fill('Half price');
    await shown(preview.getByText('Half price'));
    await page.getByLabel('Where visitors go').selectOption('COUNTRY');
    await page.getByRole('combobox', { name: 'Country' }).fill('Germany');
    await page.getByRole('option', { name: 'Germany' }).click();
    await page.locator('.target').getByLabel('Destination', { exact: true }).fill('https://example.com/de');
    await expect.poll(() => preview.locator('div.hint').innerText()).toContain('example.com/de');
    await page.getByLabel('Password for visitors').fill('secret');
    await shown(preview.getByText('in German is asked for the password'));
    await page.getByLabel('Title', { exact: true }).press('Enter');
    await shown(page.getByText('Your link is ready'));
    await expect.poll(() => sheetOf(page).count()).toBe(0);
    await expect
      .poll(() => caller.data('{ links(first: 1) { nodes { alias } } }'))
      .toEqual({ links: { nodes: [{ alias: 'spring-sale/day-one' }] } });
    expect(complaints).toEqual([]);
  });

  test.each([1440, 390])('shows messages above its buttons, at a width of %d', async (width) => {
    const { first, page } = await open(width);
    const toast = page.locator('.toast');
    /** The space between a message and these buttons, as a whole number. */
    const gapTo = async (foot: string) => {
      const [above, below] = await Promise.all([toast.boundingBox(), page.locator(foot).boundingBox()]);
      return above && below ? Math.round(below.y - above.y - above.height) : null;
    };
    await (await newUrl(page)).fill('https://example.com/meanwhile');
    const errors = [{ message: 'Broken.', extensions: { code: 'INTERNAL' } }];
    await page.route('**/graphql', (route, request) =>
      request.postData()?.includes('"CreateLink"') ? route.fulfill({ json: { errors } }) : route.continue(),
    );
    await page.keyboard.press('Enter');
    await shown(toast);
    await expect.poll(() => gapTo('.panel > .buttons.end')).toBe(16);
    await page.unroute('**/graphql');
    await closeSheet(page);
    await page.locator('.row .short', { hasText: first }).click();
    const title = page.getByLabel('Title', { exact: true });
    await title.fill('Saved');
    await title.press('Enter');
    await shown(toast.getByRole('button', { name: 'Undo' }));
    await title.fill('Not saved');
    await shown(page.locator('.save-bar'));
    await expect.poll(() => gapTo('.save-bar')).toBe(16);
    // Wherever the form is scrolled to.
    await page.locator('.panel > .body').evaluate((body) => body.scrollTo(0, body.scrollHeight));
    await expect.poll(() => gapTo('.save-bar')).toBe(16);
  });

  test('begins a link with a URL that is pasted on the list, but not in a field', async () => {
    const { second, page, complaints } = await open();
    const search = page.getByLabel('Search links');
    const copy = async (text: string) => {
      await search.fill(text);
      await search.press('Control+a');
      await search.press('Control+x');
      await search.blur();
    };
    const paste = () => page.keyboard.press('Control+v');
    const url = page.getByLabel('Destination of a new link');
    await copy('no address');
    await paste();
    await copy('https://example.com/pasted?a=1');
    await search.focus();
    await paste();
    await expect.poll(() => search.inputValue()).toBe('https://example.com/pasted?a=1');
    expect(await url.count()).toBe(0);
    await search.fill('');
    await search.blur();
    await paste();
    await shown(url);
    await expect.poll(() => url.inputValue()).toBe('https://example.com/pasted?a=1');
    await expect.poll(() => idOfFocus(page)).toBe('new-url');
    await page.keyboard.press('Enter');
    await shown(page.getByText('Your link is ready'));
    // From a row, as from an open link, it begins the next one.
    await rowOf(page, second).locator('.short').click();
    await shown(sheetOf(page).getByRole('heading', { name: `s.example/${second}` }));
    await sheetOf(page).getByRole('link', { name: 'Statistics' }).focus();
    await paste();
    await shown(url);
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/\/links$/);
    expect(complaints).toEqual([]);
  });

  test('says before a link is made what a template adds, and which card chats show', async () => {
    const { caller, page, complaints } = await open();
    await caller.data(`mutation { createUtmTemplate(input: { name: "Spring", source: "mail", content: "{alias}" }) {
      __typename } }`);
    await (await newUrl(page)).fill('https://example.com/sale');
    await page.getByLabel('Alias').fill('sale');
    const preview = page.getByRole('complementary', { name: 'Preview' });
    await shown(preview.getByText('Chats show the destination’s own card.'));
    await unfold(page);
    await page.getByLabel('Template').selectOption('Spring');
    const whole = 'example.com/sale?utm_source=mail&utm_content=sale';
    await expect.poll(() => preview.locator('.hint').innerText()).toContain(whole);
    await page.getByLabel('Password for visitors').fill('secret');
    await shown(preview.getByText('Chats show a page of this service, without the destination.'));
    await page.getByLabel('Password for visitors').fill('');
    await page.getByRole('button', { name: 'Shorten' }).click();
    await shown(page.getByRole('region', { name: 'Your link is ready' }));
    const { links } = await caller.data<{ links: { nodes: { id: string; url: string }[] } }>(
      '{ links(first: 1) { nodes { id url } } }',
    );
    expect(links.nodes[0]?.url).toBe(`https://${whole}`);
    // Of a link that is there, too, with all of its destinations.
    await rowOf(page, 'sale').locator('.short').click();
    await unfold(page);
    await sheetOf(page).getByLabel('Destination', { exact: true }).first().fill('https://example.com/other');
    await page.getByLabel('Template').selectOption('Spring');
    await shown(preview.getByText('example.com/other?utm_source=mail&utm_content=sale').first());
    expect(complaints).toEqual([]);
  });

  test('says that another alias differs by its capitals alone', async () => {
    const { caller, page } = await open();
    await caller.link({ alias: 'spring/sale' });
    await (await newUrl(page)).fill('https://example.com/spring');
    const alias = page.getByLabel('Alias');
    await alias.fill('Spring/Sale');
    await shown(page.getByText('“spring/sale” exists, too'));
    await alias.fill('Spring/Sales');
    await shown(page.getByText('This alias is free.'));
  });

  test('keeps a draft behind its button on the next visit, and opens it again over a reload alone', async () => {
    const { page, complaints } = await open(390);
    const address = page.url();
    const button = page.locator('#new-link');
    const url = page.getByLabel('Destination of a new link');
    await (await newUrl(page)).fill('https://example.com/kept');
    await page.reload();
    await shown(page.getByText('You typed this earlier'));
    await page.goto('about:blank');
    await page.goto(address);
    await expect.poll(() => button.innerText()).toBe('Continue draft');
    expect(await sheetOf(page).count()).toBe(0);
    await button.click();
    await expect.poll(() => url.inputValue()).toBe('https://example.com/kept');
    await closeSheet(page);
    await expect.poll(() => button.innerText()).toBe('Continue draft');
    await page.reload();
    await expect.poll(() => button.innerText()).toBe('Continue draft');
    expect(await sheetOf(page).count()).toBe(0);
    await button.click();
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => button.innerText()).toBe('New link');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => url.inputValue()).toBe('https://example.com/kept');
    expect(complaints).toEqual([]);
  });

  test('opens a link from its row with the focus in its destination, and goes back there', async () => {
    const { first, second, page, complaints } = await open();
    await page.getByLabel('Search links').fill('the');
    await shown(rowOf(page, second));
    await rowOf(page, first).locator('.short').click();
    const destination = sheetOf(page).getByLabel('Destination', { exact: true });
    await expect
      .poll(() => destination.evaluate((input) => input === input.ownerDocument.activeElement))
      .toBe(true);
    // The list stays in use, with its search.
    await expect.poll(() => page.url()).toMatch(/\/links\/\d+\?search=the$/);
    await shown(rowOf(page, second));
    await page.keyboard.press('Escape');
    await expect.poll(() => page.url()).toMatch(/\/links\?search=the$/);
    await expect.poll(() => sheetOf(page).count()).toBe(0);
    await expect.poll(() => rowInFocus(page)).toBe(`The first, s.example/${first}`);
    // The keyboard opens it, too.
    await page.keyboard.press('Enter');
    await shown(destination);
    const title = sheetOf(page).getByLabel('Title', { exact: true });
    await title.fill('The typed');
    // Once something is typed, Escape leads to the choice; what is typed stays.
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate('document.activeElement.innerText')).toBe('Discard');
    await page.keyboard.press('Escape');
    await shown(rowOf(page, first).getByText('Unsaved'));
    await expect.poll(() => rowInFocus(page)).toBe(`The first, s.example/${first}`);
    await page.keyboard.press('Enter');
    await expect.poll(() => title.inputValue()).toBe('The typed');
    await page.getByRole('button', { name: 'Save' }).click();
    await shown(rowOf(page, first).getByText('The typed'));
    await page.goBack();
    await expect.poll(() => sheetOf(page).count()).toBe(0);
    // The address is a page of its own in another tab, as are the other tabs of a link.
    await rowOf(page, first).locator('.short').click();
    await sheetOf(page).getByRole('link', { name: 'History' }).click();
    await shown(page.getByRole('link', { name: 'All links' }));
    expect(await sheetOf(page).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('fills the screen of a phone, and has no fault that axe finds', async () => {
    const { first, page } = await open(390);
    await page.getByRole('button', { name: 'New link', exact: true }).click();
    await shown(page.getByLabel('Alias'));
    const edges = `['.panel', 'body'].map((one) => {
      const { left, right } = document.querySelector(one).getBoundingClientRect();
      return [left, right].join();
    })`;
    await expect.poll(async () => new Set(await page.evaluate<string[]>(edges)).size).toBe(1);
    expect(await faultsFor(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect.poll(() => idOfFocus(page)).toBe('new-link');
    // Only the alias is shown there.
    await page.locator('.row .short', { hasText: first }).click();
    await shown(sheetOf(page).getByLabel('Alias'));
    expect(await faultsFor(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await faultsFor(page)).toEqual([]);
    await closeSheet(page);
  });

  test('rows have columns that line up, and the end of a long path in sight', async () => {
    const { caller, page } = await open();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).host));
    const url = `https://shop.example.co.uk/${'long/'.repeat(40)}the-end`;
    await caller.link({ alias: 'a-longer-alias-than-others', url, title: 'A long one' });
    const row = page.locator('.row').first();
    await page.reload();
    await shown(row);
    await expect.poll(() => row.locator('.host-tile').innerText()).toBe('E');
    await expect.poll(() => row.locator('.to').textContent()).toContain(url.slice(8));
    const inSight = async (part: string) => {
      const [box, whole] = await Promise.all([row.locator(part).boundingBox(), row.boundingBox()]);
      return box !== null && whole !== null && box.x + box.width < whole.x + whole.width - 300;
    };
    await expect.poll(() => inSight('.to .end')).toBe(true);
    const ends = (part: string) =>
      page
        .locator(`.row ${part}`)
        .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().right)));
    for (const part of ['.clicks', 'time', '.deeds']) {
      const all = await ends(part);
      expect([all.length, new Set(all).size]).toEqual([3, 1]);
    }
    expect(new Set(asked)).toEqual(new Set([new URL(server.origin).host]));
  });
});
