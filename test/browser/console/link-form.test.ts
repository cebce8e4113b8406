import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../src/testing/server.ts';
import { chromiumPath, closeTabs } from '../../support/browser.ts';
import { newUrl, rowOf, shown, signIn, unfold } from '../../support/console.ts';

describe.runIf(chromiumPath)('the form of a link, in a browser', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ verifiesDomains: true });
  });
  afterEach(closeTabs);
  afterAll(() => server.stop());

  test('names rules by their conditions, and then what all others get in turn', async () => {
    const caller = await server.caller('turns');
    const rotation = ['https://example.com/a', 'https://example.com/b'];
    const { id, alias } = await caller.link({ url: 'https://example.com/app' });
    const input = {
      targeting: { type: 'ROTATION', rotation },
      rules: [
        { when: [{ platform: { in: ['IOS'] } }], to: [{ url: 'https://example.com/ios' }] },
        { name: 'Home', when: [{ country: { in: ['DE'] } }], to: [{ url: 'https://example.com/de' }] },
        { when: [{ language: { in: ['fr'] } }], to: [{ url: 'https://example.com/fr' }] },
      ],
    };
    await caller.data(
      'mutation ($id: ID!, $input: UpdateLinkInput!) { updateLink(id: $id, input: $input) { __typename } }',
      { id, input },
    );
    const { page, accountId } = await signIn({ server, key: caller.key });
    // Nobody gets to its own destination.
    await expect.poll(() => rowOf(page, alias).locator('.to').getAttribute('title')).toBe('example.com/a');
    await page.goto(`${server.origin}/console/${accountId}/links/${id}`);
    const lines = page.getByRole('complementary', { name: 'Preview' }).locator('.short-url ~ p');
    await expect
      .poll(() => lines.allInnerTexts())
      .toEqual([
        ...['leads to', 'iOS: example.com/ios', 'Home: example.com/de', 'French: example.com/fr'],
        'All others in turn: example.com/a, example.com/b',
      ]);
  });

  test('has a domain to choose, rows in sight, and dates by their words, and announces the short URL', async () => {
    const caller = await server.caller('form');
    const host = 'go.form.example';
    await caller.data('mutation ($name: String!) { createDomain(input: { name: $name }) { __typename } }', {
      name: host,
    });
    const { page, accountId, complaints } = await signIn({ server, key: caller.key });
    await (await newUrl(page)).fill('lindenhof.example/news/black-week');
    await shown(page.locator('.joined').getByRole('combobox', { name: 'Domain' }));
    const styleOf = (part: string) => `getComputedStyle(document.querySelector('.joined > ${part}'))`;
    expect(await page.evaluate(`${styleOf('select')}.backgroundImage`)).toContain('gradient');
    expect(
      await page.evaluate(`getComputedStyle(document.querySelector('.joined > span'), '::after').content`),
    ).toBe('"/"');
    // A long alias begins a line, and is whole there.
    const alias = 'gewinnspielfruehling';
    await page.getByLabel('Alias').fill(alias);
    const preview = page.getByRole('complementary', { name: 'Preview' });
    await shown(preview.locator('.short-url', { hasText: alias }));
    const pieces = await preview.locator('.short-url').evaluate((line) => {
      const range = document.createRange();
      range.selectNode(line.lastChild ?? line);
      return range.getClientRects().length;
    });
    expect(pieces).toBe(1);

    await unfold(page);
    const simple = page.getByLabel('Where visitors go');
    const tops = [simple, page.getByRole('button', { name: 'Add a rule' })].map((one) => one.boundingBox());
    const [first, second] = await Promise.all(tops);
    expect(first?.y).toBeLessThan(second?.y ?? 0);
    // Where the row that is added comes below the buttons of the form.
    await page.setViewportSize({ width: 1280, height: 500 });
    await simple.evaluate((one) => one.scrollIntoView({ block: 'end' }));
    await simple.selectOption('PLATFORM');
    await shown(page.getByText(/connect it to a verified domain under “Domains”\.$/));
    const row = await page.locator('.target').boundingBox();
    const foot = await page.locator('.new-link .buttons.end').boundingBox();
    expect((row?.y ?? 0) + (row?.height ?? 0)).toBeLessThanOrEqual(foot?.y ?? 0);
    await simple.selectOption('NONE');
    await page.setViewportSize({ width: 1280, height: 800 });

    await page.getByRole('button', { name: 'Add a rule' }).click();
    const condition = page.getByRole('combobox', { name: 'Add a condition' });
    expect(await condition.getAttribute('placeholder')).toBe('Add a country, device or date');
    const found = page.getByRole('listitem', { name: 'Rule 1', exact: true }).getByRole('option');
    for (const text of ['before', 'until Dec', 'since', 'December', 'date']) {
      await condition.fill(text);
      await expect.poll(() => found.allInnerTexts()).toContain('Date and time');
    }
    await condition.fill('before the storm');
    await expect.poll(() => found.count()).toBe(0);
    await condition.press('Escape');
    await page.getByRole('button', { name: 'Remove rule 1' }).click();

    await page.getByRole('button', { name: 'Shorten' }).click();
    const announced = page.getByRole('status').filter({ hasText: `s.example/${alias}` });
    await expect.poll(() => announced.count()).toBe(1);
    // One text, whatever is cut.
    await expect
      .poll(() => rowOf(page, alias).locator('.to').ariaSnapshot())
      .toContain('lindenhof.example/news/black-week');
    await page.goto(`${server.origin}/console/${accountId}/domains`);
    await shown(page.getByText('Apps can be connected once the domain is verified.'));
    expect(complaints).toEqual([]);
  });
});
