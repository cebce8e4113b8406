// It costs more than three seconds of the processor: what a press costs is counted in a browser.
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../src/testing/server.ts';
import { chromiumPath, closeTabs } from '../../support/browser.ts';
import { closeSheet, loadedAhead, shown, signIn } from '../../support/console.ts';

/** The number of rows, of which each has three links and about 30 elements. */
const ROWS = 50;

interface TraceEvent {
  readonly name: string;
  readonly args: { readonly elementCount?: number };
}

/** The most elements that got their styles again at once while something is done. */
async function restyledBy(page: Page, act: () => Promise<unknown>): Promise<number> {
  const browser = page.context().browser();
  const categories = ['devtools.timeline', 'disabled-by-default-devtools.timeline'];
  await browser?.startTracing(page, { categories });
  await act();
  const { traceEvents }: { traceEvents: TraceEvent[] } = JSON.parse(String(await browser?.stopTracing()));
  const recalculations = traceEvents.filter(({ name }) => name === 'UpdateLayoutTree');
  return Math.max(...recalculations.map(({ args }) => args.elementCount ?? 0));
}

/** The numbers of calls of the innermost functions with these texts in their code while something is done. */
async function callsBy(page: Page, marks: readonly string[], act: () => Promise<unknown>): Promise<number[]> {
  await page.coverage.startJSCoverage();
  await act();
  const scripts = await page.coverage.stopJSCoverage();
  return marks.map((mark) => {
    const found = scripts.flatMap(({ source = '', functions }) =>
      functions.flatMap(({ ranges: [whole] }) =>
        whole && source.slice(whole.startOffset, whole.endOffset).includes(mark) ? [whole] : [],
      ),
    );
    const length = ({ startOffset, endOffset }: (typeof found)[number]) => endOffset - startOffset;
    return found.toSorted((one, other) => length(one) - length(other))[0]?.count ?? 0;
  });
}

/** Texts that only these components have in their code. */
const ROW = 'host-tile';
const BAR = 'above-links';
const LINK = 'asChild';

describe.runIf(chromiumPath)('the work of the console for a press, in a browser', () => {
  let server: TestServer;
  let key: string;
  beforeAll(async () => {
    server = await startTestServer();
    ({ key } = await server.caller('work'));
    const inputs = Array.from(
      { length: ROWS },
      (_, n) => `{ url: "https://example.com/${n}", title: "${n}" }`,
    );
    await server.callerWith(key).data(`mutation { createLinks(inputs: [${inputs}]) { __typename } }`);
  });
  afterEach(closeTabs);
  afterAll(() => server.stop());

  async function open() {
    const { page } = await signIn({ server, key });
    await expect.poll(() => page.locator('.row').count()).toBe(ROWS);
    await loadedAhead(page);
    return page;
  }

  test('restyles a part of the page alone when a menu, a sheet, a selection or the quick search is shown', async () => {
    const page = await open();
    const row = page.locator('.row').first();
    const menu = await restyledBy(page, async () => {
      await row.locator('.deeds [aria-haspopup]').click();
      await shown(page.locator('.menu:popover-open'));
    });
    await page.keyboard.press('Escape');
    const search = await restyledBy(page, async () => {
      await page.keyboard.press('Control+k');
      await shown(page.locator('.palette [role=option]').first());
    });
    await page.keyboard.press('Escape');
    const selection = await restyledBy(page, async () => {
      await row.getByRole('checkbox').click();
      await shown(page.locator('.bulk'));
    });
    await page.keyboard.press('Escape');
    const sheet = await restyledBy(page, async () => {
      await row.locator('.short').click();
      await shown(page.locator('.panel .form'));
    });
    expect(Math.min(menu, selection, search, sheet)).toBeGreaterThan(0);
    expect(Math.max(menu, selection)).toBeLessThan(ROWS * 5);
    expect(Math.max(search, sheet)).toBeLessThan(ROWS * 15);
  });

  test('renders the row alone that is selected, and neither the bar above nor a layout when the focus moves', async () => {
    const page = await open();
    await page.locator('.row').first().focus();
    const select = async () => {
      await page.keyboard.press('x');
      await shown(page.locator('.row.selected'));
    };
    expect(await callsBy(page, [ROW], select)).toEqual([1]);
    await page.evaluate(`{
      window.asked = 0;
      const { getClientRects } = Element.prototype;
      Element.prototype.getClientRects = function () {
        window.asked++;
        return getClientRects.call(this);
      };
    }`);
    const move = async () => {
      await page.keyboard.press('ArrowDown');
      await shown(page.locator('.row:nth-child(2).current'));
    };
    expect(await callsBy(page, [ROW, BAR], move)).toEqual([2, 0]);
    expect(await page.evaluate('window.asked')).toBe(0);
  });

  test('renders no row when a link opens and closes, nor the links of rows', async () => {
    const page = await open();
    const [rows, links] = await callsBy(page, [ROW, LINK], async () => {
      await page.locator('.row .short').first().click();
      await shown(page.locator('.panel .form'));
      await closeSheet(page);
    });
    // The focus moves to the row.
    expect(rows).toBeLessThan(5);
    expect(links).toBeLessThan(ROWS * 3);
  });
});
