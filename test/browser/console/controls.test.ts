import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../../src/testing/caller.ts';
import { startTestServer, type TestServer } from '../../../src/testing/server.ts';
import { chromiumPath, closeTabs, faultsFor } from '../../support/browser.ts';
import { type ConsoleOptions, openConsole, shown, signIn } from '../../support/console.ts';

describe.runIf(chromiumPath)('the controls of the console, in a browser', () => {
  let server: TestServer;
  let caller: Caller;
  let link: { readonly id: number };
  beforeAll(async () => {
    server = await startTestServer();
    caller = await server.caller('controls');
    await caller.data('mutation { createSpace(input: { name: "Spring" }) { __typename } }');
    await caller.data(
      'mutation { createPixel(input: { name: "Ads", type: GOOGLE_ADS, value: "AW-123456789" }) { __typename } }',
    );
    link = await caller.link({ alias: 'chosen', title: 'Chosen' });
  });
  afterEach(closeTabs);
  afterAll(() => server.stop());

  const open = async (options: ConsoleOptions) => (await signIn({ server, key: caller.key }, options)).page;
  /** The name of the focused element. Some versions of Intl write a comma behind the day of the week. */
  const focused = async (page: Page) =>
    String(await page.evaluate('document.activeElement.getAttribute("aria-label")')).replace(',', '');
  const query = (page: Page) => new URL(page.url()).search;

  test.each(['light', 'dark'] as const)(
    'a select opens our list, and is chosen from by keys (%s)',
    async (colorScheme) => {
      const page = await open({ colorScheme });
      const status = await shown(page.getByLabel('Status', { exact: true }));
      await status.press('Enter');
      await expect.poll(() => status.evaluate((one) => one.matches(':open'))).toBe(true);
      expect(await faultsFor(page)).toEqual([]);
      // A letter finds an option, as in any list.
      await page.keyboard.press('d');
      await page.keyboard.press('Enter');
      await expect.poll(() => query(page)).toBe('?status=disabled');
      await expect.poll(() => status.evaluate((one) => one === document.activeElement)).toBe(true);
    },
  );

  test('rare filters wait in a panel, which tells that one is set', async () => {
    const page = await open({});
    const more = await shown(page.getByRole('button', { name: 'More filters' }));
    await more.click();
    await page.getByLabel('Pixel').selectOption('Ads');
    await expect.poll(() => query(page)).toBe('?pixel=1');
    await page.keyboard.press('Escape');
    await expect.poll(() => more.getAttribute('class')).toBe('filter set');
    await expect.poll(() => more.evaluate((one) => one === document.activeElement)).toBe(true);
    // No row, no option and no shortcut takes the keys of a panel.
    await more.press('Enter');
    const pixel = await shown(page.getByLabel('Pixel'));
    await expect.poll(() => pixel.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.press('x');
    await page.keyboard.press('Escape');
    expect(await page.locator('.row input:checked').count()).toBe(0);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await expect.poll(() => query(page)).toBe('');
  });

  test('the filters stand in one line in Spanish, also when all are set', async () => {
    const page = await open({});
    await page.evaluate("localStorage.setItem('linkspace.language', 'es')");
    await page.reload();
    const pills = page.locator('.filters .filter');
    const tops = () =>
      pills.evaluateAll((all) => [...new Set(all.map((one) => one.getBoundingClientRect().y))].length);
    await shown(pills.last());
    await expect.poll(tops).toBe(1);
    await page.goto(
      page
        .url()
        .replace(/\/links.*/, '/links?space=1&status=active&pixel=1&since=2025-11-01&until=2026-11-20'),
    );
    await shown(page.locator('.filters .button.text'));
    await expect.poll(tops).toBe(1);
    await page.setViewportSize({ width: 390, height: 800 });
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });

  test('a period is chosen by one button: a usual one, typed days, or two days of a calendar', async () => {
    const page = await open({ path: `/links/${link.id}/statistics` });
    const period = await shown(page.getByRole('button', { name: /^Period: / }));
    await expect.poll(() => period.innerText()).toBe('30 days');
    await period.press('Enter');
    // The chosen one has the focus.
    const chosen = page.locator('.presets [aria-pressed=true]');
    await expect.poll(() => chosen.evaluate((one) => one === document.activeElement)).toBe(true);
    expect(await chosen.innerText()).toBe('30 days');
    await page.getByLabel('From').fill('2026-11-12');
    await page.getByLabel('to', { exact: true }).fill('2026-11-14');
    await expect.poll(() => query(page)).toBe('?from=2026-11-12&to=2026-11-14');
    await shown(page.locator('.calendar header', { hasText: 'November 2026' }));
    expect(await page.locator('.calendar [aria-pressed=true]').allInnerTexts()).toEqual(['12', '13', '14']);
    expect(await faultsFor(page)).toEqual([]);
    const day = (name: string) => page.getByRole('button', { name: new RegExp(name) });
    await day('^Wednesday,? 4 November 2026$').click();
    // The end waits, and may come before.
    expect(query(page)).toBe('?from=2026-11-12&to=2026-11-14');
    await day('^Monday,? 2 November 2026$').click();
    await expect.poll(() => query(page)).toBe('?from=2026-11-02&to=2026-11-04');
    await expect.poll(() => page.locator('.calendar').isVisible()).toBe(false);
    await expect.poll(() => period.innerText()).toMatch(/^2\s?–\s?4 Nov 2026$/);
    await expect.poll(() => period.evaluate((one) => one === document.activeElement)).toBe(true);
  });

  test('the calendar of statistics ends today, and shows the month with most days of a usual period', async () => {
    const page = await open({ path: `/links/${link.id}` });
    await page.evaluate('Date.now = () => Date.parse("2026-12-01T12:00:00Z")');
    await page.getByRole('link', { name: 'Statistics' }).click();
    await (await shown(page.getByRole('button', { name: /^Period: / }))).click();
    await shown(page.locator('.calendar header', { hasText: 'November 2026' }));
    const enabled = page.locator('.calendar td button:enabled');
    await page.getByRole('button', { name: 'Next month' }).click();
    await expect.poll(() => enabled.allInnerTexts()).toEqual(['30', '1']);
    // The months after it have no day to choose.
    expect(await page.getByRole('button', { name: 'Next month' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Previous month' }).click();
    await expect.poll(() => enabled.allInnerTexts()).toContain('15');
  });

  test('typed days of a period count while the field has the focus, and the calendar follows', async () => {
    const page = await open({ path: `/links/${link.id}/statistics` });
    await (await shown(page.getByRole('button', { name: /^Period: / }))).press('Enter');
    await (await shown(page.getByLabel('From'))).focus();
    await page.keyboard.type('03032026');
    await expect.poll(() => query(page)).toMatch(/^\?from=2026-03-03&to=/);
    await page.getByLabel('to', { exact: true }).focus();
    await page.keyboard.type('05052026');
    await expect.poll(() => query(page)).toBe('?from=2026-03-03&to=2026-05-05');
    await shown(page.locator('.calendar header', { hasText: 'May 2026' }));
    expect(
      await page.getByLabel('to', { exact: true }).evaluate((one) => one === document.activeElement),
    ).toBe(true);
  });

  test('a moment is typed, or its day and time are chosen from one panel by keys', async () => {
    const page = await open({ path: `/links/${link.id}` });
    await page.locator('.fold', { hasText: 'Expiry' }).locator('summary').click();
    const field = page.getByLabel('Expires on');
    await field.fill('2026-12-31T18:30');
    const fold = page.locator('.fold', { hasText: 'Expiry' });
    const opener = fold.getByRole('button', { name: 'Calendar' });
    await opener.press('Enter');
    await expect.poll(() => focused(page)).toBe('Thursday 31 December 2026');
    expect(await faultsFor(page)).toEqual([]);
    const steps = [
      ['ArrowRight', 'Friday 1 January 2027'],
      ['ArrowUp', 'Friday 25 December 2026'],
      ['Home', 'Monday 21 December 2026'],
      ['End', 'Sunday 27 December 2026'],
      ['PageDown', 'Wednesday 27 January 2027'],
      ['Shift+PageUp', 'Tuesday 27 January 2026'],
      ['PageUp', 'Saturday 27 December 2025'],
    ] as const;
    for (const [key, day] of steps) {
      await page.keyboard.press(key);
      await expect.poll(() => focused(page)).toBe(day);
    }
    await page.keyboard.press('Escape');
    await expect.poll(() => opener.evaluate((one) => one === document.activeElement)).toBe(true);
    expect(await field.inputValue()).toBe('2026-12-31T18:30');
    await opener.press('Enter');
    await expect.poll(() => focused(page)).toBe('Thursday 31 December 2026');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    // The time stays.
    await expect.poll(() => field.inputValue()).toBe('2026-12-30T18:30');
    const time = page.locator('.popover').getByLabel('Time');
    await expect.poll(() => time.inputValue()).toBe('18:30');
    await page.keyboard.press('Tab');
    await page.keyboard.type('0715AM');
    await expect.poll(() => field.inputValue()).toBe('2026-12-30T07:15');
    await page.keyboard.press('Enter');
    await expect.poll(() => opener.evaluate((one) => one === document.activeElement)).toBe(true);
    await field.fill('');
    await opener.press('Enter');
    await page.locator('.calendar [aria-current=date]').click();
    await expect.poll(() => field.inputValue()).toMatch(/T23:59$/);
    await time.fill('09:00');
    await expect.poll(() => field.inputValue()).toMatch(/T09:00$/);
    await page.getByRole('button', { name: 'Done' }).click();
    await expect.poll(() => time.count()).toBe(0);
  });

  test('an icon shows its name under a pointer and by keys, until it is pressed or left', async () => {
    const { page } = await openConsole(server.origin, { path: '/sign-in' });
    const eye = await shown(page.getByRole('button', { name: 'Show what is typed' }));
    const tip = page.locator('.tooltip:popover-open');
    await eye.hover();
    await expect.poll(() => tip.allInnerTexts()).toEqual(['Show what is typed']);
    await page.mouse.move(5, 5);
    await expect.poll(() => tip.count()).toBe(0);
    await page.getByLabel('Password', { exact: true }).focus();
    await page.keyboard.press('Tab');
    await expect.poll(() => tip.allInnerTexts()).toEqual(['Show what is typed']);
    expect(await faultsFor(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect.poll(() => tip.count()).toBe(0);
  });

  test('a file is chosen or dropped at one place, which names it', async () => {
    const page = await open({ path: '/many' });
    const input = page.getByLabel('Or a file');
    const place = page.locator('.file-picker');
    await expect.poll(() => place.innerText()).toBe('Choose a file or drop it here');
    const buffer = Buffer.from('url,alias\nhttps://a.example/,first');
    await input.setInputFiles({ name: 'spring.csv', mimeType: 'text/csv', buffer });
    await expect.poll(() => place.innerText()).toBe('spring.csv');
    await expect.poll(() => page.getByLabel('Destinations').inputValue()).toContain('first');
    // The browser's own input takes what is dropped on any part of the place.
    const [over, whole] = [await input.boundingBox(), await place.boundingBox()];
    expect(over?.width).toBeGreaterThan((whole?.width ?? 0) - 4);
    expect(await faultsFor(page)).toEqual([]);
  });

  test('fields have 16 pixels on touch screens, since smaller ones make phones zoom in', async () => {
    const page = await open({ width: 390 });
    const sizes = (of: Page) =>
      of
        .locator('input:not([type=checkbox]), select, textarea')
        .evaluateAll((all) => all.map((one) => Number.parseFloat(getComputedStyle(one).fontSize)));
    await shown(page.getByLabel('Status', { exact: true }));
    expect(Math.min(...(await sizes(page)))).toBeLessThan(16);
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setTouchEmulationEnabled', { enabled: true });
    await session.send('Emulation.setDeviceMetricsOverride', {
      width: 390,
      height: 800,
      deviceScaleFactor: 2,
      mobile: true,
    });
    await expect.poll(() => page.evaluate('matchMedia("(pointer: coarse)").matches')).toBe(true);
    await expect.poll(async () => Math.min(...(await sizes(page)))).toBe(16);
  });
});
