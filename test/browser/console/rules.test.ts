import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../../src/testing/caller.ts';
import { startTestServer, type TestServer } from '../../../src/testing/server.ts';
import { APPEARANCES, chromiumPath, closeTabs, faultsFor } from '../../support/browser.ts';
import { newUrl, shown, signIn, unfold } from '../../support/console.ts';
import { visit } from '../../support/visit.ts';

/** The fields of a link's rules that tests read. */
const RULES = `rules { name when { country { in notIn } platform { in } device { in } browser { in } language { in notIn }
  query { name in exists } referrer { in } time { from until } hours { days from to timeZone } } to { name url weight } }
  ruleTests { visitor { country language query userAgent } expect { rule noRule url } }`;

/** A value without the fields that are null. */
const given = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, one: unknown) => (one === null ? undefined : one)));

describe.runIf(chromiumPath)('the rules of a link in the console, in a browser', () => {
  let server: TestServer;
  let accounts = 0;
  beforeAll(async () => {
    server = await startTestServer({ background: true });
  });
  afterEach(closeTabs);
  afterAll(() => server.stop());

  interface Opened {
    readonly caller: Caller;
    readonly page: Page;
    readonly id: number;
    readonly complaints: string[];
  }

  /** A link with rules, and its form. */
  async function openLink(input: object = {}, path = ''): Promise<Opened> {
    const caller = await server.caller(`rules ${accounts++}`);
    const { id } = await caller.link({ title: 'Ruled' });
    await update(caller, id, input);
    const { page, complaints } = await signIn({ server, key: caller.key }, { path: `/links/${id}${path}` });
    return { caller, page, id, complaints };
  }
  /** Changes a link, a minute later each time: the log tells changes apart by their times. */
  async function update(caller: Caller, id: number, input: object): Promise<void> {
    server.clock.now = new Date(server.clock.now.getTime() + 60_000);
    await caller.data(
      'mutation ($id: ID!, $input: UpdateLinkInput!) { updateLink(id: $id, input: $input) { __typename } }',
      { id, input },
    );
  }
  const stored = async (caller: Caller, id: number) => {
    const { link } = await caller.data<{ link: { rules: { name: string }[]; ruleTests: unknown[] } }>(
      `query ($id: ID!) { link(id: $id) { ${RULES} } }`,
      { id },
    );
    return link;
  };
  const namesOf = async (caller: Caller, id: number) =>
    (await stored(caller, id)).rules.map(({ name }) => name);

  const rule = (page: Page, number: number) =>
    page.getByRole('listitem', { name: `Rule ${number}`, exact: true });
  const chips = (card: Locator) => card.locator('.chip').allInnerTexts();
  const save = (page: Page) => page.getByRole('button', { name: 'Save' }).click();
  const saved = (page: Page) => shown(page.locator('.toast', { hasText: /saved\./ }));
  const focused = (page: Page, label: string) =>
    expect.poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe(label);
  const addCondition = (card: Locator, kind: string) => choose(card, 'Add a condition', kind);
  /** A rule with its fields. */
  async function unfolded(page: Page, number: number): Promise<Locator> {
    const card = await shown(rule(page, number));
    const line = card.locator('.line[aria-expanded="false"]');
    if ((await line.count()) > 0) await line.click();
    return card;
  }
  async function choose(card: Locator, label: string, name: string): Promise<void> {
    await card.getByRole('combobox', { name: label }).fill(name);
    await card.getByRole('option', { name, exact: true }).click();
  }

  const THREE = {
    rules: ['A', 'B', 'C'].map((name) => ({
      name,
      when: [{ query: { name: 'q', in: [name] } }],
      to: [{ url: `https://example.com/${name.toLowerCase()}` }],
    })),
  };

  test('leads 70 % of visitors here and 30 % there, and iPhones in Germany before 1 December to a third', async () => {
    const { caller, page, id, complaints } = await openLink();
    await page.locator('.fold summary', { hasText: 'Who goes where' }).click();
    await page.getByRole('button', { name: 'Add a rule' }).click();
    const first = rule(page, 1);
    await shown(first);
    // A new rule begins with its visitors.
    await expect
      .poll(() => page.evaluate('document.activeElement.placeholder'))
      .toMatch(/country, device or date/);
    await first.getByRole('textbox', { name: 'Name of rule 1' }).fill('iPhones');
    await addCondition(first, 'System');
    await expect.poll(() => chips(first)).toEqual(['System: nothing chosen yet']);
    await first.getByRole('checkbox', { name: 'iOS (iPhone, iPad)' }).check();
    await addCondition(first, 'Country');
    await choose(first, 'Add: Country', 'Germany');
    await addCondition(first, 'Date and time');
    await first.getByLabel('Until before').fill('2036-12-01T00:00');
    await expect
      .poll(() => chips(first))
      .toEqual(['System: iOS', 'Country: Germany', 'Date and time: before 1 Dec 2036, 00:00 (UTC)']);
    await first.getByRole('textbox', { name: 'Go to' }).fill('example.com/third');
    await page.getByRole('button', { name: 'Add a rule' }).click();
    const second = rule(page, 2);
    await second.getByRole('textbox', { name: 'Name of rule 2' }).fill('Others');
    await second.getByRole('textbox', { name: 'Go to' }).fill('https://example.com/here');
    await second.getByRole('button', { name: 'Split: add a destination' }).click();
    await shown(second.getByText('= 50%').first());
    await second.getByLabel('Weight of destination 1').fill('70');
    await expect
      .poll(() => second.locator('.hint', { hasText: '%' }).allInnerTexts())
      .toEqual(['= 70%', '= 30%']);
    await second
      .getByRole('textbox', { name: 'Destination 2', exact: true })
      .fill('https://example.com/there');
    await second.getByRole('textbox', { name: 'Name of destination 2' }).fill('There');
    await save(page);
    await saved(page);
    const link = given(await stored(caller, id));
    expect(link).toEqual({
      rules: [
        {
          name: 'iPhones',
          when: [
            { platform: { in: ['IOS'] } },
            { country: { in: ['DE'] } },
            {
              time: {
                until: new Date(
                  await page.evaluate<string>('new Date("2036-12-01T00:00").toISOString()'),
                ).toISOString(),
              },
            },
          ],
          to: [{ name: 'Target 3', url: 'https://example.com/third', weight: 1 }],
        },
        {
          name: 'Others',
          when: [],
          to: [
            { name: expect.stringMatching(/^Target \d$/), url: 'https://example.com/here', weight: 70 },
            { name: 'There', url: 'https://example.com/there', weight: 30 },
          ],
        },
      ],
      ruleTests: [],
    });
    await shown(page.locator('.fold summary').getByText('2 rules'));
    const preview = page.getByRole('complementary', { name: 'Preview' });
    await shown(preview.getByText('Others 70%: example.com/here'));
    expect(complaints).toEqual([]);
  });

  test('takes what is typed after a rule is added for its visitors, and never as a shortcut', async () => {
    const { page, complaints } = await openLink(THREE);
    await shown(rule(page, 3));
    const add = page.getByRole('button', { name: 'Add a rule' });
    await add.click();
    await expect
      .poll(() => page.evaluate('document.activeElement.placeholder'))
      .toMatch(/country, device or date/);
    await page.keyboard.type('iPhone DE');
    expect(await rule(page, 4).getByRole('combobox').inputValue()).toBe('iPhone DE');
    // Keys on buttons and boxes of the form do not leave it.
    await addCondition(rule(page, 4), 'System');
    const destination = page.getByLabel('Destination', { exact: true });
    const before = await destination.inputValue();
    for (const one of [add, rule(page, 4).getByRole('checkbox', { name: 'iOS' })]) {
      await one.focus();
      await page.keyboard.type('en/aeDE?');
      expect(await page.evaluate('document.activeElement.matches("button, [type=checkbox]")')).toBe(true);
    }
    expect(await destination.inputValue()).toBe(before);
    expect(await page.getByRole('dialog').count()).toBe(0);
    // Elsewhere on the page they act.
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('e');
    await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('url');
    expect(complaints).toEqual([]);
  });

  test('moves rules by buttons, keys and a pointer, and says where they are', async () => {
    const { caller, page, id, complaints } = await openLink(THREE);
    await shown(rule(page, 3));
    const names = () =>
      page.evaluate(
        "[...document.querySelectorAll('.rule .line span')].map(({ textContent }) => textContent[0])",
      );
    await rule(page, 3).getByRole('button', { name: 'Move rule 3 up' }).click();
    await expect.poll(() => names()).toEqual(['A', 'C', 'B']);
    await shown(page.getByText('Now rule 2 of 3.'));
    const up = rule(page, 1).getByRole('button', { name: 'Move rule 1 up' });
    expect(await up.getAttribute('aria-disabled')).toBe('true');
    await up.click({ force: true });
    await rule(page, 1).locator('.drag').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => names()).toEqual(['C', 'B', 'A']);
    // The focus moves with the rule.
    await expect
      .poll(() =>
        page.evaluate('document.activeElement.closest(".rule").querySelector(".line span").textContent[0]'),
      )
      .toBe('A');
    const [from, to] = [rule(page, 3).locator('.drag'), rule(page, 1)];
    await page.setViewportSize({ width: 1280, height: 2_000 });
    await page.evaluate('scrollTo(0, 0)');
    const [top, handle] = [await to.boundingBox(), await from.boundingBox()];
    if (!top || !handle) throw new Error('rules are not in sight');
    await page.mouse.move(handle.x + 5, handle.y + 5);
    await page.mouse.down();
    await page.mouse.move(top.x + 20, top.y + 5, { steps: 5 });
    await shown(page.locator('.rule.drop-before'));
    await page.mouse.up();
    await expect.poll(() => names()).toEqual(['A', 'C', 'B']);
    await save(page);
    await saved(page);
    expect(await namesOf(caller, id)).toEqual(['A', 'C', 'B']);
    await rule(page, 2).getByRole('button', { name: 'Remove rule 2' }).click();
    await save(page);
    await expect.poll(() => namesOf(caller, id)).toEqual(['A', 'B']);
    expect(complaints).toEqual([]);
  });

  test('gives a removed rule, destination and test back, with the focus', async () => {
    const split = [
      { name: 'Target', url: 'https://example.com/one', weight: 50 },
      { name: 'Other', url: 'https://example.com/two', weight: 30 },
      { name: 'Third', url: 'https://example.com/three', weight: 20 },
    ];
    const { caller, page, id, complaints } = await openLink({
      rules: [...THREE.rules.slice(0, 2), { name: 'Split', when: [], to: split }],
      ruleTests: [{ visitor: { country: 'JP' }, expect: { rule: 'Split' } }],
    });
    const before = await stored(caller, id);
    const undo = () => page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
    await shown(rule(page, 2));
    await page.getByRole('button', { name: 'Remove rule 2' }).click();
    await shown(page.locator('.toast', { hasText: 'Rule 2 removed.' }));
    // What is typed since then stays.
    await (await unfolded(page, 1)).getByLabel('Name of rule 1').fill('Typed');
    await undo();
    await expect.poll(() => page.locator('.rules > .list > li').count()).toBe(3);
    expect(await page.evaluate('document.activeElement.closest("li")?.getAttribute("aria-label")')).toBe(
      'Rule 2',
    );
    await expect.poll(() => page.getByLabel('Name of rule 1').inputValue()).toBe('Typed');
    await page.getByLabel('Name of rule 1').fill(before.rules[0]?.name ?? '');
    await unfolded(page, 3);
    for (const number of [2, 2]) {
      await rule(page, 3)
        .getByRole('button', { name: `Remove destination ${number}` })
        .click();
      await shown(page.locator('.toast', { hasText: `Destination ${number} removed.` }));
    }
    await undo();
    expect(await page.evaluate('document.activeElement.value')).toBe('https://example.com/three');
    await page.getByRole('button', { name: 'Discard' }).click();
    await unfolded(page, 3);
    await rule(page, 3).getByRole('button', { name: 'Remove destination 3' }).click();
    await undo();
    await page.getByRole('button', { name: 'Remove test 1' }).click();
    await shown(page.locator('.toast', { hasText: 'Test 1 removed.' }));
    await undo();
    expect(await page.evaluate('document.activeElement.innerText')).toContain('rule “Split”');
    await page.getByRole('button', { name: 'Remove rule 1' }).click();
    await undo();
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    expect(await stored(caller, id)).toEqual(before);
    // The only rule comes back, too.
    for (const number of [3, 2, 1]) await page.getByRole('button', { name: `Remove rule ${number}` }).click();
    await undo();
    expect(await page.locator('.rules > .list > li').count()).toBe(1);
    await page.getByRole('button', { name: 'Remove rule 1' }).click();
    await page.getByLabel('Where visitors go').selectOption('ROTATION');
    await page.locator('.target input').fill('https://example.com/turn');
    await page.locator('.targets').getByRole('button', { name: 'Add a destination' }).click();
    await page.locator('.targets').getByRole('button', { name: 'Remove destination 1' }).click();
    await undo();
    expect(await page.evaluate('document.activeElement.value')).toBe('https://example.com/turn');
    expect(complaints).toEqual([]);
  });

  test('has a picker for each kind of condition, and shows stored ones as chips', async () => {
    const { caller, page, id, complaints } = await openLink({
      rules: [{ name: 'All', when: [], to: [{ url: 'https://example.com/all' }] }],
    });
    await shown(rule(page, 1).getByText('All: Everybody → example.com/all'));
    const card = await unfolded(page, 1);
    await shown(card.getByText('Everybody', { exact: true }));
    await addCondition(card, 'Language');
    await card.getByRole('combobox', { name: 'Language' }).first().selectOption('notIn');
    await choose(card, 'Add: Language', 'French');
    await addCondition(card, 'Device');
    await card.getByRole('checkbox', { name: 'Phone' }).check();
    await addCondition(card, 'Browser');
    await choose(card, 'Add: Browser', 'Firefox');
    await addCondition(card, 'Referring site');
    await card.getByRole('textbox', { name: 'Sites' }).fill('example.com');
    await page.keyboard.press('Enter');
    await page.keyboard.type('example.org');
    await addCondition(card, 'Parameter');
    await card.getByRole('textbox', { name: 'Name of the parameter' }).fill('utm_source');
    await card.getByRole('combobox', { name: 'Comparison' }).selectOption('exists');
    await addCondition(card, 'Days and hours');
    await card.getByRole('checkbox', { name: 'Monday' }).check();
    await card.getByRole('checkbox', { name: 'Friday' }).check();
    await card.getByLabel('Starts at').fill('09:00');
    await card.getByLabel('Ends at').fill('17:00');
    await choose(card, 'Time zone', 'Europe/Berlin');
    const told = [
      'Language: not French',
      'Device: Phone',
      'Browser: Firefox',
      'Referring site: example.com, example.org',
      'Parameter utm_source: is there',
      'Days and hours: Monday, Friday, 09:00–17:00 (Europe/Berlin)',
    ];
    await expect.poll(() => chips(card)).toEqual(told);
    await save(page);
    await saved(page);
    expect(given((await stored(caller, id)).rules)).toMatchObject([
      {
        when: [
          { language: { notIn: ['fr'] } },
          { device: { in: ['MOBILE'] } },
          { browser: { in: ['Firefox'] } },
          { referrer: { in: ['example.com', 'example.org'] } },
          { query: { name: 'utm_source', exists: true } },
          { hours: { days: ['MONDAY', 'FRIDAY'], from: '09:00', to: '17:00', timeZone: 'Europe/Berlin' } },
        ],
      },
    ]);
    await page.reload();
    await unfolded(page, 1);
    await expect.poll(() => chips(rule(page, 1))).toEqual(told);
    // A removed condition leaves the others.
    await card.getByRole('button', { name: 'Remove the condition Device: Phone' }).click();
    await expect.poll(() => chips(card)).toEqual(told.toSpliced(1, 1));
    expect(complaints).toEqual([]);
  });

  test('shows refusals at their fields, and opens the condition that is wrong', async () => {
    const { page } = await openLink(THREE);
    const card = await unfolded(page, 2);
    await unfolded(page, 3);
    await card.getByRole('textbox', { name: 'Go to' }).fill('');
    await card.getByRole('textbox', { name: 'Name of rule 2' }).fill('A');
    await addCondition(rule(page, 3), 'Date and time');
    await rule(page, 3).getByRole('button', { name: 'Done' }).click();
    await save(page);
    await shown(
      rule(page, 3).locator('.condition .error', { hasText: 'The period must have from, until, or both.' }),
    );
    await shown(card.locator('.where .error'));
    await expect
      .poll(() => page.evaluate('document.activeElement.closest("li.rule")?.getAttribute("aria-label")'))
      .toBe('Rule 2');
    expect(await page.evaluate('document.activeElement.type')).toBe('url');
    await rule(page, 3)
      .getByRole('button', { name: /^Remove the condition Date/ })
      .click();
    await card.getByRole('textbox', { name: 'Go to' }).fill('https://example.com/b');
    await save(page);
    await shown(card.locator('.error', { hasText: 'The name is already a name in this list.' }));
    await focused(page, 'Name of rule 2');
    // A text that is no country is not left out: the rule would be wider.
    await card.getByRole('textbox', { name: 'Name of rule 2' }).fill('B');
    await addCondition(card, 'Country');
    await card.getByRole('combobox', { name: 'Add: Country' }).fill('Nowhere');
    await page.keyboard.press('Tab');
    await card.getByRole('button', { name: 'Done' }).click();
    await save(page);
    await shown(card.locator('.condition').getByText('“Nowhere” is not chosen.'));
  });

  test('moves to an error of all rules, which no field has', async () => {
    const url = `https://example.com/${'x'.repeat(2_020)}`;
    const to = Array.from({ length: 7 }, () => ({ url, weight: 1 }));
    const { page } = await openLink({ rules: ['A', 'B', 'C', 'D'].map((name) => ({ name, when: [], to })) });
    for (const number of [1, 2, 3, 4]) {
      await (await unfolded(page, number)).getByRole('button', { name: 'Split: add a destination' }).click();
      await rule(page, number).getByRole('textbox', { name: 'Destination 8', exact: true }).fill(url);
    }
    await save(page);
    await expect
      .poll(() =>
        page.evaluate('document.activeElement.querySelector(":scope > .spoken > .error")?.innerText'),
      )
      .toMatch(/^The list of rules /);
  });

  test('tries a visitor in words, keeps the result as a test, and refuses rules that fail it', async () => {
    const { caller, page, id, complaints } = await openLink({
      rules: [
        { name: 'Japan', when: [{ country: { in: ['JP'] } }], to: [{ url: 'https://example.com/jp' }] },
        {
          name: 'Mail',
          when: [{ query: { name: 'utm_source', in: ['mail'] } }],
          to: [
            { name: 'Old', url: 'https://example.com/old', weight: 7 },
            { name: 'New', url: 'https://example.com/new', weight: 3 },
          ],
        },
      ],
    });
    await page.getByRole('button', { name: 'Test a visitor' }).click();
    const ask = page.getByRole('main').getByRole('button', { name: 'Test', exact: true });
    await page.getByLabel('Query string').fill('?utm_source=mail');
    await ask.click();
    await shown(page.getByRole('heading', { name: 'with an iPhone in German goes to one of' }));
    await shown(page.getByText('70% https://example.com/old'));
    await shown(
      page.locator('.deciding', {
        hasText: 'The rule “Mail” applies. It divides its visitors: Old 70%, New 30%.',
      }),
    );
    await shown(page.locator('.steps').getByText('The rule “Japan” does not fit: Country: Japan'));
    await page.getByRole('button', { name: 'Keep as test' }).click();
    await shown(page.getByText('Added as a test. Save the link to keep it.'));
    await page.getByLabel('Query string').fill('');
    await ask.click();
    await shown(page.locator('.deciding', { hasText: 'So the visitor gets the destination of the link.' }));
    await page.getByRole('button', { name: 'Keep as test' }).click();
    const tests = page.locator('.rule-tests > ul > li');
    await expect
      .poll(() => tests.allInnerTexts())
      .toEqual([
        'Germany, German, iPhone, ?utm_source=mail, at the time of saving → rule “Mail”',
        'Germany, German, iPhone, at the time of saving → no rule',
      ]);
    await save(page);
    await saved(page);
    expect(given((await stored(caller, id)).ruleTests)).toMatchObject([
      { visitor: { country: 'DE', language: 'de', query: 'utm_source=mail' }, expect: { rule: 'Mail' } },
      { visitor: { country: 'DE' }, expect: { noRule: true } },
    ]);
    // Tests follow the name of their rule.
    await (await unfolded(page, 2)).getByRole('textbox', { name: 'Name of rule 2' }).fill('Letters');
    await expect.poll(async () => (await tests.allInnerTexts())[0]).toMatch(/→ rule “Letters”$/);
    await rule(page, 2).locator('.chip').click();
    await rule(page, 2).getByRole('combobox', { name: 'Comparison' }).selectOption('absent');
    await save(page);
    await shown(tests.first().getByText('This test fails: no rule leads.'));
    await shown(tests.nth(1).getByText('This test fails: the rule “Letters” leads.'));
    expect(await namesOf(caller, id)).toEqual(['Japan', 'Mail']);
    // The focus is at the test that fails: Enter removes nothing.
    await expect
      .poll(() => page.evaluate('document.activeElement.innerText'))
      .toMatch(/→ rule “Letters”[\s\S]*This test fails: no rule leads\.$/);
    await page.keyboard.press('Enter');
    expect(await tests.count()).toBe(2);
    await page.getByRole('button', { name: 'Remove test 1' }).click();
    await page.getByRole('button', { name: 'Remove test 1' }).click();
    await save(page);
    await saved(page);
    expect(await stored(caller, id)).toMatchObject({
      rules: [{ name: 'Japan' }, { name: 'Letters' }],
      ruleTests: [],
    });
    expect(complaints).toEqual([]);
  });

  test('names the test that refuses a restoration or an undo, and says that nothing was changed', async () => {
    const { rules } = THREE;
    const { caller, page, id } = await openLink({ rules }, '/history');
    await update(caller, id, { rules: rules.slice(1) });
    await update(caller, id, {
      ruleTests: [{ visitor: { country: 'DE', query: 'q=A' }, expect: { noRule: true } }],
    });
    const told =
      /^Nothing of this link was changed\. This test of its rules would fail: Germany, \?q=A, .* → no rule\.$/;
    // Once the page has both changes, nothing draws it again.
    await shown(
      page
        .getByRole('listitem')
        .filter({ hasText: /tests of the rules/i })
        .first(),
    );
    const change = page
      .getByRole('listitem')
      .filter({ hasText: 'A, B, C' })
      .filter({ hasText: 'Restore' })
      .first();
    await change.getByRole('button', { name: 'Restore' }).click();
    await shown(page.locator('.restore .error', { hasText: told }));
    expect(await namesOf(caller, id)).toEqual(['B', 'C']);
    // An undo is refused with the tests that are there by then.
    await page.goto(page.url().replace('/history', ''));
    await rule(page, 1).getByRole('button', { name: 'Remove rule 1' }).click();
    await save(page);
    await saved(page);
    await update(caller, id, { ruleTests: [{ visitor: { query: 'q=B' }, expect: { noRule: true } }] });
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
    await shown(
      page.locator('.toast', {
        hasText: /^Nothing of this link was changed\. .* fail: \?q=B, .* → no rule\./,
      }),
    );
    expect(await namesOf(caller, id)).toEqual(['C']);
  });

  test('warns at a rule that nobody reaches, until it is changed', async () => {
    const { rules } = THREE;
    const { page } = await openLink({
      rules: [
        ...rules.slice(0, 1),
        { ...rules[0], name: 'Again' },
        {
          name: 'Never',
          when: [{ time: { until: '2020-01-01T00:00Z' } }],
          to: [{ url: 'https://example.com/n' }],
        },
      ],
    });
    await shown(page.locator('.fold summary').getByText('3 rules · 2 warnings'));
    await shown(page.locator('header .badge, .badge').getByText('3 rules', { exact: true }).first());
    await shown(rule(page, 2).getByText('It has the same conditions as rule “A”, which comes first.'));
    await shown(rule(page, 3).getByText('This rule fits nobody'));
    await rule(page, 2).getByRole('button', { name: 'Remove rule 2' }).click();
    // The one that is left stays.
    await shown(page.locator('.fold summary').getByText('2 rules · 1 warning'));
    await shown(rule(page, 2).getByText('This rule fits nobody'));
    await rule(page, 2).getByRole('button', { name: 'Remove rule 2' }).click();
    await expect.poll(() => page.locator('.hint.warning').count()).toBe(0);
  });

  test('turns destinations by country into rules that lead as they did', async () => {
    const targeting = {
      type: 'COUNTRY',
      countries: [
        { country: 'DE', url: 'https://example.com/de' },
        { country: 'AT', url: 'https://example.com/de' },
        { country: 'JP', url: 'https://example.com/jp' },
      ],
    };
    const { caller, page, id } = await openLink({ targeting, url: 'https://example.com/?utm_source=mail' });
    await unfold(page);
    await shown(page.getByText(/^Rules for exceptions: some visitors go elsewhere/));
    await page.getByRole('button', { name: 'Turn these destinations into rules' }).click();
    await expect.poll(() => chips(rule(page, 1))).toEqual(['Country: Germany, Austria']);
    await save(page);
    await saved(page);
    expect(given(await stored(caller, id))).toMatchObject({
      rules: [
        {
          name: 'Germany, Austria',
          when: [{ country: { in: ['DE', 'AT'] } }],
          to: [{ url: 'https://example.com/de', weight: 1 }],
        },
        { name: 'Japan', when: [{ country: { in: ['JP'] } }], to: [{ url: 'https://example.com/jp' }] },
      ],
    });
    const { link } = await caller.data<{ link: object }>(
      'query ($id: ID!) { link(id: $id) { targeting { type } } }',
      { id },
    );
    expect(link).toEqual({ targeting: { type: 'NONE' } });
    await page.getByRole('link', { name: 'Links', exact: true }).click();
    await shown(page.locator('.rows li .badge', { hasText: /^2 rules$/ }));
    await page.goBack();
    await shown(rule(page, 2));
    // Turns have no rule that leads as they do.
    await page.getByLabel('Where visitors go').selectOption('ROTATION');
    // They begin with the link's own destination.
    const first = page.locator('.target input');
    expect(await first.inputValue()).toBe(
      await page.locator('form.edit input[type="url"]').first().inputValue(),
    );
    await first.fill('https://example.com/turn');
    expect(await page.getByRole('button', { name: 'Turn these destinations into rules' }).count()).toBe(0);
  });

  test('makes a new link with rules, and keeps them as a draft over a reload', async () => {
    const caller = await server.caller('new');
    const { page, complaints } = await signIn({ server, key: caller.key });
    await (await newUrl(page)).fill('https://example.com/');
    await page.locator('.fold summary', { hasText: 'Who goes where' }).click();
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await addCondition(rule(page, 1), 'Country');
    await choose(rule(page, 1), 'Add: Country', 'Japan');
    await rule(page, 1).getByRole('textbox', { name: 'Go to' }).fill('https://example.com/jp');
    await page.reload();
    await unfold(page);
    await expect.poll(() => chips(rule(page, 1))).toEqual(['Country: Japan']);
    await page.getByRole('button', { name: 'Shorten' }).click();
    await shown(page.getByRole('region', { name: 'Your link is ready' }));
    const { links } = await caller.data<{ links: { nodes: object[] } }>(`{ links { nodes { ${RULES} } } }`);
    expect(given(links.nodes)).toMatchObject([
      {
        rules: [
          { name: 'Rule 1', when: [{ country: { in: ['JP'] } }], to: [{ url: 'https://example.com/jp' }] },
        ],
      },
    ]);
    expect(complaints).toEqual([]);
  });

  test('undoes a save, restores a draft, and says what somebody else changed in rules meanwhile', async () => {
    const { caller, page, id } = await openLink(THREE);
    await (await unfolded(page, 1)).getByRole('textbox', { name: 'Go to' }).fill('https://example.com/other');
    await save(page);
    await saved(page);
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
    await shown(page.getByText(/Undone\. As before again: Rules/));
    await expect
      .poll(() => rule(page, 1).getByRole('textbox', { name: 'Go to' }).inputValue())
      .toBe('https://example.com/a');
    // Somebody else changes the rules while nothing is typed.
    await update(caller, id, { rules: THREE.rules.slice(0, 2) });
    await expect.poll(() => page.locator('.meanwhile li').allInnerTexts()).toContain('Rules: A, B, C → A, B');
    await expect.poll(() => page.locator('.list > .rule').count()).toBe(2);
    await page.locator('.meanwhile').getByRole('button', { name: 'Close' }).click();
    // A draft outlasts a reload, also if somebody else changes another field.
    await (await unfolded(page, 2)).getByRole('textbox', { name: 'Name of rule 2' }).fill('Mine');
    await shown(page.getByText('Unsaved changes'));
    await page.reload();
    await shown(page.getByText('Your changes were kept in this browser.'));
    await shown(rule(page, 2).getByText('Mine: Parameter q: B → example.com/b'));
    await update(caller, id, { title: 'Renamed' });
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Title', exact: true }).inputValue())
      .toBe('Renamed');
    // Both changed the rules.
    await update(caller, id, { rules: THREE.rules.slice(0, 1) });
    const conflict = page.locator('.conflict');
    await shown(conflict.getByRole('rowheader', { name: 'Rules' }));
    await shown(conflict.getByText('Mine: Parameter q: B → https://example.com/b'));
    await conflict.getByRole('button', { name: 'Keep my changes' }).click();
    await save(page);
    await saved(page);
    expect(await namesOf(caller, id)).toEqual(['A', 'Mine']);
  });

  test('shows the clicks of each rule by its targets', async () => {
    const caller = await server.caller('variants');
    const { id } = await caller.link({ alias: 'variants' });
    await update(caller, id, {
      rules: [
        {
          name: 'Split',
          when: [{ query: { name: 'q', in: ['x'] } }],
          to: [
            { name: 'Old', url: 'https://example.com/old', weight: 1 },
            { url: 'https://example.com/unnamed', weight: 0 },
          ],
        },
      ],
    });
    for (const query of ['?q=x', '?q=x', '?q=x', '']) await visit(server.origin, `/variants${query}`);
    await server.flush();
    const day = server.clock.now.toISOString().slice(0, 10);
    const path = `/links/${id}/statistics?from=${day}&to=${day}`;
    const { page } = await signIn({ server, key: caller.key }, { path });
    const card = page.getByRole('region', { name: 'Rules and their destinations' });
    await expect
      .poll(async () => (await card.locator('li').allInnerTexts()).map((text) => text.split('\n').join(' ')))
      .toEqual(['Old · example.com/old 3 100.0%', 'example.com/unnamed 0 0.0%']);
    await shown(card.getByText('1 click: no rule led them, or it is not recorded.'));
  });

  test('is accessible and fits phones, with all that can be open', async () => {
    const { page, complaints } = await openLink({
      ...THREE,
      ruleTests: [{ visitor: { query: 'q=A' }, expect: { rule: 'A' } }],
    });
    await shown(rule(page, 1));
    for (const number of [1, 2, 3]) await unfolded(page, number);
    await rule(page, 1).locator('.chip').click();
    await addCondition(rule(page, 2), 'Days and hours');
    await addCondition(rule(page, 3), 'System');
    await rule(page, 3).getByRole('button', { name: 'Split: add a destination' }).click();
    for (const [width, colorScheme] of APPEARANCES) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      expect(await faultsFor(page)).toEqual([]);
      const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
    }
    expect(complaints).toEqual([]);
  });

  test.each([
    ['de', 'Weiterleitung', 'Parameter q: A'],
    ['fr', 'Qui va où', 'Paramètre q : A'],
    ['es', 'Quién va adónde', 'Parámetro q: A'],
  ])('speaks %s', async (language, title, chip) => {
    const { page } = await openLink(THREE);
    await shown(rule(page, 1));
    await page.evaluate(`localStorage['linkspace.language'] = '${language}'`);
    await page.reload();
    await shown(page.locator('.fold summary', { hasText: title }));
    await shown(page.locator('.line', { hasText: chip }));
  });

  test('loads nothing of the editor for a link without rules', async () => {
    const { page } = await openLink();
    await unfold(page);
    await shown(page.getByRole('button', { name: 'Add a rule' }));
    const scripts = `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => /rules?-/.test(name))`;
    expect(await page.evaluate(scripts)).toEqual([]);
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await shown(rule(page, 1));
    expect(await page.evaluate(scripts)).not.toEqual([]);
  });
});
