// It costs more than three seconds of the processor: what moves by itself is seen in a browser only.
import type { Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../../src/testing/caller.ts';
import { NOON, startTestServer, type TestServer } from '../../../src/testing/server.ts';
import { chromiumPath, closeTabs } from '../../support/browser.ts';
import { rowOf, shown, signIn } from '../../support/console.ts';
import { visit } from '../../support/visit.ts';

const day = NOON.toISOString().slice(0, 10);
const period = `from=${day}&to=${day}`;

describe.runIf(chromiumPath)(
  'figures and states that move by themselves in the console, in a browser',
  () => {
    let server: TestServer;
    let caller: Caller;
    beforeAll(async () => {
      server = await startTestServer({ clickInterval: 20 });
      caller = await server.caller('live');
    });
    afterEach(closeTabs);
    afterAll(() => server.stop());

    const visits = async (alias: string, country: string, times = 1) => {
      for (let i = 0; i < times; i++)
        await visit(server.origin, `/${alias}`, { headers: { 'X-Country': country } });
      await server.flush();
    };

    test('clicks of a link come into its open statistics, with their values and the head of the page', async () => {
      const { id } = await caller.link({ alias: 'moving' });
      await visits('moving', 'FR');
      const { page, complaints } = await signIn(
        { server, key: caller.key },
        { path: `/links/${id}/statistics?${period}` },
      );
      const clicks = page.locator('.totals dd').first();
      await expect.poll(() => clicks.innerText()).toBe('1');
      await visits('moving', 'DE', 2);
      await expect.poll(() => clicks.innerText()).toBe('3');
      await shown(page.getByRole('img', { name: /the most are 3/ }));
      await shown(page.getByRole('region', { name: 'Countries' }).getByText('Germany'));
      await shown(page.locator('.marks').getByText('3 clicks'));
      expect(complaints).toEqual([]);
    });

    test('clicks come into the rows of the list while it is in sight, each once, without reading the list again', async () => {
      const evening = new Date(NOON.getTime() + 43_000_000);
      server.clock.now = evening;
      const owner = await server.caller('live rows');
      await owner.link({ alias: 'live-row' });
      await owner.link({ alias: 'quiet-row' });
      await visits('live-row', 'FR');
      const { page, complaints } = await signIn({ server, key: owner.key });
      const sent: string[] = [];
      const streams = new Set<Request>();
      page.on('request', (request) => {
        sent.push(request.postData() ?? '');
        if (request.postData()?.includes('subscription Clicks')) streams.add(request);
      });
      page.on('requestfinished', (request) => streams.delete(request));
      page.on('requestfailed', (request) => streams.delete(request));
      const clicks = (alias = 'live-row') => rowOf(page, alias).locator('.clicks').innerText();
      const isHidden = (hidden: boolean) =>
        page.evaluate(`(() => {
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${hidden} });
        document.dispatchEvent(new Event('visibilitychange'));
      })()`);
      await page.reload();
      await expect.poll(() => streams.size).toBe(1);
      await expect.poll(() => clicks()).toMatch(/^1 click\s+1 in 30 days$/);
      // Another window in sight has none: browsers open six connections to a host.
      const other = await page.context().newPage();
      const others: string[] = [];
      other.on('request', (request) => others.push(request.postData() ?? ''));
      await other.goto(page.url());
      await rowOf(other, 'live-row').waitFor();
      expect(others.filter((body) => body.includes('subscription Clicks'))).toEqual([]);
      await other.close();
      const reads = () => sent.filter((body) => body.includes('query Links(')).length;
      const before = reads();
      await visits('live-row', 'DE', 2);
      await expect.poll(() => clicks()).toMatch(/^3 clicks\s+3 in 30 days$/);
      expect(await clicks('quiet-row')).toMatch(/^0 clicks/);
      expect([reads(), streams.size]).toEqual([before, 1]);
      // The list and the link are read again, with these clicks.
      await rowOf(page, 'live-row').locator('.short').click();
      await shown(page.locator('.panel').getByText('3 clicks'));
      expect(await clicks()).toMatch(/^3 clicks/);
      await page.locator('.panel').getByLabel('Title', { exact: true }).fill('Read again');
      await page.getByRole('button', { name: 'Save' }).click();
      await shown(rowOf(page, 'live-row').getByText('Read again'));
      expect(await clicks()).toMatch(/^3 clicks\s+3 in 30 days$/);
      await visits('live-row', 'DE');
      await expect.poll(() => clicks()).toMatch(/^4 clicks/);
      await isHidden(true);
      await expect.poll(() => streams.size).toBe(0);
      await visits('live-row', 'DE');
      await isHidden(false);
      await expect.poll(() => clicks()).toMatch(/^5 clicks/);
      // The next day begins at 0.
      server.clock.now = new Date(evening.getTime() + 1_000_000);
      await visits('live-row', 'DE');
      await expect.poll(() => clicks()).toMatch(/^6 clicks/);
      server.clock.now = NOON;
      expect(complaints).toEqual([]);
    });

    test('clicks of an account come into its open overview, also where nothing was counted before', async () => {
      const other = await server.caller('live overview');
      await other.link({ alias: 'first-click' });
      const { page } = await signIn({ server, key: other.key }, { path: `/overview?${period}` });
      await shown(page.getByRole('region', { name: 'Get started' }));
      await visits('first-click', 'FR');
      await shown(page.locator('#top-links').getByText('s.example/first-click'));
    });

    test('a chosen country filters the top links, and each card that it does not affect says so', async () => {
      const other = await server.caller('filtered');
      await other.link({ alias: 'filtered' });
      await visits('filtered', 'FR');
      const { page } = await signIn({ server, key: other.key }, { path: `/overview?${period}` });
      const cards = page.locator('.statistics .card');
      await expect.poll(() => cards.count()).toBe(6);
      expect(await page.getByText('all visitors').count()).toBe(0);
      await page.getByRole('link', { name: 'France' }).click();
      await shown(page.getByRole('heading', { name: 'Top links · France' }));
      // The figures and the chart are of the value itself.
      await expect.poll(() => cards.filter({ hasText: 'all visitors' }).count()).toBe(3);
      await shown(page.getByRole('heading', { name: 'Clicks · France' }));
      expect(await page.locator('#top-links').getByText('all visitors').count()).toBe(0);
      await page.getByRole('link', { name: 'Remove Country: France' }).click();
      await expect.poll(() => page.getByText('all visitors').count()).toBe(0);
    });

    test('a link shows that it has ended as soon as its time is over, in the list and on its page', async () => {
      const at = new Date(Date.now() + 3_600_000);
      const { id } = await caller.link({ alias: 'ending' });
      const input = `{ expiration: { at: "${at.toISOString()}" } }`;
      await caller.data(`mutation { updateLink(id: "${id}", input: ${input}) { __typename } }`);
      const { page, accountId } = await signIn({ server, key: caller.key });
      /** Has the browser's clock go on by an hour, as after sleep. */
      const later = () =>
        page.evaluate(`(() => {
        const real = Date.now;
        Date.now = () => real() + 3_700_000;
        document.dispatchEvent(new Event('visibilitychange'));
      })()`);
      await shown(rowOf(page, 'ending').getByText(/^Expires /));
      await later();
      await shown(rowOf(page, 'ending').getByText(/^Expired /));
      await page.goto(`${server.origin}/console/${accountId}/links/${id}`);
      await shown(page.locator('.marks').getByText(/^Expires /));
      await later();
      await shown(page.locator('.marks').getByText(/^Expired /));
      await shown(page.getByText('Otherwise it leads to'));
    });

    test('a link in the list shows that its last click was used', async () => {
      const { id } = await caller.link({ alias: 'limited' });
      await caller.data(
        `mutation { updateLink(id: "${id}", input: { expiration: { clicks: 1 } }) { __typename } }`,
      );
      const { page } = await signIn({ server, key: caller.key });
      await shown(rowOf(page, 'limited').getByText('Limit: 1 click'));
      await visits('limited', 'FR');
      await shown(rowOf(page, 'limited').getByText('Limit reached: 1 click'));
    });
  },
);
