import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../../src/testing/caller.ts';
import { NOON, startTestServer, type TestServer } from '../../../src/testing/server.ts';
import { APPEARANCES, chromiumPath, closeTabs, faultsFor } from '../../support/browser.ts';
import { shown, signIn } from '../../support/console.ts';
import { visit } from '../../support/visit.ts';

const dayBefore = (days: number) => new Date(NOON.getTime() - days * 86_400_000).toISOString().slice(0, 10);
const period = `from=${dayBefore(2)}&to=${dayBefore(0)}`;

describe.runIf(chromiumPath)('comparisons over time in the console, in a browser', () => {
  let server: TestServer;
  let caller: Caller;
  let space: number;
  let tag: number;
  let link: string;
  beforeAll(async () => {
    server = await startTestServer();
    caller = await server.caller('compare');
    [space, tag] = [await caller.space('Launch'), await caller.tag('Spring')];
    await caller.link({ alias: 'launch', space_id: space });
    await caller.link({ alias: 'spring', 'tag_ids[]': tag });
    await visits('launch', 3, 'FR', 1);
    await visits('spring', 2, 'DE', 1);
    await visits('spring', 1, 'DE');
    await visits('launch', 1, 'XK');
    const found = await caller.data<{ linkByShortUrl: { id: string } }>(
      '{ linkByShortUrl(url: "s.example/spring") { id } }',
    );
    link = found.linkByShortUrl.id;
  });
  afterEach(closeTabs);
  afterAll(() => server.stop());

  async function visits(alias: string, times: number, country: string, daysAgo = 0): Promise<void> {
    server.clock.now = new Date(NOON.getTime() - daysAgo * 86_400_000);
    for (let i = 0; i < times; i++)
      await visit(server.origin, `/${alias}`, { headers: { 'X-Country': country } });
    await server.flush();
    server.clock.now = NOON;
  }

  const legend = (page: Page) => page.locator('.compared-lines .legend li').allInnerTexts();
  const overview = (more = '') => signIn({ server, key: caller.key }, { path: `/overview?${period}${more}` });

  test('spaces, tags and links are chosen, and their lines are in the address, the table and the file', async () => {
    const { page, complaints } = await overview();
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    const field = page.getByRole('combobox', { name: 'Add a line' });
    for (const name of ['Launch', 'Spring', 's.example/spring']) {
      await field.fill(name);
      await page.locator('.options').getByRole('option', { name, exact: true }).click();
    }
    await expect.poll(() => legend(page)).toEqual(['Launch\n4', 'Spring\n3', 's.example/spring\n3']);
    expect(await field.count()).toBe(0);
    const lines = [`space:${space}`, `tag:${tag}`, `link:${link}`];
    expect(new URL(page.url()).searchParams.getAll('line')).toEqual(lines);
    await page.reload();
    await expect.poll(() => legend(page)).toEqual(['Launch\n4', 'Spring\n3', 's.example/spring\n3']);
    await page.getByText('Show as table').click();
    await shown(page.getByRole('columnheader', { name: 's.example/spring' }));
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV: Comparison · Day' }).click();
    const file = await readFile(await (await saved).path(), 'utf8');
    expect(file.slice(1).split('\r\n').slice(0, 4)).toEqual([
      'Day,Launch,Spring,s.example/spring',
      `${dayBefore(2)},0,0,0`,
      `${dayBefore(1)},3,2,2`,
      `${dayBefore(0)},1,1,1`,
    ]);
    await page.getByRole('button', { name: 'Remove Spring' }).click();
    await expect.poll(() => legend(page)).toEqual(['Launch\n4', 's.example/spring\n3']);
    await page.getByRole('button', { name: 'Stop comparing' }).click();
    await shown(page.getByRole('heading', { name: 'Clicks and visitors' }));
    expect(complaints).toEqual([]);
  });

  test('values are marked, of which at most three are lines, and arrow keys move along the days', async () => {
    const { page, complaints } = await overview();
    const mark = (name: string) => page.getByRole('button', { name: `Compare ${name}`, exact: true });
    await mark('France').click();
    await mark('Germany').click();
    await expect.poll(() => legend(page)).toEqual(['France\n3', 'Germany\n3']);
    await mark('s.example/spring').click();
    await expect.poll(() => mark('Kosovo').getAttribute('aria-disabled')).toBe('true');
    await mark('Kosovo').click({ force: true });
    await expect.poll(() => legend(page)).toEqual(['France\n3', 'Germany\n3', 's.example/spring\n3']);
    const slider = page.locator('.compared-lines').getByRole('slider', { name: 'Day' });
    await slider.focus();
    await expect.poll(() => page.locator('.tip').innerText()).toMatch(/^20 Nov/);
    await page.keyboard.press('ArrowLeft');
    await expect
      .poll(() => slider.getAttribute('aria-valuetext'))
      .toBe('19 Nov, France: 3, Germany: 2, s.example/spring: 2');
    // The legend stays in its place.
    expect(await legend(page)).toHaveLength(3);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.tip').count()).toBe(0);
    await mark('France').click();
    await mark('Germany').click();
    await mark('s.example/spring').click();
    await shown(page.getByRole('heading', { name: 'Clicks and visitors' }));
    expect(complaints).toEqual([]);
  });

  test('a chosen value shows its own clicks, beside those of another one', async () => {
    const { page } = await overview('&by=country&value=DE');
    await shown(page.getByRole('heading', { name: 'Clicks · Germany' }));
    await expect.poll(() => legend(page)).toEqual(['Germany\n3']);
    await page.getByRole('button', { name: 'Compare France' }).click();
    await expect.poll(() => legend(page)).toEqual(['Germany\n3', 'France\n3']);
    await shown(page.getByRole('heading', { name: 'Top links · Germany' }));
    await page.getByRole('button', { name: 'Remove France' }).click();
    await page.getByRole('button', { name: 'Remove Germany' }).click();
    await shown(page.getByRole('heading', { name: 'Clicks and visitors' }));
    await shown(page.getByRole('heading', { name: 'Top links', exact: true }));
  });

  test('each line tells how much it changed, by what the figures are compared with', async () => {
    const path = `/overview?from=${dayBefore(0)}&to=${dayBefore(0)}&line=space:${space}&line=tag:${tag}&each=day`;
    const { page } = await signIn({ server, key: caller.key }, { path });
    const changes = async () => (await legend(page)).map((text) => text.replace(/\s+/g, ' '));
    await expect.poll(changes).toEqual(['Launch 1 −67% vs 3', 'Spring 1 −50% vs 2']);
    await page.getByLabel('Compared with').selectOption('vs previous year');
    await expect.poll(changes).toEqual(['Launch 1', 'Spring 1']);
  });

  test('has a row for each line on a phone, with the names of links in one piece and figures one below the other', async () => {
    const path = `/overview?from=${dayBefore(0)}&to=${dayBefore(0)}&line=space:${space}&line=tag:${tag}&line=link:${link}&each=day`;
    const { page } = await signIn({ server, key: caller.key }, { path, width: 390 });
    const changes = async () => (await legend(page)).map((text) => text.replace(/\s+/g, ' '));
    await expect.poll(changes).toEqual(['Launch 1 −67% vs 3', 'Spring 1 −50% vs 2', 'spring 1 −50% vs 2']);
    const edges = (selector: string) =>
      page.evaluate<number[]>(
        `[...document.querySelectorAll('.compared-lines .legend ${selector}')].map((one) => one.getBoundingClientRect().right)`,
      );
    for (const selector of ['b', '.badge', '.quiet'])
      expect([selector, new Set(await edges(selector)).size]).toEqual([selector, 1]);
  });

  test('has no faults of accessibility', async () => {
    const { page } = await overview('&line=country:DE&line=country:FR&line=');
    await expect.poll(() => legend(page)).toEqual(['Germany\n3', 'France\n3']);
    await page.getByRole('slider').focus();
    for (const [width, colorScheme] of APPEARANCES) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      expect(await faultsFor(page)).toEqual([]);
    }
  });
});
