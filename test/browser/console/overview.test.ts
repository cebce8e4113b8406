import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../../src/testing/caller.ts';
import { NOON, startTestServer, type TestServer } from '../../../src/testing/server.ts';
import { chromiumPath, closeTabs } from '../../support/browser.ts';
import { follow, rowOf, shown, signIn } from '../../support/console.ts';
import { visit } from '../../support/visit.ts';

const day = NOON.toISOString().slice(0, 10);
const period = `from=${day}&to=${day}`;

describe.runIf(chromiumPath)('the overview of the console, in a browser', () => {
  let server: TestServer;
  let caller: Caller;
  let space: number;
  beforeAll(async () => {
    server = await startTestServer();
    caller = await server.caller('overview');
    space = await caller.space('Launch');
    const visits = async (alias: string, times: number, country: string) => {
      for (let i = 0; i < times; i++)
        await visit(server.origin, `/${alias}`, { headers: { 'X-Country': country } });
    };
    await caller.link({ alias: 'most', title: 'The most' });
    await caller.link({ alias: 'german', space_id: space });
    await caller.link({ alias: 'none' });
    await visits('most', 3, 'FR');
    await visits('most', 1, 'DE');
    await visits('german', 2, 'DE');
    await server.flush();
  });
  afterEach(closeTabs);
  afterAll(() => server.stop());

  const topLinks = (page: Page) => page.locator('#top-links li').allInnerTexts();

  /** The file that a click saves, with its name. */
  async function fileOf(page: Page, name = 'Download CSV'): Promise<{ name: string; text: string }> {
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name, exact: true }).click(),
    ]);
    return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
  }

  test('comes first, and shows the links with the most clicks, of all and from one country', async () => {
    const { page, accountId } = await signIn({ server, key: caller.key });
    await page.goto(`${server.origin}/console`);
    await page.waitForURL(`${server.origin}/console/${accountId}/overview`);
    await page.goto(`${server.origin}/console/${accountId}/overview?${period}`);
    await shown(page.locator('.totals').getByText('6').first());
    await expect.poll(() => topLinks(page)).toEqual(['s.example/most The most\n4', 's.example/german\n2']);
    await page.getByRole('link', { name: 'Germany' }).click();
    await shown(page.getByRole('heading', { name: 'Top links · Germany' }));
    await expect.poll(() => topLinks(page)).toEqual(['s.example/german\n2', 's.example/most The most\n1']);
    await expect.poll(() => page.locator('.totals').innerText()).toMatch(/^Clicks\s+3\b/);
    // Of 6 clicks: visitors of a country are not counted.
    await shown(page.locator('.totals > :last-child', { hasText: /^Share50\.0%/ }));
    const rooms = () =>
      page
        .locator('header + .all-visitors')
        .evaluateAll((all) =>
          all.map(
            (one) =>
              one.getBoundingClientRect().y -
              (one.previousElementSibling?.getBoundingClientRect().bottom ?? 0),
          ),
        );
    await expect.poll(async () => Math.min(...(await rooms()))).toBe(8);
    await shown(page.getByRole('group', { name: 'Filters' }).getByText('Country: Germany'));
    await page.getByRole('link', { name: 'Remove Country: Germany' }).click();
    await expect.poll(async () => (await topLinks(page))[0]).toBe('s.example/most The most\n4');
    expect(await fileOf(page, 'Download CSV: Countries')).toEqual({
      name: `statistics-country-${day}-to-${day}.csv`,
      text: `\ufeffCountry,Clicks,From,To\r\nFrance,3,${day},${day}\r\nGermany,3,${day},${day}\r\n`,
    });
    await page.locator('#top-links').getByRole('link', { name: 's.example/german' }).click();
    await page.waitForURL(/\/links\/\d+\/statistics\?from=/);
  });

  test('counts of a point stay inside its card, and in sight after a touch until the next one elsewhere', async () => {
    const { page } = await signIn({ server, key: caller.key }, { path: `/overview?${period}`, width: 390 });
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setTouchEmulationEnabled', { enabled: true });
    const plot = await shown(page.getByRole('slider'));
    await plot.scrollIntoViewIfNeeded();
    const { x, y, width } = (await plot.boundingBox()) ?? { x: 0, y: 0, width: 0 };
    const touch = async (at: number[]) => {
      const [left = 0, top = 0] = at;
      await session.send('Input.dispatchTouchEvent', {
        type: 'touchStart',
        touchPoints: [{ x: left, y: top }],
      });
      await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    };
    const tip = page.locator('.tip');
    for (const part of [0, 0.1, 0.3, 0.5, 0.6, 0.8, 1]) {
      await touch([x + 1 + (width - 2) * part, y + 60]);
      const hour = String(Math.round(23 * part)).padStart(2, '0');
      await expect.poll(() => tip.innerText()).toContain(`20 Nov, ${hour}:00`);
      const { x: left, width: own } = (await tip.boundingBox()) ?? { x: -1, width: 0 };
      expect([part, left >= x, left + own <= x + width + 0.5]).toEqual([part, true, true]);
    }
    await touch([x + 20, y - 120]);
    await expect.poll(() => tip.count()).toBe(0);
  });

  test('on a phone, the chosen value is in sight, also after a tap in a list far below', async () => {
    const path = `/overview?${period}&by=country&value=FR`;
    const { page } = await signIn({ server, key: caller.key }, { path, width: 390 });
    const chip = (name: string) => page.getByRole('link', { name: `Remove Country: ${name}` });
    const isInSight = (name: string) =>
      chip(name).evaluate((one) => {
        const { left, right, top } = one.getBoundingClientRect();
        const bar = document.querySelector('.side')?.getBoundingClientRect();
        return left >= 0 && right <= innerWidth && top >= (bar?.bottom ?? 0) && top < innerHeight;
      });
    await shown(chip('France'));
    await expect.poll(() => isInSight('France')).toBe(true);
    const germany = page.locator('.dimensions').getByRole('link', { name: 'Germany' });
    await germany.scrollIntoViewIfNeeded();
    await expect.poll(() => isInSight('France')).toBe(false);
    await germany.click();
    await shown(chip('Germany'));
    await expect.poll(() => isInSight('Germany')).toBe(true);
  });

  test('on a phone, a long comparison stays in its half of the card', async () => {
    const path = `/overview?${period}`;
    const { page } = await signIn({ server, key: caller.key }, { path, width: 360 });
    const half = page.locator('.totals > div').first();
    await shown(half);
    const isInside = await half.evaluate((one) => {
      one.insertAdjacentHTML('beforeend', '<dd><span class="quiet">hasta ahora frente a 10.044</span></dd>');
      return one.scrollWidth <= one.clientWidth;
    });
    expect(isInside).toBe(true);
  });

  test('shows the same for a space, whose colour it has, with a way back', async () => {
    const { page } = await signIn({ server, key: caller.key }, { path: '/spaces' });
    await page.getByRole('link', { name: '1 link', exact: true }).click();
    await shown(rowOf(page, 'german'));
    await page.goBack();
    const clicks = page.getByRole('link', { name: '2 clicks in 30 days' });
    await clicks.click();
    await shown(page.locator('h1', { hasText: 'Launch' }).locator('.dot.c1'));
    await page.locator('#main').getByRole('link', { name: 'Spaces', exact: true }).click();
    await clicks.click();
    await shown(page.getByRole('heading', { name: 'Launch' }));
    await page.goto(`${page.url()}?${period}`);
    await expect.poll(() => topLinks(page)).toEqual(['s.example/german\n2']);
    await page.getByRole('link', { name: 'Germany' }).click();
    await shown(page.getByRole('heading', { name: 'Top links · Germany' }));
  });

  test('leads to a space and back, and is compared with the year before', async () => {
    const path = '/overview?from=2026-11-21&to=2026-11-30';
    const { page, complaints } = await signIn({ server, key: caller.key }, { path });
    await shown(page.getByText('Nothing was counted before 20 Nov 2026, so this is not compared.'));
    await follow(page, `/overview?${period}`);
    await page.getByLabel('Compared with').selectOption('vs previous year');
    await shown(page.getByText('20 Nov 2025: no clicks were counted.'));
    await shown(page.getByText('Visitors are counted per link and day, then summed.'));
    await page.getByLabel('Statistics of').selectOption('Launch');
    await shown(page.getByRole('heading', { name: 'Launch' }));
    await expect.poll(() => topLinks(page)).toEqual(['s.example/german\n2']);
    expect(new URL(page.url()).search).toBe(`?${period}&compare=year`);
    await page.getByLabel('Statistics of').selectOption('Whole account');
    await shown(page.getByRole('heading', { name: 'Overview' }));
    expect(complaints).toEqual([]);
  });

  test('says how each of the links with the most clicks changed', async () => {
    const other = await server.caller('changed');
    await other.link({ alias: 'changed' });
    for (const [daysAgo, clicks] of [3, 2, 1].entries()) {
      server.clock.now = new Date(NOON.getTime() - daysAgo * 86_400_000);
      for (let i = 0; i < clicks; i++) await visit(server.origin, '/changed');
      await server.flush();
    }
    server.clock.now = NOON;
    const { page } = await signIn({ server, key: other.key }, { path: `/overview?${period}` });
    await expect.poll(() => topLinks(page)).toEqual(['s.example/changed\n3\n+50%']);
    // As in the badge above, also of a day that is over.
    const look = (selector: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).color`);
    expect(await look('#top-links b + .quiet')).toBe(await look('.totals .badge.ok'));
    const heads = page.locator('#top-links .bars > p span');
    expect(await heads.allInnerTexts()).toEqual(['Clicks', 'Change']);
    const endOf = (selector: string) =>
      page.evaluate<number>(
        `document.querySelector('#top-links .bars ${selector}').getBoundingClientRect().right`,
      );
    // Figures end where their headings do.
    expect(await endOf('p span')).toBeCloseTo(await endOf('li b'), 0);
    expect(await endOf('p span + span')).toBeCloseTo(await endOf('li b + .quiet'), 0);
  });

  test('a list shows the clicks of 30 days, and is downloaded as it is filtered', async () => {
    const { page } = await signIn({ server, key: caller.key }, { path: `/links?space=${space}` });
    await shown(rowOf(page, 'german').getByText('2 in 30 days'));
    const [head, first, ...more] = (await fileOf(page)).text.trim().split('\r\n');
    expect(head).toContain('Short URL,URL,Title');
    expect(first).toContain('german');
    expect(more).toEqual([]);
  });

  test('the file of a chart has its weeks, how much of each is there, and the year before', async () => {
    const found = await caller.data<{ linkByShortUrl: { id: string } }>(
      '{ linkByShortUrl(url: "s.example/most") { id } }',
    );
    // The 8th is a Sunday.
    const path = `/links/${found.linkByShortUrl.id}/statistics?from=2026-11-08&to=2026-11-20&compare=year`;
    const { page } = await signIn({ server, key: caller.key }, { path });
    await page.getByRole('button', { name: 'Week' }).click();
    await shown(page.getByText('Incomplete', { exact: true }));
    await page.getByText('Show as table').click();
    await shown(page.getByRole('rowheader', { name: '8 Nov (1 of 7 days)' }));
    const { name, text } = await fileOf(page, 'Download CSV: Clicks and visitors · Week');
    expect(name).toBe('statistics-most-by-week-2026-11-08-to-2026-11-20-and-2025-11-09-to-2025-11-21.csv');
    const times = ['Week (from)', 'Week (to)', 'Note', 'Clicks', 'Visitors', 'Bots'];
    expect(text.slice(1).replaceAll('"', '').split('\r\n')).toEqual([
      [...times, ...times.map((one) => `${one} in the year before`)].join(),
      '2026-11-08,2026-11-08,1 of 7 days,0,0,0,2025-11-09,2025-11-09,1 of 7 days,0,0,0',
      '2026-11-09,2026-11-15,,0,0,0,2025-11-10,2025-11-16,,0,0,0',
      '2026-11-16,2026-11-20,5 of 7 days,4,1,0,2025-11-17,2025-11-21,5 of 7 days,0,0,0',
      '',
    ]);
  });
});
