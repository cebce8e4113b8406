// It costs more than three seconds of the processor: only a browser blocks storage.
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../../src/testing/caller.ts';
import { startTestServer, type TestServer } from '../../../src/testing/server.ts';
import { chromiumPath, closeTabs } from '../../support/browser.ts';
import {
  addUser,
  chooseInAccount,
  newUrl,
  openConsole,
  PASSWORD,
  rowOf,
  shown,
  signIn,
} from '../../support/console.ts';

/** Scripts that block a page's storage as browsers do; the last as Firefox without DOM storage. */
const blocks = {
  'throws where it is asked for': `
    const refuse = () => { throw new DOMException('The operation is insecure.', 'SecurityError'); };
    for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get: refuse });
    Object.defineProperty(document, 'cookie', { get: refuse, set: refuse });
    Object.defineProperty(Navigator.prototype, 'locks', { get: () => ({ request: async () => refuse() }) });
    window.BroadcastChannel = class { constructor() { refuse(); } };`,
  'takes nothing': `
    Storage.prototype.setItem = () => { throw new DOMException('Full.', 'QuotaExceededError'); };`,
  'is not there': `
    for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get: () => null });`,
};

const told = (page: Page) => page.getByText('This browser blocks storage for 127.0.0.1');

describe.runIf(chromiumPath)('the console where storage is blocked, in a browser', () => {
  let server: TestServer;
  let caller: Caller;
  beforeAll(async () => {
    server = await startTestServer({ background: true });
    caller = await server.caller('blocked');
  });
  afterEach(closeTabs);
  afterAll(() => server.stop());

  test.each(Object.entries(blocks))('says so, and works without it, where it %s', async (_, script) => {
    const { page, complaints } = await signIn({ server, key: caller.key });
    await page.addInitScript(script);
    await page.reload();
    await shown(told(page));
    await (await newUrl(page)).fill('https://example.com/blocked');
    await page.keyboard.press('Enter');
    await shown(page.getByText('Your link is ready'));
    await chooseInAccount(page, 'Dark');
    await expect.poll(() => page.evaluate('document.documentElement.style.colorScheme')).toBe('dark');
    const { alias } = await caller.link({ title: 'Live all the same' });
    await shown(rowOf(page, alias));
    expect(complaints).toEqual([]);
    await chooseInAccount(page, 'Sign out');
    await shown(page.getByRole('heading', { name: 'Sign in' }));
    await shown(told(page));
  });

  test('says that nobody can sign in where cookies are blocked', async () => {
    const { page } = await openConsole(server.origin);
    await page.addInitScript(`Object.defineProperty(navigator, 'cookieEnabled', { get: () => false });`);
    await page.reload();
    await shown(page.getByText('This browser blocks cookies for 127.0.0.1'));
  });

  test('says so after a sign-in whose cookie did not stay', async () => {
    const { user } = await addUser(server, caller.key);
    const { page } = await openConsole(server.origin);
    await page.route('**/auth/sign-in', async (route) => {
      const response = await route.fetch();
      // The browser of a test keeps it from here, too.
      await page.context().clearCookies();
      const { 'set-cookie': _, ...headers } = response.headers();
      await route.fulfill({ response, headers });
    });
    await page.getByLabel('Email address').fill(user.email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await shown(page.getByText('This browser blocks cookies for 127.0.0.1'));
  });
});
