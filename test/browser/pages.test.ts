import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../src/testing/caller.ts';
import { startTestServer, type TestServer } from '../../src/testing/server.ts';
import { APPEARANCES, chromiumPath, closeTabs, faultsFor, openPage } from '../support/browser.ts';
import { addMember, addUser, PASSWORD } from '../support/console.ts';

/** Everything that the browser stores for the origin. */
function kept(page: Page): Promise<string> {
  return page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
}

describe.runIf(chromiumPath)('pages in a browser that can reach only the server', () => {
  let server: TestServer;
  let caller: Caller;
  beforeAll(async () => {
    server = await startTestServer();
    caller = await server.caller();
    await caller.space('A space to be found');
  });
  afterEach(closeTabs);
  afterAll(async () => {
    await server.stop();
  });

  // Pages are opened as rarely as possible, since each takes a second or two to load.
  test('/docs opens from the guides, has the same left edge, and sends operations with the given key, its example of a new link included', async () => {
    const { page, elsewhere } = await openPage(server.origin);
    const leftOf = async (selector: string) => (await page.locator(selector).first().boundingBox())?.x;
    await page.goto(`${server.origin}/docs/guides`);
    const left = await leftOf('.brand');
    await page.getByRole('link', { name: /REST API v1/ }).click();
    await page.getByText('/spaces/{id}').first().waitFor();
    expect([await leftOf('.brand'), await leftOf('h1, h2')]).toEqual([left, left]);
    await page.getByRole('button', { name: 'Authorize' }).click();
    await page.locator('.auth-container input').fill(caller.key);
    await page.locator('.auth-btn-wrapper .authorize').click();
    await page.locator('.btn-done').click();
    await page.locator('#operations-spaces-listSpaces .opblock-summary-control').click();
    await page.locator('#operations-spaces-listSpaces .execute').click();
    await page.locator('.live-responses-table').getByText('A space to be found').waitFor();

    const operation = page.locator('#operations-links-storeLink');
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('.execute').click();
    const answer = operation.locator('.live-responses-table .response-col_description code').first();
    await answer.waitFor();
    expect(JSON.parse(await answer.innerText())).toMatchObject({
      status: 201,
      data: {
        url: 'https://example.com/summer',
        alias: 'summer-sale',
        title: 'Summer sale',
        state: 1,
        has_password: false,
      },
    });
    expect(elsewhere).toEqual([]);
    expect(await kept(page)).not.toContain(caller.key);
  });

  const errorsOf = (page: Page): string[] => {
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) errors.push(message.text());
    });
    return errors;
  };

  const overflowOf = (page: Page) =>
    page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

  async function openGraphiql(page: Page, key: string): Promise<void> {
    await page.getByLabel('Your API key').fill(key);
    await page.getByRole('button', { name: 'Open' }).click();
  }

  test('GraphiQL opens from the guides, asks for the key, reports a wrong one, knows the schema, and runs an example', async () => {
    const { page, elsewhere } = await openPage(server.origin);
    const errors = errorsOf(page);
    await page.goto(`${server.origin}/docs/guides`);
    await page.getByRole('link', { name: /GraphiQL/ }).click();
    await page.getByLabel('Your API key').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    await openGraphiql(page, 'wrong');
    await page.getByText('This key is unknown, revoked or expired.').waitFor();
    // The browser's own messages, since nobody is signed in, and about the key.
    expect(errors.splice(0)).toEqual([expect.stringContaining('401'), expect.stringContaining('401')]);

    await openGraphiql(page, caller.key);
    await page.locator('.graphiql-execute-button').click();
    await page.getByRole('menuitem', { name: 'ListSpaces' }).click();
    await page.locator('.result-window').getByText('A space to be found').waitFor();
    // The editor scrolls to the chosen operation, which is far below.
    const lines = page.locator('.graphiql-query-editor .view-line');
    const chosen = lines.filter({ hasText: /^subscription\sWatchChanges/ });
    expect(await chosen.count()).toBe(0);
    await page.locator('.graphiql-execute-button').click();
    await page.getByRole('menuitem', { name: 'WatchChanges' }).click();
    await chosen.waitFor();
    await page.locator('.graphiql-execute-button').click();
    await page.getByRole('button', { name: 'Change key' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Change key' }).click();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('change');
    await page.locator('.graphiql-execute-button').click();
    await page.getByRole('menuitem', { name: 'WatchChanges' }).click();
    await page.locator('.graphiql-execute-button[aria-label^="Stop"]').waitFor();
    await page.getByRole('button', { name: 'Change key' }).click();
    await openGraphiql(page, (await server.caller('another account')).key);
    // Nothing of the first account goes on or stays visible, and the keyboard is in the editor.
    await page.locator('.graphiql-execute-button:not([aria-label^="Stop"])').waitFor();
    await caller.space('Made after that');
    await expect.poll(() => page.locator('.result-window .view-lines').innerText()).toBe('');
    await page.locator('.graphiql-query-editor .monaco-editor.focused').waitFor();
    await page.locator('.graphiql-execute-button').click();
    await page.getByRole('menuitem', { name: 'WhoAmI' }).click();
    await page.locator('.result-window').getByText('another account').waitFor();
    await page.getByRole('button', { name: 'Change key' }).click();
    await openGraphiql(page, caller.key);
    await page.locator('.graphiql-sidebar button').first().click();
    await page.getByText('All Schema Types').waitFor();
    await page.locator('.graphiql-sidebar button').first().click();
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      // The editor takes its new size later.
      await expect.poll(() => overflowOf(page)).toBe(0);
      for (const part of ['.graphiql-query-editor', '.graphiql-response'])
        await expect.poll(async () => (await page.locator(part).boundingBox())?.width).toBeGreaterThan(300);
      // It lies neither under the editor nor below its header.
      await page.getByRole('button', { name: 'Change key' }).click();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.mouse.move(20, 20);
      await page.mouse.wheel(0, 3_000);
      await expect.poll(() => page.evaluate('scrollY')).toBe(0);
    }
    expect(errors).toEqual([]);
    expect(elsewhere).toEqual([]);
    expect(await kept(page)).not.toContain(caller.key);

    // GraphiQL stores its tabs after half a second.
    await expect.poll(() => kept(page)).toMatch(/title\W+WhoAmI/);
    await expect.poll(() => page.evaluate('JSON.stringify(history.state)')).toBe('null');
    // The key is in the memory of the page alone, and the queries stay.
    await page.reload();
    await openGraphiql(page, caller.key);
    await page.locator('.graphiql-tab').first().waitFor();
    await expect.poll(() => page.locator('.graphiql-tab').allInnerTexts()).toEqual(['WhoAmI']);
    await page.locator('.graphiql-query-editor').getByText('WhoAmI').waitFor();

    // The query of an address comes before the stored tab.
    const asked = encodeURIComponent(
      'query Asked { viewer { account { name } } }\nquery Second { __typename }',
    );
    await page.goto(`${server.origin}/graphql?query=${asked}&operationName=Second`);
    await openGraphiql(page, caller.key);
    await page.locator('.graphiql-tab-active').getByText('Asked').waitFor();
    await page.locator('.graphiql-query-editor').getByText('Asked').waitFor();
    // The editor's shortcut runs the operation that the address names.
    await expect.poll(() => page.evaluate('monaco.editor.getEditors()[0].getPosition().lineNumber')).toBe(2);
    await page.locator('.graphiql-query-editor .monaco-editor.focused').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.locator('.result-window').getByText('__typename').waitFor();
    // GraphiQL may store its tabs once more between the two.
    const tabsAfterClearing = async () => {
      await page.evaluate('localStorage.clear()');
      await page.reload();
      await openGraphiql(page, caller.key);
      await page.locator('.graphiql-query-editor').getByText('Asked').waitFor();
      return page.locator('.graphiql-tab').allInnerTexts();
    };
    await expect.poll(tabsAfterClearing).toEqual(['Asked']);
  });

  test('GraphiQL leads people to sign in, and back, and works for the account that they choose', async () => {
    const { page } = await openPage(server.origin);
    const { user } = await addUser(server, caller.key);
    const other = await server.caller('second account');
    await addMember(server, other.key, user.id);
    const query = encodeURIComponent('{ viewer { user { name } key { id } account { name } } }');
    await page.goto(`${server.origin}/graphql?query=${query}`);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('Email address').fill(user.email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    const answer = page.locator('.result-window');
    const run = async (name: string) => {
      await page.locator('.graphiql-execute-button').click();
      await answer.getByText(`"${name}"`, { exact: false }).waitFor();
    };
    await page.locator('.graphiql-query-editor').getByText('viewer').waitFor();
    await run('owner');
    await answer.getByText('"Kim"').waitFor();
    await page.getByLabel('Account').selectOption('second account');
    await expect.poll(() => answer.locator('.view-lines').innerText()).toBe('');
    await run('second account');
    // A key takes the place of the session, and only here.
    await page.getByRole('button', { name: 'Use a key' }).click();
    await openGraphiql(page, caller.key);
    await run('owner');
    await answer.getByText('"user": null').waitFor();
    await page.getByRole('button', { name: 'Change key' }).click();
    await page.getByRole('button', { name: 'Go on as Kim' }).click();
    await run('second account');
    // Who is a member of no account any more hears so, and is not sent to sign in again.
    await server.database.prisma.membership.deleteMany({ where: { userId: user.id } });
    await page.reload();
    await page.getByText('You are signed in as Kim, who is a member of no account').waitFor();
    expect(await page.getByRole('link', { name: 'Sign in' }).count()).toBe(0);
  });

  test('the guides are searched, and a hit leads to its section', async () => {
    const { page } = await openPage(server.origin);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(`${server.origin}/docs/guides/graphql`);
    expect(asked.filter((path) => path.endsWith('.json'))).toEqual([]);
    await page.getByRole('searchbox').fill('health checks stops');
    await page.getByRole('link', { name: 'Operations: Health checks and stops' }).click();
    await page.waitForURL(`${server.origin}/docs/guides/operations#health-checks-and-stops`);
    await page.getByRole('searchbox').fill('quagga marmoset');
    await page.getByText('0 sections').waitFor();
    expect(await page.locator('#hits li').count()).toBe(0);
  });

  const pages = {
    '/': 'See the statistics of a link',
    '/nowhere': 'We couldn’t find this link',
    '/over': 'This link has expired',
    '/locked': 'Enter the password',
    '/fresh+': 'No clicks in this period',
    '/docs': '/spaces/{id}',
    '/docs/guides': 'schema.graphql',
    '/docs/guides/operations': 'Overview',
    '/graphql': 'Your API key',
  };

  test.each(Object.entries(pages))(
    '%s fits windows of 390 pixels, light, and 1280 pixels, dark, and has no accessibility violations',
    async (path, text) => {
      const records = { over: { expiration_date: '2026-01-01' }, locked: { password: 'x' }, fresh: {} };
      for (const [alias, form] of Object.entries(records))
        await caller.rest('POST', '/links', { url: 'https://example.com/', alias, ...form });
      const { page } = await openPage(server.origin);
      await page.goto(server.origin + path);
      await page.getByText(text).first().waitFor();
      for (const [width, colorScheme] of APPEARANCES) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        expect([width, colorScheme, await faultsFor(page)]).toEqual([width, colorScheme, []]);
        expect([width, await overflowOf(page)]).toEqual([width, 0]);
      }
    },
  );
});
