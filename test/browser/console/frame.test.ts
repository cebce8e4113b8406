import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createWelcome } from '../../../src/domain/access/sign-in.ts';
import { startTestServer, type TestServer } from '../../../src/testing/server.ts';
import { chromiumPath, closeTabs, loadAxe } from '../../support/browser.ts';
import {
  addMember,
  chooseInAccount,
  follow,
  openConsole,
  PASSWORD,
  rowOf,
  shown,
  signIn,
} from '../../support/console.ts';
import { halves, pngOf } from '../../support/images.ts';
import type { Caller } from '../../support/server.ts';

const violationsIn = async (page: Page, part: string): Promise<string[]> => {
  await loadAxe(page);
  return page.evaluate(`axe.run('${part}', { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target.join(' ')).join(', ')))`);
};

// Costs more than 3 s of processor time: it starts a browser.
describe.runIf(chromiumPath)('the frame of the console, in a browser', () => {
  let server: TestServer;
  let accounts = 0;
  beforeAll(async () => {
    server = await startTestServer({ background: true });
  });
  afterEach(closeTabs);
  afterAll(() => server.stop());

  const newAccount = (): Promise<Caller> => server.caller(`Frame ${accounts++}`);
  const openPalette = async (page: Page, text = '') => {
    await page.keyboard.press('Control+k');
    const field = await shown(page.getByRole('combobox', { name: 'Quick search' }));
    if (text !== '') await field.fill(text);
    return page.locator('.palette [role=option]');
  };

  test('has headings at one height in all views', async () => {
    const caller = await newAccount();
    const { id } = await caller.link({ title: 'Some link' });
    await caller.data('mutation { createSpace(input: { name: "A space" }) { __typename } }');
    const { page } = await signIn({ server, key: caller.key }, { path: '/overview' });
    const paths = [
      ...['/overview', '/links', '/many', `/links/${id}`, '/spaces', '/spaces/1', '/tags'],
      ...['/templates', '/domains', '/pixels', '/webhooks', '/operations', '/people', '/keys', '/activity'],
      ...['/settings', '/profile'],
    ];
    const tops: Record<string, number> = {};
    for (const path of paths) {
      const before = await page.evaluateHandle('document.querySelector("main h1")');
      if (path !== paths[0]) await follow(page, path);
      // The heading of the view before is gone.
      if (path !== paths[0])
        await expect.poll(() => page.evaluate((one) => (one as Element).isConnected, before)).toBe(false);
      // That of a view that is being loaded gives way to the view's own.
      const measure = async () => {
        tops[path] = await page.locator('main h1').evaluate((one) => one.getBoundingClientRect().top);
        return tops[path];
      };
      await expect.poll(measure).toBeGreaterThan(0);
    }
    expect(new Set(Object.values(tops)).size, JSON.stringify(tops)).toBe(1);
  });

  test('has a menu on phones that covers the page, which is out of reach', async () => {
    const caller = await newAccount();
    const { page } = await signIn({ server, key: caller.key }, { path: '/spaces', width: 390 });
    const heading = page.getByRole('heading', { name: 'Spaces', exact: true });
    await shown(heading);
    const open = page.getByRole('button', { name: 'Menu' });
    await open.click();
    await heading.waitFor({ state: 'hidden' });
    const side = await page.locator('.side').boundingBox();
    expect(side).toEqual({ x: 0, y: 0, width: 390, height: 800 });
    await page.keyboard.press('Escape');
    await shown(heading);
    // What the quick search leads to is not under the menu.
    await open.click();
    await page.getByRole('button', { name: 'Quick search' }).click();
    await page.getByRole('combobox').fill('tags');
    await page.keyboard.press('Enter');
    await shown(page.getByRole('heading', { name: 'Tags', exact: true }));
  });

  test('shows the menu and the title of the address until the service answers, and no figures of a new account', async () => {
    const caller = await newAccount();
    const { page } = await signIn({ server, key: caller.key }, { path: '/settings' });
    const held = new Map<string, () => void>();
    const hold = (name: string) =>
      page.route('**/graphql', async (route) => {
        if (route.request().postData()?.includes(`"operationName":"${name}"`))
          await new Promise<void>((go) => held.set(name, go));
        await route.fallback();
      });
    await hold('Viewer');
    await hold('AnyLink');
    await page.goto(page.url().replace('/settings', '/overview'), { waitUntil: 'commit' });
    await shown(page.locator('.ahead h1').filter({ hasText: 'Overview' }));
    await shown(page.locator('.ahead nav a[aria-current]').filter({ hasText: 'Overview' }));
    await expect.poll(() => held.has('Viewer')).toBe(true);
    held.get('Viewer')?.();
    await expect.poll(() => held.has('AnyLink')).toBe(true);
    await shown(page.locator('.statistics > .skeleton'));
    expect(await page.locator('.totals').isVisible()).toBe(false);
    held.get('AnyLink')?.();
    await shown(page.getByRole('region', { name: 'Get started' }));
    await page.unrouteAll({ behavior: 'wait' });
  });

  test('keeps the page where it is under the quick search and a dialog, and shows the end of its menu', async () => {
    const caller = await newAccount();
    const { page } = await signIn({ server, key: caller.key });
    await page.setViewportSize({ width: 1280, height: 500 });
    await page.evaluate("document.body.style.minHeight = '300vh'");
    const wheel = async (height: number) => {
      await page.mouse.move(20, 480);
      await page.mouse.wheel(0, height);
    };
    for (const [index, [key, name]] of [
      ['Control+k', 'Quick search'],
      ['?', 'Keyboard shortcuts'],
    ].entries()) {
      await page.keyboard.press(key ?? '');
      const dialog = await shown(page.getByRole('dialog', { name }));
      await wheel(200);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      // The page would have both.
      await wheel(50);
      await expect.poll(() => page.evaluate('scrollY')).toBe(50 * (index + 1));
    }
    const foot = await page.locator('.drawer footer').boundingBox();
    expect((foot?.y ?? 500) + (foot?.height ?? 0)).toBeLessThan(500);
    expect(await page.locator('.side nav').evaluate((one) => one.scrollHeight > one.clientHeight)).toBe(true);
  });

  test('shows the title of a view while its script is loaded, where it stays', async () => {
    const caller = await newAccount();
    await caller.link();
    const { page } = await signIn({ server, key: caller.key });
    const held: (() => void)[] = [];
    await page.route(/\/(pixels|overview)-[^/]*\.js/, async (route) => {
      await new Promise<void>((go) => held.push(go));
      await route.fallback();
    });
    const topOf = async (one: Locator) => (await (await shown(one.first())).boundingBox())?.y ?? 0;
    for (const [path, name, first] of [
      ['/pixels', 'Pixels', '.empty'],
      ['/overview', 'Overview', '.statistics'],
    ] as const) {
      await follow(page, path);
      const heading = page.locator('main h1').getByText(name, { exact: true });
      const tops = [await topOf(heading), await topOf(page.locator('main .skeleton, main .filters'))];
      await expect.poll(() => held.length).toBeGreaterThan(0);
      const before = await heading.elementHandle();
      for (const go of held.splice(0)) go();
      await expect.poll(() => before?.evaluate((one) => one.isConnected)).toBe(false);
      expect([await topOf(heading), await topOf(page.locator(`main :is(${first})`))]).toEqual(tops);
    }
    await page.unrouteAll({ behavior: 'wait' });
  });

  test('has groups of views, and a menu of the account, by keys alone', async () => {
    const caller = await newAccount();
    const { page, userId } = await signIn({ server, key: caller.key });
    const second = await newAccount();
    const secondId = await addMember(server, second.key, userId, 'VIEWER');
    await page.reload();
    const groups = page.getByRole('navigation', { name: 'Places' }).getByRole('group');
    await expect
      .poll(() => groups.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label'))))
      .toEqual(['Overview', 'Organise', 'Channels', 'Team', 'Settings']);
    const account = page.locator('.account');
    await expect.poll(() => account.innerText()).toMatch(/^F\d\s+Frame \d+\s+Kim\s+·\s+Owner$/);
    await account.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Escape');
    // The keys that follow are for the menu, however fast they come.
    const first = await account.evaluate((button) => {
      button.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true }));
      return document.activeElement?.getAttribute('role');
    });
    expect(first).toBe('menuitem');
    const names = () => page.locator('.account + .menu > *').allInnerTexts();
    await expect
      .poll(names)
      .toEqual([
        ...[expect.stringMatching(/^Frame/), 'Profile', 'As the system', 'Light', 'Dark'],
        ...['Guides and APIs', 'Sign out'],
      ]);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${server.origin}/console/${secondId}/links`);
    await expect.poll(() => account.innerText()).toContain('Viewer');
    await chooseInAccount(page, 'Profile');
    await page.waitForURL(`${server.origin}/console/${secondId}/profile`);
  });

  test('has a quick search for links, spaces, tags, views and actions, which is loaded by its keys', async () => {
    const caller = await newAccount();
    const { id, alias } = await caller.link({ title: 'Autumn fair', url: 'https://example.com/fair' });
    await caller.data('mutation { createSpace(input: { name: "Autumn" }) { __typename } }');
    const tag = await caller.tag('Autumn too');
    const { page, accountId } = await signIn({ server, key: caller.key }, { path: '/overview' });
    await shown(page.getByRole('button', { name: 'Quick search Ctrl K' }));
    const loaded = () =>
      page.evaluate(
        'performance.getEntriesByType("resource").some(({ name }) => name.includes("/palette-"))',
      );
    expect(await loaded()).toBe(false);
    const options = await openPalette(page, 'autumn');
    expect(await loaded()).toBe(true);
    await expect
      .poll(() => options.allInnerTexts())
      .toEqual(['Autumn', 'Autumn too', `s.example/${alias}\nAutumn fair`]);
    expect(await violationsIn(page, 'dialog[open]')).toEqual([]);
    const active = () => page.locator('[role=option][aria-selected=true]').innerText();
    await page.keyboard.press('ArrowDown');
    await expect.poll(active).toBe('Autumn too');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${server.origin}/console/${accountId}/links?tags=${tag}`);
    // By the destination, and with Enter before anything is found.
    await openPalette(page);
    await page.keyboard.type('example.com/fair');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${server.origin}/console/${accountId}/links/${id}`);
    // What was chosen last comes first.
    await openPalette(page);
    await expect.poll(active).toContain('Autumn fair');
    await page.keyboard.press('Escape');
    await openPalette(page, 'webhooks');
    await expect.poll(() => options.allInnerTexts()).toEqual(['Webhooks']);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${server.origin}/console/${accountId}/webhooks`);
    await openPalette(page, 'statistics');
    await expect.poll(() => options.allInnerTexts()).toEqual(['Overview']);
    await page.keyboard.press('Escape');
    await openPalette(page, 'invite');
    await page.keyboard.press('Enter');
    await shown(page.getByRole('dialog', { name: 'Invite somebody' }));
    await page.keyboard.press('Escape');
    await openPalette(page, 'dark');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.documentElement.style.colorScheme')).toBe('dark');
    await openPalette(page, 'make a link');
    await page.keyboard.press('Enter');
    const destination = await shown(page.getByLabel('Destination of a new link'));
    // A URL begins a link to it, on the list and elsewhere.
    for (const url of ['https://example.com/here', 'https://example.com/elsewhere']) {
      await openPalette(page, url);
      await expect.poll(() => options.first().innerText()).toBe(`Shorten\n${url}`);
      await page.keyboard.press('Enter');
      await expect.poll(() => destination.inputValue()).toBe(url);
      await page.getByRole('button', { name: 'Discard' }).click();
      await page.getByRole('link', { name: 'Overview' }).click();
    }
  });

  test('does with the link at hand what its menu does, as the role allows', async () => {
    const caller = await newAccount();
    const { alias, id } = await caller.link({ title: 'At hand' });
    const { page } = await signIn({ server, key: caller.key });
    await rowOf(page, alias).focus();
    const options = await openPalette(page);
    await expect
      .poll(async () => (await options.allInnerTexts()).slice(0, 3))
      .toEqual(['Copy short URL\nc', 'QR code\nq', 'Edit\ne']);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe(`link-${id}`);
    await openPalette(page);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.role')).toBe('combobox');
    const { href } = new URL(page.url());
    // Whatever is there, the scrim above it gets the click.
    await page.getByRole('link', { name: 'Overview' }).click({ force: true });
    await expect.poll(() => page.locator('.palette').count()).toBe(0);
    expect(page.url()).toBe(href);
    await rowOf(page, alias).focus();
    await openPalette(page, 'qr');
    await page.keyboard.press('Enter');
    await shown(page.getByRole('dialog', { name: 'QR code' }));
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe(`link-${id}`);
    // The keys of the search may come before a dialog has told that it closed.
    await openPalette(page, 'qr');
    await page.keyboard.press('Enter');
    await shown(page.getByRole('dialog', { name: 'QR code' }));
    await page.evaluate(`new Promise((told) => {
      const dialog = document.querySelector('dialog[open]');
      dialog.addEventListener('close', () => setTimeout(told));
      dialog.close();
      document.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }));
    })`);
    await shown(page.getByRole('combobox', { name: 'Quick search' }));
    await page.keyboard.press('Escape');
    await openPalette(page, 'archive');
    await page.keyboard.press('Enter');
    await shown(page.getByText(`${alias} is archived.`));
    await follow(page, `/links/${id}`);
    await shown(page.getByRole('heading', { name: `s.example/${alias}` }));
    await openPalette(page, 'duplicate');
    await page.keyboard.press('Enter');
    await shown(page.getByText(/^The copy is /));
    const { page: other } = await signIn(
      { server, key: caller.key },
      { path: `/links/${id}`, role: 'VIEWER' },
    );
    await shown(other.getByRole('heading', { name: `s.example/${alias}` }));
    const ofViewer = await openPalette(other);
    await expect.poll(() => ofViewer.filter({ hasText: 'Details' }).count()).toBe(1);
    const writes = /Archive|Duplicate|Delete|Disable|New link|Import|Invite/;
    expect(await ofViewer.filter({ hasText: writes }).count()).toBe(0);
  });

  test('has settings, whose name and brand owners change and others see', async () => {
    const caller = await newAccount();
    const { page, accountId } = await signIn({ server, key: caller.key }, { path: '/settings' });
    await page.getByLabel('Account name').fill('Lindenhof');
    await page.getByLabel('Name', { exact: true }).fill('Linden');
    await page.getByLabel('Colour', { exact: true }).fill('red');
    await page.getByRole('button', { name: 'Save' }).click();
    await shown(page.getByText('Enter a colour such as #3a4fd8.'));
    await page.getByLabel('Colour', { exact: true }).fill('#0a5f38');
    const logo = page.getByLabel('Logo', { exact: true });
    await logo.setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.alloc(512_001) });
    await shown(page.getByText('This file is no PNG, JPEG or WebP of up to 512 kB. Choose another one.'));
    await logo.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: pngOf(halves()) });
    await page.getByLabel('Help page').fill('https://help.example/');
    await page.getByRole('button', { name: 'Save' }).click();
    await shown(page.getByText('Settings saved'));
    await shown(page.locator('.account').getByText('Lindenhof'));
    const read = async () => {
      const { brandLogo, ...account } = await server.database.prisma.account.findUniqueOrThrow({
        where: { id: accountId },
        select: { title: true, brandLogo: true, brandColour: true, brandName: true, brandHelpUrl: true },
      });
      return { ...account, hasLogo: brandLogo !== null };
    };
    const saved = {
      title: 'Lindenhof',
      brandColour: '#0a5f38',
      brandName: 'Linden',
      brandHelpUrl: 'https://help.example/',
    };
    await expect.poll(read).toEqual({ ...saved, hasLogo: true });
    // The logo as visitors get it.
    await expect
      .poll(() =>
        page
          .locator('.visitor img')
          .first()
          .evaluate((one: HTMLImageElement) => [
            new URL(one.src).pathname.slice(0, 11),
            one.naturalWidth > 0,
          ]),
      )
      .toEqual(['/api/brand/', true]);
    await page.getByRole('button', { name: 'Remove brand' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(read).toEqual({
      title: 'Lindenhof',
      brandColour: null,
      brandName: null,
      brandHelpUrl: null,
      hasLogo: false,
    });
    const { page: other } = await signIn({ server, key: caller.key }, { path: '/settings', role: 'EDITOR' });
    await shown(other.getByText('Only owners can change these settings.'));
    expect(await other.getByLabel('Account name').isDisabled()).toBe(true);
    expect(await other.getByRole('button', { name: 'Save' }).count()).toBe(0);
  });

  test('begins with first steps: a link, to share it, and an invitation', async () => {
    const caller = await newAccount();
    const { page } = await signIn({ server, key: caller.key }, { path: '/overview' });
    const steps = page.getByRole('region', { name: 'Get started' });
    await shown(steps);
    const done = () => steps.locator('li.done h3').allInnerTexts();
    const copy = steps.getByRole('button', { name: 'Copy short URL' });
    expect(await copy.isDisabled()).toBe(true);
    await steps.getByLabel('Destination').fill('nowhere');
    await page.keyboard.press('Enter');
    await shown(steps.getByText(/^The URL must begin with /));
    await steps.getByLabel('Destination').fill('https://example.com/first');
    await page.keyboard.press('Enter');
    await expect.poll(done).toEqual(['Make a link\nDone']);
    await copy.click();
    await expect.poll(done).toEqual(['Make a link\nDone', 'Share it\nDone']);
    await steps.getByRole('link', { name: 'Invite somebody' }).click();
    const dialog = await shown(page.getByRole('dialog', { name: 'Invite somebody' }));
    await dialog.getByLabel('Email address').fill('vic@example.com');
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('link', { name: 'Overview' }).click();
    await expect.poll(done).toEqual(['Make a link\nDone', 'Invite somebody\nDone']);
    expect(await violationsIn(page, 'main')).toEqual([]);
  });

  test('is entered by a form that asks for the name of the account, and leads former addresses on', async () => {
    const owned = await startTestServer({ background: true });
    try {
      await owned.caller('default');
      const token = await createWelcome(owned.database, owned.clock.now);
      const { page } = await openConsole(owned.origin, { path: `/welcome#${token}` });
      await page.getByLabel('Your name').fill('Ana');
      await page.getByLabel('Email address').fill('ana@example.com');
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.getByLabel('Name of the account').fill('Lindenhof');
      await page.getByRole('button', { name: 'Begin' }).click();
      await shown(page.locator('.account').getByText('Lindenhof'));
      const [, id] = /\/console\/(\d+)\/overview$/.exec(page.url()) ?? [];
      for (const path of [
        'links?search=x',
        'links/1/statistics',
        'spaces',
        'spaces/1',
        'people',
        'many',
        'settings',
      ]) {
        await page.goto(`${owned.origin}/console/${path}`);
        await page.waitForURL(`${owned.origin}/console/${id}/${path}`);
      }
    } finally {
      await closeTabs();
      await owned.stop();
    }
  });
});
