import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../src/testing/server.ts';
import { APPEARANCES, chromiumPath, closeTabs, faultsFor } from '../../support/browser.ts';
import { shown, signIn } from '../../support/console.ts';

describe.runIf(chromiumPath)('the columns of an import in the console, in a browser', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ background: true });
  });
  afterEach(closeTabs);
  afterAll(() => server.stop());

  const lines = ['Wohin,Kennung,Bemerkung', 'a.example/1,eins,Erste', 'nowhere,zwei,Zweite', 'a.example/3,,'];

  test('unknown names get a field by hand, and wrong lines are corrected cell by cell', async () => {
    const caller = await server.caller('mapping');
    const { page, complaints } = await signIn({ server, key: caller.key }, { path: '/many' });
    await page.getByLabel('Destinations', { exact: true }).fill(lines.join('\n'));
    await page.getByLabel('Format').selectOption('CSV');
    await shown(page.getByText('Erste · Zweite'));
    await page.getByLabel('Read Wohin as').selectOption('Destination');
    await page.getByLabel('Read Kennung as').selectOption('Alias');
    await page.getByLabel('Read Bemerkung as').selectOption('Title');
    await shown(page.getByText('2 links are ready.'));
    // What a column held is taken over by another one.
    await page.getByLabel('Read Kennung as').selectOption('Title');
    await expect.poll(() => page.getByLabel('Read Bemerkung as').inputValue()).toBe('none');
    await page.getByLabel('Read Kennung as').selectOption('Alias');
    await page.getByLabel('Read Bemerkung as').selectOption('Title');
    await shown(page.getByText('1 line is wrong'));
    await expect.poll(() => page.getByLabel('Title, line 3').inputValue()).toBe('Zweite');
    await page.getByLabel('Destination, line 3').fill('https://a.example/2,b');
    await page.keyboard.press('Enter');
    await shown(page.getByText('3 links are ready.'));
    await expect
      .poll(() => page.getByLabel('Destinations', { exact: true }).inputValue())
      .toBe([lines[0], lines[1], '"https://a.example/2,b",zwei,Zweite', lines[3]].join('\n'));
    await page.getByRole('button', { name: 'Create 3 links' }).click();
    await shown(page.getByText('3 links were created'));
    const query = '{ links(orderBy: { field: URL, direction: ASC }) { nodes { url title alias } } }';
    const data = await caller.data<{ links: { nodes: { url: string; alias: string; title: string }[] } }>(
      query,
    );
    expect(data.links.nodes.map(({ url, title, alias }) => [url, title, title && alias])).toEqual([
      ['https://a.example/1', 'Erste', 'eins'],
      ['https://a.example/2,b', 'Zweite', 'zwei'],
      ['https://a.example/3', null, null],
    ]);
    expect(complaints).toEqual([]);
  });

  test('“Create” stays in view under many lines, without faults of accessibility', async () => {
    const caller = await server.caller('long');
    const { page } = await signIn({ server, key: caller.key }, { path: '/many' });
    const many = Array.from({ length: 40 }, (_, index) => `a.example/${index},a-${index},Text ${index}`);
    await page
      .getByLabel('Destinations', { exact: true })
      .fill(['Seite,alias,X', 'nowhere,x,', ...many].join('\n'));
    const create = page.getByRole('button', { name: 'Create 40 links' });
    await shown(create);
    for (const [width, colorScheme] of APPEARANCES) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      await page.evaluate('scrollTo(0, 0)');
      await expect
        .poll(async () => {
          const box = await create.boundingBox();
          return box !== null && box.y + box.height <= 800;
        })
        .toBe(true);
      expect(await faultsFor(page)).toEqual([]);
    }
  });
});
