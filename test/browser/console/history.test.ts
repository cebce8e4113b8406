import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Role } from '../../../src/domain/access/role.ts';
import type { Caller } from '../../../src/testing/caller.ts';
import { startTestServer, type TestServer } from '../../../src/testing/server.ts';
import { BROWSER_TIMEOUT, chromiumPath, closeTabs } from '../../support/browser.ts';
import {
  addUser,
  chooseForSelected,
  chooseInAccount,
  follow,
  giveSession,
  rowOf,
  shown,
  signIn,
} from '../../support/console.ts';
import { manyLinks } from '../../support/many-links.ts';
import { visit } from '../../support/visit.ts';

describe.runIf(chromiumPath)('the history with values in the console, in a browser', () => {
  let server: TestServer;
  let accounts = 0;
  const others: BrowserContext[] = [];
  beforeAll(async () => {
    server = await startTestServer({ background: true });
  });
  afterEach(async () => {
    await closeTabs();
    await Promise.all(others.splice(0).map((context) => context.close()));
  });
  afterAll(() => server.stop());

  const newAccount = (): Promise<Caller> => {
    accounts++;
    return server.caller(`account ${accounts}`);
  };
  const tabOf = (caller: Caller, path: string) =>
    signIn({ server, key: caller.key }, { path, role: 'EDITOR' });
  const tick = () => {
    server.clock.now = new Date(server.clock.now.getTime() + 1_000);
  };

  /** A tab of a browser of its own, where somebody else is signed in to the account of a key, by default a viewer. */
  async function otherBeside(
    page: Page,
    { key }: Caller,
    path: string,
    role: Role = 'VIEWER',
  ): Promise<Page> {
    const { accountId, user } = await addUser(server, key, role);
    const context = await page.context().browser()?.newContext({ locale: 'en-GB' });
    if (!context) throw new Error('there is no browser');
    context.setDefaultTimeout(BROWSER_TIMEOUT);
    others.push(context);
    const tab = await context.newPage();
    await giveSession(tab, server, user.id);
    await tab.goto(`${server.origin}/console/${accountId}${path}`);
    return tab;
  }

  const update = async (caller: Caller, id: number, input: string) => {
    tick();
    await caller.data(
      `mutation { updateLink(id: ${id}, input: { ${input} }) { __typename ... on ValidationError { message } } }`,
    );
  };
  const entries = (page: Page) => page.locator('.history > li');
  const entryWith = (page: Page, text: string) => entries(page).filter({ hasText: text });
  const valuesOf = async (page: Page) =>
    (await page.locator('.history .differences').allInnerTexts()).map((text) => text.split('\n'));
  const restoring = (page: Page) => page.locator('.history').getByRole('button', { name: 'Restore' });

  test('everybody reads what a link was, in words; an editor restores it, and a viewer sees that, without a button', async () => {
    const caller = await newAccount();
    const [space, tag] = [await caller.space('Launch'), await caller.tag('Spring')];
    const { id } = await caller.link({
      title: 'Before',
      url: 'https://example.com/shop/spring?utm_source=mail&id=1',
    });
    await update(caller, id, 'url: "https://example.com/shop/summer?utm_source=mail&id=1"');
    await update(caller, id, `spaceId: "${space}", tagIds: ["${tag}"], title: "After"`);
    await update(
      caller,
      id,
      `targeting: { type: COUNTRY, countries: [{ country: "DE", url: "https://example.com/de" }, { country: "FR", url: "https://example.com/fr" }] }`,
    );
    await update(
      caller,
      id,
      `targeting: { type: COUNTRY, countries: [{ country: "DE", url: "https://example.com/neu" }, { country: "FR", url: "https://example.com/fr" }] }`,
    );
    await update(caller, id, 'targeting: null, disabled: true, expiration: { clicks: 1000 }');
    await update(caller, id, 'password: "sesame-open", privacy: PRIVATE');
    await update(caller, id, 'password: "sesame-again"');
    await caller.data(`mutation { deleteSpace(id: ${space}) { __typename } }`);
    const { page, complaints } = await tabOf(caller, `/links/${id}/history`);
    const viewer = await otherBeside(page, caller, `/links/${id}/history`);
    const all = [
      [`Space: no. ${space} (deleted) → empty`],
      ['Password: changed'],
      ['Password: changed', 'Who sees the statistics: Everybody → Only this account'],
      [
        'Status: Active → Disabled',
        'Expires after clicks: empty → 1,000',
        'Targeting: By country → The same for everybody',
        'Germany: https://example.com/neu → empty',
        'France: https://example.com/fr → empty',
      ],
      ['Germany: https://example.com/de → https://example.com/neu'],
      [
        'Targeting: The same for everybody → By country',
        'Germany: empty → https://example.com/de',
        'France: empty → https://example.com/fr',
      ],
      ['Title: Before → After', `Space: empty → no. ${space} (deleted)`, 'Tags: empty → Spring'],
      [
        'Destination: https://example.com/shop/spring?utm_source=mail&id=1 → https://example.com/shop/summer?utm_source=mail&id=1',
      ],
    ].map((rows) => rows.toSorted());
    const sorted = async (tab: Page) => (await valuesOf(tab)).map((rows) => rows.toSorted());
    await expect.poll(() => sorted(page)).toEqual(all);
    await expect.poll(() => sorted(viewer)).toEqual(all);
    // What differs of an address is marked.
    const url = entryWith(page, '/shop/spring');
    expect(await url.locator('del, ins').allInnerTexts()).toEqual(['spring', 'summer']);
    expect(await page.content()).not.toContain('sesame');
    // A change of a password alone cannot be taken back, nor a creation.
    await expect.poll(() => restoring(page).count()).toBe(7);
    expect(await restoring(viewer).count()).toBe(0);
    tick();
    await url.getByRole('button', { name: 'Restore' }).press('Enter');
    await shown(page.locator('.toast').getByText('Restored.'));
    const read = () => caller.data(`{ link(id: ${id}) { url } }`);
    await expect
      .poll(read)
      .toEqual({ link: { url: 'https://example.com/shop/spring?utm_source=mail&id=1' } });
    await expect.poll(async () => (await valuesOf(viewer)).length).toBe(9);
    await shown(entries(viewer).first().getByText('by Kim'));
    // That is undone in turn.
    tick();
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
    await expect
      .poll(read)
      .toEqual({ link: { url: 'https://example.com/shop/summer?utm_source=mail&id=1' } });
    expect(complaints).toEqual([]);
  });

  test('an entry says why it was not restored: what changed since, and what is taken', async () => {
    const caller = await newAccount();
    const first = `taken-${accounts}`;
    const { id } = await caller.link({ alias: first, title: 'One' });
    await update(caller, id, 'title: "Two"');
    await update(caller, id, `alias: "other-${accounts}"`);
    await update(caller, id, 'title: "Three"');
    await caller.link({ alias: first });
    const { page } = await tabOf(caller, `/links/${id}/history`);
    const refusalIn = async (text: string) => {
      await entryWith(page, text).getByRole('button', { name: 'Restore' }).click();
      return entryWith(page, text).getByRole('alert');
    };
    await shown(
      (await refusalIn('One → Two')).getByText(
        'It was changed again since. Restore newer changes first, or edit it.',
      ),
    );
    await shown((await refusalIn(`${first} →`)).getByText('The alias is already taken on this domain.'));
    // As that says.
    tick();
    await entryWith(page, 'Two → Three').getByRole('button', { name: 'Restore' }).click();
    await expect.poll(() => entries(page).first().innerText()).toContain('Three → Two');
    tick();
    await entryWith(page, 'One → Two').getByRole('button', { name: 'Restore “One”' }).click();
    await expect.poll(() => caller.data(`{ link(id: ${id}) { title } }`)).toEqual({ link: { title: 'One' } });
  });

  test('a deleted link comes back from Activity with its clicks, and says that its statistics do not', async () => {
    const caller = await newAccount();
    const { id, alias } = await caller.link({ title: 'Dear' });
    await visit(server.origin, `/${alias}`);
    await server.flush();
    tick();
    await caller.rest('DELETE', `/links/${id}`);
    const { page } = await tabOf(caller, '/activity');
    const viewer = await otherBeside(page, caller, '/activity');
    const gone = entries(page).first();
    await expect
      .poll(() => gone.locator('.deed').innerText())
      .toMatch(/^Link Dear deleted\nWhat it was\nRestore/);
    await shown(gone.getByText('The number of clicks comes back, the statistics do not.'));
    await gone.getByText('What it was').click();
    await shown(gone.getByText(`Alias: ${alias}`));
    await shown(entryWith(viewer, 'Link Dear deleted').first());
    expect(await restoring(viewer).count()).toBe(0);
    tick();
    await gone.getByRole('button', { name: 'Restore' }).click();
    await shown(page.locator('.toast').getByText('1 link restored, without statistics.'));
    await expect
      .poll(() => caller.data(`{ link(id: ${id}) { title clicks } }`))
      .toEqual({ link: { title: 'Dear', clicks: 1 } });
    await expect
      .poll(() => entries(viewer).first().locator('.deed').innerText())
      .toMatch(/^Link Dear created/);
    await page.getByRole('link', { name: 'Dear' }).first().click();
    await shown(page.getByRole('heading', { name: `s.example/${alias}` }));
  });

  test('the page of a deleted link restores it; a viewer reads what it was, and another account nothing', async () => {
    const [caller, foreign] = [await newAccount(), await newAccount()];
    const { id, alias } = await caller.link({ title: 'Dear', url: 'https://example.com/dear' });
    await update(caller, id, 'title: "Dearest"');
    const { page, complaints } = await tabOf(caller, `/links/${id}`);
    await shown(page.getByRole('heading', { name: `s.example/${alias}` }));
    tick();
    await caller.rest('DELETE', `/links/${id}`);
    await shown(page.getByRole('heading', { name: 'This link was deleted' }));
    const viewer = await otherBeside(page, caller, `/links/${id}/history`);
    const stranger = await otherBeside(page, foreign, `/links/${id}`, 'OWNER');
    await shown(stranger.getByRole('heading', { name: 'There is no such link' }));
    expect(await entries(stranger).count()).toBe(0);
    await stranger.goto(stranger.url().replace(/links.*/, 'activity'));
    await shown(stranger.getByRole('heading', { name: 'Activity' }));
    await stranger.locator('.history, .empty').first().waitFor();
    expect(await stranger.locator('#main').innerText()).not.toContain('Dear');
    await shown(entryWith(viewer, 'Title: Dear → Dearest'));
    await entries(viewer).first().getByText('What it was').click();
    await shown(entries(viewer).first().getByText('Destination: https://example.com/dear'));
    expect(await restoring(viewer).count()).toBe(0);
    // Only its deletion: the record of the change before is gone.
    expect(await restoring(page).count()).toBe(1);
    tick();
    await entries(page).first().getByRole('button', { name: 'Restore' }).press('Enter');
    await shown(page.getByRole('heading', { name: `s.example/${alias}` }));
    await shown(viewer.getByRole('heading', { name: `s.example/${alias}` }));
    expect(await page.getByLabel('Title', { exact: true }).inputValue()).toBe('Dearest');
    expect(await caller.data(`{ link(id: ${id}) { title } }`)).toEqual({ link: { title: 'Dearest' } });
    expect(complaints).toEqual([]);
  });

  test('each Undo tells what it set back itself', async () => {
    const caller = await newAccount();
    const { id } = await caller.link({ title: 'Before', url: 'https://example.com/before' });
    const { page } = await tabOf(caller, `/links/${id}`);
    const save = async (label: string, text: string) => {
      tick();
      await (await shown(page.getByLabel(label, { exact: true }))).fill(text);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Unsaved changes').waitFor({ state: 'hidden' });
    };
    await save('Title', 'After');
    await save('Destination', 'https://example.com/after');
    const saves = page.locator('.saves > li');
    await expect.poll(() => saves.count()).toBe(2);
    // The page has the older link, as on a slow line.
    await page.route('**/graphql', (route) =>
      /query Link\(/.test(route.request().postData() ?? '') ? undefined : route.continue(),
    );
    const undo = (text: string) =>
      saves.filter({ hasText: text }).getByRole('button', { name: 'Undo' }).click();
    tick();
    await undo('Title');
    await shown(page.getByText('Undone. As before again: Title “Before”.'));
    await update(caller, id, 'privacy: PRIVATE');
    tick();
    await undo('Destination');
    await shown(page.getByText('Undone. As before again: Destination “https://example.com/before”.'));
  });

  test('a save, a change of many links and a deletion are undone after the page was loaded again', async () => {
    const caller = await newAccount();
    const { id } = await caller.link({ title: 'Before' });
    const { alias } = await caller.link({ title: 'Second' });
    const { page } = await tabOf(caller, `/links/${id}`);
    tick();
    await (await shown(page.getByLabel('Title', { exact: true }))).fill('After');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Unsaved changes').waitFor({ state: 'hidden' });
    const saves = page.locator('.saves');
    await expect.poll(() => saves.locator('dl').innerText()).toBe('Title\nBefore');
    // The browser has the ids of changes, and no value.
    expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).not.toMatch(
      /Before|After/,
    );
    await page.reload();
    await expect.poll(() => saves.locator('dl').innerText()).toBe('Title\nBefore');
    tick();
    await saves.getByRole('button', { name: 'Undo' }).click();
    await shown(page.getByText('Undone. As before again: Title “Before”.'));
    await saves.waitFor({ state: 'detached' });
    const read = () =>
      caller.data('{ links(orderBy: { field: ID, direction: ASC }) { nodes { title disabled } } }');
    const both = (disabled: boolean) => ({
      links: { nodes: ['Before', 'Second'].map((title) => ({ title, disabled })) },
    });
    await expect.poll(read).toEqual(both(false));

    await follow(page, '/links');
    await page.getByRole('button', { name: 'Select this page' }).click();
    tick();
    await chooseForSelected(page, 'Disable');
    await expect.poll(read).toEqual(both(true));
    await shown(page.locator('.toast').getByText('2 links disabled.'));
    await page.reload();
    tick();
    await page.getByRole('button', { name: 'Undo: 2 links changed: status' }).click();
    await shown(page.locator('.toast').getByText('Undone: 2 links changed: status'));
    await expect.poll(read).toEqual(both(false));

    // A deletion waits, since it takes the statistics; one that was sent as the page was left is undone by restoring.
    await page.getByRole('button', { name: 'Select this page' }).click();
    await chooseForSelected(page, 'Delete');
    await shown(page.getByText('Later, Activity can restore the links, but not their statistics.'));
    await page.getByRole('dialog').getByRole('button', { name: 'Delete 2 links' }).click();
    await rowOf(page, alias).waitFor({ state: 'hidden' });
    await expect.poll(read).toEqual(both(false));
    tick();
    await page.reload();
    await expect.poll(read).toEqual({ links: { nodes: [] } });
    tick();
    await page.getByRole('button', { name: 'Undo: 2 links deleted' }).click();
    await expect.poll(read).toEqual(both(false));
    await rowOf(page, alias).waitFor();
    // Nothing is left for the next person.
    await chooseInAccount(page, 'Sign out');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('Object.keys(sessionStorage)')).toEqual([]);
  });

  test.each([
    ['at once', 40, 'Delete 40 links'],
    ['in parts', 140, 'Delete 140 links'],
  ])(
    'links that the service had no time to delete with the others are deleted then, %s',
    async (_how, count, button) => {
      let deletions = 0;
      // Time stands, so that no service has too little of it because the machine is slow.
      const begun = performance.now();
      let ahead = 0;
      const slow = await startTestServer({
        background: true,
        onStatement(statement) {
          // As if the machine had stood still for two seconds.
          if (/^DELETE FROM \S*[`"]Link[`"]/.test(statement) && ++deletions === 20) ahead += 2_000;
        },
      });
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => begun + ahead);
      try {
        const caller = await slow.caller('slow');
        await manyLinks(slow, count, { accountId: 1 });
        const { page } = await signIn({ server: slow, key: caller.key }, { role: 'EDITOR' });
        await page.getByRole('button', { name: 'Select this page' }).click();
        if (count > 100) await page.getByRole('button', { name: /^Select all/ }).click();
        await chooseForSelected(page, 'Delete');
        await page.evaluate(`(() => {
        const begin = window.setTimeout;
        window.setTimeout = (call, after, ...rest) => {
          if (after === 15_000) window.deleteNow ??= call;
          return begin(call, after, ...rest);
        };
      })()`);
        await page.getByRole('dialog').getByRole('button', { name: button }).click();
        // Up to 100 links wait for Undo.
        if (count <= 100) await page.evaluate('window.deleteNow()');
        await expect
          .poll(() => caller.data('{ links { totalCount } }'))
          .toEqual({ links: { totalCount: 0 } });
        expect(deletions).toBeGreaterThanOrEqual(count);
        expect(ahead).toBe(2_000);
      } finally {
        clock.mockRestore();
        await slow.stop();
      }
    },
  );

  test('a deleted space is undone with its links, and links that were changed together are restored together', async () => {
    const caller = await newAccount();
    const space = await caller.space('Launch');
    const ids = [];
    for (let count = 0; count < 5; count++) ids.push((await caller.link({ space_id: space })).id);
    const { page } = await tabOf(caller, '/spaces');
    const inSpace = () => caller.data('{ spaces { nodes { name links { totalCount } } } }');
    await page.getByRole('button', { name: 'Actions for Launch' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    tick();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await shown(page.locator('.toast').getByText('Launch is deleted.'));
    tick();
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
    await expect.poll(inSpace).toEqual({ spaces: { nodes: [{ name: 'Launch', links: { totalCount: 5 } }] } });
    tick();
    const inputs = ids.map((id, index) => `{ id: ${id}, input: { title: "Title ${index}" } }`).join();
    await caller.data(`mutation { updateLinks(inputs: [${inputs}]) { __typename } }`);
    await follow(page, '/activity');
    const group = entryWith(page, '5 links changed: title');
    await group.locator('summary').click();
    await shown(group.getByText('Title: empty → Title 3'));
    tick();
    await group.getByRole('button', { name: 'Restore all 5' }).click();
    await expect
      .poll(() => caller.data('{ links { nodes { title } } }'))
      .toEqual({ links: { nodes: ids.map(() => ({ title: null })) } });
  });

  test('a long value is cut, and read whole when somebody asks for it', async () => {
    const caller = await newAccount();
    const { id } = await caller.link();
    const long = `https://example.com/${'a'.repeat(1_900)}/end`;
    const rotation = JSON.stringify([long, `${long}/2`]);
    await update(caller, id, `targeting: { type: ROTATION, rotation: ${rotation} }`);
    const { page } = await tabOf(caller, `/links/${id}/history`);
    const entry = entries(page).first();
    await shown(entry.getByText('Targeting: too long for this list'));
    await entry.getByRole('button', { name: 'Show all of it' }).click();
    await expect.poll(() => entry.locator('.differences').innerText()).toContain(`${long}/2`);
  });
});
