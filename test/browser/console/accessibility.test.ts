import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../src/testing/server.ts';
import { APPEARANCES, chromiumPath, closeTabs, loadAxe, settle } from '../../support/browser.ts';
import { follow, newUrl, openConsole, shown, signIn, unfold } from '../../support/console.ts';
import { fillServer } from '../../support/demo.ts';

/** Has the page looked at in each appearance, and leaves it wide. */
async function inEach(page: Page, look: (appearance: string) => Promise<void>): Promise<void> {
  for (const [width, colorScheme] of APPEARANCES) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    await settle(page);
    await look(`${width} ${colorScheme}`);
  }
}

/** The rules that the page breaks, or its part, with what breaks them. */
async function violationsOn(page: Page, part = 'html'): Promise<string[]> {
  await loadAxe(page);
  return page.evaluate(`axe.run('${part}', { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target.join(' ')).join(', ')))`);
}

const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** The parts of the view that reach into its right margin, but for a sheet, and a bar and filters at the edges. */
const inMargin = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const right = (element) => element.getBoundingClientRect().right;
    const main = document.querySelector('main');
    const edge = right(main) - parseFloat(getComputedStyle(main).paddingRight) + 1;
    return [...main.querySelectorAll(':scope > *, :scope > * > *')]
      .filter((element) => right(element) > edge && !element.closest('.panel, .bulk, .filters'))
      .map((element) => element.className || element.tagName);
  })()`);

describe.runIf(chromiumPath)('the views of the console, in a browser', () => {
  let server: TestServer;
  let key: string;
  let link: string;
  /** A deleted link. */
  let gone: number;
  beforeAll(async () => {
    server = await startTestServer({ verifiesDomains: true });
    const { caller } = await fillServer(server, 1, { scale: 0.2, days: 10 });
    ({ key } = caller);
    await caller.domain('go.example');
    await caller.pixel();
    const tags = [await caller.tag('Spring', 2), await caller.tag('A fair in a town with a long name', 3)];
    await caller.data(
      'mutation { createWebhook(input: { url: "https://example.com/hook", events: [LINK_CREATED] }) { __typename } }',
    );
    await caller.data(
      'mutation { createUtmTemplate(input: { name: "Mail", medium: "email", content: "{alias}" }) { __typename } }',
    );
    const operation = {
      ...{ name: 'search-links', description: 'Finds links by words of their titles', isTool: true },
      document:
        'query ($search: String!) {\n  links(first: 2, filter: { search: $search }) { nodes { id title shortUrl url createdAt } }\n}',
    };
    await caller.data(
      'mutation ($input: CreateSavedOperationInput!) { createSavedOperation(input: $input) { __typename } }',
      { input: operation },
    );
    const found = await caller.data<{ linkByShortUrl: { id: string } }>(
      '{ linkByShortUrl(url: "https://s.example/shop") { id } }',
    );
    link = found.linkByShortUrl.id;
    await caller.data(
      'mutation ($id: ID!, $tagIds: [ID!]) { updateLink(id: $id, input: { tagIds: $tagIds }) { __typename } }',
      { id: link, tagIds: tags },
    );
    ({ id: gone } = await caller.link({ title: 'Autumn sale', password: 'sesame' }));
    const long = `https://example.com/${'autumn-'.repeat(150)}`;
    const targeting = `{ type: ROTATION, rotation: ["${long}1", "${long}2"] }`;
    await caller.data(
      `mutation { updateLink(id: ${gone}, input: { url: "https://example.com/autumn?id=2", targeting: ${targeting} }) { __typename } }`,
    );
    await caller.data(`mutation { deleteLink(id: ${gone}) { __typename } }`);
  });
  afterAll(async () => {
    await closeTabs();
    await server.stop();
  });

  /** Every view: its path, what is there when it is complete, and what is opened on it. */
  const views: readonly [path: string, part: string, open?: (page: Page) => Promise<void>][] = [
    ['/', '.row'],
    ['/?search=nothing', '.empty'],
    [
      '/?order=clicks',
      '.form',
      async (page) => {
        await page.locator('.row input').first().check();
        await newUrl(page);
        await unfold(page);
        await page.getByLabel('Where visitors go').selectOption('LANGUAGE');
      },
    ],
    ['/overview', '.dimensions section:last-child .bars li'],
    ['/overview?by=country&value=DE', '#top-links .bars li'],
    ['/spaces/1', '.dimensions section:last-child .bars li'],
    ['/links/ID', '.form'],
    ['/links/ID/statistics', '.dimensions section:last-child .bars li'],
    ['/links/ID/history', '.history li'],
    [
      '/links/GONE',
      '.history > li:nth-child(2) .differences',
      (page) => page.getByRole('button', { name: 'Show all of it' }).last().click(),
    ],
    [
      '/links/ID/test',
      '.steps',
      (page) => page.getByRole('main').getByRole('button', { name: 'Test' }).click(),
    ],
    ['/many', '.lines', (page) => page.getByLabel('Destinations').fill('https://example.com/\nnowhere')],
    ['/spaces', '.records li'],
    ['/tags', '.records li'],
    ['/tags/1', '.statistics .empty, .bars li'],
    ['/?tags=3,4&tagged=all', '.row .tag'],
    ['/domains', '.dns'],
    ['/pixels', '.records li'],
    ['/templates', '.records li'],
    ['/webhooks', '.records li'],
    [
      '/operations',
      '.uses',
      async (page) => {
        await page.getByText('Use and try').click();
        await page.getByRole('button', { name: 'Run', exact: true }).click();
        await shown(page.getByLabel('Answer'));
      },
    ],
    ['/people', '.records li'],
    ['/keys', '.records li'],
    ['/profile', '.settings .records li'],
    ['/activity', '.history li'],
    ['/settings', '.visitor'],
  ];
  /** The pages for those who are not signed in. */
  const gates = [
    ...['sign-in?fault=NO_ROLE', 'welcome#token', 'accept#token', 'forgot', 'reset#token', 'confirm#token'],
  ];
  const dialogs: readonly [path: string, button: string | RegExp][] = [
    ['/links/ID', 'QR code'],
    ['/', 'Keyboard shortcuts'],
    ['/spaces', 'New space'],
    ['/tags', 'New tag'],
    ['/domains', 'New domain'],
    ['/pixels', 'New pixel'],
    ['/templates', 'New template'],
    ['/webhooks', 'New webhook'],
    ['/operations', 'New operation'],
    ['/people', 'Invite somebody'],
    ['/keys', 'New key'],
    ['/profile', 'Change: Kim'],
  ];

  const FITS = 'fits windows of 390 pixels, light, and 1280 pixels, dark, and breaks no rule of axe';

  describe('before somebody signs in', () => {
    let page: Page;
    beforeAll(async () => {
      ({ page } = await openConsole(server.origin));
    });

    test.each(gates)(`%s ${FITS}`, async (path) => {
      await page.goto(`${server.origin}/console/${path}`);
      await shown(page.locator('.gate h1'));
      await inEach(page, async (look) => {
        expect([look, await violationsOn(page)]).toEqual([look, []]);
        expect([look, (await overflowOf(page)) <= 0]).toEqual([look, true]);
      });
    });
  });

  describe('for an owner', () => {
    let page: Page;
    let complaints: string[];
    beforeAll(async () => {
      ({ page, complaints } = await signIn({ server, key }));
    });

    test.each(views)(`%s ${FITS}`, async (path, part, open) => {
      await follow(page, path.replace('ID', link).replace('GONE', String(gone)));
      await shown(page.locator('main h1').first());
      await open?.(page);
      await shown(page.locator(part).first());
      await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
      await inEach(page, async (look) => {
        expect([look, await violationsOn(page)]).toEqual([look, []]);
        expect([look, (await overflowOf(page)) <= 0]).toEqual([look, true]);
        expect([look, await inMargin(page)]).toEqual([look, []]);
      });
    });

    test('the filters are in one line', async () => {
      await follow(page, '/links?status=active&space=none&order=clicks');
      await page.getByRole('button', { name: 'Clear' }).waitFor();
      const tops = `[...document.querySelectorAll('.filters .filter, .filters .button')].map((one) => one.offsetTop + one.offsetHeight / 2)`;
      await expect.poll(() => page.evaluate(`new Set(${tops}.map(Math.round)).size`)).toBe(1);
    });

    test.each(dialogs)('the dialog on %s, %s, breaks no rule of axe', async (path, button) => {
      await follow(page, path.replace('ID', link).replace('GONE', String(gone)));
      await page.getByRole('button', { name: button }).first().click();
      await page.getByRole('dialog').waitFor();
      // Nobody reaches what is behind it.
      await inEach(page, async (look) =>
        expect([look, await violationsOn(page, 'dialog[open]')]).toEqual([look, []]),
      );
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    });

    test('no view has an error or a warning', () => expect(complaints).toEqual([]));
  });
});
