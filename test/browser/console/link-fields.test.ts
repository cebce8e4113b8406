import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../../src/testing/caller.ts';
import { startTestServer, type TestServer } from '../../../src/testing/server.ts';
import { chromiumPath, closeTabs } from '../../support/browser.ts';
import { chooseForSelected, rowOf, shown, signIn, unfold } from '../../support/console.ts';

describe.runIf(chromiumPath)(
  'the start, notes, archive and copies of links in the console, in a browser',
  () => {
    let server: TestServer;
    let accounts = 0;
    beforeAll(async () => {
      server = await startTestServer({ background: true });
    });
    afterEach(closeTabs);
    afterAll(() => server.stop());

    interface Stored {
      readonly id: string;
      readonly alias: string;
      readonly title: string | null;
      readonly notes: string | null;
      readonly archived: boolean;
      readonly startsAt: string | null;
      readonly redirectStatus: number;
    }

    const stored = async (caller: Caller): Promise<Stored[]> =>
      (
        await caller.data<{ links: { nodes: Stored[] } }>(
          '{ links(filter: { archived: WITH }) { nodes { id alias title notes archived startsAt redirectStatus } } }',
        )
      ).links.nodes;

    async function open(path: string, aliases: readonly string[]) {
      const caller = await server.caller(`fields ${accounts++}`);
      for (const alias of aliases) await caller.link({ alias, title: `Title of ${alias}` });
      const { page, complaints } = await signIn({ server, key: caller.key }, { path });
      return { caller, page, complaints };
    }

    async function choose(page: Page, alias: string, name: string): Promise<void> {
      await (await shown(rowOf(page, alias))).getByRole('button', { name: /^Actions for/ }).click();
      await page.locator('.menu:popover-open').getByRole('menuitem', { name, exact: true }).click();
    }

    test('a link is archived in its row, found by the filter, and brought back', async () => {
      const { caller, page, complaints } = await open('/links', ['kept-one', 'old-one']);
      await choose(page, 'old-one', 'Archive');
      await shown(page.locator('.toast', { hasText: 'old-one is archived.' }));
      await rowOf(page, 'old-one').waitFor({ state: 'hidden' });
      await shown(rowOf(page, 'kept-one'));
      await page.getByLabel('Status', { exact: true }).selectOption('Only archived');
      await shown(rowOf(page, 'old-one').getByText('Archived', { exact: true }));
      await rowOf(page, 'kept-one').waitFor({ state: 'hidden' });
      await choose(page, 'old-one', 'Unarchive');
      await expect.poll(async () => (await stored(caller)).filter(({ archived }) => archived)).toEqual([]);
      expect(complaints).toEqual([]);
    });

    test('selected links are archived together', async () => {
      const { caller, page } = await open('/links', ['one-of-two', 'two-of-two']);
      await (await shown(page.getByRole('button', { name: 'Select this page' }))).click();
      await chooseForSelected(page, 'Archive');
      await shown(page.locator('.toast', { hasText: '2 links archived.' }));
      expect((await stored(caller)).map(({ archived }) => archived)).toEqual([true, true]);
    });

    test('a link is duplicated in its row, and its copy opens', async () => {
      const { caller, page } = await open('/links', ['original']);
      await choose(page, 'original', 'Duplicate');
      await shown(page.locator('.toast', { hasText: 'The copy is' }));
      const [copy] = await stored(caller);
      await page.waitForURL(`**/links/${copy?.id}`);
      expect(copy).toMatchObject({ title: 'Title of original', archived: false });
      expect(copy?.alias).not.toBe('original');
    });

    test('the form has the start, the notes and the status', async () => {
      const { caller, page, complaints } = await open('/links', ['edited']);
      const [link] = await stored(caller);
      await page.goto(page.url().replace(/\/links.*/, `/links/${link?.id}`));
      await unfold(page);
      await page.getByLabel('Begins on').fill('2099-01-01T10:00');
      await page.getByLabel('Notes', { exact: true }).fill('Ask Ann\nfirst');
      await page.getByLabel('Redirect status').selectOption('308');
      await page.getByRole('button', { name: 'Save' }).click();
      await shown(page.locator('.toast', { hasText: /saved\./ }));
      const [saved] = await stored(caller);
      expect(saved).toMatchObject({ notes: 'Ask Ann\nfirst', redirectStatus: 308 });
      expect(saved?.startsAt).toMatch(/^(2099-01-01|2098-12-31)T/);
      await shown(page.locator('.marks').getByText(/^Begins /));
      expect(complaints).toEqual([]);
    });
  },
);
