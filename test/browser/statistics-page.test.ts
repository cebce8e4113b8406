import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../src/testing/server.ts';
import { APPEARANCES, chromiumPath, closeTabs, faultsFor, openPage } from '../support/browser.ts';
import { shown } from '../support/console.ts';
import { fillServer } from '../support/demo.ts';

describe.runIf(chromiumPath)('the statistics page in a browser', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
    await fillServer(server, 1, { scale: 0.5, days: 10 });
  });
  afterEach(closeTabs);
  afterAll(async () => {
    await server.stop();
  });

  /** The browser's errors, such as a style that the policy forbids. */
  const complaintsOf = (page: Page): string[] => {
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    return complaints;
  };

  test('copies the short link and shows its QR code', async () => {
    const { page } = await openPage(server.origin);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const complaints = complaintsOf(page);
    await page.goto(`${server.origin}/shop+`);
    await page.getByRole('button', { name: 'Copy' }).click();
    // It says so for two seconds.
    await shown(page.getByRole('button', { name: 'Copied' }));
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('https://s.example/shop');
    await page.getByText('QR code').click();
    await page.getByRole('img', { name: 'QR code: https://s.example/shop' }).waitFor();
    await expect
      .poll(() => page.evaluate('document.querySelector(".uses img").naturalWidth'))
      .toBeGreaterThan(100);
    expect(complaints).toEqual([]);
  });

  test('has no accessibility violations at 390 pixels, light, and 1280 pixels, dark', async () => {
    const { page } = await openPage(server.origin);
    await page.goto(`${server.origin}/shop+`);
    await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
    for (const [width, colorScheme] of APPEARANCES) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      expect([width, colorScheme, await faultsFor(page)]).toEqual([width, colorScheme, []]);
    }
  });

  test('shows the end of long destinations at 390 pixels, so that they can be told apart', async () => {
    const { page } = await openPage(server.origin);
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto(`${server.origin}/shop+`);
    const ends = await page.locator('[aria-labelledby=destination] .name span + span').all();
    expect(ends.length).toBeGreaterThan(1);
    for (const end of ends) {
      const [inner, outer] = [await end.boundingBox(), await end.locator('..').boundingBox()];
      if (!inner || !outer) throw new Error('the end of a destination is not shown');
      expect(inner.x + inner.width).toBeLessThanOrEqual(outer.x + outer.width + 1);
    }
  });

  test('needs no script, loads nothing from elsewhere, and links to the other periods', async () => {
    const { page, elsewhere } = await openPage(server.origin);
    const complaints = complaintsOf(page);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(`${server.origin}/shop+`);
    await page.getByRole('heading', { name: 's.example/shop' }).waitFor();
    await page.getByRole('link', { name: '7 days', exact: true }).click();
    await page.locator('nav a[aria-current]', { hasText: '7 days' }).waitFor();
    expect(page.url()).toBe(`${server.origin}/shop+?days=7`);
    expect([...new Set(asked)].filter((path) => path !== '/favicon.ico')).toEqual(['/shop+', '/inter.woff2']);
    expect([complaints, elsewhere]).toEqual([[], []]);
  });

  test('has an accessible name and a collapsible table for each chart', async () => {
    const { page } = await openPage(server.origin);
    await page.goto(`${server.origin}/shop+`);
    const charts = await page.getByRole('img').all();
    expect(charts).toHaveLength(8);
    for (const chart of charts) await expect.poll(() => chart.getAttribute('aria-label')).toMatch(/: .*\d/);
    expect(await page.getByRole('table').count()).toBe(0);
    await page.locator('summary', { hasText: 'Show as table: Countries' }).click();
    const table = page.getByRole('table', { name: 'Countries' });
    await table.getByRole('rowheader', { name: 'Germany' }).waitFor();
    await expect
      .poll(() => table.getByRole('columnheader').allInnerTexts())
      .toEqual(['Value', 'Clicks', 'Share']);
  });

  test('shows the counts of a day above the chart while the pointer is on it, inside a phone', async () => {
    const { page } = await openPage(server.origin);
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto(`${server.origin}/shop+`);
    const days = page.locator('.spots > g');
    const last = (await days.count()) - 1;
    for (const index of [0, 15, last]) {
      const day = days.nth(index);
      const text = day.locator('text');
      expect(await text.isVisible()).toBe(false);
      await day.locator('rect').hover();
      await shown(text);
      expect(await text.textContent()).toMatch(/2026.*\. Clicks: \d/);
      const { x = -1, width = 0 } = (await text.boundingBox()) ?? {};
      expect([index, x >= 0, x + width <= 390]).toEqual([index, true, true]);
    }
  });

  test('draws a bar for each value, and the longest for the most clicks', async () => {
    const { page } = await openPage(server.origin);
    await page.goto(`${server.origin}/shop+`);
    const widths = await page.locator('[aria-labelledby=country] .bars rect').all();
    const drawn = await Promise.all(
      // The last two are the others, and those of which nothing was recorded.
      widths.slice(0, -2).map(async (bar) => (await bar.boundingBox())?.width ?? 0),
    );
    expect(drawn.length).toBeGreaterThan(3);
    expect(drawn).toEqual(drawn.toSorted((a, b) => b - a));
    const { width = 0, height = 0 } = (await page.locator('.days .area').boundingBox()) ?? {};
    expect(width).toBeGreaterThan(900);
    expect(height).toBeGreaterThan(100);
  });

  test.each([
    [320, 'light', 'fr'],
    [390, 'dark', 'de'],
    [1280, 'light', 'es'],
  ] as const)(
    'fits a window of %i pixels, %s, in %s, and is readable',
    async (width, colorScheme, locale) => {
      const { page } = await openPage(server.origin);
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      await page.route('**', (route) =>
        route.continue({ headers: { ...route.request().headers(), 'accept-language': locale } }),
      );
      for (const path of ['/shop+?days=365', '/leasing+']) {
        await page.goto(server.origin + path);
        await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
        const over = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
        expect([path, await page.evaluate(over)]).toEqual([path, 0]);
        await expect.poll(() => page.evaluate('document.documentElement.lang')).toBe(locale);
      }
      const [text, ground] = await page.evaluate<[string, string]>(
        '[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]',
      );
      const lightness = (color: string) =>
        (color.match(/\d+/g) ?? []).slice(0, 3).reduce((sum, one) => sum + Number(one), 0);
      expect(Math.abs(lightness(text) - lightness(ground))).toBeGreaterThan(500);
      expect(lightness(ground) < lightness(text)).toBe(colorScheme === 'dark');
    },
  );

  test('opens with the password, and stays open after a reload', async () => {
    const { page } = await openPage(server.origin);
    await page.goto(`${server.origin}/leasing+?days=90`);
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Password').fill('demo');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 's.example/leasing' }).waitFor();
    expect(page.url()).toBe(`${server.origin}/leasing+?days=90`);
    await page.reload();
    await page.getByRole('heading', { name: 's.example/leasing' }).waitFor();
    await expect.poll(() => page.evaluate('document.cookie')).toBe('');
  });
});
