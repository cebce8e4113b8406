import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../../src/testing/caller.ts';
import { startTestServer, type TestServer } from '../../../src/testing/server.ts';
import { chromiumPath, closeTabs } from '../../support/browser.ts';
import { type ConsoleOptions, shown, signIn } from '../../support/console.ts';

const FIND =
  'query ($search: String!, $first: Int = 10) { links(first: $first, filter: { search: $search }) { nodes { title } } }';
const CREATE = 'mutation ($input: CreateLinkInput!) { createLink(input: $input) { ... on Link { title } } }';

describe.runIf(chromiumPath)('saved operations in the console, in a browser', () => {
  let server: TestServer;
  let accounts = 0;
  beforeAll(async () => {
    server = await startTestServer({ background: true });
  });
  afterEach(closeTabs);
  afterAll(() => server.stop());

  const newAccount = (): Promise<Caller> => {
    accounts++;
    return server.caller(`account ${accounts}`);
  };
  const tabOf = (caller: Caller, options: ConsoleOptions = {}) =>
    signIn({ server, key: caller.key }, { path: '/operations', ...options });
  const save = (caller: Caller, name: string, document: string, isTool = false) =>
    caller.data(
      'mutation ($input: CreateSavedOperationInput!) { createSavedOperation(input: $input) { __typename } }',
      {
        input: { name, document, isTool, description: `About ${name}` },
      },
    );
  const rowOf = (page: Page, name: string) => page.locator('.record').filter({ hasText: name });
  const choose = async (page: Page, name: string, action: string) => {
    await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };

  test('are made, changed and deleted, with errors at their fields', async () => {
    const { page, complaints } = await tabOf(await newAccount());
    await page.getByRole('button', { name: 'New operation' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Find Links');
    await dialog.getByLabel('GraphQL document').fill('{ nothing }');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await shown(dialog.getByText(/^The name must begin with a small letter/));
    await dialog.getByLabel('Name').fill('search-links');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await shown(dialog.getByText(/^The document cannot be saved: Cannot query field "nothing"/));
    await dialog.getByLabel('GraphQL document').fill(FIND);
    await dialog.getByLabel('Description').fill('Finds links by words');
    await dialog.getByLabel('Agents may use it as a tool').check();
    await dialog.getByRole('button', { name: 'Create' }).click();
    const row = rowOf(page, 'search-links');
    await shown(row.getByText('Finds links by words'));
    await expect.poll(() => row.locator('.badge').allInnerTexts()).toEqual(['Reads', 'Tool']);
    await choose(page, 'search-links', 'Edit');
    await dialog.getByLabel('Description').fill('');
    await dialog.getByLabel('Agents may use it as a tool').uncheck();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => row.locator('.badge').allInnerTexts()).toEqual(['Reads']);
    await choose(page, 'search-links', 'Delete');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await shown(page.getByText('No operations yet'));
    expect(complaints).toEqual([]);
  });

  test('show how to use them, and are tried with variables', async () => {
    const caller = await newAccount();
    await save(caller, 'search-links', FIND, true);
    await save(caller, 'create-link', CREATE);
    await caller.link({ title: 'Launch' });
    const { page, complaints } = await tabOf(caller);
    const row = rowOf(page, 'search-links');
    await row.getByText('Use and try').click();
    const lines = row.locator('.uses code');
    await shown(row.getByText('It takes search: String!, first: Int = 10.'));
    await row.getByLabel('Variables as JSON').fill('{');
    await row.getByRole('button', { name: 'Run', exact: true }).click();
    await shown(row.getByText(/^Enter a JSON object/));
    await row.getByLabel('Variables as JSON').fill('{ "search": "launch" }');
    expect(await lines.allInnerTexts()).toEqual([
      '/api/run/search-links',
      `curl -H "Authorization: Bearer $LINKSPACE_KEY" '${server.origin}/api/run/search-links?search=launch'`,
      `await client.request({ documentId: 'search-links', kind: 'QUERY' }, {"search":"launch"});`,
      'search_links',
    ]);
    await row.getByRole('button', { name: 'Run', exact: true }).click();
    await expect
      .poll(async () => JSON.parse(await row.getByLabel('Answer').inputValue()))
      .toMatchObject({ data: { links: { nodes: [{ title: 'Launch' }] } } });
    const other = rowOf(page, 'create-link');
    await other.getByText('Use and try').click();
    await shown(other.getByText('Running it changes records.'));
    await other
      .getByLabel('Variables as JSON')
      .fill('{ "input": { "url": "https://example.com/", "title": "It\'s" } }');
    await expect
      .poll(async () => (await other.locator('.uses code').allInnerTexts())[1])
      .toContain(`-d '{"input":{"url":"https://example.com/","title":"It'\\''s"}}'`);
    await other.getByRole('button', { name: 'Run', exact: true }).click();
    await expect
      .poll(async () => JSON.parse(await other.getByLabel('Answer').inputValue()))
      .toEqual({ data: { createLink: { title: "It's" } } });
    expect(complaints).toEqual([]);
  });

  test('tell runs and errors, what is broken, and what is deprecated', async () => {
    const caller = await newAccount();
    await save(caller, 'search-links', FIND);
    await save(caller, 'old', '{ viewer { role } }');
    await save(
      caller,
      'aging',
      'mutation ($id: ID!) { deleteSpace(id: $id) { ... on NotFoundError { values { name } } } }',
    );
    const { prisma } = server.database;
    const old = await prisma.savedOperation.findFirstOrThrow({ where: { name: 'old' } });
    await prisma.savedOperation.update({
      where: { id: old.id },
      data: { document: '{ gone }', hash: '0'.repeat(64) },
    });
    await caller.fetch('/api/run/search-links?search=x');
    await caller.fetch('/api/run/search-links');
    await server.flush();
    const { page, complaints } = await tabOf(caller);
    await shown(rowOf(page, 'search-links').getByText('2 runs, 1 error in 30 days'));
    const broken = rowOf(page, 'old');
    await shown(broken.getByText(/^This version of the service cannot run it: .*gone/));
    await expect.poll(() => broken.locator('.badge').allInnerTexts()).toEqual(['Reads', 'Broken']);
    const aging = rowOf(page, 'aging');
    await shown(aging.getByText('It uses what will be removed: NotFoundError.values'));
    await expect.poll(() => aging.locator('.badge').allInnerTexts()).toEqual(['Writes', 'Deprecated']);
    await broken.getByText('Use and try').click();
    await shown(broken.getByLabel('GraphQL document'));
    expect(await broken.getByRole('button', { name: 'Run', exact: true }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('viewers read them, and run what reads', async () => {
    const caller = await newAccount();
    await save(caller, 'search-links', FIND);
    await save(caller, 'create-link', CREATE);
    const { page } = await tabOf(caller, { role: 'VIEWER' });
    await shown(rowOf(page, 'search-links'));
    expect(await page.getByRole('button', { name: 'New operation' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: /^Actions for/ }).count()).toBe(0);
    for (const [name, buttons] of [
      ['search-links', 1],
      ['create-link', 0],
    ] as const) {
      const row = rowOf(page, name);
      await row.getByText('Use and try').click();
      await shown(row.getByLabel('GraphQL document'));
      expect(await row.getByRole('button', { name: 'Run', exact: true }).count()).toBe(buttons);
    }
  });
});
