import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../../src/testing/caller.ts';
import { startTestServer, type TestServer } from '../../../src/testing/server.ts';
import { chromiumPath, closeTabs } from '../../support/browser.ts';
import { newUrl, shown, signIn } from '../../support/console.ts';

const RULES = 'rules { name when { country { in } platform { in } time { until } } to { url weight } }';

describe.runIf(chromiumPath)('rules that are not saved yet in the console, in a browser', () => {
  let server: TestServer;
  let accounts = 0;
  beforeAll(async () => {
    server = await startTestServer({ background: true });
  });
  afterEach(closeTabs);
  afterAll(() => server.stop());

  const rule = (page: Page, number: number) =>
    page.getByRole('listitem', { name: `Rule ${number}`, exact: true });
  const line = (page: Page, number: number) => rule(page, number).locator('.line');
  const typed = (page: Page) => page.evaluate<string>('document.activeElement.placeholder');

  /** A link with rules, and its form. */
  async function openLink(rules: object[]): Promise<{ caller: Caller; page: Page; complaints: string[] }> {
    const caller = await server.caller(`draft ${accounts++}`);
    const { id } = await caller.link();
    await caller.data(
      'mutation ($id: ID!, $rules: [LinkRuleInput!]) { updateLink(id: $id, input: { rules: $rules }) { __typename } }',
      { id, rules },
    );
    const { page, complaints } = await signIn({ server, key: caller.key }, { path: `/links/${id}` });
    return { caller, page, complaints };
  }
  async function addCondition(card: Locator, text: string): Promise<void> {
    await card.getByRole('combobox', { name: 'Add a condition' }).fill(text);
    await card.page().keyboard.press('Enter');
  }
  const japan = {
    name: 'Japan',
    when: [{ country: { in: ['JP'] } }],
    to: [{ url: 'https://example.com/jp' }],
  };

  test('adds a condition by Enter and clicks alone, of what the text says', async () => {
    const { page } = await openLink([japan]);
    await line(page, 1).click();
    const card = rule(page, 1);
    const field = card.getByRole('combobox', { name: 'Add a condition' });
    const found = card.getByRole('option');
    await field.fill('before 5 Jan 2038');
    await expect
      .poll(() => found.allInnerTexts())
      .toEqual(['Date and time: before 5 Jan 2038', 'Date and time: from 5 Jan 2038']);
    await field.fill('Spain');
    await expect.poll(() => found.allInnerTexts()).toEqual(['Country: Spain']);
    await field.press('Escape');
    await expect.poll(() => field.inputValue()).toBe('');
    await field.fill('Spain');
    await field.press('Tab');
    await shown(card.getByText('“Spain” is not chosen.'));
    expect(await card.locator('.chip').allInnerTexts()).toEqual(['Country: Japan']);
    // Of a whole sentence, nothing is chosen in silence.
    await field.fill('iPhones in Germany before 1 December 2038');
    await expect.poll(() => found.count()).toBe(0);
  });

  test('makes 70 % here, 30 % there, and iPhones in Germany before a day to a third, by nine presses', async () => {
    const caller = await server.caller('split');
    const { page, complaints } = await signIn({ server, key: caller.key });
    let presses = 1;
    const press = async (button: Locator) => {
      presses++;
      await button.click();
    };
    await (await newUrl(page)).fill('example.com/a');
    await press(page.locator('.fold summary', { hasText: 'Who goes where' }));
    await press(page.getByRole('button', { name: 'Split everybody' }));
    await shown(rule(page, 1));
    await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('url');
    await page.keyboard.type('example.com/b');
    // What is typed replaces the weight that was there.
    await press(rule(page, 1).getByLabel('Weight of destination 1'));
    await page.keyboard.type('70');
    await expect
      .poll(() => rule(page, 1).locator('.hint', { hasText: '%' }).allInnerTexts())
      .toEqual(['= 70%', '= 30%']);
    // The new rule comes before the one for everybody, behind which it would lead nobody.
    await press(page.getByRole('button', { name: 'Add a rule' }));
    await expect.poll(() => typed(page)).toMatch(/country, device or date/);
    for (const text of ['iph', 'germ', 'before 1 dec 2031']) {
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
    }
    await expect
      .poll(() => rule(page, 1).locator('.chip').allInnerTexts())
      .toEqual(['System: iOS', 'Country: Germany', 'Date and time: before 1 Dec 2031, 00:00 (UTC)']);
    await press(rule(page, 1).getByRole('textbox', { name: 'Go to' }));
    await page.keyboard.type('example.com/third');
    const preview = page.getByRole('complementary', { name: 'Preview' });
    await expect.poll(() => preview.innerText()).toContain('example.com/third');
    // Nobody is left for the link's own destination.
    expect(await preview.getByText(/All others: /).count()).toBe(0);
    await press(page.getByRole('button', { name: 'Shorten' }));
    await shown(page.getByRole('region', { name: 'Your link is ready' }));
    expect(presses).toBeLessThanOrEqual(9);
    const { links } = await caller.data<{ links: { nodes: object[] } }>(
      `{ links { nodes { id url ${RULES} } } }`,
    );
    expect(links.nodes).toMatchObject([
      {
        url: 'https://example.com/a',
        rules: [
          {
            when: [
              { platform: { in: ['IOS'] } },
              { country: { in: ['DE'] } },
              { time: { until: '2031-12-01T00:00:00.000Z' } },
            ],
            to: [{ url: 'https://example.com/third' }],
          },
          {
            when: [],
            to: [
              { url: 'https://example.com/a', weight: 70 },
              { url: 'https://example.com/b', weight: 30 },
            ],
          },
        ],
      },
    ]);
    expect(complaints).toEqual([]);
  });

  test('shows saved rules as lines, and opens one by a press, and a wrong one', async () => {
    const { page, complaints } = await openLink([
      japan,
      {
        when: [],
        to: [
          { name: 'A', url: 'https://example.com/a', weight: 7 },
          { url: 'https://example.com/b', weight: 3 },
        ],
      },
    ]);
    await shown(line(page, 1).getByText('Japan: Japan → example.com/jp'));
    await shown(line(page, 2).getByText('Everybody → A 70%, example.com/b 30%'));
    expect(await page.locator('.who').count()).toBe(0);
    await line(page, 1).click();
    await rule(page, 1).getByRole('textbox', { name: 'Go to' }).fill('');
    await line(page, 1).click();
    await expect.poll(() => page.locator('.who').count()).toBe(0);
    await page.getByRole('button', { name: 'Save' }).click();
    await shown(rule(page, 1).locator('.where .error'));
    expect(await page.locator('.who').count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  test('tries the rules in the form, of a link and of a new one, and keeps a visitor as a test', async () => {
    const { page, caller, complaints } = await openLink([japan]);
    await line(page, 1).click();
    await addCondition(rule(page, 1), 'Germany');
    await page.getByRole('button', { name: 'Test a visitor' }).click();
    const visitor = page.getByRole('group', { name: 'Test' });
    await visitor.getByLabel('Query string').fill('q=1');
    // Enter asks, and does not save.
    await page.keyboard.press('Enter');
    await shown(page.locator('.explain .deciding').getByText('The rule “Japan” applies.'));
    await page.getByRole('button', { name: 'Keep as test' }).click();
    await shown(
      page.locator('.rule-tests > ul > li').getByText(/Germany, German, iPhone, \?q=1.* → rule “Japan”/),
    );
    // A result is about what the form had.
    await rule(page, 1).getByRole('button', { name: 'Remove the condition Country: Japan, Germany' }).click();
    await expect.poll(() => page.locator('.explain .deciding').count()).toBe(0);
    const { links } = await caller.data<{ links: { nodes: object[] } }>(`{ links { nodes { ${RULES} } } }`);
    expect(links.nodes).toMatchObject([{ rules: [{ when: [{ country: { in: ['JP'] } }] }] }]);
    await page.getByRole('link', { name: 'Links', exact: true }).click();
    await (await newUrl(page)).fill('https://example.com/new');
    await page.locator('.fold summary', { hasText: 'Who goes where' }).click();
    await page.getByRole('button', { name: 'Split everybody' }).click();
    await page.getByRole('button', { name: 'Test a visitor' }).click();
    const ask = visitor.getByRole('button', { name: 'Test', exact: true });
    await ask.click();
    await shown(page.locator('.toast', { hasText: 'Rule 1: The URL may not be empty.' }));
    await rule(page, 1)
      .getByRole('textbox', { name: 'Destination 2', exact: true })
      .fill('example.com/other');
    await ask.click();
    await expect
      .poll(() => page.locator('.explain ul .address').allInnerTexts())
      .toEqual(['50% https://example.com/new', '50% example.com/other']);
    expect(complaints).toEqual([]);
  });

  test('warns at a rule before it is saved, and asks one question at a time', async () => {
    const { page, complaints } = await openLink([japan]);
    const [questions, held]: [string[], (() => void)[]] = [[], []];
    await page.route('**/graphql', async (route) => {
      const body = route.request().postData() ?? '';
      if (!body.includes('AskedWarnings')) return route.continue();
      questions.push(body);
      await new Promise<void>((done) => held.push(done));
      return route.continue();
    });
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await rule(page, 2).getByRole('textbox', { name: 'Go to' }).fill('example.com/again');
    await addCondition(rule(page, 2), 'Japan');
    await expect.poll(() => questions.length).toBe(1);
    // Changes during a question are one question more, whatever their number.
    for (const name of ['A', 'Ag', 'Again'])
      await rule(page, 2).getByRole('textbox', { name: 'Name of rule 2' }).fill(name);
    await rule(page, 2).getByRole('textbox', { name: 'Go to' }).fill('example.com/twice');
    expect(questions).toHaveLength(1);
    held.shift()?.();
    await shown(rule(page, 2).getByText('It has the same conditions as rule “Japan”, which comes first.'));
    await expect.poll(() => questions.length).toBe(2);
    expect(questions[1]).toContain('example.com/twice');
    held.shift()?.();
    await shown(page.locator('.fold summary').getByText('2 rules · 1 warning'));
    // Without conditions, it is for the others.
    await rule(page, 2).getByRole('button', { name: 'Remove the condition Country: Japan' }).click();
    await expect.poll(() => questions.length).toBe(3);
    held.shift()?.();
    await expect.poll(() => page.locator('.hint.warning').count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
