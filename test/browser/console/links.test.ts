import { readFile } from 'node:fs/promises';
import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../../src/testing/caller.ts';
import { startTestServer, type TestServer } from '../../../src/testing/server.ts';
import { chromiumPath, closeTabs } from '../../support/browser.ts';
import {
  chooseForSelected,
  chooseInAccount,
  closeSheet,
  follow,
  giveSession,
  newUrl,
  openConsole,
  rowOf,
  shown,
  signIn,
  unfold,
} from '../../support/console.ts';

/** The name of the focused element, and of a row its title; `main` and `BODY` have none. */
const focusOf = (page: Page): Promise<string> =>
  page.evaluate(`(({ ariaLabel, labels, id, tagName, innerText }) => ariaLabel?.replace(/, s\\.example.*/, '') ?? labels?.[0]?.innerText
    ?? (id === 'main' ? id : tagName === 'BODY' ? tagName : innerText.trim()))(document.activeElement)`);

describe.runIf(chromiumPath)('the console, in a browser', () => {
  let server: TestServer;
  let accounts = 0;
  beforeAll(async () => {
    server = await startTestServer({ background: true, verifiesDomains: true });
  });
  afterEach(closeTabs);
  afterAll(async () => {
    await server.stop();
  });

  /** A caller of a new account, and a tab where an owner of it is signed in. */
  async function newAccount(): Promise<Caller> {
    accounts++;
    return server.caller(`account ${accounts}`);
  }
  const tabOf = (caller: Caller, path = '/') => signIn({ server, key: caller.key }, { path });

  test('keeps somebody signed in over reloads and addresses, says that the service does not answer, and asks again after they sign out', async () => {
    const caller = await newAccount();
    const { alias } = await caller.link();
    const { page, accountId } = await tabOf(caller);
    await rowOf(page, alias).waitFor();
    await page.route(/\/auth\/|graphql/, (route) => route.abort());
    await page.reload();
    await page.getByText('The service does not answer.').waitFor();
    await page.unroute(/\/auth\/|graphql/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await rowOf(page, alias).waitFor();
    // Nothing that scripts reach is a secret.
    const kept =
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state])';
    await expect.poll(() => page.evaluate(kept)).toBe('[{},{},"",null]');
    // An address without the account, as there were before.
    await page.goto(`${server.origin}/console/spaces?some=query`);
    await shown(page.getByText('No spaces yet'));
    await expect.poll(() => page.url()).toBe(`${server.origin}/console/${accountId}/spaces?some=query`);
    await page.goto(`${server.origin}/nowhere`);
    await page.goBack();
    await shown(page.getByText('No spaces yet'));
    await chooseInAccount(page, 'Sign out');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goBack();
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  test('makes a link from a pasted URL and Enter, copies it over plain HTTP, and finds it by its title, its URL and its short URL', async () => {
    const caller = await newAccount();
    const { page, complaints } = await tabOf(caller);
    await (await newUrl(page)).fill('https://example.com/a/long/path');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Your link is ready' }).waitFor();
    const short = (await page.locator('.short-url').innerText()).trim();
    expect(short).toMatch(/^s\.example\/\w{6}$/);
    await page.locator('.rows .row').waitFor();
    await page.evaluate('delete Navigator.prototype.clipboard');
    await page.locator('.created').getByRole('button', { name: 'Copy' }).click();
    await shown(page.locator('.created').getByText('Copied'));

    await caller.link({ alias: 'other', url: 'https://example.org/elsewhere', title: 'Elsewhere' });
    const rows = page.locator('.row .short');
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByLabel('Search links').fill('else');
    await expect.poll(() => rows.allInnerTexts()).toEqual(['s.example/other']);
    await page.getByLabel('Search links').fill(short.slice(-5));
    await expect.poll(() => rows.allInnerTexts()).toEqual([short]);
    await page.getByLabel('Search links').fill('long');
    await expect.poll(() => rows.allInnerTexts()).toEqual([short]);
    const why = page.locator('.empty p');
    await page.getByLabel('Where to search').selectOption('ALIAS');
    await expect.poll(() => why.innerText()).toContain('Searched only in aliases.');
    await page.getByLabel('Where to search').selectOption('ANYWHERE');
    await page.getByLabel('Status', { exact: true }).selectOption('Disabled');
    await expect.poll(() => why.innerText()).toContain('Searched only links that match the filters');
    await page.getByLabel('Status', { exact: true }).selectOption('');
    await page.getByLabel('Search links').fill('nowhere');
    await expect.poll(() => why.innerText()).toContain('Searched everywhere.');
    await page.getByLabel('Where to search').selectOption('URL');
    await page.getByLabel('Search links').fill('long/path');
    await expect.poll(() => rows.allInnerTexts()).toEqual([short]);
    await expect.poll(() => new URL(page.url()).search).toBe('?search=long%2Fpath&in=url');
    await page.getByLabel('Where to search').selectOption('ANYWHERE');
    const domain = await caller.domain('go.example');
    const { alias } = await caller.link({
      domain_id: domain,
      title: 'On a domain',
      url: 'https://example.net/',
    });
    for (const [pasted, found] of [
      [`https://go.example/${alias}+`, `go.example/${alias}`],
      ['s.example/other?utm_source=mail', 's.example/other'],
      ['/other+', 's.example/other'],
      [`go.example/${alias}`, `go.example/${alias}`],
    ] as const) {
      await page.getByLabel('Search links').fill(pasted);
      await expect.poll(() => rows.allInnerTexts()).toEqual([found]);
    }
    // A path of another host is not an alias.
    await caller.link({ alias: 'p-product', url: 'https://sample.test/' });
    const { alias: inPath } = await caller.link({ url: 'https://sample.test/p/1' });
    await page.getByLabel('Search links').fill('sample.test/p/');
    await expect.poll(() => rows.allInnerTexts()).toEqual([`s.example/${inPath}`]);
    await page.getByLabel('Search links').fill('s.example/p-prod');
    await expect.poll(() => rows.allInnerTexts()).toEqual(['s.example/p-product']);
    await page.getByLabel('Where to search').selectOption('URL');
    await page.getByLabel('Search links').fill('nowhere.example');
    await page.getByText('Choose “everywhere” beside the text.').waitFor();
    await page.getByLabel('Where to search').selectOption('ANYWHERE');
    await page.getByLabel('Search links').fill('example');
    await page.getByLabel('Order').selectOption('Title, A to Z');
    await expect.poll(() => rows.allInnerTexts()).toEqual(['s.example/other', `go.example/${alias}`, short]);
    await page.getByLabel('Order').selectOption('Title, Z to A');
    await expect.poll(() => rows.allInnerTexts()).toEqual([`go.example/${alias}`, 's.example/other', short]);
    await page.getByLabel('Search links').fill(`https://${short}`);
    await page.keyboard.press('Enter');
    await shown(page.getByRole('heading', { name: short }));
    await page.goBack();
    expect(complaints).toEqual([]);
  });

  test('shows the host of a destination first and in ASCII, its user name apart, and isolates what somebody else wrote', async () => {
    const caller = await newAccount();
    const title = 'שלום';
    const links = [
      await caller.link({ url: 'https://paypal.com@evil.example/x', title }),
      await caller.link({ url: 'https://p\u0430ypal.com/' }),
    ];
    const { page } = await tabOf(caller);
    const told = ['evil.example/x User name: paypal.com', 'xn--pypal-4ve.com (p\u0430ypal.com)'];
    for (const [index, { alias, id }] of links.entries()) {
      const row = rowOf(page, alias);
      await row.waitFor();
      await expect
        .poll(() =>
          row
            .locator('.to > :not([aria-hidden])')
            .allTextContents()
            .then((all) => all.join('')),
        )
        .toBe(told[index]);
      await page.goto(page.url().replace(/\/links.*$/, `/links/${id}`));
      await expect.poll(() => page.locator('.head p.cut').textContent()).toContain(told[index]);
      await page.goBack();
    }
    // The rows have `content-visibility: auto`: `innerText` is empty until one is painted.
    await expect
      .poll(() =>
        rowOf(page, links[0]?.alias ?? '')
          .locator('.second bdi')
          .first()
          .textContent(),
      )
      .toBe(title);
  });

  test('offers the link that a destination has already', async () => {
    const caller = await newAccount();
    await caller.link({ alias: 'before', url: 'https://example.com/same' });
    const { page } = await tabOf(caller);
    await (await newUrl(page)).fill('https://example.com/same');
    const offer = page.getByText('You have a link to this destination:').locator('..');
    await expect.poll(() => offer.getByRole('link').innerText()).toBe('s.example/before');
  });

  test('shows errors at their fields, says whether an alias is free, and makes a link with every option', async () => {
    const caller = await newAccount();
    await caller.link({ alias: `taken-${accounts}` });
    const { page, complaints } = await tabOf(caller);
    await newUrl(page);
    await page.getByRole('button', { name: 'Shorten' }).click();
    await page.getByText('Paste a URL first.').waitFor();
    await (await newUrl(page)).fill('nowhere');
    await page.getByLabel('Alias').fill(`taken-${accounts}`);
    await shown(page.getByText('The alias is already taken on this domain.'));
    await page.getByLabel('Alias').fill(`spring-${accounts}`);
    await shown(page.getByText('This alias is free.'));
    await unfold(page);
    await page.getByLabel('After this many clicks').fill('0');
    await page.getByRole('button', { name: 'Shorten' }).first().click();
    await page.locator('#new-url-error').getByText('Begin it with').waitFor();
    await page.locator('.field.wrong', { hasText: 'After this many clicks' }).locator('.error').waitFor();

    await (await newUrl(page)).fill('https://example.com/');
    await page.getByLabel('After this many clicks').fill('100');
    await page.getByLabel('Title', { exact: true }).fill('Spring');
    await page.locator('.new-link').getByRole('combobox', { name: 'Space', exact: true }).fill('Season');
    await page.getByRole('option', { name: 'New space “Season”' }).click();
    const password = page.getByLabel('Password for visitors');
    await password.fill('secret');
    await expect.poll(() => password.getAttribute('type')).toBe('password');
    await page.getByRole('button', { name: 'Show what is typed' }).click();
    await expect.poll(() => password.getAttribute('type')).toBe('text');
    await page.getByLabel('Where visitors go').selectOption('COUNTRY');
    await page.getByRole('combobox', { name: 'Country' }).click();
    // As fast as a browser takes it: all keys before the page renders again.
    await page.evaluate(`for (const key of 'jap') document.execCommand('insertText', false, key)`);
    await page.getByRole('option', { name: 'Japan' }).click();
    await page.locator('.target').getByLabel('Destination', { exact: true }).fill('https://example.com/jp');
    // Its list is closed: the form is not sent.
    await page.getByRole('combobox', { name: 'Country' }).press('Enter');
    await page.getByRole('button', { name: 'Add a destination' }).click();
    await page.getByRole('combobox', { name: 'Country' }).last().fill('Deutschland');
    await shown(page.getByRole('option', { name: 'Germany' }));
    // Japan is listed already.
    await page.getByRole('combobox', { name: 'Country' }).last().fill('JP');
    await shown(page.getByText('Japan is in the list already.'));
    await page.getByRole('combobox', { name: 'Country' }).last().fill('Holland');
    await shown(page.getByRole('option', { name: 'Netherlands' }));
    await page.getByRole('combobox', { name: 'Country' }).last().fill('nowhere');
    await shown(page.getByText('Nothing found'));
    await page.getByRole('button', { name: 'Remove destination 2' }).click();
    await page.getByRole('button', { name: 'Shorten' }).first().click();
    await page.getByText('Your link is ready').waitFor();
    // Beside the new link, and in the list.
    await expect.poll(() => page.getByText('By country: 1 destination', { exact: true }).count()).toBe(2);
    const query = `{ links(first: 1) { nodes {
      alias title hasPassword space { name } expiration { clicks } targeting { type countries { country url } }
    } } }`;
    await expect
      .poll(() => caller.data(query))
      .toEqual({
        links: {
          nodes: [
            {
              alias: `spring-${accounts}`,
              title: 'Spring',
              hasPassword: true,
              space: { name: 'Season' },
              expiration: { clicks: 100 },
              targeting: { type: 'COUNTRY', countries: [{ country: 'JP', url: 'https://example.com/jp' }] },
            },
          ],
        },
      });
    expect(complaints).toEqual([]);
  });

  test('names at its field what was typed and not chosen, and moves there, also where it is hidden', async () => {
    const caller = await newAccount();
    await caller.space('Autumn');
    const { page, complaints } = await tabOf(caller);
    const space = page.locator('.new-link').getByRole('combobox', { name: 'Space', exact: true });
    const lower = page.locator('.panel .buttons.end').getByRole('button', { name: 'Shorten' });
    const errors = () => page.locator('.new-link .error:visible').allInnerTexts();
    await (await newUrl(page)).fill('https://example.com/typed');
    // Each field has a live region before it has an error.
    expect(await page.locator('.form .field:not(:has([aria-live]))').count()).toBe(0);
    // Tab chooses nothing, and neither does Escape; whoever empties the field has no space.
    await space.click();
    await page.getByRole('listbox').getByRole('option', { name: 'Autumn' }).waitFor();
    await page.keyboard.press('Tab');
    await expect.poll(() => space.inputValue()).toBe('');
    await space.fill('Autu');
    await page.keyboard.press('Tab');
    await expect.poll(async () => [await space.inputValue(), await errors()]).toEqual(['Autu', []]);
    await shown(page.getByText('“Autu” is a new space: it is made and used.'));
    await space.fill('autumn');
    await page.keyboard.press('Tab');
    await expect.poll(() => space.inputValue()).toBe('Autumn');
    await space.focus();
    for (let time = 0; time < 2; time++) await page.keyboard.press('Escape');
    await expect.poll(() => space.inputValue()).toBe('Autumn');
    await space.fill('');
    await page.keyboard.press('Tab');
    await expect.poll(async () => [await space.inputValue(), await errors()]).toEqual(['', []]);

    await space.fill('Winter');
    await closeSheet(page);
    await page.reload();
    await page.getByRole('button', { name: 'Continue draft' }).click();
    await shown(page.getByText('You typed this earlier'));
    await unfold(page);
    const type = page.getByLabel('Where visitors go');
    await type.selectOption('PLATFORM');
    const system = page.getByRole('combobox', { name: 'System' });
    await page.locator('.target').getByLabel('Destination', { exact: true }).fill('https://example.com/ios');
    await lower.click();
    await expect.poll(() => focusOf(page)).toBe('System');
    await expect.poll(() => errors()).toEqual(['Choose the system, or remove this line.']);
    // What the service finds wrong is told with it.
    const clicks = page.getByLabel('After this many clicks');
    await (await newUrl(page)).fill('nowhere');
    await clicks.fill('1.5');
    await lower.click();
    await expect.poll(async () => (await errors()).length).toBe(3);
    await (await newUrl(page)).fill('https://example.com/typed');
    await clicks.fill('');
    await system.fill('iphone');
    await page.keyboard.press('Tab');
    await expect.poll(() => system.inputValue()).toBe('iOS');
    await system.fill('BeOS');
    await page.keyboard.press('Tab');
    await lower.click();
    await expect.poll(() => focusOf(page)).toBe('System');
    await expect
      .poll(() => errors())
      .toEqual(['“BeOS” is not chosen. Choose from the list, or clear the field.']);
    await type.selectOption('COUNTRY');
    await page.getByRole('combobox', { name: 'Country' }).fill('japan');
    await page.locator('.target').getByLabel('Destination', { exact: true }).fill('example.com/jp');
    await page.getByRole('button', { name: 'Add a destination' }).click();
    await expect.poll(() => focusOf(page)).toBe('Country');
    await page.keyboard.type('japan');
    await page.locator('.target').nth(1).getByLabel('Destination', { exact: true }).fill('example.com/2');
    // A country is offered once.
    await expect.poll(() => errors()).toEqual(['Japan is in the list already.']);
    await lower.click();
    await expect.poll(() => focusOf(page)).toBe('Country');
    // A list that is left is not sent.
    await type.selectOption('NONE');
    await page.getByLabel('Alias').fill('no?alias');
    await lower.click();
    await expect.poll(() => focusOf(page)).toBe('Alias');
    await expect
      .poll(() => page.evaluate('document.activeElement.getBoundingClientRect().top'))
      .toBeGreaterThan(20);
    // No space was made for a link that was refused.
    await expect.poll(() => caller.data('{ spaces { totalCount } }')).toEqual({ spaces: { totalCount: 1 } });
    await page.getByLabel('Alias').fill('');
    await lower.click();
    await page.getByText('Your link is ready').waitFor();
    await expect.poll(() => focusOf(page)).toBe('Copy');
    await expect
      .poll(() => caller.data('{ links { nodes { space { name } targeting { type } } } }'))
      .toEqual({
        links: { nodes: [{ space: { name: 'Winter' }, targeting: { type: 'NONE' } }] },
      });
    expect(complaints).toEqual([]);
  });

  test('has the focus where somebody goes on', async () => {
    const caller = await newAccount();
    const made = [];
    for (const title of ['C', 'B', 'A']) made.push(await caller.link({ title }));
    const [last, second] = made;
    const { page, complaints } = await tabOf(caller);
    const isAt = (name: string) => expect.poll(() => focusOf(page)).toBe(name);
    const act = async (alias: string | undefined, action: string, within = page.locator('.rows')) => {
      await within.getByRole('button', { name: `Actions for s.example/${alias}` }).click();
      await page.locator('.menu:popover-open').getByRole('menuitem', { name: action }).click();
    };
    const undo = () => page.getByRole('button', { name: 'Undo' }).last().click();
    await rowOf(page, second?.alias ?? '')
      .getByRole('link')
      .first()
      .click();
    await isAt('Destination');
    await closeSheet(page);
    await isAt('B');
    await page.goBack();
    await isAt('Destination');
    const title = page.getByLabel('Title', { exact: true });
    for (const button of ['Discard', 'Save']) {
      await title.fill('B changed');
      await page.getByRole('button', { name: button }).click();
      await page.getByText('Unsaved changes').waitFor({ state: 'hidden' });
      await expect.poll(() => focusOf(page)).toBe('Title');
    }
    await act(second?.alias, 'Delete', page.locator('.panel'));
    await isAt('A');
    await undo();
    await isAt('B changed');
    await act(second?.alias, 'Delete');
    await isAt('C');
    await undo();
    await isAt('B changed');
    await act(last?.alias, 'Delete');
    await isAt('B changed');
    const select = page.getByRole('region', { name: 'Selected links' });
    await rowOf(page, second?.alias ?? '')
      .getByRole('checkbox')
      .click();
    await chooseForSelected(page, 'Disable');
    await page.getByText(/links? disabled\.$/).waitFor();
    await isAt('Actions for Selected links');
    await select.getByRole('button', { name: 'Clear the selection' }).click();
    await select.waitFor({ state: 'hidden' });
    await isAt('B changed');
    await act(second?.alias, 'QR code');
    await page.getByRole('dialog', { name: 'QR code' }).waitFor();
    await page.keyboard.press('Escape');
    await isAt(`Actions for s.example/${second?.alias}`);
    await page.getByRole('link', { name: 'Spaces' }).click();
    await page.getByRole('button', { name: 'New space' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByText('The name may not be empty.').waitFor();
    await isAt('Name');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await isAt('New space');
    expect(complaints).toEqual([]);
  });

  test('keeps what was typed over a reload, without passwords', async () => {
    const caller = await newAccount();
    const { page } = await tabOf(caller);
    await (await newUrl(page)).fill('https://example.com/draft');
    await page.getByLabel('Title', { exact: true }).fill('A draft');
    await unfold(page);
    await page.getByLabel('Password for visitors').fill('hunter2');
    await page.reload();
    await page.getByText('You typed this earlier, and have not created the link yet.').waitFor();
    await expect
      .poll(() => page.getByLabel('Destination of a new link').inputValue())
      .toBe('https://example.com/draft');
    await expect.poll(() => page.getByLabel('Title', { exact: true }).inputValue()).toBe('A draft');
    expect(await page.evaluate('JSON.stringify({ ...localStorage })')).not.toContain('hunter2');
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => page.evaluate('JSON.stringify({ ...localStorage })')).toBe('{}');
  });

  test('has in the history what each change of others was, one after the other, also after a save', async () => {
    const caller = await newAccount();
    const { id } = await caller.link({ alias: `steps-${accounts}`, title: 'Before' });
    const { page } = await tabOf(caller, `/links/${id}`);
    const title = page.getByLabel('Title', { exact: true });
    await title.waitFor();
    for (const next of ['One', 'Two']) {
      server.clock.now = new Date(server.clock.now.getTime() + 1000);
      await caller.rest('PATCH', `/links/${id}`, { title: next });
      await page.locator('.meanwhile').getByText(`Title: Before → ${next}`).waitFor();
      // The log may come before the link.
      await expect.poll(() => title.inputValue()).toBe(next);
    }
    server.clock.now = new Date(server.clock.now.getTime() + 1000);
    await title.fill('Mine');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.getByRole('link', { name: 'History' }).click();
    await expect
      .poll(() => page.locator('.history .differences li').allInnerTexts())
      .toEqual(['Title: Two → Mine', 'Title: One → Two', 'Title: Before → One']);
  });

  test('takes over what another person changed meanwhile, asks about what both changed, and undoes a save', async () => {
    const caller = await newAccount();
    const { id } = await caller.link({ alias: `both-${accounts}`, title: 'Before' });
    const { page } = await tabOf(caller, `/links/${id}`);
    const title = page.getByLabel('Title', { exact: true });
    await unfold(page);
    const limit = page.getByLabel('After this many clicks');
    const theirs = async (given: Record<string, string>) => {
      server.clock.now = new Date(server.clock.now.getTime() + 1000);
      await caller.rest('PATCH', `/links/${id}`, given);
    };
    const conflict = page.getByRole('alert', { name: /^This link was changed by the key .* meanwhile$/ });
    await title.fill('Mine');
    await theirs({ title: 'Theirs', url: 'https://example.com/theirs' });
    // Before anything is saved.
    await shown(conflict);
    const cells = conflict.locator('tbody tr');
    await expect.poll(() => cells.allInnerTexts()).toEqual(['Title\tTheirs\tMine']);
    const saving = page.getByRole('button', { name: 'Save' });
    await expect
      .poll(async () => [await saving.isDisabled(), await page.locator('.save-bar span').innerText()])
      .toEqual([true, 'Choose above what to keep.']);
    await title.press('Enter');
    await expect.poll(() => focusOf(page)).toBe('Keep my changes');
    await page.keyboard.press('Enter');
    // Both are there to look at, before anything is saved.
    await expect.poll(() => focusOf(page)).toBe('Title');
    await expect
      .poll(() => page.getByLabel('Destination', { exact: true }).inputValue())
      .toBe('https://example.com/theirs');
    await saving.click();
    await page.getByText('Saved.').waitFor();
    const read = () => caller.data(`{ link(id: ${id}) { title url expiration { clicks } } }`);
    await expect
      .poll(() => read())
      .toEqual({
        link: { title: 'Mine', url: 'https://example.com/theirs', expiration: { clicks: null } },
      });

    // What was no conflict is told, too, until that is closed.
    const notice = page.locator('.meanwhile');
    const told = () => notice.locator('li').allInnerTexts();
    await expect
      .poll(() => told())
      .toEqual([expect.stringMatching(/^Destination: .* → https:\/\/example.com\/theirs$/)]);
    await notice.getByRole('button', { name: 'Close' }).click();

    // What the form does not show is no conflict.
    await limit.fill('4');
    await theirs({ disabled: '1' });
    await shown(page.locator('.head').getByText('Disabled'));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Unsaved changes').waitFor({ state: 'hidden' });
    await expect.poll(() => read()).toMatchObject({ link: { expiration: { clicks: 4 } } });

    await limit.fill('5');
    await theirs({ title: 'Theirs again' });
    await notice.getByText(/^Changed by the key .*:/).waitFor();
    await expect.poll(() => told()).toEqual(['Title: Mine → Theirs again']);
    // What they changed goes back, and what is typed here stays.
    await notice.getByRole('button', { name: 'Undo' }).click();
    await notice.waitFor({ state: 'detached' });
    await expect.poll(() => title.inputValue()).toBe('Mine');
    await expect
      .poll(async () => [await read(), await limit.inputValue()])
      .toMatchObject([{ link: { title: 'Mine' } }, '5']);
    await title.fill('Mine again');
    await theirs({ title: 'Theirs at last' });
    await (await shown(conflict.getByRole('button', { name: 'Take the other version' }))).click();
    await expect
      .poll(async () => [await title.inputValue(), await limit.inputValue()])
      .toEqual(['Theirs at last', '4']);
    await page.getByText('Unsaved changes').waitFor({ state: 'hidden' });

    const toast = page.locator('.toast');
    for (const after of [{}, { url: 'https://example.com/later' }]) {
      await limit.fill('6');
      await page.getByRole('button', { name: 'Save' }).click();
      await toast.getByText('Saved.').waitFor();
      if (after.url) await theirs(after);
      await toast.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('Undone.').waitFor();
      await expect
        .poll(() => read())
        .toMatchObject({ link: { title: 'Theirs at last', expiration: { clicks: 4 } } });
    }
    await notice.getByRole('button', { name: 'Close' }).click();
    // What they change of it is told.
    await limit.fill('6');
    await page.getByRole('button', { name: 'Save' }).click();
    await toast.getByRole('button', { name: 'Undo' }).waitFor();
    await theirs({ expiration_clicks: '8' });
    await shown(notice.getByText('Expires after clicks: 6 → 8'));
    await expect
      .poll(async () => [await limit.inputValue(), await toast.count(), await page.locator('.saves').count()])
      .toEqual([...['8', 0, 0]]);
    // What was saved here can be had again, in one place.
    await page.locator('.meanwhile').getByRole('button', { name: 'Undo' }).click();
    await toast.getByText('Undone.').waitFor();
    await expect.poll(() => read()).toMatchObject({ link: { expiration: { clicks: 6 } } });
    // Nothing has to be typed or saved for that.
    await theirs({ expiration_clicks: '8', title: 'Theirs while nobody types' });
    await unfold(page);
    await expect
      .poll(told)
      .toEqual(['Title: Theirs at last → Theirs while nobody types', 'Expires after clicks: 6 → 8']);
    await notice.getByRole('button', { name: 'Close' }).click();
    await notice.waitFor({ state: 'detached' });
    await limit.fill('6');
    await page.getByRole('button', { name: 'Save' }).click();
    await toast.getByText('Saved.').waitFor();
    // What nobody else changed since can be taken back later, too.
    const line = page.locator('.saves');
    await shown(line.getByText(/^Saved on .* Before:$/));
    await expect.poll(() => line.locator('dl').innerText()).toBe('Expires after clicks\n8');
    await title.fill('Mine at last');
    server.clock.now = new Date(server.clock.now.getTime() + 1000);
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => line.locator('dd').allInnerTexts()).toEqual(['Theirs while nobody types', '8']);
    // The browser keeps the ids of changes alone.
    const kept = "[{ ...localStorage }, Object.keys(sessionStorage), sessionStorage['linkspace.done']]";
    await expect
      .poll(() => page.evaluate(`JSON.stringify(${kept})`))
      .toMatch(/^\[\{\},\["linkspace.done"\],"(?!.*(Mine|Theirs))/);
    await follow(page, '/spaces');
    await page.getByRole('heading', { name: 'Spaces', level: 1 }).waitFor();
    await theirs({ title: 'Theirs for ever' });
    await follow(page, `/links/${id}`);
    await shown(notice.getByText(/^Changed .*by the key .*:/));
    await expect.poll(() => told()).toEqual(['Title: Mine at last → Theirs for ever']);
    await expect.poll(() => line.locator('dl').innerText()).toBe('Expires after clicks\n8');
    await page.getByRole('link', { name: 'History' }).click();
    await shown(page.getByText('Title: Theirs while nobody types → Mine at last'));
    // The history takes back what others changed, too, and what was taken back.
    const entry = page.locator('li').filter({ has: page.getByText('Title: Mine at last → Theirs for ever') });
    const tick = () => {
      server.clock.now = new Date(server.clock.now.getTime() + 1_000);
    };
    tick();
    await entry.getByRole('button', { name: 'Restore' }).click();
    await expect.poll(read).toMatchObject({ link: { title: 'Mine at last' } });
    const back = page.locator('li').filter({ has: page.getByText('Title: Theirs for ever → Mine at last') });
    tick();
    await back.getByRole('button', { name: 'Restore' }).click();
    await expect.poll(read).toMatchObject({ link: { title: 'Theirs for ever' } });
    await page.getByRole('link', { name: 'Details' }).click();
    await page.locator('.saves').getByRole('button', { name: 'Undo' }).click();
    await expect.poll(read).toMatchObject({
      link: { title: 'Theirs for ever', expiration: { clicks: 8 } },
    });
    // Each change of theirs has its own values in the history.
    await theirs({ url: 'https://example.com/one' });
    await theirs({ title: 'Two' });
    await page.getByRole('link', { name: 'History' }).click();
    const rows = async () => (await page.locator('.history .deed').allInnerTexts()).slice(0, 2);
    await expect
      .poll(rows)
      .toEqual([
        'Changed: title\nTitle: Theirs for ever → Two\nRestore “Theirs for ever”',
        'Changed: destination\nDestination: https://example.com/later → https://example.com/one\nRestore “example.com/later”',
      ]);
    // Who signs out leaves nothing for the next person.
    await chooseInAccount(page, 'Sign out');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await expect.poll(() => page.evaluate('Object.keys(localStorage)')).toEqual([]);
  });

  test('lets a colleague’s change be taken back also after a save, without what is gone, and says which new space an undo leaves', async () => {
    const caller = await newAccount();
    const { id } = await caller.link({ title: 'Before' });
    const { createTag: tag } = await caller.data<{ createTag: { id: string } }>(
      'mutation { createTag(input: { name: "Gone" }) { ... on Tag { id } } }',
    );
    await caller.data(`mutation { updateLink(id: ${id}, input: { tagIds: [${tag.id}] }) { __typename } }`);
    const { page } = await tabOf(caller, `/links/${id}`);
    await (await shown(page.getByRole('combobox', { name: 'Space' }))).fill('Fresh');
    server.clock.now = new Date(server.clock.now.getTime() + 1000);
    await caller.data(`mutation { deleteTag(id: ${tag.id}) { __typename } }`);
    await caller.rest('PATCH', `/links/${id}`, { title: 'Theirs' });
    const notice = page.locator('.meanwhile');
    await shown(notice.getByText('Title'));
    await page.getByRole('button', { name: 'Save' }).click();
    await shown(page.getByText(/^Space of .* saved\.$/).last());
    await expect
      .poll(() => notice.locator('li').allInnerTexts())
      .toEqual([...['Title: Before → Theirs', `Tags: no. ${tag.id} (deleted) → empty`]]);
    // A tag that is gone cannot come back.
    await notice.getByRole('button', { name: 'Undo' }).click();
    await shown(page.getByText(/^Undone\. Remove a tag: one is not there any more/).last());
    await page.locator('.saves').getByRole('button', { name: 'Undo' }).click();
    await shown(
      page
        .getByText(/^Undone\. As before again: .*Space empty\. What was made for it stays: Fresh\.$/)
        .last(),
    );
    await expect
      .poll(() => caller.data(`{ link(id: ${id}) { title space { name } } }`))
      .toEqual({
        link: { title: 'Before', space: null },
      });
  });

  test('deletes a link only if that is not undone', async () => {
    const caller = await newAccount();
    const [kept, gone] = [await caller.link({ title: 'Kept' }), await caller.link({ title: 'Gone' })];
    const { page } = await tabOf(caller);
    const remove = async (alias: string) => {
      await page.getByRole('button', { name: `Actions for s.example/${alias}` }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await rowOf(page, alias).waitFor({ state: 'hidden' });
    };
    await remove(kept.alias);
    await page.getByRole('link', { name: 'Spaces' }).click();
    await shown(page.getByText('No spaces yet'));
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: 'Links', exact: true }).click();
    await rowOf(page, kept.alias).waitFor();
    await remove(gone.alias);
    await expect.poll(() => page.locator('.above-links b').innerText()).toBe('1 link');
    const left = () => caller.data('{ links { nodes { title } } }');
    await expect.poll(() => left()).toEqual({ links: { nodes: [{ title: 'Gone' }, { title: 'Kept' }] } });
    // A closed page does at once what it would do in some seconds.
    await page.close({ runBeforeUnload: true });
    await expect.poll(left).toEqual({ links: { nodes: [{ title: 'Kept' }] } });
  });

  test('shows one message at a time: an error until it is mended or its page is left', async () => {
    const caller = await newAccount();
    const { alias } = await caller.link({ title: 'One' });
    const { page } = await tabOf(caller);
    const toast = page.locator('.toast');
    const shows = (text: RegExp | string) => toast.filter({ hasText: text }).waitFor();
    const choose = async (action: string) => {
      await page.getByRole('button', { name: `Actions for s.example/${alias}` }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    const refuse = () =>
      page.route('**/graphql', (route) =>
        route.request().postData()?.includes('mutation')
          ? route.fulfill({
              json: {
                errors: [{ message: 'The role VIEWER may not do this.', extensions: { code: 'FORBIDDEN' } }],
              },
            })
          : route.continue(),
      );
    await refuse();
    await choose('Disable');
    await shows('The role VIEWER may not do this.');
    await page.unroute('**/graphql');
    await choose('Copy short URL');
    await shows('Copied');
    await expect.poll(() => toast.count()).toBe(1);
    await toast.getByRole('button', { name: 'Close' }).click();
    // What is not mended is shown again, without being read out again.
    await shows('The role VIEWER may not do this.');
    await expect.poll(() => page.locator('.toasts').getAttribute('aria-live')).toBe('off');
    await choose('Disable');
    await shows(`${alias} is disabled.`);
    await page.getByRole('button', { name: 'Undo' }).click();
    await shows('Undone.');
    await expect.poll(() => page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    await rowOf(page, alias).getByText('Disabled').waitFor({ state: 'hidden' });
    await choose('Disable');
    await shows(`${alias} is disabled.`);
    await page.setViewportSize({ width: 390, height: 800 });
    const { height = 99 } = (await page.getByRole('button', { name: 'Undo' }).boundingBox()) ?? {};
    expect(height).toBeLessThan(40);
    await refuse();
    await choose('Enable');
    await shows('The role VIEWER may not do this.');
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Spaces' }).click();
    await toast.waitFor({ state: 'hidden' });
  });

  test('shows in a dialog why its form was not sent', async () => {
    const { page } = await tabOf(await newAccount(), '/spaces');
    await page.getByRole('button', { name: 'New space' }).click();
    await page.route('**/graphql', (route) =>
      route.fulfill({
        json: {
          errors: [{ message: 'The role VIEWER may not do this.', extensions: { code: 'FORBIDDEN' } }],
        },
      }),
    );
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('dialog').getByText('The role VIEWER may not do this.').waitFor();
    expect(await page.locator('.toast').count()).toBe(0);
  });

  test('names each page in its title, and closes the menu of a phone by Escape', async () => {
    const caller = await newAccount();
    const { alias, id } = await caller.link();
    const { page: gate } = await openConsole(server.origin);
    await expect.poll(() => gate.title()).toBe('Sign in · Linkspace');
    const { page } = await tabOf(caller);
    const title = () => page.title();
    await expect.poll(title).toBe('Links · Linkspace');
    for (const [path, name] of [
      ['/spaces', 'Spaces'],
      ['/tags', 'Tags'],
      ['/domains', 'Domains'],
      ['/pixels', 'Pixels'],
      ['/webhooks', 'Webhooks'],
      ['/operations', 'Operations'],
      ['/people', 'People'],
      ['/keys', 'Keys'],
      ['/profile', 'Profile'],
      ['/activity', 'Activity'],
      ['/many', 'Import links'],
      ['/nowhere', 'There is no such page.'],
      [`/links/${id}`, `s.example/${alias}`],
      [`/links/${id}/statistics`, `Statistics · s.example/${alias}`],
      ['/links/999999', 'There is no such link'],
      ['', 'Links'],
    ] as const) {
      await follow(page, path);
      await expect.poll(title).toBe(`${name} · Linkspace`);
    }
    await page.setViewportSize({ width: 390, height: 800 });
    const menu = page.getByRole('button', { name: 'Menu' });
    await menu.click();
    await page.getByRole('link', { name: 'Spaces' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Spaces' }).waitFor({ state: 'hidden' });
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Menu');
  });

  test('follows what other clients create, change and delete, in every tab, by one stream', async () => {
    const caller = await newAccount();
    const { alias, id } = await caller.link({ title: 'First' });
    const { page } = await tabOf(caller);
    const other = await page.context().newPage();
    const streams: string[] = [];
    other.on('request', (request) => {
      // The stream of clicks goes to the other tab whenever the first one watches other links.
      const isOfChanges = !request.postData()?.includes('subscription Clicks');
      if (request.headers().accept === 'text/event-stream' && isOfChanges) streams.push(request.url());
    });
    await other.goto(page.url());
    for (const tab of [page, other]) await rowOf(tab, alias).waitFor();
    const made = await caller.link({ title: 'Second' });
    for (const tab of [page, other]) await shown(rowOf(tab, made.alias));
    await caller.rest('PATCH', `/links/${id}`, { title: 'Renamed' });
    for (const tab of [page, other]) await shown(tab.getByText('Renamed'));
    await caller.rest('DELETE', `/links/${made.id}`);
    for (const tab of [page, other]) await expect.poll(() => rowOf(tab, made.alias).count()).toBe(0);
    // The first tab leads.
    expect(streams).toEqual([]);
    await page.close();
    await expect.poll(() => streams.length).toBe(1);
    const third = await caller.link({ title: 'Third' });
    await shown(rowOf(other, third.alias));
    // Whoever gets no stream hears of changes all the same.
    const last = await page.context().newPage();
    await last.route('**/graphql', (route) =>
      route.request().headers().accept === 'text/event-stream'
        ? route.fulfill({ status: 429 })
        : route.continue(),
    );
    await last.goto(other.url());
    await rowOf(last, third.alias).waitFor();
    await other.close();
    const fourth = await caller.link({ title: 'Fourth' });
    await shown(rowOf(last, fourth.alias));
  });

  test('has filters, order and page in the URL, which Back undoes', async () => {
    const caller = await newAccount();
    const spaceId = await caller.space('Space of some');
    await caller.link({ title: 'In', space_id: spaceId });
    await caller.link({ title: 'Out', disabled: 1 });
    const { page } = await tabOf(caller);
    const titles = page.locator('.row .second b');
    await expect.poll(() => titles.allInnerTexts()).toEqual(['Out', 'In']);
    await page.getByLabel('Status', { exact: true }).selectOption('Disabled');
    await expect.poll(() => titles.allInnerTexts()).toEqual(['Out']);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.locator('.filters').getByLabel('Space').selectOption('Space of some');
    await expect.poll(() => titles.allInnerTexts()).toEqual(['In']);
    await page.getByRole('link', { name: /^s\.example/ }).click();
    await closeSheet(page);
    expect(new URL(page.url()).search).toBe(`?space=${spaceId}`);
    await page.goBack();
    await page.goBack();
    await page.goBack();
    await expect.poll(() => titles.allInnerTexts()).toEqual(['Out', 'In']);
    await page.goBack();
    await expect.poll(() => titles.allInnerTexts()).toEqual(['Out']);
    await page.getByLabel('Order').selectOption('Title, A to Z');
    expect(new URL(page.url()).search).toBe('?status=disabled&order=title');
  });

  test('finds a link of last month by a word of its title, and has the address and the file of that list above it', async () => {
    const caller = await newAccount();
    const now = new Date();
    const monthsAgo = (months: number) => new Date(now.getFullYear(), now.getMonth() - months, 15);
    const lines = [2, 1, 0].map(
      (months) => `https://example.com/,ago-${months},Crème brûlée,${monthsAgo(months).toISOString()}`,
    );
    const text = ['url,alias,title,created_at', ...lines, 'https://example.com/,other,Tea,'].join('\n');
    await caller.data(
      'mutation ($text: String!) { importLinks(text: $text, format: CSV) { results { status } } }',
      { text },
    );
    const { page } = await tabOf(caller, '/?search=creme');
    const rows = page.locator('.row .short');
    await expect.poll(() => rows.count()).toBe(3);
    await page.getByRole('button', { name: /^When created/ }).click();
    await page.getByRole('button', { name: 'Created last month', exact: true }).click();
    await expect.poll(() => rows.allInnerTexts()).toEqual(['s.example/ago-1']);
    await page.evaluate(`navigator.clipboard.writeText = async (text) => { window.copied = text; }`);
    const copy = page.getByRole('button', { name: 'Copy link to this list' });
    await expect
      .poll(async () => (await copy.boundingBox())?.y)
      .toBeLessThan((await rows.boundingBox())?.y ?? 0);
    await copy.click();
    await page.goto(String(await page.evaluate('window.copied')));
    expect(new URL(page.url()).search).toContain('since=last-month&until=last-month');
    await shown(page.getByRole('button', { name: 'When created: Created last month' }));
    await expect.poll(() => rows.allInnerTexts()).toEqual(['s.example/ago-1']);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    const [head, ...saved] = (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
    expect([head, saved.length]).toEqual([
      expect.stringContaining('Short URL,URL,Title,Notes,Space,Tags,Status'),
      1,
    ]);
    await page.getByRole('button', { name: /^When created/ }).click();
    await page.getByLabel('Created from').fill(monthsAgo(2).toISOString().slice(0, 10));
    await expect.poll(() => rows.allInnerTexts()).toEqual(['s.example/ago-1', 's.example/ago-2']);
    for (const [open, name] of [
      ['since=2026-11-10', 'From 10 Nov 2026'],
      ['until=2026-11-10', 'Until 10 Nov 2026'],
    ]) {
      await page.goto(page.url().replace(/\?.*/, `?${open}`));
      await shown(page.getByRole('button', { name: `When created: ${name}` }));
    }
  });

  test('offers no changes to a viewer, and those of an editor to an editor', async () => {
    const caller = await newAccount();
    const { id } = await caller.link({ title: 'To be read' });
    const { page, accountId } = await signIn({ server, key: caller.key }, { role: 'VIEWER' });
    await shown(page.getByText('To be read'));
    await shown(page.getByText('Viewer', { exact: true }));
    expect(await page.getByLabel('Destination of a new link').count()).toBe(0);
    expect(await page.locator('.row input').count()).toBe(0);
    const opener = page.getByRole('button', { name: /^Actions for/ });
    await opener.press('Enter');
    // By keys: in the menu, not among the rows behind it.
    const focused = page.locator('.menu:popover-open > :focus');
    await expect.poll(() => focused.innerText()).toContain('Copy short URL');
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => focused.innerText()).toContain('Visit');
    const actions = () => page.locator('.menu:popover-open > *').allInnerTexts();
    await expect
      .poll(async () => (await actions()).map((text) => text.split('\n')[0]))
      .toEqual(['Copy short URL', 'QR code', 'Details', 'Statistics', 'Public statistics', 'Visit']);
    await page.keyboard.press('Escape');
    await expect.poll(() => opener.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.getByRole('link', { name: /^s\.example/ }).click();
    await page.waitForURL(`${server.origin}/console/${accountId}/links/${id}`);
    await expect
      .poll(async () => (await shown(page.getByLabel('Title', { exact: true }))).isDisabled())
      .toBe(true);
    const offered = async (tab: Page): Promise<string[]> => {
      const creating: string[] = [];
      for (const place of ['Spaces', 'Tags', 'Domains', 'Pixels', 'Webhooks', 'People', 'Keys']) {
        await tab.getByRole('link', { name: place, exact: true }).click();
        await shown(tab.getByRole('heading', { name: place, level: 1 }));
        creating.push(...(await tab.getByRole('button', { name: /^(New|Invite) / }).allInnerTexts()));
      }
      return creating;
    };
    await expect.poll(() => offered(page)).toEqual([]);
    const { page: other } = await signIn({ server, key: caller.key }, { role: 'EDITOR' });
    await expect.poll(() => offered(other)).toEqual(['New space', 'New tag', 'New pixel']);
  });

  const drafts = (page: Page) => page.evaluate('JSON.stringify({ ...localStorage })');

  test('keeps what was typed, and nothing else of a link, for a day after the session has expired', async () => {
    const caller = await newAccount();
    const { id } = await caller.link({ url: 'https://example.com/before', title: 'Before' });
    const { page, userId } = await tabOf(caller, `/links/${id}`);
    await page.getByLabel('Title', { exact: true }).fill('Typed');
    await expect.poll(() => drafts(page)).toContain('Typed');
    expect(await drafts(page)).not.toMatch(/example\.com|Before/);
    const { now } = server.clock;
    const after = (hours: number) => {
      server.clock.now = new Date(now.getTime() + hours * 3_600_000);
    };
    after(13);
    // The stream of the tab ends.
    await caller.rest('PATCH', `/links/${id}`, { url: 'https://example.com/after' });
    await shown(page.getByText('Your session is over. It ends after 12 hours without use'));
    await expect.poll(() => drafts(page)).toContain('Typed');
    await giveSession(page, server, userId);
    await page.reload();
    await shown(page.getByText('Your changes were kept in this browser.'));
    await expect.poll(() => page.getByLabel('Title', { exact: true }).inputValue()).toBe('Typed');
    await expect
      .poll(() => page.getByLabel('Destination', { exact: true }).inputValue())
      .toBe('https://example.com/after');
    after(13 + 12 + 25);
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await expect.poll(() => drafts(page)).toBe('{}');
    server.clock.now = now;
  });

  test('asks about what others changed while what was typed was kept', async () => {
    const caller = await newAccount();
    const { id } = await caller.link({ title: 'Before' });
    const { page } = await tabOf(caller, `/links/${id}`);
    await page.getByLabel('Title', { exact: true }).fill('Typed');
    await expect.poll(() => drafts(page)).toContain('Typed');
    await page.goto('about:blank');
    server.clock.now = new Date(server.clock.now.getTime() + 1000);
    await caller.rest('PATCH', `/links/${id}`, { title: 'Theirs' });
    await page.goBack();
    const conflict = page.getByRole('alert', { name: /^This link was changed by the key .* meanwhile$/ });
    await shown(conflict);
    await expect.poll(() => conflict.locator('tbody tr').allInnerTexts()).toEqual(['Title\tTheirs\tTyped']);
  });

  test('forgets what was typed when the session is ended elsewhere, and says so', async () => {
    const caller = await newAccount();
    const { page, userId } = await tabOf(caller);
    await (await newUrl(page)).fill('https://example.com/unsaved');
    await expect.poll(() => drafts(page)).toContain('unsaved');
    await server.database.prisma.session.deleteMany({ where: { userId } });
    await shown(page.getByText('Your session is over. It was ended elsewhere'));
    await expect.poll(() => drafts(page)).toBe('{}');
    await giveSession(page, server, userId);
    await page.reload();
    await expect.poll(async () => (await newUrl(page)).inputValue()).toBe('');
  });

  test('forgets what was typed when somebody signs out, and what earlier versions kept', async () => {
    const caller = await newAccount();
    const { page, accountId, userId } = await tabOf(caller);
    const before = { fields: { title: 'Typed', url: 'https://example.com/was' }, updatedAt: '2026' };
    const draft = { ...before, read: { title: 'Before', url: 'https://example.com/was' } };
    await page.evaluate(`(() => {
      localStorage['linkspace.seen.${userId}.${accountId}.1'] = '{"known":{"title":"Seen"}}';
      localStorage['linkspace.draft.${userId}.${accountId}.1'] = ${JSON.stringify(JSON.stringify(draft))};
      localStorage['linkspace.draft.0.${accountId}.1'] = '{"fields":{"title":"Another person"}}';
    })()`);
    await page.reload();
    await page.locator('#main').waitFor();
    await expect.poll(() => drafts(page)).toContain('Typed');
    expect(await drafts(page)).not.toMatch(/example\.com|Before|Seen|Another/);
    await chooseInAccount(page, 'Sign out');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await expect.poll(() => drafts(page)).toBe('{}');
  });

  test('is used by keys alone, which are listed, and can be switched off', async () => {
    const caller = await newAccount();
    const { alias } = await caller.link({ title: 'A row' });
    const { page } = await tabOf(caller);
    await rowOf(page, alias).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('x');
    await page.getByText('1 link selected').waitFor();
    await page.keyboard.press('q');
    await page.getByRole('dialog', { name: 'QR code' }).waitFor();
    await page.keyboard.press('Escape');
    const focused = () => focusOf(page);
    // To the selected links' actions and back, whatever the number of rows between.
    await page.keyboard.press('a');
    await expect.poll(() => focused()).toBe('Copy');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => focused()).toBe('A row');
    await page.keyboard.press('d');
    await page.locator('.row').getByText('Disabled').waitFor();
    await page.keyboard.press('z');
    await page.locator('.row').getByText('Disabled').waitFor({ state: 'hidden' });
    await page.keyboard.press('d');
    await page.locator('.row').getByText('Disabled').waitFor();
    // Tab stops at few of its parts, and letters do the same at each of them.
    const stops = [];
    for (let stop = 0; stop < 3; stop++) {
      await page.keyboard.press('Tab');
      stops.push(await focused());
    }
    const short = `s.example/${alias}`;
    expect(stops).toEqual([`Select ${short}`, short, `Actions for ${short}`]);
    await page.keyboard.press('x');
    await page.getByText('1 link selected').waitFor({ state: 'hidden' });
    // Its menu opens at either end, moves by arrows and letters, and takes the keys that it shows.
    for (const [key, item] of [
      ['ArrowUp', 'Delete'],
      ['ArrowDown', 'Copy short URL'],
      ['ArrowUp', 'Delete'],
      ['Home', 'Copy short URL'],
      ['s', 'Statistics'],
      ['s', 'Select'],
      ['Escape', `Actions for ${short}`],
      ['ArrowDown', 'Copy short URL'],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(focused).toBe(item);
    }
    await page.keyboard.press('d');
    await page.locator('.row').getByText('Disabled').waitFor({ state: 'hidden' });
    await expect.poll(() => focused()).toBe(`Actions for ${short}`);
    await page.keyboard.press('/');
    await page.keyboard.type('n/d');
    const search = page.getByLabel('Search links');
    await expect.poll(() => search.inputValue()).toBe('n/d');
    await expect.poll(() => page.locator('.row').count()).toBe(0);
    await page.keyboard.press('Escape');
    await expect.poll(() => search.inputValue()).toBe('');
    await caller.link({ title: 'A second row' });
    await shown(page.getByText('A second row'));
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => focused()).toBe('A row');
    // A selection grows and shrinks by keys, and Escape drops it.
    const selected = page.getByRole('region', { name: 'Selected links' }).locator('b');
    for (const [key, count] of [
      ['ArrowUp', '2 links selected'],
      ['ArrowUp', '2 links selected'],
      ['ArrowDown', '1 link selected'],
    ] as const) {
      await page.keyboard.press(`Shift+${key}`);
      await expect.poll(() => selected.innerText()).toBe(count);
    }
    await page.keyboard.press('a');
    await page.keyboard.press('Escape');
    await selected.waitFor({ state: 'hidden' });
    await expect.poll(() => focused()).toBe('A row');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => focused()).toBe('Search links');
    await page.keyboard.type('row');
    await page.keyboard.press('Enter');
    await expect.poll(focused).toBe('A second row');
    await page.keyboard.press('e');
    await shown(page.getByRole('region', { name: 'Edit' }));
    await expect
      .poll(() => page.evaluate('document.activeElement.labels?.[0].innerText'))
      .toBe('Destination');
    await page.keyboard.press('Tab');
    await page.getByRole('link', { name: 'History' }).focus();
    await page.keyboard.press('/');
    await expect.poll(focused).toBe('Search links');
    // The list has its search yet: it is cleared first.
    await page.keyboard.press('Escape');
    await expect.poll(() => search.inputValue()).toBe('');
    // The link closes with the search, a moment after its text is gone.
    await page.getByRole('region', { name: 'Edit' }).waitFor({ state: 'hidden' });
    await page.keyboard.press('Escape');
    await expect.poll(() => focused()).toBe('BODY');
    await page.getByRole('link', { name: 'Spaces' }).click();
    await page.keyboard.press('n');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('new-url');
    await page.getByLabel('Destination of a new link').blur();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByLabel('Use shortcuts').uncheck();
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('manages spaces, domains, pixels and webhooks, shows a secret once, and names the records of the activity', async () => {
    const caller = await newAccount();
    const { page, complaints } = await tabOf(caller, '/spaces');
    const open = async (place: string, button: string) => {
      await page.getByRole('link', { name: place, exact: true }).click();
      await (await shown(page.getByRole('button', { name: button }))).click();
    };
    const press = (name: string) =>
      page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
    await open('Spaces', 'New space');
    await press('Create');
    await page.getByText('The name may not be empty.').waitFor();
    await page.getByLabel('Name').fill('Campaign');
    await page.getByText('Purple').check({ force: true });
    await press('Create');
    await shown(page.getByRole('link', { name: 'Campaign' }));
    // What somebody else makes of it is shown before it is saved.
    await page.getByRole('button', { name: 'Actions for Campaign' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    server.clock.now = new Date(server.clock.now.getTime() + 1000);
    const [space] = (
      await caller.data<{ spaces: { nodes: { id: string }[] } }>('{ spaces { nodes { id } } }')
    ).spaces.nodes;
    await caller.rest('PATCH', `/spaces/${space?.id}`, { name: 'Theirs' });
    await shown(page.getByText('it is now “Theirs”, purple.'));
    await press('Save');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await shown(page.getByRole('link', { name: 'Campaign' }));
    await open('Domains', 'New domain');
    await page.getByLabel('Host').fill(`https://go${accounts}.example/`);
    await press('Add');
    await page.getByRole('link', { name: `go${accounts}.example` }).waitFor();
    await page.getByText(`go${accounts}.example saved.`).waitFor();
    const dns = page.locator('.dns td code');
    await expect
      .poll(async () => (await dns.allInnerTexts()).slice(0, 5))
      .toEqual([
        ...['CNAME', `go${accounts}.example`, 's.example'],
        ...['TXT', `_linkspace.go${accounts}.example`],
      ]);
    await page.getByRole('button', { name: 'Check now' }).click();
    await page.getByText(`has no TXT record _linkspace.go${accounts}.example in DNS yet.`).waitFor();
    const expected = await dns.last().innerText();
    server.dns.set(`_linkspace.go${accounts}.example`, ['something else']);
    await page.getByRole('button', { name: 'Check now' }).click();
    await page.getByText(`the TXT record "something else" in DNS instead of "${expected}"`).waitFor();
    server.dns.set(`_linkspace.go${accounts}.example`, [expected]);
    await page.getByRole('button', { name: 'Check now' }).click();
    await page.getByText('Verified', { exact: true }).waitFor();
    await open('Pixels', 'New pixel');
    await page.getByText('Pixels run without cookies').waitFor();
    await page.getByLabel('Name').fill('Ads');
    await page.getByText('It looks like AW-123456789.').waitFor();
    await page.getByLabel('Network').selectOption('Meta (Facebook)');
    await page.getByLabel('ID', { exact: true }).fill('AW-1');
    await press('Create');
    await page.getByText('The ID must be digits, such as 1234567890.').waitFor();
    await page.getByLabel('Network').selectOption('Google Ads');
    await page.getByText('It looks like AW-123456789.').waitFor();
    await press('Create');
    await page.getByText('Ads saved.').waitFor();
    await page.getByRole('link', { name: 'Ads' }).waitFor();
    await open('Webhooks', 'New webhook');
    await page.getByLabel('URL of the receiver').fill('example.com/hook');
    await page.getByLabel('Tag deleted').uncheck();
    await expect.poll(() => page.getByLabel('All events').isChecked()).toBe(false);
    await page.getByLabel('All events').check();
    await expect.poll(() => page.getByLabel('Tag deleted').isChecked()).toBe(true);
    await press('Create');
    const secret = page.getByRole('dialog', { name: 'The secret of the webhook' });
    await secret.waitFor();
    // A key that is pressed once too often copies, and no click beside it closes it.
    await expect.poll(() => focusOf(page)).toBe('Copy');
    await page.mouse.click(5, 5);
    await expect.poll(() => secret.locator('code').innerText()).toMatch(/^whsec_/);
    await page.keyboard.press('Escape');
    await expect.poll(() => focusOf(page)).toBe('New webhook');
    await page.getByRole('button', { name: 'Actions for https://example.com/hook' }).click();
    await page.getByRole('menuitem', { name: 'New secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click();
    await (await shown(secret)).getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => focusOf(page)).toBe('Actions for https://example.com/hook');
    await page.getByText('Deliveries').click();
    await page.getByText('Nothing was sent in the last 30 days.').waitFor();
    await page.getByText('Deliveries').click();
    await page.getByRole('button', { name: 'Actions for https://example.com/hook' }).click();
    await page.getByRole('menuitem', { name: 'Send a test' }).click();
    const outcome = page.locator('.deliveries .fields', { hasText: 'The host was not found' });
    await shown(outcome);
    const failure = 'Not delivered. The host was not found';
    // In one place: in the list, or above it once that is closed.
    const told = page.locator('body').getByText('The host was not found').filter({ visible: true });
    await expect.poll(() => told.count()).toBe(1);
    // Each test shows its outcome, also where somebody closed the list.
    await page.getByText('Deliveries').click();
    await outcome.waitFor({ state: 'hidden' });
    await page.locator('.records').getByText(failure).waitFor();
    expect(await told.count()).toBe(1);
    await page.getByRole('button', { name: 'Actions for https://example.com/hook' }).click();
    await page.getByRole('menuitem', { name: 'Send a test' }).click();
    await shown(outcome);
    const reason = page.locator('.records').getByText('Disabled by hand: nothing is sent');
    for (const action of ['Disable', 'Enable']) {
      await page.getByRole('button', { name: 'Actions for https://example.com/hook' }).click();
      await page.getByRole('menuitem', { name: action }).click();
      await reason.waitFor({ state: action === 'Disable' ? 'visible' : 'hidden' });
    }
    // Names that could not be read are read again.
    const failsOnce = (route: Route) =>
      route.request().postData()?.includes('ChangedRecords')
        ? route.fulfill({
            json: { data: null, errors: [{ message: 'No', extensions: { code: 'INTERNAL' } }] },
          })
        : route.fallback();
    await page.route('**/graphql', failsOnce, { times: 2 });
    await page.getByRole('link', { name: 'Activity' }).click();
    const names = page.locator('.history b');
    await expect
      .poll(() => names.allInnerTexts())
      .toEqual([
        ...Array(4).fill('example.com/hook'),
        'Ads',
        `go${accounts}.example`,
        `go${accounts}.example`,
        'Campaign',
        'Campaign',
        'Campaign',
      ]);
    await page.getByRole('link', { name: 'Spaces', exact: true }).click();
    await page.getByRole('button', { name: 'Actions for Campaign' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await shown(page.getByText('No spaces yet'));
    await shown(page.getByText('Campaign is deleted.'));
    await expect
      .poll(() => caller.data('{ spaces { totalCount } domains { totalCount } pixels { totalCount } }'))
      .toEqual({
        spaces: { totalCount: 0 },
        domains: { totalCount: 2 },
        pixels: { totalCount: 1 },
      });
    expect(complaints).toEqual([]);
  });

  test('shows statistics, the history, and what a visitor would get', async () => {
    const caller = await newAccount();
    const { id, alias } = await caller.link({ title: 'Visited' });
    const visit = {
      'X-Country': 'JP',
      'User-Agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1',
    };
    const now = server.clock.now;
    const open = (headers: Record<string, string>) =>
      fetch(`${server.origin}/${alias}`, {
        redirect: 'manual',
        headers: { ...visit, 'X-Forwarded-Host': 's.example', ...headers },
      });
    // A month ago and in the week before, by somebody who declines tracking and is no visitor, and today.
    server.clock.now = new Date('2026-10-10T12:00:00Z');
    await open({ DNT: '1' });
    server.clock.now = new Date(now.getTime() - 8 * 86_400_000);
    await open({ DNT: '1' });
    server.clock.now = now;
    for (let count = 0; count < 3; count++) await open({ 'X-Forwarded-For': `192.0.2.${count}` });
    await server.flush();
    const { page, complaints } = await tabOf(caller, `/links/${id}`);
    // `page.clock` would set the clock of all tabs that follow, too.
    await page.evaluate(`Date.now = () => ${server.clock.now.getTime()}`);
    await page.getByRole('link', { name: 'Statistics' }).click();
    await shown(page.getByText('Clicks and visitors'));
    await expect.poll(() => page.locator('.totals dd').first().innerText()).toBe('4');
    const periods = page.getByRole('button', { name: /^Period: / });
    await periods.click();
    await page.getByRole('button', { name: '7 days', exact: true }).click();
    await expect
      .poll(() => page.locator('.totals dd + dd').first().innerText())
      .toMatch(/^\+200%\sso far vs 1$/);
    await page.getByText(/^Compared with: 7\s?–\s?13 Nov 2026$/).waitFor();
    await page.getByText('Show as table').click();
    const newest = page.locator('.scroll tbody tr').first();
    await expect.poll(() => newest.innerText()).toBe('20 Nov (so far)\t3\t3\t0\t13 Nov\t0\t0\t0');
    await expect.poll(() => page.locator('.plot .partial').count()).toBe(2);
    const dayBefore = '19 Nov\t0\t0\t0\t12 Nov\t1\t0\t0';
    const before = page.getByRole('columnheader', { name: 'Clicks in the period before' });
    await before.getByRole('button').click();
    await expect.poll(() => before.getAttribute('aria-sort')).toBe('descending');
    await expect.poll(() => newest.innerText()).toBe(dayBefore);
    await page.getByRole('columnheader', { name: 'Day', exact: true }).getByRole('button').click();
    // Seven and one day before the newest.
    await expect.poll(() => page.locator('.scroll tbody tr:nth-child(2)').innerText()).toBe(dayBefore);
    await page.getByRole('link', { name: 'History' }).click();
    await page.goBack();
    expect(new URL(page.url()).search).toBe('?days=7');
    await periods.click();
    await page.getByLabel('From').fill('2026-11-12');
    await expect.poll(() => new URL(page.url()).search).toBe('?from=2026-11-12&to=2026-11-20');
    await expect.poll(() => page.locator('.totals dd').first().innerText()).toBe('4');
    await page.getByRole('region', { name: 'Countries' }).getByText('Japan').waitFor();
    const [from, to] = [page.getByLabel('From'), page.getByLabel('to', { exact: true })];
    // Keys take effect once the year is whole.
    await from.focus();
    await page.keyboard.type('11012026');
    await expect.poll(() => new URL(page.url()).search).toBe('?from=2026-11-01&to=2026-11-20');
    await to.fill('2026-10-31');
    const wrong = page.locator('.statistics > .wrong');
    await wrong.getByText('“from” may not be after to, which is 2026-10-31.').waitFor();
    await expect
      .poll(async () => [await from.inputValue(), await to.inputValue()])
      .toEqual(['2026-11-01', '2026-10-31']);
    await from.fill('0002-10-12');
    await wrong.getByText('“from” may be at most 10 years before to.').waitFor();
    await page.getByRole('button', { name: 'This month', exact: true }).click();
    // The first click of all was on the 10th.
    await page.getByText(/^1\s?–\s?20 Oct 2026 · Nothing was counted before 10 Oct 2026, so/).waitFor();
    await periods.click();
    await page.getByRole('button', { name: 'Last month', exact: true }).click();
    await page.getByText(/^1\s?–\s?30 Sept 2026: no clicks were counted\.$/).waitFor();
    expect(new URL(page.url()).search).toBe('?days=last-month');
    expect(await periods.innerText()).toBe('Last month');
    await periods.click();
    await from.fill('2026-10-10');
    await to.fill('2026-11-20');
    await page.keyboard.press('Escape');
    const shares = async (title: string) =>
      (await page.getByRole('region', { name: title }).locator('li').allInnerTexts()).map((text) =>
        text.split('\n').join(' '),
      );
    await expect.poll(() => shares('Countries')).toEqual(['Japan 3 60.0%', 'Not recorded 2 40.0%']);
    await page.getByRole('button', { name: 'Destinations', exact: true }).click();
    await expect.poll(() => shares('Destinations')).toEqual(['example.com 5 100.0%']);
    await page.getByRole('link', { name: 'History' }).click();
    await caller.rest('PATCH', `/links/${id}`, { disabled: 1, title: 'Renamed' });
    await caller.rest('PATCH', `/links/${id}`, { disabled: 0 });
    await expect
      .poll(async () => (await page.locator('.deed').allInnerTexts()).map((text) => text.toLowerCase()))
      .toEqual([
        'changed: status\nstatus: disabled → active\nrestore “disabled”',
        'changed: title, status\ntitle: visited → renamed\nstatus: active → disabled\nrestore',
        'created',
      ]);
    await page
      .getByText(/^by the key ls_/)
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'Details' }).click();
    await unfold(page);
    await page.getByLabel('After this many clicks').fill('3');
    await page.getByText('The link has 5 clicks already: this limit ends it at once.').waitFor();
    await page.getByLabel('Expires on').fill('2020-01-01T00:00');
    await page.getByText('This is in the past: the link expires at once.').waitFor();
    await page.getByLabel('Expires on').fill('');
    await page.getByLabel('Expires on').pressSequentially('06122026');
    const halfTime = 'Enter the time as well as the date, or clear both.';
    await page.locator('.hint', { hasText: halfTime }).waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.error', { hasText: halfTime }).waitFor();
    expect(await page.getByText('Saved.').count()).toBe(0);
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText(halfTime).waitFor({ state: 'hidden' });
    await page.getByLabel('Password for visitors').fill('kept');
    await page.getByRole('link', { name: 'Test', exact: true }).click();
    await page.getByText('This test includes your unsaved destinations and rules.').waitFor();
    await page.getByRole('combobox', { name: 'Country' }).fill('Japan');
    await page.getByRole('option', { name: 'Japan' }).click();
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByText('A visitor from Japan with an iPhone in German is redirected to').waitFor();
    const steps = page.locator('.steps li');
    expect((await steps.allInnerTexts()).slice(0, 2)).toEqual(['The link exists.', 'It has no start.']);
    await expect
      .poll(() => page.locator('.deciding').allInnerTexts())
      .toEqual(['It has no destinations by visitor. So the visitor gets the destination of the link.']);
    await page.getByRole('link', { name: 'Back to your changes' }).click();
    await expect.poll(() => page.getByLabel('Password for visitors').inputValue()).toBe('kept');
    await page.getByRole('button', { name: 'Discard' }).click();
    await unfold(page);
    const publicPage = page.getByRole('link', { name: `s.example/${alias}+` });
    await expect.poll(() => publicPage.getAttribute('href')).toBe(`https://s.example/${alias}+`);
    const input = `{ expiration: { at: "2026-12-06T12:00Z" }, privacy: PRIVATE,
      targeting: { type: COUNTRY, countries: [{ country: "JP", url: "https://example.com/jp" }] } }`;
    await caller.data(`mutation { updateLink(id: ${id}, input: ${input}) { __typename } }`);
    await page
      .locator('.head')
      .getByText(/Expires 6 Dec, \d/)
      .waitFor();
    await publicPage.waitFor({ state: 'hidden' });
    await page.getByRole('link', { name: 'Test', exact: true }).click();
    await page.getByRole('combobox', { name: 'Country' }).fill('Japan');
    await page.getByRole('option', { name: 'Japan' }).click();
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByText('The visitor is in Japan, which is listed.').waitFor();
    await page.getByLabel('Date and time').fill('2026-12-08T00:00');
    // What was said of another visit is gone at once.
    await expect.poll(() => page.locator('.deciding').count()).toBe(0);
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByText('It expired at 6 Dec 2026').waitFor();
    await page.getByRole('link', { name: 'All links' }).click();
    await rowOf(page, alias)
      .getByText(/Expires 6 Dec, \d/)
      .waitFor();
    await page.getByRole('button', { name: /^Actions for/ }).click();
    expect(await page.getByRole('menuitem', { name: 'Public statistics' }).count()).toBe(0);
    await page.getByRole('menuitem', { name: 'Statistics' }).click();
    await page.waitForURL(/\/statistics$/);
    await page.getByRole('link', { name: 'All links' }).click();
    await rowOf(page, alias).locator('.second a').click();
    const preview = page.getByRole('complementary', { name: 'Preview' });
    await shown(preview.getByText('Japan: example.com/jp'));
    await preview.getByText(/^All others: /).waitFor();
    await caller.data(
      `mutation { updateLink(id: ${id}, input: { expiration: { clicks: 1 } }) { __typename } }`,
    );
    await shown(preview.locator('.hint').getByText('Otherwise it leads to'));
    await shown(preview.getByText('in German reads that the link has expired'));
    expect(complaints).toEqual([]);
  });
});
