import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../../src/testing/caller.ts';
import { NOON, startTestServer, type TestServer } from '../../../src/testing/server.ts';
import { chromiumPath, closeTabs } from '../../support/browser.ts';
import { chooseForSelected, newUrl, rowOf, shown, signIn } from '../../support/console.ts';
import { manyLinks } from '../../support/many-links.ts';
import { visit } from '../../support/visit.ts';

const day = NOON.toISOString().slice(0, 10);

describe.runIf(chromiumPath)('tags and the search of everything in the console, in a browser', () => {
  let server: TestServer;
  let accounts = 0;
  beforeAll(async () => {
    server = await startTestServer({ background: true, verifiesDomains: true });
  });
  afterEach(closeTabs);
  afterAll(() => server.stop());

  const newAccount = (): Promise<Caller> => {
    accounts++;
    return server.caller(`account ${accounts}`);
  };
  const tabOf = (caller: Caller, path = '/') => signIn({ server, key: caller.key }, { path });
  const tagged = async (caller: Caller, title: string, ...tags: number[]): Promise<string> =>
    (await caller.link({ title, ...Object.fromEntries(tags.map((id, at) => [`tag_ids[${at}]`, id])) })).alias;
  const titles = (page: Page) => page.locator('.row .second b').allInnerTexts();
  const tagsOf = async (caller: Caller): Promise<unknown> => {
    const { links } = await caller.data<{ links: { nodes: { title: string; tags: { name: string }[] }[] } }>(
      '{ links(orderBy: { field: ID, direction: ASC }) { nodes { title tags { name } } } }',
    );
    return links.nodes.map(({ title, tags }) => `${title}: ${tags.map(({ name }) => name).join(', ')}`);
  };

  test('a new link gets tags, one of them made while somebody types, and shows them as chips', async () => {
    const caller = await newAccount();
    await caller.tag('Spring', 2);
    const { page, complaints } = await tabOf(caller);
    await (await newUrl(page)).fill('https://example.com/');
    const field = page.locator('.new-link').getByRole('combobox', { name: 'Tags', exact: true });
    await field.fill('spr');
    await page.getByRole('listbox').getByRole('option', { name: 'Spring' }).click();
    await field.fill('Summer');
    await page.getByRole('option', { name: 'New tag “Summer”' }).click();
    await page.getByRole('button', { name: 'Remove Summer' }).waitFor();
    await field.fill('Autumn');
    await field.press('Tab');
    await shown(page.getByText('“Autumn” is a new tag: it is made and added.'));
    await page.getByRole('button', { name: 'Shorten' }).first().click();
    await page.getByText('Your link is ready').waitFor();
    const chips = page.locator('.row .tag');
    await expect.poll(() => chips.allInnerTexts()).toEqual(['Autumn', 'Spring', 'Summer']);
    await page.locator('.row .short').click();
    await shown(page.locator('.head .tag').getByText('Summer'));
    await page.getByRole('button', { name: 'Remove Spring' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => page.locator('.head .tag').allInnerTexts()).toEqual(['Autumn', 'Summer']);
    await page.getByRole('link', { name: 'Activity' }).click();
    await shown(page.getByText(/changed: tags$/));
    await shown(page.locator('.history').getByText('Summer', { exact: true }));
    expect(complaints).toEqual([]);
  });

  test('tags are made, renamed, coloured, merged and deleted, with their links and clicks beside them', async () => {
    const caller = await newAccount();
    const ids = [await caller.tag('Mail'), await caller.tag('Newsletter'), await caller.tag('mailing')];
    for (const [index, id] of ids.entries()) await tagged(caller, `Link ${index}`, id);
    const { page, complaints } = await tabOf(caller, '/tags');
    const names = page.locator('.records .tag');
    await expect.poll(() => names.allInnerTexts()).toEqual(['Mail', 'mailing', 'Newsletter']);
    await page.getByRole('button', { name: 'New tag' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Fair');
    await dialog.getByText('Purple').check({ force: true });
    await dialog.getByRole('button', { name: 'Create' }).click();
    await shown(page.locator('.records .tag.c5').getByText('Fair'));
    const choose = async (tag: string, action: string) => {
      await page.getByRole('button', { name: `Actions for ${tag}`, exact: true }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    await choose('Fair', 'Edit');
    await dialog.getByLabel('Name').fill('mail');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await shown(dialog.locator('.error:visible'));
    await dialog.getByLabel('Name').fill('Fairs');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await shown(page.locator('.records .tag').getByText('Fairs'));

    await choose('Mail', 'Merge tags');
    await shown(
      dialog.getByText('Links with one of these tags get “Mail” instead, and these tags are deleted.'),
    );
    await dialog.getByRole('button', { name: 'Merge', exact: true }).click();
    await shown(dialog.getByText('Choose one or more tags.'));
    for (const other of ['Newsletter', 'mailing']) {
      await dialog.getByRole('combobox').fill(other);
      await dialog.getByRole('option', { name: other, exact: true }).click();
    }
    await dialog.getByRole('button', { name: 'Merge 2 tags' }).click();
    await expect.poll(() => names.allInnerTexts()).toEqual(['Fairs', 'Mail']);
    await expect.poll(() => tagsOf(caller)).toEqual(['Link 0: Mail', 'Link 1: Mail', 'Link 2: Mail']);
    await choose('Fairs', 'Delete');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => names.allInnerTexts()).toEqual(['Mail']);
    await page.getByRole('link', { name: 'Mail', exact: true }).click();
    await expect.poll(() => titles(page)).toEqual(['Link 2', 'Link 1', 'Link 0']);
    expect(complaints).toEqual([]);
  });

  // It takes over a second, since the console counts the links that are left every two seconds.
  test('a deletion with many links says how many are done, and goes on if the dialog is closed', async () => {
    const caller = await newAccount();
    const id = await caller.tag('Mail');
    await caller.tag('Fairs');
    const { page, complaints, accountId } = await tabOf(caller, '/tags');
    const links = await manyLinks(server, 1_600, { accountId, tagIds: [id] });
    const { prisma } = server.database;
    const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('deleteTag')) return route.continue();
      held.resolve();
      await released.promise;
      await route.continue();
    });
    const choose = async (tag: string) => {
      await page.getByRole('button', { name: `Actions for ${tag}`, exact: true }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
    };
    await choose('Mail');
    const dialog = page.getByRole('dialog');
    const status = dialog.getByRole('status');
    await expect
      .poll(async () => [await status.innerText(), await status.getAttribute('aria-live')])
      .toEqual(['', 'polite']);
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await shown(status.getByText('0 of 1,600 links done.'));
    await held.promise;
    // As slices of the service do.
    await prisma.linkTag.deleteMany({ where: { tagId: id, linkId: { in: links.slice(0, 1_000) } } });
    await shown(status.getByText('1,000 of 1,600 links done.'));
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    // Another dialog stays open when it is done.
    await choose('Fairs');
    released.resolve();
    await expect.poll(() => page.locator('.records .tag').allInnerTexts()).toEqual(['Fairs']);
    await expect.poll(() => prisma.linkTag.count({ where: { tagId: id } })).toBe(0);
    await shown(page.getByRole('status').getByText('Mail'));
    await expect.poll(() => dialog.getByText('Delete the tag Fairs?').isVisible()).toBe(true);
    expect(complaints).toEqual([]);
  });

  test('a tag has the statistics of its links', async () => {
    const caller = await newAccount();
    const alias = await tagged(caller, 'With a tag', await caller.tag('Launch'));
    await caller.link({ title: 'Without' });
    await visit(server.origin, `/${alias}`, { headers: { 'X-Country': 'DE' } });
    await server.flush();
    const { page } = await tabOf(caller, '/tags');
    const [links, clicks] = ['1 link', '1 click in 30 days'].map((name) =>
      page.getByRole('link', { name, exact: true }),
    );
    for (const one of [links, clicks]) {
      expect((await one?.boundingBox())?.height).toBeGreaterThanOrEqual(24);
      expect(await one?.evaluate((it) => getComputedStyle(it).textDecorationLine)).toBe('none');
    }
    await links?.click();
    await expect.poll(() => titles(page)).toEqual(['With a tag']);
    await page.goBack();
    await clicks?.click();
    await shown(page.getByRole('heading', { name: 'Launch' }));
    await page.goto(`${page.url()}?from=${day}&to=${day}`);
    await expect
      .poll(() => page.locator('#top-links li').allInnerTexts())
      .toEqual([`s.example/${alias} With a tag\n1`]);
    await page.getByRole('link', { name: 'Germany' }).click();
    await shown(page.getByRole('heading', { name: 'Top links · Germany' }));
    await page.getByRole('link', { name: 'Show its links' }).click();
    await expect.poll(() => titles(page)).toEqual(['With a tag']);
  });

  test('a list is filtered by any, all or none of some tags, which are in the address, and removed one by one', async () => {
    const caller = await newAccount();
    const [red, blue] = [await caller.tag('Red', 4), await caller.tag('Blue', 1)];
    await tagged(caller, 'Red', red);
    await tagged(caller, 'Blue', blue);
    await tagged(caller, 'Both', red, blue);
    await caller.link({ title: 'Neither' });
    const { page } = await tabOf(caller);
    await shown(page.getByText('4 links', { exact: true }));
    // What a screen reader says: what is added in regions that tell their changes.
    await page.evaluate(`heard = []; new MutationObserver((changes) => heard.push(...new Set(changes.flatMap(({ target }) =>
      (target.closest ? target : target.parentElement).closest('[role=status]')?.textContent ?? []))))
      .observe(document.body, { subtree: true, childList: true, characterData: true })`);
    const query = () => new URL(page.url()).search;
    await page.locator('.filters').getByLabel('Tags', { exact: true }).selectOption('Red');
    await expect.poll(() => titles(page)).toEqual(['Both', 'Red']);
    await shown(page.getByText('2 links', { exact: true }));
    await page.locator('.filters').getByLabel('Tags', { exact: true }).selectOption('Blue');
    await expect.poll(() => titles(page)).toEqual(['Both', 'Blue', 'Red']);
    await page.getByLabel('Which links').selectOption('With all of these tags');
    await expect.poll(() => titles(page)).toEqual(['Both']);
    await page.getByLabel('Which links').selectOption('With none of these tags');
    await expect.poll(() => titles(page)).toEqual(['Neither']);
    await expect.poll(() => page.evaluate('heard')).toEqual(['2 links', '3 links', '1 link', '1 link']);
    expect(query()).toBe(`?tags=${red}%2C${blue}&tagged=none`);
    await page.reload();
    await expect.poll(() => titles(page)).toEqual(['Neither']);
    await page.getByRole('button', { name: 'Remove Red' }).click();
    await expect.poll(() => titles(page)).toEqual(['Neither', 'Red']);
    await page.goBack();
    await expect.poll(() => titles(page)).toEqual(['Neither']);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await expect.poll(async () => (await titles(page)).length).toBe(4);
    expect(query()).toBe('');
  });

  test('selected links get and lose tags, which is undone for those that had others', async () => {
    const caller = await newAccount();
    const [old, other] = [await caller.tag('Old'), await caller.tag('Other')];
    await tagged(caller, 'One', old);
    await tagged(caller, 'Two', other);
    const three = await caller.link({ title: 'Three' });
    const { page, complaints } = await tabOf(caller);
    const bar = page.getByRole('region', { name: 'Selected links' });
    const begin = () => bar.getByRole('button', { name: 'Tags' }).click();
    await page.getByRole('button', { name: 'Select this page' }).click();
    const dialog = page.getByRole('dialog', { name: 'Tags of 3 links' });
    // A new one is made by the same click.
    await begin();
    const add = await shown(dialog.getByRole('button', { name: 'Add to 3 links' }));
    expect(await add.isDisabled()).toBe(true);
    await dialog.getByRole('combobox').fill('New');
    await dialog.getByRole('button', { name: 'Add to 3 links' }).click();
    await shown(page.locator('.toast').getByText('Tag “New” added to 3 links.'));
    await page.getByRole('button', { name: 'Undo', exact: true }).last().click();
    await shown(page.getByText('Undone: '));
    await begin();
    for (const name of ['Old', 'Other']) {
      await dialog.getByRole('combobox').fill(name);
      await dialog.getByRole('option', { name, exact: true }).click();
    }
    await dialog.getByRole('button', { name: 'Add to 3 links' }).click();
    await shown(page.locator('.toast').getByText('Tags “Old”, “Other” added to 3 links.'));
    await expect
      .poll(() => tagsOf(caller))
      .toEqual(['One: Old, Other', 'Two: Old, Other', 'Three: Old, Other']);
    await page.getByRole('button', { name: 'Undo', exact: true }).last().click();
    await expect.poll(() => tagsOf(caller)).toEqual(['One: Old', 'Two: Other', 'Three: ']);
    await shown(page.getByText('Undone: '));
    await begin();
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await dialog.getByRole('combobox').fill('Old');
    await dialog.getByRole('option', { name: 'Old' }).click();
    await dialog.getByRole('button', { name: 'Remove from 3 links' }).click();
    await shown(page.locator('.toast').getByText('Tag “Old” removed from 1 link.'));
    await expect.poll(() => tagsOf(caller)).toEqual(['One: ', 'Two: Other', 'Three: ']);
    // They end together, which is undone.
    await bar.getByRole('button', { name: 'Expiry' }).click();
    const expiry = page.getByRole('dialog', { name: 'Expiry of 3 links' });
    await expiry.getByRole('button', { name: 'Expire now' }).click();
    await shown(page.locator('.toast').getByText('3 links expired.'));
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await shown(page.locator('.toast').getByText('Undone: 3 links expired.'));
    await bar.getByRole('button', { name: 'Expiry' }).click();
    await expiry.getByLabel('Expires on').fill('2040-01-01T12:00');
    await expiry.getByRole('button', { name: 'Set expiry' }).click();
    await shown(page.locator('.toast').getByText(/^3 links expire on .*2040.* \(\S+\)\.$/));
    const ending = '{ links(filter: { status: ACTIVE }) { nodes { expiration { at } } } }';
    expect(JSON.stringify(await caller.data(ending)).match(/2040-01-01/g)).toHaveLength(3);
    // In the reverse order, long after the message.
    await page.locator('.toast').getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: /^Undo: 3 links expire on/ }).click();
    await expect.poll(async () => JSON.stringify(await caller.data(ending))).not.toContain('2040');
    // The focus is where the next one is undone, also by its key.
    await page.keyboard.press('z');
    await expect.poll(() => tagsOf(caller)).toEqual(['One: Old', 'Two: Other', 'Three: ']);
    await page.locator('.lately').waitFor({ state: 'detached' });
    // Still selected, and moved to a space that is made for them.
    await bar.getByRole('button', { name: 'Move' }).click();
    const move = page.getByRole('dialog').getByRole('button', { name: 'Move 3 links' });
    await expect.poll(() => move.isDisabled()).toBe(true);
    await page.getByRole('dialog').getByRole('combobox', { name: 'Space' }).fill('Spring');
    await move.click();
    await shown(page.locator('.toast').getByText('3 links moved to “Spring”.'));
    await expect.poll(() => page.evaluate('document.activeElement.innerText')).toBe('Move');
    await expect
      .poll(() => caller.data('{ spaces { nodes { name links { totalCount } } } }'))
      .toEqual({
        spaces: { nodes: [{ name: 'Spring', links: { totalCount: 3 } }] },
      });
    // What a change takes out of the list stays selected, and is counted.
    await page.getByLabel('Status', { exact: true }).selectOption('Active');
    await page.getByRole('button', { name: 'Select this page' }).click();
    await chooseForSelected(page, 'Disable');
    await shown(page.getByText('3 links selected, 3 not shown'));
    // What somebody else has changed since stays.
    const update = 'mutation ($id: ID!) { updateLink(id: $id, input: { disabled: false }) { __typename } }';
    await caller.data(update, { id: three.id });
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await shown(page.locator('.toast').getByText('One link was changed since, and stays as it is.'));
    const read = '{ links(filter: { status: DISABLED }) { totalCount } }';
    await expect.poll(() => caller.data(read)).toEqual({ links: { totalCount: 0 } });
    expect(complaints).toEqual([]);
  });

  test('what is done with links is undone in one place, also when its message is gone, and moves no row', async () => {
    const caller = await newAccount();
    const { alias } = await caller.link({ title: 'One' });
    await caller.link({ title: 'Two' });
    const { page } = await tabOf(caller);
    const toast = page.locator('.toast');
    const offers = page.getByRole('button', { name: /^Undo/ });
    const offered = () => offers.evaluateAll((all) => all.map((one) => one.ariaLabel));
    await page.getByRole('button', { name: 'Select this page' }).click();
    const top = async () => (await page.locator('.rows').boundingBox())?.y;
    const before = await top();
    await chooseForSelected(page, 'Disable');
    await shown(toast.getByText('2 links disabled.'));
    expect([await offers.count(), await toast.getByRole('button', { name: 'Undo' }).count()]).toEqual([1, 1]);
    expect(await top()).toBe(before);
    await toast.getByRole('button', { name: 'Close' }).click();
    await expect.poll(offered).toEqual(['Undo: 2 links disabled.']);
    expect(await top()).toBe(before);
    // What is done next is undone first.
    await page.getByRole('region', { name: 'Selected links' }).getByRole('button', { name: 'Clear' }).click();
    await rowOf(page, alias)
      .getByRole('button', { name: /^Actions for/ })
      .click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await shown(toast.getByText(`${alias} is deleted.`));
    expect([await offers.count(), await toast.getByRole('button', { name: 'Undo' }).count()]).toEqual([1, 1]);
    expect(await top()).toBe(before);
    await offers.click();
    await shown(rowOf(page, alias));
    await expect.poll(offered).toEqual(['Undo: 2 links disabled.']);
    await offers.click();
    await shown(toast.getByText('Undone: 2 links disabled.'));
    const read = '{ links(filter: { status: ACTIVE }) { totalCount } }';
    await expect.poll(() => caller.data(read)).toEqual({ links: { totalCount: 2 } });
    await expect.poll(() => offers.count()).toBe(0);
    expect(await top()).toBe(before);
  });

  test('a viewer reads tags, and is offered no change of them', async () => {
    const caller = await newAccount();
    await tagged(caller, 'Tagged', await caller.tag('Only'));
    const { page } = await signIn({ server, key: caller.key }, { path: '/tags', role: 'VIEWER' });
    await shown(page.locator('.records .tag').getByText('Only'));
    expect(await page.getByRole('button', { name: /^(New tag|Actions for)/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Only', exact: true }).click();
    await expect.poll(() => titles(page)).toEqual(['Tagged']);
    await shown(page.getByText('1 link', { exact: true }));
    expect(await page.getByRole('button', { name: 'Select this page' }).count()).toBe(0);
  });

  test('the search looks everywhere at once, whatever the accents, and in titles alone while old links are prepared', async () => {
    const caller = await newAccount();
    const space = await caller.space('Été');
    const { alias } = await caller.link({
      title: 'Größe',
      space_id: space,
      url: 'https://example.org/sizes',
    });
    await tagged(caller, 'Another', await caller.tag('Café'));
    const { page } = await tabOf(caller);
    const search = page.getByLabel('Search links');
    for (const [text, found] of [
      ['cafe', 'Another'],
      ['grosse ete', 'Größe'],
      ['SIZES grö', 'Größe'],
      [`s.example/${alias.slice(0, -1)}`, 'Größe'],
    ] as const) {
      await search.fill(text);
      await expect.poll(() => titles(page)).toEqual([found]);
    }
    const notice = page.getByText('for now, it looks in titles only');
    const isTold = async () => {
      await server.database.prisma.link.updateMany({ where: { title: 'Größe' }, data: { plainKey: null } });
      await search.fill('gr');
      await search.fill('grö');
      return notice.waitFor({ timeout: 5_000 }).then(
        () => true,
        () => false,
      );
    };
    // Once a minute, a job prepares old links: if it does so before the search, the link is made old again.
    await expect.poll(isTold).toBe(true);
    await expect.poll(() => titles(page)).toEqual(['Größe']);
    await server.database.prisma.link.updateMany({ where: { title: 'Größe' }, data: { plainKey: 'grosse' } });
    await search.fill('ete');
    // The rows of the search before are gone only once the new one answers.
    await expect.poll(() => notice.count()).toBe(0);
    await shown(rowOf(page, alias));
    await expect.poll(() => titles(page)).toEqual(['Größe']);
  });
});
